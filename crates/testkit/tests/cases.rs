//! One test per case of `tests/cases` and revision, and for cases about what conditions are made of one more with every
//! verdict held against Z3's; `SYMCRETE_TEST=all` runs each under every strategy, and with each solver layer off.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use symcrete_testkit::{Case, Places, Revision, judge, reach, tool};

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
    let layers = if everything { tool::layers(&places)? } else { vec![] };
    let z3 = has_z3();
    if !z3 {
        eprintln!("no Z3 (`make setup` installs it): nothing is cross-checked");
    }
    let mut trials = vec![];
    let older = older_llvm(&places);
    if older.is_none() {
        eprintln!("no clang-{OLDEST}, or no plugin for it (`make setup build`): not tested with LLVM {OLDEST}");
        trials.push(Trial::test(format!("llvm-{OLDEST}"), || Ok(())).with_ignored_flag(true));
    }
    for case in Case::all(&places.root)? {
        let case = Arc::new(case);
        for revision in &case.revisions {
            if case.name.starts_with("reach/") {
                trials.push(trial(&places, &case, revision.clone()));
                continue;
            }
            trials.push(trial(&places, &case, revision.clone()));
            if let Some(older) = older.as_ref().filter(|_| everything || WITH_THE_OLDEST.contains(&&*case.name)) {
                let mut named = revision.clone();
                let dash = if named.name.is_empty() { "" } else { "-" };
                named.name = format!("{}{dash}llvm-{OLDEST}", named.name);
                trials.push(trial(older, &case, named));
            }
            // A gap asserts what one way of searching does today.
            if case.should.is_some() || case.alone.is_some() {
                continue;
            }
            let area = case.name.split('/').next().unwrap_or("");
            if z3 && revision.exit.is_none_or(|code| code < 2) && (everything || CROSS_CHECKED.contains(&area)) {
                trials.push(trial(&places, &case, revision.cross_checked()));
            }
            if !revision.args.iter().any(|argument| argument == "--layers") {
                for off in &layers {
                    let rest: Vec<&str> = layers.iter().filter(|l| *l != off).map(String::as_str).collect();
                    trials.push(trial(
                        &places,
                        &case,
                        revision.with_layers(&format!("without-{off}"), &rest.join(",")),
                    ));
                }
            }
            for strategy in strategies.iter().filter(|s| revision.strategy().unwrap_or("auto") != s.as_str()) {
                trials.push(trial(&places, &case, revision.under(strategy)));
            }
        }
    }
    Ok(trials)
}

/// The oldest LLVM that the plugin is built for, and cases that between them use most of what it does; all of them
/// pass with it (`SYMCRETE_TEST=all`).
const OLDEST: u32 = 19;
const WITH_THE_OLDEST: [&str; 6] =
    ["bugs/undefined", "calls/varargs", "control/signed_switch", "cxx/exceptions", "intrinsics/bits", "tables/base64"];

/// The tool with that LLVM, where both are there.
fn older_llvm(places: &Places) -> Option<Arc<Places>> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let clang =
        std::env::split_paths(&path).map(|folder| folder.join(format!("clang-{OLDEST}"))).find(|p| p.is_file())?;
    let plugin = places.stage.join(format!("lib/symcrete/libsymcrete_plugin-{OLDEST}.so"));
    plugin.is_file().then(|| Arc::new(Places { clang: Some(clang), ..places.clone() }))
}

/// Areas whose cases differ in the terms they make.
const CROSS_CHECKED: [&str; 4] = ["scalars", "floats", "tables", "intrinsics"];

/// Where the tool itself looks for it.
fn has_z3() -> bool {
    let cache = match std::env::var_os("SYMCRETE_CACHE").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/symcrete"),
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::iter::once(cache.join("z3/bin")).chain(std::env::split_paths(&path));
    std::env::var_os("SYMCRETE_Z3").is_some() || folders.any(|folder| folder.join("z3").is_file())
}

fn trial(places: &Arc<Places>, case: &Arc<Case>, revision: Revision) -> Trial {
    let name = if revision.name.is_empty() { case.name.clone() } else { format!("{}#{}", case.name, revision.name) };
    let (places, case) = (places.clone(), case.clone());
    let judge = if case.name.starts_with("reach/") { reach::judge } else { judge };
    Trial::test(name, move || judge(&places, &case, &revision).map_err(Failed::from))
}
