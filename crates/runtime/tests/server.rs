//! The shipped runtime, linked into C targets that are instrumented by hand, under a small engine.

mod engine;

use engine::{Engine, Settings, encode, encode_batch, source, target};
use symcrete_abi::input::SourceKind;
use symcrete_abi::layout::{Node, flags};
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
    assert_eq!((engine.hello.kind, engine.hello.status, engine.hello.arg), (ReplyKind::Hello as u32, VERSION as i32, 1));
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
        assert_eq!(right, Node { op: Op::Length as u8, reserved: 0, width: 64, a: 0, b: 0, c: 0, value: [4, 0] });
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
    let mut engine = harness();
    engine.header().flags = flags::NOVELTY;
    let inputs: Vec<Vec<u8>> = (0..2000).map(|_| encode(&[b"ABC"])).collect();
    engine.put(&encode_batch(&inputs));
    engine.command(CommandKind::Batch, Mode::Fast);
    assert_eq!(engine.reply().kind, ReplyKind::Paused as u32);
    assert_eq!((engine.header().novel_count, engine.header().batch_current), (1, 2000));
}

#[test]
fn full_tables_cut_the_trace_and_say_so() {
    let program = target("harness", &["main.c"], &[]);
    let buffer = source(SourceKind::Buffer, 16, false, "");
    let mut engine = Engine::start(&program, &Settings { sources: &[buffer], nodes: 6, events: 1, ..Settings::default() });
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
