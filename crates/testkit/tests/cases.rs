//! One test per case of `tests/cases` and revision; `SYMCRETE_TEST=all` runs each under every strategy.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use symcrete_testkit::{Case, Places, Revision, judge, tool};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}

fn trials() -> anyhow::Result<Vec<Trial>> {
    let stage = std::env::var_os("SYMCRETE_STAGE").map(PathBuf::from);
    let places = Arc::new(Places::new(stage, Path::new(env!("CARGO_TARGET_TMPDIR")))?);
    let everything = std::env::var("SYMCRETE_TEST").is_ok_and(|v| v == "all");
    let strategies = if everything { tool::strategies(&places)? } else { vec![] };
    let mut trials = vec![];
    for case in Case::all(&places.root)? {
        let case = Arc::new(case);
        for revision in &case.revisions {
            trials.push(trial(&places, &case, revision.clone()));
            // A gap asserts what one way of searching does today.
            if case.should.is_some() {
                continue;
            }
            for strategy in strategies.iter().filter(|s| revision.strategy().unwrap_or("auto") != s.as_str()) {
                trials.push(trial(&places, &case, revision.under(strategy)));
            }
        }
    }
    Ok(trials)
}

fn trial(places: &Arc<Places>, case: &Arc<Case>, revision: Revision) -> Trial {
    let name = if revision.name.is_empty() { case.name.clone() } else { format!("{}#{}", case.name, revision.name) };
    let (places, case) = (places.clone(), case.clone());
    Trial::test(name, move || judge(&places, &case, &revision).map_err(Failed::from))
}
