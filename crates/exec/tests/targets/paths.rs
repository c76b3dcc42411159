//! Full paths against reality: what a walk through the model counts is what clang's own coverage counts in a
//! plain build of the same program, and steps stand where they were made.

use crate::build::{counted, covered, here, tracked};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use symcrete_abi::input::SourceKind;
use symcrete_exec::{
    Capacities, End, Importer, Input, Limits, Met, Mode, Server, SourceSpec, Target, Units, full_path, walk,
};
use symcrete_program::{Program, SideKind, SiteKind};
use symcrete_term::Terms;
use symcrete_tree::{FullPath, Kind, Passed};

/// How often the conditions of a line were each of both ways, whichever way they are written, and how often
/// its case labels were taken; what never happened is left out.
type Counts = BTreeMap<u32, (Vec<[u64; 2]>, Vec<u64>)>;

struct Tracked {
    program: Program,
    server: Server,
    sources: Vec<SourceSpec>,
    importer: Importer,
    terms: Terms,
}

impl Tracked {
    fn new(source: &Path, words: usize) -> Tracked {
        let binary = tracked(source);
        let program = Program::from_elf(&std::fs::read(&binary).unwrap()).unwrap();
        let mut target = Target::new(&binary, std::env::temp_dir());
        target.sources = vec![SourceSpec::unnamed(SourceKind::Buffer, "8").unwrap()];
        target.capacities = Capacities { path: words, ..Capacities::default() };
        let sources = target.sources.clone();
        let mut server = Server::new(target).unwrap();
        server.record_paths(true);
        Tracked { program, server, sources, importer: Importer::new(), terms: Terms::new() }
    }

    fn run(&mut self, bytes: &[u8]) -> (End, FullPath, symcrete_tree::Path) {
        let input = Input::for_sources(&self.sources, [bytes.to_vec()]);
        let limits = Limits { timeout: Duration::from_secs(20), ..Limits::default() };
        let run = self.server.run(Mode::Tracking, &input, &limits).unwrap();
        let trace = self.server.trace();
        let units = Units::load(&trace, &self.program).unwrap();
        let path = self.importer.path(&trace, &units, &self.program, &mut self.terms).unwrap();
        let finished = matches!(run.end, End::Exit(_));
        let full = full_path(&trace, &units, &self.program, self.importer.positions(), finished)
            .unwrap_or_else(|e| panic!("{bytes:?}: {e}"))
            .unwrap();
        self.blocks_follow_each_other(&trace, &units, finished);
        assert_eq!(full.steps.len(), path.steps.len());
        assert!(full.steps.is_sorted());
        (run.end, full, path)
    }

    /// Each block is a successor of the one before it in its activation; what is left was entered.
    fn blocks_follow_each_other(&self, trace: &symcrete_exec::Trace<'_>, units: &Units, finished: bool) {
        let (words, _) = trace.path_words().unwrap();
        let mut stack: Vec<(symcrete_program::FunctionId, u32)> = vec![];
        walk(&words, units, &self.program, finished, &mut |_, met| match met {
            Some(Met::Enter(function)) => stack.push((function, 0)),
            Some(Met::Leave | Met::Drop(_)) => assert!(stack.pop().is_some()),
            Some(Met::Block(to)) => {
                let (function, at) = stack.last_mut().unwrap();
                let (_, model) = self.program.function(*function);
                assert!(model.blocks[*at as usize].successors.contains(&to), "{} {at} {to}", model.name);
                *at = to;
            }
            // After a `longjmp` the walk goes on where `setjmp` was called.
            Some(Met::Again { block, .. }) => stack.last_mut().unwrap().1 = block,
            Some(Met::Side(side)) => {
                let (function, at) = stack.last().unwrap();
                let (unit, model) = self.program.side(side);
                assert_eq!((self.program.function_id(unit, model.function), model.block), (*function, *at));
            }
            Some(Met::Rest) | None => {}
        })
        .map(|walked| assert!(!walked.ambiguous))
        .unwrap();
        let entered = stack.len();
        assert!(!finished || entered == 0, "{entered} functions were not left");
    }

