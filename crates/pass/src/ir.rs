//! A thin, typed face of LLVM's C API: just what the pass uses, so that the rest of the crate reads like
//! a compiler pass and has no `unsafe` of its own.
//!
//! Every function here hands its arguments straight to LLVM. They are sound because the pass runs on one
//! thread, on handles that came from the module being compiled and that the pass has not deleted.

#![allow(clippy::undocumented_unsafe_blocks)] // One reason for all of them, stated above.

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::*;
use std::ffi::{CStr, CString, c_char, c_uint};

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

unsafe extern "C" {
    fn symcrete_clone(function: LLVMValueRef, name: *const c_char) -> LLVMValueRef;
    fn symcrete_split_if(condition: LLVMValueRef, at: LLVMValueRef) -> LLVMValueRef;
    fn symcrete_split_block(at: LLVMValueRef) -> LLVMBasicBlockRef;
    fn symcrete_split_edge(from: LLVMBasicBlockRef, index: c_uint) -> LLVMBasicBlockRef;
    fn symcrete_first_insertion(block: LLVMBasicBlockRef) -> LLVMValueRef;
    fn symcrete_has_insertion(block: LLVMBasicBlockRef) -> i32;
    fn symcrete_is_eh_pad(block: LLVMBasicBlockRef) -> i32;
    fn symcrete_is_interposable(function: LLVMValueRef) -> i32;
    fn symcrete_has_address_taken(function: LLVMValueRef) -> i32;
    fn symcrete_block_address_taken(block: LLVMBasicBlockRef) -> i32;
    fn symcrete_is_must_tail(call: LLVMValueRef) -> i32;
    fn symcrete_constant_offset(module: LLVMModuleRef, address: LLVMValueRef, offset: *mut i64) -> LLVMValueRef;
    fn symcrete_float_bits(value: LLVMValueRef, bits: *mut u64) -> i32;
    fn symcrete_promote(function: LLVMValueRef, slot: LLVMValueRef);
    fn symcrete_does_not_return(call: LLVMValueRef) -> i32;
    fn symcrete_only_reads(call: LLVMValueRef) -> i32;
    fn symcrete_returns_twice(call: LLVMValueRef) -> i32;
    fn symcrete_is_debug_or_pseudo(instruction: LLVMValueRef) -> i32;
    fn symcrete_subprogram_line(function: LLVMValueRef) -> c_uint;
    fn symcrete_source_name(function: LLVMValueRef, length: *mut usize) -> *const c_char;
    fn symcrete_source_file(function: LLVMValueRef, length: *mut usize) -> *const c_char;
    fn symcrete_mark_as_marker(function: LLVMValueRef);
    fn symcrete_set_no_merge(call: LLVMValueRef);
    fn symcrete_strip_promises(function: LLVMValueRef);
    fn symcrete_strip_call_promises(call: LLVMValueRef);
    fn symcrete_append_used(module: LLVMModuleRef, values: *mut LLVMValueRef, count: c_uint);
    fn symcrete_implied_blocks(function: LLVMValueRef, implied: *mut u8);
    fn symcrete_copy_attributes(call: LLVMValueRef, function: LLVMValueRef);
    fn symcrete_move_before(instruction: LLVMValueRef, at: LLVMValueRef);
    fn symcrete_set_unlikely(branch: LLVMValueRef);
    fn symcrete_set_dso_local(global: LLVMValueRef);
    fn symcrete_is_constant_memory(pointer: LLVMValueRef) -> i32;
    fn symcrete_pic_level(module: LLVMModuleRef) -> i32;
    fn symcrete_pie_level(module: LLVMModuleRef) -> i32;
}

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

