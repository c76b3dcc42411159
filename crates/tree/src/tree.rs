//! The tree itself: reading it, and closing its sides. Adding runs is in `insert`, the terms of
//! paths in `condition`. Never runs, solves or chooses.

use crate::frontier::{Frontier, OpenSide};
use crate::full::{Between, Passed};
use crate::node::{Kind, NO_NODE, Node, NodeId, Packed, Shape, SideState, packed, word};
use crate::path::RunId;
use symcrete_program::SiteId;
use symcrete_term::TermId;

/// The end of a path: the last node and the side taken there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Leaf {
    pub node: NodeId,
    pub side: u32,
}

/// Why an open side is closed without having been taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Closed {
    /// The solver proved that no input goes there.
    Unsat,
    /// The solver gave up.
    Unknown,
    /// A run that should have gone there went elsewhere.
    Diverged,
}

/// One value of an address node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    pub condition: TermId,
    pub state: Packed,
}

/// All paths so far.
#[derive(Debug)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Sides of switches, each switch a stretch.
    pub(crate) wide: Vec<Packed>,
    pub(crate) values: Vec<Vec<Value>>,
    pub(crate) frontier: Frontier,
    pub(crate) root: Option<NodeId>,
    pub(crate) latest: Option<Leaf>,
    pub(crate) leaves: Vec<Leaf>,
    /// Decisions from this depth on are not opened.
    pub(crate) limit: u32,
    pub(crate) deep: u64,
    pub(crate) paths: u64,
    /// Sides the solver gave up on, and how often sides now open were given up before.
    unknown: Vec<OpenSide>,
    attempts: rustc_hash::FxHashMap<OpenSide, u8>,
    reopened: u64,
    pub(crate) unknown_now: u64,
    pub(crate) diverged_now: u64,
    pub(crate) diverged: u64,
    pub(crate) unstable: u64,
    pub(crate) cut: u64,
    pub(crate) lost: u64,
    pub(crate) between: Between,
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

impl Tree {
    pub fn new() -> Tree {
        Self::with_depth(u32::MAX)
    }

    /// A tree that opens only sides of the first `limit` decisions of a path; what lies deeper is
    /// kept, counted, and never flipped.
    pub fn with_depth(limit: u32) -> Tree {
        Tree {
            nodes: Vec::new(),
            wide: Vec::new(),
            values: Vec::new(),
            frontier: Frontier::default(),
            root: None,
            latest: None,
            leaves: Vec::new(),
            limit,
            deep: 0,
            paths: 0,
            unknown: Vec::new(),
            attempts: Default::default(),
            unknown_now: 0,
            diverged_now: 0,
            diverged: 0,
            unstable: 0,
            reopened: 0,
            cut: 0,
            lost: 0,
            between: Between::default(),
        }
    }

    /// How many nodes there are; ids run below it, in order of creation.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What was passed between the decision before a node and the node, the decision's own side included;
    /// empty unless full paths are recorded. Only the last few thousand entries are kept.
    pub fn passed(&self, node: NodeId) -> &[Passed] {
        self.between.of(node.index())
    }

    /// How many runs were added, whether or not they brought anything.
    pub fn paths(&self) -> u64 {
        self.paths
    }

    /// Runs that left the path predicted for them.
    pub fn diverged(&self) -> u64 {
        self.diverged
    }

    /// Times the same conditions led to different decisions.
    pub fn unstable(&self) -> u64 {
        self.unstable
    }

    pub fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    /// The first decision of all runs so far (see [`Tree::twin`] when there are several).
    pub fn root(&self) -> Option<NodeId> {
        self.root
    }

    /// The end of the run added last; none when it made no input-dependent decision.
    pub fn latest(&self) -> Option<Leaf> {
        self.latest
    }

