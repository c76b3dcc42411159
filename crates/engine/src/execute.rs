//! Running inputs: in the tracking body, whose path goes into the tree, and in the fast body, which only
//! says whether something new happened.

use crate::campaign::{Campaign, EngineError};
use crate::guesses::Seen;
use crate::inputs;
use crate::kept_tree;
use crate::settings::Values;
use std::ops::RangeInclusive;
use std::sync::Arc;
use symcrete_abi::Lost;
use symcrete_event::Origin;
use symcrete_exec::{End, Importer, Input, Limits, Mode, Run, Trace, Units, check_values, full_path};
use symcrete_program::SiteId;
use symcrete_search::{Ended, Outcome};
use symcrete_term::Terms;
use symcrete_tree::{End as PathEnd, Inserted, NodeId, OpenSide, RunId};

/// Inputs per call of the persistent loop: long enough that the call costs nothing, short enough to stop in time.
const BATCH: u32 = 4096;
/// The same at the beginning, when there is much to learn from each.
const FIRST_BATCH: u32 = 32;

/// Seeds that are tracked whatever they do.
const SEEDS_TRACKED: usize = 1000;
/// Of the others, one in so many.
const SEED_SAMPLE: usize = 16;

/// Random runs between two that are repeated in the tracking body.
const SAMPLE: RangeInclusive<u64> = 256..=16384;
/// The same where a run in the fast body is a process, too, and costs nearly as much.
const SAMPLE_OF_FORKED: RangeInclusive<u64> = 2..=6;

/// Of crashes that look the same, so many are looked at; of later ones, one in so many.
const CRASHES: u32 = 16;
/// The same of hangs, which take long.
const HANGS: u32 = 3;

/// What steps cost where no clock may say so: typical microseconds.
pub mod cost {
    pub const LOOPED: f64 = 2.0;
    pub const FORKED: f64 = 300.0;
    pub const TRACKED: f64 = 500.0;
    pub const SOLVE: f64 = 500.0;
    /// Where new inputs are what the budget counts, each is worth more than the time it takes.
    pub const ITERATION: f64 = 5000.0;
}

/// What a tracked run brought.
pub struct Tracked {
    pub inserted: Inserted,
    pub gain: u32,
}

/// Which inputs did something new in the fast body, and how many were run.
struct New {
    indices: Vec<usize>,
    executed: usize,
}

