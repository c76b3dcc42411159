//! Rules of choices. A choice between one and zero is its condition.

use super::{Application, Rule, rule};
use crate::bits::mask;
use crate::op::Op;
use crate::store::{TermId, Terms};

pub(super) static SELECT: &[Rule] = &[
    rule("select-constant-condition", constant_condition, |s| {
        let (p, x, y) = (s.constant(1), s.x(), s.y());
        s.op(Op::Select, &[p, x, y])
    }),
    rule("select-same", same, |s| {
        let (p, x) = (s.p(), s.x());
        s.op(Op::Select, &[p, x, x])
    }),
    rule("select-negated-condition", negated, |s| {
        let (p, x, y) = (s.p(), s.x(), s.y());
        let not = if s.number(0, 1) == 0 { s.op(Op::Xor, &[p, TermId::TRUE]) } else { s.op(Op::Ne, &[x, y]) };
        s.op(Op::Select, &[not, x, y])
    }),
    rule("select-bit", bit, |s| {
        let (p, k) = (s.p(), s.constant(1));
        let x = s.x();
        let x = s.terms.extract(x, 0, 1);
        if s.number(0, 1) == 0 { s.op(Op::Select, &[p, x, k]) } else { s.op(Op::Select, &[p, k, x]) }
    }),
    rule("select-one-zero", one_zero, |s| {
        let (p, a, b) = (s.p(), s.k(), s.k());
        s.op(Op::Select, &[p, a, b])
    }),
    rule("select-again", again, |s| {
        let (p, x, y, z) = (s.p(), s.x(), s.y(), s.z());
        let inner = s.op(Op::Select, &[p, x, y]);
        if s.number(0, 1) == 0 { s.op(Op::Select, &[p, inner, z]) } else { s.op(Op::Select, &[p, z, inner]) }
    }),
    rule("select-of-extensions", extensions, |s| {
        let (p, x, y) = (s.p(), s.x(), s.y());
        let op = s.one_of(&[Op::ZExt, Op::SExt]);
        let (a, b) = (s.extended(op, x, 1), s.extended(op, y, 1));
        s.op(Op::Select, &[p, a, b])
    }),
];

fn constant_condition(t: &mut Terms, app: Application) -> Option<TermId> {
    let [p, yes, no] = app.args;
    Some(if t.as_constant(p)? == 1 { yes } else { no })
}

fn same(_: &mut Terms, app: Application) -> Option<TermId> {
    (app.args[1] == app.args[2]).then_some(app.args[1])
}

fn negated(t: &mut Terms, app: Application) -> Option<TermId> {
    let [p, yes, no] = app.args;
    let positive = match t.operation(p)? {
        (Op::Xor, [q, one, _]) if one == TermId::TRUE => q,
        (Op::Ne, [x, y, _]) => t.eq(x, y),
        _ => return None,
    };
    Some(t.select(positive, no, yes))
}

fn bit(t: &mut Terms, app: Application) -> Option<TermId> {
    let [p, yes, no] = app.args;
    if app.width != 1 {
        return None;
    }
    match (t.as_constant(yes), t.as_constant(no)) {
        (Some(1), _) => Some(t.or(p, no)),
        (Some(_), _) => {
            let not = t.not(p);
            Some(t.and(not, no))
        }
        (_, Some(0)) => Some(t.and(p, yes)),
        (_, Some(_)) => {
            let not = t.not(p);
            Some(t.or(not, yes))
        }
        _ => None,
    }
}

fn one_zero(t: &mut Terms, app: Application) -> Option<TermId> {
    let [p, yes, no] = app.args;
    let (yes, no) = (t.as_constant(yes)?, t.as_constant(no)?);
    let ones = mask(app.width);
    Some(match (yes, no) {
        (1, 0) => t.zext(p, app.width),
        (0, 1) => {
            let not = t.not(p);
            t.zext(not, app.width)
        }
        (yes, 0) if yes == ones => t.sext(p, app.width),
        (0, no) if no == ones => {
            let not = t.not(p);
            t.sext(not, app.width)
        }
        _ => return None,
    })
}

fn again(t: &mut Terms, app: Application) -> Option<TermId> {
    let [p, yes, no] = app.args;
    if let Some([q, x, _]) = t.is(yes, Op::Select)
        && p == q
    {
        return Some(t.select(p, x, no));
    }
    let [q, _, y] = t.is(no, Op::Select)?;
    (p == q).then(|| t.select(p, yes, y))
}

fn extensions(t: &mut Terms, app: Application) -> Option<TermId> {
    let [p, yes, no] = app.args;
    let (op, [x, ..]) = t.operation(yes)?;
    let (other, [y, ..]) = t.operation(no)?;
    if op != other || !matches!(op, Op::ZExt | Op::SExt) || t.width(x) != t.width(y) {
        return None;
    }
    let inner = t.select(p, x, y);
    Some(t.apply(op, app.width, &[inner]))
}
