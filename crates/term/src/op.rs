//! The operations of terms: names, arities, widths. Says what is well formed; never computes.

use std::fmt;

/// One operation. Comparisons and overflow predicates give one bit; floats are operations over
/// bit patterns of width 32 or 64. Division by zero and shifts by the width or more mean what
/// SMT-LIB says they mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Op {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
    ZExt,
    SExt,
    /// The bits `lo ..= lo + width - 1`.
    Extract {
        lo: u8,
    },
    /// First operand high, second low.
    Concat,
    /// Condition, value when it is 1, value when it is 0.
    Select,
    UAddO,
    SAddO,
    USubO,
    SSubO,
    UMulO,
    SMulO,
    Bswap,
    BitReverse,
    Ctpop,
    /// Leading zeros; the width for zero.
    Ctlz,
    /// Trailing zeros; the width for zero.
    Cttz,
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// C's `fmod`: the sign of the first operand, truncated quotient.
    FRem,
    FSqrt,
    /// `a * b + c`, rounded once.
    FMa,
    FOeq,
    FOlt,
    FOle,
    FUno,
    FToSi,
    FToUi,
    SiToF,
    UiToF,
    FExt,
    FTrunc,
    FFloor,
    FCeil,
    FRoundZero,
    /// To the nearest integer, ties to even.
    FRint,
    /// To the nearest integer, ties away from zero.
    FRound,
    FMin,
    FMax,
    /// A function of the mathematical library, by its number in [`crate::native`].
    Native {
        function: u8,
    },
    /// The entry of a table at an index: the index, and the table's number as a constant of 32 bits. See
    /// [`Terms::read`](crate::Terms::read); its value cannot be computed without the store.
    Read,
}

/// Why an operation cannot be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    #[error("{op} takes {expected} operands, got {got}")]
    Arity { op: Op, expected: usize, got: usize },
    #[error("{op} of width {width} over operands of widths {operands:?} is not well formed")]
    Width { op: Op, width: u8, operands: [u8; 3] },
    #[error("widths are 1 to 128, got {0}")]
    Range(u8),
    #[error("a read of a table that does not exist, or of other entries than it has")]
    Table,
}

impl Op {
    /// Every operation but the library's functions, and [`Op::Read`], which needs a store; `Extract` with `lo` 0.
    pub const ALL: [Op; 59] = {
        use Op::*;
        [
            Add,
            Sub,
            Mul,
            UDiv,
            SDiv,
            URem,
            SRem,
            Shl,
            LShr,
            AShr,
            And,
            Or,
            Xor,
            Eq,
            Ne,
            Ult,
            Ule,
            Slt,
            Sle,
            ZExt,
            SExt,
            Extract { lo: 0 },
            Concat,
            Select,
            UAddO,
            SAddO,
            USubO,
            SSubO,
            UMulO,
            SMulO,
            Bswap,
            BitReverse,
            Ctpop,
            Ctlz,
            Cttz,
            FAdd,
            FSub,
            FMul,
            FDiv,
            FRem,
            FSqrt,
            FMa,
            FOeq,
            FOlt,
            FOle,
            FUno,
            FToSi,
            FToUi,
            SiToF,
            UiToF,
            FExt,
            FTrunc,
            FFloor,
            FCeil,
            FRoundZero,
            FRint,
            FRound,
            FMin,
            FMax,
        ]
    };

    /// How many operands it takes.
    #[inline]
    pub const fn arity(self) -> usize {
        use Op::*;
        match self {
            ZExt
            | SExt
            | Extract { .. }
            | Bswap
            | BitReverse
            | Ctpop
            | Ctlz
            | Cttz
            | FSqrt
            | FToSi
            | FToUi
            | SiToF
            | UiToF
            | FExt
            | FTrunc
            | FFloor
            | FCeil
            | FRoundZero
            | FRint
            | FRound => 1,
            Select | FMa => 3,
            Native { function } => crate::native::arity(function),
            _ => 2,
        }
    }

    /// Whether exchanging the two operands changes nothing, not even the payload of a NaN.
    #[inline]
    pub const fn commutes(self) -> bool {
        use Op::*;
        matches!(self, Add | Mul | And | Or | Xor | Eq | Ne | UAddO | SAddO | UMulO | SMulO | FOeq | FUno)
    }

    /// Whether the result is one bit whatever the operands' width.
    #[inline]
    pub const fn is_predicate(self) -> bool {
        use Op::*;
        matches!(
            self,
            Eq | Ne | Ult | Ule | Slt | Sle | UAddO | SAddO | USubO | SSubO | UMulO | SMulO | FOeq | FOlt | FOle | FUno
        )
    }

