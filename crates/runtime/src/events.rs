//! Events of the trace and the table of what was lost. Everything is in shared memory and complete
//! before its count is raised: a target may die at any instruction.

use crate::state::{STATE, header, region};
use crate::{gate, nodes, paths};
use core::sync::atomic::{Ordering, compiler_fence};
use symcrete_abi::layout::{LostEntry, truncated};
use symcrete_abi::{Event, EventKind, Header, Label, Lost};

/// At the start of a run: as many as the engine wants at most.
pub fn begin() {
    if let Some(header) = header()
        && header.most_events != 0
    {
        STATE.events.restrict(header.most_events);
    }
}

#[inline(always)]
pub fn push(kind: EventKind, taken: bool, site: u32, label: Label, arg: u32) {
    gate::settle();
    let Some(header) = header() else { return };
    let at = header.event_count;
    if !STATE.events.has(at) {
        return full(header, site);
    }
    let event = Event { kind: kind as u8, taken: taken as u8, site, label, arg }.pack();
    // SAFETY: below the limit of the region.
    unsafe { STATE.events.at(at).write(event) };
    compiler_fence(Ordering::Release);
    header.event_count = at + 1;
}

#[cold]
#[inline(never)]
fn full(header: &mut Header, site: u32) {
    if header.truncated & truncated::EVENTS == 0 {
        header.truncated |= truncated::EVENTS;
        lost(Lost::Limit as u32, site);
        // Nothing that is computed from here on can be decided by.
        STATE.nodes.restrict(header.node_count);
    }
}

/// A decision on `label`. A label that does not have the value the program decided by is stale.
#[inline(always)]
pub fn branch(label: Label, site: u32, taken: bool) {
    if label == 0 {
        return;
    }
    let node = nodes::get(label);
    if node.width != 1 || nodes::narrow_value(node) != taken as u64 {
        return lost(Lost::Stale as u32, site);
    }
    push(EventKind::Branch, taken, site, label, paths::position());
}

pub fn switch(label: Label, site: u32) {
    if label != 0 {
        push(EventKind::Switch, true, site, label, paths::position());
    }
}

pub fn concretise(label: Label, site: u32, what: u32) {
    if label != 0 {
        push(EventKind::Concretise, true, site, label, paths::position());
        lost(what, site);
    }
}

/// One more of `what` at `site`.
#[cold]
pub fn lost(what: u32, site: u32) {
    let (base, size) = region(|h| h.lost);
    let capacity = size as usize / size_of::<LostEntry>();
    let Some(header) = header() else { return };
    if what == 0 || capacity == 0 {
        return;
    }
    let entries = base.cast::<LostEntry>();
    let mut slot = (site.wrapping_mul(0x9e37_79b1) ^ what.wrapping_mul(0x85eb_ca6b)) as usize % capacity;
    // A full table would be searched from end to end: an eighth stays free.
    let full = header.lost_count as usize >= capacity - capacity / 8;
    for _ in 0..capacity {
        // SAFETY: `slot` is below the capacity of the region.
        let entry = unsafe { &mut *entries.add(slot) };
        if entry.what == what && entry.site == site {
            entry.count += 1;
            return;
        }
        if entry.what == 0 {
            if full {
                break;
            }
            entry.site = site;
            entry.count = 1;
            compiler_fence(Ordering::Release);
            entry.what = what;
            header.lost_count += 1;
            return;
        }
        slot = (slot + 1) % capacity;
    }
    header.truncated |= truncated::LOST;
}
