//! Numbers that an input spells out in digits, and what they would have to be for a comparison to come out differently. What is
//! compared may be anything computed from the digits, so all of it is guessing.

use crate::guesses::{Seen, Text};
use std::ops::Range;
use symcrete_abi::layout::Node;
use symcrete_abi::{Label, Op};
use symcrete_exec::{Trace, value_of};
use symcrete_program::{SiteId, SiteKind};

/// How deep the comparisons of one condition may lie in it.
const DEPTH: u32 = 3;

/// Other numbers for those that a decision depends on, each of which may lead to an outcome that it did not have.
pub fn texts(seen: &Seen<'_>, decided_on: Label, site: SiteId, outcome: usize) -> Vec<Text> {
    let mut changes = vec![];
    match &seen.program.site(site).1.kind {
        SiteKind::Switch { cases, .. } => {
            if let (Some(node), Some(case)) = (seen.trace.node(decided_on), cases.get(outcome)) {
                let by = signed(case.wrapping_sub(value_of(&node)), node.width);
                changes.push(Change { operand: decided_on, by: By::Integer(by) });
            }
        }
        _ => changes_of(&seen.trace, decided_on, DEPTH, &mut changes),
    }
    changes.iter().flat_map(|change| texts_for(seen, change)).collect()
}

/// Other numbers for the numerals that an operand comes from.
fn texts_for(seen: &Seen<'_>, change: &Change) -> Vec<Text> {
    let mut texts = vec![];
    let Some(have) = seen.trace.node(change.operand) else { return texts };
    let fraction = matches!(change.by, By::Float(_));
    for (object, offsets) in seen.bytes_of(change.operand) {
        let Some(bytes) = seen.bytes(object) else { continue };
        for range in numerals(bytes, &offsets, fraction) {
            let Ok(old) = std::str::from_utf8(&bytes[range.clone()]) else { continue };
            let written = rewritten(old, &have, change.by).into_iter();
            texts.extend(written.map(|text| Text { object, range: range.clone(), text: text.into_bytes() }));
        }
    }
    texts
}

/// A number would have to be another one.
struct Change {
    operand: Label,
    by: By,
}

#[derive(Clone, Copy)]
enum By {
    Integer(i128),
    Float(f64),
}

/// What would have to change for any comparison of a condition to come out differently.
fn changes_of(trace: &Trace<'_>, condition: Label, depth: u32, changes: &mut Vec<Change>) {
    let Some(node) = trace.node(condition) else { return };
    let Some(op) = Op::from_u8(node.op) else { return };
    if !op.is_predicate() {
        if depth > 0 && matches!(op, Op::And | Op::Or | Op::Xor) {
            [node.a, node.b].into_iter().for_each(|part| changes_of(trace, part, depth - 1, changes));
        }
        return;
    }
    let (Some(a), Some(b)) = (trace.node(node.a), trace.node(node.b)) else { return };
    let Some(by) = difference(op, &a, &b) else { return };
    for (operand, label, by) in [(a, node.a, by), (b, node.b, by.negated())] {
        if Op::from_u8(operand.op) != Some(Op::Const) {
            changes.push(Change { operand: label, by });
        }
    }
}

/// By how much the left side has to change for the comparison to come out differently, just so.
fn difference(op: Op, a: &Node, b: &Node) -> Option<By> {
    let apart = || signed(value_of(b).wrapping_sub(value_of(a)), a.width);
    let ordered = |signed_order: bool, or_equal: bool| {
        let less = if signed_order {
            let (a, b) = (signed(value_of(a), a.width), signed(value_of(b), b.width));
            if or_equal { a <= b } else { a < b }
        } else if or_equal {
            value_of(a) <= value_of(b)
        } else {
            value_of(a) < value_of(b)
        };
        match (less, or_equal) {
            (true, false) | (false, true) => apart(),
            (false, false) => apart().wrapping_sub(1),
            (true, true) => apart().wrapping_add(1),
        }
    };
    Some(match op {
        Op::Eq | Op::Ne if value_of(a) == value_of(b) => By::Integer(1),
        Op::Eq | Op::Ne => By::Integer(apart()),
        Op::Ult | Op::UltSame => By::Integer(ordered(false, false)),
        Op::Ule | Op::UleSame => By::Integer(ordered(false, true)),
        Op::Slt => By::Integer(ordered(true, false)),
        Op::Sle => By::Integer(ordered(true, true)),
        Op::FOeq | Op::FOlt | Op::FOle => {
            let (a, b) = (float(a)?, float(b)?);
            let differs = match op {
                Op::FOeq => a != b,
                Op::FOlt => a < b,
                _ => a > b,
            };
            // What is at the border already has to go beyond it.
            let step = if op == Op::FOlt { -1.0 } else { 1.0 };
            By::Float(if differs { b - a } else { b - a + step })
        }
        _ => return None,
    })
}

impl By {
    fn negated(self) -> By {
        match self {
            By::Integer(by) => By::Integer(by.wrapping_neg()),
            By::Float(by) => By::Float(-by),
        }
    }
}

fn signed(value: u128, width: u16) -> i128 {
    let unused = 128 - u32::from(width.clamp(1, 128));
    (value << unused) as i128 >> unused
}

