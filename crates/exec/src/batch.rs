//! The persistent loop: many inputs through one process of the fast body, for targets whose entry may be
//! called again and again. Says which inputs did something new, and which one ended the loop.

use crate::channel::Heard;
use crate::end::End;
use crate::input::{EncodeError, Input, encode_batch};
use crate::server::{Run, Server, ServerError};
use crate::target::Limits;
use std::mem::offset_of;
use std::time::{Duration, Instant};
use symcrete_abi::control::{CommandKind, Mode};
use symcrete_abi::layout::{Header, flags};
use symcrete_process::{Over, Status, Watch};

/// What became of a batch.
#[derive(Clone, Debug, Default)]
pub struct BatchResult {
    /// Indices of inputs that set marks not seen before, ascending.
    pub novel: Vec<usize>,
    /// Inputs that were run, from the front; the rest was not (a full list of news, an end, no room).
    pub executed: usize,
    /// The input that ended the loop, and how.
    pub ended: Option<(usize, Run)>,
}

impl Server {
    /// Runs inputs one after the other in the persistent loop.
    pub fn batch(&mut self, inputs: &[Input], limits: &Limits) -> Result<BatchResult, ServerError> {
        self.batch_by(flags::NOVELTY, inputs, limits)
    }

    /// The same, with what makes an input count.
    pub(crate) fn batch_by(
        &mut self,
        counts: u32,
        inputs: &[Input],
        limits: &Limits,
    ) -> Result<BatchResult, ServerError> {
        if inputs.is_empty() {
            return Ok(BatchResult::default());
        }
        if !self.live()?.persistent {
            return Err(ServerError::NoLoop { program: self.name() });
        }
        let capacity = self.shm.capacities().input;
        let (bytes, count) = encode_batch(inputs, capacity);
        if count == 0 {
            return Err(EncodeError::TooLarge { needed: inputs[0].encoded_size() + 8, capacity }.into());
        }
        let mut tries = 0;
        loop {
            tries += 1;
            let paused = self.live()?.paused;
            self.shm.begin_run();
            self.shm.put_bytes(&bytes);
            self.shm.set_u64(offset_of!(Header, seed), limits.seed);
            self.shm.set_u32(offset_of!(Header, max_inputs), limits.max_inputs);
            self.shm.set_u32(offset_of!(Header, flags), counts | self.shm.flags());
            self.shm.set_u32(offset_of!(Header, batch_current), 0);
            self.shm.set_u32(offset_of!(Header, batch_size), count as u32);
            self.shm.set_u32(offset_of!(Header, novel_count), 0);
            let begin = Instant::now();
            let heard = match paused {
                // The reply to `Continue` is already the end of the batch.
                Some(_) => self.send(CommandKind::Continue).then_some(()).map(|_| None),
                None => match self.command(CommandKind::Batch, Mode::Fast) {
                    Heard::Started { pid } => Some(Some(pid)),
                    _ => None,
                },
            };
            let Some(started) = heard else {
                self.stop();
                if tries > 2 {
                    return Ok(BatchResult { ended: Some((0, self.judge(End::Lost, 0.0))), ..BatchResult::default() });
                }
                continue;
            };
            if let (Some(inner), Some(live)) = (started, &mut self.live) {
                live.paused = live.child.number_of(inner);
            }
            let end = self.follow_batch(count, limits);
            let passed = begin.elapsed();
            self.waited[Mode::Fast as usize] += passed;
            if end.is_some() || self.loop_is_heavy(limits) {
                self.forget_loop();
            }
            self.tidy();
            if end.is_some_and(|e| e != End::Interrupted)
                && paused.is_some()
                && self.shm.batch_current() == 0
                && tries == 1
            {
                // It may have died while it waited, which is not the first input's fault: once more, from the start.
                continue;
            }
            return Ok(self.batch_result(count, end, passed.as_secs_f64()));
        }
    }

    /// The next batch starts a new loop; the server ends the old one.
    fn forget_loop(&mut self) {
        if let Some(live) = &mut self.live {
            live.paused = None;
        }
    }

    /// What harnesses leak adds up over millions of inputs; no single input is to blame.
    fn loop_is_heavy(&self, limits: &Limits) -> bool {
        let watch = Watch { memory: limits.memory.map(|m| m / 2), ..Watch::default() };
        self.live.as_ref().is_some_and(|live| live.child.over(&watch) == Some(Over::Memory))
    }

    fn send(&mut self, kind: CommandKind) -> bool {
        self.live.as_mut().is_some_and(|live| live.channel.send(kind, Mode::Fast, 0).is_ok())
    }

    /// `None` when the batch came to its end; otherwise how the loop ended.
    fn follow_batch(&mut self, count: usize, limits: &Limits) -> Option<End> {
        let mut current = self.shm.batch_current();
        let mut since = Instant::now();
        loop {
            let step = (limits.timeout / 4).clamp(Duration::from_millis(1), Duration::from_millis(50));
            match self.until_reply(Instant::now() + step, limits) {
                Ok(Heard::Paused) => return None,
                Ok(Heard::Ended { status }) => {
                    // An exit after the last input is the loop's own end.
                    let all = self.shm.batch_current() as usize >= count;
                    let end = End::from_status(Status::from_wait(status), None, false);
                    if let Some(live) = &mut self.live {
                        live.paused = None;
                    }
                    return if all && end == End::Exit(0) { None } else { Some(end) };
                }
                Ok(_) => {
                    self.stop();
                    return Some(End::Lost);
                }
                Err(End::Timeout) => {
                    // Only forwards: a counter that runs in circles is no progress.
                    let now = self.shm.batch_current();
                    if now > current {
                        (current, since) = (now, Instant::now());
                    } else if since.elapsed() >= limits.timeout {
                        self.end_run();
                        return Some(End::Timeout);
                    }
                }
                Err(end) => {
                    self.end_run();
                    return Some(end);
                }
            }
        }
    }

    fn batch_result(&mut self, count: usize, end: Option<End>, seconds: f64) -> BatchResult {
        let current = (self.shm.batch_current() as usize).min(count);
        let ended = end.map(|end| (current.min(count - 1), self.judge(end, seconds)));
        let executed = match &ended {
            Some((index, _)) => index + 1,
            None => current,
        };
        let mut novel: Vec<usize> =
            self.shm.novel().into_iter().map(|i| i as usize).filter(|&i| i < executed).collect();
        novel.sort_unstable();
        novel.dedup();
        BatchResult { novel, executed, ended }
    }
}
