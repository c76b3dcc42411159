//! What ends a command before its time: a message, and the exit code that goes with it.

use crate::exit::{self, Exit};
use symcrete_report::{FolderError, ReadError};
use symcrete_toolchain::{BuildError, LayoutError};

#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub message: String,
    /// clang's own words, shown before the message as they are.
    pub diagnostics: Vec<u8>,
}

impl Failure {
    pub fn wrong_use(message: impl Into<String>) -> Failure {
        Failure { exit: exit::USE, message: message.into(), diagnostics: Vec::new() }
    }

    pub fn missing(message: impl Into<String>) -> Failure {
        Failure { exit: exit::MISSING, message: message.into(), diagnostics: Vec::new() }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        let exit = if error.is_missing_piece() { exit::MISSING } else { exit::USE };
        Failure { exit, message: error.to_string(), diagnostics: error.diagnostics().unwrap_or_default().to_vec() }
    }
}

impl From<LayoutError> for Failure {
    fn from(error: LayoutError) -> Failure {
        Failure::missing(error.to_string())
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        Failure::wrong_use(error.to_string())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Failure {
        Failure::wrong_use(error.to_string())
    }
}
