//! Labels of memory: set, clear, copy, ask. The summary is kept exact: a summary byte is nonzero if and
//! only if one of its eight words is.
//!
//! Callers make sure that ranges are addresses of the program ([`crate::shadow::covers`]).

use crate::shadow::{summary, word};
use symcrete_abi::Label;
use symcrete_abi::layout::LABEL_BITS;

/// Bytes `p..p + n` are those of the value `label`, lowest first. `n` ≤ 16.
#[inline(always)]
pub fn set(p: u64, n: u64, label: Label) {
    // SAFETY: the shadow of a program address is mapped (or becomes so when touched).
    unsafe {
        let words = word(p);
        for i in 0..n as usize {
            words.add(i).write(label | (i as u32) << LABEL_BITS);
        }
        for group in p >> 3..=(p + n - 1) >> 3 {
            *summary(group << 3) = 1;
        }
    }
}

/// The first group of eight bytes in `group..end` that has a label.
#[inline(always)]
fn next_labelled(mut group: u64, end: u64) -> Option<u64> {
    while group < end {
        // SAFETY: summary of program addresses; a read of eight bytes may go past `end`, still inside
        // the mapping, whose last page no program address uses.
        let eight = unsafe { summary(group << 3).cast::<u64>().read_unaligned() };
        if eight == 0 {
            group += 8;
            continue;
        }
        group += eight.trailing_zeros() as u64 / 8;
        return (group < end).then_some(group);
    }
    None
}

/// Whether any of the bytes has a label. Exact, not by groups.
pub fn any(p: u64, n: u64) -> bool {
    let mut found = false;
    each_group(p, n, |_, from, to| {
        // SAFETY: program addresses.
        found |= (from..to).any(|q| unsafe { *word(q) } != 0);
        !found
    });
    found
}

/// Calls `work(group, from, to)` for each labelled group and the part of it inside `p..p + n`, in rising
/// order, until it answers false.
#[inline(always)]
fn each_group(p: u64, n: u64, mut work: impl FnMut(u64, u64, u64) -> bool) {
    if n == 0 {
        return;
    }
    let end = ((p + n - 1) >> 3) + 1;
    let mut group = p >> 3;
    while let Some(found) = next_labelled(group, end) {
        let from = (found << 3).max(p);
        let to = ((found + 1) << 3).min(p + n);
        if !work(found, from, to) {
            return;
        }
        group = found + 1;
    }
}

/// Forgets the labels of `n` bytes.
pub fn clear(p: u64, n: u64) {
    each_group(p, n, |group, from, to| {
        // SAFETY: program addresses.
        unsafe {
            core::ptr::write_bytes(word(from), 0, (to - from) as usize);
            renew(group);
        }
        true
    });
}

/// Sets the summary of a group by its words.
///
/// # Safety
/// `group << 3` is a program address.
unsafe fn renew(group: u64) {
    // SAFETY: eight words of one group, aligned to 32 bytes.
    let words = unsafe { word(group << 3).cast::<[u64; 4]>().read() };
    // SAFETY: as above.
    unsafe { *summary(group << 3) = (words != [0; 4]) as u8 };
}

/// Labels of `from..from + n` become those of `to..to + n`, which may overlap.
pub fn copy(to: u64, from: u64, n: u64) {
    if n == 0 || to == from || (next_labelled(from >> 3, ((from + n - 1) >> 3) + 1).is_none()) {
        return if to != from {
            clear(to, n)
        };
    }
    // SAFETY: program addresses; the words are plain memory, so an overlapping copy is one of words.
    unsafe {
        core::ptr::copy(word(from), word(to), n as usize);
        for group in to >> 3..=(to + n - 1) >> 3 {
            renew(group);
        }
    }
}

/// Each byte becomes the one-byte value `label`.
pub fn fill(p: u64, n: u64, label: Label) {
    if label == 0 {
        return clear(p, n);
    }
    if n == 0 {
        return;
    }
    // SAFETY: program addresses.
    unsafe {
        for q in p..p + n {
            word(q).write(label);
        }
        for group in p >> 3..=(p + n - 1) >> 3 {
            *summary(group << 3) = 1;
        }
    }
}
