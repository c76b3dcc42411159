//! Linked files (the executable, shared objects) hand in their marks, sides and units. Their sections are
//! laid over the shared memory, so that a mark is a plain store that the engine sees.

use crate::state::{header, region};
use crate::{natives, sys};
use core::cell::Cell;
use symcrete_abi::layout::{PAGE, UnitEntry, truncated};
use symcrete_abi::unit::{ModelEntry, Module, Unit};

struct Registry {
    /// Units, sites and bytes given away so far.
    units: Cell<u32>,
    sites: Cell<u32>,
    marks: Cell<u64>,
    sides: Cell<u64>,
    /// End of the last mark in the region.
    scan: Cell<usize>,
    /// A copy of the sides that constructors took, and how many bytes it has.
    early: Cell<(*const u8, usize)>,
}

// SAFETY: constructors run one after the other.
unsafe impl Sync for Registry {}

static REGISTRY: Registry = Registry {
    units: Cell::new(0),
    sites: Cell::new(0),
    marks: Cell::new(0),
    sides: Cell::new(0),
    scan: Cell::new(0),
    early: Cell::new((core::ptr::null(), 0)),
};

/// Called by a constructor of every linked file.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_register(module: &Module) {
    natives::add(models(module));
    let Some(header) = header() else { return };
    if module.units.is_null() || module.units == module.units_end {
        return;
    }
    let marks = overlay(module.marks, module.marks_end, region(|h| h.marks), &REGISTRY.marks);
    let sides = overlay(module.sides, module.sides_end, region(|h| h.sides), &REGISTRY.sides);
    if marks.is_none() || sides.is_none() {
        header.truncated |= truncated::MARKS;
    }
    let mut unit = module.units;
    while unit < module.units_end {
        // SAFETY: the linker laid the records of this section one after the other.
        unsafe {
            add(&*unit, module, marks, sides);
            unit = unit.add(1);
        }
    }
    announce();
}

/// Called by the destructor of a shared object.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_unregister(module: &Module) {
    natives::remove(models(module));
}

fn models(module: &Module) -> &[ModelEntry] {
    if module.models.is_null() {
        return &[];
    }
    let count = (module.models_end as usize - module.models as usize) / size_of::<ModelEntry>();
    // SAFETY: the linker laid the entries of this section one after the other.
    unsafe { core::slice::from_raw_parts(module.models, count) }
}

/// Lays the next pages of the region over a section; where they begin in the region.
fn overlay(from: *mut u8, to: *mut u8, (base, size): (*mut u8, u64), next: &Cell<u64>) -> Option<u64> {
    let (at, length) = (next.get(), (to as u64).wrapping_sub(from as u64));
    if length == 0 {
        return Some(at);
    }
    let aligned = [from as u64, length, base as u64].iter().all(|v| v % PAGE == 0);
    if !aligned || at + length > size {
        return None;
    }
    let pages = base.wrapping_add(at as usize);
    // SAFETY: both have `length` bytes. What constructors marked before us is kept.
    unsafe { core::ptr::copy_nonoverlapping(from, pages, length as usize) };
    if !sys::mirror(pages as u64, from as u64, length) {
        return None;
    }
    next.set(at + length);
    Some(at)
}

fn add(unit: &Unit, module: &Module, marks: Option<u64>, sides: Option<u64>) {
    let Some(header) = header() else { return };
    let (base, size) = region(|h| h.units);
    let number = REGISTRY.units.get();
    let sites = REGISTRY.sites.get();
    // SAFETY: the pass put the address of the unit's own variable there.
    unsafe { *unit.site_base = sites };
    REGISTRY.sites.set(sites + unit.sites);
    if (number as u64 + 1) * size_of::<UnitEntry>() as u64 > size {
        header.truncated |= truncated::UNITS;
        return;
    }
    let place = |at: Option<u64>, own: *mut u8, first: *mut u8, count: u32| match at {
        Some(at) => ((at + (own as u64).wrapping_sub(first as u64)) as u32, count),
        None => (0, 0),
    };
    let (marks_at, marks) = place(marks, unit.marks, module.marks, unit.marks_count);
    let (sides_at, sides) = place(sides, unit.sides, module.sides, unit.sides_count);
    let entry = UnitEntry { hash: unit.hash, site_base: sites, sites: unit.sites, marks_at, marks, sides_at, sides };
    // SAFETY: inside the region.
    unsafe { base.cast::<UnitEntry>().add(number as usize).write(entry) };
    REGISTRY.units.set(number + 1);
    REGISTRY.scan.set(REGISTRY.scan.get().max((marks_at + marks) as usize));
}

/// Writes into the header what this process knows; the engine may have cleared it.
pub fn announce() {
    if let Some(header) = header() {
        header.unit_count = REGISTRY.units.get();
        header.marks_used = REGISTRY.marks.get() as u32;
        header.sides_used = REGISTRY.sides.get() as u32;
    }
}

/// Constructors are over: the sides they took are part of every run, as they are of one that begins anew.
pub fn keep_early_sides() {
    let (base, _) = region(|h| h.sides);
    let used = REGISTRY.sides.get() as usize;
    let copy = if used == 0 { 0 } else { sys::pages(0, used as u64, 0) };
    if copy > 0 {
        // SAFETY: that many bytes of the region were given away, and the pages are new and as many.
        unsafe { core::ptr::copy_nonoverlapping(base, copy as *mut u8, used) };
        REGISTRY.early.set((copy as *const u8, used));
    }
}

/// Forgets the coverage of earlier runs.
pub fn clear_coverage() {
    for ((base, _), used) in [(region(|h| h.marks), &REGISTRY.marks), (region(|h| h.sides), &REGISTRY.sides)] {
        // SAFETY: that many bytes of the region were given away, so it has them.
        unsafe { core::ptr::write_bytes(base, 0, used.get() as usize) };
    }
    let (early, count) = REGISTRY.early.get();
    if count > 0 {
        // SAFETY: so many bytes of the region were given away before the copy was made.
        unsafe { core::ptr::copy_nonoverlapping(early, region(|h| h.sides).0, count) };
    }
}

/// Bytes of the marks region that can hold marks.
pub fn marks_end() -> usize {
    REGISTRY.scan.get()
}

/// Whether a side was taken that is not among the known ones; all of them are known from now on.
pub fn news() -> bool {
    let (sides, _) = region(|h| h.sides);
    let (known, size) = region(|h| h.known);
    let words = (REGISTRY.sides.get() as usize).div_ceil(8).min(size as usize / 8);
    // SAFETY: so many words of both regions exist; nothing else looks at them while this runs.
    let (sides, known) = unsafe {
        (
            core::slice::from_raw_parts(sides.cast::<u64>(), words),
            core::slice::from_raw_parts_mut(known.cast::<u64>(), words),
        )
    };
    if sides.iter().zip(known.iter()).fold(0, |new, (side, known)| new | (side & !known)) == 0 {
        return false;
    }
    known.iter_mut().zip(sides).for_each(|(known, side)| *known |= side);
    true
}
