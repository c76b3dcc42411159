//! Runs targets: fork server, persistent loop, plain replay, input sources; and turns what a run left in
//! shared memory into a path of terms.
//!
//! The target is hostile. Nothing here trusts a count, an index or a reply that came from it, and no run
//! outlives its limits. Knows nothing of strategies and solvers.

mod batch;
mod channel;
mod check;
mod end;
mod import;
mod input;
mod replay;
mod server;
mod shm;
mod source;
mod target;
mod term;
mod trace;
mod units;

#[cfg(test)]
mod garbage;

pub use batch::BatchResult;
pub use check::{check_path, check_trace, check_values, SelfCheckError, WrongValue};
pub use end::{signal_name, Check, Crash, End};
pub use import::{ImportError, Importer};
pub use input::{EncodeError, Input, Object, ObjectKind};
pub use replay::{Frame, Replayed, ReplayCommand, ReplayError, Replayer};
pub use server::{Run, Server, ServerError};
pub use shm::{Capacities, Shm};
pub use source::{SourceError, SourceSpec, MAX_CAPACITY};
pub use symcrete_abi::control::Mode;
pub use symcrete_abi::layout::Stop;
pub use symcrete_process::{Sandbox, SandboxReport};
pub use target::{Limits, Target};
pub use trace::{LostAt, Trace};
pub use units::{Units, UnitsError};
