//! What the environment says: the only reader of environment variables beside the target's runtime.

use std::path::PathBuf;
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
