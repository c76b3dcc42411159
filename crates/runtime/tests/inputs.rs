//! Declared sources and requests arrive in the program, in both bodies, and are input in the trace.

mod engine;

use engine::{Engine, Settings, source, target};
use symcrete_abi::input::{Source, SourceKind};
use symcrete_abi::layout::{Event, Stop};
use symcrete_abi::{EventKind, Mode, Op};

fn sources() -> Vec<Source> {
    vec![
        source(SourceKind::Stdin, 16, false, ""),
        source(SourceKind::Arg, 8, false, ""),
        source(SourceKind::Env, 8, false, "SETTING"),
        source(SourceKind::File, 16, true, "data.txt"),
    ]
}

fn start(sources: &[Source]) -> Engine {
    let program = target("sources", &["requests.c"], &[]);
    let settings = Settings { sources, arguments: &["-"], environment: &[("SETTING", "-")], ..Settings::default() };
    Engine::start(&program, &settings)
}

fn got(engine: &Engine) -> Vec<String> {
    std::fs::read_to_string(engine.folder.join("got")).unwrap().lines().map(String::from).collect()
}

/// The input byte that a decision compares.
fn byte_of(engine: &Engine, event: &Event) -> (u32, u32) {
    let nodes = engine.nodes();
    let mut node = nodes[event.label as usize];
    while node.op != Op::Input as u8 {
        node = nodes[node.a as usize];
        assert_ne!(node.op, Op::Const as u8);
    }
    (node.a, node.b)
}

const FULL: [&[u8]; 8] =
    [b"input", b"arg", b"set", b"file of 16 bytes", &7i32.to_le_bytes(), b"axc", &[3], &999i32.to_le_bytes()];

#[test]
fn everything_arrives_in_both_bodies() {
    let mut engine = start(&sources());
    assert_eq!(engine.hello.arg, 0);
    for mode in [Mode::Fast, Mode::Tracking] {
        assert_eq!(engine.run(mode, &FULL), 0);
        let got = got(&engine);
        assert_eq!(got[0], "2 arg set");
        let objects = if mode == Mode::Tracking { ["0", "3"] } else { ["-2", "-2"] };
        assert_eq!(got[1], format!("{} 5 input", objects[0]));
        assert_eq!(got[2], format!("{} 16 file of 16 bytes", objects[1]));
        assert!(got[3].starts_with("7 617863 1 999 "), "{}", got[3]);
        assert_eq!(got[4], "went on");
        assert_eq!(engine.header().request_count, 5);
    }
}

#[test]
fn the_trace_tells_which_byte_each_decision_is_about() {
    let mut engine = start(&sources());
    engine.run(Mode::Tracking, &FULL);
    let events = engine.events();
    let kinds = |kind: EventKind| events.iter().filter(move |e| e.kind == kind as u8);
    let branches: Vec<&Event> = kinds(EventKind::Branch).collect();
    // Argument, environment (its first and fifth character, the latter behind the end).
    assert_eq!(byte_of(&engine, branches[0]), (1, 0));
    assert_eq!(byte_of(&engine, branches[1]), (2, 0));
    assert_eq!(byte_of(&engine, branches[2]), (2, 4));
    // Standard input has any length, the file exactly its own.
    let nodes = engine.nodes();
    let length = nodes[nodes[branches[3].label as usize].b as usize];
    assert_eq!((length.op, length.a, length.value[0]), (Op::Length as u8, 0, 5));
    assert_eq!(byte_of(&engine, branches[4]), (0, 0));
    assert_eq!(byte_of(&engine, branches[5]), (3, 0));
    // Requests come behind the sources.
    assert_eq!((branches[6].site, branches[6].taken), (5, 1));
    assert_eq!((byte_of(&engine, branches[7]), branches[7].taken), ((5, 1), 1));
    assert_eq!((byte_of(&engine, branches[8]), branches[8].taken), ((6, 0), 1));
    assert_eq!(kinds(EventKind::Request).map(|e| e.arg).collect::<Vec<_>>(), [4, 5, 6, 7, 8]);
    assert_eq!(kinds(EventKind::Target).map(|e| e.arg).collect::<Vec<_>>(), [42]);
    let assumed: Vec<u8> = kinds(EventKind::Assume).map(|e| e.taken).collect();
    assert_eq!(assumed, [1, 1, 1]);
    assert_eq!(engine.lost(), []);
}

#[test]
fn what_the_input_lacks_is_drawn_and_logged() {
    let mut engine = start(&sources());
    engine.header().seed = 5;
    engine.run(Mode::Fast, &FULL[..4]);
    let (first, log) = (got(&engine), engine.log());
    engine.run(Mode::Tracking, &FULL[..4]);
    assert_eq!(got(&engine)[3][..30], first[3][..30]);
    assert_eq!(engine.log(), log);
    engine.header().seed = 6;
    engine.run(Mode::Fast, &FULL[..4]);
    assert_ne!(engine.log(), log);
    // The first record: a signed value of four bytes named x.
    assert_eq!(log[..9], [1, 0, 1, 0, 4, 0, 0, 0, b'x']);
    let x = i32::from_le_bytes(log[9..13].try_into().unwrap());
    assert_eq!(first[3].split(' ').next(), Some(x.to_string().as_str()));
}

#[test]
fn a_failed_assumption_and_a_limit_on_inputs_end_the_run_without_blame() {
    let mut engine = start(&sources());
    let mut objects = FULL;
    objects[5] = b"a\0c";
    assert_eq!(engine.run(Mode::Tracking, &objects), 0);
    assert_eq!(engine.header().stop, Stop::Assume as u32);
    assert_eq!(got(&engine).len(), 4);
    let last = *engine.events().last().unwrap();
    assert_eq!((last.kind, last.taken), (EventKind::Assume as u8, 0));
    assert_eq!(byte_of(&engine, &last), (5, 1));
    objects = FULL;
    let most = i32::MAX.to_le_bytes();
    objects[7] = &most;
    assert_eq!(engine.run(Mode::Fast, &objects), 0);
    assert_eq!(engine.header().stop, Stop::Assume as u32);
    engine.header().max_inputs = 2;
    assert_eq!(engine.run(Mode::Fast, &FULL), 0);
    assert_eq!((engine.header().stop, engine.header().request_count), (Stop::Inputs as u32, 2));
}

#[test]
fn a_socket_is_standard_input_and_output() {
    let mut engine = start(&[source(SourceKind::Socket, 100, false, "")]);
    for mode in [Mode::Fast, Mode::Tracking] {
        assert_eq!(engine.run(mode, &[b"over the wire"]), 0);
        let object = if mode == Mode::Tracking { 0 } else { -2 };
        assert_eq!(got(&engine)[1], format!("{object} 13 over the wire"));
    }
    let events = engine.events();
    assert!(events.iter().any(|e| e.kind == EventKind::Branch as u8 && byte_of_opt(&engine, e) == Some((0, 0))));
}

fn byte_of_opt(engine: &Engine, event: &Event) -> Option<(u32, u32)> {
    let nodes = engine.nodes();
    let node = nodes[nodes[event.label as usize].a as usize];
    (node.op == Op::Input as u8).then_some((node.a, node.b))
}
