//! `--project DIR`: which files a project has and how each is compiled, from its `compile_commands.json` (CMake with
//! CMAKE_EXPORT_COMPILE_COMMANDS, Meson, Bear).
//!
//! Only what shapes a program's meaning is taken (macros, include folders, the standard); levels of optimisation,
//! outputs and the compiler itself are ours. How the project links is not in the file.

use crate::arguments::{CommandLine, Role};
use crate::response;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use symcrete_program::plain_path;

pub const DATABASE: &str = "compile_commands.json";

/// One file of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Full path.
    pub file: PathBuf,
    /// Where its command runs.
    pub folder: PathBuf,
    pub flags: Vec<OsString>,
}

#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error(
        "--project {folder}: there is no {DATABASE} in it\n  CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, Meson always, other builds under `bear -- make`"
    )]
    Missing { folder: String },
    #[error("{path}: {reason}")]
    Form { path: String, reason: String },
}

#[derive(Deserialize)]
struct Row {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// The files of a project, each once: a file that is compiled twice is taken as it is first.
pub fn read(folder: &Path) -> Result<Vec<Unit>, ProjectError> {
    let path = folder.join(DATABASE);
    let text = std::fs::read(&path).map_err(|_| ProjectError::Missing { folder: folder.display().to_string() })?;
    let rows: Vec<Row> = serde_json::from_slice(&text)
        .map_err(|e| ProjectError::Form { path: path.display().to_string(), reason: e.to_string() })?;
    let mut units: Vec<Unit> = Vec::new();
    for row in rows {
        let directory = plain_path(&folder.join(&row.directory));
        let file = plain_path(&directory.join(&row.file));
        if units.iter().any(|u| u.file == file) || !crate::build::is_source(&file) {
            continue;
        }
        let words = match (row.arguments, row.command) {
            (Some(words), _) => words.into_iter().map(OsString::from).collect(),
            (None, Some(command)) => response::split(command.as_bytes()),
            (None, None) => Vec::new(),
        };
        units.push(Unit { file, folder: directory, flags: flags(words) });
    }
    Ok(units)
}

/// Of a compiler's command, what other compilers must be told, too.
fn flags(words: Vec<OsString>) -> Vec<OsString> {
    // The compiler, perhaps behind a launcher (`ccache cc …`): everything before the first option.
    let first = words.iter().position(|w| w.as_encoded_bytes().starts_with(b"-")).unwrap_or(words.len());
    let mut line = CommandLine::parse(words[first..].to_vec());
    line.words.retain(|w| matches!(w.role, Role::Other | Role::Language));
    line.words.retain(|w| !w.head().starts_with("-W") && !w.head().starts_with("-fdiagnostics"));
    line.into_arguments()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_commands() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"[
            {"directory": "/p/build", "file": "../src/a b.c", "command": "ccache /usr/bin/cc -DNAME=\"x\\ y\" -I../include -O3 -Wall -std=c11 -MD -MF a.d -o a.o -c '../src/a b.c'"},
            {"directory": "/p/build", "file": "/p/src/b.cc", "arguments": ["c++", "-isystem", "/q", "-c", "/p/src/b.cc", "-o", "b.o", "-flto"]},
            {"directory": "/p/build", "file": "/p/src/b.cc", "arguments": ["c++", "-DTWICE", "/p/src/b.cc"]},
            {"directory": "/p/build", "file": "/p/src/notes.txt", "arguments": ["cat"]}]"#;
        std::fs::write(folder.path().join(DATABASE), text).unwrap();
        let units = read(folder.path()).unwrap();
        let shown: Vec<String> = units.iter().map(|u| format!("{} {:?}", u.file.display(), u.flags)).collect();
        assert_eq!(
            shown,
            [r#"/p/src/a b.c ["-DNAME=x y", "-I../include", "-std=c11"]"#, r#"/p/src/b.cc ["-isystem", "/q"]"#]
        );
        std::fs::write(folder.path().join(DATABASE), "[").unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("compile_commands.json: EOF"));
        assert!(read(Path::new("/nowhere")).unwrap_err().to_string().contains("CMAKE_EXPORT_COMPILE_COMMANDS"));
    }
}
