//! What the instrumented target and the engine agree on: shared-memory layout, records, the table of runtime functions.
