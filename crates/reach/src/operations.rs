//! What single instructions compute, as terms. What C leaves undefined is any value.

use crate::code::{Body, width};
use crate::evaluate::{Activation, Evaluator};
use crate::memory::Initial;
use crate::state::Source;
use crate::value::Value;
use symcrete_program::code::{Binary, Cast, Operand, Order, TypeId, TypeKind, What};
use symcrete_term::{Op, TermId};

impl<'a> Evaluator<'_, '_, 'a> {
    pub fn operation(&mut self, activation: &mut Activation, body: Body<'a>, what: &What, ty: TypeId) -> Value {
        let code = self.cx.code;
        match what {
            What::Binary(op, a, b) => {
                let (a, b) = (self.operand(activation, body, *a), self.operand(activation, body, *b));
                self.each(body, ty, &[a, b], &mut |this, width, v| this.binary(*op, width, v[0], v[1]))
            }
            What::Negate(a) => {
                let a = self.operand(activation, body, *a);
                self.each(body, ty, &[a], &mut |this, _, v| this.state.terms.fneg(v[0]))
            }
            What::Compare(order, a, b) => self.compare(activation, body, *order, *a, *b, ty),
            What::FloatCompare(outcomes, a, b) => {
                let (Some(a), Some(b)) = (self.bits(activation, body, *a), self.bits(activation, body, *b)) else {
                    return self.unsupported(body, ty, "a comparison of floats");
                };
                Value::Bits(self.float_compare(*outcomes, a, b))
            }
            What::Cast(cast, a) => self.cast(activation, body, *cast, *a, ty),
            What::Select(condition, a, b) => {
                let Some(condition) = self.bits(activation, body, *condition) else {
                    return self.unsupported(body, ty, "a choice between vectors");
                };
                let (a, b) = (self.operand(activation, body, *a), self.operand(activation, body, *b));
                self.state.select(condition, a, b)
            }
            What::Load { from, volatile, .. } => {
                if *volatile {
                    let source = Source::Outside("a volatile variable".into(), self.state.here);
                    return self.state.unknown_of(body.code, ty, &source);
                }
                let from = self.operand(activation, body, *from);
                self.state.load(code, body.code, ty, &from)
            }
            What::Store { value, to, .. } => {
                let ty = code.type_of(activation.function, *value);
                let (value, to) = (self.operand(activation, body, *value), self.operand(activation, body, *to));
                match ty {
                    Some(ty) => self.state.store(code, body.code, ty, &to, value),
                    // The address of a global or of a function.
                    None => {
                        self.state.memory.let_go(&value);
                        self.state.write(code, &to, 8, value);
                    }
                }
                Value::Opaque
            }
            What::Alloca { of, count, alignment } => {
                let of = &body.code.types[*of as usize];
                let count = self.bits(activation, body, *count).and_then(|c| self.state.terms.as_constant(c));
                let size = count.map(|count| of.size * count as u64);
                let initial = Initial::Unknown(Source::Undefined);
                let object = self.state.memory.new_object(size, u64::from(*alignment), initial);
                let zero = self.state.constant(64, 0);
                Value::Address(object, zero)
            }
            What::Address { base, offset, terms } => {
                let mut by = self.state.constant(64, *offset as u64 as u128);
                for (term, scale) in terms {
                    let Some(index) = self.bits(activation, body, *term) else { return Value::Opaque };
                    let index = match self.state.terms.width(index) {
                        64 => index,
                        narrow if narrow < 64 => self.state.terms.sext(index, 64),
                        _ => self.state.terms.extract(index, 0, 64),
                    };
                    let scale = self.state.constant(64, *scale as u64 as u128);
                    let step = self.state.terms.mul(index, scale);
                    by = self.state.terms.add(by, step);
                }
                let base = self.operand(activation, body, *base);
                self.state.advance(base, by)
            }
            What::Extract(a, way) => {
                let mut value = self.operand(activation, body, *a);
                for &step in way {
                    value = match value {
                        Value::List(mut list) if (step as usize) < list.len() => list.swap_remove(step as usize),
                        _ => return self.unsupported(body, ty, "a part of a value"),
                    };
                }
                value
            }
            What::Insert(a, part, way) => {
                let (mut whole, part) = (self.operand(activation, body, *a), self.operand(activation, body, *part));
                let mut place = &mut whole;
                for &step in way {
                    place = match place {
                        Value::List(list) if (step as usize) < list.len() => &mut list[step as usize],
                        _ => return self.unsupported(body, ty, "a part of a value"),
                    };
                }
                *place = part;
                whole
            }
            What::ExtractElement(a, index) => {
                let index = self.bits(activation, body, *index).and_then(|i| self.state.terms.as_constant(i));
                match (self.operand(activation, body, *a), index) {
                    (Value::List(mut list), Some(index)) if index < list.len() as u128 => {
                        list.swap_remove(index as usize)
                    }
                    _ => self.unsupported(body, ty, "an element of a vector"),
                }
            }
            What::InsertElement(a, part, index) => {
                let index = self.bits(activation, body, *index).and_then(|i| self.state.terms.as_constant(i));
                let part = self.operand(activation, body, *part);
                match (self.operand(activation, body, *a), index) {
                    (Value::List(mut list), Some(index)) if index < list.len() as u128 => {
                        list[index as usize] = part;
                        Value::List(list)
                    }
                    _ => self.unsupported(body, ty, "an element of a vector"),
                }
            }
            What::Freeze(a) => self.operand(activation, body, *a),
            What::ReadModifyWrite { at, with, .. } => {
                let old_at = self.operand(activation, body, *at);
                let with = self.operand(activation, body, *with);
                self.state.memory.let_go(&with);
                let old = self.state.load(code, body.code, ty, &old_at);
                let source = Source::Unsupported("an atomic operation".into(), self.state.here);
                self.state.overwrite_at(code, &old_at, &source);
                old
            }
            What::CompareExchange { at, new, .. } => {
                let at = self.operand(activation, body, *at);
                let new = self.operand(activation, body, *new);
                self.state.memory.let_go(&new);
                let source = Source::Unsupported("an atomic operation".into(), self.state.here);
                self.state.overwrite_at(code, &at, &source);
                self.state.unknown_of(body.code, ty, &source)
            }
            What::Invoke(call) => {
                // Whether it ends by an exception is not followed: what it does is unknown.
                let source = Source::Outside("a call that may throw".into(), self.state.here);
                for argument in &call.arguments {
                    let argument = self.operand(activation, body, *argument);
                    self.state.memory.let_go(&argument);
                }
                self.state.memory.overwrite_all(code, &source);
                self.state.unknown_of(body.code, ty, &source)
            }
            What::Shuffle(..) | What::LandingPad => self.unsupported(body, ty, "a vector or an exception"),
            What::Other(name, operands) => {
                let source = Source::Unsupported(name.clone(), self.state.here);
                for operand in operands {
                    let operand = self.operand(activation, body, *operand);
                    self.state.memory.let_go(&operand);
                }
                self.state.memory.overwrite_all(code, &source);
                self.state.unknown_of(body.code, ty, &source)
            }
            What::Phi(_)
            | What::Call(_)
            | What::Return(_)
            | What::Jump
            | What::Branch(_)
            | What::Switch(..)
            | What::Resume(_)
            | What::Unreachable => Value::Opaque,
        }
    }

