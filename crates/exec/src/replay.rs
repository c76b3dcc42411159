//! Runs one input on a program as a user would: a fresh process, real standard input, arguments, files
//! and environment, no engine. The judge of every claim about an input.

use crate::end::{Crash, End};
use crate::input::{Input, Object, ObjectKind};
use crate::source::SourceSpec;
use crate::target::Limits;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use symcrete_abi::input::SourceKind;
use symcrete_abi::{ENV_REPORT, ENV_TEST};
use symcrete_process::{
    Captured, Child, Limits as Resources, Sandbox, Scratch, Sink, Spawn, SpawnError, Stdin, Waited, Watch,
};

/// How to start a program for replay.
#[derive(Clone, Debug)]
pub struct ReplayCommand {
    pub program: PathBuf,
    /// Arguments before those of `Arg` objects, without argument 0.
    pub args: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    /// Stack of the program; a plain build gets what users have.
    pub stack: u64,
    pub file_size: u64,
    /// Whether address space may be limited (not with sanitizers).
    pub limit_address_space: bool,
    /// How much of standard output and error is kept.
    pub keep_output: usize,
    /// The program is linked with the replay library, which answers its requests and tells the stack of a
    /// crash. The target itself, run by hand, is not: it answers every request with zeros.
    pub replay_library: bool,
    /// Set by somebody else when the replay is no longer wanted.
    pub interrupt: Option<Arc<AtomicBool>>,
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
            replay_library: true,
            interrupt: None,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("the scratch directory cannot be used: {0}")]
    Scratch(#[from] io::Error),
    #[error("object `{name}` is asked for by the program while it runs; this build cannot be given it")]
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
    /// Where it died, innermost first; empty without the replay library.
    pub frames: Vec<Frame>,
    /// Numbers of the targets reached (`symcrete_target`), in order, each once.
    pub targets: Vec<u32>,
}

/// One activation on the stack of a crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub pc: u64,
    /// The address within `file` as it was linked.
    pub offset: u64,
    /// `-` for the program itself, `?` for nowhere.
    pub file: String,
}

/// A scratch directory and a sandbox, used for one replay after the other.
pub struct Replayer {
    scratch: Scratch,
    sandbox: Sandbox,
}

impl Replayer {
    pub fn new(scratch_parent: &std::path::Path, sandbox: bool) -> io::Result<Replayer> {
        let scratch = Scratch::new_in(scratch_parent)?;
        let sandbox = if sandbox { Sandbox::confine(&scratch) } else { Sandbox::off() };
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
            interrupt: command.interrupt.as_deref(),
        };
        let (end, cpu) = conclude(&mut child, &watch, command.stack);
        let seconds = begin.elapsed().as_secs_f64();
        let (frames, targets) = read_report(&child.captured(REPORT_FD).bytes);
        let (stdout, stderr) = (child.captured(1), child.captured(2));
        let replayed = Replayed { end, stdout, stderr, cpu, seconds, frames, targets };
        drop(child);
        self.scratch.clean()?;
        Ok(replayed)
    }

    fn spawn(&self, command: &ReplayCommand, input: &Input, limits: &Limits) -> Result<Spawn, ReplayError> {
        let mut spawn = Spawn::new(&command.program);
        spawn.args.extend(command.args.iter().cloned());
        spawn.env = command.env.clone();
        spawn.folder = Some(self.scratch.path().to_path_buf());
        for object in &input.objects {
            let kind = match object.kind {
                ObjectKind::Declared(kind) if kind != SourceKind::Request => kind,
                _ if command.replay_library => continue,
                _ => return Err(ReplayError::Request { name: object.name.clone() }),
            };
            match kind {
                SourceKind::Stdin => spawn.stdin = Stdin::Bytes(object.bytes.clone()),
                SourceKind::Socket => spawn.stdin = Stdin::Socket(object.bytes.clone()),
                SourceKind::Arg => spawn.args.push(c_text(&object.bytes)),
                SourceKind::Env => spawn.env.push((OsString::from(&object.name), c_text(&object.bytes))),
                SourceKind::File => fs::write(self.scratch.path().join(&object.name), &object.bytes)?,
                // Named on the command line, as libFuzzer's own main takes it; a harness linked with the
                // replay library finds it in the test file instead.
                SourceKind::Buffer => {
                    fs::write(self.scratch.path().join(BUFFER_FILE), &object.bytes)?;
                    spawn.args.push(BUFFER_FILE.into());
                }
                SourceKind::Request => {}
            }
        }
        if command.replay_library {
            spawn.env.push((ENV_REPORT.into(), REPORT_FD.to_string().into()));
            spawn.captures.push((REPORT_FD, 256 << 10));
        }
        if let Some(test) = test_file(input) {
            let path = self.scratch.path().join(TEST_FILE);
            fs::write(&path, test)?;
            spawn.env.push((ENV_TEST.into(), path.into()));
        }
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

/// Number the program finds the pipe for its report at.
const REPORT_FD: i32 = 195;

const BUFFER_FILE: &str = "symcrete-buffer";
const TEST_FILE: &str = "symcrete-test";

/// What the replay library must be told: the buffer of a harness and the answers to requests. Everything
/// else is put in place for real. `None` when there is nothing to tell.
fn test_file(input: &Input) -> Option<Vec<u8>> {
    let is_buffer = |o: &&Object| o.kind == ObjectKind::Declared(SourceKind::Buffer);
    let is_answer = |o: &&Object| matches!(o.kind, ObjectKind::Requested(_));
    let buffers: Vec<&Object> = input.objects.iter().filter(is_buffer).collect();
    let answers: Vec<&Object> = input.objects.iter().filter(is_answer).collect();
    if buffers.is_empty() && answers.is_empty() {
        return None;
    }
    let mut bytes = (buffers.len() as u32).to_le_bytes().to_vec();
    for buffer in &buffers {
        let capacity = buffer.bytes.len() as u32;
        let spec = SourceSpec { kind: SourceKind::Buffer, name: String::new(), capacity, exact: true };
        spec.append_record(&mut bytes);
    }
    let told = Input { objects: buffers.into_iter().chain(answers).cloned().collect() };
    told.encode(&mut bytes);
    Some(bytes)
}

/// Reads the lines of the replay library; what is not one of them is left out.
fn read_report(bytes: &[u8]) -> (Vec<Frame>, Vec<u32>) {
    let (mut frames, mut targets) = (Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(bytes).lines() {
        let mut words = line.splitn(4, ' ');
        match words.next() {
            Some("frame") => {
                let mut number = || u64::from_str_radix(words.next()?, 16).ok();
                if let (Some(pc), Some(offset), Some(file)) = (number(), number(), words.next()) {
                    frames.push(Frame { pc, offset, file: file.into() });
                }
            }
            Some("target") => match words.next().and_then(|n| n.parse().ok()) {
                Some(target) if !targets.contains(&target) => targets.push(target),
                _ => {}
            },
            _ => {}
        }
    }
    (frames, targets)
}

/// Waits for the end, by force where needed.
fn conclude(child: &mut Child, watch: &Watch<'_>, stack: u64) -> (End, Duration) {
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
