//! Operations on labelled values become nodes. The value recorded is the one the machine computed; where
//! the machine and the theory disagree (a shift past the width, a conversion out of range) there is no
//! node: the label is dropped and counted. A label whose recorded value is not the operand's real value
//! is stale (a foreign call, a longjmp) and dropped too. Identities are folded when the value stays the same.

use crate::events::lost;
use crate::nodes::{
    concat, condition, constant, extract, get, intern, intern_narrow, mask, narrow_constant, narrow_value, value,
    value_of,
};
use crate::state::STATE;
use core::ops::{BitAnd, BitOr, Shl};
use symcrete_abi::lost::NO_SITE;
use symcrete_abi::{Label, Lost, Op, Packed};

/// Values of up to 64 bits, or of up to 128: nearly all are narrow, and narrow ones are several times cheaper.
pub trait Bits: Copy + Eq + BitAnd<Output = Self> + BitOr<Output = Self> + Shl<u32, Output = Self> {
    const ZERO: Self;
    const ONE: Self;
    fn mask(width: u32) -> Self;
    fn wide(self) -> u128;
    /// The value recorded in a node that is not wider than these bits.
    fn of(node: &Packed) -> Self;
    fn reaches(self, width: u32) -> bool;
    fn constant(self, width: u32) -> Label;
    fn intern(self, op: Op, width: u32, a: Label, b: Label) -> Label;
}

impl Bits for u64 {
    const ZERO: u64 = 0;
    const ONE: u64 = 1;
    #[inline(always)]
    fn mask(width: u32) -> u64 {
        u64::MAX.wrapping_shr(64u32.wrapping_sub(width))
    }
    #[inline(always)]
    fn wide(self) -> u128 {
        self as u128
    }
    #[inline(always)]
    fn of(node: &Packed) -> u64 {
        narrow_value(node)
    }
    #[inline(always)]
    fn reaches(self, width: u32) -> bool {
        self >= width as u64
    }
    #[inline(always)]
    fn constant(self, width: u32) -> Label {
        narrow_constant(self, width)
    }
    #[inline(always)]
    fn intern(self, op: Op, width: u32, a: Label, b: Label) -> Label {
        intern_narrow(op, width, a, b, self)
    }
}

impl Bits for u128 {
    const ZERO: u128 = 0;
    const ONE: u128 = 1;
    fn mask(width: u32) -> u128 {
        mask(width)
    }
    fn wide(self) -> u128 {
        self
    }
    fn of(node: &Packed) -> u128 {
        value_of(node)
    }
    fn reaches(self, width: u32) -> bool {
        self >= width as u128
    }
    fn constant(self, width: u32) -> Label {
        constant(self, width)
    }
    fn intern(self, op: Op, width: u32, a: Label, b: Label) -> Label {
        intern(op, width, a, b, 0, self)
    }
}

/// The operand's label if it really stands for `real`, fitted to `width`; else 0.
#[inline(always)]
fn operand<B: Bits>(label: Label, width: u32, real: B) -> Label {
    if label == 0 {
        return 0;
    }
    let node = get(label);
    if node.width as u32 == width && B::of(node) == real {
        return label;
    }
    misfit(label, width, real.wide())
}

/// A prototype that does not match may hand us a wider value; anything else is a label gone stale.
#[cold]
#[inline(never)]
fn misfit(label: Label, width: u32, real: u128) -> Label {
    if get(label).width as u32 > width && value(label) & mask(width) == real {
        return extract(label, 0, width);
    }
    lost(Lost::Stale as u32, NO_SITE);
    0
}

#[cold]
#[inline(never)]
fn undefined() -> Label {
    lost(Lost::Undefined as u32, NO_SITE);
    0
}

/// What has to be looked at before a binary operation becomes a node; most operations need none of it.
const TRAITS: [u8; 256] = {
    let mut traits = [0; 256];
    let mut i = 0;
    while i < Op::ALL.len() {
        let op = Op::ALL[i];
        traits[op as usize] = (if op.is_predicate() { PREDICATE } else { 0 })
            | (if partial(op) { PARTIAL } else { 0 })
            | (if same(op) { SAME } else { 0 })
            | (if folds(op) { FOLDS } else { 0 });
        i += 1;
    }
    traits
};
const PREDICATE: u8 = 1;
const PARTIAL: u8 = 2;
const SAME: u8 = 4;
const FOLDS: u8 = 8;

