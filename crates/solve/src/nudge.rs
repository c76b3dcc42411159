//! Tries every value of one byte of the goal and leaves all other inputs as they are. When no byte is enough by
//! itself, takes the one that brings the two sides of the goal's comparison closest together, and goes on from there.
//! Needs no idea of what the conditions compute, so numbers read digit by digit, tables and floats are all the same to
//! it. Says sat or nothing.

use symcrete_term::bits::{mask, signed_min};
use symcrete_term::{Op, Term, TermId, Terms, Var};

use crate::backoff::Backoff;
use crate::enumerate::by_preference;
use crate::layer::{SolveCx, SolverLayer};
use crate::tape::{Place, Tape};
use crate::{Answer, Fault, Model, Query};

/// Evaluation steps one query may cost here; the core is seldom cheaper than that.
const MAX_STEPS: usize = 120_000;
/// The same where the core has a hard time.
const MAX_STEPS_NONLINEAR: usize = 1_500_000;
/// Conditions and terms beyond which laying them out is too dear.
const MAX_TAPE: usize = 6_000;
const MAX_CONDITIONS: usize = 600;
/// Bytes that may be changed one after the other.
const MAX_ROUNDS: usize = 8;

pub(crate) struct Nudge {
    backoff: Backoff,
    next: Box<dyn SolverLayer>,
}

impl Nudge {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Nudge {
        Nudge { backoff: Backoff::default(), next }
    }
}

/// One query while bytes are being changed.
struct Search<'a> {
    terms: &'a Terms,
    goal: TermId,
    conditions: Vec<TermId>,
    tape: Tape,
    /// What was changed so far, as it is now.
    changed: Vec<(Place, u8)>,
    steps_left: usize,
}

/// What one round came to.
enum Round {
    Solved,
    Closer,
    Stuck,
}

impl Search<'_> {
    /// How far the goal is from being true, for goals that compare; `None` for others.
    fn distance(&self) -> Option<u128> {
        let Term::Apply(op, &[a, b]) = self.terms.get(self.goal) else {
            return None;
        };
        let width = self.terms.width(a);
        let (a, b) = (self.tape.value(a), self.tape.value(b));
        let flip = signed_min(width);
        match op {
            Op::Eq => Some((a.wrapping_sub(b) & mask(width)).min(b.wrapping_sub(a) & mask(width))),
            Op::Ult | Op::Ule => Some(a.saturating_sub(b)),
            Op::Slt | Op::Sle => Some((a ^ flip).saturating_sub(b ^ flip)),
            _ => None,
        }
    }

    /// The value of a byte as it is now, by what was changed or else by the parent.
    fn current(&self, query: &Query<'_>, place: Place) -> u8 {
        let changed = self.changed.iter().find(|(other, _)| other.id == place.id);
        changed.map_or_else(|| query.parent.values.value(place.id, place.var) as u8, |&(_, value)| value)
    }

    /// Changes one byte: to make everything true, or else to bring the goal closer. `None`: out of steps.
    fn round(&mut self, query: &Query<'_>) -> Option<Round> {
        let terms = self.terms;
        let broken: Vec<TermId> =
            self.conditions.iter().copied().filter(|&condition| !self.tape.holds(condition)).collect();
        let mut nearest = self.distance();
        let mut best = None;
        for place in self.tape.variables().to_vec() {
            // Only a byte that every broken condition depends on can mend them all.
            let depends = |&condition: &TermId| terms.var_sets().contains(terms.vars(condition), place.id);
            if !matches!(place.var, Var::Byte { .. }) || !broken.iter().all(depends) {
                continue;
            }
            let (first, rest) = self.tape.split(self.goal, &self.tape.dependents(terms, place.id));
            let others: Vec<TermId> =
                self.conditions.iter().copied().filter(|&other| other != self.goal && depends(&other)).collect();
            let now = self.current(query, place);
            for value in by_preference(now, |value| value != now) {
                self.steps_left = self.steps_left.checked_sub(first.len())?;
                self.tape.set(place, u128::from(value));
                self.tape.run_only(&first);
                let solved = self.tape.holds(self.goal);
                let distance = self.distance();
                if !solved && distance.zip(nearest).is_none_or(|(distance, nearest)| distance >= nearest) {
                    continue;
                }
                self.steps_left = self.steps_left.checked_sub(rest.len())?;
                self.tape.run_only(&rest);
                if others.iter().all(|&condition| self.tape.holds(condition)) {
                    if solved {
                        self.change(place, value);
                        return Some(Round::Solved);
                    }
                    (nearest, best) = (distance, Some((place, value)));
                }
            }
            self.tape.set(place, u128::from(now));
            self.tape.run_only(&first);
            self.tape.run_only(&rest);
        }
        let Some((place, value)) = best else {
            return Some(Round::Stuck);
        };
        self.change(place, value);
        self.tape.set(place, u128::from(value));
        self.tape.run();
        Some(Round::Closer)
    }

    fn change(&mut self, place: Place, value: u8) {
        self.changed.retain(|(other, _)| other.id != place.id);
        self.changed.push((place, value));
    }
}

