//! `sgs`: the open side whose subpath, the last `n` decisions that lead to it with itself as the last, has been run
//! least often; the lengths take turns.

use crate::strategy::{Ended, Outcome, Rng, Step, Strategy, View, below};
use rustc_hash::{FxHashMap, FxHasher};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::{Hash, Hasher};
use symcrete_tree::{Leaf, NodeId, OpenSide};

pub(crate) struct Sgs {
    lengths: Vec<Length>,
    turn: usize,
    seen_nodes: u32,
    seen_leaves: usize,
}

/// Subpaths of one length.
struct Length {
    n: u32,
    runs: FxHashMap<u64, u32>,
    /// By how often the subpath had been run when the side was put there, ties by chance. Counts only grow, so what
    /// comes out first is either right or put back with its count of today.
    queue: BinaryHeap<Reverse<(u32, u32, OpenSide)>>,
}

/// The last `n` decisions up to and including this one.
fn subpath(view: &View<'_>, side: OpenSide, n: u32) -> u64 {
    let mut hasher = FxHasher::default();
    let all = std::iter::successors(Some(side), |side| view.tree.parent(side.node));
    for taken in all.take(n as usize) {
        (view.tree.site(taken.node), taken.side).hash(&mut hasher);
    }
    hasher.finish()
}

impl Length {
    fn count(&mut self, view: &View<'_>, leaf: Leaf) {
        let end = OpenSide { node: leaf.node, side: leaf.side };
        for taken in std::iter::successors(Some(end), |side| view.tree.parent(side.node)) {
            *self.runs.entry(subpath(view, taken, self.n)).or_default() += 1;
        }
    }

    fn add(&mut self, view: &View<'_>, side: OpenSide, rng: &mut Rng) {
        let runs = self.runs.get(&subpath(view, side, self.n)).copied().unwrap_or(0);
        self.queue.push(Reverse((runs, below(rng, 1 << 30) as u32, side)));
    }

    fn least(&mut self, view: &View<'_>) -> Option<OpenSide> {
        while let Some(Reverse((runs, tie, side))) = self.queue.pop() {
            if !view.tree.is_open(side) {
                continue;
            }
            let now = self.runs.get(&subpath(view, side, self.n)).copied().unwrap_or(0);
            // It stays: an address may be flipped again.
            self.queue.push(Reverse((now, tie, side)));
            if now == runs {
                return Some(side);
            }
        }
        None
    }
}

impl Sgs {
    pub fn new(lengths: &[u32]) -> Sgs {
        let length = |&n: &u32| Length { n: n.max(1), runs: FxHashMap::default(), queue: BinaryHeap::new() };
        Sgs { lengths: lengths.iter().map(length).collect(), turn: 0, seen_nodes: 0, seen_leaves: 0 }
    }

    fn count(&mut self, view: &View<'_>, leaf: Leaf) {
        self.lengths.iter_mut().for_each(|length| length.count(view, leaf));
    }

    fn catch_up(&mut self, view: &View<'_>, rng: &mut Rng) {
        for &leaf in &view.tree.leaves()[self.seen_leaves..] {
            self.count(view, leaf);
        }
        self.seen_leaves = view.tree.leaves().len();
        for node in (self.seen_nodes..view.tree.len() as u32).map(NodeId) {
            for side in view.tree.open_sides(node) {
                self.lengths.iter_mut().for_each(|length| length.add(view, side, rng));
            }
        }
        self.seen_nodes = view.tree.len() as u32;
    }
}

impl Strategy for Sgs {
    fn name(&self) -> &'static str {
        "sgs"
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        self.catch_up(view, rng);
        if view.frontier.is_empty() || self.lengths.is_empty() {
            return view.restart();
        }
        self.turn = (self.turn + 1) % self.lengths.len();
        let turn = self.turn;
        if let Some(side) = self.lengths[turn].least(view) {
            return Step::Flip(side);
        }
        // Sides that were given up and opened again.
        for side in view.frontier.iter() {
            self.lengths[turn].add(view, side, rng);
        }
        self.lengths[turn].least(view).map_or_else(|| view.restart(), Step::Flip)
    }

    fn done(&mut self, view: &View<'_>, _: &Step, outcome: &Outcome) {
        // New paths are counted as leaves of the tree; this one was known.
        let ran = matches!(outcome.ended, Ended::Ran | Ended::Diverged) && outcome.runs == 1;
        if ran
            && outcome.leaf.is_none()
            && let Some(leaf) = view.tree.latest()
        {
            self.count(view, leaf);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use crate::tests::{World, three};

    #[test]
    fn the_least_travelled_goes_first() {
        let mut world = World::new(three);
        // Bit 0 is set in none, bit 1 in one, bit 2 in two of the runs.
        for input in [0b000, 0b100, 0b110] {
            world.run(input, None);
        }
        let mut strategy = Sgs::new(&[1]);
        let Step::Flip(side) = world.ask(&mut strategy, &mut seeded(1)) else { panic!("something is open") };
        assert_eq!((world.tree.site(side.node).0, side.side), (0, 1));
    }

    #[test]
    fn longer_subpaths_tell_ways_apart() {
        let mut world = World::new(three);
        // Open are: bit 0 set; behind 0,1 the unset bit 2.  Bit 2 unset was run twice, but never behind bit 1 set.
        for input in [0b000, 0b100, 0b110] {
            world.run(input, None);
        }
        world.tree.close(OpenSide { node: NodeId(0), side: 1 }, symcrete_tree::Closed::Unsat);
        for (n, runs) in [(1, 1), (2, 0)] {
            let mut strategy = Sgs::new(&[n]);
            let Step::Flip(side) = world.ask(&mut strategy, &mut seeded(1)) else { panic!("something is open") };
            assert_eq!((world.tree.site(side.node).0, side.side), (2, 0));
            let view_count = strategy.lengths[0].queue.peek().map(|Reverse((runs, _, _))| *runs);
            assert_eq!(view_count, Some(runs), "subpaths of {n}");
        }
    }

    #[test]
    fn a_known_path_run_again_counts() {
        let mut world = World::new(three);
        world.run(0b000, None);
        let (mut strategy, mut rng) = (Sgs::new(&[1]), seeded(1));
        world.ask(&mut strategy, &mut rng);
        let key = |strategy: &Sgs| strategy.lengths[0].runs.values().copied().max();
        assert_eq!(key(&strategy), Some(1));
        world.run(0b000, None);
        let cost = symcrete_tree::UnitCost(1.0);
        let view = View::new(&world.tree, &world.program, &world.covered, &world.visits, &cost);
        let outcome = Outcome { ended: Ended::Ran, leaf: None, runs: 1, gain: 0, news: 0, cost: 1.0 };
        strategy.done(&view, &Step::RunRandom { runs: 1 }, &outcome);
        assert_eq!(key(&strategy), Some(2));
    }
}
