//! `summary.json`: the final figures, in the form scripts rely on.

use crate::FORMAT;
use crate::test_file::ReadError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use symcrete_event::{CostModelRow, CrossCheckRow, Solving, TimeSpent};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub format: u32,
    pub target: String,
    pub entry: String,
    pub strategy: String,
    pub seed: u64,
    pub cpu_seconds: f64,
    pub wall_seconds: f64,
    pub executions: u64,
    pub tracked_executions: u64,
    pub solver_calls: u64,
    pub solver_seconds: f64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub diverged: u64,
    pub branches_total: u32,
    pub branches_covered: u32,
    pub functions_touched: u32,
    pub branches_in_touched: u32,
    pub tests: u32,
    pub bugs: Vec<BugEntry>,
    pub exhausted: bool,
    pub interrupted: bool,
    pub lost: Vec<LostEntry>,
    pub uncovered: Vec<UncoveredEntry>,
    pub layers: BTreeMap<String, LayerEntry>,
    /// CPU seconds by what they went to; together they are `cpu_seconds`.
    #[serde(default)]
    pub time: TimeEntry,
    #[serde(default)]
    pub queries: QueryEntry,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_check: Option<CrossCheckEntry>,
    #[serde(default)]
    pub cost_model: CostModelEntry,
    pub iterations: u64,
    pub random_runs: u64,
    pub flips: u64,
    pub targets_reached: Vec<u32>,
    pub nondeterministic: bool,
    pub peak_memory_mb: u64,
    pub version: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BugEntry {
    pub kind: String,
    pub file: String,
    pub line: u32,
    pub function: String,
    /// Path of its test below the output folder.
    pub test: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub under_constrained: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostEntry {
    pub what: String,
    #[serde(rename = "where")]
    pub place: String,
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncoveredEntry {
    pub branch: String,
    pub file: String,
    pub line: u32,
    pub reason: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayerEntry {
    pub calls: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    #[serde(default)]
    pub conditions: u64,
    pub seconds: f64,
}

/// See [`TimeSpent`]. A run of an older version has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeEntry {
    pub fast: f64,
    pub tracking: f64,
    pub replays: f64,
    pub walks: f64,
    pub solving: f64,
    pub search: f64,
    pub taking_in: f64,
    pub reporting: f64,
    pub rest: f64,
}

impl From<&TimeSpent> for TimeEntry {
    fn from(spent: &TimeSpent) -> TimeEntry {
        let [fast, tracking, replays, walks, solving, search, taking_in, reporting, rest] =
            spent.parts().map(|(_, part)| seconds(part));
        TimeEntry { fast, tracking, replays, walks, solving, search, taking_in, reporting, rest }
    }
}

impl From<&TimeEntry> for TimeSpent {
    fn from(entry: &TimeEntry) -> TimeSpent {
        let TimeEntry { fast, tracking, replays, walks, solving, search, taking_in, reporting, rest } = *entry;
        TimeSpent { fast, tracking, replays, walks, solving, search, taking_in, reporting, rest }
    }
}

/// Queries as a whole; what is only there with `--log-queries` is absent without it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryEntry {
    pub distinct: u64,
    pub to_core: u64,
    pub cpu_seconds: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged_loosely: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_failures: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossCheckEntry {
    pub compared: u64,
    pub agreed: u64,
    pub undecided: u64,
    pub inexpressible: u64,
    pub lost: u64,
}

/// Expected microseconds of a query: the exponential of the weighted sum of logarithms of counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostModelEntry {
    pub observations: u64,
    pub rank_correlation: Option<f64>,
    pub weights: BTreeMap<String, f64>,
}

impl From<&CostModelRow> for CostModelEntry {
    fn from(row: &CostModelRow) -> CostModelEntry {
        CostModelEntry {
            observations: row.observations,
            rank_correlation: row.rank_correlation.map(seconds),
            weights: row.weights.iter().map(|(name, weight)| (name.clone(), seconds(*weight))).collect(),
        }
    }
}

impl From<&Solving> for QueryEntry {
    fn from(solving: &Solving) -> QueryEntry {
        QueryEntry {
            distinct: solving.distinct,
            to_core: solving.to_core,
            cpu_seconds: seconds(solving.cpu_seconds),
            logged: solving.log.map(|log| log.written),
            logged_loosely: solving.log.map(|log| log.loose),
            log_failures: solving.log.map(|log| log.failed),
        }
    }
}

impl From<&CrossCheckRow> for CrossCheckEntry {
    fn from(row: &CrossCheckRow) -> CrossCheckEntry {
        let CrossCheckRow { compared, agreed, undecided, inexpressible, lost } = *row;
        CrossCheckEntry { compared, agreed, undecided, inexpressible, lost }
    }
}

impl Summary {
    pub fn new() -> Summary {
        Summary { format: FORMAT, version: env!("CARGO_PKG_VERSION").into(), ..Summary::default() }
    }

    /// Of an output folder. A run that was killed has none.
    pub fn read(out: &Path) -> Result<Summary, ReadError> {
        let path = out.join("summary.json");
        let name = || path.display().to_string();
        let text = std::fs::read(&path).map_err(|source| ReadError::Io { path: name(), source })?;
        let form = |reason: String| ReadError::Form { path: name(), reason };
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(|e| form(e.to_string()))?;
        match value["format"].as_u64() {
            Some(format) if format == u64::from(FORMAT) => {
                serde_json::from_value(value).map_err(|e| form(e.to_string()))
            }
            other => Err(form(format!("format {} instead of {FORMAT}", other.unwrap_or(0)))),
        }
    }

    /// Covered share of all sides; a program without sides is covered.
    pub fn coverage(&self) -> f64 {
        if self.branches_total == 0 { 1.0 } else { f64::from(self.branches_covered) / f64::from(self.branches_total) }
    }
}

/// Milliseconds are enough; more digits only make files differ.
pub(crate) fn seconds(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
