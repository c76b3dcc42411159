//! Loads, stores, copies: labels follow the bytes. Nobody can know what uninstrumented code wrote, so a
//! load compares each label's recorded value with the bytes really there; what does not match is dropped
//! and counted.

use crate::events::{concretise, lost};
use crate::nodes::{concat, extract, get, mask, value};
use crate::shadow::{covers, word};
use crate::{labels, shadow};
use symcrete_abi::layout::{LABEL_BITS, MAX_LABEL};
use symcrete_abi::{Label, Lost};

/// Label of the `size` bytes at `p`, which hold `loaded`.
#[inline(always)]
pub fn load(p: u64, size: u32, pointer: Label, site: u32, loaded: u128) -> Label {
    concretise(pointer, site, Lost::Address as u32);
    // SAFETY: the program just loaded from there, so its shadow is mapped.
    let first = unsafe { *word(p) };
    if size == 1 && first == 0 {
        return 0;
    }
    let label = first & MAX_LABEL;
    if first != 0 && first == label {
        let node = get(label);
        if node.width as u32 == 8 * size && value(label) == loaded {
            // SAFETY: as above.
            let whole = (1..size as usize).all(|i| unsafe { *word(p).add(i) } == label | (i as u32) << LABEL_BITS);
            if whole {
                return label;
            }
        }
    }
    pieces(p, size, site, loaded)
}

/// A load of parts of several values.
#[inline(never)]
fn pieces(p: u64, size: u32, site: u32, loaded: u128) -> Label {
    // What was put together so far, from the lowest byte on.
    let (mut whole, mut whole_value, mut whole_width): (Label, u128, u32) = (0, 0, 0);
    let mut at = 0;
    while at < size {
        let (label, bytes) = piece(p, at, size, site, loaded);
        let (piece_value, width) = (loaded >> (8 * at) & mask(8 * bytes), 8 * bytes);
        if whole_width == 0 {
            (whole, whole_value, whole_width) = (label, piece_value, width);
        } else {
            if whole != 0 || label != 0 {
                whole = concat(label, piece_value, width, whole, whole_value, whole_width);
            }
            whole_value |= piece_value << whole_width;
            whole_width += width;
        }
        at += bytes;
    }
    whole
}

/// The longest piece from byte `at` on that is a part of one value, or has no label: its label (0 for
/// none) and its size in bytes.
fn piece(p: u64, at: u32, size: u32, site: u32, loaded: u128) -> (Label, u32) {
    // SAFETY: the program just loaded these bytes.
    let read = |i: u32| unsafe { *word(p + i as u64) };
    let first = read(at);
    let mut bytes = 1;
    if first == 0 {
        while at + bytes < size && read(at + bytes) == 0 {
            bytes += 1;
        }
        return (0, bytes);
    }
    let (label, index) = (first & MAX_LABEL, first >> LABEL_BITS);
    while at + bytes < size && index + bytes < 16 && read(at + bytes) == label | (index + bytes) << LABEL_BITS {
        bytes += 1;
    }
    let fits = 8 * (index + bytes) <= get(label).width as u32;
    let there = loaded >> (8 * at) & mask(8 * bytes);
    if !fits || value(label) >> (8 * index) & mask(8 * bytes) != there {
        lost(Lost::Stale as u32, site);
        labels::clear(p + at as u64, bytes as u64);
        return (0, bytes);
    }
    (extract(label, 8 * index, 8 * bytes), bytes)
}

#[inline(always)]
pub fn store(p: u64, size: u32, label: Label, pointer: Label, site: u32) {
    concretise(pointer, site, Lost::Address as u32);
    if label == 0 {
        return labels::clear(p, size as u64);
    }
    if get(label).width as u32 != 8 * size {
        lost(Lost::Stale as u32, site);
        return labels::clear(p, size as u64);
    }
    labels::set(p, size as u64, label);
}

pub fn copy(to: u64, from: u64, n: u64, labels_of: [Label; 3], site: u32) {
    let [to_label, from_label, n_label] = labels_of;
    concretise(to_label, site, Lost::Address as u32);
    concretise(from_label, site, Lost::Address as u32);
    concretise(n_label, site, Lost::Length as u32);
    if covers(to, n) && covers(from, n) {
        labels::copy(to, from, n);
    }
}

pub fn fill(to: u64, n: u64, byte: Label, labels_of: [Label; 2], site: u32) {
    let [to_label, n_label] = labels_of;
    concretise(to_label, site, Lost::Address as u32);
    concretise(n_label, site, Lost::Length as u32);
    if !shadow::covers(to, n) {
        return;
    }
    if byte != 0 && get(byte).width != 8 {
        lost(Lost::Stale as u32, site);
        return labels::clear(to, n);
    }
    labels::fill(to, n, byte);
}
