//! Native builds of a case, and runs of them: what the program really does.
//!
//! Nothing of symcrete is in these builds except, for `function` cases, the harness it would write.

use crate::case::{Case, Revision};
use crate::input::{Input, Kind, Object, encode};
use crate::place::Places;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const DRIVER: &str = include_str!("../c/driver.c");
/// The tool compiles programs so that undefined behaviour deletes nothing; so does the judge.
const MEANING: &[&str] = &["-g", "-w", "-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    Plain,
    /// Clang's own source coverage, counters in a shared mapping.
    Coverage,
    Address,
    Undefined,
}

impl Build {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Build::Plain => &["-O1"],
            Build::Coverage => {
                &["-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "-mllvm", "-runtime-counter-relocation"]
            }
            Build::Address => &["-O1", "-fsanitize=address"],
            Build::Undefined => &["-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-fno-wrapv"],
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    Exit(i32),
    Signal(i32),
    Timeout,
}

#[derive(Clone, Debug)]
pub struct Native {
    pub program: PathBuf,
    pub build: Build,
    /// Arguments before those that are input.
    pub arguments: Vec<Object>,
}

impl Native {
    pub fn build(places: &Places, case: &Case, revision: &Revision, build: Build, scratch: &Path) -> Result<Native> {
        let driver = driver(places)?;
        let program = scratch.join(format!("{build:?}").to_lowercase());
        let compiler = if case.is_cxx() { "clang++-22" } else { "clang-22" };
        let mut command = Command::new(compiler);
        command
            .current_dir(&places.root)
            .args(MEANING)
            .arg("-DCASE_NATIVE")
            .args(build.flags())
            .arg("-I")
            .arg(places.include());
        match case.function() {
            Some(function) => {
                let harness = scratch.join(if case.is_cxx() { "harness.cpp" } else { "harness.c" });
                std::fs::write(&harness, harness_text(places, case, revision, function)?)?;
                command.arg("-I").arg(&places.root).arg(harness);
            }
            None => drop(command.arg(&case.path)),
        }
        command.args(&case.sources).args(revision.cflags.split_whitespace());
        command
            .args(["-x", "none"])
            .arg(driver)
            .args(["-fuse-ld=lld", "-Wl,--wrap=__libc_start_main", "-o"])
            .arg(&program);
        succeed(&mut command)?;
        let fixed = |text: &String| Object { kind: Kind::Arg, name: String::new(), bytes: text.clone().into_bytes() };
        Ok(Native { program, build, arguments: revision.arguments.iter().map(fixed).collect() })
    }

    /// Runs every input in a process of its own; `profile` receives the counters of a coverage build.
    pub fn run(&self, inputs: &[Input], scratch: &Path, profile: Option<&Path>) -> Result<Vec<End>> {
        let folder = tempfile::tempdir_in(scratch)?;
        let (list, ends) = (folder.path().join("inputs"), folder.path().join("ends"));
        let whole = |input: &Input| Input { objects: [&self.arguments[..], &input.objects].concat(), ..input.clone() };
        std::fs::write(&list, encode(&inputs.iter().map(whole).collect::<Vec<_>>()))?;
        let mut command = Command::new(&self.program);
        command.current_dir(folder.path()).env("CASE_INPUTS", &list).env("CASE_ENDS", &ends);
        command.env("ASAN_OPTIONS", "abort_on_error=1:detect_leaks=0").env("UBSAN_OPTIONS", "abort_on_error=1");
        let profile = profile.map_or_else(|| "/dev/null".into(), |p| format!("{}%c", p.display()));
        command.env("LLVM_PROFILE_FILE", profile);
        succeed(&mut command)?;
        let bytes = std::fs::read(&ends)?;
        let numbers: Vec<i32> = bytes.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let found: Vec<End> = numbers
            .chunks_exact(2)
            .map(|pair| match pair[0] {
                0 => End::Exit(pair[1]),
                1 => End::Signal(pair[1]),
                _ => End::Timeout,
            })
            .collect();
        if found.len() != inputs.len() {
            bail!("{} of {} native runs were made", found.len(), inputs.len());
        }
        Ok(found)
    }
}

fn harness_text(places: &Places, case: &Case, revision: &Revision, function: &str) -> Result<Vec<u8>> {
    let mut command = places.tool();
    command.arg("harness").arg(&case.path).args(["--function", function]);
    // Of the case's options those that shape the harness.
    let args = &revision.args;
    for (option, value) in
        args.iter().zip(args.iter().skip(1)).filter(|(o, _)| *o == "--buffer" || *o == "--pointer-depth")
    {
        command.args([option, value]);
    }
    Ok(succeed(&mut command)?.stdout)
}

/// Compiled once for all cases and test processes.
fn driver(places: &Places) -> Result<PathBuf> {
    let key = DRIVER.bytes().fold(0xcbf29ce484222325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100000001b3));
    let object = places.cache.join(format!("driver-{key:016x}.o"));
    if object.exists() {
        return Ok(object);
    }
    let folder = tempfile::tempdir_in(&places.cache)?;
    let (source, made) = (folder.path().join("driver.c"), folder.path().join("driver.o"));
    std::fs::write(&source, DRIVER)?;
    succeed(
        Command::new("clang-22")
            .args(["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-c"])
            .arg(&source)
            .arg("-o")
            .arg(&made),
    )?;
    std::fs::rename(&made, &object)?;
    Ok(object)
}

/// Runs a command that must work; its words are in the error when it does not.
pub fn succeed(command: &mut Command) -> Result<Output> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    if !output.status.success() {
        bail!(
            "{command:?}\n{}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(output)
}
