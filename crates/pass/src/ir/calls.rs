//! Calls: who is called, with what, and what is promised of it.

use super::shim::*;
use super::{Type, Value, attribute_kind};
use llvm_sys::core::*;
use llvm_sys::*;

impl Value {
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
}
