//! A thin, typed face of LLVM's C API: just what the pass uses, so that the rest of the crate reads like
//! a compiler pass and has no `unsafe` of its own.
//!
//! Every function here hands its arguments straight to LLVM. They are sound because the pass runs on one
//! thread, on handles that came from the module being compiled and that the pass has not deleted.

#![allow(clippy::undocumented_unsafe_blocks)] // One reason for all of them, stated above.

mod blocks;
mod builder;
mod calls;
mod functions;
mod globals;
mod locations;
mod module;
mod shim;
mod types;
mod values;

use llvm_sys::core::LLVMGetEnumAttributeKindForName;
use llvm_sys::prelude::*;
use std::ffi::{CString, c_char};

pub use blocks::{append_block, insert_block, split_block, split_if};
pub use builder::Builder;

pub use llvm_sys::LLVMTypeKind as TypeKind;
pub use llvm_sys::{LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate};

macro_rules! handle {
    ($name:ident, $raw:ty) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name(pub $raw);
    };
}
handle!(Module, LLVMModuleRef);
handle!(Value, LLVMValueRef);
handle!(Block, LLVMBasicBlockRef);
handle!(Type, LLVMTypeRef);

pub const PRESERVE_MOST: u32 = 14;

fn cstring(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

fn text(pointer: *const c_char, length: usize) -> String {
    if pointer.is_null() {
        return String::new();
    }
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn attribute_kind(name: &str) -> u32 {
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}
