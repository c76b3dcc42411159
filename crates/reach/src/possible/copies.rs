//! Functions that make objects are looked at apart for each call of them: an object is named by where it is made, and
//! behind one function around `malloc` all objects of a program would be one.
//!
//! A copy of a function is a function of its own: its values, its objects, its callers (one call). Copies are numbered
//! after the program's functions. Which functions get copies, and how many, is a matter of cost only: every call enters a
//! copy of its function or the function itself, and what is possible in any of them is possible in the function.

use super::Work;
use super::call::{Outside, outside};
use crate::code::{Body, Called, Code, Place, parameters, signature};
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_program::FunctionId;
use symcrete_program::code::{Instruction, Operand, TypeId, TypeKind, What};

/// Larger functions have no copies.
const MOST_INSTRUCTIONS: usize = 800;
/// Copies within copies.
const DEPTH: usize = 4;
/// Values in all copies together.
const MOST_VALUES: u32 = 400_000;

pub struct Copies {
    /// How many functions the program has.
    own: u32,
    /// Of each copy: the function, and the call that enters it.
    list: Vec<(FunctionId, Place)>,
    known: FxHashMap<(FunctionId, Place), FunctionId>,
    /// Functions that have copies.
    makers: FxHashSet<FunctionId>,
    values: u32,
}

impl Copies {
    pub fn new(code: &Code<'_>) -> Copies {
        Copies {
            own: code.program.function_count() as u32,
            list: vec![],
            known: FxHashMap::default(),
            makers: makers(code),
            values: 0,
        }
    }

    /// Every function once.
    pub fn none(code: &Code<'_>) -> Copies {
        Copies { makers: FxHashSet::default(), ..Copies::new(code) }
    }

    /// The function of the program that a copy is of.
    pub fn original(&self, function: FunctionId) -> FunctionId {
        match function.0.checked_sub(self.own) {
            Some(copy) => self.list[copy as usize].0,
            None => function,
        }
    }

    /// The one call that enters a copy.
    pub fn call(&self, function: FunctionId) -> Option<Place> {
        Some(self.list[function.0.checked_sub(self.own)? as usize].1)
    }

    /// All copies, with their functions.
    pub fn all(&self) -> impl Iterator<Item = (FunctionId, FunctionId)> + '_ {
        self.list.iter().enumerate().map(|(number, (of, _))| (FunctionId(self.own + number as u32), *of))
    }

    /// Whether a call gets a copy of its own: not within many others, and not within one of the same function.
    fn wants(&self, function: FunctionId, call: Place) -> bool {
        let (mut depth, mut at) = (0, Some(call.function));
        while let Some(caller) = at {
            if self.original(caller) == function || depth == DEPTH {
                return false;
            }
            (depth, at) = (depth + 1, self.call(caller).map(|call| call.function));
        }
        self.makers.contains(&function) && self.values < MOST_VALUES
    }
}

