//! Whatever a target leaves in shared memory, reading it gives a value or an error; and a trace that is
//! sound gives the path a second, naive computation gives.

use crate::check::{SelfCheckError, check_trace};
use crate::import::{ImportError, Importer};
use crate::input::{Input, Object, ObjectKind};
use crate::shm::{Capacities, Shm};
use crate::trace::{Trace, Word};
use crate::units::Units;
use proptest::prelude::*;
use std::mem::offset_of;
use symcrete_abi::input::SourceKind;
use symcrete_abi::layout::{Event, Header, Node, UnitEntry};
use symcrete_abi::{EventKind, Op};
use symcrete_program::{Location, Program, Site, SiteId, SiteKind, Unit};
use symcrete_term::{Evaluator, Terms, Var};
use symcrete_tree::Kind;

fn small() -> Capacities {
    Capacities {
        nodes: 64,
        events: 64,
        units: 4,
        lost: 16,
        sources: 4,
        marks: 4096,
        input: 4096,
        log: 4096,
        tables: 4096,
        path: 1024,
    }
}

fn program() -> Program {
    let site = |kind| Site { kind, function: 0, location: Location::default(), sides: vec![None, None, None] };
    let mut program = Program::default();
    program.push(Unit {
        hash: 7,
        sites: vec![
            site(SiteKind::Branch),
            site(SiteKind::Switch { width: 8, cases: vec![1, 200] }),
            site(SiteKind::Address),
        ],
        ..Unit::default()
    });
    program
}

fn input() -> Input {
    let kind = ObjectKind::Declared(SourceKind::Stdin);
    Input { objects: vec![Object { name: "stdin".into(), kind, bytes: vec![200, 3, 0, 255] }] }
}

fn put<T: Copy>(shm: &mut Shm, part: crate::shm::Part, index: usize, value: &T) {
    // SAFETY: records are plain integers.
    let bytes = unsafe { std::slice::from_raw_parts((&raw const *value).cast::<u8>(), size_of::<T>()) };
    shm.scribble(part, index * size_of::<T>(), bytes);
}

fn fill(shm: &mut Shm, nodes: &[Node], events: &[Event]) {
    let unit = UnitEntry { hash: 7, site_base: 100, sites: 3, marks_at: 0, marks: 0, sides_at: 0, sides: 0 };
    put(shm, shm.units, 0, &unit);
    shm.set_u32(offset_of!(Header, unit_count), 1);
    for (index, node) in nodes.iter().enumerate() {
        let (packed, wide) = node.pack(index as u32);
        put(shm, shm.nodes, index + 1, &packed);
        if let Some(wide) = wide {
            put(shm, shm.wide, index, &wide);
        }
    }
    for (index, event) in events.iter().enumerate() {
        put(shm, shm.events, index, &event.pack());
    }
    // Tables at words 0 (four bytes) and 2 (two words of two bytes); word 1 is the first one's contents.
    for (word, value) in [4 | 1 << 32, 0x0003_c801, 2 | 2 << 32, 0xffff_0107u64].iter().enumerate() {
        put(shm, shm.tables, word, value);
    }
    shm.set_u32(offset_of!(Header, tables_used), 32);
    shm.set_u32(offset_of!(Header, node_count), nodes.len() as u32 + 1);
    shm.set_u32(offset_of!(Header, event_count), events.len() as u32);
}

fn node(op: Op, width: u16, a: u32, b: u32, c: u32, value: u64) -> Node {
    Node { op: op as u8, width, a, b, c, value: [value, 0] }
}

fn event(kind: EventKind, taken: u8, site: u32, label: u32) -> Event {
    Event { kind: kind as u8, taken, site, label, arg: 0 }
}

