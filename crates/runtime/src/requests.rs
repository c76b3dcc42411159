//! Input that the program asks for while it runs: `symcrete_int` and its relatives. Bytes come from the
//! input in order of request, and from a seeded generator where the input has none; the log tells the
//! engine what was handed out.

use crate::gate::pass;
use crate::inputs::{count, label_bytes, object, source_count};
use crate::nodes::{concat, constant, extract, get, intern, mask, value};
use crate::shadow::covers;
use crate::state::{STATE, header, region};
use crate::streams::{give, take};
use crate::{batch, events, feed, gate, inputs, paths, snapshot, start, sys};
use core::cell::Cell;
use symcrete_abi::input::{LogEntry, ValueKind};
use symcrete_abi::layout::{Stop, truncated};
use symcrete_abi::lost::NO_SITE;
use symcrete_abi::{EventKind, Label, Op};

struct Requests {
    /// Requests served in this run.
    served: Cell<u32>,
    /// Input statements performed in it: see `Header::statements`.
    performed: Cell<u32>,
    /// State of the generator; `None` until first used.
    random: Cell<Option<u64>>,
    /// Added to the seed: number of the input within its batch.
    variation: Cell<u64>,
}

// SAFETY: one thread.
unsafe impl Sync for Requests {}

static REQUESTS: Requests =
    Requests { served: Cell::new(0), performed: Cell::new(0), random: Cell::new(None), variation: Cell::new(0) };

/// Where this module's variables lie.
pub fn place() -> (u64, u64) {
    let at = &raw const REQUESTS as u64;
    (at, at + size_of::<Requests>() as u64)
}

/// Input statements performed in this run, or in this leg of a walk.
pub fn performed() -> u32 {
    REQUESTS.performed.get()
}

/// One more.
pub fn perform() {
    let performed = REQUESTS.performed.get() + 1;
    REQUESTS.performed.set(performed);
    if let Some(header) = header() {
        header.statements = performed;
    }
}

/// A new run within the same process begins. Input `number` of a batch draws from `seed + number`.
pub fn restart(number: u64) {
    REQUESTS.served.set(0);
    REQUESTS.performed.set(0);
    REQUESTS.random.set(None);
    REQUESTS.variation.set(number);
    if let Some(header) = header() {
        header.log_used = 0;
        header.request_count = 0;
        header.statements = 0;
    }
}

