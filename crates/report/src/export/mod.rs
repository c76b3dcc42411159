//! `symcrete export`: tests and findings in the forms other tools read, one file a format.
//!
//! Nothing here runs or compiles anything. What a format cannot express is left out by name, never silently.

pub mod c;
mod corpus;
mod dates;
mod findings;
mod junit;
mod ktest;
mod literal;
mod sarif;
mod testcomp;

use crate::folder::Contents;
use crate::test_file::TestFile;
use crate::{BugFile, ReachFile, Summary};
use findings::Findings;
use std::io;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// A C file with a function per test.
    C(Box<c::Program>),
    /// One raw file per test, for libFuzzer and AFL++.
    Corpus,
    /// KLEE's test files.
    KTest,
    /// The XML test suites of the Test-Comp competition.
    TestComp,
    /// SARIF 2.1.0 of the bugs.
    Sarif,
    /// JUnit's XML of tests and bugs.
    JUnit,
}

/// What is exported, as the user and its own files name it.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    pub target: &'a str,
    pub entry: &'a str,
    /// Where relative names of sources start.
    pub folder: &'a str,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    pub files: usize,
    /// Tests that have no form in this format, and why.
    pub left_out: Vec<(String, String)>,
    /// What a person should know: how to build what was written, what could not be read.
    pub notes: Vec<String>,
}

/// One test of the folder, of a bug or not.
pub(crate) struct Case {
    /// `000001` or `bug-0001`.
    pub name: String,
    pub test: TestFile,
    pub bug: Option<BugFile>,
}

#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}")]
    Impossible(String),
}

/// Writes all tests of `out` and the tests of its bugs into `to`.
pub fn export(out: &Path, to: &Path, format: &Format, about: &About<'_>) -> Result<Exported, ExportError> {
    let contents = Contents::read(out);
    let mut done = Exported { notes: contents.damaged.clone(), ..Exported::default() };
    let cases = cases(out, &contents);
    if cases.is_empty() {
        done.notes.push(format!("{} holds no tests", out.display()));
    }
    if let Format::C(program) = format {
        program.check(&cases).map_err(ExportError::Impossible)?;
    }
    std::fs::create_dir_all(to)?;
    let summary = Summary::read(out).ok();
    let findings =
        Findings::Campaign { cases: &cases, target: about.target, folder: about.folder, summary: summary.as_ref() };
    match format {
        Format::C(program) => c::write(to, program, &cases, &mut done)?,
        Format::Corpus => corpus::write(to, &cases, &mut done)?,
        Format::KTest => ktest::write(to, about.target, &cases, &mut done)?,
        Format::TestComp => testcomp::write(to, about.target, about.entry, &cases, &mut done)?,
        Format::Sarif => sarif::write(to, &findings, &mut done)?,
        Format::JUnit => junit::write(to, &findings, &mut done)?,
    }
    Ok(done)
}

/// Writes the verdicts of `reach --json` into `to`.
pub fn export_reach(file: &ReachFile, to: &Path, format: &Format) -> Result<Exported, ExportError> {
    let mut done = Exported::default();
    let findings = Findings::Reach(file);
    std::fs::create_dir_all(to)?;
    match format {
        Format::Sarif => sarif::write(to, &findings, &mut done)?,
        Format::JUnit => junit::write(to, &findings, &mut done)?,
        _ => {
            return Err(ExportError::Impossible(
                "verdicts are written as sarif or junit; tests lie in an output folder".into(),
            ));
        }
    }
    Ok(done)
}

fn cases(out: &Path, contents: &Contents) -> Vec<Case> {
    let mut cases: Vec<Case> =
        contents.tests.iter().map(|(n, t)| Case { name: format!("{n:06}"), test: t.clone(), bug: None }).collect();
    for (number, bug) in &contents.bugs {
        let path = out.join(&bug.test);
        if let Ok(test) = TestFile::read(&path) {
            cases.push(Case { name: format!("bug-{number:04}"), test, bug: BugFile::beside(&path) });
        }
    }
    cases
}
