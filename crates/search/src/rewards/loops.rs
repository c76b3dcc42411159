//! Loops of the program as systems of equations: eliminated when their probabilities moved, and once more where the limit
//! holds. No reward is more than all prices together; in a loop that is a choice at each location, "held by the limit" or
//! "by what it leads to", and the right choice is found by improving one until it stands. Each improvement lowers
//! rewards, so it ends.

use super::Rewards;
use crate::elimination::Elimination;
use crate::flow::Flow;

/// Loops of more locations than this are not solved as a whole.
const LARGE: usize = 1 << 14;
/// Improvements of the choice of what is held, at most; two or three are the rule.
const IMPROVEMENTS: usize = 64;
/// A difference of this share is rounding.
const NOISE: f64 = 1e-13;

/// A loop: how its rewards follow from what it leads to.
pub(super) struct Solved {
    /// None while it is stale, and where the loop is too tangled.
    pub by: Option<Elimination>,
    /// The same where the limit holds: which locations it holds, beside the system without them.
    held: Option<(Vec<bool>, Elimination)>,
    pub stale: bool,
}

impl Default for Solved {
    fn default() -> Solved {
        Solved { by: None, held: None, stale: true }
    }
}

impl Rewards {
    /// Eliminates a loop whose probabilities changed.
    pub(super) fn solve_loop(&mut self, flow: &Flow, number: u32) {
        if self.loops[number as usize].stale {
            let by = self.eliminate(flow, number, &[]);
            self.loops[number as usize] = Solved { by, held: None, stale: false };
        }
    }

    /// How many times a run that is at a node of a loop is there in all, on the average, node by node: what a price
    /// inside a loop has to be divided by to count once. None where the loop is large or tangled.
    pub(crate) fn rounds(&mut self, flow: &Flow, number: u32) -> Option<Vec<f64>> {
        self.solve_loop(flow, number);
        self.loops[number as usize].by.as_ref().map(Elimination::visits)
    }

    /// The system of a loop in which some locations lead nowhere.
    fn eliminate(&mut self, flow: &Flow, number: u32, held: &[bool]) -> Option<Elimination> {
        let range = flow.loops[number as usize].clone();
        if range.len() > LARGE {
            return None;
        }
        let inside = |node: u32| range.contains(&node);
        let free = |node: u32| !held.get((node - range.start) as usize).is_some_and(|&held| held);
        let probability = &self.probability;
        let of = |node: u32| flow.after.range(node as usize).map(|at| (flow.after.all[at], probability[at]));
        let ways = |way: &mut dyn FnMut(u32, u32, f64)| {
            for from in range.clone().filter(|&node| free(node)) {
                let kept = of(from).filter(|&(to, _)| inside(to));
                kept.for_each(|(to, p)| way(from - range.start, to - range.start, p));
            }
        };
        let leaves = |at: u32| match at + range.start {
            node if free(node) => of(node).filter(|&(to, _)| !inside(to)).map(|(_, p)| p).sum(),
            _ => 1.0,
        };
        Elimination::new(range.len(), &mut self.scratch, ways, leaves)
    }

    /// Rewards of a loop in which the limit holds somewhere, from those that hold without it; whether the choice of what
    /// is held stands.
    pub(super) fn hold(&mut self, flow: &Flow, number: u32, limit: f64, values: &mut Vec<f64>) -> bool {
        let range = flow.loops[number as usize].clone();
        let beyond: Vec<f64> = range.clone().map(|node| self.beyond_loop(flow, node as usize, &range)).collect();
        let known = self.loops[number as usize].held.take();
        let mut held: Vec<bool> = match &known {
            Some((held, _)) => held.clone(),
            None => values.iter().map(|&value| value > limit).collect(),
        };
        let mut known = known.map(|(_, solved)| solved);
        for _ in 0..IMPROVEMENTS {
            let Some(solved) = known.take().or_else(|| self.eliminate(flow, number, &held)) else { return false };
            values.clear();
            values.extend(beyond.iter().zip(&held).map(|(&beyond, &held)| if held { limit } else { beyond }));
            solved.solve(values);
            let should = |at: usize| {
                let ways = flow.after.range(at + range.start as usize);
                let inside = ways.filter(|&way| range.contains(&flow.after.all[way]));
                beyond[at]
                    + inside
                        .map(|way| self.probability[way] * values[(flow.after.all[way] - range.start) as usize])
                        .sum::<f64>()
            };
            let mut stands = true;
            for (at, held) in held.iter_mut().enumerate() {
                let better =
                    if *held { should(at) >= limit * (1.0 - NOISE) } else { values[at] > limit * (1.0 + NOISE) };
                stands &= better == std::mem::replace(held, better);
            }
            if stands {
                self.loops[number as usize].held = Some((held, solved));
                return true;
            }
        }
        false
    }

    /// The limit has moved: what it held, and what it holds now, has to be looked at again.
    pub(super) fn move_limit(&mut self, limit: f64) {
        let least = limit.min(self.limit) * (1.0 - 2.0 * self.tolerance);
        if std::mem::replace(&mut self.limit, limit) == limit || self.highest < least {
            return;
        }
        self.highest = 0.0;
        for node in 0..self.reward.len() {
            self.highest = self.highest.max(self.reward[node]);
            if self.reward[node] >= least {
                self.mark(node);
            }
        }
    }
}
