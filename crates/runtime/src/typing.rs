//! Words that the program's own code has, typed: a walk that is given its input key by key, or some bytes at a time, now
//! and then spells one of them over several requests. A line: perhaps a character that introduces it (`:`, `/`), the
//! word, and an end of line.

use crate::state::region;
use core::cell::Cell;
use symcrete_abi::cells::{MOST_TEXTS, SIZE, TEXT, VALUES_SIZE};

/// Kinds of requests (see `requests.c`).
const BYTES: u32 = 0;
const SIGNED: u32 = 1;
const UNSIGNED: u32 = 2;
/// How harnesses of `--input-function` call the length of the buffer that they ask for next.
const LENGTH: &[u8] = b"length of ";
/// A line is begun at one of so many requests: of buffers, and of numbers, which are often no keys.
const OFTEN: u64 = 16;
const SELDOM: u64 = 64;
const MARKS: &[u8] = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// Longest line.
const ROOM: usize = TEXT + 2;

struct Typing {
    line: Cell<[u8; ROOM]>,
    length: Cell<usize>,
    at: Cell<usize>,
    /// The name of what takes numbers, or 0 for buffers.
    name: Cell<u64>,
    /// The last buffer's size, and how many bytes of the next are used.
    most: Cell<usize>,
    used: Cell<Option<usize>>,
    /// Buffers come with their lengths.
    measured: Cell<bool>,
}

// SAFETY: one thread.
unsafe impl Sync for Typing {}

static TYPING: Typing = Typing {
    line: Cell::new([0; ROOM]),
    length: Cell::new(0),
    at: Cell::new(0),
    name: Cell::new(0),
    most: Cell::new(0),
    used: Cell::new(None),
    measured: Cell::new(false),
};

/// Where this module's variables lie.
pub fn place() -> (u64, u64) {
    let at = &raw const TYPING as u64;
    (at, at + size_of::<Typing>() as u64)
}

/// The next piece of a line, if one is typed; false: something else may be drawn.
pub fn next(bytes: &mut [u8], kind: u32, name: *const u8, random: fn() -> u64) -> bool {
    let t = &TYPING;
    let left = t.length.get() - t.at.get();
    match kind {
        BYTES => {
            t.most.set(bytes.len());
            let used = t.used.take();
            if left == 0 {
                // What its length is has been said already.
                return begin(0, OFTEN, random) && !t.measured.get() && next(bytes, kind, name, random);
            }
            if t.name.get() != 0 {
                return false;
            }
            let count = used.unwrap_or(left).min(left).min(bytes.len());
            take(&mut bytes[..count]);
            bytes[count..].fill(0);
            true
        }
        UNSIGNED if is_length(name) => {
            t.measured.set(true);
            if (left == 0 || t.name.get() != 0) || t.most.get() == 0 || bytes.len() != 2 {
                return false;
            }
            let count = left.min(t.most.get());
            t.used.set(Some(count));
            bytes.copy_from_slice(&length_for(count as u32, t.most.get() as u32).to_le_bytes());
            true
        }
        SIGNED | UNSIGNED if bytes.len() <= 4 => {
            if left == 0 && !begin(name as u64, SELDOM, random) || t.name.get() != name as u64 {
                return false;
            }
            bytes.fill(0);
            take(&mut bytes[..1]);
            true
        }
        _ => false,
    }
}

fn take(bytes: &mut [u8]) {
    let t = &TYPING;
    let at = t.at.get();
    bytes.copy_from_slice(&t.line.get()[at..at + bytes.len()]);
    t.at.set(at + bytes.len());
}

fn begin(name: u64, seldom: u64, random: fn() -> u64) -> bool {
    let any = random();
    let Some(text) = any.is_multiple_of(seldom).then(|| text(any >> 8)).flatten() else { return false };
    let (mut line, mut length) = ([0; ROOM], 0);
    if any >> 7 & 1 == 1 {
        line[0] = MARKS[(any >> 40) as usize % MARKS.len()];
        length = 1;
    }
    line[length..length + text.len()].copy_from_slice(text);
    length += text.len();
    line[length] = b'\n';
    TYPING.line.set(line);
    TYPING.length.set(length + 1);
    TYPING.at.set(0);
    TYPING.name.set(name);
    true
}

/// One of the words that were offered.
fn text(any: u64) -> Option<&'static [u8]> {
    let (base, size) = region(|h| h.cells);
    if base.is_null() || (size as usize) < SIZE {
        return None;
    }
    // SAFETY: the region begins on a page and is that large.
    unsafe {
        let texts = base.add(VALUES_SIZE);
        let count = (texts.cast::<u32>().read() as usize).min(MOST_TEXTS);
        let number = (any as u32 as usize).checked_rem(count)?;
        let entry = core::slice::from_raw_parts(texts.add(TEXT * (1 + number)), TEXT);
        entry.get(1..1 + entry[0] as usize)
    }
}

fn is_length(name: *const u8) -> bool {
    // SAFETY: a string of the program's, which ends with a zero.
    !name.is_null() && LENGTH.iter().enumerate().all(|(at, byte)| unsafe { *name.add(at) } == *byte)
}

/// What a harness takes for the length `count` of a buffer of `most` bytes, whether it has an error beside them (one value
/// more, before the others) or not.
fn length_for(count: u32, most: u32) -> u16 {
    let fits = |value: &u32| value % (most + 2) == count + 1;
    let found = (0..most + 2).map(|turn| count + turn * (most + 1)).find(fits);
    found.and_then(|value| u16::try_from(value).ok()).unwrap_or(count as u16 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_mean_the_same_with_and_without_errors() {
        for most in 1..200 {
            for count in 0..=most {
                let value = u32::from(length_for(count, most));
                assert_eq!((value % (most + 2), value % (most + 1)), (count + 1, count));
            }
        }
    }
}
