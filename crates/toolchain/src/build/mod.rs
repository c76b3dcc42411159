//! Builds of one target: the tracked one that is explored, and the plain, coverage and sanitizer builds
//! that judge its tests.
//!
//! Object files lie in one folder per variant and are used again while nothing they were made from
//! changed. Nothing outside that folder is written.

mod cache;
mod compile;
mod error;
mod objects;
mod recorded;
mod variant;

pub(crate) use compile::is_source;
pub use compile::{Builder, Built, Source};
pub use error::BuildError;
pub use recorded::Recorded;
pub(crate) use recorded::compile_flags;
pub use variant::Variant;
