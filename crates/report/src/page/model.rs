//! The data of a page, for its script and its tables. Names are short: there may be a hundred thousand of each.

use crate::summary::{LayerEntry, LostEntry, Summary};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Model {
    pub target: String,
    /// The output folder as the user named it.
    pub out: String,
    #[serde(skip)]
    pub summary: Summary,
    /// How the run ended, in a word or two.
    #[serde(skip)]
    pub state: String,
    #[serde(skip)]
    pub notes: Vec<String>,
    pub files: Vec<File>,
    pub sides: Vec<Side>,
    pub tests: Vec<Test>,
    pub tree: Tree,
    #[serde(skip)]
    pub bugs: Vec<Bug>,
    #[serde(skip)]
    pub lost: Vec<LostEntry>,
    #[serde(skip)]
    pub layers: BTreeMap<String, LayerEntry>,
    #[serde(skip)]
    pub progress: Vec<Moment>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct File {
    pub name: String,
    /// The source, or nothing when it is gone.
    pub text: Option<String>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub warning: String,
    /// Executable lines, and how many tests ran each.
    pub lines: Vec<(u32, u32)>,
    /// First line, name, tests that entered; by line.
    pub functions: Vec<(u32, String, u32)>,
}

/// One outcome of a decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Side {
    #[serde(rename = "f")]
    pub file: usize,
    #[serde(rename = "l")]
    pub line: u32,
    #[serde(rename = "c")]
    pub column: u32,
    #[serde(rename = "k")]
    pub kind: String,
    /// Position of the first test that took it.
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    pub test: Option<usize>,
    /// Why none did.
    #[serde(rename = "r", skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Test {
    /// `000001`, or the folder of a bug.
    #[serde(rename = "n")]
    pub name: String,
    /// Below the output folder.
    #[serde(rename = "p")]
    pub path: String,
    #[serde(rename = "o")]
    pub origin: String,
    /// Position of the test it was made from.
    #[serde(rename = "a", skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    #[serde(rename = "e")]
    pub end: String,
    /// Name, readable text, bytes.
    #[serde(rename = "i")]
    pub inputs: Vec<(String, String, usize)>,
    #[serde(rename = "s")]
    pub sides: Vec<usize>,
    #[serde(skip)]
    pub earned: Earned,
}

/// The execution tree.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tree {
    pub total: u64,
    /// Position of the file or -1, its name, line, column, names of the sides.
    pub places: Vec<(i64, String, u32, u32, Vec<String>)>,
    /// Node above or -1, its side that leads here, place, position of the first test or -1, letters of the sides, nodes
    /// below that are not there.
    pub nodes: Vec<(i64, u32, usize, i64, String, u64)>,
}

/// What brought a test about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earned {
    #[default]
    Random,
    Flip,
    Seed,
    Snapshot,
    Reach,
}

impl Earned {
    pub const ALL: [(Earned, &'static str); 5] = [
        (Earned::Seed, "seeds"),
        (Earned::Random, "random"),
        (Earned::Flip, "flips"),
        (Earned::Snapshot, "snapshots"),
        (Earned::Reach, "reach"),
    ];

    pub fn of(origin: &str) -> Earned {
        match origin {
            o if o.starts_with("seed") => Earned::Seed,
            o if o.starts_with("flip") || o.starts_with("optimistic") => Earned::Flip,
            o if o.starts_with("from a snapshot") => Earned::Snapshot,
            o if o.starts_with("reach") => Earned::Reach,
            _ => Earned::Random,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Bug {
    pub kind: String,
    pub place: String,
    /// Position of the file, and the line.
    pub at: Option<(usize, u32)>,
    pub detail: String,
    pub under_constrained: bool,
    pub stack: Vec<String>,
    pub replay: String,
    /// Position of its test.
    pub test: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    pub seconds: f64,
    pub iterations: u64,
    pub tests: u32,
}
