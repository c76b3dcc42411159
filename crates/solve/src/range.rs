//! Conditions that only compare one number of the input with constants: `k < len`, `x == 0xdeadbeef`. The number is
//! a length, or a word made of whole input bytes, seen through additions, extensions and the like. Whatever else is
//! computed from it is tried out where few of its values are left. Every set is exact, so both verdicts are; anything
//! it does not recognise goes to the next layer.

use symcrete_term::{TermId, Terms};

use crate::few::{Few, Window};
use crate::intervals::Intervals;
use crate::layer::{SolveCx, SolverLayer};
use crate::shape::{Shape, shape_of};
use crate::word::{assign, word_value};
use crate::{Answer, Core, Fault, Model, Query};

/// Numbers compared in one query; more than one happens only when the query was not sliced.
const MAX_WORDS: usize = 8;

pub(crate) struct Range {
    /// What is known of conditions met so far; `None`: not of this kind.
    shapes: Vec<Option<Shape>>,
    /// The number of a condition among them, from 1, by term; 0: not met yet.
    numbers: Vec<u32>,
    few: Few,
    next: Box<dyn SolverLayer>,
}

/// One number that the query compares: the values that are left, and the conditions that left no others.
struct Word {
    term: TermId,
    left: Intervals,
    core: Vec<TermId>,
}

impl Word {
    /// Keeps what a condition allows; unsat when nothing is left.
    fn narrow(&mut self, condition: TermId, set: &Intervals) -> Option<Answer> {
        if set.covers(&self.left) {
            return None;
        }
        // Only what narrowed the set is needed to explain that nothing is left.
        self.left = self.left.intersect(set);
        self.core.push(condition);
        self.left.is_empty().then(|| Answer::Unsat(Core { conditions: std::mem::take(&mut self.core) }))
    }
}

impl Range {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Range {
        Range { shapes: Vec::new(), numbers: Vec::new(), few: Few::default(), next }
    }

    fn shape(&mut self, terms: &Terms, condition: TermId) -> Option<&Shape> {
        if condition.index() >= self.numbers.len() {
            self.numbers.resize(terms.len(), 0);
        }
        let number = &mut self.numbers[condition.index()];
        if *number == 0 {
            self.shapes.push(shape_of(terms, condition, &mut |term| terms.as_constant(term)));
            *number = self.shapes.len() as u32;
        }
        self.shapes[*number as usize - 1].as_ref()
    }

    fn try_solve(&mut self, cx: &SolveCx<'_>, query: &Query<'_>) -> Option<Answer> {
        let terms = cx.terms;
        let mut words: Vec<Word> = Vec::new();
        let mut others: Vec<TermId> = Vec::new();
        let mut complete = true;
        for condition in query.conditions() {
            let Some(&Shape { word, ref set }) = self.shape(terms, condition) else {
                if condition != TermId::TRUE {
                    others.push(condition);
                }
                continue;
            };
            let at = match words.iter().position(|known| known.term == word) {
                Some(at) => at,
                None if words.len() == MAX_WORDS => {
                    complete = false;
                    continue;
                }
                None => {
                    words.push(Word { term: word, left: Intervals::full(terms.width(word)), core: Vec::new() });
                    words.len() - 1
                }
            };
            if let Some(unsat) = words[at].narrow(condition, set) {
                return Some(unsat);
            }
        }
        let windows: Vec<Option<Window>> = words.iter().map(|word| Window::around(&word.left)).collect();
        for condition in others {
            let of_word =
                |word: &Word| terms.vars_of(condition).all(|var| terms.var_sets().contains(terms.vars(word.term), var));
            let allowed = words
                .iter()
                .position(of_word)
                .and_then(|at| Some((at, self.few.allowed(terms, condition, words[at].term, windows[at]?)?)));
            match allowed {
                Some((at, set)) => {
                    if let Some(unsat) = words[at].narrow(condition, &set) {
                        return Some(unsat);
                    }
                }
                None => complete = false,
            }
        }
        if !complete || words.iter().enumerate().any(|(at, word)| overlaps(terms, word.term, &words[..at])) {
            return None;
        }
        let mut values = Vec::new();
        for word in &words {
            let wish = word_value(terms, word.term, query.parent.values);
            assign(terms, word.term, word.left.nearest(wish)?, &mut values);
        }
        Some(Answer::Sat(Model::new(values)))
    }
}

fn overlaps(terms: &Terms, word: TermId, others: &[Word]) -> bool {
    others.iter().any(|other| terms.var_sets().intersects(terms.vars(word), terms.vars(other.term)))
}

