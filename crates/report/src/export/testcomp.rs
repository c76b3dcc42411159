//! The XML test suites of the Test-Comp competition.

use super::{Case, Exported, dates};
use crate::test_file::TestFile;
use crate::{FORMAT, atomic, text::markup};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io;
use std::path::Path;

const TESTCOMP: &str = "https://sosy-lab.org/test-format";

pub(super) fn write(to: &Path, target: &str, entry: &str, cases: &[Case], done: &mut Exported) -> io::Result<()> {
    for case in cases {
        atomic::write(&to.join(format!("test-{}.xml", case.name)), testcase(&case.test).as_bytes())?;
        done.files += 1;
    }
    atomic::write(&to.join("metadata.xml"), metadata(target, entry).as_bytes())?;
    done.files += 1;
    Ok(())
}

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
            let _ = writeln!(out, "  <input variable=\"{}\">{}</input>", markup(&input.name), markup(value));
        } else {
            for byte in crate::from_hex(&input.hex).unwrap_or_default() {
                let _ = writeln!(out, "  <input variable=\"{}\">{byte}</input>", markup(&input.name));
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
        markup(target),
        hash(target),
        markup(entry),
        dates::today()
    )
}

/// SHA-256 of the program file; empty when there is none of that name.
fn hash(target: &str) -> String {
    std::fs::read(target).map(|bytes| crate::hex(&Sha256::digest(&bytes))).unwrap_or_default()
}
