//! The optimum against independent ways to the same number: a plain decision process over all covered sets of states,
//! with every path as an action, and closed forms for chains that can be solved by hand.

use std::collections::BTreeMap;
use symcrete_lab::{Chain, Edge, Level, Shape, optimum, random_chain};

fn edge(to: Option<u32>, probability: f64, cost: f64) -> Edge {
    Edge { to, probability, cost }
}

/// All paths from the entry that visit no state more than `visits` times: cost, states, end; any path may be solved.
fn paths(chain: &Chain, visits: usize) -> Vec<(f64, u32, usize)> {
    let mut found = vec![];
    let mut stack = vec![(0.0, vec![0usize])];
    while let Some((cost, path)) = stack.pop() {
        let last = path[path.len() - 1];
        found.push((cost, path.iter().fold(0u32, |set, s| set | 1 << s), last));
        for edge in &chain.states[last] {
            let Some(to) = edge.to.map(|to| to as usize) else { continue };
            if path.iter().filter(|&&s| s == to).count() < visits {
                stack.push((cost + edge.cost, [path.as_slice(), &[to]].concat()));
            }
        }
    }
    found
}

/// The plain process: its states are sets of covered states. Values by iteration over sets from large to small, the
/// value of a set itself by the fixed point of one unknown; loops by iterating the run to convergence.
fn plain(chain: &Chain) -> f64 {
    let n = chain.len();
    let all = (1u32 << n) - 1;
    let mut actions: Vec<(f64, u32, usize)> = paths(chain, if chain.is_cyclic() { 2 } else { 1 });
    // The path of no decision costs nothing to solve and is a random run.
    actions.retain(|a| a.0 > 0.0);
    actions.push((1.0, 1, 0));
    // Of equal ends and sets the cheapest.
    let mut cheapest = BTreeMap::<(u32, usize), f64>::new();
    for (cost, set, end) in actions {
        let known = cheapest.entry((set, end)).or_insert(cost);
        *known = known.min(cost);
    }
    let mut value = vec![0.0f64; 1 << n];
    // By set and state: expected cost to come for a run that is at the state, as a + b · value(set).
    let mut run = vec![vec![(0.0f64, 0.0f64); n]; 1 << n];
    for set in (0..all).rev() {
        // The run itself: a + b·V, iterated.
        let mut here = vec![(0.0f64, 0.0f64); n];
        loop {
            let mut change = 0.0f64;
            for state in (0..n).rev() {
                let (mut a, mut b) = (0.0, 0.0);
                if chain.states[state].is_empty() {
                    b = 1.0;
                }
                for edge in &chain.states[state] {
                    let Some(to) = edge.to.map(|to| to as usize) else {
                        b += edge.probability;
                        continue;
                    };
                    let then = set | 1 << to;
                    if then == set {
                        a += edge.probability * here[to].0;
                        b += edge.probability * here[to].1;
                    } else {
                        a += edge.probability
                            * (run[then as usize][to].0 + run[then as usize][to].1 * value[then as usize]);
                    }
                }
                change = change.max((a - here[state].0).abs() / (1.0 + a.abs())).max((b - here[state].1).abs());
                here[state] = (a, b);
            }
            if change < 1e-15 {
                break;
            }
        }
        let mut best = f64::INFINITY;
        for (&(covers, end), &cost) in &cheapest {
            let then = set | covers;
            let this = if then == set {
                let (a, b) = here[end];
                if b > 1.0 - 1e-12 { f64::INFINITY } else { (cost + a) / (1.0 - b) }
            } else {
                let (a, b) = run[then as usize][end];
                cost + a + b * value[then as usize]
            };
            best = best.min(this);
        }
        value[set as usize] = best;
        run[set as usize] = here;
    }
    value[0]
}

#[test]
fn equal_to_the_plain_process_over_all_covered_sets() {
    for states in [1, 2, 3, 4, 5, 7, 9, 11] {
        for level in [Level::L0, Level::L1] {
            for seed in 0..if states < 9 { 40 } else { 6 } {
                let chain = random_chain(Shape { states, level, cyclic: false }, seed);
                let (ours, theirs) = (optimum(&chain).unwrap(), plain(&chain));
                // One minus a probability near one loses digits in the plain one.
                assert!((ours - theirs).abs() <= 1e-9 * theirs, "{states} {level:?} {seed}: {ours} {theirs}");
            }
        }
    }
}

