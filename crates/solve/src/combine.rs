//! Tries combinations of values: inputs get theirs one after the other, and each condition is looked at as soon as all
//! its inputs have one, the cheapest first. So most combinations are never made. Exact when it comes to an end; how many
//! evaluations that may take is the caller's choice. Knows nothing of queries.

use symcrete_term::{TermId, Terms, VarId};

use crate::tape::{Place, Tape};

/// One input and the values it may have, most welcome first.
pub(crate) struct Choices {
    pub(crate) var: VarId,
    pub(crate) values: Vec<u8>,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A value for each input, in the order they were given.
    Found(Vec<u8>),
    /// There is none. With these conditions alone, and the values allowed for their inputs, there is none either.
    Impossible(Vec<TermId>),
    TooMany,
}

/// Steps to run when an input has got its value, and what they decide.
struct Check {
    condition: TermId,
    steps: Vec<u32>,
    has_failed: bool,
}

/// One input in the order in which they get values.
struct Level {
    /// Its number among those the caller gave.
    number: usize,
    /// Where it lies on the tape; none when no condition has it.
    place: Option<Place>,
    checks: Vec<Check>,
    picked: usize,
}

pub(crate) struct Combine {
    tape: Tape,
    choices: Vec<Choices>,
    levels: Vec<Level>,
}

impl Combine {
    /// Conditions that have to hold together; inputs of the first one get their values first.
    pub(crate) fn new(terms: &Terms, conditions: &[TermId], choices: Vec<Choices>) -> Combine {
        let tape = Tape::new(terms, conditions);
        let levels = order(terms, conditions, &choices)
            .into_iter()
            .map(|number| {
                let place = tape.variables().iter().find(|place| place.id == choices[number].var).copied();
                Level { number, place, checks: Vec::new(), picked: 0 }
            })
            .collect();
        let mut combine = Combine { tape, choices, levels };
        combine.lay_out(terms, conditions);
        combine
    }

    /// Each step goes to the last input it depends on, there to the first condition that needs it.
    fn lay_out(&mut self, terms: &Terms, conditions: &[TermId]) {
        let variables: Vec<VarId> = self.levels.iter().map(|level| self.choices[level.number].var).collect();
        let level_of = |var: VarId| variables.iter().position(|&other| other == var).unwrap_or(0);
        let last_of: Vec<u32> = self.tape.greatest(|var| level_of(var) as u32);
        let last = |condition: TermId| terms.vars_of(condition).map(level_of).max().unwrap_or(0);
        let needed: Vec<Vec<u32>> = conditions.iter().map(|&condition| self.tape.needed(condition)).collect();
        let mut cheapest: Vec<usize> = (0..conditions.len()).collect();
        cheapest.sort_by_key(|&at| needed[at].len());
        let mut is_taken = vec![false; self.tape.len()];
        // A condition waits for its last input; what several need is done once.
        for (at, level) in self.levels.iter_mut().enumerate() {
            for &number in cheapest.iter().filter(|&&number| last(conditions[number]) == at) {
                let mut steps = Vec::new();
                for &step in &needed[number] {
                    if last_of[step as usize] as usize == at && !std::mem::replace(&mut is_taken[step as usize], true) {
                        steps.push(step);
                    }
                }
                level.checks.push(Check { condition: conditions[number], steps, has_failed: false });
            }
        }
        // What a later condition needs of earlier inputs only is computed where those get their values.
        for &number in &cheapest {
            for &step in &needed[number] {
                if !std::mem::replace(&mut is_taken[step as usize], true) {
                    let level = &mut self.levels[last_of[step as usize] as usize];
                    if level.checks.last().is_none_or(|check| check.condition != TermId::TRUE) {
                        level.checks.push(Check { condition: TermId::TRUE, steps: Vec::new(), has_failed: false });
                    }
                    level.checks.last_mut().expect("just made").steps.push(step);
                }
            }
        }
        for level in &mut self.levels {
            for check in &mut level.checks {
                check.steps.sort_unstable();
            }
        }
    }

    /// Evaluations that are enough in any case; `None`: beyond counting.
    pub(crate) fn most_steps(&self) -> Option<usize> {
        let (mut combinations, mut sum) = (1usize, 0usize);
        for level in &self.levels {
            combinations = combinations.checked_mul(self.choices[level.number].values.len())?;
            let steps = level.checks.iter().map(|check| check.steps.len() + 1).sum::<usize>();
            sum = sum.checked_add(combinations.checked_mul(steps)?)?;
        }
        Some(sum)
    }

    /// Steps of one evaluation of everything.
    pub(crate) fn steps(&self) -> usize {
        self.tape.len()
    }

