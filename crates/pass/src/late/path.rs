//! Full paths, late: the marks of a body become bits in an accumulator, and words of their own for the rest
//! (see `symcrete_abi::path`).
//!
//! The accumulator is a stack slot while the body is rewritten and a register afterwards. Whether anybody
//! records does not matter until it is full, so a decision costs a shift and, once in a loop, a test.

use crate::ir::{Block, Builder, IntPredicate, Opcode, Value, split_if};
use crate::late::Late;
use crate::late::sites::marker;
use crate::late::track::Tracker;
use crate::paths::Walks;
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_abi::functions as rt;
use symcrete_abi::path::{AT_CALL, CELL, Cell, MOST_BITS, MarkKind, TESTED_BITS, unmark, width};
use symcrete_program::{Unit, UnitPaths};

const BITS: u64 = CELL + core::mem::offset_of!(Cell, bits) as u64;

/// What marks mean in bits, and the numbers of those that are words.
pub struct Numbers {
    pub paths: UnitPaths,
    /// By side and by edge: the number of the way out, and how many there are.
    sides: Vec<(u32, u32)>,
    edges: Vec<(u32, u32)>,
    words: FxHashMap<u32, u32>,
    /// By body that is done: how many bits there may be when it returns.
    returns: FxHashMap<Value, u32>,
}

impl Numbers {
    pub fn new(unit: &Unit, walks: Walks) -> Numbers {
        let mut sides = vec![(0, 1); unit.sides.len()];
        for block in unit.functions.iter().flat_map(|f| &f.blocks) {
            for (way, side) in block.sides.iter().enumerate() {
                if let Some(side) = side {
                    sides[*side as usize] = (way as u32, block.successors.len() as u32);
                }
            }
        }
        Numbers {
            paths: walks.paths,
            sides,
            edges: walks.edges,
            words: FxHashMap::default(),
            returns: FxHashMap::default(),
        }
    }

    /// The bits of a mark and their number; nothing for one that is a word.
    fn bits(&self, mark: u32) -> Option<(u64, u32)> {
        let (way, ways) = match unmark(mark)? {
            (MarkKind::Side, side) => self.sides[side as usize],
            (MarkKind::Edge, edge) => self.edges[edge as usize],
            _ => return None,
        };
        Some((u64::from(way), width(ways)))
    }

    /// Copies that the optimiser made share their number.
    pub fn word(&mut self, mark: u32) -> u32 {
        let marks = &mut self.paths.marks;
        *self.words.entry(mark).or_insert_with(|| {
            marks.push(mark);
            marks.len() as u32 - 1
        })
    }
}

/// The accumulator of one body.
#[derive(Default)]
pub struct PathBits {
    slot: Option<Value>,
    /// Markers before which the accumulator may be too full.
    tested: FxHashSet<Value>,
}

impl PathBits {
    pub fn is_tested(&self, marker: Value) -> bool {
        self.tested.contains(&marker)
    }
}

/// Whether a run can end, speak up or go elsewhere at `instruction`: marks before it must be counted by then.
pub fn shows(instruction: Value) -> bool {
    use Opcode as O;
    instruction.is_terminator()
        || matches!(
            instruction.opcode(),
            O::LLVMCall | O::LLVMLoad | O::LLVMStore | O::LLVMAtomicRMW | O::LLVMAtomicCmpXchg
        )
}

/// Calls around which the accumulator lies in the cell: whatever they run may be tracked.
fn leaves_body(instruction: Value) -> bool {
    instruction.is_call()
        && !instruction.is_debug_or_pseudo()
        && !instruction.called_value().is_inline_asm()
        && marker(instruction).is_none()
        && instruction.called_function().is_none_or(|f| f.intrinsic_name().is_none())
}

