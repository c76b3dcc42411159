//! The output folder: ours alone while a campaign runs, never mixed with what others put there.

use crate::atomic;
use crate::summary::BugEntry;
use crate::test_file::TestFile;
use crate::{BugFile, FORMAT};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Marks a folder as ours and says what it was made for.
pub const CAMPAIGN: &str = "campaign.json";
const LOCK: &str = ".lock";
/// What the campaign before this one left, as a whole.
const PREVIOUS: &str = "previous";
const RESULTS: &[&str] = &[
    "summary.json",
    "tests",
    "bugs",
    "coverage.lcov",
    "progress.jsonl",
    "sources.json",
    "functions.json",
    "tree.json",
    "baseline.json",
    "reach.json",
    "report",
];
/// What is there before a campaign has begun, and stays when it never does.
const UNBEGUN: &[&str] = &[LOCK, "build"];

/// Everything needed to build, replay and resume, as the command line wants it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Campaign {
    pub format: u32,
    pub tool: String,
    pub version: String,
    /// The target as the user named it.
    pub name: String,
    /// How it is built and fed; opaque here.
    pub target: serde_json::Value,
}

impl Campaign {
    pub fn new(name: String, target: serde_json::Value) -> Campaign {
        Campaign { format: FORMAT, tool: "symcrete".into(), version: env!("CARGO_PKG_VERSION").into(), name, target }
    }

    /// Of an existing output folder.
    pub fn read(out: &Path) -> Result<Campaign, FolderError> {
        let text = std::fs::read(out.join(CAMPAIGN))
            .map_err(|_| FolderError::NotOurs { folder: out.display().to_string() })?;
        let campaign: Campaign =
            serde_json::from_slice(&text).map_err(|_| FolderError::NotOurs { folder: out.display().to_string() })?;
        if campaign.tool != "symcrete" || campaign.format != FORMAT {
            return Err(FolderError::NotOurs { folder: out.display().to_string() });
        }
        Ok(campaign)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{folder} holds files that are not from symcrete\n  choose another folder with `--out DIR`")]
    Foreign { folder: String },
    #[error("{name} is a file, not a folder\n  choose another place with `--out DIR`")]
    NoFolder { name: String },
    #[error("{folder} is in use by another symcrete{}\n  wait for it, or choose another folder with `--out DIR`", pid.map(|p| format!(" (process {p})")).unwrap_or_default())]
    InUse { folder: String, pid: Option<u32> },
    #[error("{folder} is no output folder of symcrete (there is no {CAMPAIGN} in it)")]
    NotOurs { folder: String },
    #[error(
        "{folder} holds results of {earlier}, not of this target (different: {what})\n  `--resume` needs the same target, inputs and flags, from the same place; choose another folder with `--out DIR`"
    )]
    OtherTarget { folder: String, earlier: String, what: String },
    #[error(
        "{folder} holds results of {earlier}\n  choose another folder with `--out DIR`, or remove that one if nobody needs it"
    )]
    OtherProgram { folder: String, earlier: String },
    #[error("{folder}: {source}")]
    Io { folder: String, source: io::Error },
}

/// An output folder that is ours until dropped.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    campaign: Campaign,
    resume: bool,
    _lock: File,
}

/// What a resumed folder already holds.
#[derive(Debug, Default)]
pub struct Contents {
    pub tests: Vec<(u32, TestFile)>,
    pub bugs: Vec<(u32, BugEntry)>,
    /// Files that could not be read.
    pub damaged: Vec<String>,
}

