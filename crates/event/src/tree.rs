//! The execution tree as it is kept: its decisions, down from the first, as many as a person can look at.

/// Nodes come before those below them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeRows {
    /// Decisions of the whole tree.
    pub total: u64,
    pub nodes: Vec<TreeNode>,
}

/// One decision behind one prefix of decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The node before it, by position, and the side of that one which leads here; none for a first decision.
    pub parent: Option<(u32, u32)>,
    /// Number of the site in the linked program.
    pub site: u32,
    /// The first test that came by; 0 where no run that did was kept as one.
    pub test: u32,
    /// By their numbers; of a very wide decision only the first ones.
    pub sides: Vec<TreeSide>,
    /// Sides that are not in `sides`.
    pub more_sides: u32,
    /// Nodes below it that are not kept.
    pub left_out: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeSide {
    Open,
    /// Taken; what follows is a node of its own, or left out.
    Taken,
    /// Taken by a run that ended without another decision.
    Ended,
    /// No input goes there.
    Infeasible,
    /// The solver gave up.
    Unknown,
    /// A run that should have gone there went elsewhere.
    Diverged,
    /// The failing side of an assumption.
    Excluded,
}

impl TreeSide {
    /// In files: one letter.
    pub fn letter(self) -> char {
        match self {
            TreeSide::Open => 'o',
            TreeSide::Taken => 't',
            TreeSide::Ended => 'e',
            TreeSide::Infeasible => 'i',
            TreeSide::Unknown => 'u',
            TreeSide::Diverged => 'd',
            TreeSide::Excluded => 'x',
        }
    }
}
