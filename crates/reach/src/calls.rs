//! Calls of functions that are not part of the program: requests for input, intrinsics of the compiler, the
//! mathematical library, memory. All others give anything, and write what [`library`] says.

use crate::code::{Body, width};
use crate::evaluate::{Activation, Evaluator};
use crate::library::{self, Writes};
use crate::memory::Initial;
use crate::state::{Request, RequestKind, Source};
use crate::value::Value;
use symcrete_program::code::{Call, Constant, Operand, TypeId};
use symcrete_term::{Op, TermId, Var, native};

/// Bytes that a copy or fill is spelt out for.
const MOST_COPIED: u64 = 512;

/// Requests for one scalar: bytes and kind, by the end of the name.
pub fn scalar_request(name: &str) -> Option<(u32, RequestKind, bool)> {
    use RequestKind::*;
    let (kind, named) = match name {
        _ if name.strip_prefix("symcrete_").is_some() => (name.strip_prefix("symcrete_")?, true),
        "klee_int" => ("int", true),
        _ => (name.strip_prefix("__VERIFIER_nondet_")?, false),
    };
    let (bytes, kind) = match kind {
        "char" | "schar" | "S8" => (1, Signed),
        "uchar" | "u8" | "U8" => (1, Unsigned),
        "short" => (2, Signed),
        "ushort" | "u16" => (2, Unsigned),
        "int" => (4, Signed),
        "uint" | "unsigned" | "u32" | "U32" => (4, Unsigned),
        "long" | "longlong" | "loff_t" => (8, Signed),
        "ulong" | "ulonglong" | "size_t" | "sector_t" => (8, Unsigned),
        "float" => (4, Float),
        "double" => (8, Float),
        "int128" => (16, Signed),
        "uint128" => (16, Unsigned),
        "bool" => (1, Bool),
        "choice" => (1, Choice),
        _ => return None,
    };
    Some((bytes, kind, named))
}

/// Functions of the mathematical library with an operation of their own.
pub fn plain_math(name: &str) -> Option<(Op, usize)> {
    Some(match name {
        "sqrt" | "sqrtf" => (Op::FSqrt, 1),
        "floor" | "floorf" => (Op::FFloor, 1),
        "ceil" | "ceilf" => (Op::FCeil, 1),
        "trunc" | "truncf" => (Op::FRoundZero, 1),
        "rint" | "rintf" | "nearbyint" | "nearbyintf" | "roundeven" | "roundevenf" => (Op::FRint, 1),
        "round" | "roundf" => (Op::FRound, 1),
        "fmod" | "fmodf" => (Op::FRem, 2),
        "fma" | "fmaf" => (Op::FMa, 3),
        _ => return None,
    })
}

pub fn is_plain_math(name: &str) -> bool {
    plain_math(name).is_some()
        || matches!(name, "fabs" | "fabsf" | "copysign" | "copysignf" | "fmin" | "fmax" | "fminf" | "fmaxf")
}

impl<'a> Evaluator<'_, '_, 'a> {
    pub fn outside(&mut self, activation: &Activation, body: Body<'a>, call: &Call, name: &str, ty: TypeId) -> Value {
        if let Some(value) = self.request(activation, body, call, name, ty) {
            return value;
        }
        let base = name.strip_prefix("llvm.").unwrap_or(name);
        let known = match name.starts_with("llvm.") {
            true => self.intrinsic(activation, body, call, base, ty),
            false => self.library(activation, body, call, name, ty),
        };
        known.unwrap_or_else(|| self.unknown_call(activation, body, call, name, ty))
    }

