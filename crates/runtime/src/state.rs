//! The runtime's one piece of state. Single-threaded by construction (see [`crate::gate`]), so plain
//! `Cell`s; a forked child inherits its own copy.

use crate::growing::Growing;
use crate::table::Table;
use core::cell::Cell;
use symcrete_abi::functions::{BLOCK_ARGUMENTS, BLOCK_RESULTS, Block};
use symcrete_abi::layout::Region;
use symcrete_abi::{Header, Packed, PackedEvent, Wide};

pub struct State {
    /// Null without an engine.
    pub header: Cell<*mut Header>,
    /// A tracking run is being traced.
    pub tracing: Cell<bool>,
    pub commands: Cell<i32>,
    pub replies: Cell<i32>,

    pub nodes: Growing<Packed>,
    pub wide: Growing<Wide>,
    pub table: Table,
    pub events: Growing<PackedEvent>,

    /// There are nodes of float operations.
    pub floats: Cell<bool>,
    /// The mathematical library was handed input-dependent values.
    pub math_called: Cell<bool>,
    /// The program knows where `errno` lies.
    pub errno_known: Cell<bool>,
    /// What depends on input was written to where it may be read from again.
    pub written: Cell<bool>,
    /// Entries with labels that accesses at input-dependent addresses may still go through.
    pub region_budget: Cell<u32>,

    pub argc: Cell<usize>,
    pub argv: Cell<*mut *mut u8>,
    pub envp: Cell<*mut *mut u8>,
}

// SAFETY: one thread only; the gate turns other threads away before they touch anything here.
unsafe impl Sync for State {}

pub static STATE: State = State {
    header: Cell::new(core::ptr::null_mut()),
    tracing: Cell::new(false),
    commands: Cell::new(-1),
    replies: Cell::new(-1),
    nodes: Growing::new(),
    wide: Growing::new(),
    table: Table::new(),
    events: Growing::new(),
    floats: Cell::new(false),
    math_called: Cell::new(false),
    errno_known: Cell::new(false),
    written: Cell::new(false),
    region_budget: Cell::new(crate::regions::BUDGET),
    argc: Cell::new(0),
    argv: Cell::new(core::ptr::null_mut()),
    envp: Cell::new(core::ptr::null_mut()),
};

/// Nonzero: this process runs tracking bodies. Read by instrumented code.
#[unsafe(no_mangle)]
pub static mut __symcrete_mode: u8 = 0;

/// Labels that cross a call. Shared with instrumented code.
#[unsafe(no_mangle)]
pub static mut __symcrete_block: Block = Block {
    stamp: 0,
    count: 0,
    floats: 0,
    arguments: [0; BLOCK_ARGUMENTS],
    values: [0; BLOCK_ARGUMENTS],
    result_stamp: 0,
    results: [0; BLOCK_RESULTS],
};

/// The header, if an engine gave us one.
#[inline(always)]
pub fn header() -> Option<&'static mut Header> {
    // SAFETY: set once at start to a mapping that stays; the engine reads it only between runs, and this
    // process uses one reference at a time.
    unsafe { STATE.header.get().as_mut() }
}

pub fn block() -> &'static mut Block {
    let block = &raw mut __symcrete_block;
    // SAFETY: one thread; instrumented code does not run while the runtime does.
    unsafe { &mut *block }
}

/// Start and size of a region of the shared memory; null without an engine.
pub fn region(pick: impl Fn(&Header) -> Region) -> (*mut u8, u64) {
    match header() {
        Some(header) => {
            let region = pick(header);
            (STATE.header.get().cast::<u8>().wrapping_add(region.at as usize), region.size)
        }
        None => (core::ptr::null_mut(), 0),
    }
}
