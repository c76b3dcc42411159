//! Adding a run to the tree: shared prefixes merge, new decisions become nodes with open sides, and
//! a run that was predicted is compared with its prediction.

use crate::frontier::OpenSide;
use crate::node::{Kind, NO_NODE, Node, NodeId, Packed, Shape, SideState, word};
use crate::path::{End, Path, RunId, Step};
use crate::tree::{Leaf, Tree, Value};
use rustc_hash::FxHashSet;
use std::ops::Range;
use symcrete_term::TermId;

/// An address node takes this many values before the rest is given up as lost.
const MAX_VALUES: usize = 256;

/// Where a run left its prediction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// Decisions it shared with the prediction.
    pub depth: u32,
    /// The predicted decision it did not make, or made otherwise.
    pub at: NodeId,
}

/// What adding a run brought.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inserted {
    /// The end of the path; none when the run made no input-dependent decision.
    pub leaf: Option<Leaf>,
    /// New nodes, by number.
    pub new_nodes: Range<u32>,
    /// How many more sides are open than before; 0 when fewer.
    pub opened: u32,
    /// A path no run took before.
    pub new_path: bool,
    /// Set when the run was predicted and went elsewhere.
    pub diverged: Option<Divergence>,
}

impl Tree {
    /// Adds a run. `expected` is the side it was solved for: if the run does not take it, that side
    /// is closed as diverged and the real path is added all the same.
    pub fn insert(&mut self, path: &Path, run: RunId, expected: Option<OpenSide>) -> Inserted {
        self.paths += 1;
        self.lost += path.lost;
        self.cut += (path.end == End::Cut) as u64;
        let first_new = self.nodes.len() as u32;
        let predicted = expected.map(|side| self.prediction(side));
        let mut agreed = 0;
        let mut on_track = true;
        let mut walk = Walk {
            leaf: None,
            entry: TermId::TRUE,
            opened: Vec::with_capacity(path.steps.len()),
            seen: FxHashSet::default(),
            known: self.paths > 1,
        };
        let mut new_path = false;

        for (number, step) in path.steps.iter().enumerate() {
            let known = self.nodes.len();
            let id = self.find_or_add(&mut walk, step, run);
            if let Some(full) = &path.full
                && self.nodes.len() > known
            {
                self.between.push(id.index(), full.before(number));
            }
            let side = self.take(&mut walk, id, step, &mut new_path);
            if on_track && let Some(predicted) = &predicted {
                if predicted.get(agreed) == Some(&(OpenSide { node: id, side })) {
                    agreed += 1;
                } else {
                    on_track = false;
                }
            }
            walk.leaf = Some(Leaf { node: id, side });
            walk.entry = step.condition;
        }
        let opened = self.settle_counts(&walk);
        self.finish_edge(&walk, path);
        self.latest = walk.leaf;
        if new_path {
            self.leaves.extend(walk.leaf);
        }

        let diverged = match (expected, &predicted) {
            (Some(side), Some(predicted)) if agreed < predicted.len() => {
                self.diverged += 1;
                self.close(side, crate::tree::Closed::Diverged);
                Some(Divergence { depth: agreed as u32, at: predicted[agreed].node })
            }
            _ => None,
        };
        Inserted { leaf: walk.leaf, new_nodes: first_new..self.nodes.len() as u32, opened, new_path, diverged }
    }

    /// A run whose path is not added: the tree no longer has all of them.
    pub fn leave_out(&mut self) -> Inserted {
        self.paths += 1;
        self.cut += 1;
        self.latest = None;
        let end = self.nodes.len() as u32;
        Inserted { leaf: None, new_nodes: end..end, opened: 0, new_path: false, diverged: None }
    }

    /// The sides a run is to take, the flipped one last. A new value of an address gets the next
    /// number, so that is what is predicted for side 0.
    fn prediction(&self, side: OpenSide) -> Vec<OpenSide> {
        let mut sides = self.prefix(side.node);
        let other_value = side.side == 0 && self.kind(side.node) == Kind::Address;
        let number = if other_value { self.side_count(side.node) } else { side.side };
        sides.push(OpenSide { node: side.node, side: number });
        sides
    }

