//! How far uncovered code lies behind open sides: branch edges on the shortest way through the program's graph, kept up
//! to date with coverage, and with calls through pointers that full paths have shown.

use crate::strategy::View;
use rustc_hash::FxHashSet;
use symcrete_program::{Distances, FunctionId, NOWHERE, SideId};
use symcrete_tree::{NodeId, OpenSide, Passed};

#[derive(Default)]
pub(crate) struct Near {
    distances: Option<Distances>,
    /// With how many sides were covered when they were brought up to date.
    counted: usize,
    /// Nodes below this number have been searched for calls.
    seen: u32,
    /// Calls that were learnt.
    calls: FxHashSet<(FunctionId, Option<SideId>, FunctionId)>,
}

impl Near {
    /// Takes note of coverage and of new nodes; whether distances may have changed.
    pub fn update(&mut self, view: &View<'_>) -> bool {
        let count = view.covered.sides().len();
        let first = self.distances.is_none();
        let distances = self.distances.get_or_insert_with(|| Distances::new(view.program));
        let changed = first || self.counted != count;
        if changed {
            distances.update(|side| view.covered.is_covered(side));
            self.counted = count;
        }
        for node in (self.seen..view.tree.len() as u32).map(NodeId) {
            learn_calls(distances, &mut self.calls, view, view.tree.passed(node));
        }
        self.seen = view.tree.len() as u32;
        changed
    }

    /// 0 when the side itself is uncovered; one more for each decision between it and the next uncovered side. A side
    /// that the source does not have is as far as the one taken before it.
    pub fn distance(&self, view: &View<'_>, side: OpenSide) -> u32 {
        let source = |side: OpenSide| view.program.side_of(view.tree.site(side.node), side.side as usize);
        if let Some(own) = source(side) {
            return self.behind(view, own);
        }
        let before = std::iter::successors(view.tree.parent(side.node), |side| view.tree.parent(side.node));
        before.filter_map(source).next().map_or(NOWHERE, |earlier| self.behind(view, earlier).saturating_add(1))
    }

    fn behind(&self, view: &View<'_>, side: SideId) -> u32 {
        if !view.covered.is_covered(side) && is_goal(view, side) {
            return 0;
        }
        let distances = self.distances.as_ref().and_then(|distances| distances.behind(view.program, side));
        distances.unwrap_or(NOWHERE).saturating_add(1)
    }
}

/// Whether a side counts as coverage.
fn is_goal(view: &View<'_>, side: SideId) -> bool {
    let (unit, model) = view.program.side(side);
    let unit = view.program.unit(unit);
    model.counts() && !unit.model && unit.is_own(model.location)
}

/// Who entered whom, as far as a stretch of a path shows it.
fn learn_calls(
    distances: &mut Distances,
    known: &mut FxHashSet<(FunctionId, Option<SideId>, FunctionId)>,
    view: &View<'_>,
    passed: &[Passed],
) {
    // Activations that the stretch entered itself, each with the side taken there last.
    let mut inside: Vec<(FunctionId, Option<SideId>)> = vec![];
    for entry in passed {
        match *entry {
            Passed::Enter(callee) => {
                if let Some(&(caller, after)) = inside.last()
                    && known.insert((caller, after, callee))
                {
                    distances.observe(view.program, caller, after, callee);
                }
                inside.push((callee, None));
            }
            Passed::Side(side) => {
                let function = view.program.function_of(side);
                match inside.last_mut() {
                    Some((known, after)) if *known == function => *after = Some(side),
                    // An activation that began before the stretch.
                    _ => inside.push((function, Some(side))),
                }
            }
            Passed::Leave => drop(inside.pop()),
        }
    }
}
