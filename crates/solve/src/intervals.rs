//! Sets of numbers of one width as unions of intervals, exact under everything they offer. No terms here.
//!
//! Invariants: parts are inclusive, ascending, disjoint and not adjacent; no bound exceeds the width.

use symcrete_term::bits::{mask, signed_max, signed_min};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Intervals {
    width: u8,
    parts: Vec<(u128, u128)>,
}

impl Intervals {
    pub(crate) fn full(width: u8) -> Intervals {
        Intervals { width, parts: vec![(0, mask(width))] }
    }

    pub(crate) fn empty(width: u8) -> Intervals {
        Intervals { width, parts: Vec::new() }
    }

    /// The numbers met when counting up from `low` to `high`, around the end of the range if need be.
    pub(crate) fn around(width: u8, low: u128, high: u128) -> Intervals {
        if low <= high {
            return Intervals { width, parts: vec![(low, high)] };
        }
        Self::of(width, vec![(0, high), (low, mask(width))])
    }

    /// Numbers below `bound`.
    pub(crate) fn below(width: u8, bound: u128) -> Intervals {
        if bound == 0 { Self::empty(width) } else { Self::around(width, 0, bound - 1) }
    }

    /// Numbers below `bound` as two's-complement numbers.
    pub(crate) fn signed_below(width: u8, bound: u128) -> Intervals {
        if bound == signed_min(width) {
            return Self::empty(width);
        }
        Self::around(width, signed_min(width), bound.wrapping_sub(1) & mask(width))
    }

