//! Hints from comparisons: a program that compares a piece of its input with `title` would go on differently had it been
//! equal. Flipping gets there byte by byte; asking for the whole word gets there at once. Nothing is proved by a wish
//! that has no answer.

use crate::campaign::{Campaign, EngineError};
use crate::flip::{Question, Solved, budget};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use symcrete_event::Origin;
use symcrete_exec::Wish;
use symcrete_term::TermId;
use symcrete_tree::{Path, RunId};

/// How often the same bytes are asked for, from different paths.
const TRIES: u8 = 3;
/// How many wait; the oldest give way.
const WAITING: usize = 128;
/// Paths longer than this are seldom worth a whole query for a hint.
const LONGEST_PREFIX: usize = 20_000;

struct Waiting {
    prefix: Vec<TermId>,
    goal: TermId,
    run: RunId,
}

#[derive(Default)]
pub struct Wishes {
    asked: FxHashMap<TermId, u8>,
    waiting: VecDeque<Waiting>,
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

impl Campaign<'_> {
    /// Tries to fulfil the latest wish; whether there was one.
    pub fn fulfil_a_wish(&mut self) -> Result<bool, EngineError> {
        let Some(question) = self.next_wish() else { return Ok(false) };
        let run = question.run;
        if let Solved::Input(input) = self.ask(question)? {
            self.counters.flips += 1;
            self.counters.iterations += 1;
            self.track(&input, None, self.origin_of_wish(run))?;
        }
        Ok(true)
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
