//! Owned handles over the C interface: one term manager with its solver, and the polling that stops a check.
//! This is the only file that calls into the library. Nothing here knows our terms.
//!
//! Invariants: a `Node` is used only with the `Handle` that made it; the solver never outlives its term manager.

use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::ffi::{self, Kind, Rounding};
use crate::{Budget, Limit};

/// A term of Bitwuzla. Valid only with the handle it came from, and as long as that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Node(ffi::Term);

// SAFETY: a node is an address that only methods of its `Handle` look behind, and the handle is used by one thread
// at a time.
unsafe impl Send for Node {}

/// Bits of a float: of its exponent, and of its significand with the hidden one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    exponent: u64,
    significand: u64,
}

impl Format {
    /// Of a float of 32 or 64 bits.
    pub fn of(width: u8) -> Format {
        match width {
            32 => Format { exponent: 8, significand: 24 },
            _ => Format { exponent: 11, significand: 53 },
        }
    }
}

/// What one check said.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Sat,
    Unsat,
    Stopped(Limit),
}

/// When a check has to stop; asked by Bitwuzla again and again while it works.
pub struct Stop {
    pub polls: u64,
    pub max_polls: u64,
    /// How much CPU time the checking thread may use (while checking: when that is over): on a busy machine a query must not end sooner.
    pub time: Option<Duration>,
    /// By how much this process may grow, and how large it may become then: settled when it is first looked at.
    pub memory: u64,
    pub most_memory: Option<u64>,
    /// Set by whoever wants all solving to stop.
    pub cancel: Arc<AtomicBool>,
    /// Set by the watchdog when it has given this check up.
    pub abandoned: Arc<AtomicBool>,
    pub reason: Option<Limit>,
}

impl Stop {
    /// For one check within a budget.
    pub fn within(budget: &Budget, cancel: &Arc<AtomicBool>) -> Stop {
        Stop {
            polls: 0,
            max_polls: budget.steps,
            time: budget.time,
            memory: budget.memory,
            most_memory: None,
            cancel: Arc::clone(cancel),
            abandoned: Arc::default(),
            reason: None,
        }
    }

    fn poll(&mut self) -> bool {
        if self.reason.is_some() {
            return true;
        }
        self.polls += 1;
        if self.polls > self.max_polls {
            self.reason = Some(Limit::Steps);
        } else if self.cancel.load(Ordering::Relaxed) {
            self.reason = Some(Limit::Cancelled);
        } else if self.abandoned.load(Ordering::Relaxed) {
            self.reason = Some(Limit::Stuck);
        } else if self.polls & 3 == 0 && self.time.is_some_and(|end| thread_time() >= end) {
            self.reason = Some(Limit::Time);
        } else if self.polls.is_multiple_of(MEMORY_POLLS) {
            let now = resident();
            if now > *self.most_memory.get_or_insert(now.saturating_add(self.memory)) {
                self.reason = Some(Limit::Memory);
            }
        }
        self.reason.is_some()
    }
}

/// Polls between two looks at the memory: each costs a file.
const MEMORY_POLLS: u64 = 1024;

/// Bytes of memory this process has at the moment; 0 where the kernel does not say.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|number| number.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

/// CPU time this thread has used so far.
fn thread_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one `timespec` that lives on this stack.
    if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) } != 0 {
        return Duration::ZERO;
    }
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

unsafe extern "C" fn poll(state: *mut c_void) -> i32 {
    // SAFETY: `state` is the `Stop` boxed in the `Handle` that owns the solver; the library calls back only from
    // inside a check, during which `Handle::check` holds the only other path to it and does not touch it.
    let stop = unsafe { &mut *state.cast::<Stop>() };
    i32::from(stop.poll())
}

/// One term manager and at most one solver over it.
pub struct Handle {
    manager: *mut ffi::TermManager,
    options: *mut ffi::Options,
    solver: *mut ffi::Solver,
    stop: *mut Stop,
    sorts: [ffi::Sort; 129],
}

// SAFETY: the library keeps no state per thread beyond buffers for returned strings, which are copied out in the
// same call; a handle is used by one thread at a time because every method takes `&mut self` or makes plain terms.
unsafe impl Send for Handle {}

impl Handle {
    pub fn new() -> Handle {
        // SAFETY: plain constructors; the options are set before a solver exists.
        unsafe {
            let manager = ffi::bitwuzla_term_manager_new();
            let options = ffi::bitwuzla_options_new();
            ffi::bitwuzla_set_option(options, ffi::OPTION_PRODUCE_MODELS, 1);
            ffi::bitwuzla_set_option(options, ffi::OPTION_PRODUCE_UNSAT_ASSUMPTIONS, 1);
            ffi::bitwuzla_set_option(options, ffi::OPTION_PREPROCESS, 0);
            let stop = Box::into_raw(Box::new(Stop {
                polls: 0,
                max_polls: 0,
                time: None,
                memory: u64::MAX,
                most_memory: None,
                cancel: Arc::default(),
                abandoned: Arc::default(),
                reason: None,
            }));
            Handle { manager, options, solver: std::ptr::null_mut(), stop, sorts: [std::ptr::null_mut(); 129] }
        }
    }