    pub fn unsupported(&mut self, body: Body<'a>, ty: TypeId, what: &str) -> Value {
        let source = Source::Unsupported(what.into(), self.state.here);
        self.state.unknown_of(body.code, ty, &source)
    }

    /// Applies an operation to scalars, or to vectors element by element.
    fn each(
        &mut self,
        body: Body<'a>,
        ty: TypeId,
        values: &[Value],
        with: &mut dyn FnMut(&mut Self, u8, &[TermId]) -> TermId,
    ) -> Value {
        if let TypeKind::Vector(element, count) = body.code.types[ty as usize].kind {
            let parts = (0..count as usize).map(|i| {
                let parts: Option<Vec<Value>> = values
                    .iter()
                    .map(|v| match v {
                        Value::List(list) => list.get(i).cloned(),
                        _ => None,
                    })
                    .collect();
                match parts {
                    Some(parts) => self.each(body, element, &parts, with),
                    None => Value::Opaque,
                }
            });
            return Value::List(parts.collect());
        }
        let Some(bits) = width(body.code, ty) else { return Value::Opaque };
        let terms: Vec<TermId> = values.iter().map(|v| self.state.bits(self.cx.code, v, bits)).collect();
        // Computing with an address lets it go.
        values.iter().for_each(|v| self.state.memory.let_go(v));
        Value::Bits(with(self, bits, &terms))
    }

