//! How many operations local search evaluates per second of CPU time, over float arithmetic as programs have it. Prints,
//! never judges; `bench/floats.py` reads it.
//!
//! `cargo run --release -p symcrete-solve --example evaluations`

use symcrete_solve::{
    Answer, Budget, Fault, Limit, Observers, Parent, Query, SolveCx, SolveMode, SolveSettings, Solver, SolverLayer, Why,
};
use symcrete_term::{Op, TermId, Terms, Var};

/// Settles nothing, so that all the time is local search's.
struct Clueless;

impl SolverLayer for Clueless {
    fn name(&self) -> &'static str {
        "clueless"
    }

    fn solve(&mut self, _: &mut SolveCx<'_>, _: &Query<'_>) -> Result<Answer, Fault> {
        Ok(Answer::Unknown(Why::Budget(Limit::Steps)))
    }

    fn forget_terms(&mut self) {}
}

/// User and system time of all threads, in hundredths of a second.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let after_name = text.rsplit(") ").next().expect("a name in brackets");
    after_name.split(' ').skip(11).take(2).map(|field| field.parse::<f64>().expect("a number") / 100.0).sum()
}

fn main() {
    let mut terms = Terms::new();
    let mut double = |first: u32| {
        let bytes: Vec<TermId> = (first..first + 8).map(|offset| terms.var(Var::Byte { object: 0, offset })).collect();
        terms.word(&bytes)
    };
    let (x, y) = (double(0), double(8));
    let mut prefix = Vec::new();
    let mut last = x;
    let least = terms.constant(64, u128::from((-1e300f64).to_bits()));
    for at in 0..40 {
        let k = terms.constant(64, u128::from((1.0 + f64::from(at) * 0.37).to_bits()));
        let product = terms.binary(Op::FMul, last, k);
        let sum = terms.binary(Op::FAdd, product, y);
        let quotient = terms.binary(Op::FDiv, sum, k);
        last = terms.binary(Op::FSub, quotient, x);
        prefix.push(terms.binary(Op::FOlt, least, last));
    }
    // A square below zero: the search goes on until its budget is spent.
    let square = terms.binary(Op::FMul, last, last);
    let zero = terms.constant(64, 0);
    let goal = terms.binary(Op::FOlt, square, zero);
    let layers = "local".parse().expect("a layer");
    let settings = SolveSettings { layers, mode: SolveMode::Full, ..SolveSettings::default() };
    let mut solver = Solver::over(&settings, Box::new(Clueless), Observers::default());
    let budget = Budget { evaluations: 200_000_000, ..Budget::default() };
    let before = cpu_seconds();
    let query = Query { prefix: &prefix, goal, parent: Parent::none() };
    let answer = solver.solve_within(&terms, &query, budget);
    assert!(matches!(answer, Ok(Answer::Unknown(_))), "{answer:?}");
    println!("evaluations {} seconds {:.3}", solver.counters().evaluations, cpu_seconds() - before);
}
