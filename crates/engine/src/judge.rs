//! Replays: a fresh process of the plain build says how an input really ends.

use crate::campaign::Files;
use crate::settings::Settings;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use symcrete_exec::{End, Frame, Input, Limits, ReplayCommand, ReplayError, Replayer};
use symcrete_toolchain::symbols::{SourcePlace, Symbols};

pub struct Judge {
    replayer: Replayer,
    plain: Option<ReplayCommand>,
    address: Option<ReplayCommand>,
    /// Of the plain build, read when first needed.
    symbols: Option<Symbols>,
    cpu: Duration,
}

/// What a replay showed.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub end: End,
    pub seconds: f64,
    /// What it wrote to standard error, the first few kilobytes.
    pub words: String,
    /// Places on the stack of a crash, innermost first.
    pub stack: Vec<SourcePlace>,
}

impl Judge {
    pub fn new(files: &Files, settings: &Settings, interrupted: &Arc<AtomicBool>) -> std::io::Result<Judge> {
        let command = |path: &PathBuf| ReplayCommand {
            args: files.arguments.clone(),
            interrupt: Some(Arc::clone(interrupted)),
            ..ReplayCommand::new(path)
        };
        Ok(Judge {
            replayer: Replayer::new(&settings.out, settings.checks.sandbox)?,
            plain: files.plain.as_ref().map(command),
            address: files.address.as_ref().map(command),
            symbols: None,
            cpu: Duration::ZERO,
        })
    }

    /// CPU time of all replays.
    pub fn cpu(&self) -> Duration {
        self.cpu
    }

    /// The plain build's word; `None` where there is no plain build or it cannot be given this input.
    pub fn plain(&mut self, input: &Input, limits: &Limits) -> Result<Option<Verdict>, ReplayError> {
        let command = self.plain.clone();
        self.replay(command, input, limits)
    }

    /// The same under AddressSanitizer.
    pub fn address(&mut self, input: &Input, limits: &Limits) -> Result<Option<Verdict>, ReplayError> {
        let command = self.address.clone();
        // Its shadow memory counts, and so does its slowness.
        let limits = Limits { memory: None, timeout: limits.timeout * 4, ..*limits };
        self.replay(command, input, &limits)
    }

    fn replay(
        &mut self,
        command: Option<ReplayCommand>,
        input: &Input,
        limits: &Limits,
    ) -> Result<Option<Verdict>, ReplayError> {
        let Some(command) = command else { return Ok(None) };
        match self.replayer.replay(&command, input, limits) {
            Ok(replayed) => {
                self.cpu += replayed.cpu;
                let words = String::from_utf8_lossy(&replayed.stderr.bytes).into_owned();
                let stack = self.places(&command, &replayed.frames);
                Ok(Some(Verdict { end: replayed.end, seconds: replayed.seconds, words, stack }))
            }
            Err(ReplayError::Request { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Frames of the program itself, and of functions inlined there.
    fn places(&mut self, command: &ReplayCommand, frames: &[Frame]) -> Vec<SourcePlace> {
        if frames.is_empty() {
            return vec![];
        }
        let symbols = self.symbols.get_or_insert_with(|| Symbols::load(&command.program));
        let own = frames.iter().filter(|f| f.file == "-");
        // A return address belongs to the line after the call: one byte back is inside it.
        own.flat_map(|f| symbols.places(f.offset.saturating_sub(u64::from(f.pc != frames[0].pc)))).collect()
    }
}
