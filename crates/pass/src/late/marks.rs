//! Coverage marks of fast bodies: a plain `store 1` on every edge of a decision that no other mark implies, and
//! one for each value of a `select`'s condition, which is what the optimiser makes of many a decision. Comparisons of
//! numbers that count something have marks of their own ([`counted`]).
//! They filter what is new; the tracking body then says which source sides were taken.

use crate::ir::{Block, Builder, Opcode, TypeKind, Value};
use crate::late::{Late, counted};
use rustc_hash::FxHashSet;

/// Places the marks and returns their array and number. What is new inside a library is not new to the
/// user: our models have none.
pub fn place(late: &mut Late, functions: &[Value]) -> (Value, u32) {
    let functions = if late.sites.unit.model { &[] } else { functions };
    let blocks: Vec<Block> = functions.iter().flat_map(|f| blocks_to_mark(*f)).collect();
    let module = late.module;
    let selects: Vec<Value> = functions.iter().flat_map(|f| selects_to_mark(*f)).collect();
    let comparisons = counted::calls(functions);
    let first = blocks.len() + 2 * selects.len();
    let count = first + counted::BYTES * counted::count(&comparisons);
    let bytes = module.array(module.int(8), count.max(1) as u64);
    let array = module.define_global("__symcrete_unit_marks", bytes, bytes.zero());
    for (number, block) in blocks.iter().enumerate() {
        let Some(at) = block.first_insertion() else { continue };
        let builder = Builder::before(module, at);
        let store = builder.store(module.int_value(8, 1), builder.offset(array, number as u64), 1);
        module.set_nosanitize(store);
    }
    for (number, select) in selects.iter().enumerate() {
        let builder = Builder::before(module, *select);
        // A select may stand where its condition means nothing, and then nobody uses it; an address may not.
        let condition = builder.zext(builder.freeze(select.operand(0)), module.int(64));
        let pair = builder.offset(array, (blocks.len() + 2 * number) as u64);
        let store = builder.store(module.int_value(8, 1), builder.offset_by(pair, condition), 1);
        module.set_nosanitize(store);
    }
    counted::expand(module, &comparisons, array, first);
    (array, count as u32)
}

/// Selects by one condition, not by a vector of them; of those in one block that share it, one.
fn selects_to_mark(function: Value) -> Vec<Value> {
    let mut seen = FxHashSet::default();
    let all = function.blocks().into_iter().flat_map(|b| b.instructions());
    all.filter(|i| i.opcode() == Opcode::LLVMSelect)
        .filter(|i| i.operand(0).ty().kind() == TypeKind::LLVMIntegerTypeKind && !i.operand(0).is_constant())
        .filter(|i| seen.insert((i.operand(0), i.parent())))
        .collect()
}

/// The entry, and one block per edge of each decision: the target where it has no other way in, else a new
/// block on the edge. Targets whose execution shows in marks behind them are left out.
fn blocks_to_mark(function: Value) -> Vec<Block> {
    let implied = function.implied_blocks();
    let all = function.blocks();
    let number = |block: Block| all.iter().position(|b| *b == block);
    let mut marked = vec![function.entry()];
    for &block in &all {
        let end = block.terminator();
        if end.successor_count() < 2 || !(end.is_conditional_branch() || end.is_switch()) {
            continue;
        }
        for index in 0..end.successor_count() {
            let target = end.successor(index);
            if target.incoming_edges() == 1 {
                let shown = number(target).is_some_and(|n| implied[n]);
                if !shown && !target.terminator().is_unreachable() && !target.is_eh_pad() {
                    marked.push(target);
                }
            } else if end.is_conditional_branch() {
                marked.push(block.split_edge(index));
            } else if !marked.contains(&target) && target.first_insertion().is_some() && !target.is_eh_pad() {
                marked.push(target);
            }
        }
    }
    marked
}
