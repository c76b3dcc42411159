//! When the core does not settle a query over products of inputs in its first moments: asks again, with all inputs
//! as they are. Of those that stand in the way some are let go, left to chance which, and so on until the rest is
//! a solution or too much is free. With most inputs known, products of inputs are products by constants, and what was
//! hopeless is small. Says sat or nothing.

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::time::Duration;
use symcrete_term::{Op, Term, TermId, Terms, VarId};

use crate::backoff::Backoff;
use crate::bitwuzla::{Keeping, Kept};
use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Budget, Fault, Limit, Model, Query, Why};

/// What the core is given before anything is fixed.
const FIRST_STEPS: u64 = 1_000;
const FIRST_TIME: Duration = Duration::from_millis(10);
/// What one question with kept inputs is given.
const STEPS: u64 = 300;
const TIME: Duration = Duration::from_millis(30);
/// Attempts per round, each from all inputs kept, and inputs let go in one of them.
const ATTEMPTS: u64 = 3;
const MOST_FREE: usize = 24;
const MAX_ROUNDS: u64 = 3;
/// Terms beyond which a query is too dear to ask it often.
const MAX_TERMS: usize = 10_000;

pub(crate) struct Fix {
    /// Apart from the chain's core, so that what that one has learnt stays.
    core: Keeping,
    random: Pcg64Mcg,
    backoff: Backoff,
    next: Box<dyn SolverLayer>,
}

impl Fix {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Fix {
        let random = Pcg64Mcg::seed_from_u64(0);
        Fix { core: Keeping::default(), random, backoff: Backoff::with_patience(2), next }
    }

    fn attempts(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Option<Model> {
        let conditions: Vec<TermId> = query.conditions().collect();
        let order = cx.terms.reachable_within(&conditions, MAX_TERMS)?;
        if !order.iter().any(|&id| multiplies_inputs(cx.terms, id)) {
            return None;
        }
        if cx.budget.is_first() && !self.backoff.is_due() {
            return None;
        }
        let all: Vec<VarId> = order.iter().filter_map(|&id| variable(cx.terms, id)).collect();
        let rounds = (cx.budget.steps / FIRST_STEPS).clamp(1, MAX_ROUNDS);
        let whole = cx.budget;
        cx.budget = Budget { steps: STEPS, time: whole.time.and(Some(TIME)), ..whole };
        let found = (0..rounds * ATTEMPTS).find_map(|_| self.attempt(cx, query, all.clone()));
        cx.budget = whole;
        self.backoff.record(found.is_some());
        found
    }

    /// Lets inputs go until the others leave room for a solution.
    fn attempt(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>, mut kept: Vec<VarId>) -> Option<Model> {
        let least = kept.len().saturating_sub(MOST_FREE);
        loop {
            let mut in_the_way = match self.core.solve(cx, query, &kept) {
                Kept::Sat(model) => return Some(model),
                Kept::Conflict(vars) if !vars.is_empty() && kept.len() > least => vars,
                Kept::Conflict(_) | Kept::Unknown => return None,
            };
            for _ in 0..1 + self.below(3).min(in_the_way.len() - 1) {
                let free = in_the_way.swap_remove(self.below(in_the_way.len()));
                kept.retain(|var| *var != free);
            }
        }
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.next_u32() as usize % end
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
        if let Some(model) = self.attempts(cx, query) {
            cx.answered_by = "";
            return Ok(Answer::Sat(model));
        }
        if tried == whole { first } else { self.next.solve(cx, query) }
    }

    fn forget_terms(&mut self) {
        self.core.forget_terms();
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, random_query};
    use crate::{Bitwuzla, Parent};
    use proptest::prelude::*;
    use symcrete_term::{Evaluator, Table};

    fn over_a_clueless_core() -> Fix {
        Fix::new(Scripted::clueless().0)
    }

    proptest! {
        /// Models hold; what the core settles is left alone.
        #[test]
        fn never_another_verdict(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            agrees_with_judge(&mut over_a_clueless_core(), &terms, &conditions, &random.parent);
            let mut over_core = Fix::new(Box::new(Bitwuzla::new()));
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
