//! Numbers every place of a unit at which the runtime may have something to say.

use crate::MARKER;
use crate::early;
use crate::ir::{Block, Value};
use crate::late::original_name;
use rustc_hash::FxHashMap;
use symcrete_abi::path::{MarkKind, unmark};
use symcrete_program::{Site, SiteKind, Unit};

pub struct Sites {
    pub unit: Unit,
    functions: FxHashMap<String, u32>,
}

impl Sites {
    pub fn new(unit: Unit) -> Sites {
        let functions = unit.functions.iter().enumerate().map(|(i, f)| (f.name.clone(), i as u32)).collect();
        Sites { unit, functions }
    }

    /// Number of a function by the name of its original.
    pub fn function(&self, name: &str) -> u32 {
        self.functions.get(name).copied().unwrap_or(0)
    }

    /// A site for `instruction` of tracking body `body`; `sides` are the source sides of its outcomes.
    pub fn add(&mut self, body: Value, instruction: Value, kind: SiteKind, sides: Vec<Option<u32>>) -> u32 {
        let function = self.functions.get(original_name(&body.name())).copied().unwrap_or(0);
        let location = early::location(&mut self.unit, instruction);
        self.unit.sites.push(Site { kind, function, location, sides });
        self.unit.sites.len() as u32 - 1
    }
}

/// The source side that is certain to be taken with an edge: a marker in the target, which has no other
/// way in, or further along a straight line.
pub fn side_behind(edge_target: Block) -> Option<u32> {
    let mut block = edge_target;
    for _ in 0..4 {
        if block.incoming_edges() != 1 {
            return None;
        }
        let marker = block.instructions().into_iter().find_map(marker_side);
        if marker.is_some() {
            return marker;
        }
        let end = block.terminator();
        if end.successor_count() != 1 {
            return None;
        }
        block = end.successor(0);
    }
    None
}

/// The mark a marker call stands for.
pub fn marker(instruction: Value) -> Option<u32> {
    if !instruction.is_call() || instruction.called_function()?.name() != MARKER {
        return None;
    }
    instruction.operand(0).constant_value().map(|mark| mark as u32)
}

/// The side a marker call stands for.
pub fn marker_side(instruction: Value) -> Option<u32> {
    match unmark(marker(instruction)?)? {
        (MarkKind::Side, side) => Some(side),
        _ => None,
    }
}
