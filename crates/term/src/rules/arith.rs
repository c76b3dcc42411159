//! Rules of addition, subtraction, multiplication and division. Constants move outwards and merge;
//! powers of two become shifts. Division by an unknown stays as it is.

use super::{Application, Rule, rule};
use crate::bits::mask;
use crate::op::Op;
use crate::store::{TermId, Terms};

pub(super) static ADD: &[Rule] = &[
    rule("add-zero", add_zero, |s| {
        let x = s.x();
        s.op_k(Op::Add, x)
    }),
    rule("add-merge-constants", add_merge, |s| {
        let x = s.x();
        let a = s.op_k(Op::Add, x);
        s.op_k(Op::Add, a)
    }),
    rule("add-constant-of-reversed-sub", add_reversed_sub, |s| {
        let (x, k) = (s.x(), s.k());
        let a = s.op(Op::Sub, &[k, x]);
        s.op_k(Op::Add, a)
    }),
    rule("add-constant-outwards", add_outwards, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.op_k(Op::Add, x);
        s.op(Op::Add, &[a, y])
    }),
    rule("add-undoes-sub", add_undoes_sub, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.op(Op::Sub, &[x, y]);
        s.op(Op::Add, &[a, y])
    }),
    rule("add-of-opposite", add_opposite, |s| {
        let (x, y) = (s.x(), s.y());
        let zero = s.terms.constant(s.w, 0);
        let a = s.op(Op::Sub, &[zero, x]);
        s.op(Op::Add, &[a, y])
    }),
    rule("add-disjoint-parts", super::concat::disjoint_parts, |s| super::concat::disjoint_shape(s, Op::Add)),
];

pub(super) static SUB: &[Rule] = &[
    rule("sub-self", sub_self, |s| {
        let x = s.x();
        s.op(Op::Sub, &[x, x])
    }),
    rule("sub-constant", sub_constant, |s| {
        let x = s.x();
        s.op_k(Op::Sub, x)
    }),
    rule("sub-undoes-add", sub_undoes_add, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.op(Op::Add, &[x, y]);
        let other = if s.number(0, 1) == 0 { x } else { y };
        s.op(Op::Sub, &[a, other])
    }),
    rule("sub-constant-outwards", sub_outwards, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.op_k(Op::Add, x);
        if s.number(0, 1) == 0 { s.op(Op::Sub, &[a, y]) } else { s.op(Op::Sub, &[y, a]) }
    }),
    rule("sub-twice", sub_twice, |s| {
        let (x, k) = (s.x(), s.k());
        let a = s.op(Op::Sub, &[k, x]);
        let k = s.k();
        s.op(Op::Sub, &[k, a])
    }),
];

pub(super) static MUL: &[Rule] = &[
    rule("mul-zero-one", mul_trivial, |s| {
        let x = s.x();
        s.op_k(Op::Mul, x)
    }),
    rule("mul-power-of-two", mul_power, |s| {
        let x = s.x();
        s.op_k(Op::Mul, x)
    }),
    rule("mul-minus-one", mul_minus_one, |s| {
        let x = s.x();
        s.op_k(Op::Mul, x)
    }),
    rule("mul-merge-constants", mul_merge, |s| {
        let x = s.x();
        let a = s.op_k(Op::Mul, x);
        s.op_k(Op::Mul, a)
    }),
];

const DIVISIONS: &[Op] = &[Op::UDiv, Op::URem, Op::SDiv, Op::SRem];

pub(super) static DIV: &[Rule] = &[
    rule("div-by-one", div_one, |s| {
        let x = s.x();
        let op = s.one_of(DIVISIONS);
        s.op_k(op, x)
    }),
    rule("udiv-power-of-two", udiv_power, |s| {
        let x = s.x();
        s.op_k(Op::UDiv, x)
    }),
    rule("urem-power-of-two", urem_power, |s| {
        let x = s.x();
        s.op_k(Op::URem, x)
    }),
    rule("udiv-of-zext", udiv_zext, |s| {
        let x = s.x();
        let a = s.extended(Op::ZExt, x, 2);
        let op = s.one_of(&[Op::UDiv, Op::URem]);
        s.op_k(op, a)
    }),
    rule("sdiv-of-nonnegative", sdiv_nonnegative, |s| {
        let x = s.x();
        let a = s.extended(Op::ZExt, x, 1);
        let op = s.one_of(&[Op::SDiv, Op::SRem]);
        s.op_k(op, a)
    }),
];

fn add_zero(t: &mut Terms, app: Application) -> Option<TermId> {
    (t.as_constant(app.args[1])? == 0).then_some(app.args[0])
}

fn add_merge(t: &mut Terms, app: Application) -> Option<TermId> {
    let second = t.as_constant(app.args[1])?;
    let (x, first) = t.with_constant(app.args[0], Op::Add)?;
    let k = t.constant(app.width, first.wrapping_add(second));
    Some(t.add(x, k))
}

fn add_reversed_sub(t: &mut Terms, app: Application) -> Option<TermId> {
    let second = t.as_constant(app.args[1])?;
    let [k, x, _] = t.is(app.args[0], Op::Sub)?;
    let first = t.as_constant(k)?;
    let k = t.constant(app.width, first.wrapping_add(second));
    Some(t.sub(k, x))
}

