//! The machine's memory: one arena, addresses from a fixed base. Reading outside is the test's failure.

use super::scalar::{Value, bits};
use symcrete_program::code::{TypeId, TypeKind, UnitCode};

const BASE: u64 = 0x10_0000;

pub struct Memory {
    bytes: Vec<u8>,
}

impl Memory {
    pub fn new() -> Memory {
        Memory { bytes: vec![] }
    }

    /// Fresh zeroed memory.
    pub fn take(&mut self, size: u64, alignment: u64) -> u64 {
        let at = (BASE + self.bytes.len() as u64).next_multiple_of(alignment.max(1));
        self.bytes.resize((at - BASE + size.max(1)) as usize, 0);
        at
    }

    pub fn top(&self) -> usize {
        self.bytes.len()
    }

    /// Gives back what was taken since `top` was asked for.
    pub fn cut(&mut self, top: usize) {
        self.bytes.truncate(top);
    }

    pub fn slice(&self, at: u64, size: u64) -> &[u8] {
        let begin = at.checked_sub(BASE).unwrap_or_else(|| panic!("read at {at:#x}")) as usize;
        self.bytes.get(begin..begin + size as usize).unwrap_or_else(|| panic!("read at {at:#x}"))
    }

    pub fn write(&mut self, at: u64, from: &[u8]) {
        let begin = at.checked_sub(BASE).unwrap_or_else(|| panic!("write at {at:#x}")) as usize;
        self.bytes[begin..begin + from.len()].copy_from_slice(from);
    }

    pub fn text(&self, at: u64) -> Vec<u8> {
        let mut text = vec![];
        while let [byte] = self.slice(at + text.len() as u64, 1)
            && *byte != 0
        {
            text.push(*byte);
        }
        text
    }

    pub fn load(&self, code: &UnitCode, ty: TypeId, at: u64) -> Value {
        let list = |element: TypeId, count: u64| {
            let size = code.types[element as usize].size;
            Value::List((0..count).map(|i| self.load(code, element, at + i * size)).collect())
        };
        match &code.types[ty as usize].kind {
            TypeKind::Array(element, count) => list(*element, *count),
            TypeKind::Vector(element, count) => list(*element, u64::from(*count)),
            TypeKind::Struct(fields) => {
                Value::List(fields.iter().map(|(field, offset)| self.load(code, *field, at + offset)).collect())
            }
            _ => {
                let width = bits(code, ty);
                let mut raw = [0; 16];
                let size = width.div_ceil(8) as usize;
                raw[..size].copy_from_slice(self.slice(at, size as u64));
                Value::Bits(super::scalar::mask(u128::from_le_bytes(raw), width))
            }
        }
    }

    pub fn store(&mut self, code: &UnitCode, ty: TypeId, at: u64, value: &Value) {
        match (&code.types[ty as usize].kind, value) {
            (TypeKind::Array(element, _) | TypeKind::Vector(element, _), Value::List(list)) => {
                let size = code.types[*element as usize].size;
                for (i, value) in list.iter().enumerate() {
                    self.store(code, *element, at + i as u64 * size, value);
                }
            }
            (TypeKind::Struct(fields), Value::List(list)) => {
                for ((field, offset), value) in fields.iter().zip(list) {
                    self.store(code, *field, at + offset, value);
                }
            }
            (_, Value::Bits(value)) => {
                let size = bits(code, ty).div_ceil(8) as usize;
                self.write(at, &value.to_le_bytes()[..size]);
            }
            (kind, value) => panic!("{value:?} is no {kind:?}"),
        }
    }
}
