//! Local search: moves words of the input towards what the conditions ask for, by evaluating them. For what the core has
//! a hard time with or cannot say at all: floats, functions of the mathematical library, products of inputs. Says sat or
//! nothing, and only what the evaluator confirms.

mod distance;
mod inverse;
mod machine;
mod search;
#[cfg(test)]
mod tests;
mod ties;

use symcrete_term::TermId;

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Fault, Model, Query};
use machine::Machine;
use search::Search;

/// Evaluations of one operation for each step that the core may take.
const PER_STEP: u64 = 400;
/// The same where the core is good at it.
const PER_STEP_INTEGERS: u64 = 40;
/// Gates of floats that the core is given for each step it may take.
const GATES_PER_STEP: u64 = 60;
/// Terms and conditions beyond which a search gets nowhere.
const MAX_STEPS: usize = 20_000;
const MAX_CONDITIONS: usize = 2_000;

pub(crate) struct Local {
    next: Box<dyn SolverLayer>,
}

impl Local {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Local {
        Local { next }
    }
}

/// What a search came to.
enum Tried {
    Found(Model),
    /// Nothing, for conditions over floats.
    Floats,
    Nothing,
}

fn try_solve(cx: &mut SolveCx<'_>, query: &Query<'_>) -> Tried {
    if query.prefix.len() > MAX_CONDITIONS {
        return Tried::Nothing;
    }
    let terms = cx.terms;
    let conditions: Vec<TermId> = query.conditions().collect();
    let Some(mut machine) = Machine::new(terms, &conditions) else { return Tried::Nothing };
    if machine.len() > MAX_STEPS || machine.words.is_empty() {
        return Tried::Nothing;
    }
    let per_step = match machine.has_floats() {
        true => PER_STEP,
        false if machine.is_nonlinear(terms) => PER_STEP_INTEGERS,
        false => return Tried::Nothing,
    };
    machine.set_all(query.parent.values);
    let budget = cx.budget.steps.saturating_mul(per_step);
    // Another attempt with another budget is another search.
    let seed = query.goal.index() as u64 ^ (query.prefix.len() as u64) << 32 ^ cx.budget.steps.rotate_left(40);
    let mut search = Search::new(terms, machine, conditions, budget, seed);
    let found = search.run();
    cx.counters.evaluations += search.machine.evaluations;
    if !found {
        return if per_step == PER_STEP { Tried::Floats } else { Tried::Nothing };
    }
    let model = Model::new(search.machine.changed(query.parent.values));
    let values = model.over(query.parent.values);
    cx.evaluator.begin();
    let right = query.conditions().all(|condition| cx.evaluator.holds(terms, condition, &values));
    if right { Tried::Found(model) } else { Tried::Floats }
}

impl SolverLayer for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        match try_solve(cx, query) {
            Tried::Found(model) => Ok(Answer::Sat(model)),
            Tried::Nothing => self.next.solve(cx, query),
            Tried::Floats => {
                // What is left is mostly impossible, and showing that is dear: small ones first.
                let budget = cx.budget;
                cx.budget.size = budget.size.min(budget.steps.saturating_mul(GATES_PER_STEP));
                let answer = self.next.solve(cx, query);
                cx.budget = budget;
                answer
            }
        }
    }

    fn forget_terms(&mut self) {
        self.next.forget_terms();
    }
}
