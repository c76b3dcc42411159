//! The few functions of Bitwuzla's C interface that we call, as `bitwuzla/c/bitwuzla.h` of the pinned version declares them.
//! Declarations only: what may be called when is the business of `session.rs`.

use std::ffi::{c_char, c_void};

/// Opaque types of the C interface.
macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])* #[repr(C)] pub struct $name { _private: [u8; 0] })*
    };
}

opaque! {
    TermManager;
    Options;
    Solver;
    SortData;
    TermData;
}

/// Reference-counted on the other side; valid as long as its term manager.
pub type Sort = *mut SortData;
/// Reference-counted on the other side; valid as long as its term manager.
pub type Term = *mut TermData;

/// `BitwuzlaKind`: the numbers of the pinned version; a test compares them with the library's own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    And = 4,
    Distinct = 5,
    Equal = 6,
    Not = 9,
    Or = 10,
    Ite = 12,
    BvAdd = 19,
    BvAnd = 20,
    BvAshr = 21,
    BvConcat = 23,
    BvMul = 26,
    BvOr = 32,
    BvSaddOverflow = 38,
    BvSdiv = 40,
    BvShl = 43,
    BvShr = 44,
    BvSle = 45,
    BvSlt = 46,
    BvSmulOverflow = 48,
    BvSrem = 49,
    BvSsubOverflow = 50,
    BvSub = 51,
    BvUaddOverflow = 52,
    BvUdiv = 53,
    BvUle = 56,
    BvUlt = 57,
    BvUmulOverflow = 58,
    BvUrem = 59,
    BvUsubOverflow = 60,
    BvXor = 62,
    BvExtract = 63,
    BvSignExtend = 67,
    BvZeroExtend = 68,
    FpAbs = 69,
    FpAdd = 70,
    FpDiv = 71,
    FpEqual = 72,
    FpFma = 73,
    FpIsNan = 78,
    FpIsNeg = 79,
    FpLeq = 84,
    FpLt = 85,
    FpMul = 88,
    FpNeg = 89,
    FpRti = 91,
    FpSqrt = 92,
    FpSub = 93,
    FpFromBv = 94,
    FpFromFp = 95,
    FpFromSbv = 96,
    FpFromUbv = 97,
    FpToSbv = 98,
    FpToUbv = 99,
}

/// `BitwuzlaRoundingMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Rounding {
    NearestEven = 0,
    NearestAway = 1,
    Down = 2,
    Up = 3,
    ToZero = 4,
}

/// `BitwuzlaOption`.
pub const OPTION_PRODUCE_MODELS: i32 = 1;
pub const OPTION_PRODUCE_UNSAT_ASSUMPTIONS: i32 = 2;
pub const OPTION_PREPROCESS: i32 = 38;

/// `BitwuzlaResult`.
pub const SAT: i32 = 10;
pub const UNSAT: i32 = 20;

unsafe extern "C" {
    pub fn bitwuzla_version() -> *const c_char;
    #[cfg(test)]
    pub fn bitwuzla_kind_to_string(kind: i32) -> *const c_char;
    #[cfg(test)]
    pub fn bitwuzla_rm_to_string(rounding: i32) -> *const c_char;

    pub fn bitwuzla_options_new() -> *mut Options;
    pub fn bitwuzla_options_delete(options: *mut Options);
    pub fn bitwuzla_set_option(options: *mut Options, option: i32, value: u64);

    pub fn bitwuzla_term_manager_new() -> *mut TermManager;
    pub fn bitwuzla_term_manager_delete(tm: *mut TermManager);

    pub fn bitwuzla_new(tm: *mut TermManager, options: *const Options) -> *mut Solver;
    pub fn bitwuzla_delete(solver: *mut Solver);
    pub fn bitwuzla_set_termination_callback(
        solver: *mut Solver,
        callback: unsafe extern "C" fn(*mut c_void) -> i32,
        state: *mut c_void,
    );
    pub fn bitwuzla_assert(solver: *mut Solver, term: Term);
    pub fn bitwuzla_check_sat_assuming(solver: *mut Solver, count: u32, assumptions: *const Term) -> i32;
    pub fn bitwuzla_get_unsat_assumptions(solver: *mut Solver, count: *mut usize) -> *const Term;
    pub fn bitwuzla_get_value(solver: *mut Solver, term: Term) -> Term;

    pub fn bitwuzla_mk_bv_sort(tm: *mut TermManager, size: u64) -> Sort;
    pub fn bitwuzla_mk_const(tm: *mut TermManager, sort: Sort, symbol: *const c_char) -> Term;
    pub fn bitwuzla_mk_true(tm: *mut TermManager) -> Term;
    pub fn bitwuzla_mk_false(tm: *mut TermManager) -> Term;
    pub fn bitwuzla_mk_bv_value(tm: *mut TermManager, sort: Sort, digits: *const c_char, base: u8) -> Term;
    pub fn bitwuzla_mk_bv_value_uint64(tm: *mut TermManager, sort: Sort, value: u64) -> Term;
    pub fn bitwuzla_mk_term1(tm: *mut TermManager, kind: i32, a: Term) -> Term;
    pub fn bitwuzla_mk_term2(tm: *mut TermManager, kind: i32, a: Term, b: Term) -> Term;
    pub fn bitwuzla_mk_term3(tm: *mut TermManager, kind: i32, a: Term, b: Term, c: Term) -> Term;
    pub fn bitwuzla_mk_term1_indexed1(tm: *mut TermManager, kind: i32, a: Term, index: u64) -> Term;
    pub fn bitwuzla_mk_term1_indexed2(tm: *mut TermManager, kind: i32, a: Term, first: u64, second: u64) -> Term;
    pub fn bitwuzla_mk_term2_indexed1(tm: *mut TermManager, kind: i32, a: Term, b: Term, index: u64) -> Term;
    pub fn bitwuzla_mk_term2_indexed2(
        tm: *mut TermManager,
        kind: i32,
        a: Term,
        b: Term,
        first: u64,
        second: u64,
    ) -> Term;
    pub fn bitwuzla_mk_term(tm: *mut TermManager, kind: i32, count: u32, args: *const Term) -> Term;
    pub fn bitwuzla_mk_rm_value(tm: *mut TermManager, rounding: i32) -> Term;
    pub fn bitwuzla_term_value_get_str_fmt(term: Term, base: u8) -> *const c_char;
    pub fn bitwuzla_term_release(term: Term);
}
