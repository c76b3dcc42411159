//! The driver loops: strategy, solver, executor.
