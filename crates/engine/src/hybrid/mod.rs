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
mod explore;
mod find;
mod turn;

use crate::campaign::{Campaign, EngineError};
use archive::{Archive, Chain};
use rand_core::RngCore;
use std::rc::Rc;
use symcrete_abi::control::Halt;
use symcrete_event::{Origin, Stopped};
use symcrete_exec::{Input, Leg, Limits, Object, Server, Target, Walk};
use symcrete_search::below;
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
const LOOKS: u32 = 6;
/// Inputs of one turn where the program does not show what a turn is.
const TURN: u32 = 2;

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
}

impl Hybrid {
    pub fn new(target: Target, saturation: Option<u32>) -> Result<Hybrid, EngineError> {
        let mut archive = Archive::default();
        archive.begin();
        let quiet = saturation.unwrap_or(QUIET).max(1);
        let server = Server::new(target)?;
        Ok(Hybrid { server, archive, quiet, since: 0, turn: TURN, longest: 0, snapshots: 0 })
    }

    /// How often the name of the first input comes back tells what a turn is.
    fn learn_turn(&mut self, objects: &[Object]) {
        let Some(first) = objects.first() else { return };
        let places = objects.iter().enumerate().take(256).filter(|(_, o)| o.name == first.name).map(|(at, _)| at);
        let places: Vec<usize> = places.collect();
        if let Some(most) = places.windows(2).map(|pair| pair[1] - pair[0]).max() {
            self.turn = (most as u32).clamp(1, 16);
        }
    }
}

/// What a leg of a walk asks for next.
enum Next {
    On(Vec<Object>),
    Over,
}

