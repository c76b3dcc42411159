//! Scalar operations of the instruction set, and address arithmetic.

use crate::ir::{IntPredicate, Opcode, TypeKind, Value};
use crate::late::labels::{Operand, Slot, Slots, Slow};
use crate::late::track::Tracker;
use symcrete_abi::{Lost, Op};

impl Tracker<'_> {
    /// Whether an operation without memory or control can lose precision, and so wants a site.
    pub fn may_lose(&self, instruction: Value) -> bool {
        use Opcode as O;
        let plain = matches!(
            instruction.opcode(),
            O::LLVMAdd
                | O::LLVMSub
                | O::LLVMMul
                | O::LLVMAnd
                | O::LLVMOr
                | O::LLVMXor
                | O::LLVMICmp
                | O::LLVMFCmp
                | O::LLVMZExt
                | O::LLVMSExt
                | O::LLVMTrunc
                | O::LLVMPtrToInt
                | O::LLVMIntToPtr
                | O::LLVMFreeze
                | O::LLVMGetElementPtr
                | O::LLVMExtractValue
                | O::LLVMInsertValue
                | O::LLVMBitCast
        );
        let ty = instruction.ty();
        !plain
            || ty.is_vector()
            || !self.leaves(ty).iter().all(|l| l.tracked)
            || instruction.operands().iter().any(|o| !self.leaves(o.ty()).iter().all(|l| l.tracked))
    }

    /// An instruction that stays out of the live set only because its type has no labels.
    pub fn loses_by_store(&self, instruction: Value) -> bool {
        let untracked = !instruction.ty().is_void() && !self.leaves(instruction.ty()).iter().any(|l| l.tracked);
        untracked
            && matches!(
                instruction.opcode(),
                Opcode::LLVMSIToFP | Opcode::LLVMUIToFP | Opcode::LLVMFPExt | Opcode::LLVMFPTrunc
            )
            && instruction.operands().iter().any(|o| self.live.contains(o))
    }
}

impl Slow<'_, '_> {
    /// One scalar operation; `result` is the scalar the program computed.
    pub fn scalar(&mut self, instruction: Value, o: &[Operand], result: Value) -> Slot {
        use Opcode as O;
        let to = self.width(result);
        let from = self.width(o[0].value);
        let mut binary = |op| self.binary(op, from, o[0], o[1], result);
        match instruction.opcode() {
            O::LLVMAdd => binary(Op::Add),
            O::LLVMSub => binary(Op::Sub),
            O::LLVMMul => binary(Op::Mul),
            O::LLVMUDiv => binary(Op::UDiv),
            O::LLVMSDiv => binary(Op::SDiv),
            O::LLVMURem => binary(Op::URem),
            O::LLVMSRem => binary(Op::SRem),
            O::LLVMShl => self.shift(Op::Shl, from, o, result),
            O::LLVMLShr => self.shift(Op::LShr, from, o, result),
            O::LLVMAShr => self.shift(Op::AShr, from, o, result),
            O::LLVMAnd => binary(Op::And),
            O::LLVMOr => binary(Op::Or),
            O::LLVMXor => binary(Op::Xor),
            O::LLVMICmp => match same_sign(instruction) {
                Some((op, true)) => self.binary(op, from, o[1], o[0], result),
                Some((op, false)) => self.binary(op, from, o[0], o[1], result),
                None => self.compare(instruction.int_predicate(), from, o, result),
            },
            O::LLVMTrunc => self.unary(Op::Extract, from, to, o[0], result),
            O::LLVMZExt => self.unary(Op::ZExt, from, to, o[0], result),
            O::LLVMSExt => self.unary(Op::SExt, from, to, o[0], result),
            O::LLVMPtrToInt | O::LLVMIntToPtr | O::LLVMPtrToAddr => match from.cmp(&to) {
                std::cmp::Ordering::Equal => o[0].label,
                std::cmp::Ordering::Less => self.unary(Op::ZExt, from, to, o[0], result),
                std::cmp::Ordering::Greater => self.unary(Op::Extract, from, to, o[0], result),
            },
            _ => match self.float(instruction, o, result) {
                Some(label) => label,
                None => {
                    let labels: Slots = o.iter().map(|o| o.label).collect();
                    self.lost(Lost::Instruction, &labels);
                    Slot::None
                }
            },
        }
    }

    pub fn width(&self, value: Value) -> u32 {
        match value.ty().kind() {
            TypeKind::LLVMIntegerTypeKind => value.ty().int_width(),
            TypeKind::LLVMFloatTypeKind => 32,
            _ => 64,
        }
    }

    /// A shift past the width has no meaning in the program and another one in the theory.
    fn shift(&mut self, op: Op, width: u32, o: &[Operand], result: Value) -> Slot {
        let label = self.binary(op, width, o[0], o[1], result);
        if o[1].value.constant_value().is_some_and(|amount| amount < u128::from(width)) {
            return label;
        }
        let bound = self.tracker.late.module.int_value(width, u64::from(width));
        let defined = self.builder.icmp(IntPredicate::LLVMIntULT, o[1].value, bound);
        self.keep_if(defined, label)
    }

