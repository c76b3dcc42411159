//! Modules: what they define, constants and types in their context.

use super::shim::*;
use super::{Module, Type, Value, cstring, text};
use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;

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
    /// Other names of its functions and globals.
    pub fn aliases(self) -> Vec<Value> {
        let mut all = vec![];
        let mut next = unsafe { LLVMGetFirstGlobalAlias(self.0) };
        while !next.is_null() {
            all.push(Value(next));
            next = unsafe { LLVMGetNextGlobalAlias(next) };
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
    pub fn structure(self, fields: &[Type]) -> Type {
        let mut raw: Vec<_> = fields.iter().map(|t| t.0).collect();
        Type(unsafe { LLVMStructTypeInContext(self.context(), raw.as_mut_ptr(), raw.len() as u32, 0) })
    }
    /// How many bytes after `from` the global `to` lies, as a constant of 32 bits.
    pub fn distance(self, from: Value, to: Value) -> Value {
        let address = |of: Value| unsafe { LLVMConstPtrToInt(of.0, self.int(64).0) };
        Value(unsafe { LLVMConstTrunc(LLVMConstSub(address(to), address(from)), self.int(32).0) })
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
