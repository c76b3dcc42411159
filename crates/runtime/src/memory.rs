//! Loads, stores, copies: labels follow the bytes. Nobody can know what uninstrumented code wrote, so a
//! load compares each label's recorded value with the bytes really there; what does not match is dropped
//! and counted.

use crate::events::{concretise, lost};
use crate::nodes::{concat, extract, get, mask, value};
use crate::operations::Bits;
use crate::shadow::{covers, word};
use crate::{labels, nodes, shadow};
use symcrete_abi::layout::{LABEL_BITS, MAX_LABEL};
use symcrete_abi::{Label, Lost};

/// Label of the `size` bytes at `p`, which hold `loaded`.
#[inline(always)]
pub fn load<B: Bits>(p: u64, size: u32, pointer: Label, site: u32, loaded: B) -> Label {
    concretise(pointer, site, Lost::Address as u32);
    // Beside a labelled load there are others, of memory without labels: their words stay untouched.
    // SAFETY: the program just loaded from there, so its shadow is mapped.
    if unsafe { *shadow::summary(p) } == 0 && (p & 7) + size as u64 <= 8 {
        return 0;
    }
    // SAFETY: as above.
    let first = unsafe { *word(p) };
    if size == 1 && first == 0 {
        return 0;
    }
    let label = first & MAX_LABEL;
    if first != 0 && first == label && label < nodes::count() {
        let node = get(label);
        if node.width as u32 == 8 * size && B::of(node) == loaded {
            // SAFETY: as above.
            let whole = (1..size as usize).all(|i| unsafe { *word(p).add(i) } == label | (i as u32) << LABEL_BITS);
            if whole {
                return label;
            }
        }
    }
    pieces(p, size, site, loaded.wide())
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
    // A wild store of the program may have hit the shadow itself: such a label never was one.
    let fits = label < nodes::count() && 8 * (index + bytes) <= get(label).width as u32;
    let there = loaded >> (8 * at) & mask(8 * bytes);
    if !fits || value(label) >> (8 * index) & mask(8 * bytes) != there {
        lost(Lost::Stale as u32, site);
        labels::clear(p + at as u64, bytes as u64);
        return (0, bytes);
    }
    (extract(label, 8 * index, 8 * bytes), bytes)
}

/// The label of a pointer if it really stands for `p`; a label gone stale is counted.
pub fn pointer(label: Label, p: u64, site: u32) -> Option<Label> {
    if get(label).width == 64 && value(label) == p as u128 {
        return Some(label);
    }
    lost(Lost::Stale as u32, site);
    None
}

