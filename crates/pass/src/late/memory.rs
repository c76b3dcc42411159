//! Memory: the summary checks of the fast path, and loads, stores and block operations of the slow one.

use crate::ir::{Builder, IntPredicate, Opcode, Value, split_if};
use crate::late::labels::{Operand, Slot, Slots, Slow};
use crate::late::leaves::Leaf;
use crate::late::track::Tracker;
use llvm_sys::LLVMAtomicRMWBinOp as Rmw;
use symcrete_abi::functions as rt;
use symcrete_abi::layout::SUMMARY_BASE;
use symcrete_abi::{Lost, Op};

/// Up to this many bytes a memory block is checked inline, by whole words of its summary.
const INLINE_BYTES: u64 = 120;

impl Tracker<'_> {
    /// Pointer, size and known alignment of what an instruction of a segment touches.
    pub fn memory_access(&self, instruction: Value) -> Option<(Value, u64, u64)> {
        let module = self.late.module;
        let (pointer, ty) = match instruction.opcode() {
            Opcode::LLVMLoad if self.live.contains(&instruction) => (instruction.operand(0), instruction.ty()),
            Opcode::LLVMStore => (instruction.operand(1), instruction.operand(0).ty()),
            Opcode::LLVMAtomicRMW => (instruction.operand(0), instruction.ty()),
            Opcode::LLVMAtomicCmpXchg => (instruction.operand(0), instruction.operand(1).ty()),
            _ => return None,
        };
        Some((pointer, module.store_size(ty), u64::from(instruction.alignment())))
    }

    /// A number that is zero when no byte of the access is labelled.
    pub fn summary(&mut self, pointer: Value, size: u64, alignment: u64, at: Value) -> Value {
        let builder = Builder::before(self.late.module, at);
        let within_one = size == 1 || (size <= 8 && alignment >= size && size.is_power_of_two());
        let bytes = if within_one { 1 } else { size.div_ceil(8) + u64::from(alignment < 8 || !size.is_multiple_of(8)) };
        let first = self.summary_address(&builder, pointer, alignment);
        let load = |at: u64, bits: u32| builder.load(self.late.module.int(bits), builder.offset(first, at), 1);
        match bytes {
            1 => load(0, 8),
            2 => load(0, 16),
            3..=4 => load(0, 32),
            _ => (0..bytes.div_ceil(8)).map(|i| load(8 * i, 64)).reduce(|a, b| builder.or(a, b)).expect("at least one"),
        }
    }

    /// Eight aligned bytes, as a distance from a pointer that is itself aligned so.
    pub fn granule(&self, pointer: Value, alignment: u64) -> Option<(Value, i64)> {
        let (base, offset) = self.late.module.constant_offset(pointer).unwrap_or((pointer, 0));
        (alignment.is_multiple_of(8) && offset % 8 == 0 && !base.is_constant()).then_some((base, offset / 8))
    }

    fn summary_address(&mut self, builder: &Builder, pointer: Value, alignment: u64) -> Value {
        let Some((base, granule)) = self.granule(pointer, alignment) else {
            return self.summary_address_of(builder, pointer);
        };
        let first = match self.granules.get(&base) {
            Some(known) => *known,
            None => {
                let first = self.summary_address_of(builder, base);
                self.granules.insert(base, first);
                first
            }
        };
        builder.offset(first, granule as u64)
    }

    fn summary_address_of(&self, builder: &Builder, pointer: Value) -> Value {
        let address = builder.bits(pointer, 64);
        let granule = builder.lshr(address, self.late.i64(3));
        builder.int_to_ptr(builder.add(granule, self.late.i64(SUMMARY_BASE)), self.late.module.ptr())
    }

    /// Forgets the labels of a stack slot, if there are any.
    pub fn clear_memory(&mut self, pointer: Value, size: u64, at: Value) {
        if size == 0 {
            return;
        }
        let clear = self.late.runtime(rt::CLEAR);
        let arguments = [pointer, self.late.i64(size)];
        if size > INLINE_BYTES {
            Builder::before(self.late.module, at).call(clear, &arguments);
            return;
        }
        let any = self.summary(pointer, size, 1, at);
        let builder = Builder::before(self.late.module, at);
        let end = split_if(builder.is_not_null(any), at);
        Builder::before(self.late.module, end).call(clear, &arguments);
    }

    /// Labels follow the bytes of memcpy and memmove; `call` itself stays.
    pub fn copy(&mut self, call: Value, site: u32) {
        let a = call.arguments();
        let labels: Vec<Value> = a[..3].iter().map(|v| self.labels_of(*v)[0]).collect();
        let at = match a[2].constant_value() {
            Some(n) if n as u64 <= INLINE_BYTES && labels.iter().all(|l| self.is_zero(*l)) => {
                if n == 0 {
                    return;
                }
                let from = self.summary(a[1], n as u64, 1, call);
                let to = self.summary(a[0], n as u64, 1, call);
                let builder = Builder::before(self.late.module, call);
                split_if(builder.is_not_null(builder.or(from, to)), call)
            }
            _ => call,
        };
        let builder = Builder::before(self.late.module, at);
        let n = builder.bits(a[2], 64);
        let site = self.site_value(&builder, site);
        self.show_path(&builder);
        let copy = self.late.runtime(rt::COPY);
        builder.call(copy, &[a[0], a[1], n, labels[0], labels[1], labels[2], site]);
    }

    pub fn fill(&mut self, call: Value, site: u32) {
        let a = call.arguments();
        let labels: Vec<Value> = a[..3].iter().map(|v| self.labels_of(*v)[0]).collect();
        let at = match a[2].constant_value() {
            Some(n) if n as u64 <= INLINE_BYTES && labels.iter().all(|l| self.is_zero(*l)) => {
                if n == 0 {
                    return;
                }
                let to = self.summary(a[0], n as u64, 1, call);
                let builder = Builder::before(self.late.module, call);
                split_if(builder.is_not_null(to), call)
            }
            _ => call,
        };
        let builder = Builder::before(self.late.module, at);
        let n = builder.bits(a[2], 64);
        let site = self.site_value(&builder, site);
        self.show_path(&builder);
        let fill = self.late.runtime(rt::FILL);
        builder.call(fill, &[a[0], n, labels[1], labels[0], labels[2], site]);
    }

    pub fn site_value(&self, builder: &Builder, site: u32) -> Value {
        let base = builder.load(self.late.module.int(32), self.late.site_base, 4);
        builder.add(base, self.late.i32(u64::from(site)))
    }
}

