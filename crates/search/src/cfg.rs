//! `cfg`: of the open sides of the latest path, the one from which uncovered code is fewest branches away. A flip
//! without new coverage is followed by the next of the same path, one with new coverage by those of its own path; when
//! none is left, the search goes on from the older path with the nearest one.

use crate::near::Near;
use crate::strategy::{Outcome, Rng, Step, Strategy, View, below};
use symcrete_program::NOWHERE;
use symcrete_tree::{NodeId, OpenSide};

#[derive(Default)]
pub(crate) struct Cfg {
    near: Near,
    /// Open sides of the path in hand, farthest first.
    sides: Vec<OpenSide>,
    /// The path in hand is to be replaced by the latest one.
    begin: bool,
    begun: bool,
}

impl Cfg {
    /// Takes up the path that ends with a node; sides that lead nowhere are left to the very last.
    fn take(&mut self, view: &View<'_>, end: NodeId, rng: &mut Rng) {
        let open = view.tree.upwards(end).flat_map(|node| view.tree.open_sides(node));
        let mut ranked: Vec<(u32, u32, OpenSide)> = open
            .map(|side| (self.near.distance(view, side), below(rng, 1 << 30) as u32, side))
            .filter(|&(distance, _, _)| distance != NOWHERE)
            .collect();
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        self.sides = ranked.into_iter().map(|(_, _, side)| side).collect();
    }

    fn nearest_of_all(&self, view: &View<'_>) -> Option<OpenSide> {
        let ranked = view.frontier.iter().map(|side| (self.near.distance(view, side), side));
        ranked.min().map(|(_, side)| side)
    }
}

impl Strategy for Cfg {
    fn name(&self) -> &'static str {
        "cfg"
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        self.near.update(view);
        let begins = std::mem::take(&mut self.begin) || !std::mem::replace(&mut self.begun, true);
        if begins && let Some(leaf) = view.tree.latest() {
            self.take(view, leaf.node, rng);
        }
        loop {
            while let Some(side) = self.sides.pop() {
                if view.tree.is_open(side) {
                    return Step::Flip(side);
                }
            }
            let Some(best) = self.nearest_of_all(view) else {
                self.begin = true;
                return view.restart();
            };
            self.take(view, best.node, rng);
            if self.sides.is_empty() {
                // Nothing leads on: any is as good.
                return Step::Flip(view.frontier.get(below(rng, view.frontier.len())));
            }
        }
    }

    fn done(&mut self, _: &View<'_>, _: &Step, outcome: &Outcome) {
        self.begin |= outcome.gain > 0;
    }

    fn needs_full_path(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use crate::tests::{World, three};
    use symcrete_program::SideId;
    use symcrete_program::sketch::{Sketch, blocks};

    /// Three decisions in a row. Behind the true side of the first there are two more decisions, the second of them
    /// uncovered; behind that of the second one at once; behind that of the third none.
    fn world() -> World {
        let mut sketch = Sketch::new();
        sketch.function("main", &blocks(&[&[1, 4], &[2, 5], &[3, 6], &[], &[5, 6], &[6, 7], &[], &[]]));
        let mut world = World::of(sketch.program(), three);
        world.run(0, None);
        for side in 0..9 {
            world.covered.cover(SideId(side));
        }
        world
    }

    #[test]
    fn nearest_first_and_where_nothing_is_near_last() {
        let world = world();
        let (mut strategy, mut rng) = (Cfg::default(), seeded(2));
        let mut order = vec![];
        for _ in 0..2 {
            let Step::Flip(side) = world.ask(&mut strategy, &mut rng) else { panic!("something is open") };
            order.push(world.tree.depth(side.node));
        }
        assert_eq!(order, [1, 0], "one branch away, two branches away");
        assert_eq!(strategy.sides, [], "the third leads nowhere");
    }

    #[test]
    fn a_vain_flip_is_followed_by_the_next_of_the_same_path_and_a_good_one_by_its_own() {
        let mut world = world();
        let (mut strategy, mut rng) = (Cfg::default(), seeded(2));
        world.step(&mut strategy, &mut rng, &mut |_| 0);
        world.step(&mut strategy, &mut rng, &mut |_| 0);
        let depths: Vec<u32> = world
            .log
            .iter()
            .map(|step| match step {
                Step::Flip(side) => world.tree.depth(side.node),
                _ => panic!("flips only"),
            })
            .collect();
        assert_eq!(depths, [1, 0], "nothing was new");
        strategy.begin = true;
        let Step::Flip(side) = world.ask(&mut strategy, &mut rng) else { panic!("something is open") };
        let latest = world.tree.latest().unwrap();
        assert!(world.tree.upwards(latest.node).any(|node| node == side.node), "after news: the latest path");
    }
}
