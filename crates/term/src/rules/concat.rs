//! Rules of concatenation, of words put together by shifting and adding, and of permutations of
//! bytes. Concatenations lean right; adjacent pieces of one term and adjacent constants merge.

use super::{Application, Rule, Shape, rule};
use crate::op::Op;
use crate::store::{TermId, Terms};

pub(super) static CONCAT: &[Rule] = &[
    rule("concat-zero-high", zero_high, |s| {
        let (x, k) = (s.x(), s.k());
        s.op(Op::Concat, &[k, x])
    }),
    rule("concat-zext-high", zext_high, |s| {
        let (x, y) = (s.x(), s.y());
        let a = s.extended(Op::ZExt, x, 2);
        s.op(Op::Concat, &[a, y])
    }),
    rule("concat-lean-right", lean_right, |s| {
        let (x, y, z) = (s.x(), s.y(), s.z());
        let a = s.op(Op::Concat, &[x, y]);
        s.op(Op::Concat, &[a, z])
    }),
    rule("concat-adjacent-extracts", adjacent, |s| {
        let (x, y) = (s.x(), s.y());
        let wide = s.op(Op::Mul, &[x, y]);
        let (a, b) = (s.some_bits(wide), s.some_bits(wide));
        s.op(Op::Concat, &[a, b])
    }),
    rule("concat-adjacent-inner", adjacent_inner, |s| {
        let (x, y, k) = (s.x(), s.y(), s.constant(2));
        if s.number(0, 1) == 0 {
            let rest = s.op(Op::Concat, &[k, x]);
            let k = s.constant(1);
            s.op(Op::Concat, &[k, rest])
        } else {
            let wide = s.op(Op::Mul, &[x, y]);
            let (a, b) = (s.some_bits(wide), s.some_bits(wide));
            let rest = s.op(Op::Concat, &[b, x]);
            s.op(Op::Concat, &[a, rest])
        }
    }),
    rule("concat-sign", sign, |s| {
        let x = s.x();
        let top = s.terms.extract(x, s.w - 1, 1);
        let more = s.number(1, 2);
        let a = s.extended(Op::SExt, top, more - 1);
        s.op(Op::Concat, &[a, x])
    }),
];

pub(super) static PERMUTE: &[Rule] = &[
    rule("bswap-bytes", bswap, |s| {
        let (x, y) = (s.x(), s.y());
        let (a, b) = (s.extended(Op::ZExt, x, 8 - s.w), s.extended(Op::ZExt, y, 8 - s.w));
        let word = s.op(Op::Concat, &[a, b]);
        s.op(Op::Bswap, &[word])
    }),
    rule("bitreverse-twice", reverse_twice, |s| {
        let x = s.x();
        let a = s.op(Op::BitReverse, &[x]);
        s.op(Op::BitReverse, &[a])
    }),
    rule("ctpop-of-zext", ctpop_zext, |s| {
        let x = s.x();
        let a = s.extended(Op::ZExt, x, 2);
        s.op(Op::Ctpop, &[a])
    }),
];

fn zero_high(t: &mut Terms, app: Application) -> Option<TermId> {
    (t.as_constant(app.args[0])? == 0).then(|| t.zext(app.args[1], app.width))
}

fn zext_high(t: &mut Terms, app: Application) -> Option<TermId> {
    let [x, ..] = t.is(app.args[0], Op::ZExt)?;
    let inner = t.concat(x, app.args[1]);
    Some(t.zext(inner, app.width))
}

fn lean_right(t: &mut Terms, app: Application) -> Option<TermId> {
    let [x, y, _] = t.is(app.args[0], Op::Concat)?;
    let rest = t.concat(y, app.args[1]);
    Some(t.concat(x, rest))
}

/// Two terms as one, when they are neighbouring bits of a third or both constant.
fn joined(t: &mut Terms, high: TermId, low: TermId) -> Option<TermId> {
    if let (Some(h), Some(l)) = (t.as_constant(high), t.as_constant(low)) {
        let (high_width, low_width) = (t.width(high), t.width(low));
        return Some(t.constant(high_width + low_width, h << low_width | l));
    }
    let ((x, from), (y, start)) = (t.is_extract(high)?, t.is_extract(low)?);
    let low_width = t.width(low);
    (x == y && start + low_width == from).then(|| t.extract(x, start, low_width + t.width(high)))
}

fn adjacent(t: &mut Terms, app: Application) -> Option<TermId> {
    joined(t, app.args[0], app.args[1])
}

