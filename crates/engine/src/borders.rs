//! Inputs that came to a decision with a side that no run has taken. Random inputs are made from them now and then, from
//! each decision's as often as from any other's: what is rare is not drowned by what is common.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use symcrete_exec::Input;
use symcrete_program::{Program, SideId, SiteId};
use symcrete_search::{Rng, below};
use symcrete_tree::Coverage;

/// Inputs that are kept for one decision; the oldest give way.
const MOST: usize = 4;
/// Of a side that belongs to no decision of the program's own code.
const NONE: u32 = u32::MAX;

/// Which sides belong to one decision.
pub struct Decisions {
    of_side: Vec<u32>,
    sides: Vec<Vec<SideId>>,
}

impl Decisions {
    /// `counted`: the sides that are counted, by index.
    pub fn new(program: &Program, counted: &[bool]) -> Decisions {
        let mut decisions = Decisions { of_side: vec![NONE; counted.len()], sides: vec![] };
        for site in (0..program.site_count()).map(|site| SiteId(site as u32)) {
            let outcomes = program.site(site).1.sides.len();
            let sides: Vec<SideId> = (0..outcomes)
                .filter_map(|outcome| program.side_of(site, outcome))
                .filter(|side| counted[side.index()])
                .collect();
            if sides.len() > 1 {
                sides.iter().for_each(|side| decisions.of_side[side.index()] = decisions.sides.len() as u32);
                decisions.sides.push(sides);
            }
        }
        decisions
    }

    fn of(&self, side: SideId) -> Option<u32> {
        Some(self.of_side[side.index()]).filter(|decision| *decision != NONE)
    }

    fn is_open(&self, decision: u32, coverage: &Coverage) -> bool {
        self.sides[decision as usize].iter().any(|side| !coverage.is_covered(*side))
    }
}

#[derive(Clone, Default)]
pub struct Borders {
    /// By decision; and where each of them is.
    inputs: Vec<(u32, Vec<Arc<Input>>)>,
    places: FxHashMap<u32, usize>,
    /// Runs taken in.
    runs: usize,
}

impl Borders {
    /// A run took these sides, of which some are new.
    pub fn add(&mut self, input: &Input, taken: &[SideId], new: &[SideId], decisions: &Decisions, coverage: &Coverage) {
        for decision in new.iter().filter_map(|side| decisions.of(*side)) {
            if !decisions.is_open(decision, coverage) {
                self.close(decision);
            }
        }
        let input = Arc::new(input.clone());
        self.runs += 1;
        for decision in taken.iter().filter_map(|side| decisions.of(*side)) {
            if !decisions.is_open(decision, coverage) {
                continue;
            }
            let place = *self.places.entry(decision).or_insert_with(|| {
                self.inputs.push((decision, vec![]));
                self.inputs.len() - 1
            });
            let held = &mut self.inputs[place].1;
            if held.len() < MOST {
                held.push(Arc::clone(&input));
            } else {
                held[self.runs % MOST] = Arc::clone(&input);
            }
        }
    }

    fn close(&mut self, decision: u32) {
        let Some(place) = self.places.remove(&decision) else { return };
        self.inputs.swap_remove(place);
        if let Some((moved, _)) = self.inputs.get(place) {
            self.places.insert(*moved, place);
        }
    }

    pub fn pick(&self, rng: &mut Rng) -> Option<&Input> {
        let (_, held) = self.inputs.get(below(rng, self.inputs.len().max(1)))?;
        held.get(below(rng, held.len())).map(|input| &**input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_search::seeded;

    fn input(byte: u8) -> Input {
        let source = symcrete_exec::SourceSpec {
            kind: symcrete_abi::input::SourceKind::Stdin,
            name: "stdin".into(),
            capacity: 4,
            exact: false,
        };
        Input::for_sources(&[source], [vec![byte]])
    }

    /// What is drawn in many draws.
    fn drawn(borders: &Borders) -> Vec<u8> {
        let mut rng = seeded(5);
        let mut all: Vec<u8> =
            (0..400).filter_map(|_| borders.pick(&mut rng)).map(|input| input.objects[0].bytes[0]).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    #[test]
    fn inputs_stand_for_decisions_with_an_open_side() {
        let sides: Vec<SideId> = (0..5).map(SideId).collect();
        let decisions = Decisions {
            of_side: vec![0, 0, 1, 1, NONE],
            sides: vec![vec![sides[0], sides[1]], vec![sides[2], sides[3]]],
        };
        let (mut coverage, mut borders) = (Coverage::new(), Borders::default());
        let mut run = |byte: u8, taken: &[usize]| {
            let taken: Vec<SideId> = taken.iter().map(|side| sides[*side]).collect();
            let new: Vec<SideId> = taken.iter().copied().filter(|side| coverage.cover(*side)).collect();
            borders.add(&input(byte), &taken, &new, &decisions, &coverage);
            drawn(&borders)
        };
        assert_eq!(run(1, &[0, 4]), [1]);
        assert_eq!(run(2, &[0, 2]), [1, 2]);
        // The first decision has no open side any more; the second one's input stays.
        assert_eq!(run(3, &[1]), [2]);
        for byte in 4..20 {
            assert!(run(byte, &[2]).len() <= MOST);
        }
        assert_eq!(run(20, &[3]), [0u8; 0]);
    }
}
