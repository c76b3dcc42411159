//! Memory: the summary checks of the fast path, and loads, stores and block operations of the slow one.

use crate::ir::{Builder, IntPredicate, Opcode, Value, split_if};
use crate::late::labels::{Operand, Slow};
use crate::late::leaves::Leaf;
use crate::late::track::{Labels, Tracker};
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
    pub fn summary(&self, pointer: Value, size: u64, alignment: u64, at: Value) -> Value {
        let builder = Builder::before(self.late.module, at);
        let within_one = size == 1 || (size <= 8 && alignment >= size && size.is_power_of_two());
        let bytes = if within_one { 1 } else { size.div_ceil(8) + u64::from(alignment < 8 || size % 8 != 0) };
        let first = self.summary_address(&builder, pointer);
        let load = |at: u64, bits: u32| builder.load(self.late.module.int(bits), builder.offset(first, at), 1);
        match bytes {
            1 => load(0, 8),
            2 => load(0, 16),
            3..=4 => load(0, 32),
            _ => (0..bytes.div_ceil(8)).map(|i| load(8 * i, 64)).reduce(|a, b| builder.or(a, b)).expect("at least one"),
        }
    }

    fn summary_address(&self, builder: &Builder, pointer: Value) -> Value {
        let address = builder.bits(pointer, 64);
        let granule = builder.lshr(address, self.late.i64(3));
        builder.int_to_ptr(builder.add(granule, self.late.i64(SUMMARY_BASE)), self.late.module.ptr())
    }

    /// Forgets the labels of a stack slot, if there are any.
    pub fn clear_memory(&self, pointer: Value, size: u64, at: Value) {
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
        let fill = self.late.runtime(rt::FILL);
        builder.call(fill, &[a[0], n, labels[1], labels[0], labels[2], site]);
    }

    pub fn site_value(&self, builder: &Builder, site: u32) -> Value {
        let base = builder.load(self.late.module.int(32), self.late.site_base, 4);
        builder.add(base, self.late.i32(u64::from(site)))
    }
}

impl Slow<'_, '_> {
    pub fn load(&self, load: Value) -> Labels {
        let pointer = load.operand(0);
        let pointer_label = self.of(pointer)[0];
        self.read(pointer, pointer_label, load)
    }

    /// Labels of the bytes at `pointer` that the program found to be `value`.
    fn read(&self, pointer: Value, pointer_label: Value, value: Value) -> Labels {
        let leaves = self.tracker.leaves(value.ty());
        (leaves.iter().enumerate())
            .map(|(index, leaf)| {
                // One address, one note that it was fixed.
                let pointer_label = if index == 0 { pointer_label } else { self.zero() };
                if leaf.tracked { self.read_leaf(pointer, pointer_label, leaf, value) } else { self.zero() }
            })
            .collect()
    }

    fn read_leaf(&self, pointer: Value, pointer_label: Value, leaf: &Leaf, value: Value) -> Value {
        let at = self.builder.offset(pointer, leaf.offset);
        let scalar = leaf.of(self.builder, value);
        let size = self.i32(leaf.size());
        let label = if leaf.size() <= 8 {
            self.call(rt::LOAD, &[at, size, pointer_label, self.site_value(), self.word(scalar)])
        } else {
            self.scratch(3, scalar);
            self.call(rt::LOAD_WIDE, &[at, size, pointer_label, self.site_value()])
        };
        let stored = (leaf.size() * 8) as u32;
        if stored == leaf.bits {
            return label;
        }
        // Odd widths lie zero-extended in memory.
        let whole = Operand { label, value: self.builder.bits(scalar, stored) };
        self.unary(Op::Extract, stored, leaf.bits, whole, scalar)
    }

    pub fn store(&self, store: Value) -> Labels {
        let (value, pointer) = (store.operand(0), store.operand(1));
        let pointer_label = self.of(pointer)[0];
        let labels = self.of(value);
        if labels.is_empty() {
            // Too large to follow scalar by scalar: the memory at least forgets what was there.
            let size = self.tracker.late.module.store_size(value.ty());
            self.call(rt::CLEAR, &[pointer, self.i64(size)]);
            return vec![];
        }
        self.write(pointer, pointer_label, value, &labels);
        vec![]
    }

