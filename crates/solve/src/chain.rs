//! The order of the layers, in one place, and the solver the engine holds.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use symcrete_term::{Evaluator, Terms};

use crate::check::Check;
use crate::contract::Contract;
use crate::cores::Cores;
use crate::cross_check::{CrossCheck, Z3};
use crate::enumerate::Enumerate;
use crate::fix::Fix;
use crate::guess::Guess;
use crate::ippc::{Ippc, Learn};
use crate::layer::Counted;
use crate::local::Local;
use crate::nudge::Nudge;
use crate::order::Order;
use crate::queries::{Queries, QueryLog};
use crate::range::Range;
use crate::recent::Recent;
use crate::simplify::Simplify;
use crate::slice::Slice;
use crate::xor::Xor;
use crate::{Answer, Bitwuzla, Budget, CostModel, Counters, Fault, Query, SolveCx, SolverLayer};

/// The layers that can be turned off, first asked first.
pub const LAYERS: [&str; 13] = [
    "simplify",
    "slice",
    "cores",
    "range",
    "enumerate",
    "order",
    "recent",
    "guess",
    "xor",
    "nudge",
    "contract",
    "local",
    "fix",
];

/// How much of the path the core is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolveMode {
    /// The whole slice at once.
    Full,
    /// Of the slice what models of a part of it violate.
    Ippc(Learn),
    /// The same as long as that is quick, then the whole slice.
    #[default]
    Auto,
}

/// How many parts `auto` tries before the whole slice.
const AUTO_ROUNDS: u32 = 2;

/// Which layers are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerSet {
    bits: u32,
}

impl LayerSet {
    pub const ALL: LayerSet = LayerSet { bits: (1 << LAYERS.len()) - 1 };
    pub const NONE: LayerSet = LayerSet { bits: 0 };

    pub fn has(self, name: &str) -> bool {
        LAYERS.iter().position(|&layer| layer == name).is_some_and(|at| self.bits >> at & 1 == 1)
    }

    pub fn with(self, name: &str) -> Result<LayerSet, UnknownLayer> {
        match LAYERS.iter().position(|&layer| layer == name) {
            Some(at) => Ok(LayerSet { bits: self.bits | 1 << at }),
            None => Err(UnknownLayer { name: name.to_owned() }),
        }
    }
}

/// `all`, `none`, or names separated by commas.
impl FromStr for LayerSet {
    type Err = UnknownLayer;
    fn from_str(text: &str) -> Result<LayerSet, UnknownLayer> {
        match text {
            "all" => Ok(LayerSet::ALL),
            "none" => Ok(LayerSet::NONE),
            names => names.split(',').try_fold(LayerSet::NONE, |set, name| set.with(name.trim())),
        }
    }
}

impl fmt::Display for LayerSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LayerSet::ALL => f.write_str("all"),
            LayerSet::NONE => f.write_str("none"),
            set => f.write_str(&LAYERS.into_iter().filter(|layer| set.has(layer)).collect::<Vec<_>>().join(",")),
        }
    }
}

/// A name that is no layer's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no solver layer `{name}`; the layers are {}", LAYERS.join(", "))]
pub struct UnknownLayer {
    pub name: String,
}

/// How queries are solved; built once, by the CLI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveSettings {
    pub mode: SolveMode,
    pub layers: LayerSet,
    pub budget: Budget,
}

impl Default for SolveSettings {
    fn default() -> Self {
        SolveSettings { mode: SolveMode::default(), layers: LayerSet::ALL, budget: Budget::default() }
    }
}

/// Who looks on: at every distinct query, and at every verdict.
#[derive(Default)]
pub struct Observers {
    pub log: Option<Box<dyn QueryLog>>,
    pub judge: Option<Z3>,
}

