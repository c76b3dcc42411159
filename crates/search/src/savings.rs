//! `savings`: what is uncovered has a price, the cost of solving for it, and a step is worth what it saves. Only
//! requirements have one: what they imply comes with them. Takes the step that saves most per cost.
//!
//! Where any path can be solved, the best one is found by Dinkelbach's method: guess the rate, find the path that gains
//! most at that rate, take its rate as the next guess. Where only open sides can be, they are compared one by one, and
//! looked behind as far as the driver can.

use crate::candidates::{Candidates, Rate};
use crate::earnings::{Earnings, without_hope};
use crate::estimator::Estimator;
use crate::flow::{Flow, NONE};
use crate::implied::Requirements;
use crate::strategy::{ANYWHERE, Outcome, Rng, Step, Strategy, View};
use crate::targets::Target;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symcrete_program::SideId;

/// A gain below this share of what is at stake is rounding.
const NOISE: f64 = 1e-12;
/// Guesses of the rate, at most; two or three are the rule.
const GUESSES: usize = 32;
/// Decisions looked at behind an open side, at most.
const MOST_AHEAD: u32 = 6;

pub(crate) struct Savings {
    estimator: Estimator,
    state: Option<State>,
}

struct State {
    earnings: Earnings,
    candidates: Candidates,
    /// What passing each node adds to the cost of a path.
    cost: Vec<f64>,
    /// By node: the head of its class, if the class is a requirement.
    head: Vec<u32>,
    /// By head: what meeting the requirement would cost; 0 once it is met.
    price: Vec<f64>,
    /// By loop: heads in it.
    in_loop: Vec<Vec<u32>>,
    /// Requirements not met yet, and the sum of their prices.
    open: usize,
    total: f64,
}

impl State {
    fn new(view: &View<'_>, estimator: Estimator) -> State {
        let mut earnings = Earnings::new(view, estimator);
        let flow = &earnings.flow;
        let further = |node: u32| flow.side(crate::FlowNode(node)).map_or(0.0, |side| view.cost.further(side));
        let cost: Vec<f64> = (0..flow.len() as u32).map(further).collect();
        let least = cheapest(flow, &cost);
        let requirements = Requirements::new(flow);
        let mut price = vec![0.0; flow.len()];
        let mut in_loop = vec![vec![]; flow.loops.len()];
        for &head in &requirements.required {
            // What no known call leads to is worth as much as what is near.
            let known = least[head as usize];
            price[head as usize] = if known.is_finite() { known.max(f64::MIN_POSITIVE) } else { 1.0 };
            if let Some(heads) = in_loop.get_mut(flow.loop_of[head as usize] as usize) {
                heads.push(head);
            }
        }
        let of_requirement = |&head: &u32| if head != NONE && price[head as usize] > 0.0 { head } else { NONE };
        let head = requirements.head.iter().map(of_requirement).collect();
        for &head in &requirements.required {
            earnings.rewards.set_weight(&earnings.flow, head as usize, price[head as usize]);
        }
        let (open, total) = (requirements.required.len(), price.iter().sum());
        let candidates = Candidates::default();
        State { earnings, candidates, cost, head, price, in_loop, open, total }
    }

    fn refresh(&mut self, view: &View<'_>) {
        for node in self.earnings.count(view) {
            let head = self.head[node as usize];
            if head != NONE && self.earnings.flow.goals[node as usize] && self.price[head as usize] > 0.0 {
                self.open -= 1;
                self.total = if self.open == 0 { 0.0 } else { self.total - self.price[head as usize] };
                self.price[head as usize] = 0.0;
                self.earnings.rewards.set_weight(&self.earnings.flow, head as usize, 0.0);
            }
        }
        // A price inside a loop counts once a run.
        for number in self.earnings.rewards.take_changed_loops() {
            self.in_loop[number as usize].retain(|&head| self.price[head as usize] > 0.0);
            if self.in_loop[number as usize].is_empty() {
                continue;
            }
            let Earnings { rewards, flow, .. } = &mut self.earnings;
            let rounds = rewards.rounds(flow, number);
            let first = flow.loops[number as usize].start;
            for &head in &self.in_loop[number as usize] {
                let times = rounds.as_ref().map_or(1.0, |rounds| rounds[(head - first) as usize]);
                rewards.set_weight(flow, head as usize, self.price[head as usize] / times);
            }
        }
        self.earnings.rewards.update(&self.earnings.flow, self.total);
    }

