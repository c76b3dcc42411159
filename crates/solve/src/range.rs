//! Conditions that only compare one number of the input with constants: `k < len`, `x == 0xdeadbeef`. The number is
//! a length, or a word made of whole input bytes, seen through additions, extensions and the like. Every set is
//! exact, so both verdicts are; anything it does not recognise goes to the next layer.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use symcrete_term::bits::mask;
use symcrete_term::{Assignment, Op, Term, TermId, Terms, Var};

use crate::intervals::Intervals;
use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Core, Fault, Model, Query};

/// How deep conjunctions and disjunctions are looked into.
const DEPTH: u32 = 8;
/// A condition with more intervals than this is left to others.
const MAX_PARTS: usize = 64;
/// Numbers compared in one query; more than one happens only when the query was not sliced.
const MAX_WORDS: usize = 8;

/// The values of a word for which a condition holds.
#[derive(Clone)]
struct Shape {
    word: TermId,
    set: Arc<Intervals>,
}

pub(crate) struct Range {
    /// What is known of conditions met so far; `None`: not of this kind.
    shapes: FxHashMap<TermId, Option<Shape>>,
    next: Box<dyn SolverLayer>,
}

impl Range {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Range {
        Range {
            shapes: FxHashMap::default(),
            next,
        }
    }

    fn shape(&mut self, terms: &Terms, condition: TermId) -> Option<Shape> {
        self.shapes
            .entry(condition)
            .or_insert_with(|| shape_of(terms, condition, DEPTH))
            .clone()
    }

    fn try_solve(&mut self, cx: &SolveCx<'_>, query: &Query<'_>) -> Option<Answer> {
        let terms = cx.terms;
        let mut words: Vec<(TermId, Intervals, Vec<TermId>)> = Vec::new();
        let mut complete = true;
        for condition in query.conditions() {
            let Some(Shape { word, set }) = self.shape(terms, condition) else {
                complete &= condition == TermId::TRUE;
                continue;
            };
            let at = match words.iter().position(|(known, ..)| *known == word) {
                Some(at) => at,
                None if words.len() == MAX_WORDS => {
                    complete = false;
                    continue;
                }
                None => {
                    words.push((word, Intervals::full(terms.width(word)), Vec::new()));
                    words.len() - 1
                }
            };
            let (_, left, core) = &mut words[at];
            let narrowed = left.intersect(&set);
            // Only what narrowed the set is needed to explain that nothing is left.
            if narrowed != *left {
                core.push(condition);
                *left = narrowed;
            }
            if left.is_empty() {
                return Some(Answer::Unsat(Core {
                    conditions: std::mem::take(core),
                }));
            }
        }
        if !complete
            || words
                .iter()
                .enumerate()
                .any(|(at, (word, ..))| overlaps(terms, *word, &words[..at]))
        {
            return None;
        }
        let mut values = Vec::new();
        for (word, set, _) in &words {
            let wish = word_value(terms, *word, query.parent.values);
            assign(terms, *word, set.nearest(wish)?, &mut values);
        }
        Some(Answer::Sat(Model::new(values)))
    }
}

fn overlaps(terms: &Terms, word: TermId, others: &[(TermId, Intervals, Vec<TermId>)]) -> bool {
    others.iter().any(|(other, ..)| {
        terms
            .var_sets()
            .intersects(terms.vars(word), terms.vars(*other))
    })
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
        self.next.forget_terms();
    }
}

/// The word a condition is about and the values that make it true.
fn shape_of(terms: &Terms, condition: TermId, depth: u32) -> Option<Shape> {
    let depth = depth.checked_sub(1)?;
    let Term::Apply(op, args) = terms.get(condition) else {
        return None;
    };
    let &[a, b] = args else { return None };
    let shape = if terms.width(a) == 1 {
        match op {
            Op::Xor | Op::Ne if b == TermId::TRUE => opposite(shape_of(terms, a, depth)?),
            Op::Eq if b == TermId::FALSE => opposite(shape_of(terms, a, depth)?),
            Op::And => joined(
                shape_of(terms, a, depth)?,
                shape_of(terms, b, depth)?,
                Intervals::intersect,
            )?,
            Op::Or => joined(
                shape_of(terms, a, depth)?,
                shape_of(terms, b, depth)?,
                Intervals::union,
            )?,
            _ => return None,
        }
    } else {
        let width = terms.width(a);
        let (value, set) = match (terms.as_constant(a), terms.as_constant(b)) {
            (None, Some(k)) => (a, compared_with(op, width, k)?),
            (Some(k), None) => (b, compared_by(op, width, k)?),
            _ => return None,
        };
        see_through(terms, value, set)?
    };
    (shape.set.parts() <= MAX_PARTS).then_some(shape)
}

fn opposite(shape: Shape) -> Shape {
    Shape {
        set: Arc::new(shape.set.complement()),
        ..shape
    }
}

fn joined(a: Shape, b: Shape, join: fn(&Intervals, &Intervals) -> Intervals) -> Option<Shape> {
    (a.word == b.word).then(|| Shape {
        word: a.word,
        set: Arc::new(join(&a.set, &b.set)),
    })
}

