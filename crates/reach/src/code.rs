//! The program's instructions as the search looks at them: by function, with every call and global resolved.
//! Reads the model only.

use crate::library;
use crate::returns::LastCalls;
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_program::code::{
    Call, Callee, Constant, ConstantId, FunctionCode, Instruction, Operand, TypeId, TypeKind, UnitCode, What,
};
use symcrete_program::{Callees, Function, FunctionId, Linkage, Program, UnitId};

/// A global variable of the linked program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

#[derive(Debug)]
pub struct Global {
    pub name: String,
    /// Where it is defined; of one that is defined elsewhere any place that names it.
    pub unit: UnitId,
    pub size: u64,
    pub initial: Option<ConstantId>,
    pub constant: bool,
    pub internal: bool,
    /// Its address is used for more than to load from and store to it.
    pub exposed: bool,
}

/// One function with a body.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    pub unit: UnitId,
    pub code: &'a UnitCode,
    pub function: &'a FunctionCode,
    pub model: &'a Function,
}

/// An instruction of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub function: FunctionId,
    pub block: u32,
    pub at: u32,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called<'a> {
    /// A function whose body is known.
    Known(FunctionId),
    /// One that is not part of the program's model, by its name.
    Outside(&'a str),
    Pointer(Operand),
    Assembly,
}

pub struct Code<'a> {
    pub program: &'a Program,
    bodies: Vec<Option<Body<'a>>>,
    /// Number of the first value of each block, by function.
    begins: Vec<Vec<u32>>,
    callees: Callees<'a>,
    pub globals: Vec<Global>,
    global_ids: FxHashMap<(UnitId, u32), GlobalId>,
    /// Functions that are treated as if their body were not known.
    opaque: FxHashSet<String>,
    /// Those of them whose results are input: they are not run.
    inputs: FxHashSet<String>,
    /// Functions whose address is used anywhere in the program, by number.
    taken: Vec<bool>,
    /// All functions that are linked in, the program's own and others.
    linked: FxHashSet<String>,
    /// Blocks with a call that may return more than once.
    twice: FxHashMap<FunctionId, Vec<u32>>,
    own_locale: bool,
    pub last_calls: LastCalls,
}

