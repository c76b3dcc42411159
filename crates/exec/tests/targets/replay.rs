//! Plain replay: what a user would see running the program by hand, whatever it does.

use crate::build::{here, plain, replayable};
use std::ffi::OsString;
use std::time::Duration;
use symcrete_abi::input::{SourceKind, ValueKind};
use symcrete_exec::{
    End, Input, Limits, Object, ObjectKind, ReplayCommand, ReplayError, Replayed, Replayer, SourceSpec,
};

fn command(source: &str, args: &[&str]) -> ReplayCommand {
    let mut command = ReplayCommand::new(plain(&here(source)));
    command.args = args.iter().map(OsString::from).collect();
    command
}

fn run(command: &ReplayCommand, input: &Input, limits: &Limits) -> Replayed {
    Replayer::new(&std::env::temp_dir(), true).unwrap().replay(command, input, limits).unwrap()
}

fn limits() -> Limits {
    Limits { timeout: Duration::from_secs(20), ..Limits::default() }
}

#[test]
fn bad_habits_are_judged() {
    let short = Limits { timeout: Duration::from_millis(150), ..Limits::default() };
    let hostile = |what: &str, limits: &Limits| {
        let mut command = command("../process/tests/hostile.c", &[what]);
        command.file_size = 8 << 20;
        run(&command, &Input::default(), limits).end
    };
    for (what, code) in [("exit", 7), ("quick-exit", 9), ("close-all", 4), ("chdir", 5), ("caught", 13), ("daemon", 0)]
    {
        assert_eq!(hostile(what, &limits()), End::Exit(code), "{what}");
    }
    for (what, signal) in
        [("abort", libc::SIGABRT), ("atexit", libc::SIGABRT), ("divide", libc::SIGFPE), ("kill-group", libc::SIGKILL)]
    {
        assert!(matches!(hostile(what, &limits()), End::Signal(c) if c.signal == signal), "{what}");
    }
    assert!(matches!(hostile("null", &limits()), End::Signal(c) if c.address == 16 && c.pc != 0));
    assert!(matches!(hostile("recurse", &limits()), End::StackOverflow(_)));
    for what in ["loop", "wait", "stubborn"] {
        assert_eq!(hostile(what, &short), End::Timeout, "{what}");
    }
    assert_eq!(hostile("fork-bomb", &limits()), End::Processes);
    assert_eq!(hostile("eat", &Limits { memory: Some(64 << 20), ..limits() }), End::Memory);
    assert_eq!(hostile("big-file", &limits()), End::Output);
}

#[test]
fn sources_are_real() {
    let sources = [
        SourceSpec::unnamed(SourceKind::Stdin, "64").unwrap(),
        SourceSpec::unnamed(SourceKind::Arg, "8").unwrap(),
        SourceSpec::named(SourceKind::Env, "COLOUR:8").unwrap(),
        SourceSpec::named(SourceKind::File, "data.txt:8").unwrap(),
    ];
    let command = command("tests/c/sources.c", &["first"]);
    let end = |contents: [&[u8]; 4]| {
        run(&command, &Input::for_sources(&sources, contents.map(|c| c.to_vec())), &limits()).end
    };
    assert_eq!(end([b"hello", b"arg", b"red", b"file"]), End::Exit(15));
    assert_eq!(end([b"hell", b"arg", b"red", b"file"]), End::Exit(14));
    assert_eq!(end([b"hello", b"arg\0zz", b"blue", b""]), End::Exit(3));
}

#[test]
fn sockets_and_output() {
    let echo = command("../process/tests/hostile.c", &["echo"]);
    let source = |kind| [SourceSpec::unnamed(kind, "64").unwrap()];
    let said = run(&echo, &Input::for_sources(&source(SourceKind::Stdin), [b"some words".to_vec()]), &limits());
    assert_eq!((said.end, said.stdout.bytes.as_slice()), (End::Exit(0), &b"some words"[..]));
    let socket = run(&echo, &Input::for_sources(&source(SourceKind::Socket), [b"some words".to_vec()]), &limits());
    assert_eq!(socket.end, End::Exit(0));
}

fn asked(values: &[u32]) -> Input {
    let kind = ObjectKind::Requested(ValueKind::Unsigned);
    let object = |v: &u32| Object { name: "n".into(), kind, bytes: v.to_le_bytes().to_vec() };
    Input { objects: values.iter().map(object).collect() }
}

#[test]
fn requests_are_answered_and_crashes_tell_their_stack() {
    let command = ReplayCommand::new(replayable(&here("tests/c/asking.c")));
    assert_eq!(run(&command, &asked(&[1, 2]), &limits()).end, End::Exit(3));
    assert_eq!(run(&command, &asked(&[40, 2]), &limits()).end, End::Exit(42));
    let crash = run(&command, &asked(&[7, 7]), &limits());
    assert!(matches!(crash.end, End::Signal(c) if c.signal == libc::SIGSEGV && c.address == 16), "{:?}", crash.end);
    assert_eq!(crash.targets, [5]);
    // innermost, caller, main.
    assert!(crash.frames.len() >= 3 && crash.frames[0].file == "-", "{:?}", crash.frames);
    let End::Signal(place) = crash.end else { unreachable!() };
    assert_eq!(crash.frames[0].pc, place.pc);
    // However often it speaks, it is listened to.
    let chatty = run(&command, &asked(&[9, 9]), &limits());
    assert_eq!((chatty.end, chatty.targets.as_slice()), (End::Exit(18), &[6][..]));
}

#[test]
fn the_buffer_of_a_harness_arrives() {
    let buffer = [SourceSpec::unnamed(SourceKind::Buffer, "8").unwrap()];
    let command = ReplayCommand::new(replayable(&here("tests/c/looped.c")));
    let end = |byte: u8| run(&command, &Input::for_sources(&buffer, [vec![byte; 2]]), &limits()).end;
    assert_eq!(end(1), End::Exit(0));
    assert_eq!(end(252), End::Exit(5));
    assert!(matches!(end(250), End::Signal(c) if c.signal == libc::SIGABRT));
}

#[test]
fn what_a_build_cannot_be_given_is_refused() {
    let mut command = command("tests/c/sources.c", &[]);
    command.replay_library = false;
    let refused = Replayer::new(&std::env::temp_dir(), true).unwrap().replay(&command, &asked(&[1]), &limits());
    assert!(matches!(refused, Err(ReplayError::Request { name }) if name == "n"));
}
