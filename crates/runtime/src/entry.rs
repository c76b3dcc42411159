//! The functions of `abi::functions`, as instrumented code calls them.
//!
//! The slow ones are called with LLVM's `preserve_most`: their callers keep values in every register but
//! RAX, R11 and the vector registers. Each is a trampoline that saves the rest and calls a Rust function;
//! those without a result save RAX as well.

use crate::gate::pass;
use crate::{calls, events, labels, memory, operations, shadow, state};
use core::arch::naked_asm;
use symcrete_abi::Label;

macro_rules! with_result {
    ($($name:ident => $body:ident;)*) => {$(
        /// Trampoline, see the module.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            // Seven pushes: the stack is aligned for the call.
            naked_asm!(
                "push rcx", "push rdx", "push rsi", "push rdi", "push r8", "push r9", "push r10",
                "call {body}",
                "pop r10", "pop r9", "pop r8", "pop rdi", "pop rsi", "pop rdx", "pop rcx",
                "ret",
                body = sym $body)
        }
    )*};
}

macro_rules! without_result {
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

with_result! {
    __symcrete_binary => binary;
    __symcrete_unary => unary;
    __symcrete_wide => wide;
    __symcrete_load => load;
    __symcrete_load_wide => load_wide;
}

without_result! {
    __symcrete_store => store;
    __symcrete_branch => branch;
    __symcrete_switch => switch;
    __symcrete_concretise => concretise;
    __symcrete_lost => lost;
}

extern "C" fn binary(meta: u32, la: Label, lb: Label, va: u64, vb: u64, result: u64) -> Label {
    pass(0, || operations::binary(meta, la, lb, va, vb, result))
}

extern "C" fn unary(meta: u32, la: Label, va: u64, result: u64) -> Label {
    pass(0, || operations::unary(meta, la, va, result))
}

extern "C" fn wide(meta: u32, la: Label, lb: Label, lc: Label) -> Label {
    pass(0, || operations::wide(meta, la, lb, lc, state::scratch()))
}

extern "C" fn load(p: u64, size: u32, pointer: Label, site: u32, value: u64) -> Label {
    pass(0, || memory::load(p, size, pointer, site, value as u128 & crate::nodes::mask(8 * size)))
}

extern "C" fn load_wide(p: u64, size: u32, pointer: Label, site: u32) -> Label {
    pass(0, || memory::load(p, size, pointer, site, state::scratch()[3] & crate::nodes::mask(8 * size)))
}

extern "C" fn store(p: u64, size: u32, label: Label, pointer: Label, site: u32) {
    pass((), || memory::store(p, size, label, pointer, site));
}

extern "C" fn branch(label: Label, site: u32, taken: u32) {
    pass((), || events::branch(label, site, taken & 1 != 0));
}

extern "C" fn switch(label: Label, site: u32) {
    pass((), || events::switch(label, site));
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

/// The callee was not instrumented.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_untaken(site: u32) {
    pass((), || calls::untaken(site));
}
