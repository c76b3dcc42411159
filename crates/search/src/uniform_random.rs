//! `uniform-random`: a walk along the current path from its root. At each branch a coin is tossed; tails: the branch is
//! flipped, and the walk goes on behind it, on the new path. At the end of the path it begins at the root again.
//! A flip whose path is known is not run again: the walk goes on along that path.

use crate::strategy::{Rng, Step, Strategy, View, below};
use symcrete_tree::{Leaf, NodeId, OpenSide, SideState};

/// Walks from the root that flip nothing, before a fresh random input takes over.
const VAIN_WALKS: u32 = 64;

#[derive(Default)]
pub(crate) struct UniformRandom {
    /// Decisions of the current path that the walk has passed.
    passed: usize,
}

/// A path from its root, and the side by which it goes on from each node.
struct Along {
    nodes: Vec<NodeId>,
    last: u32,
}

impl Along {
    fn new(view: &View<'_>, leaf: Leaf) -> Along {
        let mut nodes: Vec<NodeId> = view.tree.upwards(leaf.node).collect();
        nodes.reverse();
        Along { nodes, last: leaf.side }
    }

    fn side(&self, view: &View<'_>, node: NodeId) -> Option<u32> {
        let depth = view.tree.depth(node) as usize;
        if self.nodes.get(depth) != Some(&node) {
            return None;
        }
        let next = self.nodes.get(depth + 1).and_then(|&next| view.tree.parent(next));
        Some(next.map_or(self.last, |side| side.side))
    }
}

impl UniformRandom {
    /// Goes on along the path; the side to flip, or none at the end.
    fn walk(&mut self, view: &View<'_>, path: &Along, rng: &mut Rng) -> Option<OpenSide> {
        let mut at = *path.nodes.get(self.passed)?;
        loop {
            self.passed = view.tree.depth(at) as usize + 1;
            let own = path.side(view, at).or_else(|| any_taken(view, at, rng));
            let others: Vec<u32> = (0..view.tree.side_count(at)).filter(|&side| Some(side) != own).collect();
            let mut next = own;
            if below(rng, 2) == 1 && !others.is_empty() {
                let other = others[below(rng, others.len())];
                match view.tree.side(at, other) {
                    SideState::Open => return Some(OpenSide { node: at, side: other }),
                    SideState::Taken(_) => next = Some(other),
                    // No way there: on along the path.
                    _ => {}
                }
            }
            match view.tree.side(at, next?) {
                SideState::Taken(Some(child)) => at = child,
                _ => return None,
            }
        }
    }
}

fn any_taken(view: &View<'_>, node: NodeId, rng: &mut Rng) -> Option<u32> {
    let taken = |&side: &u32| matches!(view.tree.side(node, side), SideState::Taken(_));
    let all: Vec<u32> = (0..view.tree.side_count(node)).filter(taken).collect();
    all.get(below(rng, all.len().max(1))).copied()
}

impl Strategy for UniformRandom {
    fn name(&self) -> &'static str {
        "uniform-random"
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        let Some(latest) = view.tree.latest().filter(|_| !view.frontier.is_empty()) else {
            self.passed = 0;
            return view.restart();
        };
        let path = Along::new(view, latest);
        for _ in 0..VAIN_WALKS {
            if let Some(side) = self.walk(view, &path, rng) {
                return Step::Flip(side);
            }
            self.passed = 0;
        }
        Step::RunRandom { runs: 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use crate::tests::{World, three};

    #[test]
    fn a_coin_at_each_branch() {
        let (mut first, mut second) = ([0; 3], [0; 3]);
        for seed in 0..3000 {
            let mut world = World::new(three);
            world.run(0, None);
            let (mut strategy, mut rng) = (UniformRandom::default(), seeded(seed));
            world.step(&mut strategy, &mut rng, &mut |_| 0);
            world.step(&mut strategy, &mut rng, &mut |_| 0);
            let [Step::Flip(a), Step::Flip(b)] = world.log[..] else { panic!("two flips") };
            first[world.tree.depth(a.node) as usize] += 1;
            if world.tree.depth(a.node) == 0 {
                second[world.tree.depth(b.node) as usize] += 1;
            }
        }
        // 1/2, 1/4, 1/8, and the walks that flipped nothing begin again.
        for (count, want) in first.iter().zip([1714, 857, 429]) {
            assert!((want - 130..want + 130).contains(count), "{first:?}");
        }
        // Behind the flip the walk goes on with the next branch of the new path.
        assert!(second[1] * 2 > second[1] + second[2] + second[0] - 120, "{second:?}");
        assert_eq!(second[0], 0, "the root has no side left");
    }
}
