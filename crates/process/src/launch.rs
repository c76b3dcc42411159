//! The child's side of a spawn: from fork to exec. Runs in a copy of a possibly multi-threaded engine, so
//! nothing here may allocate, lock, or touch anything but its plan and the kernel.

use crate::limits::Limits;
use crate::spawn::read_all;
use crate::supervise;
use crate::temporary::Mount;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr;

/// Everything the child needs, made before the fork.
pub(crate) struct Plan {
    pub program: CString,
    pub args: Vec<CString>,
    pub env: Vec<CString>,
    pub folder: Option<CString>,
    /// Descriptors as they are, and where they go. No source number is among the destinations.
    pub moves: Vec<(RawFd, RawFd)>,
    pub limits: Limits,
    pub fixed_addresses: bool,
    pub rules: Option<RawFd>,
    pub no_new_privileges: bool,
    pub maps: Option<IdMaps>,
    pub mounts: Vec<Mount>,
    /// Write end of the pipe that closes by itself at exec, or tells what failed.
    pub errors: RawFd,
    /// Write end for the supervisor's report.
    pub report: Option<RawFd>,
}

/// What makes the user keep their own numbers inside a new user namespace.
pub(crate) struct IdMaps {
    users: Vec<u8>,
    groups: Vec<u8>,
}

impl IdMaps {
    pub fn new(namespaces: u64) -> Option<IdMaps> {
        if namespaces & libc::CLONE_NEWUSER as u64 == 0 {
            return None;
        }
        // SAFETY: these only read.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        Some(IdMaps {
            users: format!("{user} {user} 1").into_bytes(),
            groups: format!("{group} {group} 1").into_bytes(),
        })
    }

    fn write(&self) -> bool {
        put(c"/proc/self/setgroups", b"deny")
            && put(c"/proc/self/uid_map", &self.users)
            && put(c"/proc/self/gid_map", &self.groups)
    }
}

fn put(path: &std::ffi::CStr, bytes: &[u8]) -> bool {
    // SAFETY: a C string and a valid buffer.
    unsafe {
        let fd = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if fd < 0 {
            return false;
        }
        let written = libc::write(fd, bytes.as_ptr().cast(), bytes.len());
        libc::close(fd);
        written == bytes.len() as isize
    }
}

/// In a namespace of the caller's own.
fn mount(list: &[Mount]) -> bool {
    let none = ptr::null();
    let bind = |each: &Mount| {
        let attributes =
            libc::mount_attr { attr_set: libc::MOUNT_ATTR_RDONLY, attr_clr: 0, propagation: 0, userns_fd: 0 };
        let to = each.to.as_ptr();
        // SAFETY: C strings of the plan, and a structure of the size that is given.
        unsafe {
            libc::mount(each.from.as_ptr(), to, none, libc::MS_BIND | libc::MS_REC, none.cast()) == 0
                && (!each.read_only
                    || libc::syscall(
                        libc::SYS_mount_setattr,
                        libc::AT_FDCWD,
                        to,
                        libc::AT_RECURSIVE,
                        &raw const attributes,
                        size_of::<libc::mount_attr>(),
                    ) == 0)
        }
    };
    // What is mounted here is mounted nowhere else.
    let own = |to: &std::ffi::CStr| {
        // SAFETY: a C string.
        unsafe { libc::mount(none, to.as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, none.cast()) == 0 }
    };
    list.is_empty() || own(c"/") && list.iter().all(bind)
}

const STEPS: &[&str] = &["namespace", "descriptors", "directory", "limits", "sandbox", "exec", "supervisor", "/tmp"];
const NAMESPACE: u32 = 0;
const DESCRIPTORS: u32 = 1;
const DIRECTORY: u32 = 2;
const LIMITS: u32 = 3;
const SANDBOX: u32 = 4;
const EXEC: u32 = 5;
pub(crate) const SUPERVISOR: u32 = 6;
const TEMPORARY: u32 = 7;

/// Forks into the given namespaces; the child follows the plan and does not come back.
pub(crate) fn fork(namespaces: u64, plan: &Plan) -> io::Result<(i32, OwnedFd)> {
    // Pointer arrays made here, because the child must not allocate.
    let args = pointers(&plan.args);
    let env = pointers(&plan.env);
    let mask = block_signals();
    // SAFETY: the child only runs `enter`, which keeps the rules of this module.
    let forked = unsafe { raw_fork(namespaces) };
    if let Ok((0, _)) = forked {
        enter(plan, &args, &env);
    }
    restore_signals(&mask);
    let (pid, fd) = forked?;
    // SAFETY: the kernel just made this descriptor for us.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(fd) }))
}

/// The first of these sets of namespaces that works here, with these mounts; 0 when none does.
pub(crate) fn usable_namespaces(sets: &[u64], mounts: &[Mount]) -> u64 {
    sets.iter().copied().find(|&set| works(set, mounts)).unwrap_or(0)
}