    /// The ends of all different paths, in the order in which they were first run.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn site(&self, id: NodeId) -> SiteId {
        self.node(id).site
    }

    pub fn kind(&self, id: NodeId) -> Kind {
        let node = self.node(id);
        match node.shape {
            Shape::Branch => Kind::Branch,
            Shape::Switch => Kind::Switch { sides: node.sides[1] },
            Shape::Address => Kind::Address,
            Shape::Assume => Kind::Assume,
        }
    }

    /// The term decided on.
    pub fn subject(&self, id: NodeId) -> TermId {
        self.node(id).subject
    }

    /// Decisions before this one on its path; 0 for the first.
    pub fn depth(&self, id: NodeId) -> u32 {
        self.node(id).depth
    }

    /// The run that first came here.
    pub fn run(&self, id: NodeId) -> RunId {
        self.node(id).run
    }

    /// The side through which the node is reached; none for a first decision.
    pub fn parent(&self, id: NodeId) -> Option<OpenSide> {
        let node = self.node(id);
        (node.parent != NO_NODE).then_some(OpenSide { node: NodeId(node.parent), side: node.parent_side })
    }

    /// Another node after the very same prefix, if runs have shown one.
    pub fn twin(&self, id: NodeId) -> Option<NodeId> {
        let twin = self.node(id).twin;
        (twin != NO_NODE).then_some(NodeId(twin))
    }

    /// Open sides of this node and of all nodes under it (twins not included).
    pub fn open_below(&self, id: NodeId) -> u32 {
        self.node(id).open_below
    }

    /// How many sides a node has; an address has one more with each new value.
    pub fn side_count(&self, id: NodeId) -> u32 {
        let node = self.node(id);
        match node.shape {
            Shape::Branch | Shape::Assume => 2,
            Shape::Switch => node.sides[1],
            Shape::Address => 1 + self.values[node.sides[1] as usize].len() as u32,
        }
    }

    pub fn side(&self, id: NodeId, side: u32) -> SideState {
        self.packed(id, side).state()
    }

    pub fn is_open(&self, side: OpenSide) -> bool {
        self.packed(side.node, side.side).is_open()
    }

    pub(crate) fn packed(&self, id: NodeId, side: u32) -> Packed {
        let node = self.node(id);
        match node.shape {
            Shape::Branch | Shape::Assume => packed(node.sides[side as usize]),
            Shape::Switch => self.wide[(node.sides[0] + side) as usize],
            Shape::Address if side == 0 => packed(node.sides[0]),
            Shape::Address => self.values[node.sides[1] as usize][side as usize - 1].state,
        }
    }

    pub(crate) fn set_packed(&mut self, id: NodeId, side: u32, state: Packed) {
        let node = &mut self.nodes[id.index()];
        match node.shape {
            Shape::Branch | Shape::Assume => node.sides[side as usize] = word(state),
            Shape::Switch => self.wide[(node.sides[0] + side) as usize] = state,
            Shape::Address if side == 0 => node.sides[0] = word(state),
            Shape::Address => self.values[node.sides[1] as usize][side as usize - 1].state = state,
        }
    }

    /// The open sides of one node.
    pub fn open_sides(&self, id: NodeId) -> impl Iterator<Item = OpenSide> + '_ {
        (0..self.side_count(id)).map(move |side| OpenSide { node: id, side }).filter(|side| self.is_open(*side))
    }

    /// The nodes of a path from its last one up to the first.
    pub fn upwards(&self, from: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(from), |&id| self.parent(id).map(|side| side.node))
    }

    /// The sides taken on the way to a node, first one first.
    pub fn prefix(&self, id: NodeId) -> Vec<OpenSide> {
        let mut sides: Vec<OpenSide> = std::iter::successors(self.parent(id), |side| self.parent(side.node)).collect();
        sides.reverse();
        sides
    }

    /// How often the solver gave up on a side so far: the budget for the next attempt grows with it.
    pub fn attempts(&self, side: OpenSide) -> u8 {
        match self.side(side.node, side.side) {
            SideState::Unknown { attempts } => attempts,
            _ => self.attempts.get(&side).copied().unwrap_or(0),
        }
    }

    /// Closes an open side; false when it is not open (any more).
    pub fn close(&mut self, side: OpenSide, why: Closed) -> bool {
        if !self.is_open(side) {
            return false;
        }
        let state = match why {
            Closed::Unsat => Packed::UNSAT,
            Closed::Diverged => {
                self.diverged_now += 1;
                Packed::DIVERGED
            }
            Closed::Unknown => {
                let attempts = self.attempts(side).saturating_add(1);
                self.attempts.insert(side, attempts);
                self.unknown.push(side);
                self.unknown_now += 1;
                Packed::unknown(attempts)
            }
        };
        self.leave_frontier(side);
        self.set_packed(side.node, side.side, state);
        self.count_upwards(side.node, -1);
        true
    }

    /// Opens again every side the solver gave up on fewer than `limit` times; how many.
    pub fn reopen_unknown(&mut self, limit: u8) -> usize {
        let mut reopened = 0;
        let mut kept = Vec::new();
        for side in std::mem::take(&mut self.unknown) {
            match self.side(side.node, side.side) {
                SideState::Unknown { attempts } if attempts < limit => {
                    self.unknown_now -= 1;
                    self.enter_frontier(side);
                    self.count_upwards(side.node, 1);
                    reopened += 1;
                }
                SideState::Unknown { .. } => kept.push(side),
                _ => {}
            }
        }
        self.unknown = kept;
        self.reopened += reopened as u64;
        reopened
    }

    /// How many sides were opened again so far.
    pub fn reopened(&self) -> u64 {
        self.reopened
    }

    pub(crate) fn enter_frontier(&mut self, side: OpenSide) {
        let place = self.frontier.push(side);
        self.set_packed(side.node, side.side, Packed::open(place));
    }

    /// Takes an open side out; the caller gives it its next state.
    pub(crate) fn leave_frontier(&mut self, side: OpenSide) {
        let place = self.packed(side.node, side.side).place();
        if let Some(moved) = self.frontier.remove(place) {
            self.set_packed(moved.node, moved.side, Packed::open(place));
        }
    }

    pub(crate) fn count_upwards(&mut self, from: NodeId, by: i32) {
        let mut at = from.0;
        while at != NO_NODE {
            let node = &mut self.nodes[at as usize];
            node.open_below = node.open_below.wrapping_add_signed(by);
            at = node.parent;
        }
    }

    /// Bytes held, near enough to report.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.wide.capacity() * size_of::<Packed>()
            + self.values.iter().map(|list| 24 + list.capacity() * size_of::<Value>()).sum::<usize>()
            + self.frontier.memory()
    }

    /// Checks the invariants, slowly; for tests.
    pub fn verify(&self) {
        let mut open = vec![0u32; self.nodes.len()];
        let mut total = 0;
        for index in (0..self.nodes.len()).rev() {
            let id = NodeId(index as u32);
            for side in self.open_sides(id) {
                open[index] += 1;
                total += 1;
                let place = self.packed(side.node, side.side).place();
                assert_eq!(self.frontier.get(place as usize), side, "an open side knows its place");
            }
            assert_eq!(open[index], self.nodes[index].open_below, "open sides below {id:?}");
            if let Some(parent) = self.parent(id) {
                assert!(parent.node < id && self.depth(parent.node) + 1 == self.depth(id));
                assert!(matches!(self.side(parent.node, parent.side), SideState::Taken(Some(_))));
                open[parent.node.index()] += open[index];
            }
        }
        assert_eq!(total, self.frontier.len(), "the frontier is the open sides");
    }
}
