//! What the pass records about one translation unit.

use serde::{Deserialize, Serialize};

/// Raised when [`Unit`] changes its form.
pub const FORMAT: u32 = 4;

/// Line 0: the compiler knows no place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Index into [`Unit::files`].
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Unit {
    pub format: u32,
    /// Identity of this very compilation; the runtime reports it for each loaded unit.
    pub hash: u64,
    /// The main source file as given to the compiler, and the folder it ran in.
    pub path: String,
    pub folder: String,
    /// The compiler's arguments, as the user gave them, without the compiler itself.
    pub command: Vec<String>,
    /// Absolute or relative names as the compiler has them; relative ones are relative to `folder`.
    pub files: Vec<String>,
    pub functions: Vec<Function>,
    pub sides: Vec<Side>,
    pub sites: Vec<Site>,
    /// Number of coverage marks in fast bodies.
    pub marks: u32,
    /// How many runtime numbers the unit takes: the larger one of its sites and the marks of its paths.
    pub numbers: u32,
    /// Library code of ours (libc models): never counted as the user's.
    pub model: bool,
}

/// File name, up to its ending, of the harness that `--function` generates.
pub const HARNESS: &str = "symcrete_harness";

/// Where the machine's own headers lie.
const SYSTEM: &[&str] = &["/usr/include/", "/usr/lib/", "/usr/lib64/", "/usr/local/include/"];

/// Whether a file belongs to the machine, not to the user.
pub fn is_system_header(file: &str) -> bool {
    SYSTEM.iter().any(|folder| file.starts_with(folder))
}

impl Unit {
    /// Whether a location lies in the user's own code: not in a generated harness, not in the machine's headers.
    pub fn is_own(&self, location: Location) -> bool {
        let Some(file) = self.files.get(location.file as usize) else { return true };
        let name = file.rsplit('/').next().unwrap_or(file);
        let harness = name.rsplit_once('.').is_some_and(|(stem, _)| stem == HARNESS);
        !harness && !is_system_header(file)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Linkage {
    External,
    Internal,
    /// One definition wins at link time (inline functions of C++).
    Odr,
}

/// Whether a function has a tracking body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    Tracked,
    /// Only the original runs; the reason names the obstacle.
    Original(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Linker name.
    pub name: String,
    /// Name in the source, for people.
    pub source_name: String,
    pub linkage: Linkage,
    pub body: Body,
    pub location: Location,
    /// Hash of this function's model; part of its sides' identities.
    pub hash: u64,
    pub address_taken: bool,
    pub parameters: Vec<Parameter>,
    pub blocks: Vec<Block>,
    /// Range of the function's sides in [`Unit::sides`].
    pub first_side: u32,
    pub side_count: u32,
}

impl Function {
    /// A tracked function that every unit can call, and of which nothing else is known.
    pub fn of_blocks(name: impl Into<String>, blocks: Vec<Block>, sides: std::ops::Range<u32>) -> Function {
        let name = name.into();
        Function {
            source_name: name.clone(),
            name,
            linkage: Linkage::External,
            body: Body::Tracked,
            location: Location::default(),
            hash: 0,
            address_taken: false,
            parameters: vec![],
            blocks,
            first_side: sides.start,
            side_count: sides.end - sides.start,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    pub name: String,
    /// LLVM's spelling of the type.
    pub ty: String,
}

/// A basic block of the early (source-like) control-flow graph; block 0 is the entry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Block {
    pub location: Location,
    pub successors: Vec<u32>,
    /// The sides taken with each successor, parallel to `successors`; empty for unconditional ends.
    /// A number is an index into [`Unit::sides`].
    pub sides: Vec<Option<u32>>,
    pub calls: Vec<Call>,
    pub lines: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Call {
    Direct(String),
    /// The callee's function type, in LLVM's spelling.
    Indirect(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SideKind {
    True,
    False,
    /// A case label of a switch.
    Case(u128),
    Default,
    /// The failing side of a check planted by the compiler (UBSan), and its passing side.
    CheckFails,
    CheckHolds,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Side {
    pub kind: SideKind,
    /// Index into [`Unit::functions`].
    pub function: u32,
    /// Block of the early control-flow graph whose end decides.
    pub block: u32,
    pub location: Location,
    /// The decision this side belongs to: number of its first side in [`Unit::sides`].
    pub decision: u32,
    /// The compiler found that the side is never taken (or its function never used): nothing of it is left.
    pub folded: bool,
}

impl Side {
    /// Whether the side counts as coverage of the user's code.
    pub fn counts(&self) -> bool {
        !matches!(self.kind, SideKind::CheckFails | SideKind::CheckHolds)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SiteKind {
    /// Two outcomes: index 0 = condition false, 1 = condition true.
    Branch,
    /// A `select` that decides on input; outcomes as in `Branch`.
    Select,
    /// Case values in order; outcome i is case i, the last outcome is the default.
    Switch { width: u32, cases: Vec<u128> },
    /// A load or store.
    Address,
    /// Call of the named function (or "pointer").
    Call(String),
    /// Any other instruction that can lose precision, by its name.
    Instruction(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Site {
    pub kind: SiteKind,
    /// Index into [`Unit::functions`] of the function whose tracking body holds it (after inlining).
    pub function: u32,
    pub location: Location,
    /// Source sides that are certain to be taken with each outcome, parallel to the outcomes.
    pub sides: Vec<Option<u32>>,
}
