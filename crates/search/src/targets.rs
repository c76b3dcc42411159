//! Open sides grouped by what they would take, an outcome of a site: what a flip earns depends on that alone, so only
//! the cheapest of each group has to be looked at.

use crate::strategy::View;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symcrete_program::SiteId;
use symcrete_tree::{Kind, NodeId, OpenSide};

/// All open sides that would take one outcome of one site.
pub(crate) struct Target {
    pub site: SiteId,
    pub outcome: u32,
    pub kind: Kind,
    /// Flips that failed: unsat, unknown or gone elsewhere.
    pub failed: u32,
    /// What flips were expected to find, and how many found something.
    pub expected: f64,
    pub found: f64,
    /// The cheapest first, by what they cost when they were found.
    open: BinaryHeap<Reverse<(u64, OpenSide)>>,
}

#[derive(Default)]
pub(crate) struct Targets {
    pub all: Vec<Target>,
    index: FxHashMap<(SiteId, u32), usize>,
    seen: u32,
}

impl Targets {
    /// Takes in the new nodes of the tree.
    pub fn catch_up(&mut self, view: &View<'_>) {
        for id in self.seen..view.tree.len() as u32 {
            for side in view.tree.open_sides(NodeId(id)) {
                self.add(view, side);
            }
        }
        self.seen = view.tree.len() as u32;
    }

    /// Sides that were given up and opened again are in no group.
    pub fn gather_again(&mut self, view: &View<'_>) {
        for side in view.frontier.iter() {
            self.add(view, side);
        }
    }

    fn add(&mut self, view: &View<'_>, side: OpenSide) {
        let site = view.tree.site(side.node);
        let place = *self.index.entry((site, side.side)).or_insert_with(|| {
            let kind = view.tree.kind(side.node);
            self.all.push(Target {
                site,
                outcome: side.side,
                kind,
                failed: 0,
                expected: 0.0,
                found: 0.0,
                open: BinaryHeap::new(),
            });
            self.all.len() - 1
        });
        // Costs are not negative, so their bits are in their order.
        let cost = view.cost.flip(view.tree, side).max(0.0).to_bits();
        self.all[place].open.push(Reverse((cost, side)));
    }

    pub fn of(&mut self, view: &View<'_>, side: OpenSide) -> Option<&mut Target> {
        let place = *self.index.get(&(view.tree.site(side.node), side.side))?;
        Some(&mut self.all[place])
    }
}

impl Target {
    /// What expectations were worth so far.
    pub fn trust(&self) -> f64 {
        (1.0 + self.found) / (1.0 + self.expected.max(self.found) + f64::from(self.failed))
    }

    /// The cheapest side that is still open, and what it costs now.
    pub fn cheapest(&mut self, view: &View<'_>) -> Option<(f64, OpenSide)> {
        while let Some(&Reverse((_, side))) = self.open.peek() {
            if view.tree.is_open(side) {
                return Some((view.cost.flip(view.tree, side), side));
            }
            self.open.pop();
        }
        None
    }
}