/// All `x` with `x op k`.
fn compared_with(op: Op, width: u8, k: u128) -> Option<Intervals> {
    Some(match op {
        Op::Eq => Intervals::around(width, k, k),
        Op::Ne => Intervals::around(width, k, k).complement(),
        Op::Ult => Intervals::below(width, k),
        Op::Ule => Intervals::around(width, 0, k),
        Op::Slt => Intervals::signed_below(width, k),
        Op::Sle => compared_by(Op::Slt, width, k)?.complement(),
        Op::UAddO if k == 0 => Intervals::empty(width),
        Op::UAddO => Intervals::below(width, k.wrapping_neg() & mask(width)).complement(),
        Op::USubO => Intervals::below(width, k),
        _ => return None,
    })
}

/// All `x` with `k op x`.
fn compared_by(op: Op, width: u8, k: u128) -> Option<Intervals> {
    Some(match op {
        Op::Eq | Op::Ne | Op::UAddO => compared_with(op, width, k)?,
        Op::Ult => Intervals::around(width, 0, k).complement(),
        Op::Ule => Intervals::below(width, k).complement(),
        Op::Slt => Intervals::signed_below(width, k)
            .union(&Intervals::around(width, k, k))
            .complement(),
        Op::Sle => Intervals::signed_below(width, k).complement(),
        Op::USubO => Intervals::around(width, 0, k).complement(),
        _ => return None,
    })
}

/// From the values allowed for a term to the values allowed for the word it is computed from.
fn see_through(terms: &Terms, mut term: TermId, mut set: Intervals) -> Option<Shape> {
    loop {
        if is_word(terms, term) {
            return Some(Shape {
                word: term,
                set: Arc::new(set),
            });
        }
        let Term::Apply(op, args) = terms.get(term) else {
            return None;
        };
        let constant = |at: usize| args.get(at).and_then(|&arg| terms.as_constant(arg));
        let width = terms.width(term);
        (term, set) = match (op, constant(0), constant(1)) {
            (Op::Add, None, Some(k)) => (args[0], set.before_add(k)),
            (Op::Add, Some(k), None) => (args[1], set.before_add(k)),
            (Op::Sub, None, Some(k)) => (args[0], set.before_add(k.wrapping_neg() & mask(width))),
            (Op::Sub, Some(k), None) => (args[1], set.before_subtracted_from(k)),
            (Op::Xor, None, Some(k)) if k == mask(width) => {
                (args[0], set.before_subtracted_from(k))
            }
            (Op::LShr, None, Some(k)) if k < u128::from(width) => {
                (args[0], set.before_division(1 << k))
            }
            (Op::UDiv, None, Some(k)) if k != 0 => (args[0], set.before_division(k)),
            (Op::ZExt, None, _) => (args[0], set.before_zero_extension(terms.width(args[0]))),
            (Op::SExt, None, _) => (args[0], set.before_sign_extension(terms.width(args[0]))),
            _ => return None,
        };
    }
}

/// A variable, or several different ones side by side: every value is possible.
fn is_word(terms: &Terms, term: TermId) -> bool {
    let mut leaves = 0;
    let all_variables = each_leaf(terms, term, |_, _| leaves += 1);
    all_variables && leaves == terms.var_sets().len(terms.vars(term))
}

/// Visits the variables of a word with the bit where each begins; false when something else is in it.
fn each_leaf(terms: &Terms, term: TermId, mut visit: impl FnMut(Var, u8)) -> bool {
    if terms.width(term) > 64 {
        return false;
    }
    let mut stack = vec![(term, 0u8)];
    while let Some((term, low)) = stack.pop() {
        match terms.get(term) {
            Term::Variable(_, var) => visit(var, low),
            Term::Apply(Op::Concat, &[high, rest]) => {
                stack.push((high, low + terms.width(rest)));
                stack.push((rest, low));
            }
            _ => return false,
        }
    }
    true
}

fn word_value(terms: &Terms, word: TermId, inputs: &dyn Assignment) -> u128 {
    let mut value = 0;
    each_leaf(terms, word, |var, low| {
        if let Some(id) = terms.var_id(var) {
            value |= (inputs.value(id, var) & mask(var.width())) << low;
        }
    });
    value
}

fn assign(terms: &Terms, word: TermId, value: u128, into: &mut Vec<(Var, u64)>) {
    each_leaf(terms, word, |var, low| {
        into.push((var, (value >> low & mask(var.width())) as u64))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, random_query};
    use crate::{Bitwuzla, Parent};
    use proptest::prelude::*;

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
                && shape_of(terms, condition, DEPTH).is_none_or(|shape| shape.word != word)
        })
    }

    fn comparison(
        terms: &mut Terms,
        word: TermId,
        (op, number, wrap, swap): (u8, u16, u8, bool),
    ) -> TermId {
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
        let (a, b) = if swap {
            (constant, value)
        } else {
            (value, constant)
        };
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
        for (goal, expected) in [
            (terms.ult(length, bound), true),
            (terms.eq(length, bound), true),
            {
                let bound = terms.constant(64, 500);
                (terms.ult(length, bound), false)
            },
        ] {
            let answer = ask(
                &mut layer,
                &terms,
                &Query {
                    prefix: &prefix,
                    goal,
                    parent: Parent::none(),
                },
            )
            .unwrap();
            assert_eq!(matches!(answer, Answer::Sat(_)), expected, "{answer:?}");
        }
        assert!(asked.lock().unwrap().is_empty());
    }
}
