//! Which function a campaign starts from: `main`, a libFuzzer harness, or one that the user names.
//!
//! Looks into object files only; runs nothing.

use crate::nearest::did_you_mean;
use object::{Object, ObjectSymbol};
use std::path::{Path, PathBuf};

pub const FUZZER: &str = "LLVMFuzzerTestOneInput";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Main,
    /// `LLVMFuzzerTestOneInput`.
    Fuzzer,
    /// `--function`, by a generated harness.
    Function(String),
}

impl Entry {
    pub fn name(&self) -> &str {
        match self {
            Entry::Main => "main",
            Entry::Fuzzer => FUZZER,
            Entry::Function(name) => name,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    #[error("no `main` and no `{FUZZER}` in {files}{}", could_be(candidates))]
    None { files: String, candidates: Vec<String> },
    #[error("both `main` and `{FUZZER}` are defined: choose one with `--function main` or `--function {FUZZER}`")]
    Both,
    #[error("`{name}` is defined in {first} and in {second}: leave one of the files out")]
    Twice { name: &'static str, first: String, second: String },
    #[error("no function `{name}` in {files}{}{}", did_you_mean(name, candidates.iter().map(|c| c.split('(').next().unwrap_or(c))), could_be(candidates))]
    Unknown { name: String, files: String, candidates: Vec<String> },
}

/// The longest list shown to a person.
const SHOWN: usize = 20;

fn could_be(candidates: &[String]) -> String {
    if candidates.is_empty() {
        return "\n  there is no other function either that could be the entry".into();
    }
    let mut text = String::from("\n  functions that could be the entry (name one with `--function NAME`):");
    for candidate in candidates.iter().take(SHOWN) {
        text.push_str("\n    ");
        text.push_str(candidate);
    }
    if candidates.len() > SHOWN {
        text.push_str(&format!("\n    … and {} more", candidates.len() - SHOWN));
    }
    text
}

/// An object file and the source it came from, for messages.
pub struct Made<'a> {
    pub object: &'a Path,
    pub source: &'a Path,
}

/// The entry that the objects have by themselves, or none (the caller knows the candidates); `chosen` is `main` or the harness where both exist.
pub fn detect(made: &[Made<'_>], chosen: Option<&str>) -> Result<Entry, EntryError> {
    let (mut main, mut fuzzer): (Option<&Path>, Option<&Path>) = (None, None);
    for one in made {
        for (name, found) in [("main", &mut main), (FUZZER, &mut fuzzer)] {
            if !defines(one.object, name) {
                continue;
            }
            if let Some(first) = found {
                return Err(EntryError::Twice {
                    name,
                    first: first.display().to_string(),
                    second: one.source.display().to_string(),
                });
            }
            *found = Some(one.source);
        }
    }
    match (main, fuzzer, chosen) {
        (Some(_), None, None | Some("main")) | (Some(_), Some(_), Some("main")) => Ok(Entry::Main),
        (None, Some(_), None | Some(FUZZER)) | (Some(_), Some(_), Some(FUZZER)) => Ok(Entry::Fuzzer),
        (Some(_), Some(_), _) => Err(EntryError::Both),
        (None, None, None) => Err(EntryError::None { files: list(made), candidates: Vec::new() }),
        (_, _, name) => {
            Err(EntryError::Unknown { name: name.unwrap_or("main").into(), files: list(made), candidates: Vec::new() })
        }
    }
}

/// `a.c, b.c`.
fn list(made: &[Made<'_>]) -> String {
    made.iter().map(|m| m.source.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn defines(object: &Path, name: &str) -> bool {
    let Ok(bytes) = std::fs::read(object) else { return false };
    let Ok(file) = object::File::parse(&*bytes) else { return false };
    file.symbols().any(|s| s.is_definition() && s.is_global() && s.name() == Ok(name))
}

/// Every path of `made` in a form that borrows from two lists.
pub fn pair<'a>(objects: &'a [PathBuf], sources: &'a [PathBuf]) -> Vec<Made<'a>> {
    objects.iter().zip(sources).map(|(object, source)| Made { object, source }).collect()
}