impl Campaign<'_> {
    /// Runs an input in the tracking body, checks the trace, adds the path, credits sides, keeps tests and bugs.
    pub fn track(&mut self, input: &Input, expected: Option<OpenSide>, origin: Origin) -> Result<Tracked, EngineError> {
        self.track_within(input, &self.search_limits(), expected, origin)
    }

    pub(crate) fn track_within(
        &mut self,
        input: &Input,
        limits: &Limits,
        expected: Option<OpenSide>,
        origin: Origin,
    ) -> Result<Tracked, EngineError> {
        let run = self.server.run(Mode::Tracking, input, limits)?;
        self.take_in(input, &run, expected, origin)
    }

    /// The same for a run of the server that is over.
    pub(crate) fn take_in(
        &mut self,
        input: &Input,
        run: &Run,
        expected: Option<OpenSide>,
        origin: Origin,
    ) -> Result<Tracked, EngineError> {
        let taking = self.stretch();
        let tracked = self.take(input, run, expected, origin);
        self.ledger.taking_in += self.since(&taking);
        tracked
    }

    fn take(
        &mut self,
        input: &Input,
        run: &Run,
        expected: Option<OpenSide>,
        origin: Origin,
    ) -> Result<Tracked, EngineError> {
        self.counters.executions += 1;
        self.counters.tracked_executions += 1;
        if matches!(run.end, End::Exit(_)) {
            self.longest = self.longest.max(run.seconds);
        }
        let input = self.server.input_of(input, run);
        let trace = self.server.trace();
        if self.units.len() != trace.unit_count() {
            self.units = Units::load(&trace, self.program)?;
        }
        for lost in trace.lost() {
            self.lost.add(lost, self.units.site(lost.site), self.program);
        }
        for site in trace.events().filter_map(|event| self.units.site(event.site)) {
            self.dependent.note(site);
        }
        self.words_met.extend(trace.words().into_iter().map(|word| word.wanted));
        let known = self.targets.len();
        self.targets.extend(trace.targets());
        let marker = self.targets.len() > known;
        let taken = self.units.covered(&trace);
        self.visits.count_sides(&taken);
        let followed = expected.is_some() || self.self_check || self.tree.len() < self.most_nodes;
        let inserted = if followed {
            self.add_path(&input, run, expected)?
        } else {
            self.lost.add_named("tree", "", u64::from(self.most_nodes > kept_tree::MOST));
            self.tree.leave_out()
        };
        let marks = self.server.absorb_marks();
        Arc::make_mut(&mut self.generator).learn(&input);
        self.runs.push(input.clone());
        let wanted = match &mut self.watch {
            Some(watch) => {
                let seen = (&self.server.trace(), run.end);
                watch.look(seen, &taken, &self.units, self.program, self.counters.tests + 1)
            }
            None => marker,
        };
        let new: Vec<_> = taken.iter().copied().filter(|side| self.coverage.cover(*side)).collect();
        let gain = new.len() as u32;
        let id = RunId(self.runs.len() as u32 - 1);
        self.note_cut(run, id, gain);
        self.note_lines(&input, id, &new);
        // Where runs are forked most random ones are tracked, and most of these did nothing new.
        if gain > 0 || marks > 0 || (origin == Origin::Random && (!self.sampled || self.persistent)) {
            Arc::make_mut(&mut self.generator).keep(&input);
        }
        if self.settings.search.values == Values::Mixture && (inserted.new_path || gain > 0) {
            let borders = &mut Arc::make_mut(&mut self.generator).corpus.borders;
            borders.add(&input, &taken, &new, &self.decisions, &self.coverage);
        }
        // What a guess did not lead to leads to no other guesses: they would be much the same.
        let guessed = matches!(origin, Origin::Flip { optimistic: true, .. });
        if gain > 0 {
            self.guesses.start_over();
        }
        if self.wishing && (gain > 0 || (inserted.new_path && !guessed)) {
            let seen = Seen {
                trace: self.server.trace(),
                units: &self.units,
                program: self.program,
                coverage: &self.coverage,
                sources: self.server.sources(),
                input: &input,
                run: RunId(self.runs.len() as u32 - 1),
            };
            self.guesses.collect(&seen, &mut self.terms);
        }
        self.keep(&input, run, origin, &taken, &new, wanted)?;
        Ok(Tracked { inserted, gain })
    }

    /// Imports the path of the run that is over, checks it, and adds it to the tree.
    fn add_path(&mut self, input: &Input, run: &Run, expected: Option<OpenSide>) -> Result<Inserted, EngineError> {
        let trace = self.server.trace();
        let mut path = self.importer.path(&trace, &self.units, self.program, &mut self.terms)?;
        if run.end.is_cut() {
            path.end = PathEnd::Cut;
        } else if self.self_check {
            judge_trace(&mut self.importer, &self.terms, &trace, input)?;
        }
        let finished = matches!(run.end, End::Exit(_));
        match full_path(&trace, &self.units, self.program, self.importer.positions(), finished) {
            Ok(full) => {
                if self.full_paths {
                    self.lost.add_named("path", "", u64::from(full.as_ref().is_none_or(|full| full.cut)));
                    path.full = full.map(Box::new);
                }
            }
            Err(error) if self.self_check && !run.end.is_cut() && !spoilt(&trace) => {
                return Err(EngineError::FullPath { error, input: inputs::objects(input) });
            }
            Err(_) => self.lost.add_named("path", "", u64::from(self.full_paths)),
        }
        let id = RunId(self.runs.len() as u32);
        self.visits.count(&path, 0, self.sampled);
        if self.wishing {
            self.wishes.collect(self.importer.wishes(), &path, id);
        }
        let inserted = self.tree.insert(&path, id, expected);
        self.learn_words(&inserted, input);
        Ok(inserted)
    }

    /// Up to `count` random inputs; one alone is always tracked.
    pub fn run_random(&mut self, count: u32) -> Result<Outcome, EngineError> {
        if count <= 1 {
            let input = self.generator.draw(&mut self.rng);
            self.counters.iterations += 1;
            self.counters.random_runs += 1;
            let run = self.server.run(Mode::Tracking, &input, &self.search_limits())?;
            return self.take_in_random(&input, &run);
        }
        let left = self.settings.budget.iterations.map_or(u64::MAX, |n| n.saturating_sub(self.counters.iterations));
        let count = self.batch(count, left);
        let inputs: Vec<Input> = (0..count).map(|_| self.generator.draw_for_batch(&mut self.rng)).collect();
        if self.persistent { self.run_batch(&inputs) } else { self.run_each(&inputs) }
    }

    /// A single random run, tracked and over.
    pub(crate) fn take_in_random(&mut self, input: &Input, run: &Run) -> Result<Outcome, EngineError> {
        self.sampled = true;
        let tracked = self.take_in(input, run, None, Origin::Random);
        self.sampled = false;
        let tracked = tracked?;
        let leaf = tracked.inserted.leaf.filter(|_| tracked.inserted.new_path);
        Ok(Outcome { ended: Ended::Ran, leaf, runs: 1, gain: tracked.gain, news: 0, cost: cost::TRACKED })
    }

    /// How many random inputs are drawn at once: `count` at most, and not more than are left.
    pub(crate) fn batch(&self, count: u32, left: u64) -> u64 {
        // What the first runs show, later ones are made of.
        let batch = self.counters.random_runs.clamp(u64::from(FIRST_BATCH), u64::from(BATCH));
        u64::from(count).min(batch).min(left).max(1)
    }

    /// Seeds. Earlier tests are tracked again, so is every seed whose path will be flipped without a strategy,
    /// and so are the first of the others; of a larger corpus only what is new in the fast body, and a sample of
    /// the rest: what the optimiser made of two sides may look the same there.
    pub fn run_seeds(&mut self, mut seeds: Vec<(String, Input)>) -> Result<(), EngineError> {
        let first = if self.settings.search.one_generation {
            seeds.len()
        } else {
            self.settings.resumed as usize + SEEDS_TRACKED
        };
        let rest = seeds.split_off(first.min(seeds.len()));
        for (number, (name, input)) in seeds.into_iter().enumerate() {
            if !self.may_go_on() {
                break;
            }
            self.silent = number < self.settings.resumed as usize;
            self.counters.iterations += 1;
            self.track(&input, None, Origin::Seed(name))?;
            self.say_progress();
        }
        self.silent = false;
        if rest.is_empty() {
            return Ok(());
        }
        let (names, inputs): (Vec<String>, Vec<Input>) = rest.into_iter().unzip();
        let mut at = 0;
        while at < inputs.len() && self.may_go_on() {
            let mut new = self.new_in_fast_body(&inputs[at..])?;
            new.indices.extend((0..new.executed).filter(|index| (at + index) % SEED_SAMPLE == 0));
            new.indices.sort_unstable();
            new.indices.dedup();
            for index in new.indices {
                let (name, input) = (names[at + index].clone(), inputs[at + index].clone());
                self.track(&input, None, Origin::Seed(name))?;
            }
            at += new.executed;
            self.say_progress();
        }
        Ok(())
    }

    /// Runs inputs in the fast body, in the loop where there is one.
    fn new_in_fast_body(&mut self, inputs: &[Input]) -> Result<New, EngineError> {
        let left = self.settings.budget.iterations.map_or(u64::MAX, |n| n.saturating_sub(self.counters.iterations));
        let inputs = &inputs[..inputs.len().min(BATCH as usize).min(left.min(u64::from(BATCH)) as usize).max(1)];
        let new = if self.server.is_persistent() {
            let result = self.server.batch(inputs, &self.search_limits())?;
            match result.executed.max(usize::from(result.ended.is_some())) {
                // The loop took none of them: whatever it is, the tracking body will tell.
                0 => New { indices: vec![0], executed: 1 },
                executed => New {
                    indices: result.novel.into_iter().chain(result.ended.map(|(index, _)| index)).collect(),
                    executed,
                },
            }
        } else {
            let run = self.server.run(Mode::Fast, &inputs[0], &self.search_limits())?;
            let is_new = self.server.absorb_marks() > 0 || run.end.is_failure();
            New { indices: if is_new { vec![0] } else { vec![] }, executed: 1 }
        };
        self.counters.executions += new.executed as u64;
        self.counters.iterations += new.executed as u64;
        Ok(new)
    }

    fn run_batch(&mut self, inputs: &[Input]) -> Result<Outcome, EngineError> {
        let mut outcome = Outcome { ended: Ended::Ran, leaf: None, runs: 0, gain: 0, news: 0, cost: 0.0 };
        let mut rest = inputs;
        while !rest.is_empty() && self.may_go_on() {
            let before = self.shortens().then(|| self.server.seen());
            let result = self.server.batch(rest, &self.search_limits())?;
            let executed = result.executed.max(usize::from(result.ended.is_some()));
            if executed == 0 {
                break;
            }
            self.counters.executions += executed as u64;
            self.counters.iterations += executed as u64;
            self.counters.random_runs += executed as u64;
            outcome.runs += executed as u32;
            outcome.news += result.novel.len() as u32;
            let last = result.ended.filter(|(index, run)| {
                !self.put_off(&rest[*index], run) && (self.server.absorb_marks() > 0 || self.deserves_a_look(run, None))
            });
            for index in result.novel {
                self.follow_up_shortened(&rest[index], before.as_ref(), &mut outcome)?;
            }
            if let Some((index, _)) = last {
                self.follow_up(&rest[index], &mut outcome)?;
            }
            rest = &rest[executed.min(rest.len())..];
        }
        self.sample(&inputs[..inputs.len().min(outcome.runs as usize)], &mut outcome)?;
        outcome.cost = f64::from(outcome.runs) * cost::LOOPED;
        Ok(outcome)
    }

    fn run_each(&mut self, inputs: &[Input]) -> Result<Outcome, EngineError> {
        let mut outcome = Outcome { ended: Ended::Ran, leaf: None, runs: 0, gain: 0, news: 0, cost: 0.0 };
        for input in inputs {
            if !self.may_go_on() {
                break;
            }
            let run = self.server.run(Mode::Fast, input, &self.search_limits())?;
            self.counters.executions += 1;
            self.counters.iterations += 1;
            self.counters.random_runs += 1;
            outcome.runs += 1;
            let input = self.server.input_of(input, &run);
            if self.put_off(&input, &run) {
                continue;
            }
            let new = self.server.absorb_marks() > 0;
            outcome.news += u32::from(new);
            if new || (run.end.is_failure() && self.deserves_a_look(&run, None)) {
                self.follow_up(&input, &mut outcome)?;
            } else {
                self.sample(&[input], &mut outcome)?;
            }
        }
        outcome.cost = f64::from(outcome.runs) * cost::FORKED;
        Ok(outcome)
    }

    /// What the new decisions of a run compare with, for random inputs to come.
    pub(crate) fn learn_words(&mut self, inserted: &Inserted, input: &Input) {
        if self.settings.search.values == Values::Mixture {
            let subjects = || inserted.new_nodes.clone().map(|node| self.tree.subject(NodeId(node)));
            let generator = Arc::make_mut(&mut self.generator);
            generator.dictionary.learn(subjects(), &self.terms);
            self.evaluator.begin();
            let value = |term| self.evaluator.eval(&self.terms, term, &|var| inputs::value(input, var));
            generator.dictionary.learn_values(subjects(), &self.terms, value);
            generator.shape.learn(subjects(), &self.terms);
            generator.dictionary.learn_words(self.importer.wishes(), &self.terms);
        }
    }

    /// Something new in the fast body: the tracking body says what.
    pub(crate) fn follow_up(&mut self, input: &Input, outcome: &mut Outcome) -> Result<(), EngineError> {
        let tracked = self.track(input, None, Origin::Random)?;
        outcome.gain += tracked.gain;
        if tracked.inserted.new_path {
            outcome.leaf = tracked.inserted.leaf;
        }
        Ok(())
    }

    /// Whether a run that failed, and did nothing else that is new, is looked at. Some crashes come again and again: those
    /// that came as often by the same signal at the same place of the code, after the same decision where that is known,
    /// are, now and then.
    pub(crate) fn deserves_a_look(&mut self, run: &Run, last: Option<SiteId>) -> bool {
        let (signal, pc, first, name) = match run.end {
            End::Signal(crash) | End::StackOverflow(crash) => (crash.signal, crash.pc, CRASHES, "crash:alike"),
            End::Timeout => (0, 0, HANGS, "hang:alike"),
            _ => return true,
        };
        let times = self.crashes.entry((signal, pc, last)).or_insert(0);
        *times += 1;
        let look = *times <= first || times.is_multiple_of(CRASHES);
        self.lost.add_named(name, "", u64::from(!look));
        look
    }

    /// Two conditions that the optimiser made one look the same in the fast body, so now and then a random run is
    /// repeated in the tracking body whatever it did there: often at first, then so seldom that it costs little. There it
    /// shows as well that something else depends on input than ever before: a decision, or what is compared with a word.
    pub(crate) fn sample(&mut self, ran: &[Input], outcome: &mut Outcome) -> Result<(), EngineError> {
        let first = self.counters.random_runs - ran.len() as u64;
        while let Some(input) = ran.get(self.next_sample.saturating_sub(first) as usize)
            && self.may_go_on()
        {
            self.next_sample = self.next_sample.max(first);
            let range = if self.persistent { SAMPLE } else { SAMPLE_OF_FORKED };
            self.next_sample += (self.next_sample / 8).clamp(*range.start(), *range.end());
            self.server.run(Mode::Tracking, input, &self.search_limits())?;
            self.counters.executions += 1;
            let trace = self.server.trace();
            let taken = self.units.covered(&trace);
            let new_side = taken.iter().any(|side| !self.coverage.is_covered(*side));
            if new_side || self.depends_newly(&trace) {
                self.follow_up(input, outcome)?;
            }
        }
        Ok(())
    }

    fn depends_newly(&self, trace: &Trace<'_>) -> bool {
        let mut sites = trace.events().filter_map(|event| self.units.site(event.site));
        sites.any(|site| !self.dependent.is_known(site))
            || trace.words().iter().any(|word| !self.words_met.contains(&word.wanted))
    }

    /// One run of the fast body, for judging.
    pub fn run_fast(&mut self, input: &Input) -> Result<Run, EngineError> {
        self.counters.executions += 1;
        Ok(self.server.run(Mode::Fast, input, &self.limits())?)
    }
}

/// The self-check of a trace: every value and every node once more. A run that was killed may have died between two
/// writes: its trace is used, but not judged.
pub fn judge_trace(
    importer: &mut Importer,
    terms: &Terms,
    trace: &Trace<'_>,
    input: &Input,
) -> Result<(), EngineError> {
    let checked = check_values(trace, input).and_then(|()| importer.check(trace, terms, input));
    checked.map_err(|error| EngineError::SelfCheck { error, input: inputs::objects(input) })
}

/// A second thread, or a handler in the middle of a record, may have spoilt the stream of the full path: that
/// is said, not judged.
fn spoilt(trace: &Trace<'_>) -> bool {
    trace.lost().iter().any(|lost| matches!(lost.what, Lost::Thread | Lost::Signal))
}
