//! Where the pieces of an installed (or freshly built) symcrete lie, seen from its executable.
//!
//! Only looks; never builds or repairs anything.

use crate::llvm::Llvm;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What the caller knows of its surroundings; the command-line tool fills it from the environment.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The running executable, symbolic links resolved.
    pub executable: PathBuf,
    /// Overrides the folder of the runtime's pieces (`SYMCRETE_LIB`).
    pub library: Option<PathBuf>,
    /// Overrides the compiler (`SYMCRETE_CLANG`); the C++ one is found beside it.
    pub clang: Option<PathBuf>,
    /// Folders programs are searched in (`PATH`).
    pub path: Vec<PathBuf>,
}

#[derive(Clone, Debug, thiserror::Error)]
pub enum LayoutError {
    #[error("{what} is missing (looked in {looked})\n  `symcrete doctor` says what to do")]
    Missing { what: String, looked: String },
    #[error("there is no plugin for {clang}, {version} (plugins: {plugins})\n  `symcrete doctor` says what to do")]
    NoPlugin { clang: String, version: String, plugins: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    C,
    Cxx,
}

impl Language {
    /// By the file's ending; what is not known to be C++ is C.
    pub fn of_file(path: &Path) -> Language {
        match path.extension().and_then(|e| e.to_str()) {
            Some("cc" | "cpp" | "cxx" | "c++" | "C" | "cp" | "CPP" | "ii") => Language::Cxx,
            _ => Language::C,
        }
    }
}

/// Files of the runtime, all in one folder.
#[derive(Clone, Debug)]
pub struct Layout {
    pub(crate) places: Places,
    /// `lib/symcrete`.
    pub library: PathBuf,
    /// What [`Layout::llvm`] found out.
    pub(crate) chosen: OnceLock<Result<Llvm, LayoutError>>,
}

impl Layout {
    pub const RUNTIME: &'static str = "libsymcrete_runtime.a";
    /// `main` for targets that have none: a harness entry.
    pub const MAIN: &'static str = "libsymcrete_main.a";
    /// Models of libc functions; separate from the runtime, or part of it.
    pub const MODELS: &'static str = "libsymcrete_models.a";
    /// Answers requests in plain builds, from a file or a test.
    pub const REPLAY: &'static str = "libsymcrete_replay.a";
    pub const BEGIN: &'static str = "begin.o";
    pub const END: &'static str = "end.o";

    /// The library folder is the override, `../lib/symcrete` of an installed tool, or what `make build`
    /// staged beside the executable's cargo folder; the first that exists.
    pub fn find(places: Places) -> Layout {
        let bin = places.executable.parent().map(Path::to_path_buf).unwrap_or_default();
        let candidates = match &places.library {
            Some(folder) => vec![folder.clone()],
            None => ["../lib/symcrete", "../stage/lib/symcrete", "../../stage/lib/symcrete"]
                .iter()
                .map(|p| bin.join(p))
                .collect(),
        };
        let library = candidates.iter().find(|p| p.is_dir()).unwrap_or(&candidates[0]).clone();
        Layout { library: library.canonicalize().unwrap_or(library), places, chosen: OnceLock::new() }
    }

    /// A piece of the runtime, if it is there.
    pub fn piece(&self, name: &str) -> Result<PathBuf, LayoutError> {
        let staged = self.library.join(name);
        if staged.is_file() {
            return Ok(staged);
        }
        // `cargo build` alone leaves them beside the executable.
        let beside = self.places.executable.with_file_name(name);
        if beside.is_file() {
            return Ok(beside);
        }
        Err(LayoutError::Missing { what: name.into(), looked: self.library.display().to_string() })
    }

    /// Folder with `symcrete.h`.
    pub fn include(&self) -> Option<PathBuf> {
        let installed = self.library.join("../../include/symcrete");
        [installed, self.library.join("include")]
            .into_iter()
            .find(|p| p.join("symcrete.h").is_file())
            .map(|p| p.canonicalize().unwrap_or(p))
    }

    /// Any other program on the search path.
    pub fn any_program(&self, name: &str) -> Option<PathBuf> {
        self.places.path.iter().map(|folder| folder.join(name)).find(|p| p.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_found_where_install_puts_them() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("bin")).unwrap();
        std::fs::create_dir_all(root.path().join("lib/symcrete")).unwrap();
        std::fs::create_dir_all(root.path().join("include/symcrete")).unwrap();
        std::fs::write(root.path().join("lib/symcrete/begin.o"), "").unwrap();
        std::fs::write(root.path().join("include/symcrete/symcrete.h"), "").unwrap();
        let layout = Layout::find(Places { executable: root.path().join("bin/symcrete"), ..Places::default() });
        assert!(layout.piece(Layout::BEGIN).is_ok());
        assert!(layout.include().is_some());
        let missing = layout.piece(Layout::END).unwrap_err().to_string();
        assert!(missing.contains("end.o") && missing.contains("symcrete doctor"), "{missing}");
    }
}
