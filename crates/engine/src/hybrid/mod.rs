//! Hybrid concolic testing, for programs that keep asking for input: deep by running, wide by solving.
//!
//! A walk runs on random inputs at speed. When nothing new came for a while it stands still right before its next
//! input statement, and copies of it are explored from that very state: breadth first over the next inputs, for any
//! side that is not covered. What is found becomes the walk's own next inputs. Besides, states that runs ended in are
//! kept ([`archive`]) and looked at in the same way, rare ones first.
//!
//! Whatever is found here is only a proposal: it is run from the start of the program, shortened, and kept by the
//! same rules as every other test.

mod archive;
mod brief;
mod effort;
mod explore;
mod find;
mod repeat;
mod together;
mod turn;

use crate::campaign::{Campaign, EngineError};
use archive::{Archive, Chain, Picked, Stretch};
use effort::Effort;
use rand_core::RngCore;
use repeat::Repeats;
use std::rc::Rc;
use symcrete_abi::cells::MOST_TEXTS;
use symcrete_abi::control::Halt;
use symcrete_abi::input::SourceKind;
use symcrete_abi::layout::Stop;
use symcrete_event::{Origin, Phase, Stopped};
use symcrete_exec::{End, Input, Leg, Limits, Object, Server, Target, Walk};
use symcrete_search::below;
pub(crate) use together::Role;
pub(crate) use turn::Turning;

/// Inputs of one walk.
const LONGEST: usize = 20_000;
/// Inputs behind which states are not kept.
const FAR: usize = 1024;
/// Inputs without anything new before a snapshot, at first and at most, where the user does not say.
const QUIET: u32 = 128;
const MOST_QUIET: u32 = 8192;
/// Runs from one snapshot of a walk, and the turns of the program they go through.
const RUNS: u32 = 250;
const TURNS: u32 = 3;
/// States that are looked at between two walks.
const LOOKS: f64 = 6.0;
/// What it counts for to go to a state and find that it was looked at under another name.
const KNOWN: f64 = 0.02;
/// Inputs of one turn where the program does not show what a turn is.
const TURN: u32 = 2;
/// Bytes of one turn of a program that reads.
const TURN_BYTES: usize = 16;
/// How a walk ends that has a bound on its time.
const TOO_LONG: End = End::Stopped(Stop::Inputs);

pub struct Hybrid {
    /// Walks have a server of their own: a walk stands still while what it found is run from the start.
    server: Server,
    archive: Archive,
    /// Inputs without anything new before a snapshot, and how many there were since the last one.
    quiet: u32,
    since: u32,
    /// Inputs until the program asks for the same thing again.
    turn: u32,
    /// The longest walk so far.
    longest: usize,
    snapshots: u64,
    /// Inputs that walks were given.
    walked: u64,
    repeats: Repeats,
    effort: Effort,
    /// Finds have been dear once: walks stay short.
    brief: bool,
}

impl Hybrid {
    fn new(target: Target, saturation: Option<u32>) -> Result<Hybrid, EngineError> {
        let mut archive = Archive::default();
        archive.begin();
        let quiet = saturation.unwrap_or(QUIET).max(1);
        let server = Server::new(target)?;
        let (repeats, effort) = (Repeats::default(), Effort::default());
        let (turn, brief) = (TURN, false);
        let (since, longest, snapshots, walked) = (0, 0, 0, 0);
        Ok(Hybrid { server, archive, quiet, since, turn, longest, snapshots, walked, repeats, effort, brief })
    }

    /// How often the name of the first input comes back tells what a turn is; where it reads, how much it reads at once.
    fn learn_turn(&mut self, objects: &[Object], at_once: usize) {
        let Some(first) = objects.first() else {
            if let Some(turns) = TURN_BYTES.checked_div(at_once) {
                self.turn = turns.clamp(TURN as usize, 16) as u32;
            }
            return;
        };
        let places = objects.iter().enumerate().take(256).filter(|(_, o)| o.name == first.name).map(|(at, _)| at);
        let places: Vec<usize> = places.collect();
        if let Some(most) = places.windows(2).map(|pair| pair[1] - pair[0]).max() {
            self.turn = (most as u32).clamp(1, 16);
        }
    }
}