/// The label of a value to be stored if it has the right size; else 0, counted.
pub fn fitting(label: Label, size: u32, site: u32) -> Label {
    if label != 0 && get(label).width as u32 != 8 * size {
        lost(Lost::Stale as u32, site);
        return 0;
    }
    label
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Run, evaluate, verify};
    use crate::inputs::label_bytes;
    use crate::shadow::summary;

    /// The summary says exactly which groups have labels.
    fn summary_is_exact(p: u64, n: u64) {
        for group in p >> 3..=(p + n) >> 3 {
            // SAFETY: shadow of memory of this test.
            let (words, byte) = unsafe { (word(group << 3).cast::<[u32; 8]>().read(), *summary(group << 3)) };
            assert_eq!(byte != 0, words != [0; 8], "group {group:x}");
        }
    }

    #[repr(align(64))]
    struct Memory([u8; 256]);

    fn memory() -> (Box<Memory>, u64) {
        let mut memory = Box::new(Memory([0; 256]));
        for (i, byte) in memory.0.iter_mut().enumerate() {
            *byte = i as u8 ^ 0x5a;
        }
        let p = memory.0.as_ptr() as u64;
        labels::clear(p, 256);
        (memory, p)
    }

    fn read(p: u64, size: u32) -> u128 {
        (0..size).fold(0, |v, i| {
            // SAFETY: memory of this test.
            v | (unsafe { *((p + i as u64) as *const u8) } as u128) << (8 * i)
        })
    }

    #[test]
    fn a_stored_value_comes_back_whole_and_in_parts() {
        let run = Run::begin();
        let (_memory, p) = memory();
        label_bytes(p, 8, 0, 0);
        let whole = load(p, 8, 0, 1, read(p, 8));
        assert_eq!(get(whole).width, 64);
        // Stored as one value and loaded again: the same label.
        store(p + 32, 8, whole, 0, 1);
        // SAFETY: memory of this test.
        unsafe { std::ptr::copy(p as *const u8, (p + 32) as *mut u8, 8) };
        assert_eq!(load(p + 32, 8, 0, 1, read(p + 32, 8)), whole);
        // A part of it is the input byte it came from.
        assert_eq!(load(p + 35, 1, 0, 1, read(p + 35, 1)), load(p + 3, 1, 0, 1, read(p + 3, 1)));
        // A load that goes past it has constants above.
        let beyond = load(p + 36, 8, 0, 1, read(p + 36, 8));
        assert_eq!(evaluate(beyond), read(p + 36, 8));
        summary_is_exact(p, 128);
        verify(&run);
    }

    #[test]
    fn bytes_changed_behind_our_back_lose_their_label() {
        let run = Run::begin();
        let (mut memory, p) = memory();
        label_bytes(p, 4, 0, 0);
        memory.0[1] ^= 1;
        let label = load(p, 4, 0, 7, read(p, 4));
        assert_eq!(evaluate(label), read(p, 4));
        assert_eq!(run.lost(Lost::Stale), 1);
        // Once is enough: the byte is a constant now.
        assert_eq!(load(p, 4, 0, 7, read(p, 4)), label);
        assert_eq!(run.lost(Lost::Stale), 1);
        memory.0[0..4].fill(0);
        assert_eq!(load(p, 4, 0, 7, 0u64), 0);
        assert!(!labels::any(p, 4));
        summary_is_exact(p, 64);
    }

    #[test]
    fn an_input_dependent_address_is_fixed_and_counted() {
        let run = Run::begin();
        let (_memory, p) = memory();
        label_bytes(p, 8, 0, 0);
        let pointer = load(p, 8, 0, 1, read(p, 8));
        assert_eq!(load(p + 100, 4, pointer, 9, read(p + 100, 4)), 0);
        let events = run.events();
        assert_eq!(events.len(), 1);
        assert_eq!(
            (events[0].kind, events[0].site, events[0].label),
            (symcrete_abi::EventKind::Concretise as u8, 9, pointer)
        );
        assert_eq!(run.lost(Lost::Address), 1);
    }

    #[test]
    fn a_shadow_that_was_written_over_is_noticed() {
        let run = Run::begin();
        let (_memory, p) = memory();
        // SAFETY: shadow of memory of this test.
        unsafe {
            *word(p) = 0x0fff_fff0;
            *summary(p) = 1;
        }
        assert_eq!(load(p, 4, 0, 1, read(p, 4)), 0);
        assert_eq!(load(p, 1, 0, 1, read(p, 1)), 0);
        assert_eq!(run.lost(Lost::Stale), 1);
    }

    /// Random stores, copies, fills and clears against a plain array of labels.
    #[test]
    fn memory_agrees_with_a_plain_array() {
        let run = Run::begin();
        let (_memory, p) = memory();
        let one = crate::inputs::input_byte(0, 0, 1);
        let wide = {
            label_bytes(p, 16, 1, 0);
            let label = load(p, 16, 0, 0, read(p, 16));
            labels::clear(p, 16);
            label
        };
        let four = crate::nodes::extract(wide, 0, 32);
        let mut plain = [0u32; 256];
        let mut random = 1u64;
        let mut draw = |n: u64| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) % n
        };
        for _ in 0..20_000 {
            let (a, b, n) = (draw(200), draw(200), draw(56));
            match draw(5) {
                0 => {
                    let (label, size) = [(one, 1u64), (four, 4), (wide, 16), (0, 8)][draw(4) as usize];
                    store(p + a, size as u32, label, 0, 0);
                    for i in 0..size {
                        plain[(a + i) as usize] = if label == 0 { 0 } else { label | (i as u32) << LABEL_BITS };
                    }
                }
                1 => {
                    copy(p + a, p + b, n, [0; 3], 0);
                    plain.copy_within(b as usize..(b + n) as usize, a as usize);
                }
                2 => {
                    fill(p + a, n, one, [0; 2], 0);
                    plain[a as usize..(a + n) as usize].fill(one);
                }
                _ => {
                    labels::clear(p + a, n);
                    plain[a as usize..(a + n) as usize].fill(0);
                }
            }
            // SAFETY: shadow of memory of this test.
            let words = unsafe { std::slice::from_raw_parts(word(p), 256) };
            assert_eq!(words, plain);
            let (from, size) = (draw(200), draw(56));
            let expected = plain[from as usize..(from + size) as usize].iter().any(|&w| w != 0);
            assert_eq!(labels::any(p + from, size), expected);
        }
        summary_is_exact(p, 255);
        drop(run);
    }
}
