//! When the core does not settle a query over products of inputs in its first moments: leaves all inputs but a few as
//! they are and asks again. With most inputs known, products of inputs become products by constants, and what was
//! hopeless is small. Which few is left to chance, some of the goal's own always among them. Says sat or nothing.

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rustc_hash::FxHashMap;
use std::time::Duration;
use symcrete_term::{Op, Table, Term, TermId, Terms, VarId};

use crate::backoff::Backoff;
use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Budget, Fault, Limit, Model, Query, Why};

/// What the core is given before anything is fixed.
const FIRST_STEPS: u64 = 1_000;
const FIRST_TIME: Duration = Duration::from_millis(10);
/// What one attempt with fixed inputs is given.
const STEPS: u64 = 300;
const TIME: Duration = Duration::from_millis(3);
/// How many inputs are free, attempt by attempt.
const FREE: [usize; 8] = [2, 3, 4, 6, 8, 12, 16, 24];
const MAX_ROUNDS: u64 = 16;
/// Terms beyond which writing a query anew is too dear.
const MAX_TERMS: usize = 10_000;

pub(crate) struct Fix {
    /// For the small queries; apart from the chain's core, so that what that one has learnt stays.
    core: Box<dyn SolverLayer>,
    random: Pcg64Mcg,
    backoff: Backoff,
    next: Box<dyn SolverLayer>,
}

impl Fix {
    pub(crate) fn new(core: Box<dyn SolverLayer>, next: Box<dyn SolverLayer>) -> Fix {
        Fix { core, random: Pcg64Mcg::seed_from_u64(0), backoff: Backoff::with_patience(2), next }
    }

    fn attempts(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Option<Model>, Fault> {
        let conditions: Vec<TermId> = query.conditions().collect();
        let order = cx.terms.reachable(&conditions);
        let mut all: Vec<VarId> = order.iter().filter_map(|&id| variable(cx.terms, id)).collect();
        if order.len() > MAX_TERMS || !order.iter().any(|&id| multiplies_inputs(cx.terms, id)) {
            return Ok(None);
        }
        if cx.budget.is_first() && !self.backoff.is_due() {
            return Ok(None);
        }
        let mut goals: Vec<VarId> = cx.terms.vars_of(query.goal).collect();
        let several = all.len();
        let rounds = (cx.budget.steps / FIRST_STEPS).clamp(1, MAX_ROUNDS);
        for _ in 0..rounds {
            for count in FREE.into_iter().take_while(|&count| count < several) {
                let own = (1 + self.below(count)).min(goals.len());
                self.shuffle(&mut goals);
                self.shuffle(&mut all);
                let mut free = goals[..own].to_vec();
                free.extend(all.iter().filter(|var| !goals[..own].contains(var)).take(count - own));
                if let Some(model) = self.attempt(cx, query, &order, &free)? {
                    self.backoff.record(true);
                    return Ok(Some(model));
                }
            }
        }
        self.backoff.record(false);
        Ok(None)
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.next_u32() as usize % end
    }

    fn shuffle(&mut self, vars: &mut [VarId]) {
        for at in (1..vars.len()).rev() {
            vars.swap(at, self.below(at + 1));
        }
    }

    /// The query with everything but `free` known.
    fn attempt(
        &mut self,
        cx: &mut SolveCx<'_>,
        query: &Query<'_>,
        order: &[TermId],
        free: &[VarId],
    ) -> Result<Option<Model>, Fault> {
        let mut terms = Terms::new();
        let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
        for &id in order {
            let width = cx.terms.width(id);
            let here = match cx.terms.get(id) {
                Term::Constant(value) => terms.constant(width, value),
                Term::Variable(var, name) if free.contains(&var) => terms.var(name),
                Term::Variable(var, name) => terms.constant(width, query.parent.values.value(var, name)),
                // A table's number is the store's own.
                Term::Apply(Op::Read, args) => terms.read(known[&args[0]], Table::clone(cx.terms.table(args[1]))),
                Term::Apply(op, args) => {
                    let args: Vec<TermId> = args.iter().map(|arg| known[arg]).collect();
                    terms.apply(op, width, &args)
                }
            };
            known.insert(id, here);
        }
        let mut prefix = Vec::with_capacity(query.prefix.len());
        for id in query.prefix {
            match terms.as_constant(known[id]) {
                Some(0) => return Ok(None),
                Some(_) => {}
                None => prefix.push(known[id]),
            }
        }
        let goal = known[&query.goal];
        if terms.as_constant(goal) == Some(0) {
            return Ok(None);
        }
        let budget = Budget { steps: STEPS, time: cx.budget.time.and(Some(TIME)), ..cx.budget };
        let mut small = SolveCx::new(&terms, budget, cx.evaluator, cx.counters, cx.cancel);
        let answer = self.core.solve(&mut small, &Query { prefix: &prefix, goal, parent: query.parent });
        self.core.forget_terms();
        Ok(match answer? {
            Answer::Sat(model) => Some(model),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        })
    }
}

/// Whether a term is a product, quotient or remainder with inputs on both sides.
fn multiplies_inputs(terms: &Terms, id: TermId) -> bool {
    let Term::Apply(op, args) = terms.get(id) else {
        return false;
    };
    let both = || args.iter().all(|&arg| terms.as_constant(arg).is_none());
    let product = matches!(op, Op::Mul | Op::UMulO | Op::SMulO | Op::UDiv | Op::URem | Op::SDiv | Op::SRem);
    (product || op.is_float()) && both()
}

fn variable(terms: &Terms, id: TermId) -> Option<VarId> {
    match terms.get(id) {
        Term::Variable(var, _) => Some(var),
        _ => None,
    }
}

impl SolverLayer for Fix {
    fn name(&self) -> &'static str {
        "fix"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        let whole = cx.budget;
        let (steps, time) = (whole.steps.min(FIRST_STEPS), whole.time.map(|time| time.min(FIRST_TIME)));
        cx.budget = Budget { steps, time, ..whole };
        let first = self.next.solve(cx, query);
        let tried = std::mem::replace(&mut cx.budget, whole);
        match first {
            Ok(Answer::Unknown(Why::Budget(limit))) if limit != Limit::Cancelled => {}
            settled => return settled,
        }
        if let Some(model) = self.attempts(cx, query)? {
            cx.answered_by = "";
            return Ok(Answer::Sat(model));
        }
        if tried == whole { first } else { self.next.solve(cx, query) }
    }