impl<'a> Code<'a> {
    /// Nothing when a unit carries no instructions.
    pub fn new(program: &'a Program, opaque: &[String], linked: &[String]) -> Option<Code<'a>> {
        let (mut bodies, mut begins) = (vec![], vec![]);
        for (unit, model) in program.units() {
            let code = program.details(unit)?.code()?;
            for (function, model) in code.functions.iter().zip(&model.functions) {
                let mut next = parameters(code, function).len() as u32;
                let mut first = vec![];
                for block in &function.blocks {
                    first.push(next);
                    next += block.len() as u32;
                }
                begins.push(first);
                bodies.push((!function.blocks.is_empty()).then_some(Body { unit, code, function, model }));
            }
        }
        let mut code = Code {
            program,
            bodies,
            begins,
            callees: Callees::new(program),
            globals: vec![],
            global_ids: FxHashMap::default(),
            opaque: opaque.iter().cloned().collect(),
            inputs: opaque.iter().cloned().collect(),
            taken: vec![],
            linked: linked.iter().cloned().collect(),
            twice: FxHashMap::default(),
            own_locale: true,
            last_calls: LastCalls::default(),
        };
        code.opaque.extend(defined_twice(program));
        code.find_globals()?;
        code.find_exposed();
        code.taken = code.find_taken();
        code.twice = code.find_twice();
        code.own_locale = code.find_own_locale();
        code.last_calls = LastCalls::new(&code);
        Some(code)
    }

    fn find_globals(&mut self) -> Option<()> {
        let mut shared: FxHashMap<&str, GlobalId> = FxHashMap::default();
        for (unit, _) in self.program.units() {
            let code = self.program.details(unit)?.code()?;
            for (number, global) in code.globals.iter().enumerate().filter(|(_, global)| global.same_as.is_none()) {
                let next = GlobalId(self.globals.len() as u32);
                let id = if global.internal { next } else { *shared.entry(&global.name).or_insert(next) };
                self.global_ids.insert((unit, number as u32), id);
                let size = code.types[global.ty as usize].size;
                if id == next {
                    self.globals.push(Global {
                        name: global.name.clone(),
                        unit,
                        size,
                        initial: global.initial,
                        constant: global.constant,
                        internal: global.internal,
                        exposed: false,
                    });
                } else if global.initial.is_some() {
                    let known = &mut self.globals[id.0 as usize];
                    (known.unit, known.size, known.initial) = (unit, size, global.initial);
                    known.constant = global.constant;
                }
            }
        }
        self.join_names()
    }

    /// Other names of globals are these globals, in every unit, unless some unit has one of its own by that name.
    fn join_names(&mut self) -> Option<()> {
        for (unit, _) in self.program.units() {
            let code = self.program.details(unit)?.code()?;
            for (number, global) in code.globals.iter().enumerate() {
                let Some(same) = global.same_as else { continue };
                let of = self.global_ids[&(unit, same)];
                self.global_ids.insert((unit, number as u32), of);
                if global.internal {
                    continue;
                }
                let named = |known: &Global| !known.internal && known.name == global.name;
                let Some(known) = self.globals.iter().position(named) else { continue };
                let known_id = GlobalId(known as u32);
                let to = if self.globals[known].initial.is_some() { known_id } else { of };
                self.global_ids.values_mut().filter(|id| **id == known_id).for_each(|id| *id = to);
                self.global_ids.insert((unit, number as u32), to);
            }
        }
        Some(())
    }

    /// A global is exposed by every use of its address but as the place of a load or store.
    fn find_exposed(&mut self) {
        let mut exposed: FxHashSet<GlobalId> = FxHashSet::default();
        for (unit, _) in self.program.units() {
            let Some(code) = self.program.details(unit).and_then(|d| d.code()) else { continue };
            let mut note = |id: ConstantId| self.globals_in(unit, code, id, &mut exposed);
            for global in &code.globals {
                global.initial.into_iter().for_each(&mut note);
            }
            for function in &code.functions {
                let leaks = leaks(code, function);
                let instructions = function.blocks.iter().flatten();
                for (instruction, leaks) in instructions.zip(&leaks[parameters(code, function).len()..]) {
                    for id in constants_let_go(code, instruction, *leaks) {
                        note(id);
                    }
                }
            }
        }
        for id in exposed {
            self.globals[id.0 as usize].exposed = true;
        }
    }

    fn globals_in(&self, unit: UnitId, code: &UnitCode, id: ConstantId, found: &mut FxHashSet<GlobalId>) {
        match &code.constants[id as usize] {
            Constant::Global(number) => drop(found.insert(self.global_ids[&(unit, *number)])),
            Constant::Elements(_, list) => list.iter().for_each(|e| self.globals_in(unit, code, *e, found)),
            Constant::Offset(a, _) | Constant::Cast(_, _, a) => self.globals_in(unit, code, *a, found),
            Constant::Binary(_, _, a, b) => [a, b].iter().for_each(|e| self.globals_in(unit, code, **e, found)),
            _ => {}
        }
    }

    pub fn global(&self, unit: UnitId, number: u32) -> GlobalId {
        self.global_ids[&(unit, number)]
    }

    pub fn body(&self, function: FunctionId) -> Option<Body<'a>> {
        self.bodies[function.index()]
    }

    /// The functions with bodies.
    pub fn bodies(&self) -> impl Iterator<Item = (FunctionId, Body<'a>)> + '_ {
        self.bodies.iter().enumerate().filter_map(|(i, b)| Some((FunctionId(i as u32), (*b)?)))
    }

    pub fn instruction(&self, place: Place) -> Option<&'a Instruction> {
        self.body(place.function)?.function.blocks.get(place.block as usize)?.get(place.at as usize)
    }

    /// The number of an instruction's value in its function.
    pub fn value(&self, place: Place) -> u32 {
        self.begins[place.function.index()][place.block as usize] + place.at
    }

    /// The instruction that gives a value; nothing for a parameter.
    pub fn definition(&self, function: FunctionId, value: u32) -> Option<Place> {
        let begins = &self.begins[function.index()];
        let block = begins.partition_point(|b| *b <= value).checked_sub(1)?;
        Some(Place { function, block: block as u32, at: value - begins[block] })
    }

    /// Whether anything looks at what an instruction gives.
    pub fn is_used(&self, place: Place) -> bool {
        let Some(body) = self.body(place.function) else { return true };
        let value = Operand::Value(self.value(place));
        let mut found = vec![];
        body.function.blocks.iter().flatten().for_each(|instruction| operands(&instruction.what, &mut found));
        found.contains(&value)
    }

