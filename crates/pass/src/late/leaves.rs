//! Aggregates and vectors as lists of scalars: each scalar has a label of its own.

use crate::ir::{Builder, Module, Type, TypeKind, Value};
use symcrete_abi::functions::BLOCK_RESULTS;

/// One scalar inside a value.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Where it lies when the value is in memory.
    pub offset: u64,
    pub bits: u32,
    /// False for scalars without labels: long double, half, integers past 128 bits.
    pub tracked: bool,
    path: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(u32),
    Lane(u32),
}

impl Leaf {
    /// Bytes it takes in memory.
    pub fn size(&self) -> u64 {
        u64::from(self.bits.div_ceil(8))
    }

    /// The scalar itself, out of the whole value.
    pub fn of(&self, builder: &Builder, value: Value) -> Value {
        self.path.iter().fold(value, |value, step| match *step {
            Step::Field(index) => builder.extract_value(value, index),
            Step::Lane(index) => builder.extract_element(value, index),
        })
    }
}

/// The scalars of a type, in order; `None` when there are too many or no fixed number of them.
pub fn leaves(module: Module, ty: Type) -> Option<Vec<Leaf>> {
    let mut all = vec![];
    collect(module, ty, 0, &mut vec![], &mut all)?;
    Some(all)
}

/// Whether a value of this type can carry any label.
pub fn can_be_labelled(module: Module, ty: Type) -> bool {
    leaves(module, ty).is_some_and(|all| all.iter().any(|leaf| leaf.tracked))
}

fn collect(module: Module, ty: Type, offset: u64, path: &mut Vec<Step>, all: &mut Vec<Leaf>) -> Option<()> {
    use TypeKind as K;
    let mut scalar = |bits: u32, tracked: bool| {
        all.push(Leaf { offset, bits, tracked, path: path.clone() });
        (all.len() <= BLOCK_RESULTS).then_some(())
    };
    match ty.kind() {
        K::LLVMIntegerTypeKind => scalar(ty.int_width(), ty.int_width() <= 128),
        K::LLVMPointerTypeKind => scalar(64, true),
        K::LLVMFloatTypeKind => scalar(32, true),
        K::LLVMDoubleTypeKind => scalar(64, true),
        K::LLVMHalfTypeKind | K::LLVMBFloatTypeKind => scalar(16, false),
        K::LLVMX86_FP80TypeKind => scalar(80, false),
        K::LLVMFP128TypeKind | K::LLVMPPC_FP128TypeKind => scalar(128, false),
        K::LLVMStructTypeKind => {
            for (index, field) in ty.elements().into_iter().enumerate() {
                path.push(Step::Field(index as u32));
                collect(module, field, offset + module.element_offset(ty, index as u32), path, all)?;
                path.pop();
            }
            Some(())
        }
        K::LLVMArrayTypeKind => {
            let elements = ty.elements();
            if elements.len() > BLOCK_RESULTS {
                return None;
            }
            for (index, element) in elements.into_iter().enumerate() {
                path.push(Step::Field(index as u32));
                collect(module, element, offset + index as u64 * module.abi_size(element), path, all)?;
                path.pop();
            }
            Some(())
        }
        K::LLVMVectorTypeKind => {
            let lane = ty.element();
            // Lanes of odd width are packed in memory; no label could follow them there.
            if lane.kind() == K::LLVMIntegerTypeKind && !lane.int_width().is_multiple_of(8) && ty.elements().len() > 1 {
                return None;
            }
            for index in 0..ty.elements().len() as u32 {
                path.push(Step::Lane(index));
                collect(module, lane, offset + u64::from(index) * module.store_size(lane), path, all)?;
                path.pop();
            }
            Some(())
        }
        K::LLVMVoidTypeKind => Some(()),
        _ => None,
    }
}