/// Operations that the machine or the theory leaves open for some operands.
const fn partial(op: Op) -> bool {
    matches!(op, Op::Shl | Op::LShr | Op::AShr | Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::FMin | Op::FMax)
}

/// Operations of a value with itself whose result is a constant.
const fn same(op: Op) -> bool {
    matches!(op, Op::Sub | Op::Xor | Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::USubO | Op::SSubO)
        || matches!(op, Op::UltSame | Op::UleSame)
}

/// Operations that [`folded`] knows something about.
const fn folds(op: Op) -> bool {
    matches!(
        op,
        Op::Add
            | Op::Sub
            | Op::Mul
            | Op::UDiv
            | Op::SDiv
            | Op::Shl
            | Op::LShr
            | Op::AShr
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Eq
            | Op::Ne
    )
}

/// Binary operations and predicates on operands of `width` bits.
#[inline(always)]
pub fn two<B: Bits>(op: Op, width: u32, la: Label, lb: Label, va: B, vb: B, result: B) -> Label {
    two_or::<B, false>(op, width, la, lb, va, vb, result)
}

/// The same for what is decided by at once.
#[inline(always)]
pub fn decided(op: Op, width: u32, la: Label, lb: Label, va: u64, vb: u64, result: u64) -> Label {
    two_or::<u64, true>(op, width, la, lb, va, vb, result)
}

#[inline(always)]
fn two_or<B: Bits, const DECIDED: bool>(op: Op, width: u32, la: Label, lb: Label, va: B, vb: B, result: B) -> Label {
    let (va, vb) = (va & B::mask(width), vb & B::mask(width));
    let (la, lb) = (operand(la, width, va), operand(lb, width, vb));
    if la | lb == 0 {
        return 0;
    }
    let traits = TRAITS[op as usize];
    let result_width = if traits & PREDICATE != 0 { 1 } else { width };
    let result = result & B::mask(result_width);
    if traits & PARTIAL != 0 && is_open(op, width, va, vb) {
        return undefined();
    }
    if la == lb && traits & SAME != 0 {
        return 0;
    }
    if (la == 0 || lb == 0)
        && traits & FOLDS != 0
        && let Some(label) = folded(op, width, la, lb, va, vb)
    {
        return label;
    }
    let a = if la == 0 { va.constant(width) } else { la };
    let b = if lb == 0 { vb.constant(width) } else { lb };
    if a == 0 || b == 0 {
        return 0;
    }
    if DECIDED && traits & PREDICATE != 0 {
        return condition(op, a, b, (result != B::ZERO) as u64);
    }
    result.intern(op, result_width, a, b)
}

fn is_open<B: Bits>(op: Op, width: u32, va: B, vb: B) -> bool {
    match op {
        Op::Shl | Op::LShr | Op::AShr => vb.reaches(width),
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem => vb == B::ZERO,
        // The sign of a zero is left open.
        Op::FMin | Op::FMax => va != vb && (va | vb) == B::ONE << (width - 1),
        _ => false,
    }
}

/// Operations with one constant operand that give the other operand, or a constant.
#[inline(always)]
fn folded<B: Bits>(op: Op, width: u32, la: Label, lb: Label, va: B, vb: B) -> Option<Label> {
    let (label, known) = if la == 0 { (lb, va) } else { (la, vb) };
    let zero = known == B::ZERO;
    match op {
        // A zero-extended value never has bits above its own.
        Op::Eq | Op::Ne if beyond(label, known) => Some(0),
        Op::Ne if zero => boolean(label),
        Op::Add | Op::Or | Op::Xor if zero => Some(label),
        Op::Sub | Op::Shl | Op::LShr | Op::AShr if lb == 0 && zero => Some(label),
        Op::Shl | Op::LShr | Op::AShr if la == 0 && zero => Some(0),
        Op::Mul if known == B::ONE => Some(label),
        Op::UDiv | Op::SDiv if lb == 0 && known == B::ONE => Some(label),
        Op::And if known == B::mask(width) => Some(label),
        Op::And | Op::Mul if zero => Some(0),
        _ => None,
    }
}

