//! How often runs made each decision, and how often random ones did: the former says what is rare,
//! the latter is what probabilities are estimated from.

use crate::path::Path;
use crate::recent::Recent;
use rustc_hash::FxHashMap;
use symcrete_program::{SideId, SiteId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Count {
    site: SiteId,
    outcome: u32,
    all: u32,
    random: u32,
}

/// Counts per outcome of a site.
#[derive(Clone, Default, Debug)]
pub struct Visits {
    index: FxHashMap<(SiteId, u32), u32>,
    counts: Vec<Count>,
    /// By source side: tracked runs that took it at all.
    sides: Vec<u32>,
    /// Counts of random decisions, and sides, by when they changed last.
    recent: Recent,
    recent_sides: Recent,
    /// Calls that counted something, so far.
    moment: u64,
    random_runs: u64,
    behind_flips: bool,
}

impl Visits {
    pub fn new() -> Visits {
        Self::default()
    }

    /// Counts the decisions of a run from step `from` on; `random` tells whether they were left to
    /// chance (after a flip, those beyond the flipped one are).
    pub fn count(&mut self, path: &Path, from: usize, random: bool) {
        self.moment += 1;
        self.random_runs += u64::from(random && from == 0);
        self.behind_flips |= random && from > 0;
        for (place, step) in path.steps.iter().enumerate() {
            let (site, outcome) = (step.site, step.taken);
            let number = *self.index.entry((site, outcome)).or_insert_with(|| {
                self.counts.push(Count { site, outcome, all: 0, random: 0 });
                self.counts.len() as u32 - 1
            });
            let count = &mut self.counts[number as usize];
            count.all = count.all.saturating_add(1);
            if random && place >= from {
                count.random = count.random.saturating_add(1);
                self.recent.touch(number as usize, self.moment);
            }
        }
    }

    /// Counts a run once for each source side it took, also where nothing depended on input.
    pub fn count_sides(&mut self, sides: &[SideId]) {
        self.moment += 1;
        for side in sides {
            if side.index() >= self.sides.len() {
                self.sides.resize(side.index() + 1, 0);
            }
            self.sides[side.index()] = self.sides[side.index()].saturating_add(1);
            self.recent_sides.touch(side.index(), self.moment);
        }
    }

    /// Now, for [`Visits::random_since`] and [`Visits::sides_since`] later.
    pub fn moment(&self) -> u64 {
        self.moment
    }

    /// Outcomes that random decisions took after a moment, each once, and how often they took them in all.
    pub fn random_since(&self, moment: u64) -> impl Iterator<Item = (SiteId, u32, u32)> + '_ {
        let counts = self.recent.since(moment).map(|number| &self.counts[number]);
        counts.map(|count| (count.site, count.outcome, count.random))
    }

    /// Source sides that counted runs took after a moment, each once.
    pub fn sides_since(&self, moment: u64) -> impl Iterator<Item = SideId> + '_ {
        self.recent_sides.since(moment).map(|side| SideId(side as u32))
    }

    /// How many counted runs took a source side.
    pub fn runs_through(&self, side: SideId) -> u32 {
        self.sides.get(side.index()).copied().unwrap_or(0)
    }

    /// Whether decisions behind a flipped one are counted as random: only where chance really takes over there.
    pub fn counts_behind_flips(&self) -> bool {
        self.behind_flips
    }

    /// How many runs were counted that were random from their first decision on.
    pub fn random_runs(&self) -> u64 {
        self.random_runs
    }

    fn of(&self, site: SiteId, outcome: u32) -> Option<&Count> {
        self.index.get(&(site, outcome)).map(|&number| &self.counts[number as usize])
    }

    /// How often runs took the outcome.
    pub fn taken(&self, site: SiteId, outcome: u32) -> u32 {
        self.of(site, outcome).map_or(0, |count| count.all)
    }

    /// How often random decisions took the outcome.
    pub fn taken_randomly(&self, site: SiteId, outcome: u32) -> u32 {
        self.of(site, outcome).map_or(0, |count| count.random)
    }
}
