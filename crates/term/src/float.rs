//! What each float operation means, on bit patterns: the machine's own arithmetic, and where the
//! standard leaves the bits of a NaN or an out-of-range conversion open, what x86-64 does.
//! Rounding is to nearest even; never reads or sets the floating-point environment.

use crate::bits::{mask, signed};
use crate::op::Op;

/// What the two formats share, so that every operation is written once.
trait Float: Copy + PartialOrd {
    const QUIET: u128;
    const DEFAULT_NAN: u128;
    fn from_bits(bits: u128) -> Self;
    fn bits(self) -> u128;
    fn nan(self) -> bool;
    fn arithmetic(op: Op, a: Self, b: Self) -> Self;
    fn unary(op: Op, a: Self) -> Self;
    fn fused(a: Self, b: Self, c: Self) -> Self;
    fn wide(self) -> f64;
    fn from_signed(value: i128) -> Self;
    fn from_unsigned(value: u128) -> Self;
}

macro_rules! float {
    ($float:ty, $bits:ty, $width:literal, $mantissa:literal) => {
        impl Float for $float {
            const QUIET: u128 = 1 << ($mantissa - 1);
            const DEFAULT_NAN: u128 = mask($width) << ($mantissa - 1) & mask($width);
            fn from_bits(bits: u128) -> Self {
                <$float>::from_bits(bits as $bits)
            }
            fn bits(self) -> u128 {
                <$float>::to_bits(self) as u128
            }
            fn nan(self) -> bool {
                self.is_nan()
            }
            fn arithmetic(op: Op, a: Self, b: Self) -> Self {
                match op {
                    Op::FAdd => a + b,
                    Op::FSub => a - b,
                    Op::FMul => a * b,
                    Op::FDiv => a / b,
                    Op::FRem => a % b,
                    other => unreachable!("{other} is not binary float arithmetic"),
                }
            }
            fn unary(op: Op, a: Self) -> Self {
                match op {
                    Op::FSqrt => a.sqrt(),
                    Op::FFloor => a.floor(),
                    Op::FCeil => a.ceil(),
                    Op::FRoundZero => a.trunc(),
                    Op::FRint => a.round_ties_even(),
                    Op::FRound => a.round(),
                    other => unreachable!("{other} is not unary float arithmetic"),
                }
            }
            fn fused(a: Self, b: Self, c: Self) -> Self {
                a.mul_add(b, c)
            }
            fn wide(self) -> f64 {
                self as f64
            }
            fn from_signed(value: i128) -> Self {
                value as $float
            }
            fn from_unsigned(value: u128) -> Self {
                value as $float
            }
        }
    };
}
float!(f32, u32, 32, 23);
float!(f64, u64, 64, 52);

/// The value of one float application (see `compute::compute`).
pub(crate) fn compute(op: Op, width: u8, from: u8, a: u128, b: u128, c: u128) -> u128 {
    match op {
        Op::Native { function } => crate::native::call(function, a, b),
        Op::SiToF if width == 32 => f32::from_signed(signed(a, from)).bits(),
        Op::SiToF => f64::from_signed(signed(a, from)).bits(),
        Op::UiToF if width == 32 => f32::from_unsigned(a).bits(),
        Op::UiToF => f64::from_unsigned(a).bits(),
        Op::FExt => extend(a),
        Op::FTrunc => truncate(a),
        _ if from == 32 => over::<f32>(op, width, a, b, c),
        _ => over::<f64>(op, width, a, b, c),
    }
}

fn over<F: Float>(op: Op, width: u8, a_bits: u128, b_bits: u128, c_bits: u128) -> u128 {
    use Op::*;
    let (a, b) = (F::from_bits(a_bits), F::from_bits(b_bits));
    match op {
        FAdd | FSub | FMul | FDiv | FRem => nan_or::<F>(&[a_bits, b_bits], || F::arithmetic(op, a, b)),
        FSqrt | FFloor | FCeil | FRoundZero | FRint | FRound => nan_or::<F>(&[a_bits], || F::unary(op, a)),
        FMa => nan_or::<F>(&[a_bits, b_bits, c_bits], || F::fused(a, b, F::from_bits(c_bits))),
        FOeq => (a == b) as u128,
        FOlt => (a < b) as u128,
        FOle => (a <= b) as u128,
        FUno => (a.nan() || b.nan()) as u128,
        // As `minsd b, a` followed by the choice for a NaN in `a`: equal zeros give the first.
        FMin => {
            if a.nan() || b < a {
                b_bits
            } else {
                a_bits
            }
        }
        FMax => {
            if a.nan() || b > a {
                b_bits
            } else {
                a_bits
            }
        }
        FToSi => to_signed(a.wide(), width),
        FToUi => to_unsigned(a.wide(), width),
        other => unreachable!("{other} is not a float operation"),
    }
}

