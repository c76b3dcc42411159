//! Case runner and oracles (tests only).
//!
//! Programs in `tests/cases` say in comments what must come out. The runner gives them to the staged tool and
//! judges its answer by reality: native builds without anything of ours in them, clang's own coverage, and
//! complete enumeration of small inputs. It never believes a figure that it can count itself.

pub mod annotation;
pub mod brute;
pub mod case;
pub mod coverage;
pub mod input;
pub mod judge;
pub mod native;
pub mod place;
pub mod reach;
pub mod tool;

pub use case::{Case, Revision};
pub use judge::judge;
pub use place::Places;
