//! `run --baseline`: what is new since an earlier run. Line numbers shift while people edit, so branches are told by
//! their function and their place in it as long as the function's shape is the same, and bugs by their distance from
//! the function's first line.
//!
//! A branch of a function whose shape changed is nobody's loss: it is counted, not blamed.

use crate::folder::{Contents, FolderError};
use crate::names::{SideNames, file_name};
use crate::summary::BugEntry;
use crate::test_file::ReadError;
use crate::{Campaign, FORMAT, atomic};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::path::Path;
use symcrete_program::Program;

/// Beside the summary: every function and which of its sides were covered.
pub const FUNCTIONS: &str = "functions.json";
/// Lost branches that are listed.
const SHOWN: usize = 20;
/// What a run with `--baseline` found to be new.
pub const NEWS: &str = "baseline.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionsFile {
    pub format: u32,
    pub functions: Vec<FunctionRow>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionRow {
    pub file: String,
    /// Linker name.
    pub name: String,
    pub source_name: String,
    pub line: u32,
    /// Of its shape.
    pub hash: String,
    /// A character per side: 1 covered, 0 not, - not counted.
    pub sides: String,
}

impl FunctionsFile {
    /// `side_hits` by number: how many kept tests took the side.
    pub fn new(program: &Program, folder: &Path, side_hits: &[u32]) -> FunctionsFile {
        let mut functions = Vec::new();
        for (id, unit) in program.units().filter(|(_, u)| !u.model) {
            for function in unit.functions.iter().filter(|f| f.side_count > 0) {
                let range = function.first_side..function.first_side + function.side_count;
                let sides = range.filter_map(|local| {
                    let side = unit.sides.get(local as usize)?;
                    let hit = side_hits.get(program.side_id(id, local).index()).is_some_and(|h| *h > 0);
                    Some(if !side.counts() || !unit.is_own(side.location) {
                        '-'
                    } else if hit {
                        '1'
                    } else {
                        '0'
                    })
                });
                functions.push(FunctionRow {
                    sides: sides.collect(),
                    file: file_name(unit, function.location, folder),
                    name: function.name.clone(),
                    source_name: function.source_name.clone(),
                    line: function.location.line,
                    hash: format!("{:016x}", function.hash),
                });
            }
        }
        FunctionsFile { format: FORMAT, functions }
    }

    fn read(out: &Path) -> Result<FunctionsFile, ReadError> {
        let path = out.join(FUNCTIONS);
        let name = || path.display().to_string();
        let text = std::fs::read(&path).map_err(|source| ReadError::Io { path: name(), source })?;
        serde_json::from_slice(&text).map_err(|e| ReadError::Form { path: name(), reason: e.to_string() })
    }

    /// A bug by what stays the same while lines shift.
    fn identity(&self, bug: &BugEntry) -> (String, String, String, i64) {
        let same = |row: &&FunctionRow| row.file == bug.file && row.source_name == bug.function;
        let first = self.functions.iter().find(same).map_or(0, |row| row.line);
        (bug.kind.clone(), bug.file.clone(), bug.function.clone(), i64::from(bug.line) - i64::from(first))
    }
}

/// An earlier run to compare with.
pub struct Baseline {
    pub contents: Contents,
    functions: FunctionsFile,
    name: String,
}

#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("--baseline: {0}")]
    Folder(#[from] FolderError),
    #[error("--baseline: {0}\n  the run it names was cut short or made by an earlier version: run it again")]
    Read(#[from] ReadError),
}

/// What changed since the baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct News {
    pub format: u32,
    pub baseline: String,
    pub new_bugs: Vec<BugEntry>,
    /// Covered then, not now, in functions of the same shape.
    pub lost: Vec<String>,
    /// Bugs that were known.
    pub known_bugs: usize,
    /// Functions with branches whose shape is another: nothing is said of theirs.
    pub changed_functions: usize,
    /// Functions that are not there any more, or have no branches now.
    pub gone_functions: usize,
}