    fn unknown_call(&mut self, activation: &Activation, body: Body<'a>, call: &Call, name: &str, ty: TypeId) -> Value {
        let code = self.cx.code;
        let source = Source::Outside(name.into(), self.state.here);
        let arguments: Vec<Value> = call.arguments.iter().map(|a| self.operand(activation, body, *a)).collect();
        // What it gives may point into what it was given.
        arguments.iter().for_each(|argument| self.state.memory.let_go(argument));
        match library::writes(name) {
            Writes::Nothing => {}
            Writes::Arguments => {
                for (number, argument) in arguments.iter().enumerate() {
                    let pointer = code.type_of(activation.function, call.arguments[number]);
                    let is_pointer = pointer.is_none_or(|ty| {
                        matches!(body.code.types[ty as usize].kind, symcrete_program::code::TypeKind::Pointer)
                    });
                    if is_pointer {
                        self.state.overwrite_at(code, argument, &source);
                    }
                }
            }
            Writes::Everything => self.state.memory.overwrite_all(code, &source),
        }
        self.state.unknown_of(body.code, ty, &source)
    }

    /// The text a constant argument points to.
    fn text(&self, body: Body<'a>, operand: Option<&Operand>) -> String {
        let Some(Operand::Constant(id)) = operand else { return String::new() };
        let Constant::Global(global) = body.code.constants[*id as usize] else { return String::new() };
        match body.code.globals[global as usize].initial.map(|initial| &body.code.constants[initial as usize]) {
            Some(Constant::Bytes(_, bytes)) => String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned(),
            _ => String::new(),
        }
    }

    fn new_request(&mut self, name: String, bytes: u32, kind: RequestKind) -> u32 {
        self.state.requests.push(Request { name, bytes, kind });
        self.state.declared + self.state.requests.len() as u32 - 1
    }

    fn request(
        &mut self,
        activation: &Activation,
        body: Body<'a>,
        call: &Call,
        name: &str,
        ty: TypeId,
    ) -> Option<Value> {
        let code = self.cx.code;
        match name {
            "symcrete_assume" | "klee_assume" | "__VERIFIER_assume" => {
                let condition = self.bits(activation, body, call.arguments[0])?;
                let zero = self.state.constant(self.state.terms.width(condition), 0);
                let holds = self.state.terms.ne(condition, zero);
                self.state.require(holds);
                return Some(Value::Opaque);
            }
            "symcrete_target" => return Some(Value::Opaque),
            "symcrete_bytes" | "klee_make_symbolic" | "__VERIFIER_nondet_memory" => {
                let size = self.bits(activation, body, call.arguments[1])?;
                let to = self.operand(activation, body, call.arguments[0]);
                let size = self.state.terms.as_constant(size).map(|s| s as u64);
                let text = self.text(body, call.arguments.get(2));
                let text = if name.starts_with("__") { "memory".into() } else { text };
                let object = self.new_request(text, size.unwrap_or(0) as u32, RequestKind::Bytes);
                match size.filter(|&size| size <= 4 * MOST_COPIED) {
                    Some(size) => {
                        for offset in 0..size as u32 {
                            let by = self.state.constant(64, u128::from(offset));
                            let place = self.state.advance(to.clone(), by);
                            let byte = self.state.terms.var(Var::Byte { object, offset });
                            self.state.write(code, &place, 1, Value::Bits(byte));
                        }
                    }
                    None => {
                        let source = Source::Outside(name.into(), self.state.here);
                        self.state.overwrite_at(code, &to, &source);
                    }
                }
                return Some(Value::Opaque);
            }
            _ => {}
        }
        let (bytes, kind, named) = scalar_request(name)?;
        let text = match named {
            true if kind == RequestKind::Choice => self.text(body, call.arguments.get(1)),
            true => self.text(body, call.arguments.first()),
            false => name.trim_start_matches("__VERIFIER_nondet_").to_owned(),
        };
        let object = self.new_request(text, bytes, kind);
        let parts: Vec<TermId> = (0..bytes).map(|offset| self.state.terms.var(Var::Byte { object, offset })).collect();
        let word = self.state.terms.word(&parts);
        let to = width(body.code, ty)?;
        Some(Value::Bits(match kind {
            RequestKind::Bool => {
                let bit = self.state.terms.extract(word, 0, 1);
                if to == 1 { bit } else { self.state.terms.zext(bit, to) }
            }
            RequestKind::Choice => {
                let count = self.bits(activation, body, call.arguments[0])?;
                let wide = self.state.terms.zext(word, to);
                if self.state.terms.width(count) == to {
                    let fits = self.state.terms.ult(wide, count);
                    self.state.require(fits);
                }
                wide
            }
            _ if 8 * bytes == u32::from(to) => word,
            _ => return Some(self.unsupported(body, ty, name)),
        }))
    }

