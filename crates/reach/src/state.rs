//! What an evaluation builds as it goes: terms, unknowns and where they come from, conditions, memory.

use crate::code::{Code, Place};
use crate::memory::Memory;
use crate::value::Value;
use std::rc::Rc;
use symcrete_term::{Op, TermId, Terms, Var};

/// Where the numbers of unknowns begin that are no input.
pub const UNKNOWN: u32 = 1 << 24;

/// Why something is unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A stretch that was jumped over or a call that was not looked into: number of the evaluation's point.
    Point(usize),
    /// What was there before the path begins.
    Before,
    /// A function that is not part of the program, by its name.
    Outside(String, Place),
    /// Memory that was not resolved.
    Memory(Place),
    /// C says it can be anything.
    Undefined,
    /// An operation or a type without terms.
    Unsupported(String, Place),
}

/// A condition of the path.
#[derive(Clone, Debug)]
pub struct Condition {
    pub term: TermId,
    pub place: Place,
}

/// An input that the program asks for on the path, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub name: String,
    pub bytes: u32,
    pub kind: RequestKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    Bytes,
    Signed,
    Unsigned,
    Float,
    Bool,
    Choice,
}

pub struct State<'s> {
    pub terms: &'s mut Terms,
    pub memory: Memory,
    pub conditions: Vec<Condition>,
    /// By number of the unknown.
    pub sources: Vec<Source>,
    pub requests: Vec<Request>,
    /// Objects of the input that are declared: requests come behind them.
    pub declared: u32,
    /// The instruction being evaluated.
    pub here: Place,
}

impl<'s> State<'s> {
    pub fn new(terms: &'s mut Terms, memory: Memory, declared: u32, here: Place) -> State<'s> {
        State { terms, memory, conditions: vec![], sources: vec![], requests: vec![], declared, here }
    }

    pub fn require(&mut self, term: TermId) {
        if term != TermId::TRUE {
            self.conditions.push(Condition { term, place: self.here });
        }
    }

    /// A new unknown of some bits.
    pub fn unknown(&mut self, width: u8, source: Source) -> TermId {
        let object = UNKNOWN + self.sources.len() as u32;
        self.sources.push(source);
        let bytes: Vec<TermId> =
            (0..u32::from(width).div_ceil(8)).map(|offset| self.terms.var(Var::Byte { object, offset })).collect();
        let word = self.terms.word(&bytes);
        if self.terms.width(word) == width { word } else { self.terms.extract(word, 0, width) }
    }

    /// An unknown of a type.
    pub fn unknown_of(&mut self, code: &symcrete_program::code::UnitCode, ty: u32, source: &Source) -> Value {
        use symcrete_program::code::TypeKind;
        match &code.types[ty as usize].kind {
            TypeKind::Struct(fields) => {
                Value::List(fields.iter().map(|(field, _)| self.unknown_of(code, *field, source)).collect())
            }
            TypeKind::Array(element, count) if *count <= 64 => {
                Value::List((0..*count).map(|_| self.unknown_of(code, *element, source)).collect())
            }
            TypeKind::Vector(element, count) => {
                Value::List((0..*count).map(|_| self.unknown_of(code, *element, source)).collect())
            }
            _ => match crate::code::width(code, ty) {
                Some(width) => Value::Bits(self.unknown(width, source.clone())),
                None => Value::Opaque,
            },
        }
    }

    pub fn constant(&mut self, width: u8, value: u128) -> TermId {
        self.terms.constant(width, value)
    }

    /// A value as bits; addresses by the unknown places of their objects.
    pub fn bits(&mut self, code: &Code<'_>, value: &Value, width: u8) -> TermId {
        match value {
            Value::Bits(term) if self.terms.width(*term) == width => *term,
            Value::Address(object, offset) if width == 64 => {
                let base = self.base(code, *object);
                self.terms.add(base, *offset)
            }
            Value::Either(condition, yes, no) => {
                let (yes, no) = (self.bits(code, yes, width), self.bits(code, no, width));
                self.terms.select(*condition, yes, no)
            }
            _ => {
                let source = Source::Unsupported("a value of another type".into(), self.here);
                self.unknown(width, source)
            }
        }
    }

    /// The result of an operation that is only defined when a condition holds.
    pub fn defined_if(&mut self, condition: TermId, value: TermId) -> TermId {
        if condition == TermId::TRUE {
            return value;
        }
        let width = self.terms.width(value);
        let other = self.unknown(width, Source::Undefined);
        self.terms.select(condition, value, other)
    }

    pub fn select(&mut self, condition: TermId, yes: Value, no: Value) -> Value {
        match (yes, no) {
            (Value::Bits(a), Value::Bits(b)) if self.terms.width(a) == self.terms.width(b) => {
                Value::Bits(self.terms.select(condition, a, b))
            }
            (Value::Address(a, at), Value::Address(b, other)) if a == b => {
                Value::Address(a, self.terms.select(condition, at, other))
            }
            (Value::List(a), Value::List(b)) if a.len() == b.len() => {
                Value::List(a.into_iter().zip(b).map(|(a, b)| self.select(condition, a, b)).collect())
            }
            (yes, no) => Value::either(condition, yes, no),
        }
    }

    /// Moves an address.
    pub fn advance(&mut self, value: Value, by: TermId) -> Value {
        match value {
            Value::Address(object, offset) => Value::Address(object, self.terms.add(offset, by)),
            Value::Bits(term) if self.terms.width(term) == 64 => Value::Bits(self.terms.add(term, by)),
            Value::Either(condition, yes, no) => {
                let (yes, no) = (self.advance((*yes).clone(), by), self.advance((*no).clone(), by));
                Value::Either(condition, Rc::new(yes), Rc::new(no))
            }
            _ => Value::Opaque,
        }
    }

    /// Equality of two values of a width; addresses of different objects differ.
    pub fn equal(&mut self, code: &Code<'_>, a: &Value, b: &Value, width: u8) -> TermId {
        match (a, b) {
            (Value::Address(x, at), Value::Address(y, other)) if x == y => self.terms.eq(*at, *other),
            (Value::Either(condition, yes, no), other) | (other, Value::Either(condition, yes, no)) => {
                let (yes, no) = (self.equal(code, yes, other, width), self.equal(code, no, other, width));
                self.terms.select(*condition, yes, no)
            }
            _ => {
                let (a, b) = (self.bits(code, a, width), self.bits(code, b, width));
                self.terms.apply(Op::Eq, 1, &[a, b])
            }
        }
    }
}
