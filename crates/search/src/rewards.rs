//! What a run may still earn from each location: `R = w + P·R`, with `w` the price of what is uncovered and `P` estimated
//! from what random runs did. Kept from one decision to the next: only what changed, and what that changes, is computed
//! again, in the order in which one pass is enough where there are no loops.

use crate::estimator::{Estimator, Prepared};
use crate::flow::{Flow, NodeId};
use rustc_hash::FxHashMap;
use symcrete_program::SiteId;
use symcrete_tree::{Coverage, Tree, Visits};

/// One outcome of a site of the tracking bodies, and the side of the program it is.
struct Watched {
    site: SiteId,
    outcome: u32,
    node: NodeId,
    decision: usize,
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
    watched: Vec<Watched>,
    known: FxHashMap<(SiteId, u32), ()>,
    /// Decisions that random runs were counted at, by site.
    counted: Vec<bool>,
    /// Nodes whose reward has to be computed again, a bit each.
    dirty: Vec<u64>,
    /// How the reward of a node that closes a loop changed last: the next changes follow from it.
    change: FxHashMap<u32, f64>,
    seen_nodes: u32,
    seen_sides: usize,
    /// Runs that each counted one stands for.
    scale: f64,
    /// Changes below this share of a reward are not passed on.
    tolerance: f64,
    /// Nodes computed so far, for measuring.
    pub computed: u64,
}

