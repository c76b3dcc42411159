//! The comparison itself: a row for each strategy, best first.

use super::runs::{Entrant, Failed, OneRun, Reading};
use super::statistics::{deviation, mann_whitney, mean, median};
use crate::FORMAT;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What each campaign was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Budget {
    pub iterations: Option<u64>,
    pub cpu_seconds: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub format: u32,
    pub target: String,
    pub budget: Budget,
    /// Campaigns of each strategy.
    pub runs: u32,
    pub branches_total: u32,
    /// Mean coverage of the weakest strategy, which all others are timed to.
    pub weakest: f64,
    /// Best first; those without any result last.
    pub strategies: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub name: String,
    pub mean: f64,
    pub deviation: f64,
    pub least: u32,
    pub most: u32,
    /// Medians over the runs that came as far as the weakest strategy does on average, and how many did.
    pub iterations_to_weakest: Option<f64>,
    pub cpu_seconds_to_weakest: Option<f64>,
    pub reached_weakest: u32,
    /// Mann–Whitney against the best strategy; none for that itself.
    pub p: Option<f64>,
    /// Branches that some run of this strategy covered and no run of any other.
    pub only: Vec<String>,
    /// Means of a run.
    pub iterations: f64,
    pub cpu_seconds: f64,
    pub random_runs: f64,
    pub flips: f64,
    pub bugs: f64,
    pub campaigns: Vec<CampaignRow>,
    pub failed: Vec<Failed>,
}

#[derive(Clone, Debug, Serialize)]
pub struct CampaignRow {
    pub seed: u64,
    pub branches_covered: u32,
    pub iterations: u64,
    pub cpu_seconds: f64,
    pub random_runs: u64,
    pub flips: u64,
    pub series: Vec<Reading>,
}

fn covered(entrant: &Entrant) -> Vec<f64> {
    entrant.runs.iter().map(|run| f64::from(run.summary.branches_covered)).collect()
}

/// Branches that no run of an entrant covered.
fn missed(entrant: &Entrant) -> Option<BTreeSet<&str>> {
    let of = |run: &'_ OneRun| -> BTreeSet<String> { run.summary.uncovered.iter().map(|u| u.branch.clone()).collect() };
    let first = entrant.runs.first()?;
    let rest: Vec<BTreeSet<String>> = entrant.runs[1..].iter().map(of).collect();
    let all = first.summary.uncovered.iter().map(|u| u.branch.as_str());
    Some(all.filter(|branch| rest.iter().all(|other| other.contains(*branch))).collect())
}

