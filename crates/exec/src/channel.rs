//! The two pipes to a fork server: commands out, replies in, with a deadline. Whatever arrives is data
//! from a process that may lie.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};
use symcrete_abi::control::{Command, CommandKind, Halt, Mode, Reply, ReplyKind};

pub(crate) struct Channel {
    commands: File,
    replies: File,
    /// Bytes of replies that were read and not yet used.
    pending: Vec<u8>,
}

/// A reply with a kind we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Hello {
        version: u32,
        persistent: bool,
    },
    Started {
        pid: i32,
    },
    Ended {
        status: i32,
    },
    Paused,
    /// A walk stands still.
    Snapshot {
        halt: Halt,
    },
    /// `version` is only given by a runtime that refuses to start.
    Failed {
        errno: i32,
        version: u32,
    },
    /// The other end is closed: the server is gone.
    Closed,
    /// Not a reply of this protocol.
    Nonsense,
    /// Nothing came in time.
    Late,
}

impl Channel {
    pub fn new(commands: OwnedFd, replies: OwnedFd) -> Channel {
        Channel { commands: File::from(commands), replies: File::from(replies), pending: Vec::new() }
    }

    pub fn send(&mut self, kind: CommandKind, mode: Mode, arg: u64) -> io::Result<()> {
        let command = Command { kind: kind as u32, mode: mode as u32, arg };
        let mut bytes = [0; size_of::<Command>()];
        bytes[..4].copy_from_slice(&command.kind.to_le_bytes());
        bytes[4..8].copy_from_slice(&command.mode.to_le_bytes());
        bytes[8..].copy_from_slice(&command.arg.to_le_bytes());
        self.commands.write_all(&bytes)
    }

    /// The next reply, waiting until `deadline` at most.
    pub fn hear(&mut self, deadline: Instant) -> Heard {
        const SIZE: usize = size_of::<Reply>();
        while self.pending.len() < SIZE {
            if !self.wait(deadline.saturating_duration_since(Instant::now())) {
                if Instant::now() >= deadline {
                    return Heard::Late;
                }
                continue;
            }
            let mut buffer = [0; 4 * SIZE];
            match self.replies.read(&mut buffer) {
                Ok(0) => return Heard::Closed,
                Ok(count) => self.pending.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Heard::Closed,
            }
        }
        let heard = decode(&self.pending[..SIZE]);
        self.pending.drain(..SIZE);
        heard
    }

    fn wait(&self, time: Duration) -> bool {
        let mut interest = libc::pollfd { fd: self.replies.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let limit = libc::timespec { tv_sec: time.as_secs() as libc::time_t, tv_nsec: time.subsec_nanos().into() };
        // SAFETY: one valid entry and a valid time.
        unsafe { libc::ppoll(&mut interest, 1, &limit, std::ptr::null()) > 0 }
    }
}

fn decode(bytes: &[u8]) -> Heard {
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (kind, pid, status, arg) = (word(0), word(4) as i32, word(8), word(12));
    match kind {
        k if k == ReplyKind::Hello as u32 => Heard::Hello { version: status, persistent: arg != 0 },
        k if k == ReplyKind::Started as u32 => Heard::Started { pid },
        k if k == ReplyKind::Ended as u32 => Heard::Ended { status: status as i32 },
        k if k == ReplyKind::Paused as u32 => Heard::Paused,
        k if k == ReplyKind::Snapshot as u32 => {
            let known = [Halt::News, Halt::Bound, Halt::Quiet, Halt::Threads, Halt::Processes];
            known.into_iter().find(|&h| h as u32 == status).map_or(Heard::Nonsense, |halt| Heard::Snapshot { halt })
        }
        k if k == ReplyKind::Failed as u32 => Heard::Failed { errno: status as i32, version: arg },
        _ => Heard::Nonsense,
    }
}
