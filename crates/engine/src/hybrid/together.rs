//! `--jobs N`: N campaigns side by side, each with walks, snapshots, states and terms of its own, so that several
//! snapshots are explored at once. One of them leads and is the only one that keeps tests: the others propose what they
//! found, shortened already; it is run from the start like a find of the lead's own, and kept by the same rules. What is
//! kept everybody learns, and goes on from.

use super::{Hybrid, LONGEST, Whole};
use crate::campaign::{Campaign, EngineError, Files};
use crate::figures::LostTable;
use crate::jobs::Spent;
use crate::reasons::Dependent;
use crate::settings::{Budget, Search, Settings};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use symcrete_event::{Counters, Event, Origin, Reporter, Stopped};
use symcrete_exec::Input;
use symcrete_program::{Program, SideId};
use symcrete_solve::{Observers, Solver};

/// How often colleagues say what they have used.
const EVERY: Duration = Duration::from_millis(20);
/// Seeds of colleagues differ from the lead's by multiples of this.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Who somebody is beside others.
#[derive(Default)]
pub(crate) enum Role {
    #[default]
    Alone,
    Lead(Lead),
    Colleague(Colleague),
}

pub(crate) struct Lead {
    heard: Receiver<Said>,
    kept: Arc<Kept>,
    /// Whose find is being run: 0 for the lead's own.
    finder: usize,
    /// By colleague, what it had counted when it was last heard of.
    counted: Vec<Counters>,
    solving: Vec<Duration>,
    /// Colleagues that are still at work.
    working: usize,
}

pub(crate) struct Colleague {
    number: usize,
    say: Sender<Said>,
    kept: Arc<Kept>,
    /// How much of what was kept is known here.
    known: usize,
    said: Instant,
}

/// Everything that was kept, in order: who found it, and the sides it was kept for.
#[derive(Default)]
struct Kept(Mutex<Vec<Arc<Find>>>);

struct Find {
    by: usize,
    input: Input,
    new: Vec<SideId>,
}

struct Said {
    by: usize,
    what: What,
}

enum What {
    Found {
        find: Find,
        origin: Origin,
        failed: bool,
    },
    Used {
        counters: Counters,
        spent: Box<Spent>,
        solving: Duration,
    },
    /// It is done; an error ends the campaign.
    Over(Result<(), EngineError>),
}

/// What a colleague leaves behind.
struct Left {
    lost: LostTable,
    dependent: Dependent,
    solver: Solver,
}

impl Kept {
    fn add(&self, find: Find) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(find));
    }

    fn since(&self, known: usize) -> Vec<Arc<Find>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[known..].to_vec()
    }
}

/// What colleagues report goes through the lead.
struct Nobody;

impl Reporter for Nobody {
    fn event(&mut self, _: Duration, _: &Event<'_>) -> io::Result<()> {
        Ok(())
    }
}

