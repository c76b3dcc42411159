//! Fork server, persistent loop, input sources, trace to path.
