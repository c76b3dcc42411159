//! What a walk or an exploration proposes is run from the start of the program, made shorter, and tracked whole: only
//! then it is a test.

use crate::campaign::{Campaign, EngineError};
use rustc_hash::FxHashSet;
use symcrete_event::Origin;
use symcrete_exec::{End, Input, Object, Walk};
use symcrete_program::SideId;

/// Runs that make one find shorter.
const RUNS: u32 = 400;

/// What a find has to show, however short it gets.
enum Shows {
    Sides(Vec<SideId>),
    Failure(End),
}

impl Campaign<'_> {
    /// Runs an input from the start; keeps it, shortened, when it does something new. How much it covered.
    pub(super) fn found(&mut self, whole: &Input, origin: Origin) -> Result<u32, EngineError> {
        let (sides, end, given) = self.from_start(whole)?;
        let shows = if end.is_failure() {
            Shows::Failure(end)
        } else {
            let fresh: Vec<SideId> = sides.into_iter().filter(|side| !self.coverage.is_covered(*side)).collect();
            if fresh.is_empty() {
                // It was so from the snapshot, but is not from the start: time, chance or another process is in it.
                self.lost.add_named("snapshot:not-repeated", "", 1);
                return Ok(0);
            }
            Shows::Sides(fresh)
        };
        let short = self.fewer(given, &shows)?;
        self.inputs_limit = Some((short.objects.len() - self.server.sources().len()).max(1) as u32);
        let tracked = self.track(&short, None, origin);
        self.inputs_limit = None;
        Ok(tracked?.gain)
    }

    /// Untracked: which sides an input takes, how it ends, and what it was really given.
    fn from_start(&mut self, input: &Input) -> Result<(Vec<SideId>, End, Input), EngineError> {
        let declared = self.server.sources().len();
        let limits = self.walk_limits((input.objects.len() - declared).max(1));
        let leg = self.server.walk(input, &limits, Walk::default())?;
        self.counters.executions += 1;
        let sides = self.units.covered(&self.server.trace());
        self.server.end_walk();
        let given = self.server.input_of(input, &leg.run);
        Ok((sides, leg.run.end, given))
    }

    fn shows(&mut self, input: &Input, wanted: &Shows) -> Result<Option<Input>, EngineError> {
        let (sides, end, given) = self.from_start(input)?;
        let same = match wanted {
            Shows::Failure(failure) => same_kind(*failure, end),
            Shows::Sides(wanted) => {
                let sides: FxHashSet<SideId> = sides.into_iter().collect();
                wanted.iter().all(|side| sides.contains(side))
            }
        };
        Ok(same.then_some(given))
    }

    /// Leaves out turns, from the end to the start: as many at once as went last time and more, fewer when that
    /// was too many.
    fn fewer(&mut self, input: Input, wanted: &Shows) -> Result<Input, EngineError> {
        let declared = self.server.sources().len();
        let mut best = input;
        let mut left = RUNS;
        let mut stretch = 1;
        let mut end = turns(&best.objects[declared..]).len();
        while end > 0 && left > 0 && self.may_go_on() {
            let starts = turns(&best.objects[declared..]);
            let from = end.saturating_sub(stretch);
            let last = starts.get(end).copied().unwrap_or(best.objects.len() - declared);
            let mut candidate = best.clone();
            candidate.objects.drain(declared + starts[from]..declared + last);
            left -= 1;
            let tried = if candidate.objects.len() > declared { self.shows(&candidate, wanted)? } else { None };
            match tried {
                // What was left out may have made the program ask differently: then it is no shorter form of the same.
                Some(given) if given.objects.len() <= candidate.objects.len() => {
                    best = given;
                    end = from.min(turns(&best.objects[declared..]).len());
                    stretch *= 2;
                }
                _ if stretch > 1 => stretch = (stretch / 4).max(1),
                _ => end -= 1,
            }
        }
        Ok(best)
    }
}

/// Where turns of the program begin: wherever it asks for the same thing as at first.
fn turns(objects: &[Object]) -> Vec<usize> {
    let Some(first) = objects.first() else { return vec![] };
    (0..objects.len()).filter(|&at| objects[at].name == first.name).collect()
}

fn same_kind(a: End, b: End) -> bool {
    match (a, b) {
        (End::Signal(a), End::Signal(b)) => a.signal == b.signal,
        (a, b) => std::mem::discriminant(&a) == std::mem::discriminant(&b),
    }
}
