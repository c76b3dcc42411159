//! The node table: every operation once (hash-consing; decisions nearly so), each with the value the program
//! really had.
//!
//! Nodes are written in the shared memory; the hash table over them ([`crate::table`]) is private.
//! Invariants: node 0 is unused; operands of a node have smaller labels; values are zero above the width.

use crate::events::lost;
use crate::state::{STATE, header};
use crate::sys;
use crate::table::Found;
use core::cell::Cell;
use core::sync::atomic::{Ordering, compiler_fence};
use symcrete_abi::layout::{MAX_LABEL, Region, truncated};
use symcrete_abi::lost::NO_SITE;
use symcrete_abi::{Label, Lost, Node, Op, Packed, Wide};

/// Takes the regions of the memory that begins at `base`, and reserves room for the hash table; nothing is
/// touched.
pub fn prepare(base: *mut u8, nodes: Region, wide: Region) {
    STATE.nodes.prepare(base, nodes, MAX_LABEL);
    STATE.wide.prepare(base, wide, u32::MAX);
    // Only what was used: the page stays untouched in a fork server.
    for recent in CONSTANTS.0.iter().filter(|recent| recent.get().2 != 0) {
        recent.set((0, 0, 0));
    }
    for recent in CONDITIONS.0.iter().filter(|recent| recent.get() != 0) {
        recent.set(0);
    }
    if !STATE.table.prepare(STATE.nodes.limit()) {
        STATE.nodes.forbid();
    }
}

#[inline(always)]
pub fn get(label: Label) -> &'static Packed {
    // SAFETY: labels are handed out by `intern` only, and nodes never change afterwards.
    unsafe { &*STATE.nodes.at(label) }
}

#[inline(always)]
fn rest(node: &Packed) -> &'static Wide {
    // SAFETY: written before the node was.
    unsafe { &*STATE.wide.at(node.last) }
}

/// Labels below this are nodes.
#[inline(always)]
pub fn count() -> u32 {
    header().map_or(0, |h| h.node_count)
}

#[inline(always)]
fn halves(node: &Packed) -> [u64; 2] {
    if node.wide == 0 { [node.last as u64, 0] } else { rest(node).value }
}

/// The value of a node of at most 64 bits.
#[inline(always)]
pub fn narrow_value(node: &Packed) -> u64 {
    if node.wide == 0 { node.last as u64 } else { rest(node).value[0] }
}

#[inline(always)]
pub fn value_of(node: &Packed) -> u128 {
    let [low, high] = halves(node);
    low as u128 | (high as u128) << 64
}

pub fn value(label: Label) -> u128 {
    value_of(get(label))
}

/// The third operand.
pub fn third(label: Label) -> Label {
    let node = get(label);
    if node.wide == 0 { 0 } else { rest(node).c }
}

#[inline(always)]
pub const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// What makes a node the operation it is: operation, width and operands.
type Key = [u64; 2];

#[inline(always)]
fn key(op: u8, width: u32, a: u32, b: u32, c: u32) -> Key {
    [op as u64 | (width as u64) << 8 | (a as u64) << 32, b as u64 | (c as u64) << 32]
}

#[inline(always)]
fn key_of(node: &Packed) -> Key {
    let c = if node.wide == 0 { 0 } else { rest(node).c };
    key(node.op, node.width as u32, node.a, node.b, c)
}

/// Whether a node is the operation `key`.
#[inline(always)]
fn is(node: &Packed, key: Key) -> bool {
    // The first two words without the field that tells how the value is kept.
    let words: [u32; 4] = [node.op as u32 | (node.width as u32) << 8, node.a, node.b, node.wide as u32];
    (words[0] as u64 | (words[1] as u64) << 32) == key[0]
        && words[2] == key[1] as u32
        && (words[3] == 0 && key[1] >> 32 == 0 || words[3] != 0 && rest(node).c as u64 == key[1] >> 32)
}

