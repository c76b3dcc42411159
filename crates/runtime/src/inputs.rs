//! Puts one input in place before `main`: buffer, standard input, arguments, environment, files, socket.
//! Done in the child of the fork server, so nothing has to be undone.

use crate::nodes::intern;
use crate::state::{STATE, header, region};
use crate::{feed, labels, start, streams, sys, watch};
use core::cell::Cell;
use symcrete_abi::input::{Source, SourceKind};
use symcrete_abi::layout::{BUFFER_ADDRESS, PAGE, notes};
use symcrete_abi::{Label, Op};

/// Declared sources that are looked at; the command line has far fewer.
pub const SOURCES: usize = 256;

/// Where argument and environment strings lie in every run.
const STRINGS_ADDRESS: u64 = BUFFER_ADDRESS + (1 << 36);

/// The input of this run, in shared memory: how many objects, their lengths, their bytes.
struct Current {
    count: Cell<u32>,
    lengths: Cell<*const u32>,
    bytes: Cell<*const u8>,
    end: Cell<*const u8>,
    tracking: Cell<bool>,
    buffer: Cell<(u32, u64)>,
    buffer_pages: Cell<u64>,
    /// Length of the last content of the buffer.
    buffer_dirty: Cell<usize>,
    strings: Cell<u64>,
}

// SAFETY: one thread.
unsafe impl Sync for Current {}

static CURRENT: Current = Current {
    count: Cell::new(0),
    lengths: Cell::new(core::ptr::null()),
    bytes: Cell::new(core::ptr::null()),
    end: Cell::new(core::ptr::null()),
    tracking: Cell::new(false),
    buffer: Cell::new((u32::MAX, 0)),
    buffer_pages: Cell::new(0),
    buffer_dirty: Cell::new(0),
    strings: Cell::new(STRINGS_ADDRESS),
};

/// Where this module's variables lie.
pub fn place() -> (u64, u64) {
    let at = &raw const CURRENT as u64;
    (at, at + size_of::<Current>() as u64)
}

/// Points at the input at `offset` of the input region. What does not fit into the region is not there.
pub fn select(offset: u64) {
    let (base, size) = region(|h| h.input);
    let read = |at: u64| match at + 4 <= size {
        // SAFETY: inside the region; inputs are aligned to four bytes.
        true => unsafe { base.add(at as usize).cast::<u32>().read_unaligned() },
        false => 0,
    };
    let count = read(offset) as u64;
    let count = if offset + 4 + 4 * count <= size { count } else { 0 };
    CURRENT.count.set(count as u32);
    CURRENT.lengths.set(base.wrapping_add(offset as usize + 4).cast());
    CURRENT.bytes.set(base.wrapping_add((offset + 4 + 4 * count) as usize));
    CURRENT.end.set(base.wrapping_add(size as usize));
}

pub fn count() -> u32 {
    CURRENT.count.get()
}

fn length(i: u32) -> usize {
    // SAFETY: `select` checked that so many lengths are there.
    unsafe { CURRENT.lengths.get().add(i as usize).read_unaligned() as usize }
}

/// The bytes of object `i`, nothing if there is no such object.
pub fn object(i: u32) -> &'static [u8] {
    if i >= count() {
        return &[];
    }
    let mut at = CURRENT.bytes.get();
    for j in 0..i {
        at = at.wrapping_add(length(j));
    }
    let room = (CURRENT.end.get() as usize).saturating_sub(at as usize);
    // SAFETY: inside the region.
    unsafe { core::slice::from_raw_parts(at, length(i).min(room)) }
}

pub fn source_count() -> u32 {
    let (_, size) = region(|h| h.sources);
    header().map_or(0, |h| h.source_count.min((size / size_of::<Source>() as u64) as u32).min(SOURCES as u32))
}

pub fn source(i: u32) -> &'static Source {
    let (base, _) = region(|h| h.sources);
    // SAFETY: `i` < `source_count`, which is checked against the region.
    unsafe { &*base.cast::<Source>().add(i as usize) }
}

fn name(source: &Source) -> &[u8] {
    &source.name[..(source.name_length as usize).min(source.name.len() - 1)]
}

/// Sets up everything for one run of the whole program.
pub fn begin(offset: u64, tracking: bool) {
    CURRENT.tracking.set(tracking);
    select(offset);
    if header().is_some_and(|h| h.source_count as usize > SOURCES) {
        header().unwrap().notes |= notes::TOO_MANY;
    }
    // Those of the user's choice come first.
    let own = (0..source_count()).filter(|i| source(*i).kind == SourceKind::Arg as u8).count();
    let mut arguments = STATE.argc.get().saturating_sub(own + 1);
    for i in 0..source_count() {
        let source = source(i);
        let bytes = object(i);
        let bytes = &bytes[..bytes.len().min(source.capacity as usize)];
        match source.kind {
            k if k == SourceKind::Buffer as u8 => {
                fill_buffer(i, bytes);
            }
            k if k == SourceKind::Stdin as u8 => stdin(i, bytes),
            k if k == SourceKind::Arg as u8 => {
                arguments += 1;
                argument(i, arguments, bytes);
            }
            k if k == SourceKind::Env as u8 => variable(i, name(source), bytes),
            k if k == SourceKind::File as u8 => file(i, bytes),
            k if k == SourceKind::Socket as u8 => socket(i, bytes),
            _ => {}
        }
    }
}