impl Module {
    pub fn context(self) -> LLVMContextRef {
        unsafe { LLVMGetModuleContext(self.0) }
    }
    pub fn functions(self) -> Vec<Value> {
        let mut all = vec![];
        let mut next = unsafe { LLVMGetFirstFunction(self.0) };
        while !next.is_null() {
            all.push(Value(next));
            next = unsafe { LLVMGetNextFunction(next) };
        }
        all
    }
    pub fn function(self, name: &str) -> Option<Value> {
        let found = unsafe { LLVMGetNamedFunction(self.0, cstring(name).as_ptr()) };
        (!found.is_null()).then_some(Value(found))
    }
    pub fn global(self, name: &str) -> Option<Value> {
        let found = unsafe { LLVMGetNamedGlobal(self.0, cstring(name).as_ptr()) };
        (!found.is_null()).then_some(Value(found))
    }
    pub fn declare_function(self, name: &str, ty: Type) -> Value {
        self.function(name).unwrap_or_else(|| Value(unsafe { LLVMAddFunction(self.0, cstring(name).as_ptr(), ty.0) }))
    }
    pub fn declare_global(self, name: &str, ty: Type) -> Value {
        self.global(name).unwrap_or_else(|| Value(unsafe { LLVMAddGlobal(self.0, ty.0, cstring(name).as_ptr()) }))
    }
    /// A fresh global with an initialiser and internal linkage.
    pub fn define_global(self, name: &str, ty: Type, initial: Value) -> Value {
        unsafe {
            let global = LLVMAddGlobal(self.0, ty.0, cstring(name).as_ptr());
            LLVMSetInitializer(global, initial.0);
            LLVMSetLinkage(global, LLVMLinkage::LLVMInternalLinkage);
            Value(global)
        }
    }
    pub fn append_used(self, values: &[Value]) {
        let mut raw: Vec<_> = values.iter().map(|v| v.0).collect();
        unsafe { symcrete_append_used(self.0, raw.as_mut_ptr(), raw.len() as u32) }
    }
    pub fn source_file(self) -> String {
        let mut length = 0;
        let pointer = unsafe { LLVMGetSourceFileName(self.0, &mut length) };
        text(pointer, length)
    }
    fn layout(self) -> LLVMTargetDataRef {
        unsafe { LLVMGetModuleDataLayout(self.0) }
    }
    pub fn store_size(self, ty: Type) -> u64 {
        unsafe { LLVMStoreSizeOfType(self.layout(), ty.0) }
    }
    pub fn abi_size(self, ty: Type) -> u64 {
        unsafe { LLVMABISizeOfType(self.layout(), ty.0) }
    }
    pub fn abi_alignment(self, ty: Type) -> u32 {
        unsafe { LLVMABIAlignmentOfType(self.layout(), ty.0) }
    }
    /// A constant address as another one and an offset from it.
    pub fn constant_offset(self, address: Value) -> Option<(Value, i64)> {
        let mut offset = 0;
        let base = unsafe { symcrete_constant_offset(self.0, address.0, &mut offset) };
        (!base.is_null() && base != address.0).then_some((Value(base), offset))
    }
    pub fn element_offset(self, ty: Type, index: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.layout(), ty.0, index) }
    }
    /// Position-independent code for a shared object: our symbols may be in another file.
    pub fn is_shared_code(self) -> bool {
        unsafe { symcrete_pic_level(self.0) > 0 && symcrete_pie_level(self.0) == 0 }
    }
    pub fn int(self, bits: u32) -> Type {
        Type(unsafe { LLVMIntTypeInContext(self.context(), bits) })
    }
    pub fn ptr(self) -> Type {
        Type(unsafe { LLVMPointerTypeInContext(self.context(), 0) })
    }
    pub fn void(self) -> Type {
        Type(unsafe { LLVMVoidTypeInContext(self.context()) })
    }
    pub fn array(self, element: Type, count: u64) -> Type {
        Type(unsafe { LLVMArrayType2(element.0, count) })
    }
    pub fn constant_struct(self, fields: &[Value]) -> Value {
        let mut raw: Vec<_> = fields.iter().map(|t| t.0).collect();
        Value(unsafe { LLVMConstStructInContext(self.context(), raw.as_mut_ptr(), raw.len() as u32, 0) })
    }
    /// A constant array of 32-bit words.
    pub fn constant_words(self, words: &[u32]) -> Value {
        let mut raw: Vec<_> = words.iter().map(|w| self.int_value(32, u64::from(*w)).0).collect();
        Value(unsafe { LLVMConstArray2(self.int(32).0, raw.as_mut_ptr(), raw.len() as u64) })
    }
    pub fn constant_bytes(self, bytes: &[u8]) -> Value {
        Value(unsafe { LLVMConstStringInContext2(self.context(), bytes.as_ptr().cast(), bytes.len(), 1) })
    }
    pub fn real(self, ty: Type, value: f64) -> Value {
        Value(unsafe { LLVMConstReal(ty.0, value) })
    }
    pub fn int_value(self, bits: u32, value: u64) -> Value {
        Value(unsafe { LLVMConstInt(self.int(bits).0, value, 0) })
    }
    /// A pointer to a fixed address.
    pub fn fixed_address(self, address: u64) -> Value {
        Value(unsafe { LLVMConstIntToPtr(self.int_value(64, address).0, self.ptr().0) })
    }
    /// Metadata that tells sanitizers and our own later stage to leave an instruction alone.
    pub fn set_nosanitize(self, instruction: Value) {
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context(), c"nosanitize".as_ptr(), 10);
            let empty = LLVMMDNodeInContext2(self.context(), std::ptr::null_mut(), 0);
            LLVMSetMetadata(instruction.0, kind, LLVMMetadataAsValue(self.context(), empty));
        }
    }
}

