//! `greedy`: the strategy of *Towards Optimal Concolic Testing*. Each uncovered location is worth 1; what a run earns
//! from a location on follows from estimated probabilities. A random run costs 1; a solved path, whose only uncovered
//! location is its last, what the cost model says. Takes whatever earns most per cost; a path that cannot be solved is
//! not tried again.

use crate::candidates::{Candidates, Rate};
use crate::earnings::{Earnings, without_hope};
use crate::estimator::Estimator;
use crate::strategy::{ANYWHERE, Outcome, Rng, Step, Strategy, View};
use crate::targets::Target;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(crate) struct Greedy {
    estimator: Estimator,
    earnings: Option<Earnings>,
    candidates: Candidates,
    /// How many goals are uncovered.
    uncovered: usize,
}

impl Greedy {
    pub fn new(estimator: Estimator) -> Greedy {
        Greedy { estimator, earnings: None, candidates: Candidates::default(), uncovered: 0 }
    }

    fn refresh(&mut self, view: &View<'_>) {
        let earnings = self.earnings.get_or_insert_with(|| {
            let mut earnings = Earnings::new(view, self.estimator.clone());
            let Earnings { flow, rewards, .. } = &mut earnings;
            for node in (0..flow.len()).filter(|&node| flow.goals[node]) {
                rewards.set_weight(flow, node, 1.0);
                self.uncovered += 1;
            }
            earnings
        });
        for node in earnings.count(view) {
            self.uncovered -= usize::from(earnings.rewards.weight(node as usize) > 0.0);
            earnings.rewards.set_weight(&earnings.flow, node as usize, 0.0);
        }
        earnings.rewards.update(&earnings.flow, self.uncovered as f64);
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
    fn observed(&mut self, view: &View<'_>, least: f64) -> Option<Step> {
        let earnings = self.earnings.as_mut()?;
        if let Some(side) = earnings.targets.assumption(view) {
            return Some(Step::Flip(side));
        }
        let rate = |earnings: &Earnings, target: &Target| {
            let Some((cost, side)) = target.best else { return Rate::NOT_WANTED };
            let earned = match target.node {
                Some(node) if earnings.leads_to_uncovered(view, target) => earnings.rewards.at(&earnings.flow, node),
                Some(_) => return Rate::NOT_WANTED,
                None if view.visits.taken(target.site, target.outcome) > 0 => return Rate::NOT_WANTED,
                None => earnings.by_path(view, side, target.kind),
            };
            Rate { value: earned / cost, slope: 1.0 / cost }
        };
        let place = self.candidates.best(earnings, view, least, &rate)?;
        earnings.targets.all[place as usize].best.map(|(_, side)| Step::Flip(side))
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
        let random = self.earnings.as_ref().map_or(0.0, Earnings::of_random);
        let found = match &self.earnings {
            Some(earnings) if view.ahead == ANYWHERE => Self::anywhere(earnings, view, random),
            _ => self.observed(view, random),
        };
        match (found, &mut self.earnings) {
            (Some(step), _) => step,
            (None, Some(earnings)) if random > 0.0 => earnings.run(),
            (None, Some(earnings)) => without_hope(earnings, view),
            (None, None) => view.restart(),
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
