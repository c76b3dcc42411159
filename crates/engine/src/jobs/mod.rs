//! `--jobs N`: threads that solve and run and keep N cores busy, one tree, one corpus. The campaign's own thread asks the strategy, sends
//! workers off with what it said, and takes in what they bring, one after the other, with the very code that a campaign
//! alone uses: while a result is taken in, its worker's server is the campaign's. So only solving and running are done
//! side by side, and nothing that claims anything is shared between threads.
//!
//! Which worker comes back first is chance: the same seed gives the same run only with one job.

mod team;
mod worker;

use crate::campaign::{Campaign, EngineError};
use crate::execute::cost;
use crate::flip::Flipped;
use crate::hybrid::Turning;
use crate::long_runs::limits_behind;
use crate::wishes::{UNFULFILLED, fulfilled};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use symcrete_event::{Phase, Stopped};
use symcrete_exec::{End, Server};
use symcrete_search::{Ended, Outcome, Rng, Step, Strategy, View, seeded};
use symcrete_solve::{Counters, Limit, Solver, Why};
use symcrete_term::Replica;
use symcrete_tree::{OpenSide, RunId};
use team::{Returned, Team};
use worker::{Answered, Desk, Done, How, Task, Worker};

/// Threads beyond the jobs: whoever waits for a target leaves its core to another.
const MORE_THREADS: usize = 1;
/// Workers beyond the threads they work on: somebody is ready to go on while others are taken in.
const SPARE: usize = 3;
/// How long is waited before the user and the clocks are asked again.
const PAUSE: Duration = Duration::from_millis(20);
/// How long workers may take to come back when everything was told to stop.
const LAST_CALL: Duration = Duration::from_millis(700);
/// Seeds of requests begin here, away from those of runs that the campaign makes itself.
const FIRST_DRAW: u64 = 1 << 40;

/// What a worker was sent off for.
enum Errand {
    Step(Step),
    Wish(RunId),
}

/// What has been used, for the campaign's clocks: by the server of the worker with this number, and by the solver of the
/// desk with this number, where there is one.
#[derive(Clone, Default)]
pub(crate) struct Spent {
    pub targets: Duration,
    /// The same by body: fast, tracking.
    pub bodies: (Duration, Duration),
    /// And of walks, which are counted for themselves.
    pub walks: Duration,
    pub solver: Counters,
}

impl Spent {
    fn ran(&mut self, server: &Server) {
        self.bodies = server.cpu_by_body();
        self.targets = self.bodies.0 + self.bodies.1;
    }
}

struct Jobs {
    team: Team,
    stop: Arc<AtomicBool>,
    /// For the desks: nobody works on it, so nobody waits for it.
    published: Arc<Mutex<Replica>>,
    /// By worker: what it is away for, and how many new inputs that may bring.
    errands: FxHashMap<usize, (Errand, u64)>,
    /// Requests answered so far get seeds below this.
    drawn: u64,
}

impl Jobs {
    fn promised(&self) -> u64 {
        self.errands.values().map(|(_, inputs)| inputs).sum()
    }

    fn is_away_for(&self, side: OpenSide) -> bool {
        self.errands.values().any(|(errand, _)| matches!(errand, Errand::Step(Step::Flip(other)) if *other == side))
    }
}

