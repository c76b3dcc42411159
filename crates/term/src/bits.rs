//! Arithmetic on values of 1 to 128 bits kept in a `u128`. A value never has a bit above its width.

/// All ones at a width.
#[inline(always)]
pub const fn mask(width: u8) -> u128 {
    debug_assert!(width >= 1 && width <= 128);
    u128::MAX >> (128 - width as u32)
}

/// The value as a two's-complement number.
#[inline(always)]
pub const fn signed(value: u128, width: u8) -> i128 {
    let shift = 128 - width as u32;
    ((value << shift) as i128) >> shift
}

/// The smallest signed value, as bits.
#[inline(always)]
pub const fn signed_min(width: u8) -> u128 {
    1 << (width - 1)
}

/// The largest signed value, as bits.
#[inline(always)]
pub const fn signed_max(width: u8) -> u128 {
    mask(width) >> 1
}

/// Whether the sign bit is set.
#[inline(always)]
pub const fn negative(value: u128, width: u8) -> bool {
    value >> (width - 1) & 1 == 1
}
