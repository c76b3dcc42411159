//! The shipped runtime, linked into C targets that are instrumented by hand, under a small engine.

mod engine;

use engine::{Engine, Settings, encode, encode_batch, source, target};
use symcrete_abi::input::SourceKind;
use symcrete_abi::layout::{NOVEL_MAX, Node, flags};
use symcrete_abi::{CommandKind, EventKind, Mode, Op, ReplyKind, VERSION};

fn harness() -> Engine {
    let program = target("harness", &["main.c"], &[]);
    let buffer = source(SourceKind::Buffer, 16, false, "");
    Engine::start(&program, &Settings { sources: &[buffer], ..Settings::default() })
}

fn exited(status: i32) -> Option<i32> {
    (status & 0x7f == 0).then_some(status >> 8 & 0xff)
}

fn killed(status: i32) -> i32 {
    status & 0x7f
}

#[test]
fn a_tracking_run_leaves_nodes_and_branches() {
    let mut engine = harness();
    assert_eq!(
        (engine.hello.kind, engine.hello.status, engine.hello.arg),
        (ReplyKind::Hello as u32, VERSION as i32, 1)
    );
    let units = engine.units();
    assert_eq!(units.len(), 1);
    assert_eq!((units[0].hash, units[0].marks, units[0].sides, units[0].sites), (0x1234, 4, 2, 10));
    for _ in 0..3 {
        assert_eq!(exited(engine.run(Mode::Tracking, &[b"AXyz"])), Some(0));
        let nodes = engine.nodes();
        let events = engine.events();
        assert_eq!(events.len(), 3);
        assert!(events.iter().all(|e| e.kind == EventKind::Branch as u8));
        let taken: Vec<(u32, u8)> = events.iter().map(|e| (e.site, e.taken)).collect();
        assert_eq!(taken, [(0, 1), (2, 1), (3, 0)]);
        // The first decision is 2 < length of object 0.
        let decision = nodes[events[0].label as usize];
        let (left, right) = (nodes[decision.a as usize], nodes[decision.b as usize]);
        assert_eq!((decision.op, left.op, left.value[0]), (Op::Ult as u8, Op::Const as u8, 2));
        assert_eq!(right, Node { op: Op::Length as u8, width: 64, a: 0, b: 0, c: 0, value: [4, 0] });
        // The last one compares input byte 1.
        let decision = nodes[events[2].label as usize];
        let byte = nodes[decision.a as usize];
        assert_eq!((byte.op, byte.a, byte.b, byte.value[0]), (Op::Input as u8, 0, 1, b'X' as u64));
        assert_eq!(engine.sides()[units[0].sides_at as usize..][..2], [0, 1]);
        assert_eq!(engine.lost(), []);
    }
}

#[test]
fn a_fast_run_leaves_marks_and_no_trace() {
    let mut engine = harness();
    let at = engine.units()[0].marks_at as usize;
    assert_eq!(exited(engine.run(Mode::Fast, &[b"ABC"])), Some(0));
    assert_eq!(engine.marks()[at..at + 4], [1, 1, 1, 0]);
    assert_eq!((engine.header().node_count, engine.header().event_count), (1, 0));
    assert_eq!(exited(engine.run(Mode::Fast, &[b""])), Some(0));
    assert_eq!(engine.marks()[at..at + 4], [1, 0, 0, 0]);
}

#[test]
fn a_dying_run_says_by_what_and_where_and_keeps_its_trace() {
    let mut engine = harness();
    for mode in [Mode::Tracking, Mode::Fast] {
        assert_eq!(killed(engine.run(mode, &[b"AB!"])), libc::SIGABRT);
        assert_eq!(engine.header().signal, libc::SIGABRT as u32);
        assert_eq!(killed(engine.run(mode, &[b"AB?"])), libc::SIGSEGV);
        let header = engine.header();
        assert_eq!((header.signal, header.signal_address), (libc::SIGSEGV as u32, 8));
        assert_ne!(header.signal_pc, 0);
        assert!(header.signal_sp > header.stack_low);
        if mode == Mode::Tracking {
            assert_eq!(engine.events().len(), 3);
        }
    }
    assert_eq!(exited(engine.run(Mode::Fast, &[b"ABx"])), Some(7));
    assert_eq!(engine.header().signal, 0);
}

