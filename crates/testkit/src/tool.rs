//! One run of the staged tool on a case, and what it left on disk.

use crate::case::{Case, Revision};
use crate::input::{Input, Kind, Object, from_hex};
use crate::native::End;
use crate::place::Places;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the runner reads of `summary.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct Summary {
    pub format: u32,
    pub iterations: u64,
    pub exhausted: bool,
    pub interrupted: bool,
    pub nondeterministic: bool,
    pub diverged: u64,
    pub unknown: u64,
    pub tests: u64,
    pub branches_total: u64,
    pub branches_covered: u64,
    pub bugs: Vec<Bug>,
    pub lost: Vec<Lost>,
    pub uncovered: Vec<Uncovered>,
    pub targets_reached: Vec<u32>,
    pub cross_check: Option<CrossCheck>,
}

/// How the verdicts of the solver chain compared with Z3's. A disagreement ends the run, so it is not counted here.
#[derive(Clone, Debug, Deserialize)]
pub struct CrossCheck {
    pub compared: u64,
    pub agreed: u64,
    pub lost: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Bug {
    pub kind: String,
    pub file: String,
    pub line: u32,
    pub test: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Lost {
    pub what: String,
    #[serde(rename = "where")]
    pub place: String,
    pub count: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Uncovered {
    pub branch: String,
    pub file: String,
    pub line: u32,
    pub reason: String,
}

#[derive(Clone, Debug, Deserialize)]
struct TestFile {
    inputs: Vec<InputFile>,
    new_sides: Vec<String>,
    end: EndFile,
}

#[derive(Clone, Debug, Deserialize)]
struct InputFile {
    name: String,
    kind: String,
    hex: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EndFile {
    Exit(i32),
    Signal(i32),
    Timeout(serde::de::IgnoredAny),
}

/// One test or bug as recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// `tests/000001.json`.
    pub name: String,
    pub input: Input,
    pub new_sides: Vec<String>,
    pub end: End,
    /// Of a bug.
    pub kind: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub command: String,
    pub exit: Option<i32>,
    pub stderr: String,
    /// None when the tool wrote none.
    pub summary: Option<Summary>,
    pub tests: Vec<Recorded>,
    pub bugs: Vec<Recorded>,
}

/// A run that does not end natively either is waited for this long.
const SHORT: u32 = 1000;
const LONG: u32 = 10_000;

pub fn run(places: &Places, case: &Case, revision: &Revision, out: &Path) -> Result<Answer> {
    let mut arguments: Vec<String> = vec!["run".into(), case.path.display().to_string()];
    arguments.extend(case.sources.iter().map(|s| s.display().to_string()));
    arguments.extend(case.inputs.iter().flat_map(|i| i.options()));
    if !revision.cflags.is_empty() {
        arguments.extend(["--cflags".into(), revision.cflags.clone()]);
    }
    arguments.extend(revision.args.iter().cloned());
    arguments.extend(["--self-check".into(), "--max-iterations".into(), revision.iterations.to_string()]);
    let mut command = places.tool();
    // The clock is a safety net only: a case that needs it fails, for its result is not repeatable.
    command.args(&arguments).args(["--max-time", "100s", "--json", "--out"]).arg(out);
    if !revision.arguments.is_empty() {
        command.arg("--").args(&revision.arguments);
    }
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    let summary = std::fs::read(out.join("summary.json")).ok();
    let summary: Option<Summary> =
        summary.map(|bytes| serde_json::from_slice(&bytes)).transpose().context("summary.json")?;
    let tests = recorded(&out.join("tests"))?;
    let mut bugs = vec![];
    for bug in summary.iter().flat_map(|s| &s.bugs) {
        let mut test = read_test(&out.join(&bug.test))?;
        (test.name, test.kind) = (bug.test.clone(), Some(bug.kind.clone()));
        bugs.push(test);
    }
    let quoted: Vec<String> =
        arguments.iter().map(|a| if a.contains(' ') { format!("'{a}'") } else { a.clone() }).collect();
    Ok(Answer {
        command: format!("{} {} --out /tmp/case", places.symcrete().display(), quoted.join(" ")),
        exit: output.status.code(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        summary,
        tests,
        bugs,
    })
}

fn recorded(folder: &Path) -> Result<Vec<Recorded>> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(vec![]) };
    let mut files: Vec<PathBuf> =
        entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    files.iter().map(|file| read_test(file)).collect()
}

pub fn read_test(path: &Path) -> Result<Recorded> {
    let text = std::fs::read(path).with_context(|| path.display().to_string())?;
    let test: TestFile = serde_json::from_slice(&text).with_context(|| path.display().to_string())?;
    let end = match test.end {
        EndFile::Exit(code) => End::Exit(code),
        EndFile::Signal(signal) => End::Signal(signal),
        EndFile::Timeout(_) => End::Timeout,
    };
    let object = |i: InputFile| -> Result<Object> {
        Ok(Object { kind: Kind::from_slug(&i.kind), bytes: from_hex(&i.hex)?, name: i.name })
    };
    let objects =
        test.inputs.into_iter().map(object).collect::<Result<_>>().with_context(|| path.display().to_string())?;
    let milliseconds = if end == End::Timeout { SHORT } else { LONG };
    let name = format!("tests/{}", crate::case::file_name(path));
    Ok(Recorded { name, input: Input { objects, milliseconds }, new_sides: test.new_sides, end, kind: None })
}

/// The layers of the solver chain, as the tool lists them when it is asked for one it does not have.
pub fn layers(places: &Places) -> Result<Vec<String>> {
    let output = Command::new(places.symcrete()).args(["run", "none.c", "--layers", "?"]).output()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let list = text.split("some of ").nth(1).context("no list of layers")?;
    Ok(list.trim().split(", ").map(String::from).collect())
}

/// The strategies the tool knows, but for the one that is for programs which ask while they run: it has cases of its own.
pub fn strategies(places: &Places) -> Result<Vec<String>> {
    let output = crate::native::succeed(Command::new(places.symcrete()).arg("strategies"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text
        .lines()
        .filter(|l| !l.starts_with(' '))
        .filter_map(|l| l.split_whitespace().next())
        .filter(|name| *name != "hybrid")
        .map(String::from)
        .collect())
}
