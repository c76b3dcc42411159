//! Commands and options of later versions: refused by name, never ignored.

use crate::failure::Failure;
use crate::options::{Later, Run};

/// The same where `--jobs` has a meaning.
pub fn refuse_all_but_jobs(run: &Run) -> Result<(), Failure> {
    refuse_given(run, false)
}

/// The first option of `run` that this version does not have.
pub fn refuse(run: &Run) -> Result<(), Failure> {
    refuse_given(run, true)
}

fn refuse_given(run: &Run, with_jobs: bool) -> Result<(), Failure> {
    let Later { jobs, tui } = &run.later;
    let given = [("--jobs above 1", with_jobs && jobs.is_some_and(|j| j > 1)), ("--tui", *tui)];
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::not_yet(name)),
        None => Ok(()),
    }
}
