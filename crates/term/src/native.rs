//! Functions of the mathematical library as operations: their values come from calling them. Valid for the library this
//! process is linked with, which is the machine's, as for the programs it tests. Nothing else here may be unsafe.

use std::ffi::c_int;

/// A function by the types of its operands.
#[derive(Clone, Copy)]
enum Call {
    D(unsafe extern "C" fn(f64) -> f64),
    F(unsafe extern "C" fn(f32) -> f32),
    ToInt(unsafe extern "C" fn(f64) -> c_int),
    SingleToInt(unsafe extern "C" fn(f32) -> c_int),
    DD(unsafe extern "C" fn(f64, f64) -> f64),
    FF(unsafe extern "C" fn(f32, f32) -> f32),
    DI(unsafe extern "C" fn(f64, c_int) -> f64),
    FI(unsafe extern "C" fn(f32, c_int) -> f32),
    ID(unsafe extern "C" fn(c_int, f64) -> f64),
}

macro_rules! natives {
    ($($name:ident $call:ident ($($operand:ty),*) -> $result:ty;)*) => {
        unsafe extern "C" {
            $(fn $name($(_: $operand),*) -> $result;)*
        }
        /// Their places are their numbers, the same as in traces. New ones go to the end.
        static NATIVES: &[(&str, Call)] = &[$((stringify!($name), Call::$call($name)),)*];
        const ARITIES: &[usize] = &[$([$(stringify!($operand)),*].len(),)*];
        const NAMES: &[&str] = &[$(stringify!($name),)*];
        /// How many there are.
        pub const COUNT: usize = ARITIES.len();
    };
}

natives! {
    acos D (f64) -> f64; acosf F (f32) -> f32;
    acosh D (f64) -> f64; acoshf F (f32) -> f32;
    asin D (f64) -> f64; asinf F (f32) -> f32;
    asinh D (f64) -> f64; asinhf F (f32) -> f32;
    atan D (f64) -> f64; atanf F (f32) -> f32;
    atanh D (f64) -> f64; atanhf F (f32) -> f32;
    cbrt D (f64) -> f64; cbrtf F (f32) -> f32;
    cos D (f64) -> f64; cosf F (f32) -> f32;
    cosh D (f64) -> f64; coshf F (f32) -> f32;
    erf D (f64) -> f64; erff F (f32) -> f32;
    erfc D (f64) -> f64; erfcf F (f32) -> f32;
    exp D (f64) -> f64; expf F (f32) -> f32;
    exp10 D (f64) -> f64; exp10f F (f32) -> f32;
    exp2 D (f64) -> f64; exp2f F (f32) -> f32;
    expm1 D (f64) -> f64; expm1f F (f32) -> f32;
    j0 D (f64) -> f64; j1 D (f64) -> f64;
    log D (f64) -> f64; logf F (f32) -> f32;
    log10 D (f64) -> f64; log10f F (f32) -> f32;
    log1p D (f64) -> f64; log1pf F (f32) -> f32;
    log2 D (f64) -> f64; log2f F (f32) -> f32;
    logb D (f64) -> f64; logbf F (f32) -> f32;
    sin D (f64) -> f64; sinf F (f32) -> f32;
    sinh D (f64) -> f64; sinhf F (f32) -> f32;
    tan D (f64) -> f64; tanf F (f32) -> f32;
    tanh D (f64) -> f64; tanhf F (f32) -> f32;
    tgamma D (f64) -> f64; tgammaf F (f32) -> f32;
    y0 D (f64) -> f64; y1 D (f64) -> f64;
    ilogb ToInt (f64) -> c_int; ilogbf SingleToInt (f32) -> c_int;
    atan2 DD (f64, f64) -> f64; atan2f FF (f32, f32) -> f32;
    fdim DD (f64, f64) -> f64; fdimf FF (f32, f32) -> f32;
    hypot DD (f64, f64) -> f64; hypotf FF (f32, f32) -> f32;
    nextafter DD (f64, f64) -> f64; nextafterf FF (f32, f32) -> f32;
    pow DD (f64, f64) -> f64; powf FF (f32, f32) -> f32;
    remainder DD (f64, f64) -> f64; remainderf FF (f32, f32) -> f32;
    ldexp DI (f64, c_int) -> f64; ldexpf FI (f32, c_int) -> f32;
    scalbn DI (f64, c_int) -> f64; scalbnf FI (f32, c_int) -> f32;
    jn ID (c_int, f64) -> f64; yn ID (c_int, f64) -> f64;
}

