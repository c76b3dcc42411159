//! Contents of tables in the shared memory, each once per run. A table that is read again and again is found
//! by where it was read from and compared with the memory as it is; then by its contents.

use crate::state::{header, region};
use crate::sys;
use core::cell::Cell;
use core::sync::atomic::{Ordering, compiler_fence};
use symcrete_abi::layout::{TABLE_ENTRIES, Table};

/// Slots of both indices. Few programs read more tables in one run; others find theirs less often.
const SLOTS: usize = 1 << 10;

struct Index {
    /// `SLOTS` places by where a table was read from, then `SLOTS` by contents; a place is word + 1.
    slots: Cell<*mut u32>,
    /// Least and greatest entry by the same slots as contents.
    entries: Cell<*mut u64>,
}

// SAFETY: one thread only, as all state of the runtime.
unsafe impl Sync for Index {}

static INDEX: Index = Index { slots: Cell::new(core::ptr::null_mut()), entries: Cell::new(core::ptr::null_mut()) };

/// Room for the indices and for one table being looked at; nothing is touched.
pub fn prepare() {
    let room = (2 * SLOTS * 4) as u64;
    let at = sys::pages(0, room + TABLE_ENTRIES as u64 * 8, 0);
    if at > 0 {
        INDEX.slots.set(at as *mut u32);
        INDEX.entries.set((at as u64 + room) as *mut u64);
    }
}

/// Where a table is put together: room for [`TABLE_ENTRIES`]; none when there is no memory.
pub fn entries() -> Option<&'static mut [u64]> {
    let entries = INDEX.entries.get();
    // SAFETY: pages of our own, zero at first; one caller at a time, as everything here.
    (!entries.is_null()).then(|| unsafe { core::slice::from_raw_parts_mut(entries, TABLE_ENTRIES as usize) })
}

fn slot(number: usize) -> Option<&'static Cell<u32>> {
    let slots = INDEX.slots.get();
    // SAFETY: below the number of slots, of which there are twice `SLOTS`.
    (!slots.is_null()).then(|| unsafe { &*slots.add(number).cast::<Cell<u32>>() })
}

const K: u64 = 0x9e37_79b9_7f4a_7c15;

/// The word at which a table with these entries of `size` bytes lies; `origin` tells tables apart by where they
/// come from. None when there is no room.
pub fn store(entries: &[u64], size: u32, origin: u64) -> Option<u32> {
    let by_origin = slot((origin.wrapping_mul(K) >> 32) as usize % SLOTS)?;
    if let Some(word) = by_origin.get().checked_sub(1).filter(|&word| is(word, entries, size)) {
        return Some(word);
    }
    let hash = entries
        .iter()
        .fold(entries.len() as u64 ^ (size as u64) << 32, |hash, &entry| (hash.rotate_left(5) ^ entry).wrapping_mul(K));
    let by_contents = slot(SLOTS + (hash >> 32) as usize % SLOTS)?;
    if let Some(word) = by_contents.get().checked_sub(1).filter(|&word| is(word, entries, size)) {
        by_origin.set(word + 1);
        return Some(word);
    }
    let word = append(entries, size)?;
    by_origin.set(word + 1);
    by_contents.set(word + 1);
    Some(word)
}

/// Head and contents of the table at a word.
fn at(word: u32) -> (*mut Table, *mut u8) {
    let (base, _) = region(|h| h.tables);
    let head = base.wrapping_add(8 * word as usize);
    (head.cast(), head.wrapping_add(size_of::<Table>()))
}

fn is(word: u32, entries: &[u64], size: u32) -> bool {
    let (head, from) = at(word);
    // SAFETY: words in the indices are those of tables that were written before.
    let head = unsafe { head.read() };
    head == Table { count: entries.len() as u32, size }
        && entries.iter().enumerate().all(|(i, &entry)| entry == read(from, i, size))
}

fn read(from: *mut u8, index: usize, size: u32) -> u64 {
    // SAFETY: below the number of entries, which were all written.
    unsafe {
        match size {
            1 => *from.add(index) as u64,
            2 => from.cast::<u16>().add(index).read() as u64,
            4 => from.cast::<u32>().add(index).read() as u64,
            _ => from.cast::<u64>().add(index).read(),
        }
    }
}

fn append(entries: &[u64], size: u32) -> Option<u32> {
    let (_, room) = region(|h| h.tables);
    let header = header()?;
    let used = header.tables_used as u64;
    let bytes = size_of::<Table>() as u64 + (entries.len() as u64 * size as u64).next_multiple_of(8);
    if used + bytes > room.min(u32::MAX as u64) {
        return None;
    }
    let word = (used / 8) as u32;
    let (head, to) = at(word);
    // SAFETY: inside the region, which is ours to write.
    unsafe {
        head.write(Table { count: entries.len() as u32, size });
        for (i, &entry) in entries.iter().enumerate() {
            match size {
                1 => *to.add(i) = entry as u8,
                2 => to.cast::<u16>().add(i).write(entry as u16),
                4 => to.cast::<u32>().add(i).write(entry as u32),
                _ => to.cast::<u64>().add(i).write(entry),
            }
        }
    }
    compiler_fence(Ordering::Release);
    header.tables_used = (used + bytes) as u32;
    Some(word)
}

/// The least and the greatest entry.
pub fn range(word: u32) -> (u64, u64) {
    let (head, from) = at(word);
    // SAFETY: a node of a table has its word from `store`.
    let Table { count, size } = unsafe { head.read() };
    (0..count as usize).map(|i| read(from, i, size)).fold((u64::MAX, 0), |(low, high), v| (low.min(v), high.max(v)))
}

/// One entry, for tests.
#[cfg(test)]
pub fn entry(word: u32, index: u128) -> u64 {
    let (head, from) = at(word);
    // SAFETY: as in `range`.
    let Table { count, size } = unsafe { head.read() };
    read(from, index.min(count as u128 - 1) as usize, size)
}
