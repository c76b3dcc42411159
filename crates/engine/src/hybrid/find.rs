//! What a walk or an exploration proposes is run from the start of the program, made shorter, and tracked whole: only
//! then it is a test.

use super::{Hybrid, Whole};
use crate::campaign::{Campaign, EngineError, HYBRID};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::time::Duration;
use symcrete_event::Origin;
use symcrete_exec::{End, Input, Object, Run, Walk};
use symcrete_program::SideId;

/// Runs that make one find shorter.
const RUNS: u32 = 400;
/// The same for one that does not end in time: each of them takes all of that time.
const FEW: u32 = 8;
/// Runs that make one find of somebody else shorter.
const ADOPTING: u32 = 100;
/// Turns from which on the beginning goes first, half of it at once.
const MANY_TURNS: usize = 32;
/// Inputs that are followed; what a longer find does is seen without.
const FOLLOWED: usize = 256;

/// How much longer than a find one that is made shorter may take: one key less, and a number before it may be meant for
/// another command.
const LONGER: f64 = 4.0;
const GRACE: Duration = Duration::from_millis(20);

/// What a find has to show, however short it gets.
enum Shows {
    /// In this time, where clocks may decide.
    Sides(Vec<SideId>, Option<Duration>),
    Failure(End),
}

impl Campaign<'_> {
    /// Runs an input from the start; keeps it, shortened, when it does something new. How much it covered.
    ///
    /// One that is slow took all the time it had, and takes that from the start and in the plain build again. Where finds
    /// are dear and there is no time for that, the find is what came before the last input.
    pub(super) fn found(
        &mut self,
        hybrid: &mut Hybrid,
        whole: &Whole,
        origin: Origin,
        slow: bool,
    ) -> Result<u32, EngineError> {
        let begin = self.so_far(hybrid);
        let cut = slow && hybrid.brief && !self.finds_may_be_slow(hybrid);
        let gain = if cut {
            self.lost.add_named("walk:slow", "", 1);
            self.make_test(hybrid, &self.without_last(whole), origin, RUNS)
        } else {
            self.make_test(hybrid, whole, origin, RUNS)
        };
        hybrid.effort.found(begin, self.so_far(hybrid), slow && !cut);
        let gain = gain?;
        if gain.is_none() && !cut {
            // It was so from the snapshot, but is not from the start: time, chance or another process is in it.
            self.lost.add_named("snapshot:not-repeated", "", 1);
        }
        Ok(gain.unwrap_or(0))
    }

    fn without_last(&self, whole: &Whole) -> Whole {
        let mut before = whole.clone();
        if before.input.objects.len() > self.server.sources().len() {
            before.input.objects.pop();
        }
        before.statements = before.statements.saturating_sub(1);
        before
    }

    /// `most`: runs that make it shorter. Nothing when it does nothing new.
    pub(super) fn make_test(
        &mut self,
        hybrid: &mut Hybrid,
        whole: &Whole,
        origin: Origin,
        most: u32,
    ) -> Result<Option<u32>, EngineError> {
        let time = self.share_of_timeout(2).filter(|_| hybrid.brief);
        let (sides, run, given) = self.walk_from_start(whole, time)?;
        let end = run.end;
        let shows = if end.is_failure() {
            Shows::Failure(end)
        } else {
            let fresh: Vec<SideId> = sides.iter().copied().filter(|side| !self.coverage.is_covered(*side)).collect();
            if fresh.is_empty() {
                return Ok(None);
            }
            let most = GRACE + Duration::from_secs_f64(LONGER * run.seconds);
            Shows::Sides(fresh, self.by_clock().then_some(most))
        };
        let mut left =
            self.runs_to_shorten(hybrid, if end == End::Timeout { FEW.min(most) } else { most }, run.seconds);
        let long = Whole { input: given, statements: whole.statements };
        let given = self.fewer(long.clone(), &shows, &mut left)?;
        let short = self.fewer_bytes(given, &shows, &mut left)?;
        let requests = short.input.objects.len() - self.server.sources().len();
        self.inputs_limit = Some(requests.max(1) as u32);
        let unfollowed = (requests > FOLLOWED || hybrid.brief) && !end.is_failure() && self.may_be_unfollowed();
        let gain = if unfollowed && short.input == long.input {
            self.credit((sides, run, long.input), origin)
        } else if unfollowed {
            self.walk_from_start(&short, time).and_then(|seen| self.credit(seen, origin))
        } else {
            self.track(&short.input, None, origin).map(|tracked| tracked.gain)
        };
        self.inputs_limit = None;
        let gain = gain?;
        // It was kept for what it is short of already.
        self.news.pop_if(|(input, _)| *input == short.input);
        if gain > 0 && !end.is_failure() {
            hybrid.repeats.add(short);
        }
        Ok(Some(gain))
    }

    /// Whether nobody needs the path of a run: only hybrid testing itself is at work, and it has trees of its own.
    fn may_be_unfollowed(&self) -> bool {
        self.settings.search.strategy == HYBRID && !self.self_check && self.watch.is_none() && !self.has_targets()
    }

    /// Keeps a find by what it does when nothing follows it: the sides are the same.
    fn credit(&mut self, seen: (Vec<SideId>, Run, Input), origin: Origin) -> Result<u32, EngineError> {
        let (taken, run, given) = seen;
        self.visits.count_sides(&taken);
        self.runs.push(given.clone());
        let new: Vec<SideId> = taken.iter().copied().filter(|side| self.coverage.cover(*side)).collect();
        self.keep(&given, &run, origin, &taken, &new, false)?;
        Ok(new.len() as u32)
    }

    /// What others found, shortened to what it was kept for.
    pub(super) fn adopt_news(&mut self, hybrid: &mut Hybrid) -> Result<(), EngineError> {
        for (input, sides) in std::mem::take(&mut self.news) {
            if self.over().is_some() {
                break;
            }
            let shows = Shows::Sides(sides, None);
            let mut left = ADOPTING;
            let whole = Whole { input, statements: super::LONGEST };
            // What shows it only when it is followed, or by chance, is nobody's to go on from.
            let Some(input) = self.shows(&whole, &shows)? else { continue };
            let whole = self.fewer(Whole { input, ..whole }, &shows, &mut left)?;
            hybrid.repeats.add(self.fewer_bytes(whole, &shows, &mut left)?);
            self.say_progress();
        }
        Ok(())
    }

    /// Untracked: which sides an input takes, how it ends, and what it was really given; it may take `time`, where that is
    /// bounded.
    pub(super) fn walk_from_start(
        &mut self,
        whole: &Whole,
        time: Option<Duration>,
    ) -> Result<(Vec<SideId>, Run, Input), EngineError> {
        let input = &whole.input;
        let requests = input.objects.len() - self.server.sources().len();
        // Reads are statements too, and how many there will be is not known: as many as there were, at most.
        let most = if self.stream().is_some() { whole.statements } else { requests };
        let limits = self.walk_limits(most.max(1));
        let leg = self.server.walk(input, &limits, Walk { most: time, ..Walk::default() })?;
        self.counters.executions += 1;
        let sides = self.units.covered(&self.server.trace());
        self.server.end_walk();
        let mut given = self.server.input_of(input, &leg.run);
        if leg.halt.is_some() {
            given.objects = self.used_up(&given.objects, leg.position);
        }
        Ok((sides, leg.run, given))
    }

    fn shows(&mut self, whole: &Whole, wanted: &Shows) -> Result<Option<Input>, EngineError> {
        let time = if let Shows::Sides(_, time) = wanted { *time } else { None };
        let (sides, run, given) = self.walk_from_start(whole, time)?;
        let end = run.end;
        let same = match wanted {
            Shows::Failure(failure) => same_kind(*failure, end),
            Shows::Sides(wanted, _) => {
                let sides: FxHashSet<SideId> = sides.into_iter().collect();
                wanted.iter().all(|side| sides.contains(side))
            }
        };
        Ok(same.then_some(given))
    }

    /// Of a long one, leaves out the beginning: half of it, or half of that, and so on.
    fn later(&mut self, whole: Whole, wanted: &Shows, left: &mut u32) -> Result<Whole, EngineError> {
        let declared = self.server.sources().len();
        let mut best = whole;
        let mut part = 2;
        while *left > 0 && self.may_go_on() {
            let starts = turns(&best.input.objects[declared..]);
            let gone = starts.len() / part;
            if starts.len() < MANY_TURNS || gone < MANY_TURNS / 8 {
                break;
            }
            let mut candidate = best.clone();
            candidate.input.objects.drain(declared + starts[0]..declared + starts[gone]);
            *left -= 1;
            match self.shows(&candidate, wanted)? {
                Some(given) if given.objects.len() <= candidate.input.objects.len() => {
                    best.input = given;
                    part = (part / 2).max(2);
                }
                _ => part *= 2,
            }
        }
        Ok(best)
    }

    /// Leaves out turns, from the end to the start: as many at once as went last time and more, fewer when that
    /// was too many.
    fn fewer(&mut self, whole: Whole, wanted: &Shows, left: &mut u32) -> Result<Whole, EngineError> {
        let declared = self.server.sources().len();
        let mut best = self.later(whole, wanted, left)?;
        let mut stretch = 1;
        let mut end = turns(&best.input.objects[declared..]).len();
        while end > 0 && *left > 0 && self.may_go_on() {
            let starts = turns(&best.input.objects[declared..]);
            let from = end.saturating_sub(stretch);
            let last = starts.get(end).copied().unwrap_or(best.input.objects.len() - declared);
            let mut candidate = best.clone();
            candidate.input.objects.drain(declared + starts[from]..declared + last);
            *left -= 1;
            let some = candidate.input.objects.len() > declared;
            let tried = if some { self.shows(&candidate, wanted)? } else { None };
            match tried {
                // What was left out may have made the program ask differently: then it is no shorter form of the same.
                Some(given) if given.objects.len() <= candidate.input.objects.len() => {
                    best.input = given;
                    end = from.min(turns(&best.input.objects[declared..]).len());
                    stretch *= 2;
                }
                _ if stretch > 1 => stretch = (stretch / 4).max(1),
                _ => end -= 1,
            }
        }
        Ok(best)
    }

    /// The same for what it reads: lines that it can do without, then blocks, large ones first.
    fn fewer_bytes(&mut self, whole: Whole, wanted: &Shows, left: &mut u32) -> Result<Whole, EngineError> {
        let mut best = whole;
        let Some(stream) = self.stream().filter(|&at| !self.server.sources()[at].exact) else { return Ok(best) };
        let length = |best: &Whole| best.input.objects[stream].bytes.len();
        let mut end = length(&best);
        while end > 0 {
            let bytes = &best.input.objects[stream].bytes;
            let from = bytes[..end - 1].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            let whole_input = from == 0 && end == bytes.len();
            if !whole_input && !self.without(&mut best, stream, from..end, wanted, left)? && *left == 0 {
                return Ok(best);
            }
            end = from.min(length(&best));
        }
        let mut block = length(&best).div_ceil(2);
        while block > 0 && *left > 0 {
            let mut end = length(&best);
            while end > 0 && *left > 0 {
                let from = end.saturating_sub(block);
                self.without(&mut best, stream, from..end, wanted, left)?;
                end = from.min(length(&best));
            }
            block = if block == 1 { 0 } else { block.div_ceil(2) };
        }
        Ok(best)
    }

    /// Leaves bytes out if what is wanted is still there.
    fn without(
        &mut self,
        best: &mut Whole,
        stream: usize,
        bytes: Range<usize>,
        wanted: &Shows,
        left: &mut u32,
    ) -> Result<bool, EngineError> {
        if *left == 0 || !self.may_go_on() {
            *left = 0;
            return Ok(false);
        }
        *left -= 1;
        let mut candidate = best.clone();
        candidate.input.objects[stream].bytes.drain(bytes);
        let shown = self.shows(&candidate, wanted)?;
        let shown = shown.filter(|given| given.objects.len() <= best.input.objects.len());
        let does = shown.is_some();
        if let Some(given) = shown {
            best.input = given;
        }
        Ok(does)
    }
}

/// Where turns of the program begin: wherever it asks for the first thing again that it asks for more than once.
pub(super) fn turns(objects: &[Object]) -> Vec<usize> {
    let names = 0..objects.len().min(64);
    let again = names.into_iter().find(|&at| objects[at + 1..].iter().any(|later| later.name == objects[at].name));
    let Some(first) = objects.get(again.unwrap_or(0)) else { return vec![] };
    (0..objects.len()).filter(|&at| objects[at].name == first.name).collect()
}

fn same_kind(a: End, b: End) -> bool {
    match (a, b) {
        (End::Signal(a), End::Signal(b)) => a.signal == b.signal,
        (a, b) => std::mem::discriminant(&a) == std::mem::discriminant(&b),
    }
}