/// What a leg of a walk asks for next.
enum Next {
    /// With objects of the sources, and answers to its requests.
    On(Option<Input>),
    Over,
}

/// What came of a look at a state.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    /// It cannot be reached again.
    Gone,
    /// Another state that was looked at is the same.
    Known,
    Explored,
}

/// An input from the start of the program, and how many input statements it is for.
#[derive(Clone)]
struct Whole {
    input: Input,
    statements: usize,
}

impl Campaign<'_> {
    /// Walks and looks in turn, until the budget, the goal or the user says stop.
    pub(crate) fn search_hybrid(&mut self) -> Result<Stopped, EngineError> {
        if !self.asks_while_it_runs() && !self.runs.is_empty() {
            return Err(EngineError::NotReactive);
        }
        if self.settings.search.jobs > 1 { self.search_hybrid_together() } else { self.walk_and_look() }
    }

    fn walk_and_look(&mut self) -> Result<Stopped, EngineError> {
        let mut hybrid = self.new_hybrid(self.settings.search.saturation)?;
        loop {
            if let Some(stopped) = self.over() {
                return Ok(stopped);
            }
            self.hybrid_round(&mut hybrid)?;
        }
    }

    pub(crate) fn new_hybrid(&self, saturation: Option<u32>) -> Result<Hybrid, EngineError> {
        let mut hybrid = Hybrid::new(self.target.clone(), saturation)?;
        hybrid.server.offer_texts(self.generator.dictionary.texts(MOST_TEXTS));
        Ok(hybrid)
    }

    /// One walk, and a few looks at states.
    pub(crate) fn hybrid_round(&mut self, hybrid: &mut Hybrid) -> Result<(), EngineError> {
        let phase = std::mem::replace(&mut self.phase, Phase::Walk);
        let briefly = self.walks_briefly(hybrid);
        if briefly {
            self.walk_briefly(hybrid)?
        } else {
            self.walk_once(hybrid)?
        }
        self.adopt_news(hybrid)?;
        self.repeat_finds(hybrid)?;
        self.exchange(hybrid)?;
        self.phase = Phase::Look;
        let begin = self.so_far(hybrid);
        let pays = !briefly || hybrid.effort.looks_pay();
        let most = if briefly { f64::from(u8::from(pays)) } else { LOOKS };
        let mut looks = 0.0;
        while looks < most {
            if self.over().is_some() {
                break;
            }
            let Some(picked) = hybrid.archive.pick() else { break };
            let before = self.counters.branches_covered;
            match self.look(hybrid, &picked)? {
                Look::Gone => hybrid.archive.forget(&picked),
                Look::Known => looks += KNOWN,
                Look::Explored => {
                    looks += 1.0;
                    if self.counters.branches_covered > before {
                        hybrid.archive.praise(&picked);
                    }
                }
            }
            self.exchange(hybrid)?;
            self.say_progress();
        }
        if most > 0.0 {
            hybrid.effort.looked(begin, self.so_far(hybrid));
        }
        self.walk_cpu = hybrid.server.cpu();
        self.phase = phase;
        Ok(())
    }

    /// Whether any run was given something on request, or may read bit by bit.
    pub(crate) fn asks_while_it_runs(&self) -> bool {
        let declared = self.server.sources().len();
        self.stream().is_some() || self.runs.iter().any(|input| input.objects.len() > declared)
    }

    /// The source whose reads are input statements: standard input, or the socket.
    pub(crate) fn stream(&self) -> Option<usize> {
        let reads = |kind| matches!(kind, SourceKind::Stdin | SourceKind::Socket);
        self.server.sources().iter().rposition(|source| reads(source.kind))
    }

    /// The objects, with what was used up of the stream and no more.
    fn used_up(&self, objects: &[Object], position: usize) -> Vec<Object> {
        let mut objects = objects.to_vec();
        if let Some(stream) = self.stream()
            && !self.server.sources()[stream].exact
        {
            objects[stream].bytes.truncate(position);
        }
        objects
    }

    pub(crate) fn walk_limits(&mut self, inputs: usize) -> Limits {
        Limits { max_inputs: inputs as u32, seed: self.rng.next_u64(), ..self.limits() }
    }

    fn walk_once(&mut self, hybrid: &mut Hybrid) -> Result<(), EngineError> {
        let declared = self.server.sources().len();
        let mut sources = self.generator.draw(&mut self.rng);
        sources.objects.truncate(declared);
        let mut whole = Whole { input: sources.clone(), statements: 0 };
        self.counters.executions += 1;
        self.counters.iterations += 1;
        self.counters.random_runs += 1;
        let walk = self.walk(hybrid, LONGEST);
        let limits = self.walk_limits(LONGEST);
        let mut leg = hybrid.server.walk(&sources, &limits, walk)?;
        loop {
            hybrid.since = hybrid.since.saturating_add(leg.statements);
            hybrid.walked += u64::from(leg.statements);
            whole.statements += leg.statements as usize;
            hybrid.learn_turn(&leg.run.requested, leg.position / whole.statements.max(1));
            whole.input.objects.extend(leg.run.requested.iter().cloned());
            let length = whole.statements;
            hybrid.longest = hybrid.longest.max(length);
            let next = self.after_leg(hybrid, &leg, &whole)?;
            self.walk_cpu = hybrid.server.cpu();
            self.exchange(hybrid)?;
            self.say_progress();
            let Next::On(given) = next else { break };
            // Where finds turn out to be dear, this is not the way to walk.
            if self.over().is_some() || length >= LONGEST || self.walks_briefly(hybrid) {
                break;
            }
            let room = LONGEST - length;
            if let Some(given) = &given {
                sources.objects.clone_from_slice(&given.objects[..declared]);
                whole.input.objects[..declared].clone_from_slice(&given.objects[..declared]);
            }
            let input = given.as_ref().unwrap_or(&sources);
            let walk = self.walk(hybrid, room);
            let limits = self.walk_limits(room);
            leg = hybrid.server.walk_on(input, &limits, walk)?;
        }
        hybrid.server.end_walk();
        Ok(())
    }

    fn draws_mixture(&self) -> bool {
        self.settings.search.values == crate::settings::Values::Mixture
    }

    /// How far the next leg may go without anything new. A program that ends before that is stopped somewhere on its
    /// way, once there was nothing new for so many inputs of all its runs together.
    fn walk(&mut self, hybrid: &Hybrid, room: usize) -> Walk {
        let left = hybrid.quiet.saturating_sub(hybrid.since);
        let quiet = match left {
            0 => 1 + below(&mut self.rng, hybrid.longest.clamp(1, room.max(1))) as u32,
            left => left + 1,
        };
        Walk { quiet, news: true, mixture: self.draws_mixture(), ..Walk::default() }
    }

    fn after_leg(&mut self, hybrid: &mut Hybrid, leg: &Leg, whole: &Whole) -> Result<Next, EngineError> {
        let news = self.units.covered(&hybrid.server.trace()).into_iter().any(|side| !self.coverage.is_covered(side));
        let failed = leg.halt.is_none() && leg.run.end.is_failure();
        if news || failed || leg.halt == Some(Halt::News) {
            hybrid.server.absorb_sides();
        }
        if news || failed {
            let used = if leg.halt.is_some() {
                let objects = self.used_up(&whole.input.objects, leg.position);
                &Whole { input: Input { objects }, ..*whole }
            } else {
                whole
            };
            if self.found(hybrid, used, Origin::Random, leg.run.end == TOO_LONG)? > 0 {
                hybrid.since = 0;
            }
        }
        match leg.halt {
            Some(Halt::News) => Ok(Next::On(None)),
            Some(Halt::Quiet) => {
                hybrid.since = 0;
                // What is far away is not worth the way: every look at it would begin at the start.
                let chain = (whole.statements <= FAR).then(|| self.chain_of(whole, leg.position));
                let found = self.snapshot(hybrid, whole, chain.as_ref())?;
                let adaptive = self.settings.search.saturation.is_none();
                if adaptive {
                    hybrid.quiet = if found.is_some() {
                        (hybrid.quiet / 2).max(QUIET)
                    } else {
                        (hybrid.quiet * 2).min(MOST_QUIET)
                    };
                }
                Ok(Next::On(found))
            }
            Some(halt @ (Halt::Threads | Halt::Processes)) => {
                let what = if halt == Halt::Threads { "snapshot:thread" } else { "snapshot:process" };
                self.lost.add_named(what, "", 1);
                hybrid.since = 0;
                Ok(Next::On(None))
            }
            Some(Halt::Bound) | None => Ok(Next::Over),
        }
    }

    /// The way from the start to where a walk stands.
    fn chain_of(&self, whole: &Whole, position: usize) -> Rc<Chain> {
        let (declared, objects) = whole.input.objects.split_at(self.server.sources().len());
        let declared = self.used_up(declared, position);
        let stretch = Stretch { declared, objects: objects.to_vec(), statements: whole.statements };
        Chain::with(&Chain::start(), stretch)
    }

    /// The walk stands still: what can be reached from here. The input that did, if any.
    fn snapshot(
        &mut self,
        hybrid: &mut Hybrid,
        whole: &Whole,
        chain: Option<&Rc<Chain>>,
    ) -> Result<Option<Input>, EngineError> {
        hybrid.snapshots += 1;
        let inputs = (TURNS * hybrid.turn).min(self.settings.budget.inputs.max(1));
        self.explore(hybrid, whole, chain, explore::Bounds { inputs, runs: RUNS, first: true, patience: f64::INFINITY })
    }

    /// Goes to a state once more and explores from there; each look goes further than the one before.
    fn look(&mut self, hybrid: &mut Hybrid, picked: &Picked) -> Result<Look, EngineError> {
        let (chain, visits) = (&picked.chain, picked.visits);
        let mut whole = self.generator.draw(&mut self.rng);
        whole.objects.truncate(self.server.sources().len());
        let stream = self.stream();
        for (at, (object, known)) in whole.objects.iter_mut().zip(chain.declared()).enumerate() {
            let behind = if Some(at) == stream { object.bytes.get(known.bytes.len()..).unwrap_or(&[]) } else { &[] };
            object.bytes = [&known.bytes, behind].concat();
        }
        whole.objects.extend(chain.objects());
        let whole = Whole { input: whole, statements: chain.len() };
        let limits = self.walk_limits(chain.len());
        let quiet = u32::from(chain.len() == 0);
        self.counters.executions += 1;
        // Runs from there draw what was of use before: what the conditions on the way leave open often decides later.
        let most = self.share_of_timeout(5).filter(|_| hybrid.brief);
        let walk = Walk { quiet, state: true, mixture: self.draws_mixture(), most, news: false };
        let leg = hybrid.server.walk(&whole.input, &limits, walk)?;
        let mut look = Look::Gone;
        if matches!(leg.halt, Some(Halt::Bound | Halt::Quiet)) {
            look = match hybrid.server.cell() {
                Some(cell) if hybrid.archive.is_known(picked, cell) => Look::Known,
                _ => Look::Explored,
            };
        }
        if look == Look::Explored {
            hybrid.snapshots += 1;
            // What reads a byte at a time comes from state to state in small steps, what asks in whole turns.
            let inputs = if chain.reads() { 1 << visits.min(8) } else { hybrid.turn * (1 + visits) };
            let inputs = inputs.min(self.settings.budget.inputs.max(1));
            let runs = if hybrid.brief { brief::RUNS } else { 100 } << visits.min(4);
            let patience = if hybrid.brief { brief::PATIENCE } else { f64::INFINITY };
            self.explore(hybrid, &whole, Some(chain), explore::Bounds { inputs, runs, first: false, patience })?;
        }
        hybrid.server.end_walk();
        Ok(look)
    }
}
