//! The fork server against the real runtime, and against targets that lie to us.

use crate::build::{here, linked, plain, tracked};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use symcrete_abi::input::{SourceKind, ValueKind};
use symcrete_exec::{
    Capacities, End, Importer, Input, Limits, Mode, Object, ObjectKind, Sandbox, Server, ServerError, SourceSpec,
    Target, Units, check_path, check_trace,
};
use symcrete_program::{Program, SideId};
use symcrete_term::{Evaluator, Terms, Var};
use symcrete_tree::Kind;

fn small() -> Capacities {
    Capacities { nodes: 10_000, events: 10_000, input: 1 << 20, log: 1 << 16, marks: 1 << 16, ..Capacities::default() }
}

fn target(program: &Path, args: &[&str]) -> Target {
    let mut target = Target::new(program, std::env::temp_dir());
    target.args = args.iter().map(OsString::from).collect();
    target.capacities = small();
    target
}

fn limits() -> Limits {
    Limits { timeout: Duration::from_secs(20), ..Limits::default() }
}

fn short() -> Limits {
    Limits { timeout: Duration::from_millis(150), ..Limits::default() }
}

fn traced_program() -> std::path::PathBuf {
    tracked(&here("tests/c/traced.c"))
}

fn traced() -> Server {
    Server::new(target(&traced_program(), &[])).unwrap()
}

fn x(value: u32) -> Input {
    let kind = ObjectKind::Requested(ValueKind::Unsigned);
    Input { objects: vec![Object { name: "x".into(), kind, bytes: value.to_le_bytes().to_vec() }] }
}

#[test]
fn a_traced_run_gives_its_path_and_its_sides() {
    let mut server = traced();
    let model = Program::from_elf(&std::fs::read(traced_program()).unwrap()).unwrap();
    let input = x(20);
    let run = server.run(Mode::Tracking, &input, &limits()).unwrap();
    assert_eq!(run.end, End::Exit(3));
    assert_eq!((run.requested.len(), run.requested[0].name.as_str()), (1, "x"));
    assert_eq!(run.requested[0].bytes, 20u32.to_le_bytes());
    let real = server.input_of(&input, &run);
    assert_eq!(real.objects, run.requested);
    let trace = server.trace();
    assert_eq!(check_trace(&trace, &real), Ok(()));
    let units = Units::load(&trace, &model).unwrap();
    let taken = units.covered(&trace);
    let mut terms = Terms::new();
    let path = Importer::new().path(&trace, &units, &model, &mut terms).unwrap();
    assert_eq!((check_path(&path, &terms, &real), path.lost), (Ok(()), 0));
    // The look-up in the table is followed at every index: no address is fixed.
    assert!(path.steps.len() >= 2 && path.steps.iter().all(|step| step.kind != Kind::Address), "{path:?}");
    // The conditions, taken as a program of their own, say for every x whether it goes the same way.
    let mut evaluator = Evaluator::new();
    for x in (0..300u32).chain([u32::MAX, u32::MAX - 4, u32::MAX - 5]) {
        let value = |var: Var| match var {
            Var::Byte { object: 0, offset } => x.to_le_bytes()[offset as usize] as u128,
            _ => 0,
        };
        evaluator.begin();
        let same = path.steps.iter().all(|s| evaluator.holds(&terms, s.condition, &value));
        assert_eq!(same, x.wrapping_add(5) < 100 && !matches!(x, 7..=9), "x = {x}");
    }
    // The two ways of the first decision are two sides of it.
    server.run(Mode::Tracking, &self::x(1000), &limits()).unwrap();
    let other = units.covered(&server.trace());
    let decision = |side: &SideId| {
        let (unit, side) = model.side(*side);
        (unit, side.decision)
    };
    let differ: Vec<_> = other.iter().filter(|s| !taken.contains(s)).collect();
    assert_eq!(differ.len(), 1, "{taken:?} {other:?}");
    assert!(taken.iter().any(|s| decision(s) == decision(differ[0])));
}

