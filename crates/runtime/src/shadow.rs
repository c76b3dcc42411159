//! The two mappings beside the program's memory: label words and their summary. Reserved in one piece;
//! where the machine refuses that (a limit on address space, strict overcommit) they are mapped piece by
//! piece when touched, from the handler of the fault.

use crate::sys;
use core::cell::Cell;
use symcrete_abi::layout::{SHADOW_BASE, SHADOW_MASK, SHADOW_SIZE, SUMMARY_BASE, SUMMARY_SIZE};

struct Shadow {
    mapped: Cell<bool>,
    on_demand: Cell<bool>,
}

// SAFETY: set once at start, by one thread.
unsafe impl Sync for Shadow {}

static SHADOW: Shadow = Shadow { mapped: Cell::new(false), on_demand: Cell::new(false) };

/// Pieces mapped by a fault: large enough that few faults happen, small enough for tight limits.
const PIECE: u64 = 1 << 16;

/// Maps both, once. Says whether they had to be left to [`fault`].
pub fn map() -> bool {
    if SHADOW.mapped.replace(true) {
        return SHADOW.on_demand.get();
    }
    for (base, size) in [(SHADOW_BASE, SHADOW_SIZE), (SUMMARY_BASE, SUMMARY_SIZE)] {
        if sys::pages(base, size, sys::MAP_FIXED_NOREPLACE) == base as isize {
            // A core dump of 48 TB helps nobody; huge pages would be zeroed for a few labels each.
            sys::madvise(base, size, sys::MADV_DONTDUMP);
            sys::madvise(base, size, sys::MADV_NOHUGEPAGE);
        } else {
            SHADOW.on_demand.set(true);
        }
    }
    SHADOW.on_demand.get()
}

/// A fault at `address`: true when it was ours and is mended.
pub fn fault(address: u64) -> bool {
    if !SHADOW.on_demand.get() {
        return false;
    }
    let inside = |base: u64, size: u64| (base..base + size).contains(&address);
    if !inside(SHADOW_BASE, SHADOW_SIZE) && !inside(SUMMARY_BASE, SUMMARY_SIZE) {
        return false;
    }
    let piece = address & !(PIECE - 1);
    if sys::pages(piece, PIECE, sys::MAP_FIXED_NOREPLACE) == piece as isize {
        return true;
    }
    // Part of the piece is there already, or memory is short: one page will do.
    let page = address & !4095;
    sys::pages(page, 4096, sys::MAP_FIXED_NOREPLACE) == page as isize
}

/// Shadow word of the byte at `p`.
#[inline(always)]
pub fn word(p: u64) -> *mut u32 {
    (SHADOW_BASE + ((p & SHADOW_MASK) << 2)) as *mut u32
}

/// Summary byte of the eight bytes around `p`.
#[inline(always)]
pub fn summary(p: u64) -> *mut u8 {
    (SUMMARY_BASE + (p >> 3)) as *mut u8
}

/// Whether `n` bytes from `p` are addresses a program can have at all, and few enough to look at: a size
/// gone wrong is about to crash the program, which it should do without waiting for us.
#[inline(always)]
pub fn covers(p: u64, n: u64) -> bool {
    const TOP: u64 = 1 << 47;
    const MOST: u64 = 1 << 32;
    p < TOP && n <= MOST && n <= TOP - p
}
