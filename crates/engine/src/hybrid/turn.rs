//! When `auto` turns to hybrid testing: the program keeps asking for input, and nothing new has come for a while. From
//! then on both get the same time, until something new comes: then it is the strategy's turn again.

use super::Hybrid;
use crate::campaign::{Campaign, EngineError};
use crate::execute::cost;
use symcrete_exec::Input;
use symcrete_program::SideId;

/// Requests of one run from which on a program keeps asking.
const MANY: usize = 16;
/// Bytes of standard input from which on a program may be one that keeps reading.
const MUCH: usize = 256;
/// What may be spent (in microseconds, or what stands for them) without anything new.
const PATIENCE: f64 = 2e6;

#[derive(Default)]
pub struct Turning {
    hybrid: Option<Hybrid>,
    /// It cannot be done.
    off: bool,
    /// Spent by the strategy since something was new.
    since: f64,
    /// What the strategy has spent more than hybrid testing, since its patience ended.
    ahead: f64,
}

impl Turning {
    /// A step of the strategy.
    pub fn spent(&mut self, cost: f64, gain: u32) {
        if gain > 0 {
            (self.since, self.ahead) = (0.0, 0.0);
        }
        self.since += cost;
        if self.since > PATIENCE {
            self.ahead += cost;
        }
    }
}

/// Tests that are remembered until then.
const REMEMBERED: usize = 64;

impl Campaign<'_> {
    /// A test was kept for these sides.
    pub(crate) fn note_news(&mut self, input: &Input, new: &[SideId]) {
        if self.may_keep_asking() {
            if self.news.len() == REMEMBERED {
                self.news.remove(0);
            }
            self.news.push((input.clone(), new.to_vec()));
        }
    }

    /// Whether the program asks again and again, or has so much to read that it may.
    fn may_keep_asking(&self) -> bool {
        let much = |at: usize| self.server.sources()[at].capacity as usize >= MUCH;
        self.generator.asked() >= MANY || self.stream().is_some_and(much)
    }

    /// A round of hybrid testing, if it is its turn.
    pub(crate) fn turn_to_hybrid(&mut self, turning: &mut Turning) -> Result<(), EngineError> {
        if turning.off || turning.ahead <= 0.0 || !self.may_keep_asking() {
            return Ok(());
        }
        if turning.hybrid.is_none() {
            match self.new_hybrid(None) {
                Ok(hybrid) => turning.hybrid = Some(hybrid),
                Err(error) => {
                    // The strategy alone does what it can.
                    self.lost.add_named("snapshot:no-server", &error.to_string(), 1);
                    turning.off = true;
                }
            }
        }
        let Some(hybrid) = &mut turning.hybrid else { return Ok(()) };
        let (begin, runs, before) = (self.clock.wall(), self.counters.executions, self.counters.branches_covered);
        self.hybrid_round(hybrid)?;
        let cost = if self.by_clock() {
            (self.clock.wall() - begin).as_secs_f64() * 1e6
        } else {
            (self.counters.executions - runs) as f64 * (cost::TRACKED + cost::ITERATION)
        };
        turning.ahead -= cost;
        if self.generator.asked() < MANY && hybrid.longest < MANY {
            // It reads all at once: other strategies do that better.
            turning.off = true;
        }
        if self.counters.branches_covered > before {
            // What was found is in the tree now: the strategy may know more to do with it.
            (turning.since, turning.ahead) = (0.0, 0.0);
        }
        Ok(())
    }
}
