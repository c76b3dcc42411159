//! Runs with very many decisions: a loop up to a number of the input has two thousand million of them. To record a
//! quarter of a million and take them into the tree lasts more than a second, and what is worth flipping is nearly always
//! among the first. So traces are cut sooner while a campaign is young. Of what was cut, runs that did something new are
//! run whole as the time allows, for what comes behind the loop; the others when nothing else is left. Runs that take much
//! longer than others are given up, and have all of their time then.

use crate::campaign::{Campaign, EngineError};
use std::time::Duration;
use symcrete_abi::layout::truncated;
use symcrete_event::Origin;
use symcrete_exec::{End, Input, Limits, Run};
use symcrete_tree::RunId;

/// Events that are recorded of any run.
const FIRST: u32 = 1 << 12;
/// And so many more for each second that has passed: such a run takes a fiftieth of the time.
const PER_SECOND: f64 = 3000.0;
/// Events for a decision, at most: calls, values that were made concrete.
const EVENTS: u32 = 4;
/// Whole runs have one part in so many of the time, and none in the first seconds.
const SHARE: u32 = 8;
const YOUNG: Duration = Duration::from_secs(2);
/// Runs that are remembered as cut.
const MOST: usize = 64;
/// And as given up.
const MOST_GIVEN_UP: usize = 4;

#[derive(Default)]
pub struct LongRuns {
    /// Cut runs, and those of them that did something new.
    cut: Vec<RunId>,
    earned: Vec<RunId>,
    /// Random inputs that took much longer than others and were given up.
    given_up: Vec<Input>,
    spent: Duration,
    /// A run has all of its time just now.
    patient: bool,
    /// From now on whatever fits is recorded.
    whole: bool,
}

/// Limits of a run that was solved for: it has to be seen to come to the decision that was flipped, behind so many others.
pub fn limits_behind(decisions: u32, limits: Limits) -> Limits {
    let deep = decisions.saturating_mul(EVENTS) >= limits.events;
    Limits { events: if deep { u32::MAX } else { limits.events }, ..limits }
}

impl Campaign<'_> {
    /// How many events of a run that searches are recorded. Where no clock may say so, all that fit.
    pub(crate) fn most_events(&self) -> u32 {
        if self.long_runs.whole || !self.by_clock() {
            return u32::MAX;
        }
        FIRST + (self.clock.wall().as_secs_f64() * PER_SECOND) as u32
    }

    /// A run was taken in.
    pub(crate) fn note_cut(&mut self, run: &Run, id: RunId, gain: u32) {
        let LongRuns { cut, earned, whole, .. } = &mut self.long_runs;
        let list = if gain > 0 { earned } else { cut };
        if run.truncated & truncated::EVENTS != 0 && !*whole && list.len() < MOST {
            list.push(id);
        }
    }

    /// The latest run was given up, and its replay came to an end.
    pub(crate) fn note_given_up(&mut self) {
        if !self.long_runs.patient && self.long_runs.earned.len() < MOST {
            self.long_runs.earned.push(RunId(self.runs.len() as u32 - 1));
        }
    }

    /// Whether a random run of the fast body was given up before its time was over: it has all of it later, when there is
    /// time. To look at hangs at once would take all of the first seconds.
    pub(crate) fn put_off(&mut self, input: &Input, run: &Run) -> bool {
        let sooner = run.end == End::Timeout && self.search_limits().timeout < self.limits().timeout;
        let room = self.long_runs.given_up.len() < MOST_GIVEN_UP;
        if sooner && room {
            self.long_runs.given_up.push(input.clone());
        }
        self.lost.add_named("hang:alike", "", u64::from(sooner && !room));
        sooner
    }

    /// The latest cut run that did something new is run whole, or one that was given up, if it is time to.
    pub(crate) fn run_one_whole(&mut self) -> Result<(), EngineError> {
        let now = self.clock.wall();
        if now < YOUNG || self.long_runs.spent > now / SHARE {
            return Ok(());
        }
        if let Some(id) = self.long_runs.earned.pop() {
            self.track_whole(id)?;
        } else if let Some(input) = self.long_runs.given_up.pop() {
            self.track_patiently(&input)?;
        }
        self.long_runs.spent += self.clock.wall() - now;
        Ok(())
    }

    /// Nothing is left to flip: all that was cut is run whole. False when nothing was.
    pub(crate) fn run_whole(&mut self) -> Result<bool, EngineError> {
        self.long_runs.whole = true;
        let mut cut = std::mem::take(&mut self.long_runs.cut);
        cut.append(&mut self.long_runs.earned);
        for id in &cut {
            if self.may_go_on() {
                self.track_whole(*id)?;
            }
        }
        let given_up = std::mem::take(&mut self.long_runs.given_up);
        for input in &given_up {
            if self.may_go_on() {
                self.track_patiently(input)?;
            }
        }
        Ok(!cut.is_empty() || !given_up.is_empty())
    }

    fn track_whole(&mut self, id: RunId) -> Result<(), EngineError> {
        let input = self.runs[id.0 as usize].clone();
        self.track_patiently(&input)
    }

    fn track_patiently(&mut self, input: &Input) -> Result<(), EngineError> {
        self.long_runs.patient = true;
        let tracked = self.track_within(input, &self.limits(), None, Origin::Random);
        self.long_runs.patient = false;
        tracked.map(drop)
    }
}