/// Passes over what is still changing, at most, each time; the next time goes on.
const PASSES: usize = 64;
/// Graphs up to this size are computed to the last digits.
const SMALL: usize = 4096;
/// Loops of at most this many locations count each price once a run, not once a round.
const LOCAL: usize = 512;

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
            watched: vec![],
            known: FxHashMap::default(),
            counted: vec![false; count],
            dirty: vec![u64::MAX; count.div_ceil(64)],
            change: FxHashMap::default(),
            seen_nodes: 0,
            seen_sides: usize::MAX,
            scale: 1.0,
            tolerance: if count <= SMALL { 1e-12 } else { 1e-3 },
            computed: 0,
        };
        let prepared = rewards.estimator.prepare(std::iter::empty());
        for node in 0..count {
            rewards.set_probabilities(flow, &prepared, node);
        }
        rewards
    }

    /// What a run that is at a node may still earn, the node's own price included.
    pub fn at(&self, flow: &Flow, node: NodeId) -> f64 {
        // A program without a model has no locations.
        let Some(reward) = self.reward.get(node.index()) else { return 0.0 };
        reward + self.behind[flow.home[node.index()] as usize]
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
    pub fn set_price(&mut self, node: NodeId, price: f64) {
        self.set_weight(node.index(), price);
    }

    pub(crate) fn set_weight(&mut self, node: usize, weight: f64) {
        if self.weight[node] != weight {
            self.weight[node] = weight;
            self.mark(node);
        }
    }

    /// Takes in what runs did since the last time. `scale`: how many random runs each counted one stands for.
    pub fn count(&mut self, flow: &Flow, view: &crate::View<'_>, scale: f64) {
        self.watch(flow, view.tree, view.program);
        let mut changed: Vec<usize> = vec![];
        for watched in &mut self.watched {
            let now = view.visits.taken_randomly(watched.site, watched.outcome);
            if now != watched.seen {
                self.taken[watched.node.index()] += f64::from(now - watched.seen);
                watched.seen = now;
                self.counted[watched.decision] = true;
                changed.push(watched.decision);
            }
        }
        self.count_fixed(flow, view.covered, view.visits, &mut changed);
        if (scale / self.scale - 1.0).abs() > 0.02 {
            self.scale = scale;
            changed.extend((0..flow.len()).filter(|&node| self.counted[node]));
        }
        changed.sort_unstable();
        changed.dedup();
        let prepared = self.prepare(flow, &mut changed);
        for node in changed {
            self.set_probabilities(flow, &prepared, node);
        }
    }

    /// Decisions that did not depend on input in any run: counted by run.
    fn count_fixed(&mut self, flow: &Flow, covered: &Coverage, visits: &Visits, changed: &mut Vec<usize>) {
        let sides = covered.sides();
        if sides.len() == self.seen_sides {
            return;
        }
        self.seen_sides = sides.len();
        for side in sides.iter().map(|side| symcrete_program::SideId(side as u32)) {
            let Some(node) = flow.node(side) else { continue };
            let Some(decision) = flow.decision(node).filter(|&decision| !self.counted[decision]) else { continue };
            let runs = f64::from(visits.runs_through(side));
            if runs != self.taken[node.index()] {
                self.taken[node.index()] = runs;
                changed.push(decision);
            }
        }
    }

    /// Sites of new nodes of the tree.
    fn watch(&mut self, flow: &Flow, tree: &Tree, program: &symcrete_program::Program) {
        for id in self.seen_nodes..tree.len() as u32 {
            let id = symcrete_tree::NodeId(id);
            let site = tree.site(id);
            for outcome in 0..tree.side_count(id) {
                if self.known.insert((site, outcome), ()).is_some() {
                    continue;
                }
                let node = program.side_of(site, outcome as usize).and_then(|side| flow.node(side));
                if let Some(node) = node
                    && let Some(decision) = flow.decision(node)
                {
                    if !std::mem::replace(&mut self.counted[decision], true) {
                        // What was counted by run is not what is counted by decision.
                        flow.after.of(decision).iter().for_each(|&side| self.taken[side as usize] = 0.0);
                    }
                    self.watched.push(Watched { site, outcome, node, decision, seen: 0 });
                }
            }
        }
        self.seen_nodes = tree.len() as u32;
    }

    fn prepare(&self, flow: &Flow, changed: &mut Vec<usize>) -> Prepared {
        if self.estimator != Estimator::GoodTuring {
            return self.estimator.prepare(std::iter::empty());
        }
        let passed = (0..flow.len()).filter(|&node| self.counted[node]);
        *changed = passed.clone().collect();
        let counts = passed.flat_map(|node| flow.after.of(node)).map(|&side| self.taken[side as usize] as u32);
        self.estimator.prepare(counts)
    }

    fn set_probabilities(&mut self, flow: &Flow, prepared: &Prepared, node: usize) {
        let range = flow.after.range(node);
        match range.len() {
            0 => {}
            1 => self.probability[range.start] = 1.0,
            _ => {
                let ways = flow.after.of(node);
                let counts: Vec<f64> = ways.iter().map(|&way| self.taken[way as usize] * self.scale).collect();
                let mut found = Vec::with_capacity(counts.len());
                prepared.of(&counts, |way| flow.side(NodeId(ways[way])), &mut found);
                self.probability[range].copy_from_slice(&found);
                self.mark(node);
            }
        }
    }

    fn compute(&self, flow: &Flow, node: usize) -> f64 {
        let mut sum = self.weight[node];
        for place in flow.after.range(node) {
            sum += self.probability[place] * self.reward[flow.after.all[place] as usize];
        }
        for place in flow.calls.range(node) {
            sum += flow.shares[place] * self.reward[flow.calls.all[place] as usize];
        }
        sum
    }

    /// Brings all rewards up to date. `total`: the sum of all prices, which none can exceed.
    pub fn update(&mut self, flow: &Flow, total: f64) {
        self.change.clear();
        let before = self.computed;
        for _ in 0..PASSES {
            let mut again = false;
            for word in 0..self.dirty.len() {
                while self.dirty[word] != 0 {
                    let node = word * 64 + self.dirty[word].trailing_zeros() as usize;
                    self.dirty[word] &= self.dirty[word] - 1;
                    if node < flow.len() {
                        again |= self.update_node(flow, node, total);
                    }
                }
            }
            if !again {
                break;
            }
        }
        if self.computed > before {
            self.continue_calls(flow);
        }
    }

    /// Computes one node; whether something before it in the order has to be computed again.
    fn update_node(&mut self, flow: &Flow, node: usize, total: f64) -> bool {
        self.computed += 1;
        let old = self.reward[node];
        let mut new = self.compute(flow, node).min(total);
        let closes = flow.after.of(node).iter().any(|&to| to as usize >= node);
        if closes && new != old {
            // Round after round the change shrinks by the same factor: the sum of all of them is known.
            let change = new - old;
            if let Some(last) = self.change.insert(node as u32, change) {
                let factor = change / last;
                if factor > 0.05 && factor < 0.9999 {
                    new = (new + change * factor / (1.0 - factor)).clamp(0.0, total);
                    self.change.remove(&(node as u32));
                }
            }
        }
        if (new - old).abs() <= self.tolerance * old.abs().max(new.abs()) {
            self.reward[node] = new;
            return false;
        }
        self.reward[node] = new;
        let mut again = false;
        for &other in flow.before.of(node).iter().chain(flow.callers.of(node)) {
            self.dirty[other as usize / 64] |= 1 << (other % 64);
            again |= other as usize <= node;
        }
        again
    }

    /// What comes behind the end of a function: the mean over the places that call it. Callers come first
    /// in the list.
    fn continue_calls(&mut self, flow: &Flow) {
        for &entry in &flow.called {
            let callers = flow.callers.of(entry as usize);
            let rest = |&block: &u32| {
                let ahead: f64 = flow
                    .after
                    .range(block as usize)
                    .map(|place| self.probability[place] * self.reward[flow.after.all[place] as usize])
                    .sum();
                ahead + self.behind[flow.home[block as usize] as usize]
            };
            self.behind[entry as usize] = callers.iter().map(rest).sum::<f64>() / callers.len() as f64;
        }
    }

    /// How many times a run that is at a node comes there again and again, itself included, on the average: what a
    /// price inside a loop has to be divided by to count once. 1 where the loop is large.
    pub(crate) fn rounds(&self, flow: &Flow, members: &[u32], node: u32) -> f64 {
        if members.len() > LOCAL {
            return 1.0;
        }
        let mut hit: FxHashMap<u32, f64> = members.iter().map(|&member| (member, 0.0)).collect();
        let chance = |hit: &FxHashMap<u32, f64>, at: u32| -> f64 {
            let ways = flow.after.range(at as usize).map(|place| (flow.after.all[place], self.probability[place]));
            ways.map(|(to, p)| p * if to == node { 1.0 } else { hit.get(&to).copied().unwrap_or(0.0) }).sum()
        };
        for _ in 0..200 {
            let mut change = 0.0f64;
            for &member in members.iter().filter(|&&member| member != node) {
                let new = chance(&hit, member);
                change = change.max((new - hit[&member]).abs());
                hit.insert(member, new);
            }
            if change < 1e-4 {
                break;
            }
        }
        1.0 / (1.0 - chance(&hit, node)).max(1e-6)
    }
}