#[test]
fn every_end_is_judged_and_the_next_run_is_clean() {
    let mut server = traced();
    for mode in [Mode::Fast, Mode::Tracking] {
        let mut end = |value: u32, limits: &Limits| server.run(mode, &x(value), limits).unwrap().end;
        assert_eq!(end(1000, &limits()), End::Exit(1));
        let End::Signal(crash) = end(7, &limits()) else { panic!("no signal") };
        assert_eq!(crash.signal, libc::SIGABRT);
        assert_eq!(end(8, &short()), End::Timeout);
        assert_eq!(end(20, &limits()), End::Exit(3));
    }
    assert_eq!(server.starts(), 1, "one server serves them all");
}

#[test]
fn requests_are_answered_from_the_input_then_at_random() {
    let mut server = traced();
    let mut input = x(9);
    let again = server.run(Mode::Fast, &input, &limits()).unwrap();
    assert_eq!(again.requested.len(), 2);
    let same = server.run(Mode::Tracking, &input, &limits()).unwrap();
    assert_eq!(again.requested, same.requested, "the same seed gives the same bytes");
    let other = server.run(Mode::Fast, &input, &Limits { seed: 99, ..limits() }).unwrap();
    assert_ne!(again.requested[1].bytes, other.requested[1].bytes);
    let kind = ObjectKind::Requested(ValueKind::Unsigned);
    input.objects.push(Object { name: "again".into(), kind, bytes: vec![12, 0, 0, 0] });
    assert_eq!(server.run(Mode::Fast, &input, &limits()).unwrap().end, End::Exit(9));
    let bounded = server.run(Mode::Fast, &input, &Limits { max_inputs: 1, ..limits() }).unwrap();
    assert_eq!(bounded.end, End::Stopped(symcrete_exec::Stop::Inputs));
}

#[test]
fn marks_tell_what_is_new() {
    let mut server = traced();
    let mut new = |value| {
        server.run(Mode::Fast, &x(value), &limits()).unwrap();
        server.absorb_marks()
    };
    assert!(new(1000) > 0);
    assert_eq!(new(2000), 0);
    assert!(new(20) > 0);
    assert_eq!(new(21), 0);
}

#[test]
fn a_stopped_server_starts_again() {
    let mut server = traced();
    let before = server.cpu();
    server.stop();
    assert_eq!(server.run(Mode::Fast, &x(20), &limits()).unwrap().end, End::Exit(3));
    assert_eq!(server.starts(), 2);
    assert!(server.cpu() >= before);
}

fn hostile(args: &[&str]) -> Server {
    let program = linked(&here("../process/tests/hostile.c"));
    let mut target = target(&program, args);
    target.stack = 4 << 20;
    target.file_size = 8 << 20;
    Server::new(target).unwrap()
}

#[test]
fn bad_habits_are_judged_and_the_next_run_is_clean() {
    let signal = |number: i32| move |end: End| matches!(end, End::Signal(crash) if crash.signal == number);
    let exit = |code: i32| move |end: End| end == End::Exit(code);
    type Judge = Box<dyn Fn(End) -> bool>;
    let cases: Vec<(&str, Limits, Judge)> = vec![
        ("exit", limits(), Box::new(exit(7))),
        ("quick-exit", limits(), Box::new(exit(9))),
        ("abort", limits(), Box::new(signal(libc::SIGABRT))),
        ("divide", limits(), Box::new(signal(libc::SIGFPE))),
        (
            "null",
            limits(),
            Box::new(|end| matches!(end, End::Signal(c) if c.signal == libc::SIGSEGV && c.address == 16)),
        ),
        ("atexit", limits(), Box::new(signal(libc::SIGABRT))),
        ("close-all", limits(), Box::new(exit(4))),
        ("chdir", limits(), Box::new(exit(5))),
        ("kill-group", limits(), Box::new(signal(libc::SIGKILL))),
        ("kill-everyone", limits(), Box::new(exit(11))),
        ("recurse", limits(), Box::new(|end| matches!(end, End::StackOverflow(_)))),
        ("loop", short(), Box::new(|end| end == End::Timeout)),
        ("wait", short(), Box::new(|end| end == End::Timeout)),
        ("stop", short(), Box::new(|end| end == End::Timeout)),
        ("stubborn", short(), Box::new(|end| end == End::Timeout)),
        ("fork-bomb", limits(), Box::new(|end| end == End::Processes)),
        ("eat", Limits { memory: Some(64 << 20), ..limits() }, Box::new(|end| end == End::Memory)),
        ("big-file", limits(), Box::new(|end| end == End::Output)),
        ("daemon", limits(), Box::new(exit(0))),
        ("chatter", Limits { timeout: Duration::from_secs(60), ..limits() }, Box::new(exit(0))),
    ];
    for (what, limits, judge) in cases {
        let mut server = hostile(&[what]);
        for mode in [Mode::Fast, Mode::Tracking, Mode::Fast] {
            let run = server.run(mode, &Input::default(), &limits).unwrap();
            assert!(judge(run.end), "{what} in {mode:?}: {:?}", run.end);
        }
    }
}

