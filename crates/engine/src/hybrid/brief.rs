//! Walks of a program that is slow to start, or whose finds come by the hundred: short ones, so that what is found is
//! run from the start in no time, and each of them at most one find. Where a walk ends, and in the states that are kept,
//! is looked around as long as that brings more than walking.

use super::{FAR, Hybrid, TURNS, Whole, explore};
use crate::campaign::{Campaign, EngineError};
use std::time::Duration;
use symcrete_abi::control::Halt;
use symcrete_exec::Walk;
use symcrete_search::below;

/// Runs from where a walk ends, and from a state that is looked at for the first time.
pub const RUNS: u32 = 60;
/// Microseconds that it may go on without a find: solving for outcomes that are impossible takes no runs.
pub const PATIENCE: f64 = 4e6;

impl Campaign<'_> {
    pub(super) fn walks_briefly(&self, hybrid: &mut Hybrid) -> bool {
        hybrid.brief |= hybrid.effort.is_slow() && self.finds_are_dear(hybrid);
        hybrid.brief
    }

    /// Part of what a run may take, where clocks may decide.
    pub(super) fn share_of_timeout(&self, part: u32) -> Option<Duration> {
        self.by_clock().then(|| self.settings.budget.timeout / part)
    }

    pub(super) fn walk_briefly(&mut self, hybrid: &mut Hybrid) -> Result<(), EngineError> {
        let declared = self.server.sources().len();
        let mut sources = self.generator.draw(&mut self.rng);
        sources.objects.truncate(declared);
        self.counters.executions += 1;
        self.counters.iterations += 1;
        self.counters.random_runs += 1;
        let begin = self.so_far(hybrid);
        let inputs = FAR / 4 + below(&mut self.rng, FAR - FAR / 4);
        let limits = self.walk_limits(inputs);
        // A key with a count of millions is not worth the time of a hundred walks.
        // What was of use before and what was never tried, in turn.
        let mixture = self.draws_mixture() && self.counters.random_runs.is_multiple_of(2);
        let walk = Walk { mixture, most: self.share_of_timeout(5), ..Walk::default() };
        let leg = hybrid.server.walk(&sources, &limits, walk)?;
        let mut whole = Whole { input: sources, statements: leg.statements as usize };
        hybrid.walked += u64::from(leg.statements);
        hybrid.longest = hybrid.longest.max(whole.statements);
        hybrid.learn_turn(&leg.run.requested, leg.position / whole.statements.max(1));
        whole.input.objects.extend(leg.run.requested.iter().cloned());
        self.after_leg(hybrid, &leg, &whole)?;
        let middle = self.so_far(hybrid);
        hybrid.effort.walked(begin, middle);
        if leg.halt == Some(Halt::Bound) && hybrid.effort.looks_pay() && self.over().is_none() {
            hybrid.snapshots += 1;
            let chain = self.chain_of(&whole, leg.position);
            let inputs = (TURNS * hybrid.turn).min(self.settings.budget.inputs.max(1));
            self.explore(
                hybrid,
                &whole,
                Some(&chain),
                explore::Bounds { inputs, runs: RUNS, first: false, patience: PATIENCE },
            )?;
            hybrid.effort.looked(middle, self.so_far(hybrid));
        }
        hybrid.server.end_walk();
        self.walk_cpu = hybrid.server.cpu();
        self.exchange(hybrid)?;
        self.say_progress();
        Ok(())
    }
}