#[test]
fn a_batch_finds_what_is_new_and_goes_on() {
    let mut engine = harness();
    engine.header().flags = flags::NOVELTY;
    let at = engine.units()[0].marks_at as usize;
    let inputs: Vec<Vec<u8>> = [&b""[..], b"xyz", b"Axy", b"AAA", b"ABC", b"A"].iter().map(|i| encode(&[i])).collect();
    engine.put(&encode_batch(&inputs));
    assert_eq!(engine.command(CommandKind::Batch, Mode::Fast).kind, ReplyKind::Started as u32);
    assert_eq!(engine.reply().kind, ReplyKind::Paused as u32);
    let header = engine.header();
    assert_eq!((header.batch_size, header.batch_current), (6, 6));
    assert_eq!(header.novel[..header.novel_count as usize], [0, 2, 4]);
    assert_eq!(engine.marks()[at..at + 4], [0, 0, 0, 0]);
    // Those that set all marks of some: nothing of it counts as seen.
    engine.header().flags = flags::NOVELTY | flags::ALL_SEEN;
    engine.put(&encode_batch(&inputs));
    assert_eq!(engine.command(CommandKind::Continue, Mode::Fast).kind, ReplyKind::Paused as u32);
    let header = engine.header();
    assert_eq!(header.novel[..header.novel_count as usize], [4]);
    engine.header().flags = flags::NOVELTY;
    // Between batches other runs may happen.
    assert_eq!(exited(engine.run(Mode::Tracking, &[b"AB."])), Some(0));
    engine.put(&encode_batch(&inputs));
    assert_eq!(engine.command(CommandKind::Continue, Mode::Fast).kind, ReplyKind::Paused as u32);
    assert_eq!((engine.header().batch_current, engine.header().novel_count), (6, 0));
    // A death in the middle tells which input it was.
    let mut deadly = inputs.clone();
    deadly[3] = encode(&[b"AB!"]);
    engine.put(&encode_batch(&deadly));
    let ended = engine.command(CommandKind::Continue, Mode::Fast);
    assert_eq!((ended.kind, killed(ended.status)), (ReplyKind::Ended as u32, libc::SIGABRT));
    assert_eq!(engine.header().batch_current, 3);
    assert_eq!(engine.command(CommandKind::Continue, Mode::Fast).kind, ReplyKind::Failed as u32);
}

#[test]
fn a_batch_stops_when_no_more_news_fit() {
    let program = target("many", &["main.c"], &[]);
    let buffer = source(SourceKind::Buffer, 16, false, "");
    let mut engine = Engine::start(&program, &Settings { sources: &[buffer], ..Settings::default() });
    engine.header().flags = flags::NOVELTY;
    // Every other input is new.
    let input = |i: u16| encode(&[&(i / 2).to_le_bytes()]);
    let inputs: Vec<Vec<u8>> = (0..1200).map(input).collect();
    engine.put(&encode_batch(&inputs));
    engine.command(CommandKind::Batch, Mode::Fast);
    assert_eq!(engine.reply().kind, ReplyKind::Paused as u32);
    let header = engine.header();
    assert_eq!((header.novel_count as usize, header.batch_current), (NOVEL_MAX, 511));
    assert!(header.novel.iter().enumerate().all(|(i, &n)| n as usize == 2 * i));
    // The engine hands in the rest.
    engine.put(&encode_batch(&inputs[511..]));
    assert_eq!(engine.command(CommandKind::Continue, Mode::Fast).kind, ReplyKind::Paused as u32);
    assert_eq!((engine.header().novel_count as usize, engine.header().batch_current), (NOVEL_MAX, 512));
}

#[test]
fn full_tables_cut_the_trace_and_say_so() {
    let program = target("harness", &["main.c"], &[]);
    let buffer = source(SourceKind::Buffer, 16, false, "");
    let mut engine =
        Engine::start(&program, &Settings { sources: &[buffer], nodes: 6, events: 1, ..Settings::default() });
    assert_eq!(exited(engine.run(Mode::Tracking, &[b"ABCDEFGH"])), Some(0));
    assert_eq!(engine.header().truncated & 3, 1);
    assert_eq!((engine.nodes().len(), engine.events().len()), (6, 0));
    assert_eq!(engine.lost().len(), 1);
    assert_eq!(exited(engine.run(Mode::Tracking, &[b""])), Some(0));
    assert_eq!((engine.header().truncated, engine.events().len()), (0, 1));
}

