//! Rules of the orderings: ends of the range become equalities, `<=` against a constant becomes
//! `<`, extensions come off, range tests on widened bytes are done on the bytes.

use super::compare::{compare_select, compare_select_shape, unextended};
use super::{Application, Rule, Shape, rule};
use crate::bits::{mask, negative, signed, signed_max, signed_min};
use crate::op::Op;
use crate::store::{TermId, Terms};

const UNSIGNED_OPS: &[Op] = &[Op::Ult, Op::Ule];
const SIGNED_OPS: &[Op] = &[Op::Slt, Op::Sle];

pub(super) static UNSIGNED: &[Rule] = &[
    rule("order-self", order_self, order_self_shape),
    rule("order-ends", order_ends, order_ends_shape),
    rule("ule-constant", ule_constant, |s| {
        let x = s.x();
        s.either_k(Op::Ule, x)
    }),
    rule("ult-of-zext", ult_zext, |s| {
        let x = s.x();
        let a = s.extended(Op::ZExt, x, 2);
        s.either_k(Op::Ult, a)
    }),
    rule("order-of-extensions", order_extensions, order_extensions_shape),
    rule("ult-add-on-zext", ult_add_zext, |s| {
        let x = s.x();
        let a = s.extended(Op::ZExt, x, 2);
        let a = s.op_k(Op::Add, a);
        s.op_k(Op::Ult, a)
    }),
    rule("compare-select-of-constants", compare_select, compare_select_shape),
    rule("ult-concat-constant", ult_concat, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.op(Op::Concat, &[x, y]);
        s.either_k(Op::Ult, a)
    }),
];

pub(super) static SIGNED: &[Rule] = &[
    rule("order-self", order_self, order_self_shape),
    rule("order-ends", order_ends, order_ends_shape),
    rule("sle-constant", sle_constant, |s| {
        let x = s.x();
        s.either_k(Op::Sle, x)
    }),
    rule("slt-of-nonnegative", slt_nonnegative, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.extended(Op::ZExt, x, 1);
        let op = s.one_of(SIGNED_OPS);
        if s.number(0, 1) == 0 {
            s.either_k(op, a)
        } else {
            let b = s.extended(Op::ZExt, y, 1);
            s.op(op, &[a, b])
        }
    }),
    rule("slt-of-sext", slt_sext, |s| {
        let x = s.x();
        let a = s.extended(Op::SExt, x, 2);
        s.either_k(Op::Slt, a)
    }),
    rule("order-of-extensions", order_extensions, order_extensions_shape),
    rule("slt-add-on-zext", slt_add_zext, |s| {
        let x = s.x();
        let a = s.extended(Op::ZExt, x, 3);
        let a = s.op_k(Op::Add, a);
        s.either_k(Op::Slt, a)
    }),
    rule("compare-select-of-constants", compare_select, compare_select_shape),
];

fn strict(op: Op) -> bool {
    matches!(op, Op::Ult | Op::Slt)
}

fn order_self_shape(s: &mut Shape<'_>) -> TermId {
    let x = s.x();
    let op = s.one_of(&[Op::Ult, Op::Ule, Op::Slt, Op::Sle]);
    s.op(op, &[x, x])
}

fn order_self(_: &mut Terms, app: Application) -> Option<TermId> {
    (app.args[0] == app.args[1]).then_some(Terms::boolean(!strict(app.op)))
}

fn order_ends_shape(s: &mut Shape<'_>) -> TermId {
    let x = s.x();
    let op = s.one_of(&[Op::Ult, Op::Ule, Op::Slt, Op::Sle]);
    s.either_k(op, x)
}