    fn counts(&self, full: &FullPath) -> Counts {
        let mut taken = vec![0u64; self.program.side_count()];
        for passed in &full.passed {
            if let Passed::Side(side) = passed {
                taken[side.index()] += 1;
            }
        }
        // One condition may have several copies of its sides: templates, functions in several units.
        let mut conditions: BTreeMap<(u32, u32), [u64; 2]> = BTreeMap::new();
        let mut counts = Counts::new();
        for (id, _, side) in self.program.counted_sides() {
            let place = (side.location.line, side.location.column);
            let count = taken[id.index()];
            match side.kind {
                SideKind::True => conditions.entry(place).or_default()[0] += count,
                SideKind::False => conditions.entry(place).or_default()[1] += count,
                _ if count > 0 => counts.entry(side.location.line).or_default().1.push(count),
                _ => {}
            }
        }
        for ((line, _), count) in conditions {
            add_condition(&mut counts, line, count);
        }
        settled(counts)
    }
}

fn add_condition(counts: &mut Counts, line: u32, mut count: [u64; 2]) {
    count.sort_unstable();
    if count != [0, 0] {
        counts.entry(line).or_default().0.push(count);
    }
}

/// Case labels are compared by how often each was taken, all of the function's together: a label stands on a
/// line of its own in the source and on the line of its switch in the code.
fn settled(mut counts: Counts) -> Counts {
    let mut labels: Vec<u64> = counts.values_mut().flat_map(|(_, labels)| std::mem::take(labels)).collect();
    labels.sort_unstable();
    counts.retain(|_, (conditions, _)| !conditions.is_empty());
    for (conditions, _) in counts.values_mut() {
        conditions.sort_unstable();
    }
    counts.insert(0, (vec![], labels));
    counts
}

/// What llvm-cov counts in a plain build.
fn native(source: &Path, bytes: &[u8]) -> Counts {
    let json = covered(source, bytes);
    let text = std::fs::read_to_string(source).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut counts = Counts::new();
    for file in json["data"][0]["files"].as_array().unwrap() {
        if !file["filename"].as_str().unwrap().ends_with(source.file_name().unwrap().to_str().unwrap()) {
            continue;
        }
        let mut conditions: BTreeMap<(u32, u32), [u64; 2]> = BTreeMap::new();
        for branch in file["branches"].as_array().unwrap() {
            let number = |i: usize| branch[i].as_u64().unwrap();
            let (line, column) = (number(0) as u32, number(1) as u32);
            let begins = &lines[line as usize - 1][column as usize - 1..];
            if ["case", "default", "switch"].iter().any(|w| begins.starts_with(w)) {
                if number(4) > 0 {
                    counts.entry(line).or_default().1.push(number(4));
                }
            } else {
                let sum = conditions.entry((line, column)).or_default();
                *sum = [sum[0] + number(4), sum[1] + number(5)];
            }
        }
        for ((line, _), count) in conditions {
            add_condition(&mut counts, line, count);
        }
    }
    settled(counts)
}

/// What a program says that counts by itself.
fn by_itself(source: &Path, bytes: &[u8]) -> Counts {
    let mut counts = Counts::new();
    for [line, yes, no] in counted(source, bytes) {
        add_condition(&mut counts, line as u32, [yes, no]);
    }
    settled(counts)
}

fn counts_agree(name: &str, judge: fn(&Path, &[u8]) -> Counts) {
    let source = here(&format!("tests/c/paths/{name}"));
    let mut tracked = Tracked::new(&source, 1 << 16);
    for bytes in [&b""[..], b"a", b"\x01\x02\x03", b"zz 12 q", b"\xff\x07\x00\x05\x03\x09\x08\x01"] {
        let (end, full, path) = tracked.run(bytes);
        assert_eq!(end, End::Exit(0), "{name} on {bytes:?}");
        assert!(!full.cut, "{name} on {bytes:?}");
        assert_eq!(tracked.counts(&full), judge(&source, bytes), "{name} on {bytes:?}");
        tracked.steps_stand_before_their_sides(&full, &path);
    }
}

