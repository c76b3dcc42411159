//! Rules of extensions and extracts: chains collapse, and an extract goes to the part it is of.

use super::{Application, Rule, Shape, rule};
use crate::op::Op;
use crate::store::{TermId, Terms};

const EXTENSIONS: &[Op] = &[Op::ZExt, Op::SExt];
const RING: &[Op] = &[Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor];

pub(super) static EXTEND: &[Rule] = &[
    rule("extend-by-nothing", by_nothing, |s| {
        let x = s.x();
        let op = s.one_of(EXTENSIONS);
        s.extended(op, x, 0)
    }),
    rule("extend-twice", twice, |s| {
        let x = s.x();
        let (first, second) = (s.one_of(EXTENSIONS), s.one_of(EXTENSIONS));
        let a = s.extended(first, x, 1);
        s.extended(second, a, 2)
    }),
];

pub(super) static EXTRACT: &[Rule] = &[
    rule("extract-all", extract_all, |s| {
        let x = s.x();
        s.some_bits(x)
    }),
    rule("extract-of-extract", of_extract, |s| {
        let x = s.x();
        let a = s.some_bits(x);
        s.some_bits(a)
    }),
    rule("extract-of-concat", of_concat, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.op(Op::Concat, &[x, y]);
        s.some_bits(a)
    }),
    rule("extract-of-zext", of_zext, |s| {
        let x = s.x();
        let a = s.extended(Op::ZExt, x, 3);
        s.some_bits(a)
    }),
    rule("extract-of-sext", of_sext, |s| {
        let x = s.x();
        let a = s.extended(Op::SExt, x, 3);
        s.some_bits(a)
    }),
    rule("extract-of-bitwise-constant", of_bitwise, |s| {
        let x = s.x();
        let op = s.one_of(&[Op::And, Op::Or, Op::Xor]);
        let a = s.op_k(op, x);
        s.some_bits(a)
    }),
    rule("extract-of-select-of-constants", of_select, |s| {
        let (p, a, b) = (s.p(), s.k(), s.k());
        let c = s.op(Op::Select, &[p, a, b]);
        s.some_bits(c)
    }),
    rule("extract-low-of-arithmetic", low_of_arithmetic, low_of_arithmetic_shape),
];

fn by_nothing(t: &mut Terms, app: Application) -> Option<TermId> {
    (t.width(app.args[0]) == app.width).then_some(app.args[0])
}

fn twice(t: &mut Terms, app: Application) -> Option<TermId> {
    match (app.op, t.operation(app.args[0])?) {
        // A zero extension made the sign bit zero (extensions by nothing do not exist any more).
        (_, (Op::ZExt, [x, ..])) => Some(t.zext(x, app.width)),
        (Op::SExt, (Op::SExt, [x, ..])) => Some(t.sext(x, app.width)),
        _ => None,
    }
}

fn lo(app: Application) -> u8 {
    match app.op {
        Op::Extract { lo } => lo,
        _ => unreachable!("a rule of extracts"),
    }
}

fn extract_all(t: &mut Terms, app: Application) -> Option<TermId> {
    (t.width(app.args[0]) == app.width).then_some(app.args[0])
}

fn of_extract(t: &mut Terms, app: Application) -> Option<TermId> {
    let (x, inner) = t.is_extract(app.args[0])?;
    Some(t.extract(x, inner + lo(app), app.width))
}

fn of_concat(t: &mut Terms, app: Application) -> Option<TermId> {
    let [high, low, _] = t.is(app.args[0], Op::Concat)?;
    let (from, cut) = (lo(app), t.width(low));
    let end = from + app.width;
    if end <= cut {
        return Some(t.extract(low, from, app.width));
    }
    if from >= cut {
        return Some(t.extract(high, from - cut, app.width));
    }
    let (upper, lower) = (t.extract(high, 0, end - cut), t.extract(low, from, cut - from));
    Some(t.concat(upper, lower))
}

fn of_zext(t: &mut Terms, app: Application) -> Option<TermId> {
    let [x, ..] = t.is(app.args[0], Op::ZExt)?;
    let (from, narrow) = (lo(app), t.width(x));
    if from >= narrow {
        return Some(t.constant(app.width, 0));
    }
    let kept = t.extract(x, from, app.width.min(narrow - from));
    Some(t.zext(kept, app.width))
}

fn of_sext(t: &mut Terms, app: Application) -> Option<TermId> {
    let [x, ..] = t.is(app.args[0], Op::SExt)?;
    let narrow = t.width(x);
    let from = lo(app).min(narrow - 1);
    let kept = t.extract(x, from, app.width.min(narrow - from));
    Some(t.sext(kept, app.width))
}

fn of_bitwise(t: &mut Terms, app: Application) -> Option<TermId> {
    let (op, [x, k, _]) = t.operation(app.args[0])?;
    let k = t.as_constant(k)?;
    if !matches!(op, Op::And | Op::Or | Op::Xor) {
        return None;
    }
    let part = t.extract(x, lo(app), app.width);
    let k = t.constant(app.width, k >> lo(app));
    Some(t.binary(op, part, k))
}

fn of_select(t: &mut Terms, app: Application) -> Option<TermId> {
    let [p, a, b] = t.is(app.args[0], Op::Select)?;
    let (a, b) = (t.as_constant(a)?, t.as_constant(b)?);
    let (a, b) = (t.constant(app.width, a >> lo(app)), t.constant(app.width, b >> lo(app)));
    Some(t.select(p, a, b))
}

fn low_of_arithmetic_shape(s: &mut Shape<'_>) -> TermId {
    let (x, y) = (s.x(), s.y());
    let (first, op) = (s.one_of(EXTENSIONS), s.one_of(RING));
    let a = s.extended(first, x, 2);
    let b = match s.number(0, 1) {
        0 => s.constant(s.w + 2),
        _ => {
            let second = s.one_of(EXTENSIONS);
            s.extended(second, y, 2)
        }
    };
    let wide = s.op(op, &[a, b]);
    let width = s.number(1, s.w);
    s.terms.extract(wide, 0, width)
}

/// C widens its operands to `int`; where only low bits of the result are used, the narrow operands
/// give the same ones.
fn low_of_arithmetic(t: &mut Terms, app: Application) -> Option<TermId> {
    let (op, [a, b, _]) = t.operation(app.args[0])?;
    if lo(app) != 0 || !matches!(op, Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor) {
        return None;
    }
    let narrows = |id: TermId| match t.operation(id) {
        Some((Op::ZExt | Op::SExt, [x, ..])) => app.width <= t.width(x),
        _ => false,
    };
    let fine = |id: TermId| t.is_constant(id) || narrows(id);
    if !fine(a) || !fine(b) {
        return None;
    }
    let (a, b) = (t.extract(a, 0, app.width), t.extract(b, 0, app.width));
    Some(t.binary(op, a, b))
}
