//! What code may write, without looking at its paths: for calls that are not looked into and for stretches that are
//! jumped over. Errs on the side of more.

use crate::code::{Called, Code, GlobalId};
use crate::library;
use rustc_hash::FxHashSet;
use symcrete_program::FunctionId;
use symcrete_program::code::{Constant, Operand, What};

/// What may be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    pub globals: FxHashSet<GlobalId>,
    /// Memory whose address is a value of the function: its variables on the stack, its parameters.
    pub values: FxHashSet<u32>,
    /// Memory behind pointers that come from somewhere: whatever lets its address go.
    pub pointers: bool,
    /// Anything that is not a variable on the stack whose address never left.
    pub everything: bool,
    /// Values that are let go: their memory belongs to `pointers` from then on.
    pub let_go: FxHashSet<u32>,
}

impl Effects {
    pub fn add(&mut self, other: &Effects) -> bool {
        let before = (self.globals.len(), self.pointers, self.everything);
        self.globals.extend(&other.globals);
        // What a callee writes through its parameters is behind a pointer for its caller.
        self.pointers |= other.pointers || !other.values.is_empty();
        self.everything |= other.everything;
        before != (self.globals.len(), self.pointers, self.everything)
    }
}

/// The effects of every function, calls included.
pub struct Summaries {
    all: Vec<Effects>,
}

impl Summaries {
    pub fn new(code: &Code<'_>) -> Summaries {
        let mut summaries = Summaries { all: vec![Effects::default(); code.program.function_count()] };
        let mut calls: Vec<Vec<FunctionId>> = vec![vec![]; code.program.function_count()];
        let mut callers: Vec<Vec<FunctionId>> = calls.clone();
        for (id, body) in code.bodies() {
            let blocks: Vec<u32> = (0..body.function.blocks.len() as u32).collect();
            let (mut own, called) = stretch(code, id, &blocks);
            // Its own variables are gone when it returns.
            let parameters = crate::code::parameters(body.code, body.function).len() as u32;
            own.values.retain(|&value| value < parameters);
            for &callee in &called {
                callers[callee.index()].push(id);
            }
            (summaries.all[id.index()], calls[id.index()]) = (own, called);
        }
        let mut work: Vec<FunctionId> = code.bodies().map(|(id, _)| id).collect();
        while let Some(id) = work.pop() {
            let mut own = summaries.all[id.index()].clone();
            let mut changed = false;
            for callee in &calls[id.index()] {
                changed |= own.add(&summaries.all[callee.index()]);
            }
            if changed {
                summaries.all[id.index()] = own;
                work.extend(&callers[id.index()]);
            }
        }
        summaries
    }

    pub fn of(&self, function: FunctionId) -> &Effects {
        &self.all[function.index()]
    }

    /// What some blocks of a function may write, with all they call.
    pub fn of_blocks(&self, code: &Code<'_>, function: FunctionId, blocks: &[u32]) -> Effects {
        let (mut effects, called) = stretch(code, function, blocks);
        for callee in called {
            effects.add(self.of(callee));
        }
        effects
    }
}

/// The effects of blocks by themselves, and whom they call.
fn stretch(code: &Code<'_>, function: FunctionId, blocks: &[u32]) -> (Effects, Vec<FunctionId>) {
    let mut effects = Effects::default();
    let mut called = vec![];
    let Some(body) = code.body(function) else { return (effects, called) };
    for &block in blocks {
        for instruction in &body.function.blocks[block as usize] {
            match &instruction.what {
                What::Store { value, to, .. } => {
                    written(code, function, *to, &mut effects);
                    let_go(code, function, *value, &mut effects);
                }
                What::ReadModifyWrite { at, with, .. } => {
                    written(code, function, *at, &mut effects);
                    let_go(code, function, *with, &mut effects);
                }
                What::CompareExchange { at, new, .. } => {
                    written(code, function, *at, &mut effects);
                    let_go(code, function, *new, &mut effects);
                }
                What::Call(call) | What::Invoke(call) => {
                    for argument in &call.arguments {
                        let_go(code, function, *argument, &mut effects);
                    }
                    match code.called(body.unit, body.code, call) {
                        Called::Known(callee) => called.push(callee),
                        Called::Outside(name) => match library::writes(name) {
                            library::Writes::Nothing => {}
                            library::Writes::Arguments => {
                                for argument in &call.arguments {
                                    written(code, function, *argument, &mut effects);
                                }
                            }
                            library::Writes::Everything => effects.everything = true,
                        },
                        Called::Pointer(_) | Called::Assembly => effects.everything = true,
                    }
                }
                What::Other(..) => effects.everything = true,
                What::Cast(_, a) => {
                    let_go(code, function, *a, &mut effects);
                }
                _ => {}
            }
        }
    }
    (effects, called)
}

/// Notes what an address may be of.
fn written(code: &Code<'_>, function: FunctionId, address: Operand, effects: &mut Effects) {
    roots(code, function, address, &mut |root| match root {
        Root::Global(id) => drop(effects.globals.insert(id)),
        Root::Value(value) => drop(effects.values.insert(value)),
        Root::Elsewhere => effects.pointers = true,
    });
}

fn let_go(code: &Code<'_>, function: FunctionId, value: Operand, effects: &mut Effects) {
    roots(code, function, value, &mut |root| {
        if let Root::Value(value) = root {
            effects.let_go.insert(value);
        }
    });
}

/// What an address is an address of.
pub enum Root {
    Global(GlobalId),
    /// A parameter, or room on the stack, by the value that is its address.
    Value(u32),
    Elsewhere,
}

pub fn roots(code: &Code<'_>, function: FunctionId, address: Operand, with: &mut dyn FnMut(Root)) {
    let Some(body) = code.body(function) else { return };
    let mut met: FxHashSet<u32> = FxHashSet::default();
    let mut work = vec![address];
    while let Some(operand) = work.pop() {
        let number = match operand {
            Operand::Constant(id) => {
                let mut id = id;
                while let Constant::Offset(inner, _) | Constant::Cast(_, _, inner) = &body.code.constants[id as usize] {
                    id = *inner;
                }
                match &body.code.constants[id as usize] {
                    Constant::Global(number) => with(Root::Global(code.global(body.unit, *number))),
                    Constant::Null(_) | Constant::Undefined(_) | Constant::Int(..) | Constant::Function(_) => {}
                    _ => with(Root::Elsewhere),
                }
                continue;
            }
            Operand::Value(number) => number,
        };
        if !met.insert(number) {
            continue;
        }
        let Some(place) = code.definition(function, number) else {
            with(Root::Value(number));
            continue;
        };
        match code.instruction(place).map(|i| &i.what) {
            Some(What::Alloca { .. }) => with(Root::Value(number)),
            Some(What::Address { base, .. }) => work.push(*base),
            Some(What::Freeze(a)) => work.push(*a),
            Some(What::Select(_, a, b)) => work.extend([*a, *b]),
            Some(What::Phi(incoming)) => work.extend(incoming.iter().map(|(_, v)| *v)),
            _ => with(Root::Elsewhere),
        }
    }
}
