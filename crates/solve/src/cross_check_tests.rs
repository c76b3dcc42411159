//! The chain against Z3, with and without each layer, on generated queries over words, floats and tables; and what becomes
//! of liars and of a Z3 that dies or hangs. Where there is no Z3 the tests that need it say so and pass.

use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;
use symcrete_term::{Evaluator, Op, Table, TermId, Terms};

use crate::cross_check::CrossCheck;
use crate::testing::{Input, Scripted, byte, sat, unsat};
use crate::{
    Answer, Bitwuzla, Budget, Counters, Fault, LAYERS, LayerSet, Observers, Parent, Query, SolveCx, SolveMode,
    SolveSettings, Solver, SolverLayer, Z3,
};

fn z3() -> Option<PathBuf> {
    let cache = match std::env::var_os("SYMCRETE_CACHE").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache/symcrete"),
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(cache.join("z3/bin")).chain(std::env::split_paths(&path));
    let found = folders.map(|folder| folder.join("z3")).find(|program| program.is_file());
    if found.is_none() {
        eprintln!("no Z3 (`make setup` installs it): not tested");
    }
    found
}

/// How to build one condition: an operation, operands taken from what is there, a comparison.
#[derive(Clone, Debug)]
struct Recipe {
    picks: [usize; 6],
    constant: u64,
}

/// Conditions over two words of 16 bits, two floats of 32 bits and a table of 32 entries.
#[derive(Clone, Debug)]
struct Mixed {
    recipes: Vec<Recipe>,
    parent: Vec<u8>,
}

fn mixed() -> impl Strategy<Value = Mixed> {
    let constant =
        prop_oneof![0u64..9, any::<u16>().prop_map(u64::from), Just(0x3f80_0000), Just(0xc120_0000), any::<u64>()];
    let recipe = (any::<[usize; 6]>(), constant).prop_map(|(picks, constant)| Recipe { picks, constant });
    let recipes = prop::collection::vec(recipe, 2..7);
    (recipes, prop::collection::vec(any::<u8>(), 12)).prop_map(|(recipes, parent)| Mixed { recipes, parent })
}

impl Mixed {
    fn build(&self, terms: &mut Terms) -> Vec<TermId> {
        let word = |terms: &mut Terms, first: u32, bytes: u32| {
            let bytes: Vec<TermId> = (first..first + bytes).map(|at| terms.var(byte(at))).collect();
            terms.word(&bytes)
        };
        let mut words = vec![word(terms, 0, 2), word(terms, 2, 2)];
        let mut floats = vec![word(terms, 4, 4), word(terms, 8, 4)];
        let integer =
            [Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor, Op::Shl, Op::LShr, Op::UDiv, Op::URem, Op::SRem];
        let float = [Op::FAdd, Op::FSub, Op::FMul, Op::FMin, Op::FMax];
        let mut conditions = Vec::new();
        for Recipe { picks, constant } in &self.recipes {
            let goal = if picks[0] % 3 < 2 {
                let (a, b) = (words[picks[1] % words.len()], words[picks[2] % words.len()]);
                let b = if picks[3] % 2 == 0 { terms.constant(16, u128::from(*constant) & 0xffff) } else { b };
                let made = if picks[4] % 7 == 0 {
                    let entries = (0..32u64).map(|i| i.wrapping_mul(constant | 1) & 0xffff);
                    let index = terms.extract(a, 0, 5);
                    terms.read(index, Table::new(16, entries))
                } else {
                    terms.binary(integer[picks[4] % integer.len()], a, b)
                };
                words.push(made);
                let k = terms.constant(16, u128::from(constant.rotate_left(7)) & 0xffff);
                match picks[5] % 4 {
                    0 => terms.eq(made, k),
                    1 => terms.ne(made, k),
                    2 => terms.ult(made, k),
                    _ => terms.slt(k, made),
                }
            } else {
                let (a, b) = (floats[picks[1] % floats.len()], floats[picks[2] % floats.len()]);
                let b = if picks[3] % 2 == 0 { terms.constant(32, u128::from(*constant) & 0xffff_ffff) } else { b };
                let made = terms.apply(float[picks[4] % float.len()], 32, &[a, b]);
                floats.push(made);
                let compare = [Op::FOeq, Op::FOlt, Op::FOle, Op::FUno][picks[5] % 4];
                let truth = terms.apply(compare, 1, &[made, a]);
                if picks[5] % 8 < 4 { truth } else { terms.not(truth) }
            };
            if !terms.is_constant(goal) {
                conditions.push(goal);
            }
        }
        conditions
    }
}

