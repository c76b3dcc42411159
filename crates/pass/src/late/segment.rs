//! Segments: runs of instructions with one check for all of them. The check is cheap (labels and memory
//! summaries or'ed together); the slow block behind it rebuilds every label of the segment.

use crate::ir::{Builder, Opcode, Value, split_if};
use crate::late::intrinsics::{self, Kind};
use crate::late::labels::Slow;
use crate::late::path;
use crate::late::sites::{marker, side_behind};
use crate::late::track::{Labels, Tracker, merge_head};
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_program::SiteKind;

/// Site numbers of a block's instructions.
pub type Plan = FxHashMap<Value, u32>;

impl Tracker<'_> {
    /// Gives a site to each instruction of a block that can have something to say.
    pub fn prepare(&mut self, list: &[Value]) -> Plan {
        let mut plan = Plan::default();
        for &instruction in list {
            let (kind, sides) = match instruction.opcode() {
                Opcode::LLVMBr if self.decides(instruction) => {
                    let side = |i| side_behind(instruction.successor(i));
                    (SiteKind::Branch, vec![side(1), side(0)])
                }
                Opcode::LLVMSwitch if self.decides(instruction) => {
                    let count = instruction.successor_count();
                    let cases = (1..count).map(|i| instruction.case_value(i)).collect();
                    let sides = (1..count).chain([0]).map(|i| side_behind(instruction.successor(i))).collect();
                    (SiteKind::Switch { width: instruction.condition().ty().int_width(), cases }, sides)
                }
                Opcode::LLVMSelect if self.live.contains(&instruction.operand(0)) => {
                    (SiteKind::Select, vec![None, None])
                }
                Opcode::LLVMLoad | Opcode::LLVMStore | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                    (SiteKind::Address, vec![])
                }
                Opcode::LLVMCall | Opcode::LLVMInvoke if marker(instruction).is_none() => {
                    (self.call_site_kind(instruction), vec![])
                }
                _ if (self.live.contains(&instruction) && !instruction.is_phi())
                    || self.loses_by_store(instruction) =>
                {
                    (SiteKind::Instruction(instruction.opcode_name()), vec![])
                }
                _ => continue,
            };
            // Most plain operations never speak up: a site only where one may.
            if matches!(kind, SiteKind::Instruction(_)) && !self.may_lose(instruction) {
                continue;
            }
            let body = self.body;
            plan.insert(instruction, self.late.sites.add(body, instruction, kind, sides));
        }
        plan
    }

    fn decides(&self, terminator: Value) -> bool {
        terminator.successor_count() > 1 && self.live.contains(&terminator.condition())
    }

    fn call_site_kind(&self, call: Value) -> SiteKind {
        match call.called_function() {
            Some(function) => match function.intrinsic_name() {
                Some(name) => SiteKind::Instruction(name),
                None => SiteKind::Call(crate::late::original_name(&function.name()).into()),
            },
            None if call.called_value().is_inline_asm() => SiteKind::Instruction("asm".into()),
            None => SiteKind::Call("pointer".into()),
        }
    }

    /// Cuts a block into segments and instruments each.
    pub fn walk(&mut self, list: &[Value], plan: Plan) {
        let mut segment: Vec<Value> = vec![];
        let mut stored = false;
        let mut marks: Vec<u32> = vec![];
        self.granules.clear();
        for &instruction in list {
            if instruction.is_phi() || instruction.is_alloca() || instruction.is_debug_or_pseudo() {
                continue;
            }
            if let Some(mark) = marker(instruction) {
                if self.path.is_tested(instruction) {
                    self.mark_path(&mut marks, instruction);
                    self.test_bits(instruction);
                }
                self.credit_side(instruction);
                marks.push(mark);
                continue;
            }
            if instruction.opcode() == Opcode::LLVMLandingPad
                && let Some(after) = instruction.next()
            {
                self.path_in(after);
            }
            if !marks.is_empty() && path::shows(instruction) {
                self.mark_path(&mut marks, instruction);
            }
            if instruction.has_nosanitize() && !instruction.is_terminator() && !self.live.contains(&instruction) {
                continue;
            }
            let is_call = instruction.is_call();
            let kind = if is_call { intrinsics::kind_of(instruction) } else { Kind::NotIntrinsic };
            let joins = match kind {
                Kind::Pure => self.live.contains(&instruction),
                Kind::Ignored => false,
                _ if is_call => {
                    self.flush(&mut segment, instruction, &plan);
                    stored = false;
                    if !matches!(kind, Kind::NotIntrinsic | Kind::Copy | Kind::Fill | Kind::Lifetime) {
                        self.show_path(&Builder::before(self.late.module, instruction));
                    }
                    self.call(instruction, kind, &plan);
                    self.path_around(instruction);
                    continue;
                }
                _ if instruction.is_terminator() => {
                    if plan.contains_key(&instruction) {
                        segment.push(instruction);
                    }
                    self.flush(&mut segment, instruction, &plan);
                    stored = false;
                    if instruction.is_return() {
                        self.leave(instruction);
                        self.path_out(instruction);
                    }
                    continue;
                }
                _ => self.live.contains(&instruction) || instruction.is_store() || self.loses_by_store(instruction),
            };
            if !joins {
                continue;
            }
            let (reads, writes) = touches(instruction);
            if reads && stored {
                self.flush(&mut segment, instruction, &plan);
                stored = false;
            }
            segment.push(instruction);
            if writes && reads {
                // Read, changed and written at once: nothing may follow in the same segment.
                if let Some(next) = instruction.next() {
                    self.flush(&mut segment, next, &plan);
                    stored = false;
                }
                continue;
            }
            stored |= writes;
        }
    }

    /// Instruments the instructions collected so far; `before` is the first one behind them.
    fn flush(&mut self, segment: &mut Vec<Value>, before: Value, plan: &Plan) {
        if segment.is_empty() {
            return;
        }
        let list = std::mem::take(segment);
        let module = self.late.module;
        let inside: FxHashSet<Value> = list.iter().copied().collect();
        let mut seen: FxHashSet<Value> = FxHashSet::default();
        let mut incoming: Vec<Value> = vec![];
        let mut flags: Vec<Value> = vec![];
        let mut summed: FxHashSet<(Value, i64)> = FxHashSet::default();
        for &instruction in &list {
            for operand in instruction.operands() {
                if !inside.contains(&operand) {
                    let labels = self.labels_of_known(operand);
                    incoming.extend(labels.into_iter().filter(|l| !self.is_zero(*l) && seen.insert(*l)));
                }
            }
            if let Some((pointer, size, alignment)) = self.memory_access(instruction) {
                // Labels change at the end of a segment only: one look at each eight bytes is enough.
                let granule = self.granule(pointer, alignment).filter(|_| size <= 8);
                if granule.is_none_or(|granule| summed.insert(granule)) {
                    flags.push(self.summary(pointer, size, alignment, instruction));
                }
            }
        }
        if incoming.is_empty() && flags.is_empty() {
            return;
        }
        let builder = Builder::before(module, before);
        let widest =
            flags.iter().map(|f| f.ty().int_width()).max().unwrap_or(32).max(if incoming.is_empty() { 8 } else { 32 });
        let any = incoming
            .iter()
            .chain(&flags)
            .map(|v| builder.bits(*v, widest))
            .reduce(|a, b| builder.or(a, b))
            .expect("checked above");
        let condition = builder.is_not_null(any);
        let end = split_if(condition, before);
        let (slow, merge) = (end.parent(), before.parent());
        let head = merge_head(merge, slow);
        let mut block = Slow::new(self, Builder::before(module, end));
        for &instruction in &list {
            block.add(instruction, plan.get(&instruction).copied());
        }
        block.finish();
        let used_outside = |i: &&Value| i.users().iter().any(|u| !inside.contains(u));
        let mut read: Vec<(Value, Labels)> = vec![];
        for &instruction in list.iter().filter(used_outside) {
            if let Some(labels) = block.read_back(instruction) {
                read.push((instruction, labels));
            }
        }
        for (instruction, labels) in read {
            if !self.live.contains(&instruction) {
                continue;
            }
            let merged = |label: Value| {
                if self.is_zero(label) {
                    return label;
                }
                let phi = Builder::before(module, merge.first()).phi(module.int(32));
                phi.add_incoming(label, slow);
                phi.add_incoming(self.zero(), head);
                phi
            };
            let outside: Labels = labels.into_iter().map(merged).collect();
            self.set_labels(instruction, outside);
        }
    }

    fn labels_of_known(&self, value: Value) -> Labels {
        if self.live.contains(&value) { self.labels_of(value) } else { vec![] }
    }
}

/// Whether an instruction of a segment reads or writes memory.
fn touches(instruction: Value) -> (bool, bool) {
    match instruction.opcode() {
        Opcode::LLVMLoad => (true, false),
        Opcode::LLVMStore => (false, true),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => (true, true),
        _ => (false, false),
    }
}
