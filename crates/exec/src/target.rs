//! What to run, with which sources and room, and how long and how far one run may go. Plain settings.

use crate::shm::Capacities;
use crate::source::SourceSpec;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What to run and how to confine it.
#[derive(Clone, Debug)]
pub struct Target {
    pub program: PathBuf,
    /// Arguments before those of `Arg` sources, without argument 0.
    pub args: Vec<OsString>,
    /// The whole environment of the target.
    pub env: Vec<(OsString, OsString)>,
    pub sources: Vec<SourceSpec>,
    pub capacities: Capacities,
    pub sandbox: bool,
    /// Where scratch directories are made.
    pub scratch_parent: PathBuf,
    /// Stack of the server's children; larger than usual because tracking frames are.
    pub stack: u64,
    /// Largest file a run may write.
    pub file_size: u64,
    /// How long the target may take until its server is ready.
    pub start_time: Duration,
    /// Set by somebody else when the run in progress is no longer wanted.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Target {
    pub fn new(program: impl Into<PathBuf>, scratch_parent: impl Into<PathBuf>) -> Target {
        Target {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            sources: Vec::new(),
            capacities: Capacities::default(),
            sandbox: true,
            scratch_parent: scratch_parent.into(),
            stack: 64 << 20,
            file_size: 64 << 20,
            start_time: Duration::from_secs(30),
            interrupt: None,
        }
    }
}

/// Bounds of one run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub timeout: Duration,
    /// Private resident bytes of all processes of the run.
    pub memory: Option<u64>,
    pub processes: usize,
    /// Requests that are answered before the run is ended.
    pub max_inputs: u32,
    /// Decisions that are recorded before the trace is cut.
    pub events: u32,
    /// Seed of the bytes for requests the input has no answer to.
    pub seed: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            timeout: Duration::from_secs(1),
            memory: Some(2 << 30),
            processes: 64,
            max_inputs: 1000,
            events: u32::MAX,
            seed: 0,
        }
    }
}
