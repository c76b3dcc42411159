//! The LLVM plugin: program model and instrumentation.
