//! Operations of trace nodes. Semantics are SMT-LIB's (division by zero, shifts past the width);
//! where the machine differs the runtime drops the label and counts it instead of recording a node.

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident = $value:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Op { $($(#[$doc])* $name = $value,)* }
        impl Op {
            pub const ALL: &'static [Op] = &[$(Op::$name,)*];
            #[inline]
            pub const fn from_u8(value: u8) -> Option<Op> {
                match value { $($value => Some(Op::$name),)* _ => None }
            }
            pub const fn name(self) -> &'static str {
                match self { $(Op::$name => stringify!($name),)* }
            }
        }
    };
}

ops! {
    /// The node's value, nothing else.
    Const = 0,
    /// One byte of an input object: `a` = object, `b` = offset. Width 8.
    Input = 1,
    /// The length in bytes of an input object: `a` = object. Width 64.
    Length = 2,

    Add = 8,
    Sub = 9,
    Mul = 10,
    UDiv = 11,
    SDiv = 12,
    URem = 13,
    SRem = 14,
    Shl = 15,
    LShr = 16,
    AShr = 17,
    And = 18,
    Or = 19,
    Xor = 20,

    // Comparisons and overflow predicates: width 1, operands of equal width.
    Eq = 24,
    Ne = 25,
    Ult = 26,
    Ule = 27,
    Slt = 28,
    Sle = 29,
    UAddO = 30,
    SAddO = 31,
    USubO = 32,
    SSubO = 33,
    UMulO = 34,
    SMulO = 35,
    /// Unsigned comparisons whose operands the compiler knows to have the same sign wherever the result is used: signed
    /// ones, where they really have.
    UltSame = 36,
    UleSame = 37,

    ZExt = 40,
    SExt = 41,
    /// `width` bits of `a` from bit `b` on (`b` is a number, not a label). `trunc` is Extract at 0.
    Extract = 42,
    /// `a` above `b`.
    Concat = 43,
    /// `a` is the condition (width 1).
    Select = 44,
    Bswap = 45,
    BitReverse = 46,
    Ctpop = 47,
    Ctlz = 48,
    Cttz = 49,
    /// Funnel shifts: high `a`, low `b`, amount `c` taken modulo the width.
    FshL = 50,
    FshR = 51,
    /// The entry at index `a` of a table: `b` (a number, not a label) says where the table lies in the region of
    /// tables, in words of eight bytes. See [`crate::layout::Table`].
    Table = 52,

    // IEEE floats as bit patterns of width 32 or 64; round to nearest even.
    FAdd = 64,
    FSub = 65,
    FMul = 66,
    FDiv = 67,
    FRem = 68,
    FSqrt = 69,
    /// `a * b + c`, rounded once.
    FMa = 70,
    /// minnum/maxnum: the other operand where one is NaN.
    FMin = 71,
    FMax = 72,
    FFloor = 73,
    FCeil = 74,
    FTrunc = 75,
    /// To nearest, ties to even (`rint`, `nearbyint`, `roundeven`).
    FRint = 76,
    /// To nearest, ties away from zero (`round`).
    FRound = 77,
    // Ordered comparisons, width 1.
    FOeq = 80,
    FOlt = 81,
    FOle = 82,
    /// Either operand is NaN.
    FUno = 83,
    // Conversions; the operand's own width tells where from.
    FToSi = 88,
    FToUi = 89,
    SiToF = 90,
    UiToF = 91,
    /// float to double and double to float.
    FToF = 92,
    // Functions of the mathematical library, by their number in [`crate::native`].
    /// One operand `a`; `b` is the number.
    Native1 = 96,
    /// Operands `a` and `b`; `c` is the number.
    Native2 = 97,
}

impl Op {
    /// Number of label operands (`a`, then `b`, then `c`).
    pub const fn operands(self) -> usize {
        match self {
            Op::Const | Op::Input | Op::Length => 0,
            Op::ZExt | Op::SExt | Op::Extract | Op::Bswap | Op::BitReverse | Op::Ctpop | Op::Ctlz | Op::Cttz => 1,
            Op::Table => 1,
            Op::FSqrt | Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRint | Op::FRound => 1,
            Op::FToSi | Op::FToUi | Op::SiToF | Op::UiToF | Op::FToF | Op::Native1 => 1,
            Op::Select | Op::FMa | Op::FshL | Op::FshR => 3,
            _ => 2,
        }
    }

    /// Whether operands or result are read as floats, so that how the machine rounds matters.
    pub const fn is_float(self) -> bool {
        self as u8 >= Op::FAdd as u8 && self as u8 <= Op::Native2 as u8
    }

    /// Operations whose result is one bit whatever their operands' width.
    pub const fn is_predicate(self) -> bool {
        matches!(self as u8, 24..=37 | 80..=83)
    }
}
