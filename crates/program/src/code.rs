//! The instructions of a unit in SSA form, as they were at the early point: what runs before any optimiser
//! but the one that takes variables off the stack. Blocks and their order are those of [`crate::Function`].
//!
//! Plain data. Types, constants and names are kept once per unit; a value of a function is a number:
//! its parameters first, then every instruction in order, whether it gives a value or not.

use serde::{Deserialize, Serialize};

/// One unit's instructions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnitCode {
    pub types: Vec<Type>,
    pub constants: Vec<Constant>,
    pub globals: Vec<Global>,
    /// Functions that are called or whose address is taken, here or elsewhere, by linker name.
    pub symbols: Vec<String>,
    /// Parallel to [`crate::Unit::functions`].
    pub functions: Vec<FunctionCode>,
}

/// Numbers of [`UnitCode::types`], [`UnitCode::constants`].
pub type TypeId = u32;
pub type ConstantId = u32;

/// A type with its size in bytes (as an array's element) and alignment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Type {
    pub kind: TypeKind,
    pub size: u64,
    pub alignment: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TypeKind {
    Void,
    /// Bits.
    Int(u32),
    /// IEEE formats by their width; 80 is x87's.
    Float(u32),
    Pointer,
    Array(TypeId, u64),
    Vector(TypeId, u32),
    /// Fields and their offsets.
    Struct(Vec<(TypeId, u64)>),
    /// Result, parameters, and whether more may follow.
    Function(TypeId, Vec<TypeId>, bool),
    /// By its name in LLVM: labels, metadata, tokens.
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Constant {
    Int(TypeId, u128),
    /// The bits of a float of at most 64 bits.
    Float(TypeId, u64),
    Null(TypeId),
    /// Undefined, or poison.
    Undefined(TypeId),
    /// The bytes of an array of 8-bit integers.
    Bytes(TypeId, Vec<u8>),
    /// The elements of an array, vector or struct.
    Elements(TypeId, Vec<ConstantId>),
    /// The address of a global or of a function, by its number.
    Global(u32),
    Function(u32),
    /// So many bytes past an address.
    Offset(ConstantId, i64),
    /// A cast of a constant to a type.
    Cast(Cast, TypeId, ConstantId),
    Binary(Binary, TypeId, ConstantId, ConstantId),
    /// What the model does not have, in LLVM's spelling.
    Other(TypeId, String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    pub ty: TypeId,
    pub alignment: u32,
    /// Nothing for one that is defined elsewhere.
    pub initial: Option<ConstantId>,
    /// It is but another name for this one (`__attribute__((alias))`).
    pub same_as: Option<u32>,
    pub constant: bool,
    pub thread_local: bool,
    /// Visible in this unit only.
    pub internal: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionCode {
    /// A [`TypeKind::Function`].
    pub signature: TypeId,
    /// Parameters that point to a copy made for the callee, and the type of the copy.
    pub copies: Vec<(u32, TypeId)>,
    pub blocks: Vec<Vec<Instruction>>,
}

/// A value: of the function, or a constant of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operand {
    Value(u32),
    Constant(ConstantId),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instruction {
    /// Of its result.
    pub ty: TypeId,
    /// 0 where the compiler knows none; the file is the function's.
    pub line: u32,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cast {
    Truncate,
    ZeroExtend,
    SignExtend,
    FloatTruncate,
    FloatExtend,
    FloatToUnsigned,
    FloatToSigned,
    UnsignedToFloat,
    SignedToFloat,
    /// The same bits: between pointers and integers, integers and floats, vectors and anything of their size.
    Bits,
}

/// Order of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    Equal,
    NotEqual,
    UnsignedGreater,
    UnsignedGreaterEqual,
    UnsignedLess,
    UnsignedLessEqual,
    SignedGreater,
    SignedGreaterEqual,
    SignedLess,
    SignedLessEqual,
}

/// What an instruction does. Terminators have as many successors, in the same order, as their block in the
/// model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    Binary(Binary, Operand, Operand),
    Negate(Operand),
    Compare(Order, Operand, Operand),
    /// A set of outcomes that make it true: 1 equal, 2 greater, 4 less, 8 unordered.
    FloatCompare(u8, Operand, Operand),
    Cast(Cast, Operand),
    Select(Operand, Operand, Operand),
    /// Pairs of a block that precedes and the value that comes from there.
    Phi(Vec<(u32, Operand)>),
    Load {
        from: Operand,
        alignment: u32,
        volatile: bool,
    },
    Store {
        value: Operand,
        to: Operand,
        alignment: u32,
        volatile: bool,
    },
    /// Room on the stack for so many of a type.
    Alloca {
        of: TypeId,
        count: Operand,
        alignment: u32,
    },
    /// `base + offset + Σ value · scale`; values are signed.
    Address {
        base: Operand,
        offset: i64,
        terms: Vec<(Operand, i64)>,
    },
    Call(Call),
    /// Parts of structs and arrays, by the way to them.
    Extract(Operand, Vec<u32>),
    Insert(Operand, Operand, Vec<u32>),
    /// Elements of vectors.
    ExtractElement(Operand, Operand),
    InsertElement(Operand, Operand, Operand),
    /// -1: undefined.
    Shuffle(Operand, Operand, Vec<i32>),
    Freeze(Operand),
    /// Reads, applies the operation (its name in LLVM), writes back; gives what it read.
    ReadModifyWrite {
        how: String,
        at: Operand,
        with: Operand,
    },
    CompareExchange {
        at: Operand,
        expected: Operand,
        new: Operand,
    },
    LandingPad,
    /// What the model does not have, by its name, with its operands.
    Other(String, Vec<Operand>),
    // How blocks end.
    Return(Option<Operand>),
    Jump,
    /// To successor 0 when it holds, else to successor 1.
    Branch(Operand),
    /// Successor 0 is the default, i + 1 that of case i.
    Switch(Operand, Vec<u128>),
    /// Goes to successor 0, by an exception to successor 1.
    Invoke(Call),
    Resume(Operand),
    Unreachable,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub callee: Callee,
    /// A [`TypeKind::Function`].
    pub signature: TypeId,
    pub arguments: Vec<Operand>,
    /// Arguments that are passed as a copy of what they point to.
    pub copies: Vec<(u32, TypeId)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Callee {
    /// Number of [`UnitCode::symbols`]; an intrinsic by its name in LLVM.
    Direct(u32),
    Indirect(Operand),
    Assembly,
}