#[test]
fn a_limit_on_address_space_is_survived() {
    let program = target("harness", &["main.c"], &[]);
    let buffer = source(SourceKind::Buffer, 16, false, "");
    let settings = Settings { sources: &[buffer], address_space: Some(1 << 30), ..Settings::default() };
    let mut engine = Engine::start(&program, &settings);
    assert_eq!(engine.header().notes, symcrete_abi::layout::notes::SHADOW_ON_DEMAND);
    assert_eq!(exited(engine.run(Mode::Tracking, &[b"AXyz"])), Some(0));
    assert_eq!(engine.events().len(), 3);
    assert_eq!(killed(engine.run(Mode::Tracking, &[b"AB?"])), libc::SIGSEGV);
    assert_eq!(engine.header().signal_address, 8);
}

#[test]
fn a_batch_goes_on_after_failed_assumptions() {
    let program = target("assuming", &["main.c", "requests.c"], &[]);
    let mut engine = Engine::start(&program, &Settings::default());
    assert_eq!(engine.hello.arg, 1);
    engine.header().flags = flags::NOVELTY;
    let input = |x: i32, y: i32| encode(&[&x.to_le_bytes(), &y.to_le_bytes()]);
    let mut inputs = vec![input(1, 0), input(2, 0), input(3, 5), input(102, 0), input(104, 5)];
    inputs.extend((0..1000).map(|i| input(2 * i + 1, 5)));
    engine.put(&encode_batch(&inputs));
    engine.command(CommandKind::Batch, Mode::Fast);
    assert_eq!(engine.reply().kind, ReplyKind::Paused as u32);
    let header = engine.header();
    assert_eq!(header.batch_current, 1005);
    assert_eq!(header.novel[..header.novel_count as usize], [0, 1, 3, 4]);
}

#[test]
fn missing_answers_of_a_batch_can_be_had_again() {
    let program = target("assuming", &["main.c", "requests.c"], &[]);
    let mut engine = Engine::start(&program, &Settings::default());
    engine.header().flags = flags::NOVELTY;
    engine.header().seed = 1000;
    let inputs: Vec<Vec<u8>> = (0..3).map(|_| encode(&[])).collect();
    engine.put(&encode_batch(&inputs));
    engine.command(CommandKind::Batch, Mode::Fast);
    assert_eq!(engine.reply().kind, ReplyKind::Paused as u32);
    let last = engine.log();
    // Input number i of a batch draws from seed + i.
    engine.header().seed = 1002;
    engine.run(Mode::Tracking, &[]);
    assert_eq!(engine.log(), last);
    engine.header().seed = 1001;
    engine.run(Mode::Tracking, &[]);
    assert_ne!(engine.log(), last);
}

#[test]
fn failed_checks_say_what_and_where() {
    let checks = ["-fsanitize=undefined", "-fno-sanitize-link-runtime"];
    let program = target("undefined", &["ubsan.c"], &checks);
    let stdin = source(SourceKind::Stdin, 4, true, "");
    let mut engine = Engine::start(&program, &Settings { sources: &[stdin], ..Settings::default() });
    for (input, kind, line) in [
        (b"o...", "integer-overflow", 14),
        (b"s...", "shift", 15),
        (b"d...", "division-by-zero", 16),
        (b"b...", "bounds", 17),
        (b"n...", "null", 18),
    ] {
        assert_eq!(killed(engine.run(Mode::Fast, &[input])), libc::SIGABRT);
        let check = engine.header().check;
        let text = String::from_utf8_lossy(&check[..check.iter().position(|&b| b == 0).unwrap()]).into_owned();
        let fields: Vec<&str> = text.split('\t').collect();
        assert_eq!((fields[0], fields[2]), (kind, line.to_string().as_str()), "{text}");
        assert!(fields[1].ends_with("undefined.c") && fields[3] != "0", "{text}");
    }
    assert_eq!(exited(engine.run(Mode::Fast, &[b"...."])), Some(0));
    assert_eq!(engine.header().check[0], 0);
}
