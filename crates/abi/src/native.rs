//! Functions of the mathematical library that stay in traces as calls: a node says which function, and its value is
//! what the program got. Only functions of their operands; what they do to `errno` is told apart (see the runtime).

/// One scalar of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `double`
    D,
    /// `float`
    F,
    /// `int`
    I,
}

impl Scalar {
    pub const fn width(self) -> u32 {
        match self {
            Scalar::D => 64,
            Scalar::F | Scalar::I => 32,
        }
    }
}

/// A function: its result, then its one or two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    pub name: &'static str,
    pub result: Scalar,
    pub operands: &'static [Scalar],
}

macro_rules! natives {
    ($($name:literal $result:ident $($operand:ident)+;)*) => {
        /// Every one of them; its place is its number in nodes. New ones go to the end.
        pub const NATIVES: &[Native] = &[
            $(Native { name: $name, result: Scalar::$result, operands: &[$(Scalar::$operand),+] },)*
        ];
    };
}

natives! {
    "acos" D D; "acosf" F F;
    "acosh" D D; "acoshf" F F;
    "asin" D D; "asinf" F F;
    "asinh" D D; "asinhf" F F;
    "atan" D D; "atanf" F F;
    "atanh" D D; "atanhf" F F;
    "cbrt" D D; "cbrtf" F F;
    "cos" D D; "cosf" F F;
    "cosh" D D; "coshf" F F;
    "erf" D D; "erff" F F;
    "erfc" D D; "erfcf" F F;
    "exp" D D; "expf" F F;
    "exp10" D D; "exp10f" F F;
    "exp2" D D; "exp2f" F F;
    "expm1" D D; "expm1f" F F;
    "j0" D D; "j1" D D;
    "log" D D; "logf" F F;
    "log10" D D; "log10f" F F;
    "log1p" D D; "log1pf" F F;
    "log2" D D; "log2f" F F;
    "logb" D D; "logbf" F F;
    "sin" D D; "sinf" F F;
    "sinh" D D; "sinhf" F F;
    "tan" D D; "tanf" F F;
    "tanh" D D; "tanhf" F F;
    "tgamma" D D; "tgammaf" F F;
    "y0" D D; "y1" D D;
    "ilogb" I D; "ilogbf" I F;
    "atan2" D D D; "atan2f" F F F;
    "fdim" D D D; "fdimf" F F F;
    "hypot" D D D; "hypotf" F F F;
    "nextafter" D D D; "nextafterf" F F F;
    "pow" D D D; "powf" F F F;
    "remainder" D D D; "remainderf" F F F;
    "ldexp" D D I; "ldexpf" F F I;
    "scalbn" D D I; "scalbnf" F F I;
    "jn" D I D; "yn" D I D;
}

/// The number of a function by its name.
pub fn number(name: &str) -> Option<u8> {
    NATIVES.iter().position(|native| native.name == name).map(|at| at as u8)
}

/// The function of a number.
pub fn native(number: u32) -> Option<&'static Native> {
    NATIVES.get(number as usize)
}
