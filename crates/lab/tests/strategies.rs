//! Every strategy on chains: none beats the optimum, all come to an end, the same seed gives the same campaign, and ours
//! does as well as it is said to, on few chains and with room for chance.

use symcrete_lab::{Bench, Column, Level, Row, Shape, column, optimum, random_chain};
use symcrete_search::{ANYWHERE, Entry, Options, strategies};

fn entry(name: &str) -> &'static Entry {
    strategies().iter().find(|entry| entry.name == name).unwrap()
}

#[test]
fn no_strategy_beats_the_optimum() {
    for (level, seed) in [(Level::L0, 1), (Level::L1, 2), (Level::L1, 3)] {
        let chain = random_chain(Shape { states: 7, level, cyclic: false }, seed);
        let best = optimum(&chain).unwrap();
        let bench = Bench::new(&chain);
        for entry in strategies() {
            for ahead in [0, 1, ANYWHERE] {
                let runs = 300;
                let costs: Vec<f64> = (0..runs)
                    .map(|seed| {
                        let ending = bench.campaign(entry.make(&Options::default()).as_mut(), ahead, seed);
                        assert!(ending.covered || ending.random >= 1_000_000, "{} gave up", entry.name);
                        ending.cost
                    })
                    .collect();
                let mean = costs.iter().sum::<f64>() / runs as f64;
                let variance = costs.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / (runs - 1) as f64;
                let error = (variance / runs as f64).sqrt();
                assert!(mean + 5.0 * error + 1e-9 >= best, "{}: {mean} ± {error} below {best}", entry.name);
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_campaign() {
    let chain = random_chain(Shape { states: 12, level: Level::L1, cyclic: true }, 5);
    for entry in strategies() {
        let once = || Bench::new(&chain).campaign(entry.make(&Options::default()).as_mut(), 0, 9);
        assert_eq!(once(), once(), "{}", entry.name);
    }
}

#[test]
fn savings_is_near_the_optimum_and_ahead_of_greedy() {
    let rows = [
        Row::anywhere(entry("savings"), None),
        Row { told: true, ..Row::anywhere(entry("savings"), None) },
        Row::anywhere(entry("greedy"), None),
        Row { ahead: 1, ..Row::observed(entry("savings"), None) },
        Row::observed(entry("savings"), None),
    ];
    let shape = Shape { states: 10, level: Level::L0, cyclic: false };
    let results = column(Column { shape, chains: 60, repetitions: 30, seed: 400 }, &rows, 2, &|_| ());
    let ratio: Vec<f64> = results.cells.iter().map(|cell| cell.ratio_of_means).collect();
    assert!(ratio[0] < 1.35, "{ratio:?}");
    assert!(ratio[1] < 1.05, "told the truth: {ratio:?}");
    assert!(ratio[2] > 1.15 * ratio[0], "{ratio:?}");
    assert!(ratio[3] < ratio[4], "one more decision in a query helps: {ratio:?}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let rows = [Row::observed(entry("savings"), None), Row::observed(entry("dfs"), None)];
    let shape = Shape { states: 6, level: Level::L1, cyclic: false };
    let run = |threads| {
        let results = column(Column { shape, chains: 9, repetitions: 5, seed: 1 }, &rows, threads, &|_| ());
        results.cells.iter().map(|cell| cell.mean_cost).collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn chains_too_large_to_solve_are_estimated() {
    let shape = Shape { states: 90, level: Level::L1, cyclic: false };
    let rows = [Row::anywhere(entry("savings"), None)];
    let results = column(Column { shape, chains: 2, repetitions: 3, seed: 1 }, &rows, 1, &|_| ());
    assert!(results.estimated.unwrap().contains("90 locations are more than can be solved exactly"));
    assert!(results.cells[0].ratio_of_means > 0.8 && results.cells[0].ratio_of_means < 3.0);
}
