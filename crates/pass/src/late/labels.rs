//! The slow block: what label each instruction of a segment gets. All values are live SSA values of the
//! body, so what the runtime records is what the program really computed.

use crate::ir::{Builder, Opcode, Type, TypeKind, Value};
use crate::late::leaves::Leaf;
use crate::late::track::Tracker;
use rustc_hash::FxHashMap;
use symcrete_abi::functions as rt;
use symcrete_abi::segment::{Code, NONE, first, reference};
use symcrete_abi::{Lost, Op};

/// A label inside a slow block: a slot of the frame, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    None,
    At(u16),
}

impl Slot {
    fn number(self) -> u16 {
        match self {
            Slot::None => NONE,
            Slot::At(slot) => slot,
        }
    }
}

/// Labels of one value inside a slow block, one per leaf.
pub type Slots = Vec<Slot>;

/// A slow block being written: stores of values and labels, and the segment program that uses them.
pub struct Slow<'a, 'b> {
    pub tracker: &'a mut Tracker<'b>,
    pub builder: Builder,
    /// Site of the instruction at hand.
    pub site: Option<u32>,
    /// Whether the call at hand is of LLVM's own, not of the C library.
    pub is_intrinsic: bool,
    program: Vec<u32>,
    /// Labels of the segment's own instructions.
    known: FxHashMap<Value, Slots>,
    /// A load of the segment may be at an address that depends on input.
    pub anywhere: bool,
    /// Slots of labels and values from outside, stored once.
    stored: FxHashMap<(Value, bool), u16>,
    next_slot: u16,
    /// The last binary operation: where it stands in the program, where it ends, the slot of its label.
    last_binary: Option<(usize, usize, u16)>,
    /// Where the program's last word is the end of a test.
    ends_with_test: Option<(usize, usize)>,
}

/// A scalar on its way into an operation: its label and its bits.
#[derive(Clone, Copy)]
pub struct Operand {
    pub label: Slot,
    pub value: Value,
}

impl Slow<'_, '_> {
    pub fn new<'a, 'b>(tracker: &'a mut Tracker<'b>, builder: Builder) -> Slow<'a, 'b> {
        Slow {
            tracker,
            builder,
            site: None,
            is_intrinsic: false,
            program: vec![],
            known: FxHashMap::default(),
            anywhere: false,
            stored: FxHashMap::default(),
            next_slot: 0,
            last_binary: None,
            ends_with_test: None,
        }
    }

    /// Writes the instruction's part of the program.
    pub fn add(&mut self, instruction: Value, site: Option<u32>) {
        self.site = site;
        let labels = self.labels(instruction);
        self.known.insert(instruction, labels);
    }

    /// Ends the program and calls the runtime; afterwards labels can be read from the frame.
    pub fn finish(&mut self) {
        match self.ends_with_test {
            Some((start, end)) if end == self.program.len() => self.program[start] |= first(Code::End, 0, 0, 1),
            _ => self.program.push(first(Code::End, 0, 0, 0)),
        }
        let program = self.tracker.late.program(&self.program);
        let frame = self.tracker.frame(self.next_slot);
        let bits = self.tracker.path_bits(&self.builder);
        let call = self.builder.call(self.tracker.late.runtime(rt::SEGMENT), &[program, frame, bits]);
        call.set_convention(crate::ir::PRESERVE_MOST);
    }

    /// The labels of an instruction of the segment as values, after `finish`.
    pub fn read_back(&mut self, instruction: Value) -> Option<Vec<Value>> {
        let slots = self.known.get(&instruction)?.clone();
        let int = self.tracker.late.module.int(32);
        Some(
            slots
                .into_iter()
                .map(|slot| match slot {
                    Slot::None => self.tracker.zero(),
                    Slot::At(number) => {
                        let frame = self.tracker.frame(number + 1);
                        self.builder.load(int, self.builder.offset(frame, 8 * u64::from(number)), 8)
                    }
                })
                .collect(),
        )
    }

