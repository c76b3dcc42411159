//! One campaign on a chain: the driver of the laboratory. What the engine does with a compiled program, it does with a
//! chain: runs it at random, solves paths at the chain's costs, keeps the tree, and tells the strategy.

use crate::chain::Chain;
use crate::program::Modelled;
use rand_core::RngCore;
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use symcrete_program::SideId;
use symcrete_search::{Ended, Outcome, Rng, Step, Strategy, View, seeded};
use symcrete_term::{TermId, Terms, Var};
use symcrete_tree::{Cost, Coverage, Kind, NodeId, OpenSide, Path, RunId, Step as Decision, Tree, Visits};

/// How a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    pub cost: f64,
    /// Random runs.
    pub random: u64,
    /// Paths solved.
    pub solved: u64,
    /// Whether every state was covered; else a limit was hit, or the strategy gave up.
    pub covered: bool,
}

/// Random runs of one campaign, at most.
pub const MOST_RUNS: u64 = 1_000_000;
/// Solved paths of one campaign, at most: with loops some strategies never come to an end.
const MOST_SOLVED: u64 = 100_000;
/// Batches from this size on jump over what brings nothing: only coverage can be of interest to who asks for so many.
const JUMP: u32 = 1024;
/// Steps of one run, at most.
const LONGEST: usize = 100_000;

/// A chain ready for campaigns.
pub struct Bench<'a> {
    chain: &'a Chain,
    pub modelled: Modelled,
    terms: RefCell<Subjects>,
}

/// What decisions are about: a term of its own for each visit of a state, so that loops decide anew every time.
struct Subjects {
    terms: Terms,
    by_visit: Vec<Vec<(TermId, Vec<TermId>)>>,
}

impl Subjects {
    /// What the given visit of a state decides on, and the conditions of its ways.
    fn of(&mut self, chain: &Chain, state: usize, visit: usize, way: usize) -> (TermId, TermId) {
        while self.by_visit[state].len() <= visit {
            let offset = self.by_visit[state].len() as u32;
            let byte = self.terms.var(Var::Byte { object: state as u32, offset });
            let ways = chain.states[state].len();
            self.by_visit[state].push(if ways == 2 {
                let subject = self.terms.extract(byte, 0, 1);
                (subject, vec![self.terms.not(subject), subject])
            } else {
                let conditions = (0..ways).map(|way| {
                    let number = self.terms.constant(8, way as u128);
                    self.terms.eq(byte, number)
                });
                (byte, conditions.collect())
            });
        }
        let (subject, conditions) = &self.by_visit[state][visit];
        (*subject, conditions[way])
    }
}

impl<'a> Bench<'a> {
    pub fn new(chain: &'a Chain) -> Bench<'a> {
        let terms = Subjects { terms: Terms::new(), by_visit: vec![vec![]; chain.len()] };
        Bench { chain, modelled: Modelled::new(chain), terms: RefCell::new(terms) }
    }

    /// Runs a strategy until every state is covered. `ahead`: decisions beyond what runs have shown that can be solved.
    pub fn campaign(&self, strategy: &mut dyn Strategy, ahead: u32, seed: u64) -> Ending {
        let mut campaign = Campaign {
            bench: self,
            tree: Tree::new(),
            coverage: Coverage::new(),
            visits: Visits::new(),
            costs: Costs { bench: self, to_node: RefCell::new(vec![]) },
            covered: vec![false; self.chain.len()],
            missing: self.chain.len(),
            known: FxHashSet::default(),
            visited: vec![0; self.chain.len()],
            path: Path::default(),
            rng: seeded(seed ^ 0x5bf0_3635),
            ending: Ending { cost: 0.0, random: 0, solved: 0, covered: false },
        };
        campaign.go(strategy, ahead, &mut seeded(seed));
        campaign.ending
    }
}

/// What flips cost on a chain: all transitions of the path up to the flipped one.
struct Costs<'a> {
    bench: &'a Bench<'a>,
    /// By node of the tree: the cost of the way to it.
    to_node: RefCell<Vec<f64>>,
}

impl Costs<'_> {
    /// The cost of the states without a decision from one state on, up to the next decision.
    fn straight(&self, mut state: usize) -> f64 {
        let chain = self.bench.chain;
        let mut cost = 0.0;
        while let [edge] = chain.states[state].as_slice() {
            cost += edge.cost;
            match edge.to {
                Some(to) => state = to as usize,
                None => break,
            }
        }
        cost
    }

    /// Up to and including a side of a node.
    fn through(&self, tree: &Tree, to_node: &[f64], side: OpenSide) -> f64 {
        let state = self.bench.modelled.state_of(tree.site(side.node));
        to_node[side.node.index()] + self.bench.chain.states[state][side.side as usize].cost
    }

    fn catch_up(&self, tree: &Tree) {
        let mut known = self.to_node.borrow_mut();
        for id in known.len()..tree.len() {
            let cost = match tree.parent(NodeId(id as u32)) {
                None => self.straight(0),
                Some(side) => {
                    let state = self.bench.modelled.state_of(tree.site(side.node));
                    let to = self.bench.chain.states[state][side.side as usize].to;
                    self.through(tree, &known, side) + to.map_or(0.0, |to| self.straight(to as usize))
                }
            };
            known.push(cost);
        }
    }
}

