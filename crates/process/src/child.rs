//! A started child: waiting with a deadline and limits, accounting, and the certain end of it and of
//! everything it started.

use crate::pump::{Captured, Pump};
use crate::supervise::Report;
use crate::tree;
use std::cell::Cell;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Exit(i32),
    Signal(i32),
}

impl Status {
    /// From what `waitpid` gives.
    pub fn from_wait(status: i32) -> Status {
        if libc::WIFSIGNALED(status) {
            Status::Signal(libc::WTERMSIG(status))
        } else {
            Status::Exit(libc::WEXITSTATUS(status))
        }
    }
}

/// Where the fatal signal of a supervised program struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub signal: i32,
    pub code: i32,
    pub address: u64,
    pub pc: u64,
    pub sp: u64,
    /// Close to the top of the main thread's stack; 0 when not known.
    pub stack_top: u64,
}

impl Fault {
    /// Whether the main stack ran into its limit of `stack` bytes.
    pub fn is_stack_overflow(&self, stack: u64) -> bool {
        const SLACK: u64 = 2 << 20;
        let depth = self.stack_top.saturating_sub(self.address);
        self.signal == libc::SIGSEGV
            && self.stack_top != 0
            && self.address < self.stack_top
            && depth >= stack.saturating_sub(SLACK)
            && depth <= stack.saturating_add(64 * SLACK)
            && self.address <= self.sp.saturating_add(65536)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    pub status: Status,
    /// CPU time of the child and of all descendants that were waited for.
    pub cpu: Duration,
    /// Largest resident size in bytes of any single process.
    pub peak_memory: u64,
    pub fault: Option<Fault>,
}

/// Bounds that are watched from outside, every few milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch<'a> {
    pub deadline: Option<Instant>,
    /// Private resident bytes of the child and all its descendants together.
    pub memory: Option<u64>,
    pub processes: Option<usize>,
    /// Set by somebody else when waiting is no longer wanted.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Which bound was crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Time,
    Memory,
    Processes,
    Interrupted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    Ended(Exit),
    /// Still running; what to do is the caller's choice.
    Over(Over),
}

/// How often memory, processes and times are looked at.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// Dropping it kills it and everything it started.
#[derive(Debug)]
pub struct Child {
    pid: i32,
    pidfd: OwnedFd,
    contained: bool,
    /// Read end of the supervisor's report.
    report: Option<File>,
    reported: Option<Report>,
    pump: Pump,
    exit: Option<Exit>,
    /// CPU time when it was last looked at.
    used: Cell<Option<(Instant, Duration)>>,
}

impl Child {
    pub(crate) fn new(pid: i32, pidfd: OwnedFd, contained: bool, report: Option<OwnedFd>, pump: Pump) -> Child {
        let report = report.map(File::from);
        Child { pid, pidfd, contained, report, reported: None, pump, exit: None, used: Cell::new(None) }
    }

    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Readable when the child has ended: for callers that wait for several things at once.
    pub fn pidfd(&self) -> RawFd {
        self.pidfd.as_raw_fd()
    }

    /// Waits until the child has ended or a bound is crossed. Captures and sockets are served meanwhile.
    pub fn wait(&mut self, watch: &Watch<'_>) -> Waited {
        let watching = watch.memory.is_some() || watch.processes.is_some() || watch.interrupt.is_some();
        let mut look = Instant::now() + TICK;
        loop {
            if let Some(exit) = self.exit {
                return Waited::Ended(exit);
            }
            let now = Instant::now();
            if watch.deadline.is_some_and(|d| now >= d) {
                return Waited::Over(Over::Time);
            }
            if watching && now >= look {
                if let Some(over) = self.over(watch) {
                    return Waited::Over(over);
                }
                look = now + TICK;
            }
            let until = match (watch.deadline, watching) {
                (Some(deadline), true) => Some(deadline.min(look)),
                (Some(deadline), false) => Some(deadline),
                (None, true) => Some(look),
                (None, false) => None,
            };
            let mut interests = vec![libc::pollfd { fd: self.pidfd(), events: libc::POLLIN, revents: 0 }];
            self.pump.interests(&mut interests);
            wait_for(&mut interests, until.map(|u| u.saturating_duration_since(now)));
            self.pump.turn();
            if interests[0].revents != 0 {
                self.reap(0);
            }
        }
    }