#[test]
fn without_help_of_the_kernel_runs_are_judged_all_the_same() {
    let program = linked(&here("../process/tests/hostile.c"));
    let judge = |what: &str, limits: &Limits| {
        let target = target(&program, &[what]);
        let mut server = Server::with_sandbox(target, |_| Sandbox::without_kernel_help()).unwrap();
        assert!(!server.sandbox().missing().is_empty());
        [Mode::Fast, Mode::Tracking].map(|mode| server.run(mode, &Input::default(), limits).unwrap().end)
    };
    assert_eq!(judge("exit", &limits()), [End::Exit(7); 2]);
    assert_eq!(judge("loop", &short()), [End::Timeout; 2]);
    assert_eq!(judge("fork-bomb", &limits()), [End::Processes; 2]);
    assert_eq!(judge("daemon", &limits()), [End::Exit(0); 2]);
    assert!(judge("kill-group", &limits()).iter().all(|e| matches!(e, End::Signal(c) if c.signal == libc::SIGKILL)));
}

#[test]
fn what_many_runs_leave_behind_does_not_pile_up() {
    let mut server = hostile(&["daemon"]);
    for _ in 0..100 {
        assert_eq!(server.run(Mode::Fast, &Input::default(), &limits()).unwrap().end, End::Exit(0));
    }
    assert!(server.starts() > 1);
}

#[test]
fn standard_input_arguments_files_and_variables_arrive() {
    let program = linked(&here("tests/c/sources.c"));
    let mut target = target(&program, &["first"]);
    target.sources = vec![
        SourceSpec::unnamed(SourceKind::Stdin, "64").unwrap(),
        SourceSpec::unnamed(SourceKind::Arg, "8").unwrap(),
        SourceSpec::named(SourceKind::Env, "COLOUR:8").unwrap(),
        SourceSpec::named(SourceKind::File, "data.txt:8").unwrap(),
    ];
    let sources = target.sources.clone();
    let mut server = Server::new(target).unwrap();
    let mut run = |contents: [&[u8]; 4]| {
        let input = Input::for_sources(&sources, contents.map(|c| c.to_vec()));
        server.run(Mode::Fast, &input, &limits()).unwrap().end
    };
    assert_eq!(run([b"hello", b"arg", b"red", b"file"]), End::Exit(15));
    assert_eq!(run([b"hallo", b"arg", b"red", b"file"]), End::Exit(14));
    assert_eq!(run([b"hello", b"arh", b"red", b"file"]), End::Exit(13));
    assert_eq!(run([b"hello", b"arg", b"", b"file"]), End::Exit(11));
    assert_eq!(run([b"hello", b"arg\0zz", b"red", b"fil"]), End::Exit(7));
}

