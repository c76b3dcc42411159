//! Inputs of lines, without the lines that did nothing for what was new. What a random run finds stands between lines of
//! noise, and each of them may be an error that the program counts: put together, such inputs lead nowhere. A line that
//! is left out and changes nothing of that is left out for good; what remains is run, and later inputs are made of it.

use crate::campaign::{Campaign, EngineError};
use crate::lines;
use std::time::Duration;
use symcrete_event::Origin;
use symcrete_exec::{Input, Marks, Mode, Shortened};
use symcrete_program::SideId;
use symcrete_search::Outcome;
use symcrete_tree::RunId;

/// Runs for one input, at most.
const RUNS: usize = 24;
/// All of this together has one part in so many of the time.
const SHARE: u32 = 12;
/// Inputs that wait, the latest ones.
const MOST: usize = 32;

#[derive(Default)]
pub struct Trimming {
    /// Runs, and the sides that each of them was the first to take.
    waiting: Vec<(RunId, Vec<SideId>)>,
    spent: Duration,
}

impl Campaign<'_> {
    /// A run did something new. By the clock only: with a budget of inputs each of them is better spent otherwise.
    pub(crate) fn note_lines(&mut self, input: &Input, id: RunId, new: &[SideId]) {
        if !new.is_empty() && self.wishing && self.by_clock() && !self.silent && self.object_of_lines(input).is_some() {
            let waiting = &mut self.trimming.waiting;
            if waiting.len() == MOST {
                waiting.remove(0);
            }
            waiting.push((id, new.to_vec()));
        }
    }

    /// Whether inputs of the loop are shortened before they are looked at.
    pub(crate) fn shortens(&self) -> bool {
        self.wishing && self.by_clock() && self.trimming.spent <= self.clock.wall() / SHARE
    }

    /// Something new in the loop: what it needs for that is followed up.
    pub(crate) fn follow_up_shortened(
        &mut self,
        input: &Input,
        before: Option<&Marks>,
        outcome: &mut Outcome,
    ) -> Result<(), EngineError> {
        let Some(before) = before else { return self.follow_up(input, outcome) };
        let begin = self.clock.wall();
        let Shortened { input, ended, runs } = self.server.shorten(input, before, &self.search_limits())?;
        self.counters.executions += runs;
        self.counters.iterations += runs;
        self.trimming.spent += self.clock.wall() - begin;
        self.follow_up(&input, outcome)?;
        ended.map_or(Ok(()), |input| self.follow_up(&input, outcome))
    }

    /// The latest of them, if it is time to.
    pub(crate) fn trim_one(&mut self) -> Result<(), EngineError> {
        let now = self.clock.wall();
        if self.trimming.spent <= now / SHARE
            && let Some((id, sides)) = self.trimming.waiting.pop()
        {
            self.trim(id, &sides)?;
            self.trimming.spent += self.clock.wall() - now;
        }
        Ok(())
    }

    fn trim(&mut self, id: RunId, sides: &[SideId]) -> Result<(), EngineError> {
        let mut best = self.runs[id.0 as usize].clone();
        let Some(object) = self.object_of_lines(&best) else { return Ok(()) };
        let mut line = lines::ranges(&best.objects[object].bytes).len();
        let mut cut = false;
        for _ in 0..RUNS {
            // Later lines first: what comes before may be what they need.
            let Some(at) = line.checked_sub(1).filter(|_| self.may_go_on()) else { break };
            line = at;
            let mut candidate = best.clone();
            let range = lines::ranges(&candidate.objects[object].bytes)[at].clone();
            candidate.objects[object].bytes.drain(range);
            self.server.run(Mode::Tracking, &candidate, &self.search_limits())?;
            self.counters.executions += 1;
            self.counters.iterations += 1;
            let taken = self.units.covered(&self.server.trace());
            if taken.iter().any(|side| !self.coverage.is_covered(*side)) {
                self.track(&candidate, None, Origin::Random)?;
            }
            if sides.iter().all(|side| taken.binary_search(side).is_ok()) {
                (best, cut) = (candidate, true);
            }
        }
        if cut && self.may_go_on() {
            self.track(&best, None, Origin::Random)?;
        }
        Ok(())
    }

    /// The first object of an input that may be shorter and has several lines.
    fn object_of_lines(&self, input: &Input) -> Option<usize> {
        let may_shrink = |object: usize| self.server.sources().get(object).is_some_and(|source| !source.exact);
        (0..input.objects.len()).find(|&at| may_shrink(at) && lines::ranges(&input.objects[at].bytes).len() > 1)
    }
}
