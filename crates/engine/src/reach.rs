//! Targets: backwards over the model, then forwards by searching, and every claim by a run that was there.

use crate::campaign::{Campaign, EngineError};
use crate::watch::Watch;
use std::time::Duration;
use symcrete_abi::input::ValueKind;
use symcrete_event::{Origin, Phase, Reason, Stopped};
use symcrete_exec::{Input, Object, ObjectKind};
use symcrete_program::{Distances, SideId};
use symcrete_reach::{Candidate, Hindrance, Named, Obstacle, Place, Ran, Reach, Request, RequestKind, Runner, Verdict};
use symcrete_solve::{Budget, SolveSettings, Solver};
use symcrete_term::Var;

/// What was found out about a target.
#[derive(Clone, Debug)]
pub struct Found {
    pub verdict: Verdict,
    pub segments: u64,
    pub seconds: f64,
    /// The test that reaches it.
    pub test: Option<u32>,
    /// Where the conditions stand that say so.
    pub conditions: Vec<Place>,
}

impl Found {
    fn nothing() -> Found {
        let obstacle = Obstacle { what: Hindrance::Time, place: None };
        Found { verdict: Verdict::Unknown(obstacle), segments: 0, seconds: 0.0, test: None, conditions: vec![] }
    }
}

/// What runs are made for.
#[derive(Clone, Copy)]
enum Aim {
    /// A target of the watch.
    Target(usize),
    Side(SideId),
}

/// Runs candidates for one aim of a campaign.
struct Trial<'t, 'a> {
    campaign: &'t mut Campaign<'a>,
    aim: Aim,
    /// What must be left of the campaign's time when this target gives way to the next.
    keep: Option<Duration>,
}

/// What one query of the backward search may cost.
const QUERY: Duration = Duration::from_millis(500);
/// Of the time that is left: so many parts, one of them for a brief turn of each way.
const BRIEF_BACKWARDS: u32 = 16;
const BRIEF_FORWARDS: u32 = 8;

impl Runner for Trial<'_, '_> {
    type Error = EngineError;

    fn run(&mut self, candidate: &Candidate) -> Result<Ran, EngineError> {
        let input = self.campaign.input_of(candidate);
        let ran = self.try_input(&input)?;
        if ran.reached {
            return Ok(ran);
        }
        // What the program asked for may have come in another order: by name, then.
        let actual = self.campaign.runs.last().cloned().unwrap_or_default();
        match by_name(&input, &actual) {
            Some(input) => self.try_input(&input),
            None => Ok(ran),
        }
    }

    fn budget(&mut self) -> Option<Budget> {
        if !self.campaign.may_go_on() {
            return None;
        }
        let full = Budget { time: Some(QUERY), ..Budget::default() };
        match (self.campaign.time_left(), self.keep) {
            (Some(left), Some(keep)) => (left > keep).then(|| full.within(left - keep)),
            _ => Some(full),
        }
    }
}

impl Trial<'_, '_> {
    fn try_input(&mut self, input: &Input) -> Result<Ran, EngineError> {
        self.campaign.counters.iterations += 1;
        self.campaign.track(input, None, Origin::Reach)?;
        let watch = self.campaign.watch.as_ref();
        let reached = match self.aim {
            Aim::Target(target) => watch.is_some_and(|watch| watch.targets[target].test.is_some()),
            Aim::Side(side) => self.campaign.coverage.is_covered(side),
        };
        Ok(Ran { reached, entered: watch.map(|watch| watch.entered.clone()).unwrap_or_default() })
    }
}