    fn labels(&mut self, instruction: Value) -> Slots {
        use Opcode as O;
        match instruction.opcode() {
            O::LLVMLoad => self.load(instruction),
            O::LLVMStore => self.store(instruction),
            O::LLVMAtomicRMW => self.atomic(instruction),
            O::LLVMAtomicCmpXchg => self.exchange(instruction),
            O::LLVMBr => {
                let condition = instruction.condition();
                let label = self.of(condition)[0];
                self.decide(Operand { label, value: condition });
                vec![]
            }
            O::LLVMSwitch => {
                let label = self.of(instruction.condition())[0];
                self.program.push(first(Code::Switch, 0, 0, 0));
                self.program.push(reference(label.number(), NONE));
                self.push_site();
                vec![]
            }
            O::LLVMSelect => self.select(instruction),
            O::LLVMGetElementPtr => self.address(instruction),
            O::LLVMCall => self.intrinsic(instruction),
            O::LLVMFreeze | O::LLVMAddrSpaceCast => self.of(instruction.operand(0)),
            O::LLVMExtractValue
            | O::LLVMInsertValue
            | O::LLVMExtractElement
            | O::LLVMInsertElement
            | O::LLVMShuffleVector => self.rearrange(instruction),
            O::LLVMBitCast => self.reinterpret(instruction),
            _ => self.lane_by_lane(instruction),
        }
    }

    /// Labels of a value, inside the slow block.
    pub fn of(&mut self, value: Value) -> Slots {
        if let Some(slots) = self.known.get(&value) {
            return slots.clone();
        }
        self.tracker.labels_of(value).into_iter().map(|label| self.import(label)).collect()
    }

    /// A label from outside gets a slot of its own.
    fn import(&mut self, label: Value) -> Slot {
        if self.tracker.is_zero(label) { Slot::None } else { Slot::At(self.keep(label, false)) }
    }

    /// Stores a value into the frame, once.
    fn keep(&mut self, value: Value, wide: bool) -> u16 {
        if let Some(slot) = self.stored.get(&(value, wide)) {
            return *slot;
        }
        let slot = self.fresh(if wide { 2 } else { 1 });
        let frame = self.tracker.frame(self.next_slot);
        let at = self.builder.offset(frame, 8 * u64::from(slot));
        // As it is: the runtime knows every width and looks at no other bits.
        let stored = if wide { self.builder.bits(value, 128) } else { value };
        self.builder.store(stored, at, 8);
        self.stored.insert((value, wide), slot);
        slot
    }

    fn fresh(&mut self, slots: u16) -> u16 {
        let slot = self.next_slot;
        self.next_slot += slots;
        slot
    }

    /// Appends a reference; constants travel in the program itself.
    fn push_reference(&mut self, label: Slot, value: Value, wide: bool) {
        match value.constant_value() {
            Some(constant) => {
                self.program.push(reference(label.number(), NONE));
                self.program.extend([constant as u32, (constant >> 32) as u32]);
                if wide {
                    self.program.extend([(constant >> 64) as u32, (constant >> 96) as u32]);
                }
            }
            None => {
                let slot = self.keep(value, wide);
                self.program.push(reference(label.number(), slot));
            }
        }
    }

    fn push_site(&mut self) {
        self.program.push(self.site.unwrap_or(0));
    }

    pub fn i64(&self, value: u64) -> Value {
        self.tracker.late.i64(value)
    }

    pub fn lost(&mut self, what: Lost, labels: &[Slot]) {
        let labels: Vec<Slot> = labels.iter().copied().filter(|l| *l != Slot::None).take(255).collect();
        if labels.is_empty() {
            return;
        }
        self.program.push(first(Code::Lost, what as u8, labels.len() as u8, 0));
        self.push_site();
        self.program.extend(labels.iter().map(|l| reference(l.number(), NONE)));
    }

    /// A binary operation or predicate on operands of `width` bits; `result` is what the program got.
    pub fn binary(&mut self, op: Op, width: u32, a: Operand, b: Operand, result: Value) -> Slot {
        if a.label == Slot::None && b.label == Slot::None {
            return Slot::None;
        }
        if width > 64 {
            let own = if op.is_predicate() { 1 } else { width };
            return self.wide(op, own, width, &[a, b], result);
        }
        let slot = self.fresh(1);
        let in_frame = |value: Value| value.constant_value().is_none();
        let constant = a.label != Slot::None
            && b.label == Slot::None
            && in_frame(result)
            && in_frame(a.value)
            && !in_frame(b.value);
        let start = self.program.len();
        self.program.push(first(if constant { Code::Constant } else { Code::Binary }, op as u8, width as u8, 0));
        self.push_reference(Slot::At(slot), result, false);
        self.push_reference(a.label, a.value, false);
        self.push_reference(b.label, b.value, false);
        self.last_binary = Some((start, self.program.len(), slot));
        Slot::At(slot)
    }

