//! What each integer operation means, on values. The one definition: folding, evaluation and proofs use it.

use crate::bits::{mask, negative, signed, signed_max, signed_min};
use crate::float;
use crate::op::Op;

/// The value of one application. `from` is the width of the first operand (for `Concat` the low
/// width follows from `width - from`); unused operands are ignored.
#[inline]
pub fn compute(op: Op, width: u8, from: u8, a: u128, b: u128, c: u128) -> u128 {
    use Op::*;
    let m = mask(width);
    match op {
        Add => a.wrapping_add(b) & m,
        Sub => a.wrapping_sub(b) & m,
        Mul => a.wrapping_mul(b) & m,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => {
            if b < width as u128 {
                (a << b as u32) & m
            } else {
                0
            }
        }
        LShr => {
            if b < width as u128 {
                a >> b as u32
            } else {
                0
            }
        }
        AShr => (signed(a, width) >> b.min(width as u128 - 1) as u32) as u128 & m,
        Eq => (a == b) as u128,
        Ne => (a != b) as u128,
        Ult => (a < b) as u128,
        Ule => (a <= b) as u128,
        Slt => (signed(a, from) < signed(b, from)) as u128,
        Sle => (signed(a, from) <= signed(b, from)) as u128,
        ZExt => a,
        SExt => signed(a, from) as u128 & m,
        Extract { lo } => a >> lo as u32 & m,
        Concat => a << (width - from) as u32 | b,
        Select => {
            if a != 0 {
                b
            } else {
                c
            }
        }
        _ => rare(op, width, from, a, b, c),
    }
}

/// What is met less often, kept out of line so that the common operations stay in a small loop.
#[inline(never)]
fn rare(op: Op, width: u8, from: u8, a: u128, b: u128, c: u128) -> u128 {
    use Op::*;
    let m = mask(width);
    match op {
        UDiv => a.checked_div(b).unwrap_or(m),
        URem => a.checked_rem(b).unwrap_or(a),
        SDiv => match signed(b, width) {
            0 if negative(a, width) => 1,
            0 => m,
            divisor => signed(a, width).wrapping_div(divisor) as u128 & m,
        },
        SRem => match signed(b, width) {
            0 => a,
            divisor => signed(a, width).wrapping_rem(divisor) as u128 & m,
        },
        UAddO => match a.checked_add(b) {
            Some(sum) => (sum > mask(from)) as u128,
            None => 1,
        },
        USubO => (a < b) as u128,
        UMulO => match a.checked_mul(b) {
            Some(product) => (product > mask(from)) as u128,
            None => 1,
        },
        SAddO => outside(signed(a, from).checked_add(signed(b, from)), from),
        SSubO => outside(signed(a, from).checked_sub(signed(b, from)), from),
        SMulO => outside(signed(a, from).checked_mul(signed(b, from)), from),
        Bswap => a.swap_bytes() >> (128 - width as u32),
        BitReverse => a.reverse_bits() >> (128 - width as u32),
        Ctpop => a.count_ones() as u128 & m,
        Ctlz => (a.leading_zeros() - (128 - width as u32)) as u128 & m,
        Cttz => a.trailing_zeros().min(width as u32) as u128 & m,
        Read => unreachable!("a read needs the table: see `Terms::table`"),
        _ => float::compute(op, width, from, a, b, c),
    }
}

fn outside(result: Option<i128>, width: u8) -> u128 {
    let (low, high) = (signed(signed_min(width), width), signed_max(width) as i128);
    !matches!(result, Some(value) if (low..=high).contains(&value)) as u128
}
