//! The fork server: starts after the target's constructors, forks one child per run, tells the engine how
//! each ended. The child goes on into `main`.

use crate::state::{STATE, header, region};
use crate::{batch, events, gate, inputs, modules, paths, signals, snapshot, start, sys};
use symcrete_abi::{Command, CommandKind, Mode, Reply, ReplyKind, VERSION};

/// Tells `end.o` that the runtime is part of the same linked file.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static symcrete_runtime_is_here: u8 = 1;

/// Called when the executable's destructors run: the program ends in order.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_finish() {
    paths::end();
}

/// Called last of all constructors of the executable. Returns in a run, or at once without an engine.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_serve(persistent: i32) {
    if header().is_none() {
        return;
    }
    start::set_mode(0);
    modules::keep_early_sides();
    let persistent = persistent != 0;
    say(ReplyKind::Hello, 0, VERSION as i32, persistent as u32);
    let tid_address = sys::tid_address();
    let mut looping = None;
    loop {
        let mut command = Command { kind: 0, mode: 0, arg: 0 };
        if !sys::read_all(STATE.commands.get(), (&raw mut command).cast(), size_of::<Command>()) {
            // The engine is gone.
            end(looping);
        }
        let kinds = [CommandKind::Run, CommandKind::Batch, CommandKind::Continue, CommandKind::Quit, CommandKind::Walk];
        match kinds.into_iter().find(|&k| k as u32 == command.kind) {
            Some(CommandKind::Run) => {
                reset();
                let pid = sys::fork(tid_address);
                if pid == 0 {
                    return run(command);
                }
                if started(pid) {
                    finished(pid as i32, 0);
                }
            }
            Some(CommandKind::Batch) if persistent => {
                stop(looping.take());
                reset();
                let pid = sys::fork(tid_address);
                if pid == 0 {
                    child();
                    return batch::enter();
                }
                if started(pid) {
                    looping = finished(pid as i32, WUNTRACED);
                }
            }
            Some(CommandKind::Batch) => say(ReplyKind::Failed, 0, sys::ENOSYS, 0),
            Some(CommandKind::Continue) => match looping {
                Some(pid) => {
                    sys::kill(pid, sys::SIGCONT);
                    looping = finished(pid, WUNTRACED);
                }
                None => say(ReplyKind::Failed, 0, sys::ESRCH, 0),
            },
            Some(CommandKind::Walk) => {
                reset();
                let pid = sys::fork(tid_address);
                if pid == 0 {
                    sys::new_session();
                    sys::die_with_parent();
                    // By itself: it may stand at its first input before its parent gets to say so.
                    say(ReplyKind::Started, sys::getpid(), 0, 0);
                    return snapshot::begin(command);
                }
                if pid < 0 {
                    say(ReplyKind::Failed, 0, -pid as i32, 0);
                } else {
                    finished(pid as i32, 0);
                }
            }
            Some(CommandKind::Quit) => end(looping),
            Some(CommandKind::Stop) | None => say(ReplyKind::Failed, 0, sys::EINVAL, 0),
        }
    }
}

const WUNTRACED: usize = 2;

pub fn say(kind: ReplyKind, pid: i32, status: i32, arg: u32) {
    let reply = Reply { kind: kind as u32, pid, status, arg };
    // SAFETY: sixteen bytes without padding.
    let bytes = unsafe { core::slice::from_raw_parts((&raw const reply).cast::<u8>(), size_of::<Reply>()) };
    sys::write_all(STATE.replies.get(), bytes);
}

/// The engine and this runtime do not understand each other.
pub fn refuse(reason: i32) -> ! {
    say(ReplyKind::Failed, 0, reason, VERSION);
    sys::exit(3)
}

fn stop(child: Option<i32>) {
    if let Some(pid) = child {
        sys::kill(-pid, sys::SIGKILL);
        let mut status = 0;
        sys::wait(pid, &mut status, 0);
    }
}

fn end(child: Option<i32>) -> ! {
    stop(child);
    sys::exit(0)
}

/// Reports a fork; false when it failed.
pub fn started(pid: isize) -> bool {
    if pid < 0 {
        say(ReplyKind::Failed, 0, -pid as i32, 0);
        return false;
    }
    say(ReplyKind::Started, pid as i32, 0, 0);
    true
}

/// Waits and reports; the child's id if it only stopped.
fn finished(pid: i32, flags: usize) -> Option<i32> {
    let mut status = 0;
    sys::wait(pid, &mut status, flags);
    learn();
    if status & 0xff == 0x7f {
        say(ReplyKind::Paused, pid, status, 0);
        return Some(pid);
    }
    say(ReplyKind::Ended, pid, status, 0);
    None
}

/// The next tracking run is likely to be as long as this one. The engine clears the counts once it knows
/// that the run is over.
pub fn learn() {
    if let Some(header) = header()
        && header.node_count > 1
    {
        STATE.table.expect(header.table_count);
        STATE.nodes.used(header.node_count);
        STATE.wide.used(header.wide_count);
        STATE.events.used(header.event_count);
    }
}

/// What the last run wrote is gone before the next begins.
pub fn reset() {
    let Some(header) = header() else { return };
    header.truncated = 0;
    header.node_count = 1;
    header.wide_count = 0;
    header.table_count = 0;
    header.event_count = 0;
    header.log_used = 0;
    header.request_count = 0;
    header.stop = 0;
    header.signal = 0;
    header.signal_code = 0;
    header.signal_address = 0;
    header.signal_pc = 0;
    header.signal_sp = 0;
    header.check[0] = 0;
    header.path_tail = 0;
    header.cell = 0;
    header.rarity = 0;
    header.statements = 0;
    header.stream_position = 0;
    if header.lost_count != 0 {
        let (base, size) = region(|h| h.lost);
        // SAFETY: the region is that large.
        unsafe { core::ptr::write_bytes(base, 0, size as usize) };
        header.lost_count = 0;
    }
    modules::announce();
    modules::clear_coverage();
}

/// What every run does first.
fn child() {
    sys::new_session();
    sys::die_with_parent();
    sys::close(STATE.commands.get());
    sys::close(STATE.replies.get());
    gate::own();
    signals::install();
}

fn run(command: Command) {
    child();
    let tracking = command.mode == Mode::Tracking as u32;
    if tracking {
        gate::open();
        STATE.table.touch();
        paths::begin();
        events::begin();
    }
    inputs::begin(command.arg, tracking);
    start::set_mode(tracking as u8);
}
