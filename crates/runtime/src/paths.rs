//! Full paths: the stream that tracking bodies hand their full accumulators to (see `symcrete_abi::path`).
//!
//! The page of the cell is there whenever tracking bodies run. A fork of the target wipes it, so that only
//! the run itself writes. The tail, what the accumulator holds when the run ends, is known where the run ends
//! in order or in code that is not tracked; elsewhere it is lost with the registers, and the path is cut.

use crate::state::header;
use crate::{events, gate, sys};
use core::cell::Cell as Plain;
use symcrete_abi::Lost;
use symcrete_abi::layout::{flags, truncated};
use symcrete_abi::lost::NO_SITE;
use symcrete_abi::path::{AT_CALL, CELL, Cell, END, IS_MARK};

struct Stream {
    /// Words there is room for in this run, 0 when nothing is recorded.
    words: Plain<i64>,
    /// Words that are mapped.
    mapped: Plain<i64>,
}

// SAFETY: set at start and when a run begins, by one thread.
unsafe impl Sync for Stream {}

static STREAM: Stream = Stream { words: Plain::new(0), mapped: Plain::new(0) };

/// Room for runs without an engine, where nobody reads what is written.
const BY_HAND: [u64; 2] = [1 << 32, 1 << 26];

/// Makes the cell; false when its place is taken.
pub fn map_cell() -> bool {
    if sys::pages(CELL, 4096, sys::MAP_FIXED_NOREPLACE) != CELL as isize {
        return false;
    }
    sys::madvise(CELL, 4096, sys::MADV_WIPEONFORK);
    true
}

/// Lays the engine's memory where the stream is written. Without room for it, runs have no full paths.
pub fn map_stream(shm: i32) {
    let Some(header) = header() else { return };
    let (at, size) = (header.path.at, header.path.size);
    let base = END.wrapping_sub(size);
    if size != 0 && sys::mmap(base, size, sys::MAP_SHARED | sys::MAP_FIXED_NOREPLACE, shm, at) == base as isize {
        sys::madvise(base, size, sys::MADV_DONTDUMP);
        STREAM.mapped.set(size as i64 / 8);
    }
}

/// A run without an engine records for the cost of it.
pub fn begin_by_hand() {
    for size in BY_HAND {
        let base = END - size;
        if sys::pages(base, size, sys::MAP_FIXED_NOREPLACE) == base as isize {
            sys::madvise(base, size, sys::MADV_DONTDUMP);
            set(Cell { cursor: -(size as i64) / 8, bits: 1 | AT_CALL });
            return;
        }
    }
}

/// A tracked run begins.
pub fn begin() {
    let Some(header) = header() else { return };
    let wanted = header.flags & flags::PATHS != 0;
    let words = if wanted { STREAM.mapped.get() } else { 0 };
    if wanted && words == 0 {
        header.truncated |= truncated::PATH;
    }
    STREAM.words.set(words);
    set(Cell { cursor: -words, bits: 1 | AT_CALL });
}

/// A run begins whose path nobody can follow: it is not recorded.
pub fn begin_silently() {
    STREAM.words.set(0);
    set(Cell { cursor: 0, bits: 1 | AT_CALL });
}

/// How far the path is, as events say it; 0 when it is not recorded.
#[inline(always)]
pub fn position() -> u32 {
    let words = STREAM.words.get();
    if words == 0 {
        return 0;
    }
    let Cell { cursor, bits } = cell();
    let held = (bits & !AT_CALL).checked_ilog2().unwrap_or(0);
    ((words + cursor) as u32).wrapping_mul(64).wrapping_add(held)
}

/// Puts an accumulator into the cell; 0 is none.
#[inline(always)]
pub fn show(bits: u64) {
    if bits != 0 {
        // SAFETY: as in `cell`.
        unsafe { (&raw mut (*(CELL as *mut Cell)).bits).write_volatile(bits) };
    }
}

/// A full accumulator.
pub extern "C" fn bits(bits: u64) {
    if bits > 1 {
        append(bits);
    }
    // What was handed over must not be found in the cell again.
    set(Cell { bits: 1, ..cell() });
}

/// A mark; before it what the cell holds.
pub extern "C" fn mark(number: u32) {
    let held = cell().bits & !AT_CALL;
    if held > 1 {
        append(held);
    }
    append(IS_MARK | u64::from(number));
    set(Cell { bits: 1, ..cell() });
}

/// A function was entered by something the pass does not see.
pub extern "C" fn enter(number: u32) {
    if recording() && gate::is_beside() {
        // Its decisions would be taken for those of the run.
        events::lost(Lost::Thread as u32, NO_SITE);
        return stop();
    }
    if cell().bits & AT_CALL == 0 {
        // Nobody made a call: this is the handler of a signal, and the bits of what it interrupted are in a
        // register.
        return stop();
    }
    mark(number);
    set(Cell { bits: 1 | AT_CALL, ..cell() });
}

/// The accumulator before a call that does not come back.
pub extern "C" fn last(held: u64) {
    bits(held);
    tail(1);
    set(Cell { bits: 1 | AT_CALL, ..cell() });
}

/// The run ends, in order or by a signal.
pub fn end() {
    if recording() && cell().bits & AT_CALL != 0 {
        tail(cell().bits & !AT_CALL);
    }
}

/// The path cannot be followed any further.
pub fn stop() {
    if recording() {
        set(Cell { cursor: 0, ..cell() });
        if let Some(header) = header() {
            header.truncated |= truncated::PATH;
        }
    }
}

fn recording() -> bool {
    // A forked child of the target has an empty cell.
    STREAM.words.get() != 0 && gate::owned() && cell().cursor != 0
}

fn append(word: u64) {
    let Cell { cursor, bits } = cell();
    if cursor == 0 {
        return;
    }
    tail(0);
    // SAFETY: the memory ends at `END`, and the cursor began as far before it as there is room.
    unsafe { (END as *mut u64).offset(cursor as isize).write_volatile(word) };
    set(Cell { cursor: cursor + 1, bits });
}

fn tail(bits: u64) {
    if STREAM.words.get() != 0
        && let Some(header) = header()
    {
        header.path_tail = bits;
    }
}

fn cell() -> Cell {
    // SAFETY: mapped before any tracking body runs.
    unsafe { (CELL as *const Cell).read_volatile() }
}

fn set(cell: Cell) {
    // SAFETY: as above.
    unsafe { (CELL as *mut Cell).write_volatile(cell) };
}
