//! Rules of equality and its negation: constants cross to the other side, extensions come off,
//! words fall apart into bytes, conditions compared with constants become the condition.

use super::{Application, Rule, Shape, rule};
use crate::bits::{mask, signed};
use crate::op::Op;
use crate::store::{TermId, Terms};

const EQUALITY: &[Op] = &[Op::Eq, Op::Ne];
const EXTENSIONS: &[Op] = &[Op::ZExt, Op::SExt];

pub(super) static EQUAL: &[Rule] = &[
    rule("eq-self", eq_self, |s| {
        let x = s.x();
        let op = s.one_of(EQUALITY);
        s.op(op, &[x, x])
    }),
    rule("eq-bit-constant", eq_bit, |s| {
        let p = s.p();
        let op = s.one_of(EQUALITY);
        s.op_k(op, p)
    }),
    rule("eq-add-constant", eq_add, |s| {
        let x = s.x();
        let a = s.op_k(Op::Add, x);
        let op = s.one_of(EQUALITY);
        s.op_k(op, a)
    }),
    rule("eq-reversed-sub-constant", eq_reversed_sub, |s| {
        let (x, k) = (s.x(), s.k());
        let a = s.op(Op::Sub, &[k, x]);
        let op = s.one_of(EQUALITY);
        s.op_k(op, a)
    }),
    rule("eq-difference-zero", eq_difference, |s| {
        let (x, y) = (s.x(), s.y());
        let inner = s.one_of(&[Op::Sub, Op::Xor]);
        let a = s.op(inner, &[x, y]);
        let op = s.one_of(EQUALITY);
        s.op_k(op, a)
    }),
    rule("eq-xor-constant", eq_xor, |s| {
        let x = s.x();
        let a = s.op_k(Op::Xor, x);
        let op = s.one_of(EQUALITY);
        s.op_k(op, a)
    }),
    rule("eq-mul-odd-constant", eq_mul, |s| {
        let x = s.x();
        let a = s.op_k(Op::Mul, x);
        let op = s.one_of(EQUALITY);
        s.op_k(op, a)
    }),
    rule("eq-extension-constant", eq_extension, |s| {
        let x = s.x();
        let extension = s.one_of(EXTENSIONS);
        let a = s.extended(extension, x, 2);
        let op = s.one_of(EQUALITY);
        s.op_k(op, a)
    }),
    rule("eq-of-extensions", eq_extensions, |s| {
        let (x, y) = (s.x(), s.y());
        let extension = s.one_of(EXTENSIONS);
        let y = s.some_bits(y);
        let narrow = s.terms.width(y);
        let (a, b) = (s.extended(extension, x, 1), s.extended(extension, y, s.w + 1 - narrow));
        let op = s.one_of(EQUALITY);
        s.op(op, &[a, b])
    }),
    rule("eq-concat-constant", eq_concat_constant, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.op(Op::Concat, &[x, y]);
        let op = s.one_of(EQUALITY);
        s.op_k(op, a)
    }),
    rule("eq-of-concats", eq_concats, |s| {
        let (x, y, z, k) = (s.x(), s.y(), s.z(), s.k());
        let (a, b) = (s.op(Op::Concat, &[x, y]), s.op(Op::Concat, &[z, k]));
        let op = s.one_of(EQUALITY);
        s.op(op, &[a, b])
    }),
    rule("eq-or-zero", eq_or_zero, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.op(Op::Or, &[x, y]);
        let zero = s.terms.constant(s.w, 0);
        let op = s.one_of(EQUALITY);
        s.op(op, &[a, zero])
    }),
    rule("compare-select-of-constants", compare_select, compare_select_shape),
    rule("eq-cancel-add", eq_cancel, |s| {
        let (x, y, z) = (s.x(), s.y(), s.z());
        let a = s.op(Op::Add, &[x, y]);
        let op = s.one_of(EQUALITY);
        if s.number(0, 1) == 0 {
            s.op(op, &[a, x])
        } else {
            let b = s.op(Op::Add, &[y, z]);
            s.op(op, &[a, b])
        }
    }),
];

fn eq_self(_: &mut Terms, app: Application) -> Option<TermId> {
    (app.args[0] == app.args[1]).then_some(Terms::boolean(app.op == Op::Eq))
}

fn eq_bit(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    if t.width(a) != 1 {
        return None;
    }
    let one = t.as_constant(b)? == 1;
    Some(if one == (app.op == Op::Eq) { a } else { t.not(a) })
}

/// The comparison again, with another left side and constant.
fn against(t: &mut Terms, app: Application, x: TermId, k: u128) -> Option<TermId> {
    let k = t.constant(t.width(x), k);
    Some(t.binary(app.op, x, k))
}

fn eq_add(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let (x, added) = t.with_constant(app.args[0], Op::Add)?;
    against(t, app, x, k.wrapping_sub(added))
}

fn eq_reversed_sub(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let [from, x, _] = t.is(app.args[0], Op::Sub)?;
    let from = t.as_constant(from)?;
    against(t, app, x, from.wrapping_sub(k))
}

