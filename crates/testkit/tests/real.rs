//! Other people's programs keep their behaviour: each test is a script of `tests/real`, which fetches, builds and
//! judges one of them with the staged tool. A script that fails says why; nothing is skipped silently.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn script(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let stage = std::env::var_os("SYMCRETE_STAGE").map_or_else(|| root.join("target/stage"), PathBuf::from);
    let stage =
        stage.canonicalize().unwrap_or_else(|e| panic!("no staged tool in {}: {e}; run `make build`", stage.display()));
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real");
    std::fs::create_dir_all(&work).expect("a folder for builds");
    let output = Command::new(root.join("tests/real").join(name).with_extension("sh"))
        .env("STAGE", stage)
        .env("WORK", work)
        .stdin(Stdio::null())
        .output()
        .expect("bash");
    let said = [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)].concat();
    assert!(output.status.success(), "{}\n{said}", output.status);
    println!("{said}");
}

#[test]
fn programs_of_csmith_print_the_native_checksum() {
    script("csmith");
}

#[test]
fn expat_passes_its_own_tests_and_is_explored() {
    script("expat");
}

#[test]
fn a_cpp_library_passes_its_own_tests() {
    script("tinyxml2");
}

#[test]
fn an_interpreter_and_a_compressor_say_the_same() {
    script("small");
}

/// Compiling SQLite takes minutes: part of `make test-all` only.
#[test]
fn sqlite_answers_the_same() {
    if std::env::var("SYMCRETE_TEST").is_ok_and(|v| v == "all") {
        script("sqlite");
    }
}
