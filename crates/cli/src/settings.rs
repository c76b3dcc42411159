//! Options to settings.

use crate::failure::Failure;
use crate::options::{Check, Run, Switch, ValueDraw};
use std::path::Path;
use std::time::Duration;
use symcrete_engine::{Budget, Checks, Goal, HYBRID, Search, Settings, Solving, Values};
use symcrete_event::Declared;
use symcrete_search::{Estimator, Options, UnknownEstimator};
use symcrete_solve::{LAYERS, Learn, SolveMode};
use symcrete_toolchain::did_you_mean;

/// A campaign without any budget ends after this.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Checks everything that can be wrong before anything is compiled.
pub fn check(run: &Run) -> Result<(), Failure> {
    check_strategy(&run.strategy)?;
    if !run.entry.buffer.is_empty() && run.entry.function.is_none() {
        return Err(Failure::wrong_use("`--buffer` is for a parameter of a function: name it with `--function F`"));
    }
    for (given, option) in [(run.cgs_k.is_some(), "--cgs-k"), (run.cgs_no_dominators, "--cgs-no-dominators")] {
        if given && run.strategy != "cgs" {
            return Err(Failure::wrong_use(format!("`{option}` needs `--strategy cgs`")));
        }
    }
    if run.estimator.is_some() && !matches!(run.strategy.as_str(), "greedy" | "savings") {
        return Err(Failure::wrong_use("`--estimator` needs `--strategy greedy` or `--strategy savings`"));
    }
    if run.saturation.is_some() && run.strategy != HYBRID {
        return Err(Failure::wrong_use("`--saturation` needs `--strategy hybrid`"));
    }
    if run.one_generation && run.strategy == HYBRID {
        return Err(Failure::wrong_use("`--one-generation` and `--strategy hybrid` do not go together"));
    }
    let jobs = run.jobs.is_some_and(|jobs| jobs > 1);
    let alone = [
        (run.one_generation, "--one-generation"),
        (run.log_queries.is_some(), "--log-queries"),
        (run.cross_check, "--cross-check"),
    ];
    if let Some((_, option)) = alone.iter().find(|(given, _)| jobs && *given) {
        return Err(Failure::wrong_use(format!("`{option}` works with one job: leave out `--jobs`")));
    }
    let shared = || symcrete_search::strategies().iter().filter(|entry| entry.make(&Options::default()).overlaps());
    if jobs && run.strategy != HYBRID && !shared().any(|entry| entry.name == run.strategy) {
        let names = shared().map(|entry| entry.name).chain([HYBRID]).collect::<Vec<_>>().join(", ");
        return Err(Failure::wrong_use(format!(
            "`--strategy {}` takes one step at a time, each following from the run before\n  leave out `--jobs`, or use one of {names}",
            run.strategy
        )));
    }
    estimator(run)?;
    check_solving(run)?;
    if run.until.is_some_and(|g| g == Goal::Targets) && run.one_generation {
        return Err(Failure::wrong_use("`--until targets` and `--one-generation` do not go together"));
    }
    Ok(())
}

/// Whether there is such a strategy.
pub fn check_strategy(name: &str) -> Result<(), Failure> {
    let names = || symcrete_search::strategies().iter().map(|s| s.name).chain([HYBRID]);
    if !names().any(|known| known == name) {
        return Err(Failure::wrong_use(format!(
            "no strategy `{name}`{}\n  `symcrete strategies` lists them",
            did_you_mean(name, names())
        )));
    }
    Ok(())
}

/// What the solver is told.
pub fn check_solving(run: &Run) -> Result<(), Failure> {
    solve(run)?;
    layers(&run.layers)?;
    Ok(())
}

/// What the strategy is told.
fn strategy_options(run: &Run) -> Result<Options, Failure> {
    let estimator = estimator(run)?;
    Ok(Options { cgs_k: run.cgs_k, cgs_dominators: !run.cgs_no_dominators, estimator, ..Options::default() })
}

fn estimator(run: &Run) -> Result<Option<Estimator>, Failure> {
    let wrong = |error| Failure::wrong_use(format!("`--estimator`: {error}"));
    run.estimator.as_deref().map(str::parse).transpose().map_err(|error: UnknownEstimator| wrong(error))
}

fn solve(run: &Run) -> Result<SolveMode, Failure> {
    let learn = match run.ippc_learn.as_deref() {
        None => Learn::default(),
        Some(text) => {
            text.parse().map_err(|()| Failure::wrong_use(format!("`--ippc-learn {text}`: first, few or all")))?
        }
    };
    if run.ippc_learn.is_some() && run.solve != "ippc" {
        return Err(Failure::wrong_use("`--ippc-learn` needs `--solve ippc`"));
    }
    match run.solve.as_str() {
        "full" => Ok(SolveMode::Full),
        "ippc" => Ok(SolveMode::Ippc(learn)),
        "auto" => Ok(SolveMode::Auto),
        text => {
            let near = did_you_mean(text, ["full", "ippc", "auto"]);
            Err(Failure::wrong_use(format!("`--solve {text}`: full, ippc or auto{near}")))
        }
    }
}

fn layers(text: &str) -> Result<Option<Vec<String>>, Failure> {
    match text {
        "all" => Ok(None),
        "none" => Ok(Some(Vec::new())),
        names => names
            .split(',')
            .map(|name| {
                if LAYERS.contains(&name) {
                    return Ok(name.to_string());
                }
                let list = LAYERS.join(", ");
                Err(Failure::wrong_use(format!(
                    "`--layers`: no layer `{name}`{}\n  all, none, or some of {list}",
                    did_you_mean(name, LAYERS.iter().copied())
                )))
            })
            .collect::<Result<Vec<_>, _>>()
            .map(Some),
    }
}

pub fn build(
    run: &Run,
    name: String,
    entry: &str,
    inputs: Vec<Declared>,
    resumed: u32,
    out: &Path,
) -> Result<Settings, Failure> {
    let unlimited =
        run.max_cpu.is_none() && run.max_time.is_none() && run.max_iterations.is_none() && !run.one_generation;
    Ok(Settings {
        name,
        entry: entry.into(),
        inputs,
        resumed,
        budget: Budget {
            cpu: run.max_cpu,
            wall: if unlimited { Some(DEFAULT_TIME) } else { run.max_time },
            iterations: run.max_iterations,
            until: run.until,
            timeout: run.timeout,
            memory: run.max_memory,
            inputs: run.max_inputs,
            depth: run.depth,
        },
        search: Search {
            strategy: run.strategy.clone(),
            options: strategy_options(run)?,
            jobs: run.jobs.unwrap_or(1),
            values: match run.values {
                ValueDraw::Uniform => Values::Uniform,
                ValueDraw::Mixture => Values::Mixture,
            },
            seed: run.seed,
            saturation: run.saturation,
            one_generation: run.one_generation,
        },
        solving: Solving { solve: solve(run)?, layers: layers(&run.layers)?, effort: run.effort },
        checks: Checks {
            undefined: run.check.contains(&Check::Undefined),
            address: run.check.contains(&Check::Address),
            sandbox: run.sandbox == Switch::On,
            self_check: run.self_check || cfg!(debug_assertions),
        },
        out: out.to_owned(),
    })
}
