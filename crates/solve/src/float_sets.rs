//! Sets of floats as sets of their bits: what a comparison with a constant leaves, and what an operation needs for its
//! result to lie in a set. Operations that round are monotone, so the ends of every interval are found by halving, with
//! the evaluator's own definition of the operation. Exact, or nothing.

use symcrete_term::bits::{mask, signed, signed_min};
use symcrete_term::{Op, compute};

use crate::intervals::Intervals;

/// Floats of a width by their place in order: both zeros are 0, neighbours are one apart.
pub(crate) fn place(width: u8, bits: u128) -> i128 {
    let sign = signed_min(width);
    if bits & sign == 0 { bits as i128 } else { -((bits ^ sign) as i128) }
}

pub(crate) fn at(width: u8, place: i128) -> u128 {
    if place < 0 { signed_min(width) | place.unsigned_abs() } else { place as u128 }
}

/// The place of infinity.
pub(crate) fn infinity(width: u8) -> i128 {
    if width == 32 { 0x7f80_0000 } else { 0x7ff0_0000_0000_0000 }
}

pub(crate) fn is_nan(width: u8, bits: u128) -> bool {
    symcrete_term::float::is_nan(width, bits)
}

/// The floats from one place to another, both zeros where 0 is among them.
fn between(width: u8, low: i128, high: i128) -> Intervals {
    let (low, high) = (low.max(-infinity(width)), high.min(infinity(width)));
    let mut set = Intervals::empty(width);
    if low > high {
        return set;
    }
    if high >= 0 {
        set = set.union(&Intervals::around(width, low.max(0) as u128, high as u128));
    }
    if low <= 0 {
        let sign = signed_min(width);
        set = set.union(&Intervals::around(width, sign | (-high).max(0) as u128, sign | (-low) as u128));
    }
    set
}

fn nans(width: u8) -> Intervals {
    between(width, -infinity(width), infinity(width)).complement()
}

/// All `x` with `x op k`, for comparisons of floats.
pub(crate) fn compared_with(op: Op, width: u8, k: u128) -> Option<Intervals> {
    let (nan, k, end) = (is_nan(width, k), place(width, k), infinity(width));
    Some(match op {
        Op::FUno if nan => Intervals::full(width),
        Op::FUno => nans(width),
        Op::FOeq | Op::FOlt | Op::FOle if nan => Intervals::empty(width),
        Op::FOeq => between(width, k, k),
        Op::FOlt => between(width, -end, k - 1),
        Op::FOle => between(width, -end, k),
        _ => return None,
    })
}

/// All `x` with `k op x`, for comparisons of floats.
pub(crate) fn compared_by(op: Op, width: u8, k: u128) -> Option<Intervals> {
    let (nan, from, end) = (is_nan(width, k), place(width, k), infinity(width));
    match op {
        Op::FOlt | Op::FOle if nan => Some(Intervals::empty(width)),
        Op::FOlt => Some(between(width, from + 1, end)),
        Op::FOle => Some(between(width, from, end)),
        _ => compared_with(op, width, k),
    }
}

/// An operation of one operand that never decreases, or never increases, from one end of its domain to the other.
struct Monotone<'a> {
    /// Places of the domain.
    domain: (i128, i128),
    /// The result at a place of the domain, as a place among results.
    value: &'a dyn Fn(i128) -> i128,
    falls: bool,
}

impl Monotone<'_> {
    /// The places whose result lies between two places.
    fn before(&self, low: i128, high: i128) -> Option<(i128, i128)> {
        let (first, last) = self.domain;
        let value = |x: i128| if self.falls { -(self.value)(x) } else { (self.value)(x) };
        let (low, high) = if self.falls { (-high, -low) } else { (low, high) };
        // The first place at or beyond a result, one past the last if there is none.
        let reached = |bound: i128| {
            let (mut from, mut to) = (first, last + 1);
            while from < to {
                let middle = from + (to - from) / 2;
                if value(middle) >= bound { to = middle } else { from = middle + 1 }
            }
            from
        };
        let (begin, end) = (reached(low), reached(high + 1) - 1);
        (begin <= end).then_some((begin, end))
    }
}

/// A set of floats as places, if zeros and NaNs are wholly in it or not at all; and whether NaNs are.
fn places(set: &Intervals, width: u8) -> Option<(Vec<(i128, i128)>, bool)> {
    let (sign, end) = (signed_min(width), infinity(width));
    if set.contains(0) != set.contains(sign) {
        return None;
    }
    let nan = set.intersect(&nans(width));
    if !nan.is_empty() && nan != nans(width) {
        return None;
    }
    let mut found = Vec::new();
    for &(low, high) in set.intersect(&between(width, -end, end)).all() {
        match low & sign == 0 {
            true => found.push((low as i128, high as i128)),
            false => found.push((place(width, high), place(width, low))),
        }
    }
    Some((found, !nan.is_empty()))
}