#[test]
fn a_sound_trace_becomes_its_path() {
    let mut shm = Shm::new(small(), &[]).unwrap();
    // byte0 = 200; byte1 = 3; byte0 < byte1 is false; byte0 switched on; byte1 + 1 as an address.
    let nodes = [
        node(Op::Input, 8, 0, 0, 0, 200),
        node(Op::Input, 8, 0, 1, 0, 3),
        node(Op::Ult, 1, 1, 2, 0, 0),
        node(Op::Const, 8, 0, 0, 0, 1),
        node(Op::Add, 8, 2, 4, 0, 4),
        node(Op::ZExt, 64, 5, 0, 0, 4),
        node(Op::Length, 64, 0, 0, 0, 4),
        node(Op::Ne, 1, 6, 7, 0, 0),
        node(Op::FshL, 8, 1, 2, 4, 0x90),
    ];
    let events = [
        event(EventKind::Branch, 0, 100, 3),
        event(EventKind::Switch, 1, 101, 1),
        event(EventKind::Concretise, 1, 102, 6),
        event(EventKind::Assume, 0, 100, 8),
        event(EventKind::Branch, 0, 100, 0),
    ];
    fill(&mut shm, &nodes, &events);
    let trace = Trace::new(&shm);
    let program = program();
    let units = Units::load(&trace, &program).unwrap();
    let mut terms = Terms::new();
    let path = Importer::new().path(&trace, &units, &program, &mut terms).unwrap();
    let kinds: Vec<_> = path.steps.iter().map(|s| (s.site, s.kind, s.taken)).collect();
    assert_eq!(
        kinds,
        [
            (SiteId(0), Kind::Branch, 0),
            (SiteId(1), Kind::Switch { sides: 3 }, 1),
            (SiteId(2), Kind::Address, 0),
            (SiteId(0), Kind::Assume, 0),
        ]
    );
    let bytes = input();
    let value = |var: Var| match var {
        Var::Byte { object, offset } => bytes.byte(object, offset).unwrap_or(0) as u128,
        Var::Length { object } => bytes.length(object).unwrap_or(0) as u128,
    };
    let mut evaluator = Evaluator::new();
    for step in &path.steps {
        assert!(evaluator.holds(&terms, step.condition, &value), "{step:?}");
    }
    // On another input the same conditions say what the program would have decided.
    let other = |var: Var| match var {
        Var::Byte { offset: 0, .. } => 1,
        Var::Byte { .. } => 9,
        Var::Length { .. } => 10,
    };
    evaluator.begin();
    let truth: Vec<bool> = path.steps.iter().map(|s| evaluator.holds(&terms, s.condition, &other)).collect();
    assert_eq!(truth, [false, false, false, true]);
    assert_eq!(check_trace(&trace, &bytes), Ok(()));
}

#[test]
fn a_wrong_value_is_found_and_named() {
    let mut shm = Shm::new(small(), &[]).unwrap();
    let nodes = [node(Op::Input, 8, 0, 0, 0, 200), node(Op::Input, 8, 0, 1, 0, 3), node(Op::Sub, 8, 1, 2, 0, 198)];
    fill(&mut shm, &nodes, &[event(EventKind::Switch, 1, 101, 3)]);
    let Err(SelfCheckError::Value(wrong)) = check_trace(&Trace::new(&shm), &input()) else { panic!("not found") };
    assert_eq!((wrong.label, wrong.op, wrong.recorded, wrong.computed), (3, Op::Sub, 198, 197));
    assert_eq!((wrong.operands.as_slice(), wrong.site), (&[(1, 200), (2, 3)][..], Some(101)));
    assert!(wrong.to_string().contains("node 3 = Sub 1:0xc8 2:0x3"), "{wrong}");
    // An input byte that was not what the input says.
    fill(&mut shm, &[node(Op::Input, 8, 0, 3, 0, 254)], &[]);
    assert!(matches!(check_trace(&Trace::new(&shm), &input()), Err(SelfCheckError::Value(_))));
}

#[test]
fn a_nan_may_have_any_bits_and_what_follows_uses_the_recorded_ones() {
    let mut shm = Shm::new(small(), &[]).unwrap();
    let (zero, ours) = (0u64, 0x7fc0_0001u64);
    let nodes =
        [node(Op::Const, 32, 0, 0, 0, zero), node(Op::FDiv, 32, 1, 1, 0, ours), node(Op::Extract, 8, 2, 0, 0, 1)];
    fill(&mut shm, &nodes, &[event(EventKind::Switch, 1, 101, 3)]);
    let trace = Trace::new(&shm);
    assert_eq!(check_trace(&trace, &input()), Ok(()));
    let (program, mut importer, mut terms) = (program(), Importer::new(), Terms::new());
    let units = Units::load(&trace, &program).unwrap();
    importer.path(&trace, &units, &program, &mut terms).unwrap();
    assert_eq!(importer.check(&trace, &terms, &input()), Ok(()));
}