fn adjacent_inner(t: &mut Terms, app: Application) -> Option<TermId> {
    let [next, rest, _] = t.is(app.args[1], Op::Concat)?;
    let first = joined(t, app.args[0], next)?;
    Some(t.concat(first, rest))
}

/// Copies of the sign bit in front of a term are its sign extension.
fn sign(t: &mut Terms, app: Application) -> Option<TermId> {
    let [high, low, _] = app.args;
    let bit = t.is(high, Op::SExt).map_or(high, |[x, ..]| x);
    let top = t.width(low) - 1;
    if t.width(bit) != 1 {
        return None;
    }
    let of_low = match (t.is_extract(bit), t.is_extract(low)) {
        (Some((x, from)), _) if x == low => from == top,
        (Some((x, from)), Some((y, start))) if x == y => from == start + top,
        _ => bit == low,
    };
    of_low.then(|| t.sext(low, app.width))
}

pub(super) fn disjoint_shape(s: &mut Shape<'_>, op: Op) -> TermId {
    let (x, y) = (s.x(), s.y());
    // From fitting below with room to spare, to overlapping.
    let gap = s.number(1, s.w + 1);
    let zeros = s.terms.constant(gap, 0);
    let high = s.op(Op::Concat, &[x, zeros]);
    let high = s.extended(Op::ZExt, high, 1);
    let low = s.extended(Op::ZExt, y, gap + 1);
    match s.number(0, 3) {
        0 => s.op(op, &[high, low]),
        1 => s.op(op, &[low, high]),
        // With a third part between.
        2 => {
            let z = s.z();
            let more = s.terms.constant(s.w, 0);
            let top = s.op(Op::Concat, &[z, zeros]);
            let top = s.op(Op::Concat, &[top, zeros]);
            let lower = s.op(Op::Concat, &[y, more]);
            let (wide, narrow) = (s.terms.width(top).max(2 * s.w), s.terms.width(top));
            let top = s.extended(Op::ZExt, top, wide - narrow);
            let lower = s.extended(Op::ZExt, lower, wide - 2 * s.w);
            s.op(op, &[top, lower])
        }
        _ => {
            let k = s.constant(s.w);
            let k = s.extended(Op::ZExt, k, gap + 1);
            s.op(op, &[high, k])
        }
    }
}

/// Parts that never have a bit in common are put side by side: `hi << 8 | lo` is a concatenation.
pub(super) fn disjoint_parts(t: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, _] = app.args;
    for (high, low) in [(a, b), (b, a)] {
        let core = t.is(high, Op::ZExt).map_or(high, |[x, ..]| x);
        if t.is(core, Op::Concat).is_none() {
            continue;
        }
        let Some(zeros) = trailing_zeros(t, core) else { continue };
        if significant(t, low) <= zeros {
            // The low part fits below: take the zeros off and put it there.
            let kept = t.extract(core, zeros, t.width(core) - zeros);
            let low = t.extract(low, 0, zeros);
            let joined = t.concat(kept, low);
            return Some(t.zext(joined, app.width));
        }
    }
    None
}

/// How many low bits of a concatenation are constant zeros, at its right end.
fn trailing_zeros(t: &Terms, mut bottom: TermId) -> Option<u8> {
    while let Some([_, last, _]) = t.is(bottom, Op::Concat) {
        bottom = last;
    }
    (t.as_constant(bottom)? == 0).then(|| t.width(bottom))
}

/// Bits of a term that may be other than zero, counted from the lowest.
fn significant(t: &Terms, id: TermId) -> u8 {
    if let Some(k) = t.as_constant(id) {
        return (128 - k.leading_zeros()) as u8;
    }
    match t.is(id, Op::ZExt) {
        Some([x, ..]) => t.width(x),
        None => t.width(id),
    }
}

fn bswap(t: &mut Terms, app: Application) -> Option<TermId> {
    if app.op != Op::Bswap {
        return None;
    }
    let bytes: Vec<TermId> = (0..app.width / 8).rev().map(|at| t.extract(app.args[0], at * 8, 8)).collect();
    Some(t.word(&bytes))
}

fn reverse_twice(t: &mut Terms, app: Application) -> Option<TermId> {
    let [x, ..] = t.is(app.args[0], Op::BitReverse)?;
    (app.op == Op::BitReverse).then_some(x)
}

/// No width is too narrow for the number of its own bits.
fn ctpop_zext(t: &mut Terms, app: Application) -> Option<TermId> {
    let [x, ..] = t.is(app.args[0], Op::ZExt)?;
    let narrow = t.width(x);
    if app.op != Op::Ctpop {
        return None;
    }
    let count = t.apply(Op::Ctpop, narrow, &[x]);
    Some(t.zext(count, app.width))
}
