//! The compiler wrapper, the builds of a target (tracked, plain, coverage, ASan) and the doctor.
//!
//! Nothing here runs a target, prints, or reads environment variables: callers hand in what they know
//! and show what comes back.

pub mod arguments;
pub mod layout;
pub mod response;
pub mod wrapper;

pub use layout::{Layout, LayoutError, Places};