fn float(node: &Node) -> Option<f64> {
    let bits = value_of(node);
    let value = match node.width {
        32 => f64::from(f32::from_bits(bits as u32)),
        64 => f64::from_bits(bits as u64),
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// Where numbers stand that have a digit at one of these places; a sign in front of them belongs to them.
fn numerals(bytes: &[u8], offsets: &[usize], fraction: bool) -> Vec<Range<usize>> {
    let digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    let digits = |from: usize| (from..).take_while(|place| digit(*place)).count();
    let mut found: Vec<Range<usize>> = vec![];
    for &offset in offsets {
        if found.last().is_some_and(|last| offset < last.end) || !digit(offset) {
            continue;
        }
        let back = |from: usize| (0..from).rev().take_while(|place| digit(*place)).count();
        let mut from = offset - back(offset);
        if fraction && from > 0 && bytes[from - 1] == b'.' {
            from -= 1 + back(from - 1);
        }
        let mut end = from + digits(from);
        if fraction {
            if bytes.get(end) == Some(&b'.') {
                end += 1 + digits(end + 1);
            }
            if matches!(bytes.get(end), Some(b'e' | b'E')) {
                let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
                let exponent = digits(end + 1 + sign);
                end += if exponent > 0 { 1 + sign + exponent } else { 0 };
            }
        }
        from -= usize::from(from > 0 && matches!(bytes[from - 1], b'+' | b'-'));
        found.push(from..end);
    }
    found
}

/// What may stand instead of a numeral for a value that was `have` to change: the number may count as it is, the other way
/// round, or by a factor.
fn rewritten(old: &str, have: &Node, by: By) -> Vec<String> {
    let mut texts: Vec<String> = match by {
        By::Integer(by) => {
            let Ok(old) = old.parse::<i128>() else { return vec![] };
            let have = signed(value_of(have), have.width);
            let scaled = have.checked_add(by).and_then(|want| want.checked_mul(old));
            let scaled = scaled.filter(|_| have != 0 && have != old).filter(|scaled| scaled % have == 0);
            let numbers = [old.checked_add(by), old.checked_sub(by), scaled.map(|scaled| scaled / have)];
            numbers.into_iter().flatten().map(|number| number.to_string()).collect()
        }
        By::Float(by) => {
            let (Ok(old), Some(have)) = (old.parse::<f64>(), float(have)) else { return vec![] };
            // Nothing is lost by adding where the number is what is compared.
            let want = if have == old { have + by } else { old + by };
            let numbers = [want, old - by, old * ((have + by) / have)];
            numbers.into_iter().filter(|number| number.is_finite()).map(shortest).collect()
        }
    };
    texts.dedup();
    texts.retain(|text| text != old);
    texts
}

fn shortest(number: f64) -> String {
    let (plain, exponent) = (number.to_string(), format!("{number:e}"));
    if plain.len() <= exponent.len() { plain } else { exponent }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(width: u16, value: u64) -> Node {
        Node { op: Op::Add as u8, width, a: 0, b: 0, c: 0, value: [value, 0] }
    }

    fn by(op: Op, a: u64, b: u64) -> Option<i128> {
        match difference(op, &node(32, a), &node(32, b))? {
            By::Integer(by) => Some(by),
            By::Float(_) => None,
        }
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one stretch is what is expected")]
    fn numbers_are_found_whole() {
        let text = b"add -12 3.5e-7, 0x9 .25";
        assert_eq!(numerals(text, &[5, 6], false), [4..7]);
        assert_eq!(numerals(text, &[8, 10], true), [8..14]);
        assert_eq!(numerals(text, &[10], true), [8..14]);
        assert_eq!(numerals(text, &[0, 3], false), [0..0; 0]);
        assert_eq!(numerals(text, &[22], true), [20..23]);
        assert_eq!(numerals(b"12e+", &[0, 1], true), [0..2]);
    }

    #[test]
    fn a_comparison_says_by_how_much() {
        assert_eq!(by(Op::Eq, 7, 4711), Some(4704));
        assert_eq!(by(Op::Ne, 5, 5), Some(1));
        assert_eq!(by(Op::Slt, 0xffff_ffff, 10), Some(11));
        assert_eq!(by(Op::Slt, 10, 10), Some(-1));
        assert_eq!(by(Op::Ult, 3, 10), Some(7));
        assert_eq!(by(Op::Sle, 3, 10), Some(8));
        assert_eq!(by(Op::Ule, 12, 10), Some(-2));
        assert_eq!(by(Op::UAddO, 12, 10), None);
    }

    #[test]
    fn the_number_is_written_as_it_may_count() {
        // As it is, from the other side, and doubled before it was compared.
        let texts = rewritten("7", &node(32, 7), By::Integer(4704));
        assert_eq!(texts, ["4711", "-4697"]);
        assert_eq!(rewritten("3", &node(32, 6), By::Integer(94)), ["97", "-91", "50"]);
        let half = Node { width: 64, ..node(64, 0.5f64.to_bits()) };
        assert_eq!(rewritten("0.5", &half, By::Float(1e300))[0], "1e300");
        assert_eq!(rewritten("+0.50", &half, By::Float(1.0))[0], "1.5");
        assert_eq!(rewritten("x", &half, By::Float(1.0)), [""; 0]);
    }
}
