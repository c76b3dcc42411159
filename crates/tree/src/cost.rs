//! What actions are expected to cost, as strategies ask for it; the solver and the laboratory
//! answer. A random run costs 1.

use crate::frontier::OpenSide;
use crate::tree::Tree;
use symcrete_program::SideId;

/// Expected cost of flips, in random runs.
pub trait Cost {
    fn flip(&self, tree: &Tree, side: OpenSide) -> f64;

    /// Another number whenever costs of the same sides have moved noticeably: those who keep costs ask again then.
    fn epoch(&self) -> u64 {
        0
    }

    /// What one more side that no run has shown yet adds to a query.
    fn further(&self, side: SideId) -> f64 {
        let _ = side;
        1.0
    }
}

/// Every flip costs the same.
#[derive(Clone, Copy, Debug)]
pub struct UnitCost(pub f64);

impl Cost for UnitCost {
    fn flip(&self, _: &Tree, _: OpenSide) -> f64 {
        self.0
    }
}