/// Constants are told apart by their values, other nodes by their keys alone.
#[inline(always)]
fn hash(key: Key, constant: u64) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let h = (key[0] ^ constant).wrapping_mul(K) ^ key[1].wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(29);
    ((h ^ h >> 32).wrapping_mul(K) >> 32) as u32
}

fn hash_of(label: Label) -> u32 {
    let node = get(label);
    let [low, high] = if node.op == Op::Const as u8 { halves(node) } else { [0, 0] };
    hash(key_of(node), low ^ high)
}

/// Whether a float operation means what the theory says; counted where it does not.
#[inline(never)]
fn ordinary() -> bool {
    if !sys::floats_are_ordinary() {
        lost(Lost::Rounding as u32, NO_SITE);
        return false;
    }
    STATE.floats.set(true);
    true
}

/// The label of this operation on these labels, with this value. 0 when the table is full, or when the
/// same operation had another value before (the machine's result is not a function of its operands).
pub fn intern(op: Op, width: u32, a: u32, b: u32, c: u32, value: u128) -> Label {
    let value = [value as u64, (value >> 64) as u64];
    if op.is_float() && !ordinary() {
        return 0;
    }
    let key = key(op as u8, width, a, b, c);
    if op != Op::Const {
        return find_or_add(key, 0, value, |_| true);
    }
    find_or_add(key, value[0] ^ value[1], value, |node| halves(node) == value)
}

/// The same for at most two operands and a value of at most 64 bits; no constants.
pub fn intern_narrow(op: Op, width: u32, a: u32, b: u32, value: u64) -> Label {
    if op.is_float() && !ordinary() {
        return 0;
    }
    find_or_add(key(op as u8, width, a, b, 0), 0, [value, 0], |_| true)
}

#[inline(always)]
fn find_or_add(key: Key, constant: u64, value: [u64; 2], fits: impl Fn(&Packed) -> bool) -> Label {
    let hash = hash(key, constant);
    let free = match STATE.table.find(hash, |label| is(get(label), key) && fits(get(label))) {
        Found::Node(label) if halves(get(label)) == value => return label,
        Found::Node(_) => return differs(),
        Found::Free(free) => free,
    };
    let label = add(key, value);
    if label != 0 {
        STATE.table.put(free, hash, label, hash_of);
        if let Some(header) = header() {
            header.table_count = STATE.table.used();
        }
    }
    label
}

/// A new node; 0 when there is no room.
#[inline(always)]
fn add(key: Key, value: [u64; 2]) -> Label {
    let Some(header) = header() else { return 0 };
    let label = header.node_count;
    if !STATE.nodes.has(label) {
        return full();
    }
    let [first, second] = key;
    let (op, width, a) = (first as u8, (first >> 8) as u16 & 0xff, (first >> 32) as u32);
    let (b, c) = (second as u32, (second >> 32) as u32);
    let (packed, rest) = Node { op, width, a, b, c, value }.pack(header.wide_count);
    if let Some(rest) = rest {
        if !STATE.wide.has(header.wide_count) {
            return full();
        }
        // SAFETY: below the limit of the region.
        unsafe { STATE.wide.at(header.wide_count).write(rest) };
        header.wide_count += 1;
    }
    // SAFETY: below the limit of the region.
    unsafe { STATE.nodes.at(label).write(packed) };
    compiler_fence(Ordering::Release);
    header.node_count = label + 1;
    label
}

