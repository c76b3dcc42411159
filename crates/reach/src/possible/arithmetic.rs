//! What operations give, from what sets of values: computed one by one where they are few, from their ends else.

use super::set::{Numbers, Offset, Set};
use symcrete_program::code::{Binary, Cast, Order};

/// Places that an address with few indices is spelt out for.
const MOST_MOVES: usize = 8;
/// Pairs of numbers that an operation is computed for.
const MOST_PAIRS: usize = 144;
/// Masks below this leave nothing of an address.
const SMALL_MASK: u64 = 128;

pub fn mask(bits: u8) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

pub fn signed(value: u128, bits: u8) -> i128 {
    let unused = 128 - u32::from(bits);
    ((value << unused) as i128) >> unused
}

/// The pairs of two small sets; nothing when one is not small.
fn pairs<'s>(a: &'s Set, b: &'s Set) -> Option<impl Iterator<Item = (u128, u128)> + 's> {
    let (a, b) = (a.as_few()?, b.as_few()?);
    (a.len() * b.len() <= MOST_PAIRS).then(|| a.iter().flat_map(|x| b.iter().map(|y| (*x, *y))))
}

fn both_mixed(a: &Set, b: &Set) -> Set {
    if a.is_empty() || b.is_empty() {
        return Set::default();
    }
    let mut all = a.mixed();
    all.join(&b.mixed());
    all
}

pub fn binary(how: Binary, a: &Set, b: &Set, bits: Option<u8>) -> Set {
    use Binary::*;
    let Some(bits @ 1..=64) = bits else { return both_mixed(a, b) };
    let Some(pairs) = pairs(a, b) else { return by_ends(how, a, b, bits) };
    let mut found = vec![];
    for (x, y) in pairs {
        let value = match how {
            Add => x.wrapping_add(y),
            Sub => x.wrapping_sub(y),
            Mul => x.wrapping_mul(y),
            And => x & y,
            Or => x | y,
            Xor => x ^ y,
            Shl if y < u128::from(bits) => x << y,
            LShr if y < u128::from(bits) => x >> y,
            AShr if y < u128::from(bits) => (signed(x, bits) >> y) as u128,
            UDiv if y != 0 => x / y,
            URem if y != 0 => x % y,
            // A run that divides by zero ends there.
            UDiv | URem => continue,
            _ => return Set::any(),
        };
        found.push(value & mask(bits));
    }
    Set::few(found)
}

fn by_ends(how: Binary, a: &Set, b: &Set, bits: u8) -> Set {
    use Binary::*;
    let mut all = both_mixed(a, b);
    if all.is_empty() || matches!(how, FAdd | FSub | FMul | FDiv | FRem) {
        return all;
    }
    if how == And {
        let most = [a, b].iter().filter_map(|set| set.ends()).map(|(_, most)| most).min();
        let Some(most) = most else { return all };
        all.numbers = Numbers::Between(0, most);
        if most < SMALL_MASK {
            (all.places, all.outside) = (vec![], false);
        }
        return all;
    }
    if !all.is_numbers() {
        return all;
    }
    let whole = |set: &Set| set.ends().or(Numbers::of_width(bits).ends());
    let (Some(y), Some(most)) = (whole(b).or(Some((0, u64::MAX))), u64::try_from(mask(bits)).ok()) else { return all };
    let (least, greatest) = whole(a).unwrap_or((0, u64::MAX));
    // Beyond the width it wraps.
    let grown = |least: Option<u64>, greatest: Option<u64>| match (least, greatest) {
        (Some(least), Some(greatest)) if greatest <= most => {
            let Numbers::Between(from, upto) = Numbers::of_ends(u128::from(least), u128::from(greatest)) else {
                return None;
            };
            Some((from, upto.min(most)))
        }
        _ => None,
    };
    let positive = |ends: (u64, u64)| bits == 0 || ends.1 <= most >> 1;
    let ends = match how {
        Add => grown(least.checked_add(y.0), greatest.checked_add(y.1)),
        Mul => grown(least.checked_mul(y.0), greatest.checked_mul(y.1)),
        Shl if y.1 < u64::from(bits) => grown(Some(0), u64::try_from(u128::from(greatest) << y.1).ok()),
        Sub if least >= y.1 => Some((u64::from(least > y.1), greatest - y.0)),
        Or | Xor => {
            grown(Some(0), Some(greatest.max(y.1).checked_add(1).map_or(u64::MAX, |n| n.next_power_of_two() - 1)))
        }
        LShr if y.1 < u64::from(bits) => Some((least >> y.1, greatest >> y.0)),
        AShr if y.1 < u64::from(bits) && positive((least, greatest)) => Some((least >> y.1, greatest >> y.0)),
        UDiv if y.1 > 0 => Some((least / y.1, greatest / y.0.max(1))),
        URem if y.1 > 0 => Some((0, greatest.min(y.1 - 1))),
        SDiv if y.1 > 0 && positive((least, greatest)) && positive(y) => Some((least / y.1, greatest / y.0.max(1))),
        SRem if y.1 > 0 && positive((least, greatest)) && positive(y) => Some((0, greatest.min(y.1 - 1))),
        _ => None,
    };
    match ends {
        Some((least, most)) => Set::between(least, most),
        None => Set::of_width(Some(bits)),
    }
}

