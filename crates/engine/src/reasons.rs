//! Why each uncovered side is uncovered: proved unreachable, the solver gave up, it does not depend on the
//! input, precision was lost, or it was not tried.
//!
//! A decision that was executed but never depended on the input, on all paths there are, cannot be steered by
//! it. That needs another input than the declared ones, unless something was lost: then the dependence may have
//! been among it, and nothing stronger is said. What lies behind such a side shares its reason.

use rustc_hash::FxHashMap;
use symcrete_event::{Reason, Uncovered};
use symcrete_program::{Call, Program, SideId, SiteId, UnitId};

/// Sites at which some run decided on its input.
pub struct Dependent {
    sites: Vec<bool>,
}

impl Dependent {
    pub fn new(program: &Program) -> Dependent {
        Dependent { sites: vec![false; program.site_count()] }
    }

    pub fn note(&mut self, site: SiteId) {
        if let Some(known) = self.sites.get_mut(site.index()) {
            *known = true;
        }
    }

    pub fn is_known(&self, site: SiteId) -> bool {
        self.sites.get(site.index()).is_none_or(|known| *known)
    }

    pub fn absorb(&mut self, other: &Dependent) {
        self.sites.iter_mut().zip(&other.sites).for_each(|(known, also)| *known |= also);
    }

    /// For every side of the program, whether a decision on the input could have taken it. A decision whose
    /// outcomes belong to no side for sure may speak for any side of its line.
    fn sides(&self, program: &Program) -> Vec<bool> {
        let mut sides = vec![false; program.side_count()];
        for site in (0..self.sites.len()).filter(|&i| self.sites[i]).map(|i| SiteId(i as u32)) {
            let (unit, at) = program.site(site);
            sides_of(program, site, at.sides.len()).for_each(|id| sides[id.index()] = true);
            if at.sides.iter().all(Option::is_some) {
                continue;
            }
            for (local, side) in program.unit(unit).sides.iter().enumerate() {
                if (side.location.file, side.location.line) == (at.location.file, at.location.line) {
                    sides[program.side_id(unit, local as u32).index()] = true;
                }
            }
        }
        sides
    }
}

fn sides_of(program: &Program, site: SiteId, outcomes: usize) -> impl Iterator<Item = SideId> + '_ {
    (0..outcomes).filter_map(move |outcome| program.side_of(site, outcome))
}

/// What the campaign knows.
pub struct Known<'a> {
    pub program: &'a Program,
    pub dependent: &'a Dependent,
    pub covered: &'a dyn Fn(SideId) -> bool,
    /// Sides the solver gave up on.
    pub unknown: &'a dyn Fn(SideId) -> bool,
    /// Sides that were proved to be unreachable.
    pub proved: &'a dyn Fn(SideId) -> bool,
    /// Every feasible path was run.
    pub exhausted: bool,
    /// Sides of the tree are open: what did not depend on the input so far may do so behind them.
    pub open: bool,
    /// Precision was lost somewhere.
    pub lost: bool,
}

/// A reason for every counted side that is not covered, in order of their numbers.
pub fn reasons(known: &Known<'_>) -> Vec<Uncovered> {
    let program = known.program;
    let reasons =
        Search { known, depends: known.dependent.sides(program), reasons: vec![None; program.side_count()] }.run();
    let untold = if known.exhausted { Reason::Unreachable } else { Reason::Untried };
    let sides = program.counted_sides().filter(|(id, _, _)| !(known.covered)(*id));
    let reason = |id: SideId| match (known.proved)(id) {
        true => Reason::Unreachable,
        false => reasons[id.index()].unwrap_or(untold),
    };
    sides.map(|(id, _, _)| Uncovered { side: id.0, reason: reason(id) }).collect()
}

/// The more there is left to try, the better: a side behind several others has the best of their reasons.
fn rank(reason: Reason) -> u8 {
    match reason {
        Reason::Untried => 4,
        Reason::Solver => 3,
        Reason::Lost => 2,
        Reason::Input => 1,
        Reason::Unreachable => 0,
    }
}

struct Search<'a> {
    known: &'a Known<'a>,
    depends: Vec<bool>,
    reasons: Vec<Option<Reason>>,
}