    /// The library's own name of its version.
    pub fn version() -> String {
        // SAFETY: returns a static or thread-local NUL-terminated string, copied at once.
        unsafe { CStr::from_ptr(ffi::bitwuzla_version()) }.to_string_lossy().into_owned()
    }

    /// The library's own name of a kind; lets a test compare our numbers with its.
    #[cfg(test)]
    pub fn kind_name(kind: Kind) -> String {
        // SAFETY: as in `version`; the kind is one of the enumeration.
        unsafe { CStr::from_ptr(ffi::bitwuzla_kind_to_string(kind as i32)) }.to_string_lossy().into_owned()
    }

    /// The same for a way of rounding.
    #[cfg(test)]
    pub fn rounding_name(rounding: Rounding) -> String {
        // SAFETY: as in `version`; the mode is one of the enumeration.
        unsafe { CStr::from_ptr(ffi::bitwuzla_rm_to_string(rounding as i32)) }.to_string_lossy().into_owned()
    }

    /// Throws the solver away, keeps the terms. The next check starts with an empty one.
    pub fn renew_solver(&mut self) {
        if !self.solver.is_null() {
            // SAFETY: non-null means made by `bitwuzla_new` and not yet deleted.
            unsafe { ffi::bitwuzla_delete(self.solver) };
            self.solver = std::ptr::null_mut();
        }
    }

    fn solver(&mut self) -> *mut ffi::Solver {
        if self.solver.is_null() {
            // SAFETY: manager, options and stop live until `drop`, which deletes the solver first.
            unsafe {
                self.solver = ffi::bitwuzla_new(self.manager, self.options);
                ffi::bitwuzla_set_termination_callback(self.solver, poll, self.stop.cast());
            }
        }
        self.solver
    }

    /// Tells the solver a condition for as long as it lives.
    pub fn assert(&mut self, condition: Node) {
        let solver = self.solver();
        // SAFETY: a Boolean node of this manager, given to its own solver.
        unsafe { ffi::bitwuzla_assert(solver, condition.0) }
    }

    /// Is there a model in which all assumptions hold? Bounded by `limits`; returns the polls it took as well.
    pub fn check(&mut self, assumptions: &[Node], mut limits: Stop) -> (Verdict, u64) {
        limits.time = limits.time.map(|time| thread_time() + time);
        let solver = self.solver();
        // SAFETY: `stop` is ours until `drop`, and no check is running, so nothing else refers to it.
        unsafe { *self.stop = limits };
        // SAFETY: `Node` is a transparent pointer, so its slice is the array the C side reads (it does not write to it).
        let result = unsafe {
            let count = u32::try_from(assumptions.len()).expect("fewer than 2^32 conditions");
            ffi::bitwuzla_check_sat_assuming(solver, count, assumptions.as_ptr().cast())
        };
        // SAFETY: the check is over, the callback no longer runs.
        let stop = unsafe { &*self.stop };
        let verdict = match result {
            ffi::SAT => Verdict::Sat,
            ffi::UNSAT => Verdict::Unsat,
            _ => Verdict::Stopped(stop.reason.unwrap_or(Limit::Steps)),
        };
        (verdict, stop.polls)
    }

    /// After `Unsat`: assumptions that cannot hold together.
    pub fn failed_assumptions(&mut self) -> Vec<Node> {
        let mut count = 0;
        // SAFETY: called after an unsat check with unsat assumptions enabled; the array is copied at once.
        unsafe {
            let first = ffi::bitwuzla_get_unsat_assumptions(self.solver, &mut count);
            if count == 0 {
                return Vec::new();
            }
            std::slice::from_raw_parts(first, count).iter().map(|&term| Node(term)).collect()
        }
    }

    /// After `Sat`: the value of a bit-vector node.
    pub fn value(&mut self, node: Node) -> u128 {
        // SAFETY: called after a sat check with models enabled; the string is read before the next call.
        unsafe {
            let value = ffi::bitwuzla_get_value(self.solver, node.0);
            let digits = CStr::from_ptr(ffi::bitwuzla_term_value_get_str_fmt(value, 2)).to_bytes();
            let number = digits.iter().fold(0, |number, &digit| number << 1 | u128::from(digit == b'1'));
            ffi::bitwuzla_term_release(value);
            number
        }
    }

    fn sort(&mut self, width: u8) -> ffi::Sort {
        let slot = &mut self.sorts[usize::from(width)];
        if slot.is_null() {
            // SAFETY: widths are 1..=128.
            *slot = unsafe { ffi::bitwuzla_mk_bv_sort(self.manager, u64::from(width)) };
        }
        *slot
    }

