//! `bugs/0001-KIND-file-line/`: the test, the place, the stack and the command that shows it again.

use crate::FORMAT;
use crate::atomic;
use crate::names::SideNames;
use crate::test_file::{TestFile, end_text};
use crate::text::shell_word;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::io;
use std::path::Path;
use symcrete_event::Bug;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BugFile {
    pub format: u32,
    pub kind: String,
    pub file: String,
    pub line: u32,
    pub function: String,
    pub detail: String,
    pub under_constrained: bool,
    pub stack: Vec<String>,
    pub replay: String,
}

impl BugFile {
    /// Of the bug whose test this is.
    pub fn beside(test: &Path) -> Option<BugFile> {
        serde_json::from_slice(&std::fs::read(test.parent()?.join("bug.json")).ok()?).ok()
    }
}

/// `0001-abort-parser.c-214`.
pub fn folder_name(bug: &Bug<'_>) -> String {
    let file = Path::new(bug.file).file_name().and_then(|n| n.to_str()).unwrap_or("unknown");
    let file: String =
        file.chars().map(|c| if c.is_ascii_alphanumeric() || ".-_+".contains(c) { c } else { '_' }).collect();
    format!("{:04}-{}-{file}-{}", bug.number, bug.kind.slug(), bug.line)
}

/// Writes the folder below `bugs`; `out` is the output folder as the user would type it.
pub fn write(out: &Path, bug: &Bug<'_>, names: &SideNames) -> io::Result<()> {
    let name = folder_name(bug);
    let folder = out.join("bugs").join(&name);
    std::fs::create_dir_all(&folder)?;
    let test = TestFile::new(&bug.test, names);
    // The input first: it is what must not be lost.
    if let [only] = bug.test.inputs {
        atomic::write(&folder.join("test.bin"), &only.bytes)?;
    }
    atomic::write_json(&folder.join("test.json"), &test)?;
    let file = BugFile {
        format: FORMAT,
        kind: bug.kind.slug().into(),
        file: bug.file.into(),
        line: bug.line,
        function: bug.function.into(),
        detail: bug.detail.into(),
        under_constrained: bug.under_constrained,
        stack: bug.stack.to_vec(),
        replay: format!("symcrete replay {}", shell_word(&folder.display().to_string())),
    };
    atomic::write_json(&folder.join("bug.json"), &file)?;
    atomic::write(&folder.join("report.txt"), text(&file, &test).as_bytes())
}

/// `parser.c:214 in parse_value`.
pub fn place(file: &str, line: u32, function: &str) -> String {
    let mut text = if file.is_empty() { "unknown place".to_string() } else { format!("{file}:{line}") };
    if !function.is_empty() {
        text.push_str(&format!(" in {function}"));
    }
    text
}

pub(crate) fn text(bug: &BugFile, test: &TestFile) -> String {
    let mut out = format!("{} at {}\n", bug.kind, place(&bug.file, bug.line, &bug.function));
    if !bug.detail.is_empty() {
        let _ = writeln!(out, "  {}", bug.detail);
    }
    if bug.under_constrained {
        out.push_str("  under-constrained: needs parameters that no caller may ever pass\n");
    }
    let _ = writeln!(out, "ends with {}", end_text(test.end.into()));
    out.push_str("\ninput\n");
    for input in &test.inputs {
        let _ = writeln!(out, "  {} = {}", input.name, input.text);
    }
    if !bug.stack.is_empty() {
        out.push_str("\nstack\n");
        for (index, frame) in bug.stack.iter().enumerate() {
            let _ = writeln!(out, "  #{index} {frame}");
        }
    }
    let _ = write!(out, "\nreplay\n  {}\n  {} --gdb\n", bug.replay, bug.replay);
    out
}
