//! Fatal signals: written down for the engine on a stack of our own, then left to do what they do.
//! A target that installs handlers of its own simply replaces these.

use crate::state::header;
use crate::sys::{self, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, SigAction};
use crate::{gate, paths, shadow};
use core::arch::naked_asm;

const STACK_SIZE: usize = 1 << 16;
static mut STACK: [u8; STACK_SIZE] = [0; STACK_SIZE];

pub fn install() {
    sys::alternate_stack(&raw mut STACK as usize, STACK_SIZE);
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS] {
        catch(signal);
    }
}

/// Only what a shadow mapped on demand needs.
pub fn install_for_faults() {
    sys::alternate_stack(&raw mut STACK as usize, STACK_SIZE);
    catch(SIGSEGV);
}

fn catch(signal: i32) {
    const SIGINFO: u64 = 4;
    const RESTORER: u64 = 0x0400_0000;
    const ONSTACK: u64 = 0x0800_0000;
    let action = SigAction {
        handler: handle as *const () as usize,
        flags: SIGINFO | RESTORER | ONSTACK,
        restorer: leave as *const () as usize,
        mask: 0,
    };
    sys::sigaction(signal, &action);
}

/// The kernel's `siginfo`, as far as it concerns us.
#[repr(C)]
struct Info {
    signal: i32,
    errno: i32,
    code: i32,
    padding: i32,
    address: u64,
}

/// The kernel's `ucontext`: flags, link, stack (five words), then registers.
#[repr(C)]
struct Context {
    before: [u64; 5],
    registers: [u64; 17],
}

const RSP: usize = 15;
const RIP: usize = 16;

extern "C" fn handle(signal: i32, info: &Info, context: &Context) {
    if signal == SIGSEGV && info.code > 0 && shadow::fault(info.address) {
        return;
    }
    record(signal, info, context);
    sys::default_action(signal);
    // A fault happens again when we return; a signal that was sent has to be sent again.
    if info.code <= 0 {
        sys::kill_self(signal);
    }
}

fn record(signal: i32, info: &Info, context: &Context) {
    if !gate::owned() {
        return;
    }
    if let Some(header) = header()
        && header.signal == 0
    {
        header.signal_code = info.code;
        header.signal_address = info.address;
        header.signal_pc = context.registers[RIP];
        header.signal_sp = context.registers[RSP];
        header.signal = signal as u32;
        paths::end();
    }
}

/// Returns from a handler: `rt_sigreturn`.
#[unsafe(naked)]
unsafe extern "C" fn leave() {
    naked_asm!("mov eax, 15", "syscall")
}
