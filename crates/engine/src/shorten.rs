//! Smaller inputs that show the same bug: cut from the end, cut blocks, then make bytes plain. A fixed
//! number of runs, whatever the input.

use crate::bugs::Identity;
use crate::campaign::{Campaign, EngineError};
use crate::judge::Verdict;
use symcrete_event::BugKind;
use symcrete_exec::{End, Input};

const RUNS: u32 = 300;
/// The same where each of them takes all the time that a run may.
const FEW: u32 = 4;

impl Campaign<'_> {
    /// The smallest input found for which `identity` is still what happens, and how it ends; none when nothing could go.
    pub fn shorten(&mut self, input: &Input, identity: &Identity) -> Result<Option<(Input, Verdict)>, EngineError> {
        let mut best = input.clone();
        let mut left = if identity.kind == BugKind::Timeout { self.runs_that_hang() } else { RUNS };
        for object in 0..best.objects.len() {
            let exact = self.server.sources().get(object).is_none_or(|s| s.exact);
            if !exact {
                self.cut(&mut best, object, identity, &mut left)?;
            }
            self.plain_bytes(&mut best, object, identity, &mut left)?;
        }
        if best == *input {
            return Ok(None);
        }
        let verdict = self.confirm(&best)?;
        Ok((verdict.end != End::Interrupted).then_some((best, verdict)))
    }

    /// Removes blocks, large ones first.
    fn cut(&mut self, best: &mut Input, object: usize, identity: &Identity, left: &mut u32) -> Result<(), EngineError> {
        let mut block = best.objects[object].bytes.len().div_ceil(2);
        while block > 0 {
            let mut at = best.objects[object].bytes.len();
            while at > 0 && *left > 0 {
                let from = at.saturating_sub(block);
                let mut candidate = best.clone();
                candidate.objects[object].bytes.drain(from..at);
                if self.still_fails(&candidate, identity, left)? {
                    *best = candidate;
                }
                at = from;
            }
            block = if block == 1 || *left == 0 { 0 } else { block.div_ceil(2) };
        }
        Ok(())
    }

    /// Sets bytes to zero, or to a letter in text.
    fn plain_bytes(
        &mut self,
        best: &mut Input,
        object: usize,
        identity: &Identity,
        left: &mut u32,
    ) -> Result<(), EngineError> {
        for at in 0..best.objects[object].bytes.len() {
            for plain in [0, b'a'] {
                if *left == 0 || best.objects[object].bytes[at] == plain {
                    break;
                }
                let mut candidate = best.clone();
                candidate.objects[object].bytes[at] = plain;
                if self.still_fails(&candidate, identity, left)? {
                    *best = candidate;
                    break;
                }
            }
        }
        Ok(())
    }

    fn still_fails(&mut self, candidate: &Input, identity: &Identity, left: &mut u32) -> Result<bool, EngineError> {
        *left -= 1;
        if !self.may_go_on() {
            *left = 0;
            return Ok(false);
        }
        Ok(self.failure_of(candidate)?.is_some_and(|failure| failure.identity == *identity))
    }

    /// Of runs that take all their time, as many as take a tenth of the campaign's so far; a few at most.
    fn runs_that_hang(&self) -> u32 {
        if !self.by_clock() {
            return FEW;
        }
        let share = self.clock.wall().as_secs_f64() / 10.0;
        FEW.min((share / self.settings.budget.timeout.as_secs_f64()) as u32)
    }
}