    /// Whether operands or result are read as IEEE floats.
    #[inline]
    pub const fn is_float(self) -> bool {
        use Op::*;
        matches!(
            self,
            FAdd | FSub
                | FMul
                | FDiv
                | FRem
                | FSqrt
                | FMa
                | FOeq
                | FOlt
                | FOle
                | FUno
                | FToSi
                | FToUi
                | SiToF
                | UiToF
                | FExt
                | FTrunc
                | FFloor
                | FCeil
                | FRoundZero
                | FRint
                | FRound
                | FMin
                | FMax
                | Native { .. }
        )
    }

    /// Whether the result is an IEEE float, so that two NaNs of different bits may stand for each other.
    #[inline]
    pub const fn gives_float(self) -> bool {
        use Op::*;
        match self {
            Native { function } => crate::native::gives_float(function),
            FOeq | FOlt | FOle | FUno | FToSi | FToUi => false,
            op => op.is_float(),
        }
    }

    /// The width when it follows from the operands', for those operations where it does.
    pub const fn implied_width(self, operands: &[u8]) -> Option<u8> {
        use Op::*;
        match self {
            ZExt | SExt | Extract { .. } | FToSi | FToUi | SiToF | UiToF | Native { .. } | Read => None,
            FExt => Some(64),
            FTrunc => Some(32),
            Concat => Some(operands[0].saturating_add(operands[1])),
            Select => Some(operands[1]),
            op if op.is_predicate() => Some(1),
            _ => Some(operands[0]),
        }
    }

    /// Whether an application of this operation makes sense.
    pub fn check(self, width: u8, operands: &[u8]) -> Result<(), Malformed> {
        use Op::*;
        if !(1..=128).contains(&width) {
            return Err(Malformed::Range(width));
        }
        if operands.len() != self.arity() {
            return Err(Malformed::Arity { op: self, expected: self.arity(), got: operands.len() });
        }
        let a = operands[0];
        let b = operands.get(1).copied().unwrap_or(a);
        let c = operands.get(2).copied().unwrap_or(b);
        let float = |w: u8| w == 32 || w == 64;
        let fine = match self {
            ZExt | SExt => width >= a,
            Extract { lo } => lo as u32 + width as u32 <= a as u32,
            Concat => a as u32 + b as u32 == width as u32,
            Select => a == 1 && b == c && b == width,
            Bswap => width == a && width.is_multiple_of(8),
            FToSi | FToUi => float(a),
            SiToF | UiToF => float(width),
            FExt => a == 32 && width == 64,
            FTrunc => a == 64 && width == 32,
            Native { function } => crate::native::widths(function).is_some_and(|(own, [first, second])| {
                own == width && first == a && (operands.len() == 1 || second == b)
            }),
            Read => a <= 64 && b == 32 && width <= 64,
            FMa => float(a) && a == b && b == c && c == width,
            FOeq | FOlt | FOle | FUno => float(a) && a == b && width == 1,
            op if op.is_predicate() => a == b && width == 1,
            op if op.is_float() => float(a) && a == b && a == width,
            _ => a == b && a == width,
        };
        if fine {
            return Ok(());
        }
        let mut shown = [0; 3];
        shown[..operands.len()].copy_from_slice(operands);
        Err(Malformed::Width { op: self, width, operands: shown })
    }

    /// The name in printed terms.
    pub const fn name(self) -> &'static str {
        use Op::*;
        match self {
            Add => "add",
            Sub => "sub",
            Mul => "mul",
            UDiv => "udiv",
            SDiv => "sdiv",
            URem => "urem",
            SRem => "srem",
            Shl => "shl",
            LShr => "lshr",
            AShr => "ashr",
            And => "and",
            Or => "or",
            Xor => "xor",
            Eq => "eq",
            Ne => "ne",
            Ult => "ult",
            Ule => "ule",
            Slt => "slt",
            Sle => "sle",
            ZExt => "zext",
            SExt => "sext",
            Extract { .. } => "extract",
            Concat => "concat",
            Select => "select",
            UAddO => "uaddo",
            SAddO => "saddo",
            USubO => "usubo",
            SSubO => "ssubo",
            UMulO => "umulo",
            SMulO => "smulo",
            Bswap => "bswap",
            BitReverse => "bitreverse",
            Ctpop => "ctpop",
            Ctlz => "ctlz",
            Cttz => "cttz",
            FAdd => "fadd",
            FSub => "fsub",
            FMul => "fmul",
            FDiv => "fdiv",
            FRem => "frem",
            FSqrt => "fsqrt",
            FMa => "fma",
            FOeq => "foeq",
            FOlt => "folt",
            FOle => "fole",
            FUno => "funo",
            FToSi => "ftosi",
            FToUi => "ftoui",
            SiToF => "sitof",
            UiToF => "uitof",
            FExt => "fext",
            FTrunc => "ftrunc",
            FFloor => "ffloor",
            FCeil => "fceil",
            FRoundZero => "froundzero",
            FRint => "frint",
            FRound => "fround",
            FMin => "fmin",
            FMax => "fmax",
            Native { function } => crate::native::name(function),
            Read => "read",
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
