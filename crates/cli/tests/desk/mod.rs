//! A folder to work in, and the staged tool as a user runs it.

// Each file of tests uses a part of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub struct Desk {
    folder: tempfile::TempDir,
    library: PathBuf,
}

impl Desk {
    pub fn new() -> Option<Desk> {
        let Some(stage) = std::env::var_os("SYMCRETE_STAGE").map(PathBuf::from) else {
            eprintln!("no SYMCRETE_STAGE: not tested");
            return None;
        };
        Some(Desk { folder: tempfile::tempdir().unwrap(), library: stage.join("lib/symcrete") })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_symcrete"));
        command
            .args(arguments.split_whitespace())
            .current_dir(self.path())
            .env("SYMCRETE_LIB", &self.library)
            .env("NO_COLOR", "1");
        command
    }

    pub fn output(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Everything that was said, after checking the exit code.
    #[track_caller]
    pub fn run(&self, arguments: &str, code: i32) -> String {
        let output = self.output(arguments);
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "symcrete {arguments}\n{text}");
        text
    }

    pub fn json(&self, path: &str) -> serde_json::Value {
        let text = std::fs::read(self.path().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        serde_json::from_slice(&text).unwrap()
    }

    pub fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path().join(folder))
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}
