//! Debug information: where things stand in the source.

use super::shim::*;
use super::{Module, Value, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo;

impl Value {
    pub fn line(self) -> u32 {
        unsafe { LLVMGetDebugLocLine(self.0) }
    }
    pub fn column(self) -> u32 {
        unsafe { LLVMGetDebugLocColumn(self.0) }
    }
    /// How many scopes of the source it is inside the one that another instruction is in; nothing when it is not, or when
    /// that one is a whole function.
    pub fn depth_in_scope_of(self, outer: Value) -> Option<u32> {
        u32::try_from(unsafe { symcrete_depth_in_scope_of(self.0, outer.0) }).ok()
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
        unsafe { debuginfo::LLVMInstructionSetDebugLoc(self.0, debuginfo::LLVMInstructionGetDebugLoc(from.0)) }
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
                debuginfo::LLVMInstructionSetDebugLoc(self.0, at);
            }
        }
    }
    /// Leaves a function without any.
    pub fn strip_locations(self) {
        unsafe { symcrete_strip_debug(self.0) }
    }
}
