//! Runs programs that must not be trusted: spawn with exactly the descriptors, limits and rights asked
//! for, wait with a deadline, account for what they used, and kill everything they left behind.
//!
//! Knows nothing about traces or inputs, keeps no global state, and never decides what a run means.

mod child;
mod launch;
mod limits;
mod pump;
mod sandbox;
mod scratch;
mod spawn;
mod supervise;
mod talk;
mod temporary;
mod tree;

pub use child::{Child, Exit, Fault, Over, Status, Waited, Watch};
pub use limits::Limits;
pub use pump::Captured;
pub use sandbox::{Sandbox, SandboxReport, addresses_can_be_fixed};
pub use scratch::{Kept, Scratch};
pub use spawn::{Sink, Spawn, SpawnError, Stdin, memory_file};
pub use talk::Talk;
