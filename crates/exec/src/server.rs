//! The fork server of one target: started with the shared memory, asked to run inputs, killed and
//! started again when it dies or does not come back. Every run ends in time, whatever the target does.

use crate::channel::{Channel, Heard};
use crate::end::{Check, Crash, End};
use crate::input::{EncodeError, Input, Object, decode_log};
use crate::shm::Shm;
use crate::source::SourceSpec;
use crate::target::{Limits, Target};
use crate::trace::Trace;
use std::ffi::OsString;
use std::io;
use std::mem::offset_of;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};
use symcrete_abi::control::{CommandKind, Mode};
use symcrete_abi::input::SourceKind;
use symcrete_abi::layout::{Header, Stop};
use symcrete_abi::{ENV_ENGINE, VERSION};
use symcrete_process::{Child, Kept, Sandbox, SandboxReport, Scratch, Sink, Spawn, SpawnError, Status, Watch};

#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error(transparent)]
    Input(#[from] EncodeError),
    #[error("memory shared with the target or a scratch directory cannot be made: {0}")]
    Setup(#[from] io::Error),
    #[error("{program} ended ({end}) before it was ready{said}: was it built with `symcrete cc`?")]
    NotReady { program: String, end: End, said: String },
    #[error("{program} was not ready after {seconds} s")]
    Slow { program: String, seconds: u64 },
    #[error(
        "{program} was built by another version of symcrete (its runtime speaks {theirs}, we speak {VERSION}): build it again"
    )]
    Version { program: String, theirs: u32 },
    #[error("{program}: its fork server cannot fork: {error}")]
    Fork { program: String, error: io::Error },
    #[error("{program} has no entry that can be run in a loop")]
    NoLoop { program: String },
}

/// What one run did. The trace stays in shared memory: [`Server::trace`].
#[derive(Clone, Debug)]
pub struct Run {
    pub end: End,
    /// What requests received, in order; part of the input that was really run.
    pub requested: Vec<Object>,
    pub check: Option<Check>,
    pub seconds: f64,
    /// The run was ended after `max_inputs` requests, or the trace ran full.
    pub truncated: u32,
}

/// Numbers the target finds our descriptors at.
const SHM_FD: i32 = 196;
const COMMAND_FD: i32 = 197;
const REPLY_FD: i32 = 198;

/// How long a killed run may take to be reported before the server goes too.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);

/// Dead orphans come to the server, which does not wait for them: so many may wait for its end.
const MANY: usize = 32;

pub(crate) struct Live {
    pub child: Child,
    pub channel: Channel,
    pub persistent: bool,
    /// The batch child that waits for more: its number as the engine sees it.
    pub paused: Option<i32>,
    /// The walk in progress or standing still, by the same number.
    pub walker: Option<i32>,
}

/// Starts the target when first needed, and again whenever it went away.
pub struct Server {
    pub(crate) target: Target,
    pub(crate) shm: Shm,
    pub(crate) scratch: Scratch,
    sandbox: Sandbox,
    /// What the scratch directory held when the walk stood still.
    pub(crate) kept: Option<Kept>,
    pub(crate) live: Option<Live>,
    buffer: Vec<u8>,
    /// CPU time of servers that are gone.
    past_cpu: Duration,
    /// How long runs were waited for, by body.
    pub(crate) waited: [Duration; 2],
    starts: u64,
}

impl Server {
    /// Makes everything and starts the target once, so that what cannot work is known at once.
    pub fn new(target: Target) -> Result<Server, ServerError> {
        let on = target.sandbox;
        Server::with_sandbox(target, |scratch| if on { Sandbox::confine(scratch) } else { Sandbox::off() })
    }

