//! Walks and snapshots. A walk is the tracking body with nothing followed: it runs on values of its own making until
//! it stands right before an input statement at which it was told to stop. There it is a fork server of its own: what
//! it forks goes on from that very state, followed from the first input on, and whatever that does, the walk goes on
//! as if nothing had been.
//!
//! It never serves from a process that the program itself forked, and never forks when there are other threads.

use crate::state::{STATE, header, region};
use crate::{cells, gate, inputs, modules, paths, requests, server, signals, start, sys};
use core::cell::Cell;
use symcrete_abi::cells::{MOST_VALUES, VALUE};
use symcrete_abi::control::Halt;
use symcrete_abi::layout::walk;
use symcrete_abi::{Command, CommandKind, ReplyKind};

struct Walk {
    /// This process walks.
    active: Cell<bool>,
    /// This process was forked from a walk, and is followed.
    branch: Cell<bool>,
    /// Inputs of this leg when something was new.
    last_new: Cell<u32>,
    /// Values handed out lately: length and bytes.
    recent: [Cell<(u8, u64)>; RECENT],
    next: Cell<usize>,
}

const RECENT: usize = 64;
/// Runs from one snapshot after which it pays to make forks cheaper.
const OFTEN: u32 = 16;

// SAFETY: one thread.
unsafe impl Sync for Walk {}

static WALK: Walk = Walk {
    active: Cell::new(false),
    branch: Cell::new(false),
    last_new: Cell::new(0),
    recent: [const { Cell::new((0, 0)) }; RECENT],
    next: Cell::new(0),
};

/// Where this module's variables lie.
pub fn place() -> (u64, u64) {
    let at = &raw const WALK as u64;
    (at, at + size_of::<Walk>() as u64)
}

/// A forked server child becomes a walk, and goes on into the program.
pub fn begin(command: Command) {
    gate::own();
    signals::install();
    paths::begin_silently();
    inputs::begin(command.arg, false);
    requests::restart(0);
    WALK.active.set(true);
    start::set_mode(1);
}

/// The program is about to perform an input statement.
#[inline]
pub fn at_input() {
    if WALK.active.get() {
        stand();
    }
}

#[inline(never)]
fn stand() {
    let Some(header) = header() else { return };
    if !gate::owned() {
        // A process that the program forked is none of ours.
        return WALK.active.set(false);
    }
    let number = requests::served();
    cells::prepare();
    let news = header.walk_flags & walk::NEWS != 0 && modules::news();
    if news {
        WALK.last_new.set(number);
    }
    let quiet = number - WALK.last_new.get().min(number);
    let why = if header.max_inputs != 0 && number >= header.max_inputs {
        Halt::Bound
    } else if news {
        Halt::News
    } else if header.walk_quiet != 0 && quiet >= header.walk_quiet - 1 {
        Halt::Quiet
    } else {
        return;
    };
    // `.`, `..` and the one thread.
    let alone = sys::links(b"/proc/self/task\0").is_none_or(|links| links <= 3);
    serve(if alone { why } else { Halt::Threads }, number, alone);
}

/// Serves from this state until told to go on.
fn serve(why: Halt, number: u32, alone: bool) {
    server::say(ReplyKind::Snapshot, sys::getpid(), why as i32, number);
    let tid_address = sys::tid_address();
    let mut runs = 0;
    loop {
        let mut command = Command { kind: 0, mode: 0, arg: 0 };
        if !sys::read_all(STATE.commands.get(), (&raw mut command).cast(), size_of::<Command>()) {
            sys::exit(0);
        }
        match command.kind {
            k if k == CommandKind::Walk as u32 => {
                inputs::select(command.arg);
                requests::restart(0);
                return WALK.last_new.set(0);
            }
            k if k == CommandKind::Run as u32 && !alone => server::say(ReplyKind::Failed, 0, sys::EINVAL, 0),
            k if k == CommandKind::Run as u32 => {
                server::reset();
                runs += 1;
                if runs == OFTEN {
                    cells::make_pages_huge();
                }
                let pid = sys::fork(tid_address);
                if pid == 0 {
                    return branch(command);
                }
                if server::started(pid) {
                    follow(pid as i32);
                }
            }
            // It comes too late: the child has ended already.
            k if k == CommandKind::Stop as u32 => {}
            _ => sys::exit(0),
        }
    }
}

/// Waits for the child, or ends it when told to.
fn follow(pid: i32) {
    let watch = sys::process_descriptor(pid) as i32;
    let mut status = 0;
    while watch >= 0 {
        let (ended, told) = sys::readable_of(watch, STATE.commands.get());
        if ended {
            break;
        }
        let mut command = Command { kind: 0, mode: 0, arg: 0 };
        if told && !sys::read_all(STATE.commands.get(), (&raw mut command).cast(), size_of::<Command>()) {
            sys::exit(0);
        }
        if told {
            sys::kill(-pid, sys::SIGKILL);
            sys::kill(pid, sys::SIGKILL);
        }
    }
    sys::wait(pid, &mut status, 0);
    if watch >= 0 {
        sys::close(watch);
    }
    server::learn();
    server::say(ReplyKind::Ended, pid, status, 0);
}

