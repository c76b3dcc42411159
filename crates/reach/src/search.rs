//! The search: abstract paths from the target back to the entry, made precise where they say too little.

use crate::callers::Callers;
use crate::code::{Code, GlobalId, Place};
use crate::effects::{Effects, Summaries};
use crate::evaluate::{Context, Evaluated, Start, evaluate};
use crate::forward::Forward;
use crate::invariant::{self, Found, Loops};
use crate::machine::Image;
use crate::path::{Bounds, Flows, Open, Path, Point, Refined};
use crate::possible::Possible;
use crate::state::{Request, Source, UNKNOWN};
use crate::states::States;
use crate::verdict::{Hindrance, Obstacle, Verdict};
use rustc_hash::FxHashSet;
use std::time::Duration;
use symcrete_program::{FunctionId, Program, SideId};
use symcrete_solve::{Answer, Budget, Fault, Model, Parent, Query, Solver};
use symcrete_term::{Terms, Var};

/// How a target is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopMethods {
    /// Loops are jumped over first, and followed where that says too little.
    First,
    /// The other way round.
    Last,
    /// Never jumped over.
    Off,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub unroll: u32,
    pub loop_methods: LoopMethods,
    /// Stretches that the target does not depend on are jumped over.
    pub slice: bool,
    /// Functions whose bodies are not run: their results are input.
    pub opaque: Vec<String>,
    /// All functions that are linked in, those that were not built by us as well.
    pub linked: Vec<String>,
    /// All functions that run before `main`, those that were not built by us as well.
    pub first: Vec<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            unroll: 64,
            loop_methods: LoopMethods::First,
            slice: true,
            opaque: vec![],
            linked: vec![],
            first: vec![],
        }
    }
}

/// How deep calls are followed.
const CALLS: usize = 24;

/// So many solutions over something open are run, then ever fewer.
const FIRST_GUESSES: u64 = 8;

/// What one question about a loop may cost.
const INDUCTION: Duration = Duration::from_millis(100);

/// An input to try: values of some bytes, and what the program is expected to ask for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    pub values: Vec<(Var, u64)>,
    pub requests: Vec<Request>,
}

/// What a run of the program showed.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    pub reached: bool,
    /// Blocks it entered.
    pub entered: FxHashSet<(FunctionId, u32)>,
}

/// Runs the program itself.
pub trait Runner {
    type Error: From<Fault>;
    fn run(&mut self, candidate: &Candidate) -> Result<Ran, Self::Error>;
    /// What one query may cost; nothing when the time is over.
    fn budget(&mut self) -> Option<Budget>;
}

/// What was found out about one target.
#[derive(Clone, Debug)]
pub struct Finding {
    pub verdict: Verdict,
    /// Stretches between points where more than one choice was offered.
    pub segments: u64,
    /// Where conditions stand: of a proof those that contradict each other on the last way that was closed, else those
    /// of the path that led there.
    pub conditions: Vec<Place>,
}

pub struct Reach<'a> {
    pub code: Code<'a>,
    summaries: Summaries,
    start: Start,
    before_entry: Effects,
    /// Functions that run before the entry.
    early: FxHashSet<FunctionId>,
    callers: Callers,
    flows: Flows,
    /// What values can be at all; nothing when that was not found out.
    possible: Option<Possible>,
    states: Option<States>,
    /// Globals that nobody writes to.
    unchanged: std::rc::Rc<FxHashSet<GlobalId>>,
    loops: Loops,
    terms: Terms,
    options: Options,
    /// Made when it is first needed.
    image: Option<Image>,
}

/// A path to be looked at.
struct Choice {
    path: Path,
    /// Others were offered beside it: a segment begins.
    one_of_many: bool,
}

/// Where a search stands.
struct Progress {
    segments: u64,
    obstacle: Option<Obstacle>,
    why: Vec<Place>,
    complete_paths: u64,
}

