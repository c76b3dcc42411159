//! The slow block: what label each instruction of a segment gets. All values are live SSA values of the
//! body, so what the runtime records is what the program really computed.

use crate::ir::{Builder, Opcode, Type, TypeKind, Value};
use crate::late::leaves::Leaf;
use crate::late::track::{Labels, Tracker};
use rustc_hash::FxHashMap;
use symcrete_abi::functions::{self as rt, Function};
use symcrete_abi::{Lost, Op};

pub struct Slow<'a, 'b> {
    pub tracker: &'a mut Tracker<'b>,
    pub builder: &'a Builder,
    /// Labels of earlier instructions of the segment.
    pub known: &'a FxHashMap<Value, Labels>,
    pub site: Option<u32>,
}

/// A scalar on its way into an operation: its label and its bits.
#[derive(Clone, Copy)]
pub struct Operand {
    pub label: Value,
    pub value: Value,
}

impl Slow<'_, '_> {
    pub fn labels(&mut self, instruction: Value) -> Labels {
        use Opcode as O;
        match instruction.opcode() {
            O::LLVMLoad => self.load(instruction),
            O::LLVMStore => self.store(instruction),
            O::LLVMAtomicRMW => self.atomic(instruction),
            O::LLVMAtomicCmpXchg => self.exchange(instruction),
            O::LLVMBr => {
                let condition = instruction.condition();
                self.decide(condition);
                vec![]
            }
            O::LLVMSwitch => {
                let label = self.of(instruction.condition())[0];
                self.call(rt::SWITCH, &[label, self.site_value()]);
                vec![]
            }
            O::LLVMSelect => self.select(instruction),
            O::LLVMGetElementPtr => self.address(instruction),
            O::LLVMCall => self.intrinsic(instruction),
            O::LLVMFreeze | O::LLVMAddrSpaceCast => self.of(instruction.operand(0)),
            O::LLVMExtractValue | O::LLVMInsertValue | O::LLVMExtractElement | O::LLVMInsertElement
            | O::LLVMShuffleVector => self.rearrange(instruction),
            O::LLVMBitCast => self.reinterpret(instruction),
            _ => self.lane_by_lane(instruction),
        }
    }

    /// Labels of a value, inside the slow block.
    pub fn of(&self, value: Value) -> Labels {
        self.known.get(&value).cloned().unwrap_or_else(|| self.tracker.labels_of(value))
    }

    pub fn zero(&self) -> Value {
        self.tracker.zero()
    }

    pub fn i32(&self, value: u64) -> Value {
        self.tracker.late.i32(value)
    }

    pub fn i64(&self, value: u64) -> Value {
        self.tracker.late.i64(value)
    }

    pub fn site_value(&self) -> Value {
        self.tracker.site_value(self.builder, self.site.unwrap_or(0))
    }

    pub fn call(&self, function: Function, arguments: &[Value]) -> Value {
        let call = self.builder.call(self.tracker.late.runtime(function), arguments);
        if function.convention == rt::Convention::Slow {
            call.set_convention(crate::ir::PRESERVE_MOST);
        }
        call
    }

    pub fn lost(&self, what: Lost, labels: &[Value]) {
        let labels: Vec<Value> = labels.iter().copied().filter(|l| !self.tracker.is_zero(*l)).collect();
        let Some(any) = labels.into_iter().reduce(|a, b| self.builder.or(a, b)) else { return };
        // `what` 0 means nothing was lost: the labels were all zero after all.
        let condition = self.builder.is_not_null(any);
        let what = self.builder.select(condition, self.i32(what as u64), self.i32(0));
        self.call(rt::LOST, &[what, self.site_value()]);
    }

