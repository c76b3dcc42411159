//! `auto`, the default: flips for coverage, mixed with random runs by what each earns. The same with every other flip
//! towards one place.

use crate::mix::Mix;
use crate::strategy::{Outcome, Rng, Step, Strategy, View};
use crate::uncovered::Uncovered;
use symcrete_program::Distances;

pub(crate) fn auto() -> Box<dyn Strategy> {
    Box::new(Mix::new("auto", Box::new(Uncovered::default())))
}

/// `auto` with every other flip towards the place that distances are to: neither the way there that the program's graph
/// shows nor coverage alone is always the one that leads there.
pub fn toward(distances: Distances) -> Box<dyn Strategy> {
    let turns = [Uncovered::toward(distances), Uncovered::default()];
    Box::new(Mix::new("auto", Box::new(InTurn { turns, next: 0 })))
}

struct InTurn {
    turns: [Uncovered; 2],
    next: usize,
}

impl Strategy for InTurn {
    fn name(&self) -> &'static str {
        "toward"
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        self.next = 1 - self.next;
        self.turns[1 - self.next].next(view, rng)
    }

    fn done(&mut self, view: &View<'_>, step: &Step, outcome: &Outcome) {
        self.turns.iter_mut().for_each(|turn| turn.done(view, step, outcome));
    }
}
