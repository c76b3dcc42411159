//! Conditions that compare one word with known numbers, as sets of values of that word. What counts as known is the
//! caller's choice: constants only, or everything that keeps the parent's value. Exact, given what is known.

use std::sync::Arc;

use symcrete_term::bits::{mask, signed_min};
use symcrete_term::{Op, Term, TermId, Terms};

use crate::float_sets;
use crate::intervals::Intervals;
use crate::word::is_word;

/// How deep conjunctions and disjunctions are looked into.
const DEPTH: u32 = 8;
/// How many operations may lie between a word and the comparison.
const LAYERS: u32 = 16;
/// A condition with more intervals than this is not worth its cost.
const MAX_PARTS: usize = 64;

/// The values of a word for which a condition holds.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) word: TermId,
    pub(crate) set: Arc<Intervals>,
}

/// The number a term is known to be, if it is.
pub(crate) type Known<'a> = &'a mut dyn FnMut(TermId) -> Option<u128>;

/// The word a condition is about and the values that make it true.
pub(crate) fn shape_of(terms: &Terms, condition: TermId, known: Known<'_>) -> Option<Shape> {
    shape(terms, condition, known, DEPTH)
}

fn shape(terms: &Terms, condition: TermId, known: Known<'_>, depth: u32) -> Option<Shape> {
    let depth = depth.checked_sub(1)?;
    let Term::Apply(op, args) = terms.get(condition) else {
        return None;
    };
    let &[a, b] = args else { return None };
    if op == Op::Read {
        let shape = see_through(terms, a, indices(terms, a, b), known)?;
        return (shape.set.parts() <= MAX_PARTS).then_some(shape);
    }
    let shape = if terms.width(a) == 1 {
        match op {
            Op::Xor | Op::Ne if b == TermId::TRUE => opposite(shape(terms, a, known, depth)?),
            Op::Eq if b == TermId::FALSE => opposite(shape(terms, a, known, depth)?),
            Op::And => {
                let (a, b) = (shape(terms, a, known, depth)?, shape(terms, b, known, depth)?);
                joined(a, b, Intervals::intersect)?
            }
            Op::Or => {
                let (a, b) = (shape(terms, a, known, depth)?, shape(terms, b, known, depth)?);
                joined(a, b, Intervals::union)?
            }
            _ => return None,
        }
    } else {
        let width = terms.width(a);
        let (value, set) = match (known(a), known(b)) {
            (None, Some(k)) => (a, compared_with(op, width, k)?),
            (Some(k), None) => (b, compared_by(op, width, k)?),
            _ => return None,
        };
        see_through(terms, value, set, known)?
    };
    (shape.set.parts() <= MAX_PARTS).then_some(shape)
}

/// The indices at which a table of bits says yes.
fn indices(terms: &Terms, index: TermId, table: TermId) -> Intervals {
    let (width, table) = (terms.width(index), terms.table(table));
    let mut set = Intervals::empty(width);
    for (run, value) in table.runs().filter(|(run, _)| run.start as u128 <= mask(width)) {
        // The last entry goes on.
        let end = if run.end == table.values().len() { mask(width) } else { run.end as u128 - 1 };
        if value != 0 {
            set = set.union(&Intervals::around(width, run.start as u128, end.min(mask(width))));
        }
    }
    set
}

fn opposite(shape: Shape) -> Shape {
    Shape { set: Arc::new(shape.set.complement()), ..shape }
}

fn joined(a: Shape, b: Shape, join: fn(&Intervals, &Intervals) -> Intervals) -> Option<Shape> {
    (a.word == b.word).then(|| Shape { word: a.word, set: Arc::new(join(&a.set, &b.set)) })
}

/// All `x` with `x op k`.
fn compared_with(op: Op, width: u8, k: u128) -> Option<Intervals> {
    Some(match op {
        Op::Eq => Intervals::around(width, k, k),
        Op::Ne => Intervals::around(width, k, k).complement(),
        Op::Ult => Intervals::below(width, k),
        Op::Ule => Intervals::around(width, 0, k),
        Op::Slt => Intervals::signed_below(width, k),
        Op::Sle => compared_by(Op::Slt, width, k)?.complement(),
        Op::UAddO if k == 0 => Intervals::empty(width),
        Op::UAddO => Intervals::below(width, k.wrapping_neg() & mask(width)).complement(),
        Op::USubO => Intervals::below(width, k),
        _ => return float_sets::compared_with(op, width, k),
    })
}

/// All `x` with `k op x`.
fn compared_by(op: Op, width: u8, k: u128) -> Option<Intervals> {
    Some(match op {
        Op::Eq | Op::Ne | Op::UAddO => compared_with(op, width, k)?,
        Op::Ult => Intervals::around(width, 0, k).complement(),
        Op::Ule => Intervals::below(width, k).complement(),
        Op::Slt => Intervals::signed_below(width, k).union(&Intervals::around(width, k, k)).complement(),
        Op::Sle => Intervals::signed_below(width, k).complement(),
        Op::USubO => Intervals::around(width, 0, k).complement(),
        _ => return float_sets::compared_by(op, width, k),
    })
}

/// From the values allowed for a term to the values allowed for the word it is computed from.
fn see_through(terms: &Terms, mut term: TermId, mut set: Intervals, known: Known<'_>) -> Option<Shape> {
    for _ in 0..LAYERS {
        if is_word(terms, term) {
            return Some(Shape { word: term, set: Arc::new(set) });
        }
        let Term::Apply(op, args) = terms.get(term) else {
            return None;
        };
        let width = terms.width(term);
        let first = args[0];
        (term, set) = match (op, args) {
            (Op::ZExt, _) => (first, set.before_zero_extension(terms.width(first))),
            (Op::SExt, _) => (first, set.before_sign_extension(terms.width(first))),
            (Op::And, &[a, b]) if width > 1 && known(b) == Some(mask(width) >> 1) && known(a).is_none() => {
                (a, float_sets::before_magnitude(&set, width))
            }
            (op, _) if op.is_float() => see_through_float(terms, op, width, args, &set, known)?,
            (Op::Add | Op::Sub | Op::Xor | Op::LShr | Op::UDiv, &[a, b]) => match (op, known(a), known(b)) {
                (Op::Add, None, Some(k)) => (a, set.before_add(k)),
                (Op::Add, Some(k), None) => (b, set.before_add(k)),
                (Op::Sub, None, Some(k)) => (a, set.before_add(k.wrapping_neg() & mask(width))),
                (Op::Sub, Some(k), None) => (b, set.before_subtracted_from(k)),
                (Op::Xor, None, Some(k)) if k == signed_min(width) => (a, set.before_add(k)),
                (Op::Xor, None, Some(k)) if k == mask(width) => (a, set.before_subtracted_from(k)),
                (Op::LShr, None, Some(k)) if k < u128::from(width) => (a, set.before_division(1 << k)),
                (Op::UDiv, None, Some(k)) if k != 0 => (a, set.before_division(k)),
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

/// A float operation of which all operands but one are known.
fn see_through_float(
    terms: &Terms,
    op: Op,
    width: u8,
    args: &[TermId],
    set: &Intervals,
    known: Known<'_>,
) -> Option<(TermId, Intervals)> {
    let (mut constants, mut open) = ([0; 3], None);
    for (at, &arg) in args.iter().enumerate() {
        match known(arg) {
            Some(value) => constants[at] = value,
            None if open.is_none() => open = Some(at),
            None => return None,
        }
    }
    let pick = open?;
    let before = float_sets::before(op, set, width, terms.width(args[0]), pick, constants)?;
    Some((args[pick], before))
}