impl Progress {
    /// The first obstacle is the one that is told; one that only time set gives way to one of substance.
    fn hinder(&mut self, what: Hindrance, place: Option<Place>) {
        self.obstacle.get_or_insert(Obstacle { what, place });
    }
}

impl<'a> Reach<'a> {
    /// Whether inputs may be looked for by running as well.
    pub fn goes_forwards(&self) -> bool {
        self.options.loop_methods != LoopMethods::Off
    }

    /// Nothing when the program carries no instructions.
    pub fn new(program: &'a Program, start: Start, options: Options) -> Option<Reach<'a>> {
        let mut code = Code::new(program, &options.opaque, &options.linked)?;
        let summaries = Summaries::new(&code);
        let early = code.before_entry();
        let mut before_entry = Effects::default();
        for function in &early {
            before_entry.add(summaries.of(*function));
        }
        // A constructor that was not built by us may have called and written whatever has a name.
        let foreign = options.first.iter().find(|name| !code.is_own_start(name));
        if foreign.is_some() {
            before_entry.everything = true;
            code.leave_plain_locale();
        }
        let possible = options.slice.then(|| Possible::new(&code, &start, &early, foreign.is_some())).flatten();
        let has_early = !early.is_empty() || foreign.is_some();
        let states = possible.as_ref().and_then(|_| States::new(&code, &start, has_early));
        let callers = Callers::new(&code, start.entry, &early, foreign, possible.as_ref());
        let all = (0..code.globals.len() as u32).map(GlobalId);
        let unchanged =
            possible.iter().flat_map(|possible| all.clone().filter(|id| possible.is_unchanged(*id))).collect();
        Some(Reach {
            unchanged: std::rc::Rc::new(unchanged),
            code,
            summaries,
            start,
            before_entry,
            early: early.into_iter().collect(),
            callers,
            flows: Flows::default(),
            possible,
            states,
            loops: Loops::default(),
            terms: Terms::new(),
            options,
            image: None,
        })
    }

    /// Blocks of the program that no run can enter, by what values can be at all and which of them come together.
    pub fn never_entered(&self) -> FxHashSet<(FunctionId, u32)> {
        let own = self.code.bodies().filter(|(id, _)| self.is_followed(*id));
        let blocks = own.flat_map(|(id, body)| (0..body.function.blocks.len() as u32).map(move |b| (id, b)));
        blocks.filter(|(function, block)| !self.is_live(*function, *block)).collect()
    }

    /// Whether a function's blocks are what runs enter: models of library functions stand for what is a call of something
    /// outside here, and so do functions whose results are input, and those that ask for it.
    fn is_followed(&self, function: FunctionId) -> bool {
        let asks = |name: &str| self.code.is_input(name) || name.starts_with("symcrete_input_");
        self.code.body(function).is_some_and(|body| !self.code.program.unit(body.unit).model && !asks(&body.model.name))
    }

    /// Whether some run may enter a block.
    fn is_live(&self, function: FunctionId, block: u32) -> bool {
        let among = |states: &States| !self.is_followed(function) || states.is_live(function, block);
        self.possible.as_ref().is_none_or(|possible| possible.is_live(function, block))
            && self.states.as_ref().is_none_or(among)
    }

    /// Whether some run may go from one block to another.
    fn is_gone(&self, function: FunctionId, from: u32, to: u32) -> bool {
        let among = |states: &States| !self.is_followed(function) || states.is_gone(function, from, to);
        self.possible.as_ref().is_none_or(|possible| possible.is_gone(function, from, to))
            && self.states.as_ref().is_none_or(among)
    }

    /// Blocks that every run of the program went through before its inputs began: constructors, up to their first decision.
    pub fn always_left(&self) -> Vec<(FunctionId, u32)> {
        let mut left = vec![];
        for function in self.code.constructors() {
            let Some(body) = self.code.body(function) else { continue };
            // Of several with one name nobody knows which it is.
            let runs = self.options.first.contains(&body.model.name);
            if !runs || self.code.bodies().filter(|(_, other)| other.model.name == body.model.name).count() > 1 {
                continue;
            }
            let mut next = Some(0);
            while let Some(block) = next.filter(|block| !left.contains(&(function, *block))) {
                left.push((function, block));
                next = match body.model.blocks[block as usize].successors[..] {
                    [only] => Some(only),
                    _ => None,
                };
            }
        }
        left
    }

    /// Whether what a run does depends on its input alone, and none of it at these places is done by a constructor: then all
    /// paths run are a proof.
    pub fn is_closed(&self, places: &[Place]) -> bool {
        self.callers.is_closed() && !places.iter().any(|place| self.callers.is_early(place.function))
    }

    fn bounds(&self) -> Bounds {
        Bounds { unroll: self.options.unroll, calls: CALLS }
    }

    /// Looks for an input that gets to one of the places, or for the proof that there is none.
    pub fn reach<R: Runner>(
        &mut self,
        targets: &[Place],
        solver: &mut Solver,
        runner: &mut R,
    ) -> Result<Finding, R::Error> {
        let (mut paths, mut closed) = (vec![], vec![]);
        for &target in targets {
            if !self.callers.is_reachable(target.function) {
                continue;
            }
            if self.code.last_calls.is_before(target) {
                closed.push(target);
            } else if self.is_live(target.function, target.block) {
                paths.extend(Path::to(&self.code, &mut self.flows, target));
            } else {
                closed.extend(self.closed_before(target.function, target.block));
            }
        }
        self.follow(paths, closed, solver, runner)
    }

    /// The same for the edge that a side is. Cases of a switch that lead to one block are one edge here, so a proof is
    /// one for all of them.
    pub fn reach_side<R: Runner>(
        &mut self,
        side: SideId,
        solver: &mut Solver,
        runner: &mut R,
    ) -> Result<Finding, R::Error> {
        let program = self.code.program;
        let function = program.function_of(side);
        let (from, to) = (program.side(side).1.block, program.successor(side));
        let (mut paths, mut closed) = (vec![], vec![]);
        if self.callers.is_reachable(function) {
            match to {
                Some(to) if !self.is_gone(function, from, to) => {
                    closed = self.closed_before(function, from);
                    if closed.is_empty() {
                        closed.push(self.end_of(function, from));
                    }
                }
                Some(to) => paths.extend(Path::along(&self.code, &mut self.flows, function, from, to)),
                // The model does not say where it leads.
                None => {
                    let obstacle = Obstacle { what: Hindrance::NoModel, place: None };
                    return Ok(Finding { verdict: Verdict::Unknown(obstacle), segments: 0, conditions: vec![] });
                }
            }
        }
        self.follow(paths, closed, solver, runner)
    }

    fn end_of(&self, function: FunctionId, block: u32) -> Place {
        let length = self.code.body(function).map_or(1, |body| body.function.blocks[block as usize].len() as u32);
        Place { function, block, at: length - 1 }
    }

    /// Where ways to a block that no run enters are closed: the last blocks that runs enter.
    fn closed_before(&mut self, function: FunctionId, block: u32) -> Vec<Place> {
        let Some(body) = self.code.body(function) else { return vec![] };
        let (mut found, mut met, mut waiting) = (vec![], FxHashSet::default(), vec![block]);
        while let Some(block) = waiting.pop() {
            if self.is_live(function, block) || !met.insert(block) {
                continue;
            }
            for (before, _) in body.model.blocks.iter().enumerate().filter(|(_, b)| b.successors.contains(&block)) {
                match self.is_live(function, before as u32) {
                    true => found.push(self.end_of(function, before as u32)),
                    false => waiting.push(before as u32),
                }
            }
        }
        found
    }

    fn follow<R: Runner>(
        &mut self,
        paths: Vec<Path>,
        why: Vec<Place>,
        solver: &mut Solver,
        runner: &mut R,
    ) -> Result<Finding, R::Error> {
        let mut progress = Progress { segments: 0, obstacle: None, why, complete_paths: 0 };
        let mut open: Vec<Choice> = paths.into_iter().map(|path| Choice { path, one_of_many: true }).collect();
        if open.is_empty() {
            progress.segments = 1;
        }
        if let Some((name, place)) = self.callers.disorder().cloned() {
            progress.hinder(Hindrance::Disorder(name), Some(place));
        }
        while let Some(Choice { path, one_of_many }) = open.pop() {
            progress.segments += u64::from(one_of_many);
            let Some(budget) = runner.budget() else {
                let first = progress.obstacle.take().unwrap_or(Obstacle { what: Hindrance::Time, place: None });
                return Ok(Finding {
                    verdict: Verdict::Unknown(first),
                    segments: progress.segments,
                    conditions: vec![],
                });
            };
            let evaluated = self.evaluate(&path, solver, budget)?;
            let answer = self.solve(&evaluated, solver, budget)?;
            if let Answer::Unsat(core) = &answer {
                progress.why = core
                    .conditions
                    .iter()
                    .filter_map(|term| Some(evaluated.conditions.iter().find(|c| c.term == *term)?.place))
                    .collect();
                continue;
            }
            if !path.complete {
                self.go_up(&path, &mut open, &mut progress);
                continue;
            }
            let mut ran = Ran::default();
            // A solution over something open is a guess; many of them are not worth their runs.
            let is_guess = self.last_open(&evaluated).is_some();
            let seldom = progress.complete_paths >= FIRST_GUESSES && !progress.complete_paths.is_power_of_two();
            if let Answer::Sat(model) = &answer
                && !(is_guess && seldom)
            {
                ran = runner.run(&candidate(model, &evaluated))?;
                if ran.reached {
                    return Ok(reached(&progress, &evaluated));
                }
            }
            progress.complete_paths += 1;
            if self.options.loop_methods == LoopMethods::First
                && let Some(candidate) = self.forwards(&path, &answer, &evaluated, &progress)
                && runner.run(&candidate)?.reached
            {
                return Ok(reached(&progress, &evaluated));
            }
            let Some(point) = self.choose(&evaluated, &ran) else {
                let obstacle = self.obstacle(&evaluated, &answer);
                progress.hinder(obstacle.what, obstacle.place);
                continue;
            };
            let bounds = self.bounds();
            let refined = path.refine(&self.code, &mut self.flows, &point, bounds);
            if refined.cut
                && self.options.loop_methods == LoopMethods::Last
                && let Some(candidate) = self.forwards(&path, &answer, &evaluated, &progress)
                && runner.run(&candidate)?.reached
            {
                return Ok(reached(&progress, &evaluated));
            }
            self.take_up(refined, &point, &ran, &mut open, &mut progress);
        }
        let (verdict, conditions) = match progress.obstacle {
            Some(obstacle) => (Verdict::Unknown(obstacle), vec![]),
            None => (Verdict::Unreachable, progress.why),
        };
        Ok(Finding { verdict, segments: progress.segments, conditions })
    }

    /// Phase II, where loops or calls stand in the way: for the first paths, then ever more seldom.
    fn forwards(
        &mut self,
        path: &Path,
        answer: &Answer,
        evaluated: &Evaluated,
        progress: &Progress,
    ) -> Option<Candidate> {
        let jumps = |point: &Point| matches!(point.what, Open::Call { .. } | Open::Entering { is_loop: true, .. });
        let worth = !matches!(answer, Answer::Sat(_)) || evaluated.points.iter().any(jumps);
        if !worth || !progress.complete_paths.is_power_of_two() {
            return None;
        }
        let from = match answer {
            Answer::Sat(model) => candidate(model, evaluated),
            _ => Candidate { values: vec![], requests: evaluated.requests.clone() },
        };
        let code = &self.code;
        let image = self.image.get_or_insert_with(|| Image::new(code));
        Forward::new(code, image, &self.start, path, progress.complete_paths == 1).search(&from)
    }

    /// Evaluates with what is known of the program so far.
    fn with_context<T>(&mut self, work: impl FnOnce(&Context<'_, 'a>, &mut Terms, &mut Flows) -> T) -> T {
        let context = Context {
            code: &self.code,
            summaries: &self.summaries,
            start: &self.start,
            before_entry: &self.before_entry,
            slice: self.options.slice,
            loops: &self.loops,
            possible: self.possible.as_ref(),
            unchanged: self.unchanged.clone(),
        };
        work(&context, &mut self.terms, &mut self.flows)
    }

    /// A path with what is known about its loops; what is not known yet is found out first.
    fn evaluate(&mut self, path: &Path, solver: &mut Solver, budget: Budget) -> Result<Evaluated, Fault> {
        loop {
            let evaluated = self.with_context(|cx, terms, flows| evaluate(cx, terms, flows, path));
            if evaluated.unlearnt.is_empty() {
                return Ok(evaluated);
            }
            for head in &evaluated.unlearnt {
                self.learn(*head, solver, budget)?;
            }
        }
    }

    /// Finds out what stays true in a loop, and in those inside it before.
    fn learn(&mut self, head: (FunctionId, u32), solver: &mut Solver, budget: Budget) -> Result<(), Fault> {
        let mut waiting = vec![head];
        while let Some(&head) = waiting.last() {
            if self.loops.contains_key(&head) {
                waiting.pop();
                continue;
            }
            let budget = Budget { time: budget.time.map(|time| time.min(INDUCTION)), ..budget };
            let found =
                self.with_context(|cx, terms, flows| invariant::find(cx, terms, flows, solver, budget, head))?;
            match found {
                Found::True(invariants) => {
                    self.loops.insert(head, invariants);
                }
                Found::Waits(inner) => {
                    // One that waits for itself is not known.
                    for inner in inner {
                        match waiting.contains(&inner) {
                            true => {
                                self.loops.insert(inner, vec![]);
                            }
                            false => waiting.push(inner),
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn solve(&mut self, evaluated: &Evaluated, solver: &mut Solver, budget: Budget) -> Result<Answer, Fault> {
        let conditions: Vec<_> = evaluated.conditions.iter().map(|c| c.term).collect();
        let Some((&goal, prefix)) = conditions.split_last() else { return Ok(Answer::Sat(Model::default())) };
        solver.solve_within(&self.terms, &Query { prefix, goal, parent: Parent::none() }, budget)
    }

    /// One step up the calls: every caller, or the beginning of the program.
    fn go_up(&mut self, path: &Path, open: &mut Vec<Choice>, progress: &mut Progress) {
        let function = path.outermost();
        if self.early.contains(&function) {
            let place = Place { function, block: 0, at: 0 };
            progress.hinder(Hindrance::Early, Some(place));
        } else if let Some((name, place)) = self.callers.unseen(&self.code, self.possible.as_ref(), function).cloned() {
            progress.hinder(Hindrance::CalledBack(name), Some(place));
        }
        let mut choices = vec![];
        if function == self.start.entry {
            choices.push(Path { complete: true, ..path.clone() });
        }
        let callers = self.callers.of(&self.code, self.possible.as_ref(), function);
        if path.frames.len() >= CALLS && !callers.is_empty() {
            progress.hinder(Hindrance::Depth, callers.first().copied());
        } else {
            let code = &self.code;
            choices.extend(callers.iter().filter_map(|&call| path.called_from(code, &mut self.flows, call)));
        }
        // The beginning of the program is no choice: what is found there is what was looked for.
        let one_of_many = choices.len() > 1;
        open.extend(choices.into_iter().rev().map(|path| Choice { one_of_many: one_of_many && !path.complete, path }));
    }

    /// Takes up the ways that a point offers: those that the run which missed did not take come first, turns of a
    /// loop last.
    fn take_up(&self, refined: Refined, point: &Point, ran: &Ran, open: &mut Vec<Choice>, progress: &mut Progress) {
        if refined.cut {
            let what = match point.what {
                Open::Entering { .. } => Hindrance::Loop,
                Open::Call { .. } => Hindrance::Depth,
            };
            progress.hinder(what, Some(point.place));
        }
        let mut paths = refined.paths;
        if let Some(possible) = &self.possible {
            let function = point.place.function;
            paths.retain(|(from, ..)| from.is_none_or(|from| possible.is_live(function, from)));
        }
        let one_of_many = paths.len() > 1;
        paths.sort_by_key(|(from, back, _)| {
            let taken = from.is_some_and(|block| ran.entered.contains(&(point.place.function, block)));
            std::cmp::Reverse((*back, taken))
        });
        open.extend(paths.into_iter().map(|(_, _, path)| Choice { path, one_of_many }));
    }

    /// The point to be made precise: the last one that the conditions depend on; else the first that the run which
    /// missed did not get past, else the last of all.
    fn choose(&self, evaluated: &Evaluated, ran: &Ran) -> Option<Point> {
        if let Some(number) = self.last_open(evaluated) {
            return Some(evaluated.points[number].clone());
        }
        let missed = |point: &&Point| !ran.entered.contains(&(point.place.function, point.place.block));
        evaluated.points.iter().find(missed).or(evaluated.points.last()).cloned()
    }

    /// The last point that the conditions depend on.
    fn last_open(&self, evaluated: &Evaluated) -> Option<usize> {
        let mut last = None;
        for condition in &evaluated.conditions {
            for var in self.terms.vars_of(condition.term) {
                if let Some(Source::Point(number)) = source(evaluated, self.terms.variable(var)) {
                    last = last.max(Some(*number));
                }
            }
        }
        last
    }

    /// Why a path that leaves nothing open did not lead to the target.
    fn obstacle(&self, evaluated: &Evaluated, answer: &Answer) -> Obstacle {
        if !matches!(answer, Answer::Sat(_)) {
            return Obstacle { what: Hindrance::Solver, place: evaluated.conditions.last().map(|c| c.place) };
        }
        for condition in &evaluated.conditions {
            for var in self.terms.vars_of(condition.term) {
                match source(evaluated, self.terms.variable(var)) {
                    Some(Source::Outside(name, place)) => {
                        return Obstacle { what: Hindrance::Outside(name.clone()), place: Some(*place) };
                    }
                    Some(Source::Memory(place)) => return Obstacle { what: Hindrance::Memory, place: Some(*place) },
                    Some(Source::Unsupported(what, place)) => {
                        return Obstacle { what: Hindrance::Unsupported(what.clone()), place: Some(*place) };
                    }
                    _ => {}
                }
            }
        }
        Obstacle { what: Hindrance::Missed, place: evaluated.conditions.last().map(|c| c.place) }
    }
}

fn reached(progress: &Progress, evaluated: &Evaluated) -> Finding {
    let conditions = evaluated.conditions.iter().map(|condition| condition.place).collect();
    Finding { verdict: Verdict::Reached, segments: progress.segments, conditions }
}

/// Where an unknown comes from; nothing for an input.
fn source(evaluated: &Evaluated, var: Var) -> Option<&Source> {
    let (Var::Byte { object, .. } | Var::Length { object }) = var;
    evaluated.sources.get(object.checked_sub(UNKNOWN)? as usize)
}

/// The input that a model stands for.
fn candidate(model: &Model, evaluated: &Evaluated) -> Candidate {
    let is_input = |var: &Var| {
        let (Var::Byte { object, .. } | Var::Length { object }) = var;
        *object < UNKNOWN
    };
    Candidate { values: model.iter().filter(|(var, _)| is_input(var)).collect(), requests: evaluated.requests.clone() }
}
