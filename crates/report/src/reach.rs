//! What `symcrete reach` found out, as it is written down.

use crate::FORMAT;
use crate::test_file::ReadError;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReachFile {
    pub format: u32,
    pub targets: Vec<ReachRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReachRow {
    pub target: String,
    /// `reached`, `unreachable` or `unknown`.
    pub verdict: String,
    /// The test that runs it, in the output folder.
    pub test: Option<String>,
    pub segments: u64,
    pub seconds: f64,
    pub obstacle: Option<Obstacle>,
    /// Places of conditions: of a proof those that cannot hold together, else those of the path that was solved for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
    /// The obstacle in words; not part of the file.
    #[serde(skip)]
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Obstacle {
    pub what: String,
    pub file: String,
    pub line: u32,
}

impl ReachFile {
    pub fn new(targets: Vec<ReachRow>) -> ReachFile {
        ReachFile { format: FORMAT, targets }
    }

    pub fn read(path: &Path) -> Result<ReachFile, ReadError> {
        let name = || path.display().to_string();
        let text = std::fs::read(path).map_err(|source| ReadError::Io { path: name(), source })?;
        let form = |reason: String| ReadError::Form { path: name(), reason };
        let file: ReachFile = serde_json::from_slice(&text).map_err(|e| form(e.to_string()))?;
        match file.format {
            FORMAT => Ok(file),
            other => Err(form(format!("format {other} instead of {FORMAT}"))),
        }
    }
}
