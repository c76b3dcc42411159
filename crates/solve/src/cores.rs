//! Remembers which conditions could not hold together. A query that has them all again is unsat, without solving.

use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_term::TermId;

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Core, Fault, Query};

/// Large reasons seldom come again.
const LARGEST: usize = 64;
/// How many reasons are kept for one goal, and for all.
const PER_GOAL: usize = 8;
const KEPT: usize = 1 << 16;

pub(crate) struct Cores {
    /// What a goal cannot be true with. A run's own prefix holds, so the goal is part of every reason.
    by_goal: FxHashMap<TermId, Vec<Box<[TermId]>>>,
    kept: usize,
    next: Box<dyn SolverLayer>,
}

impl Cores {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Cores {
        Cores { by_goal: FxHashMap::default(), kept: 0, next }
    }

    fn known(&self, query: &Query<'_>) -> Option<&[TermId]> {
        let reasons = self.by_goal.get(&query.goal)?;
        let prefix: FxHashSet<TermId> = query.prefix.iter().copied().collect();
        reasons.iter().map(|reason| &**reason).find(|reason| reason.iter().all(|id| prefix.contains(id)))
    }

    fn learn(&mut self, goal: TermId, core: &Core) {
        if core.conditions.len() > LARGEST {
            return;
        }
        if self.kept == KEPT {
            self.by_goal.clear();
            self.kept = 0;
        }
        let reasons = self.by_goal.entry(goal).or_default();
        if reasons.len() == PER_GOAL {
            reasons.remove(0);
            self.kept -= 1;
        }
        reasons.push(core.conditions.iter().copied().filter(|&id| id != goal).collect());
        self.kept += 1;
    }
}

impl SolverLayer for Cores {
    fn name(&self) -> &'static str {
        "cores"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        if let Some(reason) = self.known(query) {
            let conditions = std::iter::once(query.goal).chain(reason.iter().copied()).collect();
            return Ok(Answer::Unsat(Core { conditions }));
        }
        let answer = self.next.solve(cx, query)?;
        if let Answer::Unsat(core) = &answer {
            self.learn(query.goal, core);
        }
        Ok(answer)
    }

    fn forget_terms(&mut self) {
        self.by_goal.clear();
        self.kept = 0;
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, agrees_with_judge, ask, byte, random_query, unsat};
    use crate::{Bitwuzla, Parent};
    use proptest::prelude::*;
    use symcrete_term::Terms;

    proptest! {
        /// Every way to cut the path, forwards and backwards: what was learnt from one is used for the others.
        #[test]
        fn never_another_verdict(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            let mut layer = Cores::new(Box::new(Bitwuzla::new()));
            for upto in (1..=conditions.len()).chain((1..=conditions.len()).rev()) {
                prop_assert!(agrees_with_judge(&mut layer, &terms, &conditions[..upto], &random.parent));
            }
        }
    }

    #[test]
    fn a_reason_settles_what_contains_it_and_nothing_else() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var(byte(0)), terms.var(byte(1)));
        let (three, nine) = (terms.constant(8, 3), terms.constant(8, 9));
        let (small, large, other) = (terms.ult(x, three), terms.ult(nine, x), terms.ult(y, nine));
        let (core, asked) = Scripted::new(unsat(&[large, small]));
        let mut layer = Cores::new(core);
        let mut query = Query { prefix: &[small], goal: large, parent: Parent::none() };
        assert_eq!(ask(&mut layer, &terms, &query), Ok(unsat(&[large, small])));
        let more = [other, small];
        query.prefix = &more;
        assert_eq!(ask(&mut layer, &terms, &query), Ok(unsat(&[large, small])));
        assert_eq!(asked.lock().unwrap().len(), 1, "known by then");
        query.prefix = &more[..1];
        let _ = ask(&mut layer, &terms, &query);
        assert_eq!(asked.lock().unwrap().len(), 2, "the reason is not in it");
        layer.forget_terms();
        query.prefix = &more;
        let _ = ask(&mut layer, &terms, &query);
        assert_eq!(asked.lock().unwrap().len(), 3, "other terms, other reasons");
    }
}
