//! Resource limits that the kernel enforces on one process (and that its children inherit).

use std::io;

/// `None` leaves what the engine itself has. Core files are always off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Size of the main thread's stack in bytes.
    pub stack: Option<u64>,
    /// Address space in bytes. Not for tracking bodies or sanitizers: they reserve terabytes they never touch.
    pub address_space: Option<u64>,
    /// Largest file the target may write, in bytes.
    pub file_size: Option<u64>,
    /// CPU seconds of one process: the last line of defence when nobody is left to enforce a deadline.
    pub cpu_seconds: Option<u64>,
}

impl Limits {
    /// The stack limit a child would really get: no more than the hard limit allows.
    pub fn effective_stack(&self) -> u64 {
        let own = get(libc::RLIMIT_STACK);
        match self.stack {
            Some(wanted) => wanted.min(own.rlim_max),
            None => own.rlim_cur,
        }
    }

    /// Sets the limits on the calling process. Called between fork and exec: must not allocate or lock.
    pub(crate) fn apply(&self) -> io::Result<()> {
        set(libc::RLIMIT_CORE, 0)?;
        for (resource, wanted) in [
            (libc::RLIMIT_STACK, self.stack),
            (libc::RLIMIT_AS, self.address_space),
            (libc::RLIMIT_FSIZE, self.file_size),
            (libc::RLIMIT_CPU, self.cpu_seconds),
        ] {
            if let Some(wanted) = wanted {
                set(resource, wanted)?;
            }
        }
        Ok(())
    }
}

fn get(resource: libc::__rlimit_resource_t) -> libc::rlimit {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` is a valid place for the answer; on failure it keeps "no limit".
    unsafe { libc::getrlimit(resource, &mut limit) };
    limit
}

/// Lowers or raises the soft limit as far as the hard one allows.
fn set(resource: libc::__rlimit_resource_t, wanted: u64) -> io::Result<()> {
    let mut limit = get(resource);
    limit.rlim_cur = wanted.min(limit.rlim_max);
    // SAFETY: `limit` is valid; the kernel checks the values.
    if unsafe { libc::setrlimit(resource, &limit) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