/// The number of a function by its name, if it is one of these.
pub fn number(name: &str) -> Option<u8> {
    NAMES.iter().position(|&other| other == name).map(|at| at as u8)
}

/// The name of a function.
pub const fn name(function: u8) -> &'static str {
    if (function as usize) < COUNT { NAMES[function as usize] } else { "unknown function" }
}

pub(crate) const fn arity(function: u8) -> usize {
    if (function as usize) < COUNT { ARITIES[function as usize] } else { 1 }
}

/// Widths of the result and of the operands; `None` for a number that is no function's.
pub(crate) fn widths(function: u8) -> Option<(u8, [u8; 2])> {
    Some(match NATIVES.get(function as usize)?.1 {
        Call::D(_) => (64, [64, 64]),
        Call::F(_) => (32, [32, 32]),
        Call::ToInt(_) => (32, [64, 64]),
        Call::SingleToInt(_) => (32, [32, 32]),
        Call::DD(_) => (64, [64, 64]),
        Call::FF(_) => (32, [32, 32]),
        Call::DI(_) => (64, [64, 32]),
        Call::FI(_) => (32, [32, 32]),
        Call::ID(_) => (64, [32, 64]),
    })
}

/// Whether the result is a float.
pub(crate) const fn gives_float(function: u8) -> bool {
    let name = name(function).as_bytes();
    // The only ones that give an integer are `ilogb` and `ilogbf`.
    !(name.len() >= 5 && name[0] == b'i' && name[1] == b'l' && name[2] == b'o')
}

/// The value of a call.
pub(crate) fn call(function: u8, a: u128, b: u128) -> u128 {
    let Some(&(_, call)) = NATIVES.get(function as usize) else { return 0 };
    let (da, db) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
    let (fa, fb) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    // SAFETY: functions of the C library with just these prototypes; they touch nothing but `errno` and flags.
    unsafe {
        match call {
            Call::D(f) => f(da).to_bits() as u128,
            Call::F(f) => f(fa).to_bits() as u128,
            Call::ToInt(f) => f(da) as u32 as u128,
            Call::SingleToInt(f) => f(fa) as u32 as u128,
            Call::DD(f) => f(da, db).to_bits() as u128,
            Call::FF(f) => f(fa, fb).to_bits() as u128,
            Call::DI(f) => f(da, b as u32 as c_int).to_bits() as u128,
            Call::FI(f) => f(fa, b as u32 as c_int).to_bits() as u128,
            Call::ID(f) => f(a as u32 as c_int, db).to_bits() as u128,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Op, compute};

    #[test]
    fn values_are_the_librarys() {
        let op = |name: &str| Op::Native { function: number(name).expect("a known function") };
        let bits = |x: f64| x.to_bits() as u128;
        assert_eq!(compute(op("sin"), 64, 64, bits(2.0), 0, 0), bits(2f64.sin()));
        assert_eq!(compute(op("pow"), 64, 64, bits(4.0), bits(5.0), 0), bits(1024.0));
        assert_eq!(compute(op("atan2"), 64, 64, bits(0.0), bits(-1.0), 0), bits(std::f64::consts::PI));
        assert_eq!(compute(op("ldexp"), 64, 64, bits(1.5), 4, 0), bits(24.0));
        assert_eq!(compute(op("ilogb"), 32, 64, bits(0.25), 0, 0), u128::from(-2i32 as u32));
        assert_eq!(compute(op("expf"), 32, 32, 0, 0, 0), u128::from(1f32.to_bits()));
        assert_eq!(compute(op("jn"), 64, 32, 0, bits(0.0), 0), bits(1.0));
        // A NaN stays that NaN.
        let payload = 0x7ff8_0000_0000_0123u128;
        assert_eq!(compute(op("log"), 64, 64, payload, 0, 0), payload);
    }

    #[test]
    fn applications_are_checked() {
        let pow = Op::Native { function: number("pow").unwrap() };
        assert_eq!((pow.arity(), pow.name(), pow.gives_float()), (2, "pow", true));
        assert!(pow.check(64, &[64, 64]).is_ok());
        assert!(
            pow.check(64, &[64, 32]).is_err() && pow.check(32, &[64, 64]).is_err() && pow.check(64, &[64]).is_err()
        );
        assert!(!Op::Native { function: number("ilogb").unwrap() }.gives_float());
        assert!(Op::Native { function: 255 }.check(64, &[64]).is_err());
    }
}
