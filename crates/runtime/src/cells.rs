//! What state a program is in when it asks for input, as far as memory shows it: words of its variables, of its
//! stack and of the beginning of its heap. Words that take many values, or that depend on input and take more than a
//! few, say nothing about where a program is, and are left out. What is left is summed up in one number, with how
//! often the rarest of its values was seen.
//!
//! A measure of what deserves another look, nothing more: no verdict rests on it.

use crate::state::{STATE, block, region};
use crate::{gate, inputs, labels, requests, snapshot, sys, typing, watch};
use core::cell::Cell;
use symcrete_abi::cells::{ADDRESSES, OF_INPUT, SEEN, SIZE, Seen, TEXTS_SIZE, VALUES_SIZE, Word};

/// How much of each is looked at.
const MOST_VARIABLES: u64 = 1 << 20;
const MOST_HEAP: u64 = 1 << 17;
const MOST_STACK: u64 = 1 << 15;
/// Different values of a word that still says something: of one that once depended on input, and of any other.
const FEW: u16 = 4;
const SEVERAL: u16 = 64;
/// Looks at a word before it is said to have another value every time.
const LOOKS: u16 = 12;

struct Places {
    ready: Cell<bool>,
    /// The program's variables, and a copy of them as they were at the first input.
    variables: [Cell<(u64, u64)>; 4],
    copy: Cell<u64>,
    heap: Cell<u64>,
}

// SAFETY: one thread.
unsafe impl Sync for Places {}

static PLACES: Places = Places {
    ready: Cell::new(false),
    variables: [const { Cell::new((0, 0)) }; 4],
    copy: Cell::new(0),
    heap: Cell::new(0),
};

/// At the first input of a walk: finds the variables and keeps a copy of them.
pub fn prepare() {
    if PLACES.ready.replace(true) {
        return;
    }
    PLACES.heap.set(sys::heap_end());
    find();
    let total: u64 = PLACES.variables.iter().map(|v| v.get().1 - v.get().0).sum();
    let copy = if total == 0 { -1 } else { sys::pages(0, total.next_multiple_of(4096), 0) };
    if copy <= 0 {
        PLACES.variables.iter().for_each(|v| v.set((0, 0)));
        return;
    }
    PLACES.copy.set(copy as u64);
    let mut to = copy as u64;
    for place in &PLACES.variables {
        let (from, end) = place.get();
        // SAFETY: the kernel says that this memory is there; the copy is large enough for all of it.
        unsafe { core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, (end - from) as usize) };
        to += end - from;
    }
}

/// `/proc/self/maps`, as much as there is room for.
fn maps(buffer: &mut [u8; 16384]) -> &[u8] {
    let fd = sys::open(b"/proc/self/maps\0", 0, 0) as i32;
    let mut used = 0;
    while fd >= 0 && used < buffer.len() {
        let count = sys::read(fd, buffer[used..].as_mut_ptr(), buffer.len() - used);
        if count <= 0 {
            break;
        }
        used += count as usize;
    }
    if fd >= 0 {
        sys::close(fd);
    }
    &buffer[..used]
}

/// A fork copies an entry for each page: much memory in few large pages is copied in no time. Where the kernel cannot,
/// nothing changes.
pub fn make_pages_huge() {
    const LARGE: core::ops::Range<u64> = 4 << 20..1 << 32;
    let mut buffer = [0u8; 16384];
    for line in maps(&mut buffer).split(|&b| b == b'\n') {
        let Some((from, end, mode, name)) = mapping(line) else { continue };
        if mode.starts_with(b"rw-p") && (name.is_empty() || name == b"[heap]") && LARGE.contains(&(end - from)) {
            sys::madvise(from, end - from, sys::MADV_COLLAPSE);
        }
    }
}

/// Finds private writable memory of the executable, what follows it without a name, and the heap.
fn find() {
    let mut buffer = [0u8; 16384];
    let text = maps(&mut buffer);
    let (mut executable, mut end_before, mut found): (&[u8], u64, usize) = (&[], 0, 0);
    for line in text.split(|&b| b == b'\n') {
        let Some((from, end, mode, name)) = mapping(line) else { continue };
        if executable.is_empty() {
            executable = name;
        }
        if name == b"[heap]" {
            PLACES.heap.set(from);
        }
        let follows = name.is_empty() && from == end_before;
        let ours = (!name.is_empty() && name == executable) || follows;
        if ours {
            end_before = end;
        }
        if ours && mode.starts_with(b"rw-p") && found < PLACES.variables.len() && end - from <= MOST_VARIABLES {
            PLACES.variables[found].set((from, end));
            found += 1;
        }
    }
}

/// `from-end mode offset device inode name`.
fn mapping(line: &[u8]) -> Option<(u64, u64, &[u8], &[u8])> {
    let mut words = line.split(|&b| b == b' ').filter(|word| !word.is_empty());
    let range = words.next()?;
    let dash = range.iter().position(|&b| b == b'-')?;
    let mode = words.next()?;
    let name = words.nth(3).unwrap_or(&[]);
    Some((number(&range[..dash])?, number(&range[dash + 1..])?, mode, name))
}

