//! LLVM's intrinsics: which are plain operations, which touch memory, and what the operations mean.

use crate::ir::{IntPredicate, Opcode, TypeKind, Value};
use crate::late::labels::{Operand, Slow};
use crate::late::track::Labels;
use symcrete_abi::{Lost, Op};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    NotIntrinsic,
    /// Computes a value from its operands and nothing else.
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
    let Some(name) = call.called_function().and_then(|f| f.intrinsic_name()) else { return Kind::NotIntrinsic };
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
        || ["lifetime", "dbg", "assume", "stacksave", "eh", "invariant", "prefetch", "returnaddress", "frameaddress",
            "threadlocal", "objectsize", "is.constant", "get", "readcyclecounter", "type", "pseudoprobe"]
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
    pub fn intrinsic(&self, call: Value) -> Labels {
        let arguments = call.arguments();
        let labels: Vec<Labels> = arguments.iter().map(|a| self.of(*a)).collect();
        let name = call.called_function().map(|f| f.name()).unwrap_or_default();
        let base = name.strip_prefix("llvm.").unwrap_or(&name).to_string();
        if let Some(op) = base.find(".with.overflow").map(|at| &base[..at]) {
            return self.with_overflow(op, call, &arguments, &labels);
        }
        if matches!(base.as_str(), b if b.starts_with("launder.") || b.starts_with("strip.") || b.starts_with("expect")
            || b.starts_with("ssa.copy") || b.starts_with("threadlocal"))
        {
            return labels[0].clone();
        }
        let leaves = self.tracker.leaves(call.ty());
        let from: Vec<_> = arguments.iter().map(|a| self.tracker.leaves(a.ty())).collect();
        (leaves.iter().enumerate())
            .map(|(lane, leaf)| {
                // A scalar operand (a flag, say) stands for all lanes.
                let operands: Option<Vec<Operand>> = (0..arguments.len())
                    .map(|i| {
                        let at = if from[i].len() == 1 { 0 } else { lane };
                        let part = from[i].get(at).filter(|l| l.tracked)?;
                        Some(Operand { label: labels[i][at], value: part.of(self.builder, arguments[i]) })
                    })
                    .collect();
                let result = leaf.of(self.builder, call);
                let label = operands.filter(|_| leaf.tracked).and_then(|o| self.pure(&base, &o, result));
                label.unwrap_or_else(|| {
                    let all: Vec<Value> = labels.iter().flatten().copied().collect();
                    self.lost(Lost::Instruction, &all);
                    self.zero()
                })
            })
            .collect()
    }

    fn with_overflow(&self, op: &str, call: Value, arguments: &[Value], labels: &[Labels]) -> Labels {
        if arguments[0].ty().kind() != TypeKind::LLVMIntegerTypeKind {
            let all: Vec<Value> = labels.iter().flatten().copied().collect();
            self.lost(Lost::Instruction, &all);
            return self.tracker.no_labels(call.ty());
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
        vec![
            self.binary(plain, width, a, b, self.builder.extract_value(call, 0)),
            self.binary(overflow, width, a, b, self.builder.extract_value(call, 1)),
        ]
    }

    /// One scalar intrinsic; `None` for what is not known.
    fn pure(&self, name: &str, o: &[Operand], result: Value) -> Option<Value> {
        use IntPredicate as P;
        let width = self.width(result);
        let (module, b) = (self.tracker.late.module, self.builder);
        let less = |p: P, x: Operand, y: Operand| {
            let value = b.icmp(p, x.value, y.value);
            Operand { label: self.compare(p, width, &[x, y], value), value }
        };
        let all_ones = || Operand { label: self.zero(), value: b.sub(module.int_value(width, 0), module.int_value(width, 1)) };
        let stem = name.split(".i").next().unwrap_or(name);
        let stem = stem.split(".v").next().unwrap_or(stem);
        let float_stem = name.split(".f").next().unwrap_or(name);
        Some(match stem {
            "umin" => self.choose(width, less(P::LLVMIntULT, o[0], o[1]), o[0], o[1]).label,
            "umax" => self.choose(width, less(P::LLVMIntUGT, o[0], o[1]), o[0], o[1]).label,
            "smin" => self.choose(width, less(P::LLVMIntSLT, o[0], o[1]), o[0], o[1]).label,
            "smax" => self.choose(width, less(P::LLVMIntSGT, o[0], o[1]), o[0], o[1]).label,
            "abs" => {
                let zero = self.constant(width, 0);
                let value = b.sub(zero.value, o[0].value);
                let negated = Operand { label: self.binary(Op::Sub, width, zero, o[0], value), value };
                self.choose(width, less(P::LLVMIntSLT, o[0], zero), negated, o[0]).label
            }
            "uadd.sat" => {
                let sum = b.add(o[0].value, o[1].value);
                let over = b.icmp(P::LLVMIntULT, sum, o[0].value);
                let over = Operand { label: self.binary(Op::UAddO, width, o[0], o[1], over), value: over };
                let sum = Operand { label: self.binary(Op::Add, width, o[0], o[1], sum), value: sum };
                self.choose(width, over, all_ones(), sum).label
            }
            "usub.sat" => {
                let value = b.sub(o[0].value, o[1].value);
                let difference = Operand { label: self.binary(Op::Sub, width, o[0], o[1], value), value };
                self.choose(width, less(P::LLVMIntULT, o[0], o[1]), self.constant(width, 0), difference).label
            }
            "sadd.sat" | "ssub.sat" => {
                let (plain, overflow, opcode) = match stem {
                    "sadd.sat" => (Op::Add, Op::SAddO, Opcode::LLVMAdd),
                    _ => (Op::Sub, Op::SSubO, Opcode::LLVMSub),
                };
                let value = b.binary(opcode, o[0].value, o[1].value);
                // Saturation shows in the result: it is the exact one unless the sum overflowed.
                let over = b.icmp(P::LLVMIntNE, value, result);
                let over = Operand { label: self.binary(overflow, width, o[0], o[1], over), value: over };
                let exact = Operand { label: self.binary(plain, width, o[0], o[1], value), value };
                let low = b.shl(module.int_value(width, 1), module.int_value(width, u64::from(width) - 1));
                let high = b.sub(low, module.int_value(width, 1));
                let bound = self.choose(
                    width,
                    less(P::LLVMIntSLT, o[0], self.constant(width, 0)),
                    Operand { label: self.zero(), value: low },
                    Operand { label: self.zero(), value: high },
                );
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
                    self.keep_if(b.is_not_null(o[0].value), label)
                }
            }
            _ if self.is_float(result) => self.pure_float(float_stem, o, result)?,
            _ => return None,
        })
    }

    fn pure_float(&self, stem: &str, o: &[Operand], result: Value) -> Option<Value> {
        let width = self.width(result);
        let (module, b) = (self.tracker.late.module, self.builder);
        let sign = module.int_value(width, 1 << (width - 1));
        let magnitude = b.sub(sign, module.int_value(width, 1));
        let constant = |value| Operand { label: self.zero(), value };
        let unary = |op| self.unary(op, width, width, o[0], result);
        Some(match stem {
            "fabs" => self.binary(Op::And, width, o[0], constant(magnitude), result),
            "copysign" => {
                let size = b.and(b.bits(o[0].value, width), magnitude);
                let its_sign = b.and(b.bits(o[1].value, width), sign);
                let size = Operand { label: self.binary(Op::And, width, o[0], constant(magnitude), size), value: size };
                let its_sign = Operand { label: self.binary(Op::And, width, o[1], constant(sign), its_sign), value: its_sign };
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
                let value = b.binary(Opcode::LLVMFMul, o[0].value, o[1].value);
                let product = Operand { label: self.binary(Op::FMul, width, o[0], o[1], value), value };
                self.binary(Op::FAdd, width, product, o[2], result)
            }
            _ => return None,
        })
    }
}
