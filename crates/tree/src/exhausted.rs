//! The claim that every feasible path was run, and what stands in its way. The claim is a value
//! that only the tree can make, and only when nothing is open, unknown, diverged, unstable, cut or
//! lost.

use crate::tree::Tree;

/// Proof that every feasible path of the program under its inputs was run.
#[derive(Debug, PartialEq, Eq)]
pub struct Exhausted(());

/// Why the tree does not prove exhaustion; all zero never occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Obstacles {
    /// Sides still open.
    pub open: u64,
    /// Sides the solver gave up on.
    pub unknown: u64,
    /// Sides whose runs went elsewhere.
    pub diverged: u64,
    /// Times equal conditions led to different decisions.
    pub unstable: u64,
    /// Runs ended by a limit.
    pub cut: u64,
    /// Values made concrete.
    pub lost: u64,
    /// Sides beyond the depth limit.
    pub deep: u64,
    /// No run was added yet.
    pub untried: bool,
}

impl Tree {
    /// The proof, or what is in its way.
    pub fn exhausted(&self) -> Result<Exhausted, Obstacles> {
        let obstacles = Obstacles {
            open: self.frontier.len() as u64,
            unknown: self.unknown_now,
            diverged: self.diverged_now,
            unstable: self.unstable,
            cut: self.cut,
            lost: self.lost,
            deep: self.deep,
            untried: self.paths == 0,
        };
        if obstacles == Obstacles::default() { Ok(Exhausted(())) } else { Err(obstacles) }
    }
}
