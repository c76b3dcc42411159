//! `random`: draws inputs, never solves.

use crate::strategy::{Rng, Step, Strategy, View};

/// As many at once as make the choice itself free.
const BATCH: u32 = 4096;

#[derive(Default)]
pub(crate) struct Random;

impl Strategy for Random {
    fn name(&self) -> &'static str {
        "random"
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn flips(&self) -> bool {
        false
    }

    fn next(&mut self, view: &View<'_>, _: &mut Rng) -> Step {
        Step::RunRandom { runs: if view.tree.paths() == 0 { 1 } else { BATCH } }
    }
}
