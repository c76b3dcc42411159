//! What is missing on this machine, and the command that installs it.
//!
//! Looks and tries; installs nothing.

use crate::layout::{LLVM, Language, Layout};
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
    for (program, package, language) in
        [("clang", "clang", Some(Language::C)), ("clang++", "clang", Some(Language::Cxx)), ("ld.lld", "lld", None)]
    {
        let found = match language {
            Some(language) => layout.clang(language),
            None => layout.program(program),
        };
        add(
            program,
            match found.map(|path| (version(&path), path)) {
                Ok((Some(text), path)) if text.contains(&format!(" {LLVM}.")) => {
                    State::Fine(path.display().to_string())
                }
                Ok((text, path)) => State::Missing(
                    format!(
                        "{} is not version {LLVM} ({})",
                        path.display(),
                        text.unwrap_or_else(|| "it does not start".into())
                    ),
                    install(package),
                ),
                Err(error) => State::Missing(first_line(&error.to_string()), install(package)),
            },
        );
    }
    for piece in [Layout::PLUGIN, Layout::RUNTIME, Layout::MAIN, Layout::REPLAY, Layout::BEGIN, Layout::END] {
        add(
            piece,
            match layout.piece(piece) {
                Ok(path) => State::Fine(path.display().to_string()),
                Err(error) => State::Missing(
                    first_line(&error.to_string()),
                    "make build, or make install, in symcrete's source folder".into(),
                ),
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
                Err(_) => State::Without(without.into(), install("llvm")),
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

fn install(package: &str) -> String {
    format!("apt-get install {package}-{LLVM}")
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    Some(first_line(&String::from_utf8_lossy(&output.stdout)))
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
