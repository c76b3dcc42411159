//! Constants of the user's own code that inputs may have to contain: strings, and what numbers and characters are
//! compared with. Read from the instructions; nothing where a unit carries none.

use crate::Program;
use crate::code::{Constant, ConstantId, Operand, TypeKind, UnitCode, What};
use std::collections::BTreeSet;

/// Strings longer than this are texts, not words.
const LONGEST: usize = 32;
/// More of a kind are not kept: a program that large has tables in its code.
const MOST: usize = 4096;

/// What was found, each once, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub strings: BTreeSet<Vec<u8>>,
    /// Width in bits, value.
    pub numbers: BTreeSet<(u32, u128)>,
}

impl Words {
    /// All constants of a program's own units.
    pub fn of(program: &Program) -> Words {
        let mut words = Words::default();
        for (id, unit) in program.units().filter(|(_, unit)| !unit.model) {
            let Some(code) = program.details(id).and_then(|details| details.code()) else { continue };
            words.read(code, |function| unit.functions.get(function).is_none_or(|f| unit.is_own(f.location)));
        }
        words
    }

    fn read(&mut self, code: &UnitCode, is_own: impl Fn(usize) -> bool) {
        for global in code.globals.iter().filter(|global| global.constant) {
            if let Some(initial) = global.initial {
                self.strings_in(code, initial, 0);
            }
        }
        for (_, function) in code.functions.iter().enumerate().filter(|(number, _)| is_own(*number)) {
            for instruction in function.blocks.iter().flatten() {
                match &instruction.what {
                    What::Compare(_, a, b) | What::FloatCompare(_, a, b) => {
                        self.number(code, *a);
                        self.number(code, *b);
                    }
                    // The width is that of what is switched on, which a case that fits says well enough.
                    What::Switch(_, cases) => cases.iter().for_each(|&case| self.add(32, case)),
                    _ => {}
                }
            }
        }
    }

    /// Strings of an initialiser: itself, or its elements.
    fn strings_in(&mut self, code: &UnitCode, id: ConstantId, depth: u32) {
        match code.constants.get(id as usize) {
            Some(Constant::Bytes(_, bytes)) => {
                let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                let is_text = bytes[end..].iter().all(|&byte| byte == 0);
                if is_text && (2..=LONGEST).contains(&end) && self.strings.len() < MOST {
                    self.strings.insert(bytes[..end].to_vec());
                }
            }
            Some(Constant::Elements(_, elements)) if depth < 4 => {
                elements.iter().for_each(|&element| self.strings_in(code, element, depth + 1));
            }
            _ => {}
        }
    }

    fn number(&mut self, code: &UnitCode, operand: Operand) {
        let Operand::Constant(id) = operand else { return };
        match code.constants.get(id as usize) {
            Some(&Constant::Int(ty, value)) => {
                if let Some(TypeKind::Int(width)) = code.types.get(ty as usize).map(|ty| &ty.kind) {
                    self.add(*width, value);
                }
            }
            Some(&Constant::Float(ty, bits)) => {
                if let Some(TypeKind::Float(width)) = code.types.get(ty as usize).map(|ty| &ty.kind) {
                    self.add(*width, u128::from(bits));
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, width: u32, value: u128) {
        if matches!(width, 8 | 16 | 32 | 64) && value != 0 && self.numbers.len() < MOST {
            self.numbers.insert((width, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{FunctionCode, Global, Instruction, Order, Type};

    #[test]
    fn strings_and_what_is_compared_with() {
        let int = |width| Type { kind: TypeKind::Int(width), size: u64::from(width / 8), alignment: 1 };
        let global = |initial, constant| Global {
            name: String::new(),
            ty: 0,
            alignment: 1,
            initial: Some(initial),
            same_as: None,
            constant,
            thread_local: false,
            internal: true,
        };
        let compare = |constant| Instruction {
            ty: 0,
            line: 0,
            what: What::Compare(Order::Equal, Operand::Value(0), Operand::Constant(constant)),
        };
        let code = UnitCode {
            types: vec![int(32)],
            constants: vec![
                Constant::Bytes(0, b"true\0".to_vec()),
                Constant::Int(0, 0xdeadbeef),
                Constant::Bytes(0, b"buffer\0".to_vec()),
                Constant::Elements(0, vec![0, 4]),
                Constant::Bytes(0, b"false\0\0".to_vec()),
                Constant::Bytes(0, b"a\0b\0".to_vec()),
            ],
            globals: vec![global(3, true), global(2, false), global(5, true)],
            symbols: vec![],
            functions: vec![FunctionCode { blocks: vec![vec![compare(1)]], ..FunctionCode::default() }],
        };
        let mut words = Words::default();
        words.read(&code, |_| true);
        let strings: Vec<&[u8]> = words.strings.iter().map(Vec::as_slice).collect();
        assert_eq!(strings, [&b"false"[..], b"true"], "neither what can be written to nor what is no text");
        assert_eq!(words.numbers, BTreeSet::from([(32, 0xdeadbeef)]));
        let mut none = Words::default();
        none.read(&code, |_| false);
        assert!(none.numbers.is_empty(), "of functions that are not the user's nothing is taken");
    }
}