fn number(text: &[u8]) -> Option<u64> {
    text.iter().try_fold(0u64, |sum, &digit| Some(sum << 4 | (digit as char).to_digit(16)? as u64))
}

/// Variables of ours that change all the time: begin and end.
fn own() -> [(u64, u64); 7] {
    fn place<T: ?Sized>(of: &T) -> (u64, u64) {
        let at = (of as *const T).cast::<u8>() as u64;
        (at & !3, at + size_of_val(of) as u64)
    }
    [
        place(&STATE),
        place(block()),
        place(&PLACES),
        requests::place(),
        snapshot::place(),
        typing::place(),
        inputs::place(),
    ]
    .map(|(from, end)| (from, end.max(from)))
}

/// The state as one number, never 0, and how often the rarest value in it was seen. `stack`: where the caller stands;
/// `registers`: what the program may keep there.
pub fn note(stack: u64, registers: &[u64]) -> (u64, u32) {
    let mut state = State { hash: 1, rarest: u32::MAX };
    if table().is_none() {
        return (1, u32::MAX);
    }
    let mut copy = PLACES.copy.get();
    let own = own();
    let is_ours = |at: u64| own.iter().any(|(from, end)| (*from..*end).contains(&at)) || gate::is_part(at);
    for place in &PLACES.variables {
        let (from, end) = place.get();
        for at in (from..end).step_by(4) {
            // SAFETY: both were there when the walk began, and programs do not give their variables away.
            let (now, then) = unsafe { (*(at as *const u32), *((copy + at - from) as *const u32)) };
            if now != then && !is_ours(at) {
                state.add(at, now);
            }
        }
        copy += end - from;
    }
    let heap = PLACES.heap.get();
    let buffer = watch::buffer();
    let stack = stack & !7;
    let top = STATE.argv.get() as u64;
    let ranges = [
        (heap, sys::heap_end().clamp(heap, heap + MOST_HEAP)),
        (stack, if top > stack { top.min(stack + MOST_STACK) } else { stack }),
    ];
    for (from, end) in ranges {
        for at in (from..end & !3).step_by(4).filter(|at| !(buffer.0..buffer.1).contains(at)) {
            // SAFETY: between the beginning and the end of the heap, and from here to what the kernel put on the stack.
            let now = unsafe { (at as *const u32).read_volatile() };
            if now != 0 {
                state.add(at, now);
            }
        }
    }
    for (at, &register) in registers.iter().enumerate() {
        // As if they lay at the beginning of memory, where nothing does.
        state.add(8 * at as u64 + 8, register as u32);
        state.add(8 * at as u64 + 12, (register >> 32) as u32);
    }
    (state.hash | 1, state.rarest)
}

struct State {
    hash: u64,
    rarest: u32,
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The two tables, where there is room for them.
fn table() -> Option<(&'static mut [Word], &'static mut [Seen])> {
    let (base, size) = region(|h| h.cells);
    if base.is_null() || (size as usize) < SIZE {
        return None;
    }
    // SAFETY: the region is that large and begins on a page; this process alone uses it now.
    unsafe {
        let words = base.add(VALUES_SIZE + TEXTS_SIZE).cast::<Word>();
        let seen = words.add(ADDRESSES).cast::<Seen>();
        Some((core::slice::from_raw_parts_mut(words, ADDRESSES), core::slice::from_raw_parts_mut(seen, SEEN)))
    }
}

impl State {
    fn add(&mut self, address: u64, value: u32) {
        let Some((words, seen)) = table() else { return };
        let key = ((address >> 2) as u32).max(1);
        let at = mix(u64::from(key)) as usize;
        let slot = (0..8).map(|i| (at + i) % ADDRESSES).find(|&i| words[i].key == key || words[i].key == 0);
        let Some(slot) = slot else { return };
        let word = &mut words[slot];
        word.key = key;
        if labels::any(address, 4) {
            word.distinct |= OF_INPUT;
        }
        let most = if word.distinct & OF_INPUT != 0 { FEW } else { SEVERAL };
        word.observed = word.observed.saturating_add(1);
        let restless = |word: &Word| word.observed >= LOOKS && (word.distinct & !OF_INPUT) > word.observed / 2;
        if word.distinct & !OF_INPUT > most || restless(word) {
            return;
        }
        let fingerprint = mix(address << 32 ^ address >> 32 ^ u64::from(value).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mark = (fingerprint as u32).max(1);
        let at = (fingerprint >> 32) as usize;
        let place = (0..16).map(|i| (at + i) % SEEN).find(|&i| seen[i].fingerprint == mark || seen[i].fingerprint == 0);
        let Some(place) = place else { return };
        if seen[place].fingerprint == 0 {
            seen[place].fingerprint = mark;
            word.distinct += 1;
            if word.distinct & !OF_INPUT > most || restless(word) {
                return;
            }
        }
        seen[place].count = seen[place].count.saturating_add(1);
        self.rarest = self.rarest.min(seen[place].count);
        self.hash = self.hash.wrapping_add(fingerprint);
    }
}
