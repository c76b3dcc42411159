//! Exit codes: scripts rely on them, so they are all here.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit(pub u8);

/// Done, no bug.
pub const DONE: Exit = Exit(0);
/// Done, bugs found; `replay`: a recorded outcome changed.
pub const FOUND: Exit = Exit(1);
/// Wrong use or bad input.
pub const USE: Exit = Exit(2);
/// Something is missing on this machine.
pub const MISSING: Exit = Exit(3);
/// Our own fault.
pub const FAULT: Exit = Exit(4);
/// `reach`: proved that no input gets there.
pub const UNREACHABLE: Exit = Exit(10);
/// `reach`: neither.
pub const UNKNOWN: Exit = Exit(11);
/// Interrupted, results kept.
pub const INTERRUPTED: Exit = Exit(130);

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.0)
    }
}
