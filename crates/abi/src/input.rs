//! Inputs as bytes in shared memory.
//!
//! An input is a list of byte objects. The first `source_count` objects belong to the declared sources,
//! in order; every later one answers a request of the program (`symcrete_int`, …), in order of request.
//!
//! In the input region an input is `u32 count`, `count` × `u32 length`, then the bytes, one object after
//! the other, padded to 4 at the end. A batch starts at offset 0 with `u32 count` and `count` × `u32`
//! offsets of its inputs.
//!
//! The log region lists what requests received: a [`LogEntry`], the name, the bytes, padded to 4.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SourceKind {
    /// The buffer of a harness (`LLVMFuzzerTestOneInput`).
    Buffer = 1,
    /// Descriptor 0.
    Stdin = 2,
    /// The next program argument; the object holds the characters, a NUL ends the string early.
    Arg = 3,
    /// Environment variable `name`.
    Env = 4,
    /// File `name` in the working directory.
    File = 5,
    /// A connected stream socket, handed over as descriptor 0 and 1 like inetd does.
    Socket = 6,
    /// Not declared: asked for by the program while it runs.
    Request = 7,
}

/// One declared source.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Source {
    pub kind: u8,
    /// 1: always exactly `capacity` bytes; 0: any length up to it, and the length is symbolic.
    pub exact: u8,
    pub name_length: u16,
    pub capacity: u32,
    pub name: [u8; 120],
}

/// What a request asks for; helps to draw sensible random values and to print readably.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ValueKind {
    Bytes = 0,
    Signed = 1,
    Unsigned = 2,
    Float = 3,
    Bool = 4,
    /// A choice among a few alternatives made by a harness (null, fresh object, …).
    Choice = 5,
}

/// Header of one log record.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LogEntry {
    pub kind: u8,
    pub reserved: u8,
    pub name_length: u16,
    pub length: u32,
}

const _: () = assert!(size_of::<Source>() == 128 && size_of::<LogEntry>() == 8);