impl Tracker<'_> {
    /// Looks at the body before anything is rewritten: does it need an accumulator, and where may it be full?
    pub fn plan_path(&mut self, blocks: &[Block], snapshot: &[Vec<Value>]) {
        let order: FxHashMap<Block, usize> = blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let mut most = vec![0; blocks.len()];
        let (mut needed, mut returned) = (false, 0);
        for (at, list) in snapshot.iter().enumerate() {
            let mut bits = if at == 0 { MOST_BITS } else { 0 };
            for before in blocks[at].predecessors() {
                match order.get(&before) {
                    Some(&before) if before < at => bits = bits.max(most[before]),
                    Some(_) => bits = MOST_BITS,
                    None => {}
                }
            }
            for &instruction in list {
                if let Some(mark) = marker(instruction) {
                    needed = true;
                    let Some((_, more)) = self.late.path.bits(mark) else { continue };
                    if bits + more > MOST_BITS {
                        self.path.tested.insert(instruction);
                        bits = TESTED_BITS;
                    }
                    bits += more;
                } else if leaves_body(instruction) || instruction.opcode() == Opcode::LLVMLandingPad {
                    needed = true;
                    bits = self.bits_after(instruction);
                }
                if instruction.is_return() {
                    returned = returned.max(bits);
                }
            }
            most[at] = bits;
        }
        self.late.path.returns.insert(self.body, returned);
        if needed {
            let module = self.late.module;
            self.path.slot = Some(Builder::before(module, self.body.entry().first()).slots(self.late.i32(1)));
        }
    }

    /// How many bits there may be after a call: callees that are done are known, the others may leave it full.
    fn bits_after(&self, call: Value) -> u32 {
        let callee = if call.is_call() { call.called_function() } else { None };
        callee.and_then(|f| self.late.path.returns.get(&f)).copied().unwrap_or(MOST_BITS)
    }

    /// At entry the accumulator comes out of the cell.
    pub fn enter_path(&mut self) {
        if let Some(at) = self.body.entry().first_insertion() {
            self.path_in(at);
        }
    }

    /// Makes the accumulator a register.
    pub fn finish_path(&mut self) {
        if let Some(slot) = self.path.slot {
            self.body.promote(slot);
        }
    }

    /// Takes the accumulator out of the cell before `at`.
    pub fn path_in(&self, at: Value) {
        let Some(slot) = self.path.slot else { return };
        let builder = Builder::before(self.late.module, at);
        let cell = self.late.module.fixed_address(BITS);
        let bits = builder.load(self.late.module.int(64), cell, 8);
        let bits = builder.and(bits, self.late.i64(!AT_CALL));
        builder.store(bits, cell, 8);
        builder.store(bits, slot, 8);
    }

    /// Puts the accumulator into the cell before `at`, from where something else may go on with it.
    pub fn path_out(&self, at: Value) {
        let Some(slot) = self.path.slot else { return };
        let builder = Builder::before(self.late.module, at);
        let bits = builder.load(self.late.module.int(64), slot, 8);
        let bits = builder.or(bits, self.late.i64(AT_CALL));
        builder.store(bits, self.late.module.fixed_address(BITS), 8);
    }

    /// The accumulator as a value; 0 in a body without one.
    pub fn path_bits(&self, builder: &Builder) -> Value {
        self.path.slot.map_or(self.late.i64(0), |slot| builder.load(self.late.module.int(64), slot, 8))
    }

    /// Lets the runtime see how far the path is.
    pub fn show_path(&self, builder: &Builder) {
        let Some(slot) = self.path.slot else { return };
        let bits = builder.load(self.late.module.int(64), slot, 8);
        builder.store(bits, self.late.module.fixed_address(BITS), 8);
    }

    /// Around a call, or an invoke, of something that may be tracked.
    pub fn path_around(&self, call: Value) {
        if self.path.slot.is_none() || !leaves_body(call) {
            return;
        }
        if call.does_not_return() {
            self.path_last(call);
        }
        self.path_out(call);
        let after = if call.is_invoke() { Some(call.parent().split_edge(0).terminator()) } else { call.next() };
        if let Some(after) = after
            && !after.is_unreachable()
        {
            self.path_in(after);
        }
    }

    /// Counts marks before `at`.
    pub fn mark_path(&mut self, marks: &mut Vec<u32>, at: Value) {
        let Some(slot) = self.path.slot else { return };
        let (mut code, mut length) = (0u64, 0u32);
        for mark in std::mem::take(marks) {
            match self.late.path.bits(mark) {
                Some((way, more)) => (code, length) = (code << more | way, length + more),
                None => {
                    self.shift_in(slot, (code, length), at);
                    (code, length) = (0, 0);
                    self.mark_word(slot, mark, at);
                }
            }
        }
        self.shift_in(slot, (code, length), at);
    }

    fn shift_in(&self, slot: Value, (code, length): (u64, u32), at: Value) {
        if length == 0 {
            return;
        }
        let module = self.late.module;
        let builder = Builder::before(module, at);
        let bits = builder.shl(builder.load(module.int(64), slot, 8), self.late.i64(u64::from(length)));
        builder.store(if code == 0 { bits } else { builder.or(bits, self.late.i64(code)) }, slot, 8);
    }

    /// A mark that is a word: only where somebody records.
    fn mark_word(&mut self, slot: Value, mark: u32, at: Value) {
        let number = self.late.path.word(mark);
        let module = self.late.module;
        let builder = Builder::before(module, at);
        let end = split_if(recording(self.late, &builder), at);
        let builder = Builder::before(module, end);
        let cell = module.fixed_address(BITS);
        builder.store(builder.load(module.int(64), slot, 8), cell, 8);
        write_mark(self.late, &builder, rt::PATH_MARK, number);
        builder.store(builder.load(module.int(64), cell, 8), slot, 8);
    }

    /// Before a call that does not come back: what the accumulator holds may be the last of it.
    fn path_last(&self, call: Value) {
        let Some(slot) = self.path.slot else { return };
        let module = self.late.module;
        let builder = Builder::before(module, call);
        let end = split_if(recording(self.late, &builder), call);
        let builder = Builder::before(module, end);
        let bits = builder.load(module.int(64), slot, 8);
        builder.call(self.late.runtime(rt::PATH_LAST), &[bits]).set_convention(crate::ir::PRESERVE_MOST);
        builder.store(self.late.i64(1), slot, 8);
    }

    /// Empties the accumulator before `at` when no more than a few bits have room in it.
    pub fn test_bits(&self, at: Value) {
        let Some(slot) = self.path.slot else { return };
        let module = self.late.module;
        let builder = Builder::before(module, at);
        let bits = builder.load(module.int(64), slot, 8);
        let full = builder.icmp(IntPredicate::LLVMIntUGE, bits, self.late.i64(1 << (TESTED_BITS + 1)));
        let end = split_if(full, at);
        let builder = Builder::before(module, end);
        let call = builder.call(self.late.runtime(rt::PATH_BITS), &[bits]);
        call.set_convention(crate::ir::PRESERVE_MOST);
        builder.store(self.late.i64(1), slot, 8);
    }
}

/// Whether anybody records, as a condition.
pub fn recording(late: &Late, builder: &Builder) -> Value {
    let cursor = builder.load_volatile(late.module.int(64), late.module.fixed_address(CELL), 8);
    builder.is_not_null(cursor)
}

/// Appends a mark of the unit.
pub fn write_mark(late: &Late, builder: &Builder, function: rt::Function, number: u32) {
    let base = builder.load(late.module.int(32), late.site_base, 4);
    let number = builder.add(base, late.i32(u64::from(number)));
    let call = builder.call(late.runtime(function), &[number]);
    call.set_convention(crate::ir::PRESERVE_MOST);
}