impl Comparison {
    pub fn new(target: &str, budget: Budget, runs: u32, entrants: &[Entrant]) -> Comparison {
        let with_results = || entrants.iter().filter(|entrant| !entrant.runs.is_empty());
        let means = with_results().map(|entrant| mean(&covered(entrant)));
        let weakest = means.fold(f64::INFINITY, f64::min);
        let best = with_results().max_by(|a, b| mean(&covered(a)).total_cmp(&mean(&covered(b))));
        let mut strategies: Vec<Row> = entrants.iter().map(|entrant| row(entrant, entrants, best, weakest)).collect();
        strategies.sort_by(|a, b| {
            (b.campaigns.is_empty().cmp(&a.campaigns.is_empty()).reverse()).then(b.mean.total_cmp(&a.mean))
        });
        Comparison {
            format: FORMAT,
            target: target.into(),
            budget,
            runs,
            branches_total: with_results().next().map_or(0, |entrant| entrant.runs[0].summary.branches_total),
            weakest: if weakest.is_finite() { weakest } else { 0.0 },
            strategies,
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let each = match (self.budget.iterations, self.budget.cpu_seconds) {
            (Some(n), Some(s)) => format!("{n} iterations, at most {s} CPU-seconds each"),
            (Some(n), None) => format!("{n} iterations each"),
            (None, Some(s)) => format!("{s} CPU-seconds each"),
            (None, None) => "no budget".into(),
        };
        let _ = writeln!(
            text,
            "{}: {} branches; {} runs of each strategy, {each}\n",
            self.target, self.branches_total, self.runs
        );
        let width = self.strategies.iter().map(|row| row.name.len()).max().unwrap_or(0).max(8);
        let to = format!("to {:.0} branches", self.weakest.ceil());
        let _ = writeln!(
            text,
            "{:width$}  {:>8} {:>6} {:>11}  {to:^19}  {:>7} {:>5} {:>10} {:>9}",
            "", "branches", "", "", "", "", "", ""
        );
        let _ = writeln!(
            text,
            "{:width$}  {:>8} {:>6} {:>11}  {:>10} {:>8}  {:>7} {:>5} {:>10} {:>9}",
            "strategy", "mean", "sd", "range", "iterations", "CPU-s", "p", "only", "random", "flips"
        );
        for row in &self.strategies {
            let _ = writeln!(text, "{}", row.text(width));
        }
        for row in &self.strategies {
            for failed in &row.failed {
                let _ = writeln!(text, "{} with seed {} failed: {}", row.name, failed.seed, failed.why);
            }
        }
        text
    }
}

fn row(entrant: &Entrant, all: &[Entrant], best: Option<&Entrant>, weakest: f64) -> Row {
    let values = covered(entrant);
    let reached: Vec<Reading> = entrant.runs.iter().filter_map(|run| run.reached(weakest)).collect();
    let average = |of: &dyn Fn(&OneRun) -> f64| mean(&entrant.runs.iter().map(of).collect::<Vec<_>>());
    let mut only: Vec<String> = vec![];
    if let Some(own) = missed(entrant) {
        let others: Vec<BTreeSet<&str>> =
            all.iter().filter(|other| other.name != entrant.name).filter_map(missed).collect();
        if let Some((first, rest)) = others.split_first() {
            let by_nobody = first.iter().filter(|branch| rest.iter().all(|other| other.contains(*branch)));
            only = by_nobody.filter(|branch| !own.contains(*branch)).map(|branch| branch.to_string()).collect();
        }
    }
    let campaigns = entrant.runs.iter().map(|run| CampaignRow {
        seed: run.seed,
        branches_covered: run.summary.branches_covered,
        iterations: run.summary.iterations,
        cpu_seconds: run.summary.cpu_seconds,
        random_runs: run.summary.random_runs,
        flips: run.summary.flips,
        series: run.series.clone(),
    });
    Row {
        name: entrant.name.clone(),
        mean: if values.is_empty() { 0.0 } else { mean(&values) },
        deviation: deviation(&values),
        least: values.iter().copied().fold(f64::INFINITY, f64::min).min(f64::from(u32::MAX)) as u32
            * u32::from(!values.is_empty()),
        most: values.iter().copied().fold(0.0, f64::max) as u32,
        iterations_to_weakest: median(&reached.iter().map(|reading| reading.iterations as f64).collect::<Vec<_>>()),
        cpu_seconds_to_weakest: median(&reached.iter().map(|reading| reading.cpu_seconds).collect::<Vec<_>>()),
        reached_weakest: reached.len() as u32,
        p: best.filter(|best| best.name != entrant.name).and_then(|best| mann_whitney(&values, &covered(best))),
        only,
        iterations: average(&|run| run.summary.iterations as f64),
        cpu_seconds: average(&|run| run.summary.cpu_seconds),
        random_runs: average(&|run| run.summary.random_runs as f64),
        flips: average(&|run| run.summary.flips as f64),
        bugs: average(&|run| run.summary.bugs.len() as f64),
        campaigns: campaigns.collect(),
        failed: entrant.failed.clone(),
    }
}

impl Row {
    fn text(&self, width: usize) -> String {
        if self.campaigns.is_empty() {
            return format!("{:width$}  no result", self.name);
        }
        let number = |value: Option<f64>, digits: usize| value.map_or("-".into(), |value| format!("{value:.digits$}"));
        let p = match self.p {
            None => "best".into(),
            Some(p) if p < 0.0005 => "<0.001".into(),
            Some(p) => format!("{p:.3}"),
        };
        // Some runs did not come that far: the figure is of those that did.
        let some = if (self.reached_weakest as usize) < self.campaigns.len() { "*" } else { "" };
        format!(
            "{:width$}  {:>8.1} {:>6.1} {:>11}  {:>10} {:>8}  {:>7} {:>5} {:>10.0} {:>9.0}",
            self.name,
            self.mean,
            self.deviation,
            format!("{}-{}", self.least, self.most),
            format!("{}{some}", number(self.iterations_to_weakest, 0)),
            number(self.cpu_seconds_to_weakest, 2),
            p,
            self.only.len(),
            self.random_runs,
            self.flips
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Summary, UncoveredEntry};

    fn run(seed: u64, missing: &[&str], series: &[(u64, u32)]) -> OneRun {
        let uncovered = missing.iter().map(|branch| UncoveredEntry {
            branch: branch.to_string(),
            file: "a.c".into(),
            line: 1,
            reason: "untried".into(),
        });
        let summary = Summary {
            branches_total: 10,
            branches_covered: 10 - missing.len() as u32,
            uncovered: uncovered.collect(),
            seed,
            ..Summary::new()
        };
        let series = series.iter().map(|&(iterations, branches_covered)| Reading {
            iterations,
            cpu_seconds: iterations as f64 / 10.0,
            branches_covered,
        });
        OneRun { seed, summary, series: series.collect() }
    }

    #[test]
    fn rows_say_who_found_what_and_when() {
        let weak = Entrant {
            name: "weak".into(),
            runs: vec![run(1, &["x", "y"], &[(1, 4), (90, 8)]), run(2, &["x", "z"], &[(1, 4), (70, 8)])],
            failed: vec![],
        };
        let strong = Entrant {
            name: "strong".into(),
            runs: vec![run(1, &["z"], &[(1, 7), (5, 9)]), run(2, &["z"], &[(1, 8), (9, 9)])],
            failed: vec![],
        };
        let broken = Entrant {
            name: "broken".into(),
            runs: vec![],
            failed: vec![Failed { seed: 1, why: "it fell over".into() }],
        };
        let budget = Budget { iterations: Some(100), cpu_seconds: None };
        let table = Comparison::new("a.c", budget, 2, &[weak, broken, strong]);
        let names: Vec<&str> = table.strategies.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["strong", "weak", "broken"]);
        assert_eq!(table.weakest, 8.0);
        let [strong, weak, _] = &table.strategies[..] else { panic!("three rows") };
        assert_eq!(strong.iterations_to_weakest, Some(3.0), "after 5 and after 1");
        assert_eq!(weak.iterations_to_weakest, Some(80.0));
        assert_eq!(strong.only, ["x"], "neither run of the other has it");
        assert_eq!(weak.only, ["z"]);
        assert_eq!((strong.p, weak.p.is_some()), (None, true));
        let text = table.text();
        assert!(text.contains("broken    no result") && text.contains("seed 1 failed: it fell over"), "{text}");
    }

    #[test]
    fn without_any_result_it_still_says_so() {
        let broken = Entrant { name: "broken".into(), ..Entrant::default() };
        assert!(Comparison::new("a.c", Budget::default(), 3, &[broken]).text().contains("no result"));
    }
}