    /// A unary operation from `from` bits to `to` bits.
    pub fn unary(&mut self, op: Op, from: u32, to: u32, a: Operand, result: Value) -> Slot {
        if a.label == Slot::None {
            return Slot::None;
        }
        if from > 64 || to > 64 {
            return self.wide(op, to, from, &[a], result);
        }
        let slot = Slot::At(self.fresh(1));
        self.program.push(first(Code::Unary, op as u8, to as u8, from as u8));
        self.push_reference(slot, result, false);
        self.push_reference(a.label, a.value, false);
        slot
    }

    /// Operations with three operands or wide ones.
    pub fn wide(&mut self, op: Op, to: u32, from: u32, operands: &[Operand], result: Value) -> Slot {
        if operands.iter().all(|o| o.label == Slot::None) {
            return Slot::None;
        }
        let slot = Slot::At(self.fresh(1));
        self.program.push(first(Code::Wide, op as u8, to as u8, from as u8));
        self.push_reference(slot, result, true);
        let unused = Operand { label: Slot::None, value: self.i64(0) };
        for i in 0..3 {
            let operand = operands.get(i).copied().unwrap_or(unused);
            self.push_reference(operand.label, operand.value, true);
        }
        slot
    }

    /// A call of a function of the mathematical library, by its number.
    pub fn native(&mut self, number: u8, operands: &[Operand], result: Value) -> Slot {
        if operands.iter().all(|o| o.label == Slot::None) {
            return Slot::None;
        }
        let slot = Slot::At(self.fresh(1));
        self.program.push(first(Code::Native, operands.len() as u8, number, 0));
        self.push_reference(slot, result, false);
        for operand in operands {
            self.push_reference(operand.label, operand.value, false);
        }
        slot
    }

    /// `condition ? a : b` on labels.
    pub fn pick(&mut self, condition: Value, a: Slot, b: Slot) -> Slot {
        if a == b {
            return a;
        }
        let to = Slot::At(self.fresh(1));
        self.program.push(first(Code::Pick, 0, 0, 0));
        self.push_reference(to, condition, false);
        self.program.push(reference(a.number(), b.number()));
        to
    }

    /// The label where its value means the same to the program and to the theory, else none, counted.
    pub fn keep_if(&mut self, defined: Value, label: Slot) -> Slot {
        if label == Slot::None {
            return label;
        }
        let to = Slot::At(self.fresh(1));
        self.program.push(first(Code::Keep, Lost::Undefined as u8, 0, 0));
        self.push_reference(to, defined, false);
        self.program.push(reference(label.number(), NONE));
        self.push_site();
        to
    }

    /// `fixed`: an address that depends on input is fixed to its value.
    pub fn load_label(&mut self, pointer: Value, pointer_label: Slot, size: u64, value: Value, fixed: bool) -> Slot {
        let to = Slot::At(self.fresh(1));
        let plain = size <= 8
            && pointer_label == Slot::None
            && pointer.constant_value().is_none()
            && value.constant_value().is_none();
        self.program.push(first(if plain { Code::Read } else { Code::Load }, size as u8, fixed as u8, 0));
        self.push_reference(to, value, size > 8);
        self.push_reference(pointer_label, pointer, false);
        self.push_site();
        to
    }

    /// `before`: what was there, where that is known.
    pub fn store_label(&mut self, pointer: Value, pointer_label: Slot, size: u64, label: Slot, before: Option<Value>) {
        self.program.push(first(Code::Store, size as u8, before.is_some() as u8, 0));
        self.program.push(reference(label.number(), NONE));
        if let Some(before) = before {
            self.push_reference(Slot::None, before, false);
        }
        self.push_reference(pointer_label, pointer, false);
        self.push_site();
    }

