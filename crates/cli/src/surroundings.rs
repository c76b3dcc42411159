//! What the environment and the descriptors say: the only reader of environment variables beside the
//! target's runtime.

use crate::failure::Failure;
use std::io::IsTerminal;
use std::path::PathBuf;
use symcrete_report::Style;
use symcrete_toolchain::{Layout, Places};

/// Where this tool's pieces and the compiler are.
pub fn layout() -> Layout {
    let executable = std::env::current_exe().and_then(|p| p.canonicalize()).unwrap_or_default();
    Layout::find(Places {
        executable,
        library: std::env::var_os("SYMCRETE_LIB").map(PathBuf::from),
        clang: std::env::var_os("SYMCRETE_CLANG").map(PathBuf::from),
        path: std::env::var_os("PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default(),
    })
}

/// Where the dynamic linker looks first.
pub fn library_path() -> Vec<PathBuf> {
    std::env::var_os("LD_LIBRARY_PATH").map(|p| std::env::split_paths(&p).collect()).unwrap_or_default()
}

/// The cache that `make setup` fills.
fn cache() -> PathBuf {
    match std::env::var_os("SYMCRETE_CACHE").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/symcrete"),
    }
}

/// Z3, for `--cross-check`: where SYMCRETE_Z3 says, in the cache, or on the PATH.
pub fn z3() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("SYMCRETE_Z3") {
        return Some(PathBuf::from(named));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(cache().join("z3/bin")).chain(std::env::split_paths(&path));
    folders.map(|folder| folder.join("z3")).find(|program| program.is_file())
}

/// What installs it.
pub fn z3_command() -> String {
    let folder = cache().join("z3");
    let folder = folder.display();
    format!("python3 -m venv {folder} && {folder}/bin/pip install z3-solver")
}

pub fn folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|e| Failure::wrong_use(format!("the current folder cannot be used: {e}")))
}

pub fn color_on_stderr() -> bool {
    std::io::stderr().is_terminal() && colors_wanted()
}

/// How to write to standard error.
pub fn style() -> Style {
    let terminal = std::io::stderr().is_terminal();
    let dumb = std::env::var_os("TERM").is_none_or(|t| t == "dumb");
    let width = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or_else(terminal_width);
    Style { live: terminal && !dumb, color: terminal && colors_wanted(), width }
}

/// Whether there is a terminal to draw on and to read keys from; why not, otherwise.
pub fn whole_screen() -> Result<(), String> {
    if !std::io::stderr().is_terminal() || !std::io::stdin().is_terminal() {
        return Err("standard input and standard error are no terminal".into());
    }
    match std::env::var_os("TERM") {
        Some(term) if term != "dumb" && !term.is_empty() => Ok(()),
        Some(term) => Err(format!("TERM is `{}`", term.to_string_lossy())),
        None => Err("TERM is not set".into()),
    }
}

fn colors_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

fn terminal_width() -> usize {
    rustix::termios::tcgetwinsize(std::io::stderr())
        .ok()
        .map(|w| usize::from(w.ws_col))
        .filter(|w| *w > 20)
        .unwrap_or(80)
}