#[test]
fn nonsense_is_named() {
    let program = program();
    let import = |nodes: &[Node], events: &[Event]| {
        let mut shm = Shm::new(small(), &[]).unwrap();
        fill(&mut shm, nodes, events);
        let trace = Trace::new(&shm);
        let units = Units::load(&trace, &program).unwrap();
        Importer::new().path(&trace, &units, &program, &mut Terms::new())
    };
    let byte = node(Op::Input, 8, 0, 0, 0, 0);
    let branch = |label| event(EventKind::Branch, 0, 100, label);
    assert!(matches!(import(&[byte], &[branch(9)]), Err(ImportError::Label { event: 0, label: 9 })));
    assert!(matches!(import(&[byte], &[branch(1)]), Err(ImportError::Decision { .. })));
    let later = node(Op::Eq, 1, 1, 3, 0, 0);
    assert!(matches!(import(&[byte, later], &[branch(2)]), Err(ImportError::Operand { label: 2, operand: 3, .. })));
    let same = node(Op::Eq, 1, 2, 2, 0, 0);
    assert!(matches!(import(&[byte, same], &[branch(2)]), Err(ImportError::Operand { label: 2, operand: 2, .. })));
    let odd = node(Op::Add, 16, 1, 1, 0, 0);
    assert!(matches!(import(&[byte, odd], &[branch(2)]), Err(ImportError::Malformed { label: 2, .. })));
    let known = node(Op::Ult, 1, 1, 1, 0, 0);
    let wide = node(Op::Ult, 200, 1, 1, 0, 0);
    assert!(matches!(import(&[byte, wide], &[branch(2)]), Err(ImportError::Width { width: 200, .. })));
    assert_eq!(import(&[byte, known], &[branch(2)]).unwrap().steps, [], "constant decisions are left out");
    let mut alien = branch(2);
    alien.kind = 12;
    assert!(matches!(import(&[byte, known], &[alien]), Err(ImportError::Event { kind: 12, .. })));
    let limit = node(Op::Const, 8, 0, 0, 0, 9);
    let less = node(Op::Ult, 1, 1, 2, 0, 1);
    let far = event(EventKind::Branch, 1, 103, 3);
    assert!(matches!(import(&[byte, limit, less], &[far]), Err(ImportError::Site { site: 103, .. })));
    let lie = event(EventKind::Branch, 0, 100, 3);
    assert!(matches!(import(&[byte, limit, less], &[lie]), Err(ImportError::Taken { .. })));
    let no_switch = event(EventKind::Switch, 0, 100, 1);
    assert!(matches!(import(&[byte], &[no_switch]), Err(ImportError::Decision { .. })));
}

#[test]
fn events_are_the_same_after_packing() {
    use EventKind::*;
    for kind in [Branch, Switch, Concretise, Assume, Target, Request, Region, Wish, Word] {
        let failing = matches!(kind, Branch | Assume | Wish);
        for taken in if failing { 0..2 } else { 1..2 } {
            let event = Event { kind: kind as u8, taken, site: u32::MAX, label: 0x0fff_fffe, arg: 0x8000_0001 };
            assert_eq!(event.pack().unpack(), event);
        }
    }
}

#[test]
fn words_are_read_piece_by_piece() {
    let word = |label: u32, arg: u32| Event { arg, ..event(EventKind::Word, 1, u32::MAX, label) };
    let text = |piece: &[u8; 4]| u32::from_le_bytes(*piece);
    let events = [
        word(3, 6),
        word(5, text(b"serv")),
        word(0, text(b"er\0\0")),
        word(7, 4),
        word(0, text(b"port")),
        // Cut short: nothing is known of its end.
        word(1, 8),
        word(2, text(b"host")),
        event(EventKind::Branch, 1, 100, 1),
        word(0, text(b"name")),
    ];
    let mut shm = Shm::new(small(), &[]).unwrap();
    fill(&mut shm, &[], &events);
    let words =
        [Word { first: 3, last: 5, wanted: b"server".to_vec() }, Word { first: 7, last: 0, wanted: b"port".to_vec() }];
    assert_eq!(Trace::new(&shm).words(), words);
}

fn any_node() -> impl Strategy<Value = Node> {
    let op = prop_oneof![8 => prop::sample::select(Op::ALL).prop_map(|o| o as u8), 1 => any::<u8>()];
    let width = prop_oneof![
        6 => prop::sample::select(&[1u16, 8, 16, 32, 64, 128][..]),
        1 => 0u16..256
    ];
    let operand = || prop_oneof![8 => 0u32..20, 1 => any::<u32>()];
    (op, width, operand(), operand(), operand(), any::<[u64; 2]>()).prop_map(|(op, width, a, b, c, value)| Node {
        op,
        width,
        a,
        b,
        c,
        value,
    })
}

fn any_event() -> impl Strategy<Value = Event> {
    (
        0u8..16,
        0u8..3,
        prop_oneof![99u32..105, Just(u32::MAX), any::<u32>()],
        0u32..24,
        prop_oneof![0u32..24, any::<u32>()],
    )
        .prop_map(|(kind, taken, site, label, arg)| Event { kind, taken, site, label, arg })
}

fn read_everything(shm: &Shm) {
    let trace = Trace::new(shm);
    let program = program();
    let _ = (trace.lost(), trace.targets(), trace.words(), trace.is_cut(), trace.events().count());
    for unit in trace.units() {
        let _ = (trace.sides(&unit), trace.marks(&unit));
    }
    let _ = shm.novel();
    let _ = crate::input::decode_log(&shm.bytes(shm.log, 0, shm.log_used()));
    let _ = check_trace(&trace, &input());
    if let Ok(units) = Units::load(&trace, &program) {
        let _ = units.covered(&trace);
        let (mut importer, mut terms) = (Importer::new(), Terms::new());
        let _ = importer.path(&trace, &units, &program, &mut terms);
        let _ = importer.check(&trace, &terms, &input());
    }
}

