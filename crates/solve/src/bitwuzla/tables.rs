//! Reads of tables for the core. A table that is affine over the bits of its index (CRC tables are) becomes an
//! exclusive or of those bits; any other a tree of choices by the bits of the index, equal parts once. Arrays of the
//! core would need its lazy array theory for what is a constant.

use rustc_hash::FxHashMap;
use symcrete_term::Table;

use super::ffi::Kind;
use super::handle::{Handle, Node};

/// Bits of an index that tell the entries of a table apart.
fn index_bits(table: &Table) -> u8 {
    (usize::BITS - (table.values().len() - 1).leading_zeros()) as u8
}

/// Rough number of gates.
pub(super) fn cost(table: &Table) -> u64 {
    let width = u64::from(table.width());
    match affine(table) {
        Some(parts) => 4 * width * parts.len() as u64,
        None => width * table.runs().count() as u64,
    }
}

/// What each bit of the index changes, where the changes are independent of each other: entry `i` is entry 0
/// changed by all the bits that `i` has.
pub(crate) fn affine(table: &Table) -> Option<Vec<u64>> {
    let values = table.values();
    if values.len() < 4 || !values.len().is_power_of_two() {
        return None;
    }
    let parts: Vec<u64> = (0..index_bits(table)).map(|bit| values[1 << bit] ^ values[0]).collect();
    let fits = (1..values.len()).all(|i| {
        let lowest = i.trailing_zeros() as usize;
        values[i] == values[i & (i - 1)] ^ parts[lowest]
    });
    fits.then_some(parts)
}

/// The entry at `index`, a node of `from` bits (a Boolean for one); one-bit entries are Booleans.
pub(super) fn read(handle: &mut Handle, table: &Table, index: Node, from: u8) -> Node {
    let bits = index_bits(table).min(from);
    let choices: Vec<Node> = (0..bits)
        .map(|bit| match from {
            1 => index,
            _ => {
                let one = handle.bits(1, 1);
                let part = handle.extract(index, bit, bit);
                handle.binary(Kind::Equal, part, one)
            }
        })
        .collect();
    let entry = match affine(table).filter(|_| table.width() > 1 && bits == index_bits(table)) {
        Some(parts) => exclusive_or(handle, table, &choices, &parts),
        None => tree(handle, table, &choices),
    };
    if from <= bits {
        return entry;
    }
    // Past the end a table goes on with its last entry; most indices cannot get there, which the core sees.
    let high = handle.extract(index, from - 1, bits);
    let zero = handle.bits(from - bits, 0);
    let within = handle.binary(Kind::Equal, high, zero);
    let last = literal(handle, table, *table.values().last().expect("a table has entries"));
    handle.if_then_else(within, entry, last)
}

fn literal(handle: &mut Handle, table: &Table, value: u64) -> Node {
    if table.width() == 1 { handle.truth(value != 0) } else { handle.bits(table.width(), u128::from(value)) }
}

fn exclusive_or(handle: &mut Handle, table: &Table, choices: &[Node], parts: &[u64]) -> Node {
    let mut entry = literal(handle, table, table.values()[0]);
    let nothing = literal(handle, table, 0);
    for (&choice, &part) in choices.iter().zip(parts) {
        if part != 0 {
            let part = literal(handle, table, part);
            let change = handle.if_then_else(choice, part, nothing);
            entry = handle.binary(Kind::BvXor, entry, change);
        }
    }
    entry
}

/// Halves the entries bit by bit, from the lowest.
fn tree(handle: &mut Handle, table: &Table, choices: &[Node]) -> Node {
    // Nodes by number, so that equal parts are found.
    let mut nodes: Vec<Node> = Vec::new();
    let mut literals: FxHashMap<u64, usize> = FxHashMap::default();
    let mut level: Vec<usize> = Vec::with_capacity(1 << choices.len());
    for i in 0..1usize << choices.len() {
        let value = table.at(i as u128) as u64;
        let number = *literals.entry(value).or_insert_with(|| {
            nodes.push(literal(handle, table, value));
            nodes.len() - 1
        });
        level.push(number);
    }
    for &choice in choices {
        let mut made: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        level = level
            .chunks_exact(2)
            .map(|pair| match (pair[0], pair[1]) {
                (no, yes) if no == yes => no,
                (no, yes) => *made.entry((no, yes)).or_insert_with(|| {
                    nodes.push(handle.if_then_else(choice, nodes[yes], nodes[no]));
                    nodes.len() - 1
                }),
            })
            .collect();
    }
    nodes[level[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_tables_are_affine_and_others_are_not() {
        let crc = |i: u64| (0..8).fold(i, |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 });
        let parts = affine(&Table::new(32, (0..256).map(crc))).expect("affine");
        assert_eq!((parts.len(), parts[0]), (8, crc(1)));
        assert!(affine(&Table::new(32, (0..256).map(|i| crc(i) + (i == 77) as u64))).is_none());
        assert!(affine(&Table::new(8, (0..8).map(|i| i * i))).is_none());
        assert!(affine(&Table::new(8, [1, 2, 3])).is_none());
    }
}
