//! Contents of tables that the program reads at an index that depends on input, each kept once. A read
//! ([`Op::Read`]) has the index and the table's number as operands; past its end a table goes on with its
//! last entry, so that every index has a value. Never looks at terms.
//!
//! [`Op::Read`]: crate::Op::Read

use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Entries of one width, up to 64 bits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Table {
    width: u8,
    values: Box<[u64]>,
}

impl Table {
    /// `values` must not be empty; bits above the width are dropped.
    pub fn new(width: u8, values: impl IntoIterator<Item = u64>) -> Table {
        debug_assert!((1..=64).contains(&width));
        let mask = u64::MAX >> (64 - width);
        let values: Box<[u64]> = values.into_iter().map(|value| value & mask).collect();
        debug_assert!(!values.is_empty());
        Table { width, values }
    }

    #[inline]
    pub fn width(&self) -> u8 {
        self.width
    }

    #[inline]
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// The entry at an index.
    #[inline]
    pub fn at(&self, index: u128) -> u128 {
        let last = self.values.len() - 1;
        let index = if index < last as u128 { index as usize } else { last };
        self.values[index] as u128
    }

    /// Runs of equal entries, in order.
    pub fn runs(&self) -> impl Iterator<Item = (Range<usize>, u64)> + '_ {
        let mut from = 0;
        self.values.chunk_by(|a, b| a == b).map(move |run| {
            let range = from..from + run.len();
            from = range.end;
            (range, run[0])
        })
    }
}

/// All tables of one store, by number.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    all: Vec<Arc<Table>>,
    numbers: FxHashMap<Arc<Table>, u32>,
    entries: usize,
}

impl Tables {
    /// The number of a table with these contents.
    pub(crate) fn number(&mut self, table: Table) -> u32 {
        if let Some(&number) = self.numbers.get(&table) {
            return number;
        }
        let number = self.all.len() as u32;
        let table = Arc::new(table);
        self.entries += table.values.len();
        self.all.push(table.clone());
        self.numbers.insert(table, number);
        number
    }

    /// The tables that another store, which began as this one, has more.
    pub(crate) fn append_from(&mut self, newer: &Tables) {
        self.all.extend_from_slice(&newer.all[self.all.len()..]);
        self.entries = newer.entries;
    }

    #[inline]
    pub(crate) fn get(&self, number: u128) -> &Arc<Table> {
        &self.all[number as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Entries of all tables together.
    pub(crate) fn entries(&self) -> usize {
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_goes_on_with_its_last_entry() {
        let table = Table::new(4, [1, 2, 2, 0x1f]);
        assert_eq!([0, 1, 3, 4, u128::MAX].map(|i| table.at(i)), [1, 2, 15, 15, 15]);
        assert_eq!(table.runs().collect::<Vec<_>>(), [(0..1, 1), (1..3, 2), (3..4, 15)]);
    }

    #[test]
    fn equal_contents_are_one_table() {
        let mut tables = Tables::default();
        let a = tables.number(Table::new(8, [1, 2]));
        assert_ne!(tables.number(Table::new(16, [1, 2])), a);
        assert_eq!(tables.number(Table::new(8, [257, 2])), a);
        assert_eq!((tables.len(), tables.entries()), (2, 4));
    }
}
