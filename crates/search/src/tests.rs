//! Strategies on hand-drawn trees with a fixed seed and the flips expected of them, and a small
//! world in which all of them run to the end: conditions on single bits, so that a "solver" is a
//! look at the path.

use crate::*;
use std::collections::BTreeSet;
use symcrete_program::{Location, Program, Side, SideId, SideKind, Site, SiteId, SiteKind, Unit};
use symcrete_term::{Terms, Var};
use symcrete_tree::{
    Closed, Coverage, Kind, Leaf, NodeId, OpenSide, Path, RunId, Step as Decision, Tree, UnitCost, Visits,
};

/// A program of branches on input bits: at bit `b` with the bits so far, the next bit to test.
pub(crate) struct World {
    next: fn(&[(u32, bool)]) -> Option<u32>,
    /// Bits whose value is implied by an earlier one: these flips are unsat.
    pub equal: &'static [(u32, u32)],
    pub program: Program,
    terms: Terms,
    pub tree: Tree,
    pub covered: Coverage,
    pub visits: Visits,
    /// The site that tests a bit: several bits are one site in a loop.
    pub site: fn(u32) -> u32,
    /// What each run loses.
    pub lost: u64,
    pub runs: u32,
    pub log: Vec<Step>,
}

impl World {
    pub fn new(next: fn(&[(u32, bool)]) -> Option<u32>) -> World {
        let mut unit = Unit::default();
        for site in 0..64u32 {
            for kind in [SideKind::False, SideKind::True] {
                unit.sides.push(Side {
                    kind,
                    function: 0,
                    block: site,
                    location: Location::default(),
                    decision: 2 * site,
                    folded: false,
                });
            }
            let sides = vec![Some(2 * site), Some(2 * site + 1)];
            unit.sites.push(Site { kind: SiteKind::Branch, function: 0, location: Location::default(), sides });
        }
        let mut program = Program::default();
        program.push(unit);
        World::of(program, next)
    }

    /// With a program of one's own, every decision of which has two sides.
    pub fn of(program: Program, next: fn(&[(u32, bool)]) -> Option<u32>) -> World {
        World {
            next,
            site: |bit| bit,
            lost: 0,
            equal: &[],
            program,
            terms: Terms::new(),
            tree: Tree::new(),
            covered: Coverage::new(),
            visits: Visits::new(),
            runs: 0,
            log: Vec::new(),
        }
    }

    /// The next step of a strategy, not taken.
    pub fn ask(&self, strategy: &mut dyn Strategy, rng: &mut Rng) -> Step {
        let cost = UnitCost(10.0);
        strategy.next(&View::new(&self.tree, &self.program, &self.covered, &self.visits, &cost), rng)
    }

    pub fn run(&mut self, input: u64, expected: Option<OpenSide>) -> (symcrete_tree::Inserted, u32) {
        let (mut bits, mut path, mut gain) = (Vec::new(), Path { lost: self.lost, ..Path::default() }, 0);
        while let Some(bit) = (self.next)(&bits) {
            let taken = input >> bit & 1 == 1;
            let byte = self.terms.var(Var::Byte { object: 0, offset: bit });
            let subject = self.terms.extract(byte, 0, 1);
            let condition = if taken { subject } else { self.terms.not(subject) };
            let site = (self.site)(bit);
            path.steps.push(Decision {
                site: SiteId(site),
                kind: Kind::Branch,
                taken: taken as u32,
                subject,
                condition,
            });
            gain += self.covered.cover(SideId(2 * site + taken as u32)) as u32;
            bits.push((bit, taken));
        }
        self.runs += 1;
        self.visits.count(&path, 0, expected.is_none());
        (self.tree.insert(&path, RunId(self.runs), expected), gain)
    }

    /// An input that goes to the side, by reading the path; none when bits said to be equal differ.
    fn solve(&self, side: OpenSide) -> Option<u64> {
        let mut sides = self.tree.prefix(side.node);
        sides.push(side);
        let mut known = std::collections::BTreeMap::new();
        let mut input = 0;
        let mut bits = vec![];
        for taken in sides {
            let bit = (self.next)(&bits).expect("the path goes on");
            bits.push((bit, taken.side == 1));
            known.insert(bit, taken.side);
            input |= (taken.side as u64) << bit;
        }
        for &(a, b) in self.equal {
            match (known.get(&a), known.get(&b)) {
                (Some(x), Some(y)) if x != y => return None,
                (Some(x), None) => input |= (*x as u64) << b,
                _ => {}
            }
        }
        Some(input)
    }

