//! Builds small targets with the real runtime, once per test program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

pub fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// One folder for all runs of the tests; whoever builds puts the result in place at once.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exec-targets");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    })
}

/// Builds `name` once in this process.
fn once(name: &str, build: impl FnOnce(&Path)) -> PathBuf {
    static DONE: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let mut done = DONE.lock().unwrap_or_else(|e| e.into_inner());
    let to = folder().join(name);
    if !done.iter().any(|d| d == name) {
        let unfinished = folder().join(format!("{name}.{}", std::process::id()));
        build(&unfinished);
        std::fs::rename(&unfinished, &to).unwrap();
        done.push(name.into());
    }
    to
}

fn stem(source: &Path) -> &str {
    source.file_stem().unwrap().to_str().unwrap()
}

fn must(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

fn clang() -> Command {
    Command::new("clang-22")
}

/// The compiler for the language of a file.
fn compiler(source: &Path) -> Command {
    if is_cxx(source) { Command::new("clang++-22") } else { clang() }
}

fn is_cxx(source: &Path) -> bool {
    source.extension().is_some_and(|e| e == "cpp")
}

/// A plain build of a harness with a `main` that runs it once.
fn once_run(source: &Path, name: &str, flags: &[&str]) -> PathBuf {
    once(&format!("{name}-{}", stem(source)), |to| {
        let main = beside(to, "main.o");
        must(clang().args(["-O1", "-c", "-o"]).arg(&main).arg(here("tests/c/paths/main/one.c")));
        must(compiler(source).args(["-O1", "-w", "-fwrapv"]).args(flags).arg("-o").arg(to).arg(source).arg(&main));
        let _ = std::fs::remove_file(main);
    })
}

/// llvm-cov's answer for one input of a harness.
pub fn covered(source: &Path, input: &[u8]) -> serde_json::Value {
    let program = once_run(source, "covered", &["-fprofile-instr-generate", "-fcoverage-mapping"]);
    let place = tempfile::tempdir().unwrap();
    let (data, raw, merged) = (place.path().join("input"), place.path().join("raw"), place.path().join("merged"));
    std::fs::write(&data, input).unwrap();
    must(Command::new(&program).arg(&data).env("LLVM_PROFILE_FILE", &raw));
    must(Command::new("llvm-profdata-22").args(["merge", "-o"]).arg(&merged).arg(&raw));
    let profile = format!("-instr-profile={}", merged.display());
    let answer = Command::new("llvm-cov-22").args(["export", "-format=text", &profile]).arg(&program).output().unwrap();
    serde_json::from_slice(&answer.stdout).unwrap()
}

/// What a harness that counts its conditions by itself says: line, how often true, how often false.
pub fn counted(source: &Path, input: &[u8]) -> Vec<[u64; 3]> {
    let program = once_run(source, "counted", &["-DCOUNT"]);
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("input");
    std::fs::write(&data, input).unwrap();
    let answer = Command::new(program).arg(data).output().unwrap();
    let text = String::from_utf8(answer.stdout).unwrap();
    let numbers = |line: &str| line.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<u64>>().try_into().unwrap();
    text.lines().map(numbers).collect()
}

/// A piece of the tool as `make build` staged it, where the tests were told of it: nothing is built twice.
fn staged(name: &str) -> Option<PathBuf> {
    let piece = Path::new(&std::env::var_os("SYMCRETE_STAGE")?).join("lib/symcrete").join(name);
    piece.is_file().then_some(piece)
}

/// The runtime as it ships, in a target folder of its own: the tests' one is in use.
fn runtime() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        if let Some(there) = staged("libsymcrete_runtime.a") {
            return there;
        }
        let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime");
        must(
            Command::new(env!("CARGO"))
                .args([
                    "build",
                    "--quiet",
                    "--offline",
                    "--profile",
                    "runtime",
                    "-p",
                    "symcrete-runtime",
                    "--target-dir",
                ])
                .arg(&to)
                .current_dir(here("../.."))
                .env_remove("RUSTFLAGS"),
        );
        to.join("runtime/libsymcrete_runtime.a")
    })
}

