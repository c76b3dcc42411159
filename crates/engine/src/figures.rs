//! The final figures: what was lost, and what is uncovered.

use crate::campaign::Campaign;
use crate::reasons;
use std::collections::BTreeMap;
use symcrete_event::{
    CostModelRow, CrossCheckRow, Event, Finished, LayerRow, LostRow, QueryLogRow, Solving, Stopped, Uncovered,
};
use symcrete_exec::LostAt;
use symcrete_program::{Program, SiteId, SiteKind};
use symcrete_solve::{Counters, LayerCounters, Solver};
use symcrete_tree::{NodeId, SideState};

/// Lost precision by name and place.
#[derive(Default)]
pub struct LostTable {
    rows: BTreeMap<(String, String), u64>,
}

impl LostTable {
    pub fn add(&mut self, lost: LostAt, site: Option<SiteId>, program: &Program) {
        let slug = lost.what.slug();
        let known = site.filter(|s| s.index() < program.site_count());
        let Some(site) = known else { return self.add_named(slug, "", lost.count) };
        let (unit, site) = program.site(site);
        let what = match &site.kind {
            SiteKind::Call(name) => format!("{slug}:{name}"),
            SiteKind::Instruction(name) => format!("{slug}:{name}"),
            _ => slug.to_string(),
        };
        let place = if site.location.line == 0 { String::new() } else { program.place(unit, site.location) };
        self.add_named(&what, &place, lost.count);
    }

    pub fn add_named(&mut self, what: &str, place: &str, count: u64) {
        if count != 0 {
            *self.rows.entry((what.into(), place.into())).or_default() += count;
        }
    }

    pub fn absorb(&mut self, other: LostTable) {
        other.rows.into_iter().for_each(|((what, place), count)| self.add_named(&what, &place, count));
    }

    fn rows(&self) -> Vec<LostRow> {
        let mut rows: Vec<LostRow> = self
            .rows
            .iter()
            .map(|((what, place), count)| LostRow { what: what.clone(), place: place.clone(), count: *count })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.count));
        rows
    }
}

fn rows(counters: &Counters) -> Vec<LayerRow> {
    let row = |(name, c): (&'static str, LayerCounters)| LayerRow {
        name: name.into(),
        calls: c.calls,
        sat: c.sat,
        unsat: c.unsat,
        unknown: c.unknown,
        conditions: c.conditions,
        seconds: c.seconds,
    };
    counters.iter().map(row).collect()
}

impl Campaign<'_> {
    pub fn finish(&mut self, stopped: Stopped) {
        let function_hits = self.function_hits();
        let touched: Vec<bool> = function_hits.iter().map(|h| *h > 0).collect();
        self.counters.functions_touched = touched.iter().filter(|t| **t).count() as u32;
        self.counters.branches_in_touched = self
            .program
            .counted_sides()
            .filter(|(_, unit, side)| touched[self.program.function_id(*unit, side.function).index()])
            .count() as u32;
        let counters = self.solver_counters();
        let layers = rows(&counters);
        let solving = self.solving(&counters);
        let lost = self.lost.rows();
        let uncovered = self.uncovered(stopped);
        let targets: Vec<u32> = self.targets.iter().copied().collect();
        let tree = self.kept_tree();
        let side_hits = std::mem::take(&mut self.side_hits);
        let finished = Finished {
            stopped,
            counters: self.counters,
            clocks: self.clocks(),
            nondeterministic: self.nondeterministic,
            lost: &lost,
            uncovered: &uncovered,
            layers: &layers,
            solving: &solving,
            targets_reached: &targets,
            side_hits: &side_hits,
            function_hits: &function_hits,
            tree: &tree,
        };
        self.say(&Event::Finished(&finished));
    }

    /// What all solvers of the campaign did; those of workers that are away, when they last came back.
    fn solver_counters(&self) -> Counters {
        let mut sum = self.solver.counters().clone();
        if self.helpers.is_empty() {
            self.spent.iter().for_each(|spent| sum.add(&spent.solver));
        }
        self.helpers.iter().for_each(|helper| sum.add(helper.counters()));
        sum
    }

    pub(crate) fn layers(&self) -> Vec<LayerRow> {
        rows(&self.solver_counters())
    }

    fn solving(&self, counters: &Counters) -> Solving {
        // Each solver learns for itself; with several, the one that learnt most is shown.
        let costs = self.helpers.iter().chain([&self.solver]).map(Solver::cost);
        let cost = costs.max_by_key(|cost| cost.observations()).unwrap_or(self.solver.cost());
        let (queries, crossed) = (counters.queries, counters.cross_check);
        Solving {
            cpu_seconds: self.solver_cpu.as_secs_f64(),
            distinct: queries.distinct,
            to_core: queries.to_core,
            log: self.watched.0.then_some(QueryLogRow {
                written: queries.logged,
                loose: queries.logged_loosely,
                failed: queries.log_failures,
            }),
            cross_check: self.watched.1.then_some(CrossCheckRow {
                compared: crossed.compared,
                agreed: crossed.agreed,
                undecided: crossed.undecided,
                inexpressible: crossed.inexpressible,
                lost: crossed.lost,
            }),
            cost_model: CostModelRow {
                observations: cost.observations(),
                rank_correlation: cost.rank_correlation(),
                weights: cost.weights().map(|(name, weight)| (name.into(), weight)).collect(),
            },
        }
    }

    /// How many kept tests entered each function, by the sides they took in it.
    fn function_hits(&self) -> Vec<u32> {
        let mut hits = vec![0; self.program.function_count()];
        for (id, unit, side) in self.program.counted_sides() {
            let function = self.program.function_id(unit, side.function).index();
            hits[function] = hits[function].max(self.side_hits[id.index()]);
        }
        hits
    }

    /// A reason for each uncovered side.
    pub(crate) fn uncovered(&self, stopped: Stopped) -> Vec<Uncovered> {
        let mut unknown = vec![false; self.program.side_count()];
        for node in (0..self.tree.len() as u32).map(NodeId) {
            for side in 0..self.tree.side_count(node) {
                if let SideState::Unknown { .. } = self.tree.side(node, side)
                    && let Some(id) = self.program.side_of(self.tree.site(node), side as usize)
                {
                    unknown[id.index()] = true;
                }
            }
        }
        reasons::reasons(&reasons::Known {
            program: self.program,
            dependent: &self.dependent,
            covered: &|side| self.coverage.is_covered(side),
            unknown: &|side| unknown[side.index()],
            proved: &|side| self.proved.contains(&side),
            exhausted: stopped == Stopped::Exhausted,
            open: !self.tree.frontier().is_empty(),
            lost: !self.lost.rows.is_empty(),
        })
    }
}