    /// One step of the driver; false when the strategy is done.
    pub fn step(
        &mut self,
        strategy: &mut dyn Strategy,
        rng: &mut Rng,
        random: &mut dyn FnMut(&mut Rng) -> u64,
    ) -> bool {
        let cost = UnitCost(10.0);
        let view = View::new(&self.tree, &self.program, &self.covered, &self.visits, &cost);
        let step = strategy.next(&view, rng);
        self.log.push(step.clone());
        let outcome = match step {
            Step::Exhausted => return false,
            Step::FlipOn(..) | Step::Path(_) => unreachable!("nothing can be solved ahead here"),
            Step::RunRandom { runs } => {
                let (mut gain, mut leaf) = (0, None);
                for _ in 0..runs {
                    let input = random(rng);
                    let (inserted, new) = self.run(input, None);
                    gain += new;
                    leaf = inserted.leaf.filter(|_| inserted.new_path).or(leaf);
                }
                Outcome { ended: Ended::Ran, leaf, runs, gain, news: 0, cost: runs as f64 }
            }
            Step::Flip(side) => {
                assert!(self.tree.is_open(side), "only open sides are flipped");
                match self.solve(side) {
                    Some(input) => {
                        let (inserted, gain) = self.run(input, Some(side));
                        assert_eq!(inserted.diverged, None);
                        Outcome { ended: Ended::Ran, leaf: inserted.leaf, runs: 1, gain, news: 0, cost: 10.0 }
                    }
                    None => {
                        self.tree.close(side, Closed::Unsat);
                        Outcome { ended: Ended::Unsat, leaf: None, runs: 0, gain: 0, news: 0, cost: 10.0 }
                    }
                }
            }
        };
        let view = View::new(&self.tree, &self.program, &self.covered, &self.visits, &cost);
        strategy.done(&view, &step, &outcome);
        true
    }

    /// The flips of a strategy as (site, side), starting from the input 0 as the first random one.
    pub fn flips(&mut self, name: &str, steps: usize) -> Vec<(u32, u32)> {
        let mut strategy = strategy(name, &Options::default()).unwrap();
        let mut rng = seeded(7);
        for _ in 0..steps {
            if !self.step(&mut *strategy, &mut rng, &mut |_| 0) {
                break;
            }
        }
        self.log
            .iter()
            .filter_map(|step| match step {
                Step::Flip(side) => Some((self.tree.site(side.node).0, side.side)),
                _ => None,
            })
            .collect()
    }
}

/// Three bits one after the other: eight paths.
pub(crate) fn three(bits: &[(u32, bool)]) -> Option<u32> {
    (bits.len() < 3).then_some(bits.len() as u32)
}

/// Bit 0 guards bits 1 and 2, bit 2 guards bits 3 and 4; else bit 5.
fn nested(bits: &[(u32, bool)]) -> Option<u32> {
    match bits {
        [] => Some(0),
        [(0, false)] => Some(5),
        [(0, true)] => Some(1),
        [(0, true), (1, _)] => Some(2),
        [(0, true), (1, _), (2, true)] => Some(3),
        [(0, true), (1, _), (2, true), (3, true)] => Some(4),
        _ => None,
    }
}

/// A loop that goes on while bits are set, and a test after it.
fn looping(bits: &[(u32, bool)]) -> Option<u32> {
    match bits.last() {
        None => Some(0),
        Some((bit, true)) if *bit < 30 => Some(bit + 1),
        Some((bit, _)) if *bit < 40 => Some(40),
        _ => None,
    }
}

fn all_inputs(next: fn(&[(u32, bool)]) -> Option<u32>, equal: &[(u32, u32)], bits: u32) -> usize {
    let mut paths = BTreeSet::new();
    for input in 0..1u64 << bits {
        if equal.iter().any(|&(a, b)| input >> a & 1 != input >> b & 1) {
            continue;
        }
        let mut path = Vec::new();
        while let Some(bit) = next(&path) {
            path.push((bit, input >> bit & 1 == 1));
        }
        paths.insert(path);
    }
    paths.len()
}

#[test]
fn dfs_goes_deepest_first_and_ends_by_itself() {
    let mut world = World::new(three);
    assert_eq!(world.flips("dfs", 100), [(2, 1), (1, 1), (2, 1), (0, 1), (2, 1), (1, 1), (2, 1)]);
    assert_eq!(world.log.last(), Some(&Step::Exhausted));
    assert!(world.tree.exhausted().is_ok());
    assert_eq!(world.runs, 8);
}

