//! The folder of `--log-queries`: one SMT-LIB file for each distinct query, numbered.
//!
//! Must never mix the queries of two runs, nor write over anything it did not make.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum QueryFolderError {
    #[error("--log-queries {folder}: cannot be written: {error}")]
    Unwritable { folder: String, error: io::Error },
    #[error("--log-queries {folder}: holds queries already; name a new or empty folder")]
    Used { folder: String },
}

#[derive(Debug)]
pub struct QueryFolder {
    path: PathBuf,
}

impl QueryFolder {
    /// Makes the folder where there is none, and sees that files can be made in it.
    pub fn open(path: &Path) -> Result<QueryFolder, QueryFolderError> {
        let folder = path.display().to_string();
        let used = |entry: io::Result<std::fs::DirEntry>| {
            entry.is_ok_and(|entry| entry.path().extension().is_some_and(|ext| ext == "smt2"))
        };
        let probe = path.join(".writable");
        let found = std::fs::create_dir_all(path)
            .and_then(|()| std::fs::write(&probe, ""))
            .and_then(|()| std::fs::remove_file(&probe))
            .and_then(|()| Ok(std::fs::read_dir(path)?.any(used)));
        match found {
            Ok(false) => Ok(QueryFolder { path: path.canonicalize().unwrap_or_else(|_| path.to_owned()) }),
            Ok(true) => Err(QueryFolderError::Used { folder }),
            Err(error) => Err(QueryFolderError::Unwritable { folder, error }),
        }
    }

    pub fn keep(&self, number: u64, script: &str) -> io::Result<()> {
        std::fs::write(self.path.join(format!("{number:06}.smt2")), script)
    }
}
