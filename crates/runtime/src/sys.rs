//! System calls, bare: the target may have replaced any library function, and its `errno` is not ours.
//! Results are the kernel's: negative numbers are error codes.

use core::arch::asm;

pub const PROT_RW: usize = 3;
pub const MAP_SHARED: usize = 0x01;
pub const MAP_PRIVATE: usize = 0x02;
pub const MAP_FIXED: usize = 0x10;
pub const MAP_ANONYMOUS: usize = 0x20;
pub const MAP_NORESERVE: usize = 0x4000;
pub const MAP_FIXED_NOREPLACE: usize = 0x10_0000;
pub const MADV_NOHUGEPAGE: usize = 15;
pub const MADV_DONTDUMP: usize = 16;
pub const MADV_WIPEONFORK: usize = 18;
pub const MADV_COLLAPSE: usize = 25;
pub const MADV_POPULATE_READ: usize = 22;
pub const MADV_POPULATE_WRITE: usize = 23;

pub const SIGILL: i32 = 4;
pub const SIGTRAP: i32 = 5;
pub const SIGABRT: i32 = 6;
pub const SIGBUS: i32 = 7;
pub const SIGFPE: i32 = 8;
pub const SIGKILL: i32 = 9;
pub const SIGSEGV: i32 = 11;
pub const SIGCONT: i32 = 18;
pub const SIGSTOP: i32 = 19;
pub const SIGSYS: i32 = 31;

pub const EINTR: isize = -4;
pub const ESRCH: i32 = 3;
pub const ENOMEM: i32 = 12;
pub const EINVAL: i32 = 22;
pub const ENOSYS: i32 = 38;
pub const EPROTO: i32 = 71;

const READ: usize = 0;
const WRITE: usize = 1;
const OPEN: usize = 2;
const CLOSE: usize = 3;
const FSTAT: usize = 5;
const POLL: usize = 7;
const LSEEK: usize = 8;
const MMAP: usize = 9;
const BRK: usize = 12;
const RT_SIGACTION: usize = 13;
const RT_SIGPROCMASK: usize = 14;
const IOCTL: usize = 16;
const MREMAP: usize = 25;
const MADVISE: usize = 28;
const DUP2: usize = 33;
const GETPID: usize = 39;
const SHUTDOWN: usize = 48;
const SOCKETPAIR: usize = 53;
const SETSOCKOPT: usize = 54;
const CLONE: usize = 56;
const WAIT4: usize = 61;
const KILL: usize = 62;
const FCNTL: usize = 72;
const GETRLIMIT: usize = 97;
const SETSID: usize = 112;
const SIGALTSTACK: usize = 131;
const PRCTL: usize = 157;
const UTIMENSAT: usize = 280;
const NEWFSTATAT: usize = 262;
const GETTID: usize = 186;
const EXIT_GROUP: usize = 231;
const TGKILL: usize = 234;
const MEMFD_CREATE: usize = 319;
const PIDFD_OPEN: usize = 434;
const TEE: usize = 276;
const PIPE2: usize = 293;

