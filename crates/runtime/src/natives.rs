//! Library functions that have a model, by their native address: a call through a pointer that the program
//! keeps (`free` in a table of functions) goes to the model too. The pointers themselves stay as they are,
//! since programs compare them.

use core::cell::Cell;
use symcrete_abi::functions::Natives;
use symcrete_abi::unit::ModelEntry;

/// More than there are models; a power of two.
const SLOTS: usize = 1024;

/// `(native address, model)`; the model is zero where the file that brought it was unloaded.
struct Table([Cell<(u64, u64)>; SLOTS]);

// SAFETY: written by constructors, which run one after the other; read by the traced thread.
unsafe impl Sync for Table {}

static TABLE: Table = Table([const { Cell::new((0, 0)) }; SLOTS]);

/// All native addresses of the table lie within. Read by instrumented code before it asks.
#[unsafe(no_mangle)]
pub static mut __symcrete_natives: Natives = Natives { low: 1, span: 0 };

/// The slot of `native`, or a free one; nothing when the table is full.
fn slot(native: u64) -> Option<&'static Cell<(u64, u64)>> {
    let first = (native.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize;
    (0..SLOTS).map(|step| &TABLE.0[(first + step) % SLOTS]).find(|slot| [0, native].contains(&slot.get().0))
}

/// What a linked file brings. The first to bring a model stays.
pub fn add(entries: &[ModelEntry]) {
    for entry in entries.iter().filter(|e| e.native != 0 && e.model != 0) {
        let Some(slot) = slot(entry.native) else { return };
        if slot.get().1 == 0 {
            slot.set((entry.native, entry.model));
        }
        let natives = &raw mut __symcrete_natives;
        // SAFETY: one thread; instrumented code does not run while the runtime does.
        let natives = unsafe { &mut *natives };
        let (low, high) = match natives.low {
            1 => (entry.native, entry.native),
            low => (low.min(entry.native), (low + natives.span).max(entry.native)),
        };
        *natives = Natives { low, span: high - low };
    }
}

/// The file is about to be unloaded.
pub fn remove(entries: &[ModelEntry]) {
    for entry in entries {
        if let Some(slot) = slot(entry.native)
            && slot.get() == (entry.native, entry.model)
        {
            slot.set((entry.native, 0));
        }
    }
}

/// What to call for `callee`.
#[unsafe(no_mangle)]
pub extern "C" fn __symcrete_callee(callee: u64) -> u64 {
    match slot(callee).map_or((0, 0), Cell::get) {
        (native, model) if native == callee && model != 0 => model,
        _ => callee,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_by_native_address_until_their_file_is_unloaded() {
        let entry = |native: u64, model: u64| ModelEntry { native, model };
        let ours: Vec<ModelEntry> = (1..200).map(|i| entry(0x7f00_0000_0000 + i * 0x130, i)).collect();
        add(&ours);
        add(&[entry(ours[3].native, 999), entry(0, 7), entry(8, 0)]);
        for one in &ours {
            assert_eq!(__symcrete_callee(one.native), one.model);
        }
        assert_eq!(__symcrete_callee(0x7f00_0000_0001), 0x7f00_0000_0001);
        // SAFETY: this test is the only one that uses it.
        let (low, span) = unsafe { (__symcrete_natives.low, __symcrete_natives.span) };
        assert_eq!((low, low + span), (ours[0].native, ours[198].native));
        remove(&ours[..10]);
        assert_eq!(__symcrete_callee(ours[3].native), ours[3].native);
        assert_eq!(__symcrete_callee(ours[10].native), ours[10].model);
        add(&[entry(ours[3].native, 999)]);
        assert_eq!(__symcrete_callee(ours[3].native), 999);
    }
}
