//! Hints from comparisons: a program that compares a piece of its input with `title` would go on differently had it been
//! equal. Flipping gets there byte by byte; asking for the whole word gets there at once. Nothing is proved by a wish
//! that has no answer.

use crate::campaign::{Campaign, EngineError};
use crate::execute::cost;
use crate::flip::{Question, Solved, budget};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use symcrete_event::Origin;
use symcrete_exec::Wish;
use symcrete_search::{Ended, Outcome};
use symcrete_term::TermId;
use symcrete_tree::{Path, RunId};

/// How often the same bytes are asked for, from different paths.
const TRIES: u8 = 3;
/// How many wait; the oldest give way.
const WAITING: usize = 128;
/// Paths longer than this are seldom worth a whole query for a hint.
const LONGEST_PREFIX: usize = 20_000;

/// What came of a wish without an answer.
pub const UNFULFILLED: Outcome =
    Outcome { ended: Ended::Unknown, leaf: None, runs: 0, gain: 0, news: 0, cost: cost::SOLVE };

/// What came of a wish with an answer that was run.
pub fn fulfilled(gain: u32) -> Outcome {
    Outcome { ended: Ended::Ran, runs: 1, gain, cost: cost::SOLVE + cost::TRACKED, ..UNFULFILLED }
}

struct Waiting {
    prefix: Vec<TermId>,
    goal: TermId,
    run: RunId,
}

#[derive(Default)]
pub struct Wishes {
    asked: FxHashMap<TermId, u8>,
    waiting: VecDeque<Waiting>,
    /// What wishes cost and covered since the last flip.
    owed: (f64, u32),
}

impl Wishes {
    /// Takes up what a run brought.
    pub fn collect(&mut self, wishes: &[Wish], path: &Path, run: RunId) {
        for wish in wishes.iter().filter(|wish| wish.after <= LONGEST_PREFIX) {
            let asked = self.asked.entry(wish.goal).or_default();
            if *asked == TRIES {
                continue;
            }
            *asked += 1;
            if self.waiting.len() == WAITING {
                self.waiting.pop_front();
            }
            let prefix = path.steps[..wish.after].iter().map(|step| step.condition).collect();
            self.waiting.push_back(Waiting { prefix, goal: wish.goal, run });
        }
    }
}

impl Wishes {
    /// A wish was tried. It is solving, so the next flip pays for it.
    pub fn owe(&mut self, outcome: &Outcome) {
        self.owed.0 += outcome.cost;
        self.owed.1 += outcome.gain;
    }

    /// The flip that pays. What wishes covered is news, but nothing that this flip covered.
    pub fn pay(&mut self, outcome: &mut Outcome) {
        let (cost, gain) = std::mem::take(&mut self.owed);
        outcome.cost += cost;
        outcome.news += gain;
    }
}

impl Campaign<'_> {
    /// Follows the latest hint, if there is one; what came of it.
    pub fn follow_a_hint(&mut self) -> Result<Option<Outcome>, EngineError> {
        match self.try_a_guess()? {
            None => self.fulfil_a_wish(),
            tried => Ok(tried),
        }
    }

    /// Tries to fulfil the latest wish, if there is one.
    fn fulfil_a_wish(&mut self) -> Result<Option<Outcome>, EngineError> {
        let Some(question) = self.next_wish() else { return Ok(None) };
        let run = question.run;
        let Solved::Input(input) = self.ask(question)? else { return Ok(Some(UNFULFILLED)) };
        self.counters.flips += 1;
        self.counters.iterations += 1;
        let tracked = self.track(&input, None, self.origin_of_wish(run))?;
        Ok(Some(fulfilled(tracked.gain)))
    }

    /// The latest wish, as a question.
    pub(crate) fn next_wish(&mut self) -> Option<Question> {
        let Waiting { prefix, goal, run } = self.wishes.waiting.pop_back()?;
        Some(self.question(prefix, goal, run, vec![budget(0, self.by_clock())]))
    }

    pub(crate) fn origin_of_wish(&self, run: RunId) -> Origin {
        let test = self.test_of_run.get(&(run.0 as usize)).copied().unwrap_or(0);
        Origin::Flip { test, side: None, optimistic: false }
    }
}