impl Type {
    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }
    pub fn int_width(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }
    pub fn is_void(self) -> bool {
        self.kind() == TypeKind::LLVMVoidTypeKind
    }
    pub fn zero(self) -> Value {
        Value(unsafe { LLVMConstNull(self.0) })
    }
    /// Element types of a struct, array or vector.
    pub fn elements(self) -> Vec<Type> {
        unsafe {
            match self.kind() {
                TypeKind::LLVMStructTypeKind => (0..LLVMCountStructElementTypes(self.0))
                    .map(|i| Type(LLVMStructGetTypeAtIndex(self.0, i)))
                    .collect(),
                TypeKind::LLVMArrayTypeKind => {
                    vec![Type(LLVMGetElementType(self.0)); LLVMGetArrayLength2(self.0) as usize]
                }
                TypeKind::LLVMVectorTypeKind => {
                    vec![Type(LLVMGetElementType(self.0)); LLVMGetVectorSize(self.0) as usize]
                }
                _ => vec![],
            }
        }
    }
    /// Elements of an array or vector.
    pub fn length(self) -> u64 {
        unsafe { if self.is_vector() { LLVMGetVectorSize(self.0) as u64 } else { LLVMGetArrayLength2(self.0) } }
    }
    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }
    /// Of a function type.
    pub fn result(self) -> Type {
        Type(unsafe { LLVMGetReturnType(self.0) })
    }
    pub fn parameters(self) -> Vec<Type> {
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, raw.as_mut_ptr());
            raw.into_iter().map(Type).collect()
        }
    }
    pub fn element(self) -> Type {
        Type(unsafe { LLVMGetElementType(self.0) })
    }
    pub fn is_vector(self) -> bool {
        self.kind() == TypeKind::LLVMVectorTypeKind
    }
    pub fn function(result: Type, parameters: &[Type]) -> Type {
        let mut raw: Vec<_> = parameters.iter().map(|t| t.0).collect();
        Type(unsafe { LLVMFunctionType(result.0, raw.as_mut_ptr(), raw.len() as u32, 0) })
    }
    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }
    pub fn spelling(self) -> String {
        unsafe {
            let raw = LLVMPrintTypeToString(self.0);
            let spelled = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeMessage(raw);
            spelled
        }
    }
}

