//! The harness' loop: one input of a traced run, or batch after batch of inputs in one process without a
//! system call between two of them.

use crate::state::{block, header, region};
use crate::{inputs, modules, requests, sys};
use core::cell::Cell;
use symcrete_abi::input::SourceKind;
use symcrete_abi::layout::{BUFFER_ADDRESS, NOVEL_MAX, flags};

struct Loop {
    /// This process runs batches.
    batch: Cell<bool>,
    /// A single run has been handed its input.
    served: Cell<bool>,
    /// A batch is being worked on; between batches the process stands still.
    open: Cell<bool>,
    current: Cell<u32>,
    size: Cell<u32>,
    buffer: Cell<Option<u32>>,
    /// Goes back into the loop from the middle of a run.
    back: Cell<Option<unsafe extern "C" fn() -> !>>,
}

// SAFETY: one thread.
unsafe impl Sync for Loop {}

static LOOP: Loop = Loop {
    batch: Cell::new(false),
    served: Cell::new(false),
    open: Cell::new(false),
    current: Cell::new(0),
    size: Cell::new(0),
    buffer: Cell::new(None),
    back: Cell::new(None),
};

/// This process was forked for batches.
pub fn enter() {
    LOOP.batch.set(true);
}

/// How to leave a run early inside the loop.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_loop_back(back: unsafe extern "C" fn() -> !) {
    LOOP.back.set(Some(back));
}

/// Gives up the run in progress and goes on with the next input of the batch; returns where there is none.
pub fn abandon() {
    if LOOP.batch.get()
        && LOOP.open.get()
        && let Some(back) = LOOP.back.get()
    {
        // SAFETY: `main` set it and is still on the stack: it is what called the harness.
        unsafe { back() }
    }
}

/// The next input for a harness: 0 when there is none. `entry` is the function that will get it.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_next(data: &mut *const u8, size: &mut usize, entry: u64) -> i32 {
    if LOOP.batch.get() {
        *size = next_of_batch();
        *data = BUFFER_ADDRESS as *const u8;
        return 1;
    }
    if LOOP.served.replace(true) {
        return 0;
    }
    let (object, length) = inputs::buffer();
    if object == u32::MAX {
        // No buffer is declared: a harness without input still gets a pointer.
        (*data, *size) = (c"".as_ptr().cast(), 0);
        return 1;
    }
    (*data, *size) = (BUFFER_ADDRESS as *const u8, length as usize);
    crate::gate::pass((), || {
        let block = block();
        block.stamp = entry;
        block.count = 2;
        block.arguments[0] = 0;
        block.arguments[1] = inputs::length_label(object);
        block.values[0] = BUFFER_ADDRESS;
        block.values[1] = length;
        block.result_stamp = 0;
    });
    1
}

/// Closes the run before, opens the next one. Returns the length of the buffer.
#[inline]
fn next_of_batch() -> usize {
    let Some(header) = header() else { return 0 };
    if LOOP.open.get() {
        let current = LOOP.current.get();
        let full =
            header.flags & flags::NOVELTY != 0 && novel(header.flags & flags::ALL_SEEN != 0) && remember(current);
        LOOP.current.set(current + 1);
        header.batch_current = current + 1;
        if full || current + 1 >= LOOP.size.get() {
            LOOP.open.set(false);
            sys::kill(sys::getpid(), sys::SIGSTOP);
        }
    }
    while !LOOP.open.get() {
        open_batch();
    }
    let current = LOOP.current.get();
    let (base, _) = region(|h| h.input);
    // SAFETY: `open_batch` checked that the table of offsets is inside the region.
    let offset = unsafe { base.cast::<u32>().add(1 + current as usize).read() };
    inputs::select(offset as u64);
    requests::restart(current as u64);
    match LOOP.buffer.get() {
        Some(i) => {
            let bytes = inputs::object(i);
            let bytes = &bytes[..bytes.len().min(inputs::source(i).capacity as usize)];
            inputs::fill_buffer(i, bytes);
            bytes.len()
        }
        None => 0,
    }
}

/// Reads the batch that lies in the input region; stands still when it is empty.
#[cold]
fn open_batch() {
    let Some(header) = header() else { return };
    let (base, size) = region(|h| h.input);
    // SAFETY: the region starts on a page.
    let count = if size < 4 { 0 } else { unsafe { base.cast::<u32>().read() } };
    let count = (count as u64).min(size.saturating_sub(4) / 4) as u32;
    header.batch_size = count;
    header.batch_current = 0;
    header.novel_count = 0;
    LOOP.current.set(0);
    LOOP.size.set(count);
    LOOP.buffer.set((0..inputs::source_count()).find(|&i| inputs::source(i).kind == SourceKind::Buffer as u8));
    modules::clear_coverage();
    if count == 0 {
        sys::kill(sys::getpid(), sys::SIGSTOP);
    } else {
        LOOP.open.set(true);
    }
}

/// Whether this run set marks that no run before it set; they count as seen from now on. Or whether it set all that are
/// seen. Clears the marks.
fn novel(all_seen: bool) -> bool {
    let words = modules::marks_end().div_ceil(8);
    let (marks, _) = region(|h| h.marks);
    let (seen, seen_size) = region(|h| h.seen);
    let words = words.min(seen_size as usize / 8);
    // SAFETY: so many words of both regions exist; nothing else looks at them while this runs.
    let (marks, seen) = unsafe {
        (
            core::slice::from_raw_parts_mut(marks.cast::<u64>(), words),
            core::slice::from_raw_parts_mut(seen.cast::<u64>(), words),
        )
    };
    let counts = if all_seen {
        marks.iter().zip(seen.iter()).fold(0, |missing, (mark, seen)| missing | (seen & !mark)) == 0
    } else {
        let new = marks.iter().zip(seen.iter()).fold(0, |new, (mark, seen)| new | (mark & !seen));
        if new != 0 {
            marks.iter().zip(seen.iter_mut()).for_each(|(mark, seen)| *seen |= mark);
        }
        new != 0
    };
    marks.fill(0);
    counts
}

/// Notes a new input; true when no more fit.
#[cold]
fn remember(index: u32) -> bool {
    let Some(header) = header() else { return true };
    let at = header.novel_count as usize;
    if at < NOVEL_MAX {
        header.novel[at] = index;
        header.novel_count = at as u32 + 1;
    }
    at + 1 >= NOVEL_MAX
}