/// The first NaN operand made quiet; else the result, a new NaN being the machine's default one.
fn nan_or<F: Float>(operands: &[u128], result: impl FnOnce() -> F) -> u128 {
    for &bits in operands {
        if F::from_bits(bits).nan() {
            return bits | F::QUIET;
        }
    }
    let value = result();
    if value.nan() { F::DEFAULT_NAN } else { value.bits() }
}

fn extend(bits: u128) -> u128 {
    let value = f32::from_bits(bits as u32);
    if value.is_nan() {
        let sign = bits >> 31 << 63;
        return sign | 0x7ff8 << 48 | (bits & mask(22)) << 29;
    }
    (value as f64).bits()
}

fn truncate(bits: u128) -> u128 {
    let value = f64::from_bits(bits as u64);
    if value.is_nan() {
        let sign = bits >> 63 << 31;
        return sign | 0x7fc0 << 16 | bits >> 29 & mask(22);
    }
    (value as f32).bits()
}

/// `cvttsd2si`: the truncated value, or the one pattern that stands for "does not fit".
fn machine_i64(value: f64) -> i64 {
    if (-(2f64.powi(63))..2f64.powi(63)).contains(&value) { value as i64 } else { i64::MIN }
}

fn machine_i32(value: f64) -> i32 {
    let whole = value.trunc();
    if (i32::MIN as f64..=i32::MAX as f64).contains(&whole) { whole as i32 } else { i32::MIN }
}

fn to_signed(value: f64, width: u8) -> u128 {
    let bits = match width {
        1..=32 => machine_i32(value) as i128,
        33..=64 => machine_i64(value) as i128,
        _ => value as i128,
    };
    bits as u128 & mask(width)
}

fn to_unsigned(value: f64, width: u8) -> u128 {
    let bits = match width {
        1..=31 => machine_i32(value) as u128,
        32..=63 => machine_i64(value) as u128,
        64 => {
            let low = machine_i64(value);
            let high = machine_i64(value - 2f64.powi(63));
            (high & (low >> 63) | low) as u64 as u128
        }
        _ => value as u128,
    };
    bits & mask(width)
}

