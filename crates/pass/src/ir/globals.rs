//! Globals: what they hold and where they go.

use super::shim::*;
use super::{Module, Type, Value, cstring};
use llvm_sys::core::*;
use llvm_sys::*;

impl Value {
    /// What a global variable begins with, when it is defined here.
    pub fn initial(self) -> Option<Value> {
        let found = unsafe { LLVMGetInitializer(self.0) };
        (!found.is_null()).then_some(Value(found))
    }
    /// What another name stands for.
    pub fn aliased(self) -> Option<Value> {
        self.is_alias().then(|| Value(unsafe { LLVMAliasGetAliasee(self.0) }))
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
    pub fn set_initializer(self, value: Value) {
        unsafe { LLVMSetInitializer(self.0, value.0) }
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
    pub fn make_internal(self) {
        unsafe { LLVMSetLinkage(self.0, LLVMLinkage::LLVMInternalLinkage) }
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
}