    /// The node of a step under the current edge.
    fn find_or_add(&mut self, walk: &mut Walk, step: &Step, run: RunId) -> NodeId {
        let first = match walk.leaf {
            None => self.root,
            Some(leaf) => match self.side(leaf.node, leaf.side) {
                SideState::Taken(child) => child,
                _ => None,
            },
        };
        let mut at = first;
        let mut last = None;
        while let Some(id) = at {
            let node = self.node(id);
            if node.site == step.site && node.subject == step.subject && self.kind(id) == step.kind {
                return id;
            }
            last = at;
            at = self.twin(id);
        }
        let id = self.add_node(walk, step, run);
        match (last, walk.leaf) {
            (Some(last), _) => {
                // The same conditions led to another decision before.
                self.nodes[last.index()].twin = id.0;
                self.unstable += 1;
            }
            (None, None) => {
                self.unstable += (walk.known && self.cut == 0) as u64;
                self.root = Some(id);
            }
            (None, Some(leaf)) => {
                // Another run ended here by itself, and this one goes on.
                let ended = walk.known && self.packed(leaf.node, leaf.side) != Packed::CUT;
                self.unstable += ended as u64;
                self.set_packed(leaf.node, leaf.side, Packed::taken(Some(id)));
            }
        }
        id
    }

