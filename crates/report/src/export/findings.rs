//! What SARIF and JUnit files are made of: the bugs of an output folder, or the verdicts of `reach --json`.

use super::Case;
use crate::test_file::{TestFile, end_text};
use crate::{BugFile, FORMAT, Summary};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;

/// The file that `symcrete reach --json` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReachFile {
    pub format: u32,
    pub targets: Vec<ReachTarget>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReachTarget {
    pub target: String,
    pub verdict: Verdict,
    #[serde(default)]
    pub test: Option<serde_json::Value>,
    #[serde(default)]
    pub seconds: f64,
    #[serde(default)]
    pub obstacle: Option<Obstacle>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Reached,
    Unreachable,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obstacle {
    #[serde(default)]
    pub what: String,
    #[serde(default)]
    pub file: String,
    #[serde(default)]
    pub line: u32,
}

impl ReachFile {
    pub fn read(path: &Path) -> Result<ReachFile, crate::ReadError> {
        let name = || path.display().to_string();
        let text = std::fs::read(path).map_err(|source| crate::ReadError::Io { path: name(), source })?;
        let form = |reason: String| crate::ReadError::Form { path: name(), reason };
        let file: ReachFile = serde_json::from_slice(&text).map_err(|e| form(e.to_string()))?;
        if file.format == FORMAT { Ok(file) } else { Err(form(format!("format {} instead of {FORMAT}", file.format))) }
    }
}

impl ReachTarget {
    /// `file` and `line` of a target that names them.
    pub fn place(&self) -> Option<(&str, u32)> {
        let (file, line) = self.target.rsplit_once(':')?;
        Some((file, line.parse().ok()?))
    }

    /// The verdict as a sentence.
    pub fn sentence(&self) -> String {
        match self.verdict {
            Verdict::Reached => match self.test.as_ref().map(|t| t.as_str().map_or(t.to_string(), str::to_string)) {
                Some(test) => format!("{} is reached by {test}", self.target),
                None => format!("{} is reached", self.target),
            },
            Verdict::Unreachable => format!("{} is proved unreachable", self.target),
            Verdict::Unknown => {
                let mut text = format!("whether {} can be reached is unknown", self.target);
                if let Some(obstacle) = &self.obstacle {
                    let _ = write!(text, ": {}", obstacle.what);
                    if !obstacle.file.is_empty() {
                        let _ = write!(text, " at {}:{}", obstacle.file, obstacle.line);
                    }
                }
                text
            }
        }
    }
}

/// What is written down.
pub(super) enum Findings<'a> {
    /// All tests; those of bugs are findings.
    Campaign {
        cases: &'a [Case],
        target: &'a str,
        folder: &'a str,
        summary: Option<&'a Summary>,
    },
    Reach(&'a ReachFile),
}

/// `abort at parser.c:214 in parse_value`, with what more is known of it.
pub(super) fn sentence(bug: &BugFile) -> String {
    let place = crate::bug_folder::place(&bug.file, bug.line, &bug.function);
    let mut text = format!("{} at {place}", bug.kind);
    if !bug.detail.is_empty() {
        let _ = write!(text, ": {}", bug.detail);
    }
    if bug.under_constrained {
        text.push_str(" (under-constrained: needs parameters that no caller may ever pass)");
    }
    text
}

/// Input, end and the command that shows a bug again.
pub(super) fn how_to_see(bug: &BugFile, test: &TestFile) -> String {
    let inputs: Vec<String> = test.inputs.iter().map(|i| format!("{} = {}", i.name, i.text)).collect();
    format!("ends with {}\ninput\n  {}\nreplay\n  {}", end_text(test.end.into()), inputs.join("\n  "), bug.replay)
}
