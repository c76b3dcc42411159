//! How often runs made each decision, and how often random ones did: the former says what is rare,
//! the latter is what probabilities are estimated from.

use crate::path::Path;
use rustc_hash::FxHashMap;
use symcrete_program::{SideId, SiteId};

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Count {
    all: u32,
    random: u32,
}

/// Counts per outcome of a site.
#[derive(Clone, Default, Debug)]
pub struct Visits {
    counts: FxHashMap<(SiteId, u32), Count>,
    /// By source side: tracked runs that took it at all.
    sides: Vec<u32>,
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
        self.random_runs += u64::from(random && from == 0);
        self.behind_flips |= random && from > 0;
        for (place, step) in path.steps.iter().enumerate() {
            let count = self.counts.entry((step.site, step.taken)).or_default();
            count.all = count.all.saturating_add(1);
            count.random = count.random.saturating_add((random && place >= from) as u32);
        }
    }

    /// Counts a run once for each source side it took, also where nothing depended on input.
    pub fn count_sides(&mut self, sides: &[SideId]) {
        for side in sides {
            if side.index() >= self.sides.len() {
                self.sides.resize(side.index() + 1, 0);
            }
            self.sides[side.index()] = self.sides[side.index()].saturating_add(1);
        }
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

    /// How often runs took the outcome.
    pub fn taken(&self, site: SiteId, outcome: u32) -> u32 {
        self.counts.get(&(site, outcome)).map_or(0, |count| count.all)
    }

    /// How often random decisions took the outcome.
    pub fn taken_randomly(&self, site: SiteId, outcome: u32) -> u32 {
        self.counts.get(&(site, outcome)).map_or(0, |count| count.random)
    }
}