/// The label of a predicate that the program decides by. Most are asked once or several times in a row, so
/// only the recent ones are remembered, and never in the table; one that comes back late is a node again.
#[inline(always)]
pub fn condition(op: Op, a: u32, b: u32, value: u64) -> Label {
    if op.is_float() && !ordinary() {
        return 0;
    }
    let key = key(op as u8, 1, a, b, 0);
    let mix = (a as u64 | (b as u64) << 32).wrapping_add(op as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let recent = &CONDITIONS.0[(mix >> 40) as usize % RECENT_CONDITIONS];
    let label = recent.get();
    if label != 0 && is(get(label), key) {
        return if narrow_value(get(label)) == value { label } else { differs() };
    }
    let label = add(key, [value, 0]);
    recent.set(label);
    label
}

struct Conditions([Cell<Label>; RECENT_CONDITIONS]);
const RECENT_CONDITIONS: usize = 1024;

// SAFETY: one thread, as for all state.
unsafe impl Sync for Conditions {}

static CONDITIONS: Conditions = Conditions([const { Cell::new(0) }; RECENT_CONDITIONS]);

/// The same operation on the same operands had another value before.
#[cold]
fn differs() -> Label {
    lost(Lost::Undefined as u32, NO_SITE);
    0
}

#[cold]
fn full() -> Label {
    if let Some(header) = header()
        && header.truncated & truncated::EVENTS == 0
    {
        header.truncated |= truncated::NODES;
        lost(Lost::Limit as u32, NO_SITE);
    }
    0
}

pub fn constant(value: u128, width: u32) -> Label {
    intern(Op::Const, width, 0, 0, 0, value & mask(width))
}

/// Labels of constants met before: a comparison with a character comes again and again.
struct Recent([Cell<(u64, u32, Label)>; RECENT]);
const RECENT: usize = 256;

// SAFETY: one thread, as for all state.
unsafe impl Sync for Recent {}

static CONSTANTS: Recent = Recent([const { Cell::new((0, 0, 0)) }; RECENT]);

/// A constant of at most 64 bits, zero above its width.
#[inline(always)]
pub fn narrow_constant(value: u64, width: u32) -> Label {
    let recent = &CONSTANTS.0[(value ^ value >> 8 ^ (width as u64) << 1) as usize % RECENT];
    let (known, its_width, label) = recent.get();
    if known == value && its_width == width && label != 0 {
        return label;
    }
    let label = constant(value as u128, width);
    recent.set((value, width, label));
    label
}

/// `width` bits of `label` from bit `low` on. Looks through what only moves bits, so that a byte of a
/// word read from input is that input byte again. 0 when nothing input-dependent is left.
pub fn extract(mut label: Label, mut low: u32, width: u32) -> Label {
    let value = value(label) >> low & mask(width);
    loop {
        let node = get(label);
        if low == 0 && node.width as u32 == width {
            return if node.op == Op::Const as u8 { 0 } else { label };
        }
        match Op::from_u8(node.op) {
            Some(Op::Const) => return 0,
            Some(Op::Extract) => {
                low += node.b;
                label = node.a;
            }
            Some(Op::Concat) => {
                let below = get(node.b).width as u32;
                if low + width <= below {
                    label = node.b;
                } else if low >= below {
                    low -= below;
                    label = node.a;
                } else {
                    break;
                }
            }
            Some(op @ (Op::ZExt | Op::SExt)) => {
                let inner = get(node.a).width as u32;
                if low + width <= inner {
                    label = node.a;
                } else if op == Op::ZExt && low >= inner {
                    return 0;
                } else {
                    break;
                }
            }
            _ => break,
        }
    }
    intern(Op::Extract, width, label, low, 0, value)
}

/// `high` above `low`; either label may be 0 (a constant part), not both.
pub fn concat(high: Label, high_value: u128, high_width: u32, low: Label, low_value: u128, low_width: u32) -> Label {
    let value = high_value << low_width | low_value;
    let width = high_width + low_width;
    if high == 0 && high_value == 0 {
        return intern(Op::ZExt, width, low, 0, 0, value);
    }
    let high = if high == 0 { constant(high_value, high_width) } else { high };
    let low = if low == 0 { constant(low_value, low_width) } else { low };
    if high == 0 || low == 0 {
        return 0;
    }
    intern(Op::Concat, width, high, low, 0, value)
}
