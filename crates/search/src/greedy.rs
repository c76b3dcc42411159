//! `greedy`: the strategy of *Towards Optimal Concolic Testing*. Each uncovered location is worth 1; what a run earns
//! from a location on follows from estimated probabilities. A random run costs 1; a solved path, whose only uncovered
//! location is its last, what the cost model says. Takes whatever earns most per cost; a path that cannot be solved is
//! not tried again.

use crate::earnings::Earnings;
use crate::estimator::Estimator;
use crate::strategy::{ANYWHERE, Outcome, Rng, Step, Strategy, View};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use symcrete_tree::Kind;

pub(crate) struct Greedy {
    estimator: Estimator,
    earnings: Option<Earnings>,
    /// Uncovered goals, and how many sides were covered when they were looked for.
    uncovered: Vec<u32>,
    covered: usize,
}

impl Greedy {
    pub fn new(estimator: Estimator) -> Greedy {
        Greedy { estimator, earnings: None, uncovered: vec![], covered: usize::MAX }
    }

    fn refresh(&mut self, view: &View<'_>) {
        let earnings = self.earnings.get_or_insert_with(|| {
            let earnings = Earnings::new(view, self.estimator.clone());
            self.uncovered = (0..earnings.flow.len() as u32).filter(|&n| earnings.flow.goals[n as usize]).collect();
            self.covered = usize::MAX;
            earnings
        });
        earnings.count(view);
        if self.covered != view.covered.sides().len() {
            self.covered = view.covered.sides().len();
            self.uncovered.retain(|&node| {
                let covered = earnings.is_covered(view, node as usize);
                earnings.rewards.set_weight(node as usize, if covered { 0.0 } else { 1.0 });
                !covered
            });
        }
        earnings.rewards.update(&earnings.flow, self.uncovered.len() as f64);
    }

    /// The best path from the entry through covered locations to an uncovered one, if it earns more than `least`.
    fn anywhere(earnings: &Earnings, view: &View<'_>, least: f64) -> Option<Step> {
        let flow = &earnings.flow;
        let mut cost = vec![f64::INFINITY; flow.len()];
        let mut from = vec![u32::MAX; flow.len()];
        let mut best = least;
        let mut end = None;
        let entry = flow.entry().index();
        cost[entry] = 0.0;
        let mut queue = BinaryHeap::from([Reverse((0u64, entry as u32))]);
        while let Some(Reverse((bits, node))) = queue.pop() {
            let (spent, at) = (f64::from_bits(bits), node as usize);
            if spent > cost[at] {
                continue;
            }
            if flow.goals[at] && !earnings.is_covered(view, at) {
                let value = earnings.rewards.at(flow, crate::FlowNode(node)) / spent;
                if value > best {
                    best = value;
                    end = Some(node);
                }
                continue;
            }
            for &next in flow.after.of(at) {
                let more = flow.side(crate::FlowNode(next)).map_or(0.0, |side| view.cost.further(side));
                if spent + more < cost[next as usize] {
                    cost[next as usize] = spent + more;
                    from[next as usize] = node;
                    queue.push(Reverse(((spent + more).to_bits(), next)));
                }
            }
        }
        let end = end?;
        let mut nodes: Vec<u32> =
            std::iter::successors(Some(end), |&at| Some(from[at as usize]).filter(|&at| at != u32::MAX)).collect();
        nodes.reverse();
        Some(Step::Path(earnings.decisions(nodes.into_iter())))
    }

    /// The best open side, if it earns more than `least`.
    fn observed(earnings: &mut Earnings, view: &View<'_>, least: f64) -> Option<Step> {
        let mut best = least;
        let mut chosen = None;
        for place in 0..earnings.targets.all.len() {
            let Some((cost, side)) = earnings.targets.all[place].cheapest(view) else { continue };
            let target = &earnings.targets.all[place];
            if target.kind == Kind::Assume {
                // Every run is void before it holds.
                return Some(Step::Flip(side));
            }
            let earned = match earnings.node(view, target) {
                Some(node) if earnings.leads_to_uncovered(view, node) => earnings.rewards.at(&earnings.flow, node),
                Some(_) => continue,
                None if view.visits.taken(target.site, target.outcome) > 0 => continue,
                None => earnings.by_path(view, side, target.kind),
            };
            if earned / cost > best {
                best = earned / cost;
                chosen = Some(Step::Flip(side));
            }
        }
        chosen
    }
}

impl Strategy for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn next(&mut self, view: &View<'_>, _: &mut Rng) -> Step {
        if view.tree.paths() == 0 {
            return Step::RunRandom { runs: 1 };
        }
        if let Some(step) = self.earnings.as_ref().and_then(Earnings::unfinished) {
            return step;
        }
        self.refresh(view);
        let Some(earnings) = &mut self.earnings else { return Step::RunRandom { runs: 1 } };
        let random = earnings.of_random();
        let found = if view.ahead == ANYWHERE {
            Self::anywhere(earnings, view, random)
        } else {
            Self::observed(earnings, view, random)
        };
        match found {
            Some(step) => step,
            None if random > 0.0 => earnings.run(),
            None => crate::earnings::without_hope(&mut earnings.targets, view),
        }
    }

    fn done(&mut self, view: &View<'_>, step: &Step, outcome: &Outcome) {
        if self.earnings.is_none() {
            self.refresh(view);
        }
        if let Some(earnings) = &mut self.earnings {
            earnings.done(view, step, outcome);
        }
    }
}