#[test]
fn batches_find_news_and_survive_their_inputs() {
    let program = linked(&here("tests/c/looped.c"));
    let mut target = target(&program, &[]);
    target.sources = vec![SourceSpec::unnamed(SourceKind::Buffer, "16").unwrap()];
    let sources = target.sources.clone();
    let mut server = Server::new(target).unwrap();
    assert!(server.is_persistent());
    let inputs =
        |bytes: &[u8]| -> Vec<Input> { bytes.iter().map(|&b| Input::for_sources(&sources, [vec![b; 3]])).collect() };
    let first = server.batch(&inputs(&[1, 2, 1, 3, 2]), &limits()).unwrap();
    assert_eq!((first.novel.as_slice(), first.executed), (&[0, 1, 3][..], 5));
    assert!(first.ended.is_none());
    // The same process goes on, and remembers.
    let second = server.batch(&inputs(&[3, 4]), &limits()).unwrap();
    assert_eq!((second.novel.as_slice(), second.executed), (&[1][..], 2));
    // A run beside the waiting loop does not disturb it.
    assert_eq!(server.run(Mode::Fast, &inputs(&[5])[0], &limits()).unwrap().end, End::Exit(0));
    for (bad, want) in [(250u8, libc::SIGABRT), (253, libc::SIGKILL)] {
        let result = server.batch(&inputs(&[6, bad, 7]), &limits()).unwrap();
        let (index, run) = result.ended.expect("the loop ended");
        assert_eq!((index, result.executed), (1, 2));
        assert!(matches!(run.end, End::Signal(c) if c.signal == want), "{:?}", run.end);
    }
    let exit = server.batch(&inputs(&[8, 9, 252]), &limits()).unwrap();
    assert_eq!(exit.novel, [0, 1]);
    assert!(matches!(exit.ended, Some((2, run)) if run.end == End::Exit(5)));
    let stuck = server.batch(&inputs(&[10, 251, 11]), &short()).unwrap();
    assert_eq!(stuck.novel, [0]);
    assert!(matches!(stuck.ended, Some((1, run)) if run.end == End::Timeout));
    let after = server.batch(&inputs(&[10, 12]), &limits()).unwrap();
    assert_eq!((after.novel.as_slice(), after.executed), (&[1][..], 2));
    assert_eq!(server.starts(), 1);
    // More than fits is cut at an input; the rest is the caller's to send again.
    let many: Vec<Input> = (0..100_000u32).map(|i| Input::for_sources(&sources, [vec![(i % 200) as u8; 4]])).collect();
    let cut = server.batch(&many, &limits()).unwrap();
    assert!(cut.executed > 256 && cut.executed < many.len(), "{}", cut.executed);
}

#[test]
fn inputs_lose_what_they_do_not_need_for_what_was_new() {
    let program = linked(&here("tests/c/looped.c"));
    let mut target = target(&program, &[]);
    target.sources = vec![SourceSpec::unnamed(SourceKind::Buffer, "40").unwrap()];
    let sources = target.sources.clone();
    let input = |text: &[u8]| Input::for_sources(&sources, [text.to_vec()]);
    let mut server = Server::new(target).unwrap();
    server.batch(&[input(b".")], &limits()).unwrap();
    let before = server.seen();
    let long = input(b"....A...B.......................C.....");
    assert_eq!(server.batch(std::slice::from_ref(&long), &limits()).unwrap().novel, [0]);
    let shorter = server.shorten(&long, &before, &limits()).unwrap();
    assert_eq!((shorter.input, shorter.ended), (input(b"ABC"), None));
    // What was seen is as it was: ".", and the three letters; not what only shorter ones did.
    let again = server.batch(&[input(b".ABC"), input(b"A")], &limits()).unwrap();
    assert_eq!(again.novel, [1]);
    // Nothing new, nothing to leave out.
    let now = server.seen();
    assert_eq!(server.shorten(&long, &now, &limits()).unwrap().input, long);
    // A shorter one that ends the loop is handed over.
    let deadly = server.shorten(&input(b"A\xfaBC"), &before, &limits()).unwrap();
    assert_eq!((deadly.input, deadly.ended), (input(b"ABC"), Some(input(b"\xfaBC"))));
}

#[test]
fn leaks_of_a_harness_are_nobodys_fault() {
    let program = linked(&here("tests/c/looped.c"));
    let mut target = target(&program, &[]);
    target.sources = vec![SourceSpec::unnamed(SourceKind::Buffer, "1").unwrap()];
    let inputs: Vec<Input> = (0..20).map(|_| Input::for_sources(&target.sources, [vec![249]])).collect();
    let mut server = Server::new(target).unwrap();
    let limits = Limits { memory: Some(100 << 20), ..limits() };
    for _ in 0..12 {
        let result = server.batch(&inputs, &limits).unwrap();
        assert_eq!((result.executed, result.ended.is_none()), (20, true));
    }
}

