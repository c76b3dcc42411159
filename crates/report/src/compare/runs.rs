//! One campaign as a comparison sees it: its final figures, and how coverage grew.

use crate::Summary;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The figures at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    pub iterations: u64,
    pub cpu_seconds: f64,
    pub branches_covered: u32,
}

/// A finished campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct OneRun {
    pub seed: u64,
    pub summary: Summary,
    /// Every growth of coverage, the end last.
    pub series: Vec<Reading>,
}

/// A campaign that gave no results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failed {
    pub seed: u64,
    pub why: String,
}

/// All campaigns of one strategy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entrant {
    pub name: String,
    pub runs: Vec<OneRun>,
    pub failed: Vec<Failed>,
}

impl OneRun {
    /// From a campaign's output folder.
    pub fn read(out: &Path) -> io::Result<OneRun> {
        let summary: Summary = serde_json::from_slice(&std::fs::read(out.join("summary.json"))?)?;
        let text = std::fs::read_to_string(out.join("progress.jsonl"))?;
        let mut series: Vec<Reading> = vec![];
        for reading in text.lines().filter_map(|line| serde_json::from_str::<Reading>(line).ok()) {
            if series.last().is_none_or(|last| reading.branches_covered > last.branches_covered) {
                series.push(reading);
            }
        }
        let end = Reading {
            iterations: summary.iterations,
            cpu_seconds: summary.cpu_seconds,
            branches_covered: summary.branches_covered,
        };
        series.push(end);
        Ok(OneRun { seed: summary.seed, summary, series })
    }

    /// The first moment with so much covered.
    pub fn reached(&self, branches: f64) -> Option<Reading> {
        self.series.iter().find(|reading| f64::from(reading.branches_covered) >= branches).copied()
    }

    /// What is covered at a moment of an axis.
    pub fn covered_at(&self, moment: f64, axis: impl Fn(&Reading) -> f64) -> u32 {
        let before = self.series.partition_point(|reading| axis(reading) <= moment);
        before.checked_sub(1).map_or(0, |last| self.series[last].branches_covered)
    }
}
