//! `rcn`: in turn a random walk from the root (`rps`) and a draw from the frontier in which a side weighs more the nearer
//! uncovered code is behind it, 1/distance², and the fewer decisions ago its path covered something new, likewise.

use crate::near::Near;
use crate::rps;
use crate::strategy::{Rng, Step, Strategy, View};
use crate::weighted::Weighted;
use rustc_hash::FxHashSet;
use symcrete_program::{NOWHERE, SideId};
use symcrete_tree::{NodeId, OpenSide};

/// What a distance counts as when nothing uncovered can be reached.
const NO_WAY: f64 = 10_000.0;

#[derive(Default)]
pub(crate) struct Rcn {
    near: Near,
    draws: Weighted,
    seen: u32,
    /// By node: decisions since its path took a side that no earlier path had.
    since: Vec<u32>,
    known: FxHashSet<SideId>,
    walked: bool,
}

impl Rcn {
    fn weight(&self, view: &View<'_>, side: OpenSide) -> f64 {
        let distance = match self.near.distance(view, side) {
            NOWHERE => NO_WAY,
            distance => f64::from(distance.max(1)),
        };
        let since = f64::from(self.since[side.node.index()].max(1));
        1.0 / (distance * distance) + 1.0 / (since * since)
    }

    /// Whether each new node follows news.
    fn note(&mut self, view: &View<'_>, node: NodeId) {
        let since = view.tree.parent(node).map_or(0, |taken| {
            let source = view.program.side_of(view.tree.site(taken.node), taken.side as usize);
            let is_new = source.is_some_and(|side| self.known.insert(side));
            if is_new { 0 } else { self.since[taken.node.index()] + 1 }
        });
        self.since.push(since);
    }

    fn catch_up(&mut self, view: &View<'_>) {
        let first = self.seen;
        for node in (first..view.tree.len() as u32).map(NodeId) {
            self.note(view, node);
        }
        self.seen = view.tree.len() as u32;
        // All weights change with coverage; what has been closed is swept out now and then.
        if self.near.update(view) || self.draws.len() > 2 * view.frontier.len() + 1024 {
            self.fill(view);
            return;
        }
        for node in (first..self.seen).map(NodeId) {
            for side in view.tree.open_sides(node) {
                let weight = self.weight(view, side);
                self.draws.push(side, weight);
            }
        }
    }

    fn fill(&mut self, view: &View<'_>) {
        self.draws.clear();
        for side in view.frontier.iter() {
            let weight = self.weight(view, side);
            self.draws.push(side, weight);
        }
    }

    fn draw(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<OpenSide> {
        while let Some(place) = self.draws.draw(rng) {
            let side = self.draws.get(place);
            if view.tree.is_open(side) {
                return Some(side);
            }
            self.draws.drop_weight(place);
        }
        None
    }
}

impl Strategy for Rcn {
    fn name(&self) -> &'static str {
        "rcn"
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        self.catch_up(view);
        if view.frontier.is_empty() {
            return view.restart();
        }
        self.walked = !self.walked;
        if !self.walked {
            if let Some(side) = self.draw(view, rng) {
                return Step::Flip(side);
            }
            // Sides that were given up and opened again.
            self.fill(view);
            if let Some(side) = self.draw(view, rng) {
                return Step::Flip(side);
            }
        }
        // Open sides of twins can lie beside every walk.
        rps::walk(view, rng).map_or_else(|| Step::Flip(view.frontier.get(0)), Step::Flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use crate::tests::{World, three};
    use symcrete_program::sketch::{Sketch, blocks};

    /// Three decisions in a row; behind the true side of the last one there is a fourth, never covered.
    fn world() -> World {
        let mut sketch = Sketch::new();
        sketch.function("main", &blocks(&[&[1, 4], &[2, 4], &[3, 5], &[], &[], &[6, 7], &[], &[]]));
        let mut world = World::of(sketch.program(), three);
        world.run(0, None);
        for side in 0..6 {
            world.covered.cover(SideId(side));
        }
        world
    }

    #[test]
    fn half_of_the_draws_go_where_uncovered_code_is_near() {
        let world = world();
        let mut counts = [0; 3];
        let mut rng = seeded(4);
        let mut strategy = Rcn::default();
        for _ in 0..2000 {
            let Step::Flip(side) = world.ask(&mut strategy, &mut rng) else { panic!("something is open") };
            counts[world.tree.depth(side.node) as usize] += 1;
        }
        // Walks: 1/2, 1/4, 1/4.  Draws: news were two, one and no decisions before; the last is one branch from
        // uncovered code, the others lead nowhere.
        assert!(counts[2] > 600 && counts[0] > 500 && counts[1] > 250, "{counts:?}");
    }

    #[test]
    fn weights_follow_distance_and_recency() {
        let world = world();
        let mut strategy = Rcn::default();
        world.ask(&mut strategy, &mut seeded(1));
        let cost = symcrete_tree::UnitCost(1.0);
        let view = View::new(&world.tree, &world.program, &world.covered, &world.visits, &cost);
        let weight = |node: u32| strategy.weight(&view, OpenSide { node: NodeId(node), side: 1 });
        assert_eq!(strategy.since, [0, 0, 0], "each side of the first path was new");
        assert!(weight(2) > 1.9 && weight(2) > weight(1), "{} {}", weight(2), weight(1));
    }
}