    fn write(&self, pointer: Value, pointer_label: Value, value: Value, labels: &[Value]) {
        let leaves = self.tracker.leaves(value.ty());
        for (index, (leaf, label)) in leaves.iter().zip(labels).enumerate() {
            let pointer_label = if index == 0 { pointer_label } else { self.zero() };
            let at = self.builder.offset(pointer, leaf.offset);
            let stored = (leaf.size() * 8) as u32;
            let label = if stored == leaf.bits || self.tracker.is_zero(*label) {
                *label
            } else {
                let scalar = leaf.of(self.builder, value);
                let wide = self.builder.bits(scalar, stored);
                self.unary(Op::ZExt, leaf.bits, stored, Operand { label: *label, value: scalar }, wide)
            };
            let size = self.i32(leaf.size());
            self.call(rt::STORE, &[at, size, label, pointer_label, self.site_value()]);
        }
    }

    /// Read, change and write at once; with one thread that is a load, an operation and a store.
    pub fn atomic(&self, instruction: Value) -> Labels {
        let (pointer, operand) = (instruction.operand(0), instruction.operand(1));
        let pointer_label = self.of(pointer)[0];
        let before = self.read(pointer, pointer_label, instruction)[0];
        let (old, new) = (Operand { label: before, value: instruction }, self.of(operand)[0]);
        let given = Operand { label: new, value: operand };
        let width = self.width(instruction);
        let b = self.builder;
        let plain = |op: Op, opcode: Opcode| {
            let value = b.binary(opcode, instruction, operand);
            self.binary(op, width, old, given, value)
        };
        let choose = |p: IntPredicate| {
            let value = b.icmp(p, instruction, operand);
            let condition = Operand { label: self.compare(p, width, &[old, given], value), value };
            self.choose(width, condition, old, given).label
        };
        let label = match instruction.atomic_operation() {
            Rmw::LLVMAtomicRMWBinOpXchg => new,
            Rmw::LLVMAtomicRMWBinOpAdd => plain(Op::Add, Opcode::LLVMAdd),
            Rmw::LLVMAtomicRMWBinOpSub => plain(Op::Sub, Opcode::LLVMSub),
            Rmw::LLVMAtomicRMWBinOpAnd => plain(Op::And, Opcode::LLVMAnd),
            Rmw::LLVMAtomicRMWBinOpOr => plain(Op::Or, Opcode::LLVMOr),
            Rmw::LLVMAtomicRMWBinOpXor => plain(Op::Xor, Opcode::LLVMXor),
            Rmw::LLVMAtomicRMWBinOpMax => choose(IntPredicate::LLVMIntSGT),
            Rmw::LLVMAtomicRMWBinOpMin => choose(IntPredicate::LLVMIntSLT),
            Rmw::LLVMAtomicRMWBinOpUMax => choose(IntPredicate::LLVMIntUGT),
            Rmw::LLVMAtomicRMWBinOpUMin => choose(IntPredicate::LLVMIntULT),
            _ => {
                self.lost(Lost::Instruction, &[before, new]);
                self.zero()
            }
        };
        self.write(pointer, self.zero(), operand, &[label]);
        vec![before]
    }

    /// Compare and exchange: whether it succeeds is a decision.
    pub fn exchange(&self, instruction: Value) -> Labels {
        let (pointer, expected, wanted) = (instruction.operand(0), instruction.operand(1), instruction.operand(2));
        let old_value = self.builder.extract_value(instruction, 0);
        let success = self.builder.extract_value(instruction, 1);
        let pointer_label = self.of(pointer)[0];
        let old = Operand { label: self.read(pointer, pointer_label, old_value)[0], value: old_value };
        let expected = Operand { label: self.of(expected)[0], value: expected };
        let equal = self.binary(Op::Eq, self.width(old_value), old, expected, success);
        self.call(rt::BRANCH, &[equal, self.site_value(), self.builder.bits(success, 32)]);
        let stored = self.builder.select(success, self.of(wanted)[0], old.label);
        self.write(pointer, self.zero(), wanted, &[stored]);
        vec![old.label, equal]
    }
}
