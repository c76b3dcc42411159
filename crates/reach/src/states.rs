//! What a global variable can ever hold, when every write of it in the whole program is of constants: the states of a
//! state machine. Nothing is said of a variable whose address is used for anything but loads and stores of it as a
//! whole, or that code which is not seen may name.

use crate::code::{Called, Code, GlobalId};
use crate::effects::{Root, roots};
use crate::library;
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_program::FunctionId;
use symcrete_program::code::{Constant, Operand, TypeKind, UnitCode, What};

/// More states than this help nobody.
const MOST: usize = 24;

#[derive(Default)]
pub struct States(FxHashMap<GlobalId, Vec<u128>>);

impl States {
    pub fn new(code: &Code<'_>) -> States {
        let Some(mut states) = candidates(code) else { return States::default() };
        for (function, body) in code.bodies() {
            for instruction in body.function.blocks.iter().flatten() {
                match &instruction.what {
                    What::Store { value, to, .. } => {
                        let direct = global_at(code, function, *to);
                        roots(code, function, *to, &mut |root| {
                            let Root::Global(id) = root else { return };
                            let stored = (direct == Some(id)).then(|| constants(code, function, *value)).flatten();
                            note(&mut states, id, stored);
                        });
                    }
                    What::ReadModifyWrite { at, .. } | What::CompareExchange { at, .. } => {
                        roots(code, function, *at, &mut |root| {
                            if let Root::Global(id) = root {
                                states.remove(&id);
                            }
                        });
                    }
                    _ => {}
                }
            }
        }
        let states = states.into_iter().map(|(id, (_, values))| (id, values.into_iter().collect::<Vec<_>>()));
        States(states.filter(|(_, values)| values.len() <= MOST).collect())
    }

    pub fn of(&self, code: &Code<'_>, function: FunctionId, from: Operand) -> Option<&Vec<u128>> {
        self.0.get(&global_at(code, function, from)?)
    }
}

/// Whole variables, with their widths and what they begin with. Nothing where something unseen may write by name.
fn candidates(code: &Code<'_>) -> Option<FxHashMap<GlobalId, (u8, FxHashSet<u128>)>> {
    let mut foreign = false;
    // Models of library functions are ours and name no variable of the program.
    for (_, body) in code.bodies().filter(|(_, body)| !code.program.unit(body.unit).model) {
        for instruction in body.function.blocks.iter().flatten() {
            match &instruction.what {
                What::Other(..) => return None,
                What::Call(call) | What::Invoke(call) => match code.called(body.unit, body.code, call) {
                    Called::Assembly => return None,
                    Called::Outside(name) => {
                        foreign |= !code.is_input(name) && !library::is_known(name) && code.is_foreign(name);
                    }
                    Called::Known(_) | Called::Pointer(_) => {}
                },
                _ => {}
            }
        }
    }
    let mut found = FxHashMap::default();
    for (unit, _) in code.program.units() {
        let Some(own) = code.program.details(unit).and_then(|details| details.code()) else { continue };
        for (number, global) in own.globals.iter().enumerate() {
            let id = code.global(unit, number as u32);
            let known = &code.globals[id.0 as usize];
            let hidden = known.internal || !foreign;
            if known.exposed || known.constant || global.thread_local || !hidden {
                continue;
            }
            let TypeKind::Int(bits @ 1..=64) = own.types[global.ty as usize].kind else { continue };
            let Some(first) = global.initial.and_then(|initial| number_of(own, initial)) else { continue };
            found.insert(id, (bits as u8, FxHashSet::from_iter([first])));
        }
    }
    Some(found)
}

fn note(states: &mut FxHashMap<GlobalId, (u8, FxHashSet<u128>)>, id: GlobalId, stored: Option<(u8, Vec<u128>)>) {
    let Some((width, values)) = states.get_mut(&id) else { return };
    match stored {
        Some((stored, new)) if stored == *width && values.len() <= MOST => values.extend(new),
        _ => drop(states.remove(&id)),
    }
}

/// The variable whose address an operand is, as it is.
fn global_at(code: &Code<'_>, function: FunctionId, operand: Operand) -> Option<GlobalId> {
    let (Operand::Constant(id), Some(body)) = (operand, code.body(function)) else { return None };
    match body.code.constants[id as usize] {
        Constant::Global(number) => Some(code.global(body.unit, number)),
        _ => None,
    }
}

fn number_of(unit: &UnitCode, id: u32) -> Option<u128> {
    match unit.constants[id as usize] {
        Constant::Int(_, value) => Some(value),
        Constant::Null(_) => Some(0),
        _ => None,
    }
}

/// The constants that a value is one of, with its width.
fn constants(code: &Code<'_>, function: FunctionId, value: Operand) -> Option<(u8, Vec<u128>)> {
    let body = code.body(function)?;
    let width = crate::code::width(body.code, code.type_of(function, value)?)?;
    let mut found = vec![];
    let mut met: FxHashSet<u32> = FxHashSet::default();
    let mut work = vec![value];
    while let Some(operand) = work.pop() {
        match operand {
            Operand::Constant(id) => found.push(number_of(body.code, id)?),
            Operand::Value(number) if !met.insert(number) => {}
            Operand::Value(number) => match &code.instruction(code.definition(function, number)?)?.what {
                What::Select(_, a, b) => work.extend([*a, *b]),
                What::Phi(incoming) => work.extend(incoming.iter().map(|(_, value)| *value)),
                _ => return None,
            },
        }
    }
    Some((width, found))
}
