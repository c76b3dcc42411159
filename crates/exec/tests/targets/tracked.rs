//! Programs built by the real compiler, run on every input of one byte: traces must evaluate to what the
//! program computed, and conditions must predict where every other input goes.

use crate::build::{here, tracked};
use std::time::Duration;
use symcrete_abi::input::SourceKind;
use symcrete_exec::{
    Capacities, End, Importer, Input, Limits, Mode, Server, SourceSpec, Target, Units, check_path, check_trace,
};
use symcrete_program::Program;
use symcrete_term::{Evaluator, Terms, Var};
use symcrete_tree::{Kind, Path, Step};

struct Explored {
    runs: Vec<(Input, Path)>,
    terms: Terms,
    lost: u64,
}

fn explore(name: &str) -> Explored {
    let binary = tracked(&here(&format!("tests/c/tracked/{name}.c")));
    let program = Program::from_elf(&std::fs::read(&binary).unwrap()).unwrap();
    let mut target = Target::new(&binary, std::env::temp_dir());
    target.sources = vec![SourceSpec::unnamed(SourceKind::Buffer, "2").unwrap()];
    target.capacities = Capacities { nodes: 100_000, events: 10_000, ..Capacities::default() };
    let sources = target.sources.clone();
    let mut server = Server::new(target).unwrap();
    let limits = Limits { timeout: Duration::from_secs(20), ..Limits::default() };
    let mut importer = Importer::new();
    let mut explored = Explored { runs: Vec::new(), terms: Terms::new(), lost: 0 };
    let contents = (0..=255u8).map(|b| vec![b]).chain([vec![], vec![b'5', b'x'], vec![b'5', b'y']]);
    for bytes in contents {
        let input = Input::for_sources(&sources, [bytes]);
        let run = server.run(Mode::Tracking, &input, &limits).unwrap();
        assert_eq!(run.end, End::Exit(0));
        let trace = server.trace();
        check_trace(&trace, &input).unwrap_or_else(|e| panic!("{name} on {input:?}: {e}"));
        let units = Units::load(&trace, &program).unwrap();
        assert!(!units.covered(&trace).is_empty(), "a run takes some side");
        let path = importer.path(&trace, &units, &program, &mut explored.terms).unwrap();
        importer.check(&trace, &explored.terms, &input).unwrap_or_else(|e| panic!("{name} on {input:?}: {e}"));
        explored.lost += path.lost;
        explored.runs.push((input, path));
    }
    explored
}

fn same(a: &Step, b: &Step) -> bool {
    let outcome = if a.kind == Kind::Address { a.condition == b.condition } else { a.taken == b.taken };
    (a.site, a.kind, a.subject) == (b.site, b.kind, b.subject) && outcome
}

fn conditions_predict(name: &str) {
    let Explored { runs, terms, lost } = explore(name);
    assert_eq!(lost, 0, "{name} loses nothing but addresses");
    assert!(runs.iter().any(|(_, path)| path.steps.len() > 3));
    let mut evaluator = Evaluator::new();
    for (input, path) in &runs {
        assert_eq!(check_path(path, &terms, input), Ok(()));
        let value = |var: Var| input.value(var);
        evaluator.begin();
        for (other, other_path) in &runs {
            let holding = other_path.steps.iter().take_while(|s| evaluator.holds(&terms, s.condition, &value)).count();
            let shared = path.steps.iter().zip(&other_path.steps).take_while(|(a, b)| same(a, b)).count();
            assert_eq!(holding, shared, "{name}: {input:?} against the path of {other:?}");
            if holding == other_path.steps.len() {
                assert_eq!(path.steps.len(), shared, "{name}: {input:?} goes on after the end of {other:?}");
            }
        }
    }
}

#[test]
fn conditions_of_decisions_predict_every_other_run() {
    conditions_predict("decisions");
}

#[test]
fn conditions_through_memory_predict_every_other_run() {
    conditions_predict("structs");
}
