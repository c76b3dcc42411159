//! LLVM's intrinsics: which are plain operations, which touch memory, and what the operations mean.

use crate::ir::{IntPredicate, Opcode, TypeKind, Value};
use crate::late::labels::{Operand, Slot, Slots, Slow};
use crate::late::math;
use symcrete_abi::{Lost, Op};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    NotIntrinsic,
    /// Computes a value from its operands and nothing else; functions of the mathematical library too.
    Pure,
    /// Nothing to do with labels.
    Ignored,
    Copy,
    Fill,
    Lifetime,
    VaStart,
    VaCopy,
}

pub fn kind_of(call: Value) -> Kind {
    let Some(name) = call.called_function().and_then(|f| f.intrinsic_name()) else {
        return if math::is_math(call) { Kind::Pure } else { Kind::NotIntrinsic };
    };
    let base = name.strip_prefix("llvm.").unwrap_or(&name);
    let is = |prefix: &str| base == prefix || base.strip_prefix(prefix).is_some_and(|r| r.starts_with('.'));
    if is("memcpy") || is("memmove") || is("memcpy.inline") {
        Kind::Copy
    } else if is("memset") || is("memset.inline") {
        Kind::Fill
    } else if is("lifetime.start") {
        Kind::Lifetime
    } else if is("va_start") {
        Kind::VaStart
    } else if is("va_copy") {
        Kind::VaCopy
    } else if call.ty().is_void()
        || [
            "lifetime",
            "dbg",
            "assume",
            "stacksave",
            "eh",
            "invariant",
            "prefetch",
            "returnaddress",
            "frameaddress",
            "threadlocal",
            "objectsize",
            "is.constant",
            "get",
            "readcyclecounter",
            "type",
            "pseudoprobe",
        ]
        .iter()
        .any(|p| is(p))
    {
        match base {
            _ if is("threadlocal") => Kind::Pure,
            _ => Kind::Ignored,
        }
    } else {
        Kind::Pure
    }
}

impl Slow<'_, '_> {
    /// Labels of a pure intrinsic, lane by lane.
    pub fn intrinsic(&mut self, call: Value) -> Slots {
        let arguments = call.arguments();
        let labels: Vec<Slots> = arguments.iter().map(|a| self.of(*a)).collect();
        let name = call.called_function().map(|f| f.name()).unwrap_or_default();
        let base = name.strip_prefix("llvm.").unwrap_or(&name).to_string();
        self.is_intrinsic = name.starts_with("llvm.");
        if let Some(op) = base.find(".with.overflow").map(|at| &base[..at]) {
            return self.with_overflow(op, call, &arguments, &labels);
        }
        if ["launder.", "strip.", "expect", "ssa.copy", "threadlocal"].iter().any(|p| base.starts_with(p)) {
            return labels[0].clone();
        }
        let leaves = self.tracker.leaves(call.ty());
        let from: Vec<_> = arguments.iter().map(|a| self.tracker.leaves(a.ty())).collect();
        let mut all = vec![];
        for (lane, leaf) in leaves.iter().enumerate() {
            // A scalar operand (a flag, say) stands for all lanes.
            let operands: Option<Vec<Operand>> = (0..arguments.len())
                .map(|i| {
                    let at = if from[i].len() == 1 { 0 } else { lane };
                    let part = from[i].get(at).filter(|l| l.tracked)?;
                    Some(Operand { label: labels[i][at], value: part.of(&self.builder, arguments[i]) })
                })
                .collect();
            let result = leaf.of(&self.builder, call);
            let label = operands.filter(|_| leaf.tracked).and_then(|o| self.pure(&base, &o, result));
            all.push(label.unwrap_or_else(|| self.give_up(&labels)));
        }
        all
    }

    fn give_up(&mut self, labels: &[Slots]) -> Slot {
        self.lost(Lost::Instruction, &labels.concat());
        Slot::None
    }

