//! The kinds of builds and the flags that make them.

use crate::layout::Layout;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// With the plugin and the runtime: what is explored.
    Tracked,
    /// Without either, for the debugger and as the judge of every test.
    Plain,
    /// Plain, counted by llvm-cov.
    Coverage,
    /// Plain, with AddressSanitizer.
    Address,
    /// Plain, with UndefinedBehaviorSanitizer.
    Undefined,
}

/// What `--check undefined` looks for. `function` and `vptr` need run-time type information, and
/// `object-size` sees less than AddressSanitizer does.
pub const UNDEFINED_CHECKS: &[&str] = &["-fsanitize=undefined", "-fno-sanitize=function,vptr,object-size"];

impl Variant {
    pub const ALL: &'static [Variant] =
        &[Variant::Tracked, Variant::Plain, Variant::Coverage, Variant::Address, Variant::Undefined];

    pub fn folder(self) -> &'static str {
        match self {
            Variant::Tracked => "tracked",
            Variant::Plain => "plain",
            Variant::Coverage => "coverage",
            Variant::Address => "address",
            Variant::Undefined => "undefined",
        }
    }

    /// Flags of the plain builds, for compiling and linking alike; the wrapper has its own for the tracked one.
    /// Overflow wraps and null checks stay as in the tracked build, so that both mean the same program.
    pub(super) fn flags(self) -> Vec<&'static str> {
        const MEANING: &[&str] = &["-fwrapv", "-fno-delete-null-pointer-checks"];
        const READABLE: &[&str] = &["-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"];
        match self {
            Variant::Tracked => vec![],
            Variant::Plain => [MEANING, READABLE, &["-O1"]].concat(),
            Variant::Coverage => {
                [MEANING, READABLE, &["-O1", "-fprofile-instr-generate", "-fcoverage-mapping"]].concat()
            }
            // Unoptimised: a dead store past the end is a bug all the same.
            Variant::Address => [MEANING, READABLE, &["-O0", "-fsanitize=address"]].concat(),
            Variant::Undefined => [
                READABLE,
                &["-O1", "-fno-delete-null-pointer-checks"],
                UNDEFINED_CHECKS,
                &["-fno-sanitize-recover=all"],
            ]
            .concat(),
        }
    }

    /// What is linked besides the user's own: a `main` for harnesses, and the answers to requests.
    pub(super) fn pieces(self) -> &'static [&'static str] {
        match self {
            Variant::Tracked => &[],
            _ => &[Layout::REPLAY],
        }
    }
}