fn verdict(answer: &Answer) -> &'static str {
    match answer {
        Answer::Sat(_) => "sat",
        Answer::Unsat(_) => "unsat",
        Answer::Unknown(_) => "unknown",
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// With all layers, with each one off, and with none: never two different verdicts, and never another than Z3's
    /// (a disagreement is an error of `solve`).
    #[test]
    fn no_layer_changes_a_verdict(mixed in mixed()) {
        let mut terms = Terms::new();
        let conditions = mixed.build(&mut terms);
        let parent = Input(mixed.parent.clone());
        let z3 = z3();
        let all = (1 << LAYERS.len()) - 1;
        let sets = (0..LAYERS.len()).map(|off| all & !(1 << off)).chain([all, 0]);
        let sets: Vec<LayerSet> = sets.map(|bits| {
            let names: Vec<&str> = (0..LAYERS.len()).filter(|at| bits >> at & 1 == 1).map(|at| LAYERS[at]).collect();
            if names.is_empty() { LayerSet::NONE } else { names.join(",").parse().unwrap() }
        }).collect();
        let mut verdicts: Vec<Vec<&'static str>> = vec![Vec::new(); conditions.len()];
        for (number, layers) in sets.iter().enumerate() {
            let mode = if number % 2 == 0 { SolveMode::Auto } else { SolveMode::Full };
            let settings = SolveSettings { layers: *layers, mode, ..SolveSettings::default() };
            // Z3 once: the other chains are compared with this one.
            let judge = z3.as_ref().filter(|_| *layers == LayerSet::ALL).map(|path| Z3::start(path).unwrap());
            let mut solver = Solver::observed(&settings, Observers { judge, log: None });
            let budget = Budget { steps: 2_000, evaluations: 400_000, size: 200_000, ..Budget::default() }.steps_only();
            for at in 0..conditions.len() {
                let parent = Parent { run: 1, values: &parent };
                let query = Query { prefix: &conditions[..at], goal: conditions[at], parent };
                let answer = solver.solve_within(&terms, &query, budget);
                prop_assert!(answer.is_ok(), "{:?}", answer);
                verdicts[at].push(verdict(&answer.unwrap()));
            }
        }
        for list in verdicts {
            prop_assert!(!(list.contains(&"sat") && list.contains(&"unsat")), "{:?}", list);
        }
    }
}

struct Bench {
    terms: Terms,
    possible: TermId,
    impossible: [TermId; 2],
}

fn bench() -> Bench {
    let mut terms = Terms::new();
    let (x, five, nine) = (terms.var(byte(0)), terms.constant(8, 5), terms.constant(8, 9));
    let (possible, below, above) = (terms.eq(x, five), terms.ult(x, five), terms.ult(nine, x));
    Bench { terms, possible, impossible: [below, above] }
}

fn ask(layer: &mut CrossCheck, bench: &Bench, query: &Query<'_>, counters: &mut Counters) -> Result<Answer, Fault> {
    let (mut evaluator, cancel) = (Evaluator::new(), Arc::default());
    layer.solve(&mut SolveCx::new(&bench.terms, Budget::default(), &mut evaluator, counters, &cancel), query)
}

#[test]
fn liars_are_found_out() {
    let Some(z3) = z3() else { return };
    let bench = bench();
    let mut counters = Counters::default();
    let [below, above] = bench.impossible;
    let possible = Query { prefix: &[], goal: bench.possible, parent: Parent::none() };
    let impossible = Query { prefix: &[below], goal: above, parent: Parent::none() };
    let mut over = |answer: Answer, query: &Query<'_>| {
        ask(&mut CrossCheck::new(Z3::start(&z3).unwrap(), Scripted::new(answer).0), &bench, query, &mut counters)
    };
    assert!(over(sat(&[(byte(0), 5)]), &possible).is_ok());
    assert!(over(unsat(&[below, above]), &impossible).is_ok());
    let lie = over(unsat(&[bench.possible]), &possible).unwrap_err();
    assert!(matches!(&lie, Fault::Disagreement { ours: "unsat", theirs: "sat", .. }), "{lie}");
    assert!(lie.script().unwrap().ends_with("(check-sat)\n"));
    let lie = over(sat(&[(byte(0), 6)]), &possible).unwrap_err();
    assert!(matches!(lie, Fault::Disagreement { ours: "sat", theirs: "unsat", .. }), "{lie}");
    let lie = over(sat(&[(byte(0), 3)]), &impossible).unwrap_err();
    assert!(matches!(lie, Fault::Disagreement { ours: "sat", .. }), "{lie}");
    // A reason that is too small, or not of this query.
    assert!(matches!(over(unsat(&[above]), &impossible), Err(Fault::Disagreement { .. })));
    assert!(matches!(over(unsat(&[below, above]), &possible), Err(Fault::StrayCore { .. })));
}

#[test]
fn a_judge_that_dies_is_counted_and_comes_back() {
    let Some(z3) = z3() else { return };
    let bench = bench();
    let mut counters = Counters::default();
    let query = Query { prefix: &[], goal: bench.possible, parent: Parent::none() };
    let judge = Z3::start(&z3).unwrap();
    let first = judge.pid().unwrap();
    let mut layer = CrossCheck::new(judge, Box::new(Bitwuzla::new()));
    assert!(ask(&mut layer, &bench, &query, &mut counters).is_ok());
    let killed = std::process::Command::new("kill").args(["-9", &first.to_string()]).status().unwrap();
    assert!(killed.success());
    for _ in 0..2 {
        assert!(ask(&mut layer, &bench, &query, &mut counters).is_ok());
    }
    let crossed = counters.cross_check;
    assert_eq!((crossed.compared, crossed.agreed, crossed.lost), (3, 2, 1));
}

#[test]
fn something_else_that_is_called_z3_stops_nothing() {
    let bench = bench();
    let mut counters = Counters::default();
    let query = Query { prefix: &[], goal: bench.possible, parent: Parent::none() };
    // Ends at once, every time: after a while it is left alone.
    let mut layer = CrossCheck::new(Z3::start("/bin/true").unwrap(), Box::new(Bitwuzla::new()));
    for _ in 0..30 {
        assert!(ask(&mut layer, &bench, &query, &mut counters).is_ok());
    }
    assert_eq!((counters.cross_check.lost, counters.cross_check.undecided), (20, 10));
    assert!(Z3::start("/nonexistent/z3").is_err());
}