    /// What else than the deadline ends the waiting right now, if anything.
    pub fn over(&self, watch: &Watch<'_>) -> Option<Over> {
        if watch.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(Over::Interrupted);
        }
        if watch.memory.is_none() && watch.processes.is_none() {
            return None;
        }
        let most = watch.processes.unwrap_or(100_000);
        let below = tree::descendants(self.pid, None, most.saturating_add(2));
        if watch.processes.is_some_and(|p| below.len() > p) {
            return Some(Over::Processes);
        }
        let used: u64 = below.iter().chain([&self.pid]).map(|&p| tree::private_memory(p)).sum();
        watch.memory.is_some_and(|m| used > m).then_some(Over::Memory)
    }

    /// CPU time used so far by the child and everything below it. The kernel counts it in ticks, and to ask takes as
    /// long as many a run: so it is asked once a tick.
    pub fn cpu(&self) -> Duration {
        if let Some(exit) = self.exit {
            return exit.cpu;
        }
        let lately = self.used.get().filter(|(when, _)| when.elapsed() < TICK);
        let (when, used) = lately.unwrap_or_else(|| (Instant::now(), self.cpu_now()));
        self.used.set(Some((when, used)));
        used
    }

    fn cpu_now(&self) -> Duration {
        let below = tree::descendants(self.pid, None, 10_000);
        below.iter().chain([&self.pid]).filter_map(|&p| tree::stat(p)).map(|s| s.cpu).sum()
    }

    pub fn ended(&mut self) -> Option<Exit> {
        if self.exit.is_none() {
            self.reap(libc::WNOHANG);
        }
        self.exit
    }

    /// The number, as we see it, of a direct child that calls itself `inner` in its own namespace.
    pub fn number_of(&self, inner: i32) -> Option<i32> {
        tree::children(self.pid).into_iter().find(|&pid| tree::innermost_number(pid) == Some(inner))
    }

    /// How many direct children it has, the dead ones it did not wait for included.
    pub fn remains(&self) -> usize {
        tree::children(self.pid).len()
    }

    /// Whether anything below the child is alive.
    pub fn has_descendants(&self) -> bool {
        tree::children(self.pid).iter().any(|&p| tree::stat(p).is_some_and(|s| !s.gone()))
    }

    /// Kills everything below the child and leaves the child itself alone. `false` when something is left.
    pub fn kill_descendants(&mut self) -> bool {
        self.kill_descendants_except(None)
    }

    /// As [`Child::kill_descendants`], sparing one direct child and whatever is below it.
    pub fn kill_descendants_except(&mut self, spared: Option<i32>) -> bool {
        let direct = tree::children(self.pid);
        if direct.is_empty() || direct.as_slice() == spared.as_slice() {
            return true;
        }
        // SAFETY: only reads; a process that is gone has no group.
        let group_of = |pid: i32| unsafe { libc::getpgid(pid) };
        let (own, ours) = (group_of(self.pid), group_of(0));
        for round in 0..400 {
            // A few at a time: whoever multiplies quickly must be hit quickly.
            let mut alive: Vec<i32> = tree::descendants(self.pid, spared, 64);
            alive.retain(|&p| tree::stat(p).is_some_and(|s| !s.gone()));
            if alive.is_empty() {
                // The first ones may all have been dead already.
                alive = tree::descendants(self.pid, spared, 100_000);
                alive.retain(|&p| tree::stat(p).is_some_and(|s| !s.gone()));
            }
            if alive.is_empty() {
                return true;
            }
            let mut groups: Vec<i32> = alive.iter().map(|&p| group_of(p)).collect();
            groups.sort_unstable();
            groups.dedup();
            for group in groups.into_iter().filter(|&g| g > 1 && g != own && g != ours) {
                // A whole group at once: no member can start another between two kills.
                // SAFETY: a group that a process below our child was in a moment ago.
                unsafe { libc::kill(-group, libc::SIGKILL) };
            }
            for pid in alive {
                // SAFETY: a process that was below our child a moment ago.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
            if round > 2 {
                std::thread::sleep(Duration::from_micros(100 << (round / 40).min(6)));
            }
        }
        false
    }

    /// Ends the child and everything it started, and gathers what it used.
    pub fn kill(&mut self) -> Exit {
        if let Some(exit) = self.ended() {
            return exit;
        }
        // What nobody has waited for goes with its namespace, and its time is in nobody's sum.
        let used = self.cpu_now();
        // SAFETY: our own child, not yet reaped, so the number is still its own.
        unsafe {
            if !self.contained {
                // Stopped, it cannot start more while its descendants go.
                libc::kill(self.pid, libc::SIGSTOP);
                self.kill_descendants();
                // Its own group last: those that stayed in it die with it.
                if libc::getpgid(self.pid) == self.pid {
                    libc::kill(-self.pid, libc::SIGKILL);
                }
            }
            libc::kill(self.pid, libc::SIGKILL);
        }
        self.reap(0);
        let status = Status::Signal(libc::SIGKILL);
        let exit = self.exit.get_or_insert(Exit { status, cpu: Duration::ZERO, peak_memory: 0, fault: None });
        exit.cpu = exit.cpu.max(used);
        *exit
    }

    /// What the child wrote to a captured descriptor. Complete once it has ended.
    pub fn captured(&mut self, number: RawFd) -> Captured {
        self.pump.captured(number)
    }

    fn reap(&mut self, flags: i32) {
        let mut status = 0;
        // SAFETY: plain data that the kernel fills.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        loop {
            // SAFETY: our own child.
            let got = unsafe { libc::wait4(self.pid, &mut status, flags | libc::__WALL, &mut usage) };
            if got == self.pid {
                break;
            }
            // SAFETY: reads errno.
            if got < 0 && unsafe { *libc::__errno_location() } == libc::EINTR {
                continue;
            }
            if got == 0 {
                return;
            }
            // Somebody else waited for it: it is gone, and how it ended is not known.
            status = libc::SIGKILL;
            break;
        }
        self.pump.turn();
        self.read_report();
        let (status, fault) = match self.reported {
            Some(report) => (Status::from_wait(report.status), report.fault()),
            None => (Status::from_wait(status), None),
        };
        let time = |t: libc::timeval| Duration::new(t.tv_sec.max(0) as u64, t.tv_usec.clamp(0, 999_999) as u32 * 1000);
        self.exit = Some(Exit {
            status,
            cpu: time(usage.ru_utime) + time(usage.ru_stime),
            peak_memory: (usage.ru_maxrss.max(0) as u64) * 1024,
            fault,
        });
    }

    fn read_report(&mut self) {
        let Some(mut pipe) = self.report.take() else { return };
        let mut bytes = [0u8; size_of::<Report>()];
        if pipe.read_exact(&mut bytes).is_ok() {
            // SAFETY: the record is plain integers and was written whole by our own code.
            self.reported = Some(unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) });
        }
    }
}

impl Report {
    fn fault(&self) -> Option<Fault> {
        let fatal = libc::WIFSIGNALED(self.status) && libc::WTERMSIG(self.status) == self.signal;
        fatal.then_some(Fault {
            signal: self.signal,
            code: self.code,
            address: self.address,
            pc: self.pc,
            sp: self.sp,
            stack_top: self.stack_top,
        })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.exit.is_none() {
            self.kill();
        }
    }
}

/// `poll`, for at most this long.
fn wait_for(interests: &mut [libc::pollfd], time: Option<Duration>) {
    let limit = time.map(|t| libc::timespec { tv_sec: t.as_secs() as libc::time_t, tv_nsec: t.subsec_nanos().into() });
    let limit = limit.as_ref().map_or(std::ptr::null(), |l| l as *const libc::timespec);
    // SAFETY: a valid list and a valid or null time; an interrupted call is simply repeated by the caller.
    unsafe { libc::ppoll(interests.as_mut_ptr(), interests.len() as libc::nfds_t, limit, std::ptr::null()) };
}
