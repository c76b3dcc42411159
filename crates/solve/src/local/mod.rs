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

use crate::backoff::Backoff;
use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Fault, Model, Query};
use machine::Machine;
use search::Search;

/// Where the core is good at it local search gets this part of its evaluations.
const INTEGERS: u64 = 10;
/// Evaluations for which the core is given a gate of floats.
const EVALUATIONS_PER_GATE: u64 = 7;
/// Terms and conditions beyond which a search gets nowhere.
const MAX_STEPS: usize = 20_000;
const MAX_CONDITIONS: usize = 2_000;

pub(crate) struct Local {
    /// For conditions over integers.
    integers: Backoff,
    next: Box<dyn SolverLayer>,
}

impl Local {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Local {
        Local { integers: Backoff::default(), next }
    }
}

/// What a search came to.
enum Tried {
    Found(Model),
    /// Nothing, for conditions over floats.
    Floats,
    Nothing,
}

fn try_solve(cx: &mut SolveCx<'_>, query: &Query<'_>, integers: &mut Backoff) -> Tried {
    if query.prefix.len() > MAX_CONDITIONS {
        return Tried::Nothing;
    }
    let terms = cx.terms;
    let conditions: Vec<TermId> = query.conditions().collect();
    let Some(mut machine) = Machine::new(terms, &conditions) else { return Tried::Nothing };
    if machine.len() > MAX_STEPS || machine.words.is_empty() {
        return Tried::Nothing;
    }
    let floats = machine.has_floats();
    if !floats && (!machine.is_nonlinear(terms) || (cx.budget.is_first() && !integers.is_due())) {
        return Tried::Nothing;
    }
    machine.set_all(query.parent.values);
    let budget = if floats { cx.budget.evaluations } else { cx.budget.evaluations / INTEGERS };
    // Another attempt with another budget is another search.
    let seed = query.goal.index() as u64 ^ (query.prefix.len() as u64) << 32 ^ cx.budget.evaluations.rotate_left(40);
    let mut search = Search::new(terms, machine, conditions, budget, seed);
    let found = search.run();
    cx.counters.evaluations += search.machine.evaluations;
    if !floats {
        integers.record(found);
    }
    if !found {
        return if floats { Tried::Floats } else { Tried::Nothing };
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
        match try_solve(cx, query, &mut self.integers) {
            Tried::Found(model) => Ok(Answer::Sat(model)),
            Tried::Nothing => self.next.solve(cx, query),
            Tried::Floats => {
                // What is left is mostly impossible, and showing that is dear: small ones first.
                let budget = cx.budget;
                cx.budget.size = budget.size.min(budget.evaluations / EVALUATIONS_PER_GATE);
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
