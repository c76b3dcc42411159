//! How large, and how small, a term can get at most, read off its structure: for choosing how many bits an expensive
//! operation really needs. Sound, not exact; remembers every term it was asked about.
//!
//! Invariant: for every value of the inputs, a term's value is at most `high`, and read as a two's-complement number
//! between `least` and `most`.

use symcrete_term::bits::{mask, signed};
use symcrete_term::{Op, Term, TermId, Terms};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) high: u128,
    pub(crate) least: i128,
    pub(crate) most: i128,
}

impl Bound {
    fn any(width: u8) -> Bound {
        let most = (mask(width) >> 1) as i128;
        Bound { high: mask(width), least: -most - 1, most }
    }

    /// Values from 0 to `high`.
    fn up_to(width: u8, high: u128) -> Bound {
        match high <= mask(width) >> 1 {
            true => Bound { high, least: 0, most: high as i128 },
            false => Bound { high, ..Self::any(width) },
        }
    }

    /// Two's-complement values, if they fit the width.
    fn between(width: u8, ends: Option<(i128, i128)>) -> Bound {
        let any = Self::any(width);
        match ends {
            Some((least, most)) if least >= 0 && most <= any.most => Self::up_to(width, most as u128),
            Some((least, most)) if least >= any.least && most <= any.most => Bound { high: any.high, least, most },
            _ => any,
        }
    }

    /// The better of two bounds of the same term.
    fn and(self, other: Bound) -> Bound {
        let both = Bound {
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            most: self.most.min(other.most),
        };
        // What cannot be negative is bounded by the same number either way.
        if both.least >= 0 { Bound { high: both.high.min(both.most as u128), ..both } } else { both }
    }