/// The chain over a core. Built from the inside out: the last line is asked first.
pub fn chain(settings: &SolveSettings, core: Box<dyn SolverLayer>, observers: Observers) -> Box<dyn SolverLayer> {
    let on = |name: &str| settings.layers.has(name);
    let core_name = core.name();

    let mut chain = Counted::around_box(core);
    match settings.mode {
        SolveMode::Full => {}
        SolveMode::Ippc(learn) => chain = Counted::around(Ippc::new(learn, chain)),
        SolveMode::Auto => chain = Counted::around(Ippc::with_rounds(AUTO_ROUNDS, chain)),
    }
    if on("fix") {
        chain = Counted::around(Fix::new(chain));
    }
    if on("local") {
        chain = Counted::around(Local::new(chain));
    }
    if on("contract") {
        chain = Counted::around(Contract::new(chain));
    }
    if on("nudge") {
        chain = Counted::around(Nudge::new(chain));
    }
    if on("xor") {
        chain = Counted::around(Xor::new(chain));
    }
    if on("guess") {
        chain = Counted::around(Guess::new(chain));
    }
    if on("recent") {
        chain = Counted::around(Recent::new(chain));
    }
    if on("order") {
        chain = Counted::around(Order::new(chain));
    }
    if on("enumerate") {
        chain = Counted::around(Enumerate::new(chain));
    }
    if on("range") {
        chain = Counted::around(Range::new(chain));
    }
    if on("cores") {
        chain = Counted::around(Cores::new(chain));
    }
    chain = Box::new(Check::new(chain));
    chain = Box::new(Queries::new(core_name, observers.log, chain));
    if on("slice") {
        chain = Counted::around(Slice::new(chain));
    }
    if on("simplify") {
        chain = Counted::around(Simplify::new(chain));
    }
    if let Some(judge) = observers.judge {
        chain = Box::new(CrossCheck::new(judge, chain));
    }
    chain
}

/// A chain over Bitwuzla and what it needs between queries. One per worker; same queries in the same order, same
/// answers, unless a limit of the clock cut one.
pub struct Solver {
    chain: Box<dyn SolverLayer>,
    budget: Budget,
    evaluator: Evaluator,
    counters: Counters,
    cost: CostModel,
    cancel: Arc<AtomicBool>,
}

impl Solver {
    pub fn new(settings: &SolveSettings) -> Solver {
        Self::over(settings, Box::new(Bitwuzla::new()), Observers::default())
    }

    pub fn observed(settings: &SolveSettings, observers: Observers) -> Solver {
        Self::over(settings, Box::new(Bitwuzla::new()), observers)
    }

    /// With a core of the caller's choice.
    pub fn over(settings: &SolveSettings, core: Box<dyn SolverLayer>, observers: Observers) -> Solver {
        Solver {
            chain: chain(settings, core, observers),
            budget: settings.budget,
            evaluator: Evaluator::new(),
            counters: Counters::default(),
            cost: CostModel::default(),
            cancel: Arc::default(),
        }
    }

    /// Settles one query within the settings' budget.
    pub fn solve(&mut self, terms: &Terms, query: &Query<'_>) -> Result<Answer, Fault> {
        self.solve_within(terms, query, self.budget)
    }

    /// Settles one query within a budget of its own.
    pub fn solve_within(&mut self, terms: &Terms, query: &Query<'_>, budget: Budget) -> Result<Answer, Fault> {
        let mut cx = SolveCx::new(terms, budget, &mut self.evaluator, &mut self.counters, &self.cancel);
        cx.cost = Some(&mut self.cost);
        self.chain.solve(&mut cx, query)
    }

    /// To be called when queries will come from another store of terms.
    pub fn forget_terms(&mut self) {
        self.evaluator.begin();
        self.cost.forget_terms();
        self.chain.forget_terms();
    }

    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// What queries are expected to cost, as far as it was learnt.
    pub fn cost(&self) -> &CostModel {
        &self.cost
    }

    /// From now on this flag ends the query being solved, as unknown and soon, when somebody sets it.
    pub fn cancelled_by(mut self, flag: &Arc<AtomicBool>) -> Solver {
        self.cancel = Arc::clone(flag);
        self
    }

