//! What one run left in shared memory, as a view with checked access. Copies records out one by one;
//! never trusts a count, an index or a kind.

use crate::shm::Shm;
use symcrete_abi::layout::{Event, LostEntry, Node, Packed, PackedEvent, Table, UnitEntry, truncated};
use symcrete_abi::{EventKind, Label, Lost};

/// Valid until the next run: it borrows the memory.
#[derive(Clone, Copy)]
pub struct Trace<'a> {
    shm: &'a Shm,
    nodes: usize,
    events: usize,
    tables: usize,
    truncated: u32,
}

/// An input string was compared with another one, of another length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The first byte of the input string, or its end where it is empty.
    pub first: Label,
    /// Its last byte, 0 where it is empty.
    pub last: Label,
    pub wanted: Vec<u8>,
}

/// Precision lost at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostAt {
    pub what: Lost,
    /// Runtime-wide number.
    pub site: u32,
    pub count: u64,
}

impl<'a> Trace<'a> {
    pub fn new(shm: &'a Shm) -> Trace<'a> {
        let (nodes, events, tables) = (shm.node_count(), shm.event_count(), shm.tables_used());
        Trace { shm, nodes, events, tables, truncated: shm.header().truncated }
    }

    /// Labels run from 1 up to here, exclusively.
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    #[inline]
    pub fn node(&self, label: Label) -> Option<Node> {
        if label == 0 || label as usize >= self.nodes {
            return None;
        }
        let packed: Packed = self.shm.record(self.shm.nodes, label as usize)?;
        packed.unpack(|number| self.shm.record(self.shm.wide, number as usize))
    }

    pub fn event_count(&self) -> usize {
        self.events
    }

    #[inline]
    pub fn event(&self, index: usize) -> Option<Event> {
        if index >= self.events {
            return None;
        }
        let packed: PackedEvent = self.shm.record(self.shm.events, index)?;
        Some(packed.unpack())
    }

    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        (0..self.events).map_while(|index| self.event(index))
    }

    /// Bytes of tables.
    pub(crate) fn tables_used(&self) -> usize {
        self.tables
    }

    /// The head of a table; none when it does not lie within what is used.
    pub(crate) fn table_record(&self, at: usize) -> Option<Table> {
        let inside = at.checked_add(size_of::<Table>())? <= self.tables && at.is_multiple_of(size_of::<Table>());
        if inside { self.shm.record(self.shm.tables, at / size_of::<Table>()) } else { None }
    }

    pub(crate) fn table_bytes(&self, at: usize, to: &mut [u8]) {
        self.shm.copy_out(self.shm.tables, at, to);
    }

    /// Something ran full: the trace is a prefix, or parts of it are missing.
    pub fn is_cut(&self) -> bool {
        self.truncated & (truncated::NODES | truncated::EVENTS | truncated::LOG) != 0
    }

    /// Bits of `abi::layout::truncated`.
    pub fn truncated(&self) -> u32 {
        self.truncated
    }

    /// The words of the full path, the tail included, and whether it ends before the run did; nothing when it
    /// was not asked for.
    pub fn path_words(&self) -> Option<(Vec<u64>, bool)> {
        let (mut words, full) = self.shm.path_words()?;
        let tail = self.shm.header().path_tail;
        if tail > 1 && !full {
            words.push(tail);
        }
        Some((words, full || tail == 0 || self.truncated & truncated::PATH != 0))
    }

    /// What was lost, sorted by place and kind; unknown kinds are left out.
    pub fn lost(&self) -> Vec<LostAt> {
        let mut list = Vec::new();
        let mut left = self.shm.lost_count();
        for index in 0..self.shm.capacities().lost {
            if left == 0 {
                break;
            }
            let Some(entry) = self.shm.record::<LostEntry>(self.shm.lost, index) else { break };
            if entry.what == 0 {
                continue;
            }
            left -= 1;
            if let Some(what) = Lost::from_u32(entry.what) {
                list.push(LostAt { what, site: entry.site, count: entry.count });
            }
        }
        list.sort_unstable_by_key(|l| (l.site, l.what as u32));
        list
    }

    pub fn units(&self) -> impl Iterator<Item = UnitEntry> + '_ {
        (0..self.shm.unit_count()).map_while(|index| self.shm.record(self.shm.units, index))
    }

    /// Number of the units loaded so far.
    pub fn unit_count(&self) -> usize {
        self.shm.unit_count()
    }

    /// The sides bytes of one unit; nonzero means taken.
    pub fn sides(&self, unit: &UnitEntry) -> Vec<u8> {
        self.shm.bytes(self.shm.sides, unit.sides_at as usize, unit.sides as usize)
    }

    /// The marks bytes of one unit.
    pub fn marks(&self, unit: &UnitEntry) -> Vec<u8> {
        self.shm.bytes(self.shm.marks, unit.marks_at as usize, unit.marks as usize)
    }

    /// Comparisons of an input string with another one that is longer or shorter.
    pub fn words(&self) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        let mut open: Option<(Word, usize)> = None;
        for event in self.events() {
            if event.kind != EventKind::Word as u8 {
                open = None;
                continue;
            }
            let Some((word, length)) = &mut open else {
                open = Some((Word { first: event.label, last: 0, wanted: Vec::new() }, event.arg as usize));
                continue;
            };
            if word.wanted.is_empty() {
                word.last = event.label;
            }
            word.wanted.extend(event.arg.to_le_bytes());
            if word.wanted.len() >= *length {
                word.wanted.truncate(*length);
                words.extend(open.take().map(|(word, _)| word));
            }
        }
        words
    }

    /// Numbers of the targets reached (`symcrete_target`), in order, each once.
    pub fn targets(&self) -> Vec<u32> {
        let mut reached = Vec::new();
        for event in self.events().filter(|e| e.kind == EventKind::Target as u8) {
            if !reached.contains(&event.arg) {
                reached.push(event.arg);
            }
        }
        reached
    }
}

/// The kind of an event, when it is one we know.
pub(crate) fn event_kind(number: u8) -> Option<EventKind> {
    use EventKind::*;
    [Branch, Switch, Concretise, Assume, Target, Request, Region, Wish, Word].into_iter().find(|&k| k as u8 == number)
}
