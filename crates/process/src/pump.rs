//! Moves bytes between engine and child while it runs: captured output, and what a socket still has to
//! deliver. Never blocks, never keeps more than asked.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

/// What a child printed: the first bytes, and how many more there were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    pub bytes: Vec<u8>,
    pub dropped: u64,
}

#[derive(Debug)]
pub(crate) struct Capture {
    pipe: Option<File>,
    /// What the child knows it by.
    pub number: RawFd,
    limit: usize,
    pub got: Captured,
}

impl Capture {
    pub fn new(pipe: OwnedFd, number: RawFd, limit: usize) -> io::Result<Capture> {
        nonblocking(&pipe)?;
        Ok(Capture { pipe: Some(File::from(pipe)), number, limit, got: Captured::default() })
    }

    /// Takes what is there, at most a few rounds, so that a chatty child cannot keep the caller here.
    fn take(&mut self) {
        let mut buffer = [0u8; 65536];
        for _ in 0..64 {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    let keep = count.min(self.limit.saturating_sub(self.got.bytes.len()));
                    self.got.bytes.extend_from_slice(&buffer[..keep]);
                    self.got.dropped += (count - keep) as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }
}

/// The engine's end of a socket: bytes go out as the child takes them, then the end of the stream.
#[derive(Debug)]
pub(crate) struct Feed {
    socket: Option<OwnedFd>,
    bytes: Vec<u8>,
    sent: usize,
}

impl Feed {
    pub fn new(socket: OwnedFd, bytes: Vec<u8>) -> Feed {
        // A socket that stays blocking is still safe: every call below asks for no waiting.
        let mut feed = Feed { socket: Some(socket), bytes, sent: 0 };
        feed.push();
        feed
    }

    fn done(&self) -> bool {
        self.sent >= self.bytes.len()
    }

    fn push(&mut self) {
        let Some(socket) = &self.socket else { return };
        let fd = socket.as_raw_fd();
        while self.sent < self.bytes.len() {
            let rest = &self.bytes[self.sent..];
            let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
            // SAFETY: a valid buffer of the given length.
            let count = unsafe { libc::send(fd, rest.as_ptr().cast(), rest.len(), flags) };
            if count < 0 {
                let error = io::Error::last_os_error();
                match error.kind() {
                    io::ErrorKind::Interrupted => continue,
                    io::ErrorKind::WouldBlock => return,
                    _ => {
                        self.sent = self.bytes.len();
                        break;
                    }
                }
            }
            self.sent += count as usize;
        }
        // SAFETY: our own socket; the child sees the end of the stream.
        unsafe { libc::shutdown(fd, libc::SHUT_WR) };
    }

    /// Throws away what the child answers, so that it never blocks on writing.
    fn discard(&mut self) {
        let mut buffer = [0u8; 65536];
        for _ in 0..64 {
            let Some(socket) = &self.socket else { return };
            // SAFETY: a valid buffer of the given length.
            let count =
                unsafe { libc::recv(socket.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), libc::MSG_DONTWAIT) };
            match count {
                0 => self.socket = None,
                1.. => {}
                _ => match io::Error::last_os_error().kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock => return,
                    _ => self.socket = None,
                },
            }
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Pump {
    pub captures: Vec<Capture>,
    pub feed: Option<Feed>,
}

impl Pump {
    /// What to wait for.
    pub fn interests(&self, list: &mut Vec<libc::pollfd>) {
        for pipe in self.captures.iter().filter_map(|c| c.pipe.as_ref()) {
            list.push(libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 });
        }
        if let Some(feed) = &self.feed
            && let Some(socket) = &feed.socket
        {
            let out = if feed.done() { 0 } else { libc::POLLOUT };
            list.push(libc::pollfd { fd: socket.as_raw_fd(), events: libc::POLLIN | out, revents: 0 });
        }
    }

    /// Moves whatever can be moved without waiting.
    pub fn turn(&mut self) {
        for capture in &mut self.captures {
            capture.take();
        }
        if let Some(feed) = &mut self.feed {
            if !feed.done() {
                feed.push();
            }
            feed.discard();
        }
    }

    pub fn captured(&mut self, number: RawFd) -> Captured {
        self.captures.iter_mut().find(|c| c.number == number).map(|c| std::mem::take(&mut c.got)).unwrap_or_default()
    }
}

fn nonblocking(fd: &OwnedFd) -> io::Result<()> {
    // SAFETY: our own descriptor.
    let result = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