#[test]
fn bfs_goes_shallowest_first() {
    let mut world = World::new(three);
    assert_eq!(world.flips("bfs", 100), [(0, 1), (1, 1), (1, 1), (2, 1), (2, 1), (2, 1), (2, 1)]);
    assert_eq!(world.log.last(), Some(&Step::Exhausted));
}

#[test]
fn random_branch_flips_only_the_latest_path() {
    let mut world = World::new(three);
    let mut strategy = strategy("random-branch", &Options::default()).unwrap();
    let mut rng = seeded(3);
    let mut random = |rng: &mut Rng| below(rng, 8) as u64;
    let mut restarts = 0;
    while world.tree.exhausted().is_err() {
        let path: Vec<NodeId> =
            world.tree.latest().map_or(vec![], |leaf: Leaf| world.tree.upwards(leaf.node).collect());
        world.step(&mut *strategy, &mut rng, &mut random);
        match world.log.last() {
            Some(Step::Flip(side)) => assert!(path.contains(&side.node)),
            Some(Step::RunRandom { runs }) => {
                restarts += 1;
                assert_eq!(*runs, 1);
            }
            _ => unreachable!("not done before all is run"),
        }
    }
    assert!(restarts >= 1);
    assert!(!world.step(&mut *strategy, &mut rng, &mut random), "and then it ends");
}

#[test]
fn random_branch_draws_uniformly() {
    let mut counts = [0; 3];
    let mut rng = seeded(11);
    for _ in 0..3000 {
        let mut world = World::new(three);
        let mut strategy = strategy("random-branch", &Options::default()).unwrap();
        world.step(&mut *strategy, &mut rng, &mut |_| 0);
        world.step(&mut *strategy, &mut rng, &mut |_| 0);
        let Some(Step::Flip(side)) = world.log.last() else { unreachable!("three sides are open") };
        counts[world.tree.site(side.node).index()] += 1;
    }
    assert!(counts.iter().all(|&count| (900..1100).contains(&count)), "{counts:?}");
}

#[test]
fn generational_expands_whole_paths_and_then_the_best_child() {
    let mut world = World::new(nested);
    let flips = world.flips("generational", 100);
    // The first path is 0:false, 5:false; its two flips are one generation, in order. The child
    // through bit 0 covered more than the one through bit 5, so it is expanded: bits 1 and 2 (its own flip,
    // bit 0, is not its to flip again). Of these two children the one through bit 2 covered most.
    assert_eq!(flips[..4], [(0, 1), (5, 1), (1, 1), (2, 1)]);
    assert_eq!(flips[4], (3, 1));
    assert!(world.tree.exhausted().is_ok());
    assert_eq!(world.runs as usize, all_inputs(nested, &[], 6));
}

#[test]
fn every_flipping_strategy_runs_each_path_once_and_stops() {
    for (next, bits) in [(three as fn(&[(u32, bool)]) -> Option<u32>, 3), (nested, 6)] {
        for equal in [&[][..], &[(0, 2)], &[(1, 4), (0, 3)]] {
            for name in ["dfs", "bfs", "generational", "dart", "cfg", "cgs", "sgs", "rss", "rps", "rcn"] {
                let mut world = World::new(next);
                world.equal = if bits == 6 || equal.iter().all(|&(_, b)| b < 3) { equal_static(equal) } else { &[] };
                world.flips(name, 200);
                assert_eq!(world.log.last(), Some(&Step::Exhausted), "{name}");
                let want = all_inputs(next, world.equal, bits);
                assert_eq!(world.runs as usize, want, "{name} with {equal:?}");
                assert!(world.tree.exhausted().is_ok());
            }
        }
    }
}

fn equal_static(equal: &[(u32, u32)]) -> &'static [(u32, u32)] {
    match equal {
        [] => &[],
        [(0, 2)] => &[(0, 2)],
        _ => &[(1, 4), (0, 3)],
    }
}

#[test]
fn random_never_flips() {
    let mut world = World::new(three);
    let mut strategy = strategy("random", &Options::default()).unwrap();
    let mut rng = seeded(1);
    for _ in 0..3 {
        world.step(&mut *strategy, &mut rng, &mut |rng| below(rng, 8) as u64);
    }
    assert!(world.log.iter().all(|step| matches!(step, Step::RunRandom { .. })));
    assert_eq!(world.log[0], Step::RunRandom { runs: 1 });
}

