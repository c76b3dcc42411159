//! Why a build did not come out.

use crate::entry::EntryError;
use crate::harness::HarnessError;
use crate::layout::LayoutError;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("{}: {reason}", path.display())]
    Source { path: PathBuf, reason: String },
    /// clang's own words, to be shown as they are.
    #[error("{what} did not compile")]
    Compile { what: String, diagnostics: Vec<u8> },
    #[error("the program did not link")]
    Link { diagnostics: Vec<u8> },
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Harness(#[from] HarnessError),
    #[error(transparent)]
    InputFunction(#[from] crate::input_functions::InputFunctionError),
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error("cannot start {program}: {source}")]
    Start { program: String, source: io::Error },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{target} cannot be rebuilt plainly: {why}")]
    Recorded { target: String, why: String },
}

impl BuildError {
    /// What clang said, if it was clang that refused.
    pub fn diagnostics(&self) -> Option<&[u8]> {
        match self {
            BuildError::Compile { diagnostics, .. } | BuildError::Link { diagnostics } => Some(diagnostics),
            _ => None,
        }
    }

    /// Something is missing on this machine, as opposed to wrong with the target.
    pub fn is_missing_piece(&self) -> bool {
        matches!(self, BuildError::Layout(_) | BuildError::Start { .. })
    }
}