    /// The path that saves most per cost, if that is more than what a random run saves.
    fn anywhere(&self) -> Option<Step> {
        let (flow, rewards) = (&self.earnings.flow, &self.earnings.rewards);
        let entry = flow.entry().index();
        let mut rate = self.earnings.of_random();
        let mut chosen = None;
        let mut gain = vec![f64::NEG_INFINITY; flow.len()];
        let mut from = vec![NONE; flow.len()];
        for _ in 0..GUESSES {
            gain.fill(f64::NEG_INFINITY);
            gain[entry] = rewards.weight(entry);
            let mut best = (NOISE * rate, NONE, NONE);
            // Numbers ascend towards the entry: downwards every node comes after those that lead to it. Ways back are
            // taken only as the last one of a path.
            for node in (0..=entry).rev().filter(|&node| flow.home[node] as usize == entry) {
                if gain[node] == f64::NEG_INFINITY {
                    continue;
                }
                for &next in flow.after.of(node) {
                    let there = next as usize;
                    let value = gain[node] - rate * self.cost[there];
                    if flow.decides(node) {
                        let total = value + rewards.at(flow, crate::FlowNode(next));
                        if total > best.0 {
                            best = (total, node as u32, next);
                        }
                    }
                    if there < node && value + rewards.weight(there) > gain[there] {
                        gain[there] = value + rewards.weight(there);
                        from[there] = node as u32;
                    }
                }
            }
            let (_, node, last) = best;
            if last == NONE {
                break;
            }
            let back =
                std::iter::successors(Some(node), |&at| Some(from[at as usize]).filter(|_| at as usize != entry));
            let mut nodes: Vec<u32> = back.collect();
            nodes.reverse();
            let saved: f64 = nodes.iter().map(|&node| rewards.weight(node as usize)).sum();
            let spent: f64 = nodes.iter().chain([&last]).map(|&node| self.cost[node as usize]).sum();
            nodes.push(last);
            rate = (saved + rewards.at(flow, crate::FlowNode(last))) / spent;
            chosen = Some(nodes);
        }
        chosen.map(|nodes| Step::Path(self.earnings.decisions(nodes.into_iter())))
    }

    /// The open side that saves most per cost, with what lies behind it, if that is more than `least`.
    fn observed(&mut self, view: &View<'_>, least: f64) -> Option<Step> {
        if let Some(side) = self.earnings.targets.assumption(view) {
            return Some(Step::Flip(side));
        }
        let cost = &self.cost;
        let rate = |earnings: &Earnings, target: &Target| {
            let best = best(earnings, cost, view, target);
            best.map_or(Rate::NOT_WANTED, |(best, slope)| Rate { value: best.rate, slope })
        };
        let place = self.candidates.best(&mut self.earnings, view, least, &rate)?;
        let target = &self.earnings.targets.all[place as usize];
        let (best, _) = best(&self.earnings, cost, view, target)?;
        let (_, side) = target.best?;
        let worth = target.node.map_or(least, |node| self.earnings.rewards.at(&self.earnings.flow, node));
        let price = self.total / self.open.max(1) as f64;
        self.earnings.expected = Some((worth / price.max(f64::MIN_POSITIVE)).min(1.0));
        Some(if best.then.is_empty() { Step::Flip(side) } else { Step::FlipOn(side, best.then) })
    }
}

/// What a target saves per cost at best, and how much more it would for one more behind its function.
fn best(earnings: &Earnings, cost: &[f64], view: &View<'_>, target: &Target) -> Option<(Best, f64)> {
    let (spent, side) = target.best?;
    let trust = target.trust();
    let mut best = Best { rate: f64::NEG_INFINITY, then: vec![] };
    match target.node {
        None => best.offer(trust * earnings.by_path(view, side, target.kind) / spent, &[]),
        Some(node) => {
            best.offer(trust * earnings.rewards.at(&earnings.flow, node) / spent, &[]);
            if view.ahead > 0 {
                let ahead = Ahead { earnings, cost, trust };
                ahead.look(&mut best, (node.0, 0.0, spent), view.ahead.min(MOST_AHEAD), &mut vec![]);
            }
        }
    }
    Some((best, trust / spent))
}

