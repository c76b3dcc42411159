//! What the models of input functions (C, compiled by our own compiler) ask of the runtime: which
//! descriptor is an input object, how long that is, and labels for bytes that were read natively.
//!
//! Each function takes the labels of its arguments out of the block and leaves labelled results there,
//! as an instrumented function would.

use crate::gate::pass;
use crate::inputs::{SOURCES, input_byte, label_bytes, length_label, object_length, source, source_count};
use crate::nodes::intern;
use crate::shadow::covers;
use crate::state::{STATE, block};
use crate::{events, labels, memory, sys, watch};
use core::cell::Cell;
use symcrete_abi::input::SourceKind;
use symcrete_abi::layout::PAGE;
use symcrete_abi::lost::NO_SITE;
use symcrete_abi::{EventKind, Label, Lost, Op};

/// Comparisons of more bytes than this are no keywords.
const LONGEST_WISH: u64 = 64;

/// What is written is not known: `MODEL_ANYTHING` of model.h.
const ANYTHING: u64 = u64::MAX;

/// Device and inode of the file behind each declared source, zero for none.
struct Files([Cell<(u64, u64)>; SOURCES]);

// SAFETY: one thread.
unsafe impl Sync for Files {}

static FILES: Files = Files([const { Cell::new((0, 0)) }; SOURCES]);

/// `fd` is open on the file or socket of source `i`.
pub fn declare(i: u32, fd: i32) {
    if let Some(identity) = sys::identity(fd) {
        FILES.0[i as usize].set(identity);
    }
}

/// Labels of the arguments, if the block is stamped for `key`; the stamp is taken.
pub fn take(key: u64) -> [Label; 4] {
    let block = block();
    if block.stamp != key {
        return [0; 4];
    }
    block.stamp = 0;
    let mut result = [0; 4];
    let count = (block.count as usize).min(4);
    result[..count].copy_from_slice(&block.arguments[..count]);
    result
}

/// Leaves the label of a result.
pub fn give(key: u64, label: Label) {
    let block = block();
    block.result_stamp = if label == 0 { 0 } else { key };
    block.results[0] = label;
}

/// What [`__symcrete_model_object`] says where nothing is followed: that may change while the program runs.
const NOT_FOLLOWED: i32 = -2;

/// The input object that descriptor `fd` reads, -1 for none. Files are known by what they are, not by
/// their number: copies and descriptors opened anew are found too.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_object(fd: i32) -> i32 {
    pass(NOT_FOLLOWED, || {
        take(__symcrete_model_object as *const () as u64);
        let Some(identity) = sys::identity(fd) else { return -1 };
        let found = (0..source_count()).find(|&i| FILES.0[i as usize].get() == identity);
        found.inspect(|&i| watch::used(i)).map_or(-1, |i| i as i32)
    })
}

/// Device and inode of source `i`.
pub fn identity(i: u32) -> (u64, u64) {
    FILES.0[i as usize].get()
}

/// Whether descriptor `fd` reads source `i`.
pub fn is_source(i: u32, fd: i32) -> bool {
    sys::identity(fd).is_some_and(|identity| identity == FILES.0[i as usize].get())
}

/// Length of an object, labelled unless it is fixed.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_length(i: i32) -> u64 {
    pass(0, || {
        let key = __symcrete_model_length as *const () as u64;
        take(key);
        if i < 0 || i as u32 >= source_count() {
            return 0;
        }
        give(key, length_label(i as u32));
        object_length(i as u32)
    })
}

/// How many bytes of the object have been consumed through `fd`.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_position(i: i32, fd: i32) -> u64 {
    pass(0, || {
        take(__symcrete_model_position as *const () as u64);
        if i < 0 || i as u32 >= source_count() {
            return 0;
        }
        position(i as u32, fd)
    })
}

pub fn position(i: u32, fd: i32) -> u64 {
    if source(i).kind == SourceKind::Socket as u8 {
        return object_length(i).saturating_sub(sys::waiting(fd).unwrap_or(0));
    }
    sys::lseek(fd, 0, 1).max(0) as u64
}