impl Campaign<'_> {
    pub(super) fn search_hybrid_together(&mut self) -> Result<Stopped, EngineError> {
        self.nondeterministic = true;
        let (say, heard) = channel();
        let kept = Arc::new(Kept::default());
        let all = (0..self.program.side_count() as u32).map(SideId);
        let new = all.filter(|side| self.coverage.is_covered(*side)).collect();
        kept.add(Find { by: 0, input: Input::default(), new });
        let others = self.settings.search.jobs as usize - 1;
        let first = self.spent.len();
        self.spent.resize(first + others, Spent::default());
        self.role = Role::Lead(Lead {
            heard,
            kept: Arc::clone(&kept),
            finder: 0,
            counted: vec![Counters::default(); others],
            solving: vec![Duration::ZERO; others],
            working: others,
        });
        let stop = Arc::new(AtomicBool::new(false));
        let settings: Vec<Settings> = (1..=others as u64).map(|number| self.settings_of(number)).collect();
        let (files, program) = (self.files.clone(), self.program);
        let (stopped, left) = std::thread::scope(|scope| {
            let colleague = |(at, settings)| {
                let (number, files, stop) = (at + 1, &files, &stop);
                let (say, kept) = (say.clone(), Arc::clone(&kept));
                let role = Colleague { number, say, kept, known: 0, said: Instant::now() };
                let thread = std::thread::Builder::new().name(format!("job {number}"));
                thread.spawn_scoped(scope, move || work(settings, files, program, stop, role))
            };
            let threads: io::Result<Vec<_>> = settings.iter().enumerate().map(colleague).collect();
            let stopped = match &threads {
                Ok(_) => self.walk_and_look().and_then(|stopped| self.wait_for_others(stopped)),
                Err(error) => Err(EngineError::Threads(error.to_string())),
            };
            stop.store(true, Ordering::Relaxed);
            let threads = threads.unwrap_or_default().into_iter();
            let left: Vec<Option<Left>> =
                threads.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect();
            (stopped, left)
        });
        let stopped = stopped?;
        self.listen(None)?;
        for left in left.into_iter().flatten() {
            self.lost.absorb(left.lost);
            self.dependent.absorb(&left.dependent);
            self.helpers.push(left.solver);
        }
        Ok(stopped)
    }

    /// As the lead's, but for what is the lead's to decide: time and goals.
    fn settings_of(&self, number: u64) -> Settings {
        let all = self.settings;
        let iterations = all.budget.iterations.map(|most| most / u64::from(all.search.jobs));
        Settings {
            budget: Budget { cpu: None, wall: None, until: None, iterations, ..all.budget.clone() },
            search: Search { jobs: 1, seed: all.search.seed ^ number.wrapping_mul(STRIDE), ..all.search.clone() },
            resumed: 0,
            ..all.clone()
        }
    }

    /// Where inputs are counted, everybody has a share of them.
    fn wait_for_others(&mut self, stopped: Stopped) -> Result<Stopped, EngineError> {
        while stopped == Stopped::Budget && !self.by_clock() && self.others_at_work() && !self.clock.is_interrupted() {
            if self.time_left().is_some_and(|left| left.is_zero()) {
                break;
            }
            std::thread::sleep(EVERY);
            self.listen(None)?;
            self.say_progress();
        }
        Ok(stopped)
    }

    fn others_at_work(&self) -> bool {
        matches!(&self.role, Role::Lead(lead) if lead.working > 0)
    }

    /// New inputs that others may still make.
    pub(crate) fn promised(&self) -> u64 {
        let Role::Lead(lead) = &self.role else { return 0 };
        let share = self.settings.budget.iterations.unwrap_or(0) / u64::from(self.settings.search.jobs);
        lead.counted.iter().map(|counted| share.saturating_sub(counted.iterations)).sum()
    }

    /// Between two steps: what others found, or what was kept.
    pub(super) fn exchange(&mut self, hybrid: &mut Hybrid) -> Result<(), EngineError> {
        match &self.role {
            Role::Alone => Ok(()),
            Role::Lead(_) => self.listen(Some(hybrid)),
            Role::Colleague(_) => {
                self.tell_use(false);
                self.learn_kept(hybrid);
                Ok(())
            }
        }
    }

    /// Without a hybrid at hand only counts.
    fn listen(&mut self, mut hybrid: Option<&mut Hybrid>) -> Result<(), EngineError> {
        while let Role::Lead(lead) = &mut self.role
            && let Ok(Said { by, what }) = lead.heard.try_recv()
        {
            match what {
                What::Found { find, origin, failed } => {
                    let fresh = failed || find.new.iter().any(|side| !self.coverage.is_covered(*side));
                    if let Some(hybrid) = hybrid.as_deref_mut().filter(|_| fresh)
                        && self.over().is_none()
                    {
                        self.take_over(hybrid, find, origin)?;
                    }
                }
                What::Used { counters, spent, solving } => {
                    self.counters.add_work(&counters, &lead.counted[by - 1]);
                    lead.counted[by - 1] = counters;
                    self.solver_cpu += solving.saturating_sub(lead.solving[by - 1]);
                    lead.solving[by - 1] = solving;
                    let place = self.spent.len() - lead.counted.len() + by - 1;
                    self.spent[place] = *spent;
                }
                What::Over(ended) => {
                    lead.working -= 1;
                    // Whatever it left of its share nobody makes.
                    lead.counted[by - 1].iterations = u64::MAX;
                    ended?;
                }
            }
        }
        Ok(())
    }

    /// Runs what a colleague found from the start, and keeps it if it is as new as was said.
    fn take_over(&mut self, hybrid: &mut Hybrid, find: Find, origin: Origin) -> Result<(), EngineError> {
        let Role::Lead(lead) = &mut self.role else { return Ok(()) };
        lead.finder = find.by;
        let taken = self.make_test(hybrid, &Whole { input: find.input, statements: LONGEST }, origin, 0);
        if let Role::Lead(lead) = &mut self.role {
            lead.finder = 0;
        }
        taken.map(drop)
    }

    /// A test was kept: whoever else is at work hears of it.
    pub(crate) fn tell_kept(&self, input: &Input, new: &[SideId]) {
        if let Role::Lead(lead) = &self.role {
            lead.kept.add(Find { by: lead.finder, input: input.clone(), new: new.to_vec() });
        }
    }

    /// Whether it is somebody else who keeps tests; then it is proposed to them.
    pub(crate) fn propose(&self, input: &Input, new: &[SideId], failed: bool, origin: &Origin) -> bool {
        let Role::Colleague(colleague) = &self.role else { return false };
        let by = colleague.number;
        let find = Find { by, input: input.clone(), new: new.to_vec() };
        // Nobody listens any more: it is over.
        let _ = colleague.say.send(Said { by, what: What::Found { find, origin: origin.clone(), failed } });
        true
    }

    /// Now and then, or `now`.
    fn tell_use(&mut self, now: bool) {
        let Role::Colleague(colleague) = &mut self.role else { return };
        if !now && colleague.said.elapsed() < EVERY {
            return;
        }
        colleague.said = Instant::now();
        let (by, say) = (colleague.number, colleague.say.clone());
        let (counters, solving) = (self.counters, self.solver_cpu);
        let spent = Spent {
            bodies: self.server.cpu_by_body(),
            targets: self.server.cpu() + self.walk_cpu,
            walks: self.walk_cpu,
            solver: self.solver.counters().clone(),
        };
        let _ = say.send(Said { by, what: What::Used { counters, spent: Box::new(spent), solving } });
    }

    fn learn_kept(&mut self, hybrid: &mut Hybrid) {
        let Role::Colleague(colleague) = &mut self.role else { return };
        let finds = colleague.kept.since(colleague.known);
        colleague.known += finds.len();
        let number = colleague.number;
        for find in finds.into_iter().filter(|find| find.by != number) {
            for side in &find.new {
                let counted = self.coverage.cover(*side) && self.counted[side.index()];
                self.counters.branches_covered += u32::from(counted);
            }
            if !find.input.objects.is_empty() {
                hybrid.repeats.add(Whole { input: find.input.clone(), statements: LONGEST });
            }
        }
    }
}

/// All that a colleague does.
fn work(
    settings: &Settings,
    files: &Files,
    program: &Program,
    stop: &Arc<AtomicBool>,
    role: Colleague,
) -> Option<Left> {
    let (number, say) = (role.number, role.say.clone());
    let over = |ended| drop(say.send(Said { by: number, what: What::Over(ended) }));
    let mut nobody = Nobody;
    let mut campaign = match Campaign::new(settings, files, program, &mut nobody, stop, Observers::default()) {
        Ok(campaign) => campaign,
        Err(error) => {
            over(Err(error));
            return None;
        }
    };
    campaign.role = Role::Colleague(role);
    campaign.server.record_paths(campaign.self_check);
    let ended = campaign.first_runs(vec![]).and_then(|()| campaign.walk_and_look());
    campaign.tell_use(true);
    over(ended.map(drop));
    Some(Left { lost: campaign.lost, dependent: campaign.dependent, solver: campaign.solver })
}
