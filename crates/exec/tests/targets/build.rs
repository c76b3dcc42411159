//! Builds small targets with the real runtime, once per test program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Programs are built one at a time.
fn building() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|e| e.into_inner())
}

pub fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("exec-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    })
}

fn must(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

fn clang() -> Command {
    Command::new("clang-22")
}

/// The runtime as it ships, in a target folder of its own: the tests' one is in use.
fn runtime() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime");
        must(
            Command::new(env!("CARGO"))
                .args(["build", "--quiet", "--offline", "--profile", "runtime", "-p", "symcrete-runtime", "--target-dir"])
                .arg(&to)
                .current_dir(here("../.."))
                .env_remove("RUSTFLAGS"),
        );
        to.join("runtime/libsymcrete_runtime.a")
    })
}

/// A program without the runtime.
pub fn plain(source: &Path) -> PathBuf {
    let _one = building();
    let to = folder().join(format!("plain-{}", source.file_stem().unwrap().to_str().unwrap()));
    if !to.exists() {
        must(Command::new("cc").args(["-O0", "-w", "-o"]).arg(&to).arg(source));
    }
    to
}

/// A program linked with the runtime as the compiler wrapper links it, not instrumented.
pub fn linked(source: &Path) -> PathBuf {
    let _one = building();
    let to = folder().join(format!("linked-{}", source.file_stem().unwrap().to_str().unwrap()));
    if to.exists() {
        return to;
    }
    let piece = |name: &str| {
        let object = folder().join(format!("{name}.{}.o", source.file_stem().unwrap().to_str().unwrap()));
        let from = here("../runtime/c").join(format!("{name}.c"));
        must(clang().args(["-O1", "-c", "-o"]).arg(&object).arg(from));
        object
    };
    let program = to.with_extension("o");
    must(clang().args(["-O0", "-w", "-I"]).arg(here("../runtime/include")).args(["-c", "-o"]).arg(&program).arg(source));
    let text = std::fs::read_to_string(source).unwrap();
    let mut link = clang();
    link.args(["-fuse-ld=lld", "-Wl,-z,nostart-stop-gc", "-o"]).arg(&to);
    link.arg(piece("begin")).arg(&program).arg(piece("requests"));
    if !text.contains("int main(") {
        link.arg(piece("main"));
    }
    link.arg(runtime()).arg(piece("end"));
    must(&mut link);
    to
}