    fn library(
        &mut self,
        activation: &Activation,
        body: Body<'a>,
        call: &Call,
        name: &str,
        ty: TypeId,
    ) -> Option<Value> {
        let code = self.cx.code;
        let argument = |this: &mut Self, n: usize| call.arguments.get(n).and_then(|a| this.bits(activation, body, *a));
        if let Some((op, count)) = plain_math(name) {
            return self.float_operation(activation, body, call, op, count, ty);
        }
        if let Some(function) = native::number(name) {
            let operands: Option<Vec<TermId>> = (0..call.arguments.len()).map(|n| argument(self, n)).collect();
            let bits = width(body.code, ty)?;
            return self.state.terms.try_apply(Op::Native { function }, bits, &operands?).ok().map(Value::Bits);
        }
        match name {
            "fabs" | "fabsf" => {
                let a = argument(self, 0)?;
                Some(Value::Bits(self.state.terms.fabs(a)))
            }
            "copysign" | "copysignf" => {
                let (a, b) = (argument(self, 0)?, argument(self, 1)?);
                Some(Value::Bits(self.copy_sign(a, b)))
            }
            "malloc" | "calloc" => {
                let mut size = argument(self, 0).and_then(|s| self.state.terms.as_constant(s)).map(|s| s as u64);
                let mut initial = Initial::Unknown(Source::Undefined);
                if name == "calloc" {
                    let each = argument(self, 1).and_then(|s| self.state.terms.as_constant(s)).map(|s| s as u64);
                    size = size.zip(each).and_then(|(a, b)| a.checked_mul(b));
                    initial = Initial::Zero;
                }
                let object = self.state.memory.new_object(size, 16, initial);
                let zero = self.state.constant(64, 0);
                let fails = self.state.unknown(1, Source::Outside(name.into(), self.state.here));
                Some(Value::either(fails, Value::Bits(zero), Value::Address(object, zero)))
            }
            _ if library::gives_back(name) => Some(self.operand(activation, body, *call.arguments.first()?)),
            "memcpy" | "memmove" | "memset" => self.move_memory(activation, body, call, name, true),
            "abs" | "labs" | "llabs" => {
                let a = argument(self, 0)?;
                Some(Value::Bits(self.absolute(a)))
            }
            "isdigit" => {
                let a = argument(self, 0)?;
                let _ = code;
                let width = self.state.terms.width(a);
                let (zero, ten) = (self.state.constant(width, u128::from(b'0')), self.state.constant(width, 10));
                let from = self.state.terms.sub(a, zero);
                let inside = self.state.terms.ult(from, ten);
                // It gives some value that is not zero.
                let some = self.state.unknown(width, Source::Undefined);
                let nothing = self.state.constant(width, 0);
                let is_some = self.state.terms.ne(some, nothing);
                self.state.require(is_some);
                Some(Value::Bits(self.state.terms.select(inside, some, nothing)))
            }
            _ => None,
        }
    }

    fn absolute(&mut self, a: TermId) -> TermId {
        let zero = self.state.constant(self.state.terms.width(a), 0);
        let negative = self.state.terms.slt(a, zero);
        let opposite = self.state.terms.neg(a);
        self.state.terms.select(negative, opposite, a)
    }

    fn copy_sign(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.state.terms.width(a);
        let sign = self.state.constant(width, 1 << (width - 1));
        let (rest, sign) = (self.state.terms.fabs(a), self.state.terms.and(b, sign));
        self.state.terms.or(rest, sign)
    }

