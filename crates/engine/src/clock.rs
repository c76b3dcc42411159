//! What a campaign has spent, and whether it may go on.

use crate::settings::Budget;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// CPU time of this process and its threads.
pub(crate) fn own_cpu() -> Duration {
    cpu(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// CPU time of this thread.
pub(crate) fn thread_cpu() -> Duration {
    cpu(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn cpu(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec of ours.
    unsafe { libc::clock_gettime(clock, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Largest resident size of this process so far, in megabytes.
pub fn peak_memory_mb() -> u64 {
    // SAFETY: an all-zero rusage is valid, and getrusage fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    usage.ru_maxrss as u64 / 1024
}

pub struct Clock<'a> {
    start: Instant,
    cpu_at_start: Duration,
    interrupted: &'a AtomicBool,
    /// How long a person held the campaign up: that is no time of it.
    held: Duration,
}

impl<'a> Clock<'a> {
    pub fn start(interrupted: &'a AtomicBool) -> Clock<'a> {
        Clock { start: Instant::now(), cpu_at_start: own_cpu(), interrupted, held: Duration::ZERO }
    }

    pub fn wall(&self) -> Duration {
        self.start.elapsed().saturating_sub(self.held)
    }

    pub fn hold(&mut self, held: Duration) {
        self.held += held;
    }

    /// Engine and solver; targets are added by the caller, who owns them.
    pub fn own_cpu(&self) -> Duration {
        own_cpu().saturating_sub(self.cpu_at_start)
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// How much time is left, given how to find out what targets have used; `None` where time does not matter.
    pub fn left(&self, budget: &Budget, targets: impl FnOnce() -> Duration) -> Option<Duration> {
        let wall = budget.wall.map(|limit| limit.saturating_sub(self.wall()));
        let cpu = budget.cpu.map(|limit| limit.saturating_sub(self.own_cpu() + targets()));
        wall.into_iter().chain(cpu).min()
    }
}
