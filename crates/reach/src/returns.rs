//! Which functions never return: they end the program, loop for ever, or call one that does. Compilers are told by a word
//! in front of the function, and programs forget it.

use crate::code::{Body, Called, Code, Place};
use rustc_hash::FxHashMap;
use symcrete_program::FunctionId;
use symcrete_program::code::What;

/// The calls that nothing follows, first of their blocks.
#[derive(Default)]
pub struct LastCalls {
    at: FxHashMap<(FunctionId, u32), u32>,
}

impl LastCalls {
    pub fn new(code: &Code<'_>) -> LastCalls {
        let mut may_return = vec![false; code.program.function_count()];
        // A run that returns has only finitely many calls within each other, so what no round finds never returns.
        let mut grown = true;
        while std::mem::take(&mut grown) {
            for (function, body) in code.bodies() {
                if !may_return[function.index()] && returns(code, body, &may_return) {
                    (may_return[function.index()], grown) = (true, true);
                }
            }
        }
        let mut last = LastCalls::default();
        for (function, body) in code.bodies() {
            for block in 0..body.function.blocks.len() as u32 {
                if let Some(at) = last_call(code, body, block, &may_return) {
                    last.at.insert((function, block), at);
                }
            }
        }
        last
    }

    /// Whether no run gets to the end of a block.
    pub fn is_in(&self, function: FunctionId, block: u32) -> bool {
        self.at.contains_key(&(function, block))
    }

    /// Whether no run comes from the beginning of its block to a place.
    pub fn is_before(&self, place: Place) -> bool {
        self.at.get(&(place.function, place.block)).is_some_and(|&last| last < place.at)
    }
}

/// Whether there is a way through a function from its beginning to a return.
fn returns(code: &Code<'_>, body: Body<'_>, may_return: &[bool]) -> bool {
    let mut met = vec![false; body.function.blocks.len()];
    let mut waiting = vec![0u32];
    while let Some(block) = waiting.pop() {
        if std::mem::replace(&mut met[block as usize], true) {
            continue;
        }
        let successors = || body.model.blocks[block as usize].successors.iter();
        let list = &body.function.blocks[block as usize];
        match list.last().map(|last| &last.what) {
            // An exception may come of any call.
            Some(What::Invoke(_)) => waiting.extend(successors()),
            _ if last_call(code, body, block, may_return).is_some() => {}
            Some(What::Return(_)) => return true,
            _ => waiting.extend(successors()),
        }
    }
    false
}

fn last_call(code: &Code<'_>, body: Body<'_>, block: u32, may_return: &[bool]) -> Option<u32> {
    let ends = |what: &What| match what {
        What::Call(call) => match code.called(body.unit, body.code, call) {
            Called::Known(callee) => code.body(callee).is_some() && !may_return[callee.index()],
            Called::Outside(name) => ["abort", "exit", "_exit", "_Exit", "__assert_fail"].contains(&name),
            _ => false,
        },
        _ => false,
    };
    body.function.blocks[block as usize].iter().position(|instruction| ends(&instruction.what)).map(|at| at as u32)
}
