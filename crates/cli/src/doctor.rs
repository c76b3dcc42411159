//! `symcrete doctor`.

use crate::exit::{self, Exit};
use crate::surroundings;
use symcrete_toolchain::doctor::{Finding, State, examine};

pub fn run() -> Exit {
    let mut findings = examine(&surroundings::layout());
    findings.push(Finding {
        what: "z3".into(),
        state: match surroundings::z3() {
            Some(path) => State::Fine(path.display().to_string()),
            None => State::Without("`--cross-check` does not work".into(), surroundings::z3_command()),
        },
    });
    for finding in &findings {
        match &finding.state {
            State::Fine(detail) => println!("  ok       {:<26} {detail}", finding.what),
            State::Missing(why, repair) => println!("  MISSING  {:<26} {why}\n{:39}{repair}", finding.what, ""),
            State::Without(why, repair) => println!("  without  {:<26} {why}\n{:39}{repair}", finding.what, ""),
        }
    }
    let missing = findings.iter().filter(|f| f.is_missing()).count();
    if missing == 0 {
        println!("\neverything that is needed is here");
        exit::DONE
    } else {
        println!("\n{missing} missing");
        exit::MISSING
    }
}
