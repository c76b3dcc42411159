//! One campaign: everything it knows, and the loop.

use crate::borders::Decisions;
use crate::clock::{Clock, peak_memory_mb};
use crate::dictionary::Dictionary;
use crate::figures::LostTable;
use crate::flip::Solved;
use crate::guesses::Guesses;
use crate::hybrid::{Role, Turning};
use crate::inputs;
use crate::jobs::Spent;
use crate::judge::Judge;
use crate::kept_tree;
use crate::ledger::Ledger;
use crate::long_runs::LongRuns;
use crate::price::Prices;
use crate::reasons::Dependent;
use crate::settings::{Goal, Settings, Values};
use crate::trim::Trimming;
use crate::values::Generator;
use crate::watch::Watch;
use crate::wishes::Wishes;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use symcrete_event::{Clocks, Counters, Event, InputObject, Origin, Phase, Progress, Reporter, Started, Stopped};
use symcrete_exec::{
    ImportError, Importer, Input, Limits, PathError, SelfCheckError, Server, ServerError, Target, Units, UnitsError,
};
use symcrete_program::{Call, Program, SideId, SiteId, Words};
use symcrete_reach::Reach;
use symcrete_search::{Outcome, Rng, Step, Strategy, View, seeded};
use symcrete_solve::{Fault, LayerSet, Observers, SolveSettings, Solver};
use symcrete_term::{Evaluator, TermId, Terms};
use symcrete_tree::{Closed, Coverage, Tree, Visits};

