//! Who may use the runtime: the thread of the run that is being traced, not in the middle of an earlier
//! call. A forked child of the target finds its page wiped, a second thread ends tracking, a signal
//! handler that interrupts the runtime is answered with label 0; each is counted.

use crate::state::STATE;
use crate::{events, paths, sys};
use core::arch::asm;
use core::cell::Cell;
use core::mem::MaybeUninit;
use symcrete_abi::Lost;
use symcrete_abi::lost::NO_SITE;

struct Gate {
    /// One page that a fork wipes (or a plain cell where the kernel cannot): nonzero = ours.
    alive: Cell<*mut u64>,
    plain: Cell<u64>,
    /// Thread pointer of the traced thread.
    thread: Cell<u64>,
    /// Where on the stack the call in progress left its mark, null for none.
    busy: Cell<*const u64>,
    /// Calls were turned away because the runtime was interrupted, and are not counted yet.
    interrupted: Cell<bool>,
}

// SAFETY: written by the traced thread only; another thread reads `alive` and `thread`, which do not
// change while threads run.
unsafe impl Sync for Gate {}

static GATE: Gate = Gate {
    alive: Cell::new(core::ptr::null_mut()),
    plain: Cell::new(0),
    thread: Cell::new(0),
    busy: Cell::new(core::ptr::null()),
    interrupted: Cell::new(false),
};

/// Prepares the page, once, before any run.
pub fn prepare() {
    let page = sys::pages(0, 4096, 0);
    let wiped = page > 0 && sys::madvise(page as u64, 4096, sys::MADV_WIPEONFORK) == 0;
    GATE.alive.set(if wiped { page as *mut u64 } else { GATE.plain.as_ptr() });
}

/// This process is a run of ours, traced or not.
pub fn own() {
    if GATE.alive.get().is_null() {
        prepare();
    }
    // SAFETY: a mapped page of ours or our own cell.
    unsafe { *GATE.alive.get() = 1 };
}

/// Whether an address lies in what is kept here.
pub fn is_part(address: u64) -> bool {
    let at = &raw const GATE as u64;
    (at..at + size_of::<Gate>() as u64).contains(&address)
}

/// Whether this process is a run of ours, and not a child the target forked.
pub fn owned() -> bool {
    // SAFETY: null or what `prepare` made.
    unsafe { GATE.alive.get().as_ref() }.is_some_and(|&alive| alive != 0)
}

/// The calling thread starts a traced run.
pub fn open() {
    own();
    GATE.thread.set(thread());
    GATE.busy.set(core::ptr::null());
    GATE.interrupted.set(false);
    STATE.tracing.set(true);
}

#[inline(always)]
fn thread() -> u64 {
    let pointer;
    // SAFETY: the first word of the thread block points to itself on x86-64.
    unsafe { asm!("mov {}, fs:0", out(reg) pointer, options(nostack, readonly, preserves_flags)) };
    pointer
}

/// What a call in progress leaves on the stack.
const MARK: u64 = 0x7379_6d63_7265_7465;

/// Runs `work` if the caller may; otherwise answers `otherwise`.
#[inline(always)]
pub fn pass<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    let mut mark = MaybeUninit::uninit();
    if !enter(&mut mark) {
        return otherwise;
    }
    let result = work();
    leave();
    result
}

/// Whether the caller may use the runtime, until it calls [`leave`]. `mark` lies on its stack.
#[inline(always)]
pub fn enter(mark: &mut MaybeUninit<u64>) -> bool {
    if !STATE.tracing.get() {
        return false;
    }
    // SAFETY: `tracing` is set by `open` only, after `alive` was.
    let alive = unsafe { *GATE.alive.get() } != 0;
    if (!alive || thread() != GATE.thread.get() || !GATE.busy.get().is_null()) && !admitted(alive, mark.as_ptr() as u64)
    {
        return false;
    }
    // SAFETY: a variable of our caller; volatile, so that it really lies on the stack.
    unsafe { mark.as_mut_ptr().write_volatile(MARK) };
    GATE.busy.set(mark.as_ptr());
    true
}

#[inline(always)]
pub fn leave() {
    GATE.busy.set(core::ptr::null());
}

#[cold]
#[inline(never)]
fn admitted(alive: bool, now: u64) -> bool {
    if !alive {
        // A forked child of the target: it runs on, untraced.
        STATE.tracing.set(false);
        return false;
    }
    if thread() != GATE.thread.get() {
        STATE.tracing.set(false);
        events::lost(Lost::Thread as u32, NO_SITE);
        paths::stop();
        return false;
    }
    // A handler that left by longjmp never finished our call. Its frame is gone when we now stand at its
    // place or above it on the same stack, or when its mark was overwritten by later frames. A handler
    // that interrupts us stands below, and the mark is still there; its own stack may be anywhere.
    let then = GATE.busy.get();
    // SAFETY: stacks stay mapped; a stale address on one is still memory.
    let gone = unsafe { then.read_volatile() } != MARK;
    if gone || (now >= then as u64 && now - (then as u64) < 1 << 30) {
        return true;
    }
    GATE.interrupted.set(true);
    false
}

/// Whether a run is being traced, and the caller is another thread of it.
pub fn is_beside() -> bool {
    STATE.tracing.get() && owned() && thread() != GATE.thread.get()
}

/// Counts what was turned away; called where the trace is written anyway.
#[inline(always)]
pub fn settle() {
    if GATE.interrupted.get() {
        GATE.interrupted.set(false);
        events::lost(Lost::Signal as u32, NO_SITE);
    }
}
