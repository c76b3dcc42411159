//! Rules of shifts: by a constant they are an extract and an extension, whose bits other rules see
//! through. Shifts by an unknown amount stay.

use super::{Application, Rule, rule};
use crate::op::Op;
use crate::store::{TermId, Terms};

const SHIFTS: &[Op] = &[Op::Shl, Op::LShr, Op::AShr];

pub(super) static SHIFT: &[Rule] = &[
    rule("shift-by-zero", by_zero, |s| {
        let x = s.x();
        let op = s.one_of(SHIFTS);
        s.op_k(op, x)
    }),
    rule("shift-of-zero", of_zero, |s| {
        let x = s.x();
        let op = s.one_of(SHIFTS);
        s.either_k(op, x)
    }),
    rule("shift-too-far", too_far, |s| {
        let x = s.x();
        let op = s.one_of(SHIFTS);
        s.op_k(op, x)
    }),
    rule("shl-constant", shl_constant, |s| {
        let x = s.x();
        s.op_k(Op::Shl, x)
    }),
    rule("lshr-constant", lshr_constant, |s| {
        let x = s.x();
        s.op_k(Op::LShr, x)
    }),
    rule("ashr-constant", ashr_constant, |s| {
        let x = s.x();
        s.op_k(Op::AShr, x)
    }),
    rule("ashr-of-nonnegative", ashr_nonnegative, |s| {
        let (x, y) = (s.x(), s.y());
        let (a, b) = (s.extended(Op::ZExt, x, 1), s.extended(Op::ZExt, y, 1));
        s.op(Op::AShr, &[a, b])
    }),
];

fn by_zero(t: &mut Terms, app: Application) -> Option<TermId> {
    (t.as_constant(app.args[1])? == 0).then_some(app.args[0])
}

fn of_zero(t: &mut Terms, app: Application) -> Option<TermId> {
    (t.as_constant(app.args[0])? == 0).then_some(app.args[0])
}

fn too_far(t: &mut Terms, app: Application) -> Option<TermId> {
    if t.as_constant(app.args[1])? < app.width as u128 {
        return None;
    }
    if app.op != Op::AShr {
        return Some(t.constant(app.width, 0));
    }
    let sign = t.extract(app.args[0], app.width - 1, 1);
    Some(t.sext(sign, app.width))
}

fn shl_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    let by = t.as_constant(app.args[1])? as u8;
    if app.op != Op::Shl {
        return None;
    }
    let kept = t.extract(app.args[0], 0, app.width - by);
    let zeros = t.constant(by, 0);
    Some(t.concat(kept, zeros))
}

fn lshr_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    let by = t.as_constant(app.args[1])? as u8;
    if app.op != Op::LShr {
        return None;
    }
    let kept = t.extract(app.args[0], by, app.width - by);
    Some(t.zext(kept, app.width))
}

fn ashr_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    let by = t.as_constant(app.args[1])? as u8;
    if app.op != Op::AShr {
        return None;
    }
    let kept = t.extract(app.args[0], by, app.width - by);
    Some(t.sext(kept, app.width))
}

fn ashr_nonnegative(t: &mut Terms, app: Application) -> Option<TermId> {
    let [x, ..] = t.is(app.args[0], Op::ZExt)?;
    (app.op == Op::AShr && t.width(x) < app.width).then(|| t.lshr(app.args[0], app.args[1]))
}
