//! Walks and snapshots. A walk is the tracking body with nothing followed: it runs on values of its own making until
//! it stands right before an input statement (a request, or a read of standard input or the socket) at which it was
//! told to stop. There it is a fork server of its own: what
//! it forks goes on from that very state, followed from the first input on, and whatever that does, the walk goes on
//! as if nothing had been.
//!
//! It never serves from a process that the program itself forked, and never forks when there are other threads.

use crate::feed::Place;
use crate::state::{STATE, header, region};
use crate::{cells, descriptors, feed, gate, inputs, modules, paths, requests, server, signals, start, sys, typing};
use core::cell::Cell;
use symcrete_abi::cells::{MOST_VALUES, VALUE};
use symcrete_abi::control::Halt;
use symcrete_abi::layout::{Stop, walk};
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

/// The program is about to ask for input.
#[inline]
pub fn at_input() {
    if WALK.active.get() {
        stand(feed::stands_anywhere);
    }
}

/// Whether reads are input statements in this run.
pub fn counts_reads() -> bool {
    WALK.active.get() || WALK.branch.get()
}

/// The program is about to read from standard input or the socket; `place` says where it stands.
pub fn at_read(place: impl FnOnce() -> Option<Place>) {
    if !gate::owned() {
        return;
    }
    if WALK.active.get() {
        stand(place);
    } else if let Some(header) = header()
        && header.max_inputs != 0
        && requests::performed() >= header.max_inputs
    {
        let place = place();
        used_up(&raw const place as u64, place);
        requests::leave(Stop::Inputs);
    }
    requests::perform();
}

#[inline(never)]
fn stand(place: impl FnOnce() -> Option<Place>) {
    let Some(header) = header() else { return };
    if !gate::owned() {
        // A process that the program forked is none of ours.
        return WALK.active.set(false);
    }
    let number = requests::performed();
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
    let place = place();
    if place.is_none() && feed::is_open() {
        // Characters were put back that nobody had read, say: the next statement will do.
        return;
    }
    if header.walk_flags & walk::STATE != 0 {
        (header.cell, header.rarity) = cells::note(&raw const place as u64, &sys::kept_registers());
    }
    let hindered = descriptors::hindrance();
    serve(hindered.unwrap_or(why), number, hindered.is_none(), place);
}

/// Serves from this state until told to go on.
fn serve(why: Halt, number: u32, alone: bool, place: Option<Place>) {
    if let Some(header) = header() {
        header.stream_position = place.as_ref().map_or(0, |place| place.position);
    }
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
                feed::go_on(place.as_ref());
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
                    return branch(command, place.as_ref());
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
    // Without a descriptor there is nothing to do but to wait.
    let mut ended = watch < 0;
    while !ended {
        let told;
        (ended, told) = sys::readable_of(watch, STATE.commands.get());
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
fn branch(command: Command, place: Option<&Place>) {
    sys::new_session();
    sys::die_with_parent();
    sys::close(STATE.commands.get());
    sys::close(STATE.replies.get());
    descriptors::own();
    WALK.active.set(false);
    WALK.branch.set(true);
    gate::open();
    STATE.table.touch();
    paths::begin_silently();
    inputs::select(command.arg);
    requests::restart(0);
    feed::go_on(place);
}

/// A run has had all inputs it may have: what state it is in, and where in its stream. Part of the caller's frame, on
/// which the registers lie that it uses itself.
#[inline(always)]
pub fn used_up(stack: u64, place: Option<Place>) {
    if WALK.branch.get()
        && let Some(header) = header()
    {
        header.stream_position = place.map_or(0, |place| place.position);
        (header.cell, header.rarity) = cells::note(stack, &sys::kept_registers());
    }
}

/// Values of a walk's own making other than uniform bits; false: it is to have those.
pub fn draw(bytes: &mut [u8], kind: u32, name: *const u8, random: fn() -> u64) -> bool {
    let mixture = header().is_some_and(|h| h.walk_flags & walk::MIXTURE != 0);
    if !(WALK.active.get() || WALK.branch.get()) || !mixture || bytes.is_empty() {
        return false;
    }
    if typing::next(bytes, kind, name, random) {
        return true;
    }
    if bytes.len() >= VALUE {
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
