//! Evaluates every model on every condition it was asked for, always. Not a layer one can turn off: a model that
//! fails here is a fault of ours and must never reach a run.

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Fault, Query};

pub(crate) struct Check {
    next: Box<dyn SolverLayer>,
}

impl Check {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Check {
        Check { next }
    }
}

impl SolverLayer for Check {
    fn name(&self) -> &'static str {
        "check"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        let answer = self.next.solve(cx, query)?;
        if let Answer::Sat(model) = &answer {
            let values = model.over(query.parent.values);
            cx.evaluator.begin();
            for condition in query.conditions() {
                if !cx.evaluator.holds(cx.terms, condition, &values) {
                    let is_goal = condition == query.goal;
                    return Err(Fault::WrongModel { layer: cx.answered_by, condition, is_goal });
                }
            }
        }
        Ok(answer)
    }

    fn forget_terms(&mut self) {
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, ask, byte, sat};
    use crate::{Parent, Query};
    use symcrete_term::Terms;

    #[test]
    fn a_lying_core_is_a_fault_and_an_honest_one_is_not() {
        let mut terms = Terms::new();
        let (x, five, nine) = (terms.var(byte(0)), terms.constant(8, 5), terms.constant(8, 9));
        let (goal, below) = (terms.eq(x, five), terms.ult(x, nine));
        let query = Query { prefix: &[below], goal, parent: Parent::none() };
        let honest = sat(&[(byte(0), 5)]);
        assert_eq!(ask(&mut Check::new(Scripted::new(honest.clone()).0), &terms, &query), Ok(honest));
        let lie = ask(&mut Check::new(Scripted::new(sat(&[(byte(0), 6)])).0), &terms, &query);
        assert!(matches!(lie, Err(Fault::WrongModel { condition, is_goal: true, .. }) if condition == goal));
        // Without a value for the byte the parent's 0 counts, which breaks the goal as well.
        assert!(ask(&mut Check::new(Scripted::new(sat(&[])).0), &terms, &query).is_err());
        let other = terms.ne(x, five);
        let query = Query { prefix: &[other], goal: below, parent: Parent::none() };
        let lie = ask(&mut Check::new(Scripted::new(sat(&[(byte(0), 5)])).0), &terms, &query);
        assert!(matches!(lie, Err(Fault::WrongModel { condition, is_goal: false, .. }) if condition == other));
    }
}
