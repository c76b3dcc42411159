//! Notices input that is consumed behind our back: by the C library's functions without a model, by
//! libraries that were not rebuilt, by child processes. Models say when they have read; whatever has moved
//! after the call of an uninstrumented function, that function has moved.
//!
//! Standard input (or the socket in its place) is watched by its position, down to what is left in `stdin`'s
//! buffer; files by their access time, until somebody has read them.

use crate::inputs::{SOURCES, object_length, source, source_count};
use crate::{events, streams, sys};
use core::cell::Cell;
use symcrete_abi::Lost;
use symcrete_abi::input::SourceKind;

struct Watch {
    /// The source behind descriptor 0, `NONE` if there is none or it is no longer watched.
    source: Cell<u32>,
    position: Cell<u64>,
    /// Bytes that were read into `stdin`'s buffer and not taken yet.
    pending: Cell<u64>,
    /// Everything has been read from the descriptor.
    at_end: Cell<bool>,
    /// How many bytes wait in `stdin`'s buffer, where there is one.
    ask: Cell<Option<extern "C" fn() -> u64>>,
    /// The same of any stream, which may have to give them back: see `feed`.
    unread: Cell<Option<Unread>>,
    /// Files that nobody has read yet, as far as we know.
    files: [Cell<bool>; SOURCES],
    untouched: Cell<u32>,
}

/// `(stream, what is asked)`; null is `stdin`. What is asked: how much it has read ahead, the same and to give it back,
/// where its buffer begins, where it ends.
pub type Unread = extern "C" fn(*mut u8, i32) -> u64;

// SAFETY: used by the traced thread only, and before it runs.
unsafe impl Sync for Watch {}

const NONE: u32 = u32::MAX;

static WATCH: Watch = Watch {
    source: Cell::new(NONE),
    position: Cell::new(0),
    pending: Cell::new(0),
    at_end: Cell::new(false),
    ask: Cell::new(None),
    unread: Cell::new(None),
    files: [const { Cell::new(false) }; SOURCES],
    untouched: Cell::new(0),
};

/// How to ask for what waits in `stdin`'s buffer (all ones where `stdin` is no longer descriptor 0), and in any
/// stream's.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_watch(pending: extern "C" fn() -> u64, unread: Unread) {
    WATCH.ask.set(Some(pending));
    WATCH.unread.set(Some(unread));
}

/// Bytes that `file` (null: `stdin`) has read from its descriptor and not handed out; all ones where that cannot be
/// told. With `drop` they are as if they had not been read.
pub fn unread(file: *mut u8, drop: bool) -> u64 {
    WATCH.unread.get().map_or(0, |ask| ask(file, drop as i32))
}

/// Where the buffer of `stdin` lies: what was read into it says nothing about the program.
pub fn buffer() -> (u64, u64) {
    let file = core::ptr::null_mut();
    WATCH.unread.get().map_or((0, 0), |ask| (ask(file, 2), ask(file, 3)))
}

/// Descriptor 0 now is source `i`, of which `position` bytes were taken.
pub fn descriptor(i: u32, position: u64) {
    WATCH.source.set(i);
    WATCH.position.set(position);
    WATCH.pending.set(0);
    WATCH.at_end.set(object_length(i) <= position);
}

/// File `fd`, source `i`, has been written for the run.
pub fn file(i: u32, fd: i32) {
    if sys::forget_access(fd) {
        WATCH.files[i as usize].set(true);
        WATCH.untouched.set(WATCH.untouched.get() + 1);
    }
}

/// A model uses source `i`.
pub fn used(i: u32) {
    if WATCH.files[i as usize].replace(false) {
        WATCH.untouched.set(WATCH.untouched.get() - 1);
    }
}

/// Models have read: from here on.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_consumed() {
    crate::gate::pass((), || {
        let i = WATCH.source.get();
        if i == NONE {
            return;
        }
        // One character out of the buffer leaves the descriptor alone.
        let pending = pending();
        if pending != 0 && pending + 1 == WATCH.pending.get() {
            return WATCH.pending.set(pending);
        }
        moved(i);
    });
}

/// The program takes characters out of the buffer itself: only the descriptor is watched from here on.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_inlined() {
    crate::gate::pass((), || {
        streams::take(__symcrete_model_inlined as *const () as u64);
        WATCH.ask.set(None);
        WATCH.pending.set(0);
    });
}

/// After the call of an uninstrumented function: whether it has taken input, and that is counted.
pub fn foreign(site: u32) -> bool {
    let i = WATCH.source.get();
    let mut taken = i != NONE && moved(i);
    if taken && !streams::is_source(i, 0) {
        // The program closed the descriptor, or put another one in its place.
        WATCH.source.set(NONE);
        taken = false;
    }
    if WATCH.untouched.get() != 0 {
        taken |= file_read();
    }
    if taken {
        events::lost(Lost::Call as u32, site);
    }
    taken
}

fn pending() -> u64 {
    WATCH.ask.get().map_or(0, |ask| ask())
}

/// Whether anything was taken since the last look.
fn moved(i: u32) -> bool {
    let (pending, before) = (pending(), WATCH.pending.get());
    if pending == u64::MAX {
        WATCH.source.set(NONE);
        return false;
    }
    if WATCH.at_end.get() {
        WATCH.pending.set(pending);
        return pending != before;
    }
    let position = streams::position(i, 0);
    let changed = position != WATCH.position.get() || pending != before;
    WATCH.position.set(position);
    WATCH.pending.set(pending);
    WATCH.at_end.set(position >= object_length(i));
    changed
}

fn file_read() -> bool {
    let mut found = false;
    for i in (0..source_count()).filter(|&i| WATCH.files[i as usize].get()) {
        debug_assert!(source(i).kind == SourceKind::File as u8);
        match crate::inputs::with_path(i, sys::access_time) {
            Some(0) => {}
            touched => {
                found |= touched.is_some();
                used(i);
            }
        }
    }
    found
}
