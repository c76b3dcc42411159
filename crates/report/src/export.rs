//! `symcrete export`: tests in the forms other tools read.

use crate::FORMAT;
use crate::folder::Contents;
use crate::test_file::TestFile;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One raw file per test, for libFuzzer and AFL++.
    Corpus,
    /// The XML test suites of the Test-Comp competition.
    TestComp,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    pub files: usize,
    /// Tests that have no form in this format (a corpus of tests with several inputs).
    pub skipped: usize,
}

/// Writes all tests of `out` and the tests of its bugs into `to`.
pub fn export(out: &Path, to: &Path, format: Format, target: &str, entry: &str) -> io::Result<Exported> {
    std::fs::create_dir_all(to)?;
    let contents = Contents::read(out);
    let mut tests: Vec<(String, TestFile)> = contents.tests.into_iter().map(|(n, t)| (format!("{n:06}"), t)).collect();
    for (number, bug) in &contents.bugs {
        if let Ok(test) = TestFile::read(&out.join(&bug.test)) {
            tests.push((format!("bug-{number:04}"), test));
        }
    }
    let mut done = Exported::default();
    for (name, test) in &tests {
        let written = match format {
            Format::Corpus => corpus(to, name, test)?,
            Format::TestComp => {
                crate::atomic::write(&to.join(format!("test-{name}.xml")), testcase(test).as_bytes())?;
                true
            }
        };
        if written {
            done.files += 1;
        } else {
            done.skipped += 1;
        }
    }
    if format == Format::TestComp {
        crate::atomic::write(&to.join("metadata.xml"), metadata(target, entry).as_bytes())?;
        done.files += 1;
    }
    Ok(done)
}

fn corpus(to: &Path, name: &str, test: &TestFile) -> io::Result<bool> {
    let objects = test.objects().unwrap_or_default();
    let [only] = objects.as_slice() else { return Ok(false) };
    crate::atomic::write(&to.join(name), &only.bytes)?;
    Ok(true)
}

const TESTCOMP: &str = "https://sosy-lab.org/test-format";

fn testcase(test: &TestFile) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
    let _ = writeln!(
        out,
        "<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN\" \"{TESTCOMP}/testcase-1.1.dtd\">\n<testcase>"
    );
    for input in &test.inputs {
        // Numbers as the program's `__VERIFIER_nondet_*` returned them; anything else byte by byte.
        if ["signed", "unsigned", "float", "bool"].contains(&input.kind.as_str()) {
            let value = match input.text.as_str() {
                "true" => "1",
                "false" => "0",
                text => text,
            };
            let _ = writeln!(out, "  <input variable=\"{}\">{}</input>", escape(&input.name), escape(value));
        } else {
            for byte in crate::from_hex(&input.hex).unwrap_or_default() {
                let _ = writeln!(out, "  <input variable=\"{}\">{byte}</input>", escape(&input.name));
            }
        }
    }
    out.push_str("</testcase>\n");
    out
}

fn metadata(target: &str, entry: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.1//EN\" \"{TESTCOMP}/test-metadata-1.1.dtd\">\n\
         <test-metadata>\n  <sourcecodelang>C</sourcecodelang>\n  <producer>symcrete {version} (format {FORMAT})</producer>\n\
         \u{20} <specification>COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )</specification>\n\
         \u{20} <programfile>{}</programfile>\n  <programhash>{}</programhash>\n  <entryfunction>{}</entryfunction>\n\
         \u{20} <architecture>64bit</architecture>\n  <creationtime>{}</creationtime>\n</test-metadata>\n",
        escape(target),
        hash(target),
        escape(entry),
        date(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs()))
    )
}

/// SHA-256 of the program file; empty when there is none of that name.
fn hash(target: &str) -> String {
    std::fs::read(target).map(|bytes| crate::hex(&Sha256::digest(&bytes))).unwrap_or_default()
}

/// `2026-11-15T18:00:00Z`, of seconds since 1970.
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86400, seconds % 86400);
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let (mut year, mut day) = (1970, days);
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    format!("{year}-{:02}-{:02}T{:02}:{:02}:{:02}Z", month + 1, day + 1, rest / 3600, rest / 60 % 60, rest % 60)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_with_the_system() {
        for seconds in [0u64, 951_782_400, 951_868_799, 1_709_164_800, 1_794_767_657, 4_102_444_799] {
            let output = std::process::Command::new("date")
                .args(["-u", "+%Y-%m-%dT%H:%M:%SZ", "-d", &format!("@{seconds}")])
                .output()
                .unwrap();
            assert_eq!(date(seconds), String::from_utf8_lossy(&output.stdout).trim());
        }
    }
}
