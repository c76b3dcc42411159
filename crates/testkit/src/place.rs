//! Where the checkout, the staged tool and scratch space are. Read once, by the test programs.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Debug)]
pub struct Places {
    /// The checkout; commands run here, so that paths in messages are short.
    pub root: PathBuf,
    /// `bin/symcrete` and what belongs to it.
    pub stage: PathBuf,
    /// Kept between runs.
    pub cache: PathBuf,
    /// The clang that the tool is to use; its own choice otherwise. What judges it stays the same.
    pub clang: Option<PathBuf>,
}

impl Places {
    /// `stage` is what `SYMCRETE_STAGE` says, if it does.
    pub fn new(stage: Option<PathBuf>, cache: &Path) -> Result<Places> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        let stage = stage.unwrap_or_else(|| root.join("target/stage"));
        let places = Places { root, stage, cache: cache.to_owned(), clang: None };
        if !places.symcrete().exists() {
            bail!("{} is missing: `make build` makes it, SYMCRETE_STAGE may name another", places.symcrete().display());
        }
        Ok(places)
    }

    pub fn symcrete(&self) -> PathBuf {
        self.stage.join("bin/symcrete")
    }

    /// A command of the tool, run in the checkout.
    pub fn tool(&self) -> Command {
        let mut command = Command::new(self.symcrete());
        command.current_dir(&self.root);
        if let Some(clang) = &self.clang {
            command.env("SYMCRETE_CLANG", clang);
        }
        command
    }

    pub fn include(&self) -> PathBuf {
        self.stage.join("include/symcrete")
    }

    pub fn cases(&self) -> PathBuf {
        self.root.join("tests/cases")
    }
}