impl Block {
    pub fn instructions(self) -> Vec<Value> {
        let mut all = vec![];
        let mut next = unsafe { LLVMGetFirstInstruction(self.0) };
        while !next.is_null() {
            all.push(Value(next));
            next = unsafe { LLVMGetNextInstruction(next) };
        }
        all
    }
    pub fn terminator(self) -> Value {
        Value(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
    pub fn successors(self) -> Vec<Block> {
        let end = self.terminator();
        (0..end.successor_count()).map(|i| end.successor(i)).collect()
    }
    pub fn first(self) -> Value {
        Value(unsafe { LLVMGetFirstInstruction(self.0) })
    }
    pub fn first_insertion(self) -> Option<Value> {
        let found = unsafe { symcrete_first_insertion(self.0) };
        (!found.is_null() && unsafe { symcrete_has_insertion(self.0) } != 0).then_some(Value(found))
    }
    pub fn is_eh_pad(self) -> bool {
        unsafe { symcrete_is_eh_pad(self.0) != 0 }
    }
    pub fn address_taken(self) -> bool {
        unsafe { symcrete_block_address_taken(self.0) != 0 }
    }
    pub fn split_edge(self, index: u32) -> Block {
        Block(unsafe { symcrete_split_edge(self.0, index) })
    }
    /// Blocks with an edge to this one, each as often as it has one.
    pub fn predecessors(self) -> Vec<Block> {
        let me = Value(unsafe { LLVMBasicBlockAsValue(self.0) });
        me.users().iter().filter(|u| u.is_terminator()).map(|u| u.parent()).collect()
    }
    /// How many edges lead here.
    pub fn incoming_edges(self) -> usize {
        Value(unsafe { LLVMBasicBlockAsValue(self.0) }).users().iter().filter(|u| u.is_terminator()).count()
    }
}

/// Splits before `at` and hangs an unlikely block beside the cut; returns that block's terminator.
pub fn split_if(condition: Value, at: Value) -> Value {
    Value(unsafe { symcrete_split_if(condition.0, at.0) })
}

/// Splits a block before `at`; returns the second half.
pub fn split_block(at: Value) -> Block {
    Block(unsafe { symcrete_split_block(at.0) })
}

macro_rules! is {
    ($($name:ident $raw:ident;)*) => { $(pub fn $name(self) -> bool { unsafe { !$raw(self.0).is_null() } })* };
}

impl Value {
    is! {
        is_phi LLVMIsAPHINode;
        is_alloca LLVMIsAAllocaInst;
        is_global_variable LLVMIsAGlobalVariable;
        is_store LLVMIsAStoreInst;
        is_call LLVMIsACallBrInst_or_call;
        is_constant LLVMIsAConstant;
        is_constant_int LLVMIsAConstantInt;
        is_function LLVMIsAFunction;
        is_inline_asm LLVMIsAInlineAsm;
        is_instruction LLVMIsAInstruction;
        is_return LLVMIsAReturnInst;
        is_unreachable LLVMIsAUnreachableInst;
        is_switch LLVMIsASwitchInst;
        is_invoke LLVMIsAInvokeInst;
        is_constant_expression LLVMIsAConstantExpr;
        is_block LLVMIsABasicBlock;
    }
    pub fn ty(self) -> Type {
        Type(unsafe { LLVMTypeOf(self.0) })
    }
    pub fn name(self) -> String {
        let mut length = 0;
        let pointer = unsafe { LLVMGetValueName2(self.0, &mut length) };
        text(pointer, length)
    }
    pub fn opcode(self) -> Opcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }
    pub fn opcode_name(self) -> String {
        format!("{:?}", self.opcode()).trim_start_matches("LLVM").to_lowercase()
    }
    pub fn operands(self) -> Vec<Value> {
        unsafe { (0..LLVMGetNumOperands(self.0)).map(|i| Value(LLVMGetOperand(self.0, i as u32))).collect() }
    }
    pub fn operand(self, index: u32) -> Value {
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }
    pub fn set_operand(self, index: u32, value: Value) {
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }
    pub fn users(self) -> Vec<Value> {
        let mut all = vec![];
        let mut next = unsafe { LLVMGetFirstUse(self.0) };
        while !next.is_null() {
            all.push(Value(unsafe { LLVMGetUser(next) }));
            next = unsafe { LLVMGetNextUse(next) };
        }
        all
    }
    pub fn replace_all_uses(self, with: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, with.0) }
    }
    pub fn erase(self) {
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }
    pub fn parent(self) -> Block {
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }
    pub fn next(self) -> Option<Value> {
        let next = unsafe { LLVMGetNextInstruction(self.0) };
        (!next.is_null()).then_some(Value(next))
    }
    pub fn is_terminator(self) -> bool {
        unsafe { !LLVMIsATerminatorInst(self.0).is_null() }
    }
    pub fn is_debug_or_pseudo(self) -> bool {
        unsafe { symcrete_is_debug_or_pseudo(self.0) != 0 }
    }
    pub fn successor_count(self) -> u32 {
        unsafe { LLVMGetNumSuccessors(self.0) }
    }
    pub fn successor(self, index: u32) -> Block {
        Block(unsafe { LLVMGetSuccessor(self.0, index) })
    }
    pub fn is_conditional_branch(self) -> bool {
        unsafe { !LLVMIsABranchInst(self.0).is_null() && LLVMIsConditional(self.0) != 0 }
    }
    /// What a conditional branch or a switch decides on.
    pub fn condition(self) -> Value {
        if self.is_switch() { self.operand(0) } else { Value(unsafe { LLVMGetCondition(self.0) }) }
    }
    /// Value of case `index` (from 1; 0 is the default) of a switch.
    pub fn case_value(self, index: u32) -> u128 {
        Value(unsafe { LLVMGetSwitchCaseValue(self.0, index) }).constant_value().unwrap_or(0)
    }
    /// Value of an integer constant of at most 128 bits.
    pub fn constant_value(self) -> Option<u128> {
        unsafe {
            if !self.is_constant_int() {
                return None;
            }
            let width = self.ty().int_width();
            if width <= 64 {
                return Some(LLVMConstIntGetZExtValue(self.0) as u128);
            }
            // The C API reads 64 bits at most: take the decimal digits LLVM prints, as `iN VALUE`.
            let raw = LLVMPrintValueToString(self.0);
            let printed = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeMessage(raw);
            let digits = printed.split_whitespace().nth(1)?;
            let value = match digits.strip_prefix('-') {
                Some(rest) => rest.parse::<u128>().ok()?.wrapping_neg(),
                None => digits.parse::<u128>().ok()?,
            };
            Some(if width >= 128 { value } else { value & ((1 << width) - 1) })
        }
    }
    /// Value of an integer constant of at most 64 bits, with its sign.
    pub fn signed_value(self) -> Option<i64> {
        let small = self.is_constant_int() && self.ty().int_width() <= 64;
        small.then(|| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }
    pub fn is_undefined(self) -> bool {
        unsafe { LLVMIsUndef(self.0) != 0 || LLVMIsPoison(self.0) != 0 }
    }
    pub fn is_null(self) -> bool {
        unsafe { LLVMIsNull(self.0) != 0 }
    }
    /// The bits of a float constant of at most 64 bits.
    pub fn float_bits(self) -> Option<u64> {
        let mut bits = 0;
        (unsafe { symcrete_float_bits(self.0, &mut bits) } != 0).then_some(bits)
    }
    /// The bytes of a constant array of 8-bit integers.
    pub fn data_bytes(self) -> Option<Vec<u8>> {
        unsafe {
            if LLVMIsAConstantDataSequential(self.0).is_null() || LLVMIsConstantString(self.0) == 0 {
                return None;
            }
            let mut length = 0;
            let bytes = LLVMGetAsString(self.0, &mut length);
            Some(std::slice::from_raw_parts(bytes.cast::<u8>(), length).to_vec())
        }
    }
    /// The elements of a constant array, vector or struct.
    pub fn constant_elements(self) -> Option<Vec<Value>> {
        unsafe {
            if !LLVMIsAConstantDataSequential(self.0).is_null() {
                let count = self.ty().length() as u32;
                return Some((0..count).map(|i| Value(LLVMGetAggregateElement(self.0, i))).collect());
            }
            let made = !LLVMIsAConstantArray(self.0).is_null()
                || !LLVMIsAConstantStruct(self.0).is_null()
                || !LLVMIsAConstantVector(self.0).is_null();
            made.then(|| self.operands())
        }
    }
    pub fn constant_opcode(self) -> Opcode {
        unsafe { LLVMGetConstOpcode(self.0) }
    }
    pub fn spelling(self) -> String {
        unsafe {
            let raw = LLVMPrintValueToString(self.0);
            let spelled = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeMessage(raw);
            spelled
        }
    }
    pub fn int_predicate(self) -> IntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }
    pub fn real_predicate(self) -> RealPredicate {
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }
    pub fn alignment(self) -> u32 {
        unsafe { LLVMGetAlignment(self.0) }
    }
    pub fn is_volatile(self) -> bool {
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }
    /// The type of what a global variable holds.
    pub fn held_type(self) -> Type {
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }
    /// What an address is computed from, for instructions and constants alike.
    pub fn gep_base(self) -> Option<Value> {
        unsafe {
            let instruction = !LLVMIsAGetElementPtrInst(self.0).is_null();
            let constant =
                !LLVMIsAConstantExpr(self.0).is_null() && LLVMGetConstOpcode(self.0) == LLVMOpcode::LLVMGetElementPtr;
            (instruction || constant).then(|| self.operand(0))
        }
    }
    pub fn allocated_type(self) -> Type {
        Type(unsafe { LLVMGetAllocatedType(self.0) })
    }
    pub fn gep_source_type(self) -> Type {
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }
    pub fn aggregate_indices(self) -> Vec<u32> {
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }
    pub fn shuffle_mask(self) -> Vec<i32> {
        unsafe {
            let count = LLVMGetNumMaskElements(self.0);
            (0..count).map(|i| LLVMGetMaskValue(self.0, i)).collect()
        }
    }
    pub fn atomic_operation(self) -> LLVMAtomicRMWBinOp {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    // PHIs.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| (Value(LLVMGetIncomingValue(self.0, i)), Block(LLVMGetIncomingBlock(self.0, i))))
                .collect()
        }
    }
    pub fn add_incoming(self, value: Value, block: Block) {
        let (mut values, mut blocks) = ([value.0], [block.0]);
        unsafe { LLVMAddIncoming(self.0, values.as_mut_ptr(), blocks.as_mut_ptr(), 1) }
    }

    // Calls.
    pub fn called_value(self) -> Value {
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }
    pub fn called_type(self) -> Type {
        Type(unsafe { LLVMGetCalledFunctionType(self.0) })
    }
    pub fn called_function(self) -> Option<Value> {
        let callee = self.called_value();
        callee.is_function().then_some(callee)
    }
    pub fn set_callee(self, callee: Value) {
        // The callee is the last operand of a call, and of an invoke too.
        let last = unsafe { LLVMGetNumOperands(self.0) } as u32 - 1;
        self.set_operand(last, callee);
    }
    pub fn arguments(self) -> Vec<Value> {
        unsafe { (0..LLVMGetNumArgOperands(self.0)).map(|i| Value(LLVMGetOperand(self.0, i))).collect() }
    }
    pub fn set_convention(self, convention: u32) {
        unsafe {
            if self.is_function() {
                LLVMSetFunctionCallConv(self.0, convention)
            } else {
                LLVMSetInstructionCallConv(self.0, convention)
            }
        }
    }
    pub fn convention(self) -> u32 {
        unsafe { if self.is_function() { LLVMGetFunctionCallConv(self.0) } else { LLVMGetInstructionCallConv(self.0) } }
    }
    pub fn is_must_tail(self) -> bool {
        unsafe { symcrete_is_must_tail(self.0) != 0 }
    }
    /// Whether the call is promised to write nothing that anyone could see.
    pub fn only_reads(self) -> bool {
        unsafe { symcrete_only_reads(self.0) != 0 }
    }
    pub fn does_not_return(self) -> bool {
        unsafe { symcrete_does_not_return(self.0) != 0 }
    }
    /// Makes a stack slot of this function a value in registers.
    pub fn promote(self, slot: Value) {
        unsafe { symcrete_promote(self.0, slot.0) }
    }
    pub fn returns_twice(self) -> bool {
        unsafe { symcrete_returns_twice(self.0) != 0 }
    }
    pub fn make_must_tail(self) {
        unsafe { LLVMSetTailCallKind(self.0, LLVMTailCallKind::LLVMTailCallKindMustTail) }
    }
    pub fn make_not_tail(self) {
        unsafe { LLVMSetTailCallKind(self.0, LLVMTailCallKind::LLVMTailCallKindNone) }
    }
    pub fn set_no_merge(self) {
        unsafe { symcrete_set_no_merge(self.0) }
    }
    pub fn strip_call_promises(self) {
        unsafe { symcrete_strip_call_promises(self.0) }
    }
    /// The type behind a `byval` parameter of a call (0-based), if it is one.
    pub fn call_byval(self, parameter: u32) -> Option<Type> {
        unsafe {
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, parameter + 1, attribute_kind("byval"));
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    // Functions and globals.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }
    pub fn blocks(self) -> Vec<Block> {
        let mut all = vec![];
        let mut next = unsafe { LLVMGetFirstBasicBlock(self.0) };
        while !next.is_null() {
            all.push(Block(next));
            next = unsafe { LLVMGetNextBasicBlock(next) };
        }
        all
    }
    pub fn entry(self) -> Block {
        Block(unsafe { LLVMGetEntryBasicBlock(self.0) })
    }
    pub fn parameters(self) -> Vec<Value> {
        unsafe { (0..LLVMCountParams(self.0)).map(|i| Value(LLVMGetParam(self.0, i))).collect() }
    }
    pub fn function_type(self) -> Type {
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }
    pub fn linkage(self) -> LLVMLinkage {
        unsafe { LLVMGetLinkage(self.0) }
    }
    pub fn is_interposable(self) -> bool {
        unsafe { symcrete_is_interposable(self.0) != 0 }
    }
    pub fn has_address_taken(self) -> bool {
        unsafe { symcrete_has_address_taken(self.0) != 0 }
    }
    pub fn intrinsic_name(self) -> Option<String> {
        let id = unsafe { LLVMGetIntrinsicID(self.0) };
        (id != 0).then(|| self.name())
    }
    pub fn has_attribute(self, name: &str) -> bool {
        unsafe {
            let found = LLVMGetEnumAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, attribute_kind(name));
            !found.is_null()
        }
    }
    pub fn has_string_attribute(self, key: &str) -> bool {
        unsafe {
            let found = LLVMGetStringAttributeAtIndex(
                self.0,
                LLVMAttributeFunctionIndex,
                key.as_ptr().cast(),
                key.len() as u32,
            );
            !found.is_null()
        }
    }
    pub fn add_string_attribute(self, module: Module, key: &str) {
        unsafe {
            let attribute =
                LLVMCreateStringAttribute(module.context(), key.as_ptr().cast(), key.len() as u32, c"".as_ptr(), 0);
            LLVMAddAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, attribute);
        }
    }
    pub fn add_attribute(self, module: Module, name: &str) {
        unsafe {
            let attribute = LLVMCreateEnumAttribute(module.context(), attribute_kind(name), 0);
            LLVMAddAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, attribute);
        }
    }
    pub fn remove_attribute(self, name: &str) {
        unsafe { LLVMRemoveEnumAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, attribute_kind(name)) }
    }
    pub fn parameter_byval(self, parameter: u32) -> Option<Type> {
        unsafe {
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, parameter + 1, attribute_kind("byval"));
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }
    pub fn clone_function(self, name: &str) -> Value {
        Value(unsafe { symcrete_clone(self.0, cstring(name).as_ptr()) })
    }
    pub fn strip_promises(self) {
        unsafe { symcrete_strip_promises(self.0) }
    }
    pub fn make_marker(self) {
        unsafe { symcrete_mark_as_marker(self.0) }
    }
    pub fn implied_blocks(self) -> Vec<bool> {
        let mut flags = vec![0u8; self.blocks().len()];
        unsafe { symcrete_implied_blocks(self.0, flags.as_mut_ptr()) };
        flags.into_iter().map(|f| f != 0).collect()
    }
    /// What a global variable begins with, when it is defined here.
    pub fn initial(self) -> Option<Value> {
        let found = unsafe { LLVMGetInitializer(self.0) };
        (!found.is_null()).then_some(Value(found))
    }
    pub fn global_type(self) -> Type {
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }
    pub fn is_constant_global(self) -> bool {
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }
    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }
    pub fn is_internal(self) -> bool {
        matches!(self.linkage(), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }
    pub fn initializer(self) -> Value {
        Value(unsafe { LLVMGetInitializer(self.0) })
    }
    pub fn set_initializer_array(self, module: Module, values: &[Value]) {
        let mut raw: Vec<_> = values.iter().map(|v| v.0).collect();
        unsafe {
            let array = LLVMConstArray2(module.ptr().0, raw.as_mut_ptr(), raw.len() as u64);
            LLVMSetInitializer(self.0, array);
        }
    }
    pub fn delete_global(self) {
        unsafe { LLVMDeleteGlobal(self.0) }
    }
    pub fn set_section(self, section: &str) {
        unsafe { LLVMSetSection(self.0, cstring(section).as_ptr()) }
    }
    pub fn set_alignment(self, bytes: u32) {
        unsafe { LLVMSetAlignment(self.0, bytes) }
    }
    pub fn set_constant(self) {
        unsafe { LLVMSetGlobalConstant(self.0, 1) }
    }

    /// Its address is null where nobody defines it.
    pub fn set_weak(self) {
        unsafe { LLVMSetLinkage(self.0, LLVMLinkage::LLVMExternalWeakLinkage) }
    }
    pub fn set_dso_local(self) {
        unsafe { symcrete_set_dso_local(self.0) }
    }
    pub fn delete_function(self) {
        unsafe { LLVMDeleteFunction(self.0) }
    }
    /// Whether a pointer leads into a constant global.
    pub fn is_constant_memory(self) -> bool {
        unsafe { symcrete_is_constant_memory(self.0) != 0 }
    }
    pub fn move_before(self, at: Value) {
        unsafe { symcrete_move_before(self.0, at.0) }
    }
    pub fn set_unlikely(self) {
        unsafe { symcrete_set_unlikely(self.0) }
    }
    /// Gives a call the parameter and result attributes of a function.
    pub fn copy_call_attributes(self, function: Value) {
        unsafe { symcrete_copy_attributes(self.0, function.0) }
    }

    // Debug information.
    pub fn line(self) -> u32 {
        unsafe { LLVMGetDebugLocLine(self.0) }
    }
    pub fn column(self) -> u32 {
        unsafe { LLVMGetDebugLocColumn(self.0) }
    }
    pub fn file(self) -> String {
        let mut length = 0;
        let pointer = unsafe { LLVMGetDebugLocFilename(self.0, &mut length) };
        text(pointer, length as usize)
    }
    pub fn function_line(self) -> u32 {
        unsafe { symcrete_subprogram_line(self.0) }
    }
    pub fn source_name(self) -> String {
        let mut length = 0;
        let pointer = unsafe { symcrete_source_name(self.0, &mut length) };
        text(pointer, length)
    }
    pub fn source_file(self) -> String {
        let mut length = 0;
        let pointer = unsafe { symcrete_source_file(self.0, &mut length) };
        text(pointer, length)
    }
    pub fn copy_location(self, from: Value) {
        unsafe { LLVMInstructionSetDebugLoc(self.0, LLVMInstructionGetDebugLoc(from.0)) }
    }
    pub fn has_nosanitize(self) -> bool {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            let kind = LLVMGetMDKindIDInContext(context, c"nosanitize".as_ptr(), 10);
            !LLVMGetMetadata(self.0, kind).is_null()
        }
    }
    /// Gives an instruction line 0 of its function: calls of functions with debug information need some place.
    pub fn set_artificial_location(self, module: Module, function: Value) {
        unsafe {
            let scope = debuginfo::LLVMGetSubprogram(function.0);
            if !scope.is_null() {
                let at =
                    debuginfo::LLVMDIBuilderCreateDebugLocation(module.context(), 0, 0, scope, std::ptr::null_mut());
                LLVMInstructionSetDebugLoc(self.0, at);
            }
        }
    }
}