impl<'a> Campaign<'a> {
    /// Settles targets one after the other, backwards; what is left is searched for forwards. Where time is what bounds
    /// it, each way has a brief turn first: what is easy for one of them takes no time from what is hard for both.
    pub fn reach(
        mut self,
        seeds: Vec<(String, Input)>,
        reach: &mut Reach<'_>,
        targets: &[Named],
    ) -> Result<(Vec<Found>, Stopped), EngineError> {
        self.say_started();
        self.server.record_paths(true);
        self.watch = Some(Watch::new(reach, targets));
        self.first_runs(seeds)?;
        let settings = SolveSettings { mode: self.settings.solving.solve, ..SolveSettings::default() };
        let mut solver = Solver::new(&settings);
        let mut found: Vec<Found> = targets.iter().map(|_| Found::nothing()).collect();
        let mut stopped = Stopped::NothingLeft;
        let forwards = reach.goes_forwards();
        if forwards && let Some(left) = self.time_left() {
            self.backwards(reach, targets, &mut solver, &mut found, Some(left - left / BRIEF_BACKWARDS))?;
            self.reserve = self.time_left().map_or(Duration::ZERO, |left| left - left / BRIEF_FORWARDS);
            stopped = self.forwards(reach, targets, &mut found)?;
            self.reserve = Duration::ZERO;
        }
        let answered = |number| self.is_settled(number) || self.is_refuted(reach, &targets[number], number, stopped);
        if !(0..targets.len()).all(answered) {
            // Half of the time is for going forwards, where there is anything left to try.
            let share = if forwards && stopped != Stopped::Exhausted { 2 } else { 0 };
            let keep = self.time_left().map(|left| left.checked_div(share).unwrap_or_default());
            self.backwards(reach, targets, &mut solver, &mut found, keep)?;
            if forwards && stopped != Stopped::Exhausted {
                stopped = self.forwards(reach, targets, &mut found)?;
            }
        }
        let refuted = self.refuted(reach)?;
        for (number, found) in found.iter_mut().enumerate() {
            found.test = self.test_of(number);
            if let (Verdict::Unreachable, Some(place)) = (&found.verdict, refuted) {
                found.verdict = Verdict::Unknown(Obstacle { what: Hindrance::Missed, place: Some(place) });
            }
            match (&found.verdict, found.test) {
                (Verdict::Unreachable, Some(test)) => return Err(EngineError::WrongProof { test }),
                (_, Some(_)) => found.verdict = Verdict::Reached,
                (Verdict::Unknown(_), None) if self.is_refuted(reach, &targets[number], number, stopped) => {
                    found.verdict = Verdict::Unreachable;
                }
                _ => {}
            }
        }
        self.finish(stopped);
        Ok((found, stopped))
    }

    /// Whether every feasible path was run, and none was at a target.
    fn is_refuted(&self, reach: &Reach<'_>, target: &Named, number: usize, stopped: Stopped) -> bool {
        stopped == Stopped::Exhausted
            && self.tree.exhausted().is_ok()
            && reach.is_closed(&target.places)
            && self.watch.as_ref().is_some_and(|watch| !watch.may_have_missed(number))
    }

    /// Every target that is not settled, backwards, in equal shares of the time above `keep`.
    fn backwards(
        &mut self,
        reach: &mut Reach<'_>,
        targets: &[Named],
        solver: &mut Solver,
        found: &mut [Found],
        keep: Option<Duration>,
    ) -> Result<(), EngineError> {
        for (number, target) in targets.iter().enumerate() {
            if self.is_settled(number) {
                continue;
            }
            let begin = self.clocks().cpu_seconds;
            let open = (number..targets.len()).filter(|other| !self.is_settled(*other)).count() as u32;
            let keep = self.time_left().zip(keep).map(|(left, keep)| left - left.saturating_sub(keep) / open);
            let mut trial = Trial { campaign: self, aim: Aim::Target(number), keep };
            let finding = reach.reach(&target.places, solver, &mut trial)?;
            if let (Verdict::Unreachable, Some(watch)) = (&finding.verdict, &mut self.watch) {
                watch.targets[number].settled = true;
            }
            found[number] = Found {
                verdict: finding.verdict,
                segments: finding.segments,
                seconds: found[number].seconds + self.clocks().cpu_seconds - begin,
                test: None,
                conditions: finding.conditions,
            };
        }
        Ok(())
    }

    /// What is not settled, by a search that is drawn to it.
    fn forwards(&mut self, reach: &Reach<'_>, targets: &[Named], found: &mut [Found]) -> Result<Stopped, EngineError> {
        if (0..targets.len()).all(|number| self.is_settled(number)) {
            return Ok(Stopped::NothingLeft);
        }
        let begin = self.clocks().cpu_seconds;
        let mut strategy = symcrete_search::toward(self.distances_to_targets(reach, targets));
        self.wishing = strategy.takes_hints();
        self.full_paths = strategy.needs_full_path();
        let stopped = self.search(strategy.as_mut())?;
        let spent = self.clocks().cpu_seconds - begin;
        for found in found.iter_mut().filter(|found| matches!(found.verdict, Verdict::Unknown(_))) {
            found.seconds += spent;
        }
        Ok(stopped)
    }