#[test]
fn equal_to_the_plain_process_with_loops() {
    for states in [2, 3, 4, 5, 6] {
        for level in [Level::L0, Level::L1] {
            for seed in 0..15 {
                let chain = random_chain(Shape { states, level, cyclic: true }, seed);
                let (ours, theirs) = (optimum(&chain).unwrap(), plain(&chain));
                assert!((ours - theirs).abs() <= 1e-8 * theirs, "{states} {level:?} {seed}: {ours} {theirs}");
            }
        }
    }
}

/// The paper's second figure: 1 leads to 2 or 3 with even odds, both lead to 4. Always running at random costs 3.
#[test]
fn the_papers_second_figure() {
    let states = vec![
        vec![edge(Some(1), 0.5, 2.0), edge(Some(2), 0.5, 2.0)],
        vec![edge(Some(3), 1.0, 1.0)],
        vec![edge(Some(3), 1.0, 1.0)],
        vec![],
    ];
    assert_eq!(optimum(&Chain::new(states, None)).unwrap(), 3.0);
}

/// One rare side of probability p and cost d: run once, then solve; or run until it comes, whichever is cheaper.
#[test]
fn one_rare_side() {
    for (p, d) in [(1e-4f64, 100.0f64), (0.2, 100.0), (0.5, 1.5), (1e-3, 1e6)] {
        let states = vec![vec![edge(Some(1), p, d), edge(Some(2), 1.0 - p, d)], vec![], vec![]];
        let chain = Chain::new(states, None);
        // First a run: then the other side is missing. Or one solves one of them first.
        let rare_missing = d.min(1.0 / p);
        let common_missing = d.min(1.0 / (1.0 - p));
        let run_first = 1.0 + p * common_missing + (1.0 - p) * rare_missing;
        let solve_first = d + common_missing.min(rare_missing);
        let expected = run_first.min(solve_first);
        let ours = optimum(&chain).unwrap();
        assert!((ours - expected).abs() < 1e-9 * expected, "{p} {d}: {ours} {expected}");
    }
}

/// Brute force on tiny chains: every way to fix an action per covered set, each policy's cost by solving its own
/// equation, the least of all.
#[test]
fn no_fixed_policy_is_better() {
    for seed in 0..60 {
        let chain = random_chain(Shape { states: 4, level: Level::L1, cyclic: false }, seed);
        let best = policies(&chain);
        let ours = optimum(&chain).unwrap();
        assert!((ours - best).abs() <= 1e-9 * best, "{seed}: {ours} {best}");
    }
}

/// The least cost over all policies, by complete enumeration along the sets that a policy can come to.
fn policies(chain: &Chain) -> f64 {
    let n = chain.len();
    let all = (1u32 << n) - 1;
    let actions: Vec<(f64, u32, usize)> =
        paths(chain, 1).into_iter().map(|(c, set, end)| if c == 0.0 { (1.0, 1, 0) } else { (c, set, end) }).collect();
    // Outcomes of each action, enumerated run by run.
    let outcomes: Vec<BTreeMap<u32, f64>> = actions
        .iter()
        .map(|&(_, set, end)| {
            let mut found = BTreeMap::new();
            let mut stack = vec![(set, end, 1.0)];
            while let Some((set, state, p)) = stack.pop() {
                if chain.states[state].is_empty() {
                    *found.entry(set).or_insert(0.0) += p;
                }
                for edge in &chain.states[state] {
                    match edge.to {
                        Some(to) => stack.push((set | 1 << to, to as usize, p * edge.probability)),
                        None => *found.entry(set).or_insert(0.0) += p * edge.probability,
                    }
                }
            }
            found
        })
        .collect();
    fn cost(covered: u32, all: u32, actions: &[(f64, u32, usize)], outcomes: &[BTreeMap<u32, f64>]) -> f64 {
        if covered == all {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for (action, outcome) in actions.iter().zip(outcomes) {
            let mut progress = 0.0;
            let mut ahead = 0.0;
            for (&set, &p) in outcome {
                if covered | set != covered {
                    progress += p;
                    ahead += p * cost(covered | set, all, actions, outcomes);
                }
            }
            if progress > 0.0 {
                best = best.min((action.0 + ahead) / progress);
            }
        }
        best
    }
    cost(0, all, &actions, &outcomes)
}