impl News {
    pub fn is_bad(&self) -> bool {
        !self.new_bugs.is_empty() || !self.lost.is_empty()
    }

    /// For a person.
    pub fn text(&self) -> String {
        let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
        let mut out = format!(
            "\nsince {}: {}, {}\n",
            self.baseline,
            count(self.new_bugs.len(), "new bug", "new bugs"),
            count(self.lost.len(), "branch lost", "branches lost")
        );
        for bug in &self.new_bugs {
            let place = crate::bug_folder::place(&bug.file, bug.line, &bug.function);
            let _ = writeln!(out, "  new: {} at {place}", bug.kind);
        }
        for side in self.lost.iter().take(SHOWN) {
            let _ = writeln!(out, "  lost: {side}");
        }
        if self.lost.len() > SHOWN {
            let _ = writeln!(out, "  and {} more in {NEWS}", self.lost.len() - SHOWN);
        }
        if self.known_bugs > 0 {
            let _ = writeln!(out, "  {} known", count(self.known_bugs, "bug was", "bugs were"));
        }
        if self.changed_functions + self.gone_functions > 0 {
            let _ = writeln!(
                out,
                "  not compared: {} of another shape, {} gone or without branches",
                count(self.changed_functions, "function", "functions"),
                self.gone_functions
            );
        }
        out
    }

    pub fn write(&self, out: &Path) -> io::Result<()> {
        atomic::write_json(&out.join(NEWS), self)
    }
}

impl Baseline {
    /// Before anything is written: the folder may be the one that the new run will use.
    pub fn read(out: &Path) -> Result<Baseline, BaselineError> {
        Campaign::read(out)?;
        let functions = FunctionsFile::read(out)?;
        Ok(Baseline { contents: Contents::read(out), functions, name: out.display().to_string() })
    }

    /// What the results in `out` have that this has not, and the other way round.
    pub fn compare(&self, out: &Path, program: &Program, folder: &Path) -> Result<News, BaselineError> {
        let now = FunctionsFile::read(out)?;
        let mut news = News { format: FORMAT, baseline: self.name.clone(), ..News::default() };
        let known: Vec<_> = self.contents.bugs.iter().map(|(_, bug)| self.functions.identity(bug)).collect();
        for (_, bug) in &Contents::read(out).bugs {
            match known.contains(&now.identity(bug)) {
                true => news.known_bugs += 1,
                false => news.new_bugs.push(bug.clone()),
            }
        }
        let names = Named::new(program, folder);
        let key = |row: &FunctionRow| (row.file.clone(), row.name.clone());
        let mut before: HashMap<_, _> = self.functions.functions.iter().map(|row| (key(row), row)).collect();
        for row in &now.functions {
            match before.remove(&key(row)) {
                Some(old) if old.hash == row.hash && old.sides.len() == row.sides.len() => {
                    let sides = old.sides.chars().zip(row.sides.chars()).enumerate();
                    let lost = sides.filter(|(_, sides)| *sides == ('1', '0'));
                    news.lost.extend(lost.map(|(at, _)| names.side(row, at as u32)));
                }
                Some(_) => news.changed_functions += 1,
                None => {}
            }
        }
        news.gone_functions = before.len();
        Ok(news)
    }
}

/// Names of sides by function and position.
struct Named {
    names: SideNames,
    first: HashMap<(String, String), u32>,
}

impl Named {
    fn new(program: &Program, folder: &Path) -> Named {
        let mut first = HashMap::new();
        for (id, unit) in program.units().filter(|(_, u)| !u.model) {
            for function in unit.functions.iter().filter(|f| f.side_count > 0) {
                let key = (file_name(unit, function.location, folder), function.name.clone());
                first.insert(key, program.side_id(id, function.first_side).0);
            }
        }
        Named { names: SideNames::new(program, folder), first }
    }

    fn side(&self, row: &FunctionRow, at: u32) -> String {
        let first = self.first.get(&(row.file.clone(), row.name.clone()));
        first.map_or_else(|| format!("{}:{} side {at}", row.file, row.source_name), |f| self.names.get(f + at).name)
    }
}
