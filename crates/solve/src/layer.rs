//! The seam between layers, and the counting around each of them. Knows no layer by name.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use symcrete_term::{Evaluator, Terms};

use crate::{Answer, Budget, CostModel, CrossCheckCounters, Fault, Query, QueryCounters};

/// One layer: answers a query, or asks the layer below.
pub trait SolverLayer: Send {
    fn name(&self) -> &'static str;
    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault>;
    /// The store of terms is another one from now on: whatever is remembered by term must go.
    fn forget_terms(&mut self);
}

/// What layers share while one query is being solved.
pub struct SolveCx<'a> {
    pub terms: &'a Terms,
    pub budget: Budget,
    /// For values under assignments; whoever uses it calls `begin` first.
    pub evaluator: &'a mut Evaluator,
    pub counters: &'a mut Counters,
    /// Learns what queries cost, where somebody wants to know.
    pub(crate) cost: Option<&'a mut CostModel>,
    /// Set from elsewhere when all solving is to stop.
    pub cancel: &'a Arc<AtomicBool>,
    /// The layer that gave the latest answer.
    pub(crate) answered_by: &'static str,
    /// Time spent in layers below the one being timed.
    pub(crate) below: Duration,
}

impl<'a> SolveCx<'a> {
    pub fn new(
        terms: &'a Terms,
        budget: Budget,
        evaluator: &'a mut Evaluator,
        counters: &'a mut Counters,
        cancel: &'a Arc<AtomicBool>,
    ) -> SolveCx<'a> {
        SolveCx { terms, budget, evaluator, counters, cost: None, cancel, answered_by: "", below: Duration::ZERO }
    }
}

/// What one layer did: `calls` is how often it was asked, the verdicts are those it gave itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayerCounters {
    pub calls: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Of all queries it was asked, how many conditions they had.
    pub conditions: u64,
    /// Its own time, without the layers below.
    pub seconds: f64,
}

/// Counters of all layers, in the order of the chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    layers: Vec<(&'static str, LayerCounters)>,
    /// Checks of the core that were left behind, never having come back in time.
    pub stuck: u64,
    /// Steps of the core over all queries.
    pub core_steps: u64,
    /// Operations that local search has evaluated.
    pub evaluations: u64,
    pub queries: QueryCounters,
    pub cross_check: CrossCheckCounters,
}

impl Counters {
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, LayerCounters)> + '_ {
        self.layers.iter().copied()
    }

    pub fn get(&self, name: &str) -> LayerCounters {
        self.layers.iter().find(|(layer, _)| *layer == name).map(|&(_, counters)| counters).unwrap_or_default()
    }

    /// Adds what another solver did.
    pub fn add(&mut self, other: &Counters) {
        for (name, more) in other.iter() {
            let own = self.of(name);
            own.calls += more.calls;
            own.sat += more.sat;
            own.unsat += more.unsat;
            own.unknown += more.unknown;
            own.conditions += more.conditions;
            own.seconds += more.seconds;
        }
        self.stuck += other.stuck;
        self.core_steps += other.core_steps;
        self.evaluations += other.evaluations;
        self.queries.distinct += other.queries.distinct;
        self.queries.to_core += other.queries.to_core;
    }

    pub(crate) fn of(&mut self, name: &'static str) -> &mut LayerCounters {
        let at = match self.layers.iter().position(|(layer, _)| *layer == name) {
            Some(at) => at,
            None => {
                self.layers.push((name, LayerCounters::default()));
                self.layers.len() - 1
            }
        };
        &mut self.layers[at].1
    }
}

/// Counts and times the layer it wraps.
pub(crate) struct Counted {
    layer: Box<dyn SolverLayer>,
}

impl Counted {
    pub(crate) fn around(layer: impl SolverLayer + 'static) -> Box<dyn SolverLayer> {
        Box::new(Counted { layer: Box::new(layer) })
    }

    pub(crate) fn around_box(layer: Box<dyn SolverLayer>) -> Box<dyn SolverLayer> {
        Box::new(Counted { layer })
    }
}

impl SolverLayer for Counted {
    fn name(&self) -> &'static str {
        self.layer.name()
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        let name = self.layer.name();
        let asked = cx.counters.of(name);
        asked.calls += 1;
        asked.conditions += query.prefix.len() as u64 + 1;
        let outside = std::mem::take(&mut cx.below);
        cx.answered_by = "";
        let start = Instant::now();
        let answer = self.layer.solve(cx, query);
        let whole = start.elapsed();
        let own = whole.saturating_sub(cx.below);
        cx.below = outside + whole;
        let mine = cx.answered_by.is_empty();
        if mine {
            cx.answered_by = name;
        }
        let counters = cx.counters.of(name);
        counters.seconds += own.as_secs_f64();
        if mine {
            match &answer {
                Ok(Answer::Sat(_)) => counters.sat += 1,
                Ok(Answer::Unsat(_)) => counters.unsat += 1,
                Ok(Answer::Unknown(_)) => counters.unknown += 1,
                Err(_) => {}
            }
        }
        answer
    }

    fn forget_terms(&mut self) {
        self.layer.forget_terms();
    }
}
