//! What `greedy` and `savings` have in common: the flow of the program with its rewards, the open sides, and how long
//! random runs go on before the next thought. A thought after every run would change nothing: without news estimates
//! move by as much as the number of runs grows, so the next one is due after two percent more.

use crate::estimator::Estimator;
use crate::flow::{Flow, NodeId};
use crate::rewards::Rewards;
use crate::strategy::{Ended, Outcome, Step, View};
use crate::targets::{Target, Targets};
use symcrete_program::SideId;
use symcrete_tree::Kind;

/// Runs without news between two thoughts, as a share of all: one in …
const THOUGHT: u64 = 50;
/// What another value of a fixed address is worth, of what its path is worth.
const ADDRESS: f64 = 0.25;

pub(crate) struct Earnings {
    pub flow: Flow,
    pub rewards: Rewards,
    pub targets: Targets,
    /// Random runs so far.
    runs: u64,
    /// No thought before that many, unless something new was found.
    due: u64,
    /// What the flip decided on is expected to find.
    pub expected: Option<f64>,
    /// Covered sides that were looked at.
    covered: usize,
}

impl Earnings {
    pub fn new(view: &View<'_>, estimator: Estimator) -> Earnings {
        let flow = Flow::new(view.program);
        let rewards = Rewards::new(&flow, estimator);
        Earnings { flow, rewards, targets: Targets::default(), runs: 0, due: 0, expected: None, covered: 0 }
    }

    /// The rest of the random runs decided on, if there is any.
    pub fn unfinished(&self) -> Option<Step> {
        let left = self.due.saturating_sub(self.runs);
        (left > 0).then(|| Step::RunRandom { runs: left.min(u64::from(u32::MAX)) as u32 })
    }

    /// One run by itself, whose path is counted; the rest of the two percent follows when it brings nothing.
    pub fn run(&mut self) -> Step {
        self.due = self.runs + (self.runs / THOUGHT).max(1);
        Step::RunRandom { runs: 1 }
    }

    /// Counts what runs did; the nodes of sides that were covered since the last time.
    pub fn count(&mut self, view: &View<'_>) -> Vec<u32> {
        self.targets.catch_up(&self.flow, view);
        // Of large batches only a sample is counted; each of it stands for as many.
        let counted = view.visits.random_runs();
        let scale = if counted == 0 { 1.0 } else { (self.runs as f64 / counted as f64).max(1.0) };
        self.rewards.count(&self.flow, view, scale);
        let sides = view.covered.since(std::mem::replace(&mut self.covered, view.covered.sides().len()));
        let nodes: Vec<u32> = sides.iter().filter_map(|&side| self.flow.node(side)).map(|node| node.0).collect();
        nodes.iter().for_each(|&node| self.rewards.note(&self.flow, node as usize));
        nodes
    }

    pub fn done(&mut self, view: &View<'_>, step: &Step, outcome: &Outcome) {
        match step {
            Step::RunRandom { .. } => {
                self.runs += u64::from(outcome.runs);
                if outcome.gain > 0 || outcome.runs == 0 {
                    self.due = 0;
                }
            }
            Step::Flip(side) | Step::FlipOn(side, _) => {
                self.due = 0;
                let expected = self.expected.take().unwrap_or(0.0);
                self.targets.look_again(view, *side);
                let Some(place) = self.targets.of(view, *side) else { return };
                let target = self.targets.change(place);
                if outcome.ended != Ended::Ran {
                    target.failed = target.failed.saturating_add(1);
                } else if !view.visits.counts_behind_flips() {
                    // What such a run shows is counted nowhere else.
                    target.expected += expected;
                    target.found += f64::from(u8::from(outcome.gain > 0));
                }
            }
            Step::Path(_) | Step::Exhausted => self.due = 0,
        }
    }

    /// What random runs earn, one by one.
    pub fn of_random(&self) -> f64 {
        self.rewards.at(&self.flow, self.flow.entry())
    }

    pub fn is_covered(&self, view: &View<'_>, node: usize) -> bool {
        self.flow.side(NodeId(node as u32)).is_some_and(|side| view.covered.is_covered(side))
    }

    /// Whether what follows a target for certain begins with something uncovered.
    pub fn leads_to_uncovered(&self, view: &View<'_>, target: &Target) -> bool {
        target.goal.is_some_and(|goal| !self.is_covered(view, goal.index()))
    }

    /// What a flip earns where the program does not say what it leads to: what its path earned before.
    pub fn by_path(&self, view: &View<'_>, side: symcrete_tree::OpenSide, kind: Kind) -> f64 {
        let before = std::iter::successors(view.tree.parent(side.node), |side| view.tree.parent(side.node));
        let known = before.filter_map(|side| {
            let source = view.program.side_of(view.tree.site(side.node), side.side as usize)?;
            self.flow.node(source)
        });
        let value = known.take(1).map(|node| self.rewards.at(&self.flow, node)).next();
        value.unwrap_or_else(|| self.of_random()) * if kind == Kind::Address { ADDRESS } else { 1.0 }
    }

    /// The sides of decisions among nodes.
    pub fn decisions(&self, nodes: impl Iterator<Item = u32>) -> Vec<SideId> {
        let sides = nodes.map(NodeId).filter(|&node| self.flow.decision(node).is_some());
        sides.filter_map(|node| self.flow.side(node)).collect()
    }
}

/// What to do when nothing is to be earned: any side that is open may show something, and without one, chance.
pub(crate) fn without_hope(earnings: &mut Earnings, view: &View<'_>) -> Step {
    if view.tree.exhausted().is_ok() {
        return Step::Exhausted;
    }
    let Earnings { targets, flow, .. } = earnings;
    let mut side = targets.cheapest(view);
    if side.is_none() && !view.frontier.is_empty() {
        targets.gather_again(flow, view);
        side = targets.cheapest(view);
    }
    side.map_or(Step::RunRandom { runs: 1 }, Step::Flip)
}