pub fn compare(how: Order, a: &Set, b: &Set, bits: Option<u8>) -> Set {
    use Order::*;
    if a.is_empty() || b.is_empty() {
        return Set::default();
    }
    // An address of an object is not 0.
    let is_zero = |set: &Set| set.as_few() == Some(&[0]);
    let is_object = |set: &Set| !set.places.is_empty() && !set.outside && set.numbers == Numbers::Few(vec![]);
    if is_zero(a) && is_object(b) || is_object(a) && is_zero(b) {
        match how {
            Equal => return Set::number(0),
            NotEqual => return Set::number(1),
            _ => {}
        }
    }
    let Some(bits) = bits else { return Set::few(vec![0, 1]) };
    let Some(pairs) = pairs(a, b) else {
        let known = a.ends().zip(b.ends()).and_then(|(a, b)| compare_ends(how, a, b, bits));
        return known.map_or(Set::few(vec![0, 1]), |holds| Set::number(u128::from(holds)));
    };
    let mut found = vec![];
    for (x, y) in pairs {
        let (sx, sy) = (signed(x, bits), signed(y, bits));
        let holds = match how {
            Equal => x == y,
            NotEqual => x != y,
            UnsignedGreater => x > y,
            UnsignedGreaterEqual => x >= y,
            UnsignedLess => x < y,
            UnsignedLessEqual => x <= y,
            SignedGreater => sx > sy,
            SignedGreaterEqual => sx >= sy,
            SignedLess => sx < sy,
            SignedLessEqual => sx <= sy,
        };
        found.push(u128::from(holds));
    }
    Set::few(found)
}

/// The outcome for all numbers between two ends and two others, when it is one for all.
fn compare_ends(how: Order, a: (u64, u64), b: (u64, u64), bits: u8) -> Option<bool> {
    use Order::*;
    let always = |holds: bool, never: bool| if holds { Some(true) } else { never.then_some(false) };
    let positive = |ends: (u64, u64)| bits <= 64 && u128::from(ends.1) <= mask(bits) >> 1;
    let (greater, less) = (a.0 > b.1, a.1 < b.0);
    match how {
        Equal => (greater || less).then_some(false),
        NotEqual => (greater || less).then_some(true),
        UnsignedGreater => always(greater, a.1 <= b.0),
        UnsignedGreaterEqual => always(a.0 >= b.1, less),
        UnsignedLess => always(less, a.0 >= b.1),
        UnsignedLessEqual => always(a.1 <= b.0, greater),
        _ if !positive(a) || !positive(b) => None,
        SignedGreater => always(greater, a.1 <= b.0),
        SignedGreaterEqual => always(a.0 >= b.1, less),
        SignedLess => always(less, a.0 >= b.1),
        SignedLessEqual => always(a.1 <= b.0, greater),
    }
}