    /// The same with a sandbox of the caller's choice; it is told where the scratch directory is.
    pub fn with_sandbox(target: Target, sandbox: impl FnOnce(&Scratch) -> Sandbox) -> Result<Server, ServerError> {
        let scratch = Scratch::new_in(&target.scratch_parent)?;
        let sandbox = sandbox(&scratch);
        let shm = Shm::new(target.capacities, &target.sources)?;
        let mut server = Server {
            target,
            shm,
            scratch,
            sandbox,
            kept: None,
            live: None,
            buffer: Vec::new(),
            past_cpu: Duration::ZERO,
            waited: [Duration::ZERO; 2],
            starts: 0,
        };
        server.live()?;
        Ok(server)
    }

    pub fn sandbox(&self) -> SandboxReport {
        self.sandbox.report()
    }

    pub fn sources(&self) -> &[SourceSpec] {
        &self.target.sources
    }

    /// Whether the target has an entry for the persistent loop.
    pub fn is_persistent(&self) -> bool {
        self.live.as_ref().is_some_and(|l| l.persistent)
    }

    /// How often the target was started.
    pub fn starts(&self) -> u64 {
        self.starts
    }

    /// CPU time of everything that ran for this server so far.
    pub fn cpu(&self) -> Duration {
        self.past_cpu + self.live.as_ref().map_or(Duration::ZERO, |l| l.child.cpu())
    }

    /// The same, of the fast body and of the tracking body: shared out by how long runs of each were waited for. The
    /// kernel's own count is too coarse to tell runs apart.
    pub fn cpu_by_body(&self) -> (Duration, Duration) {
        let (all, [fast, tracking]) = (self.cpu(), self.waited);
        let waited = fast + tracking;
        let share = if waited.is_zero() { 0.0 } else { fast.as_secs_f64() / waited.as_secs_f64() };
        let fast = all.mul_f64(share.min(1.0));
        (fast, all.saturating_sub(fast))
    }

