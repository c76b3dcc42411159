//! `bfs`: the shallowest open side of the tree, the older of two at the same depth.

use crate::strategy::{Rng, Step, Strategy, View};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symcrete_tree::{NodeId, OpenSide};

#[derive(Default)]
pub(crate) struct Bfs {
    queue: BinaryHeap<Reverse<(u32, OpenSide)>>,
    seen: u32,
}

impl Bfs {
    fn first(&mut self, view: &View<'_>) -> Option<OpenSide> {
        while let Some(&Reverse((_, side))) = self.queue.peek() {
            if view.tree.is_open(side) {
                return Some(side);
            }
            self.queue.pop();
        }
        None
    }
}

impl Strategy for Bfs {
    fn name(&self) -> &'static str {
        "bfs"
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn next(&mut self, view: &View<'_>, _: &mut Rng) -> Step {
        if view.tree.paths() == 0 {
            return Step::RunRandom { runs: 1 };
        }
        let entry = |side: OpenSide| Reverse((view.tree.depth(side.node), side));
        for id in self.seen..view.tree.len() as u32 {
            self.queue.extend(view.tree.open_sides(NodeId(id)).map(entry));
        }
        self.seen = view.tree.len() as u32;
        if let Some(side) = self.first(view) {
            return Step::Flip(side);
        }
        // Sides that were given up and opened again are in no queue.
        self.queue.extend(view.frontier.iter().map(entry));
        self.first(view).map_or(Step::Exhausted, Step::Flip)
    }
}