/// Whether `known` has bits where the zero-extended `label` cannot have any.
#[inline(always)]
fn beyond<B: Bits>(label: Label, known: B) -> bool {
    let node = get(label);
    node.op == Op::ZExt as u8 && known & B::mask(get(node.a).width as u32) != known
}

/// The one-bit value that `label` extends, if it does.
fn boolean(label: Label) -> Option<Label> {
    let node = get(label);
    if node.width == 1 {
        return Some(label);
    }
    (node.op == Op::ZExt as u8 && get(node.a).width == 1).then_some(node.a)
}

/// Operations on one operand of `from` bits with a result of `width` bits.
/// `low` is the first bit of an Extract.
#[inline(always)]
pub fn one<B: Bits>(op: Op, width: u32, from: u32, la: Label, va: B, low: u32, result: B) -> Label {
    let va = va & B::mask(from);
    let a = operand(la, from, va);
    if a == 0 {
        return 0;
    }
    let result = result & B::mask(width);
    match op {
        Op::Extract => {
            if low + width > from || va.wide() >> low & mask(width) != result.wide() {
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
                (true, Some(inner_op)) => result.intern(inner_op, width, inner.a, 0),
                _ => result.intern(op, width, a, 0),
            }
        }
        Op::Ctlz | Op::Cttz if va == B::ZERO && result.wide() != width as u128 => undefined(),
        Op::FToSi | Op::FToUi if !converts(op, width, from, va.wide()) => undefined(),
        _ => result.intern(op, width, a, 0),
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

/// Everything with three operands or values of more than 64 bits: result of `width` bits, operands of `from`.
/// Concat: the operand width is that of `b`, the lower part. Extract: `b`'s value is the first bit.
pub fn wide(op: Op, width: u32, from: u32, labels: [Label; 3], values: [u128; 4]) -> Label {
    let [la, lb, lc] = labels;
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

/// A call of a function of the mathematical library.
pub fn native(number: u32, labels: [Label; 2], values: [u128; 2], result: u128) -> Label {
    let Some(native) = symcrete_abi::native::native(number) else { return 0 };
    let width = native.result.width();
    let mut fitted = [0; 2];
    for (i, operand_kind) in native.operands.iter().enumerate() {
        let width = operand_kind.width();
        fitted[i] = operand(labels[i], width, values[i] & mask(width));
    }
    if fitted == [0; 2] {
        return 0;
    }
    STATE.math_called.set(true);
    if STATE.errno_known.get() {
        lost(Lost::Errno as u32, NO_SITE);
    }
    for (i, operand_kind) in native.operands.iter().enumerate() {
        if fitted[i] == 0 {
            fitted[i] = constant(values[i], operand_kind.width());
            if fitted[i] == 0 {
                return 0;
            }
        }
    }
    match native.operands.len() {
        1 => intern(Op::Native1, width, fitted[0], number, 0, result & mask(width)),
        _ => intern(Op::Native2, width, fitted[0], fitted[1], number, result & mask(width)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{NODES, Run, verify};
    use crate::inputs::input_byte;

    type Meta = (Op, u32, u32);

    const fn meta(op: Op, width: u32, from: u32) -> Meta {
        (op, width, from)
    }

    fn binary(meta: u32, la: Label, lb: Label, va: u64, vb: u64, result: u64) -> Label {
        two(Op::from_u8(meta as u8).unwrap(), meta >> 8, la, lb, va as u128, vb as u128, result as u128)
    }

    fn unary((op, width, from): Meta, la: Label, va: u64, result: u64) -> Label {
        one(op, width, from, la, va as u128, 0, result as u128)
    }

    fn wide((op, width, from): Meta, la: Label, lb: Label, lc: Label, values: [u128; 4]) -> Label {
        super::wide(op, width, from, [la, lb, lc], values)
    }

    fn word(bytes: [u8; 4]) -> Label {
        word_of(0, bytes)
    }

    fn word_of(object: u32, bytes: [u8; 4]) -> Label {
        let mut all = 0;
        let mut value = 0u128;
        for (i, byte) in bytes.into_iter().enumerate() {
            let label = input_byte(object, i as u64, byte);
            all = if i == 0 { label } else { concat(label, byte as u128, 8, all, value, 8 * i as u32) };
            value |= (byte as u128) << (8 * i);
        }
        all
    }

    #[test]
    fn the_same_operation_is_one_node_and_constants_are_shared() {
        let run = Run::begin();
        let x = word([1, 2, 3, 4]);
        let value = 0x04030201u64;
        let op = Op::Add as u32 | 32 << 8;
        let sum = binary(op, x, 0, value, 5, value + 5);
        let before = run.node_count();
        assert_eq!(binary(op, x, 0, value, 5, value + 5), sum);
        assert_eq!(run.node_count(), before);
        let twice = binary(op, sum, x, value + 5, value, 2 * value + 5);
        assert_ne!(twice, 0);
        assert_eq!(binary(op, 0, 0, 1, 2, 3), 0);
        verify(&run);
    }

    #[test]
    fn what_the_theory_does_not_know_is_dropped_and_counted() {
        let run = Run::begin();
        let x = word([200, 0, 0, 0]);
        assert_eq!(binary(Op::Shl as u32 | 32 << 8, 0, x, 1, 200, 0x100), 0);
        let zero = word_of(1, [0, 0, 0, 0]);
        assert_eq!(binary(Op::UDiv as u32 | 32 << 8, 0, zero, 1, 0, 0), 0);
        assert_eq!(unary(meta(Op::Ctlz, 32, 32), zero, 0, 31), 0);
        assert_ne!(unary(meta(Op::Ctlz, 32, 32), zero, 0, 32), 0);
        assert_eq!(run.lost(Lost::Undefined), 3);
        // A label that does not have the operand's value.
        assert_eq!(binary(Op::Add as u32 | 32 << 8, x, 0, 201, 1, 202), 0);
        assert_eq!(run.lost(Lost::Stale), 1);
    }

    #[test]
    fn float_conversions_in_range_stay_and_others_go() {
        let cases: &[(Op, u32, f64, bool)] = &[
            (Op::FToSi, 32, 2147483647.5, true),
            (Op::FToSi, 32, 2147483648.0, false),
            (Op::FToSi, 32, -2147483648.9, true),
            (Op::FToSi, 32, -2147483649.0, false),
            (Op::FToSi, 64, 9.3e18, false),
            (Op::FToSi, 64, -9223372036854775808.0, true),
            (Op::FToSi, 64, -9223372036854777856.0, false),
            (Op::FToUi, 8, 255.9, true),
            (Op::FToUi, 8, 256.0, false),
            (Op::FToUi, 8, -0.9, true),
            (Op::FToUi, 8, -1.0, false),
            (Op::FToUi, 64, 1.8446744073709552e19, false),
            (Op::FToUi, 64, f64::NAN, false),
            (Op::FToSi, 64, f64::INFINITY, false),
        ];
        for &(op, width, value, expected) in cases {
            assert_eq!(converts(op, width, 64, value.to_bits() as u128), expected, "{op:?} {width} {value}");
        }
        assert!(converts(Op::FToSi, 16, 32, (-32768.5f32).to_bits() as u128));
    }

    #[test]
    fn bits_that_only_move_come_back_as_themselves() {
        let run = Run::begin();
        let byte = input_byte(0, 0, 0x91);
        let wide = unary(meta(Op::ZExt, 32, 8), byte, 0x91, 0x91);
        let wider = unary(meta(Op::ZExt, 64, 32), wide, 0x91, 0x91);
        assert_eq!(get(wider).a, byte);
        assert_eq!(unary(meta(Op::Extract, 8, 64), wider, 0x91, 0x91), byte);
        let signed = unary(meta(Op::SExt, 32, 8), byte, 0x91, 0xffff_ff91);
        let more = unary(meta(Op::SExt, 64, 32), signed, 0xffff_ff91, 0xffff_ffff_ffff_ff91);
        assert_eq!(get(more).a, byte);
        assert_eq!(wide32(Op::Extract, 8, 32, [word([1, 2, 3, 4]), 0], [0x04030201, 16, 3]), input_byte(0, 2, 3));
        assert_eq!(binary(Op::Add as u32 | 8 << 8, byte, 0, 0x91, 0, 0x91), byte);
        assert_eq!(binary(Op::And as u32 | 8 << 8, 0, byte, 0xff, 0x91, 0x91), byte);
        assert_eq!(binary(Op::Mul as u32 | 8 << 8, byte, 0, 0x91, 0, 0), 0);
        assert_eq!(binary(Op::Eq as u32 | 32 << 8, wide, 0, 0x91, 0xffff_ffff, 0), 0);
        assert_ne!(binary(Op::Eq as u32 | 32 << 8, wide, 0, 0x91, 0xff, 0), 0);
        let bit = binary(Op::Ult as u32 | 8 << 8, byte, 0, 0x91, 0xa0, 1);
        let extended = unary(meta(Op::ZExt, 32, 1), bit, 1, 1);
        assert_eq!(binary(Op::Ne as u32 | 32 << 8, extended, 0, 1, 0, 1), bit);
        verify(&run);
    }

    fn wide32(op: Op, width: u32, from: u32, labels: [Label; 2], values: [u128; 3]) -> Label {
        wide(meta(op, width, from), labels[0], labels[1], 0, [values[0], values[1], 0, values[2]])
    }

    #[test]
    fn selects_and_wide_operations_keep_their_values() {
        let run = Run::begin();
        let x = word([7, 0, 0, 1]);
        let v = 0x01000007u128;
        let condition = binary(Op::Slt as u32 | 32 << 8, x, 0, v as u64, 9, 0);
        let chosen = wide(meta(Op::Select, 32, 32), condition, x, 0, [0, v, 42, 42]);
        assert_eq!(crate::nodes::value(chosen), 42);
        // Without a labelled condition the chosen arm is all there is.
        assert_eq!(wide(meta(Op::Select, 32, 32), 0, x, 0, [1, v, 42, v]), x);
        assert_eq!(wide(meta(Op::Select, 32, 32), 0, x, 0, [0, v, 42, 42]), 0);
        let both = wide(
            meta(Op::Concat, 128, 64),
            0,
            unary(meta(Op::ZExt, 64, 32), x, v as u64, v as u64),
            0,
            [5, v, 0, 5 << 64 | v],
        );
        let product = wide(meta(Op::Mul, 128, 128), both, both, 0, {
            let value = 5u128 << 64 | v;
            [value, value, 0, value.wrapping_mul(value)]
        });
        assert_ne!(product, 0);
        verify(&run);
    }

    #[test]
    fn a_full_table_cuts_and_says_so() {
        let run = Run::begin();
        let x = word([1, 2, 3, 4]);
        let mut label = x;
        let mut value = 0x04030201u64;
        for i in 0..NODES {
            let next = (value + i + 1) & 0xffff_ffff;
            let new = binary(Op::Add as u32 | 32 << 8, label, 0, value, i + 1, next);
            if new == 0 {
                break;
            }
            (label, value) = (new, next);
        }
        assert_eq!(run.node_count(), NODES as u32);
        assert_eq!(run.header().truncated, symcrete_abi::layout::truncated::NODES);
        assert!(run.lost(Lost::Limit) > 0);
        // What is there is still found, after the hash table has grown several times.
        assert_eq!(word([1, 2, 3, 4]), x);
        for label in 1..run.node_count() {
            let node = *get(label);
            let op = Op::from_u8(node.op).unwrap();
            assert_eq!(
                intern(op, node.width as u32, node.a, node.b, crate::nodes::third(label), crate::nodes::value(label)),
                label
            );
        }
    }
}
