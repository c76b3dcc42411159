//! Runs targets: fork server, persistent loop, plain replay, input sources; and turns what a run left in
//! shared memory into a path of terms.
//!
//! The target is hostile. Nothing here trusts a count, an index or a reply that came from it, and no run
//! outlives its limits. Knows nothing of strategies and solvers.

mod batch;
mod channel;
mod check;
mod end;
mod full_path;
mod import;
mod input;
mod replay;
mod server;
mod shm;
mod shorten;
mod source;
mod tables;
mod target;
mod term;
mod trace;
mod units;
mod walk;

#[cfg(test)]
mod garbage;

pub use batch::BatchResult;
pub use check::{SelfCheckError, WrongValue, check_path, check_trace, check_values};
pub use end::{Check, Crash, End, signal_name};
pub use full_path::{Met, PathError, Walked, full_path, walk};
pub use import::{ImportError, Importer, Wish};
pub use input::{EncodeError, Input, Object, ObjectKind};
pub use replay::{Frame, ReplayCommand, ReplayError, Replayed, Replayer};
pub use server::{Run, Server, ServerError};
pub use shm::{Capacities, Shm};
pub use shorten::{Marks, Shortened};
pub use source::{MAX_CAPACITY, SourceError, SourceSpec};
pub use symcrete_abi::control::{Halt, Mode};
pub use symcrete_abi::layout::Stop;
pub use symcrete_process::{Sandbox, SandboxReport};
pub use target::{Limits, Target};
pub use term::{operation, value_of};
pub use trace::{LostAt, Trace, Word};
pub use units::{Units, UnitsError};
pub use walk::{Cell, Leg, Walk};