fn add_outwards(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    if t.is_constant(b) {
        return None;
    }
    let (x, k, y) = match t.with_constant(a, Op::Add) {
        Some((x, k)) => (x, k, b),
        None => {
            let (y, k) = t.with_constant(b, Op::Add)?;
            (a, k, y)
        }
    };
    let sum = t.add(x, y);
    let k = t.constant(app.width, k);
    Some(t.add(sum, k))
}

fn add_undoes_sub(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    for (difference, other) in [(a, b), (b, a)] {
        if let Some([x, y, _]) = t.is(difference, Op::Sub)
            && y == other
        {
            return Some(x);
        }
    }
    None
}

fn add_opposite(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    for (opposite, other) in [(a, b), (b, a)] {
        if let Some([zero, x, _]) = t.is(opposite, Op::Sub)
            && t.as_constant(zero) == Some(0)
            && !t.is_constant(other)
        {
            return Some(t.sub(other, x));
        }
    }
    None
}

fn sub_self(t: &mut Terms, app: Application) -> Option<TermId> {
    (app.args[0] == app.args[1]).then(|| t.constant(app.width, 0))
}

fn sub_constant(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let k = t.constant(app.width, k.wrapping_neg());
    Some(t.add(app.args[0], k))
}

fn sub_undoes_add(t: &mut Terms, app: Application) -> Option<TermId> {
    let [x, y, _] = t.is(app.args[0], Op::Add)?;
    match app.args[1] {
        other if other == x => Some(y),
        other if other == y => Some(x),
        _ => None,
    }
}

fn sub_outwards(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    let (difference, k) = if let Some((x, k)) = t.with_constant(a, Op::Add) {
        (t.sub(x, b), k)
    } else {
        let (y, k) = t.with_constant(b, Op::Add)?;
        (t.sub(a, y), k.wrapping_neg())
    };
    let k = t.constant(app.width, k);
    Some(t.add(difference, k))
}

fn sub_twice(t: &mut Terms, app: Application) -> Option<TermId> {
    let outer = t.as_constant(app.args[0])?;
    let [k, x, _] = t.is(app.args[1], Op::Sub)?;
    let inner = t.as_constant(k)?;
    let k = t.constant(app.width, outer.wrapping_sub(inner));
    Some(t.add(x, k))
}

fn mul_trivial(t: &mut Terms, app: Application) -> Option<TermId> {
    match t.as_constant(app.args[1])? {
        0 => Some(app.args[1]),
        1 => Some(app.args[0]),
        _ => None,
    }
}

fn mul_power(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    k.is_power_of_two().then(|| {
        let by = t.constant(app.width, k.trailing_zeros() as u128);
        t.shl(app.args[0], by)
    })
}

fn mul_minus_one(t: &mut Terms, app: Application) -> Option<TermId> {
    (t.as_constant(app.args[1])? == mask(app.width)).then(|| t.neg(app.args[0]))
}

fn mul_merge(t: &mut Terms, app: Application) -> Option<TermId> {
    let second = t.as_constant(app.args[1])?;
    let (x, first) = t.with_constant(app.args[0], Op::Mul)?;
    let k = t.constant(app.width, first.wrapping_mul(second));
    Some(t.mul(x, k))
}

fn div_one(t: &mut Terms, app: Application) -> Option<TermId> {
    if t.as_constant(app.args[1])? != 1 {
        return None;
    }
    match app.op {
        // At one bit the signed constant is minus one, which divides just the same.
        Op::UDiv | Op::SDiv => Some(app.args[0]),
        Op::URem | Op::SRem => Some(t.constant(app.width, 0)),
        _ => None,
    }
}

fn udiv_power(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    (app.op == Op::UDiv && k.is_power_of_two()).then(|| {
        let by = t.constant(app.width, k.trailing_zeros() as u128);
        t.lshr(app.args[0], by)
    })
}

fn urem_power(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    (app.op == Op::URem && k.is_power_of_two()).then(|| {
        let low = t.constant(app.width, k - 1);
        t.and(app.args[0], low)
    })
}

fn udiv_zext(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let [x, ..] = t.is(app.args[0], Op::ZExt)?;
    let narrow = t.width(x);
    if k == 0 || !matches!(app.op, Op::UDiv | Op::URem) {
        return None;
    }
    if k > mask(narrow) {
        return Some(if app.op == Op::UDiv { t.constant(app.width, 0) } else { app.args[0] });
    }
    let k = t.constant(narrow, k);
    let quotient = t.binary(app.op, x, k);
    Some(t.zext(quotient, app.width))
}

fn sdiv_nonnegative(t: &mut Terms, app: Application) -> Option<TermId> {
    let k = t.as_constant(app.args[1])?;
    let [x, ..] = t.is(app.args[0], Op::ZExt)?;
    if k == 0 || crate::bits::negative(k, app.width) || t.width(x) >= app.width {
        return None;
    }
    let op = match app.op {
        Op::SDiv => Op::UDiv,
        Op::SRem => Op::URem,
        _ => return None,
    };
    Some(t.binary(op, app.args[0], app.args[1]))
}
