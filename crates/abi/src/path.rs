//! Full paths: every decision of a tracking run, also those that do not depend on input.
//!
//! The early stage plants *marks* in tracking bodies; LLVM keeps them in order, through inlining and
//! everything else. A decision with n ways out is worth the bits that n - 1 needs, and says the number of its
//! way. A body shifts them into an accumulator that it keeps in a register, below a leading 1; the full ones
//! are appended to the stream, 64-bit words in shared memory. The rest (a function entered from outside, a
//! call outside that returned, an exception, a `longjmp`) are words of their own, with the top bit set. Zero
//! ends the stream. With the program model the engine rebuilds the whole path from it: calls inside a unit
//! and everything between two decisions are known.
//!
//! Around calls the accumulator lies in the [`Cell`], with its top bit set: a function that is entered from
//! outside and does not find it so interrupted the program, and ends the recording. The page of the cell is
//! wiped by a fork: children of the target write nothing.

/// Where the cell lies. Below 2 GB: code reaches it by its bare address.
pub const CELL: u64 = 0x5fff_f000;
/// One past the last word of the stream's memory.
pub const END: u64 = 0x1e80_0000_0000;

#[repr(C)]
pub struct Cell {
    /// Counts words up from minus the capacity to 0; 0 means that nothing is recorded.
    pub cursor: i64,
    /// The accumulator; [`AT_CALL`] is set while a call is under way.
    pub bits: u64,
}

pub const AT_CALL: u64 = 1 << 63;
/// Top bit of a word that is a mark: the unit's site base plus the mark's number is below it.
pub const IS_MARK: u64 = 1 << 63;

/// Bits below the leading 1 that an accumulator may have at most, and after a test that found it not full.
pub const MOST_BITS: u32 = 62;
pub const TESTED_BITS: u32 = 30;

/// How many bits a decision with `ways` ways out takes.
pub const fn width(ways: u32) -> u32 {
    u32::BITS - ways.saturating_sub(1).leading_zeros()
}

/// What a mark says; its argument is a number inside the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MarkKind {
    /// This source side was taken.
    Side = 0,
    /// This way out of a decision that is no side of the source.
    Edge = 1,
    /// This function was entered from outside its unit, or through a pointer.
    Enter = 2,
    /// This call of something outside the unit came back.
    After = 3,
    /// An exception arrived at this landing pad.
    Pad = 4,
    /// This call that can return twice (`setjmp`) returned.
    Again = 5,
}

const KIND_SHIFT: u32 = 28;

/// A mark as one number, the operand of the marker call.
pub const fn mark(kind: MarkKind, number: u32) -> u32 {
    (kind as u32) << KIND_SHIFT | number
}

/// A mark's kind and number; nothing for what is no mark.
pub const fn unmark(mark: u32) -> Option<(MarkKind, u32)> {
    let kind = match mark >> KIND_SHIFT {
        0 => MarkKind::Side,
        1 => MarkKind::Edge,
        2 => MarkKind::Enter,
        3 => MarkKind::After,
        4 => MarkKind::Pad,
        5 => MarkKind::Again,
        _ => return None,
    };
    Some((kind, mark & ((1 << KIND_SHIFT) - 1)))
}