impl SolverLayer for Range {
    fn name(&self) -> &'static str {
        "range"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        match self.try_solve(cx, query) {
            Some(answer) => Ok(answer),
            None => self.next.solve(cx, query),
        }
    }

    fn forget_terms(&mut self) {
        self.shapes.clear();
        self.numbers.clear();
        self.few.forget_terms();
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, random_query};
    use crate::{Bitwuzla, Parent};
    use proptest::prelude::*;
    use symcrete_term::{Op, Var};

    proptest! {
        #[test]
        fn says_only_what_is_so(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            agrees_with_judge(&mut Range::new(Scripted::clueless().0), &terms, &conditions, &random.parent);
        }

        /// Comparisons of one word, seen through what the layer knows: always settled, and as trying everything says.
        #[test]
        fn comparisons_of_a_word_never_need_the_core(
            steps in prop::collection::vec((0u8..8, any::<u16>(), 0u8..6, any::<bool>()), 1..6),
            parent in prop::collection::vec(any::<u8>(), 2),
        ) {
            let mut terms = Terms::new();
            let bytes = [terms.var(byte(0)), terms.var(byte(1))];
            let word = terms.word(&bytes);
            let conditions: Vec<TermId> = steps.iter().map(|&step| comparison(&mut terms, word, step)).collect();
            let (core, asked) = Scripted::clueless();
            let settled = agrees_with_judge(&mut Range::new(core), &terms, &conditions, &Input(parent));
            let constant = conditions.iter().any(|&condition| terms.vars(condition).is_empty());
            prop_assert!(settled || constant || rewritten(&terms, &conditions, word));
            prop_assert_eq!(settled, asked.lock().unwrap().is_empty());
        }

        /// Lengths are too wide to try: the core judges.
        #[test]
        fn lengths_are_settled_as_the_core_settles_them(
            bounds in prop::collection::vec((0u8..8, 0u16..300, 0u8..6, any::<bool>()), 1..12),
            bytes in 0usize..300,
        ) {
            let mut terms = Terms::new();
            let length = terms.var(Var::Length { object: 0 });
            let conditions: Vec<TermId> = bounds.iter().map(|&step| comparison(&mut terms, length, step)).collect();
            let (&goal, prefix) = conditions.split_last().unwrap();
            let parent = Input(vec![0; bytes]);
            let query = Query { prefix, goal, parent: Parent { run: 1, values: &parent } };
            let ours = ask(&mut crate::check::Check::new(Box::new(Range::new(Scripted::clueless().0))), &terms, &query).unwrap();
            let theirs = ask(&mut Bitwuzla::new(), &terms, &query).unwrap();
            match (&ours, &theirs) {
                (Answer::Unknown(_), _) => prop_assert!(rewritten(&terms, &conditions, length)),
                _ => prop_assert_eq!(matches!(ours, Answer::Sat(_)), matches!(theirs, Answer::Sat(_))),
            }
        }
    }

    /// The rules may have turned a comparison into something this layer does not know (or a constant).
    fn rewritten(terms: &Terms, conditions: &[TermId], word: TermId) -> bool {
        conditions.iter().any(|&condition| {
            condition != TermId::TRUE
                && shape_of(terms, condition, &mut |term| terms.as_constant(term))
                    .is_none_or(|shape| shape.word != word)
        })
    }

    fn comparison(terms: &mut Terms, word: TermId, (op, number, wrap, swap): (u8, u16, u8, bool)) -> TermId {
        let width = terms.width(word);
        let small = terms.constant(width, u128::from(number % 7 + 1));
        let value = match wrap {
            0 => word,
            1 => terms.add(word, small),
            2 => terms.sub(small, word),
            3 => terms.zext(word, width + 9),
            4 => terms.sext(word, width + 9),
            _ => terms.udiv(word, small),
        };
        let constant = terms.constant(terms.width(value), u128::from(number));
        let (a, b) = if swap { (constant, value) } else { (value, constant) };
        match op {
            0 => terms.eq(a, b),
            1 => terms.ne(a, b),
            2 => terms.ult(a, b),
            3 => terms.ule(a, b),
            4 => terms.slt(a, b),
            5 => terms.sle(a, b),
            6 => terms.binary(Op::UAddO, a, b),
            _ => terms.binary(Op::USubO, a, b),
        }
    }

    #[test]
    fn hundreds_of_bounds_on_a_length_are_one_interval() {
        let mut terms = Terms::new();
        let length = terms.var(Var::Length { object: 3 });
        let prefix: Vec<TermId> = (0..500u128)
            .map(|k| {
                let k = terms.constant(64, k);
                terms.ult(k, length)
            })
            .collect();
        let (core, asked) = Scripted::clueless();
        let mut layer = Range::new(core);
        let bound = terms.constant(64, 501);
        for (goal, expected) in [(terms.ult(length, bound), true), (terms.eq(length, bound), true), {
            let bound = terms.constant(64, 500);
            (terms.ult(length, bound), false)
        }] {
            let answer = ask(&mut layer, &terms, &Query { prefix: &prefix, goal, parent: Parent::none() }).unwrap();
            assert_eq!(matches!(answer, Answer::Sat(_)), expected, "{answer:?}");
        }
        assert!(asked.lock().unwrap().is_empty());
    }
}
