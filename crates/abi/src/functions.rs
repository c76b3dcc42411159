//! The one table of what the pass may call and the runtime defines.
//!
//! `Slow` functions sit in cold blocks of tracking bodies. They keep every register except RAX, R11 and
//! the vector registers (LLVM's `preserve_most`), so that the hot path does not pay for them; those that
//! return nothing keep RAX as well.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    Void,
    I32,
    I64,
    Ptr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// LLVM's `preserve_most`, cold.
    Slow,
    /// The C calling convention.
    C,
}

#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub name: &'static str,
    pub convention: Convention,
    pub result: Ty,
    pub parameters: &'static [Ty],
}

macro_rules! table {
    ($($(#[$doc:meta])* $id:ident: $conv:ident $name:literal ($($param:ident),*) -> $result:ident;)*) => {
        $($(#[$doc])* pub const $id: Function = Function {
            name: $name, convention: Convention::$conv, result: Ty::$result, parameters: &[$(Ty::$param),*],
        };)*
        pub const ALL: &[Function] = &[$($id,)*];
    };
}

table! {
    /// `(program, frame, site base)`: runs a segment program (see [`crate::segment`]).
    SEGMENT: Slow "__symcrete_segment" (Ptr, Ptr, I64) -> Void;
    /// `(label, site, what)`: the value is fixed here; `what` is a `Lost`.
    CONCRETISE: Slow "__symcrete_concretise" (I32, I32, I32) -> Void;
    /// `(what, site)`.
    LOST: Slow "__symcrete_lost" (I32, I32) -> Void;
    /// `(bits)`: a full accumulator of the full path, see [`crate::path`].
    PATH_BITS: Slow "__symcrete_path_bits" (I64) -> Void;
    /// `(mark)`: a mark of the full path, counted from 0 over all units; the accumulator is in the cell.
    PATH_MARK: Slow "__symcrete_path_mark" (I32) -> Void;
    /// The same for a function that was entered through its dispatch.
    PATH_ENTER: Slow "__symcrete_path_enter" (I32) -> Void;
    /// `(bits)`: the accumulator before a call that does not come back.
    PATH_LAST: Slow "__symcrete_path_last" (I64) -> Void;

    /// `(to, from, n, label of to, label of from, label of n, site)`: labels follow the bytes (memcpy, memmove).
    COPY: C "__symcrete_copy" (Ptr, Ptr, I64, I32, I32, I32, I32) -> Void;
    /// `(to, n, label of the byte, label of to, label of n, site)`: memset.
    FILL: C "__symcrete_fill" (Ptr, I64, I32, I32, I32, I32) -> Void;
    /// `(p, n)`: forget labels.
    CLEAR: C "__symcrete_clear" (Ptr, I64) -> Void;
    /// `(argument number, source, n)`: a byval argument is about to be passed.
    BYVAL_PASS: C "__symcrete_byval_pass" (I32, Ptr, I64) -> Void;
    /// `(argument number, own copy, n, key)`: the callee's side of it; clears when nothing was passed.
    BYVAL_TAKE: C "__symcrete_byval_take" (I32, Ptr, I64, Ptr) -> Void;
    /// `(saved, number of named labels, key)`: at the entry of a variadic function, while the stamp is still
    /// there: keeps the labels behind the named parameters' in `saved`, a [`Variadic`] of the callee's frame.
    VARIADIC_TAKE: C "__symcrete_variadic_take" (Ptr, I32, Ptr) -> Void;
    /// `(list, saved)`: right after `va_start`: the labels go where `va_arg` will look for the values.
    VARIADIC_START: C "__symcrete_variadic_start" (Ptr, Ptr) -> Void;
    /// `(site)`: after a call whose stamp was not taken: the callee is not instrumented. The block's
    /// arguments tell what it was handed.
    UNTAKEN: C "__symcrete_untaken" (I32) -> Void;
    /// `(callee)`: what an indirect call really calls: the model where a library function has one. Asked
    /// for addresses within [`NATIVES`] only.
    CALLEE: C "__symcrete_callee" (Ptr) -> Ptr;
}

/// `u8`: nonzero when this process runs tracking bodies.
pub const MODE: &str = "__symcrete_mode";
/// [`Natives`].
pub const NATIVES: &str = "__symcrete_natives";
/// A [`Block`].
pub const BLOCK: &str = "__symcrete_block";

pub const BLOCK_ARGUMENTS: usize = 64;
pub const BLOCK_RESULTS: usize = 16;

/// How labels cross a call. The caller stamps the block with the callee's key (the address by which
/// uninstrumented code would call it) when any argument is labelled or the callee may be
/// uninstrumented; a callee that finds its own key takes the labels and clears the stamp.
#[repr(C)]
pub struct Block {
    pub stamp: u64,
    /// Number of valid entries of `arguments`.
    pub count: u32,
    /// For variadic callees: bit i is set when argument i is a float or double, which travel in other
    /// registers. Only the first 32 can be.
    pub floats: u32,
    pub arguments: [u32; BLOCK_ARGUMENTS],
    /// Concrete values that belong to `arguments` (pointers let `untaken` look at the memory behind them);
    /// only written for calls of functions outside the unit.
    pub values: [u64; BLOCK_ARGUMENTS],
    /// Key of the function that returned labelled results, else 0. Cleared by every callee at entry.
    pub result_stamp: u64,
    pub results: [u32; BLOCK_RESULTS],
}

/// Where the library functions with a model lie whose addresses the program takes.
#[repr(C)]
pub struct Natives {
    pub low: u64,
    /// The last one is at `low + span`.
    pub span: u64,
}

/// What a variadic function keeps between its entry and `va_start`.
#[repr(C)]
pub struct Variadic {
    pub count: u32,
    pub floats: u32,
    pub labels: [u32; BLOCK_ARGUMENTS],
}