fn works(namespaces: u64, mounts: &[Mount]) -> bool {
    let maps = IdMaps::new(namespaces);
    let mask = block_signals();
    // SAFETY: the child writes its maps and leaves.
    let forked = unsafe { raw_fork(namespaces) };
    if let Ok((0, _)) = forked {
        let fine = maps.as_ref().is_none_or(|m| m.write()) && mount(mounts);
        // SAFETY: ends the child without running anything of the engine's.
        unsafe { libc::_exit(!fine as i32) };
    }
    restore_signals(&mask);
    let Ok((pid, fd)) = forked else { return false };
    let mut status = 0;
    // SAFETY: our own child and our own descriptor.
    unsafe {
        libc::close(fd);
        while libc::waitpid(pid, &mut status, 0) < 0 && *libc::__errno_location() == libc::EINTR {}
    }
    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|s| s.as_ptr()).chain([ptr::null()]).collect()
}

/// `clone` as a fork: `(0, _)` in the child, its number and descriptor in the parent.
///
/// # Safety
/// The child must only make calls that are safe after a fork of a multi-threaded process.
pub(crate) unsafe fn raw_fork(namespaces: u64) -> io::Result<(i32, RawFd)> {
    let mut fd: libc::c_int = -1;
    let flags = namespaces | libc::CLONE_PIDFD as u64 | libc::SIGCHLD as u64;
    // SAFETY: no new stack and no shared memory: the child is a plain copy. The third argument is where
    // the kernel leaves the descriptor.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0usize, &raw mut fd, 0usize, 0usize) };
    if pid < 0 { Err(io::Error::last_os_error()) } else { Ok((pid as i32, fd)) }
}

fn block_signals() -> libc::sigset_t {
    // SAFETY: both sets are filled by the calls; the old one is what the caller restores.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut old: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
        old
    }
}

fn restore_signals(mask: &libc::sigset_t) {
    // SAFETY: a mask that was in force before.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, ptr::null_mut()) };
}

fn enter(plan: &Plan, args: &[*const libc::c_char], env: &[*const libc::c_char]) -> ! {
    if plan.maps.as_ref().is_some_and(|maps| !maps.write()) {
        fail(plan, NAMESPACE);
    }
    if !mount(&plan.mounts) {
        fail(plan, TEMPORARY);
    }
    match plan.report {
        Some(report) => supervise::run(plan, report, args, env),
        None => become_program(plan, args, env, false),
    }
}

/// Turns the calling process into the program. Everything that can fail says which step it was.
pub(crate) fn become_program(
    plan: &Plan,
    args: &[*const libc::c_char],
    env: &[*const libc::c_char],
    traced: bool,
) -> ! {
    // SAFETY: plain system calls on values of the plan; no allocation, no locks.
    unsafe {
        let mut default: libc::sigaction = std::mem::zeroed();
        default.sa_sigaction = libc::SIG_DFL;
        for signal in 1..65 {
            libc::sigaction(signal, &default, ptr::null_mut());
        }
        // A session of its own: no terminal, and a process group to kill.
        libc::setsid();
        // Orphaned descendants come to this process, where they can be found.
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        if libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) != 0 {
            close_on_exec_one_by_one();
        }
        for &(from, to) in &plan.moves {
            if libc::dup2(from, to) < 0 {
                fail(plan, DESCRIPTORS);
            }
        }
        if plan.folder.as_ref().is_some_and(|folder| libc::chdir(folder.as_ptr()) != 0) {
            fail(plan, DIRECTORY);
        }
        if plan.limits.apply().is_err() {
            fail(plan, LIMITS);
        }
        if plan.fixed_addresses {
            let before = libc::personality(0xffff_ffff);
            if before >= 0 {
                libc::personality(before as libc::c_ulong | libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
            }
        }
        if plan.no_new_privileges && libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            fail(plan, SANDBOX);
        }
        if plan.rules.is_some_and(|rules| libc::syscall(libc::SYS_landlock_restrict_self, rules, 0) != 0) {
            fail(plan, SANDBOX);
        }
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        if traced {
            libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
        libc::execve(plan.program.as_ptr(), args.as_ptr(), env.as_ptr());
    }
    fail(plan, EXEC)
}

/// For kernels without `close_range`.
unsafe fn close_on_exec_one_by_one() {
    // SAFETY: changing flags of numbers that are not open does nothing.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        for fd in 3..limit.rlim_cur.min(65_536) as i32 {
            libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}

/// Tells the engine what went wrong and ends the child.
pub(crate) fn fail(plan: &Plan, step: u32) -> ! {
    // SAFETY: errno of the call that just failed; a small write to our own pipe; then the end.
    unsafe {
        let record = [step, *libc::__errno_location() as u32];
        libc::write(plan.errors, record.as_ptr().cast(), size_of_val(&record));
        libc::_exit(127)
    }
}

/// `None` when the program was reached: the pipe closed without a word.
pub(crate) fn read_failure(pipe: File) -> Option<(&'static str, io::Error)> {
    let bytes = read_all(pipe);
    let number = |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let step = number(0)?;
    let errno = number(4)?;
    Some((STEPS.get(step as usize).copied().unwrap_or("start"), io::Error::from_raw_os_error(errno as i32)))
}
