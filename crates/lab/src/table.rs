//! The table of the paper, and what is behind it: many chains, many campaigns on each, costs against the optimum.

use crate::campaign::Bench;
use crate::chain::Chain;
use crate::generate::{Level, Shape, chain};
use crate::optimum::{TooLarge, optimum};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use symcrete_search::{ANYWHERE, Entry, Estimator, Options};

/// One way to search, as a row of the table.
#[derive(Clone)]
pub struct Row {
    pub name: String,
    pub entry: &'static Entry,
    pub estimator: Option<Estimator>,
    /// Told the true probabilities of each chain.
    pub told: bool,
    pub ahead: u32,
}

impl Row {
    /// A strategy that only solves what runs have shown, as all of them do in the field.
    pub fn observed(entry: &'static Entry, estimator: Option<Estimator>) -> Row {
        Row { name: entry.name.into(), entry, estimator, told: false, ahead: 0 }
    }

    /// One that may solve any path of the chain.
    pub fn anywhere(entry: &'static Entry, estimator: Option<Estimator>) -> Row {
        Row { ahead: ANYWHERE, ..Row::observed(entry, estimator) }
    }

    pub fn named(self, name: &str) -> Row {
        Row { name: name.into(), ..self }
    }
}

/// A column: chains of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    pub shape: Shape,
    pub chains: usize,
    pub repetitions: usize,
    pub seed: u64,
}

/// What came of one row in one column.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    pub strategy: String,
    /// Mean cost of all campaigns over the mean optimum of all chains: what the paper's table has.
    pub ratio_of_means: f64,
    pub mean_of_ratios: f64,
    pub median_of_ratios: f64,
    /// Standard deviation of the ratios, and their middle half.
    pub deviation: f64,
    pub lower_quartile: f64,
    pub upper_quartile: f64,
    pub mean_cost: f64,
    pub random_runs: f64,
    pub solved: f64,
    /// Campaigns that hit a limit before all was covered; their cost counts as it was.
    pub unfinished: usize,
    pub seconds: f64,
}

/// One column with all its cells.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    pub states: usize,
    pub level: Option<&'static str>,
    pub cyclic: bool,
    pub chains: usize,
    pub repetitions: usize,
    pub seed: u64,
    pub optimum: Option<f64>,
    pub optimum_milliseconds: f64,
    /// Why there is no exact optimum for some chains; ratios then are to an estimate.
    pub estimated: Option<String>,
    pub cells: Vec<Cell>,
}

/// The chains of a column.
pub fn chains(column: Column) -> Vec<Chain> {
    (0..column.chains as u64).map(|number| chain(column.shape, column.seed.wrapping_add(number))).collect()
}

/// The optimum of each chain, or an estimate where it cannot be had; how long the exact ones took on the average; and
/// why some could not be had.
fn optima(chains: &[Chain], repetitions: usize) -> (Vec<f64>, f64, Option<TooLarge>) {
    let begin = Instant::now();
    let exact: Vec<Result<f64, TooLarge>> = chains.iter().map(optimum).collect();
    let milliseconds = begin.elapsed().as_secs_f64() * 1e3 / chains.len() as f64;
    let why = exact.iter().find_map(|value| value.clone().err());
    let values = exact.into_iter().zip(chains).map(|(value, chain)| {
        value.unwrap_or_else(|_| mean(&(0..repetitions).map(|n| estimate(chain, n as u64)).collect::<Vec<_>>()))
    });
    (values.collect(), milliseconds, why)
}

