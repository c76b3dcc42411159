//! What runs beside the campaign: a worker has a server, does one task at a desk, and comes back with what the task
//! brought. A desk is a thread's: it has a solver and a copy of the campaign's terms. Neither knows a tree, coverage or a
//! strategy, and they decide nothing: a worker that is away is only time being spent.

use crate::campaign::EngineError;
use crate::clock::thread_cpu;
use crate::flip::Question;
use crate::inputs;
use crate::values::Generator;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use symcrete_exec::{Input, Limits, Mode, Run, Server, Shortened};
use symcrete_search::Rng;
use symcrete_solve::{Answer, Counters, Solver, Why};
use symcrete_term::Replica;

/// What a thread has, whoever works there. Queries are alike, so what a solver has learnt is worth most where there are
/// few of them.
pub(crate) struct Desk {
    pub solver: Solver,
    pub terms: Replica,
    /// The campaign's terms as they were when the last task was sent.
    pub published: Arc<Mutex<Replica>>,
}

impl Desk {
    /// The terms that a task speaks of.
    fn catch_up(&mut self) {
        self.terms.catch_up(&self.published.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

pub(crate) struct Worker {
    pub server: Server,
    /// For bytes that no model gives.
    pub rng: Rng,
    /// Set by the campaign when whatever is being done is not wanted any more.
    pub stop: Arc<AtomicBool>,
}

/// What a worker can be sent off with.
pub(crate) enum Task {
    /// Solve, and run the model in the tracking body. `left`: of the campaign's time.
    Ask { question: Question, parent: Input, left: Option<Duration>, limits: Limits },
    /// Run one input in the tracking body.
    Track { input: Input, limits: Limits },
    /// Draw inputs and run them in the fast body, in the loop where there is one. The seed of the limits is that of the
    /// first.
    Run { generator: Arc<Generator>, count: u64, how: How, limits: Limits, until: Option<Instant> },
}

/// How many inputs are run.
#[derive(Clone, Copy)]
pub(crate) enum How {
    EachByItself,
    InLoop,
    /// And what is new loses what it does not need for that.
    Shortened,
}

/// What it comes back with. Where there is a tracked run, its trace is in the worker's server.
pub(crate) enum Done {
    Asked {
        answer: Answered,
        solving: Duration,
        /// What the desk's solver did so far.
        solver: Counters,
    },
    Tracked(Input, Run),
    /// How many inputs were run, those worth a look, and one of them, whatever it did.
    Run {
        count: u64,
        /// How many of them did something new.
        news: u32,
        /// Those that did, and those that failed.
        new: Vec<Input>,
        any: Option<Input>,
    },
}

pub(crate) enum Answered {
    Ran(Input, Run),
    Unsat,
    Unknown(Why),
}

impl Worker {
    pub fn work(&mut self, task: Task, desk: &mut Desk) -> Result<Done, EngineError> {
        match task {
            Task::Ask { question, parent, left, limits } => {
                desk.catch_up();
                let begin = thread_cpu();
                let answer = question.put(&mut desk.solver, &desk.terms, &parent, left);
                let solving = thread_cpu().saturating_sub(begin);
                let solver = desk.solver.counters().clone();
                let answer = match answer? {
                    Answer::Sat(model) => {
                        let input = inputs::with_model(&parent, &model, self.server.sources(), &mut self.rng);
                        let run = self.server.run(Mode::Tracking, &input, &limits)?;
                        Answered::Ran(input, run)
                    }
                    Answer::Unsat(_) => Answered::Unsat,
                    Answer::Unknown(why) => Answered::Unknown(why),
                };
                Ok(Done::Asked { answer, solving, solver })
            }
            Task::Track { input, limits } => {
                let run = self.server.run(Mode::Tracking, &input, &limits)?;
                Ok(Done::Tracked(input, run))
            }
            Task::Run { generator, count, how, limits, until } => {
                let mut inputs: Vec<Input> = (0..count).map(|_| generator.draw_for_batch(&mut self.rng)).collect();
                drop(generator);
                let (ran, news, new) = match how {
                    How::EachByItself => self.run_each(&mut inputs, limits, until)?,
                    How::InLoop => self.run_in_loop(&inputs, false, limits, until)?,
                    How::Shortened => self.run_in_loop(&inputs, true, limits, until)?,
                };
                inputs.truncate(ran.min(1) as usize);
                Ok(Done::Run { count: ran, news, new, any: inputs.pop() })
            }
        }
    }

    fn may_go_on(&self, until: Option<Instant>) -> bool {
        !self.stop.load(Ordering::Relaxed) && until.is_none_or(|until| Instant::now() < until)
    }

    /// How many runs there were, how many of them did something new, and what is worth a look.
    fn run_in_loop(
        &mut self,
        inputs: &[Input],
        shorten: bool,
        limits: Limits,
        until: Option<Instant>,
    ) -> Result<(u64, u32, Vec<Input>), EngineError> {
        let (mut at, mut beside, mut news, mut new) = (0, 0, 0, vec![]);
        while at < inputs.len() && self.may_go_on(until) {
            let before = shorten.then(|| self.server.seen());
            let result = self.server.batch(&inputs[at..], &Limits { seed: limits.seed ^ at as u64, ..limits })?;
            // Whatever was cut short because we stop did not fail.
            let ended = result.ended.map(|(index, _)| index).filter(|_| !self.stop.load(Ordering::Relaxed));
            let executed = result.executed.max(usize::from(ended.is_some()));
            if executed == 0 {
                break;
            }
            news += result.novel.len() as u32;
            for input in result.novel.into_iter().map(|index| &inputs[at + index]) {
                let Some(before) = &before else {
                    new.push(input.clone());
                    continue;
                };
                let Shortened { input, ended, runs } = self.server.shorten(input, before, &limits)?;
                new.extend([Some(input), ended].into_iter().flatten());
                beside += runs;
            }
            new.extend(ended.map(|index| inputs[at + index].clone()));
            at += executed;
        }
        Ok((at.min(inputs.len()) as u64 + beside, news, new))
    }

    /// The same without a loop. The inputs become what was really run: what is asked for is known then.
    fn run_each(
        &mut self,
        inputs: &mut [Input],
        limits: Limits,
        until: Option<Instant>,
    ) -> Result<(u64, u32, Vec<Input>), EngineError> {
        let (mut at, mut news, mut new) = (0, 0, vec![]);
        while at < inputs.len() && self.may_go_on(until) {
            let run = self.server.run(Mode::Fast, &inputs[at], &Limits { seed: limits.seed ^ at as u64, ..limits })?;
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            inputs[at] = self.server.input_of(&inputs[at], &run);
            let is_new = self.server.absorb_marks() > 0;
            news += u32::from(is_new);
            if is_new || run.end.is_failure() {
                new.push(inputs[at].clone());
            }
            at += 1;
        }
        Ok((at as u64, news, new))
    }
}
