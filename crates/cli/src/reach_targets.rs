//! Targets that others name: the changed lines of a diff, the findings of a static analyser.

use crate::failure::Failure;
use crate::options::Reach as Options;
use std::path::Path;
use std::process::Command;
use symcrete_reach::Target;

/// A line, and what it is called in answers.
pub struct Line {
    pub name: String,
    pub target: Target,
}

/// Every line that `--diff` and `--sarif` name, each once.
pub fn lines(options: &Options) -> Result<Vec<Line>, Failure> {
    let mut lines: Vec<Line> = vec![];
    let changed = options.diff.as_deref().map(changed).transpose()?.unwrap_or_default();
    let found = options.sarif.as_deref().map(findings).transpose()?.unwrap_or_default();
    for line in changed.into_iter().chain(found) {
        if !lines.iter().any(|known| known.name == line.name) {
            lines.push(line);
        }
    }
    Ok(lines)
}

fn changed(revision: &str) -> Result<Vec<Line>, Failure> {
    let output = Command::new("git")
        .args(["diff", "--unified=0", "--no-color", "--no-ext-diff", revision, "--"])
        .output()
        .map_err(|error| Failure::missing(format!("`--diff` needs git: {error}")))?;
    if !output.status.success() {
        // Outside of a repository it says so in a line, and then all its options.
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::wrong_use(format!(
            "--diff {revision}: git: {}",
            words.trim().lines().next().unwrap_or("")
        )));
    }
    Ok(changed_lines(&String::from_utf8_lossy(&output.stdout)))
}

/// The lines that a diff adds or changes, as they are numbered now.
fn changed_lines(diff: &str) -> Vec<Line> {
    let mut lines = vec![];
    let mut file = None;
    for text in diff.lines() {
        if let Some(name) = text.strip_prefix("+++ ") {
            let name = name.trim_end_matches('\t').trim_matches('"');
            file = (name != "/dev/null").then(|| name.strip_prefix("b/").unwrap_or(name).to_owned());
        }
        let Some(range) = text.strip_prefix("@@ ").and_then(|rest| rest.split(' ').find_map(|w| w.strip_prefix('+')))
        else {
            continue;
        };
        let (first, count) = range.split_once(',').unwrap_or((range, "1"));
        let (Some(file), Ok(first), Ok(count)) = (&file, first.parse::<u32>(), count.parse::<u32>()) else { continue };
        lines.extend(
            (first..first.saturating_add(count))
                .map(|line| Line { name: format!("{file}:{line}"), target: Target::Line { file: file.clone(), line } }),
        );
    }
    lines
}

fn findings(path: &Path) -> Result<Vec<Line>, Failure> {
    let wrong = |why: String| Failure::wrong_use(format!("--sarif {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let whole: serde_json::Value = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let runs = whole["runs"].as_array().ok_or_else(|| wrong("no `runs`: is it a SARIF file?".into()))?;
    let mut lines = vec![];
    for result in runs.iter().filter_map(|run| run["results"].as_array()).flatten() {
        let place = &result["locations"][0]["physicalLocation"];
        let (Some(file), Some(line)) =
            (place["artifactLocation"]["uri"].as_str(), place["region"]["startLine"].as_u64())
        else {
            let rule = result["ruleId"].as_str().unwrap_or("finding");
            eprintln!("note: a finding in {} names no file and line, and is left out ({rule})", path.display());
            continue;
        };
        let file = decoded(file.strip_prefix("file://").unwrap_or(file));
        let rule = result["ruleId"].as_str().unwrap_or("finding");
        let name = format!("{file}:{line} ({rule})");
        lines.push(Line { name, target: Target::Line { file, line: line as u32 } });
    }
    Ok(lines)
}

/// A path as it is, of one as addresses have it: `%20` is a space. What is no such escape stays.
fn decoded(uri: &str) -> String {
    let mut bytes = vec![];
    let mut rest = uri.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = (*first == b'%').then(|| std::str::from_utf8(tail.get(..2)?).ok()).flatten();
        let byte = escape.filter(|two| two.bytes().all(|b| b.is_ascii_hexdigit()));
        match byte.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_in_addresses_are_decoded() {
        assert_eq!(decoded("a%20b/%C3%A9.c"), "a b/é.c");
        for same in ["a.c", "100%", "a%2", "a%zz", "%+1"] {
            assert_eq!(decoded(same), same);
        }
    }

    #[test]
    fn a_diff_names_the_lines_that_are_there_now() {
        let diff = "diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -3 +3,2 @@ int f\n-a\n+b\n+c\n@@ -9,2 +10,0 @@\n-d\n-e\n\
                    diff --git a/y.c b/y.c\n--- a/y.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let names: Vec<String> = changed_lines(diff).into_iter().map(|line| line.name).collect();
        assert_eq!(names, ["x.c:3", "x.c:4"]);
    }
}