    fn forget_terms(&mut self) {
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, random_query};
    use crate::{Bitwuzla, Parent};
    use proptest::prelude::*;
    use symcrete_term::Evaluator;

    fn over_a_clueless_core() -> Fix {
        Fix::new(Box::new(Bitwuzla::new()), Scripted::clueless().0)
    }

    proptest! {
        /// Models hold; what the core settles is left alone.
        #[test]
        fn never_another_verdict(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            agrees_with_judge(&mut over_a_clueless_core(), &terms, &conditions, &random.parent);
            let mut over_core = Fix::new(Box::new(Bitwuzla::new()), Box::new(Bitwuzla::new()));
            prop_assert!(agrees_with_judge(&mut over_core, &terms, &conditions, &random.parent));
        }
    }

    /// The first two rows of a product of matrices of signed bytes are those of the identity: the parent has the first
    /// of them, and the core is of no help.
    #[test]
    fn products_of_inputs_are_met_one_after_the_other() {
        let mut terms = Terms::new();
        let entry = |terms: &mut Terms, at: u32| {
            let byte = terms.var(byte(at));
            terms.apply(Op::SExt, 32, &[byte])
        };
        let cell = |terms: &mut Terms, row: u32, column: u32| {
            let mut sum = terms.constant(32, 0);
            for k in 0..4 {
                let (a, b) = (entry(terms, 4 * row + k), entry(terms, 16 + 4 * k + column));
                let product = terms.mul(a, b);
                sum = terms.add(sum, product);
            }
            let wanted = terms.constant(32, u128::from(row == column));
            terms.eq(sum, wanted)
        };
        let mut prefix: Vec<TermId> = (0..4).map(|column| cell(&mut terms, 0, column)).collect();
        prefix.push(cell(&mut terms, 1, 0));
        let goal = cell(&mut terms, 1, 1);
        let mut parent = Input(vec![0; 32]);
        (parent.0[0], parent.0[16]) = (1, 1);
        let query = Query { prefix: &prefix, goal, parent: Parent { run: 1, values: &parent } };
        let Ok(Answer::Sat(model)) = ask(&mut over_a_clueless_core(), &terms, &query) else {
            panic!("not found");
        };
        let values = (0u32..).zip(&parent.0).map(|(at, &old)| model.get(byte(at)).map_or(old, |value| value as u8));
        let found = Input(values.collect());
        let mut evaluator = Evaluator::new();
        evaluator.begin();
        assert!(query.conditions().all(|condition| evaluator.holds(&terms, condition, &found)));
    }

    /// A product of entries of two tables, in a store where they have other numbers than in a fresh one.
    #[test]
    fn tables_go_along_into_the_small_query() {
        let mut terms = Terms::new();
        let entry = |terms: &mut Terms, at: u32, factor: u64| {
            let (a, b) = (terms.var(byte(at)), terms.var(byte(at + 1)));
            let index = terms.xor(a, b);
            terms.read(index, Table::new(32, (0..256).map(|i| i * factor)))
        };
        entry(&mut terms, 0, 9);
        let (a, b) = (entry(&mut terms, 0, 3), entry(&mut terms, 2, 5));
        let product = terms.mul(a, b);
        let wanted = terms.constant(32, 3 * 77 * 5 * 101);
        let goal = terms.eq(product, wanted);
        // The first factor is right already.
        let parent = Input(vec![7 ^ 77, 7, 7, 7]);
        let query = Query { prefix: &[], goal, parent: Parent { run: 1, values: &parent } };
        let Ok(Answer::Sat(model)) = ask(&mut over_a_clueless_core(), &terms, &query) else {
            panic!("not found");
        };
        let mut evaluator = Evaluator::new();
        evaluator.begin();
        assert!(evaluator.holds(&terms, goal, &model.over(&parent)));
    }
}