    fn binary(&mut self, op: Binary, width: u8, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.state.terms;
        let plain = match op {
            Binary::Add => Op::Add,
            Binary::Sub => Op::Sub,
            Binary::Mul => Op::Mul,
            Binary::And => Op::And,
            Binary::Or => Op::Or,
            Binary::Xor => Op::Xor,
            Binary::FAdd => Op::FAdd,
            Binary::FSub => Op::FSub,
            Binary::FMul => Op::FMul,
            Binary::FDiv => Op::FDiv,
            Binary::FRem => Op::FRem,
            Binary::Shl | Binary::LShr | Binary::AShr => {
                let op = match op {
                    Binary::Shl => Op::Shl,
                    Binary::LShr => Op::LShr,
                    _ => Op::AShr,
                };
                let value = terms.apply(op, width, &[a, b]);
                // A shift by the width or more has no value; at a width of 1 any shift by 1.
                let most = terms.constant(width, u128::from(width));
                let fits = if width == 1 { terms.not(b) } else { terms.ult(b, most) };
                return self.state.defined_if(fits, value);
            }
            Binary::UDiv | Binary::URem | Binary::SDiv | Binary::SRem => {
                let op = match op {
                    Binary::UDiv => Op::UDiv,
                    Binary::URem => Op::URem,
                    Binary::SDiv => Op::SDiv,
                    _ => Op::SRem,
                };
                let value = terms.apply(op, width, &[a, b]);
                let zero = terms.constant(width, 0);
                let mut fits = terms.ne(b, zero);
                if matches!(op, Op::SDiv | Op::SRem) {
                    let (least, minus) = (terms.constant(width, 1 << (width - 1)), terms.constant(width, u128::MAX));
                    let (x, y) = (terms.ne(a, least), terms.ne(b, minus));
                    let whole = terms.or(x, y);
                    fits = terms.and(fits, whole);
                }
                return self.state.defined_if(fits, value);
            }
        };
        terms.apply(plain, width, &[a, b])
    }

    fn compare(
        &mut self,
        activation: &Activation,
        body: Body<'a>,
        order: Order,
        a: Operand,
        b: Operand,
        result: TypeId,
    ) -> Value {
        let code = self.cx.code;
        let kind = code.type_of(activation.function, a).or_else(|| code.type_of(activation.function, b));
        let bits = match kind {
            Some(ty) => match width(body.code, ty) {
                Some(bits) => bits,
                None => return self.unsupported(body, result, "a comparison of vectors"),
            },
            None => 64,
        };
        let (a, b) = (self.operand(activation, body, a), self.operand(activation, body, b));
        if matches!(order, Order::Equal | Order::NotEqual) {
            let equal = self.state.equal(code, &a, &b, bits);
            return Value::Bits(if order == Order::Equal { equal } else { self.state.terms.not(equal) });
        }
        let (a, b, order) = match (&a, &b) {
            // Objects lie in the middle of the address space: what is before one of them comes first.
            (Value::Address(x, at), Value::Address(y, other)) if x == y => (*at, *other, as_signed(order)),
            _ => (self.state.bits(code, &a, bits), self.state.bits(code, &b, bits), order),
        };
        let terms = &mut self.state.terms;
        Value::Bits(match order {
            Order::UnsignedGreater => terms.ult(b, a),
            Order::UnsignedGreaterEqual => terms.ule(b, a),
            Order::UnsignedLess => terms.ult(a, b),
            Order::UnsignedLessEqual => terms.ule(a, b),
            Order::SignedGreater => terms.slt(b, a),
            Order::SignedGreaterEqual => terms.sle(b, a),
            Order::SignedLess => terms.slt(a, b),
            Order::SignedLessEqual => terms.sle(a, b),
            Order::Equal | Order::NotEqual => TermId::TRUE,
        })
    }

