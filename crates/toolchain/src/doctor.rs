//! What is missing on this machine, and the command that installs it.
//!
//! Looks and tries; installs nothing.

use crate::layout::{Language, Layout};
use crate::llvm::VERSIONS;
use crate::wrapper;
use std::path::Path;
use std::process::Command;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Present; the detail says where or which.
    Fine(String),
    /// Needed; the second text is what to do.
    Missing(String, String),
    /// Useful, not needed: what works less without it, and what to do.
    Without(String, String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub what: String,
    pub state: State,
}

impl Finding {
    pub fn is_missing(&self) -> bool {
        matches!(self.state, State::Missing(..))
    }
}

/// Everything there is to know, in the order of need.
pub fn examine(layout: &Layout) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |what: &str, state| findings.push(Finding { what: what.into(), state });
    for finding in llvms(layout) {
        add(&finding.what, finding.state);
    }
    for (program, found) in [("clang++", layout.clang(Language::Cxx)), ("ld.lld", layout.program("ld.lld"))] {
        let package = if program == "ld.lld" { "lld" } else { "clang" };
        let state = match found.map(|path| (starts(&path), path)) {
            Ok((true, path)) => State::Fine(path.display().to_string()),
            Ok((false, path)) => State::Missing(format!("{} does not start", path.display()), install(layout, package)),
            Err(error) => State::Missing(first_line(&error.to_string()), install(layout, package)),
        };
        add(program, state);
    }
    for piece in [Layout::RUNTIME, Layout::MAIN, Layout::REPLAY, Layout::BEGIN, Layout::END] {
        add(
            piece,
            match layout.piece(piece) {
                Ok(path) => State::Fine(path.display().to_string()),
                Err(error) => State::Missing(first_line(&error.to_string()), REBUILD.into()),
            },
        );
    }
    add(
        "symcrete.h",
        match layout.include() {
            Some(path) => State::Fine(path.display().to_string()),
            None => State::Without(
                "programs cannot ask for input in their source".into(),
                "make install in symcrete's source folder".into(),
            ),
        },
    );
    add("a C program", compile_and_run(layout));
    for (program, without) in [
        ("llvm-cov", "coverage cannot be cross-checked"),
        ("llvm-symbolizer", "sanitizer reports have no line numbers"),
    ] {
        add(
            program,
            match layout.program(program) {
                Ok(path) => State::Fine(path.display().to_string()),
                Err(_) => State::Without(without.into(), install(layout, "llvm")),
            },
        );
    }
    add(
        "gdb",
        match layout.any_program("gdb") {
            Some(path) => State::Fine(path.display().to_string()),
            None => State::Without("`symcrete replay --gdb` does not work".into(), "apt-get install gdb".into()),
        },
    );
    add(
        "/dev/shm",
        match tempfile::tempfile_in("/dev/shm") {
            Ok(_) => State::Fine("can be written".into()),
            Err(error) => State::Without(
                format!("{error}: anonymous memory is used instead"),
                "mount -t tmpfs tmpfs /dev/shm".into(),
            ),
        },
    );
    add(
        "Landlock",
        match std::fs::read_to_string("/sys/kernel/security/lsm") {
            Ok(list) if list.contains("landlock") => State::Fine("in the kernel".into()),
            _ => State::Without(
                "programs under test may be able to write outside their folder".into(),
                "a kernel from 5.13 on with landlock in its lsm= list".into(),
            ),
        },
    );
    findings
}

const REBUILD: &str = "make build, or make install, in symcrete's source folder";

/// Every version of LLVM that could be used: whether it is, and what it lacks.
fn llvms(layout: &Layout) -> Vec<Finding> {
    let (chosen, plugin) = (layout.llvm(), layout.plugin());
    let plugins = layout.plugins();
    let mut findings = Vec::new();
    let mut add = |what: String, state| findings.push(Finding { what, state });
    match (&chosen, &plugin) {
        (Ok(llvm), Ok(plugin)) => add(
            llvm.version.map_or("LLVM".into(), |v| format!("LLVM {v}")),
            State::Fine(format!("used: {} with {}", llvm.clang.display(), plugin.display())),
        ),
        (_, Err(error)) | (Err(error), _) => {
            let repair = if plugins.is_empty() { REBUILD.into() } else { install(layout, "clang") };
            add("LLVM".into(), State::Missing(first_line(&error.to_string()), repair));
        }
    }
    let used = chosen.ok().filter(|_| plugin.is_ok()).and_then(|llvm| llvm.version);
    let mut neither = Vec::new();
    for version in VERSIONS.into_iter().filter(|v| Some(*v) != used) {
        let what = format!("LLVM {version}");
        match (layout.program_of("clang", version), plugins.contains(&version)) {
            (Some(clang), true) => {
                add(what, State::Fine(format!("not used; SYMCRETE_CLANG={} uses it", clang.display())));
            }
            (Some(clang), false) => add(
                what,
                State::Without(
                    format!("{} has no plugin here", clang.display()),
                    format!("apt-get install llvm-{version}-dev, then {REBUILD}"),
                ),
            ),
            (None, true) => add(
                what,
                State::Without(
                    "a plugin is here, its clang is not".into(),
                    format!("apt-get install clang-{version} lld-{version}"),
                ),
            ),
            (None, false) => neither.push(version),
        }
    }
    if !neither.is_empty() {
        let list = neither.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let packages = neither.iter().map(|v| format!("clang-{v} lld-{v} llvm-{v}-dev")).collect::<Vec<_>>();
        add(
            format!("LLVM {list}"),
            State::Without(
                "neither clang nor plugin; one LLVM is enough".into(),
                format!("apt-get install {}, then {REBUILD}", packages.join(" or ")),
            ),
        );
    }
    findings
}

/// The package of the version that is used, or would be best.
fn install(layout: &Layout, package: &str) -> String {
    let version = layout.llvm().ok().and_then(|llvm| llvm.version).filter(|v| VERSIONS.contains(v));
    let version = version.or(layout.plugins().first().copied()).unwrap_or(VERSIONS[0]);
    format!("apt-get install {package}-{version}")
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

fn starts(program: &Path) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The whole way once: our flags, the plugin, the runtime, a program that runs.
fn compile_and_run(layout: &Layout) -> State {
    let repair = || "see what is missing above; otherwise this is a bug of symcrete, please report it".to_string();
    let tried = || -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        std::fs::write(
            folder.path().join("t.c"),
            "#include <stdio.h>\nint main(void) { return puts(\"fine\") < 0; }\n",
        )
        .map_err(|e| e.to_string())?;
        let arguments = ["t.c", "-o", "t"].map(Into::into).to_vec();
        let invocation =
            wrapper::rewrite(Language::C, arguments, folder.path(), layout).map_err(|e| first_line(&e.to_string()))?;
        let mut command = Command::new(&invocation.program);
        command
            .args(&invocation.arguments)
            .envs(invocation.environment.iter().map(|(k, v)| (k, v)))
            .current_dir(folder.path());
        let output = command.output().map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(format!("does not compile: {}", first_line(&String::from_utf8_lossy(&output.stderr))));
        }
        let output = Command::new(folder.path().join("t")).output().map_err(|e| e.to_string())?;
        if output.stdout != b"fine\n" || !output.status.success() {
            return Err(format!("does not run: {}", output.status));
        }
        Ok(())
    };
    match tried() {
        Ok(()) => State::Fine("compiles and runs".into()),
        Err(why) => State::Missing(why, repair()),
    }
}
