//! What is needed to read a recorded full path (`symcrete_abi::path`): what a mark stands for, and how a walk
//! goes on by itself.
//!
//! The pass guarantees that the walk is determined: of every block that has more than one way out either the
//! stream says which one was taken, or it follows from the block before.

use serde::{Deserialize, Serialize};

/// One unit's part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitPaths {
    /// Marks that are words of their own, as `symcrete_abi::path::mark` has them.
    pub marks: Vec<u32>,
    /// Where `After` and `Again` marks stand: function, block, position among the block's calls.
    pub calls: Vec<(u32, u32, u32)>,
    /// Landing pads: function, block.
    pub pads: Vec<(u32, u32)>,
    /// Parallel to `Unit::functions`.
    pub functions: Vec<FunctionPaths>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionPaths {
    /// Parallel to the function's blocks; empty without a tracking body.
    pub blocks: Vec<BlockPaths>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPaths {
    pub calls: Vec<PathCall>,
    pub end: BlockEnd,
}

/// A call that a walk has to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathCall {
    /// Of this function of the same unit, in its tracking body.
    Inside(u32),
    /// Of anything else. Until the mark `After` of this number whatever is entered was called by it.
    Outside(u32),
    /// Of something that can return twice; `Again` of this number each time.
    Twice(u32),
}

/// How a block ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockEnd {
    /// Back to the caller.
    #[default]
    Return,
    /// Never goes on: a call before it did not come back, or an exception leaves the function.
    Stop,
    /// To this successor, always.
    Fixed(u32),
    /// The stream says the number of the successor.
    Decide,
    /// The block before says where to: pairs of it and the successor.
    Repeats(Vec<(u32, u32)>),
    /// The block's last call may throw; without that to successor 0.
    Invoke,
}
