//! trait Strategy, one file a strategy.
