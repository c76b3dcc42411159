//! The small process between engine and program of a supervised spawn. It is process 1 of the namespace
//! (when there is one), learns where a fatal signal struck, reports once, and takes leftovers with it.
//!
//! Runs in a copy of the engine: the rules of `launch` hold here too.

use crate::launch::{Plan, SUPERVISOR, become_program, fail, raw_fork};
use std::os::fd::RawFd;
use std::ptr;

/// What the supervisor writes when the program has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Report {
    /// As `waitpid` gives it.
    pub status: i32,
    /// The last signal seen on its way to the program; 0 for none.
    pub signal: i32,
    pub code: i32,
    pub reserved: i32,
    pub address: u64,
    pub pc: u64,
    pub sp: u64,
    /// Stack pointer at the program's first instruction: close to the top of the stack.
    pub stack_top: u64,
}

pub(crate) fn run(plan: &Plan, report: RawFd, args: &[*const libc::c_char], env: &[*const libc::c_char]) -> ! {
    // SAFETY: plain system calls, no allocation.
    let child = unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        match raw_fork(0) {
            Ok((0, _)) => become_program(plan, args, env, true),
            Ok((pid, fd)) => {
                libc::close(fd);
                pid
            }
            Err(_) => fail(plan, SUPERVISOR),
        }
    };
    // SAFETY: the pipe's copies that belong to the program must not be kept open here.
    unsafe {
        libc::close(plan.errors);
        for &(from, _) in &plan.moves {
            libc::close(from);
        }
        for fd in 0..3 {
            libc::close(fd);
        }
    }
    let outcome = follow(child);
    // SAFETY: writes a plain record, then ends this process.
    unsafe {
        libc::write(report, (&raw const outcome).cast(), size_of::<Report>());
        kill_leftovers();
        libc::_exit(0)
    }
}

/// Lets the program run to its end, remembering the last signal that was delivered to it.
fn follow(child: i32) -> Report {
    let mut report = Report::default();
    let mut started = false;
    loop {
        let mut status = 0;
        // SAFETY: waits for children of this process only.
        let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL) };
        if pid < 0 {
            // SAFETY: reads errno.
            if unsafe { *libc::__errno_location() } == libc::EINTR {
                continue;
            }
            return report;
        }
        if pid != child {
            continue;
        }
        if !libc::WIFSTOPPED(status) {
            report.status = status;
            return report;
        }
        let signal = libc::WSTOPSIG(status);
        let event = status >> 16;
        let mut deliver = 0;
        // SAFETY: the child is stopped under our trace; the structures are plain data the kernel fills.
        unsafe {
            if !started && signal == libc::SIGTRAP {
                started = true;
                let options = libc::PTRACE_O_EXITKILL | libc::PTRACE_O_TRACEEXEC;
                libc::ptrace(libc::PTRACE_SETOPTIONS, child, 0, options as usize);
                report.stack_top = registers(child).1;
            } else if event == libc::PTRACE_EVENT_EXEC {
                report.stack_top = registers(child).1;
            } else if event == 0 {
                let mut info: libc::siginfo_t = std::mem::zeroed();
                // A stop of the whole group has no signal to deliver.
                if libc::ptrace(libc::PTRACE_GETSIGINFO, child, 0, &raw mut info) == 0 {
                    deliver = signal;
                    let (pc, sp) = registers(child);
                    report.signal = signal;
                    report.code = info.si_code;
                    report.address = if has_address(signal) { info.si_addr() as u64 } else { 0 };
                    report.pc = pc;
                    report.sp = sp;
                }
            }
            libc::ptrace(libc::PTRACE_CONT, child, 0, deliver as usize);
        }
    }
}

fn has_address(signal: i32) -> bool {
    matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGILL | libc::SIGFPE | libc::SIGTRAP)
}

/// Program counter and stack pointer of a stopped child.
#[cfg(target_arch = "x86_64")]
unsafe fn registers(child: i32) -> (u64, u64) {
    // SAFETY: plain data, filled by the kernel when the child is stopped.
    unsafe {
        let mut registers: libc::user_regs_struct = std::mem::zeroed();
        match libc::ptrace(libc::PTRACE_GETREGS, child, 0, &raw mut registers) {
            0 => (registers.rip, registers.rsp),
            _ => (0, 0),
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn registers(_child: i32) -> (u64, u64) {
    (0, 0)
}

/// Kills what the program left behind. As process 1 of a namespace the kernel does it when we leave, and `/proc` has the
/// numbers of another namespace; without one, orphans are our children, and we go on until there are none.
fn kill_leftovers() {
    // SAFETY: only asks.
    if unsafe { libc::getpid() } == 1 {
        return;
    }
    let mut buffer = [0u8; 4096];
    for _ in 0..1000 {
        // SAFETY: a fixed path and buffer; only signals our own children.
        unsafe {
            let fd = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            if fd < 0 {
                return;
            }
            let length = libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len());
            libc::close(fd);
            if length <= 0 {
                return;
            }
            let mut number = 0i32;
            for &byte in &buffer[..length as usize] {
                if byte.is_ascii_digit() {
                    number = number.wrapping_mul(10).wrapping_add((byte - b'0') as i32);
                } else if number > 1 {
                    libc::kill(number, libc::SIGKILL);
                    number = 0;
                }
            }
            while libc::waitpid(-1, ptr::null_mut(), libc::__WALL | libc::WNOHANG) > 0 {}
            let pause = libc::timespec { tv_sec: 0, tv_nsec: 200_000 };
            libc::nanosleep(&pause, ptr::null_mut());
        }
    }
}