#[inline(always)]
fn call(number: usize, a: [usize; 6]) -> isize {
    let result: isize;
    // SAFETY: the instruction changes what the operands say and nothing else; what the kernel does with
    // the arguments is the business of the wrappers below.
    unsafe {
        asm!("syscall", inlateout("rax") number as isize => result,
            in("rdi") a[0], in("rsi") a[1], in("rdx") a[2], in("r10") a[3], in("r8") a[4], in("r9") a[5],
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

pub fn read(fd: i32, buffer: *mut u8, n: usize) -> isize {
    call(READ, [fd as usize, buffer as usize, n, 0, 0, 0])
}

/// Writes all of it or fails.
pub fn write_all(fd: i32, bytes: &[u8]) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        match call(WRITE, [fd as usize, bytes.as_ptr() as usize + at, bytes.len() - at, 0, 0, 0]) {
            EINTR => {}
            n if n > 0 => at += n as usize,
            _ => return false,
        }
    }
    true
}

/// Reads exactly `n` bytes or fails (end of file included).
pub fn read_all(fd: i32, buffer: *mut u8, n: usize) -> bool {
    let mut at = 0;
    while at < n {
        match read(fd, buffer.wrapping_add(at), n - at) {
            EINTR => {}
            got if got > 0 => at += got as usize,
            _ => return false,
        }
    }
    true
}

/// `path` ends with NUL.
pub fn open(path: &[u8], flags: usize, mode: usize) -> isize {
    debug_assert_eq!(path.last(), Some(&0));
    call(OPEN, [path.as_ptr() as usize, flags, mode, 0, 0, 0])
}

pub fn close(fd: i32) {
    call(CLOSE, [fd as usize, 0, 0, 0, 0, 0]);
}

pub fn dup2(from: i32, to: i32) -> isize {
    call(DUP2, [from as usize, to as usize, 0, 0, 0, 0])
}

/// A copy of `fd` with a number of at least `least`, closed on exec.
pub fn dup_above(fd: i32, least: usize) -> isize {
    const F_DUPFD_CLOEXEC: usize = 1030;
    call(FCNTL, [fd as usize, F_DUPFD_CLOEXEC, least, 0, 0, 0])
}

pub fn lseek(fd: i32, offset: i64, whence: usize) -> isize {
    call(LSEEK, [fd as usize, offset as usize, whence, 0, 0, 0])
}

/// Device and inode of an open file.
pub fn identity(fd: i32) -> Option<(u64, u64)> {
    let mut stat = [0u64; 18];
    let failed = call(FSTAT, [fd as usize, stat.as_mut_ptr() as usize, 0, 0, 0, 0]) < 0;
    (!failed).then_some((stat[0], stat[1]))
}

pub fn file_size(fd: i32) -> Option<u64> {
    let mut stat = [0u64; 18];
    let failed = call(FSTAT, [fd as usize, stat.as_mut_ptr() as usize, 0, 0, 0, 0]) < 0;
    (!failed).then_some(stat[6])
}

/// Sets the access time of an open file to zero: the next read sets it again.
pub fn forget_access(fd: i32) -> bool {
    const UTIME_OMIT: i64 = (1 << 30) - 2;
    let times: [i64; 4] = [0, 0, 0, UTIME_OMIT];
    call(UTIMENSAT, [fd as usize, 0, times.as_ptr() as usize, 0, 0, 0]) == 0
}

/// Seconds of the last access to a file. `path` ends with NUL.
pub fn access_time(path: &[u8]) -> Option<u64> {
    const AT_FDCWD: usize = -100isize as usize;
    debug_assert_eq!(path.last(), Some(&0));
    let mut stat = [0u64; 18];
    let failed = call(NEWFSTATAT, [AT_FDCWD, path.as_ptr() as usize, stat.as_mut_ptr() as usize, 0, 0, 0]) < 0;
    (!failed).then_some(stat[9])
}

/// Bytes that wait in a socket or pipe.
pub fn waiting(fd: i32) -> Option<u64> {
    const FIONREAD: usize = 0x541b;
    let mut n = 0i32;
    let failed = call(IOCTL, [fd as usize, FIONREAD, &raw mut n as usize, 0, 0, 0]) < 0;
    (!failed && n >= 0).then_some(n as u64)
}

pub fn mmap(at: u64, size: u64, flags: usize, fd: i32, offset: u64) -> isize {
    call(MMAP, [at as usize, size as usize, PROT_RW, flags, fd as usize, offset as usize])
}

/// Private zero pages that cost nothing until touched.
pub fn pages(at: u64, size: u64, flags: usize) -> isize {
    mmap(at, size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0)
}

/// Lays a second view of the shared pages at `from` over `to`, without needing their descriptor.
pub fn mirror(from: u64, to: u64, size: u64) -> bool {
    const MAYMOVE_FIXED: usize = 3;
    call(MREMAP, [from as usize, 0, size as usize, MAYMOVE_FIXED, to as usize, 0]) == to as isize
}

pub fn madvise(at: u64, size: u64, advice: usize) -> isize {
    call(MADVISE, [at as usize, size as usize, advice, 0, 0, 0])
}

pub fn memfd(name: &[u8]) -> isize {
    debug_assert_eq!(name.last(), Some(&0));
    call(MEMFD_CREATE, [name.as_ptr() as usize, 0, 0, 0, 0, 0])
}

/// A connected pair of stream sockets.
pub fn socket_pair() -> Option<[i32; 2]> {
    const AF_UNIX: usize = 1;
    const STREAM: usize = 1;
    let mut pair = [0i32; 2];
    let failed = call(SOCKETPAIR, [AF_UNIX, STREAM, 0, pair.as_mut_ptr() as usize, 0, 0]) < 0;
    (!failed).then_some(pair)
}

/// Asks for `bytes` of buffer for what is sent on `fd`; the kernel may give less.
pub fn send_buffer(fd: i32, bytes: i32) {
    const SOL_SOCKET: usize = 1;
    const SNDBUF: usize = 7;
    const SNDBUFFORCE: usize = 32;
    for option in [SNDBUF, SNDBUFFORCE] {
        call(SETSOCKOPT, [fd as usize, SOL_SOCKET, option, &raw const bytes as usize, 4, 0]);
    }
}

pub fn shutdown_write(fd: i32) {
    call(SHUTDOWN, [fd as usize, 1, 0, 0, 0, 0]);
}

pub fn getpid() -> i32 {
    call(GETPID, [0; 6]) as i32
}

/// The C library's idea of where the kernel keeps the thread's id, 0 where the kernel does not tell.
pub fn tid_address() -> u64 {
    const PR_GET_TID_ADDRESS: usize = 40;
    let mut address = 0u64;
    let failed = call(PRCTL, [PR_GET_TID_ADDRESS, &raw mut address as usize, 0, 0, 0, 0]) < 0;
    if failed { 0 } else { address }
}

/// Forks. With the C library's own thread-id cell given, the child's id is written there, as the
/// library's `fork` would do; handlers registered with `pthread_atfork` do not run.
pub fn fork(tid_address: u64) -> isize {
    const CHILD_SETTID: usize = 0x0100_0000;
    const CHILD_CLEARTID: usize = 0x0020_0000;
    const SIGCHLD: usize = 17;
    let flags = SIGCHLD | if tid_address == 0 { 0 } else { CHILD_SETTID | CHILD_CLEARTID };
    call(CLONE, [flags, 0, 0, tid_address as usize, 0, 0])
}

pub fn wait(pid: i32, status: &mut i32, flags: usize) -> isize {
    loop {
        let result = call(WAIT4, [pid as usize, status as *mut i32 as usize, flags, 0, 0, 0]);
        if result != EINTR {
            return result;
        }
    }
}

/// Where the heap ends.
pub fn heap_end() -> u64 {
    call(BRK, [0; 6]) as u64
}

/// A descriptor that is readable once the process has ended.
pub fn process_descriptor(pid: i32) -> isize {
    call(PIDFD_OPEN, [pid as usize, 0, 0, 0, 0, 0])
}

/// Waits until one of two descriptors can be read; whether it is the first, and whether it is the second.
pub fn readable_of(first: i32, second: i32) -> (bool, bool) {
    #[repr(C)]
    struct Interest {
        fd: i32,
        events: i16,
        found: i16,
    }
    let mut both = [Interest { fd: first, events: 1, found: 0 }, Interest { fd: second, events: 1, found: 0 }];
    while call(POLL, [both.as_mut_ptr() as usize, 2, usize::MAX, 0, 0, 0]) == EINTR {}
    (both[0].found != 0, both[1].found != 0)
}

/// How many names a folder has, roughly: the links to it.
pub fn links(path: &[u8]) -> Option<u64> {
    const AT_FDCWD: usize = -100isize as usize;
    let mut stat = [0u64; 18];
    let failed = call(NEWFSTATAT, [AT_FDCWD, path.as_ptr() as usize, stat.as_mut_ptr() as usize, 0, 0, 0]) < 0;
    (!failed).then_some(stat[2])
}

/// How a descriptor was opened (its flags), where it is one.
pub fn opened_as(fd: i32) -> Option<usize> {
    const F_GETFL: usize = 3;
    let flags = call(FCNTL, [fd as usize, F_GETFL, 0, 0, 0, 0]);
    (flags >= 0).then_some(flags as usize)
}

/// Registers that functions leave as they were: what the caller's callers keep there.
#[inline(always)]
pub fn kept_registers() -> [u64; 6] {
    let mut registers = [0u64; 6];
    // SAFETY: writes the six numbers and reads registers.
    unsafe {
        asm!("mov [{0}], rbx", "mov [{0} + 8], rbp", "mov [{0} + 16], r12", "mov [{0} + 24], r13",
            "mov [{0} + 32], r14", "mov [{0} + 40], r15", in(reg) registers.as_mut_ptr(), options(nostack));
    }
    registers
}

/// Sets those flags of an open file that may be changed.
pub fn set_opened_as(fd: i32, flags: usize) {
    const F_SETFL: usize = 4;
    call(FCNTL, [fd as usize, F_SETFL, flags, 0, 0, 0]);
}

/// Puts `from` in the place of `to`, which keeps whether it is closed on exec.
pub fn put_in_place(from: i32, to: i32) {
    const F_GETFD: usize = 1;
    const F_SETFD: usize = 2;
    let flags = call(FCNTL, [to as usize, F_GETFD, 0, 0, 0, 0]);
    dup2(from, to);
    if flags > 0 {
        call(FCNTL, [to as usize, F_SETFD, flags as usize, 0, 0, 0]);
    }
}

pub const REGULAR: u32 = 0o100_000;
pub const PIPE: u32 = 0o010_000;

/// What kind of file a descriptor is open on.
pub fn file_kind(fd: i32) -> Option<u32> {
    let mut stat = [0u64; 18];
    let failed = call(FSTAT, [fd as usize, stat.as_mut_ptr() as usize, 0, 0, 0, 0]) < 0;
    (!failed).then_some(stat[3] as u32 & 0o170_000)
}

/// A new pipe: its reading and its writing end.
pub fn pipe() -> Option<[i32; 2]> {
    let mut ends = [0i32; 2];
    let failed = call(PIPE2, [ends.as_mut_ptr() as usize, 0, 0, 0, 0, 0]) < 0;
    (!failed).then_some(ends)
}

/// Copies what waits in one pipe into another, which does not take it out of the first.
pub fn copy_pipe(from: i32, to: i32, n: usize) -> isize {
    const DONT_WAIT: usize = 2;
    call(TEE, [from as usize, to as usize, n, DONT_WAIT, 0, 0])
}

pub fn kill(pid: i32, signal: i32) -> isize {
    call(KILL, [pid as isize as usize, signal as usize, 0, 0, 0, 0])
}

pub fn kill_self(signal: i32) {
    let (pid, tid) = (getpid(), call(GETTID, [0; 6]));
    call(TGKILL, [pid as usize, tid as usize, signal as usize, 0, 0, 0]);
}

/// A session and a group of its own. No shell could continue it, so the kernel does not stop it as a shell's job
/// (SIGTSTP and its relatives): a run that suspends itself goes on, as its replay does.
pub fn new_session() {
    call(SETSID, [0; 6]);
}

/// Die with the parent: a run must not outlive its server.
pub fn die_with_parent() {
    const PR_SET_PDEATHSIG: usize = 1;
    call(PRCTL, [PR_SET_PDEATHSIG, SIGKILL as usize, 0, 0, 0, 0]);
}

/// Soft limit of the stack, in bytes.
pub fn stack_limit() -> u64 {
    const RLIMIT_STACK: usize = 3;
    let mut limit = [0u64; 2];
    call(GETRLIMIT, [RLIMIT_STACK, limit.as_mut_ptr() as usize, 0, 0, 0, 0]);
    limit[0]
}

/// The kernel's own `sigaction` structure.
#[repr(C)]
pub struct SigAction {
    pub handler: usize,
    pub flags: u64,
    pub restorer: usize,
    pub mask: u64,
}

pub fn sigaction(signal: i32, action: &SigAction) {
    call(RT_SIGACTION, [signal as usize, action as *const SigAction as usize, 0, 8, 0, 0]);
}

pub fn default_action(signal: i32) {
    sigaction(signal, &SigAction { handler: 0, flags: 0, restorer: 0, mask: 0 });
}

pub fn unblock(signal: i32) {
    const UNBLOCK: usize = 1;
    let set = 1u64 << (signal - 1);
    call(RT_SIGPROCMASK, [UNBLOCK, &raw const set as usize, 0, 8, 0, 0]);
}

/// Whether the eight bytes at `address` can be read. The kernel looks at the set before it finds that there is no
/// such operation, so that nothing else happens.
pub fn readable(address: u64) -> bool {
    const NO_OPERATION: usize = usize::MAX;
    call(RT_SIGPROCMASK, [NO_OPERATION, address as usize, 0, 8, 0, 0]) == -(EINVAL as isize)
}

pub fn alternate_stack(base: usize, size: usize) {
    let stack = [base, 0, size];
    call(SIGALTSTACK, [stack.as_ptr() as usize, 0, 0, 0, 0, 0]);
}

pub fn exit(status: i32) -> ! {
    loop {
        call(EXIT_GROUP, [status as usize, 0, 0, 0, 0, 0]);
    }
}

/// Ends this process by `signal`, whatever handlers the target has.
pub fn die(signal: i32) -> ! {
    default_action(signal);
    unblock(signal);
    kill_self(signal);
    exit(128 + signal)
}

/// Whether float operations round to nearest and know denormal numbers, as they do unless a program asks otherwise.
#[inline]
pub fn floats_are_ordinary() -> bool {
    /// Denormals are zeros, rounding control, flush to zero.
    const OTHERWISE: u32 = 1 << 6 | 3 << 13 | 1 << 15;
    let mut register = 0u32;
    // SAFETY: stores the control register of SSE into four bytes of this frame.
    unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &raw mut register, options(nostack, preserves_flags)) };
    register & OTHERWISE == 0
}
