//! The driver: asks a strategy, solves or draws an input, runs it, and tells everyone what happened.
//!
//! It decides nothing about search and knows nothing about terminals and files: strategies choose,
//! reporters write. What it guarantees is that every claim was checked by running.

mod borders;
mod bugs;
mod campaign;
mod clock;
mod corpus;
mod dictionary;
mod execute;
mod figures;
mod flip;
mod guesses;
mod hybrid;
mod inputs;
mod jobs;
mod judge;
mod keep;
mod kept_tree;
mod ledger;
mod lifted;
mod lines;
mod long_runs;
mod numerals;
mod optimistic;
mod price;
mod reach;
mod reasons;
pub mod settings;
mod shape;
mod shorten;
mod tokens;
mod trim;
mod values;
mod watch;
mod wishes;

pub use campaign::{Campaign, EngineError, Files, HYBRID};
pub use reach::{Found, is_a_matter_of_time};
pub use settings::{Budget, Checks, Goal, Search, Settings, Solving, Values};