    fn float_operation(
        &mut self,
        activation: &Activation,
        body: Body<'a>,
        call: &Call,
        op: Op,
        count: usize,
        ty: TypeId,
    ) -> Option<Value> {
        let bits = width(body.code, ty)?;
        let operands: Option<Vec<TermId>> =
            (0..count).map(|n| call.arguments.get(n).and_then(|a| self.bits(activation, body, *a))).collect();
        self.state.terms.try_apply(op, bits, &operands?).ok().map(Value::Bits)
    }

    fn intrinsic(
        &mut self,
        activation: &Activation,
        body: Body<'a>,
        call: &Call,
        name: &str,
        ty: TypeId,
    ) -> Option<Value> {
        let argument = |this: &mut Self, n: usize| call.arguments.get(n).and_then(|a| this.bits(activation, body, *a));
        let family = name.split(['.']).next().unwrap_or(name);
        if name.contains(".v") {
            return None;
        }
        if let Some((op, count)) = plain_math(family) {
            return self.float_operation(activation, body, call, op, count, ty);
        }
        if let Some(function) = native::number(if name.ends_with("f32") { "" } else { family }) {
            let operands: Option<Vec<TermId>> = (0..call.arguments.len()).map(|n| argument(self, n)).collect();
            let bits = width(body.code, ty)?;
            return self.state.terms.try_apply(Op::Native { function }, bits, &operands?).ok().map(Value::Bits);
        }
        let pair = |over: Op, op: Op, this: &mut Self| -> Option<Value> {
            let (a, b) = (argument(this, 0)?, argument(this, 1)?);
            let (result, over) = (this.state.terms.binary(op, a, b), this.state.terms.binary(over, a, b));
            Some(Value::List(vec![Value::Bits(result), Value::Bits(over)]))
        };
        match family {
            "lifetime" | "sideeffect" | "dbg" | "assume" | "experimental" | "invariant" | "stackrestore" => {
                Some(Value::Opaque)
            }
            "expect" => call.arguments.first().map(|a| self.operand(activation, body, *a)),
            "memcpy" | "memmove" | "memset" => self.move_memory(activation, body, call, family, false),
            "smax" | "smin" | "umax" | "umin" => {
                let (a, b) = (argument(self, 0)?, argument(self, 1)?);
                let op = if family.starts_with('s') { Op::Slt } else { Op::Ult };
                let less = self.state.terms.binary(op, a, b);
                let (first, second) = if family.ends_with("max") { (b, a) } else { (a, b) };
                Some(Value::Bits(self.state.terms.select(less, first, second)))
            }
            "abs" => {
                let a = argument(self, 0)?;
                Some(Value::Bits(self.absolute(a)))
            }
            "fabs" => {
                let a = argument(self, 0)?;
                Some(Value::Bits(self.state.terms.fabs(a)))
            }
            "copysign" => {
                let (a, b) = (argument(self, 0)?, argument(self, 1)?);
                Some(Value::Bits(self.copy_sign(a, b)))
            }
            "bswap" | "bitreverse" | "ctpop" => {
                let a = argument(self, 0)?;
                let op = match family {
                    "bswap" => Op::Bswap,
                    "bitreverse" => Op::BitReverse,
                    _ => Op::Ctpop,
                };
                self.state.terms.try_apply(op, self.state.terms.width(a), &[a]).ok().map(Value::Bits)
            }
            "ctlz" | "cttz" => {
                let a = argument(self, 0)?;
                let width = self.state.terms.width(a);
                let value = self.state.terms.apply(if family == "ctlz" { Op::Ctlz } else { Op::Cttz }, width, &[a]);
                let undefined = argument(self, 1)?;
                let zero = self.state.constant(width, 0);
                let is_some = self.state.terms.ne(a, zero);
                let defined = self.state.terms.not(undefined);
                let fits = self.state.terms.or(is_some, defined);
                Some(Value::Bits(self.state.defined_if(fits, value)))
            }
            "fshl" | "fshr" => {
                let (a, b, amount) = (argument(self, 0)?, argument(self, 1)?, argument(self, 2)?);
                Some(Value::Bits(match family {
                    "fshl" => self.state.terms.funnel_left(a, b, amount),
                    _ => self.state.terms.funnel_right(a, b, amount),
                }))
            }
            "fmuladd" => {
                // Rounded once or twice, as the machine has it.
                let (a, b, c) = (argument(self, 0)?, argument(self, 1)?, argument(self, 2)?);
                let bits = self.state.terms.width(a);
                let product = self.state.terms.apply(Op::FMul, bits, &[a, b]);
                let twice = self.state.terms.apply(Op::FAdd, bits, &[product, c]);
                let once = self.state.terms.apply(Op::FMa, bits, &[a, b, c]);
                let fused = self.state.unknown(1, Source::Undefined);
                Some(Value::Bits(self.state.terms.select(fused, once, twice)))
            }
            "uadd" if name.contains("overflow") => pair(Op::UAddO, Op::Add, self),
            "sadd" if name.contains("overflow") => pair(Op::SAddO, Op::Add, self),
            "usub" if name.contains("overflow") => pair(Op::USubO, Op::Sub, self),
            "ssub" if name.contains("overflow") => pair(Op::SSubO, Op::Sub, self),
            "umul" if name.contains("overflow") => pair(Op::UMulO, Op::Mul, self),
            "smul" if name.contains("overflow") => pair(Op::SMulO, Op::Mul, self),
            _ => None,
        }
    }