impl<'a> Work<'_, 'a> {
    /// What a call of a function enters: a copy of it, or itself.
    pub(super) fn entered_by(&mut self, function: FunctionId, call: Place) -> FunctionId {
        if let Some(known) = self.copies.known.get(&(function, call)) {
            return *known;
        }
        let (true, Some(body)) = (self.copies.wants(function, call), self.code.body(function)) else { return function };
        let copy = FunctionId(self.copies.own + self.copies.list.len() as u32);
        self.copies.list.push((function, call));
        self.copies.known.insert((function, call), copy);
        self.copies.values += self.add_function(Some(body));
        copy
    }

    /// The same, when it was entered already.
    pub(super) fn entered(&self, function: FunctionId, call: Place) -> FunctionId {
        self.copies.known.get(&(function, call)).copied().unwrap_or(function)
    }

    /// Room for what is found out about a function; how many values it has.
    pub(super) fn add_function(&mut self, body: Option<Body<'a>>) -> u32 {
        let blocks = body.map_or(&[][..], |body| &body.function.blocks);
        let values = body.map_or(0, |body| parameters(body.code, body.function).len())
            + blocks.iter().map(Vec::len).sum::<usize>();
        self.first.push(self.sets.len() as u32);
        self.sets.resize(self.sets.len() + values, Default::default());
        self.users.resize(self.sets.len(), vec![]);
        self.returns.push(Default::default());
        self.returned_to.push(Default::default());
        self.calls.push(Default::default());
        self.calls_out.push(false);
        self.live.push(vec![false; blocks.len()]);
        values as u32
    }

    /// What is possible in a copy is possible in its function.
    pub(super) fn merge_copies(&mut self) {
        for (copy, function) in self.copies.all().collect::<Vec<_>>() {
            let (from, to) = (self.first[copy.index()] as usize, self.first[function.index()] as usize);
            let upto = self.first.get(copy.index() + 1).map_or(self.sets.len(), |next| *next as usize);
            for number in 0..upto - from {
                let set = std::mem::take(&mut self.sets[from + number]);
                self.sets[to + number].join(&set);
            }
            for (block, live) in std::mem::take(&mut self.live[copy.index()]).into_iter().enumerate() {
                self.live[function.index()][block] |= live;
            }
        }
        let copies = &self.copies;
        let of = |place: Place| Place { function: copies.original(place.function), ..place };
        self.edges = self.edges.drain().map(|(function, from, to)| (copies.original(function), from, to)).collect();
        self.wild = self.wild.drain().map(of).collect();
        for (place, callees) in std::mem::take(&mut self.targets) {
            self.targets
                .entry(of(place))
                .or_default()
                .extend(callees.into_iter().map(|callee| copies.original(callee)));
        }
    }

    /// An instruction's place in the program.
    pub(super) fn written(&self, place: Place) -> Place {
        Place { function: self.copies.original(place.function), ..place }
    }

    pub(super) fn body(&self, function: FunctionId) -> Option<Body<'a>> {
        self.code.body(self.copies.original(function))
    }

    pub(super) fn instruction(&self, place: Place) -> Option<&'a Instruction> {
        self.code.instruction(self.written(place))
    }

    pub(super) fn value(&self, place: Place) -> u32 {
        self.code.value(self.written(place))
    }

    pub(super) fn definition(&self, function: FunctionId, value: u32) -> Option<Place> {
        let place = self.code.definition(self.copies.original(function), value)?;
        Some(Place { function, ..place })
    }

    pub(super) fn type_of(&self, function: FunctionId, operand: Operand) -> Option<TypeId> {
        self.code.type_of(self.copies.original(function), operand)
    }
}

/// Functions that give an address and call what makes objects: an allocator, a pointer that may be one, each other.
fn makers(code: &Code<'_>) -> FxHashSet<FunctionId> {
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        for (id, body) in code.bodies() {
            let (given, _) = signature(body.code, body.function.signature);
            let gives_address = matches!(body.code.types[given as usize].kind, TypeKind::Pointer);
            let size = body.function.blocks.iter().map(Vec::len).sum::<usize>();
            if !gives_address || size > MOST_INSTRUCTIONS || found.contains(&id) {
                continue;
            }
            let makes = |instruction: &Instruction| match &instruction.what {
                What::Call(call) | What::Invoke(call) => match code.called(body.unit, body.code, call) {
                    Called::Known(callee) => {
                        found.contains(&callee) || super::call::stands_for(code, callee).is_some_and(allocates)
                    }
                    Called::Outside(name) => allocates(name),
                    Called::Pointer(_) => matches!(body.code.types[instruction.ty as usize].kind, TypeKind::Pointer),
                    Called::Assembly => false,
                },
                _ => false,
            };
            if body.function.blocks.iter().flatten().any(makes) {
                found.insert(id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn allocates(name: &str) -> bool {
    outside(name) == Outside::Allocates
}