    /// Set it, from any thread, and the query being solved ends as unknown soon.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, agrees_with_judge, byte, random_query};
    use crate::{Limit, Parent, Why};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(192))]
        /// Whatever layers are on, the verdict is the core's, and the core's is that of trying everything.
        #[test]
        fn the_chain_says_what_the_core_says(random in random_query(), bits in 0u32..4096, mode in 0usize..5) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            let parts = [Learn::First, Learn::Few, Learn::All].map(SolveMode::Ippc);
            let modes = [SolveMode::Full, SolveMode::Auto, parts[0], parts[1], parts[2]];
            let settings = SolveSettings { layers: LayerSet { bits }, mode: modes[mode], ..SolveSettings::default() };
            let mut chain = chain(&settings, Box::new(Bitwuzla::new()), Observers::default());
            // Every way to cut the path: later queries meet what earlier ones left behind.
            for upto in 1..=conditions.len() {
                prop_assert!(agrees_with_judge(&mut *chain, &terms, &conditions[..upto], &random.parent));
            }
        }

        #[test]
        fn same_queries_same_answers(randoms in prop::collection::vec(random_query(), 1..6)) {
            // Without a clock: on a busy machine it would cut a query here and not there.
            let settings = SolveSettings { budget: Budget::default().steps_only(), ..SolveSettings::default() };
            let run = || {
                let mut solver = Solver::new(&settings);
                let mut terms = Terms::new();
                let mut answers = Vec::new();
                for (number, random) in randoms.iter().enumerate() {
                    let conditions = random.build(&mut terms);
                    let (&goal, prefix) = conditions.split_last().unwrap();
                    let parent = Parent { run: number as u64, values: &random.parent };
                    answers.push(solver.solve(&terms, &Query { prefix, goal, parent }));
                }
                answers
            };
            prop_assert_eq!(run(), run());
        }
    }

    /// Words that are compared with each other reach Bitwuzla, forwards (asserted) and backwards (assumed).
    #[test]
    fn same_flips_of_a_sort_same_models() {
        let run = || {
            let mut terms = Terms::new();
            let words: Vec<_> = (0..5)
                .map(|word| {
                    let bytes: Vec<_> = (0..4).map(|at| terms.var(byte(4 * word + at))).collect();
                    terms.word(&bytes)
                })
                .collect();
            // All inputs 0: nothing is ever greater. Neighbours first, so that the others follow from them.
            let mut path = Vec::new();
            for distance in 1..words.len() {
                for at in distance..words.len() {
                    path.push(terms.sle(words[at - distance], words[at]));
                }
            }
            let flips: Vec<_> = path.iter().map(|&condition| terms.not(condition)).collect();
            let settings =
                SolveSettings { layers: "simplify,slice,recent".parse().unwrap(), ..SolveSettings::default() };
            let mut solver = Solver::new(&settings);
            let mut answers = Vec::new();
            for at in (0..path.len()).chain((0..path.len()).rev()) {
                let query = Query { prefix: &path[..at], goal: flips[at], parent: Parent::none() };
                answers.push(solver.solve(&terms, &query).expect("no fault"));
            }
            let mirrored = (0..path.len()).all(|at| {
                matches!(answers[at], Answer::Sat(_)) == matches!(answers[2 * path.len() - 1 - at], Answer::Sat(_))
            });
            assert!(mirrored, "the order of queries must not change a verdict");
            assert!(solver.counters().get("bitwuzla").sat > 0 && solver.counters().get("bitwuzla").unsat > 0);
            answers
        };
        assert_eq!(run(), run());
    }

    #[test]
    fn layers_are_named_listed_and_refused() {
        assert_eq!("all".parse(), Ok(LayerSet::ALL));
        assert_eq!("none".parse(), Ok(LayerSet::NONE));
        let some: LayerSet = "slice, recent".parse().unwrap();
        assert_eq!(some.to_string(), "slice,recent");
        assert!(some.has("recent") && !some.has("range") && !some.has("bitwuzla"));
        assert_eq!("sliced".parse::<LayerSet>(), Err(UnknownLayer { name: "sliced".into() }));
        // The list a user sees is the chain that is built.
        let (core, _) = Scripted::clueless();
        let settings = SolveSettings { mode: SolveMode::Full, ..SolveSettings::default() };
        let mut solver = Solver::over(&settings, core, Observers::default());
        let mut terms = Terms::new();
        let random = {
            let bytes: Vec<_> = (0..40).map(|at| terms.var(byte(at))).collect();
            // A product of forty bytes is 1: there is no way there from 0 that leaves some of them alone.
            let product = bytes[1..].iter().fold(bytes[0], |product, &byte| terms.mul(product, byte));
            let k = terms.constant(8, 1);
            terms.eq(product, k)
        };
        let query = Query { prefix: &[], goal: random, parent: Parent::none() };
        assert_eq!(solver.solve(&terms, &query), Ok(Answer::Unknown(Why::Budget(Limit::Steps))));
        let mut asked: Vec<_> = solver.counters().iter().map(|(name, _)| name).collect();
        assert_eq!(asked.pop(), Some("scripted"));
        assert_eq!(asked, LAYERS);
        // A first, short try and the whole budget.
        assert_eq!(solver.counters().get("scripted").calls, 2);
        assert!(LAYERS.iter().all(|layer| solver.counters().get(layer).calls == 1));
        assert!(LAYERS.iter().all(|layer| solver.counters().get(layer).unknown == 0));
    }
}
