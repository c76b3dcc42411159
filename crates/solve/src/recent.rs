//! Tries the models of recent queries, and the parent's own values, before anything is solved. Says sat or nothing.

use std::collections::VecDeque;

use symcrete_term::Var;

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Fault, Model, Query};

/// How many models are kept. Each costs one evaluation, mostly of the goal alone.
const KEPT: usize = 16;

pub(crate) struct Recent {
    /// Latest first.
    models: VecDeque<Model>,
    next: Box<dyn SolverLayer>,
}

impl Recent {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Recent {
        Recent { models: VecDeque::with_capacity(KEPT), next }
    }
}

fn holds(cx: &mut SolveCx<'_>, query: &Query<'_>, model: &Model) -> bool {
    let values = model.over(query.parent.values);
    cx.evaluator.begin();
    query.conditions().all(|condition| cx.evaluator.holds(cx.terms, condition, &values))
}

/// The part of a model that speaks of inputs of this query; the others keep the parent's values.
fn part(cx: &SolveCx<'_>, query: &Query<'_>, model: &Model) -> Model {
    let mentioned = |var: Var| {
        cx.terms.var_id(var).is_some_and(|id| {
            query.conditions().any(|condition| cx.terms.var_sets().contains(cx.terms.vars(condition), id))
        })
    };
    Model::new(model.iter().filter(|&(var, _)| mentioned(var)).collect())
}

impl SolverLayer for Recent {
    fn name(&self) -> &'static str {
        "recent"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        if holds(cx, query, &Model::default()) {
            return Ok(Answer::Sat(Model::default()));
        }
        if let Some(at) = (0..self.models.len()).find(|&at| holds(cx, query, &self.models[at])) {
            return Ok(Answer::Sat(part(cx, query, &self.models[at])));
        }
        let answer = self.next.solve(cx, query)?;
        if let Answer::Sat(model) = &answer {
            self.models.truncate(KEPT - 1);
            self.models.push_front(model.clone());
        }
        Ok(answer)
    }

    /// Models speak of variables, not of terms, and stay useful.
    fn forget_terms(&mut self) {
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, Scripted, ask, byte, sat};
    use crate::{Limit, Parent, Why};
    use symcrete_term::Terms;

    #[test]
    fn an_old_model_answers_again_and_only_for_its_part() {
        let mut terms = Terms::new();
        let (x, y, z) = (terms.var(byte(0)), terms.var(byte(1)), terms.var(byte(2)));
        let ten = terms.constant(8, 10);
        let both = terms.add(x, y);
        let (sum, x_large) = (terms.eq(both, ten), terms.ult(ten, x));
        let model = sat(&[(byte(0), 20), (byte(1), 246)]);
        let (core, asked) = Scripted::new(model.clone());
        let mut layer = Recent::new(core);
        let parent = Input(vec![1, 2, 3]);
        let parent = Parent { run: 1, values: &parent };
        assert_eq!(ask(&mut layer, &terms, &Query { prefix: &[], goal: sum, parent }), Ok(model));
        let again = ask(&mut layer, &terms, &Query { prefix: &[], goal: x_large, parent });
        assert_eq!(again, Ok(sat(&[(byte(0), 20)])));
        assert_eq!(asked.lock().unwrap().len(), 1);
        // True for the parent already: nothing has to change.
        let goal = terms.ult(z, ten);
        assert_eq!(ask(&mut layer, &terms, &Query { prefix: &[], goal, parent }), Ok(sat(&[])));
        assert_eq!(asked.lock().unwrap().len(), 1);
    }

    #[test]
    fn says_nothing_when_no_old_model_fits() {
        let mut terms = Terms::new();
        let (x, k) = (terms.var(byte(0)), terms.constant(8, 3));
        let goal = terms.eq(x, k);
        let (core, _) = Scripted::clueless();
        let query = Query { prefix: &[], goal, parent: Parent::none() };
        let answer = ask(&mut Recent::new(core), &terms, &query);
        assert_eq!(answer, Ok(Answer::Unknown(Why::Budget(Limit::Steps))));
    }
}
