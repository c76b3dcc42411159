//! JUnit's XML, as CI servers read it: a kept test is a case that passed, a bug one that failed. Of reach verdicts
//! the unknown ones are skipped: whether *reached* or *unreachable* is the good news only the user knows.

use super::findings::{Findings, how_to_see, sentence};
use super::{Exported, dates};
use crate::atomic;
use crate::text::markup;
use std::fmt::Write;
use std::io;
use std::path::Path;

pub(super) fn write(to: &Path, findings: &Findings<'_>, done: &mut Exported) -> io::Result<()> {
    atomic::write(&to.join("junit.xml"), document(findings, &dates::today()).as_bytes())?;
    done.files += 1;
    Ok(())
}

#[derive(Default)]
struct Suite {
    cases: String,
    tests: usize,
    failures: usize,
    skipped: usize,
    seconds: f64,
}

impl Suite {
    fn case(&mut self, class: &str, name: &str, seconds: f64, inner: &str) {
        self.tests += 1;
        self.seconds += seconds;
        let head =
            format!("    <testcase classname=\"{}\" name=\"{}\" time=\"{seconds:.6}\"", markup(class), markup(name));
        let _ = match inner {
            "" => writeln!(self.cases, "{head}/>"),
            inner => writeln!(self.cases, "{head}>\n{inner}    </testcase>"),
        };
    }
}

fn document(findings: &Findings<'_>, date: &str) -> String {
    let mut suite = Suite::default();
    let (name, said) = match findings {
        Findings::Campaign { cases, target, summary, .. } => {
            for case in *cases {
                let inner = case.bug.as_ref().map(|bug| {
                    suite.failures += 1;
                    let mut text = how_to_see(bug, &case.test);
                    if !bug.stack.is_empty() {
                        let _ = write!(text, "\nstack\n  {}", bug.stack.join("\n  "));
                    }
                    let (message, kind) = (markup(&sentence(bug)), markup(&bug.kind));
                    format!("      <failure message=\"{message}\" type=\"{kind}\">{}</failure>\n", markup(&text))
                });
                suite.case(target, &case.name, case.test.seconds, &inner.unwrap_or_default());
            }
            let said = summary.map(|s| format!("{} of {} branches", s.branches_covered, s.branches_total));
            (target.to_string(), said.unwrap_or_else(|| "the run was cut short: no summary".into()))
        }
        Findings::Reach(file) => {
            for target in &file.targets {
                let inner = match target.verdict.as_str() {
                    "reached" | "unreachable" => String::new(),
                    _ => {
                        suite.skipped += 1;
                        format!("      <skipped message=\"{}\"/>\n", markup(&target.sentence()))
                    }
                };
                let name = format!("{} {}", target.target, target.verdict);
                suite.case("reach", &name, target.seconds, &inner);
            }
            ("reach".into(), String::new())
        }
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite id=\"0\" package=\"symcrete\" \
         name=\"{}\" timestamp=\"{}\" hostname=\"localhost\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" \
         time=\"{:.6}\">\n    <properties/>\n{}    <system-out>{}</system-out>\n    <system-err/>\n  </testsuite>\n\
         </testsuites>\n",
        markup(&name),
        date.trim_end_matches('Z'),
        suite.tests,
        suite.failures,
        suite.skipped,
        suite.seconds,
        suite.cases,
        markup(&said)
    )
}
