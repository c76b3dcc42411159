//! Open sides grouped by what they would take, an outcome of a site: what a flip earns depends on that alone, so only
//! the cheapest of each group has to be looked at. Each target knows where in the program it leads and what it costs;
//! both are looked up again only when its cheapest side is gone or costs have moved.

use crate::flow::{Flow, NONE, NodeId as Location};
use crate::strategy::View;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symcrete_program::SiteId;
use symcrete_tree::{Kind, NodeId, OpenSide};

/// Ways without a decision that are followed to see what a side leads to.
const FOLLOWED: usize = 64;

/// All open sides that would take one outcome of one site.
pub(crate) struct Target {
    pub site: SiteId,
    pub outcome: u32,
    pub kind: Kind,
    /// Where it leads; none where the program model does not say.
    pub node: Option<Location>,
    /// The first location behind it that counts as coverage, if it comes for certain.
    pub goal: Option<Location>,
    /// Flips that failed: unsat, unknown or gone elsewhere.
    pub failed: u32,
    /// What flips were expected to find, and how many found something.
    pub expected: f64,
    pub found: f64,
    /// The cheapest side as far as is known, and what it costs.
    pub best: Option<(f64, OpenSide)>,
    /// The cheapest first, by what they cost when they were found.
    open: BinaryHeap<Reverse<(u64, OpenSide)>>,
}

#[derive(Default)]
pub(crate) struct Targets {
    pub all: Vec<Target>,
    /// Targets of which something changed since somebody asked.
    changed: Vec<u32>,
    /// By program side and its outcome; sites outside the program are in `elsewhere`.
    index: Vec<Vec<u32>>,
    /// Targets that are assumptions.
    assumed: Vec<u32>,
    elsewhere: FxHashMap<(SiteId, u32), u32>,
    seen: u32,
    epoch: u64,
}

impl Targets {
    /// Takes in the new nodes of the tree.
    pub fn catch_up(&mut self, flow: &Flow, view: &View<'_>) {
        let tree = view.tree;
        for id in self.seen..tree.len() as u32 {
            let id = NodeId(id);
            // The side that leads to a new node was open before, if it was there.
            if let Some(taken) = tree.parent(id).filter(|side| side.node.0 < self.seen) {
                self.look_again(view, taken);
            }
            for side in tree.open_sides(id) {
                self.add(flow, view, side);
            }
        }
        self.seen = tree.len() as u32;
        if self.epoch != view.cost.epoch() {
            self.epoch = view.cost.epoch();
            for place in 0..self.all.len() {
                self.all[place].refresh(view);
                self.changed.push(place as u32);
            }
        }
    }

    /// Sides that were given up and opened again are in no group.
    pub fn gather_again(&mut self, flow: &Flow, view: &View<'_>) {
        for side in view.frontier.iter() {
            self.add(flow, view, side);
        }
    }

    /// A side may be open no longer.
    pub fn look_again(&mut self, view: &View<'_>, side: OpenSide) {
        let Some(place) = self.place(view.tree.site(side.node), side.side) else { return };
        let target = &mut self.all[place as usize];
        if target.best.is_some_and(|(_, best)| best == side) {
            target.refresh(view);
            self.changed.push(place);
        }
    }

    /// The target at a place, to be changed.
    pub fn change(&mut self, place: u32) -> &mut Target {
        self.changed.push(place);
        &mut self.all[place as usize]
    }

    /// Targets of which something changed since the last time, some of them several times.
    pub fn take_changed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.changed)
    }

    fn add(&mut self, flow: &Flow, view: &View<'_>, side: OpenSide) {
        let site = view.tree.site(side.node);
        let place = self.place(site, side.side).unwrap_or_else(|| {
            let node = view.program.side_of(site, side.side as usize).and_then(|side| flow.node(side));
            self.all.push(Target {
                site,
                outcome: side.side,
                kind: view.tree.kind(side.node),
                node,
                goal: node.and_then(|node| first_goal(flow, node)),
                failed: 0,
                expected: 0.0,
                found: 0.0,
                best: None,
                open: BinaryHeap::new(),
            });
            let place = self.all.len() as u32 - 1;
            if view.tree.kind(side.node) == Kind::Assume {
                self.assumed.push(place);
            }
            if site.index() < view.program.site_count() {
                self.index.resize_with(self.index.len().max(site.index() + 1), Vec::new);
                let outcomes = &mut self.index[site.index()];
                outcomes.resize(outcomes.len().max(side.side as usize + 1), NONE);
                outcomes[side.side as usize] = place;
            } else {
                self.elsewhere.insert((site, side.side), place);
            }
            place
        });
        let cost = view.cost.flip(view.tree, side).max(0.0);
        let target = &mut self.all[place as usize];
        // Costs are not negative, so their bits are in their order.
        target.open.push(Reverse((cost.to_bits(), side)));
        if target.best.is_none_or(|(least, best)| (cost, side) < (least, best)) {
            target.best = Some((cost, side));
            self.changed.push(place);
        }
    }

    /// An assumption that did not hold: every run is void before it does.
    pub fn assumption(&mut self, view: &View<'_>) -> Option<OpenSide> {
        for &place in &self.assumed {
            let target = &mut self.all[place as usize];
            target.refresh(view);
            if let Some((_, side)) = target.best {
                return Some(side);
            }
        }
        None
    }

    /// The cheapest of all open sides.
    pub fn cheapest(&mut self, view: &View<'_>) -> Option<OpenSide> {
        loop {
            let costs = (0..).zip(&self.all).filter_map(|(place, target)| Some((target.best?, place)));
            let ((_, side), place) = costs.min_by(|a, b| a.0.0.total_cmp(&b.0.0))?;
            if view.tree.is_open(side) {
                return Some(side);
            }
            self.change(place).refresh(view);
        }
    }

    fn place(&self, site: SiteId, outcome: u32) -> Option<u32> {
        match self.index.get(site.index()).and_then(|outcomes| outcomes.get(outcome as usize)) {
            Some(&NONE) | None => self.elsewhere.get(&(site, outcome)).copied(),
            Some(&place) => Some(place),
        }
    }

    pub fn of(&self, view: &View<'_>, side: OpenSide) -> Option<u32> {
        self.place(view.tree.site(side.node), side.side)
    }
}

fn first_goal(flow: &Flow, node: Location) -> Option<Location> {
    let mut at = node;
    for _ in 0..FOLLOWED {
        if flow.goals[at.index()] {
            return Some(at);
        }
        match flow.after.of(at.index()) {
            [next] if flow.calls.of(at.index()).is_empty() => at = Location(*next),
            _ => return None,
        }
    }
    None
}

impl Target {
    /// What expectations were worth so far.
    pub fn trust(&self) -> f64 {
        (1.0 + self.found) / (1.0 + self.expected.max(self.found) + f64::from(self.failed))
    }

    /// Looks up the cheapest side that is still open, and what it costs now.
    pub fn refresh(&mut self, view: &View<'_>) {
        while let Some(&Reverse((_, side))) = self.open.peek() {
            if view.tree.is_open(side) {
                self.best = Some((view.cost.flip(view.tree, side), side));
                return;
            }
            self.open.pop();
        }
        self.best = None;
    }
}
