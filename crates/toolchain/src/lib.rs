//! The choice of LLVM, the compiler wrapper, the builds of a target (tracked, plain, coverage, ASan) and the doctor.
//!
//! Nothing here runs a target, prints, or reads environment variables: callers hand in what they know
//! and show what comes back.

pub mod arguments;
pub mod build;
pub mod doctor;
pub mod entry;
pub mod harness;
pub mod input_functions;
pub mod layout;
pub mod llvm;
mod nearest;
pub mod project;
pub mod response;
pub mod statements;
pub mod symbols;
pub mod target;
pub mod wrapper;

pub use build::{BuildError, Builder, Built, Variant};
pub use layout::{Layout, LayoutError, Places};
pub use nearest::{did_you_mean, nearest};
