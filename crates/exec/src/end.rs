//! How a run ended, as a value. Judged by what the kernel reports first; what the target says about
//! itself in shared memory only adds detail.

use std::fmt;
use symcrete_abi::layout::Stop;
use symcrete_process::{Over, Status};

/// A fatal signal and, where known, the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crash {
    pub signal: i32,
    /// `si_code`; 0 when not known.
    pub code: i32,
    /// The address that could not be used; 0 when not known.
    pub address: u64,
    /// Program counter; 0 when not known.
    pub pc: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exit(i32),
    Signal(Crash),
    StackOverflow(Crash),
    Timeout,
    /// More memory than allowed.
    Memory,
    /// More processes than allowed.
    Processes,
    /// A file grew beyond its limit.
    Output,
    /// Ended by us before its time: enough inputs were served, or an assumption did not hold.
    Stopped(Stop),
    /// The target ended its own fork server or spoke nonsense to us.
    Lost,
    /// The user wants to stop.
    Interrupted,
}

impl End {
    /// Whether something went wrong in the target (as opposed to an ordinary or an arranged end).
    pub fn is_failure(self) -> bool {
        !matches!(self, End::Exit(_) | End::Stopped(_) | End::Interrupted)
    }

    /// Whether the run was ended from outside: what it would have done next is not known.
    pub fn is_cut(self) -> bool {
        use End::*;
        matches!(self, Timeout | Memory | Processes | Output | Lost | Interrupted | Stopped(Stop::Inputs))
    }

    pub(crate) fn from_over(over: Over) -> End {
        match over {
            Over::Time => End::Timeout,
            Over::Memory => End::Memory,
            Over::Processes => End::Processes,
            Over::Interrupted => End::Interrupted,
        }
    }

    /// From how the process ended; `place` gives what is known about a fatal signal.
    pub(crate) fn from_status(status: Status, place: Option<Crash>, overflow: bool) -> End {
        match status {
            Status::Exit(code) => End::Exit(code),
            Status::Signal(libc::SIGXFSZ) => End::Output,
            Status::Signal(signal) => {
                let unknown = Crash { signal, code: 0, address: 0, pc: 0 };
                let crash = place.filter(|p| p.signal == signal).unwrap_or(unknown);
                if overflow && signal == libc::SIGSEGV { End::StackOverflow(crash) } else { End::Signal(crash) }
            }
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exit(code) => write!(f, "exit {code}"),
            End::Signal(crash) => write!(f, "signal {}", signal_name(crash.signal)),
            End::StackOverflow(_) => f.write_str("stack overflow"),
            End::Timeout => f.write_str("timeout"),
            End::Memory => f.write_str("memory limit"),
            End::Processes => f.write_str("process limit"),
            End::Output => f.write_str("output limit"),
            End::Stopped(Stop::Inputs) => f.write_str("stopped after the last input"),
            End::Stopped(Stop::Assume) => f.write_str("stopped at an assumption"),
            End::Stopped(Stop::No) => f.write_str("stopped"),
            End::Lost => f.write_str("lost"),
            End::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// `SIGSEGV` and so on; the number for those without a common name.
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGSYS => "SIGSYS",
        other => return other.to_string(),
    };
    name.into()
}

/// Undefined behaviour that a planted check reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub kind: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl Check {
    /// From `kind\tfile\tline\tcolumn`, NUL-terminated; `None` when there is no report.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Check> {
        let text = bytes.split(|&b| b == 0).next().unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        let mut fields = text.split('\t');
        let kind = fields.next().filter(|k| !k.is_empty())?.to_owned();
        let file = fields.next().unwrap_or_default().to_owned();
        let mut number = || fields.next().and_then(|n| n.parse().ok()).unwrap_or(0);
        Some(Check { kind, file, line: number(), column: number() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_read_and_garbage_is_survived() {
        let check = Check::parse(b"shift\tdir/a b.c\t12\t7\0\xff\xff").unwrap();
        assert_eq!((check.kind.as_str(), check.file.as_str(), check.line, check.column), ("shift", "dir/a b.c", 12, 7));
        assert_eq!(Check::parse(b"\0rest"), None);
        assert_eq!(Check::parse(b""), None);
        let odd = Check::parse(b"\xff\xfe\t\t-1\t99999999999").unwrap();
        assert_eq!((odd.line, odd.column), (0, 0));
    }

    #[test]
    fn signals_become_ends() {
        let place = Crash { signal: libc::SIGSEGV, code: 1, address: 16, pc: 5 };
        assert_eq!(End::from_status(Status::Signal(libc::SIGSEGV), Some(place), false), End::Signal(place));
        assert_eq!(End::from_status(Status::Signal(libc::SIGSEGV), Some(place), true), End::StackOverflow(place));
        assert_eq!(End::from_status(Status::Signal(libc::SIGXFSZ), None, false), End::Output);
        let other = End::from_status(Status::Signal(libc::SIGABRT), Some(place), true);
        assert_eq!(other, End::Signal(Crash { signal: libc::SIGABRT, code: 0, address: 0, pc: 0 }));
    }
}
