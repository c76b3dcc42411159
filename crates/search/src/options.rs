//! What strategies can be told beside their names. Each reads what concerns it; none reads anything else from outside.

use crate::estimator::Estimator;

/// Settings of all strategies.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// `cgs`: contexts of this one length from the start, instead of 1, 2, 3, …
    pub cgs_k: Option<u32>,
    /// `cgs`: whether branches that dominate the one in question are left out of its context.
    pub cgs_dominators: bool,
    /// `sgs`: lengths of subpaths, taken in turn.
    pub subpaths: Vec<u32>,
    /// `greedy`, `savings`: how probabilities are estimated from what random runs did; none: each one's own choice.
    pub estimator: Option<Estimator>,
}

impl Default for Options {
    fn default() -> Options {
        Options { cgs_k: None, cgs_dominators: true, subpaths: vec![1, 2, 4, 8], estimator: None }
    }
}
