//! The shared memory between engine and target: one header page, then regions whose offsets and
//! capacities the engine writes into the header before the target starts. All little-endian, all
//! plain data; a target that dies at any instruction leaves everything written so far readable.

/// Index of a node; 0 = not input-dependent. At most [`MAX_LABEL`].
pub type Label = u32;

/// A shadow word is `byte index << 28 | label`: the byte's place inside the stored value travels with it.
pub const LABEL_BITS: u32 = 28;
pub const MAX_LABEL: u32 = (1 << LABEL_BITS) - 1;

/// Shadow word of byte `p`: `SHADOW_BASE + ((p & SHADOW_MASK) << 2)`.
pub const SHADOW_BASE: u64 = 0x2000_0000_0000;
pub const SHADOW_MASK: u64 = 0x07ff_ffff_ffff;
pub const SHADOW_SIZE: u64 = (SHADOW_MASK + 1) << 2;
/// Summary byte of the eight bytes around `p`: `SUMMARY_BASE + (p >> 3)`; nonzero when any of them may
/// carry a label. The base fits a 32-bit displacement, which makes the inline check one instruction.
pub const SUMMARY_BASE: u64 = 0x6000_0000;
pub const SUMMARY_SIZE: u64 = 1 << 44;

/// Where the buffer of a harness lies in every run: addresses in terms must not depend on lengths.
pub const BUFFER_ADDRESS: u64 = 0x1f00_0000_0000;

/// One node of the trace: what was computed, from what, and the value the program really had. In memory it
/// is a [`Packed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub op: u8,
    /// Width of the result in bits, 1 to 128.
    pub width: u16,
    pub a: u32,
    pub b: u32,
    pub c: u32,
    /// Low and high half of the concrete value, zero above `width`.
    pub value: [u64; 2],
}

/// A node as it lies in the nodes region. Memory touched for the first time is most of what a short run
/// costs, and nearly all nodes have two operands and a small value: those are here in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Packed {
    pub op: u8,
    pub width: u8,
    /// 0: `last` is the value, and there is no third operand. Else `last` is the number of a [`Wide`].
    pub wide: u8,
    pub reserved: u8,
    pub a: u32,
    pub b: u32,
    pub last: u32,
}

/// The rest of a node with a third operand or a value of more than 32 bits, in the region of wide nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Wide {
    pub value: [u64; 2],
    pub c: u32,
    pub reserved: u32,
}

impl Node {
    /// How the node lies in memory, its rest (if it needs one) being number `next`.
    #[inline]
    pub fn pack(&self, next: u32) -> (Packed, Option<Wide>) {
        let [low, high] = self.value;
        let short = self.c == 0 && high == 0 && low <= u32::MAX as u64;
        let last = if short { low as u32 } else { next };
        let (op, width) = (self.op, self.width as u8);
        let packed = Packed { op, width, wide: !short as u8, reserved: 0, a: self.a, b: self.b, last };
        (packed, (!short).then_some(Wide { value: self.value, c: self.c, reserved: 0 }))
    }
}

impl Packed {
    /// The node; `wide` finds its rest. `None` when that is not there.
    #[inline]
    pub fn unpack(&self, wide: impl FnOnce(u32) -> Option<Wide>) -> Option<Node> {
        let rest = match self.wide {
            0 => Wide { value: [self.last as u64, 0], c: 0, reserved: 0 },
            _ => wide(self.last)?,
        };
        Some(Node { op: self.op, width: self.width as u16, a: self.a, b: self.b, c: rest.c, value: rest.value })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum EventKind {
    /// A two-way decision on `label` (width 1) at `site`; `taken` is 1 when the condition was true.
    Branch = 1,
    /// A switch on `label` at `site`; the node's value tells the case.
    Switch = 2,
    /// `label` was fixed to its recorded value at `site` (an address, a length).
    Concretise = 3,
    /// `label` (width 1) has to be `taken` for the run to be valid; `taken` 0: the run ended here.
    Assume = 4,
    /// `symcrete_target(arg)` was reached.
    Target = 5,
    /// Input object `arg` was asked for.
    Request = 6,
    /// The address `arg` (a label) lies where `label` (width 1, true) says: memory there was followed at
    /// every index, elsewhere it is another decision. At `site`.
    Region = 7,
    /// Had `label` (eight bits) been `arg`, a comparison of strings would have found them equal at this place.
    /// `taken` 1 begins a comparison. A hint only: nothing was decided here.
    Wish = 8,
    /// Two strings of different lengths were compared, one of them input: the first of several. `label` is that of its first
    /// byte, or of its end where it is empty; `arg` is the length of the other one. The next event has the label of the last
    /// byte, 0 where there is none; it and those behind it have the other string, four bytes each, in `arg`. A hint only.
    Word = 9,
}

/// One event of the trace. In memory it is a [`PackedEvent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub kind: u8,
    pub taken: u8,
    /// Runtime-wide site number: the unit's base plus the number inside the unit.
    pub site: u32,
    pub label: Label,
    /// Of a target or a request its number, of a region a label; of everything else how far the full path was: 64 times its words
    /// plus the bits of its accumulator.
    pub arg: u32,
}

/// An event as it lies in the events region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PackedEvent {
    /// `code | label << 4`: the code is the kind of an event with `taken` 1, or says which kind has 0.
    pub head: u32,
    pub site: u32,
    pub arg: u32,
}

