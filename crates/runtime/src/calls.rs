//! Labels across calls: byval arguments, and what an uninstrumented callee was handed.

use crate::events::lost;
use crate::labels;
use crate::shadow::covers;
use crate::state::block;
use crate::watch;
use core::cell::Cell;
use symcrete_abi::Lost;
use symcrete_abi::functions::BLOCK_ARGUMENTS;

/// Where the bytes of byval argument `i` came from. The source still holds them when the callee begins.
struct Passed([Cell<(u64, u64)>; BLOCK_ARGUMENTS]);

// SAFETY: used behind the gate only.
unsafe impl Sync for Passed {}

static PASSED: Passed = Passed([const { Cell::new((0, 0)) }; BLOCK_ARGUMENTS]);

pub fn byval_pass(number: u32, source: u64, n: u64) {
    if let Some(slot) = PASSED.0.get(number as usize) {
        slot.set((source, n));
    }
}

pub fn byval_take(number: u32, copy: u64, n: u64, key: u64) {
    if !covers(copy, n) {
        return;
    }
    let (source, size) = PASSED.0.get(number as usize).map_or((0, 0), |slot| slot.replace((0, 0)));
    // The caller may have cleared the stamp by now; a stamp for somebody else means that whoever called
    // us passed nothing.
    let stamp = block().stamp;
    let ours = source != 0 && size == n && (stamp == 0 || stamp == key);
    // SAFETY: both are objects of `n` bytes that the program just copied from one to the other.
    let same = ours
        && unsafe {
            core::slice::from_raw_parts(source as *const u8, n as usize)
                == core::slice::from_raw_parts(copy as *const u8, n as usize)
        };
    if same {
        labels::copy(copy, source, n);
    } else {
        labels::clear(copy, n);
    }
}

/// After a call whose stamp nobody took: something is lost only if input-dependent values, or pointers to
/// input-dependent memory, were really handed over, or if the function took input by itself.
pub fn untaken(site: u32) {
    let block = block();
    if block.stamp == 0 {
        return;
    }
    block.stamp = 0;
    if watch::foreign(site) {
        return;
    }
    for slot in &PASSED.0 {
        let (source, n) = slot.replace((0, 0));
        if source != 0 && covers(source, n) && labels::any(source, n) {
            return lost(Lost::Call as u32, site);
        }
    }
    let count = (block.count as usize).min(BLOCK_ARGUMENTS);
    let handed_over = (0..count).any(|i| block.arguments[i] != 0 || behind(block.values[i]));
    if handed_over {
        lost(Lost::Call as u32, site);
    }
}

/// Whether `value`, taken as a pointer, has labelled bytes among the first 64 behind it.
fn behind(value: u64) -> bool {
    value >= 4096 && covers(value, 64) && labels::any(value, 64)
}