    fn with_overflow(&mut self, op: &str, call: Value, arguments: &[Value], labels: &[Slots]) -> Slots {
        if arguments[0].ty().kind() != TypeKind::LLVMIntegerTypeKind {
            self.give_up(labels);
            return self.nothing(call.ty());
        }
        let (plain, overflow) = match op {
            "uadd" => (Op::Add, Op::UAddO),
            "sadd" => (Op::Add, Op::SAddO),
            "usub" => (Op::Sub, Op::USubO),
            "ssub" => (Op::Sub, Op::SSubO),
            "umul" => (Op::Mul, Op::UMulO),
            _ => (Op::Mul, Op::SMulO),
        };
        let a = Operand { label: labels[0][0], value: arguments[0] };
        let b = Operand { label: labels[1][0], value: arguments[1] };
        let width = self.width(a.value);
        let (result, over) = (self.builder.extract_value(call, 0), self.builder.extract_value(call, 1));
        vec![self.binary(plain, width, a, b, result), self.binary(overflow, width, a, b, over)]
    }

    /// A comparison made only for its label.
    fn test(&mut self, predicate: IntPredicate, width: u32, a: Operand, b: Operand) -> Operand {
        let value = self.builder.icmp(predicate, a.value, b.value);
        Operand { label: self.compare(predicate, width, &[a, b], value), value }
    }

    /// An operation made only for its label.
    fn compute(&mut self, op: Op, opcode: Opcode, width: u32, a: Operand, b: Operand) -> Operand {
        let value = self.builder.binary(opcode, a.value, b.value);
        Operand { label: self.binary(op, width, a, b, value), value }
    }

    /// One scalar intrinsic; `None` for what is not known.
    fn pure(&mut self, name: &str, o: &[Operand], result: Value) -> Option<Slot> {
        if !self.is_intrinsic {
            return self.math(name, o, result);
        }
        use IntPredicate as P;
        let width = self.width(result);
        let module = self.tracker.late.module;
        let stem = name.split(".i").next().unwrap_or(name);
        let stem = stem.split(".v").next().unwrap_or(stem);
        let float_stem = name.split(".f").next().unwrap_or(name).split(".v").next().unwrap_or(name);
        Some(match stem {
            "umin" | "umax" | "smin" | "smax" => {
                let predicate = match stem {
                    "umin" => P::LLVMIntULT,
                    "umax" => P::LLVMIntUGT,
                    "smin" => P::LLVMIntSLT,
                    _ => P::LLVMIntSGT,
                };
                let first = self.test(predicate, width, o[0], o[1]);
                self.choose(width, first, o[0], o[1]).label
            }
            "abs" => {
                let zero = self.constant(width, 0);
                let negated = self.compute(Op::Sub, Opcode::LLVMSub, width, zero, o[0]);
                let negative = self.test(P::LLVMIntSLT, width, o[0], zero);
                self.choose(width, negative, negated, o[0]).label
            }
            "uadd.sat" => {
                let sum = self.compute(Op::Add, Opcode::LLVMAdd, width, o[0], o[1]);
                let over = self.builder.icmp(P::LLVMIntULT, sum.value, o[0].value);
                let over = Operand { label: self.binary(Op::UAddO, width, o[0], o[1], over), value: over };
                let most = self.builder.sub(module.int_value(width, 0), module.int_value(width, 1));
                self.choose(width, over, Operand { label: Slot::None, value: most }, sum).label
            }
            "usub.sat" => {
                let difference = self.compute(Op::Sub, Opcode::LLVMSub, width, o[0], o[1]);
                let under = self.test(P::LLVMIntULT, width, o[0], o[1]);
                let zero = self.constant(width, 0);
                self.choose(width, under, zero, difference).label
            }
            "sadd.sat" | "ssub.sat" => {
                let (plain, overflow, opcode) = match stem {
                    "sadd.sat" => (Op::Add, Op::SAddO, Opcode::LLVMAdd),
                    _ => (Op::Sub, Op::SSubO, Opcode::LLVMSub),
                };
                let exact = self.compute(plain, opcode, width, o[0], o[1]);
                // Saturation shows in the result: it is the exact one unless the operation overflowed.
                let over = self.builder.icmp(P::LLVMIntNE, exact.value, result);
                let over = Operand { label: self.binary(overflow, width, o[0], o[1], over), value: over };
                let low = self.builder.shl(module.int_value(width, 1), module.int_value(width, u64::from(width) - 1));
                let high = self.builder.sub(low, module.int_value(width, 1));
                let zero = self.constant(width, 0);
                let negative = self.test(P::LLVMIntSLT, width, o[0], zero);
                let (low, high) =
                    (Operand { label: Slot::None, value: low }, Operand { label: Slot::None, value: high });
                let bound = self.choose(width, negative, low, high);
                self.choose(width, over, bound, exact).label
            }
            "fshl" => self.wide(Op::FshL, width, width, o, result),
            "fshr" => self.wide(Op::FshR, width, width, o, result),
            "bswap" => self.unary(Op::Bswap, width, width, o[0], result),
            "bitreverse" => self.unary(Op::BitReverse, width, width, o[0], result),
            "ctpop" => self.unary(Op::Ctpop, width, width, o[0], result),
            "ctlz" | "cttz" => {
                let op = if stem == "ctlz" { Op::Ctlz } else { Op::Cttz };
                let label = self.unary(op, width, width, o[0], result);
                if o[1].value.constant_value() == Some(0) {
                    label
                } else {
                    let defined = self.builder.is_not_null(o[0].value);
                    self.keep_if(defined, label)
                }
            }
            "lround" | "llround" | "lrint" | "llrint" if width == 64 && self.is_float(o[0].value) => {
                self.nearest_integer(stem, o[0], result)?
            }
            _ if name.starts_with("is.fpclass") => self.is_class(o, result)?,
            _ if self.is_float(result) => self.pure_float(float_stem, o, result)?,
            _ => return None,
        })
    }

