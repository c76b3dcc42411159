//! Values: instructions and constants as operands and results.

use super::shim::*;
use super::*;
use llvm_sys::core::*;
use llvm_sys::*;
use std::ffi::CStr;

macro_rules! is {
    ($($name:ident $raw:ident;)*) => { $(pub fn $name(self) -> bool { unsafe { !$raw(self.0).is_null() } })* };
}

impl Value {
    is! {
        is_phi LLVMIsAPHINode;
        is_alloca LLVMIsAAllocaInst;
        is_global_variable LLVMIsAGlobalVariable;
        is_alias LLVMIsAGlobalAlias;
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
    /// The opcode of what is an instruction.
    pub fn opcode_if(self) -> Option<Opcode> {
        self.is_instruction().then(|| self.opcode())
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
        Value(unsafe { symcrete_case_value(self.0, index) }).constant_value().unwrap_or(0)
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
    /// Of a comparison: whether its result is only used where both operands have the same sign.
    pub fn has_same_sign(self) -> bool {
        unsafe { symcrete_has_same_sign(self.0) != 0 }
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
}

#[allow(non_snake_case)]
unsafe fn LLVMIsACallBrInst_or_call(value: LLVMValueRef) -> LLVMValueRef {
    unsafe {
        let call = LLVMIsACallInst(value);
        if call.is_null() { LLVMIsAInvokeInst(value) } else { call }
    }
}
