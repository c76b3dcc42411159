//! Names of what tracking can lose. The site's own detail (function or instruction) completes the name.

/// Site of what happened where the runtime knows no place (operations carry none).
pub const NO_SITE: u32 = u32::MAX;

macro_rules! lost {
    ($($(#[$doc:meta])* $name:ident = $value:literal => $text:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum Lost { $($(#[$doc])* $name = $value,)* }
        impl Lost {
            pub const ALL: &'static [Lost] = &[$(Lost::$name,)*];
            pub const fn from_u32(value: u32) -> Option<Lost> {
                match value { $($value => Some(Lost::$name),)* _ => None }
            }
            /// The slug shown to users.
            pub const fn slug(self) -> &'static str {
                match self { $(Lost::$name => $text,)* }
            }
        }
    };
}

lost! {
    /// An uninstrumented function was handed input-dependent values or memory.
    Call = 1 => "call",
    /// An instruction that is not tracked had an input-dependent operand.
    Instruction = 2 => "instruction",
    /// A load or store address was fixed to its value.
    Address = 3 => "address",
    /// A length (memcpy, memset, …) was fixed to its value.
    Length = 4 => "length",
    /// Memory changed behind our back: the label no longer matched the bytes loaded.
    Stale = 5 => "stale",
    /// The machine's result has no meaning in the theory (shift past the width, poison conversions).
    Undefined = 6 => "undefined",
    /// Node or event limit.
    Limit = 7 => "limit",
    /// Inline assembly with input-dependent operands.
    Assembly = 8 => "assembly",
    /// Tracking ended because the program started a thread.
    Thread = 9 => "thread",
    /// A signal handler of the target interrupted the runtime.
    Signal = 10 => "signal",
    /// long double, half, fp128.
    Float = 11 => "float",
    /// A function has no tracking body (musttail, coroutine, naked, …).
    Body = 12 => "body",
    /// An indirect call went through an input-dependent pointer, fixed to its value.
    Pointer = 13 => "pointer",
    /// A size handed to an allocator was fixed to its value.
    Allocation = 14 => "allocation",
    /// The program looks at `errno` or floating-point flags, which input-dependent arithmetic may have set.
    Errno = 20 => "errno",
    /// Arithmetic that does not round to nearest, or takes denormal numbers for zero.
    Rounding = 21 => "rounding",
    /// The program read from elsewhere after it had written what depends on input: it may have read that back.
    Written = 22 => "written",
}
