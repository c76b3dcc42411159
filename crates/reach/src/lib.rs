//! Reach one place of a program: an input that runs it, or the proof that there is none.
//!
//! Phase I goes backwards over the program model: from the target to its dominators, from a function to its callers
//! ([`path`]). What a path says is evaluated forwards ([`evaluate`]) into conditions over inputs and unknowns, which the
//! solver chain settles. Without a solution the path is closed; all paths closed is the proof. A solution is an
//! input to try; if it misses, the path says too little, and is made more precise where it is open ([`search`]).
//! Phase II ([`forward`]) looks for inputs by running the model itself, where loops and calls stand in the way.
//!
//! Runs nothing but the model: whether an input reaches the target is for the caller to say.

mod callers;
mod calls;
pub mod code;
mod effects;
mod evaluate;
mod flow;
mod forward;
mod invariant;
mod library;
mod machine;
mod memory;
mod merge;
mod operations;
mod path;
mod possible;
mod returns;
mod search;
mod state;
mod states;
mod target;
mod value;
mod verdict;

pub use code::Place;
pub use evaluate::Start;
pub use search::{Candidate, Finding, LoopMethods, Options, Ran, Reach, Runner};
pub use state::{Request, RequestKind};
pub use target::{Named, Target, TargetError, is_same_file};
pub use verdict::{Hindrance, Obstacle, Verdict};