#[allow(non_snake_case)]
unsafe fn LLVMIsACallBrInst_or_call(value: LLVMValueRef) -> LLVMValueRef {
    unsafe {
        let call = LLVMIsACallInst(value);
        if call.is_null() { LLVMIsAInvokeInst(value) } else { call }
    }
}

#[allow(non_snake_case)]
unsafe fn LLVMInstructionGetDebugLoc(value: LLVMValueRef) -> LLVMMetadataRef {
    unsafe { debuginfo::LLVMInstructionGetDebugLoc(value) }
}
#[allow(non_snake_case)]
unsafe fn LLVMInstructionSetDebugLoc(value: LLVMValueRef, location: LLVMMetadataRef) {
    unsafe { debuginfo::LLVMInstructionSetDebugLoc(value, location) }
}

fn attribute_kind(name: &str) -> u32 {
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// An instruction builder; gone with its last use.
pub struct Builder {
    raw: LLVMBuilderRef,
    pub module: Module,
}

impl Drop for Builder {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.raw) }
    }
}

macro_rules! binary {
    ($($name:ident $raw:ident;)*) => {
        $(pub fn $name(&self, a: Value, b: Value) -> Value { Value(unsafe { $raw(self.raw, a.0, b.0, c"".as_ptr()) }) })*
    };
}
macro_rules! cast {
    ($($name:ident $raw:ident;)*) => {
        $(pub fn $name(&self, a: Value, to: Type) -> Value { Value(unsafe { $raw(self.raw, a.0, to.0, c"".as_ptr()) }) })*
    };
}

