//! What the LLVM plugin does. Two stages of one compilation:
//!
//! * **early**, before optimisation: the program model is extracted, every function is cloned into a
//!   tracking body, and every source-level side of the clone gets a marker;
//! * **late**, after inlining and before the vectorizers: fast bodies get coverage marks and the dispatch
//!   into their tracking bodies, tracking bodies get labels and checks, and the unit's record and model are
//!   written into the object file. Until LLVM's last pass tracking bodies are left alone.
//!
//! In between nothing changes, except that functions which are inputs ([`inputs`]) lose their bodies first of all.
//!
//! Nothing here depends on the version of LLVM: what does is in the crate `plugin`, which calls the stages, and brings
//! the functions of [`ir::shim`].
//!
//! The plugin never changes what a program computes otherwise, and never aborts a compilation: what it cannot track
//! stays as it is and is named in the model or counted at run time.

mod code;
mod counted;
mod early;
mod inputs;
mod ir;
mod late;
mod lines;
mod paths;
mod sides;

use paths::Walks;
use std::cell::RefCell;
use std::collections::HashMap;
use symcrete_program::Unit;
use symcrete_program::details::Packed;

/// Marks a function as a tracking body, through all of LLVM's own cloning and renaming.
pub(crate) const TRACKING: &str = "symcrete-tracking";
/// Suffix of a tracking body's name.
pub(crate) const SUFFIX: &str = ".symcrete";
/// The marker that stands for a source-level side, or another mark of full paths, until the late stage.
pub(crate) const MARKER: &str = "__symcrete_side";
/// Stands in fast bodies beside a comparison of a counted value, until the late stage: `(number, value, value)`.
pub(crate) const COUNTED: &str = "__symcrete_counted";
/// Stands between a tracking body's calls and whom they call, until the late stage: `(address) -> address`.
pub(crate) const HIDDEN: &str = "__symcrete_hidden";
/// Holds pairs (function, tracking body) between the stages, and keeps both signatures as they are.
pub(crate) const DISPATCH: &str = "__symcrete_dispatch";

thread_local! {
    /// Models between the stages, by module: both run in one process, on one thread, in order.
    static UNITS: RefCell<HashMap<usize, (Unit, Walks, Packed)>> = RefCell::default();
}

#[unsafe(no_mangle)]
extern "C" fn symcrete_early(module: llvm_sys::prelude::LLVMModuleRef) {
    inputs::replace(ir::Module(module));
    let (unit, walks, code) = early::run(ir::Module(module));
    let unit = (unit, walks, Packed::new(&code));
    UNITS.with_borrow_mut(|units| units.insert(module as usize, unit));
}

/// Whether this is a plain build, in which functions become inputs and nothing else happens.
#[unsafe(no_mangle)]
extern "C" fn symcrete_is_plain() -> i32 {
    i32::from(inputs::is_plain())
}

#[unsafe(no_mangle)]
extern "C" fn symcrete_only_inputs(module: llvm_sys::prelude::LLVMModuleRef) {
    inputs::replace(ir::Module(module));
}

#[unsafe(no_mangle)]
extern "C" fn symcrete_late(module: llvm_sys::prelude::LLVMModuleRef) {
    // Without an early stage (hand-written IR fed in late) there is nothing to do.
    if let Some((unit, walks, code)) = UNITS.with_borrow_mut(|units| units.remove(&(module as usize))) {
        late::run(ir::Module(module), unit, walks, code);
    }
}

#[unsafe(no_mangle)]
extern "C" fn symcrete_last(module: llvm_sys::prelude::LLVMModuleRef) {
    late::thaw(ir::Module(module));
}