/// Input nodes for `n` bytes at `p`, which are bytes `offset…` of object `i`.
pub fn label_bytes(p: u64, n: u64, i: u32, offset: u64) {
    for at in 0..n {
        // SAFETY: the caller's bytes.
        let byte = unsafe { *((p + at) as *const u8) };
        match input_byte(i, offset + at, byte) {
            0 => labels::clear(p + at, 1),
            label => labels::set(p + at, 1, label),
        }
    }
}

pub fn input_byte(i: u32, offset: u64, byte: u8) -> Label {
    intern(Op::Input, 8, i, offset as u32, 0, byte as u128)
}

/// Label of an object's length; 0 where the length is fixed.
pub fn length_label(i: u32) -> Label {
    if i >= source_count() || source(i).exact != 0 {
        return 0;
    }
    intern(Op::Length, 64, i, 0, 0, object_length(i) as u128)
}

/// Length of a declared object as the program sees it.
pub fn object_length(i: u32) -> u64 {
    object(i).len().min(source(i).capacity as usize) as u64
}

/// The harness' buffer: object and length.
pub fn buffer() -> (u32, u64) {
    CURRENT.buffer.get()
}

/// Copies into the buffer. Always at the same address; what an earlier, longer input left behind is wiped.
pub fn fill_buffer(i: u32, bytes: &[u8]) {
    let pages = (source(i).capacity.max(1) as u64).next_multiple_of(PAGE);
    if CURRENT.buffer_pages.get() < pages {
        if sys::pages(BUFFER_ADDRESS, pages, sys::MAP_FIXED) < 0 {
            sys::die(sys::SIGABRT);
        }
        CURRENT.buffer_pages.set(pages);
    }
    let at = BUFFER_ADDRESS as *mut u8;
    // SAFETY: mapped above, and `bytes` is no longer than the capacity.
    unsafe {
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
        if CURRENT.buffer_dirty.get() > bytes.len() {
            core::ptr::write_bytes(at.add(bytes.len()), 0, CURRENT.buffer_dirty.get() - bytes.len());
        }
    }
    CURRENT.buffer_dirty.set(bytes.len());
    CURRENT.buffer.set((i, bytes.len() as u64));
    if CURRENT.tracking.get() {
        label_bytes(BUFFER_ADDRESS, bytes.len() as u64, i, 0);
    }
}

fn stdin(i: u32, bytes: &[u8]) {
    let Some(fd) = feed::file(bytes, 0) else { return };
    streams::declare(i, fd);
    if fd != 0 {
        sys::dup2(fd, 0);
        sys::close(fd);
    }
    watch::descriptor(i, 0);
    feed::begin(i);
}

/// Room for a string of at most `n` bytes and its end.
fn room(n: u64) -> Option<u64> {
    let at = CURRENT.strings.get();
    let size = (n + 1).next_multiple_of(PAGE);
    CURRENT.strings.set(at + size + PAGE);
    (sys::pages(at, size, sys::MAP_FIXED) >= 0).then_some(at)
}

/// `prefix`, then the characters, zero up to the capacity and behind it. All characters up to the capacity
/// are input: where the string ends is decided by the first zero among them.
fn string(i: u32, prefix: &[u8], bytes: &[u8]) -> Option<*mut u8> {
    let capacity = source(i).capacity as u64;
    let at = room(prefix.len() as u64 + capacity)?;
    let characters = at + prefix.len() as u64;
    // SAFETY: mapped by `room`, zero.
    unsafe {
        core::ptr::copy_nonoverlapping(prefix.as_ptr(), at as *mut u8, prefix.len());
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), characters as *mut u8, bytes.len());
    }
    if CURRENT.tracking.get() {
        label_bytes(characters, capacity, i, 0);
    }
    Some(at as *mut u8)
}

fn argument(i: u32, number: usize, bytes: &[u8]) {
    if number >= STATE.argc.get() {
        return;
    }
    if let Some(text) = string(i, b"", bytes) {
        // SAFETY: `main` gets this very array.
        unsafe { *STATE.argv.get().add(number) = text };
    }
}

/// The engine starts the target with the variable set, so that there is an entry to replace.
fn variable(i: u32, name: &[u8], bytes: &[u8]) {
    let Some(entry) = start::find_variable(STATE.envp.get(), name) else { return };
    let mut prefix = [0; 121];
    prefix[..name.len()].copy_from_slice(name);
    prefix[name.len()] = b'=';
    if let Some(text) = string(i, &prefix[..name.len() + 1], bytes) {
        // SAFETY: found just now.
        unsafe { *STATE.envp.get().add(entry) = text };
    }
}

fn file(i: u32, bytes: &[u8]) {
    const WRITE_NEW: usize = 1 | 0o100 | 0o1000;
    let fd = with_path(i, |path| sys::open(path, WRITE_NEW, 0o644)) as i32;
    if fd >= 0 {
        sys::write_all(fd, bytes);
        streams::declare(i, fd);
        if CURRENT.tracking.get() {
            watch::file(i, fd);
        }
        sys::close(fd);
    }
}

/// The name of file source `i`, with a zero behind it.
pub fn with_path<T>(i: u32, work: impl FnOnce(&[u8]) -> T) -> T {
    let name = name(source(i));
    let mut path = [0; 121];
    path[..name.len()].copy_from_slice(name);
    work(&path[..name.len() + 1])
}

/// One end is descriptors 0 and 1, as inetd hands it over.
fn socket(i: u32, bytes: &[u8]) {
    let Some(near) = feed::connection(bytes) else { return };
    streams::declare(i, near);
    for fd in 0..2 {
        if near != fd {
            sys::dup2(near, fd);
        }
    }
    if near > 1 {
        sys::close(near);
    }
    watch::descriptor(i, 0);
    feed::begin(i);
}
