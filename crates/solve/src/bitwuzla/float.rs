//! Float operations in Bitwuzla's theory, operation by operation, as the evaluator has them: rounding to nearest even, and
//! the machine's results where a conversion does not fit. Knows nodes only; what a NaN's bits are is not its business.

use symcrete_term::Op;

use super::encode::Unsupported;
use super::ffi::{Kind, Rounding};
use super::handle::{Format, Handle, Node};

/// Gates of one operation over operands of a width, near enough to tell small from hopeless.
pub fn cost(op: Op, width: u8) -> u64 {
    let w = u64::from(width);
    match op {
        Op::FAdd | Op::FSub => 80 * w,
        Op::FMul => 5 * w * w,
        Op::FMa => 12 * w * w,
        Op::FDiv | Op::FSqrt => 16 * w * w,
        Op::FOeq | Op::FOlt | Op::FOle | Op::FUno => 8 * w,
        Op::FMin | Op::FMax => 12 * w,
        _ => 40 * w,
    }
}

/// An operation whose result is a float of this width.
pub fn arithmetic(handle: &mut Handle, op: Op, width: u8, operands: &[Node]) -> Result<Node, Unsupported> {
    let near = Rounding::NearestEven;
    let (kind, rounding) = match op {
        Op::FAdd => (Kind::FpAdd, near),
        Op::FSub => (Kind::FpSub, near),
        Op::FMul => (Kind::FpMul, near),
        Op::FDiv => (Kind::FpDiv, near),
        Op::FSqrt => (Kind::FpSqrt, near),
        Op::FMa => (Kind::FpFma, near),
        Op::FFloor => (Kind::FpRti, Rounding::Down),
        Op::FCeil => (Kind::FpRti, Rounding::Up),
        Op::FRoundZero => (Kind::FpRti, Rounding::ToZero),
        Op::FRint => (Kind::FpRti, near),
        Op::FRound => (Kind::FpRti, Rounding::NearestAway),
        _ => return converted(handle, op, width, operands[0]),
    };
    Ok(handle.rounded(kind, rounding, operands))
}

fn converted(handle: &mut Handle, op: Op, width: u8, operand: Node) -> Result<Node, Unsupported> {
    let kind = match op {
        Op::SiToF => Kind::FpFromSbv,
        Op::UiToF => Kind::FpFromUbv,
        Op::FExt | Op::FTrunc => Kind::FpFromFp,
        // The theory's remainder rounds the quotient to nearest, C's truncates it.
        Op::FRem => return Err(Unsupported("fmod")),
        other => return Err(Unsupported(other.name())),
    };
    Ok(handle.nearest_float(kind, operand, Format::of(width)))
}

/// Whether the minimum or maximum of two floats is the second: as the evaluator has it, equal ones give the first.
pub fn second_wins(handle: &mut Handle, op: Op, a: Node, b: Node) -> Node {
    let beyond = match op {
        Op::FMin => handle.binary(Kind::FpLt, b, a),
        _ => handle.binary(Kind::FpLt, a, b),
    };
    let nan = handle.unary(Kind::FpIsNan, a);
    handle.binary(Kind::Or, nan, beyond)
}

/// An operation on floats of width `from` that gives a truth (comparisons) or a vector of `width` bits (conversions).
pub fn to_bits(handle: &mut Handle, op: Op, from: u8, width: u8, operands: &[Node]) -> Node {
    let a = operands[0];
    match op {
        Op::FOeq => handle.binary(Kind::FpEqual, a, operands[1]),
        Op::FOlt => handle.binary(Kind::FpLt, a, operands[1]),
        Op::FOle => handle.binary(Kind::FpLeq, a, operands[1]),
        Op::FUno => {
            let (a, b) = (handle.unary(Kind::FpIsNan, a), handle.unary(Kind::FpIsNan, operands[1]));
            handle.binary(Kind::Or, a, b)
        }
        Op::FToSi => match width {
            1..=32 => machine_integer(handle, a, from, 32, width),
            33..=64 => machine_integer(handle, a, from, 64, width),
            _ => saturated(handle, a, from, width, true),
        },
        Op::FToUi => match width {
            1..=31 => machine_integer(handle, a, from, 32, width),
            32..=63 => machine_integer(handle, a, from, 64, width),
            64 => machine_unsigned(handle, a, from),
            _ => saturated(handle, a, from, width, false),
        },
        other => unreachable!("{other} does not turn floats into bits"),
    }
}

