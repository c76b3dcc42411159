//! Strategies side by side: from the output folders of single campaigns to a table, plots and JSON.
//!
//! Reads finished campaigns only; starts none.

mod plot;
mod runs;
mod statistics;
mod table;

pub use plot::{Axis, plot};
pub use runs::{Entrant, Failed, OneRun, Reading};
pub use table::{Budget, Comparison, Row};