    fn or(self, other: Bound) -> Bound {
        Bound { high: self.high.max(other.high), least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// Whether it is known not to be negative.
    pub(crate) fn is_natural(self) -> bool {
        self.least >= 0
    }

    /// Bits that hold every value, read as a natural number.
    pub(crate) fn natural_bits(self) -> u8 {
        (128 - self.high.leading_zeros()).max(1) as u8
    }

    /// Bits that hold every value in two's complement.
    pub(crate) fn signed_bits(self) -> u8 {
        let needed = |value: i128| 129 - if value < 0 { value.leading_ones() } else { value.leading_zeros() };
        needed(self.least).max(needed(self.most)).min(128) as u8
    }
}

#[derive(Default)]
pub(crate) struct Bounds {
    known: Vec<Option<Bound>>,
}

impl Bounds {
    /// The bound of a term whose operands were asked about before.
    pub(crate) fn of(&mut self, terms: &Terms, id: TermId) -> Bound {
        if self.known.len() <= id.index() {
            self.known.resize(terms.len(), None);
        }
        if let Some(bound) = self.known[id.index()] {
            return bound;
        }
        let width = terms.width(id);
        let bound = match terms.get(id) {
            Term::Constant(value) => {
                let number = signed(value, width);
                Bound { high: value, least: number, most: number }
            }
            Term::Variable(..) => Bound::any(width),
            Term::Apply(op, args) => {
                let known = |at: usize| args.get(at).map_or(Bound::any(1), |&arg| self.get(terms, arg));
                apply(terms, op, width, terms.width(args[0]), args, [known(0), known(1), known(2)])
            }
        };
        self.known[id.index()] = Some(bound);
        bound
    }

    pub(crate) fn get(&self, terms: &Terms, id: TermId) -> Bound {
        self.known.get(id.index()).copied().flatten().unwrap_or_else(|| Bound::any(terms.width(id)))
    }
}

fn apply(terms: &Terms, op: Op, width: u8, from: u8, args: &[TermId], [a, b, c]: [Bound; 3]) -> Bound {
    let constant = |at: usize| args.get(at).and_then(|&arg| terms.as_constant(arg));
    let natural = |high: Option<u128>| match high {
        Some(high) if high <= mask(width) => Bound::up_to(width, high),
        _ => Bound::any(width),
    };
    match op {
        Op::Add => natural(a.high.checked_add(b.high))
            .and(Bound::between(width, a.least.checked_add(b.least).zip(a.most.checked_add(b.most)))),
        Op::Sub => Bound::between(width, a.least.checked_sub(b.most).zip(a.most.checked_sub(b.least))),
        Op::Mul => natural(a.high.checked_mul(b.high)).and(Bound::between(width, products(a, b))),
        Op::UDiv => match constant(1) {
            Some(k) if k != 0 => Bound::up_to(width, a.high / k),
            _ => Bound::any(width),
        },
        Op::URem => match constant(1) {
            Some(k) if k != 0 => Bound::up_to(width, a.high.min(k - 1)),
            _ => Bound::up_to(width, a.high),
        },
        Op::And => Bound::up_to(width, a.high.min(b.high)),
        Op::Or | Op::Xor => natural(Some(ones(a.high.max(b.high)))),
        Op::Shl => match constant(1) {
            Some(k) if k < u128::from(width) && a.high.leading_zeros() as u128 >= k => natural(Some(a.high << k)),
            _ => Bound::any(width),
        },
        Op::LShr => match constant(1) {
            Some(k) if k < u128::from(width) => Bound::up_to(width, a.high >> k),
            _ => Bound::up_to(width, a.high),
        },
        Op::AShr => Bound::between(width, Some((a.least.min(0), a.most.max(0)))),
        Op::ZExt => Bound::up_to(width, a.high),
        Op::SExt if a.is_natural() => Bound::up_to(width, a.high),
        Op::SExt => Bound { least: a.least, most: a.most, ..Bound::any(width) },
        Op::Extract { lo } if a.high >> lo <= mask(width) => Bound::up_to(width, a.high >> lo),
        Op::Extract { lo: 0 } => Bound::between(width, Some((a.least, a.most))),
        Op::Concat => natural(Some(a.high << (width - from) | b.high)),
        Op::Select => b.or(c),
        Op::Read => {
            let values = terms.table(args[1]).values().iter().copied();
            let numbers = values.clone().map(|value| signed(value as u128, width));
            natural(values.max().map(u128::from)).and(Bound::between(width, numbers.clone().min().zip(numbers.max())))
        }
        Op::Ctpop | Op::Ctlz | Op::Cttz => natural(Some(u128::from(width))),
        _ => Bound::any(width),
    }
}

fn products(a: Bound, b: Bound) -> Option<(i128, i128)> {
    let ends = [
        a.least.checked_mul(b.least)?,
        a.least.checked_mul(b.most)?,
        a.most.checked_mul(b.least)?,
        a.most.checked_mul(b.most)?,
    ];
    Some((ends.into_iter().min()?, ends.into_iter().max()?))
}

/// The smallest number of all ones that is not smaller.
fn ones(value: u128) -> u128 {
    if value == 0 { 0 } else { u128::MAX >> value.leading_zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, random_query};
    use proptest::prelude::*;
    use symcrete_term::Evaluator;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn every_value_is_within_its_bound(random in random_query(), inputs in prop::collection::vec(any::<[u8; 2]>(), 24)) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            let mut bounds = Bounds::default();
            let mut evaluator = Evaluator::new();
            let edges = [[0, 0], [255, 255], [127, 128], [128, 127], [1, 255]];
            for input in inputs.into_iter().chain(edges) {
                evaluator.begin();
                for id in terms.reachable(&conditions) {
                    let bound = bounds.of(&terms, id);
                    let value = evaluator.eval(&terms, id, &Input(input.to_vec()));
                    let number = signed(value, terms.width(id));
                    prop_assert!(value <= bound.high, "{:?} = {:x}: {:?}", terms.get(id), value, bound);
                    prop_assert!((bound.least..=bound.most).contains(&number), "{:?} = {}: {:?}", terms.get(id), number, bound);
                    prop_assert!(bound.natural_bits() <= terms.width(id) && value <= mask(bound.natural_bits()));
                    prop_assert!(bound.signed_bits() <= terms.width(id));
                    prop_assert!(signed(value & mask(bound.signed_bits()), bound.signed_bits()) == number);
                }
            }
        }
    }

    #[test]
    fn sums_and_remainders_of_bytes_stay_small() {
        let mut terms = Terms::new();
        let x = terms.var(crate::testing::byte(0));
        let wide = terms.zext(x, 32);
        let k = terms.constant(32, 255);
        let rest = terms.urem(wide, k);
        let sum = terms.add(rest, wide);
        let mut bounds = Bounds::default();
        for id in terms.reachable(&[sum]) {
            bounds.of(&terms, id);
        }
        assert_eq!(bounds.get(&terms, sum).high, 254 + 255);
        let signed = terms.sext(x, 32);
        let square = terms.mul(signed, signed);
        for id in terms.reachable(&[square]) {
            bounds.of(&terms, id);
        }
        assert_eq!((bounds.get(&terms, square).least, bounds.get(&terms, square).most), (-128 * 127, 128 * 128));
    }
}
