//! Loads and stores at an address that depends on input, where it is known which places it can be: the value
//! becomes a term over all of them. An address that could be anywhere, or anywhere in too much memory, is left
//! to be fixed to its value.
//!
//! The slow block runs after all memory accesses of its segment, so memory may be ahead of the access looked
//! at: what later stores of the segment changed is put back from what they say was there before.

use crate::events::push;
use crate::linear::{Linear, linear};
use crate::nodes::{constant, get, intern, value};
use crate::operations::two;
use crate::state::STATE;
use crate::{labels, memory, shadow, sys, tables};
use symcrete_abi::layout::{STORE_ENTRIES, TABLE_ENTRIES};
use symcrete_abi::{EventKind, Label, Op};

/// Bytes from the first to the last place of an access.
const MOST_BYTES: u64 = 1 << 18;
/// Entries with labels that one run may go through, loads and stores together.
pub const BUDGET: u32 = 1 << 18;

/// The object that an access is known to be meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    pub at: u64,
    pub size: u64,
}

/// A store that the program has already done when an earlier access of its segment is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub at: u64,
    pub size: u32,
    pub before: Option<u64>,
}

/// An access: where it went, how large it is, what its address depends on.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    pub at: u64,
    pub size: u32,
    pub pointer: Label,
    pub site: u32,
    pub object: Option<Object>,
    /// Stores done since, in order.
    pub done: &'a [Done],
}

/// All places an access can go to: `count` of them, `step` bytes apart.
struct Region {
    first: u64,
    step: u64,
    count: u32,
    /// Which of them, as a label, and which it was.
    index: Label,
    at: u32,
}

impl Region {
    fn place(&self, index: u32) -> u64 {
        self.first + index as u64 * self.step
    }
}

/// The label of a value loaded at an address that depends on input; none when the address is to be fixed.
pub fn load(access: &Access<'_>, loaded: u64) -> Option<Label> {
    let region = find(access, TABLE_ENTRIES)?;
    let entries = tables::entries()?.get_mut(..region.count as usize)?;
    gather(access, &region, entries)?;
    if entries[region.at as usize] != loaded {
        return None;
    }
    let width = 8 * access.size;
    let extent = region.place(region.count - 1) - region.first + access.size as u64;
    if !labels::any(region.first, extent) {
        return table(&region, entries, width);
    }
    // Labelled entries are chosen one by one; in the table they repeat what is beside them.
    let mut labelled = [0u64; TABLE_ENTRIES as usize / 64];
    let mut last = 0;
    for (i, entry) in entries.iter_mut().enumerate() {
        let at = region.place(i as u32);
        if labels::any(at, access.size as u64) && memory::load(at, access.size, 0, access.site, *entry as u128) != 0 {
            labelled[i / 64] |= 1 << (i % 64);
            *entry = last;
        }
        last = *entry;
    }
    spend(labelled.iter().map(|word| word.count_ones()).sum())?;
    let mut label = table(&region, entries, width)?;
    let mut result = entries[region.at as usize] as u128;
    for i in (0..region.count).rev().filter(|&i| labelled[i as usize / 64] >> (i % 64) & 1 == 1) {
        let at = region.place(i);
        let real = read_done(access, at)?;
        let entry = memory::load(at, access.size, 0, access.site, real as u128);
        (label, result) = choose(&region, i, (entry, real as u128), (label, result), width)?;
    }
    (result == loaded as u128).then_some(label)
}

/// The labels that a store at an address that depends on input leaves: any of the places may have been hit.
/// `before` is what was at the place that was. False when the address is to be fixed.
pub fn store(access: &Access<'_>, label: Label, before: u64) -> bool {
    try_store(access, label, before).is_some()
}

fn try_store(access: &Access<'_>, label: Label, before: u64) -> Option<()> {
    let region = find(access, STORE_ENTRIES)?;
    if region.step < access.size as u64 {
        return None;
    }
    let entries = tables::entries()?.get_mut(..region.count as usize)?;
    gather(access, &region, entries)?;
    spend(region.count)?;
    let new = (label, entries[region.at as usize] as u128);
    entries[region.at as usize] = before;
    let width = 8 * access.size;
    for (i, &entry) in entries.iter().enumerate() {
        let at = region.place(i as u32);
        let old = memory::load(at, access.size, 0, access.site, entry as u128);
        let chosen = choose(&region, i as u32, new, (old, entry as u128), width).unwrap_or((0, 0)).0;
        match chosen {
            0 => labels::clear(at, access.size as u64),
            chosen => labels::set(at, access.size as u64, chosen),
        }
    }
    Some(())
}

