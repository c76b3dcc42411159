//! The worked examples of the paper on optimal concolic testing, digit for digit, where its equations give them.

use symcrete_lab::{Bench, Chain, Edge, Modelled};
use symcrete_search::{
    ANYWHERE, Ended, Estimator, Flow, Options, Outcome, Rewards, Step, Strategy, View, seeded, strategy,
};
use symcrete_tree::{Cost, Coverage, Kind, OpenSide, Path, RunId, Step as Decision, Tree, Visits};

/// The first figure's program: states 1 to 8 are 0 to 7 here. Solving 1→2 costs 4, 1→3→4 and 1→3→5→6 cost 50.
fn figure() -> Chain {
    let edge = |to: u32, probability: f64, cost: f64| Edge { to: Some(to - 1), probability, cost };
    let rare = 1.0 / 4294967296.0;
    Chain::new(
        vec![
            vec![edge(2, rare, 4.0), edge(3, 1.0 - rare, 4.0)],
            vec![edge(3, 1.0, 4.0)],
            vec![edge(4, 0.2, 46.0), edge(5, 0.8, 6.0)],
            vec![],
            vec![edge(6, 1e-6, 40.0), edge(8, 1.0 - 1e-6, 40.0)],
            vec![edge(7, 0.75, 40.0), edge(8, 0.25, 40.0)],
            vec![edge(8, 1.0, 40.0)],
            vec![],
        ],
        None,
    )
}

/// The example as a strategy would see it after some random runs that all went 1, 3, 5, 8.
struct Example {
    modelled: Modelled,
    tree: Tree,
    coverage: Coverage,
    visits: Visits,
}

struct Costs<'a>(&'a Modelled);

impl Cost for Costs<'_> {
    fn flip(&self, tree: &Tree, side: OpenSide) -> f64 {
        // Every state before is on the path 1, 3, 5: costs add up along it.
        let before = [0.0, f64::NAN, 4.0, f64::NAN, 10.0];
        let state = self.0.state_of(tree.site(side.node));
        before[state] + self.0.cost[self.0.way(state, side.side as usize).index()]
    }

    fn further(&self, side: symcrete_program::SideId) -> f64 {
        self.0.cost[side.index()]
    }
}

impl Example {
    fn new() -> Example {
        let modelled = Modelled::new(&figure());
        Example { modelled, tree: Tree::new(), coverage: Coverage::new(), visits: Visits::new() }
    }

    fn run_1358(&mut self) {
        let mut terms = symcrete_term::Terms::new();
        let mut path = Path::default();
        for (place, state) in [0usize, 2, 4].into_iter().enumerate() {
            let byte = terms.var(symcrete_term::Var::Byte { object: 0, offset: place as u32 });
            let subject = terms.extract(byte, 0, 1);
            let site = self.modelled.site(state).unwrap();
            path.steps.push(Decision { site, kind: Kind::Branch, taken: 1, subject, condition: subject });
        }
        self.visits.count(&path, 0, true);
        self.tree.insert(&path, RunId(0), None);
        for state in [0, 2, 4, 7] {
            self.coverage.cover(self.modelled.state(state));
        }
    }

    fn costs(&self) -> Costs<'_> {
        Costs(&self.modelled)
    }

    fn view<'a>(&'a self, costs: &'a Costs<'a>) -> View<'a> {
        View::new(&self.tree, &self.modelled.program, &self.coverage, &self.visits, costs)
    }

    /// R of each state, by Laplace, each uncovered one worth 1.
    fn rewards(&self) -> Vec<f64> {
        let flow = Flow::new(&self.modelled.program);
        let mut rewards = Rewards::new(&flow, Estimator::Laplace);
        let costs = self.costs();
        rewards.count(&flow, &self.view(&costs), 1.0);
        for state in 0..8 {
            let side = self.modelled.state(state);
            let node = flow.node(side).unwrap();
            rewards.set_price(&flow, node, if self.coverage.is_covered(side) { 0.0 } else { 1.0 });
        }
        rewards.update(&flow, 8.0);
        (0..8).map(|state| rewards.at(&flow, flow.node(self.modelled.state(state)).unwrap())).collect()
    }
}

fn close(ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() < 1e-12, "{ours} is not {theirs}");
}