impl Campaign<'_> {
    /// Walks and looks in turn, until the budget, the goal or the user says stop.
    pub(crate) fn search_hybrid(&mut self) -> Result<Stopped, EngineError> {
        if !self.asks_while_it_runs() {
            return Err(EngineError::NotReactive);
        }
        let mut hybrid = Hybrid::new(self.target.clone(), self.settings.search.saturation)?;
        loop {
            if let Some(stopped) = self.over() {
                return Ok(stopped);
            }
            self.hybrid_round(&mut hybrid)?;
        }
    }

    /// One walk, and a few looks at states.
    pub(crate) fn hybrid_round(&mut self, hybrid: &mut Hybrid) -> Result<(), EngineError> {
        self.walk_once(hybrid)?;
        for _ in 0..LOOKS {
            if self.over().is_some() {
                break;
            }
            let Some(picked) = hybrid.archive.pick() else { break };
            let before = self.counters.branches_covered;
            let reached = self.look(hybrid, &picked.chain, picked.visits)?;
            if !reached {
                hybrid.archive.forget(&picked);
            } else if self.counters.branches_covered > before {
                hybrid.archive.praise(&picked);
            }
            self.say_progress();
        }
        self.walk_cpu = hybrid.server.cpu();
        Ok(())
    }

    /// Whether any run was given something on request.
    pub(crate) fn asks_while_it_runs(&self) -> bool {
        let declared = self.server.sources().len();
        self.runs.iter().any(|input| input.objects.len() > declared)
    }

    pub(crate) fn walk_limits(&mut self, inputs: usize) -> Limits {
        Limits { max_inputs: inputs as u32, seed: self.rng.next_u64(), ..self.limits() }
    }

    fn walk_once(&mut self, hybrid: &mut Hybrid) -> Result<(), EngineError> {
        let declared = self.server.sources().len();
        let mut whole = self.generator.draw(&mut self.rng);
        whole.objects.truncate(declared);
        let sources = whole.clone();
        self.counters.executions += 1;
        self.counters.iterations += 1;
        self.counters.random_runs += 1;
        let walk = self.walk(hybrid, LONGEST);
        let limits = self.walk_limits(LONGEST);
        let mut leg = hybrid.server.walk(&whole, &limits, walk)?;
        loop {
            let asked = leg.run.requested.len();
            hybrid.since = hybrid.since.saturating_add(asked as u32);
            hybrid.learn_turn(&leg.run.requested);
            whole.objects.extend(leg.run.requested.iter().cloned());
            let length = whole.objects.len() - declared;
            hybrid.longest = hybrid.longest.max(length);
            let next = self.after_leg(hybrid, &leg, &whole)?;
            self.walk_cpu = hybrid.server.cpu();
            self.say_progress();
            let Next::On(given) = next else { break };
            if self.over().is_some() || length >= LONGEST {
                break;
            }
            let room = LONGEST - length;
            let mut input = sources.clone();
            input.objects.extend(given);
            let walk = self.walk(hybrid, room);
            let limits = self.walk_limits(room);
            leg = hybrid.server.walk_on(&input, &limits, walk)?;
        }
        hybrid.server.end_walk();
        Ok(())
    }

    /// How far the next leg may go without anything new. A program that ends before that is stopped somewhere on its
    /// way, once there was nothing new for so many inputs of all its runs together.
    fn walk(&mut self, hybrid: &Hybrid, room: usize) -> Walk {
        let left = hybrid.quiet.saturating_sub(hybrid.since);
        let quiet = match left {
            0 => 1 + below(&mut self.rng, hybrid.longest.clamp(1, room.max(1))) as u32,
            left => left + 1,
        };
        Walk { quiet, news: true, mixture: self.settings.search.values == crate::settings::Values::Mixture }
    }

    fn after_leg(&mut self, hybrid: &mut Hybrid, leg: &Leg, whole: &Input) -> Result<Next, EngineError> {
        let news = self.units.covered(&hybrid.server.trace()).into_iter().any(|side| !self.coverage.is_covered(side));
        let failed = leg.halt.is_none() && leg.run.end.is_failure();
        if news || failed {
            hybrid.server.absorb_sides();
            if self.found(whole, Origin::Random)? > 0 {
                hybrid.since = 0;
            }
        }
        match leg.halt {
            Some(Halt::News) => Ok(Next::On(vec![])),
            Some(Halt::Quiet) => {
                hybrid.since = 0;
                let objects = self.requested(whole);
                // What is far away is not worth the way: every look at it would begin at the start.
                let chain = (objects.len() <= FAR).then(|| Chain::with(&Chain::start(), objects.to_vec()));
                let found = self.snapshot(hybrid, whole, chain.as_ref())?;
                let adaptive = self.settings.search.saturation.is_none();
                match found {
                    Some(objects) => {
                        if adaptive {
                            hybrid.quiet = (hybrid.quiet / 2).max(QUIET);
                        }
                        Ok(Next::On(objects))
                    }
                    None => {
                        if adaptive {
                            hybrid.quiet = (hybrid.quiet * 2).min(MOST_QUIET);
                        }
                        Ok(Next::On(vec![]))
                    }
                }
            }
            Some(Halt::Threads) => {
                self.lost.add_named("snapshot:thread", "", 1);
                hybrid.since = 0;
                Ok(Next::On(vec![]))
            }
            Some(Halt::Bound) | None => Ok(Next::Over),
        }
    }

    fn requested<'i>(&self, input: &'i Input) -> &'i [Object] {
        &input.objects[self.server.sources().len().min(input.objects.len())..]
    }

    /// The walk stands still: what can be reached from here. The objects that did, if any.
    fn snapshot(
        &mut self,
        hybrid: &mut Hybrid,
        whole: &Input,
        chain: Option<&Rc<Chain>>,
    ) -> Result<Option<Vec<Object>>, EngineError> {
        hybrid.snapshots += 1;
        let inputs = (TURNS * hybrid.turn).min(self.settings.budget.inputs.max(1));
        self.explore(hybrid, whole, chain, explore::Bounds { inputs, runs: RUNS, first: true })
    }

    /// Goes to a state once more and explores from there; each look goes further than the one before. False when it
    /// is not reached.
    fn look(&mut self, hybrid: &mut Hybrid, chain: &Rc<Chain>, visits: u32) -> Result<bool, EngineError> {
        let declared = self.server.sources().len();
        let mut whole = self.generator.draw(&mut self.rng);
        whole.objects.truncate(declared);
        whole.objects.extend(chain.objects());
        let limits = self.walk_limits(chain.len());
        let quiet = u32::from(chain.len() == 0);
        self.counters.executions += 1;
        let leg = hybrid.server.walk(&whole, &limits, Walk { quiet, news: false, mixture: false })?;
        let reached = matches!(leg.halt, Some(Halt::Bound | Halt::Quiet));
        if reached {
            hybrid.snapshots += 1;
            let inputs = (hybrid.turn * (1 + visits)).min(self.settings.budget.inputs.max(1));
            let runs = 100 << visits.min(4);
            self.explore(hybrid, &whole, Some(chain), explore::Bounds { inputs, runs, first: false })?;
        }
        hybrid.server.end_walk();
        Ok(reached)
    }
}
