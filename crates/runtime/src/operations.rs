//! Operations on labelled values become nodes. The value recorded is the one the machine computed; where
//! the machine and the theory disagree (a shift past the width, a conversion out of range) there is no
//! node: the label is dropped and counted. A label whose recorded value is not the operand's real value
//! is stale (a foreign call, a longjmp) and dropped too. Identities are folded when the value stays the same.

use crate::events::lost;
use crate::nodes::{concat, constant, extract, get, intern, mask, value};
use symcrete_abi::lost::NO_SITE;
use symcrete_abi::{Label, Lost, Op};

/// The operand's label if it really stands for `real`, fitted to `width`; else 0.
#[inline(always)]
fn operand(label: Label, width: u32, real: u128) -> Label {
    if label == 0 {
        return 0;
    }
    let node = get(label);
    if node.width as u32 == width && value(label) == real {
        return label;
    }
    misfit(label, width, real)
}

/// A prototype that does not match may hand us a wider value; anything else is a label gone stale.
#[cold]
fn misfit(label: Label, width: u32, real: u128) -> Label {
    if get(label).width as u32 > width && value(label) & mask(width) == real {
        return extract(label, 0, width);
    }
    lost(Lost::Stale as u32, NO_SITE);
    0
}

#[cold]
fn undefined() -> Label {
    lost(Lost::Undefined as u32, NO_SITE);
    0
}

/// `meta` = op | operand width << 8.
#[inline(always)]
pub fn binary(meta: u32, la: Label, lb: Label, va: u64, vb: u64, result: u64) -> Label {
    let Some(op) = Op::from_u8(meta as u8) else { return undefined() };
    two(op, meta >> 8, la, lb, va as u128, vb as u128, result as u128)
}

#[inline(always)]
fn two(op: Op, width: u32, la: Label, lb: Label, va: u128, vb: u128, result: u128) -> Label {
    let (va, vb) = (va & mask(width), vb & mask(width));
    let (la, lb) = (operand(la, width, va), operand(lb, width, vb));
    if la | lb == 0 {
        return 0;
    }
    let result_width = if op.is_predicate() { 1 } else { width };
    let result = result & mask(result_width);
    match op {
        Op::Shl | Op::LShr | Op::AShr if vb >= width as u128 => return undefined(),
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem if vb == 0 => return undefined(),
        // The sign of a zero is left open.
        Op::FMin | Op::FMax if va != vb && (va | vb) == 1 << (width - 1) => return undefined(),
        _ => {}
    }
    if la == 0 || lb == 0 {
        if let Some(label) = folded(op, width, la, lb, va, vb) {
            return label;
        }
    }
    let a = if la == 0 { constant(va, width) } else { la };
    let b = if lb == 0 { constant(vb, width) } else { lb };
    if a == 0 || b == 0 {
        return 0;
    }
    intern(op, result_width, a, b, 0, result)
}

/// Operations with one constant operand that give the other operand, or a constant.
#[inline(always)]
fn folded(op: Op, width: u32, la: Label, lb: Label, va: u128, vb: u128) -> Option<Label> {
    let (label, known) = if la == 0 { (lb, va) } else { (la, vb) };
    match op {
        Op::Add | Op::Or | Op::Xor if known == 0 => Some(label),
        Op::Sub | Op::Shl | Op::LShr | Op::AShr if lb == 0 && vb == 0 => Some(label),
        Op::Shl | Op::LShr | Op::AShr if la == 0 && va == 0 => Some(0),
        Op::Mul if known == 1 => Some(label),
        Op::UDiv | Op::SDiv if lb == 0 && vb == 1 => Some(label),
        Op::And if known == mask(width) => Some(label),
        Op::And | Op::Mul if known == 0 => Some(0),
        Op::Ne if known == 0 => boolean(label),
        _ => None,
    }
}

/// The one-bit value that `label` extends, if it does.
fn boolean(label: Label) -> Option<Label> {
    let node = get(label);
    if node.width == 1 {
        return Some(label);
    }
    (node.op == Op::ZExt as u8 && get(node.a).width == 1).then_some(node.a)
}

/// `meta` = op | result width << 8 | operand width << 20.
#[inline(always)]
pub fn unary(meta: u32, la: Label, va: u64, result: u64) -> Label {
    let Some(op) = Op::from_u8(meta as u8) else { return undefined() };
    one(op, meta >> 8 & 0xfff, meta >> 20, la, va as u128, 0, result as u128)
}

