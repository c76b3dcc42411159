//! Nodes of the tree, compact: 48 bytes for a branch. A side's state is one word, tag above payload.

use crate::path::RunId;
use symcrete_program::SiteId;
use symcrete_term::TermId;

/// A node: one input-dependent decision reached by one prefix. Ids ascend in order of creation, so
/// a strategy that remembers the last id it has seen finds the new ones after it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What kind of decision a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Side 0: the condition is false; side 1: it is true.
    Branch,
    /// One side per case in the site's order, the last is the default.
    Switch { sides: u32 },
    /// A value that was fixed. Side 0 stands for every value not seen yet; each value seen is a
    /// further side, in order of appearance.
    Address,
    /// Side 1: the assumption holds. Side 0, it fails and the run is void, is never open.
    Assume,
}

/// What is known of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SideState {
    /// Not taken, not closed.
    Open,
    /// Some run took it; the node that followed, none when the run ended there.
    Taken(Option<NodeId>),
    /// Proved impossible after this prefix.
    Unsat,
    /// The solver gave up this many times so far.
    Unknown { attempts: u8 },
    /// A run that should have taken it went elsewhere.
    Diverged,
    /// Never to be taken: the failing side of an assumption.
    Excluded,
}

const TAG_BITS: u32 = 3;
const PAYLOAD: u32 = u32::MAX >> TAG_BITS;
const ENDED: u32 = PAYLOAD;
const CUT: u32 = PAYLOAD - 1;

/// A [`SideState`] in a word; an open side carries its place in the frontier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Packed(u32);

impl Packed {
    pub(crate) const UNSAT: Packed = Packed(2 << (32 - TAG_BITS));
    pub(crate) const DIVERGED: Packed = Packed(4 << (32 - TAG_BITS));
    pub(crate) const EXCLUDED: Packed = Packed(5 << (32 - TAG_BITS));

    pub(crate) fn open(place: u32) -> Packed {
        debug_assert!(place < CUT);
        Packed(place)
    }

    pub(crate) fn taken(child: Option<NodeId>) -> Packed {
        let payload = child.map_or(ENDED, |id| id.0);
        debug_assert!(payload <= PAYLOAD);
        Packed(1 << (32 - TAG_BITS) | payload)
    }

    /// Taken by a run that a limit ended right after.
    pub(crate) const CUT: Packed = Packed(1 << (32 - TAG_BITS) | CUT);

    pub(crate) fn unknown(attempts: u8) -> Packed {
        Packed(3 << (32 - TAG_BITS) | attempts as u32)
    }

    pub(crate) fn state(self) -> SideState {
        let payload = self.0 & PAYLOAD;
        match self.0 >> (32 - TAG_BITS) {
            0 => SideState::Open,
            1 => SideState::Taken((payload < CUT).then_some(NodeId(payload))),
            2 => SideState::Unsat,
            3 => SideState::Unknown { attempts: payload as u8 },
            4 => SideState::Diverged,
            _ => SideState::Excluded,
        }
    }

    pub(crate) fn is_open(self) -> bool {
        self.0 >> (32 - TAG_BITS) == 0
    }

    /// The place in the frontier of an open side.
    pub(crate) fn place(self) -> u32 {
        debug_assert!(self.is_open());
        self.0 & PAYLOAD
    }
}

pub(crate) const NO_NODE: u32 = u32::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Branch,
    Switch,
    Address,
    Assume,
}

/// Invariants: parent is older; `depth` is the parent's plus one; `open_below` counts the open sides
/// of this node and of all nodes under it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub parent: u32,
    pub parent_side: u32,
    pub site: SiteId,
    pub subject: TermId,
    /// What holds on the edge from the parent.
    pub entry: TermId,
    pub run: RunId,
    pub depth: u32,
    pub open_below: u32,
    /// Another node after the very same prefix: something the conditions do not show decides.
    pub twin: u32,
    /// Branch, assumption: the two sides. Switch: first place and number of sides in the side
    /// table. Address: side 0, and the place of the values.
    pub sides: [u32; 2],
    pub shape: Shape,
}

const _: () = assert!(size_of::<Node>() <= 48);

pub(crate) fn packed(word: u32) -> Packed {
    Packed(word)
}

pub(crate) fn word(state: Packed) -> u32 {
    state.0
}