/// Comparisons with the smallest or largest value, or the one beside it.
fn order_ends(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    let width = t.width(a);
    let (least, most) = match app.op {
        Op::Ult | Op::Ule => (0, mask(width)),
        _ => (signed_min(width), signed_max(width)),
    };
    let next = |k: u128| k.wrapping_add(1) & mask(width);
    let before = |k: u128| k.wrapping_sub(1) & mask(width);
    let is = |t: &mut Terms, x: TermId, op: Op, k: u128| {
        let k = t.constant(width, k);
        Some(t.binary(op, x, k))
    };
    if let Some(k) = t.as_constant(b) {
        return match strict(app.op) {
            true if k == least => Some(TermId::FALSE),
            true if k == next(least) => is(t, a, Op::Eq, least),
            true if k == most => is(t, a, Op::Ne, most),
            false if k == most => Some(TermId::TRUE),
            false if k == least => is(t, a, Op::Eq, least),
            _ => None,
        };
    }
    let k = t.as_constant(a)?;
    match strict(app.op) {
        true if k == most => Some(TermId::FALSE),
        true if k == before(most) => is(t, b, Op::Eq, most),
        true if k == least => is(t, b, Op::Ne, least),
        false if k == least => Some(TermId::TRUE),
        false if k == most => is(t, b, Op::Eq, most),
        _ => None,
    }
}

/// The ends were settled before, so the neighbouring constant exists.
fn made_strict(t: &mut Terms, app: Application, op: Op) -> Option<TermId> {
    let [a, b, _] = app.args;
    let width = t.width(a);
    if let Some(k) = t.as_constant(b) {
        let k = t.constant(width, k.wrapping_add(1));
        return Some(t.binary(op, a, k));
    }
    let k = t.as_constant(a)?;
    let k = t.constant(width, k.wrapping_sub(1));
    Some(t.binary(op, k, b))
}

fn ule_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    if app.op == Op::Ule { made_strict(t, app, Op::Ult) } else { None }
}

fn sle_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    if app.op == Op::Sle { made_strict(t, app, Op::Slt) } else { None }
}

fn ult_zext(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    if app.op != Op::Ult {
        return None;
    }
    if let Some(k) = t.as_constant(b) {
        let [x, ..] = t.is(a, Op::ZExt)?;
        let narrow = t.width(x);
        if k > mask(narrow) {
            return Some(TermId::TRUE);
        }
        let k = t.constant(narrow, k);
        return Some(t.ult(x, k));
    }
    let k = t.as_constant(a)?;
    let [x, ..] = t.is(b, Op::ZExt)?;
    let narrow = t.width(x);
    if k >= mask(narrow) {
        return Some(TermId::FALSE);
    }
    let k = t.constant(narrow, k);
    Some(t.ult(k, x))
}

fn order_extensions_shape(s: &mut Shape<'_>) -> TermId {
    let (x, y) = (s.x(), s.y());
    let y = s.some_bits(y);
    let narrow = s.terms.width(y);
    let extension = s.one_of(&[Op::ZExt, Op::SExt]);
    let (a, b) = (s.extended(extension, x, 1), s.extended(extension, y, s.w + 1 - narrow));
    let op = s.one_of(if extension == Op::ZExt { UNSIGNED_OPS } else { &[Op::Ult, Op::Ule, Op::Slt, Op::Sle] });
    s.op(op, &[a, b])
}

/// Extensions keep the order: zero extension the unsigned one, sign extension both.
fn order_extensions(t: &mut Terms, app: Application) -> Option<TermId> {
    let (op, _) = t.operation(app.args[0])?;
    let kept = match op {
        Op::ZExt => matches!(app.op, Op::Ult | Op::Ule),
        Op::SExt => true,
        _ => false,
    };
    if !kept {
        return None;
    }
    let (x, y) = unextended(t, op, app.args[0], app.args[1])?;
    Some(t.binary(app.op, x, y))
}

/// `x + added < bound` over a widened `x`, as `isdigit` and its kind compile to.
fn ult_add_zext(t: &mut Terms, app: Application) -> Option<TermId> {
    let bound = t.as_constant(app.args[1])?;
    let (sum, added) = t.with_constant(app.args[0], Op::Add)?;
    let [x, ..] = t.is(sum, Op::ZExt)?;
    let (narrow, wide) = (t.width(x), t.width(sum));
    if app.op != Op::Ult || narrow >= wide {
        return None;
    }
    if let Some(most) = added.checked_add(mask(narrow))
        && most <= mask(wide)
    {
        // The sum never wraps: the constant crosses over.
        if bound <= added {
            return Some(TermId::FALSE);
        }
        let bound = t.constant(wide, bound - added);
        return Some(t.ult(sum, bound));
    }
    // Below `start` the sum wraps to huge values in both widths, provided the bound is below them.
    let start = added.wrapping_neg() & mask(wide);
    if start > mask(narrow) || bound > mask(narrow) - start + 1 {
        return None;
    }
    let (added, bound) = (t.constant(narrow, added), t.constant(narrow, bound));
    if t.as_constant(bound) == Some(0) {
        return None;
    }
    let sum = t.add(x, added);
    Some(t.ult(sum, bound))
}