fn try_solve(cx: &SolveCx<'_>, query: &Query<'_>) -> Option<Model> {
    if query.prefix.len() > MAX_CONDITIONS {
        return None;
    }
    let conditions: Vec<TermId> = query.conditions().collect();
    let mut tape = Tape::new(cx.terms, &conditions);
    if tape.len() > MAX_TAPE {
        return None;
    }
    tape.set_all(query.parent.values);
    tape.run();
    let steps_left = if tape.is_nonlinear() { MAX_STEPS_NONLINEAR } else { MAX_STEPS };
    let mut search = Search { terms: cx.terms, goal: query.goal, conditions, tape, changed: Vec::new(), steps_left };
    for _ in 0..MAX_ROUNDS {
        match search.round(query)? {
            Round::Solved => {
                let values = search.changed.iter().map(|&(place, value)| (place.var, u64::from(value)));
                return Some(Model::new(values.collect()));
            }
            Round::Closer => {}
            Round::Stuck => return None,
        }
    }
    None
}

impl SolverLayer for Nudge {
    fn name(&self) -> &'static str {
        "nudge"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        if cx.budget.is_first() && !self.backoff.is_due() {
            return self.next.solve(cx, query);
        }
        let found = try_solve(cx, query);
        self.backoff.record(found.is_some());
        match found {
            Some(model) => Ok(Answer::Sat(model)),
            None => self.next.solve(cx, query),
        }
    }

    fn forget_terms(&mut self) {
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parent;
    use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, random_query, sat};
    use proptest::prelude::*;
    use symcrete_term::{Evaluator, Op, Terms};

    proptest! {
        /// Sat whenever one byte is enough; always with a model that holds.
        #[test]
        fn finds_whatever_one_byte_can_do(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            let settled = agrees_with_judge(&mut Nudge::new(Scripted::clueless().0), &terms, &conditions, &random.parent);
            let mut evaluator = Evaluator::new();
            let possible = (0..2).any(|at| {
                (0..=255u8).any(|value| {
                    let mut input: Input = random.parent.clone();
                    let used = conditions.iter().any(|&condition| {
                        terms.vars_of(condition).any(|id| terms.variable(id) == byte(at as u32))
                    });
                    let changes = input.0[at] != value;
                    input.0[at] = value;
                    evaluator.begin();
                    changes && used && conditions.iter().all(|&condition| evaluator.holds(&terms, condition, &input))
                })
            });
            prop_assert!(settled || !possible);
        }
    }

    #[test]
    fn a_number_is_reached_digit_by_digit() {
        let mut terms = Terms::new();
        let mut number = terms.constant(32, 0);
        let mut prefix = Vec::new();
        for at in 0..5 {
            let digit = terms.var(byte(at));
            let (zero, nine, ten) =
                (terms.constant(8, u128::from(b'0')), terms.constant(8, u128::from(b'9')), terms.constant(32, 10));
            prefix.extend([terms.ule(zero, digit), terms.ule(digit, nine)]);
            let value = terms.sub(digit, zero);
            let (value, shifted) = (terms.zext(value, 32), terms.mul(number, ten));
            number = terms.add(shifted, value);
        }
        let k = terms.constant(32, 90_210);
        let goal = terms.eq(number, k);
        let parent = Input(b"31415".to_vec());
        let query = Query { prefix: &prefix, goal, parent: Parent { run: 1, values: &parent } };
        let Ok(Answer::Sat(model)) = ask(&mut Nudge::new(Scripted::clueless().0), &terms, &query) else {
            panic!("not found");
        };
        let text: Vec<u8> =
            (0..5).map(|at| model.get(byte(at)).map_or(parent.0[at as usize], |value| value as u8)).collect();
        assert_eq!(text, b"90210");
    }

    #[test]
    fn a_float_computed_from_one_digit_is_reached() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var(byte(0)), terms.var(byte(1)));
        let float = |terms: &mut Terms, x| terms.apply(Op::UiToF, 64, &[x]);
        let (fx, fy) = (float(&mut terms, x), float(&mut terms, y));
        let product = terms.apply(Op::FMul, 64, &[fx, fy]);
        let k = terms.constant(64, u128::from(600f64.to_bits()));
        let goal = terms.apply(Op::FOeq, 1, &[product, k]);
        let parent = Input(vec![20, 7]);
        let query = Query { prefix: &[], goal, parent: Parent { run: 1, values: &parent } };
        let answer = ask(&mut Nudge::new(Scripted::clueless().0), &terms, &query);
        assert_eq!(answer, Ok(sat(&[(byte(1), 30)])));
    }
}