    /// The next access is meant for this object.
    pub fn object(&mut self, base: Value, size: u32) {
        self.program.push(first(Code::Object, 0, 0, 0));
        self.push_reference(Slot::None, base, false);
        self.program.push(size);
    }

    pub fn clear_label(&mut self, pointer: Value, size: u64) {
        self.program.push(first(Code::Clear, 0, 0, 0));
        self.push_reference(Slot::None, pointer, false);
        self.program.extend([size as u32, 0]);
    }

    /// A constant of the given width as an operand.
    pub fn constant(&self, width: u32, value: u64) -> Operand {
        Operand { label: Slot::None, value: self.tracker.late.module.int_value(width, value) }
    }

    pub fn negate(&mut self, label: Slot, value: Value) -> Operand {
        let flipped = self.builder.xor(value, self.tracker.late.module.int_value(1, 1));
        let one = self.constant(1, 1);
        Operand { label: self.binary(Op::Xor, 1, Operand { label, value }, one, flipped), value: flipped }
    }

    /// `condition ? a : b` as a value, without a decision.
    pub fn choose(&mut self, width: u32, condition: Operand, a: Operand, b: Operand) -> Operand {
        let value = self.builder.select(condition.value, a.value, b.value);
        Operand { label: self.wide(Op::Select, width, width, &[condition, a, b], value), value }
    }

    /// Records a two-way decision.
    pub fn decide(&mut self, condition: Operand) {
        if condition.label == Slot::None {
            return;
        }
        if let Some((start, end, slot)) = self.last_binary
            && end == self.program.len()
            && condition.label == Slot::At(slot)
        {
            // Decided right where it was computed.
            let [code, x, y, z] = self.program[start].to_le_bytes();
            let test = if code == Code::Constant as u8 { Code::TestConstant } else { Code::Test };
            self.program[start] = first(test, x, y, z);
            self.push_site();
            self.ends_with_test = Some((start, self.program.len()));
            return;
        }
        self.program.push(first(Code::Branch, 0, 0, 0));
        self.push_reference(condition.label, condition.value, false);
        self.push_site();
    }

    /// A `select` on an input-dependent condition is a decision; the result is the side taken.
    fn select(&mut self, instruction: Value) -> Slots {
        let condition = instruction.operand(0);
        let (yes, no) = (self.of(instruction.operand(1)), self.of(instruction.operand(2)));
        let decided = self.of(condition);
        if condition.ty().is_vector() {
            self.lost(Lost::Instruction, &decided);
            return (yes.iter().zip(&no).enumerate())
                .map(|(lane, (a, b))| {
                    let taken = self.builder.extract_element(condition, lane as u32);
                    self.pick(taken, *a, *b)
                })
                .collect();
        }
        self.decide(Operand { label: decided[0], value: condition });
        yes.iter().zip(&no).map(|(a, b)| self.pick(condition, *a, *b)).collect()
    }

    /// Instructions that only move scalars about: labels move along.
    fn rearrange(&mut self, instruction: Value) -> Slots {
        use Opcode as O;
        let from = instruction.operand(0);
        match instruction.opcode() {
            O::LLVMExtractValue => {
                let (at, count) = self.leaf_range(from.ty(), &instruction.aggregate_indices());
                let all = self.of(from);
                all.get(at..at + count).map_or_else(|| self.nothing(instruction.ty()), <[Slot]>::to_vec)
            }
            O::LLVMInsertValue => {
                let mut labels = self.of(from);
                let (at, count) = self.leaf_range(from.ty(), &instruction.aggregate_indices());
                let inserted = self.of(instruction.operand(1));
                if at + count <= labels.len() && inserted.len() == count {
                    labels.splice(at..at + count, inserted);
                }
                labels
            }
            O::LLVMExtractElement => {
                let lanes = self.of(from);
                let index = instruction.operand(1);
                if let Some(i) = index.constant_value() {
                    return vec![lanes.get(i as usize).copied().unwrap_or(Slot::None)];
                }
                let moved = self.of(index);
                self.lost(Lost::Instruction, &moved);
                let mut picked = Slot::None;
                for (lane, label) in lanes.into_iter().enumerate() {
                    let hit = self.is_lane(index, lane);
                    picked = self.pick(hit, label, picked);
                }
                vec![picked]
            }
            O::LLVMInsertElement => {
                let mut lanes = self.of(from);
                let label = self.of(instruction.operand(1))[0];
                let index = instruction.operand(2);
                if let Some(i) = index.constant_value() {
                    if let Some(lane) = lanes.get_mut(i as usize) {
                        *lane = label;
                    }
                    return lanes;
                }
                let moved = self.of(index);
                self.lost(Lost::Instruction, &moved);
                for (lane, old) in lanes.iter_mut().enumerate() {
                    let hit = self.is_lane(index, lane);
                    *old = self.pick(hit, label, *old);
                }
                lanes
            }
            _ => {
                let both: Slots = [self.of(from), self.of(instruction.operand(1))].concat();
                let pick = |i: i32| both.get(i as usize).copied().unwrap_or(Slot::None);
                instruction.shuffle_mask().into_iter().map(pick).collect()
            }
        }
    }

