//! What to start and with what: everything a child needs is put together here, before the fork, because
//! between fork and exec nothing may be allocated.

use crate::child::Child;
use crate::launch::{self, Plan};
use crate::limits::Limits;
use crate::pump::{Capture, Feed, Pump};
use crate::sandbox::Sandbox;
use std::ffi::{CString, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("{program}: cannot be started ({step}): {error}")]
    Start { program: String, step: &'static str, error: io::Error },
    #[error("{0:?} contains a NUL byte and cannot be handed to a program")]
    Nul(OsString),
    #[error("no process can be started: {0}")]
    Fork(io::Error),
    #[error("a pipe, socket or memory file cannot be made: {0}")]
    Descriptor(#[from] io::Error),
}

/// What the child finds at descriptor 0.
#[derive(Debug, Default)]
pub enum Stdin {
    #[default]
    Null,
    /// A file with these bytes, open at its start, as `< file` would give.
    Bytes(Vec<u8>),
    /// One end of a stream socket on which these bytes arrive, then the end; also descriptor 1, as inetd
    /// does. What the child answers is thrown away.
    Socket(Vec<u8>),
    Fd(OwnedFd),
}

/// Where what the child prints goes.
#[derive(Debug, Default)]
pub enum Sink {
    #[default]
    Null,
    Inherit,
    /// Kept up to this many bytes; the rest is read and thrown away, so that the child never blocks.
    Capture(usize),
    Fd(OwnedFd),
}

/// One program to start. `args` includes argument 0; `env` is the whole environment.
#[derive(Debug, Default)]
pub struct Spawn {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    pub folder: Option<PathBuf>,
    pub stdin: Stdin,
    pub stdout: Sink,
    pub stderr: Sink,
    /// Further descriptors and the numbers the child finds them at. All others are closed.
    pub pass: Vec<(OwnedFd, RawFd)>,
    /// Numbers, other than 0 to 2, of further pipes the child may write to, and how much of each is kept.
    pub captures: Vec<(RawFd, usize)>,
    pub limits: Limits,
    /// Turn address-space randomisation off, where that is allowed.
    pub fixed_addresses: bool,
    /// Put a small process of ours between engine and program. It tells where a fatal signal struck and
    /// takes leftover processes away; the program never is process 1 of a namespace. For programs that
    /// are run once; a fork server does without.
    pub supervised: bool,
}

impl Spawn {
    pub fn new(program: impl Into<PathBuf>) -> Spawn {
        let program = program.into();
        Spawn { args: vec![program.clone().into_os_string()], program, ..Spawn::default() }
    }

    /// Starts it. Returns when the program itself runs (or could not be started).
    ///
    /// The child dies with the thread that calls this: nothing is left behind when the engine is killed.
    pub fn start(self, sandbox: &Sandbox) -> Result<Child, SpawnError> {
        let program = std::path::absolute(&self.program)?;
        let mut pump = Pump::default();
        let mut given: Vec<(OwnedFd, RawFd)> = Vec::new();
        let mut socket_as_output = false;
        match self.stdin {
            Stdin::Null => given.push((null()?, 0)),
            Stdin::Bytes(bytes) => given.push((memory_file("stdin", &bytes)?, 0)),
            Stdin::Fd(fd) => given.push((fd, 0)),
            Stdin::Socket(bytes) => {
                let (ours, theirs) = socket_pair()?;
                given.push((theirs.try_clone()?, 1));
                given.push((theirs, 0));
                pump.feed = Some(Feed::new(ours, bytes));
                socket_as_output = true;
            }
        }
        for (sink, number) in [(self.stdout, 1), (self.stderr, 2)] {
            if number == 1 && socket_as_output {
                continue;
            }
            match sink {
                Sink::Null => given.push((null()?, number)),
                Sink::Inherit => given.push((duplicate(number)?, number)),
                Sink::Fd(fd) => given.push((fd, number)),
                Sink::Capture(limit) => {
                    let (ours, theirs) = pipe()?;
                    given.push((theirs, number));
                    pump.captures.push(Capture::new(ours, number, limit)?);
                }
            }
        }
        for (number, limit) in self.captures {
            let (ours, theirs) = pipe()?;
            given.push((theirs, number));
            pump.captures.push(Capture::new(ours, number, limit)?);
        }
        given.extend(self.pass);
        // Sources away from all places they go to, so that no move destroys the source of a later one.
        let lowest = given.iter().map(|(_, to)| to + 1).max().unwrap_or(3).max(3);
        let moves: Vec<(OwnedFd, RawFd)> =
            given.into_iter().map(|(fd, to)| Ok((away(fd, lowest)?, to))).collect::<io::Result<_>>()?;

        // The child's own tools must survive the moves too.
        let (error_read, error_write) = pipe()?;
        let error_write = away(error_write, lowest)?;
        let report = match self.supervised {
            true => {
                let (read, write) = pipe()?;
                Some((read, away(write, lowest)?))
            }
            false => None,
        };
        let needed: Vec<PathBuf> =
            [&program].into_iter().chain(&self.folder).cloned().chain(self.args.iter().map(PathBuf::from)).collect();
        let mounts = sandbox.mounts(&needed.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
        let rules = sandbox.rules().map(|fd| away(fd.try_clone()?, lowest)).transpose()?;
        let environment = self.env.into_iter().map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            name
        });
        let plan = Plan {
            program: c_string(program.clone().into_os_string())?,
            args: c_strings(self.args.into_iter())?,
            env: c_strings(environment)?,
            folder: self.folder.map(|f| c_string(f.into_os_string())).transpose()?,
            moves: moves.iter().map(|(fd, to)| (fd.as_raw_fd(), *to)).collect(),
            limits: self.limits,
            fixed_addresses: self.fixed_addresses,
            rules: rules.as_ref().map(|fd| fd.as_raw_fd()),
            no_new_privileges: sandbox.report().on,
            maps: launch::IdMaps::new(sandbox.namespaces()),
            mounts,
            errors: error_write.as_raw_fd(),
            report: report.as_ref().map(|(_, write)| write.as_raw_fd()),
        };
        let (pid, pidfd) = launch::fork(sandbox.namespaces(), &plan).map_err(SpawnError::Fork)?;
        drop((error_write, moves, plan));
        let report = report.map(|(read, _)| read);
        let child = Child::new(pid, pidfd, sandbox.contains_processes(), report, pump);
        match launch::read_failure(File::from(error_read)) {
            None => Ok(child),
            Some((step, error)) => Err(SpawnError::Start { program: program.display().to_string(), step, error }),
        }
    }
}

