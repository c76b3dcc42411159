//! `symcrete lab`: strategies on random Markov chains, against the exact optimum.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Lab;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use symcrete_lab::{Chain, Column, Level, Results, Row, Shape};
use symcrete_search::{ANYWHERE, Entry, Estimator, strategies};
use symcrete_toolchain::did_you_mean;

/// Sizes of the paper's table.
const SIZES: [usize; 4] = [5, 10, 15, 20];

#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    version: &'static str,
    columns: &'a [Results],
}

pub fn run(options: &Lab) -> Result<Exit, Failure> {
    let rows = rows(options)?;
    if options.chains == 0 || options.repetitions == 0 {
        return Err(Failure::wrong_use("`--chains` and `--repetitions` are at least 1"));
    }
    let threads = options.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get() as u32));
    let threads = threads.max(1) as usize;
    let results =
        if options.files.is_empty() { drawn(options, &rows, threads)? } else { read(options, &rows, threads)? };
    if let Some(path) = &options.plot {
        let text = symcrete_lab::svg(&results).map_err(|error| Failure::wrong_use(error.to_string()))?;
        write(path, text.as_bytes())?;
    }
    if options.json {
        let report = Report { format: 1, version: env!("CARGO_PKG_VERSION"), columns: &results };
        let text = serde_json::to_string_pretty(&report).map_err(|error| Failure::wrong_use(error.to_string()))?;
        println!("{text}");
    } else {
        print!("{}", symcrete_lab::text(&results));
    }
    Ok(exit::DONE)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| Failure::wrong_use(format!("{}: {error}", path.display())))
}

/// The columns of chains drawn here.
fn drawn(options: &Lab, rows: &[Row], threads: usize) -> Result<Vec<Results>, Failure> {
    let levels = match options.level.as_slice() {
        [] => vec![Level::L0, Level::L1],
        given => given.iter().map(|level| level.level()).collect(),
    };
    let sizes = if options.states.is_empty() { SIZES.to_vec() } else { options.states.clone() };
    if let Some(size) = sizes.iter().find(|&&size| size == 0 || size > 100_000) {
        return Err(Failure::wrong_use(format!("`--states {size}`: 1 to 100000")));
    }
    let mut results = vec![];
    let mut saved = vec![];
    for level in levels {
        for &states in &sizes {
            let shape = Shape { states, level, cyclic: options.cyclic };
            let column = Column { shape, chains: options.chains, repetitions: options.repetitions, seed: options.seed };
            if options.save.is_some() {
                saved.extend(symcrete_lab::chains(column));
            }
            let say = |row: &str| progress(options, &format!("{}, {states} locations: {row}", level.name()));
            results.push(symcrete_lab::column(column, rows, threads, &say));
        }
    }
    progress(options, "");
    if let Some(path) = &options.save {
        let text = serde_json::to_string(&saved).map_err(|error| Failure::wrong_use(error.to_string()))?;
        write(path, text.as_bytes())?;
    }
    Ok(results)
}

/// One column for each file.
fn read(options: &Lab, rows: &[Row], threads: usize) -> Result<Vec<Results>, Failure> {
    let mut results = vec![];
    for path in &options.files {
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::wrong_use(format!(
                "{}: {error}\n  `symcrete lab --chains 1 --states 5 --save FILE` writes one to look at",
                path.display()
            ))
        };
        let file = std::fs::File::open(path).map_err(|error| wrong(&error))?;
        let chains = Chain::read(file).map_err(|error| wrong(&error))?;
        let say = |row: &str| progress(options, &format!("{}: {row}", path.display()));
        results.push(symcrete_lab::measure(&chains, rows, options.repetitions, options.seed, threads, &say));
    }
    progress(options, "");
    Ok(results)
}

/// One line that comes and goes, for people at a terminal.
fn progress(options: &Lab, text: &str) {
    let mut stderr = std::io::stderr();
    if !options.quiet && std::io::IsTerminal::is_terminal(&stderr) {
        let _ = write!(stderr, "\r\x1b[K{text}");
        let _ = stderr.flush();
    }
}

fn entry(name: &str) -> Result<&'static Entry, Failure> {
    strategies().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names = strategies().iter().map(|entry| entry.name);
        Failure::wrong_use(format!(
            "no strategy `{name}`{}\n  `symcrete strategies` lists them",
            did_you_mean(name, names)
        ))
    })
}

/// The rows of the table.
fn rows(options: &Lab) -> Result<Vec<Row>, Failure> {
    let estimator = match options.estimator.as_deref() {
        None => None,
        Some(name) => {
            Some(name.parse::<Estimator>().map_err(|error| Failure::wrong_use(format!("`--estimator`: {error}")))?)
        }
    };
    let ahead = match options.ahead.as_str() {
        "all" => ANYWHERE,
        text => text
            .parse()
            .ok()
            .filter(|&ahead| ahead <= 6)
            .ok_or_else(|| Failure::wrong_use(format!("`--ahead {text}`: 0 to 6, or all")))?,
    };
    if !options.table1 {
        let names: Vec<&str> = match &options.strategies {
            Some(names) => names.split(',').filter(|name| !name.is_empty() && *name != "none").collect(),
            None => strategies().iter().map(|entry| entry.name).collect(),
        };
        let row = |name: &str| {
            let row = Row { ahead, told: options.told, ..Row::observed(entry(name)?, estimator.clone()) };
            Ok(row)
        };
        return names.into_iter().map(row).collect();
    }
    if options.strategies.is_some() || estimator.is_some() || options.told {
        return Err(Failure::wrong_use(
            "`--table1` has its own rows: `--strategies`, `--estimator` and `--told` do not go with it",
        ));
    }
    let ours = |name: &str| matches!(name, "greedy" | "savings");
    let mut rows: Vec<Row> =
        strategies().iter().filter(|e| !ours(e.name)).map(|entry| Row::observed(entry, None)).collect();
    let (greedy, savings) = (entry("greedy")?, entry("savings")?);
    let mix = Some(Estimator::Mix);
    let told = |row: Row| Row { told: true, ..row };
    rows.extend([
        Row::anywhere(greedy, None).named("greedy"),
        Row::anywhere(greedy, mix.clone()).named("greedy, mix"),
        told(Row::anywhere(greedy, None)).named("greedy, told"),
        Row::anywhere(savings, None).named("savings"),
        told(Row::anywhere(savings, None)).named("savings, told"),
        Row::observed(greedy, None).named("greedy, observed"),
        Row::observed(greedy, mix).named("greedy, observed, mix"),
        Row::observed(savings, None).named("savings, observed"),
        Row { ahead: 1, ..Row::observed(savings, None) }.named("savings, flip plus one"),
        Row { ahead: 2, ..Row::observed(savings, None) }.named("savings, flip plus two"),
        told(Row { ahead: 1, ..Row::observed(savings, None) }).named("savings, flip plus one, told"),
    ]);
    Ok(rows)
}