    fn add_node(&mut self, walk: &mut Walk, step: &Step, run: RunId) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let (shape, sides) = match step.kind {
            Kind::Branch => (Shape::Branch, [0; 2]),
            Kind::Assume => (Shape::Assume, [word(Packed::EXCLUDED); 2]),
            Kind::Switch { sides } => {
                let first = self.wide.len() as u32;
                self.wide.resize(self.wide.len() + sides as usize, Packed::EXCLUDED);
                (Shape::Switch, [first, sides])
            }
            Kind::Address => {
                self.values.push(Vec::new());
                (Shape::Address, [0, self.values.len() as u32 - 1])
            }
        };
        let (parent, parent_side, depth) =
            walk.leaf.map_or((NO_NODE, 0, 0), |leaf| (leaf.node.0, leaf.side, self.depth(leaf.node) + 1));
        self.nodes.push(Node {
            parent,
            parent_side,
            site: step.site,
            subject: step.subject,
            entry: walk.entry,
            run,
            depth,
            open_below: 0,
            twin: NO_NODE,
            sides,
            shape,
        });
        let decided = walk.decided(step);
        let open: Vec<u32> = match step.kind {
            Kind::Branch => vec![0, 1],
            Kind::Switch { sides } => (0..sides).collect(),
            Kind::Address => vec![0],
            // Whether it holds is to be found out; that it fails is not.
            Kind::Assume => vec![1],
        };
        for side in open {
            // Decided before on this path: every other side contradicts the prefix.
            if decided && (step.kind == Kind::Address || side != step.taken) {
                self.set_packed(id, side, Packed::UNSAT);
            } else if depth >= self.limit {
                self.set_packed(id, side, Packed::EXCLUDED);
                self.deep += 1;
            } else {
                self.enter_frontier(OpenSide { node: id, side });
                walk.opened.push((id, 1));
            }
        }
        id
    }

    /// Marks the side a step took; its number.
    fn take(&mut self, walk: &mut Walk, id: NodeId, step: &Step, new_path: &mut bool) -> u32 {
        walk.remember(step);
        walk.known = false;
        let side = match step.kind {
            Kind::Address => {
                let list = self.node(id).sides[1] as usize;
                match self.values[list].iter().position(|value| value.condition == step.condition) {
                    Some(place) => {
                        walk.known = true;
                        return place as u32 + 1;
                    }
                    None => {
                        *new_path = true;
                        return self.new_value(walk, id, step.condition);
                    }
                }
            }
            Kind::Switch { sides } => step.taken.min(sides - 1),
            Kind::Branch | Kind::Assume => step.taken.min(1),
        };
        match self.side(id, side) {
            SideState::Taken(_) => {
                walk.known = true;
                return side;
            }
            SideState::Open => {
                self.leave_frontier(OpenSide { node: id, side });
                walk.opened.push((id, -1));
            }
            // It was proved impossible, yet here is a run: what the conditions say is not all.
            SideState::Unsat => self.unstable += 1,
            SideState::Unknown { .. } => self.unknown_now -= 1,
            SideState::Diverged => self.diverged_now -= 1,
            SideState::Excluded => {
                let void = step.kind == Kind::Assume && side == 0;
                self.deep -= !void as u64;
            }
        }
        self.set_packed(id, side, Packed::taken(None));
        *new_path = true;
        side
    }

    /// A value of an address that no run had before; its side.
    fn new_value(&mut self, walk: &mut Walk, id: NodeId, condition: TermId) -> u32 {
        let list = self.node(id).sides[1] as usize;
        self.values[list].push(Value { condition, state: Packed::taken(None) });
        let number = self.values[list].len();
        let rest = OpenSide { node: id, side: 0 };
        match self.side(id, 0) {
            // Proved that there is no other, yet here it is.
            SideState::Unsat => self.unstable += (number > 1) as u64,
            // One value more or less makes it another question.
            SideState::Diverged => {
                self.diverged_now -= 1;
                self.enter_frontier(rest);
                walk.opened.push((id, 1));
            }
            SideState::Open if number == MAX_VALUES => {
                self.leave_frontier(rest);
                walk.opened.push((id, -1));
                self.set_packed(id, 0, Packed::EXCLUDED);
                self.lost += 1;
            }
            _ => {}
        }
        number as u32
    }

    /// Carries the changes of open sides up the path, once for the whole run; how many were opened.
    fn settle_counts(&mut self, walk: &Walk) -> u32 {
        let mut opened = 0i64;
        let Some(leaf) = walk.leaf else { return 0 };
        let mut changes = walk.opened.iter().rev().peekable();
        let mut carried = 0i32;
        let mut at = leaf.node.0;
        while at != NO_NODE {
            while let Some(&&(id, by)) = changes.peek() {
                if id.0 != at {
                    break;
                }
                carried += by;
                opened += by as i64;
                changes.next();
            }
            let node = &mut self.nodes[at as usize];
            node.open_below = node.open_below.wrapping_add_signed(carried);
            at = node.parent;
        }
        debug_assert!(changes.next().is_none(), "changes happen along the path");
        opened.max(0) as u32
    }

    /// Where the run ended, other runs may have gone on, or the other way round.
    fn finish_edge(&mut self, walk: &Walk, path: &Path) {
        let continues = match walk.leaf {
            None => self.root.is_some(),
            Some(leaf) => matches!(self.side(leaf.node, leaf.side), SideState::Taken(Some(_))),
        };
        if continues && path.end == End::Complete {
            self.unstable += 1;
        }
        if let Some(leaf) = walk.leaf
            && path.end == End::Cut
            && !continues
            && !walk.known
        {
            self.set_packed(leaf.node, leaf.side, Packed::CUT);
        }
    }
}

struct Walk {
    leaf: Option<Leaf>,
    entry: TermId,
    /// Changes of the number of open sides, in order along the path.
    opened: Vec<(NodeId, i32)>,
    seen: FxHashSet<(TermId, u32)>,
    /// Whether the last side taken was taken by an earlier run.
    known: bool,
}

impl Walk {
    /// A decision is known by what it decides on; a switch also by its cases, which are its site's;
    /// an address by the value.
    fn key(step: &Step) -> (TermId, u32) {
        match step.kind {
            Kind::Branch | Kind::Assume => (step.subject, u32::MAX),
            Kind::Switch { .. } => (step.subject, step.site.0),
            Kind::Address => (step.condition, u32::MAX - 1),
        }
    }

    /// Whether the same was decided earlier on this path. Constants say nothing.
    fn decided(&self, step: &Step) -> bool {
        step.condition != TermId::TRUE && self.seen.contains(&Self::key(step))
    }

    fn remember(&mut self, step: &Step) {
        if step.condition != TermId::TRUE {
            self.seen.insert(Self::key(step));
        }
    }
}
