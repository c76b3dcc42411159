//! `rps`: a walk from the root of the tree. At each node every side that is open, or has open sides below it, is taken
//! with the same probability: what lies shallow, or in a thin part of the tree, is chosen more often than its share of
//! the frontier.

use crate::strategy::{Rng, Step, Strategy, View, below};
use symcrete_tree::{NodeId, OpenSide, SideState};

#[derive(Default)]
pub(crate) struct Rps;

/// Where a walk can go from a node.
enum Way {
    Here(OpenSide),
    Down(NodeId),
}

/// A node and its twins, those with open sides.
fn with_open<'a>(view: &'a View<'_>, first: Option<NodeId>) -> impl Iterator<Item = NodeId> + 'a {
    let twins = std::iter::successors(first, |&node| view.tree.twin(node));
    twins.filter(|&node| view.tree.open_below(node) > 0)
}

fn ways(view: &View<'_>, node: NodeId, found: &mut Vec<Way>) {
    found.clear();
    for side in 0..view.tree.side_count(node) {
        match view.tree.side(node, side) {
            SideState::Open => found.push(Way::Here(OpenSide { node, side })),
            SideState::Taken(child) => found.extend(with_open(view, child).map(Way::Down)),
            _ => {}
        }
    }
}

/// The open side a random walk ends at; none when nothing is open.
pub(crate) fn walk(view: &View<'_>, rng: &mut Rng) -> Option<OpenSide> {
    let roots: Vec<NodeId> = with_open(view, view.tree.root()).collect();
    let mut at = *roots.get(below(rng, roots.len().max(1)))?;
    let mut found = vec![];
    loop {
        ways(view, at, &mut found);
        let choice = if found.len() == 1 { 0 } else { below(rng, found.len().max(1)) };
        match found.get(choice)? {
            Way::Here(side) => return Some(*side),
            Way::Down(child) => at = *child,
        }
    }
}

impl Strategy for Rps {
    fn name(&self) -> &'static str {
        "rps"
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        walk(view, rng).map_or_else(|| view.restart(), Step::Flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use crate::tests::{World, three};

    #[test]
    fn each_side_with_something_open_is_as_likely() {
        let mut world = World::new(three);
        world.run(0b000, None);
        // Open: the true sides of the three nodes of one path, one below the other.
        let mut counts = [0; 3];
        let mut rng = seeded(5);
        for _ in 0..4000 {
            let Step::Flip(side) = world.ask(&mut Rps, &mut rng) else { panic!("something is open") };
            counts[world.tree.depth(side.node) as usize] += 1;
        }
        for (count, want) in counts.iter().zip([2000, 1000, 1000]) {
            assert!((want - 150..want + 150).contains(count), "{counts:?}");
        }
    }

    #[test]
    fn closed_parts_are_passed_by() {
        let mut world = World::new(three);
        for input in [0b000, 0b100, 0b010, 0b110] {
            world.run(input, None);
        }
        let mut rng = seeded(5);
        for _ in 0..20 {
            let Step::Flip(side) = world.ask(&mut Rps, &mut rng) else { panic!("something is open") };
            assert_eq!(world.tree.depth(side.node), 0, "everything else is done");
        }
    }
}
