//! Tracking of one body: which values can be labelled at all, where their labels come from, and the walk
//! that cuts each block into segments.

use crate::TRACKING;
use crate::ir::{Block, Builder, Opcode, Type, Value};
use crate::late::leaves::{Leaf, can_be_labelled, leaves};
use crate::late::path::PathBits;
use crate::late::sites::marker_side;
use crate::late::{Late, intrinsics};
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_abi::functions as rt;

/// Labels of one value, one per leaf.
pub type Labels = Vec<Value>;

/// The state of tracking one body.
pub struct Tracker<'a> {
    pub late: &'a mut Late,
    pub body: Value,
    pub key: Value,
    /// Labels known outside slow blocks. A value without an entry is never input-dependent.
    labels: FxHashMap<Value, Labels>,
    /// Values that may be input-dependent, by an optimistic analysis of the whole body.
    pub live: FxHashSet<Value>,
    /// Slots through which slow blocks talk to the runtime; as many as the largest needs.
    frame: Option<Value>,
    frame_slots: u16,
    /// Labels of variadic arguments, kept from entry to `va_start`.
    pub variadic: Option<Value>,
    /// In the block at hand: where the summaries of memory from a pointer on lie.
    pub granules: FxHashMap<Value, Value>,
    pub path: PathBits,
}

pub fn track(late: &mut Late, body: Value) {
    body.strip_promises();
    let key = late.key(body);
    let mut tracker = Tracker {
        late,
        body,
        key,
        labels: FxHashMap::default(),
        live: FxHashSet::default(),
        frame: None,
        frame_slots: 0,
        variadic: None,
        granules: FxHashMap::default(),
        path: PathBits::default(),
    };
    tracker.run();
}

