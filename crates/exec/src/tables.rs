//! Tables of a trace: memory that the program read at an index that depends on input. Checked as everything
//! the target wrote; what an earlier trace had at the same place is used again as far as it agrees.

use crate::trace::Trace;
use rustc_hash::FxHashMap;
use symcrete_abi::layout::{TABLE_ENTRIES, Table as Head};
use symcrete_term::{Table, TermId, Terms};

/// Where a table lies, in bytes of its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    at: usize,
    pub count: usize,
    size: usize,
}

impl Place {
    /// Bits of an entry.
    pub(crate) fn width(&self) -> u8 {
        8 * self.size as u8
    }

    fn end(&self) -> usize {
        self.at + self.count * self.size
    }
}

impl Trace<'_> {
    /// The table at a number of words, if there can be one.
    pub(crate) fn table(&self, word: u32) -> Option<Place> {
        let at = (word as usize).checked_mul(8)?;
        let head: Head = self.table_record(at)?;
        let place = Place { at: at + size_of::<Head>(), count: head.count as usize, size: head.size as usize };
        let sound = matches!(head.size, 1 | 2 | 4 | 8) && (1..=TABLE_ENTRIES).contains(&head.count);
        (sound && place.end() <= self.tables_used()).then_some(place)
    }

    /// One entry; past the end the last one.
    pub(crate) fn table_entry(&self, place: &Place, index: u128) -> u64 {
        let index = index.min(place.count as u128 - 1) as usize;
        let mut bytes = [0; 8];
        self.table_bytes(place.at + index * place.size, &mut bytes[..place.size]);
        u64::from_le_bytes(bytes)
    }

    fn table_contents(&self, place: &Place) -> Table {
        let mut bytes = vec![0; place.count * place.size];
        self.table_bytes(place.at, &mut bytes);
        let entry = |entry: &[u8]| {
            let mut word = [0; 8];
            word[..entry.len()].copy_from_slice(entry);
            u64::from_le_bytes(word)
        };
        Table::new(place.width(), bytes.chunks_exact(place.size).map(entry))
    }
}

/// Tables as terms, by where they lie.
///
/// Invariant: every table in `known` lies within `contents`, which is what the region holds.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    known: FxHashMap<u32, (TermId, usize)>,
    contents: Vec<u8>,
}

impl Tables {
    /// Forgets what the new trace does not have at the same place, or everything.
    pub(crate) fn begin(&mut self, trace: &Trace<'_>, same_store: bool) {
        let mut new = vec![0; trace.tables_used()];
        trace.table_bytes(0, &mut new);
        let common = match same_store {
            true => self.contents.iter().zip(&new).take_while(|(a, b)| a == b).count(),
            false => 0,
        };
        self.known.retain(|_, (_, end)| *end <= common);
        self.contents = new;
    }

    pub(crate) fn has(&self, word: u32) -> bool {
        self.known.contains_key(&word)
    }

    /// The table's name in the store of terms, and the width of its entries.
    pub(crate) fn term(&mut self, word: u32, trace: &Trace<'_>, terms: &mut Terms) -> Option<TermId> {
        if let Some(&(term, _)) = self.known.get(&word) {
            return Some(term);
        }
        let place = trace.table(word)?;
        let term = terms.table_number(trace.table_contents(&place));
        self.known.insert(word, (term, place.end()));
        Some(term)
    }
}