/// The kinds that may have `taken` 0, from code [`NOT_TAKEN`] on; kinds stay below that.
const MAY_FAIL: [EventKind; 3] = [EventKind::Branch, EventKind::Assume, EventKind::Wish];
const NOT_TAKEN: u8 = 16 - MAY_FAIL.len() as u8;

impl Event {
    #[inline(always)]
    pub fn pack(&self) -> PackedEvent {
        let code = match (self.taken, MAY_FAIL.iter().position(|&kind| kind as u8 == self.kind)) {
            (0, Some(place)) => NOT_TAKEN + place as u8,
            _ if self.kind < NOT_TAKEN => self.kind,
            _ => 0,
        };
        PackedEvent { head: code as u32 | self.label << (32 - LABEL_BITS), site: self.site, arg: self.arg }
    }
}

impl PackedEvent {
    #[inline(always)]
    pub fn unpack(&self) -> Event {
        let code = (self.head & 15) as u8;
        let (kind, taken) = match code.checked_sub(NOT_TAKEN) {
            Some(place) => (MAY_FAIL[place as usize] as u8, 0),
            None => (code, 1),
        };
        Event { kind, taken, site: self.site, label: self.head >> (32 - LABEL_BITS), arg: self.arg }
    }
}

/// Head of a table: contents of memory that was read at an index that depends on input. `count` entries of
/// `size` bytes (1, 2, 4 or 8) follow, little-endian, then padding up to the next multiple of eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Table {
    pub count: u32,
    pub size: u32,
}

/// A table has at most this many entries; a load that could see more has its address fixed.
pub const TABLE_ENTRIES: u32 = 4096;
/// A store that could hit more places than this has its address fixed.
pub const STORE_ENTRIES: u32 = 256;

/// One kind of lost precision at one site, with how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct LostEntry {
    /// 0 = free entry.
    pub what: u32,
    pub site: u32,
    pub count: u64,
}

/// One instrumented unit as it was loaded. The engine finds its model by `hash`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct UnitEntry {
    pub hash: u64,
    pub site_base: u32,
    pub sites: u32,
    /// Offset of the unit's marks inside the marks region, and their number.
    pub marks_at: u32,
    pub marks: u32,
    pub sides_at: u32,
    pub sides: u32,
}

/// Offset from the start of the shared memory and capacity, both in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Region {
    pub at: u64,
    pub size: u64,
}

/// Why a run ended before its time; `Header::stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stop {
    /// It did not: main returned, exit was called, or a signal killed it.
    No = 0,
    /// `Header::max_inputs` requests were served.
    Inputs = 1,
    /// An assumption did not hold.
    Assume = 2,
}

/// Bits of `Header::truncated`: what ran full.
pub mod truncated {
    pub const NODES: u32 = 1;
    pub const EVENTS: u32 = 2;
    pub const LOG: u32 = 4;
    pub const LOST: u32 = 8;
    pub const UNITS: u32 = 16;
    pub const MARKS: u32 = 32;
    /// The full path ends before the run does: no room, a second thread, a handler that interrupted.
    pub const PATH: u32 = 64;
}

/// Bits of `Header::notes`: what the machine refused and the runtime does without.
pub mod notes {
    /// The shadow is mapped piece by piece when touched (a limit on address space).
    pub const SHADOW_ON_DEMAND: u32 = 1;
    /// More linked files or sources than the runtime keeps track of; the rest is not traced.
    pub const TOO_MANY: u32 = 2;
}

/// `Header::flags`, set by the engine.
pub mod flags {
    /// Persistent loop: an input counts as new by marks not in `seen`.
    pub const NOVELTY: u32 = 1;
    /// Tracking runs record full paths: see [`crate::path`].
    pub const PATHS: u32 = 2;
    /// Persistent loop, with `NOVELTY`: an input counts by all marks of `seen`, which stays as it is.
    pub const ALL_SEEN: u32 = 4;
}

