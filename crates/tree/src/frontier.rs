//! The open sides of the tree: insert, remove and draw each in constant time. The tree keeps it in
//! step with its nodes; everybody else reads.

use crate::node::NodeId;

/// A side of a node, usually an open one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct OpenSide {
    pub node: NodeId,
    pub side: u32,
}

/// All open sides, in no meaningful order, but the same order for the same history.
#[derive(Default, Debug)]
pub struct Frontier {
    sides: Vec<OpenSide>,
}

impl Frontier {
    pub fn len(&self) -> usize {
        self.sides.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// The side at a place below [`Frontier::len`]: a uniform draw is this at a uniform number.
    pub fn get(&self, place: usize) -> OpenSide {
        self.sides[place]
    }

    pub fn iter(&self) -> impl Iterator<Item = OpenSide> + '_ {
        self.sides.iter().copied()
    }

    pub(crate) fn push(&mut self, side: OpenSide) -> u32 {
        self.sides.push(side);
        self.sides.len() as u32 - 1
    }

    /// Takes out the side at a place; the side that moved there, if one did.
    pub(crate) fn remove(&mut self, place: u32) -> Option<OpenSide> {
        self.sides.swap_remove(place as usize);
        self.sides.get(place as usize).copied()
    }

    pub(crate) fn memory(&self) -> usize {
        self.sides.capacity() * size_of::<OpenSide>()
    }
}