proptest! {
    #[test]
    fn likely_traces_are_read_without_a_panic(
        nodes in prop::collection::vec(any_node(), 0..20),
        events in prop::collection::vec(any_event(), 0..12),
    ) {
        let mut shm = Shm::new(small(), &[]).unwrap();
        fill(&mut shm, &nodes, &events);
        read_everything(&shm);
    }

    /// The quick computation and the one through terms say the same of every well-formed node.
    #[test]
    fn quick_and_thorough_checks_agree(op in prop::sample::select(Op::ALL), width in prop::sample::select(&[1u16, 8, 13, 32, 64, 128][..]),
        to in prop::sample::select(&[1u16, 8, 13, 32, 64, 128][..]), values in any::<[u128; 3]>(), low in 0u32..8) {
        let constant = |value: u128, width: u16| {
            let value = if width == 128 { value } else { value & ((1 << width) - 1) };
            Node { value: [value as u64, (value >> 64) as u64], ..node(Op::Const, width, 0, 0, 0, 0) }
        };
        let first = if op == Op::Select { 1 } else { width };
        let operands = [constant(values[0], first), constant(values[1], width), constant(values[2], width)];
        let b = if matches!(op, Op::Extract | Op::Table) { low } else { 2 };
        for result in [to, width, 1, 2 * width] {
            let mut shm = Shm::new(small(), &[]).unwrap();
            let mut nodes = operands.to_vec();
            nodes.push(node(op, result, 1, b, 3, 0));
            fill(&mut shm, &nodes, &[]);
            let trace = Trace::new(&shm);
            let quick = crate::term::recompute(&nodes[3], 4, &trace, &input());
            let mut terms = Terms::plain();
            let mut known = vec![symcrete_term::TermId::FALSE];
            let mut tables = crate::tables::Tables::default();
            for label in 1..4 {
                let term = crate::term::term_of(&nodes[label - 1], label as u32, &known, &mut tables, &trace, &mut terms).unwrap();
                known.push(term);
            }
            let thorough = crate::term::term_of(&nodes[3], 4, &known, &mut tables, &trace, &mut terms);
            let thorough = thorough.map(|t| Evaluator::new().eval(&terms, t, &|var: Var| input().value(var)));
            prop_assert_eq!(quick, thorough);
        }
    }

    /// What an importer remembers of one trace never shows in the path of another.
    #[test]
    fn memory_of_earlier_traces_does_not_show(
        nodes in prop::collection::vec(any_node(), 1..20),
        events in prop::collection::vec(any_event(), 1..12),
        changes in prop::collection::vec((0usize..20, any_node()), 0..3),
        shorter in 0usize..20,
    ) {
        let program = program();
        let mut terms = Terms::new();
        let mut importer = Importer::new();
        let mut second = nodes.clone();
        for (at, node) in changes {
            let at = at % second.len();
            second[at] = node;
        }
        let third = nodes[..nodes.len().min(shorter + 1)].to_vec();
        for nodes in [&nodes, &second, &third, &nodes] {
            let mut shm = Shm::new(small(), &[]).unwrap();
            fill(&mut shm, nodes, &events);
            let trace = Trace::new(&shm);
            let units = Units::load(&trace, &program).unwrap();
            let remembering = importer.path(&trace, &units, &program, &mut terms);
            let fresh = Importer::new().path(&trace, &units, &program, &mut terms);
            prop_assert_eq!(remembering, fresh);
        }
        let mut other = Terms::new();
        let mut shm = Shm::new(small(), &[]).unwrap();
        fill(&mut shm, &nodes, &events);
        let trace = Trace::new(&shm);
        let units = Units::load(&trace, &program).unwrap();
        let remembering = importer.path(&trace, &units, &program, &mut other);
        prop_assert_eq!(remembering, Importer::new().path(&trace, &units, &program, &mut Terms::new()));
    }

    #[test]
    fn random_bytes_are_read_without_a_panic(
        header in prop::collection::vec(any::<u8>(), 1..size_of::<Header>()),
        at in 0usize..600,
        regions in prop::collection::vec(any::<u8>(), 0..4096),
    ) {
        let mut shm = Shm::new(small(), &[]).unwrap();
        shm.scribble(shm.whole_header(), at, &header);
        for part in [shm.units, shm.nodes, shm.wide, shm.events, shm.lost, shm.sides, shm.marks, shm.log, shm.seen, shm.tables] {
            shm.scribble(part, 0, &regions);
        }
        read_everything(&shm);
        shm.absorb_marks();
        shm.begin_run();
        shm.fresh_start();
    }
}
