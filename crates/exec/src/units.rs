//! Which unit of the program model a runtime number belongs to. Units are matched by the hash of their
//! compilation, so a target that was rebuilt is noticed instead of misread.

use crate::trace::Trace;
use rustc_hash::FxHashMap;
use symcrete_abi::layout::UnitEntry;
use symcrete_abi::lost::NO_SITE;
use symcrete_program::{Program, SideId, SiteId, UnitId};

/// One loaded unit.
#[derive(Clone, Copy, Debug)]
struct Loaded {
    entry: UnitEntry,
    unit: UnitId,
    first_site: SiteId,
    sites: u32,
    first_side: SideId,
    sides: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitsError {
    #[error("the running target has a unit ({hash:#018x}) that its program model does not know: build it again")]
    Unknown { hash: u64 },
    #[error("unit {hash:#018x} has {sites} numbers and {sides} sides in the target, and others in the program model")]
    Different { hash: u64, sites: u32, sides: u32 },
}

/// Invariant: sorted by `site_base`, and every number inside lies within its unit's model.
#[derive(Clone, Debug, Default)]
pub struct Units {
    loaded: Vec<Loaded>,
}

impl Units {
    /// Reads the table of loaded units. To be repeated when their number has grown (`dlopen`).
    pub fn load(trace: &Trace<'_>, program: &Program) -> Result<Units, UnitsError> {
        let known: FxHashMap<u64, UnitId> = program.units().map(|(id, unit)| (unit.hash, id)).collect();
        let mut loaded = Vec::with_capacity(trace.unit_count());
        for entry in trace.units() {
            let hash = entry.hash;
            let &unit = known.get(&hash).ok_or(UnitsError::Unknown { hash })?;
            let model = program.unit(unit);
            // A unit whose sides found no room in the shared memory has none there.
            let sides_fit = model.sides.len() == entry.sides as usize || entry.sides == 0;
            if model.numbers.max(model.sites.len() as u32) != entry.sites || !sides_fit {
                return Err(UnitsError::Different { hash, sites: entry.sites, sides: entry.sides });
            }
            loaded.push(Loaded {
                entry,
                unit,
                first_site: program.site_id(unit, 0),
                sites: model.sites.len() as u32,
                first_side: program.side_id(unit, 0),
                sides: entry.sides,
            });
        }
        loaded.sort_by_key(|l| l.entry.site_base);
        Ok(Units { loaded })
    }

    pub fn len(&self) -> usize {
        self.loaded.len()
    }

    pub fn is_empty(&self) -> bool {
        self.loaded.is_empty()
    }

    /// The unit and the number inside it of a mark of full paths.
    pub(crate) fn mark(&self, number: u32) -> Option<(UnitId, u32)> {
        let after = self.loaded.partition_point(|l| l.entry.site_base <= number);
        let loaded = self.loaded[..after].iter().rev().find(|l| l.entry.sites > 0)?;
        let local = number - loaded.entry.site_base;
        (local < loaded.entry.sites).then_some((loaded.unit, local))
    }

    /// The site behind a runtime-wide number; [`SiteId::NONE`] for what the runtime does on its own.
    #[inline]
    pub fn site(&self, number: u32) -> Option<SiteId> {
        if number == NO_SITE {
            return Some(SiteId::NONE);
        }
        let after = self.loaded.partition_point(|l| l.entry.site_base <= number);
        // Units without sites share their base with the next one.
        let loaded = self.loaded[..after].iter().rev().find(|l| l.entry.sites > 0)?;
        let local = number - loaded.entry.site_base;
        (local < loaded.sites).then(|| SiteId(loaded.first_site.0 + local))
    }

    /// For every unit its first side and one byte per side, nonzero when the run took it.
    pub fn side_bytes<'a>(&'a self, trace: &'a Trace<'a>) -> impl Iterator<Item = (SideId, Vec<u8>)> + 'a {
        self.loaded.iter().filter(|l| l.sides > 0).map(move |l| (l.first_side, trace.sides(&l.entry)))
    }

    /// The sides the run took, ascending within each unit.
    pub fn covered(&self, trace: &Trace<'_>) -> Vec<SideId> {
        let mut covered = Vec::new();
        for (first, bytes) in self.side_bytes(trace) {
            let taken = bytes.iter().enumerate().filter(|(_, b)| **b != 0);
            covered.extend(taken.map(|(place, _)| SideId(first.0 + place as u32)));
        }
        covered.sort_unstable();
        covered
    }

    /// For every unit its id and one byte per mark.
    pub fn mark_bytes<'a>(&'a self, trace: &'a Trace<'a>) -> impl Iterator<Item = (UnitId, Vec<u8>)> + 'a {
        self.loaded.iter().map(move |l| (l.unit, trace.marks(&l.entry)))
    }
}
