//! Sides that somebody is solving for at this moment: not open, so that nobody else is sent there, and an obstacle to
//! every proof until the answer is there.

use crate::frontier::OpenSide;
use crate::node::{Kind, Packed, SideState};
use crate::tree::Tree;

impl Tree {
    /// Takes an open side out of the frontier until it is released; false where that cannot be: it is not open, or is the
    /// side for yet another value of an address, which every new value makes another question.
    pub fn hold(&mut self, side: OpenSide) -> bool {
        if !self.is_open(side) || self.kind(side.node) == Kind::Address {
            return false;
        }
        let attempts = self.attempts(side);
        self.leave_frontier(side);
        self.set_packed(side.node, side.side, Packed::unknown(attempts));
        self.unknown_now += 1;
        self.count_upwards(side.node, -1);
        true
    }

    /// Opens a side that was held, unless a run has taken it since.
    pub fn release(&mut self, side: OpenSide) {
        if matches!(self.side(side.node, side.side), SideState::Unknown { .. }) {
            self.unknown_now -= 1;
            self.enter_frontier(side);
            self.count_upwards(side.node, 1);
        }
    }
}