impl Tracker<'_> {
    fn run(&mut self) {
        let blocks = reverse_post_order(self.body);
        let snapshot: Vec<Vec<Value>> = blocks.iter().map(|b| b.instructions()).collect();
        self.find_live(&snapshot);
        let phis = self.label_phis(&snapshot);
        // Sites are numbered and sides looked up while the markers still stand.
        let prepared: Vec<_> = snapshot.iter().map(|list| self.prepare(list)).collect();
        self.plan_path(&blocks, &snapshot);
        self.enter(&snapshot[0]);
        self.enter_path();
        for (list, plan) in snapshot.iter().zip(prepared) {
            self.walk(list, plan);
        }
        for (phi, labels) in phis {
            for (value, from) in phi.incoming() {
                let incoming = self.labels_of(value);
                for (label, of_value) in labels.iter().zip(incoming) {
                    label.add_incoming(of_value, from);
                }
            }
        }
        self.finish_path();
    }

    /// The frame, with room for `slots`.
    pub fn frame(&mut self, slots: u16) -> Value {
        let module = self.late.module;
        let first = self.body.entry().first();
        let frame = *self.frame.get_or_insert_with(|| Builder::before(module, first).slots(module.int_value(32, 1)));
        if slots > self.frame_slots {
            self.frame_slots = slots;
            frame.set_operand(0, module.int_value(32, u64::from(slots)));
        }
        frame
    }

    pub fn leaves(&self, ty: Type) -> Vec<Leaf> {
        leaves(self.late.module, ty).unwrap_or_default()
    }

    /// Labels of a value outside slow blocks.
    pub fn labels_of(&self, value: Value) -> Labels {
        self.labels.get(&value).cloned().unwrap_or_else(|| self.no_labels(value.ty()))
    }

    pub fn no_labels(&self, ty: Type) -> Labels {
        vec![self.zero(); self.leaves(ty).len()]
    }

    pub fn zero(&self) -> Value {
        self.late.i32(0)
    }

    pub fn is_zero(&self, label: Value) -> bool {
        label.is_constant_int()
    }

    pub fn set_labels(&mut self, value: Value, labels: Labels) {
        self.labels.insert(value, labels);
    }

    /// Optimistic: nothing is input-dependent until an operand, a load or a call makes it so.
    fn find_live(&mut self, snapshot: &[Vec<Value>]) {
        for parameter in self.body.parameters() {
            if can_be_labelled(self.late.module, parameter.ty()) {
                self.live.insert(parameter);
            }
        }
        let mut candidates: Vec<Value> = snapshot
            .iter()
            .flatten()
            .copied()
            .filter(|i| !i.ty().is_void() && !i.is_alloca() && can_be_labelled(self.late.module, i.ty()))
            .collect();
        loop {
            let before = candidates.len();
            candidates.retain(|&instruction| {
                let lives = self.comes_alive(instruction);
                if lives {
                    self.live.insert(instruction);
                }
                !lives
            });
            if candidates.len() == before {
                return;
            }
        }
    }

    fn comes_alive(&self, instruction: Value) -> bool {
        let by_operands = || instruction.operands().iter().any(|o| self.live.contains(o));
        match instruction.opcode() {
            // What lies in constant memory has no labels, but which part of it is read may depend on input.
            Opcode::LLVMLoad if instruction.operand(0).is_constant_memory() => by_operands(),
            Opcode::LLVMLoad => !instruction.has_nosanitize(),
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
            Opcode::LLVMLandingPad | Opcode::LLVMVAArg => false,
            Opcode::LLVMCall | Opcode::LLVMInvoke => match intrinsics::kind_of(instruction) {
                intrinsics::Kind::NotIntrinsic => !instruction.called_value().is_inline_asm(),
                intrinsics::Kind::Pure => by_operands(),
                _ => false,
            },
            _ => by_operands(),
        }
    }

    /// A PHI of labels beside every PHI that can be input-dependent; filled when all labels are known.
    fn label_phis(&mut self, snapshot: &[Vec<Value>]) -> Vec<(Value, Labels)> {
        let mut made = vec![];
        for &phi in snapshot.iter().flatten().filter(|i| i.is_phi() && self.live.contains(i)) {
            let builder = Builder::before(self.late.module, phi);
            let labels: Labels = self.leaves(phi.ty()).iter().map(|_| builder.phi(self.late.module.int(32))).collect();
            self.labels.insert(phi, labels.clone());
            made.push((phi, labels));
        }
        made
    }

    /// At entry: take the labels a caller left for us, and forget what old stack frames left behind.
    fn enter(&mut self, first_block: &[Value]) {
        let module = self.late.module;
        let Some(at) = self.body.entry().first_insertion() else { return };
        let parameters = self.body.parameters();
        let labelled: Vec<(usize, Value)> =
            parameters.iter().copied().enumerate().filter(|(_, p)| self.live.contains(p)).collect();
        if self.body.function_type().is_variadic() {
            self.keep_variadic(at, &parameters);
        }
        if !labelled.is_empty() || self.body.function_type().is_variadic() {
            let builder = Builder::before(module, at);
            let block = self.late.block();
            let stamp = builder.load(module.int(64), block, 8);
            let own = builder.bits(self.key, 64);
            let mine = builder.icmp(crate::ir::IntPredicate::LLVMIntEQ, stamp, own);
            let end = crate::ir::split_if(mine, at);
            let (taken, merge) = (end.parent(), at.parent());
            let head = merge_head(merge, taken);
            let slow = Builder::before(module, end);
            slow.store(self.late.i64(0), block, 8);
            let mut slot = 0;
            for (number, parameter) in parameters.iter().enumerate() {
                for (index, _) in self.leaves(parameter.ty()).iter().enumerate() {
                    if slot < rt::BLOCK_ARGUMENTS && labelled.iter().any(|(n, _)| *n == number) {
                        let at = slow.offset(block, argument_offset(slot));
                        let label = slow.load(module.int(32), at, 4);
                        let phi = Builder::before(module, merge.first()).phi(module.int(32));
                        phi.add_incoming(label, taken);
                        phi.add_incoming(self.zero(), head);
                        let labels = self.labels.entry(*parameter).or_default();
                        debug_assert_eq!(labels.len(), index);
                        labels.push(phi);
                    }
                    slot += 1;
                }
            }
        }
        let builder = Builder::before(module, at);
        if self.live_result() {
            builder.store(self.late.i64(0), builder.offset(self.late.block(), RESULT_STAMP), 8);
        }
        for (number, parameter) in parameters.iter().enumerate() {
            if let Some(ty) = self.body.parameter_byval(number as u32) {
                let size = self.late.i64(module.store_size(ty));
                let take = self.late.runtime(rt::BYVAL_TAKE);
                builder.call(take, &[self.late.i32(number as u64), *parameter, size, self.key]);
            }
        }
        let scoped: FxHashSet<Value> = first_block.iter().copied().filter(|i| self.has_lifetime(*i)).collect();
        for &slot in first_block.iter().filter(|i| i.is_alloca() && !scoped.contains(i)) {
            if let Some(count) = slot.operand(0).constant_value() {
                let size = module.abi_size(slot.allocated_type()) * count as u64;
                self.clear_memory(slot, size, at);
            }
        }
    }

    /// Labels behind the named parameters' are kept until `va_start` says where their values lie.
    fn keep_variadic(&mut self, at: Value, parameters: &[Value]) {
        let module = self.late.module;
        let words = size_of::<rt::Variadic>().div_ceil(8) as u64;
        let saved = Builder::before(module, self.body.entry().first()).slots(self.late.i32(words));
        let named: usize = parameters.iter().map(|p| self.leaves(p.ty()).len()).sum();
        let take = self.late.runtime(rt::VARIADIC_TAKE);
        Builder::before(module, at).call(take, &[saved, self.late.i32(named as u64), self.key]);
        self.variadic = Some(saved);
    }

    /// Whether stack slots are cleared where their lifetime starts, instead of at entry.
    fn has_lifetime(&self, slot: Value) -> bool {
        slot.is_alloca()
            && slot.users().iter().any(|u| u.is_call() && matches!(intrinsics::kind_of(*u), intrinsics::Kind::Lifetime))
    }

    /// Whether this body returns something that can be labelled.
    pub fn live_result(&self) -> bool {
        self.body.blocks().iter().any(|b| {
            let end = b.terminator();
            end.is_return() && end.operands().first().is_some_and(|v| self.live.contains(v))
        })
    }

    /// Turns a marker into the store that credits its side, if it is one of a side.
    pub fn credit_side(&self, marker: Value) {
        if let Some(side) = marker_side(marker) {
            let module = self.late.module;
            let builder = Builder::before(module, marker);
            let store = builder.store(module.int_value(8, 1), builder.offset(self.late.sides, u64::from(side)), 1);
            module.set_nosanitize(store);
        }
        marker.erase();
    }

    pub fn is_tracking(&self, function: Value) -> bool {
        function.has_string_attribute(TRACKING)
    }
}

