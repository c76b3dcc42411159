//! `symcrete replay`: recorded tests again, on a plain build, and whether they still end the same.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Replay;
use crate::record::{Prepared, TargetRecord};
use crate::{inputs, surroundings};
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use symcrete_abi::ENV_TEST;
use symcrete_abi::input::{Source, SourceKind};
use symcrete_event::{End, InputKind, InputObject};
use symcrete_exec::{Limits, ReplayCommand, Replayed, Replayer};
use symcrete_report::{BugFile, Contents, TestFile, end_text, show, signal_name};
use symcrete_toolchain::Variant;

struct Replaying {
    out: PathBuf,
    prepared: Prepared,
    arguments: Vec<OsString>,
    replayer: Replayer,
}

/// One test to run, and what is known of it.
struct Case {
    name: String,
    test: TestFile,
    bug: Option<BugFile>,
}

pub fn run(options: &Replay) -> Result<Exit, Failure> {
    if !options.path.exists() {
        return Err(Failure::wrong_use(format!("{}: no such test, bug or output folder", options.path.display())));
    }
    let (out, record) = TargetRecord::of_path(&options.path)?;
    let all = options.path.canonicalize().is_ok_and(|p| p == out);
    if all && options.gdb {
        return Err(Failure::wrong_use("`--gdb` needs one test or one bug"));
    }
    let prepared = record.prepare(&surroundings::layout(), out.join("build"), surroundings::color_on_stderr())?;
    let scratch = |e: std::io::Error| Failure::wrong_use(format!("no scratch folder: {e}"));
    let mut replaying = Replaying {
        prepared,
        arguments: record.arguments(),
        replayer: Replayer::new(&std::env::temp_dir(), true).map_err(scratch)?,
        out,
    };
    if all {
        return replaying.all();
    }
    let path = show::test_path(&options.path);
    let case = Case { name: path.display().to_string(), test: TestFile::read(&path)?, bug: BugFile::beside(&path) };
    if options.gdb { Err(replaying.debug(&case)?) } else { replaying.one(&case) }
}

impl Replaying {
    fn all(&mut self) -> Result<Exit, Failure> {
        let contents = Contents::read(&self.out);
        let mut cases: Vec<Case> = contents
            .tests
            .into_iter()
            .map(|(n, test)| Case { name: format!("test {n:06}"), test, bug: None })
            .collect();
        for (number, bug) in &contents.bugs {
            let path = self.out.join(&bug.test);
            if let Ok(test) = TestFile::read(&path) {
                cases.push(Case { name: format!("bug {number:04}"), test, bug: BugFile::beside(&path) });
            }
        }
        for damaged in &contents.damaged {
            eprintln!("note: {damaged}");
        }
        let mut changed = 0;
        for case in &cases {
            let (_, verdict) = self.judge(case)?;
            if let Err(change) = verdict {
                changed += 1;
                println!("{}: {change}", case.name);
            }
        }
        println!("{} replayed, {changed} changed", cases.len());
        Ok(if changed > 0 { exit::FOUND } else { exit::DONE })
    }

    fn one(&mut self, case: &Case) -> Result<Exit, Failure> {
        let (replayed, verdict) = self.judge(case)?;
        let _ = std::io::stdout().write_all(&replayed.stdout.bytes);
        let _ = std::io::stderr().write_all(&replayed.stderr.bytes);
        println!("{}: {}", case.name, verdict.as_ref().unwrap_or_else(|change| change));
        Ok(if verdict.is_err() { exit::FOUND } else { exit::DONE })
    }

    /// Runs a case; what it did as recorded, or how it differs.
    fn judge(&mut self, case: &Case) -> Result<(Replayed, Result<String, String>), Failure> {
        let command = self.command(case)?;
        let input = inputs::input(&case.test.objects().unwrap_or_default());
        let limits = Limits { timeout: std::time::Duration::from_secs(10), memory: None, ..Limits::default() };
        let replayed = self
            .replayer
            .replay(&command, &input, &limits)
            .map_err(|e| Failure::wrong_use(format!("{}: {e}", case.name)))?;
        let words = String::from_utf8_lossy(&replayed.stderr.bytes).into_owned();
        let seen = match case.bug.as_ref().map(|b| b.kind.as_str()) {
            Some("address") => report(&words, "AddressSanitizer"),
            Some("undefined") => report(&words, "runtime error"),
            _ => compare(case.test.end.into(), replayed.end),
        };
        Ok((replayed, seen))
    }

