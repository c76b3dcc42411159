//! Cases of `symcrete reach`: every annotated line is a target, and its verdict is the annotation. A test that is said
//! to run a line is run on clang's own coverage build; a line that is said to be unreachable is tried with all inputs,
//! where there are few enough.

use crate::annotation::Annotation;
use crate::brute;
use crate::case::{Case, Revision};
use crate::coverage::Coverage;
use crate::native::{Build, Native};
use crate::place::Places;
use crate::tool;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::Path;
use std::process::Stdio;

#[derive(Debug, Deserialize)]
struct Answers {
    format: u32,
    targets: Vec<Answer>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    target: String,
    verdict: String,
    test: Option<String>,
    obstacle: Option<Obstacle>,
}

#[derive(Debug, Deserialize)]
struct Obstacle {
    what: String,
}

/// Runs `reach` on a case and judges it; the error lists everything that is not as it should be.
pub fn judge(places: &Places, case: &Case, revision: &Revision) -> Result<(), String> {
    let (command, problems) = sit(places, case, revision)
        .map_err(|error| format!("{}: the case cannot be judged: {error:?}", case.path.display()))?;
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("{}: {}\n  - {}\nby hand:\n  {command}\n", case.path.display(), case.about, problems.join("\n  - ")))
}

fn sit(places: &Places, case: &Case, revision: &Revision) -> Result<(String, Vec<String>)> {
    let scratch = tempfile::tempdir()?;
    let out = scratch.path().join("out");
    let file = crate::case::file_name(&case.path);
    let annotations: &[Annotation] = case.annotations.get(&file).map_or(&[], Vec::as_slice);
    let mut command = places.tool();
    command.arg("reach");
    command.args(annotations.iter().map(|a| format!("{}:{}", case.path.display(), a.line)));
    command.args(case.inputs.iter().flat_map(|input| input.options())).args(&revision.args);
    if !revision.cflags.is_empty() {
        command.args(["--cflags", &revision.cflags]);
    }
    // Enough for every answer that is to be had; unknown ones use it up.
    command.args([
        "--self-check",
        "--max-cpu",
        &format!("{}s", revision.iterations.min(30)),
        "--json",
        "--quiet",
        "--out",
    ]);
    command.arg(&out).arg("--").arg(&case.path).args(&case.sources);
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let answers: Answers =
        serde_json::from_slice(&output.stdout).with_context(|| format!("{command:?} said: {text}"))?;
    let mut problems = vec![];
    if answers.format != 1 || answers.targets.len() != annotations.len() {
        problems.push(format!("{} answers to {} targets", answers.targets.len(), annotations.len()));
    }
    let native = Native::build(places, case, revision, Build::Coverage, scratch.path())?;
    let all = brute::all_inputs(case);
    let real = match &all {
        Some(all) => Some(covered(&native, all, scratch.path(), "all")?),
        None => None,
    };
    for (annotation, answer) in annotations.iter().zip(&answers.targets) {
        let mut problem = |text: String| problems.push(format!("{}: {text}", answer.target));
        let what = answer.obstacle.as_ref().map(|obstacle| obstacle.what.clone());
        let expected = match (annotation.reach, annotation.unreachable, &annotation.unknown) {
            (true, ..) => "reached",
            (_, true, _) => "unreachable",
            _ => "unknown",
        };
        if answer.verdict != expected || (expected == "unknown" && annotation.unknown != what) {
            problem(format!("expected {expected}, got {} {}", answer.verdict, what.unwrap_or_default()));
        }
        if let (Some(real), "unreachable") = (&real, answer.verdict.as_str())
            && real.line(&file, annotation.line) == Some(true)
        {
            problem("said to be unreachable, but some input runs it".into());
        }
        if answer.verdict == "reached" {
            let test = answer.test.as_ref().context("a reached target without a test")?;
            let recorded = tool::read_test(&out.join(test))?;
            let there = covered(&native, &[recorded.input], scratch.path(), "one")?;
            if there.line(&file, annotation.line) != Some(true) {
                problem(format!("{test} does not run the line"));
            }
        }
    }
    Ok((format!("{command:?}"), problems))
}

fn covered(native: &Native, inputs: &[crate::input::Input], scratch: &Path, name: &str) -> Result<Coverage> {
    let profile = scratch.join(format!("{name}.profraw"));
    let _ = std::fs::remove_file(&profile);
    native.run(inputs, scratch, Some(&profile))?;
    Coverage::read(&native.program, &profile)
}