/// What stands in for the optimum: the cost of `savings` told the true probabilities, a percent or so above it.
fn estimate(chain: &Chain, seed: u64) -> f64 {
    let bench = Bench::new(chain);
    let told = Some(Estimator::Told(Arc::from(bench.modelled.probability.as_slice())));
    let strategy = symcrete_search::strategy("savings", &Options { estimator: told, ..Options::default() });
    strategy.map_or(f64::NAN, |mut strategy| bench.campaign(strategy.as_mut(), ANYWHERE, seed).cost)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Runs every row on every chain, on as many threads as asked for. The result does not depend on how many.
pub fn measure(
    chains: &[Chain],
    rows: &[Row],
    repetitions: usize,
    seed: u64,
    threads: usize,
    progress: &(dyn Fn(&str) + Sync),
) -> Results {
    let (optima, optimum_milliseconds, why) = optima(chains, repetitions.clamp(20, 200));
    let cells = rows
        .iter()
        .map(|row| {
            progress(&row.name);
            let begin = Instant::now();
            let mut cell = cell(row, &campaigns(chains, row, repetitions, seed, threads), &optima);
            cell.seconds = begin.elapsed().as_secs_f64();
            cell
        })
        .collect();
    Results {
        states: chains.iter().map(Chain::len).max().unwrap_or(0),
        level: None,
        cyclic: chains.iter().any(Chain::is_cyclic),
        chains: chains.len(),
        repetitions,
        seed,
        optimum: Some(mean(&optima)),
        optimum_milliseconds,
        estimated: why.map(|why| why.to_string()),
        cells,
    }
}

/// One column of the table.
pub fn column(column: Column, rows: &[Row], threads: usize, progress: &(dyn Fn(&str) + Sync)) -> Results {
    let drawn = chains(column);
    let level: Level = column.shape.level;
    let results = measure(&drawn, rows, column.repetitions, column.seed, threads, progress);
    Results { level: Some(level.name()), cyclic: column.shape.cyclic, states: column.shape.states, ..results }
}

/// Sums over the campaigns on one chain.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    cost: f64,
    random: f64,
    solved: f64,
    unfinished: usize,
}

fn campaigns(chains: &[Chain], row: &Row, repetitions: usize, seed: u64, threads: usize) -> Vec<Sum> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = vec![];
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(chain) = chains.get(number) else { return found };
            found.push((number, on_one(chain, number, row, repetitions, seed)));
        }
    };
    let mut sums: Vec<(usize, Sum)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a campaign panicked")).collect()
    });
    sums.sort_by_key(|(number, _)| *number);
    sums.into_iter().map(|(_, sum)| sum).collect()
}

fn on_one(chain: &Chain, number: usize, row: &Row, repetitions: usize, seed: u64) -> Sum {
    let bench = Bench::new(chain);
    let told = row.told.then(|| Estimator::Told(Arc::from(bench.modelled.probability.as_slice())));
    let options = Options {
        estimator: told.or_else(|| row.estimator.clone()),
        // As the paper has it: a fifth of the states.
        subpaths: vec![(chain.len() as u32 / 5).max(1)],
        ..Options::default()
    };
    let mut sum = Sum::default();
    for repetition in 0..repetitions as u64 {
        let seed = seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ ((number as u64) << 32 | repetition);
        let ending = bench.campaign(row.entry.make(&options).as_mut(), row.ahead, seed);
        sum.cost += ending.cost / repetitions as f64;
        sum.random += ending.random as f64 / repetitions as f64;
        sum.solved += ending.solved as f64 / repetitions as f64;
        sum.unfinished += usize::from(!ending.covered);
    }
    sum
}

fn cell(row: &Row, sums: &[Sum], optima: &[f64]) -> Cell {
    let mut ratios: Vec<f64> = sums.iter().zip(optima).map(|(sum, optimum)| sum.cost / optimum).collect();
    ratios.sort_by(f64::total_cmp);
    let of = |value: fn(&Sum) -> f64| mean(&sums.iter().map(value).collect::<Vec<_>>());
    let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share).round() as usize];
    let middle = mean(&ratios);
    let spread: Vec<f64> = ratios.iter().map(|ratio| (ratio - middle).powi(2)).collect();
    let median = 0.5 * (ratios[(ratios.len() - 1) / 2] + ratios[ratios.len() / 2]);
    Cell {
        strategy: row.name.clone(),
        ratio_of_means: of(|sum| sum.cost) / mean(optima),
        mean_of_ratios: middle,
        median_of_ratios: median,
        deviation: (spread.iter().sum::<f64>() / (ratios.len().max(2) - 1) as f64).sqrt(),
        lower_quartile: at(0.25),
        upper_quartile: at(0.75),
        mean_cost: of(|sum| sum.cost),
        random_runs: of(|sum| sum.random),
        solved: of(|sum| sum.solved),
        unfinished: sums.iter().map(|sum| sum.unfinished).sum(),
        seconds: 0.0,
    }
}
