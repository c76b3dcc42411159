//! Spawn, limits, kill, sandbox; nothing about traces.
