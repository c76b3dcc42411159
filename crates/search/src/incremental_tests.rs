//! What is kept from one decision to the next, against everything computed anew: `greedy` and `savings` on random
//! programs with loops and calls, after every run. Without recursion: there the way to a solution matters.

use crate::strategy::{Ended, Outcome, Rng, Step, View, below, seeded};
use crate::{Estimator, Flow, Options, Rewards, strategy};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use symcrete_program::sketch::Sketch;
use symcrete_program::{Call, Program, SideId, SiteId, UnitId};
use symcrete_term::{Terms, Var};
use symcrete_tree::{Cost, Coverage, Kind, OpenSide, Path, RunId, Step as Decision, Tree, Visits};

const NAMES: [&str; 3] = ["main", "f", "g"];

/// Functions of blocks with up to three ways on, some back; blocks call functions further down.
fn program(rng: &mut Rng) -> Program {
    let mut sketch = Sketch::new();
    for (number, name) in NAMES.into_iter().enumerate() {
        let count = 3 + below(rng, 9);
        let blocks: Vec<(Vec<u32>, Vec<&str>)> = (0..count)
            .map(|at| {
                let ahead = |rng: &mut Rng| (at + 1 + below(rng, count - at - 1)) as u32;
                let mut ways: Vec<u32> = vec![];
                if at + 1 < count {
                    for way in 0..1 + below(rng, 3) {
                        let back = way > 0 && below(rng, 4) == 0;
                        // The first way leads to the next block, so that all can be reached.
                        ways.push(match way {
                            0 => at as u32 + 1,
                            _ if back => below(rng, at + 1) as u32,
                            _ => ahead(rng),
                        });
                    }
                }
                let callees = &NAMES[number + 1..];
                let called = !callees.is_empty() && below(rng, 4) == 0;
                let calls = if called { vec![callees[below(rng, callees.len())]] } else { vec![] };
                (ways, calls)
            })
            .collect();
        sketch.function(name, &blocks);
    }
    sketch.program()
}

/// Every flip has its own price, so no two are alike.
struct Uneven;

impl Cost for Uneven {
    fn flip(&self, tree: &Tree, side: OpenSide) -> f64 {
        let mixed = (u64::from(side.node.0) * 31 + u64::from(side.side)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        f64::from(tree.depth(side.node)) + 1.0 + mixed as f64 / 3e6
    }

    fn further(&self, side: SideId) -> f64 {
        1.0 + f64::from(side.0 % 5)
    }
}

struct Bench {
    program: Program,
    tree: Tree,
    covered: Coverage,
    visits: Visits,
    terms: Terms,
    /// By function and block: its site, if it decides.
    sites: Vec<Vec<Option<SiteId>>>,
}

impl Bench {
    fn new(rng: &mut Rng) -> Bench {
        let program = program(rng);
        let mut next = 0;
        let functions = program.unit(UnitId(0)).functions.iter();
        let sites = functions
            .map(|function| {
                let decided = function.blocks.iter().map(|block| {
                    next += u32::from(block.successors.len() > 1);
                    (block.successors.len() > 1).then(|| SiteId(next - 1))
                });
                decided.collect()
            })
            .collect();
        let (tree, covered, visits, terms) = (Tree::new(), Coverage::new(), Visits::new(), Terms::new());
        Bench { program, tree, covered, visits, terms, sites }
    }

    /// One random run; ways ahead are likelier than others.
    fn run(&mut self, rng: &mut Rng) {
        let mut path = Path::default();
        self.walk(0, &mut path, &mut 60, rng);
        self.visits.count(&path, 0, true);
        self.tree.insert(&path, RunId(0), None);
        for step in &path.steps {
            if let Some(side) = self.program.side_of(step.site, step.taken as usize) {
                self.covered.cover(side);
            }
        }
    }

    fn walk(&mut self, function: usize, path: &mut Path, left: &mut u32, rng: &mut Rng) {
        let mut at = 0;
        while *left > 0 {
            *left -= 1;
            let block = self.program.unit(UnitId(0)).functions[function].blocks[at].clone();
            for call in &block.calls {
                if let Call::Direct(name) = call
                    && let Some(callee) = NAMES.iter().position(|known| known == name)
                {
                    self.walk(callee, path, left, rng);
                }
            }
            let ways = block.successors.len();
            let taken = match ways {
                0 => return,
                1 => 0,
                _ => below(rng, 2) * below(rng, ways),
            };
            if let Some(site) = self.sites[function][at] {
                let byte = self.terms.var(Var::Byte { object: 0, offset: path.steps.len() as u32 });
                let number = self.terms.constant(8, taken as u128);
                let condition = self.terms.eq(byte, number);
                let kind = if ways == 2 { Kind::Branch } else { Kind::Switch { sides: ways as u32 } };
                let subject = if ways == 2 { self.terms.extract(byte, 0, 1) } else { byte };
                path.steps.push(Decision { site, kind, taken: taken as u32, subject, condition });
            }
            at = block.successors[taken] as usize;
        }
    }

    fn view(&self, ahead: u32) -> View<'_> {
        View::new(&self.tree, &self.program, &self.covered, &self.visits, &Uneven).looking_ahead(ahead)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn decisions_are_those_of_who_begins_now(seed in any::<u64>(), ahead in 0u32..3, name in 0usize..2) {
        let rng = &mut seeded(seed);
        let name = ["greedy", "savings"][name];
        let mut bench = Bench::new(rng);
        let mut kept = strategy(name, &Options::default()).expect("one of ours");
        for _ in 0..12 {
            for _ in 0..1 + below(rng, 3) {
                bench.run(rng);
                let told = Outcome { ended: Ended::Ran, leaf: None, runs: 1, gain: 1, news: 0, cost: 1.0 };
                kept.done(&bench.view(ahead), &Step::RunRandom { runs: 1 }, &told);
            }
            let mut fresh = strategy(name, &Options::default()).expect("one of ours");
            let view = bench.view(ahead);
            prop_assert_eq!(kept.next(&view, &mut seeded(1)), fresh.next(&view, &mut seeded(1)));
        }
    }

    /// `R = w + P·R`, by the equation itself.
    #[test]
    fn rewards_solve_their_equation(seed in any::<u64>()) {
        let rng = &mut seeded(seed);
        let mut bench = Bench::new(rng);
        let flow = Flow::new(&bench.program);
        let mut rewards = Rewards::new(&flow, Estimator::Laplace);
        for _ in 0..4 {
            bench.run(rng);
            let mut total = 0.0;
            for node in (0..flow.len()).filter(|&node| flow.goals[node]) {
                let price = below(rng, 3) as f64;
                rewards.set_weight(&flow, node, price);
                total += price;
            }
            rewards.count(&flow, &bench.view(0), 1.0);
            rewards.update(&flow, total);
            for node in 0..flow.len() {
                let (is, should) = rewards.sides_of_equation(&flow, node);
                let should = should.min(total);
                prop_assert!((is - should).abs() <= 1e-6 * is.max(1.0), "{node}: {is} {should} of {total}");
            }
        }
    }
}
