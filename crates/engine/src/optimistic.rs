//! Optimistic solving: when an uncovered side cannot be had on a path, because the solver gives up or earlier decisions of
//! that path forbid it, the flipped condition is solved together with the path's last few conditions only. The run goes
//! wherever it goes: it is labelled, judged by what it covers, and never counts as diverged. Proves nothing.

use crate::campaign::{Campaign, EngineError};
use crate::clock::own_cpu;
use crate::execute::cost;
use crate::inputs;
use std::time::Duration;
use symcrete_event::Origin;
use symcrete_search::Outcome;
use symcrete_solve::{Answer, Budget, Parent, Query};
use symcrete_term::{TermId, Var};
use symcrete_tree::OpenSide;

/// How many of the last conditions are kept, try after try: those of one statement come right before its last.
const KEPT: [usize; 6] = [2, 0, 4, 1, 8, 16];
/// Tries for one side of the program.
const MOST_TRIES: u32 = 24;

impl Campaign<'_> {
    /// One optimistic run for an open side that could not be had, if the side of the program behind it is still
    /// uncovered and has tries left.
    pub(crate) fn try_optimistically(&mut self, side: OpenSide, outcome: &mut Outcome) -> Result<(), EngineError> {
        // The other strategies are what their papers say they are.
        if self.settings.search.strategy != "auto" || self.settings.search.one_generation {
            return Ok(());
        }
        let Some(aimed) = self.program.side_of(self.tree.site(side.node), side.side as usize) else { return Ok(()) };
        if self.coverage.is_covered(aimed) || !self.may_go_on() {
            return Ok(());
        }
        let tries = self.optimistic.entry(aimed.0).or_insert(0);
        if *tries >= MOST_TRIES {
            return Ok(());
        }
        let kept = KEPT[*tries as usize % KEPT.len()];
        *tries += 1;
        let Some(model) = self.solve_the_end(side, kept)? else { return Ok(()) };
        self.counters.flips += 1;
        self.counters.iterations += 1;
        let origin = match self.origin(side) {
            Origin::Flip { test, side, .. } => Origin::Flip { test, side, optimistic: true },
            other => other,
        };
        let tracked = self.track(&model, None, origin)?;
        outcome.runs += 1;
        outcome.cost += cost::TRACKED;
        outcome.gain += tracked.gain;
        if tracked.inserted.new_path {
            outcome.leaf = tracked.inserted.leaf;
        }
        Ok(())
    }

    /// An input for the flipped condition and the last conditions before it, everything else as in the parent.
    fn solve_the_end(&mut self, side: OpenSide, kept: usize) -> Result<Option<symcrete_exec::Input>, EngineError> {
        let (prefix, goal) = self.tree.flip_query(side, &mut self.terms, self.program);
        let mut end: Vec<TermId> = prefix[prefix.len().saturating_sub(kept)..].to_vec();
        end.push(goal);
        let bounds = inputs::length_bounds(&mut self.terms, &end, self.server.sources());
        end.pop();
        end.splice(0..0, bounds);
        let run = self.tree.run(side.node);
        let parent = &self.runs[run.0 as usize];
        let values = |var: Var| inputs::value(parent, var);
        // Another number than the parent's: the path is not the parent's.
        let query = Query { prefix: &end, goal, parent: Parent { run: u64::from(run.0) | 1 << 40, values: &values } };
        let budget = Budget { steps: 1_000, size: 200_000, time: Some(Duration::from_millis(10)), ..Budget::FIRST };
        let budget = if self.by_clock() { budget } else { budget.steps_only() };
        let begin = own_cpu();
        let answer = self.solver.solve_within(&self.terms, &query, budget);
        self.solver_cpu += own_cpu().saturating_sub(begin);
        let answer = answer?;
        Ok(match answer {
            Answer::Sat(model) => Some(inputs::with_model(parent, &model, self.server.sources(), &mut self.rng)),
            _ => None,
        })
    }
}
