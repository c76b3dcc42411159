//! Rules of and, or, exclusive or; inversion is an exclusive or with all ones. Masks become
//! extracts, so that what is known of the other bits is seen by the rules of comparisons.

use super::concat::{disjoint_parts, disjoint_shape};
use super::{Application, Rule, Shape, rule};
use crate::bits::mask;
use crate::op::Op;
use crate::store::{TermId, Terms};

const BITWISE: &[Op] = &[Op::And, Op::Or, Op::Xor];

pub(super) static AND: &[Rule] = &[
    rule("and-zero-ones", and_trivial, |s| {
        let x = s.x();
        s.op_k(Op::And, x)
    }),
    rule("bitwise-self", same, self_shape),
    rule("bitwise-merge-constants", merge, merge_shape),
    rule("bitwise-complement", complement, complement_shape),
    rule("bitwise-absorb", absorb, absorb_shape),
    rule("bitwise-of-zext", of_zext, of_zext_shape),
    rule("and-mask", and_mask, |s| {
        let x = s.x();
        s.op_k(Op::And, x)
    }),
    rule("bitwise-of-concat", of_concat, of_concat_shape),
];

pub(super) static OR: &[Rule] = &[
    rule("or-zero-ones", or_trivial, |s| {
        let x = s.x();
        s.op_k(Op::Or, x)
    }),
    rule("bitwise-self", same, self_shape),
    rule("bitwise-merge-constants", merge, merge_shape),
    rule("bitwise-complement", complement, complement_shape),
    rule("bitwise-absorb", absorb, absorb_shape),
    rule("or-disjoint-parts", disjoint_parts, |s| disjoint_shape(s, Op::Or)),
    rule("bitwise-of-zext", of_zext, of_zext_shape),
    rule("bitwise-of-concat", of_concat, of_concat_shape),
];

pub(super) static XOR: &[Rule] = &[
    rule("xor-zero", xor_zero, |s| {
        let x = s.x();
        s.op_k(Op::Xor, x)
    }),
    rule("bitwise-self", same, self_shape),
    rule("bitwise-merge-constants", merge, merge_shape),
    rule("xor-twice", xor_twice, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.op(Op::Xor, &[x, y]);
        s.op(Op::Xor, &[a, y])
    }),
    rule("not-comparison", not_comparison, |s| {
        let (x, y) = (s.x(), s.y());
        let op = s.one_of(&[Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle]);
        let a = s.op(op, &[x, y]);
        s.op_k(Op::Xor, a)
    }),
    rule("not-of-two-inverted", not_demorgan, |s| {
        let (x, y) = (s.x(), s.y());
        let ones = s.terms.constant(s.w, u128::MAX);
        let (nx, ny) = (s.op(Op::Xor, &[x, ones]), s.op(Op::Xor, &[y, ones]));
        let op = s.one_of(&[Op::And, Op::Or]);
        let a = s.op(op, &[nx, ny]);
        s.op(Op::Xor, &[a, ones])
    }),
    rule("xor-disjoint-parts", disjoint_parts, |s| disjoint_shape(s, Op::Xor)),
    rule("bitwise-of-zext", of_zext, of_zext_shape),
    rule("bitwise-of-concat", of_concat, of_concat_shape),
];

fn self_shape(s: &mut Shape<'_>) -> TermId {
    let x = s.x();
    let op = s.one_of(BITWISE);
    s.op(op, &[x, x])
}

fn same(t: &mut Terms, app: Application) -> Option<TermId> {
    if app.args[0] != app.args[1] {
        return None;
    }
    Some(if app.op == Op::Xor { t.constant(app.width, 0) } else { app.args[0] })
}

fn and_trivial(t: &mut Terms, app: Application) -> Option<TermId> {
    match t.as_constant(app.args[1])? {
        0 => Some(app.args[1]),
        k if k == mask(app.width) => Some(app.args[0]),
        _ => None,
    }
}

fn or_trivial(t: &mut Terms, app: Application) -> Option<TermId> {
    match t.as_constant(app.args[1])? {
        0 => Some(app.args[0]),
        k if k == mask(app.width) => Some(app.args[1]),
        _ => None,
    }
}

fn xor_zero(t: &mut Terms, app: Application) -> Option<TermId> {
    (t.as_constant(app.args[1])? == 0).then_some(app.args[0])
}

fn merge_shape(s: &mut Shape<'_>) -> TermId {
    let x = s.x();
    let op = s.one_of(BITWISE);
    let a = s.op_k(op, x);
    s.op_k(op, a)
}

fn merge(t: &mut Terms, app: Application) -> Option<TermId> {
    let second = t.as_constant(app.args[1])?;
    let (x, first) = t.with_constant(app.args[0], app.op)?;
    let k = match app.op {
        Op::And => first & second,
        Op::Or => first | second,
        _ => first ^ second,
    };
    let k = t.constant(app.width, k);
    Some(t.binary(app.op, x, k))
}

fn complement_shape(s: &mut Shape<'_>) -> TermId {
    let x = s.x();
    let ones = s.terms.constant(s.w, u128::MAX);
    let inverted = s.op(Op::Xor, &[x, ones]);
    let op = s.one_of(&[Op::And, Op::Or]);
    s.op(op, &[x, inverted])
}

