//! The node table: every operation once (hash-consing), each with the value the program really had.
//!
//! Nodes are written in the shared memory; the hash table over them is private, starts small and is
//! built anew twice as large when half full, so a run touches only the pages it needs. A slot of the table
//! is a label with four bits of the hash above it: few wrong nodes are looked at.
//! Invariants: node 0 is unused; operands of a node have smaller labels; values are zero above the width.

use crate::events::lost;
use crate::state::{STATE, header};
use crate::sys;
use core::sync::atomic::{Ordering, compiler_fence};
use symcrete_abi::layout::{MAX_LABEL, PAGE, truncated};
use symcrete_abi::lost::NO_SITE;
use symcrete_abi::{Label, Lost, Node, Op};

const FIRST_SLOTS: u32 = 1 << 12;
const NODES_PER_PAGE: u32 = (PAGE / size_of::<Node>() as u64) as u32;

/// Reserves room for the hash table; nothing is touched.
pub fn prepare(nodes: *mut Node, limit: u32) {
    STATE.nodes.set(nodes);
    STATE.node_limit.set(limit.min(MAX_LABEL));
    STATE.node_pages.set(0);
    // Tables of all sizes lie one after the other, each half of the next: together less than twice the last.
    let mut room = (limit.clamp(FIRST_SLOTS, MAX_LABEL) as u64 * 2).next_power_of_two() * 4 * 2;
    let mut at = sys::pages(0, room, 0);
    while at < 0 && room > 8 * FIRST_SLOTS as u64 {
        room /= 2;
        at = sys::pages(0, room, 0);
    }
    if at > 0 {
        sys::madvise(at as u64, room, sys::MADV_DONTDUMP);
        STATE.table.set(at as *mut u32);
        STATE.table_mask.set(FIRST_SLOTS - 1);
        STATE.table_room.set(room - FIRST_SLOTS as u64 * 4);
    } else {
        STATE.node_limit.set(0);
    }
}

#[inline(always)]
pub fn get(label: Label) -> &'static Node {
    // SAFETY: labels are handed out by `intern` only, and nodes never change afterwards.
    unsafe { &*STATE.nodes.get().add(label as usize) }
}

/// Labels below this are nodes.
#[inline(always)]
pub fn count() -> u32 {
    header().map_or(0, |h| h.node_count)
}

#[inline(always)]
pub fn value(label: Label) -> u128 {
    let [low, high] = get(label).value;
    low as u128 | (high as u128) << 64
}

#[inline(always)]
pub const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

#[inline(always)]
fn hash(op: u8, width: u16, a: u32, b: u32, c: u32, value: [u64; 2]) -> u32 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut h = (a as u64 | (b as u64) << 32).wrapping_mul(K);
    h ^= (op as u64 | (width as u64) << 8 | (c as u64) << 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    if op == Op::Const as u8 {
        h ^= (value[0] ^ value[1].rotate_left(29)).wrapping_mul(K).rotate_left(17);
    }
    h ^= h >> 32;
    (h.wrapping_mul(K) >> 32) as u32
}

/// The label of this operation on these labels, with this value. 0 when the table is full, or when the
/// same operation had another value before (the machine's result is not a function of its operands).
pub fn intern(op: Op, width: u32, a: u32, b: u32, c: u32, value: u128) -> Label {
    let value = [value as u64, (value >> 64) as u64];
    if op.is_float() {
        if !sys::floats_are_ordinary() {
            lost(Lost::Rounding as u32, NO_SITE);
            return 0;
        }
        STATE.floats.set(true);
    }
    let op = op as u8;
    let width = width as u16;
    let (table, mask) = (STATE.table.get(), STATE.table_mask.get());
    let hash = hash(op, width, a, b, c, value);
    let (mut slot, tag) = (hash & mask, hash & !MAX_LABEL);
    loop {
        // SAFETY: `slot` is within the table; the table always has free slots.
        let entry = unsafe { *table.add(slot as usize) };
        if entry == 0 {
            break;
        }
        let label = entry & MAX_LABEL;
        let node = get(label);
        if entry & !MAX_LABEL == tag
            && node.a == a
            && node.b == b
            && node.c == c
            && node.op == op
            && node.width == width
        {
            if node.value == value {
                return label;
            }
            if op != Op::Const as u8 {
                lost(Lost::Undefined as u32, NO_SITE);
                return 0;
            }
        }
        slot = (slot + 1) & mask;
    }
    let Some(header) = header() else { return 0 };
    let label = header.node_count;
    if label >= STATE.node_pages.get() && !more_pages(label) {
        return full();
    }
    let node = Node { op, reserved: 0, width, a, b, c, value };
    // SAFETY: below the limit of the region.
    unsafe { STATE.nodes.get().add(label as usize).write(node) };
    compiler_fence(Ordering::Release);
    header.node_count = label + 1;
    if label > mask / 2 && grow(label + 1) {
        return label;
    }
    // Where no larger table could be had the last slots stay free: new nodes are not shared any more.
    if label < mask - mask / 8 {
        // SAFETY: the free slot found above; a failed `grow` changes nothing.
        unsafe { *table.add(slot as usize) = label | tag };
    }
    label
}

/// Asks for the next pages of the region in one go, more each time: a fault for each would cost more than
/// what is written there. False at the limit.
#[cold]
fn more_pages(label: Label) -> bool {
    let limit = STATE.node_limit.get();
    if label >= limit {
        return false;
    }
    let there = label.next_multiple_of(NODES_PER_PAGE);
    let end = (there + there.clamp(16 * NODES_PER_PAGE, 256 * NODES_PER_PAGE)).min(limit);
    let size = size_of::<Node>() as u64;
    let at = STATE.nodes.get() as u64 + there as u64 * size;
    // A kernel that does not know this gives the pages one by one.
    sys::madvise(at, (end.saturating_sub(there) as u64 * size).next_multiple_of(PAGE), sys::MADV_POPULATE_WRITE);
    STATE.node_pages.set(end.max(label + 1).min(limit));
    true
}

#[cold]
fn full() -> Label {
    if let Some(header) = header() {
        header.truncated |= truncated::NODES;
        lost(Lost::Limit as u32, NO_SITE);
    }
    0
}

/// Builds the table twice as large, just behind the old one, over nodes 1 to `count - 1`.
#[cold]
#[inline(never)]
fn grow(count: u32) -> bool {
    let old = STATE.table_mask.get() as u64 + 1;
    let Some(rest) = STATE.table_room.get().checked_sub(old * 8) else { return false };
    // SAFETY: the room behind the old table is ours and zero.
    let table = unsafe { STATE.table.get().add(old as usize) };
    let mask = (old * 2 - 1) as u32;
    sys::madvise(table as u64, old * 8, sys::MADV_POPULATE_WRITE);
    for label in 1..count {
        let node = get(label);
        let hash = hash(node.op, node.width, node.a, node.b, node.c, node.value);
        let mut slot = hash & mask;
        // SAFETY: within the new table, which is at most half full.
        unsafe {
            while *table.add(slot as usize) != 0 {
                slot = (slot + 1) & mask;
            }
            *table.add(slot as usize) = label | (hash & !MAX_LABEL);
        }
    }
    STATE.table.set(table);
    STATE.table_mask.set(mask);
    STATE.table_room.set(rest);
    true
}

pub fn constant(value: u128, width: u32) -> Label {
    intern(Op::Const, width, 0, 0, 0, value & mask(width))
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
