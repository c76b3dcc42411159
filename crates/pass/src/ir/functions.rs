//! Functions: their blocks, parameters and attributes.

use super::shim::*;
use super::{Block, Module, Type, Value, attribute_kind, cstring, text};
use llvm_sys::core::*;
use llvm_sys::*;

impl Value {
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
    /// Inline assembly without an instruction.
    pub fn is_empty_assembly(self) -> bool {
        let mut length = 0;
        let code = unsafe { LLVMGetInlineAsmAsmString(self.0, &mut length) };
        text(code, length).trim().is_empty()
    }
    pub fn has_address_taken(self) -> bool {
        unsafe { symcrete_has_address_taken(self.0) != 0 }
    }
    /// Computed gotos become switches over the numbers of labels.
    pub fn number_labels(self) {
        unsafe { symcrete_number_labels(self.0) }
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
    /// Takes the body away; the function stays what it is to others.
    pub fn empty_body(self) {
        unsafe { symcrete_empty_body(self.0) }
    }
    /// Results are written through parameter 0.
    pub fn returns_through_parameter(self) -> bool {
        unsafe { !LLVMGetEnumAttributeAtIndex(self.0, 1, attribute_kind("sret")).is_null() }
    }
    pub fn strip_promises(self) {
        unsafe { symcrete_strip_promises(self.0) }
    }
    pub fn make_marker(self) {
        unsafe { symcrete_mark_as_marker(self.0) }
    }
    /// It gives the same for the same arguments, and does nothing else.
    pub fn make_pure(self) {
        unsafe { symcrete_mark_as_pure(self.0) }
    }
    pub fn implied_blocks(self) -> Vec<bool> {
        let mut flags = vec![0u8; self.blocks().len()];
        unsafe { symcrete_implied_blocks(self.0, flags.as_mut_ptr()) };
        flags.into_iter().map(|f| f != 0).collect()
    }
}
