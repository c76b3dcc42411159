//! Values and what instructions compute from them.

use symcrete_program::code::{Binary, Cast, Order, TypeId, TypeKind, UnitCode};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bits(u128),
    /// Of a struct, an array, a vector.
    List(Vec<Value>),
}

impl Value {
    pub fn bits(&self) -> u128 {
        match self {
            Value::Bits(bits) => *bits,
            Value::List(_) => panic!("{self:?} is no scalar"),
        }
    }
}

/// Width of a scalar type.
pub fn bits(code: &UnitCode, ty: TypeId) -> u32 {
    match &code.types[ty as usize].kind {
        TypeKind::Int(width) | TypeKind::Float(width) => *width,
        TypeKind::Pointer => 64,
        TypeKind::Void => 0,
        other => panic!("{other:?} is no scalar"),
    }
}

pub fn mask(value: u128, width: u32) -> u128 {
    if width >= 128 { value } else { value & ((1 << width) - 1) }
}

pub fn signed(value: u128, width: u32) -> i128 {
    let shift = 128 - width.max(1);
    ((value << shift) as i128) >> shift
}

fn float(value: u128, width: u32) -> f64 {
    if width == 32 { f64::from(f32::from_bits(value as u32)) } else { f64::from_bits(value as u64) }
}

pub fn binary(op: Binary, width: u32, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let result = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::UDiv => a / b,
        Binary::URem => a % b,
        Binary::SDiv => sa.wrapping_div(sb) as u128,
        Binary::SRem => sa.wrapping_rem(sb) as u128,
        Binary::Shl => a.checked_shl(b as u32).unwrap_or(0),
        Binary::LShr => a.checked_shr(b as u32).unwrap_or(0),
        Binary::AShr => (sa >> (b as u32).min(127)) as u128,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        _ => return float_binary(op, width, a, b),
    };
    mask(result, width)
}

fn float_binary(op: Binary, width: u32, a: u128, b: u128) -> u128 {
    macro_rules! compute {
        ($t:ty, $bits:ty) => {{
            let (a, b) = (<$t>::from_bits(a as $bits), <$t>::from_bits(b as $bits));
            let result = match op {
                Binary::FAdd => a + b,
                Binary::FSub => a - b,
                Binary::FMul => a * b,
                Binary::FDiv => a / b,
                _ => a % b,
            };
            u128::from(result.to_bits())
        }};
    }
    if width == 32 { compute!(f32, u32) } else { compute!(f64, u64) }
}

pub fn compare(order: Order, width: u32, a: u128, b: u128) -> bool {
    let (sa, sb) = (signed(a, width), signed(b, width));
    match order {
        Order::Equal => a == b,
        Order::NotEqual => a != b,
        Order::UnsignedGreater => a > b,
        Order::UnsignedGreaterEqual => a >= b,
        Order::UnsignedLess => a < b,
        Order::UnsignedLessEqual => a <= b,
        Order::SignedGreater => sa > sb,
        Order::SignedGreaterEqual => sa >= sb,
        Order::SignedLess => sa < sb,
        Order::SignedLessEqual => sa <= sb,
    }
}

pub fn float_compare(outcomes: u8, width: u32, a: u128, b: u128) -> bool {
    let happened = match float(a, width).partial_cmp(&float(b, width)) {
        Some(std::cmp::Ordering::Equal) => 1,
        Some(std::cmp::Ordering::Greater) => 2,
        Some(std::cmp::Ordering::Less) => 4,
        None => 8,
    };
    outcomes & happened != 0
}

pub fn cast(cast: Cast, from: u32, to: u32, value: u128) -> u128 {
    let as_float =
        |value: f64| if to == 32 { u128::from((value as f32).to_bits()) } else { u128::from(value.to_bits()) };
    let result = match cast {
        Cast::Truncate | Cast::ZeroExtend | Cast::Bits => value,
        Cast::SignExtend => signed(value, from) as u128,
        Cast::FloatTruncate | Cast::FloatExtend => as_float(float(value, from)),
        Cast::FloatToUnsigned => float(value, from) as u128,
        Cast::FloatToSigned => float(value, from) as i128 as u128,
        // Twice rounded would be wrong: straight to the format asked for.
        Cast::UnsignedToFloat if to == 32 => u128::from((value as f32).to_bits()),
        Cast::UnsignedToFloat => u128::from((value as f64).to_bits()),
        Cast::SignedToFloat if to == 32 => u128::from((signed(value, from) as f32).to_bits()),
        Cast::SignedToFloat => u128::from((signed(value, from) as f64).to_bits()),
    };
    mask(result, to)
}

pub fn negate(width: u32, value: u128) -> u128 {
    value ^ (1 << (width - 1))
}
