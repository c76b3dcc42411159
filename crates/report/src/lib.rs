//! Terminal, JSON, lcov and exports, made from events.