    /// The trace of the last run.
    pub fn trace(&self) -> Trace<'_> {
        Trace::new(&self.shm)
    }

    /// Adds the last run's marks to those seen before; how many were new.
    pub fn absorb_marks(&mut self) -> usize {
        self.shm.absorb_marks()
    }

    /// What one of two servers of the same program has seen, the other has seen from now on.
    pub fn share_marks(&mut self, other: &mut Server) {
        self.shm.share_seen(&mut other.shm);
    }

    /// The input that was really run: `input`'s declared objects and what the run was given on request.
    pub fn input_of(&self, input: &Input, run: &Run) -> Input {
        input.with_requests(self.target.sources.len(), run.requested.clone())
    }

    /// Whether tracking runs record their full path from now on.
    pub fn record_paths(&mut self, on: bool) {
        self.shm.record_path(on);
    }

    /// Runs one input once in the given body.
    pub fn run(&mut self, mode: Mode, input: &Input, limits: &Limits) -> Result<Run, ServerError> {
        self.end_walk();
        let mut tries = 0;
        loop {
            tries += 1;
            self.live()?;
            self.prepare(input, limits)?;
            let begin = Instant::now();
            let answer = self.command(CommandKind::Run, mode);
            let end = match answer {
                Heard::Started { .. } => self.follow(begin, limits),
                Heard::Failed { errno, .. } if tries > 2 => {
                    let program = self.name();
                    return Err(ServerError::Fork { program, error: io::Error::from_raw_os_error(errno) });
                }
                // The server went away between two runs (killed by a leftover of the last one, say).
                _ if tries <= 2 => {
                    self.stop();
                    continue;
                }
                _ => End::Lost,
            };
            let passed = begin.elapsed();
            self.waited[mode as usize] += passed;
            self.tidy();
            return Ok(self.judge(end, passed.as_secs_f64()));
        }
    }

    pub(crate) fn prepare(&mut self, input: &Input, limits: &Limits) -> Result<(), ServerError> {
        self.shm.begin_run();
        self.shm.put_input(input, &mut self.buffer)?;
        self.shm.set_u64(offset_of!(Header, seed), limits.seed);
        self.shm.set_u32(offset_of!(Header, max_inputs), limits.max_inputs);
        self.shm.set_u32(offset_of!(Header, most_events), limits.events);
        Ok(())
    }

    /// Sends a command and waits for the first reply.
    pub(crate) fn command(&mut self, kind: CommandKind, mode: Mode) -> Heard {
        let Some(live) = &mut self.live else { return Heard::Closed };
        if live.channel.send(kind, mode, 0).is_err() {
            return Heard::Closed;
        }
        live.channel.hear(Instant::now() + self.target.start_time)
    }

    /// Waits for the end of a run that has started; kills it when a bound is crossed.
    fn follow(&mut self, begin: Instant, limits: &Limits) -> End {
        match self.until_reply(begin + limits.timeout, limits) {
            Ok(Heard::Ended { status }) => End::from_status(Status::from_wait(status), None, false),
            Ok(_) => {
                self.stop();
                End::Lost
            }
            Err(end) => {
                self.end_run();
                end
            }
        }
    }

    /// The next reply, or the bound that was crossed first.
    pub(crate) fn until_reply(&mut self, deadline: Instant, limits: &Limits) -> Result<Heard, End> {
        let interrupt = self.target.interrupt.clone();
        let watch = Watch {
            deadline: Some(deadline),
            memory: limits.memory,
            processes: Some(limits.processes),
            interrupt: interrupt.as_deref(),
        };
        let Some(live) = &mut self.live else { return Ok(Heard::Closed) };
        // Most runs are over before the first look at what they use.
        let mut pause = Duration::from_millis(10);
        loop {
            let now = Instant::now();
            match live.channel.hear(deadline.min(now + pause)) {
                Heard::Late => {}
                heard => return Ok(heard),
            }
            if Instant::now() >= deadline {
                return Err(End::Timeout);
            }
            if let Some(over) = live.child.over(&watch) {
                return Err(End::from_over(over));
            }
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Kills the run in progress; the server too when that does not help.
    pub(crate) fn end_run(&mut self) {
        let Some(live) = &mut self.live else { return };
        live.paused = None;
        let gone = live.child.kill_descendants();
        if !gone || !matches!(live.channel.hear(Instant::now() + PATIENCE), Heard::Ended { .. }) {
            self.stop();
        }
    }

    /// After a run: nothing it started may live on, nothing it wrote may stay.
    pub(crate) fn tidy(&mut self) {
        if let Some(live) = &mut self.live
            && (!live.child.kill_descendants_except(live.paused) || live.child.remains() > MANY)
        {
            self.stop();
        }
        if self.scratch.clean().is_err() {
            self.stop();
        }
    }

    /// Puts what the run left in shared memory together with how it ended.
    pub(crate) fn judge(&mut self, end: End, seconds: f64) -> Run {
        let header = self.shm.header();
        let end = refine(end, &header, self.target.stack);
        let log = self.shm.bytes(self.shm.log, 0, self.shm.log_used());
        Run {
            end,
            requested: decode_log(&log),
            check: Check::parse(&header.check),
            seconds,
            truncated: header.truncated,
        }
    }

    /// Ends the target and everything it started. The next run starts it again.
    pub fn stop(&mut self) {
        self.kept = None;
        if let Some(mut live) = self.live.take() {
            self.past_cpu += live.child.kill().cpu;
        }
    }

    pub(crate) fn name(&self) -> String {
        self.target.program.display().to_string()
    }

    pub(crate) fn live(&mut self) -> Result<&mut Live, ServerError> {
        let dead = self.live.as_mut().is_some_and(|l| l.child.ended().is_some());
        if dead {
            self.stop();
        }
        match self.live {
            Some(ref mut live) => Ok(live),
            None => {
                let live = match self.start(Sink::Null) {
                    // Once more, only to hear what it says: runs must not fill a pipe that nobody reads.
                    Err(ServerError::NotReady { .. }) => self.start(Sink::Capture(4096))?,
                    other => other?,
                };
                Ok(self.live.insert(live))
            }
        }
    }

    fn start(&mut self, stderr: Sink) -> Result<Live, ServerError> {
        self.starts += 1;
        self.scratch.clean()?;
        self.shm.fresh_start();
        let (command_read, command_write) = io::pipe()?;
        let (reply_read, reply_write) = io::pipe()?;
        let mut spawn = Spawn::new(&self.target.program);
        spawn.args.extend(self.target.args.iter().cloned());
        spawn.args.extend(self.dummies(SourceKind::Arg).map(|(_, value)| value));
        spawn.env = self.target.env.clone();
        spawn.env.extend(self.dummies(SourceKind::Env));
        spawn.env.push((ENV_ENGINE.into(), format!("{SHM_FD},{COMMAND_FD},{REPLY_FD}").into()));
        spawn.folder = Some(self.scratch.path().to_path_buf());
        spawn.stderr = stderr;
        spawn.pass = vec![
            (self.shm.fd()?, SHM_FD),
            (OwnedFd::from(command_read), COMMAND_FD),
            (OwnedFd::from(reply_write), REPLY_FD),
        ];
        spawn.limits.stack = Some(self.target.stack);
        spawn.limits.file_size = Some(self.target.file_size);
        spawn.fixed_addresses = true;
        let child = spawn.start(&self.sandbox)?;
        let mut live = Live {
            child,
            channel: Channel::new(command_write.into(), reply_read.into()),
            persistent: false,
            paused: None,
            walker: None,
        };
        match live.channel.hear(Instant::now() + self.target.start_time) {
            Heard::Hello { version: VERSION, persistent } => {
                live.persistent = persistent;
                Ok(live)
            }
            Heard::Hello { version: theirs, .. } | Heard::Failed { errno: libc::EPROTO, version: theirs } => {
                Err(ServerError::Version { program: self.name(), theirs })
            }
            Heard::Late => {
                self.past_cpu += live.child.kill().cpu;
                Err(ServerError::Slow { program: self.name(), seconds: self.target.start_time.as_secs() })
            }
            _ => {
                // Closed: it is ending, or has closed everything and goes on; a moment tells.
                let grace = Watch { deadline: Some(Instant::now() + PATIENCE), ..Watch::default() };
                live.child.wait(&grace);
                let exit = live.child.kill();
                self.past_cpu += exit.cpu;
                let said = String::from_utf8_lossy(&live.child.captured(2).bytes).trim().to_owned();
                let said = if said.is_empty() { said } else { format!(", saying `{said}`") };
                Err(ServerError::NotReady {
                    program: self.name(),
                    end: End::from_status(exit.status, None, false),
                    said,
                })
            }
        }
    }

    /// Stand-ins for strings that the runtime replaces in every run: it needs entries to replace.
    fn dummies(&self, kind: SourceKind) -> impl Iterator<Item = (OsString, OsString)> + '_ {
        self.target
            .sources
            .iter()
            .filter(move |s| s.kind == kind)
            .map(|s| (OsString::from(&s.name), OsString::from("x")))
    }
}

/// Adds what the runtime noted to what the kernel said.
fn refine(end: End, header: &Header, stack: u64) -> End {
    match end {
        End::Signal(crash) if header.signal as i32 == crash.signal => {
            let crash = Crash {
                signal: crash.signal,
                code: header.signal_code,
                address: header.signal_address,
                pc: header.signal_pc,
            };
            if overflowed(header, stack) { End::StackOverflow(crash) } else { End::Signal(crash) }
        }
        End::Exit(_) if header.stop == Stop::Inputs as u32 => End::Stopped(Stop::Inputs),
        End::Exit(_) if header.stop == Stop::Assume as u32 => End::Stopped(Stop::Assume),
        other => other,
    }
}

/// A fault near the stack pointer and below everything the stack may hold.
fn overflowed(header: &Header, stack: u64) -> bool {
    const SLACK: u64 = 2 << 20;
    let (address, low, sp) = (header.signal_address, header.stack_low, header.signal_sp);
    header.signal as i32 == libc::SIGSEGV
        && low != 0
        && address < low.saturating_add(SLACK)
        && address.saturating_add(64 * SLACK + stack) > low
        && sp < low.saturating_add(SLACK)
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
