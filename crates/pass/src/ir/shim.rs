//! The functions of `shim.cpp`, in the crate `plugin`: what LLVM's C API lacks, or spells differently in some version.

use llvm_sys::LLVMTypeKind;
use llvm_sys::prelude::*;
use std::ffi::{c_char, c_uint};

unsafe extern "C" {
    pub fn symcrete_clone(function: LLVMValueRef, name: *const c_char) -> LLVMValueRef;
    pub fn symcrete_number_labels(function: LLVMValueRef);
    pub fn symcrete_empty_body(function: LLVMValueRef);
    pub fn symcrete_split_if(condition: LLVMValueRef, at: LLVMValueRef) -> LLVMValueRef;
    pub fn symcrete_split_block(at: LLVMValueRef) -> LLVMBasicBlockRef;
    pub fn symcrete_split_edge(from: LLVMBasicBlockRef, index: c_uint) -> LLVMBasicBlockRef;
    pub fn symcrete_first_insertion(block: LLVMBasicBlockRef) -> LLVMValueRef;
    pub fn symcrete_has_insertion(block: LLVMBasicBlockRef) -> i32;
    pub fn symcrete_is_eh_pad(block: LLVMBasicBlockRef) -> i32;
    pub fn symcrete_is_interposable(name: LLVMValueRef) -> i32;
    pub fn symcrete_has_address_taken(function: LLVMValueRef) -> i32;
    pub fn symcrete_is_must_tail(call: LLVMValueRef) -> i32;
    pub fn symcrete_constant_offset(module: LLVMModuleRef, address: LLVMValueRef, offset: *mut i64) -> LLVMValueRef;
    pub fn symcrete_float_bits(value: LLVMValueRef, bits: *mut u64) -> i32;
    pub fn symcrete_promote(function: LLVMValueRef, slot: LLVMValueRef);
    pub fn symcrete_case_value(instruction: LLVMValueRef, index: c_uint) -> LLVMValueRef;
    pub fn symcrete_has_same_sign(compare: LLVMValueRef) -> i32;
    pub fn symcrete_type_kind(ty: LLVMTypeRef) -> LLVMTypeKind;
    pub fn symcrete_does_not_return(call: LLVMValueRef) -> i32;
    pub fn symcrete_only_reads(call: LLVMValueRef) -> i32;
    pub fn symcrete_returns_twice(call: LLVMValueRef) -> i32;
    pub fn symcrete_is_debug_or_pseudo(instruction: LLVMValueRef) -> i32;
    pub fn symcrete_depth_in_scope_of(inner: LLVMValueRef, outer: LLVMValueRef) -> i32;
    pub fn symcrete_subprogram_line(function: LLVMValueRef) -> c_uint;
    pub fn symcrete_source_name(function: LLVMValueRef, length: *mut usize) -> *const c_char;
    pub fn symcrete_source_file(function: LLVMValueRef, length: *mut usize) -> *const c_char;
    pub fn symcrete_mark_as_marker(function: LLVMValueRef);
    pub fn symcrete_mark_as_pure(function: LLVMValueRef);
    pub fn symcrete_set_no_merge(call: LLVMValueRef);
    pub fn symcrete_strip_promises(function: LLVMValueRef);
    pub fn symcrete_strip_call_promises(call: LLVMValueRef);
    pub fn symcrete_append_used(module: LLVMModuleRef, values: *mut LLVMValueRef, count: c_uint);
    pub fn symcrete_implied_blocks(function: LLVMValueRef, implied: *mut u8);
    pub fn symcrete_copy_attributes(call: LLVMValueRef, function: LLVMValueRef);
    pub fn symcrete_move_before(instruction: LLVMValueRef, at: LLVMValueRef);
    pub fn symcrete_set_unlikely(branch: LLVMValueRef);
    pub fn symcrete_set_dso_local(global: LLVMValueRef);
    pub fn symcrete_is_constant_memory(pointer: LLVMValueRef) -> i32;
    pub fn symcrete_pic_level(module: LLVMModuleRef) -> i32;
    pub fn symcrete_pie_level(module: LLVMModuleRef) -> i32;
    pub fn symcrete_strip_debug(function: LLVMValueRef);
}
