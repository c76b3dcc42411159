//! `dfs`: the deepest open side of the latest path, then back up. Nodes are numbered in the order in
//! which runs made them, deeper after shallower, so the newest open side is always the one wanted:
//! a stack.

use crate::strategy::{Rng, Step, Strategy, View};
use symcrete_tree::{NodeId, OpenSide};

#[derive(Default)]
pub(crate) struct Dfs {
    stack: Vec<OpenSide>,
    /// Nodes below this number are on the stack, or were.
    seen: u32,
}

impl Dfs {
    fn catch_up(&mut self, view: &View<'_>) {
        for id in self.seen..view.tree.len() as u32 {
            self.stack.extend(view.tree.open_sides(NodeId(id)));
        }
        self.seen = view.tree.len() as u32;
    }

    fn top(&mut self, view: &View<'_>) -> Option<OpenSide> {
        while let Some(&side) = self.stack.last() {
            if view.tree.is_open(side) {
                return Some(side);
            }
            self.stack.pop();
        }
        None
    }
}

impl Strategy for Dfs {
    fn name(&self) -> &'static str {
        "dfs"
    }

    fn next(&mut self, view: &View<'_>, _: &mut Rng) -> Step {
        if view.tree.paths() == 0 {
            return Step::RunRandom { runs: 1 };
        }
        self.catch_up(view);
        if let Some(side) = self.top(view) {
            return Step::Flip(side);
        }
        // Sides that were given up and opened again are on no stack.
        self.stack.extend(view.frontier.iter());
        self.stack.sort_unstable_by_key(|side| (view.tree.depth(side.node), *side));
        self.top(view).map_or(Step::Exhausted, Step::Flip)
    }
}