/// `index == i ? yes : no`, as label and value; label 0 for what does not depend on input.
fn choose(region: &Region, i: u32, yes: (Label, u128), no: (Label, u128), width: u32) -> Option<(Label, u128)> {
    if yes == no {
        return Some(yes);
    }
    let bits = get(region.index).width as u32;
    let hit = i == region.at;
    let result = if hit { yes.1 } else { no.1 };
    let is = two(Op::Eq, bits, region.index, 0, value(region.index), i as u128, hit as u128);
    let label = |(label, value): (Label, u128)| if label == 0 { constant(value, width) } else { label };
    let (a, b) = (label(yes), label(no));
    if is == 0 || a == 0 || b == 0 {
        return None;
    }
    match intern(Op::Select, width, is, a, b, result) {
        0 => None,
        label => Some((label, result)),
    }
}

/// The table of these entries, read at the index; 0 when they are all the same, none when there is no room.
fn table(region: &Region, entries: &[u64], width: u32) -> Option<Label> {
    if entries.iter().all(|entry| *entry == entries[0]) {
        return Some(0);
    }
    let origin = region.first ^ (region.count as u64) << 48 ^ region.step << 40 ^ (width as u64) << 34;
    let word = tables::store(entries, width / 8, origin)?;
    let result = entries[region.at as usize] as u128;
    match intern(Op::Table, width, region.index, word, 0, result) {
        0 => None,
        label => Some(label),
    }
}

fn spend(entries: u32) -> Option<()> {
    let left = STATE.region_budget.get().checked_sub(entries)?;
    STATE.region_budget.set(left);
    Some(())
}

/// What lies at the places of a region as the access saw it.
fn gather(access: &Access<'_>, region: &Region, entries: &mut [u64]) -> Option<()> {
    let end = region.place(region.count - 1) + access.size as u64;
    let overlaps = |done: &&Done| done.at < end && done.at + done.size as u64 > region.first;
    let changed = access.done.iter().any(|done| overlaps(&done));
    for (i, entry) in entries.iter_mut().enumerate() {
        let at = region.place(i as u32);
        *entry = if changed { read_done(access, at)? } else { read(at, access.size) };
    }
    Some(())
}

/// Bytes of the program's memory, which is known to be readable there.
fn read(at: u64, size: u32) -> u64 {
    // SAFETY: the caller looked.
    unsafe {
        match size {
            1 => *(at as *const u8) as u64,
            2 => (at as *const u16).read_unaligned() as u64,
            4 => (at as *const u32).read_unaligned() as u64,
            _ => (at as *const u64).read_unaligned(),
        }
    }
}

/// The same, before the stores that came after the access; none when one of them does not say what was there.
fn read_done(access: &Access<'_>, at: u64) -> Option<u64> {
    let mut bytes = read(at, access.size).to_le_bytes();
    for done in access.done.iter().rev() {
        for i in 0..access.size as u64 {
            if let Some(offset) = (at + i).checked_sub(done.at).filter(|&offset| offset < done.size as u64) {
                bytes[i as usize] = done.before?.to_le_bytes()[offset as usize];
            }
        }
    }
    Some(u64::from_le_bytes(bytes))
}

