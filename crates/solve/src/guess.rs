//! Moves one word of the input and leaves everything else at the parent's values. For conditions that compare the word
//! with something else, what may be moved where is known exactly; whatever other conditions say is tried out. Says sat
//! or nothing.

use symcrete_term::{Op, Term, TermId, Terms};

use crate::intervals::Intervals;
use crate::layer::{SolveCx, SolverLayer};
use crate::shape::shape_of;
use crate::word::{assign, is_word, word_value};
use crate::{Answer, Fault, Model, Query};

/// Words of the goal that are looked at.
const MAX_WORDS: usize = 8;
/// Terms of the goal that are looked at when searching for words.
const MAX_TERMS: usize = 64;

pub(crate) struct Guess {
    next: Box<dyn SolverLayer>,
}

impl Guess {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Guess {
        Guess { next }
    }
}

/// The largest words the goal is computed from, those nearest to its surface first.
fn words_of(terms: &Terms, goal: TermId) -> Vec<TermId> {
    let (mut words, mut queue, mut at) = (Vec::new(), vec![goal], 0);
    while at < queue.len() && at < MAX_TERMS && words.len() < MAX_WORDS {
        let term = queue[at];
        at += 1;
        if terms.vars(term).is_empty() {
            continue;
        }
        if is_word(terms, term) {
            words.push(term);
        } else if let Term::Apply(op, args) = terms.get(term) {
            // A select by a known condition is the value it selects; both are worth a look.
            let from = usize::from(op == Op::Select);
            queue.extend(args[from..].iter().copied().filter(|arg| !queue.contains(arg)).collect::<Vec<_>>());
        }
    }
    words
}

/// The values of a word for which all comparisons in the query hold, everything else being as in the parent.
fn allowed(cx: &mut SolveCx<'_>, query: &Query<'_>, word: TermId) -> Option<Intervals> {
    let terms = cx.terms;
    let vars = terms.vars(word);
    let mut set = Intervals::full(terms.width(word));
    cx.evaluator.begin();
    for condition in query.conditions() {
        if !terms.var_sets().intersects(terms.vars(condition), vars) {
            continue;
        }
        let mut unmoved = |term: TermId| {
            let fixed = !terms.var_sets().intersects(terms.vars(term), vars);
            fixed.then(|| cx.evaluator.eval(terms, term, query.parent.values))
        };
        match shape_of(terms, condition, &mut unmoved) {
            Some(shape) if shape.word == word => set = set.intersect(&shape.set),
            // The goal has to change; without knowing how, moving the word is a shot in the dark.
            _ if condition == query.goal => return None,
            _ => {}
        }
        if set.is_empty() {
            return None;
        }
    }
    Some(set)
}

fn holds(cx: &mut SolveCx<'_>, query: &Query<'_>, model: &Model) -> bool {
    let values = model.over(query.parent.values);
    cx.evaluator.begin();
    query.conditions().all(|condition| cx.evaluator.holds(cx.terms, condition, &values))
}

impl SolverLayer for Guess {
    fn name(&self) -> &'static str {
        "guess"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        for word in words_of(cx.terms, query.goal) {
            let Some(set) = allowed(cx, query, word) else {
                continue;
            };
            let wish = word_value(cx.terms, word, query.parent.values);
            let mut tried = Vec::new();
            for value in [set.nearest(wish), set.nearest(0), set.furthest_from(wish)].into_iter().flatten() {
                if tried.contains(&value) {
                    continue;
                }
                tried.push(value);
                let mut values = Vec::new();
                assign(cx.terms, word, value, &mut values);
                let model = Model::new(values);
                if holds(cx, query, &model) {
                    return Ok(Answer::Sat(model));
                }
            }
        }
        self.next.solve(cx, query)
    }

    fn forget_terms(&mut self) {
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parent;
    use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, random_query};
    use proptest::prelude::*;
    use symcrete_term::Evaluator;

    proptest! {
        #[test]
        fn says_only_what_is_so(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            agrees_with_judge(&mut Guess::new(Scripted::clueless().0), &terms, &conditions, &random.parent);
        }

        /// An order of four 16-bit words, one pair of it reversed: whenever moving one of the two words is enough,
        /// it is found.
        #[test]
        fn moves_a_word_past_another(values in prop::array::uniform4(any::<u16>()), pick in 0usize..6) {
            let mut terms = Terms::new();
            let words: Vec<TermId> = (0..4)
                .map(|word| {
                    let bytes = [terms.var(byte(2 * word)), terms.var(byte(2 * word + 1))];
                    terms.word(&bytes)
                })
                .collect();
            let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let mut decided = |at: usize| {
                let (a, b): (usize, usize) = pairs[at];
                let less = terms.slt(words[a], words[b]);
                if (values[a] as i16) < values[b] as i16 { less } else { terms.not(less) }
            };
            let prefix: Vec<TermId> = (0..pick).map(&mut decided).collect();
            let taken = decided(pick);
            let goal = terms.not(taken);
            let parent = Input(values.iter().flat_map(|value| value.to_le_bytes()).collect());
            let query = Query { prefix: &prefix, goal, parent: Parent { run: 1, values: &parent } };
            let answer = ask(&mut Guess::new(Scripted::clueless().0), &terms, &query).unwrap();
            let mut evaluator = Evaluator::new();
            let mut works = |input: &Input| {
                evaluator.begin();
                query.conditions().all(|condition| evaluator.holds(&terms, condition, input))
            };
            let (a, b) = pairs[pick];
            let possible = [a, b].into_iter().any(|word| {
                (0..=u16::MAX).any(|value| {
                    let mut input = parent.clone();
                    input.0[2 * word..2 * word + 2].copy_from_slice(&value.to_le_bytes());
                    works(&input)
                })
            });
            match answer {
                Answer::Sat(model) => {
                    let mut input = parent.clone();
                    for (at, slot) in input.0.iter_mut().enumerate() {
                        *slot = model.get(byte(at as u32)).map_or(*slot, |value| value as u8);
                    }
                    prop_assert!(works(&input));
                }
                _ => prop_assert!(!possible),
            }
        }
    }
}