impl Slow<'_, '_> {
    pub fn load(&mut self, load: Value) -> Slots {
        let pointer = load.operand(0);
        let pointer_label = self.of(pointer)[0];
        self.anywhere |= pointer_label != Slot::None;
        self.read(pointer, pointer_label, load, load.is_volatile())
    }

    /// Labels of the bytes at `pointer` that the program found to be `value`.
    /// `fixed`: the address is fixed to its value if it depends on input.
    fn read(&mut self, pointer: Value, pointer_label: Slot, value: Value, fixed: bool) -> Slots {
        let mut all = vec![];
        let leaves = self.tracker.leaves(value.ty());
        let fixed = fixed || leaves.len() > 1;
        for (index, leaf) in leaves.iter().enumerate() {
            // One address, one note that it was fixed.
            let pointer_label = if index == 0 { pointer_label } else { Slot::None };
            let label =
                if leaf.tracked { self.read_leaf(pointer, pointer_label, leaf, value, fixed) } else { Slot::None };
            all.push(label);
        }
        all
    }

    fn read_leaf(&mut self, pointer: Value, pointer_label: Slot, leaf: &Leaf, value: Value, fixed: bool) -> Slot {
        let at = self.builder.offset(pointer, leaf.offset);
        let scalar = leaf.of(&self.builder, value);
        if !fixed && pointer_label != Slot::None {
            self.name_object(pointer);
        }
        let label = self.load_label(at, pointer_label, leaf.size(), scalar, fixed);
        let stored = (leaf.size() * 8) as u32;
        if stored == leaf.bits {
            return label;
        }
        // Odd widths lie zero-extended in memory.
        let whole = Operand { label, value: self.builder.bits(scalar, stored) };
        self.unary(Op::Extract, stored, leaf.bits, whole, scalar)
    }

    pub fn store(&mut self, store: Value) -> Slots {
        let (value, pointer) = (store.operand(0), store.operand(1));
        let pointer_label = self.of(pointer)[0];
        let labels = self.of(value);
        if labels.is_empty() {
            // Too large to follow scalar by scalar: the memory at least forgets what was there.
            let size = self.tracker.late.module.store_size(value.ty());
            self.clear_label(pointer, size);
        } else {
            let before = self.before(store, pointer_label);
            self.write(pointer, pointer_label, value, &labels, before);
        }
        vec![]
    }

    /// What a store overwrites, where its address may depend on input (then every place it could have hit keeps
    /// its old value or gets the new one) or an earlier load's of the segment may (which is looked at after the
    /// store). A load of its own, right before the store.
    fn before(&self, store: Value, pointer_label: Slot) -> Option<Value> {
        let (value, pointer) = (store.operand(0), store.operand(1));
        let module = self.tracker.late.module;
        let leaves = self.tracker.leaves(value.ty());
        let [leaf] = &leaves[..] else { return None };
        let needed = pointer_label != Slot::None || self.anywhere;
        if !needed || leaf.size() > 8 || store.is_volatile() {
            return None;
        }
        let ty = module.int((leaf.size() * 8) as u32);
        Some(Builder::before(module, store).load(ty, pointer, store.alignment()))
    }