    /// A set of outcomes: 1 equal, 2 greater, 4 less, 8 unordered.
    fn float_compare(&mut self, outcomes: u8, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.state.terms;
        let mut any = TermId::FALSE;
        for (bit, op, swap) in [(1, Op::FOeq, false), (2, Op::FOlt, true), (4, Op::FOlt, false), (8, Op::FUno, false)] {
            if outcomes & bit != 0 {
                let one = if swap { terms.binary(op, b, a) } else { terms.binary(op, a, b) };
                any = terms.or(any, one);
            }
        }
        any
    }

    fn cast(&mut self, activation: &Activation, body: Body<'a>, cast: Cast, a: Operand, ty: TypeId) -> Value {
        let code = self.cx.code;
        let value = self.operand(activation, body, a);
        let from = match code.type_of(activation.function, a) {
            Some(ty) => width(body.code, ty),
            None => Some(64),
        };
        let (Some(from), Some(to)) = (from, width(body.code, ty)) else {
            return self.unsupported(body, ty, "a conversion");
        };
        if cast == Cast::Bits {
            if from != to {
                return self.unsupported(body, ty, "a conversion");
            }
            // As an integer it may come back as an address from anywhere.
            self.state.memory.let_go(&value);
            return value;
        }
        let bits = self.state.bits(code, &value, from);
        let terms = &mut self.state.terms;
        Value::Bits(match cast {
            Cast::Truncate => terms.extract(bits, 0, to),
            Cast::ZeroExtend => terms.zext(bits, to),
            Cast::SignExtend => terms.sext(bits, to),
            Cast::FloatTruncate => terms.apply(Op::FTrunc, 32, &[bits]),
            Cast::FloatExtend => terms.apply(Op::FExt, 64, &[bits]),
            Cast::UnsignedToFloat => terms.apply(Op::UiToF, to, &[bits]),
            Cast::SignedToFloat => terms.apply(Op::SiToF, to, &[bits]),
            Cast::FloatToSigned | Cast::FloatToUnsigned => {
                let signed = cast == Cast::FloatToSigned;
                let value = terms.apply(if signed { Op::FToSi } else { Op::FToUi }, to, &[bits]);
                let fits = self.float_fits(bits, from, to, signed);
                return Value::Bits(self.state.defined_if(fits, value));
            }
            Cast::Bits => bits,
        })
    }

    /// Whether a float's integer part is one of so many bits.
    fn float_fits(&mut self, value: TermId, from: u8, to: u8, signed: bool) -> TermId {
        // Powers of two are exact in both formats; an integer just below may not be, so both ends are looked at from
        // outside: trunc(x) lies strictly between the first powers that do not fit.
        let power = |exponent: u32| 2f64.powi(exponent as i32);
        let (low, high) = match signed {
            true => (-power(u32::from(to) - 1), power(u32::from(to) - 1)),
            false => (0.0, power(u32::from(to))),
        };
        let terms = &mut self.state.terms;
        let whole = terms.apply(Op::FRoundZero, from, &[value]);
        let constant = |x: f64| if from == 32 { u128::from((x as f32).to_bits()) } else { u128::from(x.to_bits()) };
        let (low, high) = (terms.constant(from, constant(low)), terms.constant(from, constant(high)));
        let (above, below) = (terms.binary(Op::FOle, low, whole), terms.binary(Op::FOlt, whole, high));
        terms.and(above, below)
    }
}

fn as_signed(order: Order) -> Order {
    match order {
        Order::UnsignedGreater => Order::SignedGreater,
        Order::UnsignedGreaterEqual => Order::SignedGreaterEqual,
        Order::UnsignedLess => Order::SignedLess,
        Order::UnsignedLessEqual => Order::SignedLessEqual,
        other => other,
    }
}