    /// Goes through the combinations, with no more than so many steps.
    pub(crate) fn search(mut self, mut steps_left: usize) -> Outcome {
        let Combine { tape, choices, levels } = &mut self;
        let mut at = 0;
        loop {
            if at == levels.len() {
                let mut values = vec![0; levels.len()];
                for level in levels {
                    values[level.number] = choices[level.number].values[level.picked];
                }
                return Outcome::Found(values);
            }
            let level = &mut levels[at];
            if let Some(&value) = choices[level.number].values.get(level.picked) {
                if let Some(place) = level.place {
                    tape.set(place, u128::from(value));
                }
                let mut fits = true;
                for check in &mut level.checks {
                    let Some(left) = steps_left.checked_sub(check.steps.len() + 1) else { return Outcome::TooMany };
                    steps_left = left;
                    tape.run_only(&check.steps);
                    if check.condition != TermId::TRUE && !tape.holds(check.condition) {
                        check.has_failed = true;
                        fits = false;
                        break;
                    }
                }
                if fits {
                    at += 1;
                } else {
                    level.picked += 1;
                }
                continue;
            }
            // No value is left for this input: another one for the input before.
            level.picked = 0;
            if at == 0 {
                let failed = levels.iter().flat_map(|level| &level.checks).filter(|check| check.has_failed);
                return Outcome::Impossible(failed.map(|check| check.condition).collect());
            }
            at -= 1;
            levels[at].picked += 1;
        }
    }
}

/// Inputs of the first condition first, the one with most choices last; then always the one that comes with least work.
fn order(terms: &Terms, conditions: &[TermId], choices: &[Choices]) -> Vec<usize> {
    let has = |condition: TermId, number: usize| terms.var_sets().contains(terms.vars(condition), choices[number].var);
    let mut open: Vec<usize> = (0..choices.len()).collect();
    open.sort_by_key(|&number| choices[number].values.len());
    let (mut order, mut rest): (Vec<usize>, Vec<usize>) =
        open.into_iter().partition(|&number| conditions.first().is_some_and(|&first| has(first, number)));
    while !rest.is_empty() {
        // How many conditions are decided once this input has a value, among those that wait for nobody else.
        let decided = |number: usize| {
            let waits = |&&condition: &&TermId| {
                has(condition, number) && rest.iter().all(|&other| other == number || !has(condition, other))
            };
            conditions.iter().filter(waits).count()
        };
        let best = (0..rest.len())
            .min_by_key(|&at| (std::cmp::Reverse(decided(rest[at]).min(1)), choices[rest[at]].values.len()));
        order.push(rest.remove(best.expect("not empty")));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, byte, random_query};
    use proptest::prelude::*;
    use symcrete_term::Evaluator;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        /// Against trying every combination of the allowed values with the evaluator.
        #[test]
        fn says_what_trying_everything_says(
            random in random_query(),
            allowed in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..20), 2),
        ) {
            let mut terms = Terms::new();
            let conditions: Vec<TermId> = random.build(&mut terms);
            let choices = || (0..2u32).filter_map(|at| {
                Some(Choices { var: terms.var_id(byte(at))?, values: allowed[at as usize].clone() })
            });
            let combine = Combine::new(&terms, &conditions, choices().collect());
            let most = combine.most_steps().unwrap() + combine.steps();
            let holds = |conditions: &[TermId], first: u8, second: u8| {
                let mut evaluator = Evaluator::new();
                conditions.iter().all(|&condition| evaluator.holds(&terms, condition, &Input(vec![first, second])))
            };
            let possible = |conditions: &[TermId]| {
                allowed[0].iter().any(|&first| allowed[1].iter().any(|&second| holds(conditions, first, second)))
            };
            match combine.search(most) {
                Outcome::Found(values) => prop_assert!(holds(&conditions, values[0], values[1])),
                Outcome::Impossible(core) => {
                    prop_assert!(!possible(&conditions));
                    prop_assert!(!possible(&core), "the part said to be impossible is possible");
                }
                Outcome::TooMany => prop_assert!(false, "more than {} steps", most),
            }
            let few = Combine::new(&terms, &conditions, choices().collect()).search(3);
            if let Outcome::Impossible(_) = few {
                prop_assert!(!possible(&conditions));
            }
        }
    }

    /// Ten bytes, each one more than the one before: a million million combinations, few of them made.
    #[test]
    fn conditions_cut_combinations_short() {
        let mut terms = Terms::new();
        let bytes: Vec<TermId> = (0..10).map(|at| terms.var(byte(at))).collect();
        let one = terms.constant(8, 1);
        let conditions: Vec<TermId> = bytes
            .windows(2)
            .map(|pair| {
                let next = terms.add(pair[0], one);
                terms.eq(next, pair[1])
            })
            .rev()
            .collect();
        let choices = |most: u8| -> Vec<Choices> {
            let values = (1..=most).collect::<Vec<u8>>();
            (0..10).map(|at| Choices { var: terms.var_id(byte(at)).unwrap(), values: values.clone() }).collect()
        };
        let found = Combine::new(&terms, &conditions, choices(16)).search(10_000);
        let Outcome::Found(values) = found else { panic!("{found:?}") };
        assert!(values.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{values:?}");
        assert!(matches!(Combine::new(&terms, &conditions, choices(9)).search(10_000), Outcome::Impossible(_)));
        assert_eq!(Combine::new(&terms, &conditions, choices(16)).search(10), Outcome::TooMany);
    }
}
