//! One instruction: what comes in, what it can give, and where control can go from it.

use super::Work;
use super::arithmetic::{address, binary, cast, compare, mask};
use super::memory::{Kind, may_be_outside};
use super::set::{Offset, Set};
use crate::code::{Body, Place, width};
use symcrete_program::FunctionId;
use symcrete_program::code::{Binary, Cast, Constant, Operand, TypeId, TypeKind, What};

impl<'a> Work<'_, 'a> {
    pub fn visit(&mut self, place: Place) {
        let Place { function, block, at } = place;
        let Some(body) = self.body(function) else { return };
        if self.code.last_calls.is_before(self.written(place)) {
            return;
        }
        let instruction = &body.function.blocks[block as usize][at as usize];
        self.here = Some((function, block, None));
        let given = self.result(body, place, &instruction.what, instruction.ty);
        self.spent += 1 + given.places.len() as u64;
        if !given.is_empty() {
            self.grow(function, self.value(place), &given);
        }
        if at as usize + 1 == body.function.blocks[block as usize].len() {
            self.leave(body, function, block, &instruction.what);
        }
        self.here = None;
    }

    /// Where control goes at the end of a block.
    fn leave(&mut self, body: Body<'a>, function: FunctionId, block: u32, what: &What) {
        let successors = &body.model.blocks[block as usize].successors;
        match what {
            What::Branch(condition) => {
                let condition = self.operand(body, function, *condition);
                for (number, &to) in successors.iter().enumerate() {
                    if condition.may_be(1 - number.min(1) as u128) {
                        self.go(function, block, to);
                    }
                }
            }
            What::Switch(on, cases) => {
                let on = self.operand(body, function, *on);
                let few = on.as_few().map(<[u128]>::to_vec);
                for (number, &to) in successors.iter().enumerate() {
                    let may = match (&few, number.checked_sub(1)) {
                        (None, _) => true,
                        (Some(few), Some(case)) => few.contains(&cases[case]),
                        (Some(few), None) => few.iter().any(|value| !cases.contains(value)),
                    };
                    if may {
                        self.go(function, block, to);
                    }
                }
            }
            What::Return(value) => {
                let Some(value) = value else { return };
                let value = self.operand(body, function, *value);
                if !self.returns[function.index()].join(&value) {
                    return;
                }
                for call in self.returned_to[function.index()].clone() {
                    self.push(call);
                }
                if self.memory.find(&Kind::Function(function)).is_some_and(|object| self.memory.of(object).escaped) {
                    self.escape(&value);
                }
            }
            What::Unreachable => {}
            _ => successors.iter().for_each(|&to| self.go(function, block, to)),
        }
    }

    fn result(&mut self, body: Body<'a>, place: Place, what: &'a What, ty: TypeId) -> Set {
        let function = place.function;
        let bits = width(body.code, ty);
        let mut of = |operand: Operand| self.operand(body, function, operand);
        match what {
            What::Binary(how, a, b) => {
                let (x, y) = (of(*a), of(*b));
                match how {
                    // The difference of two pointers is a number.
                    Binary::Sub if self.was_pointer(function, *a) && self.was_pointer(function, *b) => {
                        if x.is_empty() || y.is_empty() { Set::default() } else { Set::of_width(bits) }
                    }
                    _ => binary(*how, &x, &y, bits),
                }
            }
            What::Compare(how, a, b) => {
                let (x, y) = (of(*a), of(*b));
                let operands = self.type_of(function, *a).or(self.type_of(function, *b));
                let operand_bits = operands.map_or(Some(64), |ty| width(body.code, ty));
                if bits == Some(1) { compare(*how, &x, &y, operand_bits) } else { Set::any() }
            }
            What::FloatCompare(_, a, b) => {
                let (a, b) = (of(*a), of(*b));
                match bits {
                    _ if a.is_empty() || b.is_empty() => Set::default(),
                    Some(1) => Set::few(vec![0, 1]),
                    _ => Set::any(),
                }
            }
            What::Cast(how, a) => {
                let value = of(*a);
                let from = self.type_of(function, *a).map_or(Some(64), |ty| width(body.code, ty));
                cast(*how, &value, from, bits)
            }
            What::Select(condition, a, b) => {
                let (condition, a, b) = (of(*condition), of(*a), of(*b));
                let mut all = Set::default();
                if condition.may_be(1) {
                    all.join(&a);
                }
                if condition.may_be(0) {
                    all.join(&b);
                }
                all
            }
            What::Freeze(a) => of(*a),
            What::Phi(incoming) => {
                let mut all = Set::default();
                for (from, value) in incoming {
                    if self.edges.contains(&(function, *from, place.block)) {
                        self.here = Some((function, *from, Some(place.block)));
                        all.join(&self.operand(body, function, *value));
                    }
                }
                all
            }
            What::Load { from, volatile, .. } => {
                let from = of(*from);
                let size = body.code.types[ty as usize].size;
                let size = bits.map_or(size, |bits| u64::from(bits).div_ceil(8));
                let loaded = self.load(place, &from, size);
                match (bits, loaded.as_few()) {
                    // Something outside may change it.
                    _ if *volatile => {
                        let mut all = loaded.mixed();
                        all.join(&Set::any());
                        all
                    }
                    (Some(bits), Some(few)) => Set::few(few.iter().map(|value| value & mask(bits)).collect()),
                    (Some(bits), None) => loaded.within(bits),
                    (None, _) => loaded.mixed(),
                }
            }
            What::Store { value, to, .. } => {
                let (stored, to) = (of(*value), of(*to));
                let (size, scalar) = self.size_of(body, function, *value);
                let stored = if scalar { stored } else { stored.mixed() };
                self.store(&to, size, &stored);
                Set::default()
            }
            What::Alloca { of: ty, count, .. } => {
                let count = match count {
                    Operand::Constant(id) => match body.code.constants[*id as usize] {
                        Constant::Int(_, count) => u64::try_from(count).ok(),
                        _ => None,
                    },
                    Operand::Value(_) => None,
                };
                let size = count.and_then(|count| body.code.types[*ty as usize].size.checked_mul(count));
                let kind = Kind::Stack(place);
                let object = self.memory.find(&kind).unwrap_or_else(|| self.memory.add(kind, size));
                Set::place(object, Offset::new(0, 0))
            }
            What::Address { base, offset, terms } => {
                let base = of(*base);
                let terms: Vec<(Set, i64, Option<u8>)> = terms
                    .iter()
                    .map(|(value, scale)| {
                        let ty = self.type_of(function, *value);
                        let bits = ty.map_or(Some(64), |ty| width(body.code, ty));
                        (self.operand(body, function, *value), *scale, bits)
                    })
                    .collect();
                address(base, *offset, &terms)
            }
            What::Call(call) | What::Invoke(call) => self.call(body, place, call, ty),
            What::ReadModifyWrite { at, with, .. } => {
                let (at, with) = (of(*at), of(*with));
                let size = bits.map_or(body.code.types[ty as usize].size, |bits| u64::from(bits).div_ceil(8));
                let before = self.load(place, &at, size);
                let mut after = before.mixed();
                after.join(&with.mixed());
                self.store(&at, size, &after);
                before
            }
            What::CompareExchange { at, new, .. } => {
                let (to, stored) = (of(*at), of(*new));
                let (size, _) = self.size_of(body, function, *new);
                self.store(&to, size, &stored);
                let mut given = self.load(place, &to, size).mixed();
                given.join(&Set::any());
                given
            }
            What::LandingPad => Set::top(),
            What::Other(_, list) => {
                for operand in list {
                    let value = self.operand(body, function, *operand);
                    self.escape(&value);
                }
                Set::top()
            }
            // Parts of larger values, and what is left.
            other => {
                let mut operands = vec![];
                crate::code::operands(other, &mut operands);
                let mut all = Set::default();
                for operand in operands {
                    all.join(&self.operand(body, function, operand).mixed());
                }
                bits.map_or(all.clone(), |bits| all.within(bits))
            }
        }
    }

    /// Whether a number was a pointer before.
    fn was_pointer(&self, function: FunctionId, operand: Operand) -> bool {
        let Operand::Value(number) = operand else { return false };
        let Some(What::Cast(Cast::Bits, of)) =
            self.definition(function, number).and_then(|place| self.instruction(place)).map(|found| &found.what)
        else {
            return false;
        };
        let kind = |body: Body<'a>| self.type_of(function, *of).map(|ty| &body.code.types[ty as usize].kind);
        // Of what has no type here an address is all that is known.
        self.body(function).is_some_and(|body| matches!(kind(body), Some(TypeKind::Pointer)))
    }

    /// Bytes of a value, and whether it is a scalar.
    fn size_of(&self, body: Body<'a>, function: FunctionId, operand: Operand) -> (u64, bool) {
        if let Operand::Constant(id) = operand
            && matches!(
                body.code.constants[id as usize],
                Constant::Global(_) | Constant::Function(_) | Constant::Offset(..)
            )
        {
            return (8, true);
        }
        match self.type_of(function, operand) {
            Some(ty) => match width(body.code, ty) {
                Some(bits) => (u64::from(bits).div_ceil(8), true),
                None => (body.code.types[ty as usize].size, false),
            },
            None => (8, true),
        }
    }

    pub fn load(&mut self, reader: Place, from: &Set, size: u64) -> Set {
        let mut all = if may_be_outside(from) { Set::top() } else { Set::default() };
        for &(object, at) in &from.places {
            let object = self.memory.of_mut(object);
            object.readers.insert((reader, at, size));
            all.join(&object.load(at, size));
            // What is joined, and what is looked at for it.
            self.looked_at += (all.places.len() + object.cells.len() / 32) as u64;
        }
        all
    }

    pub fn store(&mut self, to: &Set, size: u64, value: &Set) {
        if may_be_outside(to) {
            self.escape(value);
        }
        for &(object, at) in &to.places {
            self.memory.of_mut(object).changed = true;
            if self.memory.of(object).escaped {
                self.escape(value);
            } else if self.memory.of_mut(object).store(at, size, value) {
                // All cells may have become one.
                match self.memory.of(object).is_crowded() {
                    true => self.read_again(object),
                    false => self.read_again_at(object, at, size),
                }
            }
        }
    }
}