impl Folder {
    /// Takes the folder for a campaign. What is in it stays as it is until the campaign begins.
    pub fn open(path: &Path, campaign: Campaign, resume: bool) -> Result<Folder, FolderError> {
        let name = path.display().to_string();
        let io = |source| FolderError::Io { folder: name.clone(), source };
        if path.exists() && !path.is_dir() {
            return Err(FolderError::NoFolder { name });
        }
        let existing = Campaign::read(path);
        if existing.is_err() && is_foreign(path) {
            return Err(FolderError::Foreign { folder: name });
        }
        std::fs::create_dir_all(path).map_err(io)?;
        let mut lock =
            OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path.join(LOCK)).map_err(io)?;
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut text = String::new();
            let _ = lock.read_to_string(&mut text);
            return Err(FolderError::InUse { folder: name, pid: text.trim().parse().ok() });
        }
        lock.set_len(0).and_then(|()| write!(lock, "{}", std::process::id())).map_err(io)?;
        if let Ok(earlier) = existing {
            if resume && earlier.target != campaign.target {
                let what = difference(&earlier.target, &campaign.target);
                return Err(FolderError::OtherTarget { folder: name, earlier: earlier.name, what });
            }
            if earlier.name != campaign.name {
                return Err(FolderError::OtherProgram { folder: name, earlier: earlier.name });
            }
        }
        Ok(Folder { path: path.to_owned(), campaign, resume, _lock: lock })
    }

    /// The campaign begins. Without `resume` the results of an earlier one of the same program move aside; says where.
    pub fn begin(&self) -> Result<Option<PathBuf>, FolderError> {
        let begun = || -> io::Result<Option<PathBuf>> {
            let moved = if self.resume { None } else { self.move_aside()? };
            for part in ["tests", "bugs"] {
                std::fs::create_dir_all(self.path.join(part))?;
            }
            atomic::write_json(&self.path.join(CAMPAIGN), &self.campaign)?;
            Ok(moved)
        };
        begun().map_err(|source| FolderError::Io { folder: self.path.display().to_string(), source })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn move_aside(&self) -> io::Result<Option<PathBuf>> {
        let there: Vec<&&str> = RESULTS.iter().filter(|r| self.path.join(r).exists()).collect();
        let worth = there.iter().any(|r| self.path.join(r).is_file() || has_entries(&self.path.join(r)));
        if !worth {
            return Ok(None);
        }
        // The first name that is free: results of still earlier campaigns stay where they are.
        let names = std::iter::once(PREVIOUS.to_owned()).chain((2..).map(|number| format!("{PREVIOUS}-{number}")));
        let previous = names.map(|name| self.path.join(name)).find(|path| !path.exists());
        let previous = previous.expect("numbers do not end");
        std::fs::create_dir_all(&previous)?;
        for part in there {
            std::fs::rename(self.path.join(part), previous.join(part))?;
        }
        std::fs::copy(self.path.join(CAMPAIGN), previous.join(CAMPAIGN))?;
        Ok(Some(previous))
    }
}

/// In which of their parts two targets differ, in words.
fn difference(earlier: &serde_json::Value, now: &serde_json::Value) -> String {
    let (Some(before), Some(after)) = (earlier.as_object(), now.as_object()) else { return "target".into() };
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let differing = keys.into_iter().filter(|key| before.get(*key) != after.get(*key));
    let words: Vec<String> = differing
        .map(|key| match (key.as_str(), before.get(key).and_then(|value| value.as_str())) {
            ("folder", Some(folder)) => format!("folder, it was started in {folder}"),
            _ => key.replace('_', " "),
        })
        .collect();
    words.join(", ")
}

impl Contents {
    /// Tests and bugs of an output folder, by number.
    pub fn read(out: &Path) -> Contents {
        let mut contents = Contents::default();
        for path in sorted(&out.join("tests")) {
            let Some(number) = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.parse().ok()) else { continue };
            if path.extension().is_none_or(|e| e != "json") {
                continue;
            }
            match TestFile::read(&path) {
                Ok(test) => contents.tests.push((number, test)),
                Err(error) => contents.damaged.push(error.to_string()),
            }
        }
        for path in sorted(&out.join("bugs")) {
            let Some(name) = path.file_name().and_then(|n| n.to_str()) else { continue };
            let Some(number) = name.split('-').next().and_then(|n| n.parse().ok()) else { continue };
            let text = std::fs::read(path.join("bug.json")).unwrap_or_default();
            match serde_json::from_slice::<BugFile>(&text) {
                Ok(bug) => contents.bugs.push((
                    number,
                    BugEntry {
                        kind: bug.kind,
                        file: bug.file,
                        line: bug.line,
                        function: bug.function,
                        test: format!("bugs/{name}/test.json"),
                        under_constrained: bug.under_constrained,
                    },
                )),
                Err(error) => contents.damaged.push(format!("{}: {error}", path.display())),
            }
        }
        contents
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    paths
}

/// Whether there is anything in a folder that no campaign of ours leaves before it begins.
fn is_foreign(path: &Path) -> bool {
    let entries: Vec<_> =
        std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    let ours = entries.iter().any(|name| name == LOCK) && entries.iter().all(|name| UNBEGUN.iter().any(|u| name == u));
    !entries.is_empty() && !ours
}

fn has_entries(path: &Path) -> bool {
    std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
}