/// A child of the walk: followed from here on.
fn branch(command: Command) {
    sys::set_process_group(0, 0);
    sys::die_with_parent();
    sys::close(STATE.commands.get());
    sys::close(STATE.replies.get());
    own_offsets();
    WALK.active.set(false);
    WALK.branch.set(true);
    gate::open();
    STATE.table.touch();
    paths::begin_silently();
    inputs::select(command.arg);
    requests::restart(0);
}

/// A position in a file belongs to all who inherited it: this process gets positions of its own.
fn own_offsets() {
    const ACCESS_AND_APPEND: usize = 0o3 | 0o2000;
    for fd in 0..64 {
        if !sys::is_file(fd) {
            continue;
        }
        let position = sys::lseek(fd, 0, 1);
        let Some(flags) = sys::opened_as(fd) else { continue };
        let mut path = *b"/proc/self/fd/00\0";
        (path[14], path[15]) = (b'0' + (fd / 10) as u8, b'0' + (fd % 10) as u8);
        // One digit where the number has one.
        let path: &[u8] = if fd < 10 { &[&path[..14], &path[15..]].concat_short() } else { &path };
        let own = sys::open(path, flags & ACCESS_AND_APPEND, 0) as i32;
        if own < 0 {
            continue;
        }
        sys::lseek(own, position as i64, 0);
        sys::dup2(own, fd);
        sys::close(own);
    }
}

trait ConcatShort {
    fn concat_short(&self) -> [u8; 16];
}

impl ConcatShort for [&[u8]; 2] {
    /// Both, one after the other; sixteen bytes in all.
    fn concat_short(&self) -> [u8; 16] {
        let mut whole = [0; 16];
        whole[..self[0].len()].copy_from_slice(self[0]);
        whole[self[0].len()..].copy_from_slice(self[1]);
        whole
    }
}

/// A run has had all inputs it may have: what state it is in.
pub fn used_up(stack: u64) {
    if WALK.branch.get()
        && let Some(header) = header()
    {
        (header.cell, header.rarity) = cells::note(stack);
    }
}

/// Values of a walk's own making other than uniform bits; false: it is to have those.
pub fn draw(bytes: &mut [u8], random: fn() -> u64) -> bool {
    let mixture = header().is_some_and(|h| h.walk_flags & walk::MIXTURE != 0);
    if !(WALK.active.get() || WALK.branch.get()) || !mixture || bytes.is_empty() || bytes.len() >= VALUE {
        return false;
    }
    let any = random();
    let drawn = match any & 7 {
        0..=2 => of_use(bytes, any >> 3),
        3 if bytes.len() <= 8 => earlier(bytes, any >> 3),
        4 if bytes.len() <= 8 => {
            let small = ((any >> 8) % 33).wrapping_sub(16).to_le_bytes();
            bytes.copy_from_slice(&small[..bytes.len()]);
            true
        }
        _ => false,
    };
    if !drawn {
        for piece in bytes.chunks_mut(8) {
            let random = random().to_le_bytes();
            piece.copy_from_slice(&random[..piece.len()]);
        }
    }
    if bytes.len() <= 8 {
        let mut whole = [0; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        let next = WALK.next.get();
        WALK.recent[next % RECENT].set((bytes.len() as u8, u64::from_le_bytes(whole)));
        WALK.next.set(next + 1);
    }
    true
}

/// A value that led to something new before.
fn of_use(bytes: &mut [u8], any: u64) -> bool {
    let (base, size) = region(|h| h.cells);
    if base.is_null() || (size as usize) < symcrete_abi::cells::SIZE {
        return false;
    }
    // SAFETY: the region begins on a page and is that large.
    let count = (unsafe { base.cast::<u32>().read() } as usize).min(MOST_VALUES);
    for attempt in 0..count.min(8) {
        let at = VALUE * (1 + (any as usize).wrapping_add(attempt * 7919) % count);
        // SAFETY: inside the part of the values.
        let value = unsafe { core::slice::from_raw_parts(base.add(at), VALUE) };
        if value[0] as usize == bytes.len() {
            bytes.copy_from_slice(&value[1..1 + bytes.len()]);
            return true;
        }
    }
    false
}

/// A value handed out before.
fn earlier(bytes: &mut [u8], any: u64) -> bool {
    for attempt in 0..8 {
        let (length, value) = WALK.recent[(any as usize).wrapping_add(attempt * 17) % RECENT].get();
        if length as usize == bytes.len() {
            bytes.copy_from_slice(&value.to_le_bytes()[..bytes.len()]);
            return true;
        }
    }
    false
}
