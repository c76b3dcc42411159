//! Source-level sides: which branches of the early control-flow graph a person would call a decision, and
//! the markers that carry them through the optimiser.

use crate::early::location;
use crate::ir::{Block, Builder, Module, Opcode, Type, TypeKind, Value, append_block, split_block};
use symcrete_abi::path::{MarkKind, mark};
use symcrete_program::{Block as ModelBlock, Location, Side, SideKind, Unit};

/// One edge to be marked: the edge `index` of `from`.
pub struct Edge {
    pub from: Block,
    pub index: u32,
    pub mark: u32,
}

/// `x = a && b` leaves the last operand as a mere value in a PHI. A person counts its outcomes too (and so
/// does clang's coverage), so in the clone it becomes a branch.
pub fn expand_booleans(module: Module, function: Value) {
    let bool_type = module.int(1);
    for block in function.blocks() {
        let phis: Vec<Value> = block.instructions().into_iter().take_while(|i| i.is_phi()).collect();
        let Some(&decided) = phis.iter().find(|phi| phi.ty() == bool_type && is_short_circuit(**phi)) else {
            continue;
        };
        let operand = decided.incoming().into_iter().find(|(v, from)| is_last_operand(*v, *from));
        let Some((value, from)) = operand else { continue };
        let (yes, no) = (append_block(module, function), append_block(module, function));
        for arm in [yes, no] {
            Builder::at_end(module, arm).branch(block);
        }
        let old = from.terminator();
        let decision = Builder::before(module, old).conditional(value, yes, no);
        decision.copy_location(if value.is_instruction() { value } else { old });
        old.erase();
        for phi in phis {
            let rebuilt = Builder::before(module, block.first()).phi(phi.ty());
            for (v, pred) in phi.incoming() {
                if pred != from {
                    rebuilt.add_incoming(v, pred);
                } else if phi == decided {
                    rebuilt.add_incoming(module.int_value(1, 1), yes);
                    rebuilt.add_incoming(module.int_value(1, 0), no);
                } else {
                    rebuilt.add_incoming(v, yes);
                    rebuilt.add_incoming(v, no);
                }
            }
            phi.replace_all_uses(rebuilt);
            phi.erase();
        }
    }
}

/// `c ? 1 : 2` comes from the front end as a `select`. It is a condition like any other, so in the clone it
/// becomes a branch.
pub fn expand_selects(module: Module, function: Value) {
    let selects: Vec<Value> = (function.blocks().into_iter())
        .flat_map(|b| b.instructions())
        .filter(|i| {
            i.opcode() == Opcode::LLVMSelect
                && i.line() != 0
                && !i.operand(0).ty().is_vector()
                && !i.operand(0).is_constant()
        })
        .collect();
    for select in selects {
        let head = select.parent();
        let tail = split_block(select);
        let (yes, no) = (append_block(module, function), append_block(module, function));
        for arm in [yes, no] {
            Builder::at_end(module, arm).branch(tail);
        }
        let old = head.terminator();
        let decision = Builder::before(module, old).conditional(select.operand(0), yes, no);
        decision.copy_location(select);
        old.erase();
        let phi = Builder::before(module, tail.first()).phi(select.ty());
        phi.add_incoming(select.operand(1), yes);
        phi.add_incoming(select.operand(2), no);
        select.replace_all_uses(phi);
        select.erase();
    }
}

/// A branch on what `a && b` came to: its operands are the conditions, and have sides of their own.
fn repeats_operands(end: Value) -> bool {
    let condition = end.condition();
    condition.is_phi()
        && condition.parent() == end.parent()
        && condition.incoming().iter().any(|(v, _)| v.is_constant_int())
}

/// Branches that no condition of the source stands for: the choice of a `catch`, whether an exchange has to
/// write back what it found, and where `va_arg` finds its value.
fn is_compilers_own(end: Value) -> bool {
    let condition = end.condition();
    if !condition.is_instruction() {
        return false;
    }
    let operands = condition.operands();
    let chooses_handler = operands
        .iter()
        .any(|o| o.is_call() && o.called_function().is_some_and(|f| f.name().starts_with("llvm.eh.typeid.for")));
    let writes_back =
        condition.opcode() == Opcode::LLVMExtractValue && operands[0].opcode() == Opcode::LLVMAtomicCmpXchg;
    chooses_handler || writes_back || is_va_arg(end, condition, &operands)
}