    /// The build that shows the case.
    fn command(&self, case: &Case) -> Result<ReplayCommand, Failure> {
        let variant = match case.bug.as_ref().map(|b| b.kind.as_str()) {
            Some("address") => Variant::Address,
            Some("undefined") => Variant::Undefined,
            _ => Variant::Plain,
        };
        let (program, replay_library) = match self.prepared.variant(variant)? {
            Ok(program) => (program, true),
            // The target itself, run by hand, is a plain program.
            Err(_) => (self.prepared.tracked()?.0, false),
        };
        Ok(ReplayCommand { args: self.arguments.clone(), replay_library, ..ReplayCommand::new(program) })
    }

    /// Becomes the debugger; returns only when that did not work.
    fn debug(&self, case: &Case) -> Result<Failure, Failure> {
        let gdb = surroundings::layout()
            .any_program("gdb")
            .ok_or_else(|| Failure::missing("gdb is not installed\n  apt-get install gdb"))?;
        let command = self.command(case)?;
        let folder = tempfile::tempdir().map_err(|e| Failure::wrong_use(format!("no scratch folder: {e}")))?.keep();
        let mut arguments = Vec::new();
        let mut debugger = Command::new(gdb);
        let mut start = String::from("run");
        for object in case.test.objects().unwrap_or_default() {
            let text = String::from_utf8_lossy(object.bytes.split(|b| *b == 0).next().unwrap_or_default()).into_owned();
            let put = |name: &str| {
                std::fs::write(folder.join(name), &object.bytes)
                    .map_err(|e| Failure::wrong_use(format!("{}: {e}", folder.display())))
            };
            match object.kind {
                InputKind::Stdin | InputKind::Socket => {
                    put("stdin")?;
                    start = "run < stdin".into();
                }
                InputKind::Buffer => {
                    put("symcrete-buffer")?;
                    arguments.push("symcrete-buffer".to_string());
                }
                InputKind::Arg => arguments.push(text),
                InputKind::Env => {
                    debugger.env(&object.name, text);
                }
                InputKind::File => put(&object.name)?,
                _ => {}
            }
        }
        let test = folder.join("symcrete-test");
        std::fs::write(&test, told(&case.test.objects().unwrap_or_default()))
            .map_err(|e| Failure::wrong_use(format!("{}: {e}", folder.display())))?;
        debugger.env(ENV_TEST, test);
        debugger.current_dir(&folder).args(["-q", "-ex", &start, "--args"]).arg(&command.program);
        debugger.args(&command.args).args(arguments);
        Ok(Failure::missing(format!("gdb cannot be started: {}", debugger.exec())))
    }
}

/// What the replay library must be told, in the form it reads: the buffer of a harness as a source with
/// its record, then all objects: their number, their lengths, their bytes.
fn told(objects: &[InputObject]) -> Vec<u8> {
    let buffers: Vec<&InputObject> = objects.iter().filter(|o| o.kind == InputKind::Buffer).collect();
    let all: Vec<&InputObject> =
        buffers.iter().copied().chain(objects.iter().filter(|o| !o.kind.is_declared())).collect();
    let mut out = (buffers.len() as u32).to_le_bytes().to_vec();
    for buffer in &buffers {
        let mut record = [0u8; size_of::<Source>()];
        (record[0], record[1]) = (SourceKind::Buffer as u8, 1);
        record[4..8].copy_from_slice(&(buffer.bytes.len() as u32).to_le_bytes());
        out.extend(record);
    }
    out.extend((all.len() as u32).to_le_bytes());
    all.iter().for_each(|o| out.extend((o.bytes.len() as u32).to_le_bytes()));
    all.iter().for_each(|o| out.extend(&o.bytes));
    out
}

fn report(words: &str, sign: &str) -> Result<String, String> {
    match words.lines().find(|l| l.contains(sign)) {
        Some(line) => Ok(format!("as recorded: {}", line.trim())),
        None => Err(format!("recorded was a report of {sign}, now there is none")),
    }
}

fn compare(recorded: End, now: symcrete_exec::End) -> Result<String, String> {
    use symcrete_exec::End as Now;
    let (same, text) = match (recorded, now) {
        (End::Exit(was), Now::Exit(is)) => (was == is, format!("exit {is}")),
        (End::Signal(was), Now::Signal(is) | Now::StackOverflow(is)) => (was == is.signal, signal_name(is.signal)),
        (End::Timeout, Now::Timeout) => (true, "timeout".into()),
        (_, other) => (false, other.to_string()),
    };
    if same { Ok(format!("{text}, as recorded")) } else { Err(format!("recorded {}, now {text}", end_text(recorded))) }
}
