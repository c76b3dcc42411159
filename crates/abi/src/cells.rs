//! The region in which walks keep what states they have seen, and find values that were of use before.
//!
//! First the values: `u32` count, then entries of [`VALUE`] bytes, a length and so many bytes. Then texts, in the same way.
//! Then [`ADDRESSES`] entries for words of memory, then [`SEEN`] entries for values of such words. Written by the target
//! alone, but for values and texts; the engine reads none of it.

/// Bytes of the part that holds values.
pub const VALUES_SIZE: usize = 1 << 16;
/// Bytes of one value, its length included.
pub const VALUE: usize = 16;
/// Most values there is room for.
pub const MOST_VALUES: usize = VALUES_SIZE / VALUE - 1;

/// The same for texts.
pub const TEXTS_SIZE: usize = 1 << 16;
pub const TEXT: usize = 32;
pub const MOST_TEXTS: usize = TEXTS_SIZE / TEXT - 1;

/// A word of memory that was seen to change.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Word {
    /// Low bits of its address; 0 = free entry.
    pub key: u32,
    /// Different values it was seen to have; [`OF_INPUT`]: it once depended on input.
    pub distinct: u16,
    /// How often it was looked at, up to a limit.
    pub observed: u16,
}

/// In [`Word::distinct`].
pub const OF_INPUT: u16 = 1 << 15;

/// A value of such a word.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Seen {
    /// Of address and value; 0 = free entry.
    pub fingerprint: u32,
    pub count: u32,
}

pub const ADDRESSES: usize = 1 << 15;
pub const SEEN: usize = 1 << 18;
pub const SIZE: usize = VALUES_SIZE + TEXTS_SIZE + ADDRESSES * size_of::<Word>() + SEEN * size_of::<Seen>();
