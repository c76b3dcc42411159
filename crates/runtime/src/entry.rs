//! The functions of `abi::functions`, as instrumented code calls them.
//!
//! The slow ones are called with LLVM's `preserve_most`: their callers keep values in every register but
//! R11 and the vector registers. Each is a trampoline that saves the rest and calls a Rust function.

use crate::gate::pass;
use crate::paths::{self, bits as path_bits, enter as path_enter, last as path_last, mark as path_mark};
use crate::{calls, events, labels, memory, segment, shadow, variadic};
use core::arch::naked_asm;
use symcrete_abi::Label;
use symcrete_abi::functions::Variadic;

/// Saves what `preserve_most` keeps; the vector registers need not be.
macro_rules! slow {
    ($($name:ident => $body:ident;)*) => {$(
        /// Trampoline, see the module.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            naked_asm!(
                "push rax", "push rcx", "push rdx", "push rsi", "push rdi", "push r8", "push r9", "push r10",
                "sub rsp, 8",
                "call {body}",
                "add rsp, 8",
                "pop r10", "pop r9", "pop r8", "pop rdi", "pop rsi", "pop rdx", "pop rcx", "pop rax",
                "ret",
                body = sym $body)
        }
    )*};
}

slow! {
    __symcrete_segment => segment;
    __symcrete_concretise => concretise;
    __symcrete_lost => lost;
    __symcrete_path_bits => path_bits;
    __symcrete_path_mark => path_mark;
    __symcrete_path_enter => path_enter;
    __symcrete_path_last => path_last;
}

extern "C" fn segment(program: *const u32, frame: *mut u64, bits: u64) {
    paths::show(bits);
    // SAFETY: the caller is a slow block of ours: a program as `abi::segment` has it, and its frame.
    unsafe { segment::run(program, frame) };
}

extern "C" fn concretise(label: Label, site: u32, what: u32) {
    pass((), || events::concretise(label, site, what));
}

extern "C" fn lost(what: u32, site: u32) {
    pass((), || events::lost(what, site));
}

/// Labels follow the bytes of a memcpy or memmove.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_copy(to: u64, from: u64, n: u64, lt: Label, lf: Label, ln: Label, site: u32) {
    pass((), || memory::copy(to, from, n, [lt, lf, ln], site));
}

/// Labels of a memset.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_fill(to: u64, n: u64, byte: Label, lt: Label, ln: Label, site: u32) {
    pass((), || memory::fill(to, n, byte, [lt, ln], site));
}

/// Forgets labels: memory that begins a new life.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_clear(p: u64, n: u64) {
    pass((), || {
        if shadow::covers(p, n) {
            labels::clear(p, n);
        }
    });
}

/// A byval argument is about to be passed.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_byval_pass(number: u32, source: u64, n: u64) {
    pass((), || calls::byval_pass(number, source, n));
}

/// The callee's side of it.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_byval_take(number: u32, copy: u64, n: u64, key: u64) {
    pass((), || calls::byval_take(number, copy, n, key));
}

/// A variadic function begins.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_variadic_take(saved: &mut Variadic, named: u32, key: u64) {
    saved.count = 0;
    pass((), || variadic::take(saved, named as usize, key));
}

/// It has called `va_start`.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_variadic_start(list: u64, saved: &Variadic) {
    pass((), || variadic::start(list, saved));
}

/// The callee was not instrumented.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_untaken(site: u32) {
    pass((), || calls::untaken(site));
}
