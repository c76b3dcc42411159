//! What a run from a snapshot shares with the walk unless it is given its own: positions in files, and pipes with what
//! waits in them. And what cannot be copied at all: threads, and processes that the program started.
//!
//! It never changes anything for the walk itself.

use crate::sys;
use symcrete_abi::control::Halt;

/// Descriptors that are looked at.
const MOST: i32 = 64;

/// Why no copy of this process would be exact, if there is a reason.
pub fn hindrance() -> Option<Halt> {
    // `.`, `..` and the one thread.
    if sys::links(b"/proc/self/task\0").is_some_and(|links| links > 3) {
        return Some(Halt::Threads);
    }
    has_children().then_some(Halt::Processes)
}

fn has_children() -> bool {
    let fd = sys::open(b"/proc/thread-self/children\0", 0, 0) as i32;
    if fd < 0 {
        return false;
    }
    let mut first = 0u8;
    let found = sys::read(fd, &mut first, 1) > 0;
    sys::close(fd);
    found
}

/// In the copy: positions and pipes of its own.
pub fn own() {
    let mut done = [(0, 0); MOST as usize];
    for fd in 0..MOST {
        match sys::file_kind(fd) {
            Some(sys::REGULAR) => own_position(fd),
            Some(sys::PIPE) => {
                let Some(identity) = sys::identity(fd) else { continue };
                if !done.contains(&identity) {
                    own_pipe(identity);
                    // What took its place is new, and so is its identity: none of it is looked at again.
                    done[fd as usize] = sys::identity(fd).unwrap_or(identity);
                }
            }
            _ => {}
        }
    }
}

/// A position in a file belongs to all who inherited it: this process gets one of its own.
fn own_position(fd: i32) {
    const ACCESS_APPEND_AND_WAITING: usize = 0o3 | 0o2000 | 0o4000;
    let position = sys::lseek(fd, 0, 1);
    let Some(flags) = sys::opened_as(fd) else { return };
    let mut path = *b"/proc/self/fd/00\0";
    // One digit where the number has one.
    let length = if fd < 10 {
        (path[14], path[15]) = (b'0' + fd as u8, 0);
        16
    } else {
        (path[14], path[15]) = (b'0' + (fd / 10) as u8, b'0' + (fd % 10) as u8);
        17
    };
    let own = sys::open(&path[..length], flags & ACCESS_APPEND_AND_WAITING, 0) as i32;
    if own >= 0 {
        sys::lseek(own, position as i64, 0);
        sys::put_in_place(own, fd);
        sys::close(own);
    }
}

/// A pipe of which this process holds both ends is copied with what waits in it. One that leads elsewhere stays.
fn own_pipe(identity: (u64, u64)) {
    const WRITES: usize = 1;
    let ends = || (0..MOST).filter(|&fd| sys::identity(fd) == Some(identity));
    let writes = |fd: i32| sys::opened_as(fd).is_some_and(|flags| flags & WRITES != 0);
    let (reading, writing) = (ends().find(|&fd| !writes(fd)), ends().find(|&fd| writes(fd)));
    let (Some(reading), Some(_)) = (reading, writing) else { return };
    let Some([from, to]) = sys::pipe() else { return };
    let waiting = sys::waiting(reading).unwrap_or(0) as usize;
    if waiting > 0 {
        sys::copy_pipe(reading, to, waiting);
    }
    for fd in 0..MOST {
        if fd == from || fd == to || sys::identity(fd) != Some(identity) {
            continue;
        }
        let own = if writes(fd) { to } else { from };
        if let Some(flags) = sys::opened_as(fd) {
            sys::set_opened_as(own, flags);
        }
        sys::put_in_place(own, fd);
    }
    sys::close(from);
    sys::close(to);
}
