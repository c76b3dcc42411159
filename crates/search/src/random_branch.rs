//! `random-branch`: one open side of the latest path, uniformly; after a path without one, a fresh
//! random input.

use crate::strategy::{Rng, Step, Strategy, View, below};
use symcrete_tree::OpenSide;

#[derive(Default)]
pub(crate) struct RandomBranch;

impl Strategy for RandomBranch {
    fn name(&self) -> &'static str {
        "random-branch"
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        let Some(leaf) = view.tree.latest() else { return view.restart() };
        let open: Vec<OpenSide> = view.tree.upwards(leaf.node).flat_map(|node| view.tree.open_sides(node)).collect();
        if open.is_empty() {
            return view.restart();
        }
        Step::Flip(open[below(rng, open.len())])
    }
}
