//! Rules of overflow predicates: against a constant they are a comparison, over widened operands
//! they cannot happen.

use super::{Application, Rule, rule};
use crate::bits::{mask, signed, signed_max, signed_min};
use crate::op::Op;
use crate::store::{TermId, Terms};

const PREDICATES: &[Op] = &[Op::UAddO, Op::SAddO, Op::USubO, Op::SSubO, Op::UMulO, Op::SMulO];

pub(super) static OVERFLOW: &[Rule] = &[
    rule("usubo", usubo, |s| {
        let (x, y) = (s.x(), s.y());
        s.op(Op::USubO, &[x, y])
    }),
    rule("overflow-impossible", impossible, |s| {
        let (x, y) = (s.x(), s.y());
        let (op, first, second) =
            (s.one_of(PREDICATES), s.one_of(&[Op::ZExt, Op::SExt]), s.one_of(&[Op::ZExt, Op::SExt]));
        let more = s.number(1, s.w + 1);
        let a = s.extended(first, x, more);
        if s.number(0, 1) == 0 {
            s.op_k(op, a)
        } else {
            let b = s.extended(second, y, more);
            s.op(op, &[a, b])
        }
    }),
    rule("uaddo-constant", uaddo_constant, |s| {
        let x = s.x();
        s.op_k(Op::UAddO, x)
    }),
    rule("umulo-constant", umulo_constant, |s| {
        let x = s.x();
        s.op_k(Op::UMulO, x)
    }),
    rule("saddo-constant", saddo_constant, |s| {
        let x = s.x();
        let op = s.one_of(&[Op::SAddO, Op::SSubO]);
        s.op_k(op, x)
    }),
    rule("uaddo", uaddo, |s| {
        let (x, y) = (s.x(), s.y());
        s.op(Op::UAddO, &[x, y])
    }),
];

fn usubo(t: &mut Terms, app: Application) -> Option<TermId> {
    (app.op == Op::USubO).then(|| t.ult(app.args[0], app.args[1]))
}

/// The smallest range the operand is known to lie in, as signed numbers; none above 64 bits.
fn signed_range(t: &Terms, id: TermId) -> Option<(i128, i128)> {
    let width = t.width(id);
    if let Some(k) = t.as_constant(id) {
        let k = signed(k, width);
        return Some((k, k));
    }
    match t.operation(id) {
        Some((Op::ZExt, [x, ..])) if t.width(x) < width => Some((0, mask(t.width(x)) as i128)),
        Some((Op::SExt, [x, ..])) => {
            let narrow = t.width(x);
            Some((signed(signed_min(narrow), narrow), signed_max(narrow) as i128))
        }
        _ => Some((signed(signed_min(width), width), signed_max(width) as i128)),
    }
}

fn unsigned_most(t: &Terms, id: TermId) -> u128 {
    if let Some(k) = t.as_constant(id) {
        return k;
    }
    match t.is(id, Op::ZExt) {
        Some([x, ..]) => mask(t.width(x)),
        None => mask(t.width(id)),
    }
}

fn impossible(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    let width = t.width(a);
    let fits = match app.op {
        Op::UAddO => unsigned_most(t, a).checked_add(unsigned_most(t, b))? <= mask(width),
        Op::UMulO => unsigned_most(t, a).checked_mul(unsigned_most(t, b))? <= mask(width),
        Op::SAddO | Op::SSubO | Op::SMulO => {
            let ((a0, a1), (b0, b1)) = (signed_range(t, a)?, signed_range(t, b)?);
            let corners = match app.op {
                Op::SAddO => [a0.checked_add(b0)?, a1.checked_add(b1)?, 0, 0],
                Op::SSubO => [a0.checked_sub(b1)?, a1.checked_sub(b0)?, 0, 0],
                _ => [a0.checked_mul(b0)?, a0.checked_mul(b1)?, a1.checked_mul(b0)?, a1.checked_mul(b1)?],
            };
            let (least, most) = (signed(signed_min(width), width), signed_max(width) as i128);
            corners.iter().all(|corner| (least..=most).contains(corner))
        }
        _ => false,
    };
    fits.then_some(TermId::FALSE)
}

fn uaddo_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    if app.op != Op::UAddO {
        return None;
    }
    let width = t.width(app.args[0]);
    let room = t.constant(width, mask(width) - k);
    Some(t.ult(room, app.args[0]))
}

fn umulo_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    if app.op != Op::UMulO {
        return None;
    }
    let width = t.width(app.args[0]);
    let room = t.constant(width, mask(width).checked_div(k)?);
    Some(t.ult(room, app.args[0]))
}

/// Signed addition or subtraction of a constant leaves the range at one known end.
fn saddo_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let width = t.width(app.args[0]);
    let upwards = match (app.op, signed(k, width) > 0) {
        (Op::SAddO, up) => up,
        (Op::SSubO, up) => !up,
        _ => return None,
    };
    let back = |end: u128| match app.op {
        Op::SAddO => end.wrapping_sub(k),
        _ => end.wrapping_add(k),
    };
    if upwards {
        let last = t.constant(width, back(signed_max(width)));
        Some(t.slt(last, app.args[0]))
    } else {
        let first = t.constant(width, back(signed_min(width)));
        Some(t.slt(app.args[0], first))
    }
}

fn uaddo(t: &mut Terms, app: Application) -> Option<TermId> {
    (app.op == Op::UAddO).then(|| {
        let sum = t.add(app.args[0], app.args[1]);
        t.ult(sum, app.args[0])
    })
}
