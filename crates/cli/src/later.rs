//! Commands and options of later versions: refused by name, never ignored.

use crate::failure::Failure;
use crate::options::{Later, Run};

/// The first option of `run` that this version does not have.
pub fn refuse(run: &Run) -> Result<(), Failure> {
    let Later { tui } = &run.later;
    let given = [("--tui", *tui)];
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::not_yet(name)),
        None => Ok(()),
    }
}