/// All places of the access, if they are known and few, and memory that can be read.
fn find(access: &Access<'_>, most: u32) -> Option<Region> {
    if !matches!(access.size, 1 | 2 | 4 | 8) {
        return None;
    }
    let address = linear(access.pointer)?;
    let step = i64::try_from(address.step()?).ok()?;
    let known = address.known as i64 as i128;
    let (mut low, mut high) = (0i128, 0i128);
    for part in address.parts() {
        let scale = part.scale as i128;
        low += (scale * part.low).min(scale * part.high);
        high += (scale * part.low).max(scale * part.high);
    }
    // Within the object it is meant for, if that is smaller than what the address can be.
    if let Some(object) = access.object.filter(|object| object.size >= access.size as u64) {
        let (start, end) = (object.at as i128 - known, (object.at + object.size - access.size as u64) as i128 - known);
        // All parts are multiples of the step, and so are their ends.
        let (start, end) = (i64::try_from(start).ok()?, i64::try_from(end).ok()?);
        let start = low.max(start.checked_add(start.wrapping_neg().rem_euclid(step))? as i128);
        let end = high.min(end.checked_sub(end.rem_euclid(step))? as i128);
        if start <= end && (start > low || end < high) {
            let distance = steps(&address, step, start as i64)?;
            let last = ((end - start) as u64 / step as u64) as u128;
            let inside = value(distance) <= last;
            let label = two(Op::Ule, 64, distance, 0, value(distance), last, inside as u128);
            if label == 0 {
                return None;
            }
            push(EventKind::Branch, inside, access.site, label, crate::paths::position());
            if !inside {
                return None;
            }
            (low, high) = (start, end);
        }
    }
    let first = known + low;
    if high - low >= MOST_BYTES as i128 || first < 0 {
        return None;
    }
    let (first, distance, low) = (first as u64, (high - low) as u64, i64::try_from(low).ok()?);
    let count = distance / step as u64 + 1;
    if count > most as u64 || count < 2 {
        return None;
    }
    let extent = distance + access.size as u64;
    if !shadow::covers(first, extent) || !readable(first, extent, access.at) {
        return None;
    }
    let index = index(&address, step, low)?;
    // Sums that wrap around are no places in memory.
    let at = value(index) as u64;
    let here = first.wrapping_add(at.wrapping_mul(step as u64)) == access.at;
    (here && at < count).then_some(Region { first, step: step as u64, count: count as u32, index, at: at as u32 })
}

/// The number of the place: all parts in steps, from `least` on. None when it cannot be recorded.
fn index(address: &Linear, step: i64, least: i64) -> Option<Label> {
    if let [part] = address.parts()
        && part.scale == step
        && get(part.label).op == Op::SExt as u8
        && part.low < 0
        && least as i128 == part.low * step as i128
    {
        // The whole range of a signed number: the same number with its sign bit turned.
        let inner = get(part.label).a;
        let bits = get(inner).width as u32;
        let (v, sign) = (value(inner), 1u128 << (bits - 1));
        return Some(two(Op::Xor, bits, inner, 0, v, sign, v ^ sign)).filter(|&label| label != 0);
    }
    let label = steps(address, step, least)?;
    let node = get(label);
    Some(if node.op == Op::ZExt as u8 { node.a } else { label })
}

/// The distance from `least` in steps, as a 64-bit number.
fn steps(address: &Linear, step: i64, least: i64) -> Option<Label> {
    let (mut label, mut sum) = (0, 0u64);
    for part in address.parts() {
        let factor = (part.scale / step) as u64;
        let v = value(part.label) as u64;
        let product = v.wrapping_mul(factor);
        let scaled = two(Op::Mul, 64, part.label, 0, v as u128, factor as u128, product as u128);
        let total = sum.wrapping_add(product);
        label = two(Op::Add, 64, scaled, label, product as u128, sum as u128, total as u128);
        sum = total;
    }
    let start = (least / step).wrapping_neg() as u64;
    label = two(Op::Add, 64, label, 0, sum as u128, start as u128, sum.wrapping_add(start) as u128);
    (label != 0).then_some(label)
}

