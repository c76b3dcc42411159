//! Linked into targets: shadow labels, node table, events, inputs, fork server.
//!
//! It lives inside other people's programs. So it never allocates through the target's `malloc`, never
//! unwinds, never calls a library function that the target could have replaced (raw system calls only),
//! and does nothing at all when no engine started the target. One thread: state sits in `Cell`s, and
//! every entry goes through [`gate`], which turns other threads, forked children and signal handlers away.
// Built with panic = "abort" it is what ships: no standard library. Test builds unwind and have one.
#![cfg_attr(all(not(test), panic = "abort"), no_std)]

mod batch;
mod calls;
mod cells;
mod checks;
mod descriptors;
mod entry;
mod events;
mod feed;
mod gate;
mod growing;
mod inputs;
mod labels;
mod linear;
mod memory;
mod modules;
mod natives;
mod nodes;
mod operations;
mod paths;
mod regions;
mod requests;
mod segment;
mod server;
mod shadow;
mod signals;
mod snapshot;
mod start;
mod state;
mod streams;
mod sys;
mod table;
mod tables;
mod typing;
mod variadic;
mod watch;

#[cfg(test)]
mod fake;

/// A panic here is our own fault: end like a crash, leaving the trace as it is.
#[cfg(all(not(test), panic = "abort"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    sys::die(sys::SIGABRT)
}