impl Campaign<'_> {
    /// The search by a strategy, with several workers.
    pub(crate) fn search_together(&mut self, strategy: &mut dyn Strategy) -> Result<Stopped, EngineError> {
        if !strategy.overlaps() {
            return Err(EngineError::OneAtATime(strategy.name().into()));
        }
        self.nondeterministic = true;
        let stop = Arc::new(AtomicBool::new(false));
        let threads = self.settings.search.jobs as usize + MORE_THREADS;
        let count = threads + SPARE;
        let workers = (0..count).map(|number| self.hire(number, &stop)).collect::<Result<Vec<_>, _>>()?;
        let published = Arc::new(Mutex::new(Replica::default()));
        let desk = |_| Desk {
            solver: Solver::new(&self.solve_settings).cancelled_by(&stop),
            terms: Replica::default(),
            published: Arc::clone(&published),
        };
        let team = Team::new(workers, (0..threads).map(desk).collect());
        let team = team.map_err(|error| EngineError::Threads(error.to_string()))?;
        self.spent = vec![Spent::default(); count];
        let mut jobs = Jobs { team, stop, published, errands: FxHashMap::default(), drawn: FIRST_DRAW };
        let stopped = self.lead(&mut jobs, strategy);
        let ended = self.call_home(&mut jobs, strategy);
        self.helpers.extend(jobs.team.dismiss(LAST_CALL).into_iter().map(|desk| desk.solver));
        let stopped = stopped?;
        ended?;
        Ok(stopped)
    }

    fn hire(&mut self, number: usize, stop: &Arc<AtomicBool>) -> Result<Worker, EngineError> {
        let mut target = self.target.clone();
        target.interrupt = Some(Arc::clone(stop));
        let mut server = Server::new(target)?;
        server.record_paths(self.full_paths || self.self_check);
        let rng: Rng = seeded(self.settings.search.seed ^ (number as u64 + 1) << 32);
        Ok(Worker { server, rng, stop: Arc::clone(stop) })
    }

    fn lead(&mut self, jobs: &mut Jobs, strategy: &mut dyn Strategy) -> Result<Stopped, EngineError> {
        self.phase = Phase::Search;
        let mut wish = false;
        let mut turning = (self.settings.search.strategy == "auto").then(Turning::default);
        loop {
            if let Some(stopped) = self.over() {
                return Ok(stopped);
            }
            if let Some(turning) = &mut turning {
                self.turn_to_hybrid(turning)?;
            }
            self.run_one_whole()?;
            self.trim_one()?;
            if self.wishing
                && let Some(outcome) = self.try_a_guess()?
            {
                self.wishes.owe(&outcome);
            }
            while let Some((number, mut worker)) = jobs.team.idle() {
                match self.find_work(jobs, strategy, &mut wish) {
                    Some((errand, inputs, task)) => {
                        jobs.published.lock().unwrap_or_else(PoisonError::into_inner).catch_up(&self.terms);
                        self.server.share_marks(&mut worker.server);
                        jobs.errands.insert(number, (errand, inputs));
                        jobs.team.send(number, worker, task);
                    }
                    None => {
                        jobs.team.rest(number, worker);
                        break;
                    }
                }
            }
            if jobs.team.away() == 0 {
                // Nobody is away, and the strategy has nothing to do.
                if self.run_whole()? {
                    continue;
                }
                return Ok(if self.tree.exhausted().is_ok() { Stopped::Exhausted } else { Stopped::NothingLeft });
            }
            if let Some(returned) = jobs.team.wait(PAUSE) {
                let (cost, gain) = self.welcome(jobs, strategy, returned)?;
                if let Some(turning) = &mut turning {
                    turning.spent(cost, gain);
                }
            }
            self.say_progress();
        }
    }

    /// What somebody could do now, if the strategy knows something, and how many new inputs that may bring.
    fn find_work(
        &mut self,
        jobs: &mut Jobs,
        strategy: &mut dyn Strategy,
        wish: &mut bool,
    ) -> Option<(Errand, u64, Task)> {
        let used = self.counters.iterations + jobs.promised();
        let left = self.settings.budget.iterations.map_or(u64::MAX, |n| n.saturating_sub(used));
        if left == 0 {
            return None;
        }
        *wish = self.wishing && !*wish;
        if *wish && let Some(question) = self.next_wish() {
            let run = question.run;
            return Some((Errand::Wish(run), 1, self.asking(jobs, question)));
        }
        *wish = false;
        if jobs.team.away() == 0 {
            self.reopen();
        }
        let choosing = self.stretch();
        let view = View::new(&self.tree, self.program, &self.coverage, &self.visits, &self.prices);
        let step = strategy.next(&view, &mut self.rng);
        self.ledger.search += self.since(&choosing);
        let (inputs, task) = match &step {
            Step::RunRandom { runs: 0 | 1 } => {
                let input = self.generator.draw(&mut self.rng);
                (1, Task::Track { input, limits: self.limits_for(jobs, 1) })
            }
            Step::RunRandom { runs } => {
                let count = self.batch(*runs, left);
                let until = self.share_left().map(|left| Instant::now() + left);
                let (generator, limits) = (Arc::clone(&self.generator), self.limits_for(jobs, count));
                let how = match self.persistent {
                    false => How::EachByItself,
                    true if self.shortens() => How::Shortened,
                    true => How::InLoop,
                };
                (count, Task::Run { generator, count, how, limits, until })
            }
            Step::Flip(side) if jobs.is_away_for(*side) => return None,
            Step::Flip(side) => {
                let prefix = self.tree.prefix_conditions(side.node);
                let question = self.question_behind(*side, prefix);
                self.tree.hold(*side);
                (1, self.asking(jobs, question))
            }
            Step::FlipOn(..) | Step::Path(_) => {
                unreachable!("no strategy looks ahead where the view does not allow it")
            }
            Step::Exhausted => return None,
        };
        Some((Errand::Step(step), inputs, task))
    }

    fn asking(&mut self, jobs: &mut Jobs, question: crate::flip::Question) -> Task {
        let parent = self.runs[question.run.0 as usize].clone();
        let limits = limits_behind(question.depth(), self.limits_for(jobs, 1));
        Task::Ask { question, parent, left: self.share_left(), limits }
    }

    /// A worker's share of what is left of the campaign's time.
    fn share_left(&self) -> Option<Duration> {
        self.time_left().map(|left| left / self.settings.search.jobs)
    }

    /// Limits of runs whose requests are answered with other values than those of any run before.
    fn limits_for(&self, jobs: &mut Jobs, runs: u64) -> symcrete_exec::Limits {
        // Numbers of one batch differ in their low bits only.
        let room = runs.next_power_of_two();
        let first = jobs.drawn.next_multiple_of(room);
        jobs.drawn = first + room;
        symcrete_exec::Limits { seed: self.settings.search.seed ^ first, ..self.search_limits() }
    }

    /// Takes in what a worker brought, with its server; what that cost, and what it covered.
    fn welcome(
        &mut self,
        jobs: &mut Jobs,
        strategy: &mut dyn Strategy,
        returned: Returned,
    ) -> Result<(f64, u32), EngineError> {
        let Returned { number, desk, mut worker, done, spent } = returned;
        let begin = Instant::now();
        let (errand, _) = jobs.errands.remove(&number).expect("whoever is away was sent for something");
        std::mem::swap(&mut self.server, &mut worker.server);
        // The other one is counted as the campaign's meanwhile.
        self.spent[number].ran(&worker.server);
        if let Ok(Done::Asked { solver, .. }) = &done {
            self.spent[desk].solver = solver.clone();
        }
        let outcome = done.and_then(|done| self.take_in_done(&errand, done));
        std::mem::swap(&mut self.server, &mut worker.server);
        self.server.share_marks(&mut worker.server);
        self.spent[number].ran(&worker.server);
        jobs.team.rest(number, worker);
        let Some(mut outcome) = outcome? else { return Ok((0.0, 0)) };
        if self.by_clock() {
            outcome.cost = (spent + begin.elapsed()).as_secs_f64() * 1e6;
        } else {
            outcome.cost += f64::from(outcome.runs) * cost::ITERATION;
        }
        let Errand::Step(step) = errand else {
            self.wishes.owe(&outcome);
            return Ok((0.0, 0));
        };
        if matches!(step, Step::Flip(_)) {
            self.wishes.pay(&mut outcome);
        }
        self.tell(strategy, &step, &outcome);
        Ok((outcome.cost, outcome.gain))
    }

    /// None where it was cut short because everything stops: then nothing is known that was not known before.
    fn take_in_done(&mut self, errand: &Errand, done: Done) -> Result<Option<Outcome>, EngineError> {
        match done {
            Done::Asked { answer, solving, .. } => {
                self.solver_cpu += solving;
                self.take_in_answer(errand, answer)
            }
            Done::Tracked(input, run) => {
                if run.end == End::Interrupted {
                    return Ok(None);
                }
                self.counters.iterations += 1;
                self.counters.random_runs += 1;
                self.take_in_random(&input, &run).map(Some)
            }
            Done::Run { count, news, new, any } => {
                self.counters.executions += count;
                self.counters.iterations += count;
                self.counters.random_runs += count;
                let each = if self.persistent { cost::LOOPED } else { cost::FORKED };
                let (runs, cost) = (count as u32, count as f64 * each);
                let mut outcome = Outcome { ended: Ended::Ran, leaf: None, runs, gain: 0, news, cost };
                for input in new {
                    if self.clock.is_interrupted() {
                        break;
                    }
                    self.follow_up(&input, &mut outcome)?;
                }
                self.sample(&any.into_iter().collect::<Vec<_>>(), &mut outcome)?;
                Ok(Some(outcome))
            }
        }
    }

    fn take_in_answer(&mut self, errand: &Errand, answer: Answered) -> Result<Option<Outcome>, EngineError> {
        let side = match errand {
            Errand::Step(Step::Flip(side)) => Some(*side),
            _ => None,
        };
        if let Some(side) = side {
            self.tree.release(side);
        }
        let flipped = match answer {
            Answered::Ran(_, run) if run.end == End::Interrupted => return Ok(None),
            Answered::Unknown(Why::Budget(Limit::Cancelled)) => return Ok(None),
            Answered::Ran(input, run) => {
                self.counters.sat += 1;
                self.counters.flips += 1;
                self.counters.iterations += 1;
                Flipped::Ran(input, run)
            }
            Answered::Unsat => {
                self.counters.unsat += 1;
                Flipped::Unsat
            }
            Answered::Unknown(why) => {
                self.counters.unknown += 1;
                self.note_unknown(why);
                Flipped::Unknown
            }
        };
        match (errand, side, flipped) {
            (_, Some(side), flipped) => self.settle(side, flipped).map(Some),
            (Errand::Wish(parent), None, Flipped::Ran(input, run)) => {
                let tracked = self.take_in(&input, &run, None, self.origin_of_wish(*parent))?;
                Ok(Some(fulfilled(tracked.gain)))
            }
            _ => Ok(Some(UNFULFILLED)),
        }
    }

    /// Everybody stops and comes home. What is finished is taken in, unless it is the user who stops us.
    fn call_home(&mut self, jobs: &mut Jobs, strategy: &mut dyn Strategy) -> Result<(), EngineError> {
        jobs.stop.store(true, Ordering::Relaxed);
        let until = Instant::now() + LAST_CALL;
        while jobs.team.away() > 0 && Instant::now() < until {
            let Some(returned) = jobs.team.wait(PAUSE) else { continue };
            self.welcome(jobs, strategy, returned)?;
        }
        Ok(())
    }
}