/// Whether all of a range can be read; `sure` is an address that was.
fn readable(first: u64, extent: u64, sure: u64) -> bool {
    const PAGE: u64 = 4096;
    let mut page = first & !(PAGE - 1);
    while page < first + extent {
        if page != sure & !(PAGE - 1) && !sys::readable(page) {
            return false;
        }
        page += PAGE;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Run, verify};
    use crate::inputs::{input_byte, label_bytes};
    use crate::operations::one;
    use symcrete_abi::Lost;

    #[repr(align(64))]
    struct Memory([u8; 1024]);

    fn memory() -> (Box<Memory>, u64) {
        let mut memory = Box::new(Memory([0; 1024]));
        for (i, byte) in memory.0.iter_mut().enumerate() {
            *byte = (i * 7 + i / 256) as u8;
        }
        let p = memory.0.as_ptr() as u64;
        labels::clear(p, 1024);
        (memory, p)
    }

    /// `base + scale * x` for an input byte `x`, and where that is.
    fn address(base: u64, x: u8, scale: u64) -> (Label, u64) {
        let byte = input_byte(0, 0, x);
        let wide = one::<u128>(Op::ZExt, 64, 8, byte, x as u128, 0, x as u128);
        let offset = x as u64 * scale;
        let scaled = two::<u128>(Op::Mul, 64, wide, 0, x as u128, scale as u128, offset as u128);
        let at = base + offset;
        (two::<u128>(Op::Add, 64, scaled, 0, offset as u128, base as u128, at as u128), at)
    }

    fn access((pointer, at): (Label, u64), size: u32) -> Access<'static> {
        Access { at, size, pointer, site: 1, object: None, done: &[] }
    }

    #[test]
    fn a_byte_index_reads_a_table_of_256_entries() {
        let run = Run::begin();
        let (_memory, p) = memory();
        let place = address(p, 33, 2);
        let label = load(&access(place, 2), read(place.1, 2)).unwrap();
        assert_eq!(get(label).op, Op::Table as u8);
        assert_eq!(get(get(label).a).op, Op::Input as u8, "the byte itself is the index");
        assert!((0..256).all(|i| tables::entry(get(label).b, i) == read(p + 2 * i as u64, 2)));
        verify(&run);
        // Once is enough.
        let used = run.header().tables_used;
        assert_eq!(load(&access(place, 2), read(place.1, 2)), Some(label));
        assert_eq!(run.header().tables_used, used);
        assert!(run.events().is_empty());
    }

    #[test]
    fn entries_with_labels_are_chosen_one_by_one() {
        for x in [4, 5, 6, 200] {
            let run = Run::begin();
            let (_memory, p) = memory();
            label_bytes(p + 5, 2, 1, 0);
            let place = address(p, x, 1);
            let label = load(&access(place, 1), read(place.1, 1)).unwrap();
            assert_eq!(get(label).op, Op::Select as u8);
            verify(&run);
        }
    }

    #[test]
    fn a_store_may_have_hit_every_entry() {
        let run = Run::begin();
        let (mut memory, p) = memory();
        let masked = {
            let x = input_byte(0, 0, 0x43);
            let wide = one::<u128>(Op::ZExt, 64, 8, x, 0x43, 0, 0x43);
            let low = two::<u128>(Op::And, 64, wide, 0, 0x43, 7, 3);
            two::<u128>(Op::Add, 64, low, 0, 3, p as u128, p as u128 + 3)
        };
        let before = memory.0[3] as u64;
        memory.0[3] = 99;
        let value = input_byte(2, 0, 99);
        assert!(store(&access((masked, p + 3), 1), value, before));
        for i in 0..10 {
            let label = memory::load(p + i, 1, 0, 1, memory.0[i as usize] as u128);
            assert_eq!(label != 0, i < 8, "{i}");
        }
        assert_eq!(run.lost(Lost::Stale), 0);
        verify(&run);
    }

    #[test]
    fn later_stores_are_undone_or_the_address_is_fixed() {
        let _run = Run::begin();
        let (mut memory, p) = memory();
        let place = address(p, 9, 1);
        let before = memory.0[77] as u64;
        memory.0[77] = 1;
        let known = [Done { at: p + 77, size: 1, before: Some(before) }];
        let label = load(&Access { done: &known, ..access(place, 1) }, memory.0[9] as u64).unwrap();
        assert_eq!(tables::entry(get(label).b, 77), before);
        let unknown = [Done { at: p + 77, size: 1, before: None }];
        assert_eq!(load(&Access { done: &unknown, ..access(place, 1) }, memory.0[9] as u64), None);
        let elsewhere = [Done { at: p + 500, size: 1, before: None }];
        assert!(load(&Access { done: &elsewhere, ..access(place, 1) }, memory.0[9] as u64).is_some());
    }

    #[test]
    fn inside_and_outside_an_object_is_a_decision() {
        let run = Run::begin();
        let (_memory, p) = memory();
        let object = Some(Object { at: p, size: 40 });
        let inside = address(p, 9, 4);
        let label = load(&Access { object, ..access(inside, 4) }, read(inside.1, 4)).unwrap();
        assert!((0..10).all(|i| tables::entry(get(label).b, i) == read(p + 4 * i as u64, 4)));
        let events = run.events();
        assert_eq!((events.len(), events[0].kind, events[0].taken), (1, EventKind::Branch as u8, 1));
        verify(&run);
    }

    #[test]
    fn memory_that_cannot_be_read_is_not_looked_at() {
        let run = Run::begin();
        let (_memory, p) = memory();
        // Far from anything: the last entries would lie where nothing is mapped.
        let place = address(p, 1, 1 << 36);
        assert_eq!(load(&access((place.0, place.1), 1), 0), None);
        assert!(sys::readable(p) && !sys::readable(8) && !sys::readable(1 << 60));
        verify(&run);
    }
}
