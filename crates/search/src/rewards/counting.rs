//! Probabilities from what runs did: only decisions that were passed since the last time are estimated again.

use super::{Rewards, SMALL, Watched};
use crate::estimator::{Estimator, Prepared};
use crate::flow::{Flow, NONE, NodeId};
use symcrete_program::{Program, SideId};
use symcrete_tree::{Tree, Visits};

/// Decisions that never depended on input are estimated anew after so many more runs: one in …
const FIXED: f64 = 50.0;

impl Rewards {
    /// Takes in what runs did since the last time. `scale`: how many random runs each counted one stands for.
    pub fn count(&mut self, flow: &Flow, view: &crate::View<'_>, scale: f64) {
        let mut changed: Vec<usize> = vec![];
        self.watch(flow, view.tree, view.program, view.visits, &mut changed);
        for (site, outcome, now) in view.visits.random_since(self.moment) {
            // What is not in the tree is counted when it comes there.
            if let Some(watched) = self.watched.get_mut(&(site, outcome))
                && now != watched.seen
            {
                self.taken[watched.node as usize] += f64::from(now - watched.seen);
                watched.seen = now;
                changed.push(watched.decision as usize);
            }
        }
        self.count_fixed(flow, view.visits, &mut changed);
        self.moment = view.visits.moment();
        let (enough, small) = (scale / self.scale - 1.0, flow.len() <= SMALL);
        if enough.abs() > if small { 0.02 } else { 0.1 } {
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
    fn count_fixed(&mut self, flow: &Flow, visits: &Visits, changed: &mut Vec<usize>) {
        for side in visits.sides_since(self.moment) {
            let Some(node) = flow.node(side) else { continue };
            let Some(decision) = flow.decision(node).filter(|&decision| !self.counted[decision]) else { continue };
            let (runs, known) = (f64::from(visits.runs_through(side)), self.taken[node.index()]);
            if runs > known + known / FIXED {
                self.taken[node.index()] = runs;
                changed.push(decision);
            }
        }
    }

    /// Sites of new nodes of the tree.
    fn watch(&mut self, flow: &Flow, tree: &Tree, program: &Program, visits: &Visits, changed: &mut Vec<usize>) {
        self.known.resize(program.site_count(), 0);
        for id in self.seen_nodes..tree.len() as u32 {
            let id = symcrete_tree::NodeId(id);
            let (site, outcomes) = (tree.site(id), tree.side_count(id));
            let Some(known) = self.known.get_mut(site.index()).filter(|known| **known < outcomes) else { continue };
            for outcome in std::mem::replace(known, outcomes)..outcomes {
                let side: Option<SideId> = program.side_of(site, outcome as usize);
                let node = side.and_then(|side| flow.node(side));
                let Some((node, decision)) = node.zip(node.and_then(|node| flow.decision(node))) else { continue };
                if !std::mem::replace(&mut self.counted[decision], true) {
                    // What was counted by run is not what is counted by decision.
                    flow.after.of(decision).iter().for_each(|&side| self.taken[side as usize] = 0.0);
                }
                let seen = visits.taken_randomly(site, outcome);
                self.taken[node.index()] += f64::from(seen);
                self.watched.insert((site, outcome), Watched { node: node.0, decision: decision as u32, seen });
                changed.push(decision);
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

    pub(super) fn set_probabilities(&mut self, flow: &Flow, prepared: &Prepared, node: usize) {
        let range = flow.after.range(node);
        if range.len() < 2 {
            return;
        }
        let ways = flow.after.of(node);
        let mut found = Vec::with_capacity(ways.len());
        let counts: Vec<f64> = ways.iter().map(|&way| self.taken[way as usize] * self.scale).collect();
        prepared.of(&counts, |way| flow.side(NodeId(ways[way])), &mut found);
        let known = &mut self.probability[range];
        if known.iter().zip(&found).all(|(old, new)| (new - old).abs() <= self.tolerance * old.min(*new)) {
            return;
        }
        known.copy_from_slice(&found);
        self.mark(node);
        let number = flow.loop_of[node];
        if number != NONE && !std::mem::replace(&mut self.loops[number as usize].stale, true) {
            self.changed_loops.push(number);
        }
    }
}