    pub fn pure_float(&mut self, stem: &str, o: &[Operand], result: Value) -> Option<Slot> {
        let width = self.width(result);
        let module = self.tracker.late.module;
        let sign = module.int_value(width, 1 << (width - 1));
        let magnitude = self.builder.sub(sign, module.int_value(width, 1));
        let sign = Operand { label: Slot::None, value: sign };
        let magnitude = Operand { label: Slot::None, value: magnitude };
        let mut unary = |op| self.unary(op, width, width, o[0], result);
        Some(match stem {
            "fabs" => self.binary(Op::And, width, o[0], magnitude, result),
            "copysign" => {
                let bits = |slow: &Self, operand: Operand| Operand {
                    value: slow.builder.bits(operand.value, width),
                    ..operand
                };
                let (a, b) = (bits(self, o[0]), bits(self, o[1]));
                let size = self.compute(Op::And, Opcode::LLVMAnd, width, a, magnitude);
                let its_sign = self.compute(Op::And, Opcode::LLVMAnd, width, b, sign);
                self.binary(Op::Or, width, size, its_sign, result)
            }
            "sqrt" => unary(Op::FSqrt),
            "floor" => unary(Op::FFloor),
            "ceil" => unary(Op::FCeil),
            "trunc" => unary(Op::FTrunc),
            "rint" | "nearbyint" | "roundeven" => unary(Op::FRint),
            "round" => unary(Op::FRound),
            "minnum" => self.binary(Op::FMin, width, o[0], o[1], result),
            "maxnum" => self.binary(Op::FMax, width, o[0], o[1], result),
            "fma" => self.wide(Op::FMa, width, width, o, result),
            "fmuladd" => {
                let product = self.compute(Op::FMul, Opcode::LLVMFMul, width, o[0], o[1]);
                self.binary(Op::FAdd, width, product, o[2], result)
            }
            _ => return self.math_intrinsic(stem, o, result),
        })
    }
}