/// What is looked at behind an open side.
struct Ahead<'a> {
    earnings: &'a Earnings,
    cost: &'a [f64],
    trust: f64,
}

impl Ahead<'_> {
    /// Looks at the sides of the next decision behind a node, and behind those; `at`: the node, what was saved before
    /// it, what was spent up to it.
    fn look(&self, best: &mut Best, at: (u32, f64, f64), ahead: u32, then: &mut Vec<SideId>) {
        let (flow, rewards) = (&self.earnings.flow, &self.earnings.rewards);
        let (mut node, mut saved, mut spent) = at;
        let ways = loop {
            saved += rewards.weight(node as usize);
            match flow.after.of(node as usize) {
                // What a call does between cannot be said.
                _ if !flow.calls.of(node as usize).is_empty() => return,
                [next] if *next < node => {
                    node = *next;
                    spent += self.cost[node as usize];
                }
                [_] | [] => return,
                ways => break ways,
            }
        };
        for &way in ways {
            let Some(source) = flow.side(crate::FlowNode(way)) else { continue };
            let cost = spent + self.cost[way as usize];
            then.push(source);
            best.offer(self.trust * (saved + rewards.at(flow, crate::FlowNode(way))) / cost, then);
            if ahead > 1 {
                self.look(best, (way, saved, cost), ahead - 1, then);
            }
            then.pop();
        }
    }
}

struct Best {
    rate: f64,
    then: Vec<SideId>,
}

impl Best {
    fn offer(&mut self, rate: f64, then: &[SideId]) {
        if rate > self.rate {
            self.rate = rate;
            self.then.clear();
            self.then.extend_from_slice(then);
        }
    }
}

/// The least cost of a path from the entry to each node, calls included.
fn cheapest(flow: &Flow, cost: &[f64]) -> Vec<f64> {
    let mut least = vec![f64::INFINITY; flow.len()];
    if flow.is_empty() {
        return least;
    }
    let entry = flow.entry().index();
    least[entry] = cost[entry];
    let mut queue = BinaryHeap::from([Reverse((least[entry].to_bits(), entry as u32))]);
    while let Some(Reverse((bits, node))) = queue.pop() {
        let spent = f64::from_bits(bits);
        if spent > least[node as usize] {
            continue;
        }
        for &next in flow.after.of(node as usize).iter().chain(flow.calls.of(node as usize)) {
            let there = spent + cost[next as usize];
            if there < least[next as usize] {
                least[next as usize] = there;
                queue.push(Reverse((there.to_bits(), next)));
            }
        }
    }
    least
}

impl Savings {
    pub fn new(estimator: Estimator) -> Savings {
        Savings { estimator, state: None }
    }
}

impl Strategy for Savings {
    fn name(&self) -> &'static str {
        "savings"
    }

    fn next(&mut self, view: &View<'_>, _: &mut Rng) -> Step {
        if view.tree.paths() == 0 {
            return Step::RunRandom { runs: 1 };
        }
        let state = self.state.get_or_insert_with(|| State::new(view, self.estimator.clone()));
        if let Some(step) = state.earnings.unfinished() {
            return step;
        }
        state.refresh(view);
        let random = state.earnings.of_random();
        let found = if view.ahead == ANYWHERE { state.anywhere() } else { state.observed(view, random) };
        match found {
            Some(step) => step,
            None if random > 0.0 => state.earnings.run(),
            None => without_hope(&mut state.earnings, view),
        }
    }

    fn done(&mut self, view: &View<'_>, step: &Step, outcome: &Outcome) {
        let state = self.state.get_or_insert_with(|| State::new(view, self.estimator.clone()));
        state.earnings.done(view, step, outcome);
    }
}