impl Tracked {
    /// Where the outcome of a step has a source side for certain, that side is among the first things passed
    /// behind the step.
    fn steps_stand_before_their_sides(&self, full: &FullPath, path: &symcrete_tree::Path) {
        for (number, step) in path.steps.iter().enumerate() {
            if matches!(step.kind, Kind::Address | Kind::Assume) {
                continue;
            }
            let (_, site) = self.program.site(step.site);
            if matches!(site.kind, SiteKind::Select) {
                continue;
            }
            if let Some(side) = self.program.side_of(step.site, step.taken as usize) {
                let behind = &full.passed[full.steps[number] as usize..];
                let first =
                    behind.iter().filter(|p| matches!(p, Passed::Side(_))).take(3).any(|p| *p == Passed::Side(side));
                assert!(
                    first,
                    "step {number} at {:?}",
                    self.program.place(self.program.site(step.site).0, site.location)
                );
            }
        }
    }
}

#[test]
fn loops_count_as_native() {
    counts_agree("loops.c", native);
}

#[test]
fn calls_count_as_native() {
    counts_agree("calls.c", native);
}

#[test]
fn switches_count_as_native() {
    counts_agree("switches.c", native);
}

#[test]
fn jumps_count_as_native() {
    counts_agree("jumps.c", by_itself);
}

#[test]
fn exceptions_count_as_native() {
    counts_agree("exceptions.cpp", native);
}

#[test]
fn a_path_without_room_is_cut_and_still_followed() {
    let source = here("tests/c/paths/loops.c");
    let mut small = Tracked::new(&source, 512);
    let mut large = Tracked::new(&source, 1 << 16);
    let bytes = b"\xff\xff\xff\xff\xff\xff\xff\xff";
    let (_, whole, _) = large.run(bytes);
    let (end, part, _) = small.run(bytes);
    assert_eq!(end, End::Exit(0));
    assert!(!whole.cut);
    // 512 words may be enough; with fewer decisions there would be nothing to cut.
    assert!(part.passed.len() <= whole.passed.len());
    assert_eq!(part.passed, whole.passed[..part.passed.len()]);
    assert_eq!(part.cut, part.passed.len() < whole.passed.len());
}

#[test]
fn off_means_off() {
    let source = here("tests/c/paths/loops.c");
    let mut tracked = Tracked::new(&source, 1 << 16);
    tracked.run(b"abc");
    tracked.server.record_paths(false);
    let input = Input::for_sources(&tracked.sources, [b"abc".to_vec()]);
    tracked.server.run(Mode::Tracking, &input, &Limits::default()).unwrap();
    assert!(tracked.server.trace().path_words().is_none());
    tracked.server.record_paths(true);
    let (_, again, _) = tracked.run(b"abc");
    assert!(!again.cut && again.passed.len() > 10);
}

#[test]
fn garbage_is_an_error_and_never_a_panic() {
    let mut tracked = Tracked::new(&here("tests/c/paths/calls.c"), 1 << 16);
    tracked.run(b"abc");
    let trace = tracked.server.trace();
    let units = Units::load(&trace, &tracked.program).unwrap();
    let (good, _) = trace.path_words().unwrap();
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 16
    };
    let mut errors = 0;
    for round in 0..500 {
        let mut words = good.clone();
        for _ in 0..=round % 4 {
            let at = random() as usize % words.len();
            words[at] = match random() % 4 {
                0 => random(),
                1 => (1 << 63) | (random() % 64),
                2 => random() << 20,
                _ => words[at] ^ 1 << (random() % 64),
            };
        }
        errors += walk(&words, &units, &tracked.program, round % 2 == 0, &mut |_, _| {}).is_err() as u32;
    }
    assert!(errors > 250, "most of it does not fit: {errors}");
}
