//! What flips are expected to cost, in random runs: from what both cost lately and how long the query would be. Where the
//! same seed has to give the same run, costs are counted steps, and so is this.

use symcrete_search::{Outcome, Step};
use symcrete_tree::{Cost, OpenSide, Tree};

/// What remains of earlier costs after each step.
const FADE: f64 = 0.98;
/// Of the cost of a flip, what does not depend on the length of its path.
const FIXED: f64 = 0.5;
/// Before anything was measured: random runs that a flip costs.
const FIRST: f64 = 10.0;

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, sum: f64, count: f64) {
        self.sum = FADE * self.sum + sum;
        self.count = FADE * self.count + count;
    }

    fn value(&self) -> Option<f64> {
        (self.count > 0.0 && self.sum > 0.0).then(|| self.sum / self.count)
    }
}

/// Costs move in steps of at least this share: those who keep what they asked for have to ask again at each.
const STEP: f64 = 0.05;

/// Costs as they were lately.
#[derive(Clone, Copy, Debug)]
pub struct Prices {
    run: Mean,
    flip: Mean,
    depth: Mean,
    /// What is told: a flip of middling length in random runs, and that length.
    told: (f64, f64),
    epoch: u64,
}

impl Default for Prices {
    fn default() -> Prices {
        let none = Mean::default();
        Prices { run: none, flip: none, depth: none, told: (FIRST, 1.0), epoch: 0 }
    }
}

impl Prices {
    /// Learns what a step cost.
    pub fn learn(&mut self, tree: &Tree, step: &Step, outcome: &Outcome) {
        match step {
            Step::RunRandom { .. } => self.run.add(outcome.cost, f64::from(outcome.runs)),
            Step::Flip(side) | Step::FlipOn(side, _) => {
                self.flip.add(outcome.cost, 1.0);
                self.depth.add(f64::from(tree.depth(side.node) + 1), 1.0);
            }
            Step::Path(_) | Step::Exhausted => {}
        }
        let now = (self.middling(), self.depth.value().unwrap_or(1.0));
        let moved = |new: f64, old: f64| (new / old - 1.0).abs() > STEP;
        if moved(now.0, self.told.0) || moved(now.1, self.told.1) {
            self.told = now;
            self.epoch += 1;
        }
    }

    /// A flip of middling length, in random runs.
    fn middling(&self) -> f64 {
        self.flip.value().zip(self.run.value()).map_or(FIRST, |(flip, run)| (flip / run).max(1.0))
    }
}

impl Cost for Prices {
    fn flip(&self, tree: &Tree, side: OpenSide) -> f64 {
        let depth = f64::from(tree.depth(side.node) + 1);
        let (middling, length) = self.told;
        let length = if self.epoch == 0 { 1.0 } else { depth / length };
        middling * (FIXED + (1.0 - FIXED) * length)
    }

    fn epoch(&self) -> u64 {
        self.epoch
    }
}
