//! `dart`: the deepest open side of the latest path; when it has none, the rest of the tree in the same order, unless
//! something was lost on the way: then, as when nothing is open at all, a fresh random input begins anew.

use crate::dfs::Dfs;
use crate::strategy::{Rng, Step, Strategy, View};

#[derive(Default)]
pub(crate) struct Dart {
    dfs: Dfs,
}

/// Whether the conditions of the tree are less than what the program decides by.
fn precision_was_lost(view: &View<'_>) -> bool {
    let Err(obstacles) = view.tree.exhausted() else { return false };
    obstacles.lost + obstacles.unknown + obstacles.diverged + obstacles.unstable + obstacles.cut > 0
}

impl Strategy for Dart {
    fn name(&self) -> &'static str {
        "dart"
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        let latest = view.tree.latest().into_iter().flat_map(|leaf| view.tree.upwards(leaf.node));
        if let Some(side) = latest.flat_map(|node| view.tree.open_sides(node)).next() {
            return Step::Flip(side);
        }
        if view.frontier.is_empty() || precision_was_lost(view) {
            return view.restart();
        }
        self.dfs.next(view, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use crate::tests::{World, three};

    /// Two paths that share nothing but the root, the second one the latest.
    fn two_paths(lost: u64) -> Vec<Step> {
        let mut world = World::new(three);
        world.lost = lost;
        world.run(0b000, None);
        world.run(0b111, None);
        let (mut dart, mut rng) = (Dart::default(), seeded(1));
        for _ in 0..4 {
            world.step(&mut dart, &mut rng, &mut |_| 0b010);
        }
        world.log
    }

    #[test]
    fn without_losses_it_is_dfs() {
        let steps = two_paths(0);
        assert!(steps.iter().all(|step| matches!(step, Step::Flip(_))), "{steps:?}");
        let mut world = World::new(three);
        assert_eq!(world.flips("dart", 100), World::new(three).flips("dfs", 100));
        assert_eq!(world.log.last(), Some(&Step::Exhausted));
    }

    #[test]
    fn after_a_loss_it_restarts_where_the_path_has_nothing_open() {
        let steps = two_paths(1);
        // The subtree of the latest path has three more paths; the rest of the tree is not looked at.
        assert!(steps[..3].iter().all(|step| matches!(step, Step::Flip(_))), "{steps:?}");
        assert_eq!(steps[3], Step::RunRandom { runs: 1 });
    }
}