    /// Tells the runtime which variable the next access is meant for, if the code says so.
    fn name_object(&mut self, pointer: Value) {
        let module = self.tracker.late.module;
        let mut base = pointer;
        while let Some(next) = base.gep_base() {
            base = next;
        }
        let size = if base.is_alloca() {
            let count = base.operand(0).constant_value().unwrap_or(0);
            module.abi_size(base.allocated_type()).saturating_mul(count as u64)
        } else if base.is_global_variable() {
            module.abi_size(base.held_type())
        } else {
            0
        };
        if size > 0 && size < 1 << 31 {
            self.object(base, size as u32);
        }
    }

    fn write(&mut self, pointer: Value, pointer_label: Slot, value: Value, labels: &[Slot], before: Option<Value>) {
        let leaves = self.tracker.leaves(value.ty());
        for (index, (leaf, label)) in leaves.iter().zip(labels).enumerate() {
            let pointer_label = if index == 0 { pointer_label } else { Slot::None };
            let at = self.builder.offset(pointer, leaf.offset);
            let stored = (leaf.size() * 8) as u32;
            let label = if stored == leaf.bits || *label == Slot::None {
                *label
            } else {
                let scalar = leaf.of(&self.builder, value);
                let wide = self.builder.bits(scalar, stored);
                self.unary(Op::ZExt, leaf.bits, stored, Operand { label: *label, value: scalar }, wide)
            };
            if before.is_some() {
                self.name_object(pointer);
            }
            self.store_label(at, pointer_label, leaf.size(), label, before);
        }
    }

    /// Read, change and write at once; with one thread that is a load, an operation and a store.
    pub fn atomic(&mut self, instruction: Value) -> Slots {
        let (pointer, operand) = (instruction.operand(0), instruction.operand(1));
        let pointer_label = self.of(pointer)[0];
        let before = self.read(pointer, pointer_label, instruction, true)[0];
        let old = Operand { label: before, value: instruction };
        let given = Operand { label: self.of(operand)[0], value: operand };
        let width = self.width(instruction);
        let (op, opcode) = match instruction.atomic_operation() {
            Rmw::LLVMAtomicRMWBinOpXchg => {
                self.write(pointer, Slot::None, operand, &[given.label], None);
                return vec![before];
            }
            Rmw::LLVMAtomicRMWBinOpAdd => (Op::Add, Opcode::LLVMAdd),
            Rmw::LLVMAtomicRMWBinOpSub => (Op::Sub, Opcode::LLVMSub),
            Rmw::LLVMAtomicRMWBinOpAnd => (Op::And, Opcode::LLVMAnd),
            Rmw::LLVMAtomicRMWBinOpOr => (Op::Or, Opcode::LLVMOr),
            Rmw::LLVMAtomicRMWBinOpXor => (Op::Xor, Opcode::LLVMXor),
            other => {
                let label = self.atomic_choice(other, width, old, given);
                self.write(pointer, Slot::None, operand, &[label], None);
                return vec![before];
            }
        };
        let value = self.builder.binary(opcode, instruction, operand);
        let label = self.binary(op, width, old, given, value);
        self.write(pointer, Slot::None, operand, &[label], None);
        vec![before]
    }

    fn atomic_choice(&mut self, operation: Rmw, width: u32, old: Operand, given: Operand) -> Slot {
        let predicate = match operation {
            Rmw::LLVMAtomicRMWBinOpMax => IntPredicate::LLVMIntSGT,
            Rmw::LLVMAtomicRMWBinOpMin => IntPredicate::LLVMIntSLT,
            Rmw::LLVMAtomicRMWBinOpUMax => IntPredicate::LLVMIntUGT,
            Rmw::LLVMAtomicRMWBinOpUMin => IntPredicate::LLVMIntULT,
            _ => {
                self.lost(Lost::Instruction, &[old.label, given.label]);
                return Slot::None;
            }
        };
        let value = self.builder.icmp(predicate, old.value, given.value);
        let condition = Operand { label: self.compare(predicate, width, &[old, given], value), value };
        self.choose(width, condition, old, given).label
    }

    /// Compare and exchange: whether it succeeds is a decision.
    pub fn exchange(&mut self, instruction: Value) -> Slots {
        let (pointer, expected, wanted) = (instruction.operand(0), instruction.operand(1), instruction.operand(2));
        let old_value = self.builder.extract_value(instruction, 0);
        let success = self.builder.extract_value(instruction, 1);
        let pointer_label = self.of(pointer)[0];
        let old = Operand { label: self.read(pointer, pointer_label, old_value, true)[0], value: old_value };
        let expected = Operand { label: self.of(expected)[0], value: expected };
        let width = self.width(old_value);
        let equal = self.binary(Op::Eq, width, old, expected, success);
        self.decide(Operand { label: equal, value: success });
        let new = self.of(wanted)[0];
        let stored = self.pick(success, new, old.label);
        self.write(pointer, Slot::None, wanted, &[stored], None);
        vec![old.label, equal]
    }
}