fn complement(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    if t.inverted(a) != Some(b) && t.inverted(b) != Some(a) {
        return None;
    }
    Some(t.constant(app.width, if app.op == Op::And { 0 } else { u128::MAX }))
}

fn absorb_shape(s: &mut Shape<'_>) -> TermId {
    let (x, y) = (s.x(), s.y());
    let inner = s.one_of(&[Op::And, Op::Or]);
    let outer = s.one_of(&[Op::And, Op::Or]);
    let a = s.op(inner, &[x, y]);
    s.op(outer, &[a, y])
}

fn absorb(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    let dual = if app.op == Op::And { Op::Or } else { Op::And };
    for (compound, plain) in [(a, b), (b, a)] {
        match t.operation(compound) {
            Some((op, [x, y, _])) if (op == dual || op == app.op) && (x == plain || y == plain) => {
                return Some(if op == dual { plain } else { compound });
            }
            _ => {}
        }
    }
    None
}

fn xor_twice(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    for (compound, plain) in [(a, b), (b, a)] {
        if let Some([x, y, _]) = t.is(compound, Op::Xor) {
            if x == plain {
                return Some(y);
            }
            if y == plain {
                return Some(x);
            }
        }
    }
    None
}

fn not_comparison(t: &mut Terms, app: Application) -> Option<TermId> {
    if app.width != 1 || app.args[1] != TermId::TRUE {
        return None;
    }
    let (op, [x, y, _]) = t.operation(app.args[0])?;
    Some(match op {
        Op::Eq => t.ne(x, y),
        Op::Ne => t.eq(x, y),
        Op::Ult => t.ule(y, x),
        Op::Ule => t.ult(y, x),
        Op::Slt => t.sle(y, x),
        Op::Sle => t.slt(y, x),
        _ => return None,
    })
}

fn not_demorgan(t: &mut Terms, app: Application) -> Option<TermId> {
    if t.as_constant(app.args[1])? != mask(app.width) {
        return None;
    }
    let (op, [a, b, _]) = t.operation(app.args[0])?;
    let dual = match op {
        Op::And => Op::Or,
        Op::Or => Op::And,
        _ => return None,
    };
    let (x, y) = (t.inverted(a)?, t.inverted(b)?);
    Some(t.binary(dual, x, y))
}

fn of_zext_shape(s: &mut Shape<'_>) -> TermId {
    let (x, y) = (s.x(), s.y());
    let a = s.extended(Op::ZExt, x, 1);
    let op = s.one_of(BITWISE);
    if s.number(0, 1) == 0 {
        s.op_k(op, a)
    } else {
        let b = s.extended(Op::ZExt, y, 1);
        s.op(op, &[a, b])
    }
}

/// The high bits are known: the operation is done on the narrow operands.
fn of_zext(t: &mut Terms, app: Application) -> Option<TermId> {
    let [x, ..] = t.is(app.args[0], Op::ZExt)?;
    let narrow = t.width(x);
    let y = match t.as_constant(app.args[1]) {
        Some(k) if app.op == Op::And || k <= mask(narrow) => t.constant(narrow, k),
        Some(_) => return None,
        None => {
            let [y, ..] = t.is(app.args[1], Op::ZExt)?;
            if t.width(y) != narrow {
                return None;
            }
            y
        }
    };
    let inner = t.binary(app.op, x, y);
    Some(t.zext(inner, app.width))
}

/// A float's absolute value, or the float with its sign inverted: worth more as a whole than bit by bit.
fn is_of_a_sign(app: Application, k: u128) -> bool {
    let sign = 1 << (app.width - 1);
    matches!(app.width, 32 | 64) && (app.op == Op::And && k == sign - 1 || app.op == Op::Xor && k == sign)
}

/// A mask of adjacent ones keeps those bits where they are, with zeros around.
fn and_mask(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    if is_of_a_sign(app, k) {
        return None;
    }
    let low = k.trailing_zeros();
    let run = k >> low;
    if run & run.wrapping_add(1) != 0 {
        return None;
    }
    let length = run.trailing_ones() as u8;
    let middle = t.extract(app.args[0], low as u8, length);
    let shifted = if low == 0 {
        middle
    } else {
        let zeros = t.constant(low as u8, 0);
        t.concat(middle, zeros)
    };
    Some(t.zext(shifted, app.width))
}

fn of_concat_shape(s: &mut Shape<'_>) -> TermId {
    let (x, y) = (s.x(), s.y());
    let a = s.op(Op::Concat, &[x, y]);
    let op = s.one_of(BITWISE);
    s.op_k(op, a)
}

/// Only where one part of the constant is all zeros or all ones, so that one part is settled.
fn of_concat(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    if is_of_a_sign(app, k) {
        return None;
    }
    let [high, low, _] = t.is(app.args[0], Op::Concat)?;
    let (high_width, low_width) = (t.width(high), t.width(low));
    let (high_k, low_k) = (k >> low_width, k & mask(low_width));
    let settled = |part: u128, width: u8| part == 0 || part == mask(width);
    if !settled(high_k, high_width) && !settled(low_k, low_width) {
        return None;
    }
    let (high_k, low_k) = (t.constant(high_width, high_k), t.constant(low_width, low_k));
    let (high, low) = (t.binary(app.op, high, high_k), t.binary(app.op, low, low_k));
    Some(t.concat(high, low))
}