/// `Header::walk_flags`.
pub mod walk {
    /// Stop at sides that are not known.
    pub const NEWS: u32 = 1;
    /// Values that were of use before, and small and earlier ones, beside uniform bits.
    pub const MIXTURE: u32 = 2;
    /// Say what state it is in where it stands.
    pub const STATE: u32 = 4;
}

/// Page 0 of the shared memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Header {
    pub magic: u64,
    pub version: u32,
    pub header_size: u32,

    // Written by the engine before the target starts.
    pub flags: u32,
    /// Events of a run, after which its trace is cut; before each command. 0: as many as fit.
    pub most_events: u32,
    /// Source records ([`crate::input::Source`]).
    pub sources: Region,
    /// Inputs, written before each command: see [`crate::input`].
    pub input: Region,
    /// What the runtime handed out on request: see [`crate::input`].
    pub log: Region,
    pub units: Region,
    pub marks: Region,
    pub seen: Region,
    pub sides: Region,
    pub lost: Region,
    /// [`PackedEvent`]s.
    pub events: Region,
    /// [`Packed`] nodes, and the rest of those that need more room: [`Wide`].
    pub nodes: Region,
    /// Contents of tables ([`Table`]), one after the other.
    pub tables: Region,
    /// Words of the full path (`u64`), a whole number of pages.
    pub path: Region,
    pub wide: Region,
    /// Sides that are known, as `sides` has them; a walk stops at others.
    pub known: Region,
    /// See [`crate::cells`].
    pub cells: Region,

    // Written by the engine before each command.
    /// Seed of the bytes handed out when a request finds no bytes in the input.
    pub seed: u64,
    /// Requests of a run before it is ended; in walks and in runs from snapshots, input statements of any kind.
    pub max_inputs: u32,
    pub source_count: u32,
    /// A walk stops at the input statement of this number since a side was new; 0: never.
    pub walk_quiet: u32,
    /// What a walk does besides: see [`walk`].
    pub walk_flags: u32,

    // Written by the runtime.
    pub unit_count: u32,
    pub marks_used: u32,
    pub sides_used: u32,
    pub truncated: u32,
    /// Nodes in use; node 0 is reserved, so this is 1 when there are none.
    pub node_count: u32,
    pub event_count: u32,
    pub log_used: u32,
    pub request_count: u32,
    pub stop: u32,
    /// Fatal signal caught by the runtime, 0 for none, and where.
    pub signal: u32,
    pub signal_code: i32,
    /// Entries of the lost table in use.
    pub lost_count: u32,
    pub signal_address: u64,
    pub signal_pc: u64,
    pub signal_sp: u64,
    /// Lowest stack address of the run, to tell a stack overflow.
    pub stack_low: u64,
    /// Undefined behaviour reported by a check: NUL-terminated text `kind\tfile\tline\tcolumn`.
    pub check: [u8; 512],

    // Persistent loop.
    /// Index of the input being run; equals `batch_size` when all are done.
    pub batch_current: u32,
    pub batch_size: u32,
    /// How many entries of `novel` are valid: indices of inputs that set marks not in `seen`.
    pub novel_count: u32,
    /// Nodes of the last run that its hash table held; the next run begins with room for as many.
    pub table_count: u32,
    pub novel: [u32; NOVEL_MAX],

    /// Written by the runtime at start: see [`notes`].
    pub notes: u32,
    /// Bytes of `tables` in use.
    pub tables_used: u32,
    /// Entries of the region of wide nodes in use.
    pub wide_count: u32,
    pub reserved3: u32,
    /// The accumulator of the full path when the run ended; 0 when it is not known.
    pub path_tail: u64,
    /// The state that a run from a snapshot was in when its inputs were used up, or that a walk stands in, and how often
    /// the rarest value in it was seen; 0 when it ended otherwise, or was not asked.
    pub cell: u64,
    pub rarity: u32,
    /// Input statements of this run, or of this leg of a walk: requests, and in walks and in runs from snapshots also
    /// reads of standard input or of the socket.
    pub statements: u32,
    /// How much of standard input or of the socket was used up where a walk stands, or where a run from a snapshot had
    /// performed all its input statements.
    pub stream_position: u64,
}

/// A batch stops early when it found this many new inputs.
pub const NOVEL_MAX: usize = 256;

pub const PAGE: u64 = 4096;

const _: () = assert!(size_of::<Packed>() == 16 && size_of::<Wide>() == 24 && size_of::<PackedEvent>() == 12);
const _: () = assert!(size_of::<UnitEntry>() == 32 && size_of::<LostEntry>() == 16);
const _: () = assert!(size_of::<Header>() <= PAGE as usize);