impl Cost for Costs<'_> {
    fn flip(&self, tree: &Tree, side: OpenSide) -> f64 {
        self.catch_up(tree);
        self.through(tree, &self.to_node.borrow(), side)
    }

    fn further(&self, side: SideId) -> f64 {
        self.bench.modelled.cost[side.index()]
    }
}

struct Campaign<'a> {
    bench: &'a Bench<'a>,
    tree: Tree,
    coverage: Coverage,
    visits: Visits,
    costs: Costs<'a>,
    covered: Vec<bool>,
    missing: usize,
    /// Paths that are in the tree, by hash.
    known: FxHashSet<u64>,
    /// Visits of each state in the run going on.
    visited: Vec<u32>,
    path: Path,
    rng: Rng,
    ending: Ending,
}

/// What one run brought.
struct Ran {
    gain: u32,
    leaf: Option<symcrete_tree::Leaf>,
    /// What the forced part of the path cost.
    cost: f64,
}

impl Campaign<'_> {
    fn go(&mut self, strategy: &mut dyn Strategy, ahead: u32, rng: &mut Rng) {
        // Whoever searches begins with one random run.
        let mut first = Some(Step::RunRandom { runs: 1 });
        while self.missing > 0 && self.ending.random < MOST_RUNS && self.ending.solved < MOST_SOLVED {
            let begun = first.take();
            let step = match &begun {
                Some(step) => step.clone(),
                None => strategy.next(&self.view(ahead), rng),
            };
            let outcome = match &step {
                Step::Exhausted => break,
                Step::RunRandom { runs } => self.run_random(*runs),
                Step::Flip(side) => self.flip(*side, &[]),
                Step::FlipOn(side, then) => self.flip(*side, then),
                Step::Path(sides) => {
                    let ways: Vec<u32> = sides.iter().map(|&side| self.outcome(side)).collect();
                    self.solve(&ways, None)
                }
            };
            strategy.done(&self.view(ahead), &step, &outcome);
        }
        self.ending.covered = self.missing == 0;
    }

    fn view(&self, ahead: u32) -> View<'_> {
        let program = &self.bench.modelled.program;
        View::new(&self.tree, program, &self.coverage, &self.visits, &self.costs).looking_ahead(ahead)
    }

    /// Which outcome of its decision a side is.
    fn outcome(&self, side: SideId) -> u32 {
        let (_, decided) = self.bench.modelled.program.side(side);
        side.0 - decided.decision
    }

    fn run_random(&mut self, runs: u32) -> Outcome {
        let runs = u64::from(runs.max(1)).min(MOST_RUNS - self.ending.random) as u32;
        let mut outcome = Outcome { ended: Ended::Ran, leaf: None, runs: 0, gain: 0, news: 0, cost: 0.0 };
        if runs >= JUMP {
            self.jump(runs, &mut outcome);
        } else {
            // A batch ends with the first news.
            while outcome.runs < runs && outcome.gain == 0 {
                let ran = self.run(&[], None, runs == 1);
                outcome.runs += 1;
                outcome.gain += ran.gain;
                outcome.leaf = ran.leaf;
            }
        }
        outcome.cost = f64::from(outcome.runs);
        self.ending.random += u64::from(outcome.runs);
        self.ending.cost += outcome.cost;
        outcome
    }

    fn flip(&mut self, side: OpenSide, then: &[SideId]) -> Outcome {
        assert!(self.tree.is_open(side), "only open sides are flipped");
        let mut ways: Vec<u32> = self.tree.prefix(side.node).iter().map(|side| side.side).collect();
        ways.push(side.side);
        ways.extend(then.iter().map(|&side| self.outcome(side)));
        self.solve(&ways, Some(side))
    }

    fn solve(&mut self, ways: &[u32], expected: Option<OpenSide>) -> Outcome {
        let ran = self.run(ways, expected, true);
        self.ending.solved += 1;
        self.ending.cost += ran.cost;
        Outcome { ended: Ended::Ran, leaf: ran.leaf, runs: 1, gain: ran.gain, news: 0, cost: ran.cost }
    }

    fn cover(&mut self, state: usize) -> u32 {
        if std::mem::replace(&mut self.covered[state], true) {
            return 0;
        }
        let modelled = &self.bench.modelled;
        self.coverage.cover(modelled.state(state));
        // A way counts as taken when what it leads to was seen: another way there covers nothing new.
        for &way in &modelled.ways_to[state] {
            self.coverage.cover(way);
        }
        self.missing -= 1;
        1
    }

    /// One run: the first decisions as given, the others by chance.
    fn run(&mut self, forced: &[u32], expected: Option<OpenSide>, always: bool) -> Ran {
        let (chain, modelled) = (self.bench.chain, &self.bench.modelled);
        let mut path = std::mem::take(&mut self.path);
        path.steps.clear();
        self.visited.fill(0);
        let mut ran = Ran { gain: 0, leaf: None, cost: 0.0 };
        let mut hash = 0u64;
        let mut at = Some(0usize);
        let mut steps = 0;
        while let Some(state) = at.filter(|_| steps < LONGEST) {
            steps += 1;
            ran.gain += self.cover(state);
            let edges = &chain.states[state];
            let solving = path.steps.len() < forced.len();
            let way = match modelled.site(state) {
                None => 0,
                Some(site) => {
                    let way = match forced.get(path.steps.len()) {
                        Some(&way) => way as usize,
                        None => draw(&mut self.rng, edges.iter().map(|edge| edge.probability)),
                    };
                    let visit = self.visited[state] as usize;
                    self.visited[state] += 1;
                    let (subject, condition) = self.bench.terms.borrow_mut().of(chain, state, visit, way);
                    let kind = if edges.len() == 2 { Kind::Branch } else { Kind::Switch { sides: edges.len() as u32 } };
                    path.steps.push(Decision { site, kind, taken: way as u32, subject, condition });
                    hash = (hash.rotate_left(5) ^ (way as u64 + 1 + ((state as u64) << 8)))
                        .wrapping_mul(0x517c_c1b7_2722_0a95);
                    way
                }
            };
            let Some(edge) = edges.get(way) else { break };
            if solving {
                ran.cost += edge.cost;
            }
            at = edge.to.map(|to| to as usize);
        }
        self.visits.count(&path, forced.len(), true);
        if self.known.insert(hash) || always {
            let inserted = self.tree.insert(&path, RunId(0), expected);
            ran.leaf = inserted.leaf.filter(|_| inserted.new_path);
        }
        self.path = path;
        ran
    }

    /// Many runs at once: how many go by before one shows a state that is new, and that one. The others leave no trace.
    fn jump(&mut self, runs: u32, outcome: &mut Outcome) {
        let chain = self.bench.chain;
        let mut chance: Vec<f64> = self.covered.iter().map(|&covered| f64::from(u8::from(!covered))).collect();
        // From the end backwards; loops until nothing moves.
        for _ in 0..100_000 {
            let mut change = 0.0f64;
            for state in (0..chain.len()).rev().filter(|&state| self.covered[state]) {
                let new: f64 = chain.states[state]
                    .iter()
                    .map(|edge| edge.probability * edge.to.map_or(0.0, |to| chance[to as usize]))
                    .sum();
                change = change.max((new - chance[state]).abs() / new.max(f64::MIN_POSITIVE));
                chance[state] = new;
            }
            if change < 1e-12 {
                break;
            }
        }
        let waiting = waiting_time(&mut self.rng, chance[0]);
        if waiting > u64::from(runs) {
            outcome.runs = runs;
            return;
        }
        outcome.runs = waiting as u32;
        // The path of that run, up to what is new.
        let mut forced = vec![];
        let mut state = 0;
        while self.covered[state] {
            let edges = &chain.states[state];
            let weight = |edge: &crate::Edge| edge.probability * edge.to.map_or(0.0, |to| chance[to as usize]);
            let way = draw(&mut self.rng, edges.iter().map(weight));
            if edges.len() > 1 {
                forced.push(way as u32);
            }
            match edges[way].to {
                Some(to) => state = to as usize,
                None => break,
            }
        }
        let ran = self.run(&forced, None, true);
        outcome.gain = ran.gain;
        outcome.leaf = ran.leaf;
    }
}

fn uniform(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A place, with these weights.
fn draw(rng: &mut Rng, weights: impl Iterator<Item = f64> + Clone) -> usize {
    let total: f64 = weights.clone().sum();
    let mut left = uniform(rng) * total;
    let mut last = 0;
    for (place, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
        last = place;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// How many runs it takes until one succeeds, each with this chance.
fn waiting_time(rng: &mut Rng, chance: f64) -> u64 {
    if chance >= 1.0 {
        return 1;
    }
    let u = 1.0 - uniform(rng);
    let runs = 1.0 + (u.ln() / (-chance).ln_1p()).floor();
    if runs < 1e18 { runs as u64 } else { u64::MAX }
}
