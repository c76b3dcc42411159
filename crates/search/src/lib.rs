//! `trait Strategy`, one file a strategy.
//!
//! A strategy reads the execution tree and answers *run random* or *flip this*; the driver solves,
//! runs and tells it what came of it. Nothing here solves, runs, or knows how: the same code works
//! in the field and in the laboratory.

mod auto;
mod bfs;
mod candidates;
mod carfast;
mod cfg;
mod cgs;
mod changes;
mod contexts;
mod dart;
mod dfs;
mod earnings;
mod elimination;
mod estimator;
mod flow;
mod generational;
mod greedy;
mod implied;
#[cfg(test)]
mod incremental_tests;
mod mix;
mod near;
mod options;
mod random;
mod random_branch;
mod rcn;
mod registry;
mod rewards;
mod rps;
mod rss;
mod savings;
mod sgs;
mod strategy;
mod targets;
#[cfg(test)]
mod tests;
mod uncovered;
mod uniform_random;
mod weighted;

pub use auto::toward;
pub use estimator::{Estimator, Prepared, UnknownEstimator};
pub use flow::{Flow, NodeId as FlowNode};
pub use mix::Mix;
pub use options::Options;
pub use registry::{Entry, UnknownStrategy, strategies, strategy};
pub use rewards::Rewards;
pub use strategy::{ANYWHERE, Ended, Outcome, Rng, Step, Strategy, View, below, seeded};
pub use uncovered::Uncovered;
