//! Bringing rewards up to date: what is marked, in the graph's order, loops as a whole.

use super::{Rewards, SMALL};
use crate::flow::{Flow, NONE};
use std::ops::Range;

/// Passes over what is still changing, at most, each time; the next time goes on.
const PASSES: usize = 64;
/// Passes over one loop of a small graph, at most: these are computed to the last digits.
const MANY_PASSES: usize = 20_000;
/// The same for large graphs, where only recursion takes more than one.
const FEW_PASSES: usize = 3;
/// Every so many updates of a large graph compute everything: small changes that were not passed on add up.
const THOROUGH: u32 = 256;

impl Rewards {
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

    /// The reward of a node as it is, and as what it leads to says it should be.
    #[cfg(test)]
    pub(crate) fn sides_of_equation(&self, flow: &Flow, node: usize) -> (f64, f64) {
        (self.reward[node], self.compute(flow, node))
    }

    /// Brings all rewards up to date. `total`: the sum of all prices, which none can exceed.
    pub fn update(&mut self, flow: &Flow, total: f64) {
        let before = self.computed;
        self.move_limit(total);
        for node in std::mem::take(&mut self.unsettled) {
            self.mark(node as usize);
        }
        self.updates += 1;
        let usual = self.tolerance;
        if self.updates.is_multiple_of(THOROUGH) && flow.len() > SMALL {
            self.dirty.fill(u64::MAX);
            self.tolerance = 0.0;
        }
        for _ in 0..if flow.len() <= SMALL { PASSES } else { FEW_PASSES } {
            let mut again = false;
            // What is marked behind the place that the pass has come to waits for the next one.
            let mut from = 0;
            while let Some(node) = self.next_dirty(from) {
                if flow.loop_of[node] == NONE {
                    self.dirty[node / 64] &= !(1 << (node % 64));
                    again |= self.update_node(flow, node, total);
                    from = node + 1;
                } else {
                    again |= self.update_loop(flow, flow.loop_of[node], total);
                    from = flow.loops[flow.loop_of[node] as usize].end as usize;
                }
            }
            self.changes.fold();
            if !again {
                break;
            }
        }
        self.tolerance = usual;
        // Who did not ask does not want to know.
        self.changed_loops.clear();
        if self.computed > before {
            self.continue_calls(flow);
        }
    }

    /// The first marked node from a place on.
    fn next_dirty(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = self.dirty.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.dirty.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize).filter(|&node| node < self.reward.len())
    }

    /// Computes a whole loop, of which something is marked, and unmarks it; whether something before it in the order
    /// has to be computed again.
    fn update_loop(&mut self, flow: &Flow, number: u32, total: f64) -> bool {
        self.solve_loop(flow, number);
        let range = flow.loops[number as usize].clone();
        let Some(solved) = self.loops[number as usize].by.take() else {
            return self.iterate_loop(flow, range, total);
        };
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        values.extend(range.clone().map(|node| self.beyond_loop(flow, node as usize, &range)));
        solved.solve(&mut values);
        self.loops[number as usize].by = Some(solved);
        // Where the limit holds, it holds for what follows in the loop too: that is no linear system.
        let settled = values.iter().all(|&value| value <= total) || self.hold(flow, number, total, &mut values);
        let mut again = false;
        for (node, &value) in range.clone().zip(&values) {
            again |= self.put(flow, node as usize, value.min(total));
        }
        self.values = values;
        if !settled {
            range.clone().for_each(|node| self.mark(node as usize));
            return self.iterate_loop(flow, range, total) || again;
        }
        for node in range {
            self.dirty[node as usize / 64] &= !(1 << (node % 64));
        }
        again
    }

    /// Passes over a loop until it settles, or until the next time.
    fn iterate_loop(&mut self, flow: &Flow, range: Range<u32>, total: f64) -> bool {
        let mut again = false;
        let mut left = vec![];
        let passes = if flow.len() <= SMALL { MANY_PASSES } else { PASSES };
        for pass in 0..passes {
            let mut inside = false;
            for node in range.clone() {
                let (word, bit) = (node as usize / 64, 1u64 << (node % 64));
                if self.dirty[word] & bit != 0 {
                    self.dirty[word] &= !bit;
                    again |= self.update_node(flow, node as usize, total);
                    inside = true;
                }
            }
            self.changes.fold();
            if !inside {
                return again && self.dirty_below(range.start);
            }
            if pass + 1 == passes {
                left.extend(range.clone().filter(|&node| self.dirty[node as usize / 64] >> (node % 64) & 1 == 1));
            }
        }
        // Not settled: what is before the loop in the order is told now, the loop itself goes on the next time.
        left.iter().for_each(|&node| self.dirty[node as usize / 64] &= !(1 << (node % 64)));
        self.unsettled.extend(left);
        again && self.dirty_below(range.start)
    }

    fn dirty_below(&self, node: u32) -> bool {
        let word = node as usize / 64;
        self.dirty[..word].iter().any(|&bits| bits != 0) || self.dirty[word] & ((1 << (node % 64)) - 1) != 0
    }

    /// The price of a node and what it leads to outside a loop and by calls.
    pub(super) fn beyond_loop(&self, flow: &Flow, node: usize, range: &Range<u32>) -> f64 {
        let mut sum = self.weight[node];
        for place in flow.after.range(node) {
            let to = flow.after.all[place];
            if !range.contains(&to) {
                sum += self.probability[place] * self.reward[to as usize];
            }
        }
        for place in flow.calls.range(node) {
            sum += flow.shares[place] * self.reward[flow.calls.all[place] as usize];
        }
        sum
    }

    /// Computes one node; whether something before it in the order has to be computed again.
    fn update_node(&mut self, flow: &Flow, node: usize, total: f64) -> bool {
        let new = self.compute(flow, node).min(total);
        self.put(flow, node, new)
    }

    /// Gives a node its reward and marks what depends on it; whether that is before it in the order.
    fn put(&mut self, flow: &Flow, node: usize, new: f64) -> bool {
        self.computed += 1;
        let old = self.reward[node];
        if (new - old).abs() <= self.tolerance * old.abs().max(new.abs()) {
            // Kept, so that changes that are small one by one are passed on together.
            return false;
        }
        self.reward[node] = new;
        self.highest = self.highest.max(new);
        self.changes.note(flow.home[node], new - old);
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
            if !callers.iter().any(|&block| self.changes.is_changed(flow.home[block as usize])) {
                continue;
            }
            let rest = |&block: &u32| {
                let ahead: f64 = flow
                    .after
                    .range(block as usize)
                    .map(|place| self.probability[place] * self.reward[flow.after.all[place] as usize])
                    .sum();
                ahead + self.behind[flow.home[block as usize] as usize]
            };
            let new = callers.iter().map(rest).sum::<f64>() / callers.len() as f64;
            if new != self.behind[entry as usize] {
                self.behind[entry as usize] = new;
                self.changes.note(entry, 0.0);
            }
        }
    }
}