/// `va_arg` compares an offset of the list with the room left for registers, and joins at a pointer.
fn is_va_arg(end: Value, condition: Value, operands: &[Value]) -> bool {
    const ROOM: [u128; 4] = [40, 32, 160, 144];
    if condition.opcode() != Opcode::LLVMICmp
        || !operands[0].is_instruction()
        || operands[0].opcode() != Opcode::LLVMLoad
    {
        return false;
    }
    let bounded = operands[1].constant_value().is_some_and(|v| ROOM.contains(&v)) && operands[0].ty().int_width() == 32;
    let joins = |i| Some(end.successor(i).terminator()).filter(|t| t.successor_count() == 1).map(|t| t.successor(0));
    bounded
        && joins(0).is_some_and(|join| {
            joins(1) == Some(join) && join.first().is_phi() && join.first().ty().kind() == TypeKind::LLVMPointerTypeKind
        })
}

fn is_short_circuit(phi: Value) -> bool {
    let incoming = phi.incoming();
    let constants = incoming.iter().filter(|(v, _)| v.is_constant_int()).count();
    constants > 0 && incoming.iter().filter(|(v, from)| is_last_operand(*v, *from)).count() == 1
}

fn is_last_operand(value: Value, from: Block) -> bool {
    !value.is_constant() && !value.is_phi() && from.terminator().successor_count() == 1
}

/// Finds the sides of a function, records them in the model and returns the edges to mark.
pub fn find(unit: &mut Unit, function: u32, clone: Value, blocks: &mut [ModelBlock]) -> Vec<Edge> {
    let mut edges = vec![];
    for (number, block) in clone.blocks().into_iter().enumerate() {
        let end = block.terminator();
        let decision = unit.sides.len() as u32;
        let place = decision_place(unit, end);
        blocks[number].sides = vec![None; end.successor_count() as usize];
        let mut add = |unit: &mut Unit, kind, index| {
            edges.push(Edge { from: block, index, mark: mark(MarkKind::Side, unit.sides.len() as u32) });
            blocks[number].sides[index as usize].get_or_insert(unit.sides.len() as u32);
            unit.sides.push(Side { kind, function, block: number as u32, location: place, decision, folded: false });
        };
        if end.is_conditional_branch() {
            if end.condition().is_constant() || repeats_operands(end) || is_compilers_own(end) {
                continue;
            }
            if end.has_nosanitize() {
                let fails = u32::from(!ends_badly(end.successor(0)));
                add(unit, SideKind::CheckFails, fails);
                add(unit, SideKind::CheckHolds, 1 - fails);
            } else if place.line != 0 {
                add(unit, SideKind::True, 0);
                add(unit, SideKind::False, 1);
            }
        } else if end.is_switch() && place.line != 0 && !end.condition().is_constant() {
            for case in 1..end.successor_count() {
                add(unit, SideKind::Case(end.case_value(case)), case);
            }
            if !end.successor(0).terminator().is_unreachable() || end.successor(0).instructions().len() > 1 {
                add(unit, SideKind::Default, 0);
            }
        }
    }
    edges
}

/// Where the condition stands in the source; the branch itself often points at the whole statement, or at an operator
/// that it shares with other conditions.
fn decision_place(unit: &mut Unit, end: Value) -> Location {
    if !end.is_conditional_branch() && !end.is_switch() {
        return Location::default();
    }
    let condition = end.condition();
    let is_its_own = end.is_conditional_branch() && condition.is_instruction() && !condition.is_phi();
    if is_its_own && end.line() != 0 && condition.line() != 0 && condition.file() == end.file() {
        return location(unit, condition);
    }
    location(unit, end)
}

/// The handler of a failed check never comes back.
fn ends_badly(block: Block) -> bool {
    block.terminator().is_unreachable()
        || block
            .instructions()
            .iter()
            .any(|i| i.is_call() && i.called_function().is_some_and(|f| f.name().starts_with("__ubsan_handle")))
}

/// Puts a marker on each edge, on a block of its own where the target has other ways in.
pub fn plant(module: Module, marker: Value, edges: Vec<Edge>) {
    for edge in edges {
        let target = edge.from.terminator().successor(edge.index);
        let place =
            if target.incoming_edges() == 1 && !target.is_eh_pad() { target } else { edge.from.split_edge(edge.index) };
        let Some(at) = place.first_insertion() else { continue };
        let call = Builder::before(module, at).call_typed(
            Type::function(module.void(), &[module.int(32)]),
            marker,
            &[module.int_value(32, u64::from(edge.mark))],
        );
        call.set_no_merge();
    }
}