/// Whether the bits are a NaN of this float width.
pub fn is_nan(width: u8, bits: u128) -> bool {
    match width {
        32 => f32::from_bits(bits as u32).is_nan(),
        64 => f64::from_bits(bits as u64).is_nan(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn f64s() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            (-1000i32..1000).prop_map(|n| n as f64 / 4.0),
            Just(f64::INFINITY),
            Just(-0.0),
            Just(f64::MIN_POSITIVE / 2.0),
            Just(9.3e18),
            Just(-9.3e18),
            Just(1.9e19),
            Just(2147483648.5),
            Just(-2147483648.5),
        ]
    }

    /// To 64 and 32 bits, to single precision, and from there back.
    #[cfg(target_arch = "x86_64")]
    fn instructions(x: f64) -> (i64, i32, f32, f64) {
        use std::arch::x86_64::*;
        // SAFETY: these need SSE2, which every x86-64 has.
        unsafe {
            let v = _mm_set_sd(x);
            let single = _mm_cvtss_f32(_mm_cvtsd_ss(_mm_setzero_ps(), v));
            let back = _mm_cvtsd_f64(_mm_cvtss_sd(_mm_setzero_pd(), _mm_set_ss(single)));
            (_mm_cvttsd_si64(v), _mm_cvttsd_si32(v), single, back)
        }
    }

    #[cfg(target_arch = "x86_64")]
    proptest! {
        /// The instruction itself is the judge of conversions, also of values that do not fit.
        #[test]
        fn conversions_are_the_machines(x in f64s()) {
            let (i64s, i32s, single, back) = instructions(x);
            let bits = x.to_bits() as u128;
            prop_assert_eq!(compute(Op::FToSi, 64, 64, bits, 0, 0), i64s as u64 as u128);
            prop_assert_eq!(compute(Op::FToSi, 32, 64, bits, 0, 0), i32s as u32 as u128);
            prop_assert_eq!(compute(Op::FToSi, 16, 64, bits, 0, 0), i32s as u16 as u128);
            prop_assert_eq!(compute(Op::FToUi, 32, 64, bits, 0, 0), i64s as u32 as u128);
            prop_assert_eq!(compute(Op::FTrunc, 32, 64, bits, 0, 0), single.to_bits() as u128);
            prop_assert_eq!(compute(Op::FExt, 64, 32, single.to_bits() as u128, 0, 0), back.to_bits() as u128);
        }

        #[test]
        fn arithmetic_is_the_machines(x in f64s(), y in f64s(), z in f64s()) {
            let run = |op| compute(op, 64, 64, x.to_bits() as u128, y.to_bits() as u128, z.to_bits() as u128);
            let same = |bits: u128, want: f64| {
                let got = <f64>::from_bits(bits as u64);
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan()
            };
            prop_assert!(same(run(Op::FAdd), x + y));
            prop_assert!(same(run(Op::FSub), x - y));
            prop_assert!(same(run(Op::FMul), x * y));
            prop_assert!(same(run(Op::FDiv), x / y));
            prop_assert!(same(run(Op::FRem), x % y));
            prop_assert!(same(run(Op::FSqrt), x.sqrt()));
            prop_assert!(same(run(Op::FMa), x.mul_add(y, z)));
            prop_assert!(same(run(Op::FFloor), x.floor()));
            prop_assert!(same(run(Op::FCeil), x.ceil()));
            prop_assert!(same(run(Op::FRoundZero), x.trunc()));
            prop_assert!(same(run(Op::FRound), x.round()));
            prop_assert!(same(run(Op::FRint), x.round_ties_even()));
            let minimum = <f64>::from_bits(run(Op::FMin) as u64);
            prop_assert!(minimum == x.min(y) || x.is_nan() && y.is_nan() && minimum.is_nan());
            let maximum = <f64>::from_bits(run(Op::FMax) as u64);
            prop_assert!(maximum == x.max(y) || x.is_nan() && y.is_nan() && maximum.is_nan());
            prop_assert_eq!(run(Op::FOlt) != 0, x < y);
            prop_assert_eq!(run(Op::FOle) != 0, x <= y);
            prop_assert_eq!(run(Op::FOeq) != 0, x == y);
            prop_assert_eq!(run(Op::FUno) != 0, x.is_nan() || y.is_nan());
        }
    }

    fn f32s() -> impl Strategy<Value = f32> {
        prop_oneof![any::<u32>().prop_map(f32::from_bits), f64s().prop_map(|x| x as f32)]
    }

    proptest! {
        #[test]
        fn single_arithmetic_is_the_machines(x in f32s(), y in f32s(), z in f32s()) {
            let run = |op| compute(op, 32, 32, x.to_bits() as u128, y.to_bits() as u128, z.to_bits() as u128);
            let same = |op, want: f32| {
                let got = <f32>::from_bits(run(op) as u32);
                got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan()
            };
            prop_assert!(same(Op::FAdd, x + y));
            prop_assert!(same(Op::FSub, x - y));
            prop_assert!(same(Op::FMul, x * y));
            prop_assert!(same(Op::FDiv, x / y));
            prop_assert!(same(Op::FRem, x % y));
            prop_assert!(same(Op::FSqrt, x.sqrt()));
            prop_assert!(same(Op::FMa, x.mul_add(y, z)));
            prop_assert!(same(Op::FFloor, x.floor()));
            prop_assert!(same(Op::FCeil, x.ceil()));
            prop_assert!(same(Op::FRoundZero, x.trunc()));
            prop_assert!(same(Op::FRound, x.round()));
            prop_assert!(same(Op::FRint, x.round_ties_even()));
            prop_assert_eq!(run(Op::FOlt) != 0, x < y);
            prop_assert_eq!(run(Op::FOle) != 0, x <= y);
            prop_assert_eq!(run(Op::FOeq) != 0, x == y);
            prop_assert_eq!(run(Op::FUno) != 0, x.is_nan() || y.is_nan());
        }

        /// Integers of every width in both directions: what fits comes back as the language has it.
        #[test]
        fn integers_of_every_width_are_the_languages(value: u128, width in 1u8..=128, x in f64s()) {
            let (natural, number) = (value & mask(width), signed(value & mask(width), width));
            prop_assert_eq!(compute(Op::UiToF, 64, width, natural, 0, 0), u128::from((natural as f64).to_bits()));
            prop_assert_eq!(compute(Op::UiToF, 32, width, natural, 0, 0), u128::from((natural as f32).to_bits()));
            prop_assert_eq!(compute(Op::SiToF, 64, width, natural, 0, 0), u128::from((number as f64).to_bits()));
            prop_assert_eq!(compute(Op::SiToF, 32, width, natural, 0, 0), u128::from((number as f32).to_bits()));
            let whole = x.trunc();
            let half = 2f64.powi(i32::from(width) - 1);
            let bits = u128::from(x.to_bits());
            if (-half..half).contains(&whole) {
                prop_assert_eq!(signed(compute(Op::FToSi, width, 64, bits, 0, 0), width), whole as i128);
            }
            if (0.0..2.0 * half).contains(&whole) {
                prop_assert_eq!(compute(Op::FToUi, width, 64, bits, 0, 0), whole as u128);
            }
        }
    }

    #[test]
    fn integers_round_to_nearest_even() {
        assert_eq!(compute(Op::SiToF, 32, 32, 16_777_217, 0, 0), 16_777_216f32.to_bits() as u128);
        assert_eq!(compute(Op::SiToF, 64, 8, 0xff, 0, 0), (-1f64).to_bits() as u128);
        assert_eq!(compute(Op::UiToF, 64, 8, 0xff, 0, 0), 255f64.to_bits() as u128);
        assert_eq!(compute(Op::FToUi, 64, 64, 1.5e19f64.to_bits() as u128, 0, 0), 15_000_000_000_000_000_000);
    }
}
