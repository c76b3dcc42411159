//! The hash table over the nodes: private memory, buckets of eight slots that are looked at together. A
//! slot is a label with as many bits of the hash above it as labels leave free, so that a wrong node is
//! hardly ever looked at. It starts small and is built anew, larger, when three quarters full; where the last
//! run got that far the next one starts there. It never decides whether two nodes are the same.

use crate::sys;
use core::cell::Cell;
use symcrete_abi::Label;

/// Thirty-two bytes: one look.
const BUCKET: usize = 8;
const FIRST_SLOTS: u64 = 1 << 13;
/// A run that is expected to need more than this starts with this.
const LARGEST_START: u64 = 1 << 18;
/// Smaller tables grow fourfold, larger ones twofold.
const LARGE: u64 = 1 << 16;

pub struct Table {
    slots: Cell<*mut u32>,
    /// Number of buckets less one.
    mask: Cell<u32>,
    /// Nodes that still fit.
    room: Cell<u32>,
    /// Bytes still free behind the current slots.
    rest: Cell<u64>,
    /// Bits of a slot that are hash.
    tag: Cell<u32>,
}

/// What a search came to.
pub enum Found {
    Node(Label),
    /// Not there; this is where it belongs.
    Free(*mut u32),
}

impl Table {
    pub const fn new() -> Table {
        Table {
            slots: Cell::new(core::ptr::null_mut()),
            mask: Cell::new(0),
            room: Cell::new(0),
            rest: Cell::new(0),
            tag: Cell::new(0),
        }
    }

    /// Reserves memory for labels below `limit`; nothing is touched. False when there is none.
    pub fn prepare(&self, limit: u32) -> bool {
        // Tables of all sizes lie one after the other, each at most half of the next: together less than twice
        // the last.
        let mut bytes = (limit as u64 * 2).next_power_of_two().max(FIRST_SLOTS) * 4 * 2;
        let mut at = sys::pages(0, bytes, 0);
        while at < 0 && bytes > 8 * FIRST_SLOTS {
            bytes /= 2;
            at = sys::pages(0, bytes, 0);
        }
        if at <= 0 {
            return false;
        }
        sys::madvise(at as u64, bytes, sys::MADV_DONTDUMP);
        self.tag.set(!(limit.checked_next_power_of_two().unwrap_or(0).wrapping_sub(1)));
        self.rest.set(bytes);
        self.lay(at as *mut u32, FIRST_SLOTS);
        true
    }

    /// Before any node of a run: room for as many as the last run had.
    pub fn expect(&self, nodes: u32) {
        let slots = (nodes as u64 * 4 / 3).next_power_of_two().clamp(FIRST_SLOTS, LARGEST_START);
        let now = self.count();
        if slots == now || self.rest.get() + now * 4 < slots * 4 {
            return;
        }
        self.rest.set(self.rest.get() + now * 4);
        self.lay(self.slots.get(), slots);
    }

    /// All pages at once: the hash spreads nodes over all of them.
    pub fn touch(&self) {
        sys::madvise(self.slots.get() as u64, self.count() * 4, sys::MADV_POPULATE_WRITE);
    }

    fn count(&self) -> u64 {
        (self.mask.get() as u64 + 1) * BUCKET as u64
    }

    fn lay(&self, at: *mut u32, slots: u64) {
        self.slots.set(at);
        self.mask.set((slots / BUCKET as u64 - 1) as u32);
        self.room.set(Self::most(slots));
        self.rest.set(self.rest.get() - slots * 4);
    }

    /// Looks for a node with this hash that `is` the one.
    #[inline(always)]
    pub fn find(&self, hash: u32, is: impl Fn(Label) -> bool) -> Found {
        let (mask, tag) = (self.mask.get(), self.tag.get());
        let mut bucket = hash & mask;
        loop {
            // SAFETY: inside the table; buckets are aligned to their size.
            let slots = unsafe { self.slots.get().add(bucket as usize * BUCKET) };
            // SAFETY: as above.
            let (mut alike, free) = compare(unsafe { &*slots.cast() }, hash & tag, tag);
            while alike != 0 {
                let at = alike.trailing_zeros() as usize;
                alike &= alike - 1;
                // SAFETY: one of the eight.
                let label = unsafe { *slots.add(at) } & !tag;
                // An empty slot may look alike; there is no node 0.
                if label != 0 && is(label) {
                    return Found::Node(label);
                }
            }
            if free != 0 {
                // SAFETY: one of the eight.
                return Found::Free(unsafe { slots.add(free.trailing_zeros() as usize) });
            }
            bucket = (bucket + 1) & mask;
        }
    }

    /// Puts a node at the place that `find` just answered. `hash_of` tells the hash of any node in the table,
    /// which may have to grow.
    #[inline(always)]
    pub fn put(&self, at: *mut u32, hash: u32, label: Label, hash_of: impl Fn(Label) -> u32) {
        let room = self.room.get();
        if room == 0 && !self.grow(hash_of) {
            // No larger one can be had: new nodes are not shared any more.
            return;
        }
        let at = if room != 0 { at } else { self.free(hash) };
        // SAFETY: a free slot of the table.
        unsafe { *at = label | hash & self.tag.get() };
        self.room.set(self.room.get() - 1);
    }