/// The compiler plugin, in the tests' own target folder: a workspace build has it there already.
fn plugin() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        if let Some(there) = staged("libsymcrete_plugin-22.so") {
            return there;
        }
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        must(
            Command::new(env!("CARGO"))
                .args(["build", "--quiet", "--offline", "-p", "symcrete-plugin", "--target-dir"])
                .arg(target)
                .current_dir(here("../..")),
        );
        target.join("debug/libsymcrete_plugin.so")
    })
}

/// A program without the runtime.
pub fn plain(source: &Path) -> PathBuf {
    once(&format!("plain-{}", stem(source)), |to| {
        must(clang().args(["-O0", "-w", "-fwrapv", "-o"]).arg(to).arg(source));
    })
}

/// A plain program linked with the replay library.
pub fn replayable(source: &Path) -> PathBuf {
    once(&format!("replayable-{}", stem(source)), |to| {
        let mut compile = clang();
        compile
            .args(["-O0", "-w", "-g", "-rdynamic", "-I"])
            .arg(here("../runtime/include"))
            .arg("-o")
            .arg(to)
            .arg(source);
        for piece in ["replay.c", "replay_report.c", "requests.c", "clocks.c"] {
            compile.arg(here("../runtime/c").join(piece));
        }
        if !std::fs::read_to_string(source).unwrap().contains("int main(") {
            compile.arg(here("../runtime/c/replay_main.c"));
        }
        must(&mut compile);
    })
}

/// A program linked with the runtime as the compiler wrapper links it, not instrumented.
pub fn linked(source: &Path) -> PathBuf {
    once(&format!("linked-{}", stem(source)), |to| link(source, to, &["-O0", "-w"], None))
}

/// A program compiled with the plugin and linked with the runtime. Models of library functions are not
/// part of it: it must do without.
pub fn tracked(source: &Path) -> PathBuf {
    let flags = ["-O2", "-fwrapv", "-fno-delete-null-pointer-checks", "-gline-tables-only"];
    once(&format!("tracked-{}", stem(source)), |to| link(source, to, &flags, Some(plugin())))
}

/// Only the object file: for what looks at the model.
pub fn modelled(source: &Path) -> PathBuf {
    once(&format!("modelled-{}.o", stem(source)), |to| {
        let mut compile = compiler(source);
        compile.args(["-O2", "-w", "-fwrapv", "-gline-tables-only", "-c"]);
        must(compile.arg(format!("-fpass-plugin={}", plugin().display())).arg("-o").arg(to).arg(source));
    })
}

/// A file named after the whole name of another: tests of several processes build side by side.
fn beside(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}.{ending}", path.display()))
}

fn link(source: &Path, to: &Path, flags: &[&str], plugin: Option<&Path>) {
    let piece = |name: &str| {
        let object = beside(to, &format!("{name}.o"));
        let from = here("../runtime/c").join(format!("{name}.c"));
        must(clang().args(["-O1", "-c", "-o"]).arg(&object).arg(from));
        object
    };
    let program = beside(to, "program.o");
    let mut compile = compiler(source);
    compile.args(flags).arg("-I").arg(here("../runtime/include"));
    if let Some(plugin) = plugin {
        compile.arg(format!("-fpass-plugin={}", plugin.display()));
    }
    must(compile.args(["-c", "-o"]).arg(&program).arg(source));
    let mut pieces = vec![piece("begin"), program, piece("requests"), piece("clocks")];
    if !std::fs::read_to_string(source).unwrap().contains("int main(") {
        pieces.push(piece("main"));
    }
    let end = piece("end");
    let mut link = compiler(source);
    link.args(["-fuse-ld=lld", "-Wl,-z,nostart-stop-gc", "-o"]).arg(to).args(&pieces).arg(runtime()).arg(&end);
    must(&mut link);
    for object in pieces.iter().chain([&end]) {
        let _ = std::fs::remove_file(object);
    }
}
