//! Reads an output folder, whole, cut short or empty, into the data of a page.

use super::PageError;
use super::model::{Bug, Earned, File, Model, Moment, Side, Test, Tree};
use super::sources::{SourcesFile, hash};
use super::tracefile;
use crate::folder::{Campaign, Contents};
use crate::test_file::{TestFile, end_text};
use crate::{BugFile, Summary, TREE, TreeEntry, TreeFile, TreePlace};
use std::collections::HashMap;
use std::path::Path;

pub fn gather(out: &Path) -> Result<Model, PageError> {
    let campaign = Campaign::read(out)?;
    let contents = Contents::read(out);
    let mut model = Model {
        target: campaign.name.clone(),
        out: out.display().to_string(),
        notes: contents.damaged.clone(),
        ..Model::default()
    };
    let folder = campaign.target["folder"].as_str().unwrap_or_default();
    match Summary::read(out) {
        Ok(summary) => {
            model.state = state(&summary).into();
            model.summary = summary;
        }
        Err(error) => {
            model.state = "no summary".into();
            let why =
                "the run is still going, or was killed: figures and reasons are missing, tests and bugs are there";
            model.notes.push(format!("{error}: {why}"));
            model.summary.tests = contents.tests.len() as u32;
        }
    }
    let mut sides = Sides::default();
    files(out, folder, &mut model, &mut sides);
    tests(out, &contents, &mut model, &mut sides);
    for entry in &model.summary.uncovered.clone() {
        if let Some(position) = sides.position(&mut model, &entry.branch) {
            model.sides[position].reason = entry.reason.clone();
        }
    }
    tree(out, &mut model, &sides);
    model.lost = std::mem::take(&mut model.summary.lost);
    model.layers = std::mem::take(&mut model.summary.layers);
    model.progress = progress(out);
    if model.tests.is_empty() {
        model.notes.push("there is no test yet".into());
    }
    Ok(model)
}

fn state(summary: &Summary) -> &'static str {
    match (summary.exhausted, summary.interrupted) {
        (true, _) => "exhausted: every feasible path was run",
        (_, true) => "interrupted",
        _ => "finished",
    }
}

/// Sides by their names, so that each is there once.
#[derive(Default)]
struct Sides {
    known: HashMap<String, usize>,
    files: HashMap<String, usize>,
}

impl Sides {
    fn file(&mut self, model: &mut Model, name: &str) -> usize {
        *self.files.entry(name.into()).or_insert_with(|| {
            model.files.push(File { name: name.into(), warning: "its lines are not known".into(), ..File::default() });
            model.files.len() - 1
        })
    }

    /// Of `FILE:LINE:COLUMN:KIND`; none for another form.
    fn position(&mut self, model: &mut Model, name: &str) -> Option<usize> {
        if let Some(position) = self.known.get(name) {
            return Some(*position);
        }
        let mut parts = name.rsplitn(4, ':');
        let (kind, column, line) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let file = self.file(model, parts.next()?);
        model.sides.push(Side { file, line, column, kind: kind.into(), ..Side::default() });
        self.known.insert(name.into(), model.sides.len() - 1);
        Some(model.sides.len() - 1)
    }
}

fn files(out: &Path, folder: &str, model: &mut Model, sides: &mut Sides) {
    let lcov = std::fs::read_to_string(out.join("coverage.lcov")).unwrap_or_default();
    if lcov.is_empty() {
        model.notes.push("there is no coverage.lcov yet: lines have no colours".into());
    }
    let known = SourcesFile::read(out);
    for record in tracefile::read(&lcov) {
        let full = Path::new(folder).join(&record.path);
        let shown = full.strip_prefix(folder).unwrap_or(&full).display().to_string();
        let position = sides.file(model, &shown);
        let (text, warning) = source(&full, &record.path, known.as_ref());
        if !warning.is_empty() {
            model.notes.push(format!("{shown}: {warning}"));
        }
        model.files[position] = File { name: shown, text, warning, lines: record.lines, functions: record.functions };
    }
}