    /// Where a node that is not in the table belongs.
    fn free(&self, hash: u32) -> *mut u32 {
        loop {
            if let Found::Free(at) = self.find(hash, |_| false) {
                return at;
            }
        }
    }

    /// Nodes in the table.
    pub fn used(&self) -> u32 {
        Self::most(self.count()) - self.room.get()
    }

    /// How many nodes fit into so many slots: a quarter stays free, or searches would never end.
    fn most(slots: u64) -> u32 {
        (slots / 4 * 3) as u32
    }

    /// Builds the table larger, just behind the old one.
    #[cold]
    #[inline(never)]
    fn grow(&self, hash_of: impl Fn(Label) -> u32) -> bool {
        let (old, slots) = (self.count(), self.slots.get());
        let fits = |slots: u64| slots * 4 <= self.rest.get();
        let larger = if old < LARGE && fits(old * 4) { old * 4 } else { old * 2 };
        if !fits(larger) {
            return false;
        }
        // SAFETY: the memory behind the old table is ours, and zero.
        self.lay(unsafe { slots.add(old as usize) }, larger);
        self.touch();
        for i in 0..old as usize {
            // SAFETY: a slot of the old table, which stays where it is.
            let label = unsafe { *slots.add(i) } & !self.tag.get();
            if label != 0 {
                let hash = hash_of(label);
                // SAFETY: a free slot of the new table.
                unsafe { *self.free(hash) = label | hash & self.tag.get() };
                self.room.set(self.room.get() - 1);
            }
        }
        true
    }
}

/// One bit per slot: whose hash bits are `tag`, and which are free.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn compare(slots: &[u32; BUCKET], tag: u32, mask: u32) -> (u32, u32) {
    use core::arch::x86_64::*;
    // SAFETY: every x86-64 has these instructions; both loads lie inside the array.
    unsafe {
        let (low, high) = (_mm_loadu_si128(slots.as_ptr().cast()), _mm_loadu_si128(slots.as_ptr().add(4).cast()));
        let (mask, tag, zero) = (_mm_set1_epi32(mask as i32), _mm_set1_epi32(tag as i32), _mm_setzero_si128());
        let bits = |low: __m128i, high: __m128i| {
            let low = _mm_movemask_ps(_mm_castsi128_ps(low));
            (low | _mm_movemask_ps(_mm_castsi128_ps(high)) << 4) as u32
        };
        let alike = |four| _mm_cmpeq_epi32(_mm_and_si128(four, mask), tag);
        (bits(alike(low), alike(high)), bits(_mm_cmpeq_epi32(low, zero), _mm_cmpeq_epi32(high, zero)))
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn compare(slots: &[u32; BUCKET], tag: u32, mask: u32) -> (u32, u32) {
    let bits = |is: &dyn Fn(u32) -> bool| (0..BUCKET).fold(0, |all, i| all | (is(slots[i]) as u32) << i);
    (bits(&|slot| slot & mask == tag), bits(&|slot| slot == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrambled(label: Label) -> u32 {
        (label as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17) as u32
    }

    fn found(table: &Table, label: Label, hash: u32) -> Option<Label> {
        match table.find(hash, |other| other == label) {
            Found::Node(label) => Some(label),
            Found::Free(_) => None,
        }
    }

    fn add(table: &Table, label: Label, hash: impl Fn(Label) -> u32) {
        let Found::Free(at) = table.find(hash(label), |_| false) else { panic!("nothing is equal") };
        table.put(at, hash(label), label, hash);
    }

    #[test]
    fn what_was_put_is_found_however_often_the_table_grew() {
        let table = Table::new();
        assert!(table.prepare(1 << 20));
        // Labels need not follow each other.
        for label in (1..400_000).step_by(3) {
            assert_eq!(found(&table, label, scrambled(label)), None);
            add(&table, label, scrambled);
            assert_eq!(table.used(), label.div_ceil(3));
        }
        for label in 1..400_000 {
            assert_eq!(found(&table, label, scrambled(label)), (label % 3 == 1).then_some(label));
        }
    }

    #[test]
    fn equal_hashes_fill_bucket_after_bucket() {
        let table = Table::new();
        assert!(table.prepare(1 << 10));
        for hash in [0, u32::MAX] {
            let first = table.used() + 1;
            for label in first..first + 200 {
                add(&table, label, |_| hash);
            }
            assert!((first..first + 200).all(|label| found(&table, label, hash) == Some(label)));
        }
    }

    #[test]
    fn a_table_that_cannot_grow_keeps_what_it_has() {
        let table = Table::new();
        assert!(table.prepare(1 << 20));
        // As if the machine had refused the memory.
        table.rest.set(0);
        for label in 1..20_000 {
            add(&table, label, |_| 7);
        }
        let kept = table.used();
        assert!(kept > 1000 && found(&table, kept, 7) == Some(kept) && found(&table, kept + 1, 7).is_none());
    }

    #[test]
    fn the_next_run_begins_where_the_last_one_got() {
        let table = Table::new();
        assert!(table.prepare(1 << 20));
        for (nodes, slots) in [(1, FIRST_SLOTS), (50_000, 1 << 17), (0, FIRST_SLOTS), (u32::MAX, LARGEST_START)] {
            table.expect(nodes);
            assert_eq!((table.count(), table.used()), (slots, 0));
        }
    }
}
