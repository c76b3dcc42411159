//! Real programs under the executors: well-behaved ones, hostile ones, and ones that lie.

mod build;
mod interpreter;
mod paths;
mod replay;
mod server;
mod tracked;
mod walk;