/// Byte offsets inside the runtime's call block.
pub const STAMP: u64 = 0;
pub const COUNT: u64 = core::mem::offset_of!(rt::Block, count) as u64;
pub const FLOATS: u64 = core::mem::offset_of!(rt::Block, floats) as u64;
pub const RESULT_STAMP: u64 = core::mem::offset_of!(rt::Block, result_stamp) as u64;

pub fn argument_offset(slot: usize) -> u64 {
    core::mem::offset_of!(rt::Block, arguments) as u64 + 4 * slot as u64
}

pub fn value_offset(slot: usize) -> u64 {
    core::mem::offset_of!(rt::Block, values) as u64 + 8 * slot as u64
}

pub fn result_offset(slot: usize) -> u64 {
    core::mem::offset_of!(rt::Block, results) as u64 + 4 * slot as u64
}

/// After `split_if`: the block that jumps to both the unlikely block and `merge`.
pub fn merge_head(merge: Block, unlikely: Block) -> Block {
    merge.predecessors().into_iter().find(|b| *b != unlikely).expect("a split leaves two ways into the merge")
}

/// Blocks reachable from the entry, definitions before uses.
fn reverse_post_order(function: Value) -> Vec<Block> {
    let entry = function.entry();
    let mut seen: FxHashSet<Block> = FxHashSet::from_iter([entry]);
    let mut stack = vec![(entry, entry.successors().into_iter())];
    let mut order = vec![];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) if seen.insert(next) => stack.push((next, next.successors().into_iter())),
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
