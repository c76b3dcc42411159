//! The solver chain, one file a layer; Bitwuzla only in `src/bitwuzla/`, whose types appear in no public signature.
//!
//! A [`Query`] asks for values of the inputs that make the conditions of a path prefix and one more condition, the
//! goal, true. [`chain()`] is the one place where layers are ordered; [`Solver`] is the chain with what it needs
//! between queries. A layer may answer sooner than the next, never with another verdict.

mod answer;
mod backoff;
mod bitwuzla;
mod bounds;
mod chain;
mod check;
mod combine;
mod contract;
mod cores;
mod cost;
mod cross_check;
#[cfg(test)]
mod cross_check_tests;
mod enumerate;
mod few;
mod fix;
mod float_sets;
mod guess;
mod intervals;
mod ippc;
mod layer;
mod local;
mod nudge;
mod order;
mod path_index;
mod queries;
mod query;
mod range;
mod recent;
mod shape;
mod simplify;
mod slice;
mod spans;
mod tape;
#[cfg(test)]
mod testing;
mod towards;
mod word;
mod xor;

pub use answer::{Answer, Core, Fault, Limit, Model, Why};
pub use bitwuzla::Bitwuzla;
pub use chain::{LAYERS, LayerSet, Observers, SolveMode, SolveSettings, Solver, UnknownLayer, chain};
pub use cost::CostModel;
pub use cross_check::{CrossCheckCounters, Z3};
pub use ippc::Learn;
pub use layer::{Counters, LayerCounters, SolveCx, SolverLayer};
pub use queries::{QueryCounters, QueryLog};
pub use query::{Budget, Parent, Query};