/// The bytes at `p` were read from object `i` at `offset`: they become its input bytes. Bytes that the
/// object does not have, or not with that value, are not its bytes. An offset that depends on input (from the end of
/// the object, say) is fixed: other inputs have other bytes there.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_label(p: u64, n: u64, i: i32, offset: u64) {
    pass((), || {
        let [_, _, _, offset_label, ..] = take(__symcrete_model_label as *const () as u64);
        if !covers(p, n) {
            return;
        }
        labels::clear(p, n);
        if n != 0 {
            events::concretise(offset_label, NO_SITE, Lost::Address as u32);
        }
        if i < 0 || i as u32 >= source_count() {
            return;
        }
        let object = &crate::inputs::object(i as u32)[..object_length(i as u32) as usize];
        let Some(rest) = object.get(offset as usize..) else { return };
        let n = n.min(rest.len() as u64);
        // SAFETY: the model has just read so many bytes to there.
        let there = unsafe { core::slice::from_raw_parts(p as *const u8, n as usize) };
        if there == &rest[..n as usize] {
            label_bytes(p, n, i as u32, offset);
        }
    });
}

/// `c` is byte `offset` of object `i`, as `getc` returns it.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_character(c: i32, i: i32, offset: u64) -> i32 {
    pass((), || {
        let key = __symcrete_model_character as *const () as u64;
        let [_, _, offset_label, ..] = take(key);
        events::concretise(offset_label, NO_SITE, Lost::Address as u32);
        let known = i >= 0
            && (i as u32) < source_count()
            && crate::inputs::object(i as u32).get(offset as usize) == Some(&(c as u8));
        let label = if known && (0..256).contains(&c) { input_byte(i as u32, offset, c as u8) } else { 0 };
        give(key, if label == 0 { 0 } else { intern(Op::ZExt, 32, label, 0, 0, c as u128) });
    });
    c
}

/// `value`, fixed: from here on it does not depend on input. `what` is a `Lost`.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_fix(value: u64, what: u32) -> u64 {
    pass((), || {
        let [label, ..] = take(__symcrete_model_fix as *const () as u64);
        events::concretise(label, NO_SITE, what);
    });
    value
}

/// Whether neither the pointer, nor the size, nor any of the bytes depends on input: the native function
/// is then as good as the model.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_clean(p: u64, n: u64) -> i32 {
    pass(1, || {
        let [pointer, size, ..] = take(__symcrete_model_clean as *const () as u64);
        (pointer == 0 && size == 0 && !(covers(p, n) && labels::any(p, n))) as i32
    })
}

/// The `n` bytes at `p` and `q` are being compared; with `text` only up to the end of the shorter string. Says which bytes
/// would have to be what for equality, when those that differ depend on input on one side and on none on the other.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_wish(p: u64, q: u64, n: u64, text: i32) {
    pass((), || {
        take(__symcrete_model_wish as *const () as u64);
        want_word(p, q, n, text != 0);
        // SAFETY: the program is about to read these very bytes.
        let byte = |at: u64| unsafe { *(at as *const u8) };
        let ends = |i: &u64| byte(p + i) == 0 || byte(q + i) == 0;
        let n = if text != 0 { (0..n.min(LONGEST_WISH)).find(ends).map_or(n, |i| i + 1) } else { n };
        if n == 0 || n > LONGEST_WISH || !covers(p, n) || !covers(q, n) || (labels::any(p, n) == labels::any(q, n)) {
            return;
        }
        let (input, wanted) = if labels::any(p, n) { (p, q) } else { (q, p) };
        let has_label = |at: u64| labels::any(at, 1);
        let mut differing = (0..n).filter(|&i| byte(input + i) != byte(wanted + i)).peekable();
        if differing.peek().is_none() || !differing.all(|i| has_label(input + i)) {
            return;
        }
        let mut first = true;
        for i in (0..n).filter(|&i| has_label(input + i)) {
            let label = memory::load(input + i, 1, 0, NO_SITE, u128::from(byte(input + i)));
            if label != 0 {
                events::push(EventKind::Wish, first, NO_SITE, label, u32::from(byte(wanted + i)));
                first = false;
            }
        }
    })
}