fn slt_nonnegative(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    let width = t.width(a);
    let zext = |t: &Terms, id| t.is(id, Op::ZExt).is_some_and(|[x, ..]| t.width(x) < width);
    let unsigned = if app.op == Op::Slt { Op::Ult } else { Op::Ule };
    match (t.as_constant(a), t.as_constant(b)) {
        (None, Some(k)) if zext(t, a) => {
            Some(if negative(k, width) { TermId::FALSE } else { t.binary(unsigned, a, b) })
        }
        (Some(k), None) if zext(t, b) => Some(if negative(k, width) { TermId::TRUE } else { t.binary(unsigned, a, b) }),
        (None, None) if zext(t, a) && zext(t, b) => Some(t.binary(unsigned, a, b)),
        _ => None,
    }
}

fn slt_sext(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    if app.op != Op::Slt {
        return None;
    }
    let wide = t.width(a);
    let (x, k, left) = match (t.as_constant(a), t.as_constant(b)) {
        (None, Some(k)) => (t.is(a, Op::SExt)?[0], signed(k, wide), true),
        (Some(k), None) => (t.is(b, Op::SExt)?[0], signed(k, wide), false),
        _ => return None,
    };
    let narrow = t.width(x);
    let (least, most) = (signed(signed_min(narrow), narrow), signed_max(narrow) as i128);
    if k < least {
        return Some(Terms::boolean(!left));
    }
    if k > most {
        return Some(Terms::boolean(left));
    }
    let k = t.constant(narrow, k as u128);
    Some(if left { t.slt(x, k) } else { t.slt(k, x) })
}

fn slt_add_zext(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    let (sum, bound, left) = match (t.as_constant(a), t.as_constant(b)) {
        (None, Some(k)) => (a, k, true),
        (Some(k), None) => (b, k, false),
        _ => return None,
    };
    let (x, added) = t.with_constant(sum, Op::Add)?;
    let [inner, ..] = t.is(x, Op::ZExt)?;
    let (narrow, wide) = (t.width(inner), t.width(x));
    if app.op != Op::Slt || narrow >= wide {
        return None;
    }
    let (added, bound) = (signed(added, wide), signed(bound, wide));
    let (least, most) = (signed(signed_min(wide), wide), signed_max(wide) as i128);
    // The sum must not wrap, and the constant must still fit when it has crossed over.
    if added.checked_add(mask(narrow) as i128)? > most {
        return None;
    }
    let moved = bound.checked_sub(added)?;
    if !(least..=most).contains(&moved) {
        return None;
    }
    let bound = t.constant(wide, moved as u128);
    Some(if left { t.slt(x, bound) } else { t.slt(bound, x) })
}

/// Low parts that cannot decide are dropped: `(x, y) < (k, 0)` is `x < k`, `(k, ones) < (x, y)` is
/// `k < x`.
fn ult_concat(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    if app.op != Op::Ult {
        return None;
    }
    if let Some(k) = t.as_constant(b) {
        let [high, low, _] = t.is(a, Op::Concat)?;
        let cut = t.width(low);
        if k & mask(cut) != 0 {
            return None;
        }
        let k = t.constant(t.width(high), k >> cut);
        return Some(t.ult(high, k));
    }
    let k = t.as_constant(a)?;
    let [high, low, _] = t.is(b, Op::Concat)?;
    let cut = t.width(low);
    if k & mask(cut) != mask(cut) {
        return None;
    }
    let k = t.constant(t.width(high), k >> cut);
    Some(t.ult(k, high))
}
