//! What clang's own coverage counts say: lines reached, sides taken.

use crate::native::succeed;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Where a condition or a case label begins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Lines with code, by file name.
    pub lines: BTreeMap<(String, u32), bool>,
    /// Whether a condition was true and whether it was false.
    pub conditions: BTreeMap<Spot, [bool; 2]>,
    /// Conditions written with `!`: their code decides on what follows it.
    pub negated: BTreeSet<Spot>,
    /// Whether a case label was taken.
    pub labels: BTreeMap<Spot, bool>,
}

impl Coverage {
    /// Reads the counters that runs of `program` left in `profile`.
    pub fn read(program: &Path, profile: &Path) -> Result<Coverage> {
        let merged = profile.with_extension("profdata");
        succeed(Command::new("llvm-profdata-22").args(["merge", "-o"]).arg(&merged).arg(profile))?;
        let export = |format: &str| -> Result<Vec<u8>> {
            let mut command = Command::new("llvm-cov-22");
            command
                .arg("export")
                .arg(format!("-format={format}"))
                .arg(format!("-instr-profile={}", merged.display()))
                .arg(program);
            Ok(succeed(&mut command)?.stdout)
        };
        let mut coverage = Coverage::default();
        coverage.add_lines(&String::from_utf8_lossy(&export("lcov")?));
        coverage.add_branches(&serde_json::from_slice(&export("text")?)?)?;
        Ok(coverage)
    }

    fn add_lines(&mut self, lcov: &str) {
        let mut file = String::new();
        for line in lcov.lines() {
            if let Some(path) = line.strip_prefix("SF:") {
                file = crate::case::file_name(Path::new(path));
            } else if let Some((number, count)) = line.strip_prefix("DA:").and_then(|r| r.split_once(',')) {
                let hit = count.split(',').next() != Some("0");
                *self.lines.entry((file.clone(), number.parse().unwrap_or(0))).or_default() |= hit;
            }
        }
    }

    fn add_branches(&mut self, json: &Value) -> Result<()> {
        let files = json["data"][0]["files"].as_array().context("no files in llvm-cov's answer")?;
        for file in files {
            let path = file["filename"].as_str().context("a file without a name")?;
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            let name = crate::case::file_name(Path::new(path));
            for branch in file["branches"].as_array().into_iter().flatten() {
                let number = |i: usize| branch[i].as_u64().unwrap_or(0);
                let spot = Spot { file: name.clone(), line: number(0) as u32, column: number(1) as u32 };
                let begins =
                    lines.get(number(0) as usize - 1).and_then(|l| l.get(number(1) as usize - 1..)).unwrap_or("");
                let taken = [number(4) > 0, number(5) > 0];
                if begins.starts_with("case") || begins.starts_with("default") || begins.starts_with("switch") {
                    *self.labels.entry(spot).or_default() |= taken[0];
                } else {
                    if begins.starts_with('!') {
                        self.negated.insert(spot.clone());
                    }
                    let sides = self.conditions.entry(spot).or_default();
                    *sides = [sides[0] | taken[0], sides[1] | taken[1]];
                }
            }
        }
        Ok(())
    }

    pub fn conditions_of(&self, file: &str, line: u32) -> Vec<[bool; 2]> {
        self.conditions.iter().filter(|(s, _)| s.file == file && s.line == line).map(|(_, sides)| *sides).collect()
    }

    pub fn is_negated(&self, file: &str, line: u32) -> bool {
        self.negated.iter().any(|s| s.file == file && s.line == line)
    }

    pub fn labels_of(&self, file: &str, line: u32) -> Vec<bool> {
        self.labels.iter().filter(|(s, _)| s.file == file && s.line == line).map(|(_, taken)| *taken).collect()
    }

    /// `None` when the line has no code of its own.
    pub fn line(&self, file: &str, line: u32) -> Option<bool> {
        self.lines.get(&(file.to_string(), line)).copied()
    }

    /// Everything taken, as text that names it.
    pub fn taken(&self) -> Vec<String> {
        let mut all = vec![];
        for (spot, sides) in &self.conditions {
            for (taken, name) in sides.iter().zip(["true", "false"]) {
                if *taken {
                    all.push(format!("{}:{}:{} {name}", spot.file, spot.line, spot.column));
                }
            }
        }
        for (spot, _) in self.labels.iter().filter(|(_, taken)| **taken) {
            all.push(format!("{}:{}:{} case", spot.file, spot.line, spot.column));
        }
        all
    }
}