    fn is_settled(&self, target: usize) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.targets[target].settled)
    }

    /// How far it is from anywhere to the next target that is still open, around what no run enters.
    fn distances_to_targets(&self, reach: &Reach<'_>, targets: &[Named]) -> Distances {
        let is_open = |number: usize| !self.is_settled(number);
        let open =
            targets.iter().enumerate().filter(|(number, _)| is_open(*number)).flat_map(|(_, named)| &named.places);
        Distances::toward(self.program, open.map(|place| (place.function, place.block)), reach.never_entered())
    }

    /// `--finish`: every side of the user's code that is left is settled backwards, as far as the time allows.
    pub(crate) fn settle_uncovered(&mut self, reach: &mut Reach<'_>, stopped: Stopped) -> Result<(), EngineError> {
        self.reserve = Duration::ZERO;
        self.phase = Phase::Settle;
        self.server.record_paths(true);
        self.watch = Some(Watch::new(reach, &[]));
        let mut solver = Solver::new(&SolveSettings::default());
        // Where every path was run, most of them are settled.
        let open = self.uncovered(stopped).into_iter().filter(|uncovered| uncovered.reason != Reason::Unreachable);
        let left: Vec<SideId> = open.map(|uncovered| SideId(uncovered.side)).collect();
        for (number, &side) in left.iter().enumerate() {
            if self.coverage.is_covered(side) || !self.may_go_on() {
                continue;
            }
            let time = self.time_left();
            let keep = time.map(|time| time - time / (left.len() - number).min(8) as u32);
            let finding =
                reach.reach_side(side, &mut solver, &mut Trial { campaign: self, aim: Aim::Side(side), keep })?;
            if finding.verdict == Verdict::Unreachable {
                self.proved.insert(side);
            }
            self.say_progress();
        }
        if self.refuted(reach)?.is_some() {
            self.proved.clear();
        }
        match self.proved.iter().any(|side| self.coverage.is_covered(*side)) {
            true => Err(EngineError::WrongProof { test: self.counters.tests }),
            false => Ok(()),
        }
    }

    /// Where a run was that should not have been possible: the program makes memory errors, and nothing is proved for it.
    fn refuted(&self, reach: &Reach<'_>) -> Result<Option<Place>, EngineError> {
        let Some((function, block)) = self.watch.as_ref().and_then(|watch| watch.refuted) else { return Ok(None) };
        let place = Place { function, block, at: 0 };
        if self.self_check {
            let (file, line) = reach.code.location(place);
            return Err(EngineError::Impossible(format!("{file}:{line}")));
        }
        Ok(Some(place))
    }

    fn test_of(&self, target: usize) -> Option<u32> {
        self.watch.as_ref().and_then(|watch| watch.targets[target].test)
    }

    /// The input that a candidate stands for.
    fn input_of(&self, candidate: &Candidate) -> Input {
        let sources = self.server.sources();
        let values: Vec<(Var, u128)> = candidate.values.iter().map(|&(var, value)| (var, u128::from(value))).collect();
        let mut input = Input::for_sources(sources, std::iter::empty()).with_values(sources, &values);
        let declared = input.objects.len() as u32;
        for (number, request) in candidate.requests.iter().enumerate() {
            let object = declared + number as u32;
            let mut bytes = vec![0; request.bytes as usize];
            for &(var, value) in &candidate.values {
                if let Var::Byte { object: of, offset } = var
                    && of == object
                    && let Some(byte) = bytes.get_mut(offset as usize)
                {
                    *byte = value as u8;
                }
            }
            input.objects.push(requested(request, bytes));
        }
        input
    }
}

fn requested(request: &Request, bytes: Vec<u8>) -> Object {
    let kind = match request.kind {
        RequestKind::Bytes => ValueKind::Bytes,
        RequestKind::Signed => ValueKind::Signed,
        RequestKind::Unsigned => ValueKind::Unsigned,
        RequestKind::Float => ValueKind::Float,
        RequestKind::Bool => ValueKind::Bool,
        RequestKind::Choice => ValueKind::Choice,
    };
    Object { name: request.name.clone(), kind: ObjectKind::Requested(kind), bytes }
}

/// The values meant, given to requests of the same names in the order they really came; nothing when that changes
/// nothing.
fn by_name(meant: &Input, actual: &Input) -> Option<Input> {
    let names = |input: &Input| input.objects.iter().map(|o| o.name.clone()).collect::<Vec<_>>();
    let (wanted, asked) = (names(meant), names(actual));
    if asked.iter().zip(&wanted).all(|(a, b)| a == b) {
        return None;
    }
    let mut rest: Vec<Option<&Object>> = meant.objects.iter().map(Some).collect();
    let mut input = actual.clone();
    for object in &mut input.objects {
        let found =
            rest.iter_mut().find(|o| o.is_some_and(|o| o.name == object.name && o.bytes.len() == object.bytes.len()));
        if let Some(found) = found.and_then(Option::take) {
            object.bytes = found.bytes.clone();
        }
    }
    Some(input)
}

/// Whether a hindrance can be overcome by giving more time.
pub fn is_a_matter_of_time(what: &Hindrance) -> bool {
    matches!(what, Hindrance::Time | Hindrance::Solver | Hindrance::Loop)
}