    pub fn compare(&mut self, predicate: IntPredicate, width: u32, o: &[Operand], result: Value) -> Slot {
        use IntPredicate as P;
        let (op, swap) = match predicate {
            P::LLVMIntEQ => (Op::Eq, false),
            P::LLVMIntNE => (Op::Ne, false),
            P::LLVMIntUGT => (Op::Ult, true),
            P::LLVMIntUGE => (Op::Ule, true),
            P::LLVMIntULT => (Op::Ult, false),
            P::LLVMIntULE => (Op::Ule, false),
            P::LLVMIntSGT => (Op::Slt, true),
            P::LLVMIntSGE => (Op::Sle, true),
            P::LLVMIntSLT => (Op::Slt, false),
            P::LLVMIntSLE => (Op::Sle, false),
        };
        let (a, b) = if swap { (o[1], o[0]) } else { (o[0], o[1]) };
        self.binary(op, width, a, b, result)
    }

    /// An address: labelled parts are added up symbolically, everything else is one constant.
    pub fn address(&mut self, gep: Value) -> Slots {
        if gep.ty().is_vector() {
            let all: Slots = gep.operands().iter().flat_map(|o| self.of(*o)).collect();
            self.lost(Lost::Instruction, &all);
            return self.nothing(gep.ty());
        }
        let module = self.tracker.late.module;
        let operands = gep.operands();
        let mut parts: Vec<Operand> = vec![];
        // What the parts leave over, where the compiler knows it.
        let mut rest = Some(0u64);
        let base = self.of(operands[0])[0];
        if base == Slot::None {
            rest = None;
        } else {
            parts.push(Operand { label: base, value: operands[0] });
        }
        let mut ty = gep.gep_source_type();
        for (number, &index) in operands[1..].iter().enumerate() {
            let known = index.constant_value().map(|i| sign_extended(i, index.ty().int_width()));
            if number > 0 {
                if ty.kind() == TypeKind::LLVMStructTypeKind {
                    let field = known.unwrap_or(0) as u32;
                    rest = rest.map(|r| r.wrapping_add(module.element_offset(ty, field)));
                    ty = ty.elements()[field as usize];
                    continue;
                }
                ty = ty.element();
            }
            let size = module.abi_size(ty);
            let label = self.of(index)[0];
            if label != Slot::None {
                let part = self.scaled(Operand { label, value: index }, size);
                parts.push(part);
            } else {
                rest = rest.zip(known).map(|(r, i)| r.wrapping_add(i.wrapping_mul(size)));
            }
        }
        if parts.len() == 1 && rest.is_some() {
            let rest = self.constant(64, rest.unwrap_or(0));
            return vec![self.binary(Op::Add, 64, parts[0], rest, gep)];
        }
        let address = self.builder.bits(gep, 64);
        let Some(sum) = parts.into_iter().reduce(|a, b| {
            let value = self.builder.add(self.builder.bits(a.value, 64), b.value);
            Operand { label: self.binary(Op::Add, 64, a, b, value), value }
        }) else {
            return vec![Slot::None];
        };
        let rest = Operand { label: Slot::None, value: self.builder.sub(address, self.builder.bits(sum.value, 64)) };
        vec![self.binary(Op::Add, 64, sum, rest, gep)]
    }

    /// An index as a distance in bytes.
    fn scaled(&mut self, index: Operand, size: u64) -> Operand {
        let module = self.tracker.late.module;
        let width = self.width(index.value);
        let wide = match width.cmp(&64) {
            std::cmp::Ordering::Equal => index,
            std::cmp::Ordering::Less => {
                let value = self.builder.sext(index.value, module.int(64));
                Operand { label: self.unary(Op::SExt, width, 64, index, value), value }
            }
            std::cmp::Ordering::Greater => {
                let value = self.builder.trunc(index.value, module.int(64));
                Operand { label: self.unary(Op::Extract, width, 64, index, value), value }
            }
        };
        if size == 1 {
            return wide;
        }
        let value = self.builder.mul(wide.value, self.i64(size));
        Operand { label: self.binary(Op::Mul, 64, wide, self.constant(64, size), value), value }
    }
}

fn sign_extended(value: u128, width: u32) -> u64 {
    let unused = 64 - width.min(64);
    (((value as u64) << unused) as i64 >> unused) as u64
}

/// The operation, and whether its operands change places, of an unsigned comparison that is as good as a signed one. A
/// value whose top bits are clear by the way it was made stays with the unsigned one, which has more rules.
fn same_sign(instruction: Value) -> Option<(Op, bool)> {
    use IntPredicate as P;
    use Opcode as O;
    let is_plain = |value: Value| {
        !value.is_instruction()
            || !matches!(value.opcode(), O::LLVMZExt | O::LLVMAnd | O::LLVMLShr | O::LLVMURem | O::LLVMUDiv)
    };
    if !instruction.has_same_sign() || !instruction.operands().into_iter().all(is_plain) {
        return None;
    }
    match instruction.int_predicate() {
        P::LLVMIntUGT => Some((Op::UltSame, true)),
        P::LLVMIntUGE => Some((Op::UleSame, true)),
        P::LLVMIntULT => Some((Op::UltSame, false)),
        P::LLVMIntULE => Some((Op::UleSame, false)),
        _ => None,
    }
}
