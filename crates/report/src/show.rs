//! `symcrete show`: a test or a bug for a person.

use crate::Contents;
use crate::bug_folder::{BugFile, text as bug_text};
use crate::test_file::{ReadError, TestFile, end_text};
use crate::text::shell_word;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One decision of a run, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub place: String,
    pub kind: String,
    pub function: String,
}

/// The test file that a path means: a test, its raw bytes, or a bug's folder.
pub fn test_path(path: &Path) -> PathBuf {
    if path.is_dir() {
        return path.join("test.json");
    }
    if path.extension().is_some_and(|e| e == "bin") { path.with_extension("json") } else { path.to_owned() }
}

/// The text of a test or of a bug's folder. `sides`: what a run of it takes, where that is known.
pub fn show(path: &Path, sides: Option<&[Taken]>) -> Result<String, ReadError> {
    let file = test_path(path);
    let test = TestFile::read(&file)?;
    let bug = file.parent().map(|p| p.join("bug.json")).and_then(|p| std::fs::read(p).ok());
    let mut out = match bug.and_then(|text| serde_json::from_slice::<BugFile>(&text).ok()) {
        Some(bug) => bug_text(&bug, &test),
        None => plain(&test),
    };
    let _ = writeln!(out, "\norigin\n  {}", test.origin);
    if !test.new_sides.is_empty() {
        out.push_str("\nnew branches\n");
        for side in &test.new_sides {
            let _ = writeln!(out, "  {side}");
        }
    }
    if let Some(sides) = sides {
        out.push_str("\nbranches taken\n");
        for (taken, times) in folded(sides) {
            let again = if times > 1 { format!("  × {times}") } else { String::new() };
            let _ = writeln!(out, "  {:<28} {:<8} {}{again}", taken.place, taken.kind, taken.function);
        }
    }
    Ok(out)
}

/// All that an output folder holds, a line each: what to look at next.
pub fn overview(out: &Path) -> String {
    let contents = Contents::read(out);
    let mut text = format!("{} tests, {} bugs\n", contents.tests.len(), contents.bugs.len());
    if !contents.bugs.is_empty() {
        text.push_str("\nbugs\n");
    }
    for (_, bug) in &contents.bugs {
        let path = out.join(&bug.test);
        let folder = path.parent().unwrap_or(&path);
        let doubt = if bug.under_constrained { " (under-constrained)" } else { "" };
        let _ = writeln!(text, "  {} at {}:{} in {}{doubt}", bug.kind, bug.file, bug.line, bug.function);
        let _ = writeln!(text, "    symcrete show {}", shell_word(&folder.display().to_string()));
    }
    if !contents.tests.is_empty() {
        text.push_str("\ntests\n");
    }
    for (number, test) in &contents.tests {
        let inputs: Vec<String> = test.inputs.iter().map(|input| format!("{} = {}", input.name, input.text)).collect();
        let new = test.new_sides.len();
        let end = end_text(test.end.into());
        let _ = writeln!(text, "  {number:06}  {new:>4} new  {end:<12}  {}", clipped(&inputs.join(", ")));
    }
    for damaged in &contents.damaged {
        let _ = writeln!(text, "\nnot readable: {damaged}");
    }
    text
}

/// So much of a text that a line of a terminal holds it.
fn clipped(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn plain(test: &TestFile) -> String {
    let mut out = format!("ends with {} after {:.3}s\n\ninput\n", end_text(test.end.into()), test.seconds);
    if test.inputs.is_empty() {
        out.push_str("  none\n");
    }
    for input in &test.inputs {
        let _ = writeln!(out, "  {} ({}, {} bytes) = {}", input.name, input.kind, input.hex.len() / 2, input.text);
        for (row, chunk) in crate::from_hex(&input.hex).unwrap_or_default().chunks(16).enumerate().take(64) {
            let digits: Vec<String> = chunk.iter().map(|b| format!("{b:02x}")).collect();
            let letters: String =
                chunk.iter().map(|&b| if (0x20..0x7f).contains(&b) { b as char } else { '.' }).collect();
            let _ = writeln!(out, "    {:06x}  {:<47}  {letters}", row * 16, digits.join(" "));
        }
    }
    out
}

/// Loops repeat the same side many times in a row.
fn folded(sides: &[Taken]) -> Vec<(&Taken, usize)> {
    let mut out: Vec<(&Taken, usize)> = Vec::new();
    for side in sides {
        match out.last_mut() {
            Some((last, count)) if *last == side => *count += 1,
            _ => out.push((side, 1)),
        }
    }
    out
}
