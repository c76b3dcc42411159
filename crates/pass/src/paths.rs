//! Full paths, early: which marks beside those of sides are needed so that a walk through the model is
//! determined by the marks it meets.
//!
//! Calls of tracked functions of the unit need none: the walk knows them, inlined or not.

use crate::TRACKING;
use crate::ir::{Block, Builder, Module, Opcode, Type, Value};
use crate::sides::{Edge, plant};
use rustc_hash::FxHashMap;
use symcrete_abi::path::{MarkKind, mark};
use symcrete_program::{BlockEnd, BlockPaths, Function, FunctionPaths, PathCall, UnitPaths};

/// Where marks of one function go.
#[derive(Default)]
pub struct Places {
    edges: Vec<Edge>,
    /// Marks that stand right before an instruction.
    before: Vec<(Value, u32)>,
}

/// The model of a unit's paths, and what only the pass needs to know of it.
#[derive(Default)]
pub struct Walks {
    pub paths: UnitPaths,
    /// Of each `Edge` mark: the number of the way out, and how many there are.
    pub edges: Vec<(u32, u32)>,
}

/// Describes how a walk goes through `clone`, whose model (with its sides) is `model`. `numbers` are those of
/// all tracking bodies.
pub fn find(walks: &mut Walks, number: u32, clone: Value, model: &Function, numbers: &FxHashMap<Value, u32>) -> Places {
    let mut places = Places::default();
    let blocks = clone.blocks();
    let number_of: FxHashMap<Block, u32> = blocks.iter().enumerate().map(|(i, b)| (*b, i as u32)).collect();
    let mut described = FunctionPaths::default();
    for (at, block) in blocks.iter().enumerate() {
        let mut walk = BlockPaths::default();
        for instruction in block.instructions() {
            if let Some(call) =
                call(&mut walks.paths, &mut places, (number, at as u32, walk.calls.len() as u32), instruction, numbers)
            {
                walk.calls.push(call);
            }
            if instruction.opcode() == Opcode::LLVMLandingPad
                && let Some(after) = instruction.next()
            {
                places.before.push((after, mark(MarkKind::Pad, walks.paths.pads.len() as u32)));
                walks.paths.pads.push((number, at as u32));
            }
        }
        let decided = model.blocks[at].sides.iter().any(|side| side.is_some());
        walk.end = if decided { BlockEnd::Decide } else { end(walks, &mut places, *block, &number_of) };
        described.blocks.push(walk);
    }
    walks.paths.functions.push(described);
    places
}

/// Puts the marks where they belong. Nothing else may have been planted at the same instructions after `find`.
pub fn place(module: Module, marker: Value, places: Places) {
    for (at, mark) in places.before {
        let ty = Type::function(module.void(), &[module.int(32)]);
        Builder::before(module, at).call_typed(ty, marker, &[module.int_value(32, u64::from(mark))]).set_no_merge();
    }
    plant(module, marker, places.edges);
}

fn call(
    paths: &mut UnitPaths,
    places: &mut Places,
    at: (u32, u32, u32),
    instruction: Value,
    numbers: &FxHashMap<Value, u32>,
) -> Option<PathCall> {
    if !instruction.is_call() || instruction.is_debug_or_pseudo() {
        return None;
    }
    let callee = instruction.called_value();
    if callee.is_inline_asm() || (callee.is_function() && callee.intrinsic_name().is_some()) {
        return None;
    }
    if let Some(&inside) = numbers.get(&callee) {
        debug_assert!(callee.has_string_attribute(TRACKING));
        return Some(PathCall::Inside(inside));
    }
    let twice = instruction.returns_twice();
    // What only reads calls nobody back; leaving it without a mark lets it be moved out of loops.
    if instruction.only_reads() && !twice {
        return None;
    }
    let number = paths.calls.len() as u32;
    paths.calls.push(at);
    let mark = mark(if twice { MarkKind::Again } else { MarkKind::After }, number);
    if instruction.is_invoke() {
        places.edges.push(Edge { from: instruction.parent(), index: 0, mark });
    } else if let Some(after) = instruction.next()
        && !after.is_unreachable()
    {
        places.before.push((after, mark));
    }
    Some(if twice { PathCall::Twice(number) } else { PathCall::Outside(number) })
}

/// How a block without sides ends.
fn end(walks: &mut Walks, places: &mut Places, block: Block, number_of: &FxHashMap<Block, u32>) -> BlockEnd {
    let end = block.terminator();
    if end.is_return() {
        return BlockEnd::Return;
    }
    if end.is_invoke() {
        return BlockEnd::Invoke;
    }
    if !end.is_conditional_branch() && !end.is_switch() {
        return if end.successor_count() == 1 { BlockEnd::Fixed(0) } else { BlockEnd::Stop };
    }
    let condition = end.condition();
    if let Some(value) = condition.constant_value() {
        let hit = if end.is_switch() {
            (1..end.successor_count()).find(|case| end.case_value(*case) == value).unwrap_or(0)
        } else {
            u32::from(value == 0)
        };
        return BlockEnd::Fixed(hit);
    }
    if end.is_conditional_branch() && condition.is_phi() && condition.parent() == block {
        let incoming = condition.incoming();
        let known: Option<Vec<(u32, u32)>> = incoming
            .iter()
            .map(|(value, from)| Some((number_of[from], u32::from(value.constant_value()? == 0))))
            .collect();
        if let Some(known) = known {
            return BlockEnd::Repeats(known);
        }
    }
    for index in 0..end.successor_count() {
        places.edges.push(Edge { from: block, index, mark: mark(MarkKind::Edge, walks.edges.len() as u32) });
        walks.edges.push((index, end.successor_count()));
    }
    BlockEnd::Decide
}