    /// A binary operation or predicate on operands of `width` bits; `result` is what the program got.
    pub fn binary(&self, op: Op, width: u32, a: Operand, b: Operand, result: Value) -> Value {
        if self.tracker.is_zero(a.label) && self.tracker.is_zero(b.label) {
            return self.zero();
        }
        if width > 64 {
            let own = if op.is_predicate() { 1 } else { width };
            return self.wide(op, own, width, &[a, b], result);
        }
        let meta = self.i32(op as u64 | u64::from(width) << 8);
        let (va, vb, vr) = (self.word(a.value), self.word(b.value), self.word(result));
        self.call(rt::BINARY, &[meta, a.label, b.label, va, vb, vr])
    }

    /// A unary operation from `from` bits to `to` bits.
    pub fn unary(&self, op: Op, from: u32, to: u32, a: Operand, result: Value) -> Value {
        if self.tracker.is_zero(a.label) {
            return self.zero();
        }
        if from > 64 || to > 64 {
            return self.wide(op, to, from, &[a], result);
        }
        let meta = self.i32(op as u64 | u64::from(to) << 8 | u64::from(from) << 20);
        self.call(rt::UNARY, &[meta, a.label, self.word(a.value), self.word(result)])
    }

    /// Operations with three operands or wide ones: values travel through memory.
    pub fn wide(&self, op: Op, to: u32, from: u32, operands: &[Operand], result: Value) -> Value {
        if operands.iter().all(|o| self.tracker.is_zero(o.label)) {
            return self.zero();
        }
        for (index, operand) in operands.iter().enumerate() {
            self.scratch(index, operand.value);
        }
        self.scratch(3, result);
        let label = |i: usize| operands.get(i).map_or(self.zero(), |o| o.label);
        let meta = self.i32(op as u64 | u64::from(to) << 8 | u64::from(from) << 20);
        self.call(rt::WIDE, &[meta, label(0), label(1), label(2)])
    }

    /// Leaves a value of at most 128 bits in slot `index` of the scratch area.
    pub fn scratch(&self, index: usize, value: Value) {
        let module = self.tracker.late.module;
        let area = self.tracker.late.runtime_global(rt::SCRATCH);
        let whole = self.builder.bits(value, 128);
        let low = self.builder.bits(whole, 64);
        let high = self.builder.bits(self.builder.lshr(whole, module.int_value(128, 64)), 64);
        self.builder.store(low, self.builder.offset(area, 16 * index as u64), 8);
        self.builder.store(high, self.builder.offset(area, 16 * index as u64 + 8), 8);
    }

    pub fn word(&self, value: Value) -> Value {
        self.builder.bits(value, 64)
    }

    /// A constant of the given width as an operand.
    pub fn constant(&self, width: u32, value: u64) -> Operand {
        Operand { label: self.zero(), value: self.tracker.late.module.int_value(width, value) }
    }

    pub fn negate(&self, label: Value, value: Value) -> Operand {
        let flipped = self.builder.xor(value, self.tracker.late.module.int_value(1, 1));
        let one = self.constant(1, 1);
        Operand { label: self.binary(Op::Xor, 1, Operand { label, value }, one, flipped), value: flipped }
    }

    /// `condition ? a : b` as a value, without a decision.
    pub fn choose(&self, width: u32, condition: Operand, a: Operand, b: Operand) -> Operand {
        let value = self.builder.select(condition.value, a.value, b.value);
        Operand { label: self.wide(Op::Select, width, width, &[condition, a, b], value), value }
    }

    /// Records a two-way decision.
    fn decide(&self, condition: Value) {
        let label = self.of(condition)[0];
        let taken = self.builder.bits(condition, 32);
        self.call(rt::BRANCH, &[label, self.site_value(), taken]);
    }

    /// A `select` on an input-dependent condition is a decision; the result is the side taken.
    fn select(&self, instruction: Value) -> Labels {
        let condition = instruction.operand(0);
        let (yes, no) = (self.of(instruction.operand(1)), self.of(instruction.operand(2)));
        if condition.ty().is_vector() {
            let all: Vec<Value> = self.of(condition);
            self.lost(Lost::Instruction, &all);
            return (yes.iter().zip(&no).enumerate())
                .map(|(lane, (a, b))| {
                    let taken = self.builder.extract_element(condition, lane as u32);
                    self.builder.select(taken, *a, *b)
                })
                .collect();
        }
        if !self.tracker.is_zero(self.of(condition)[0]) {
            self.decide(condition);
        }
        yes.iter().zip(&no).map(|(a, b)| if a == b { *a } else { self.builder.select(condition, *a, *b) }).collect()
    }