fn c_string(text: OsString) -> Result<CString, SpawnError> {
    CString::new(text.into_vec()).map_err(|e| SpawnError::Nul(OsString::from_vec(e.into_vec())))
}

fn c_strings(list: impl Iterator<Item = OsString>) -> Result<Vec<CString>, SpawnError> {
    list.map(c_string).collect()
}

fn null() -> io::Result<OwnedFd> {
    Ok(OpenOptions::new().read(true).write(true).open(Path::new("/dev/null"))?.into())
}

/// An unnamed file in memory that holds `bytes`, open at its start.
pub fn memory_file(name: &str, bytes: &[u8]) -> io::Result<OwnedFd> {
    let name = CString::new(Path::new(name).as_os_str().as_bytes()).map_err(io::Error::other)?;
    // SAFETY: `name` is a C string; the result is checked and owned by nobody else.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    let mut file = File::from(owned(fd)?);
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file.into())
}

pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for both descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((owned(ends[0])?, owned(ends[1])?))
}

fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: `ends` has room for both descriptors.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((owned(ends[0])?, owned(ends[1])?))
}

fn duplicate(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: duplicating any number is harmless; the result is checked.
    owned(unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) })
}

/// The same open file under a number of at least `lowest`.
fn away(fd: OwnedFd, lowest: RawFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() >= lowest {
        return Ok(fd);
    }
    // SAFETY: `fd` is open; the result is checked.
    owned(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, lowest) })
}

fn owned(fd: RawFd) -> io::Result<OwnedFd> {
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor that nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Reads what is there, without surprises from interrupted calls.
pub(crate) fn read_all(mut file: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = file.read_to_end(&mut bytes);
    bytes
}