    /// From parts in any order, overlapping or not.
    pub(crate) fn of(width: u8, mut parts: Vec<(u128, u128)>) -> Intervals {
        parts.sort_unstable();
        let mut merged: Vec<(u128, u128)> = Vec::with_capacity(parts.len());
        for (low, high) in parts {
            match merged.last_mut() {
                Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
                _ => merged.push((low, high)),
            }
        }
        Intervals { width, parts: merged }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn contains(&self, value: u128) -> bool {
        self.parts.iter().any(|&(low, high)| (low..=high).contains(&value))
    }

    /// Whether every number of the other set is one of this.
    pub(crate) fn covers(&self, other: &Intervals) -> bool {
        let inside = |&(low, high): &(u128, u128)| self.parts.iter().any(|&(from, to)| from <= low && high <= to);
        other.parts.iter().all(inside)
    }

    /// The intervals, ascending.
    pub(crate) fn all(&self) -> &[(u128, u128)] {
        &self.parts
    }

    /// How many intervals; what the set costs.
    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    pub(crate) fn complement(&self) -> Intervals {
        let mut parts = Vec::with_capacity(self.parts.len() + 1);
        let mut next = Some(0);
        for &(low, high) in &self.parts {
            if let Some(from) = next
                && from < low
            {
                parts.push((from, low - 1));
            }
            next = (high < mask(self.width)).then(|| high + 1);
        }
        if let Some(from) = next {
            parts.push((from, mask(self.width)));
        }
        Intervals { width: self.width, parts }
    }

    pub(crate) fn intersect(&self, other: &Intervals) -> Intervals {
        let mut parts = Vec::new();
        let (mut i, mut j) = (0, 0);
        while let (Some(&(a, b)), Some(&(c, d))) = (self.parts.get(i), other.parts.get(j)) {
            let (low, high) = (a.max(c), b.min(d));
            if low <= high {
                parts.push((low, high));
            }
            if b < d { i += 1 } else { j += 1 }
        }
        Intervals { width: self.width, parts }
    }

    pub(crate) fn union(&self, other: &Intervals) -> Intervals {
        Self::of(self.width, self.parts.iter().chain(&other.parts).copied().collect())
    }

    /// All `x` with `x + amount` in the set.
    pub(crate) fn before_add(&self, amount: u128) -> Intervals {
        self.mapped(|low, high, m| (low.wrapping_sub(amount) & m, high.wrapping_sub(amount) & m))
    }

    /// All `x` with `from - x` in the set.
    pub(crate) fn before_subtracted_from(&self, from: u128) -> Intervals {
        self.mapped(|low, high, m| (from.wrapping_sub(high) & m, from.wrapping_sub(low) & m))
    }

    /// For maps that send intervals to intervals, possibly around the end.
    fn mapped(&self, map: impl Fn(u128, u128, u128) -> (u128, u128)) -> Intervals {
        let m = mask(self.width);
        if self.parts == [(0, m)] {
            return self.clone();
        }
        let mut parts = Vec::with_capacity(self.parts.len() + 1);
        for &(low, high) in &self.parts {
            parts.extend(Self::around(self.width, map(low, high, m).0, map(low, high, m).1).parts);
        }
        Self::of(self.width, parts)
    }

    /// All `x` of a smaller width that are in the set when extended with zeros.
    pub(crate) fn before_zero_extension(&self, width: u8) -> Intervals {
        let m = mask(width);
        let inside = self.parts.iter().filter(|&&(low, _)| low <= m);
        Intervals { width, parts: inside.map(|&(low, high)| (low, high.min(m))).collect() }
    }

    /// All `x` of a smaller width that are in the set when extended by their sign.
    pub(crate) fn before_sign_extension(&self, width: u8) -> Intervals {
        if width == self.width {
            return self.clone();
        }
        let low_half = self.intersect(&Self::around(self.width, 0, signed_max(width)));
        let high_half =
            self.intersect(&Self::around(self.width, mask(self.width) & !signed_max(width), mask(self.width)));
        let cut = |&(low, high): &(u128, u128)| (low & mask(width), high & mask(width));
        Self::of(width, low_half.parts.iter().chain(&high_half.parts).map(cut).collect())
    }

    /// All `x` with `x / divisor` in the set, rounding down; the divisor is not 0.
    pub(crate) fn before_division(&self, divisor: u128) -> Intervals {
        let m = mask(self.width);
        let mut parts = Vec::with_capacity(self.parts.len());
        for &(low, high) in &self.parts {
            if let Some(from) = low.checked_mul(divisor).filter(|&from| from <= m) {
                let to = high.checked_mul(divisor).and_then(|to| to.checked_add(divisor - 1)).unwrap_or(m).min(m);
                parts.push((from, to));
            }
        }
        Self::of(self.width, parts)
    }

    /// The member that is fewest steps away from `wish`, counting up or down, around the end too.
    pub(crate) fn nearest(&self, wish: u128) -> Option<u128> {
        let m = mask(self.width);
        let distance = |x: u128| (x.wrapping_sub(wish) & m).min(wish.wrapping_sub(x) & m);
        let ends = self.parts.iter().flat_map(|&(low, high)| {
            let inside = (low..=high).contains(&wish).then_some(wish);
            [Some(low), Some(high), inside]
        });
        ends.flatten().min_by_key(|&x| (distance(x), x))
    }

    /// A member as far away from `wish` as the bounds of the parts allow.
    pub(crate) fn furthest_from(&self, wish: u128) -> Option<u128> {
        let m = mask(self.width);
        let distance = |x: u128| (x.wrapping_sub(wish) & m).min(wish.wrapping_sub(x) & m);
        let ends = self.parts.iter().flat_map(|&(low, high)| [low, high]);
        ends.max_by_key(|&x| (distance(x), x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const W: u8 = 5;

    fn members(set: &Intervals) -> Vec<u128> {
        (0..=mask(set.width)).filter(|&x| set.parts.iter().any(|&(low, high)| (low..=high).contains(&x))).collect()
    }

    fn check(set: &Intervals) {
        for pair in set.parts.windows(2) {
            assert!(pair[0].1 + 1 < pair[1].0, "{set:?}");
        }
        assert!(set.parts.iter().all(|&(low, high)| low <= high && high <= mask(set.width)), "{set:?}");
    }

    /// A set given by which of the 32 numbers are in it.
    fn set(bits: u32) -> Intervals {
        let numbers = (0..32u128).filter(|x| bits >> x & 1 == 1).map(|x| (x, x));
        Intervals::of(W, numbers.collect::<Vec<_>>())
    }

    fn matching(width: u8, test: impl Fn(u128) -> bool) -> Vec<u128> {
        (0..=mask(width)).filter(|&x| test(x)).collect()
    }

    proptest! {
        #[test]
        fn operations_are_those_of_plain_sets(a: u32, b: u32, k in 0u128..32, wish in 0u128..32) {
            let (x, y) = (set(a), set(b));
            let m = mask(W);
            let has = |bits: u32, n: u128| bits >> n & 1 == 1;
            for (got, want) in [
                (x.complement(), matching(W, |n| !has(a, n))),
                (x.intersect(&y), matching(W, |n| has(a, n) && has(b, n))),
                (x.union(&y), matching(W, |n| has(a, n) || has(b, n))),
                (x.before_add(k), matching(W, |n| has(a, (n + k) & m))),
                (x.before_subtracted_from(k), matching(W, |n| has(a, k.wrapping_sub(n) & m))),
                (x.before_zero_extension(3), matching(3, |n| has(a, n))),
                (x.before_sign_extension(3), matching(3, |n| has(a, if n >= 4 { n | 0b11000 } else { n }))),
                (x.before_division(k.max(1)), matching(W, |n| has(a, n / k.max(1)))),
                (Intervals::below(W, k), matching(W, |n| n < k)),
                (Intervals::signed_below(W, k), matching(W, |n| (n ^ 16) < (k ^ 16))),
                (Intervals::around(W, k, wish), matching(W, |n| (n.wrapping_sub(k) & m) <= (wish.wrapping_sub(k) & m))),
            ] {
                check(&got);
                prop_assert_eq!(members(&got), want);
            }
            let away = |n: u128| (n.wrapping_sub(wish) & m).min(wish.wrapping_sub(n) & m);
            let best = matching(W, |n| has(a, n)).into_iter().map(away).min();
            prop_assert_eq!(x.nearest(wish).map(away), best);
            prop_assert!(x.nearest(wish).is_none_or(|n| has(a, n)));
        }
    }
}
