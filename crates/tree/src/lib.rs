//! Execution tree, frontier, coverage, path conditions: plain data.