#[test]
fn rewards_at_the_start() {
    let r = Example::new().rewards();
    // The paper prints 4.875 for the first; its own equations give 4.375.
    for (state, value) in [4.375, 3.875, 2.875, 1.0, 2.75, 2.5, 2.0, 1.0].into_iter().enumerate() {
        close(r[state], value);
    }
}

#[test]
fn rewards_after_one_run() {
    let mut example = Example::new();
    example.run_1358();
    let r = example.rewards();
    for (state, value) in [(1, 1.0), (2, 5.0 / 3.0), (4, 1.0), (6, 1.5)] {
        close(r[state - 1], value);
    }
}

#[test]
fn rewards_after_eight_runs() {
    let mut example = Example::new();
    (0..8).for_each(|_| example.run_1358());
    let r = example.rewards();
    // The paper prints 0.24, 1.14 and 0.285.
    close(r[0], 0.335);
    close(r[1], 1.235);
    close(r[1] / 4.0, 0.30875);
}

/// Greedy, after so many runs 1, 3, 5, 8.
fn decision(runs: usize, ahead: u32) -> Step {
    let mut example = Example::new();
    let mut greedy = strategy("greedy", &Options::default()).unwrap();
    let mut rng = seeded(1);
    let mut step = Step::RunRandom { runs: 1 };
    for _ in 0..runs {
        assert_eq!(step, Step::RunRandom { runs: 1 });
        let news = example.tree.paths() == 0;
        example.run_1358();
        let costs = example.costs();
        let view = example.view(&costs).looking_ahead(ahead);
        let gain = if news { 4 } else { 0 };
        let outcome = Outcome { ended: Ended::Ran, leaf: None, runs: 1, gain, news: 0, cost: 1.0 };
        greedy.done(&view, &step, &outcome);
        step = greedy.next(&view, &mut rng);
    }
    step
}

#[test]
fn decisions_of_the_example() {
    // Still at random after eight and nine runs, though the paper says it switches after the eighth; then 1→2.
    for runs in [1, 2, 5, 8, 9] {
        assert_eq!(decision(runs, 0), Step::RunRandom { runs: 1 }, "after {runs}");
        assert_eq!(decision(runs, ANYWHERE), Step::RunRandom { runs: 1 }, "after {runs}");
    }
    let way = Modelled::new(&figure()).way(0, 0);
    assert_eq!(decision(10, ANYWHERE), Step::Path(vec![way]));
    assert!(matches!(decision(10, 0), Step::Flip(OpenSide { node: symcrete_tree::NodeId(0), side: 0 })));
}

/// What greedy compares after nine and ten runs: 0.30579 to 0.30372, and 0.28125 to 0.29948.
#[test]
fn what_it_compares() {
    let compared = |runs: usize| {
        let mut example = Example::new();
        (0..runs).for_each(|_| example.run_1358());
        let r = example.rewards();
        (r[0], r[1] / 4.0)
    };
    let (random, solved) = compared(9);
    assert_eq!((format!("{random:.5}"), format!("{solved:.5}")), ("0.30579".into(), "0.30372".into()));
    let (random, solved) = compared(10);
    assert_eq!((format!("{random:.5}"), format!("{solved:.5}")), ("0.28125".into(), "0.29948".into()));
}

/// The second figure: running at random until all is covered costs 3 on the average.
#[test]
fn always_random_on_the_second_figure() {
    let edge = |to: u32, probability: f64, cost: f64| Edge { to: Some(to), probability, cost };
    let states =
        vec![vec![edge(1, 0.5, 2.0), edge(2, 0.5, 2.0)], vec![edge(3, 1.0, 1.0)], vec![edge(3, 1.0, 1.0)], vec![]];
    let chain = Chain::new(states, None);
    let bench = Bench::new(&chain);
    let mean = |name: &str| {
        let costs = (0..20_000u64).map(|seed| {
            let mut strategy: Box<dyn Strategy> = strategy(name, &Options::default()).unwrap();
            let ending = bench.campaign(strategy.as_mut(), ANYWHERE, seed);
            assert!(ending.covered);
            ending.cost
        });
        costs.sum::<f64>() / 20_000.0
    };
    assert!((mean("random") - 3.0).abs() < 0.05, "{}", mean("random"));
    // One run, then the other side at cost 2: optimal as well.
    assert_eq!(mean("dfs"), 3.0);
}