/// The builds of a target.
#[derive(Clone, Debug)]
pub struct Files {
    pub tracked: PathBuf,
    /// Built without us; where there is none the fast body judges.
    pub plain: Option<PathBuf>,
    /// With AddressSanitizer, for `--check address`.
    pub address: Option<PathBuf>,
    /// Arguments they are all started with, before those that are input.
    pub arguments: Vec<OsString>,
}

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Units(#[from] UnitsError),
    #[error("a replay cannot be made: {0}")]
    Replay(String),
    #[error("the program reads no input that could be varied; {0}")]
    NoInput(String),
    #[error("self-check failed: {error}")]
    SelfCheck { error: SelfCheckError, input: Vec<InputObject> },
    #[error(
        "`--strategy hybrid` is for programs that ask for input while they run, and this one was not seen to\n  \
         give it standard input or a socket to read from (`--stdin N`, `--socket N`), make a function of it the input \
         (`--input-function G`), or ask in the source (symcrete.h); for arguments and files use another strategy"
    )]
    NotReactive,
    #[error("`--strategy {0}` takes one step at a time, so it works with one job")]
    OneAtATime(String),
    #[error("threads for `--jobs` cannot be started: {0}")]
    Threads(String),
    #[error("a trace cannot be read: {0}")]
    Trace(#[from] ImportError),
    #[error("self-check failed: {error}")]
    FullPath { error: PathError, input: Vec<InputObject> },
    #[error("test {test} reaches a place that was proved to be unreachable")]
    WrongProof { test: u32 },
    #[error("self-check failed: a run enters {0}, which was proved to be impossible for runs without memory errors")]
    Impossible(String),
    #[error(transparent)]
    Solver(#[from] Fault),
    #[error(transparent)]
    Layer(#[from] symcrete_solve::UnknownLayer),
    #[error(transparent)]
    Strategy(#[from] symcrete_search::UnknownStrategy),
}

impl EngineError {
    /// Whether the mistake is ours: the exit code for that, and the request to report it.
    pub fn is_our_fault(&self) -> bool {
        matches!(
            self,
            EngineError::SelfCheck { .. }
                | EngineError::FullPath { .. }
                | EngineError::Trace(_)
                | EngineError::WrongProof { .. }
                | EngineError::Impossible(_)
                | EngineError::Solver(_)
        )
    }
}

/// The strategy that is a way to drive, not to choose.
pub const HYBRID: &str = "hybrid";
/// Decisions of one run that are recorded. An endless loop would fill the tree with millions of them.
const LONGEST_PATH: usize = 1 << 18;
/// Nodes of the tree, 100 bytes each with their terms, that random runs may fill.
const MOST_NODES: usize = 1 << 24;
/// Share of the time that `--finish` is given at least.
const RESERVE: f64 = 0.3;
/// Attempts at one side; each has ten times the budget of the one before.
const ATTEMPTS: u8 = 4;
/// Bytes of one source in the input that is all zeros: it is only a beginning.
const MOST_ZEROS: usize = 4096;
/// A run that searches gets that part of its time, or so many times as long as the longest that ended.
const SOONER: u32 = 10;
const LONG: f64 = 4.0;

pub struct Campaign<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) program: &'a Program,
    pub(crate) server: Server,
    /// As the server was started: walks have another one.
    pub(crate) target: Target,
    pub(crate) files: Files,
    /// Who this campaign is among those of hybrid testing with several jobs.
    pub(crate) role: Role,
    /// CPU time of walks.
    pub(crate) walk_cpu: Duration,
    /// Inputs of one run, where it is not what the settings say.
    pub(crate) inputs_limit: Option<u32>,
    pub(crate) judge: Judge,
    pub(crate) reporter: &'a mut dyn Reporter,
    pub(crate) clock: Clock<'a>,
    pub(crate) rng: Rng,
    pub(crate) solver: Solver,
    pub(crate) solve_settings: SolveSettings,
    /// Solvers of workers that are done.
    pub(crate) helpers: Vec<Solver>,
    /// By worker: what it has used.
    pub(crate) spent: Vec<Spent>,
    /// CPU time of the solver chain.
    pub(crate) solver_cpu: Duration,
    /// Whether queries are logged, and whether verdicts are compared with another solver's.
    pub(crate) watched: (bool, bool),
    pub(crate) terms: Terms,
    pub(crate) importer: Importer,
    pub(crate) units: Units,
    pub(crate) tree: Tree,
    pub(crate) coverage: Coverage,
    pub(crate) visits: Visits,
    /// What flips cost, for strategies that weigh them.
    pub(crate) prices: Prices,
    /// The run being tracked is random, and not picked for what it showed: probabilities are estimated from such ones.
    pub(crate) sampled: bool,
    /// After so many random runs one of them is tracked.
    pub(crate) next_sample: u64,
    /// Shared with workers that are drawing; what is learnt meanwhile goes into a copy.
    pub(crate) generator: Arc<Generator>,
    /// Inputs of tracked runs, by `RunId`.
    pub(crate) decisions: Decisions,
    pub(crate) wishes: Wishes,
    pub(crate) guesses: Guesses,
    /// For what runs compared.
    pub(crate) evaluator: Evaluator,
    /// Whether the strategy wants hints to be followed.
    pub(crate) wishing: bool,
    pub(crate) runs: Vec<Input>,
    pub(crate) test_of_run: FxHashMap<usize, u32>,
    /// What the latest tests were kept for: hybrid testing goes on from there.
    pub(crate) news: Vec<(Input, Vec<SideId>)>,
    pub(crate) counters: Counters,
    pub(crate) lost: LostTable,
    pub(crate) dependent: Dependent,
    pub(crate) targets: BTreeSet<u32>,
    pub(crate) targets_said: BTreeSet<u32>,
    /// Calls of `symcrete_target` in the program.
    target_calls: usize,
    pub(crate) bugs_seen: FxHashSet<crate::bugs::Identity>,
    pub(crate) bug_count: u32,
    /// How often runs crashed, by signal, place in the code and, where the run was tracked, its last decision.
    pub(crate) crashes: FxHashMap<(i32, u64, Option<SiteId>), u32>,
    /// Seconds of the longest run that ended by itself.
    pub(crate) longest: f64,
    /// Words that a string of the input of another length was compared with.
    pub(crate) words_met: FxHashSet<Vec<u8>>,
    pub(crate) long_runs: LongRuns,
    pub(crate) trimming: Trimming,
    pub(crate) side_hits: Vec<u32>,
    /// Sides of the user's own code.
    pub(crate) counted: Vec<bool>,
    pub(crate) self_check: bool,
    /// The strategy looks at decisions that do not depend on input, too.
    pub(crate) full_paths: bool,
    /// Nodes from which on paths that nobody predicted are left out of the tree.
    pub(crate) most_nodes: usize,
    pub(crate) persistent: bool,
    pub(crate) nondeterministic: bool,
    /// Optimistic tries so far, by side of the program.
    pub(crate) optimistic: FxHashMap<u32, u32>,
    /// Second budgets given at once so far, by side of the program.
    pub(crate) hurried: FxHashMap<u32, u32>,
    /// Nothing is reported: earlier tests are being run again.
    pub(crate) silent: bool,
    said: Duration,
    pub(crate) ledger: Ledger,
    pub(crate) phase: Phase,
    /// Targets that runs are looked at for.
    pub(crate) watch: Option<Watch>,
    /// Sides that no input takes.
    pub(crate) proved: FxHashSet<SideId>,
    /// Time that is kept for what comes after the search.
    pub(crate) reserve: Duration,
}

impl<'a> Campaign<'a> {
    /// Starts the target once, to see that it runs and what it is.
    pub fn new(
        settings: &'a Settings,
        files: &Files,
        program: &'a Program,
        reporter: &'a mut dyn Reporter,
        interrupted: &'a Arc<AtomicBool>,
        observers: Observers,
    ) -> Result<Campaign<'a>, EngineError> {
        let watched = (observers.log.is_some(), observers.judge.is_some());
        let sources = inputs::sources(&settings.inputs);
        let mut target = Target::new(&files.tracked, &settings.out);
        target.sources = sources.clone();
        target.args = files.arguments.clone();
        target.sandbox = settings.checks.sandbox;
        target.capacities.events = target.capacities.events.min(LONGEST_PATH);
        target.interrupt = Some(Arc::clone(interrupted));
        let server = Server::new(target.clone())?;
        let layers = match &settings.solving.layers {
            None => LayerSet::ALL,
            Some(names) => names.iter().try_fold(LayerSet::NONE, |set, name| set.with(name))?,
        };
        let solve_settings = SolveSettings { mode: settings.solving.solve, layers, ..SolveSettings::default() };
        let mut counted = vec![false; program.side_count()];
        for (id, _, _) in program.counted_sides() {
            counted[id.index()] = true;
        }
        let counters =
            Counters { branches_total: counted.iter().filter(|c| **c).count() as u32, ..Counters::default() };
        Ok(Campaign {
            settings,
            program,
            server,
            target,
            files: files.clone(),
            role: Role::default(),
            walk_cpu: Duration::ZERO,
            inputs_limit: None,
            judge: Judge::new(files, settings, interrupted).map_err(|e| EngineError::Replay(e.to_string()))?,
            reporter,
            clock: Clock::start(interrupted),
            rng: seeded(settings.search.seed),
            solver: Solver::observed(&solve_settings, observers).cancelled_by(interrupted),
            solve_settings,
            helpers: vec![],
            spent: vec![],
            solver_cpu: Duration::ZERO,
            watched,
            terms: Terms::new(),
            importer: Importer::new(),
            units: Units::default(),
            tree: settings.budget.depth.map_or_else(Tree::new, Tree::with_depth),
            coverage: Coverage::new(),
            visits: Visits::new(),
            prices: Prices::default(),
            sampled: false,
            next_sample: 0,
            generator: Arc::new(Generator::new(settings.search.values, sources, dictionary(settings, program))),
            runs: vec![],
            decisions: Decisions::new(program, &counted),
            wishes: Wishes::default(),
            guesses: Guesses::default(),
            evaluator: Evaluator::new(),
            wishing: false,
            test_of_run: FxHashMap::default(),
            news: vec![],
            counters,
            lost: LostTable::default(),
            dependent: Dependent::new(program),
            targets: BTreeSet::new(),
            targets_said: BTreeSet::new(),
            target_calls: target_calls(program),
            bugs_seen: FxHashSet::default(),
            bug_count: 0,
            crashes: FxHashMap::default(),
            words_met: FxHashSet::default(),
            long_runs: LongRuns::default(),
            trimming: Trimming::default(),
            longest: 0.0,
            side_hits: vec![0; program.side_count()],
            counted,
            self_check: settings.checks.self_check,
            full_paths: false,
            most_nodes: MOST_NODES,
            persistent: false,
            optimistic: FxHashMap::default(),
            hurried: FxHashMap::default(),
            nondeterministic: false,
            silent: false,
            said: Duration::ZERO,
            ledger: Ledger::default(),
            phase: Phase::default(),
            watch: None,
            proved: FxHashSet::default(),
            reserve: Duration::ZERO,
        })
    }

    /// Runs until the strategy, the budget, the goal or the user says stop. The number of bugs found.
    /// The first `settings.resumed` seeds are tests on disk already: they are credited, not reported.
    pub fn run(mut self, seeds: Vec<(String, Input)>) -> Result<u32, EngineError> {
        self.say_started();
        let stopped = self.run_strategy(seeds)?;
        self.finish(stopped);
        Ok(self.bug_count)
    }

    /// The same; then what is uncovered is settled, by inputs or by proofs.
    pub fn run_and_settle(mut self, seeds: Vec<(String, Input)>, reach: &mut Reach<'_>) -> Result<u32, EngineError> {
        self.say_started();
        let budget = &self.settings.budget;
        self.reserve = [budget.cpu, budget.wall].into_iter().flatten().min().unwrap_or_default().mul_f64(RESERVE);
        let stopped = self.run_strategy(seeds)?;
        if stopped != Stopped::Interrupted {
            self.settle_uncovered(reach, stopped)?;
        }
        self.finish(stopped);
        Ok(self.bug_count)
    }

    pub(crate) fn say_started(&mut self) {
        let started = Started {
            target: &self.settings.name,
            entry: &self.settings.entry,
            strategy: &self.settings.search.strategy,
            seed: self.settings.search.seed,
            inputs: &self.settings.inputs,
            branches_total: self.counters.branches_total,
            resumed: self.settings.resumed,
        };
        let _ = self.reporter.event(self.clock.wall(), &Event::Started(started));
    }

    fn run_strategy(&mut self, seeds: Vec<(String, Input)>) -> Result<Stopped, EngineError> {
        if self.settings.search.strategy == HYBRID {
            self.server.record_paths(self.self_check);
            self.first_runs(seeds)?;
            return self.search_hybrid();
        }
        let mut strategy = symcrete_search::strategy(&self.settings.search.strategy, &self.settings.search.options)?;
        self.wishing = strategy.takes_hints();
        self.full_paths = strategy.needs_full_path();
        if !strategy.flips() && self.settings.search.values == Values::Uniform {
            // Nothing is learnt from paths: what is shown of the tree is enough.
            self.most_nodes = kept_tree::MOST;
        }
        // The self-check follows every full path, whoever uses it.
        self.server.record_paths(self.full_paths || self.self_check);
        self.first_runs(seeds)?;
        match &self.settings.search {
            search if search.one_generation => self.one_generation(),
            search if search.jobs > 1 => self.search_together(strategy.as_mut()),
            _ => self.search(strategy.as_mut()),
        }
    }

    /// Seeds, or inputs that are as plain as can be: nothing at all, and nothing but zeros. What is solved for from
    /// there is plain too: conditions over products, say, are easy to meet one after the other as long as most of
    /// what is multiplied is 0.
    pub(crate) fn first_runs(&mut self, seeds: Vec<(String, Input)>) -> Result<(), EngineError> {
        if seeds.is_empty() {
            let sources = self.server.sources();
            let zeros = sources.iter().map(|source| vec![0; (source.capacity as usize).min(MOST_ZEROS)]);
            let plain = [Input::for_sources(sources, std::iter::empty()), Input::for_sources(sources, zeros)];
            let different = 1 + usize::from(plain[0] != plain[1]);
            for input in &plain[..different] {
                if self.may_go_on() {
                    self.counters.iterations += 1;
                    self.track(input, None, Origin::Random)?;
                }
            }
        }
        self.run_seeds(seeds)?;
        self.counters.tests = self.counters.tests.max(self.settings.resumed);
        self.persistent = self.server.is_persistent();
        let asks = self.runs.iter().any(|input| !input.objects.is_empty());
        // Whether a line can run is a question without inputs, too; and who stops us before the first run learns nothing.
        if !asks && self.watch.is_none() && !self.runs.is_empty() {
            return Err(EngineError::NoInput(
                "give it one with --stdin N, --arg N, --env NAME:N, --file NAME:N or --socket N, name a function \
                 with --function, or mark values in the source with symcrete.h"
                    .into(),
            ));
        }
        Ok(())
    }

    pub(crate) fn search(&mut self, strategy: &mut dyn Strategy) -> Result<Stopped, EngineError> {
        self.phase = Phase::Search;
        let mut wish = false;
        let mut turning = (self.settings.search.strategy == "auto").then(Turning::default);
        loop {
            if let Some(stopped) = self.over() {
                return Ok(stopped);
            }
            if let Some(turning) = &mut turning {
                self.turn_to_hybrid(turning)?;
                if let Some(stopped) = self.over() {
                    return Ok(stopped);
                }
            }
            self.run_one_whole()?;
            self.trim_one()?;
            let mut begin = self.clock.wall();
            // Every other step: hints are cheap to follow, but they must not crowd out the search.
            let wished = if self.wishing && !wish { self.follow_a_hint()? } else { None };
            wish = wished.is_some();
            if let Some(mut wished) = wished {
                self.charge(&mut wished, begin);
                self.wishes.owe(&wished);
                self.say_progress();
                continue;
            }
            self.reopen();
            let choosing = self.stretch();
            let view = View::new(&self.tree, self.program, &self.coverage, &self.visits, &self.prices);
            let step = strategy.next(&view, &mut self.rng);
            self.ledger.search += self.since(&choosing);
            // To choose what to flip is part of its price.
            if !matches!(step, Step::Flip(_)) {
                begin = self.clock.wall();
            }
            let mut outcome = match &step {
                Step::RunRandom { runs } => self.run_random(*runs)?,
                Step::Flip(side) => self.flip(*side)?,
                Step::FlipOn(..) | Step::Path(_) => {
                    unreachable!("no strategy looks ahead where the view does not allow it")
                }
                Step::Exhausted if self.run_whole()? => continue,
                Step::Exhausted if self.tree.exhausted().is_ok() => return Ok(Stopped::Exhausted),
                Step::Exhausted => return Ok(Stopped::NothingLeft),
            };
            self.charge(&mut outcome, begin);
            if matches!(step, Step::Flip(_)) {
                self.wishes.pay(&mut outcome);
            }
            if let Some(turning) = &mut turning {
                turning.spent(outcome.cost, outcome.gain);
            }
            self.tell(strategy, &step, &outcome);
            self.say_progress();
        }
    }

    /// What a step that began then cost: in microseconds, or in counted steps where clocks may decide nothing.
    fn charge(&self, outcome: &mut Outcome, begin: Duration) {
        if self.by_clock() {
            outcome.cost = (self.clock.wall() - begin).as_secs_f64() * 1e6;
        } else {
            outcome.cost += f64::from(outcome.runs) * crate::execute::cost::ITERATION;
        }
    }

    /// Tells the strategy what came of a step.
    pub(crate) fn tell(&mut self, strategy: &mut dyn Strategy, step: &Step, outcome: &Outcome) {
        let telling = self.stretch();
        if matches!(step, Step::Flip(_)) {
            self.guesses.note_flip(outcome.gain);
        }
        self.prices.learn(&self.tree, step, outcome);
        let view = View::new(&self.tree, self.program, &self.coverage, &self.visits, &self.prices);
        strategy.done(&view, step, outcome);
        self.ledger.search += self.since(&telling);
    }

    /// Whether the user, the budget or the goal says stop.
    pub(crate) fn over(&self) -> Option<Stopped> {
        if self.clock.is_interrupted() {
            return Some(Stopped::Interrupted);
        }
        if !self.may_go_on() {
            return Some(Stopped::Budget);
        }
        self.goal_met().then_some(Stopped::Goal)
    }

    /// What the solver gave up on comes back with a larger budget when nothing else is open.
    pub(crate) fn reopen(&mut self) {
        if self.tree.frontier().is_empty() {
            self.tree.reopen_unknown(ATTEMPTS);
        }
    }

    /// Flips every open side of the paths so far once, and stops.
    fn one_generation(&mut self) -> Result<Stopped, EngineError> {
        self.phase = Phase::Search;
        let open: Vec<_> = self.tree.frontier().iter().collect();
        let mut solved = vec![];
        // Most sides are on one path: its conditions are gathered once, not once for each side.
        let deepest = open.iter().map(|side| side.node).max_by_key(|node| self.tree.depth(*node));
        let way = deepest.map(|node| self.tree.way_conditions(node));
        for side in open {
            if self.clock.is_interrupted() {
                return Ok(Stopped::Interrupted);
            }
            if !self.may_go_on() {
                return Ok(Stopped::Budget);
            }
            let known = way.as_ref().and_then(|way| way.of(side.node)).map(<[TermId]>::to_vec);
            let prefix = known.unwrap_or_else(|| self.tree.prefix_conditions(side.node));
            match self.solve_behind(side, prefix)? {
                Solved::Input(input) => solved.push((self.origin(side), input)),
                Solved::Unsat => drop(self.tree.close(side, Closed::Unsat)),
                Solved::Unknown => drop(self.tree.close(side, Closed::Unknown)),
            }
            self.say_progress();
        }
        self.counters.iterations += solved.len() as u64;
        self.counters.flips += solved.len() as u64;
        self.keep_unseen(&solved)?;
        Ok(Stopped::NothingLeft)
    }

    pub(crate) fn limits(&self) -> Limits {
        let budget = &self.settings.budget;
        Limits {
            timeout: budget.timeout,
            memory: Some(budget.memory),
            max_inputs: self.inputs_limit.unwrap_or(budget.inputs),
            seed: self.settings.search.seed ^ self.counters.iterations,
            ..Limits::default()
        }
    }

    /// Of runs that search. Once it is known how long runs take, those that take much longer are given up sooner than they
    /// need be: what they would do in the rest of the time is hardly ever worth it.
    pub(crate) fn search_limits(&self) -> Limits {
        let limits = Limits { events: self.most_events(), ..self.limits() };
        let known = self.longest > 0.0 && self.phase != Phase::FirstRuns;
        if !known || !self.by_clock() {
            return limits;
        }
        let usual = Duration::try_from_secs_f64(LONG * self.longest).unwrap_or(limits.timeout);
        Limits { timeout: (limits.timeout / SOONER).max(usual).min(limits.timeout), ..limits }
    }

    /// Whether clocks may decide anything: with a budget in iterations the same seed gives the same run.
    pub(crate) fn by_clock(&self) -> bool {
        self.settings.budget.iterations.is_none()
    }

    /// Whether the program names places that are to be reached.
    pub(crate) fn has_targets(&self) -> bool {
        self.target_calls > 0
    }

    pub(crate) fn may_go_on(&self) -> bool {
        let budget = &self.settings.budget;
        !self.clock.is_interrupted()
            && budget.iterations.is_none_or(|n| self.counters.iterations + self.promised() < n)
            && self.time_left().is_none_or(|left| left > self.reserve)
    }

    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.clock.left(&self.settings.budget, || self.target_cpu())
    }

    fn target_cpu(&self) -> Duration {
        let workers: Duration = self.spent.iter().map(|spent| spent.targets).sum();
        self.server.cpu() + self.judge.cpu() + self.walk_cpu + workers
    }

    fn goal_met(&self) -> bool {
        if let Some(watch) = &self.watch {
            return watch.all_settled();
        }
        match self.settings.budget.until {
            None => false,
            Some(Goal::Bug) => self.bug_count > 0,
            Some(Goal::Coverage(share)) => {
                f64::from(self.counters.branches_covered) >= share * f64::from(self.counters.branches_total)
            }
            Some(Goal::Targets) => self.target_calls > 0 && self.targets.len() >= self.target_calls,
        }
    }

    pub(crate) fn clocks(&self) -> Clocks {
        let solvers = self.spent.iter().map(|spent| &spent.solver).chain([self.solver.counters()]);
        let time = self.time_spent();
        Clocks {
            cpu_seconds: time.parts().iter().map(|(_, seconds)| seconds).sum(),
            // From 0: an empty sum would be the other zero.
            solver_seconds: solvers.flat_map(|c| c.iter()).fold(0.0, |sum, (_, layer)| sum + layer.seconds),
            peak_memory_mb: peak_memory_mb(),
            time,
        }
    }

    pub(crate) fn say(&mut self, event: &Event<'_>) {
        if self.silent {
            return;
        }
        let telling = self.stretch();
        // A full disk ends nothing: the reporter says it once, and the next summary tries again.
        let _ = self.reporter.event(self.clock.wall(), event);
        self.ledger.reporting += self.since(&telling);
    }

    pub(crate) fn say_progress(&mut self) {
        let now = self.clock.wall();
        if now < self.said + Duration::from_millis(200) {
            return;
        }
        self.say_figures();
        self.clock.hold(self.reporter.hold());
    }

    /// The figures so far.
    pub(crate) fn say_figures(&mut self) {
        let telling = self.stretch();
        self.said = self.clock.wall();
        let layers = self.layers();
        let progress = Progress {
            counters: self.counters,
            frontier: self.tree.frontier().len() as u64,
            bugs: self.bug_count,
            clocks: self.clocks(),
            phase: self.phase,
            layers: &layers,
        };
        if !self.silent {
            let _ = self.reporter.event(self.clock.wall(), &Event::Progress(progress));
        }
        self.ledger.reporting += self.since(&telling);
    }
}

/// What random inputs may be made of.
fn dictionary(settings: &Settings, program: &Program) -> Dictionary {
    match settings.search.values {
        Values::Mixture => Dictionary::mined(&Words::of(program)),
        Values::Uniform => Dictionary::default(),
    }
}

fn target_calls(program: &Program) -> usize {
    let blocks = program.units().flat_map(|(_, unit)| &unit.functions).flat_map(|f| &f.blocks);
    let calls = blocks.flat_map(|b| &b.calls);
    calls.filter(|call| matches!(call, Call::Direct(name) if name == "symcrete_target")).count()
}