    /// Instructions that only move scalars about: labels move along.
    fn rearrange(&self, instruction: Value) -> Labels {
        use Opcode as O;
        let first = instruction.operand(0);
        match instruction.opcode() {
            O::LLVMExtractValue => {
                let (at, count) = self.leaf_range(first.ty(), &instruction.aggregate_indices());
                self.of(first).get(at..at + count).map_or_else(|| self.tracker.no_labels(instruction.ty()), |l| l.to_vec())
            }
            O::LLVMInsertValue => {
                let mut labels = self.of(first);
                let (at, count) = self.leaf_range(first.ty(), &instruction.aggregate_indices());
                let inserted = self.of(instruction.operand(1));
                if at + count <= labels.len() && inserted.len() == count {
                    labels.splice(at..at + count, inserted);
                }
                labels
            }
            O::LLVMExtractElement => {
                let lanes = self.of(first);
                let index = instruction.operand(1);
                match index.constant_value() {
                    Some(i) => vec![lanes.get(i as usize).copied().unwrap_or(self.zero())],
                    None => {
                        self.lost(Lost::Instruction, &self.of(index));
                        let pick = lanes.iter().enumerate().fold(self.zero(), |other, (lane, label)| {
                            let here = self.tracker.late.module;
                            let hit = self.builder.icmp(
                                crate::ir::IntPredicate::LLVMIntEQ,
                                self.builder.bits(index, 64),
                                here.int_value(64, lane as u64),
                            );
                            self.builder.select(hit, *label, other)
                        });
                        vec![pick]
                    }
                }
            }
            O::LLVMInsertElement => {
                let mut lanes = self.of(first);
                let label = self.of(instruction.operand(1))[0];
                let index = instruction.operand(2);
                match index.constant_value() {
                    Some(i) => {
                        if let Some(lane) = lanes.get_mut(i as usize) {
                            *lane = label;
                        }
                    }
                    None => {
                        self.lost(Lost::Instruction, &self.of(index));
                        for (lane, old) in lanes.iter_mut().enumerate() {
                            let hit = self.builder.icmp(
                                crate::ir::IntPredicate::LLVMIntEQ,
                                self.builder.bits(index, 64),
                                self.i64(lane as u64),
                            );
                            *old = self.builder.select(hit, label, *old);
                        }
                    }
                }
                lanes
            }
            _ => {
                let (a, b) = (self.of(first), self.of(instruction.operand(1)));
                let both: Labels = a.into_iter().chain(b).collect();
                let pick = |i: i32| both.get(i as usize).copied().unwrap_or(self.zero());
                instruction.shuffle_mask().into_iter().map(pick).collect()
            }
        }
    }

    /// Where the leaves of an element lie among those of its aggregate.
    fn leaf_range(&self, ty: Type, path: &[u32]) -> (usize, usize) {
        let mut at = 0;
        let mut here = ty;
        for &index in path {
            let elements = here.elements();
            at += elements[..index as usize].iter().map(|t| self.tracker.leaves(*t).len()).sum::<usize>();
            here = elements[index as usize];
        }
        (at, self.tracker.leaves(here).len())
    }