    fn is_lane(&self, index: Value, lane: usize) -> Value {
        self.builder.icmp(crate::ir::IntPredicate::LLVMIntEQ, self.builder.bits(index, 64), self.i64(lane as u64))
    }

    /// No labels for a value of this type.
    pub fn nothing(&self, ty: Type) -> Slots {
        vec![Slot::None; self.tracker.leaves(ty).len()]
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
    fn reinterpret(&mut self, instruction: Value) -> Slots {
        let source = instruction.operand(0);
        let labels = self.of(source);
        let (from, to) = (self.tracker.leaves(source.ty()), self.tracker.leaves(instruction.ty()));
        if from.len() == to.len() {
            return labels;
        }
        let bits: u32 = from.iter().map(|l| l.bits).sum();
        if bits > 128 || labels.is_empty() || to.is_empty() {
            self.lost(Lost::Instruction, &labels);
            return self.nothing(instruction.ty());
        }
        let module = self.tracker.late.module;
        let whole_value = self.builder.bit_cast(source, module.int(bits));
        let mut low_bits = 0;
        let mut whole = Operand { label: Slot::None, value: whole_value };
        for (leaf, label) in from.iter().zip(labels) {
            let part = Operand { label, value: self.as_bits(leaf, leaf.of(&self.builder, source)) };
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

    fn concat(&mut self, high: Operand, high_bits: u32, low: Operand, low_bits: u32) -> Operand {
        let module = self.tracker.late.module;
        let total = high_bits + low_bits;
        let shifted =
            self.builder.shl(self.builder.bits(high.value, total), module.int_value(total, u64::from(low_bits)));
        let value = self.builder.or(shifted, self.builder.bits(low.value, total));
        // Widths of the two parts: the low one in `meta`, the other is what is left of the total.
        Operand { label: self.wide(Op::Concat, total, low_bits, &[high, low], value), value }
    }

    /// `bits` bits of an operand from bit `at` on, as a shift and a cut.
    fn extract(&mut self, whole: Operand, width: u32, at: u32, bits: u32, value: Value) -> Slot {
        if whole.label == Slot::None {
            return Slot::None;
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
    fn lane_by_lane(&mut self, instruction: Value) -> Slots {
        let operands = instruction.operands();
        let labels: Vec<Slots> = operands.iter().map(|o| self.of(*o)).collect();
        let result_leaves = self.tracker.leaves(instruction.ty());
        let from: Vec<Vec<Leaf>> = operands.iter().map(|o| self.tracker.leaves(o.ty())).collect();
        let mut all = vec![];
        for (lane, leaf) in result_leaves.iter().enumerate() {
            let tracked = leaf.tracked && from.iter().all(|list| list.get(lane).is_some_and(|l| l.tracked));
            if !tracked {
                let lost: Slots = labels.iter().filter_map(|l| l.get(lane).copied()).collect();
                self.lost(loss(operands[0].ty(), instruction.ty()), &lost);
                all.push(Slot::None);
                continue;
            }
            let scalars: Vec<Operand> = (0..operands.len())
                .map(|i| Operand { label: labels[i][lane], value: from[i][lane].of(&self.builder, operands[i]) })
                .collect();
            let result = leaf.of(&self.builder, instruction);
            let label = self.scalar(instruction, &scalars, result);
            all.push(label);
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
