//! What SARIF and JUnit files are made of: the bugs of an output folder, or the verdicts of `reach --json`.

use super::Case;
use crate::test_file::{TestFile, end_text};
use crate::{BugFile, ReachFile, ReachRow, Summary};
use std::fmt::Write;

impl ReachRow {
    /// `file` and `line` of a target that names them.
    pub fn place(&self) -> Option<(&str, u32)> {
        let (file, line) = self.target.rsplit_once(':')?;
        Some((file, line.parse().ok()?))
    }

    /// The verdict as a sentence.
    pub fn sentence(&self) -> String {
        match self.verdict.as_str() {
            "reached" => match &self.test {
                Some(test) => format!("{} is reached by {test}", self.target),
                None => format!("{} is reached", self.target),
            },
            "unreachable" => format!("{} is proved unreachable", self.target),
            _ => {
                let mut text = format!("whether {} can be reached is unknown", self.target);
                if let Some(obstacle) = &self.obstacle {
                    let _ = write!(text, ": {}", obstacle.what);
                    if !obstacle.file.is_empty() {
                        let _ = write!(text, " at {}:{}", obstacle.file, obstacle.line);
                    }
                }
                text
            }
        }
    }
}

/// What is written down.
pub(super) enum Findings<'a> {
    /// All tests; those of bugs are findings.
    Campaign {
        cases: &'a [Case],
        target: &'a str,
        folder: &'a str,
        summary: Option<&'a Summary>,
    },
    Reach(&'a ReachFile),
}

/// `abort at parser.c:214 in parse_value`, with what more is known of it.
pub(super) fn sentence(bug: &BugFile) -> String {
    let place = crate::bug_folder::place(&bug.file, bug.line, &bug.function);
    let mut text = format!("{} at {place}", bug.kind);
    if !bug.detail.is_empty() {
        let _ = write!(text, ": {}", bug.detail);
    }
    if bug.under_constrained {
        text.push_str(" (under-constrained: needs parameters that no caller may ever pass)");
    }
    text
}

/// Input, end and the command that shows a bug again.
pub(super) fn how_to_see(bug: &BugFile, test: &TestFile) -> String {
    let inputs: Vec<String> = test.inputs.iter().map(|i| format!("{} = {}", i.name, i.text)).collect();
    format!("ends with {}\ninput\n  {}\nreplay\n  {}", end_text(test.end.into()), inputs.join("\n  "), bug.replay)
}
