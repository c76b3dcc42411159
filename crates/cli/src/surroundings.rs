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