/// `low` is the first bit of an Extract.
#[inline(always)]
fn one(op: Op, width: u32, from: u32, la: Label, va: u128, low: u32, result: u128) -> Label {
    let va = va & mask(from);
    let a = operand(la, from, va);
    if a == 0 {
        return 0;
    }
    let result = result & mask(width);
    match op {
        Op::Extract => {
            if low + width > from || va >> low & mask(width) != result {
                return undefined();
            }
            extract(a, low, width)
        }
        Op::ZExt | Op::SExt if from == width => a,
        Op::ZExt | Op::SExt => {
            let inner = get(a);
            // zext of zext, sext of sext, and sext of zext (whose sign bit is 0) are one step.
            let same = inner.op == op as u8 || (op == Op::SExt && inner.op == Op::ZExt as u8);
            match (same, Op::from_u8(inner.op)) {
                (true, Some(inner_op)) => intern(inner_op, width, inner.a, 0, 0, result),
                _ => intern(op, width, a, 0, 0, result),
            }
        }
        Op::Ctlz | Op::Cttz if va == 0 && result != width as u128 => undefined(),
        Op::FToSi | Op::FToUi if !converts(op, width, from, va) => undefined(),
        _ => intern(op, width, a, 0, 0, result),
    }
}

/// Whether the float `bits` has an integer of `width` bits.
fn converts(op: Op, width: u32, from: u32, bits: u128) -> bool {
    let float = match from {
        32 => f32::from_bits(bits as u32) as f64,
        64 => f64::from_bits(bits as u64),
        _ => return false,
    };
    // Powers of two are exact, so these comparisons are; NaN fails both.
    let power = |exponent: u32| f64::from_bits((1023 + exponent as u64) << 52);
    if op == Op::FToUi {
        return float > -1.0 && float < power(width);
    }
    // Below -2^(w-1) by less than one still truncates into range; where doubles are that coarse the
    // subtraction changes nothing and the bound itself is what counts.
    let least = -power(width - 1);
    (float > least - 1.0 || float >= least) && float < power(width - 1)
}

/// `meta` = op | result width << 8 | operand width << 20; values a, b, c, result in the scratch.
/// Concat: the operand width is that of `b`, the lower part. Extract: `b`'s value is the first bit.
pub fn wide(meta: u32, la: Label, lb: Label, lc: Label, values: [u128; 4]) -> Label {
    let Some(op) = Op::from_u8(meta as u8) else { return undefined() };
    let (width, from) = (meta >> 8 & 0xfff, meta >> 20);
    let [va, vb, vc, result] = values;
    match op {
        Op::Concat => {
            let high = width - from;
            let (va, vb) = (va & mask(high), vb & mask(from));
            let (la, lb) = (operand(la, high, va), operand(lb, from, vb));
            if la | lb == 0 { 0 } else { concat(la, va, high, lb, vb, from) }
        }
        Op::Extract => one(op, width, from, la, va, vb as u32, result),
        _ => match op.operands() {
            1 => one(op, width, from, la, va, 0, result),
            3 => three(op, width, [la, lb, lc], [va, vb, vc], result & mask(width)),
            _ => two(op, from, la, lb, va, vb, result),
        },
    }
}

fn three(op: Op, width: u32, labels: [Label; 3], values: [u128; 3], result: u128) -> Label {
    let widths = [if op == Op::Select { 1 } else { width }, width, width];
    let mut fitted = [0; 3];
    for i in 0..3 {
        fitted[i] = operand(labels[i], widths[i], values[i] & mask(widths[i]));
    }
    if fitted == [0; 3] {
        return 0;
    }
    if op == Op::Select {
        // A constant condition picks; equal arms need no condition.
        if fitted[0] == 0 {
            return fitted[if values[0] & 1 == 1 { 1 } else { 2 }];
        }
        if fitted[1] == fitted[2] && (fitted[1] != 0 || (values[1] ^ values[2]) & mask(width) == 0) {
            return fitted[1];
        }
    }
    for i in 0..3 {
        if fitted[i] == 0 {
            fitted[i] = constant(values[i], widths[i]);
            if fitted[i] == 0 {
                return 0;
            }
        }
    }
    intern(op, width, fitted[0], fitted[1], fitted[2], result)
}