/// All `x` of width `from` such that the operation on it, the other operands being constants, lies in the set. `x` is
/// operand number `pick`; `constants` has all others.
pub(crate) fn before(
    op: Op,
    set: &Intervals,
    width: u8,
    from: u8,
    pick: usize,
    constants: [u128; 3],
) -> Option<Intervals> {
    let run = |x: u128| {
        let mut values = constants;
        values[pick] = x;
        compute(op, width, from, values[0], values[1], values[2])
    };
    let other = constants[1 - pick.min(1)];
    let is_number = || !is_nan(from, other) && place(from, other).abs() < infinity(from);
    let end = infinity(from);
    let all = (-end, end);
    let (domain, falls) = match (op, pick) {
        (Op::FAdd, _) | (Op::FSub, 0) if is_number() => (all, false),
        (Op::FSub, 1) if is_number() => (all, true),
        (Op::FMul, _) | (Op::FDiv, 0) if is_number() && place(from, other) != 0 => (all, place(from, other) < 0),
        (Op::FFloor | Op::FCeil | Op::FRoundZero | Op::FRint | Op::FRound | Op::FExt | Op::FTrunc, _) => (all, false),
        (Op::FSqrt, _) => ((0, end), false),
        (Op::SiToF | Op::UiToF, _) => return before_integer(op, set, width, from, &run),
        (Op::FToSi | Op::FToUi, _) => return before_conversion(op, set, width, from, &run),
        _ => return None,
    };
    let (wanted, nan) = places(set, width)?;
    let value = |x: i128| place(width, run(at(from, x)));
    let monotone = Monotone { domain, value: &value, falls };
    let mut found = Intervals::empty(from);
    for (low, high) in wanted {
        if let Some((first, last)) = monotone.before(low, high) {
            found = found.union(&between(from, first, last));
        }
    }
    if nan {
        // A NaN gives a NaN, and so does what lies outside the domain.
        found = found.union(&between(from, domain.0, domain.1).complement());
    }
    Some(found)
}

/// From integers: in their own order.
fn before_integer(op: Op, set: &Intervals, width: u8, from: u8, run: &dyn Fn(u128) -> u128) -> Option<Intervals> {
    if from > 64 {
        return None;
    }
    let (wanted, _) = places(set, width)?;
    let domain = match op {
        Op::SiToF => (signed(signed_min(from), from), (mask(from) >> 1) as i128),
        _ => (0, mask(from) as i128),
    };
    let value = |x: i128| place(width, run(x as u128 & mask(from)));
    let monotone = Monotone { domain, value: &value, falls: false };
    let mut found = Intervals::empty(from);
    for (low, high) in wanted {
        if let Some((first, last)) = monotone.before(low, high) {
            found = found.union(&Intervals::around(from, first as u128 & mask(from), last as u128 & mask(from)));
        }
    }
    Some(found)
}

/// To integers: what does not fit gives one number, the same for all.
fn before_conversion(op: Op, set: &Intervals, width: u8, from: u8, run: &dyn Fn(u128) -> u128) -> Option<Intervals> {
    // Only where the register is as wide as the result is everything outside one number.
    let half = match (op, width) {
        (Op::FToSi, 32 | 64) => 2f64.powi(i32::from(width) - 1),
        _ => return None,
    };
    let bits = |value: f64| if from == 32 { u128::from((value as f32).to_bits()) } else { u128::from(value.to_bits()) };
    // From just above -2^n - 1, or -2^n itself where floats are that coarse, up to just below 2^n.
    let last = place(from, bits(half)) - 1;
    let mut first = place(from, bits(-half));
    if from == 64 && width == 32 {
        first = place(64, bits(-half - 1.0)) + 1;
    }
    let value = |x: i128| signed(run(at(from, x)), width);
    let monotone = Monotone { domain: (first, last), value: &value, falls: false };
    let mut found = Intervals::empty(from);
    for &(low, high) in set.all() {
        // Around the end of the natural numbers the order of the signed ones is another.
        let middle = signed_min(width);
        let halves = match low < middle && high >= middle {
            true => vec![(low, middle - 1), (middle, high)],
            false => vec![(low, high)],
        };
        for (low, high) in halves {
            if let Some((first, last)) = monotone.before(signed(low, width), signed(high, width)) {
                found = found.union(&between(from, first, last));
            }
        }
    }
    if set.contains(signed_min(width)) {
        found = found.union(&between(from, first, last).complement());
    }
    Some(found)
}