/// SplitMix64.
fn random() -> u64 {
    let seed = || header().map_or(0, |h| h.seed).wrapping_add(REQUESTS.variation.get());
    let state = REQUESTS.random.get().unwrap_or_else(seed).wrapping_add(0x9e37_79b9_7f4a_7c15);
    REQUESTS.random.set(Some(state));
    let mut z = state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// Fills `n` bytes at `p` with the next requested object. `kind` = `ValueKind` | alternatives << 8.
/// `result` says that the bytes are what the function `key` returns, rather than memory: 0 no, else the
/// width of the result in bits | how many of them count << 8 (0: all).
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_request(p: *mut u8, n: u64, kind: u32, name: *const u8, key: u64, result: u32) {
    let Some(found) = header() else {
        // SAFETY: the caller's bytes. Without an engine everything asked for is zero.
        return unsafe { core::ptr::write_bytes(p, 0, n as usize) };
    };
    if !gate::owned() {
        // A process that the program forked: it is not part of the run, and must not write into what the run records.
        // SAFETY: the caller's bytes.
        return unsafe { core::ptr::write_bytes(p, 0, n as usize) };
    }
    snapshot::at_input();
    let number = REQUESTS.served.get();
    if found.max_inputs != 0 && REQUESTS.performed.get() >= found.max_inputs {
        snapshot::used_up(&raw const number as u64, feed::stands_anywhere());
        leave(Stop::Inputs);
    }
    perform();
    REQUESTS.served.set(number + 1);
    found.request_count = number + 1;
    let i = source_count() + number;
    fill(p, n, i, kind, name);
    log(p, n, kind, name);
    pass((), || {
        take(key);
        events::push(EventKind::Request, true, NO_SITE, 0, i);
        if result != 0 {
            give(key, value_label(p, n as u32, i, result));
        } else if covers(p as u64, n) {
            label_bytes(p as u64, n, i, 0);
        }
    });
}

fn fill(p: *mut u8, n: u64, i: u32, kind: u32, name: *const u8) {
    let given = if i < count() { object(i) } else { &[] };
    let known = given.len().min(n as usize);
    // SAFETY: the caller's bytes.
    let bytes = unsafe { core::slice::from_raw_parts_mut(p, n as usize) };
    bytes[..known].copy_from_slice(&given[..known]);
    if known == 0 && snapshot::draw(bytes, kind, name, random) {
        return;
    }
    for piece in bytes[known..].chunks_mut(8) {
        let random = random().to_le_bytes();
        piece.copy_from_slice(&random[..piece.len()]);
    }
}

/// The input bytes of object `i` put together to the low `width` bits of one value.
fn value_label(p: *const u8, n: u32, i: u32, width: u32) -> Label {
    let mut whole = 0;
    let mut number = 0u128;
    for at in 0..n {
        // SAFETY: the caller's bytes, at most sixteen.
        let byte = unsafe { *p.add(at as usize) };
        let label = inputs::input_byte(i, at as u64, byte);
        whole = if at == 0 { label } else { concat(label, byte as u128, 8, whole, number, 8 * at) };
        number |= (byte as u128) << (8 * at);
        if label == 0 || whole == 0 {
            return 0;
        }
    }
    let (width, narrow) = (width & 0xff, width >> 8);
    if narrow == 0 {
        return extract(whole, 0, width);
    }
    match extract(whole, 0, narrow) {
        0 => 0,
        label => intern(Op::ZExt, width, label, 0, 0, number & mask(narrow)),
    }
}

fn log(p: *const u8, n: u64, kind: u32, name: *const u8) {
    let Some(header) = header() else { return };
    let (base, size) = region(|h| h.log);
    // SAFETY: names are C strings.
    let name = if name.is_null() { &[] } else { unsafe { start::text(name) } };
    let name = &name[..name.len().min(255)];
    let at = header.log_used as u64;
    let entry = size_of::<LogEntry>() as u64;
    let end = at + (entry + name.len() as u64 + n).next_multiple_of(4);
    if end > size || header.truncated & truncated::LOG != 0 {
        header.truncated |= truncated::LOG;
        return;
    }
    let record = LogEntry {
        kind: kind as u8,
        reserved: (kind >> 8).min(255) as u8,
        name_length: name.len() as u16,
        length: n as u32,
    };
    // SAFETY: `end` is inside the region.
    unsafe {
        let to = base.add(at as usize);
        to.cast::<LogEntry>().write_unaligned(record);
        core::ptr::copy_nonoverlapping(name.as_ptr(), to.add(entry as usize), name.len());
        core::ptr::copy_nonoverlapping(p, to.add(entry as usize + name.len()), n as usize);
    }
    header.log_used = end as u32;
}

/// The run ends here, validly: nothing is wrong with the program.
pub fn leave(why: Stop) -> ! {
    if let Some(header) = header() {
        header.stop = why as u32;
    }
    batch::abandon();
    paths::end();
    sys::exit(0)
}

/// The run is valid only if `condition` holds.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_assume(condition: u64, key: u64) {
    pass((), || {
        let [label, ..] = take(key);
        if label != 0 {
            assume(label, condition);
        }
    });
    if condition == 0 {
        leave(Stop::Assume);
    }
}

fn assume(label: Label, condition: u64) {
    let width = get(label).width as u32;
    let holds = condition != 0;
    if value(label) != condition as u128 & mask(width) {
        return events::lost(symcrete_abi::Lost::Stale as u32, NO_SITE);
    }
    let decided = match width {
        1 => label,
        _ => match constant(0, width) {
            0 => 0,
            zero => intern(Op::Ne, 1, label, zero, 0, holds as u128),
        },
    };
    if decided != 0 {
        events::push(EventKind::Assume, holds, NO_SITE, decided, paths::position());
    }
}

/// The value just handed out by the function `key` lies in `begin..end`, or the run is not valid.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_assume_range(number: i32, begin: i32, end: i32, key: u64) {
    pass((), || {
        let block = crate::state::block();
        let label = if block.result_stamp == key { block.results[0] } else { 0 };
        if label == 0 || value(label) != number as u32 as u128 {
            return;
        }
        let (low, high) = (constant(begin as u32 as u128, 32), constant(end as u32 as u128, 32));
        if low == 0 || high == 0 {
            return;
        }
        for (a, b, op, holds) in [(low, label, Op::Sle, begin <= number), (label, high, Op::Slt, number < end)] {
            match intern(op, 1, a, b, 0, holds as u128) {
                0 => {}
                decided => events::push(EventKind::Assume, holds, NO_SITE, decided, paths::position()),
            }
        }
    });
    if number < begin || number >= end {
        leave(Stop::Assume);
    }
}

/// A place the user wants to be reached.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_target(number: u32, key: u64) {
    pass((), || {
        take(key);
        events::push(EventKind::Target, true, NO_SITE, 0, number);
    });
}

/// Whether an engine runs this program.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_engine() -> i32 {
    !STATE.header.get().is_null() as i32
}

const _: () = assert!(ValueKind::Bytes as u8 == 0 && ValueKind::Choice as u8 == 5);