impl Builder {
    pub fn before(module: Module, at: Value) -> Builder {
        let raw = unsafe { LLVMCreateBuilderInContext(module.context()) };
        // Instructions of ours carry no source place: setting the position must not inherit one.
        unsafe {
            LLVMPositionBuilderBefore(raw, at.0);
            LLVMSetCurrentDebugLocation2(raw, std::ptr::null_mut());
        }
        Builder { raw, module }
    }
    pub fn at_end(module: Module, block: Block) -> Builder {
        let raw = unsafe { LLVMCreateBuilderInContext(module.context()) };
        unsafe { LLVMPositionBuilderAtEnd(raw, block.0) };
        Builder { raw, module }
    }
    binary! {
        add LLVMBuildAdd; sub LLVMBuildSub; mul LLVMBuildMul; and LLVMBuildAnd; or LLVMBuildOr; xor LLVMBuildXor;
        shl LLVMBuildShl; lshr LLVMBuildLShr;
    }
    cast! {
        zext LLVMBuildZExt; sext LLVMBuildSExt; trunc LLVMBuildTrunc; bit_cast LLVMBuildBitCast;
        ptr_to_int LLVMBuildPtrToInt; int_to_ptr LLVMBuildIntToPtr;
    }
    pub fn binary(&self, opcode: Opcode, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildBinOp(self.raw, opcode, a.0, b.0, c"".as_ptr()) })
    }
    pub fn icmp(&self, predicate: IntPredicate, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildICmp(self.raw, predicate, a.0, b.0, c"".as_ptr()) })
    }
    pub fn fcmp(&self, predicate: RealPredicate, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildFCmp(self.raw, predicate, a.0, b.0, c"".as_ptr()) })
    }
    pub fn is_not_null(&self, a: Value) -> Value {
        self.icmp(IntPredicate::LLVMIntNE, a, a.ty().zero())
    }
    pub fn select(&self, condition: Value, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildSelect(self.raw, condition.0, a.0, b.0, c"".as_ptr()) })
    }
    pub fn load(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        unsafe {
            let load = LLVMBuildLoad2(self.raw, ty.0, pointer.0, c"".as_ptr());
            LLVMSetAlignment(load, alignment);
            Value(load)
        }
    }
    pub fn store(&self, value: Value, pointer: Value, alignment: u32) -> Value {
        unsafe {
            let store = LLVMBuildStore(self.raw, value.0, pointer.0);
            LLVMSetAlignment(store, alignment);
            Value(store)
        }
    }
    /// A load that happens here and nowhere else.
    pub fn load_volatile(&self, ty: Type, pointer: Value, alignment: u32) -> Value {
        let load = self.load(ty, pointer, alignment);
        unsafe { LLVMSetVolatile(load.0, 1) };
        load
    }
    /// Address `bytes` past a pointer.
    pub fn offset(&self, pointer: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return pointer;
        }
        let mut index = [self.module.int_value(64, bytes).0];
        Value(unsafe {
            LLVMBuildInBoundsGEP2(self.raw, self.module.int(8).0, pointer.0, index.as_mut_ptr(), 1, c"".as_ptr())
        })
    }
    pub fn call(&self, function: Value, arguments: &[Value]) -> Value {
        self.call_typed(function.function_type(), function, arguments)
    }
    pub fn call_typed(&self, ty: Type, callee: Value, arguments: &[Value]) -> Value {
        let mut raw: Vec<_> = arguments.iter().map(|v| v.0).collect();
        Value(unsafe { LLVMBuildCall2(self.raw, ty.0, callee.0, raw.as_mut_ptr(), raw.len() as u32, c"".as_ptr()) })
    }
    pub fn phi(&self, ty: Type) -> Value {
        Value(unsafe { LLVMBuildPhi(self.raw, ty.0, c"".as_ptr()) })
    }
    /// A stack area of 64-bit slots.
    pub fn slots(&self, count: Value) -> Value {
        Value(unsafe { LLVMBuildArrayAlloca(self.raw, self.module.int(64).0, count.0, c"".as_ptr()) })
    }
    pub fn branch(&self, to: Block) -> Value {
        Value(unsafe { LLVMBuildBr(self.raw, to.0) })
    }
    pub fn conditional(&self, condition: Value, yes: Block, no: Block) -> Value {
        Value(unsafe { LLVMBuildCondBr(self.raw, condition.0, yes.0, no.0) })
    }
    pub fn ret(&self, value: Option<Value>) -> Value {
        Value(unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.raw, value.0),
                None => LLVMBuildRetVoid(self.raw),
            }
        })
    }
    pub fn extract_element(&self, vector: Value, index: u32) -> Value {
        let index = self.module.int_value(32, index as u64);
        Value(unsafe { LLVMBuildExtractElement(self.raw, vector.0, index.0, c"".as_ptr()) })
    }
    pub fn extract_value(&self, aggregate: Value, index: u32) -> Value {
        Value(unsafe { LLVMBuildExtractValue(self.raw, aggregate.0, index, c"".as_ptr()) })
    }
    /// The value's bits as an unsigned number of `bits` bits.
    pub fn bits(&self, value: Value, bits: u32) -> Value {
        let to = self.module.int(bits);
        let ty = value.ty();
        let whole = match ty.kind() {
            TypeKind::LLVMPointerTypeKind => self.ptr_to_int(value, self.module.int(64)),
            TypeKind::LLVMFloatTypeKind => self.bit_cast(value, self.module.int(32)),
            TypeKind::LLVMDoubleTypeKind => self.bit_cast(value, self.module.int(64)),
            _ => value,
        };
        match whole.ty().int_width().cmp(&bits) {
            std::cmp::Ordering::Less => self.zext(whole, to),
            std::cmp::Ordering::Equal => whole,
            std::cmp::Ordering::Greater => self.trunc(whole, to),
        }
    }
}

/// A new block just before `next` in the same function.
pub fn insert_block(module: Module, next: Block) -> Block {
    Block(unsafe { LLVMInsertBasicBlockInContext(module.context(), next.0, c"".as_ptr()) })
}

pub fn append_block(module: Module, function: Value) -> Block {
    Block(unsafe { LLVMAppendBasicBlockInContext(module.context(), function.0, c"".as_ptr()) })
}

pub const PRESERVE_MOST: u32 = 14;
