//! Segment programs: what a slow block has to do, as data.
//!
//! A slow block stores the values and labels of its segment into a frame of 64-bit slots, calls
//! `__symcrete_segment(program, frame, path bits)` once, and reads the labels it needs back from the frame.
//! That keeps slow blocks small: they are most of a tracking body's code. The path bits are the accumulator of
//! [`crate::path`], 0 in bodies without one.
//!
//! A program is a list of `u32` words, the first of which says how many bytes after itself the unit's site base
//! lies (signed). A *reference* word is `label slot | value slot << 16`. Label slot
//! [`NONE`] means not input-dependent; value slot [`NONE`] means that the value is a constant and follows in
//! the next two words (low, high), or four for values of more than 64 bits. Values of more than 64 bits take
//! two slots; of narrower ones only as many bits as they have are written. Sites are numbers inside the unit.

pub const NONE: u16 = 0xffff;

/// The low byte of an instruction's first word; the other three bytes are named x, y, z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// The program is done.
    End = 0,
    /// x = op, y = operand width: result reference (label slot written), operand a, operand b.
    Binary = 1,
    /// x = op, y = result width, z = operand width: result reference, operand.
    Unary = 2,
    /// x = op, y = result width, z = operand width: result reference, operands a, b, c. Every value has two slots.
    Wide = 3,
    /// x = size, y = 1 if the address is to be fixed: result reference, pointer reference, site.
    Load = 4,
    /// x = size, y = 1 if it is known what was there before: value's label (no value), then if y the value from
    /// before, pointer reference, site.
    Store = 5,
    /// Condition reference (its value is the side taken), site.
    Branch = 6,
    /// Label word, site.
    Switch = 7,
    /// x = what, y = number of labels: site, then that many label words.
    Lost = 8,
    /// `label := condition ? a : b`: result label and condition value as one reference, then `a | b << 16`.
    Pick = 9,
    /// x = what: result label and condition value, label word, site. The label where the condition holds,
    /// else none, counted.
    Keep = 10,
    /// Forgets memory: pointer reference, size, unused.
    Clear = 11,
    /// The next load or store is meant for this object: pointer reference, size.
    Object = 12,
    /// As `Binary`, where the result and `a` lie in the frame, labels included, and `b` is a constant.
    Constant = 17,
    /// As `Binary`, then site: the result is a condition that is decided by at once. z = 1: the program is done.
    Test = 18,
    /// As `Constant`, then as `Test`: what most decisions are.
    TestConstant = 19,
    /// As `Load`, of at most eight bytes at an address in the frame that does not depend on input.
    Read = 20,
    /// x = number of operands, y = number of the function: result reference, then its operands.
    Native = 16,
}

impl Code {
    pub const fn from_u8(value: u8) -> Option<Code> {
        use Code::*;
        Some(match value {
            0 => End,
            1 => Binary,
            2 => Unary,
            3 => Wide,
            4 => Load,
            5 => Store,
            6 => Branch,
            7 => Switch,
            8 => Lost,
            9 => Pick,
            10 => Keep,
            11 => Clear,
            12 => Object,
            17 => Constant,
            18 => Test,
            19 => TestConstant,
            20 => Read,
            16 => Native,
            _ => return None,
        })
    }
}

pub const fn first(code: Code, x: u8, y: u8, z: u8) -> u32 {
    u32::from_le_bytes([code as u8, x, y, z])
}

pub const fn reference(label: u16, value: u16) -> u32 {
    label as u32 | (value as u32) << 16
}
