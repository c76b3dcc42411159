//! What a run may still earn from each location: `R = w + P·R`, with `w` the price of what is uncovered and `P` estimated
//! from what random runs did. Kept from one decision to the next: only what changed, and what that changes, is computed
//! again, in the order in which one pass is enough. Loops are solved as a whole; recursion, and loops too tangled for
//! that, take passes.

mod counting;
mod loops;
mod update;

use crate::changes::Changes;
use crate::elimination::Scratch;
use crate::estimator::{Estimator, Prepared};
use crate::flow::{Flow, NodeId};
use loops::Solved;
use rustc_hash::FxHashMap;
use symcrete_program::SiteId;

/// The side of the program that one outcome of a site of the tracking bodies is.
#[derive(Clone, Copy)]
struct Watched {
    node: u32,
    decision: u32,
    seen: u32,
}

/// Rewards of all locations.
pub struct Rewards {
    estimator: Estimator,
    /// Beside the flow's ways out: how likely each is.
    probability: Vec<f64>,
    /// By node that is a side: how often random runs took it.
    taken: Vec<f64>,
    weight: Vec<f64>,
    reward: Vec<f64>,
    /// What a run earns behind the end of the function, by the function's entry.
    behind: Vec<f64>,
    watched: FxHashMap<(SiteId, u32), Watched>,
    /// By site: outcomes that are watched, or have nothing to be watched.
    known: Vec<u32>,
    /// Decisions that random runs were counted at.
    counted: Vec<bool>,
    /// Nodes whose reward has to be computed again, a bit each.
    dirty: Vec<u64>,
    /// What no reward exceeds: the sum of all prices when rewards were brought up to date last.
    limit: f64,
    /// At least the highest reward.
    highest: f64,
    loops: Vec<Solved>,
    /// Loops whose probabilities changed since somebody asked.
    changed_loops: Vec<u32>,
    /// Functions in which a reward changed since somebody asked.
    changes: Changes,
    /// Nodes of tangled loops that did not settle the last time.
    unsettled: Vec<u32>,
    scratch: Scratch,
    values: Vec<f64>,
    updates: u32,
    seen_nodes: u32,
    /// What visits were counted up to.
    moment: u64,
    /// Runs that each counted one stands for.
    scale: f64,
    /// Changes below this share of a reward or a probability are not passed on.
    tolerance: f64,
    /// Nodes computed so far, for measuring.
    pub computed: u64,
}

/// Graphs up to this size are computed to the last digits.
const SMALL: usize = 4096;

impl Rewards {
    pub fn new(flow: &Flow, estimator: Estimator) -> Rewards {
        let count = flow.len();
        let mut rewards = Rewards {
            estimator,
            probability: vec![0.0; flow.after.all.len()],
            taken: vec![0.0; count],
            weight: vec![0.0; count],
            reward: vec![0.0; count],
            behind: vec![0.0; count],
            watched: FxHashMap::default(),
            known: vec![],
            counted: vec![false; count],
            dirty: vec![u64::MAX; count.div_ceil(64)],
            limit: f64::INFINITY,
            highest: 0.0,
            loops: flow.loops.iter().map(|_| Solved::default()).collect(),
            changed_loops: (0..flow.loops.len() as u32).collect(),
            changes: Changes::new(count),
            unsettled: vec![],
            scratch: Scratch::default(),
            values: vec![],
            updates: 0,
            seen_nodes: 0,
            moment: 0,
            scale: 1.0,
            tolerance: if count <= SMALL { 1e-12 } else { 2e-3 },
            computed: 0,
        };
        // Nothing is known of any decision: all with as many ways are alike.
        let prepared = rewards.estimator.prepare(std::iter::empty());
        let told = matches!(prepared, Prepared::Told(_));
        for node in 0..count {
            let range = flow.after.range(node);
            if told && range.len() > 1 {
                rewards.set_probabilities(flow, &prepared, node);
            } else {
                let each = 1.0 / range.len() as f64;
                rewards.probability[range].fill(each);
            }
        }
        rewards
    }

    /// What a run that is at a node may still earn, the node's own price included.
    pub fn at(&self, flow: &Flow, node: NodeId) -> f64 {
        // A program without a model has no locations.
        let Some(reward) = self.reward.get(node.index()) else { return 0.0 };
        reward + self.behind[flow.home[node.index()] as usize]
    }

    /// What a run may still earn behind the end of the function with this entry.
    pub(crate) fn behind(&self, entry: u32) -> f64 {
        self.behind[entry as usize]
    }

    /// The price of a node itself.
    pub fn weight(&self, node: usize) -> f64 {
        self.weight[node]
    }

    /// How likely each way out of a node is, in order.
    pub fn probabilities(&self, flow: &Flow, node: NodeId) -> &[f64] {
        &self.probability[flow.after.range(node.index())]
    }

    fn mark(&mut self, node: usize) {
        self.dirty[node / 64] |= 1 << (node % 64);
    }

    /// Gives a node another price.
    pub fn set_price(&mut self, flow: &Flow, node: NodeId, price: f64) {
        self.set_weight(flow, node.index(), price);
    }

    pub(crate) fn set_weight(&mut self, flow: &Flow, node: usize, weight: f64) {
        let old = std::mem::replace(&mut self.weight[node], weight);
        if old != weight {
            self.mark(node);
            self.changes.add(flow.home[node], (weight - old).max(0.0));
        }
    }

    /// Loops in which how often a run comes round has changed since the last time.
    pub(crate) fn take_changed_loops(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.changed_loops)
    }

    /// Entries of functions in which a reward or a price has changed since the last time, and how much more any way
    /// through the function may earn than then.
    pub(crate) fn take_changes(&mut self) -> Vec<(u32, f64)> {
        self.changes.take()
    }

    /// Something in the function of a node is not what it was.
    pub(crate) fn note(&mut self, flow: &Flow, node: usize) {
        self.changes.note(flow.home[node], 0.0);
    }
}
