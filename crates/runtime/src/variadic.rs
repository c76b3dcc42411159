//! Labels of variadic arguments: kept from the call until `va_start`, then laid where `va_arg` finds the
//! values. The values got there by the calling convention, without a store that we could have seen.

use crate::events::lost;
use crate::labels;
use crate::nodes::{get, mask, value};
use crate::shadow::covers;
use crate::state::block;
use symcrete_abi::Lost;
use symcrete_abi::functions::{BLOCK_ARGUMENTS, Variadic};
use symcrete_abi::lost::NO_SITE;

/// `va_list` of the System V convention for x86-64.
#[repr(C)]
struct List {
    gp_offset: u32,
    fp_offset: u32,
    overflow: u64,
    saved: u64,
}

/// Integer registers take the first 48 bytes of the save area, vector registers the rest.
const GP_END: u32 = 48;
const FP_END: u32 = 176;

pub fn take(saved: &mut Variadic, named: usize, key: u64) {
    let block = block();
    let count = (block.count as usize).min(BLOCK_ARGUMENTS);
    if block.stamp != key || named >= count {
        return;
    }
    let more = count - named;
    saved.labels[..more].copy_from_slice(&block.arguments[named..count]);
    saved.floats = block.floats.checked_shr(named as u32).unwrap_or(0);
    saved.count = more as u32;
}

pub fn start(list: u64, saved: &Variadic) {
    labels::clear(list, size_of::<List>() as u64);
    // SAFETY: `va_start` has just filled it.
    let mut list = unsafe { (list as *const List).read() };
    let count = (saved.count as usize).min(BLOCK_ARGUMENTS);
    if !covers(list.saved, FP_END as u64) || !covers(list.overflow, 8 * count as u64) {
        return;
    }
    // What older frames left in these places is not their content. Behind the arguments on the stack lies the
    // caller's own frame: only the places that are used are cleared there.
    labels::clear(list.saved, FP_END as u64);
    for (i, &label) in saved.labels[..count].iter().enumerate() {
        let float = i < 32 && saved.floats >> i & 1 == 1;
        let at = if float && list.fp_offset + 16 <= FP_END {
            list.fp_offset += 16;
            list.saved + list.fp_offset as u64 - 16
        } else if !float && list.gp_offset + 8 <= GP_END {
            list.gp_offset += 8;
            list.saved + list.gp_offset as u64 - 8
        } else {
            labels::clear(list.overflow, 8);
            list.overflow += 8;
            list.overflow - 8
        };
        if label != 0 {
            lay(at, label);
        }
    }
}

/// Structures and long doubles among the arguments shift the places of what follows; a label that does not
/// find its value is dropped.
fn lay(at: u64, label: u32) {
    let width = get(label).width as u32;
    // SAFETY: eight bytes of the save area or of the caller's arguments.
    let there = unsafe { (at as *const u64).read_unaligned() } as u128;
    if width.is_multiple_of(8) && width <= 64 && there & mask(width) == value(label) {
        labels::set(at, width as u64 / 8, label);
    } else {
        lost(Lost::Stale as u32, NO_SITE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Run;
    use crate::inputs::label_bytes;
    use crate::memory::load;

    #[test]
    fn labels_lie_where_va_arg_looks() {
        let run = Run::begin();
        // Eight arguments: int, double, and six longs, of which the register area has room for four more.
        let mut input = [0u64; 8];
        for (i, value) in input.iter_mut().enumerate() {
            *value = 0x0101_0101_0101_0101 * (i as u64 + 1);
        }
        let base = input.as_ptr() as u64;
        label_bytes(base, 64, 0, 0);
        let labels: Vec<u32> = (0..8).map(|i| load(base + 8 * i, 8, 0, 0, input[i as usize] as u128)).collect();
        let int = crate::nodes::extract(labels[0], 0, 32);
        let mut save = [0u64; 22];
        let mut overflow = [0u64; 8];
        // One named pointer is in the first register.
        save[1] = input[0] & 0xffff_ffff;
        save[6] = input[1];
        save[2..6].copy_from_slice(&input[2..6]);
        overflow[..2].copy_from_slice(&input[6..8]);
        let block = block();
        block.stamp = 77;
        block.count = 9;
        block.floats = 1 << 2;
        block.arguments[0] = 0;
        block.arguments[1] = int;
        block.arguments[2..9].copy_from_slice(&labels[1..]);
        let mut saved = Variadic { count: 0, floats: 0, labels: [0; BLOCK_ARGUMENTS] };
        take(&mut saved, 1, 78);
        assert_eq!(saved.count, 0);
        take(&mut saved, 1, 77);
        assert_eq!((saved.count, saved.floats), (8, 2));
        let list =
            List { gp_offset: 8, fp_offset: 48, overflow: overflow.as_ptr() as u64, saved: save.as_ptr() as u64 };
        start(&raw const list as u64, &saved);
        let at = |p: *const u64, size: u32, value: u64| load(p as u64, size, 0, 0, value as u128);
        assert_eq!(at(&save[1], 4, save[1]), int);
        assert_eq!(at(&save[6], 8, save[6]), labels[1]);
        for i in 2..6 {
            assert_eq!(at(&save[i], 8, save[i]), labels[i]);
        }
        assert_eq!(at(&overflow[0], 8, overflow[0]), labels[6]);
        assert_eq!(at(&overflow[1], 8, overflow[1]), labels[7]);
        assert_eq!(run.lost(Lost::Stale), 0);
        // Something that is not there is not laid down.
        save[1] ^= 1;
        start(&raw const list as u64, &saved);
        assert_eq!(at(&save[1], 4, save[1]), 0);
        assert_eq!(run.lost(Lost::Stale), 1);
    }
}
