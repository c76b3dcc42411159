//! A region of the shared memory that runs fill from its front. Pages cost more than what is written on
//! them: those that the server laid out at its start or an earlier run has touched are mapped many at a time, by
//! reading (a write would map one); new ones come as they are touched, never before.

use crate::sys;
use core::cell::Cell;
use symcrete_abi::layout::{PAGE, Region};

pub struct Growing<T> {
    at: Cell<*mut T>,
    limit: Cell<u32>,
    /// Entries that need no look at their pages.
    ready: Cell<u32>,
    /// Entries whose pages are there since an earlier run.
    known: Cell<u32>,
}

impl<T> Growing<T> {
    pub const fn new() -> Growing<T> {
        Growing { at: Cell::new(core::ptr::null_mut()), limit: Cell::new(0), ready: Cell::new(0), known: Cell::new(0) }
    }

    /// Takes a region of the memory that begins at `base`, up to `most` entries of it.
    pub fn prepare(&self, base: *mut u8, region: Region, most: u32) {
        self.at.set(base.wrapping_add(region.at as usize).cast());
        self.limit.set((region.size / size_of::<T>() as u64).min(most as u64) as u32);
        self.ready.set(0);
        self.known.set(0);
    }

    /// At the start of a server: pages for the first `entries`, so that its first run does not make them.
    pub fn lay_out(&self, entries: u32) {
        let entries = entries.min(self.limit.get());
        let bytes = (u64::from(entries) * size_of::<T>() as u64).next_multiple_of(PAGE);
        if bytes != 0 && sys::madvise(self.at.get() as u64, bytes, sys::MADV_POPULATE_WRITE) == 0 {
            self.used(entries);
        }
    }

    pub fn limit(&self) -> u32 {
        self.limit.get()
    }

    /// No more than so many entries from now on.
    pub fn restrict(&self, entries: u32) {
        self.limit.set(self.limit.get().min(entries));
        self.ready.set(self.ready.get().min(entries));
    }

    pub fn forbid(&self) {
        self.limit.set(0);
    }

    /// Between two runs: the last one used so many entries.
    pub fn used(&self, entries: u32) {
        self.known.set(self.known.get().max(entries.min(self.limit.get())));
    }

    #[inline(always)]
    pub fn at(&self, index: u32) -> *mut T {
        self.at.get().wrapping_add(index as usize)
    }

    /// Whether there is an entry `index`.
    #[inline(always)]
    pub fn has(&self, index: u32) -> bool {
        index < self.ready.get() || self.more(index)
    }

    #[cold]
    #[inline(never)]
    fn more(&self, index: u32) -> bool {
        let (limit, known) = (self.limit.get(), self.known.get());
        if index >= limit {
            return false;
        }
        if index >= known {
            self.ready.set(limit);
            return true;
        }
        let size = size_of::<T>() as u64;
        // Sixteen pages to begin with, then as many again as were needed so far.
        let from = (index as u64 * size) & !(PAGE - 1);
        let to = (from + from.clamp(16 * PAGE, 256 * PAGE)).min((known as u64 * size).next_multiple_of(PAGE));
        // A kernel that does not know this gives the pages one by one.
        sys::madvise(self.at.get() as u64 + from, to - from, sys::MADV_POPULATE_READ);
        self.ready.set(((to / size) as u32).clamp(index + 1, limit));
        true
    }
}
