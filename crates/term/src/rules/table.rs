//! Rules of tables: what is done to an entry is done to the whole table once, so that a test on an entry
//! becomes a table of bits over the index, and a table of bits with few runs a range of the index.

use super::{Application, Rule, Shape, rule};
use crate::bits::mask;
use crate::compute::compute;
use crate::op::Op;
use crate::store::{TermId, Terms};
use crate::tables::Table;

/// Indices of up to this many bits may get a table of their own.
const INDEX_BITS: u8 = 12;

/// Tables that rules make stop being made when all tables together have this many entries.
const MOST_ENTRIES: usize = 1 << 23;

/// Rules tried for every operation.
pub(super) static EVERY: &[Rule] = &[rule("operation-on-entries", mapped, |s| {
    let a = entry(s);
    let ops = [Op::Add, Op::Sub, Op::Mul, Op::And, Op::Xor, Op::Shl, Op::LShr, Op::Eq, Op::Ult, Op::Slt];
    let op = s.one_of(&ops);
    s.either_k(op, a)
})];

pub(super) static READ: &[Rule] = &[
    rule("read-of-equal-entries", equal_entries, |s| {
        let x = s.x();
        let k = (s.draw)(4) as u64;
        s.terms.read(x, Table::new(2, [k; 3]))
    }),
    rule("read-past-the-index", past_index, |s| {
        let x = s.x();
        let count = 1 + (s.draw)(300) as u64;
        s.terms.read(x, Table::new(4, (0..count).map(|i| i * i)))
    }),
    rule("read-of-extended-index", extended_index, |s| {
        let x = s.x();
        let a = s.extended(Op::ZExt, x, 3);
        read_any(s, a)
    }),
    rule("read-at-moved-index", moved_index, |s| {
        let x = s.x();
        let op = s.one_of(&[Op::Add, Op::Xor]);
        let a = s.op_k(op, x);
        read_any(s, a)
    }),
    rule("read-at-entry", nested, |s| {
        let a = entry(s);
        read_any(s, a)
    }),
    rule("read-of-bits", bits_as_range, |s| {
        let x = s.x();
        let most = mask(s.w).min(20) as u8;
        let (first, second) = (s.number(0, most), s.number(0, most));
        let inside = s.number(0, 1) as u64;
        let last = first.max(second);
        let bit = |i: u8| inside ^ (i >= first && i < last) as u64;
        s.terms.read(x, Table::new(1, (0..=last).map(bit)))
    }),
];

/// Some table read at an index.
fn read_any(s: &mut Shape<'_>, index: TermId) -> TermId {
    let (count, factor, width) = (s.number(2, 9) as u64, s.number(1, 5) as u64, s.w.min(4));
    s.terms.read(index, Table::new(width, (0..count).map(|i| (i * factor) ^ (i >> 1))))
}

fn entry(s: &mut Shape<'_>) -> TermId {
    let x = s.x();
    read_any(s, x)
}

fn has_room(t: &Terms, more: usize) -> bool {
    t.table_entries() + more <= MOST_ENTRIES
}

/// `op(read(i, table), constants)` is a read of the table with `op` done to every entry.
fn mapped(t: &mut Terms, app: Application) -> Option<TermId> {
    let args = &app.args[..app.op.arity()];
    if app.op == Op::Read || app.op.is_float() || app.width > 64 {
        return None;
    }
    let mut open = (0..args.len()).filter(|&place| !t.is_constant(args[place]));
    let (place, None) = (open.next()?, open.next()) else { return None };
    let [index, table, _] = t.is(args[place], Op::Read)?;
    let mut values = [0; 3];
    for (value, &arg) in values.iter_mut().zip(args) {
        *value = t.as_constant(arg).unwrap_or(0);
    }
    let from = t.width(args[0]);
    let entries = t.table(table).clone();
    if !has_room(t, entries.values().len()) {
        return None;
    }
    let all = entries.values().iter().map(|&value| {
        values[place] = value as u128;
        compute(app.op, app.width, from, values[0], values[1], values[2]) as u64
    });
    let table = Table::new(app.width, all);
    Some(t.read(index, table))
}

fn equal_entries(t: &mut Terms, app: Application) -> Option<TermId> {
    let table = t.table(app.args[1]);
    let first = table.values()[0];
    table.values().iter().all(|&value| value == first).then(|| t.constant(app.width, first as u128))
}

/// Entries that the index is too narrow for.
fn past_index(t: &mut Terms, app: Application) -> Option<TermId> {
    let [index, table, _] = app.args;
    let bits = t.width(index);
    let values = t.table(table).values();
    if bits > INDEX_BITS || values.len() <= 1 << bits {
        return None;
    }
    let table = Table::new(app.width, values[..1 << bits].to_vec());
    Some(t.read(index, table))
}

fn extended_index(t: &mut Terms, app: Application) -> Option<TermId> {
    let [index, _, _] = t.is(app.args[0], Op::ZExt)?;
    Some(t.apply(Op::Read, app.width, &[index, app.args[1]]))
}

/// `read(x + k)` and `read(x ^ k)`: the table in another order.
fn moved_index(t: &mut Terms, app: Application) -> Option<TermId> {
    let [index, table, _] = app.args;
    let bits = t.width(index);
    let (op, [x, k, _]) = t.operation(index)?;
    if bits > INDEX_BITS || !matches!(op, Op::Add | Op::Xor) || !has_room(t, 1 << bits) {
        return None;
    }
    let k = t.as_constant(k)?;
    let entries = t.table(table).clone();
    let moved = (0..1u128 << bits).map(|i| entries.at(compute(op, bits, bits, i, k, 0)) as u64);
    let table = Table::new(app.width, moved);
    Some(t.read(x, table))
}

/// A table read at an entry of another table.
fn nested(t: &mut Terms, app: Application) -> Option<TermId> {
    let [inner, table, _] = app.args;
    let [index, first, _] = t.is(inner, Op::Read)?;
    let (first, second) = (t.table(first).clone(), t.table(table).clone());
    if !has_room(t, first.values().len()) {
        return None;
    }
    let table = Table::new(app.width, first.values().iter().map(|&i| second.at(i as u128) as u64));
    Some(t.read(index, table))
}

/// One bit that changes at most twice along the index.
fn bits_as_range(t: &mut Terms, app: Application) -> Option<TermId> {
    let [index, table, _] = app.args;
    let width = t.width(index);
    let table = t.table(table).clone();
    if app.width != 1 || table.values().len() as u128 > mask(width).saturating_add(1) {
        return None;
    }
    let mut runs = table.runs().map(|(range, value)| (range.start as u128, value));
    let (_, first) = runs.next()?;
    let (from, _) = runs.next()?;
    let until = runs.next();
    if runs.next().is_some() {
        return None;
    }
    let start = t.constant(width, from);
    let inside = match until {
        None => {
            let below = t.ult(index, start);
            t.not(below)
        }
        Some((end, _)) => {
            let length = t.constant(width, end - from);
            let distance = t.sub(index, start);
            t.ult(distance, length)
        }
    };
    Some(if first == 0 { inside } else { t.not(inside) })
}