/// All `x` whose absolute value lies in the set.
pub(crate) fn before_magnitude(set: &Intervals, width: u8) -> Intervals {
    let sign = signed_min(width);
    let positive = set.intersect(&Intervals::around(width, 0, sign - 1));
    positive.union(&positive.before_add(sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn floats(width: u8) -> BoxedStrategy<u128> {
        let of = move |x: f64| if width == 32 { u128::from((x as f32).to_bits()) } else { u128::from(x.to_bits()) };
        prop_oneof![
            any::<u64>().prop_map(move |bits| u128::from(bits) & mask(width)),
            (-300i32..300).prop_map(move |n| of(f64::from(n) / 8.0)),
            Just(of(f64::INFINITY)),
            Just(of(f64::NAN)),
            Just(of(-0.0)),
            Just(of(3e9)),
            Just(of(-2147483648.5)),
            Just(of(0.1)),
        ]
        .boxed()
    }

    const COMPARISONS: [Op; 4] = [Op::FOeq, Op::FOlt, Op::FOle, Op::FUno];
    const OPERATIONS: [(Op, usize); 14] = [
        (Op::FAdd, 0),
        (Op::FAdd, 1),
        (Op::FSub, 0),
        (Op::FSub, 1),
        (Op::FMul, 0),
        (Op::FMul, 1),
        (Op::FDiv, 0),
        (Op::FDiv, 1),
        (Op::FSqrt, 0),
        (Op::FFloor, 0),
        (Op::FCeil, 0),
        (Op::FRoundZero, 0),
        (Op::FRint, 0),
        (Op::FRound, 0),
    ];

    proptest! {
        #[test]
        fn comparisons_leave_what_they_should(x in floats(64), k in floats(64), y in floats(32), l in floats(32)) {
            for op in COMPARISONS {
                for (width, x, k) in [(64, x, k), (32, y, l)] {
                    let (with, by) = (compared_with(op, width, k).unwrap(), compared_by(op, width, k).unwrap());
                    prop_assert_eq!(with.contains(x), compute(op, 1, width, x, k, 0) == 1);
                    prop_assert_eq!(by.contains(x), compute(op, 1, width, k, x, 0) == 1);
                }
            }
        }

        /// Whatever an operation is asked to give: an operand is in the set exactly when the result is.
        #[test]
        fn operations_are_undone_exactly(
            pick in 0usize..14, single: bool, k in floats(64), l in floats(32), bound in floats(64), low in floats(32),
            compare in 0usize..4, x in floats(64), y in floats(32), near in -4i128..4, opposite: bool,
        ) {
            let (op, at_operand) = OPERATIONS[pick];
            let width = if single { 32 } else { 64 };
            let (k, bound, x) = if single { (l, low, y) } else { (k, bound, x) };
            let mut set = compared_with(COMPARISONS[compare], width, bound).unwrap();
            if opposite {
                set = set.complement();
            }
            let mut constants = [k; 3];
            constants[at_operand] = 0;
            let Some(before) = before(op, &set, width, width, at_operand, constants) else { return Ok(()) };
            // The ends of the set are where mistakes would be.
            let mut tried = vec![x, 0, signed_min(width)];
            for &(low, high) in before.all() {
                tried.extend([low, high].map(|end| (end as i128 + near) as u128 & mask(width)));
            }
            for x in tried {
                let mut values = constants;
                values[at_operand] = x;
                let result = compute(op, width, width, values[0], values[1], values[2]);
                prop_assert_eq!(before.contains(x), set.contains(result), "{} {:x?} at {:x}", op, constants, x);
            }
        }

        #[test]
        fn conversions_are_undone_exactly(
            pick in 0usize..8, bound: u64, low: u64, x: u64, near in -4i128..4, float in floats(64), single in floats(32),
        ) {
            let (op, width, from) = [
                (Op::FToSi, 32, 64), (Op::FToSi, 64, 64), (Op::FToSi, 32, 32), (Op::FToSi, 64, 32),
                (Op::SiToF, 64, 32), (Op::UiToF, 32, 64), (Op::FExt, 64, 32), (Op::FTrunc, 32, 64),
            ][pick];
            let to_float = !matches!(op, Op::FToSi);
            let set = match to_float {
                true => compared_with(Op::FOlt, width, if width == 32 { single } else { float }).unwrap(),
                false => Intervals::around(width, u128::from(low) & mask(width), u128::from(bound) & mask(width)),
            };
            let Some(before) = before(op, &set, width, from, 0, [0; 3]) else { return Ok(()) };
            let mut tried = vec![u128::from(x) & mask(from), if from == 64 { float } else { single }];
            for &(low, high) in before.all() {
                tried.extend([low, high].map(|end| (end as i128 + near) as u128 & mask(from)));
            }
            for x in tried {
                let result = compute(op, width, from, x, 0, 0);
                prop_assert_eq!(before.contains(x), set.contains(result), "{} of {:x} is {:x}", op, x, result);
            }
        }

        #[test]
        fn magnitudes_are_undone_exactly(x in floats(64), bound in floats(64)) {
            let set = compared_with(Op::FOlt, 64, bound).unwrap();
            prop_assert_eq!(before_magnitude(&set, 64).contains(x), set.contains(x & mask(63)));
        }
    }
}
