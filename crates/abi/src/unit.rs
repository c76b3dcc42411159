//! What an instrumented object file carries for the runtime, beside its code.

/// Sections; the linker concatenates them, `__start_`/`__stop_` symbols bound them.
/// `SECTION_MARKS` and `SECTION_SIDES` begin and end on page boundaries of a linked file (the wrapper
/// links `begin.o` first and `end.o` last), so that the runtime can lay shared memory over them.
pub const SECTION_UNITS: &str = "symcrete_units";
pub const SECTION_MARKS: &str = "symcrete_marks";
pub const SECTION_SIDES: &str = "symcrete_sides";
/// [`ModelEntry`] for each library function with a model whose address the unit takes.
pub const SECTION_MODELS: &str = "symcrete_models";
/// Not loaded by the runtime: `u64 length` and that many bytes of postcard per unit, 8-byte aligned.
pub const SECTION_MODEL: &str = "symcrete_model";
/// Not loaded by the runtime, and by the engine only when somebody asks: `u64 length`, then that many bytes:
/// `u64 hash` of the unit and its details, see `symcrete_program::details`. 8-byte aligned.
pub const SECTION_DETAILS: &str = "symcrete_details";

/// One record per unit in [`SECTION_UNITS`].
#[repr(C)]
pub struct Unit {
    pub version: u32,
    /// How many numbers the unit takes: its sites and the marks of its paths both count from its base.
    pub sites: u32,
    pub marks_count: u32,
    pub sides_count: u32,
    pub hash: u64,
    /// Set by the runtime: number of the unit's first site.
    pub site_base: *mut u32,
    pub marks: *mut u8,
    pub sides: *mut u8,
}

const _: () = assert!(size_of::<Unit>() == 48);

/// A library function, by the address the program has of it, and the model that takes its place.
#[repr(C)]
pub struct ModelEntry {
    pub native: u64,
    pub model: u64,
}

/// What one linked file (the executable or a shared object) hands to the runtime.
#[repr(C)]
pub struct Module {
    pub units: *const Unit,
    pub units_end: *const Unit,
    pub marks: *mut u8,
    pub marks_end: *mut u8,
    pub sides: *mut u8,
    pub sides_end: *mut u8,
    pub models: *const ModelEntry,
    pub models_end: *const ModelEntry,
}
