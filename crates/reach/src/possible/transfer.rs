//! One instruction: what comes in, what it can give, and where control can go from it.

use super::Work;
use super::memory::{Kind, may_be_outside};
use super::set::{Numbers, Offset, Set};
use crate::code::{Body, Place, width};
use symcrete_program::FunctionId;
use symcrete_program::code::{Binary, Cast, Constant, Operand, Order, TypeId, What};

/// Places that an address with few indices is spelt out for.
const MOST_MOVES: usize = 8;
/// Pairs of numbers that an operation is computed for.
const MOST_PAIRS: usize = 144;

impl<'a> Work<'_, 'a> {
    pub fn visit(&mut self, place: Place) {
        let Place { function, block, at } = place;
        let Some(body) = self.body(function) else { return };
        if self.code.last_calls.is_before(self.written(place)) {
            return;
        }
        let instruction = &body.function.blocks[block as usize][at as usize];
        let given = self.result(body, place, &instruction.what, instruction.ty);
        self.spent += 1 + given.places.len() as u64;
        if !given.is_empty() {
            self.grow(function, self.value(place), &given);
        }
        if at as usize + 1 == body.function.blocks[block as usize].len() {
            self.leave(body, function, block, &instruction.what);
        }
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
                let (a, b) = (of(*a), of(*b));
                binary(*how, &a, &b, bits)
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
                    (Some(_), None) => loaded,
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
                all
            }
        }
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

fn mask(bits: u8) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

fn signed(value: u128, bits: u8) -> i128 {
    let unused = 128 - u32::from(bits);
    ((value << unused) as i128) >> unused
}

/// The pairs of two small sets; nothing when one is not small.
fn pairs<'s>(a: &'s Set, b: &'s Set) -> Option<impl Iterator<Item = (u128, u128)> + 's> {
    let (a, b) = (a.as_few()?, b.as_few()?);
    (a.len() * b.len() <= MOST_PAIRS).then(|| a.iter().flat_map(|x| b.iter().map(|y| (*x, *y))))
}

fn both_mixed(a: &Set, b: &Set) -> Set {
    if a.is_empty() || b.is_empty() {
        return Set::default();
    }
    let mut all = a.mixed();
    all.join(&b.mixed());
    all
}

fn binary(how: Binary, a: &Set, b: &Set, bits: Option<u8>) -> Set {
    use Binary::*;
    let (Some(bits @ 1..=64), Some(pairs)) = (bits, pairs(a, b)) else { return both_mixed(a, b) };
    let mut found = vec![];
    for (x, y) in pairs {
        let value = match how {
            Add => x.wrapping_add(y),
            Sub => x.wrapping_sub(y),
            Mul => x.wrapping_mul(y),
            And => x & y,
            Or => x | y,
            Xor => x ^ y,
            Shl if y < u128::from(bits) => x << y,
            LShr if y < u128::from(bits) => x >> y,
            AShr if y < u128::from(bits) => (signed(x, bits) >> y) as u128,
            UDiv if y != 0 => x / y,
            URem if y != 0 => x % y,
            // A run that divides by zero ends there.
            UDiv | URem => continue,
            _ => return Set::any(),
        };
        found.push(value & mask(bits));
    }
    Set::few(found)
}

fn compare(how: Order, a: &Set, b: &Set, bits: Option<u8>) -> Set {
    use Order::*;
    if a.is_empty() || b.is_empty() {
        return Set::default();
    }
    // An address of an object is not 0.
    let is_zero = |set: &Set| set.as_few() == Some(&[0]);
    let is_object = |set: &Set| !set.places.is_empty() && !set.outside && set.numbers == Numbers::Few(vec![]);
    if is_zero(a) && is_object(b) || is_object(a) && is_zero(b) {
        match how {
            Equal => return Set::number(0),
            NotEqual => return Set::number(1),
            _ => {}
        }
    }
    let (Some(bits), Some(pairs)) = (bits, pairs(a, b)) else { return Set::few(vec![0, 1]) };
    let mut found = vec![];
    for (x, y) in pairs {
        let (sx, sy) = (signed(x, bits), signed(y, bits));
        let holds = match how {
            Equal => x == y,
            NotEqual => x != y,
            UnsignedGreater => x > y,
            UnsignedGreaterEqual => x >= y,
            UnsignedLess => x < y,
            UnsignedLessEqual => x <= y,
            SignedGreater => sx > sy,
            SignedGreaterEqual => sx >= sy,
            SignedLess => sx < sy,
            SignedLessEqual => sx <= sy,
        };
        found.push(u128::from(holds));
    }
    Set::few(found)
}

fn cast(how: Cast, value: &Set, from: Option<u8>, to: Option<u8>) -> Set {
    let (Some(from), Some(to)) = (from, to) else { return value.mixed() };
    if how == Cast::Bits && from == to {
        return value.clone();
    }
    let Some(few) = value.as_few() else {
        // A wider number that was one of a few stays so; addresses are mixed.
        return value.mixed();
    };
    match how {
        Cast::Truncate => Set::few(few.iter().map(|value| value & mask(to)).collect()),
        Cast::ZeroExtend => Set::few(few.to_vec()),
        Cast::SignExtend => Set::few(few.iter().map(|value| signed(*value, from) as u128 & mask(to)).collect()),
        _ => value.mixed(),
    }
}

fn address(mut base: Set, offset: i64, terms: &[(Set, i64, Option<u8>)]) -> Set {
    if terms.iter().any(|(term, ..)| term.is_empty()) {
        return Set::default();
    }
    let without_object = base.places.is_empty();
    let mut all = Set { places: vec![], outside: base.outside, ..Set::default() };
    let (mut moves, mut step) = (vec![offset], 0);
    for (term, scale, bits) in terms {
        match (term.as_few(), bits) {
            (Some(few), Some(bits)) if few.len() * moves.len() <= MOST_MOVES => {
                let by = |value: &u128| (signed(*value, *bits) as i64).wrapping_mul(*scale);
                moves = moves.iter().flat_map(|from| few.iter().map(|value| from.wrapping_add(by(value)))).collect();
            }
            _ => step = super::set::gcd(step, scale.unsigned_abs()),
        }
        // An address may be what is added.
        if without_object || term.outside {
            all.join(&Set { numbers: Numbers::Few(vec![]), ..term.mixed() });
        }
    }
    for (object, at) in base.places.drain(..) {
        for by in &moves {
            all.join(&Set::place(object, at.moved(*by).in_steps(step)));
        }
    }
    all.numbers = match base.numbers {
        Numbers::Few(values) if step == 0 => {
            let moved =
                |value: &u128| moves.iter().map(|by| value.wrapping_add(*by as u128) & mask(64)).collect::<Vec<_>>();
            Set::few(values.iter().flat_map(moved).collect()).numbers
        }
        Numbers::Few(values) if values.is_empty() => Numbers::Few(vec![]),
        _ => Numbers::Any,
    };
    all
}