    pub fn type_of(&self, function: FunctionId, operand: Operand) -> Option<TypeId> {
        let body = self.body(function)?;
        match operand {
            Operand::Constant(id) => constant_type(body.code, id),
            Operand::Value(number) => match self.definition(function, number) {
                Some(place) => Some(self.instruction(place)?.ty),
                None => parameters(body.code, body.function).get(number as usize).copied(),
            },
        }
    }

    pub fn called(&self, unit: UnitId, code: &'a UnitCode, call: &Call) -> Called<'a> {
        match &call.callee {
            Callee::Assembly => Called::Assembly,
            Callee::Indirect(pointer) => Called::Pointer(*pointer),
            Callee::Direct(symbol) => self.by_name(unit, &code.symbols[*symbol as usize]),
        }
    }

    pub fn by_name(&self, unit: UnitId, name: &'a str) -> Called<'a> {
        // What our models call is the program's own function, or the library's.
        if let Some(native) = symcrete_program::native(name) {
            let own = |id: &FunctionId| self.body(*id).filter(|body| !self.program.unit(body.unit).model).map(|_| *id);
            return match self.callees.named(unit, native)[..] {
                [one] if own(&one).is_some() => Called::Known(one),
                _ => Called::Outside(native),
            };
        }
        if self.opaque.contains(name) {
            return Called::Outside(name);
        }
        match self.callees.named(unit, name)[..] {
            [one] if self.bodies[one.index()].is_some() => Called::Known(one),
            _ => Called::Outside(name),
        }
    }

    /// The function a name stands for in a unit, when its body is known.
    pub fn by_name_owned(&self, unit: UnitId, name: &str) -> Option<FunctionId> {
        match self.callees.named(unit, name)[..] {
            [one] if self.bodies[one.index()].is_some() && !self.opaque.contains(name) => Some(one),
            _ => None,
        }
    }

    /// A unit knows of its own functions whether it uses their addresses; other units may use them, too.
    fn find_taken(&self) -> Vec<bool> {
        let mut taken: Vec<bool> = self.bodies.iter().map(|b| b.is_some_and(|body| body.model.address_taken)).collect();
        for id in self.named_in_constants() {
            taken[id.index()] = true;
        }
        taken
    }

    fn find_twice(&self) -> FxHashMap<FunctionId, Vec<u32>> {
        let mut found: FxHashMap<FunctionId, Vec<u32>> = FxHashMap::default();
        for (id, body) in self.bodies() {
            let twice = |what: &What| match what {
                What::Call(call) | What::Invoke(call) => {
                    matches!(self.called(body.unit, body.code, call), Called::Outside(name) if library::returns_twice(name))
                }
                _ => false,
            };
            for (number, block) in body.function.blocks.iter().enumerate() {
                if block.iter().any(|instruction| twice(&instruction.what)) {
                    found.entry(id).or_default().push(number as u32);
                }
            }
        }
        found
    }

    /// The blocks of a function with a call that may return more than once (`setjmp`).
    pub fn twice(&self, function: FunctionId) -> &[u32] {
        self.twice.get(&function).map_or(&[], Vec::as_slice)
    }

    /// Whether the program may leave the locale that C begins with.
    fn find_own_locale(&self) -> bool {
        let sets = |name: &str| matches!(name, "setlocale" | "uselocale");
        self.bodies().filter(|(_, body)| !self.program.unit(body.unit).model).any(|(_, body)| {
            let may = |what: &What| match what {
                What::Call(call) | What::Invoke(call) => match self.called(body.unit, body.code, call) {
                    Called::Outside(name) if sets(name) => !matches!(
                        call.arguments.get(1),
                        Some(Operand::Constant(id)) if matches!(body.code.constants[*id as usize], Constant::Null(_))
                    ),
                    Called::Outside(name) => !self.is_input(name) && !library::is_known(name),
                    Called::Assembly => true,
                    _ => false,
                },
                _ => false,
            };
            let named = |constant: &Constant| matches!(constant, Constant::Function(symbol) if sets(&body.code.symbols[*symbol as usize]));
            body.function.blocks.iter().flatten().any(|i| may(&i.what)) || body.code.constants.iter().any(named)
        })
    }

    /// Somebody unknown may have chosen another.
    pub fn leave_plain_locale(&mut self) {
        self.own_locale = true;
    }

    /// Whether the program stays in the locale that C begins with, in which every character is one byte.
    pub fn is_in_plain_locale(&self) -> bool {
        !self.own_locale
    }

    fn named_in_constants(&self) -> FxHashSet<FunctionId> {
        let mut named: FxHashSet<FunctionId> = FxHashSet::default();
        for (unit, _) in self.program.units() {
            let Some(code) = self.program.details(unit).and_then(|d| d.code()) else { continue };
            for constant in &code.constants {
                if let Constant::Function(symbol) = constant {
                    named.extend(self.callees.named(unit, &code.symbols[*symbol as usize]));
                }
            }
        }
        named
    }

    /// Whether a function is not run at all, its results being input.
    pub fn is_input(&self, name: &str) -> bool {
        self.inputs.contains(name)
    }

    /// Whether a function that the model does not have is part of the program: it may call others by their names.
    pub fn is_foreign(&self, name: &str) -> bool {
        self.linked.contains(name)
    }

    /// Whether a function that runs before `main` is one of the program's model, or one that every program has.
    pub fn is_own_start(&self, name: &str) -> bool {
        let known = |(_, body): (FunctionId, Body<'_>)| body.model.name == name;
        name == "frame_dummy" || name.starts_with("__symcrete_") || self.bodies().any(known)
    }

    /// Whether a call through a pointer may lead to a function.
    pub fn is_taken(&self, function: FunctionId) -> bool {
        self.taken[function.index()]
    }

    /// Functions that something but calls by name and addresses in constants refers to: the program's constructors.
    pub fn constructors(&self) -> Vec<FunctionId> {
        let named = self.named_in_constants();
        let hidden =
            |(id, body): (FunctionId, Body<'_>)| (body.model.address_taken && !named.contains(&id)).then_some(id);
        self.bodies().filter_map(hidden).collect()
    }

    /// What runs before the entry.
    pub fn before_entry(&self) -> Vec<FunctionId> {
        // What a libFuzzer harness may do first.
        let first = self.bodies().filter(|(_, body)| body.model.name == "LLVMFuzzerInitialize").map(|(id, _)| id);
        self.constructors().into_iter().chain(first).collect()
    }

    /// `file` and line of an instruction, for people; line 0 when the compiler knows none.
    pub fn location(&self, place: Place) -> (String, u32) {
        let Some(body) = self.body(place.function) else { return (String::new(), 0) };
        let unit = self.program.unit(body.unit);
        let file = unit.files.get(body.model.location.file as usize).map_or(unit.path.as_str(), |f| f.as_str());
        (file.to_owned(), self.line_near(place, body))
    }

    /// The line of an instruction, or of what stands nearest before it in its block.
    fn line_near(&self, place: Place, body: Body<'_>) -> u32 {
        let block = &body.function.blocks[place.block as usize];
        let upto = &block[..(place.at as usize + 1).min(block.len())];
        let found = upto.iter().rev().chain(block.iter()).map(|i| i.line).find(|&line| line > 0);
        found.unwrap_or(body.model.blocks[place.block as usize].location.line)
    }
}

/// Names with several bodies that differ: which one runs, the linker knows.
fn defined_twice(program: &Program) -> Vec<String> {
    let mut first: FxHashMap<&str, u64> = FxHashMap::default();
    let mut several = vec![];
    for (_, unit) in program.units() {
        for function in unit.functions.iter().filter(|f| f.linkage != Linkage::Internal && !f.blocks.is_empty()) {
            if *first.entry(&function.name).or_insert(function.hash) != function.hash {
                several.push(function.name.clone());
            }
        }
    }
    several
}

/// Which values of a function are let go: stored, handed to a call, returned, computed with. An address that is only
/// loaded from, stored to or compared is not.
pub fn leaks(code: &UnitCode, function: &FunctionCode) -> Vec<bool> {
    let first = parameters(code, function).len();
    let mut leaks = vec![false; first + function.blocks.iter().map(Vec::len).sum::<usize>()];
    loop {
        let mut changed = false;
        for (number, instruction) in function.blocks.iter().flatten().enumerate() {
            for operand in let_go(code, instruction, leaks[first + number]) {
                if let Operand::Value(number) = operand {
                    changed |= !std::mem::replace(&mut leaks[number as usize], true);
                }
            }
        }
        if !changed {
            return leaks;
        }
    }
}

/// The operands an instruction lets go; `result` says whether its own value is let go.
fn let_go(code: &UnitCode, instruction: &Instruction, result: bool) -> Vec<Operand> {
    let mut free = vec![];
    match &instruction.what {
        What::Load { .. } | What::Compare(..) => {}
        What::Store { value, .. } => free.push(*value),
        What::Address { base, .. } => free.extend(result.then_some(*base)),
        What::Phi(_) | What::Select(..) | What::Freeze(_) if !result => {}
        What::Call(call) | What::Invoke(call) if keeps_to_itself(code, call) => {}
        other => operands(other, &mut free),
    }
    free
}

fn constants_let_go(code: &UnitCode, instruction: &Instruction, result: bool) -> Vec<ConstantId> {
    let constant = |operand| match operand {
        Operand::Constant(id) => Some(id),
        Operand::Value(_) => None,
    };
    let_go(code, instruction, result).into_iter().filter_map(constant).collect()
}

/// Calls that use the addresses they are given and keep none.
fn keeps_to_itself(code: &UnitCode, call: &Call) -> bool {
    const QUIET: [&str; 8] =
        ["llvm.mem", "llvm.lifetime", "llvm.sideeffect", "llvm.dbg", "symcrete_", "klee_", "__VERIFIER_", "free"];
    let Callee::Direct(symbol) = call.callee else { return false };
    QUIET.iter().any(|quiet| code.symbols[symbol as usize].starts_with(quiet))
}

/// Whether code outside the unit can name a function.
pub fn is_external(function: &Function) -> bool {
    function.linkage != Linkage::Internal
}

pub fn parameters<'c>(code: &'c UnitCode, function: &FunctionCode) -> &'c [TypeId] {
    signature(code, function.signature).1
}

/// Result and parameters of a function type.
pub fn signature(code: &UnitCode, ty: TypeId) -> (TypeId, &[TypeId]) {
    match &code.types[ty as usize].kind {
        TypeKind::Function(result, parameters, _) => (*result, parameters),
        _ => (ty, &[]),
    }
}

pub fn constant_type(code: &UnitCode, id: ConstantId) -> Option<TypeId> {
    match &code.constants[id as usize] {
        Constant::Int(ty, _)
        | Constant::Float(ty, _)
        | Constant::Null(ty)
        | Constant::Undefined(ty)
        | Constant::Bytes(ty, _)
        | Constant::Elements(ty, _)
        | Constant::Cast(_, ty, _)
        | Constant::Binary(_, ty, ..)
        | Constant::Other(ty, _) => Some(*ty),
        Constant::Global(_) | Constant::Function(_) | Constant::Offset(..) => None,
    }
}

/// Bits of a scalar; nothing for what is none, or wider than terms are.
pub fn width(code: &UnitCode, ty: TypeId) -> Option<u8> {
    match code.types[ty as usize].kind {
        TypeKind::Int(bits) if (1..=128).contains(&bits) => Some(bits as u8),
        TypeKind::Float(bits @ (32 | 64)) => Some(bits as u8),
        TypeKind::Pointer => Some(64),
        _ => None,
    }
}

/// All operands of an instruction.
pub fn operands(what: &What, to: &mut Vec<Operand>) {
    match what {
        What::Binary(_, a, b)
        | What::Compare(_, a, b)
        | What::FloatCompare(_, a, b)
        | What::Insert(a, b, _)
        | What::ExtractElement(a, b)
        | What::Shuffle(a, b, _) => to.extend([*a, *b]),
        What::Negate(a)
        | What::Cast(_, a)
        | What::Extract(a, _)
        | What::Freeze(a)
        | What::Branch(a)
        | What::Switch(a, _)
        | What::Resume(a)
        | What::Load { from: a, .. }
        | What::Alloca { count: a, .. } => to.push(*a),
        What::Select(a, b, c) | What::InsertElement(a, b, c) => to.extend([*a, *b, *c]),
        What::Phi(incoming) => to.extend(incoming.iter().map(|(_, v)| *v)),
        What::Store { value, to: at, .. } => to.extend([*value, *at]),
        What::Address { base, terms, .. } => {
            to.push(*base);
            to.extend(terms.iter().map(|(v, _)| *v));
        }
        What::Call(call) | What::Invoke(call) => {
            to.extend(&call.arguments);
            if let Callee::Indirect(pointer) = call.callee {
                to.push(pointer);
            }
        }
        What::ReadModifyWrite { at, with, .. } => to.extend([*at, *with]),
        What::CompareExchange { at, expected, new } => to.extend([*at, *expected, *new]),
        What::Other(_, list) => to.extend(list),
        What::Return(value) => to.extend(value),
        What::LandingPad | What::Jump | What::Unreachable => {}
    }
}
