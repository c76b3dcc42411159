//! Floating-point operations, on bit patterns.

use crate::ir::{Opcode, RealPredicate, TypeKind, Value};
use crate::late::labels::{Operand, Slot, Slow};
use symcrete_abi::Op;

impl Slow<'_, '_> {
    /// Label of a float operation, or `None` for what is not tracked.
    pub fn float(&mut self, instruction: Value, o: &[Operand], result: Value) -> Option<Slot> {
        use Opcode as O;
        let from = self.width(o[0].value);
        let to = self.width(result);
        let mut binary = |op| self.binary(op, from, o[0], o[1], result);
        Some(match instruction.opcode() {
            O::LLVMFAdd => binary(Op::FAdd),
            O::LLVMFSub => binary(Op::FSub),
            O::LLVMFMul => binary(Op::FMul),
            O::LLVMFDiv => binary(Op::FDiv),
            O::LLVMFRem => binary(Op::FRem),
            O::LLVMFNeg => self.flip_sign(from, o[0], result),
            O::LLVMFCmp => self.compare_floats(instruction.real_predicate(), from, o, result),
            O::LLVMSIToFP => self.unary(Op::SiToF, from, to, o[0], result),
            O::LLVMUIToFP => self.unary(Op::UiToF, from, to, o[0], result),
            O::LLVMFPToSI => self.integer_of(Op::FToSi, from, to, o[0], result),
            O::LLVMFPToUI => self.integer_of(Op::FToUi, from, to, o[0], result),
            O::LLVMFPExt | O::LLVMFPTrunc => self.unary(Op::FToF, from, to, o[0], result),
            _ => return None,
        })
    }

    pub fn flip_sign(&mut self, width: u32, a: Operand, result: Value) -> Slot {
        let sign = self.constant(width, 1 << (width - 1));
        self.binary(Op::Xor, width, a, sign, result)
    }

    /// Out of range, a conversion to an integer is undefined: then the label is dropped.
    pub fn integer_of(&mut self, op: Op, from: u32, to: u32, a: Operand, result: Value) -> Slot {
        let label = self.unary(op, from, to, a, result);
        if to > 64 {
            return label;
        }
        use RealPredicate as P;
        let (low, high) = match op {
            Op::FToSi => (-(2f64.powi(to as i32 - 1)), 2f64.powi(to as i32 - 1)),
            _ => (0.0, 2f64.powi(to as i32)),
        };
        let bound = |value: f64| self.tracker.late.module.real(a.value.ty(), value);
        // Truncation rounds towards zero, so anything above low - 1 is fine; comparing with the bound itself
        // only drops labels of values in that last fraction.
        let over = self.builder.fcmp(P::LLVMRealOGE, a.value, bound(low));
        let under = self.builder.fcmp(P::LLVMRealOLT, a.value, bound(high));
        let defined = self.builder.and(over, under);
        self.keep_if(defined, label)
    }

    fn compare_floats(&mut self, predicate: RealPredicate, width: u32, o: &[Operand], result: Value) -> Slot {
        use RealPredicate as P;
        match predicate {
            P::LLVMRealOEQ => self.ordered(Op::FOeq, width, o, false, false, result),
            P::LLVMRealOGT => self.ordered(Op::FOlt, width, o, true, false, result),
            P::LLVMRealOGE => self.ordered(Op::FOle, width, o, true, false, result),
            P::LLVMRealOLT => self.ordered(Op::FOlt, width, o, false, false, result),
            P::LLVMRealOLE => self.ordered(Op::FOle, width, o, false, false, result),
            P::LLVMRealUNO => self.ordered(Op::FUno, width, o, false, false, result),
            P::LLVMRealORD => self.ordered(Op::FUno, width, o, false, true, result),
            P::LLVMRealUNE => self.ordered(Op::FOeq, width, o, false, true, result),
            P::LLVMRealUGT => self.ordered(Op::FOle, width, o, false, true, result),
            P::LLVMRealUGE => self.ordered(Op::FOlt, width, o, false, true, result),
            P::LLVMRealULT => self.ordered(Op::FOle, width, o, true, true, result),
            P::LLVMRealULE => self.ordered(Op::FOlt, width, o, true, true, result),
            P::LLVMRealUEQ => self.equal_or_unordered(width, o).label,
            P::LLVMRealONE => {
                let either = self.equal_or_unordered(width, o);
                self.negate(either.label, either.value).label
            }
            P::LLVMRealPredicateTrue | P::LLVMRealPredicateFalse => Slot::None,
        }
    }

    /// One of the basic comparisons, with its operands swapped or its outcome negated.
    fn ordered(&mut self, op: Op, width: u32, o: &[Operand], swap: bool, negate: bool, result: Value) -> Slot {
        let (a, b) = if swap { (o[1], o[0]) } else { (o[0], o[1]) };
        if !negate {
            return self.binary(op, width, a, b, result);
        }
        let opposite = self.builder.xor(result, self.tracker.late.module.int_value(1, 1));
        let label = self.binary(op, width, a, b, opposite);
        self.negate(label, opposite).label
    }

    fn equal_or_unordered(&mut self, width: u32, o: &[Operand]) -> Operand {
        use RealPredicate as P;
        let equal = self.builder.fcmp(P::LLVMRealOEQ, o[0].value, o[1].value);
        let unordered = self.builder.fcmp(P::LLVMRealUNO, o[0].value, o[1].value);
        let e = Operand { label: self.binary(Op::FOeq, width, o[0], o[1], equal), value: equal };
        let u = Operand { label: self.binary(Op::FUno, width, o[0], o[1], unordered), value: unordered };
        let value = self.builder.or(equal, unordered);
        Operand { label: self.binary(Op::Or, 1, e, u, value), value }
    }

    pub fn is_float(&self, value: Value) -> bool {
        matches!(value.ty().kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind)
    }
}
