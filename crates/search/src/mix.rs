//! A decorator: random batches between the steps of another strategy, shared out by what each of
//! the two earned lately per cost. What has not been tried for a while is tried again, because both
//! what it earned and what it cost fade.

use crate::strategy::{Outcome, Rng, Step, Strategy, View};

/// What remains of earnings and costs after each step.
const FADE: f64 = 0.97;
/// The same for the memory that says what to hope for.
const FADE_OF_MEMORY: f64 = 0.998;
/// Earnings each is credited with: optimism that keeps both alive. While neither earns, the one that earned more per
/// cost, as far as is remembered, gets more of the time, up to four times as much.
const LEAST_HOPE: f64 = 0.25;
const MOST_HOPE: f64 = 1.0;
/// What news that cover nothing are worth, in covered sides.
const NEWS: f64 = 0.25;
/// Before either earned anything, a random run is worth this share of a flip: a flip takes a new path for sure. What
/// costs a flip's thousandth is worth more of the time, what costs as much is worth little of it.
const WORTH: f64 = 1.0 / 64.0;
/// After so many flips in a row that covered nothing, the next one is worth half as much, and so are random runs after
/// as many as are worth that many flips.
const PATIENCE: f64 = 64.0;
/// The most of the time that random runs get on such grounds.
const MOST_OF_HOPE: f64 = 0.8;
/// Neither falls below this share of what is spent, however little it earned.
const LEAST_SHARE: f64 = 1.0 / 16.0;
const MOST_RUNS: f64 = 4096.0;

#[derive(Clone, Copy, Default, Debug)]
struct Arm {
    gain: f64,
    cost: f64,
}

impl Arm {
    fn rate(&self, hope: f64, scale: f64) -> f64 {
        (self.gain + hope) / (self.cost + scale)
    }
}

/// Random runs mixed with the flips of `child`.
pub struct Mix {
    name: &'static str,
    child: Box<dyn Strategy>,
    random: Arm,
    flips: Arm,
    /// The same over a longer time: of random runs, and of flips.
    memory: [Arm; 2],
    /// Random runs, and flips, since they last covered something.
    vain: [f64; 2],
    /// What a step of the child costs these days; a batch is made to cost as much.
    step_cost: f64,
    /// What one random run costs, once that is known.
    run_cost: Option<f64>,
}

impl Mix {
    pub fn new(name: &'static str, child: Box<dyn Strategy>) -> Mix {
        Mix {
            name,
            child,
            random: Arm::default(),
            flips: Arm::default(),
            memory: [Arm::default(); 2],
            vain: [0.0; 2],
            step_cost: 64.0,
            run_cost: None,
        }
    }

    /// Whether the next step is a random batch.
    fn random_is_due(&self) -> bool {
        let least = LEAST_SHARE * (self.random.cost + self.flips.cost);
        if self.flips.cost < least {
            return false;
        }
        let [random, flips] = self.hopes();
        self.random.cost < least || self.random.rate(random, self.step_cost) > self.flips.rate(flips, self.step_cost)
    }

    /// What random runs and flips are credited with.
    fn hopes(&self) -> [f64; 2] {
        let rates = self.memory.map(|arm| arm.rate(MOST_HOPE, self.step_cost));
        let hopes = rates.map(|rate| LEAST_HOPE + (MOST_HOPE - LEAST_HOPE) * rate / (rates[0] + rates[1]));
        // Flips take new paths for sure, but when thousands of them lead nowhere the next will hardly do.
        let tired = (1.0 + self.vain[1] / PATIENCE) / (1.0 + WORTH * self.vain[0] / PATIENCE);
        let worth = WORTH * tired.max(1.0) * self.step_cost / self.run_cost.unwrap_or(1.0);
        let random = MOST_OF_HOPE * worth / (1.0 + worth);
        [2.0 * random * hopes[0], 2.0 * (1.0 - random) * hopes[1]]
    }

    fn batch(&self) -> Step {
        Step::RunRandom { runs: (self.step_cost / self.run_cost.unwrap_or(1.0)).clamp(1.0, MOST_RUNS) as u32 }
    }
}

impl Strategy for Mix {
    fn name(&self) -> &'static str {
        self.name
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        if view.tree.paths() > 0 && self.random_is_due() {
            return self.batch();
        }
        match self.child.next(view, rng) {
            Step::Exhausted if view.tree.exhausted().is_ok() => Step::Exhausted,
            // Nothing to flip, but not all is proved: chance may still find something.
            Step::Exhausted => self.batch(),
            step => step,
        }
    }

    fn done(&mut self, view: &View<'_>, step: &Step, outcome: &Outcome) {
        for arm in [&mut self.random, &mut self.flips] {
            arm.gain *= FADE;
            arm.cost *= FADE;
        }
        for arm in &mut self.memory {
            arm.gain *= FADE_OF_MEMORY;
            arm.cost *= FADE_OF_MEMORY;
        }
        let (arm, memory, vain, count) = match step {
            Step::RunRandom { .. } => (&mut self.random, &mut self.memory[0], &mut self.vain[0], outcome.runs),
            _ => (&mut self.flips, &mut self.memory[1], &mut self.vain[1], 1),
        };
        *vain = if outcome.gain > 0 { 0.0 } else { *vain + f64::from(count) };
        for arm in [arm, memory] {
            arm.gain += f64::from(outcome.gain) + NEWS * f64::from(outcome.news.saturating_sub(outcome.gain));
            arm.cost += outcome.cost;
        }
        if matches!(step, Step::RunRandom { .. }) && outcome.runs > 0 {
            let each = (outcome.cost / f64::from(outcome.runs)).max(1e-3);
            self.run_cost = match self.run_cost {
                // What a batch found was run again, with tracking: its cost says too much, unless nothing else is known.
                Some(known) if outcome.gain > 0 => Some(known),
                Some(known) => Some(0.5 * known + 0.5 * each),
                None => Some(each),
            };
        }
        if matches!(step, Step::Flip(_)) {
            self.step_cost = (0.9 * self.step_cost + 0.1 * outcome.cost).max(1.0);
        }
        // Random runs may be the child's or not: they tell it nothing that is not in the tree.
        if !matches!(step, Step::RunRandom { .. }) {
            self.child.done(view, step, outcome);
        }
    }

    fn takes_hints(&self) -> bool {
        true
    }

    fn overlaps(&self) -> bool {
        self.child.overlaps()
    }

    fn needs_full_path(&self) -> bool {
        self.child.needs_full_path()
    }
}