/// A source as it is now, and what is wrong with that.
fn source(full: &Path, path: &str, known: Option<&SourcesFile>) -> (Option<String>, String) {
    let Ok(bytes) = std::fs::read(full) else {
        return (None, "the source is not there any more".into());
    };
    let warning = match known.and_then(|k| k.files.get(path)) {
        Some(then) if *then != hash(&bytes) => "the source has changed since the run: lines may not fit",
        Some(_) => "",
        None => "whether the source has changed since the run is not known",
    };
    (Some(String::from_utf8_lossy(&bytes).into_owned()), warning.into())
}

fn tree(out: &Path, model: &mut Model, sides: &Sides) {
    let Some(file) = TreeFile::read(out) else {
        model.notes.push(format!(
            "there is no {TREE} of this version: the run is still going, was killed, or is of another version"
        ));
        return;
    };
    let mut tree = Tree { total: file.total, ..Tree::default() };
    for TreePlace(name, line, column, names) in file.places {
        // Models of library functions decide, too; their sources are not the user's.
        let position = sides.files.get(&name).map_or(-1, |at| *at as i64);
        tree.places.push((position, name, line, column, names));
    }
    let positions: HashMap<&str, usize> = model.tests.iter().enumerate().map(|(at, t)| (t.name.as_str(), at)).collect();
    let position = |test: u32| positions.get(format!("{test:06}").as_str()).map_or(-1, |at| *at as i64);
    let nodes = file.nodes.into_iter();
    tree.nodes = nodes.map(|TreeEntry(a, b, place, test, c, d)| (a, b, place, position(test), c, d)).collect();
    model.tree = tree;
}

fn tests(out: &Path, contents: &Contents, model: &mut Model, sides: &mut Sides) {
    let mut positions = HashMap::new();
    for (number, test) in &contents.tests {
        positions.insert(*number, model.tests.len());
        add_test(model, sides, format!("{number:06}"), format!("tests/{number:06}.json"), test);
    }
    for test in &mut model.tests {
        let parent = test.origin.split("of test ").nth(1).and_then(|t| t.split(' ').next()?.parse::<u32>().ok());
        test.parent = parent.and_then(|number| positions.get(&number).copied());
    }
    for (_, entry) in &contents.bugs {
        let path = out.join(&entry.test);
        let folder = entry.test.trim_end_matches("/test.json").trim_start_matches("bugs/").to_string();
        let test = TestFile::read(&path).ok().map(|test| {
            add_test(model, sides, folder.clone(), format!("bugs/{folder}"), &test);
            model.tests.len() - 1
        });
        let bug = BugFile::beside(&path);
        let at = sides.files.get(&entry.file).map(|file| (*file, entry.line));
        model.bugs.push(Bug {
            kind: entry.kind.clone(),
            place: crate::bug_folder::place(&entry.file, entry.line, &entry.function),
            at,
            detail: bug.as_ref().map(|b| b.detail.clone()).unwrap_or_default(),
            under_constrained: entry.under_constrained,
            stack: bug.as_ref().map(|b| b.stack.clone()).unwrap_or_default(),
            replay: bug.map(|b| b.replay).unwrap_or_default(),
            test,
        });
    }
}

fn add_test(model: &mut Model, sides: &mut Sides, name: String, path: String, test: &TestFile) {
    let position = model.tests.len();
    let taken: Vec<usize> = test.new_sides.iter().filter_map(|s| sides.position(model, s)).collect();
    for side in &taken {
        model.sides[*side].test.get_or_insert(position);
    }
    model.tests.push(Test {
        name,
        path,
        origin: test.origin.clone(),
        parent: None,
        end: end_text(test.end.into()),
        inputs: test.inputs.iter().map(|i| (i.name.clone(), i.text.clone(), i.hex.len() / 2)).collect(),
        sides: taken,
        earned: Earned::of(&test.origin),
    });
}

fn progress(out: &Path) -> Vec<Moment> {
    let text = std::fs::read_to_string(out.join("progress.jsonl")).unwrap_or_default();
    let lines = text.lines().filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
    lines
        .map(|v| Moment {
            seconds: v["seconds"].as_f64().unwrap_or(0.0),
            iterations: v["iterations"].as_u64().unwrap_or(0),
            tests: v["tests"].as_u64().unwrap_or(0) as u32,
        })
        .collect()
}