/// A power of two, or its negative, as a float.
fn power(handle: &mut Handle, exponent: u8, negative: bool, width: u8) -> Node {
    let value = 2f64.powi(i32::from(exponent)) * if negative { -1.0 } else { 1.0 };
    let bits = if width == 32 { u128::from((value as f32).to_bits()) } else { u128::from(value.to_bits()) };
    let bits = handle.bits(width, bits);
    handle.float_of_bits(bits, Format::of(width))
}

/// Whether the integer part of a float lies in `-2^exponent .. 2^exponent`.
fn fits(handle: &mut Handle, a: Node, from: u8, exponent: u8) -> Node {
    let whole = handle.rounded(Kind::FpRti, Rounding::ToZero, &[a]);
    let (low, high) = (power(handle, exponent, true, from), power(handle, exponent, false, from));
    let (over, under) = (handle.binary(Kind::FpLeq, low, whole), handle.binary(Kind::FpLt, whole, high));
    handle.binary(Kind::And, over, under)
}

/// The low bits of what the machine's conversion leaves in a register; the least number stands for "does not fit".
fn machine_integer(handle: &mut Handle, a: Node, from: u8, register: u8, width: u8) -> Node {
    let fits = fits(handle, a, from, register - 1);
    let value = handle.integer_part(Kind::FpToSbv, a, register);
    let least = handle.bits(register, 1 << (register - 1));
    let whole = handle.if_then_else(fits, value, least);
    if register == width { whole } else { handle.extract(whole, width - 1, 0) }
}

/// To 64 bits without sign there is no instruction: two conversions, the second of the value less 2^63.
fn machine_unsigned(handle: &mut Handle, a: Node, from: u8) -> Node {
    let half = power(handle, 63, false, from);
    let less = handle.rounded(Kind::FpSub, Rounding::NearestEven, &[a, half]);
    let (low, high) = (machine_integer(handle, a, from, 64, 64), machine_integer(handle, less, from, 64, 64));
    let places = handle.bits(64, 63);
    let negative = handle.binary(Kind::BvAshr, low, places);
    let high = handle.binary(Kind::BvAnd, high, negative);
    handle.binary(Kind::BvOr, high, low)
}

/// Wider than a register: the library routine gives the nearest number of 128 bits there is, and 0 for a NaN.
fn saturated(handle: &mut Handle, a: Node, from: u8, width: u8, signed: bool) -> Node {
    let (kind, exponent, least, most) = match signed {
        true => (Kind::FpToSbv, 127, 1 << 127, u128::MAX >> 1),
        // Beyond the largest float of 32 bits there is nothing but infinity, which 2^128 then is.
        false => (Kind::FpToUbv, 128, 0, u128::MAX),
    };
    let value = handle.integer_part(kind, a, 128);
    let (least, most, zero) = (handle.bits(128, least), handle.bits(128, most), handle.bits(128, 0));
    let (negative, nan) = (handle.unary(Kind::FpIsNeg, a), handle.unary(Kind::FpIsNan, a));
    let end = handle.if_then_else(negative, least, most);
    let end = handle.if_then_else(nan, zero, end);
    let mut inside = fits(handle, a, from, exponent);
    if !signed {
        let positive = handle.unary(Kind::Not, negative);
        inside = handle.binary(Kind::And, inside, positive);
    }
    let whole = handle.if_then_else(inside, value, end);
    if width == 128 { whole } else { handle.extract(whole, width - 1, 0) }
}
