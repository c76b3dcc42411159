//! What the instrumented target and the engine agree on, in one place and versioned: the operations of
//! trace nodes, the shared-memory layout, the control protocol, and the one table of runtime functions
//! that the pass declares and the runtime defines.
//!
//! No dependencies, no allocation, no I/O: this crate is linked into every target.
#![no_std]

pub mod cells;
pub mod control;
pub mod functions;
pub mod input;
pub mod layout;
pub mod libc_models;
pub mod lost;
pub mod native;
pub mod op;
pub mod path;
pub mod segment;
pub mod unit;

pub use control::{Command, CommandKind, Mode, Reply, ReplyKind};
pub use layout::{Event, EventKind, Header, Label, Node, Packed, PackedEvent, Wide};
pub use lost::Lost;
pub use op::Op;

/// Raised whenever a layout or a meaning in this crate changes; both sides refuse any other.
pub const VERSION: u32 = 10;

/// The first eight bytes of the shared memory: "symcrete" read as a little-endian number.
pub const MAGIC: u64 = u64::from_le_bytes(*b"symcrete");

/// Environment variable that names the engine's descriptors: `shm,commands,replies` (decimal).
/// Without it the target is a plain program.
pub const ENV_ENGINE: &str = "SYMCRETE_ENGINE";

/// `SYMCRETE_BODY=tracking` runs the tracking body with nothing symbolic, for measuring; `tracking-paths`
/// records full paths beside it.
pub const ENV_BODY: &str = "SYMCRETE_BODY";

/// Names the file with a recorded test, for plain builds linked with the replay library: `u32` number of
/// sources, their records ([`input::Source`]), then the input as it lies in the input region.
pub const ENV_TEST: &str = "SYMCRETE_TEST";

/// Number of a descriptor on which the replay library tells how the program died, in lines:
/// `signal NUMBER CODE ADDRESS SP`, `frame PC OFFSET FILE`, `target NUMBER`.
pub const ENV_REPORT: &str = "SYMCRETE_REPORT";
