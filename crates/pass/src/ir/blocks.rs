//! Basic blocks, and how they are cut.

use super::shim::*;
use super::{Block, Module, Value};
use llvm_sys::core::*;

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
    pub fn function(self) -> Value {
        Value(unsafe { LLVMGetBasicBlockParent(self.0) })
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

/// A new block just before `next` in the same function.
pub fn insert_block(module: Module, next: Block) -> Block {
    Block(unsafe { LLVMInsertBasicBlockInContext(module.context(), next.0, c"".as_ptr()) })
}

pub fn append_block(module: Module, function: Value) -> Block {
    Block(unsafe { LLVMAppendBasicBlockInContext(module.context(), function.0, c"".as_ptr()) })
}
