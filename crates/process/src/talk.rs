//! A program one talks to, line by line, over its standard input and output. Every wait has an end: a program that hangs,
//! dies or floods its output gives an error, never a stuck engine. What is said means nothing here.

use crate::child::Child;
use crate::sandbox::Sandbox;
use crate::spawn::{Sink, Spawn, SpawnError, Stdin, pipe};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::Instant;

/// Bytes of an answer that nobody asked for after which the program is taken for mad.
const MOST_UNREAD: usize = 64 << 20;

/// Dropping it kills the program.
#[derive(Debug)]
pub struct Talk {
    child: Child,
    to: File,
    from: File,
    /// What was read and not yet asked for.
    unread: Vec<u8>,
    /// Up to here `unread` has no end of a line.
    searched: usize,
}

impl Talk {
    /// Starts it outside any sandbox; its standard input and output are ours, its errors go nowhere.
    pub fn start(mut spawn: Spawn) -> Result<Talk, SpawnError> {
        let (their_input, to) = pipe()?;
        let (from, their_output) = pipe()?;
        unblock(to.as_raw_fd())?;
        unblock(from.as_raw_fd())?;
        spawn.stdin = Stdin::Fd(their_input);
        spawn.stdout = Sink::Fd(their_output);
        spawn.stderr = Sink::Null;
        let child = spawn.start(&Sandbox::off())?;
        Ok(Talk { child, to: file(to), from: file(from), unread: Vec::new(), searched: 0 })
    }

    pub fn pid(&self) -> i32 {
        self.child.pid()
    }

    /// Says all of it, listening meanwhile.
    pub fn say(&mut self, mut text: &[u8], until: Instant) -> io::Result<()> {
        while !text.is_empty() {
            let (can_read, can_write) = ready(self.from.as_raw_fd(), Some(self.to.as_raw_fd()), until)?;
            if can_read {
                self.listen()?;
            }
            if can_write {
                match self.to.write(text) {
                    Ok(count) => text = &text[count..],
                    Err(error) if again(&error) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// The next line, without its end.
    pub fn line(&mut self, until: Instant) -> io::Result<String> {
        loop {
            if let Some(at) = self.unread[self.searched..].iter().position(|&byte| byte == b'\n') {
                let rest = self.unread.split_off(self.searched + at + 1);
                let mut line = std::mem::replace(&mut self.unread, rest);
                self.searched = 0;
                line.pop();
                return Ok(String::from_utf8_lossy(&line).into_owned());
            }
            self.searched = self.unread.len();
            ready(self.from.as_raw_fd(), None, until)?;
            self.listen()?;
        }
    }

    fn listen(&mut self) -> io::Result<()> {
        let mut bytes = [0; 1 << 16];
        match self.from.read(&mut bytes) {
            Ok(0) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the program has ended")),
            Ok(count) if self.unread.len() + count > MOST_UNREAD => Err(io::Error::other("the program talks too much")),
            Ok(count) => {
                self.unread.extend_from_slice(&bytes[..count]);
                Ok(())
            }
            Err(error) if again(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn file(fd: OwnedFd) -> File {
    File::from(fd)
}

fn again(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn unblock(fd: RawFd) -> io::Result<()> {
    // SAFETY: our own descriptor; the call takes and returns plain numbers.
    let done = unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Waits until one can be read or the other written; an error once the time is over.
fn ready(read: RawFd, write: Option<RawFd>, until: Instant) -> io::Result<(bool, bool)> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the program did not answer in time"));
        }
        let mut list = [
            libc::pollfd { fd: read, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: write.unwrap_or(-1), events: libc::POLLOUT, revents: 0 },
        ];
        let wait = i32::try_from(left.as_millis()).unwrap_or(i32::MAX).max(1);
        // SAFETY: two entries of a local array; the kernel writes `revents` only.
        let got = unsafe { libc::poll(list.as_mut_ptr(), 2, wait) };
        if got < 0 {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        } else if got > 0 {
            return Ok((list[0].revents != 0, list[1].revents != 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    fn shell(script: &str) -> Talk {
        let mut spawn = Spawn::new("/bin/sh");
        spawn.args.extend(["-c".into(), script.into()]);
        Talk::start(spawn).unwrap()
    }

    #[test]
    fn lines_go_both_ways() {
        let mut cat = shell("exec cat");
        cat.say(b"one\ntwo\nthr", soon()).unwrap();
        assert_eq!(cat.line(soon()).unwrap(), "one");
        assert_eq!(cat.line(soon()).unwrap(), "two");
        cat.say(b"ee\n\n", soon()).unwrap();
        assert_eq!(cat.line(soon()).unwrap(), "three");
        assert_eq!(cat.line(soon()).unwrap(), "");
    }

    /// More than pipes hold, in both directions at once.
    #[test]
    fn a_long_text_does_not_stop_in_the_middle() {
        let mut cat = shell("exec cat");
        let line = vec![b'x'; 1 << 20];
        for _ in 0..3 {
            cat.say(&line, soon()).unwrap();
            cat.say(b"\n", soon()).unwrap();
        }
        assert_eq!((0..3).map(|_| cat.line(soon()).unwrap().len()).sum::<usize>(), 3 << 20);
    }

    #[test]
    fn silence_and_death_are_errors() {
        let mut silent = shell("exec sleep 1000");
        let error = silent.line(Instant::now() + Duration::from_millis(30)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let mut deaf = shell("exec sleep 1000");
        let error = deaf.say(&vec![0; 1 << 20], Instant::now() + Duration::from_millis(30)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let mut dead = shell("exit 3");
        assert_eq!(dead.line(soon()).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(Talk::start(Spawn::new("/nonexistent")).is_err());
    }
}
