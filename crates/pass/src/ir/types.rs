//! Types.

use super::shim::symcrete_type_kind;
use super::{Type, TypeKind, Value};
use llvm_sys::core::*;
use std::ffi::CStr;

impl Type {
    pub fn kind(self) -> TypeKind {
        unsafe { symcrete_type_kind(self.0) }
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
