//! The instruction builder.

use super::{Block, IntPredicate, Module, Opcode, RealPredicate, Type, TypeKind, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

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
        if bytes == 0 { pointer } else { self.offset_by(pointer, self.module.int_value(64, bytes)) }
    }
    /// Address `bytes` past a pointer, where `bytes` is a value.
    pub fn offset_by(&self, pointer: Value, bytes: Value) -> Value {
        let mut index = [bytes.0];
        Value(unsafe {
            LLVMBuildInBoundsGEP2(self.raw, self.module.int(8).0, pointer.0, index.as_mut_ptr(), 1, c"".as_ptr())
        })
    }
    /// Some definite value in place of one that is not.
    pub fn freeze(&self, value: Value) -> Value {
        Value(unsafe { LLVMBuildFreeze(self.raw, value.0, c"".as_ptr()) })
    }
    /// Sets so many bytes.
    pub fn fill(&self, pointer: Value, byte: Value, count: Value) {
        unsafe { LLVMBuildMemSet(self.raw, pointer.0, byte.0, count.0, 1) };
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
    /// A variable of the function.
    pub fn local(&self, ty: Type) -> Value {
        Value(unsafe { LLVMBuildAlloca(self.raw, ty.0, c"".as_ptr()) })
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
