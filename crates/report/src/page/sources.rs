//! `sources.json`: which sources a run was made from, so that a page does not colour lines of others.

use crate::{FORMAT, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

pub const SOURCES: &str = "sources.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcesFile {
    pub format: u32,
    /// Full path → SHA-256 of what it held.
    pub files: BTreeMap<String, String>,
}

impl SourcesFile {
    /// Of the files that a trace file names; what cannot be read is left out.
    pub fn of(lcov: &str) -> SourcesFile {
        let paths = lcov.lines().filter_map(|l| l.strip_prefix("SF:"));
        let known = paths.filter_map(|path| Some((path.to_string(), hash(&std::fs::read(path).ok()?))));
        SourcesFile { format: FORMAT, files: known.collect() }
    }

    pub fn read(out: &Path) -> Option<SourcesFile> {
        serde_json::from_slice(&std::fs::read(out.join(SOURCES)).ok()?).ok()
    }
}

pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