    /// A fresh bit-vector variable.
    pub fn variable(&mut self, width: u8) -> Node {
        let sort = self.sort(width);
        // SAFETY: a null symbol means unnamed.
        Node(unsafe { ffi::bitwuzla_mk_const(self.manager, sort, std::ptr::null()) })
    }

    pub fn bits(&mut self, width: u8, value: u128) -> Node {
        let sort = self.sort(width);
        if let Ok(small) = u64::try_from(value) {
            // SAFETY: the value fits the sort: values of our terms have no bit above their width.
            return Node(unsafe { ffi::bitwuzla_mk_bv_value_uint64(self.manager, sort, small) });
        }
        let digits = CString::new(format!("{value:x}")).expect("digits have no NUL");
        // SAFETY: as above; the string is read during the call only.
        Node(unsafe { ffi::bitwuzla_mk_bv_value(self.manager, sort, digits.as_ptr(), 16) })
    }

    pub fn truth(&mut self, value: bool) -> Node {
        // SAFETY: plain constructors.
        Node(unsafe { if value { ffi::bitwuzla_mk_true(self.manager) } else { ffi::bitwuzla_mk_false(self.manager) } })
    }

    pub fn unary(&mut self, kind: Kind, a: Node) -> Node {
        // SAFETY: here and below: nodes of this manager, sorts as the kind asks (the encoder's duty; a wrong one
        // makes the library abort with a message, it is never undefined).
        Node(unsafe { ffi::bitwuzla_mk_term1(self.manager, kind as i32, a.0) })
    }

    pub fn binary(&mut self, kind: Kind, a: Node, b: Node) -> Node {
        // SAFETY: see `unary`.
        Node(unsafe { ffi::bitwuzla_mk_term2(self.manager, kind as i32, a.0, b.0) })
    }

    pub fn if_then_else(&mut self, condition: Node, then: Node, otherwise: Node) -> Node {
        // SAFETY: see `unary`.
        Node(unsafe { ffi::bitwuzla_mk_term3(self.manager, Kind::Ite as i32, condition.0, then.0, otherwise.0) })
    }

    fn rounding(&mut self, rounding: Rounding) -> ffi::Term {
        // SAFETY: a plain constructor.
        unsafe { ffi::bitwuzla_mk_rm_value(self.manager, rounding as i32) }
    }

    /// An operation on floats that rounds.
    pub fn rounded(&mut self, kind: Kind, rounding: Rounding, operands: &[Node]) -> Node {
        let mut args = vec![self.rounding(rounding)];
        args.extend(operands.iter().map(|operand| operand.0));
        // SAFETY: see `unary`; the array is read during the call only.
        Node(unsafe { ffi::bitwuzla_mk_term(self.manager, kind as i32, args.len() as u32, args.as_ptr()) })
    }

    /// The float whose bits these are. There is one NaN only.
    pub fn float_of_bits(&mut self, bits: Node, format: Format) -> Node {
        let (kind, Format { exponent, significand }) = (Kind::FpFromBv as i32, format);
        // SAFETY: see `unary`.
        Node(unsafe { ffi::bitwuzla_mk_term1_indexed2(self.manager, kind, bits.0, exponent, significand) })
    }

    /// The nearest float to a number: `kind` says whether it is a float of another format or an integer.
    pub fn nearest_float(&mut self, kind: Kind, number: Node, format: Format) -> Node {
        let (rounding, Format { exponent, significand }) = (self.rounding(Rounding::NearestEven), format);
        let (manager, kind) = (self.manager, kind as i32);
        // SAFETY: see `unary`.
        Node(unsafe { ffi::bitwuzla_mk_term2_indexed2(manager, kind, rounding, number.0, exponent, significand) })
    }

    /// The integer part of a float that fits; what does not fit gives anything.
    pub fn integer_part(&mut self, kind: Kind, float: Node, width: u8) -> Node {
        let rounding = self.rounding(Rounding::ToZero);
        // SAFETY: see `unary`.
        Node(unsafe { ffi::bitwuzla_mk_term2_indexed1(self.manager, kind as i32, rounding, float.0, u64::from(width)) })
    }

    /// `kind` is a zero or sign extension, by `more` bits.
    pub fn extend(&mut self, kind: Kind, a: Node, more: u8) -> Node {
        // SAFETY: see `unary`.
        Node(unsafe { ffi::bitwuzla_mk_term1_indexed1(self.manager, kind as i32, a.0, u64::from(more)) })
    }

    pub fn extract(&mut self, a: Node, high: u8, low: u8) -> Node {
        let kind = Kind::BvExtract as i32;
        // SAFETY: see `unary`.
        Node(unsafe { ffi::bitwuzla_mk_term1_indexed2(self.manager, kind, a.0, u64::from(high), u64::from(low)) })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.renew_solver();
        // SAFETY: each was made in `new` and is deleted once, here; terms and sorts die with their manager.
        unsafe {
            ffi::bitwuzla_options_delete(self.options);
            ffi::bitwuzla_term_manager_delete(self.manager);
            drop(Box::from_raw(self.stop));
        }
    }
}