fn eq_difference(t: &mut Terms, app: Application) -> Option<TermId> {
    if t.as_constant(app.args[1])? != 0 {
        return None;
    }
    match t.operation(app.args[0])? {
        (Op::Sub | Op::Xor, [x, y, _]) => Some(t.binary(app.op, x, y)),
        _ => None,
    }
}

fn eq_xor(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let (x, other) = t.with_constant(app.args[0], Op::Xor)?;
    against(t, app, x, k ^ other)
}

/// An odd factor has an inverse modulo a power of two.
fn eq_mul(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let (x, factor) = t.with_constant(app.args[0], Op::Mul)?;
    if factor & 1 == 0 {
        return None;
    }
    // Newton's iteration doubles the number of right bits; an odd number is its own inverse modulo 8.
    let mut inverse = factor;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(factor.wrapping_mul(inverse)));
    }
    against(t, app, x, k.wrapping_mul(inverse))
}

fn eq_extension(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let (op, [x, ..]) = t.operation(app.args[0])?;
    let (narrow, wide) = (t.width(x), t.width(app.args[0]));
    let kept = k & mask(narrow);
    let fits = match op {
        Op::ZExt => kept == k,
        Op::SExt => signed(kept, narrow) as u128 & mask(wide) == k,
        _ => return None,
    };
    if !fits {
        return Some(Terms::boolean(app.op == Op::Ne));
    }
    against(t, app, x, kept)
}

/// Both sides at the wider of the two narrow widths.
pub(super) fn unextended(t: &mut Terms, op: Op, a: TermId, b: TermId) -> Option<(TermId, TermId)> {
    let ([x, ..], [y, ..]) = (t.is(a, op)?, t.is(b, op)?);
    let width = t.width(x).max(t.width(y));
    Some((t.apply(op, width, &[x]), t.apply(op, width, &[y])))
}

fn eq_extensions(t: &mut Terms, app: Application) -> Option<TermId> {
    let (op, _) = t.operation(app.args[0])?;
    if !matches!(op, Op::ZExt | Op::SExt) {
        return None;
    }
    let (x, y) = unextended(t, op, app.args[0], app.args[1])?;
    Some(t.binary(app.op, x, y))
}

/// Both for equality, either for its negation.
fn both(t: &mut Terms, app: Application, first: TermId, second: TermId) -> TermId {
    t.binary(if app.op == Op::Eq { Op::And } else { Op::Or }, first, second)
}

fn eq_concat_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let [high, low, _] = t.is(app.args[0], Op::Concat)?;
    let low_width = t.width(low);
    let first = against(t, app, high, k >> low_width)?;
    let second = against(t, app, low, k)?;
    Some(both(t, app, first, second))
}

fn eq_concats(t: &mut Terms, app: Application) -> Option<TermId> {
    let ([h, l, _], [high, low, _]) = (t.is(app.args[0], Op::Concat)?, t.is(app.args[1], Op::Concat)?);
    if t.width(l) != t.width(low) {
        return None;
    }
    let (first, second) = (t.binary(app.op, h, high), t.binary(app.op, l, low));
    Some(both(t, app, first, second))
}

fn eq_or_zero(t: &mut Terms, app: Application) -> Option<TermId> {
    if t.as_constant(app.args[1])? != 0 {
        return None;
    }
    let [x, y, _] = t.is(app.args[0], Op::Or)?;
    let (first, second) = (against(t, app, x, 0)?, against(t, app, y, 0)?);
    Some(both(t, app, first, second))
}

fn eq_cancel(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    for (sum, other) in [(a, b), (b, a)] {
        let Some([x, y, _]) = t.is(sum, Op::Add) else { continue };
        for (kept, gone) in [(x, y), (y, x)] {
            if gone == other {
                return against(t, app, kept, 0);
            }
            if let Some([p, q, _]) = t.is(other, Op::Add) {
                let rest = if p == gone {
                    q
                } else if q == gone {
                    p
                } else {
                    continue;
                };
                return Some(t.binary(app.op, kept, rest));
            }
        }
    }
    None
}

pub(super) fn compare_select_shape(s: &mut Shape<'_>) -> TermId {
    let (p, a, b) = (s.p(), s.k(), s.k());
    let a = s.op(Op::Select, &[p, a, b]);
    let op = s.one_of(&[Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Slt, Op::Sle]);
    s.either_k(op, a)
}

/// A choice between constants, compared with a constant, is the condition of the choice.
pub(super) fn compare_select(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    let (p, yes, no) = if t.is_constant(b) {
        let [p, yes, no] = t.is(a, Op::Select)?;
        if !t.is_constant(yes) || !t.is_constant(no) {
            return None;
        }
        (p, t.binary(app.op, yes, b), t.binary(app.op, no, b))
    } else {
        t.as_constant(a)?;
        let [p, yes, no] = t.is(b, Op::Select)?;
        if !t.is_constant(yes) || !t.is_constant(no) {
            return None;
        }
        (p, t.binary(app.op, a, yes), t.binary(app.op, a, no))
    };
    Some(t.select(p, yes, no))
}
