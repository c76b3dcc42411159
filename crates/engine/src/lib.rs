//! The driver loops: strategy, solver, executor.

pub mod settings;
