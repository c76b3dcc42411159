//! `savings`: what is uncovered has a price, the cost of solving for it, and a step is worth what it saves. Only
//! requirements have one: what they imply comes with them. Takes the step that saves most per cost.
//!
//! Where any path can be solved, the best one is found by Dinkelbach's method: guess the rate, find the path that gains
//! most at that rate, take its rate as the next guess. Where only open sides can be, they are compared one by one, and
//! looked behind as far as the driver can.

use crate::earnings::{Earnings, without_hope};
use crate::estimator::Estimator;
use crate::flow::Flow;
use crate::implied::Requirements;
use crate::strategy::{ANYWHERE, Outcome, Rng, Step, Strategy, View};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symcrete_program::SideId;
use symcrete_tree::{Kind, OpenSide};

const NONE: u32 = u32::MAX;
/// A gain below this share of what is at stake is rounding.
const NOISE: f64 = 1e-12;
/// Guesses of the rate, at most; two or three are the rule.
const GUESSES: usize = 32;
/// Decisions looked at behind an open side, at most.
const MOST_AHEAD: u32 = 6;

/// A requirement not met yet.
struct Open {
    head: u32,
    members: Vec<u32>,
    price: f64,
    /// The loop that the head is in, if it is in one.
    in_loop: Option<usize>,
}

pub(crate) struct Savings {
    estimator: Estimator,
    state: Option<State>,
}

struct State {
    earnings: Earnings,
    /// What passing each node adds to the cost of a path.
    cost: Vec<f64>,
    open: Vec<Open>,
    loops: Vec<Vec<u32>>,
    /// How many sides were covered when requirements were looked at.
    covered: usize,
}

impl State {
    fn new(view: &View<'_>, estimator: Estimator) -> State {
        let earnings = Earnings::new(view, estimator);
        let flow = &earnings.flow;
        let further = |node: u32| flow.side(crate::FlowNode(node)).map_or(0.0, |side| view.cost.further(side));
        let cost: Vec<f64> = (0..flow.len() as u32).map(further).collect();
        let price = cheapest(flow, &cost);
        let requirements = Requirements::new(flow);
        let loops = flow.loops();
        let mut loop_of = vec![None; flow.len()];
        for (number, members) in loops.iter().enumerate() {
            members.iter().for_each(|&node| loop_of[node as usize] = Some(number));
        }
        let mut place = vec![NONE; flow.len()];
        let mut open: Vec<Open> = vec![];
        for &head in &requirements.required {
            place[head as usize] = open.len() as u32;
            // What no known call leads to is worth as much as what is near.
            let known = price[head as usize];
            let price = if known.is_finite() { known.max(f64::MIN_POSITIVE) } else { 1.0 };
            open.push(Open { head, members: vec![], price, in_loop: loop_of[head as usize] });
        }
        for node in (0..flow.len()).filter(|&node| flow.goals[node]) {
            if let Some(open) = open.get_mut(place[requirements.head[node] as usize] as usize) {
                open.members.push(node as u32);
            }
        }
        State { earnings, cost, open, loops, covered: usize::MAX }
    }

    fn refresh(&mut self, view: &View<'_>) {
        self.earnings.count(view);
        let earnings = &mut self.earnings;
        if self.covered != view.covered.sides().len() {
            self.covered = view.covered.sides().len();
            self.open.retain(|open| {
                let met = open.members.iter().any(|&node| earnings.is_covered(view, node as usize));
                earnings.rewards.set_weight(open.head as usize, if met { 0.0 } else { open.price });
                !met
            });
        }
        // A price inside a loop counts once a run.
        for open in self.open.iter().filter(|open| open.in_loop.is_some()) {
            let members = open.in_loop.map_or(&[][..], |number| &self.loops[number]);
            let rounds = earnings.rewards.rounds(&earnings.flow, members, open.head);
            earnings.rewards.set_weight(open.head as usize, open.price / rounds);
        }
        let total: f64 = self.open.iter().map(|open| open.price).sum();
        earnings.rewards.update(&earnings.flow, total);
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
        let mut best = Best { rate: least, side: None, then: vec![] };
        for place in 0..self.earnings.targets.all.len() {
            let Some((cost, side)) = self.earnings.targets.all[place].cheapest(view) else { continue };
            let target = &self.earnings.targets.all[place];
            if target.kind == Kind::Assume {
                // Every run is void before it holds.
                return Some(Step::Flip(side));
            }
            let trust = target.trust();
            let Some(node) = self.earnings.node(view, target) else {
                best.offer(trust * self.earnings.by_path(view, side, target.kind) / cost, side, &[]);
                continue;
            };
            best.offer(trust * self.earnings.rewards.at(&self.earnings.flow, node) / cost, side, &[]);
            if view.ahead > 0 {
                let mut then = vec![];
                self.behind(&mut best, side, (node.0, 0.0, cost), view.ahead.min(MOST_AHEAD), trust, &mut then);
            }
        }
        let side = best.side?;
        let node = self.earnings.targets.of(view, side).map(|target| (target.site, target.outcome));
        let node = node.and_then(|(site, outcome)| view.program.side_of(site, outcome as usize));
        let node = node.and_then(|side| self.earnings.flow.node(side));
        let worth = node.map_or(least, |node| self.earnings.rewards.at(&self.earnings.flow, node));
        let price = self.open.iter().map(|open| open.price).sum::<f64>() / self.open.len().max(1) as f64;
        self.earnings.expected = Some((worth / price.max(f64::MIN_POSITIVE)).min(1.0));
        Some(if best.then.is_empty() { Step::Flip(side) } else { Step::FlipOn(side, best.then) })
    }

    /// Looks at the sides of the next decision behind a node, and behind those; `at`: the node, what was saved before
    /// it, what was spent up to it.
    fn behind(
        &self,
        best: &mut Best,
        side: OpenSide,
        at: (u32, f64, f64),
        ahead: u32,
        trust: f64,
        then: &mut Vec<SideId>,
    ) {
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
            best.offer(trust * (saved + rewards.at(flow, crate::FlowNode(way))) / cost, side, then);
            if ahead > 1 {
                self.behind(best, side, (way, saved, cost), ahead - 1, trust, then);
            }
            then.pop();
        }
    }
}

struct Best {
    rate: f64,
    side: Option<OpenSide>,
    then: Vec<SideId>,
}

impl Best {
    fn offer(&mut self, rate: f64, side: OpenSide, then: &[SideId]) {
        if rate > self.rate {
            self.rate = rate;
            self.side = Some(side);
            self.then = then.to_vec();
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
            None => without_hope(&mut state.earnings.targets, view),
        }
    }

    fn done(&mut self, view: &View<'_>, step: &Step, outcome: &Outcome) {
        let state = self.state.get_or_insert_with(|| State::new(view, self.estimator.clone()));
        state.earnings.done(view, step, outcome);
    }
}