    /// Same bits, other type. Scalars keep their label; vectors are taken apart and put together.
    fn reinterpret(&self, instruction: Value) -> Labels {
        let source = instruction.operand(0);
        let labels = self.of(source);
        let (from, to) = (self.tracker.leaves(source.ty()), self.tracker.leaves(instruction.ty()));
        if from.len() == to.len() {
            return labels;
        }
        let bits: u32 = from.iter().map(|l| l.bits).sum();
        if bits > 128 || labels.is_empty() || to.is_empty() {
            self.lost(Lost::Instruction, &labels);
            return self.tracker.no_labels(instruction.ty());
        }
        let module = self.tracker.late.module;
        let whole_value = self.builder.bit_cast(source, module.int(bits));
        let mut low_bits = 0;
        let mut whole = Operand { label: self.zero(), value: whole_value };
        for (leaf, label) in from.iter().zip(labels) {
            let part = Operand { label, value: self.as_bits(leaf, leaf.of(self.builder, source)) };
            whole = if low_bits == 0 { part } else { self.concat(part, leaf.bits, whole, low_bits) };
            low_bits += leaf.bits;
        }
        let mut at = 0;
        let mut result = vec![];
        for leaf in &to {
            let shifted = self.builder.lshr(whole_value, module.int_value(bits, u64::from(at)));
            let value = self.builder.bits(shifted, leaf.bits);
            result.push(self.extract(whole, bits, at, leaf.bits, value));
            at += leaf.bits;
        }
        result
    }

    pub fn as_bits(&self, leaf: &Leaf, value: Value) -> Value {
        self.builder.bits(value, leaf.bits)
    }

    fn concat(&self, high: Operand, high_bits: u32, low: Operand, low_bits: u32) -> Operand {
        let module = self.tracker.late.module;
        let total = high_bits + low_bits;
        let shifted = self.builder.shl(self.builder.bits(high.value, total), module.int_value(total, u64::from(low_bits)));
        let value = self.builder.or(shifted, self.builder.bits(low.value, total));
        // Widths of the two parts: the low one in `meta`, the other is what is left of the total.
        Operand { label: self.wide(Op::Concat, total, low_bits, &[high, low], value), value }
    }

    /// `bits` bits of an operand from bit `at` on, as a shift and a cut.
    fn extract(&self, whole: Operand, width: u32, at: u32, bits: u32, value: Value) -> Value {
        if self.tracker.is_zero(whole.label) {
            return self.zero();
        }
        let module = self.tracker.late.module;
        let moved = match at {
            0 => whole,
            _ => {
                let shifted = self.builder.lshr(whole.value, module.int_value(width, u64::from(at)));
                let amount = self.constant(width, u64::from(at));
                Operand { label: self.binary(Op::LShr, width, whole, amount, shifted), value: shifted }
            }
        };
        if bits == width { moved.label } else { self.unary(Op::Extract, width, bits, moved, value) }
    }

    /// Everything else works on each lane by itself.
    fn lane_by_lane(&self, instruction: Value) -> Labels {
        let operands = instruction.operands();
        let labels: Vec<Labels> = operands.iter().map(|o| self.of(*o)).collect();
        let result_leaves = self.tracker.leaves(instruction.ty());
        let from: Vec<Vec<Leaf>> = operands.iter().map(|o| self.tracker.leaves(o.ty())).collect();
        let mut all = vec![];
        for (lane, leaf) in result_leaves.iter().enumerate() {
            let tracked = leaf.tracked && from.iter().all(|list| list.get(lane).is_some_and(|l| l.tracked));
            if !tracked {
                let lost: Vec<Value> = labels.iter().filter_map(|l| l.get(lane).copied()).collect();
                self.lost(loss(operands[0].ty(), instruction.ty()), &lost);
                all.push(self.zero());
                continue;
            }
            let scalars: Vec<Operand> = (0..operands.len())
                .map(|i| Operand { label: labels[i][lane], value: from[i][lane].of(self.builder, operands[i]) })
                .collect();
            let result = leaf.of(self.builder, instruction);
            all.push(self.scalar(instruction, &scalars, result));
        }
        all
    }
}

fn loss(operand: Type, result: Type) -> Lost {
    let is_odd_float = |t: Type| {
        use TypeKind as K;
        matches!(t.kind(), K::LLVMHalfTypeKind | K::LLVMBFloatTypeKind | K::LLVMX86_FP80TypeKind | K::LLVMFP128TypeKind)
    };
    if is_odd_float(operand) || is_odd_float(result) { Lost::Float } else { Lost::Instruction }
}