/// Of two strings, looked at up to `n` bytes, one is input and has another length than the other: then no other values of its
/// bytes make them equal. Says what it would have to be. What is no text for sure has to look like one: of a comparison with
/// a short constant in an array the compiler makes one of all bytes up to the constant's end.
fn want_word(p: u64, q: u64, n: u64, text: bool) {
    let (all, n) = (n, n.min(LONGEST_WISH));
    if !covers(p, n) || !covers(q, n) {
        return;
    }
    // SAFETY: the program is about to read the first byte of each; no page but the first is looked at.
    let byte = |at: u64| unsafe { *(at as *const u8) };
    let length = |at: u64, most: u64| {
        let most = most.min(PAGE - at % PAGE);
        (0..most).find(|i| byte(at + i) == 0).unwrap_or(most)
    };
    let label = |at: u64| memory::load(at, 1, 0, NO_SITE, u128::from(byte(at)));
    let [input, wanted] = if labels::any(p, 1) { [p, q] } else { [q, p] };
    let (have, want) = (length(input, if text { n } else { LONGEST_WISH }), length(wanted, n));
    let looks_like_text = text || want + 1 == all;
    if have == want || want == 0 || !looks_like_text || labels::any(wanted, want) || !labels::any(input, 1) {
        return;
    }
    let (first, last) = (label(input), if have == 0 { 0 } else { label(input + have - 1) });
    if first == 0 || (last == 0 && have != 0) {
        return;
    }
    events::push(EventKind::Word, true, NO_SITE, first, want as u32);
    for at in (0..want).step_by(4) {
        let piece = (at..want.min(at + 4)).rev().fold(0, |piece, at| piece << 8 | u32::from(byte(wanted + at)));
        events::push(EventKind::Word, true, NO_SITE, if at == 0 { last } else { 0 }, piece);
    }
}

/// What the cell holds agrees with `real`, or is set to it and forgets its label. Not a decision of the
/// program, so not one of the trace.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_settle(cell: &mut u64, real: u64) {
    if *cell != real {
        *cell = real;
        pass((), || labels::clear(&raw const *cell as u64, 8));
    }
    pass((), || {
        take(__symcrete_model_settle as *const () as u64);
    });
}

/// A character `_c` or the `n` bytes at `p` were written to `fd`, or to memory if that is negative.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_written(fd: i32, _c: i32, p: u64, n: u64) {
    pass((), || {
        let [_, character, _, size] = take(__symcrete_model_written as *const () as u64);
        if character == 0 && size == 0 && n != ANYTHING && !(covers(p, n) && labels::any(p, n)) {
            return;
        }
        match fd {
            ..0 => events::lost(Lost::Written as u32, NO_SITE),
            _ => STATE.written.set(true),
        }
    });
}

/// The program is about to read from `fd`.
pub fn read_back(fd: i32) {
    if STATE.written.get() && !(0..source_count()).any(|i| is_source(i, fd)) {
        events::lost(Lost::Written as u32, NO_SITE);
    }
}

/// Counts that a model could not follow its data.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_lost(what: u32) {
    pass((), || {
        take(__symcrete_model_lost as *const () as u64);
        events::lost(what, NO_SITE);
    });
}

/// The program asks where `errno` lies, which a function of the mathematical library may set, sooner or later.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_errno() {
    pass((), || {
        take(__symcrete_model_errno as *const () as u64);
        STATE.errno_known.set(true);
        if STATE.math_called.get() {
            events::lost(Lost::Errno as u32, NO_SITE);
        }
    });
}

/// The program is about to look at flags that float operations set.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_flags() {
    pass((), || {
        take(__symcrete_model_flags as *const () as u64);
        if STATE.floats.get() {
            events::lost(Lost::Errno as u32, NO_SITE);
        }
    });
}

/// Memory begins a new life.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_clear(p: u64, n: u64) {
    pass((), || {
        take(__symcrete_model_clear as *const () as u64);
        if covers(p, n) {
            labels::clear(p, n);
        }
    });
}

/// Memory has moved.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_model_move(to: u64, from: u64, n: u64) {
    pass((), || {
        take(__symcrete_model_move as *const () as u64);
        if covers(to, n) && covers(from, n) {
            labels::copy(to, from, n);
        }
    });
}