impl Search<'_> {
    fn run(mut self) -> Vec<Option<Reason>> {
        let program = self.known.program;
        let mut work = vec![];
        for (unit, model) in program.units() {
            for (local, side) in model.sides.iter().enumerate() {
                let id = program.side_id(unit, local as u32);
                let executed = self.decision(unit, side.decision).any(|sibling| (self.known.covered)(sibling));
                if executed && !(self.known.covered)(id) {
                    self.reasons[id.index()] = Some(self.own_reason(id));
                    work.push((unit, local as u32));
                }
            }
        }
        let functions = definitions(program);
        while let Some((unit, side)) = work.pop() {
            let reason =
                self.reasons[program.side_id(unit, side).index()].expect("only sides with a reason are queued");
            for (unit, side) in self.behind(unit, side, &functions) {
                let id = program.side_id(unit, side);
                let better = self.reasons[id.index()].is_none_or(|old| rank(reason) > rank(old));
                if !(self.known.covered)(id) && better {
                    self.reasons[id.index()] = Some(reason);
                    work.push((unit, side));
                }
            }
        }
        self.reasons
    }

    /// All sides of one decision.
    fn decision(&self, unit: UnitId, first: u32) -> impl Iterator<Item = SideId> + '_ {
        let program = self.known.program;
        let sides = &program.unit(unit).sides;
        (first..sides.len() as u32)
            .take_while(move |&i| sides[i as usize].decision == first)
            .map(move |i| program.side_id(unit, i))
    }

    /// The decision was executed, this side not taken.
    fn own_reason(&self, id: SideId) -> Reason {
        if (self.known.unknown)(id) {
            Reason::Solver
        } else if self.depends[id.index()] || self.known.program.side(id).1.folded {
            if self.known.exhausted { Reason::Unreachable } else { Reason::Untried }
        } else if self.known.open {
            Reason::Untried
        } else if self.known.lost {
            Reason::Lost
        } else {
            Reason::Input
        }
    }

    /// Sides of the blocks that only run after this side, and of the functions they call: whatever can be
    /// reached from it without passing a side that is covered.
    fn behind(&self, unit: UnitId, side: u32, functions: &FxHashMap<&str, (UnitId, u32)>) -> Vec<(UnitId, u32)> {
        let program = self.known.program;
        let at = &program.unit(unit).sides[side as usize];
        let blocks = &program.unit(unit).functions[at.function as usize].blocks;
        let Some(block) = blocks.get(at.block as usize) else { return vec![] };
        let targets = block
            .successors
            .iter()
            .zip(&block.sides)
            .filter(|(_, s)| **s == Some(side))
            .map(|(b, _)| (unit, at.function, *b));
        let mut found = vec![];
        let mut work: Vec<(UnitId, u32, u32)> = targets.collect();
        let mut seen: Vec<(UnitId, u32, u32)> = work.clone();
        while let Some((unit, function, number)) = work.pop() {
            let Some(block) = program.unit(unit).functions[function as usize].blocks.get(number as usize) else {
                continue;
            };
            let called = block.calls.iter().filter_map(|call| match call {
                Call::Direct(name) => functions.get(name.as_str()).map(|(unit, function)| (*unit, *function, 0)),
                Call::Indirect(_) => None,
            });
            let sides: Vec<u32> = block.sides.iter().copied().flatten().collect();
            let executed = sides.iter().any(|s| (self.known.covered)(program.side_id(unit, *s)));
            if executed {
                continue;
            }
            found.extend(sides.iter().map(|s| (unit, *s)));
            // Decisions stop here: what lies behind them follows from their own sides.
            let next: Vec<_> = match sides.is_empty() {
                true => block.successors.iter().map(|b| (unit, function, *b)).chain(called).collect(),
                false => called.collect(),
            };
            for one in next {
                if !seen.contains(&one) {
                    seen.push(one);
                    work.push(one);
                }
            }
        }
        found
    }
}

/// Functions by name. A name that several units define (static functions) stands for none of them.
fn definitions(program: &Program) -> FxHashMap<&str, (UnitId, u32)> {
    let mut found: FxHashMap<&str, Option<(UnitId, u32)>> = FxHashMap::default();
    for (unit, model) in program.units() {
        for (number, function) in model.functions.iter().enumerate() {
            found.entry(&function.name).and_modify(|known| *known = None).or_insert(Some((unit, number as u32)));
        }
    }
    found.into_iter().filter_map(|(name, place)| Some((name, place?))).collect()
}
