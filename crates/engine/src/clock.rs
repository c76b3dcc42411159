//! What a campaign has spent, and whether it may go on.

use crate::settings::Budget;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// CPU time of this process and its threads.
pub(crate) fn own_cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
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
}

impl<'a> Clock<'a> {
    pub fn start(interrupted: &'a AtomicBool) -> Clock<'a> {
        Clock { start: Instant::now(), cpu_at_start: own_cpu(), interrupted }
    }

    pub fn wall(&self) -> Duration {
        self.start.elapsed()
    }

    /// Engine and solver; targets are added by the caller, who owns them.
    pub fn own_cpu(&self) -> Duration {
        own_cpu().saturating_sub(self.cpu_at_start)
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Whether time is left, given what targets have used.
    pub fn has_time(&self, budget: &Budget, targets: Duration) -> bool {
        budget.wall.is_none_or(|limit| self.wall() < limit)
            && budget.cpu.is_none_or(|limit| self.own_cpu() + targets < limit)
    }
}