#[test]
fn a_loop_that_died_waiting_starts_again() {
    let program = linked(&here("tests/c/looped.c"));
    let mut target = target(&program, &[]);
    target.sources = vec![SourceSpec::unnamed(SourceKind::Buffer, "1").unwrap()];
    let sources = target.sources.clone();
    let mut server = Server::new(target).unwrap();
    let inputs = [Input::for_sources(&sources, [vec![1]])];
    assert_eq!(server.batch(&inputs, &limits()).unwrap().executed, 1);
    if server.sandbox().processes_contained {
        // A run that kills everyone it can see, the waiting loop included.
        let bad = Input::for_sources(&sources, [vec![248]]);
        assert_eq!(server.run(Mode::Fast, &bad, &limits()).unwrap().end, End::Exit(0));
    }
    let result = server.batch(&inputs, &limits()).unwrap();
    assert_eq!((result.executed, result.ended.is_none()), (1, true));
    // An input that really ends the loop is still told.
    let bad = [Input::for_sources(&sources, [vec![250]])];
    assert!(server.batch(&bad, &limits()).unwrap().ended.is_some());
}

#[test]
fn a_run_can_be_interrupted() {
    let program = traced_program();
    let flag = Arc::new(AtomicBool::new(false));
    let mut target = target(&program, &[]);
    target.interrupt = Some(flag.clone());
    let mut server = Server::new(target).unwrap();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        flag.store(true, Ordering::Relaxed);
    });
    assert_eq!(server.run(Mode::Fast, &x(8), &limits()).unwrap().end, End::Interrupted);
    setter.join().unwrap();
}

#[test]
fn a_plain_main_has_no_loop() {
    let mut server = traced();
    assert!(matches!(server.batch(&[x(1)], &limits()), Err(ServerError::NoLoop { .. })));
}

fn liar(what: &str) -> Result<Server, ServerError> {
    let program = plain(&here("tests/c/liar.c"));
    let mut target = target(&program, &[what, &symcrete_abi::VERSION.to_string()]);
    target.start_time = Duration::from_millis(500);
    Server::new(target)
}

#[test]
fn what_is_no_target_says_so() {
    let message = |what: &str| liar(what).err().expect("must not start").to_string();
    let silent = message("silent-exit");
    assert!(
        silent.contains("exit 4") && silent.contains("no library found") && silent.contains("symcrete cc"),
        "{silent}"
    );
    assert!(message("never-ready").contains("not ready"));
    assert!(message("closes").contains("before it was ready"));
    assert!(message("nonsense-hello").contains("before it was ready"));
    assert!(message("other-version").contains("another version"));
    assert!(message("refuses").contains("998"));
}

#[test]
fn lies_do_not_disturb_the_engine() {
    for (what, want) in
        [("", End::Exit(3)), ("truncates", End::Exit(3)), ("dies-in-run", End::Lost), ("nonsense-in-run", End::Lost)]
    {
        let mut server = liar(what).unwrap();
        for _ in 0..2 {
            let run = server.run(Mode::Fast, &Input::default(), &limits()).unwrap();
            assert_eq!(run.end, want, "{what}");
        }
    }
    for what in ["dies", "nonsense"] {
        let mut server = liar(what).unwrap();
        assert_eq!(server.run(Mode::Fast, &Input::default(), &limits()).unwrap().end, End::Lost, "{what}");
    }
    let mut hanging = liar("hangs").unwrap();
    assert_eq!(hanging.run(Mode::Fast, &Input::default(), &short()).unwrap().end, End::Timeout);
    let mut failing = liar("fails").unwrap();
    assert!(matches!(failing.run(Mode::Fast, &Input::default(), &limits()), Err(ServerError::Fork { .. })));
}

#[test]
fn an_input_that_does_not_fit_is_refused() {
    let mut server = traced();
    let kind = ObjectKind::Requested(ValueKind::Bytes);
    let huge = Input { objects: vec![Object { name: "x".into(), kind, bytes: vec![0; 2 << 20] }] };
    assert!(matches!(server.run(Mode::Fast, &huge, &limits()), Err(ServerError::Input(_))));
    assert_eq!(server.run(Mode::Fast, &x(20), &limits()).unwrap().end, End::Exit(3));
}
