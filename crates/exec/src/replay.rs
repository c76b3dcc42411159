//! Runs one input on a program as a user would: a fresh process, real standard input, arguments, files
//! and environment, no engine. The judge of every claim about an input.

use crate::end::{Crash, End};
use crate::input::{Input, ObjectKind};
use crate::server::Limits;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use symcrete_abi::input::SourceKind;
use symcrete_process::{Captured, Child, Limits as Resources, Sandbox, Scratch, Sink, Spawn, SpawnError, Stdin, Waited, Watch};

/// How to start a program for replay.
#[derive(Clone, Debug)]
pub struct ReplayCommand {
    pub program: PathBuf,
    /// Arguments after those of `Arg` objects, without argument 0.
    pub args: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    /// Stack of the program; a plain build gets what users have.
    pub stack: u64,
    pub file_size: u64,
    /// Whether address space may be limited (not with sanitizers).
    pub limit_address_space: bool,
    /// How much of standard output and error is kept.
    pub keep_output: usize,
    /// Pass the buffer of a harness as a file named on the command line, as libFuzzer's own main takes it.
    pub buffer_as_file: bool,
}

impl ReplayCommand {
    pub fn new(program: impl Into<PathBuf>) -> ReplayCommand {
        ReplayCommand {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            stack: 8 << 20,
            file_size: 64 << 20,
            limit_address_space: false,
            keep_output: 64 << 10,
            buffer_as_file: true,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("the scratch directory cannot be used: {0}")]
    Scratch(#[from] io::Error),
    #[error("object `{name}` is asked for by the program while it runs; a plain build cannot be given it")]
    Request { name: String },
}

/// What a replay did.
#[derive(Clone, Debug)]
pub struct Replayed {
    pub end: End,
    pub stdout: Captured,
    pub stderr: Captured,
    pub cpu: Duration,
    pub seconds: f64,
}

/// A scratch directory and a sandbox, used for one replay after the other.
pub struct Replayer {
    scratch: Scratch,
    sandbox: Sandbox,
}

impl Replayer {
    pub fn new(scratch_parent: &std::path::Path, sandbox: bool) -> io::Result<Replayer> {
        let scratch = Scratch::new_in(scratch_parent)?;
        let sandbox = if sandbox { Sandbox::confine(scratch.path()) } else { Sandbox::off() };
        Ok(Replayer { scratch, sandbox })
    }

    /// Runs the input once. Files of the input lie in the working directory, which is empty otherwise.
    pub fn replay(&mut self, command: &ReplayCommand, input: &Input, limits: &Limits) -> Result<Replayed, ReplayError> {
        self.scratch.clean()?;
        let spawn = self.spawn(command, input, limits)?;
        let begin = Instant::now();
        let mut child = spawn.start(&self.sandbox)?;
        let watch = Watch {
            deadline: Some(begin + limits.timeout),
            memory: limits.memory,
            // The supervisor is one more below the child.
            processes: Some(limits.processes + 1),
        };
        let (end, cpu) = conclude(&mut child, &watch, command.stack);
        let seconds = begin.elapsed().as_secs_f64();
        let replayed = Replayed { end, stdout: child.captured(1), stderr: child.captured(2), cpu, seconds };
        drop(child);
        self.scratch.clean()?;
        Ok(replayed)
    }

    fn spawn(&self, command: &ReplayCommand, input: &Input, limits: &Limits) -> Result<Spawn, ReplayError> {
        let mut spawn = Spawn::new(&command.program);
        spawn.env = command.env.clone();
        spawn.folder = Some(self.scratch.path().to_path_buf());
        for object in &input.objects {
            let ObjectKind::Declared(kind) = object.kind else {
                return Err(ReplayError::Request { name: object.name.clone() });
            };
            match kind {
                SourceKind::Stdin => spawn.stdin = Stdin::Bytes(object.bytes.clone()),
                SourceKind::Socket => spawn.stdin = Stdin::Socket(object.bytes.clone()),
                SourceKind::Arg => spawn.args.push(c_text(&object.bytes)),
                SourceKind::Env => spawn.env.push((OsString::from(&object.name), c_text(&object.bytes))),
                SourceKind::File => fs::write(self.scratch.path().join(&object.name), &object.bytes)?,
                SourceKind::Buffer if command.buffer_as_file => {
                    let name = "symcrete-buffer";
                    fs::write(self.scratch.path().join(name), &object.bytes)?;
                    spawn.args.push(name.into());
                }
                SourceKind::Buffer => spawn.stdin = Stdin::Bytes(object.bytes.clone()),
                SourceKind::Request => return Err(ReplayError::Request { name: object.name.clone() }),
            }
        }
        spawn.args.extend(command.args.iter().cloned());
        spawn.stdout = Sink::Capture(command.keep_output);
        spawn.stderr = Sink::Capture(command.keep_output);
        spawn.limits = Resources {
            stack: Some(command.stack),
            address_space: limits.memory.filter(|_| command.limit_address_space),
            file_size: Some(command.file_size),
            cpu_seconds: None,
        };
        spawn.fixed_addresses = true;
        spawn.supervised = true;
        Ok(spawn)
    }
}

/// Waits for the end, by force where needed.
fn conclude(child: &mut Child, watch: &Watch, stack: u64) -> (End, Duration) {
    match child.wait(watch) {
        Waited::Over(over) => (End::from_over(over), child.kill().cpu),
        Waited::Ended(exit) => {
            let place = exit.fault.map(|f| Crash { signal: f.signal, code: f.code, address: f.address, pc: f.pc });
            let overflow = exit.fault.is_some_and(|f| f.is_stack_overflow(stack));
            (End::from_status(exit.status, place, overflow), exit.cpu)
        }
    }
}

/// Arguments and variables end at the first NUL.
fn c_text(bytes: &[u8]) -> OsString {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    OsStr::from_bytes(&bytes[..end]).to_owned()
}
