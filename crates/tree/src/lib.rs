//! Execution tree, frontier, coverage, path conditions: plain data.
//!
//! [`Tree`] holds all paths so far with shared prefixes merged; [`Frontier`] its open sides;
//! [`Coverage`] and [`Visits`] what runs have touched. Nothing here runs, solves or chooses: whoever
//! imports a trace makes a [`Path`] of it, whoever searches reads the tree and closes sides.

mod condition;
mod cost;
mod coverage;
mod exhausted;
mod frontier;
mod full;
mod held;
mod insert;
mod node;
mod path;
mod recent;
#[cfg(test)]
mod tests;
mod tree;
mod visits;

pub use condition::WayConditions;
pub use cost::{Cost, UnitCost};
pub use coverage::{BitSet, Coverage};
pub use exhausted::{Exhausted, Obstacles};
pub use frontier::{Frontier, OpenSide};
pub use full::{FullPath, Passed};
pub use insert::{Divergence, Inserted};
pub use node::{Kind, NodeId, SideState};
pub use path::{End, Path, RunId, Step};
pub use tree::{Closed, Leaf, Tree};
pub use visits::Visits;