#[test]
fn auto_flips_towards_uncovered_sides_first() {
    let mut world = World::new(looping);
    // A run through the loop five times covers both sides of nothing but the last turn.
    world.run(0b11111, None);
    let mut strategy = Uncovered::default();
    let mut rng = seeded(5);
    let mut covered_before = world.covered.sides().len();
    for _ in 0..6 {
        assert!(world.step(&mut strategy, &mut rng, &mut |_| 0));
        assert!(matches!(world.log.last(), Some(Step::Flip(_))));
        let now = world.covered.sides().len();
        assert!(now > covered_before, "each of these flips reaches something new");
        covered_before = now;
    }
}

#[test]
fn auto_spends_on_what_earns() {
    // A needle: thirty bits in a row must be set. Chance finds a few turns, flips find them all.
    let mut world = World::new(looping);
    let mut strategy = strategy("auto", &Options::default()).unwrap();
    let mut rng = seeded(9);
    let mut random = |rng: &mut Rng| {
        use rand_core::RngCore;
        rng.next_u64() & rng.next_u64() & rng.next_u64()
    };
    for _ in 0..300 {
        if !world.step(&mut *strategy, &mut rng, &mut random) {
            break;
        }
    }
    assert_eq!(world.covered.sides().len(), 2 * 31 + 2, "every side of the loop and of the test after it");
    let flips = world.log.iter().filter(|step| matches!(step, Step::Flip(_))).count();
    assert!(flips >= 30, "{flips}");
    assert!(flips < world.log.len(), "chance keeps its share");
}

#[test]
fn mix_prefers_the_arm_that_earns() {
    let mut world = World::new(three);
    world.run(0, None);
    let cost = UnitCost(10.0);
    for random_earns in [true, false] {
        let mut mix = Mix::new("mix", strategy("bfs", &Options::default()).unwrap());
        let mut rng = seeded(2);
        let (mut random, mut flips) = (0, 0);
        for _ in 0..200 {
            let view = View::new(&world.tree, &world.program, &world.covered, &world.visits, &cost);
            let step = mix.next(&view, &mut rng);
            let is_random = matches!(step, Step::RunRandom { .. });
            if is_random {
                random += 1
            } else {
                flips += 1
            }
            let gain = (is_random == random_earns) as u32;
            mix.done(&view, &step, &Outcome { ended: Ended::Ran, leaf: None, runs: 1, gain, news: 0, cost: 10.0 });
        }
        let (earning, other) = if random_earns { (random, flips) } else { (flips, random) };
        assert!(earning > 4 * other && other > 0, "{earning} against {other}");
    }
}

#[test]
fn the_same_seed_gives_the_same_steps() {
    for entry in strategies() {
        let run = || {
            let mut world = World::new(looping);
            let mut strategy = entry.make(&Options::default());
            assert_eq!(strategy.name(), entry.name);
            let mut rng = seeded(42);
            let mut random = |rng: &mut Rng| below(rng, 1 << 20) as u64;
            for _ in 0..40 {
                if !world.step(&mut *strategy, &mut rng, &mut random) {
                    break;
                }
            }
            world.log
        };
        assert_eq!(run(), run(), "{}", entry.name);
    }
}

#[test]
fn names_are_suggested() {
    let wrong = |name: &str| strategy(name, &Options::default()).err().map(|error| error.nearest);
    assert_eq!(wrong("dsf"), Some("dfs"));
    assert_eq!(wrong("generation"), Some("generational"));
    assert_eq!(wrong("random_branch"), Some("random-branch"));
    assert_eq!(wrong("dfs"), None);
    let message = strategy("rnd", &Options::default()).err().map(|error| error.to_string()).unwrap();
    assert_eq!(message, "there is no strategy `rnd`; did you mean `random`? `symcrete strategies` lists them all");
}

#[test]
fn sides_opened_again_are_found() {
    for name in ["dfs", "bfs", "generational", "dart", "cfg", "cgs", "sgs", "rss", "rps", "rcn", "carfast"] {
        let mut world = World::new(three);
        world.run(0, None);
        let all: Vec<OpenSide> = world.tree.frontier().iter().collect();
        let mut strategy = strategy(name, &Options::default()).unwrap();
        let mut rng = seeded(0);
        let cost = UnitCost(1.0);
        for side in all {
            world.tree.close(side, Closed::Unknown);
        }
        let view = View::new(&world.tree, &world.program, &world.covered, &world.visits, &cost);
        assert!(!matches!(strategy.next(&view, &mut rng), Step::Flip(_)), "{name}");
        assert_eq!(world.tree.reopen_unknown(3), 3);
        let view = View::new(&world.tree, &world.program, &world.covered, &world.visits, &cost);
        assert!(matches!(strategy.next(&view, &mut rng), Step::Flip(_)), "{name}");
    }
}