pub fn cast(how: Cast, value: &Set, from: Option<u8>, to: Option<u8>) -> Set {
    let (Some(from), Some(to)) = (from, to) else { return value.mixed() };
    if how == Cast::Bits && from == to {
        return value.clone();
    }
    let Some(few) = value.as_few() else {
        let mut all = value.mixed();
        // A wider number that was one of few stays so; addresses are mixed.
        if all.is_numbers() && !all.is_empty() {
            let ends = value.ends().or(Numbers::of_width(from).ends());
            let fits = |ends: &(u64, u64), bits: u8| u128::from(ends.1) <= mask(bits);
            let kept = match how {
                Cast::ZeroExtend => ends,
                Cast::SignExtend => ends.filter(|ends| fits(ends, from - 1)),
                Cast::Truncate => ends.filter(|ends| fits(ends, to)).or(Numbers::of_width(to).ends()),
                Cast::Bits => ends.filter(|ends| fits(ends, to)),
                _ => None,
            };
            all.numbers = kept.map_or(Numbers::Any, |(least, most)| Numbers::Between(least, most));
        }
        return all;
    };
    match how {
        Cast::Truncate => Set::few(few.iter().map(|value| value & mask(to)).collect()),
        Cast::ZeroExtend => Set::few(few.to_vec()),
        Cast::SignExtend => Set::few(few.iter().map(|value| signed(*value, from) as u128 & mask(to)).collect()),
        _ => value.mixed(),
    }
}

pub fn address(mut base: Set, offset: i64, terms: &[(Set, i64, Option<u8>)]) -> Set {
    if terms.iter().any(|(term, ..)| term.is_empty()) {
        return Set::default();
    }
    let without_object = base.places.is_empty();
    let mut all = Set { places: vec![], outside: base.outside, ..Set::default() };
    let (mut moves, mut rows) = (vec![offset], vec![]);
    for (term, scale, bits) in terms {
        match (term.as_few(), bits) {
            (Some(few), Some(bits)) if few.len() * moves.len() <= MOST_MOVES => {
                let by = |value: &u128| (signed(*value, *bits) as i64).wrapping_mul(*scale);
                moves = moves.iter().flat_map(|from| few.iter().map(|value| from.wrapping_add(by(value)))).collect();
            }
            _ => rows.push(match (term.ends(), bits) {
                (Some((least, most)), Some(bits)) if u128::from(most) <= mask(*bits) >> 1 => {
                    (*scale, Some((least, most)))
                }
                _ => (*scale, None),
            }),
        }
        // An address may be what is added.
        if without_object || term.outside {
            all.join(&Set { numbers: Numbers::Few(vec![]), ..term.mixed() });
        }
    }
    for (object, at) in base.places.drain(..) {
        for by in &moves {
            let along = |at: Offset, (scale, ends): &(i64, Option<(u64, u64)>)| match ends {
                Some((least, most)) => at.times(*scale, *least, *most),
                None => at.in_steps(scale.unsigned_abs()),
            };
            all.join(&Set::place(object, rows.iter().fold(at.moved(*by), along)));
        }
    }
    all.numbers = match base.numbers {
        Numbers::Few(values) if rows.is_empty() => {
            let moved =
                |value: &u128| moves.iter().map(|by| value.wrapping_add(*by as u128) & mask(64)).collect::<Vec<_>>();
            Set::few(values.iter().flat_map(moved).collect()).numbers
        }
        Numbers::Few(values) if values.is_empty() => Numbers::Few(vec![]),
        _ => Numbers::Any,
    };
    all
}
