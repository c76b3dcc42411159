//! Draws a model towards the parent run's values, as far as some conditions allow. The parent makes its whole path
//! true, so a model of a part of the path that stays close to it breaks less of the rest; what a solver hands out is
//! often the smallest or the roundest value instead. Only evaluates; the model it returns makes the same conditions
//! true.

use symcrete_term::bits::mask;
use symcrete_term::{Assignment, Op, Term, TermId, Terms, Var, VarId};

use crate::layer::SolveCx;
use crate::word::{assign, is_word, leaves, word_value};
use crate::{Model, Query};

/// Conditions and words of the input beyond which it is not worth the evaluations.
const MAX_CONDITIONS: usize = 64;
const MAX_WORDS: usize = 32;

/// The model, changed so that every word of the input that the query speaks of is as near to the parent's value as the
/// query's conditions allow, one word after the other.
pub(crate) fn towards_parent(cx: &mut SolveCx<'_>, query: &Query<'_>, model: Model) -> Model {
    if query.prefix.len() >= MAX_CONDITIONS {
        return model;
    }
    let terms = cx.terms;
    let words = words(terms, query);
    if words.len() > MAX_WORDS {
        return model;
    }
    let mut trial = Trial { values: model.iter().collect(), parent: query.parent.values };
    for word in words {
        let all = mask(terms.width(word));
        let (from, to) = (word_value(terms, word, &trial), word_value(terms, word, query.parent.values));
        if from == to || holds(cx, query, &mut trial, word, to) {
            continue;
        }
        // The shorter way round, from a value that is right to one that is not.
        let up = to.wrapping_sub(from) & all;
        let is_up = up <= all / 2;
        let (mut right, mut wrong) = (0, if is_up { up } else { from.wrapping_sub(to) & all });
        let at = |steps: u128| if is_up { from.wrapping_add(steps) } else { from.wrapping_sub(steps) } & all;
        while wrong - right > 1 {
            let middle = right + (wrong - right) / 2;
            if holds(cx, query, &mut trial, word, at(middle)) { right = middle } else { wrong = middle }
        }
        trial.set(terms, word, at(right));
    }
    Model::new(trial.values)
}

/// Whether the conditions hold with this value of the word; the trial is left with it.
fn holds(cx: &mut SolveCx<'_>, query: &Query<'_>, trial: &mut Trial<'_>, word: TermId, value: u128) -> bool {
    trial.set(cx.terms, word, value);
    cx.evaluator.begin();
    query.conditions().all(|condition| cx.evaluator.holds(cx.terms, condition, trial))
}

/// A model that is being changed, over the parent's values.
struct Trial<'a> {
    values: Vec<(Var, u64)>,
    parent: &'a dyn Assignment,
}

impl Trial<'_> {
    fn set(&mut self, terms: &Terms, word: TermId, value: u128) {
        leaves(terms, word, |var, _| self.values.retain(|&(other, _)| other != var));
        assign(terms, word, value, &mut self.values);
    }
}

impl Assignment for Trial<'_> {
    fn value(&self, id: VarId, var: Var) -> u128 {
        let found = self.values.iter().find(|&&(other, _)| other == var);
        found.map_or_else(|| self.parent.value(id, var), |&(_, value)| u128::from(value))
    }
}

/// The largest words of the input in the query's terms, wherever they occur; in the order in which they are met.
fn words(terms: &Terms, query: &Query<'_>) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack: Vec<TermId> = query.conditions().collect();
    while let Some(term) = stack.pop() {
        if !seen.insert(term) || found.len() > MAX_WORDS {
            continue;
        }
        match terms.get(term) {
            Term::Variable(..) => found.push(term),
            Term::Apply(Op::Concat, _) if is_word(terms, term) => found.push(term),
            Term::Apply(_, operands) => stack.extend(operands.iter().copied()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, byte, random_query};
    use crate::{Answer, Bitwuzla, Budget, Counters, Parent, SolverLayer};
    use proptest::prelude::*;
    use symcrete_term::Evaluator;

    fn solved_and_drawn(terms: &Terms, query: &Query<'_>) -> Option<(Model, Model)> {
        let (mut evaluator, mut counters, cancel) = (Evaluator::new(), Counters::default(), Default::default());
        let mut cx = SolveCx::new(terms, Budget::default(), &mut evaluator, &mut counters, &cancel);
        match Bitwuzla::new().solve(&mut cx, query) {
            Ok(Answer::Sat(model)) => Some((model.clone(), towards_parent(&mut cx, query, model))),
            _ => None,
        }
    }

    #[test]
    fn stops_where_the_conditions_end() {
        let mut terms = Terms::new();
        let (low, high) = (terms.var(byte(0)), terms.var(byte(1)));
        let word = terms.concat(high, low);
        let bound = terms.constant(16, 1000);
        let goal = terms.ult(word, bound);
        let parent = Input(vec![0xb9, 0x0b]);
        let query = Query { prefix: &[], goal, parent: Parent { run: 1, values: &parent } };
        let (_, drawn) = solved_and_drawn(&terms, &query).expect("many numbers are below 1000");
        assert_eq!((drawn.get(byte(1)), drawn.get(byte(0))), (Some(0x03), Some(0xe7)));
    }

    proptest! {
        #[test]
        fn stays_a_model(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            let (&goal, prefix) = conditions.split_last().expect("there is a goal");
            let query = Query { prefix, goal, parent: Parent { run: 1, values: &random.parent } };
            if let Some((_, drawn)) = solved_and_drawn(&terms, &query) {
                let values = drawn.over(&random.parent);
                let mut evaluator = Evaluator::new();
                evaluator.begin();
                for &condition in &conditions {
                    prop_assert!(evaluator.holds(&terms, condition, &values));
                }
            }
        }
    }
}
