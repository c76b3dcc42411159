//! How many tests entered each function. The engine knows it by the sides taken within; a function without
//! decisions is entered when somebody who was entered calls it, or when it is where the program starts.

use crate::lcov::block_hits;
use symcrete_program::{Call, Callees, FunctionId, Program, UnitId};

/// `hits` by number, completed; `tests` is how many there are, all of which run `entry`.
pub fn entered(program: &Program, side_hits: &[u32], hits: &[u32], entry: &str, tests: u32) -> Vec<u32> {
    let mut hits: Vec<u32> = (0..program.function_count()).map(|f| hits.get(f).copied().unwrap_or(0)).collect();
    let callees = Callees::new(program);
    let mut work: Vec<FunctionId> = Vec::new();
    for (unit, local, function) in functions(program) {
        let id = program.function_id(unit, local);
        if function.source_name == entry && !program.unit(unit).model {
            hits[id.index()] = hits[id.index()].max(tests);
        }
        if hits[id.index()] > 0 {
            work.push(id);
        }
    }
    while let Some(id) = work.pop() {
        let (unit, function) = program.function(id);
        let taken = |local: u32| side_hits.get(program.side_id(unit, local).index()).copied().unwrap_or(0);
        let blocks = block_hits(function, hits[id.index()], &taken);
        for (block, count) in function.blocks.iter().zip(blocks).filter(|(_, count)| *count > 0) {
            for call in &block.calls {
                let Call::Direct(name) = call else { continue };
                let [callee] = callees.named(unit, name)[..] else { continue };
                // Sides say more than calls do.
                if program.function(callee).1.side_count == 0 && hits[callee.index()] < count {
                    hits[callee.index()] = count;
                    work.push(callee);
                }
            }
        }
    }
    hits
}

fn functions(program: &Program) -> impl Iterator<Item = (UnitId, u32, &symcrete_program::Function)> {
    program.units().flat_map(|(id, unit)| unit.functions.iter().enumerate().map(move |(i, f)| (id, i as u32, f)))
}