    /// `memcpy`, `memmove`, `memset` of a known number of bytes.
    fn move_memory(
        &mut self,
        activation: &Activation,
        body: Body<'a>,
        call: &Call,
        name: &str,
        gives: bool,
    ) -> Option<Value> {
        let code = self.cx.code;
        let to = self.operand(activation, body, call.arguments[0]);
        let size = self.bits(activation, body, call.arguments[2])?;
        let result = if gives { to.clone() } else { Value::Opaque };
        let known = self.state.terms.as_constant(size).map(|s| s as u64).filter(|&size| size <= MOST_COPIED);
        let Some(size) = known else {
            if name != "memset" {
                // Addresses may be among what is copied.
                let from = self.operand(activation, body, call.arguments[1]);
                self.state.memory.let_go(&from);
            }
            let source = Source::Memory(self.state.here);
            self.state.overwrite_at(code, &to, &source);
            return Some(result);
        };
        if name == "memset" {
            let value = self.bits(activation, body, call.arguments[1])?;
            let byte = self.state.terms.extract(value, 0, 8);
            for offset in 0..size {
                let by = self.state.constant(64, u128::from(offset));
                let place = self.state.advance(to.clone(), by);
                self.state.write(code, &place, 1, Value::Bits(byte));
            }
            return Some(result);
        }
        let from = self.operand(activation, body, call.arguments[1]);
        self.copy_bytes(&to, &from, size);
        Some(result)
    }

    /// Copies so many bytes, in words where they lie so: addresses stay addresses.
    pub fn copy_bytes(&mut self, to: &Value, from: &Value, size: u64) {
        let code = self.cx.code;
        let mut pieces = vec![];
        let mut at = 0;
        while at < size {
            let step = [8, 4, 2, 1].into_iter().find(|&step| at + step <= size).unwrap_or(1);
            let by = self.state.constant(64, u128::from(at));
            let source = self.state.advance(from.clone(), by);
            let value = self.state.load_word(code, &source, step);
            pieces.push((by, step, value));
            at += step;
        }
        for (by, step, value) in pieces {
            let place = self.state.advance(to.clone(), by);
            self.state.memory.let_go(&value);
            self.state.write(code, &place, step, value);
        }
    }
}
