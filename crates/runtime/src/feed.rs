//! Standard input and the socket in walks: a read of them is an input statement, like a request. Where a walk stands,
//! what it has not used up yet can be other bytes: the descriptor is replaced by one that has them, and what a stream's
//! buffer had read ahead is as if it had not been read.
//!
//! It never changes what the program has already used up.

use crate::gate::pass;
use crate::inputs::{length_label, object, object_length, source};
use crate::nodes::{constant, intern};
use crate::{events, paths, snapshot, streams, sys, watch};
use core::cell::Cell;
use symcrete_abi::input::SourceKind;
use symcrete_abi::lost::NO_SITE;
use symcrete_abi::{EventKind, Op};

struct Feed {
    /// The source behind standard input, `NONE` for none.
    source: Cell<u32>,
    /// The other end of the socket, which has sent everything.
    far: Cell<i32>,
}

// SAFETY: one thread.
unsafe impl Sync for Feed {}

const NONE: u32 = u32::MAX;
/// Descriptors that may be copies of standard input.
const COPIES: i32 = 256;
/// Where the other end of the socket is, out of the program's way.
const FAR: usize = 200;

static FEED: Feed = Feed { source: Cell::new(NONE), far: Cell::new(-1) };

/// Where a program stands in its stream.
pub struct Place {
    /// Bytes it has used up.
    pub position: u64,
    /// The stream that it reads through, null for `stdin`; `buffered`: what that read ahead is given back.
    file: *mut u8,
    buffered: bool,
}

/// Descriptor 0 is source `i`.
pub fn begin(i: u32) {
    FEED.source.set(i);
}

/// A file with these bytes, read up to `position`.
pub fn file(bytes: &[u8], position: u64) -> Option<i32> {
    let fd = sys::memfd(b"stdin\0") as i32;
    if fd < 0 || !sys::write_all(fd, bytes) {
        return None;
    }
    sys::lseek(fd, position as i64, 0);
    Some(fd)
}

/// The near end of a connection whose far end has sent these bytes. The far end is kept open, out of the way: what the
/// target answers goes nowhere.
pub fn connection(bytes: &[u8]) -> Option<i32> {
    let [near, far] = sys::socket_pair()?;
    let before = FEED.far.get();
    if before >= 0 {
        sys::put_in_place(far, before);
        sys::close(far);
    } else {
        match sys::dup_above(far, FAR) {
            copy if copy >= 0 => {
                sys::close(far);
                FEED.far.set(copy as i32);
            }
            _ => FEED.far.set(far),
        }
    }
    let far = FEED.far.get();
    sys::send_buffer(far, bytes.len() as i32 * 2 + (1 << 16));
    sys::send_buffer(near, 4 << 20);
    sys::write_all(far, bytes);
    sys::shutdown_write(far);
    Some(near)
}

/// The program is about to read from `fd`, through the stream `file` if that is not null.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_input(fd: i32, file: *mut u8) {
    pass((), || {
        streams::take(__symcrete_model_input as *const () as u64);
        streams::read_back(fd);
    });
    let i = FEED.source.get();
    // Descriptor 0 is looked at more closely where the walk is about to stand still.
    if i != NONE && snapshot::counts_reads() && (fd == 0 || streams::is_source(i, fd)) {
        snapshot::at_read(|| stands(i, fd, file, !file.is_null()));
    }
}

/// Where the program stands, if `fd` is its stream and its buffer can be given back.
fn stands(i: u32, fd: i32, file: *mut u8, buffered: bool) -> Option<Place> {
    if !streams::is_source(i, fd) {
        return None;
    }
    let ahead = if buffered { watch::unread(file, false) } else { 0 };
    let position = streams::position(i, fd).checked_sub(ahead)?;
    Some(Place { position, file, buffered })
}

fn open_as() -> Option<i32> {
    let i = FEED.source.get();
    if i == NONE { None } else { (0..COPIES).find(|&fd| streams::is_source(i, fd)) }
}

/// Whether the program can still read from its stream.
pub fn is_open() -> bool {
    open_as().is_some()
}

/// Where the program stands in its stream when it does something else.
pub fn stands_anywhere() -> Option<Place> {
    let fd = open_as()?;
    stands(FEED.source.get(), fd, core::ptr::null_mut(), fd == 0)
}

/// From `place` on the stream has the bytes of the input that is selected now.
pub fn go_on(place: Option<&Place>) {
    let (i, Some(place)) = (FEED.source.get(), place) else { return };
    let (device, inode) = streams::identity(i);
    let bytes = &object(i)[..object_length(i) as usize];
    let is_socket = source(i).kind == SourceKind::Socket as u8;
    let rest = bytes.get(place.position as usize..).unwrap_or(&[]);
    let Some(own) = (if is_socket { connection(rest) } else { file(bytes, place.position) }) else { return };
    streams::declare(i, own);
    for fd in (0..COPIES).filter(|&fd| fd != own) {
        if sys::identity(fd) == Some((device, inode)) {
            if let Some(flags) = sys::opened_as(fd) {
                sys::set_opened_as(own, flags);
            }
            sys::put_in_place(own, fd);
        }
    }
    sys::close(own);
    if place.buffered {
        watch::unread(place.file, true);
    }
    watch::descriptor(i, place.position);
    pass((), || at_least(i, place.position));
}

/// What was used up is there, whatever comes behind it.
fn at_least(i: u32, used: u64) {
    let (length, used_label) = (length_label(i), constant(used.into(), 64));
    if used > 0 && length != 0 && used_label != 0 && used <= object_length(i) {
        let holds = intern(Op::Ule, 1, used_label, length, 0, 1);
        if holds != 0 {
            events::push(EventKind::Assume, true, NO_SITE, holds, paths::position());
        }
    }
}
