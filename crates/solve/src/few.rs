//! Conditions over a word of which few values are left: which of these values make them true, found by evaluating each
//! once and remembered. So a length that is known to be below a thousand needs no reasoning about what is computed from
//! it. Exact within the window it speaks of; says nothing about other values, and settles no query by itself.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use symcrete_term::{Evaluator, TermId, Terms, Var};

use crate::intervals::Intervals;
use crate::word::assign;

/// Windows hold 2 to the power of at least and at most so many values. Few different sizes: what is remembered for one
/// window is of no use for another.
const LEAST_BITS: u32 = 8;
const MOST_BITS: u32 = 12;
/// Terms a condition may be made of, times the values to try.
const MAX_EVALUATIONS: usize = 32_000;
/// Intervals that are remembered in all, about 32 MB of them; then everything begins anew.
const MAX_KEPT: usize = 1 << 20;

/// An aligned range of values: the same for queries that leave slightly different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Window {
    base: u128,
    bits: u32,
}

impl Window {
    /// The smallest one around a set; `None`: too large.
    pub(crate) fn around(set: &Intervals) -> Option<Window> {
        let (low, high) = (set.all().first()?.0, set.all().last()?.1);
        let bits = (u128::BITS - (low ^ high).leading_zeros()).max(LEAST_BITS);
        (bits <= MOST_BITS).then_some(Window { base: low >> bits << bits, bits })
    }

    fn values(self, width: u8) -> impl Iterator<Item = u128> {
        let end = symcrete_term::bits::mask(width) - self.base;
        (0..1u128 << self.bits).take_while(move |&at| at <= end).map(move |at| self.base + at)
    }
}

/// What was found for conditions so far; `None`: too large to try.
#[derive(Default)]
pub(crate) struct Few {
    known: FxHashMap<(TermId, TermId, Window), Option<Arc<Intervals>>>,
    /// Intervals in all of them, and one for each.
    kept: usize,
    evaluator: Evaluator,
}

impl Few {
    /// The values of the word within the window that make the condition true. All inputs of the condition have to be
    /// inputs of the word.
    pub(crate) fn allowed(
        &mut self,
        terms: &Terms,
        condition: TermId,
        word: TermId,
        window: Window,
    ) -> Option<Arc<Intervals>> {
        if let Some(known) = self.known.get(&(condition, word, window)) {
            return known.clone();
        }
        let found = self.find(terms, condition, word, window).map(Arc::new);
        if self.kept > MAX_KEPT {
            self.known.clear();
            self.kept = 0;
        }
        self.kept += 1 + found.as_ref().map_or(0, |set| set.parts());
        self.known.insert((condition, word, window), found.clone());
        found
    }

    fn find(&mut self, terms: &Terms, condition: TermId, word: TermId, window: Window) -> Option<Intervals> {
        let order = terms.reachable_within(&[condition], MAX_EVALUATIONS >> window.bits)?;
        let mut inputs: Vec<(Var, u64)> = Vec::new();
        let mut parts: Vec<(u128, u128)> = Vec::new();
        for value in window.values(terms.width(word)) {
            inputs.clear();
            assign(terms, word, value, &mut inputs);
            let of = |var: Var| inputs.iter().find(|(known, _)| *known == var).map_or(0, |&(_, it)| u128::from(it));
            self.evaluator.eval_in_order(terms, &order, &of);
            if self.evaluator.known(condition) != Some(1) {
                continue;
            }
            match parts.last_mut() {
                Some((_, high)) if *high + 1 == value => *high = value,
                _ => parts.push((value, value)),
            }
        }
        Some(Intervals::of(terms.width(word), parts))
    }

    pub(crate) fn forget_terms(&mut self) {
        self.known.clear();
        self.kept = 0;
        self.evaluator.begin();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Check;
    use crate::range::Range;
    use crate::testing::{Input, Scripted, ask};
    use crate::{Answer, Parent, Query};
    use proptest::prelude::*;
    use symcrete_term::Op;

    const LENGTH: Var = Var::Length { object: 0 };

    /// Something computed from the length, and compared: operations as programs apply them to sizes.
    fn computed(terms: &mut Terms, steps: &[(u8, u64)], (op, bound): (u8, u64)) -> TermId {
        let mut value = terms.var(LENGTH);
        for &(op, number) in steps {
            let width = terms.width(value);
            let k = terms.constant(width, u128::from(number));
            value = match op {
                0 => terms.add(value, k),
                1 => terms.binary(Op::Mul, value, k),
                2 => terms.binary(Op::URem, value, k),
                3 => terms.binary(Op::And, value, k),
                4 => terms.sub(k, value),
                5 => terms.extract(value, 0, (width / 2).max(8)),
                6 => terms.sext(value, 64),
                7 => terms.binary(Op::Shl, value, k),
                _ => terms.binary(Op::Xor, value, k),
            };
        }
        let k = terms.constant(terms.width(value), u128::from(bound));
        match op {
            0 => terms.eq(value, k),
            1 => terms.ne(value, k),
            2 => terms.slt(value, k),
            3 => terms.slt(k, value),
            _ => terms.ult(k, value),
        }
    }

    proptest! {
        /// Lengths below a bound, and anything computed from them: always settled, and as trying each length says.
        #[test]
        fn what_few_values_say_needs_no_core(
            bound in 1u64..600,
            conditions in prop::collection::vec(
                (prop::collection::vec((0u8..9, prop_oneof![0u64..300, any::<u64>()]), 1..5), (0u8..5, 0u64..300)), 1..6),
        ) {
            let mut terms = Terms::new();
            let length = terms.var(LENGTH);
            let k = terms.constant(64, u128::from(bound));
            let mut all = vec![terms.ult(length, k)];
            all.extend(conditions.iter().map(|(steps, last)| computed(&mut terms, steps, *last)));
            let (&goal, prefix) = all.split_last().unwrap();
            let parent = Input(vec![0; 3]);
            let query = Query { prefix, goal, parent: Parent { run: 1, values: &parent } };
            let holds = |conditions: &[TermId], length: u64| {
                let mut evaluator = Evaluator::new();
                let inputs = |_: Var| u128::from(length);
                conditions.iter().all(|&condition| evaluator.holds(&terms, condition, &inputs))
            };
            let (core, asked) = Scripted::clueless();
            match ask(&mut Check::new(Box::new(Range::new(core))), &terms, &query).unwrap() {
                Answer::Sat(_) => prop_assert!((0..bound).any(|length| holds(&all, length))),
                Answer::Unsat(core) => {
                    prop_assert!(!(0..bound).any(|length| holds(&all, length)));
                    prop_assert!(core.conditions.iter().all(|condition| all.contains(condition)));
                    prop_assert!(core.conditions.contains(&TermId::FALSE) || !(0..5_000).any(|length| holds(&core.conditions, length)));
                }
                Answer::Unknown(_) => prop_assert!(false, "{:?} asked of the core", asked.lock().unwrap()),
            }
        }
    }

    #[test]
    fn windows_are_aligned_and_hold_their_set() {
        let window = |low, high| Window::around(&Intervals::around(64, low, high));
        assert_eq!(window(1, 148), window(7, 200));
        assert_eq!(window(1, 148), Some(Window { base: 0, bits: 8 }));
        assert_eq!(window(1_000, 1_001), Some(Window { base: 768, bits: 8 }));
        assert_eq!(window(0, 5_000), None);
        assert_eq!(window(5, 3), None);
        let all: Vec<u128> = Window { base: 0, bits: 8 }.values(7).collect();
        assert_eq!((all.len(), all[127]), (128, 127));
    }
}
