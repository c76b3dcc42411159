//! Linked into targets: shadow labels, node table, events, inputs, fork server.
