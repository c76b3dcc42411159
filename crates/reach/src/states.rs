//! Which blocks runs enter at all, told apart by what the program knows at that moment: its scalar globals and the
//! values of the activations, as far as they are certain numbers. A machine with few states is followed through all of
//! them; where there are too many, or something that is not followed, nothing is said.
//!
//! What is not certain is any number, and both ways of a decision on it are taken. So every run of the program is among
//! those that are followed.

use crate::code::{Body, Called, Code, GlobalId, Place, operands, parameters, width};
use crate::evaluate::Start;
use crate::library;
use crate::machine::{holds, mask, operation, signed};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use symcrete_program::code::{Binary, Call, Cast, Constant, ConstantId, Operand, Order, TypeId, What};
use symcrete_program::{FunctionId, UnitId};
use symcrete_term::{Op, compute};

/// How many blocks and instructions are followed, and how deep calls.
const MOST_BLOCKS: usize = 60_000;
const MOST_WORK: usize = 3_000_000;
const DEPTH: usize = 24;
/// Where there are more: of what is stored in one variable, or comes to one phi, so many numbers are told apart.
const FEW: usize = 8;
/// Variables of the library that a program may name, and the library writes.
const SHARED: [&str; 8] = ["environ", "optarg", "optind", "opterr", "optopt", "signgam", "timezone", "daylight"];

/// A number, or any.
type Known = Option<u128>;

pub struct States {
    live: FxHashSet<(FunctionId, u32)>,
    edges: FxHashSet<(FunctionId, u32, u32)>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Frame {
    function: FunctionId,
    block: u32,
    /// The instruction that comes next.
    at: u32,
    /// By number, those that are certain.
    values: Vec<(u32, u128)>,
}

impl Frame {
    fn get(&self, number: u32) -> Known {
        self.values.binary_search_by_key(&number, |(of, _)| *of).ok().map(|at| self.values[at].1)
    }

    fn set(&mut self, number: u32, value: Known) {
        match (self.values.binary_search_by_key(&number, |(of, _)| *of), value) {
            (Ok(at), Some(value)) => self.values[at].1 = value,
            (Ok(at), None) => drop(self.values.remove(at)),
            (Err(at), Some(value)) => self.values.insert(at, (number, value)),
            (Err(_), None) => {}
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    frames: Vec<Frame>,
    globals: Vec<Known>,
}

/// Why nothing can be said.
enum Stop {
    /// There is something that is not followed.
    Unfollowed,
    TooMany,
}
use Stop::Unfollowed;
type Outcome<T> = Result<T, Stop>;

/// What is certain behind an edge: values of the activation, and variables.
#[derive(Default)]
struct Learnt {
    values: Vec<(u32, u128)>,
    globals: Vec<(usize, u128)>,
}

struct Walk<'w, 'a> {
    code: &'w Code<'a>,
    /// The variables that are followed, by their number in a state.
    followed: FxHashMap<GlobalId, usize>,
    /// Names of functions with a body in the program.
    own: FxHashSet<&'a str>,
    needed: FxHashMap<FunctionId, Rc<Vec<Vec<bool>>>>,
    found: States,
    met: FxHashSet<State>,
    waiting: Vec<State>,
    work: usize,
    /// How many numbers are told apart, and those that were met: in variables, and by phis.
    most: usize,
    stored: FxHashMap<usize, FxHashSet<u128>>,
    joined: FxHashMap<(FunctionId, u32), FxHashSet<u128>>,
}

impl States {
    pub fn new(code: &Code<'_>, start: &Start, has_early: bool) -> Option<States> {
        let own = |body: &Body<'_>| !code.program.unit(body.unit).model;
        // Who calls functions by their addresses, and when, is not followed; nor what runs before.
        if has_early || code.bodies().any(|(id, body)| own(&body) && code.is_taken(id)) {
            return None;
        }
        for most in [usize::MAX, FEW] {
            match States::told_apart(code, start, most) {
                Ok(found) => return Some(found),
                Err(Unfollowed) => return None,
                Err(Stop::TooMany) => {}
            }
        }
        None
    }

    fn told_apart(code: &Code<'_>, start: &Start, most: usize) -> Outcome<States> {
        let own = |body: &Body<'_>| !code.program.unit(body.unit).model;
        let globals = followed(code);
        let mut walk = Walk {
            code,
            followed: globals.iter().enumerate().map(|(number, (id, _))| (*id, number)).collect(),
            own: code.bodies().filter(|(_, body)| own(body)).map(|(_, body)| body.model.name.as_str()).collect(),
            needed: FxHashMap::default(),
            found: States { live: FxHashSet::default(), edges: FxHashSet::default() },
            met: FxHashSet::default(),
            waiting: vec![],
            work: 0,
            most,
            stored: FxHashMap::default(),
            joined: FxHashMap::default(),
        };
        let mut frame = Frame { function: start.entry, block: 0, at: 0, values: vec![] };
        let body = code.body(start.entry).ok_or(Unfollowed)?;
        if !parameters(body.code, body.function).is_empty() {
            frame.set(0, start.arguments.map(u128::from));
        }
        walk.enter(State { frames: vec![frame], globals: globals.into_iter().map(|(_, value)| Some(value)).collect() });
        while let Some(state) = walk.waiting.pop() {
            walk.follow(state)?;
            if walk.met.len() > MOST_BLOCKS || walk.work > MOST_WORK {
                return Err(Stop::TooMany);
            }
        }
        Ok(walk.found)
    }

    pub fn is_live(&self, function: FunctionId, block: u32) -> bool {
        self.live.contains(&(function, block))
    }

    pub fn is_gone(&self, function: FunctionId, from: u32, to: u32) -> bool {
        self.edges.contains(&(function, from, to))
    }
}

/// Scalar variables of the program that are only ever loaded and stored as a whole, by name, and what they begin with.
fn followed(code: &Code<'_>) -> Vec<(GlobalId, u128)> {
    let mut others: FxHashSet<GlobalId> = FxHashSet::default();
    let mut named = vec![];
    for (unit, _) in code.program.units() {
        let Some(details) = code.program.details(unit).and_then(|details| details.code()) else { return vec![] };
        for global in &details.globals {
            global.initial.into_iter().for_each(|id| mentioned(code, unit, id, &mut others));
        }
        for function in &details.functions {
            for instruction in function.blocks.iter().flatten() {
                named.clear();
                operands(&instruction.what, &mut named);
                // The address by itself, of a load or store of all of it.
                let (place, whole, volatile) = match &instruction.what {
                    What::Load { from, volatile, .. } => (Some(*from), width(details, instruction.ty), *volatile),
                    What::Store { value, to, volatile, .. } => {
                        (Some(*to), operand_width(details, function, *value), *volatile)
                    }
                    _ => (None, None, false),
                };
                for (number, operand) in named.iter().enumerate() {
                    let Operand::Constant(id) = operand else { continue };
                    let last = number + 1 == named.len();
                    match details.constants[*id as usize] {
                        Constant::Global(number) if last && place == Some(*operand) && !volatile => {
                            let of = &code.globals[code.global(unit, number).0 as usize];
                            if whole.is_none_or(|bits| 8 * of.size != u64::from(bits.next_multiple_of(8))) {
                                others.insert(code.global(unit, number));
                            }
                        }
                        _ => mentioned(code, unit, *id, &mut others),
                    }
                }
            }
        }
    }
    // Which of several definitions counts, the linker knows.
    let mut defined: FxHashMap<&str, u32> = FxHashMap::default();
    for (unit, _) in code.program.units() {
        let details = code.program.details(unit).and_then(|details| details.code());
        for global in details.into_iter().flat_map(|details| &details.globals).filter(|global| global.initial.is_some())
        {
            *defined.entry(&global.name).or_default() += 1;
        }
    }
    let all = code.globals.iter().enumerate().map(|(number, global)| (GlobalId(number as u32), global));
    let mut followed = vec![];
    for (id, global) in all.filter(|(id, global)| !others.contains(id) && !global.constant && global.size <= 8) {
        let details = code.program.details(global.unit).and_then(|details| details.code());
        let (Some(details), Some(initial)) = (details, global.initial) else { continue };
        let shared = details.globals.iter().any(|of| of.name == global.name && of.thread_local)
            || defined.get(&*global.name) > Some(&1);
        let value = match details.constants[initial as usize] {
            Constant::Int(_, value) => value,
            Constant::Null(ty) if width(details, ty).is_some() => 0,
            _ => continue,
        };
        if !shared && !SHARED.contains(&global.name.as_str()) && !code.program.unit(global.unit).model {
            followed.push((id, value));
        }
    }
    followed
}

/// Globals that a constant is made of.
fn mentioned(code: &Code<'_>, unit: UnitId, id: ConstantId, found: &mut FxHashSet<GlobalId>) {
    let Some(details) = code.program.details(unit).and_then(|details| details.code()) else { return };
    match &details.constants[id as usize] {
        Constant::Global(number) => drop(found.insert(code.global(unit, *number))),
        Constant::Elements(_, list) => list.iter().for_each(|part| mentioned(code, unit, *part, found)),
        Constant::Offset(of, _) | Constant::Cast(_, _, of) => mentioned(code, unit, *of, found),
        Constant::Binary(_, _, a, b) => [a, b].into_iter().for_each(|part| mentioned(code, unit, *part, found)),
        _ => {}
    }
}

fn operand_width(
    code: &symcrete_program::code::UnitCode,
    function: &symcrete_program::code::FunctionCode,
    operand: Operand,
) -> Option<u8> {
    let ty = match operand {
        Operand::Constant(id) => match crate::code::constant_type(code, id) {
            Some(ty) => ty,
            None => return Some(64),
        },
        Operand::Value(number) => {
            let given = parameters(code, function);
            match given.get(number as usize) {
                Some(ty) => *ty,
                None => function.blocks.iter().flatten().nth(number as usize - given.len())?.ty,
            }
        }
    };
    width(code, ty)
}

impl<'a> Walk<'_, 'a> {
    /// A block is about to be entered; what nobody will ask for any more is forgotten, so that states come together.
    fn enter(&mut self, mut state: State) {
        let frame = state.frames.last_mut().expect("somebody runs");
        let needed = self.needed(frame.function);
        let needed = &needed[frame.block as usize];
        frame.values.retain(|(number, _)| needed[*number as usize]);
        self.found.live.insert((frame.function, frame.block));
        if !self.met.contains(&state) {
            self.met.insert(state.clone());
            self.waiting.push(state);
        }
    }

    /// By block: the values that are used in it or behind it, and come from before its instructions (phis are over).
    fn needed(&mut self, function: FunctionId) -> Rc<Vec<Vec<bool>>> {
        if let Some(known) = self.needed.get(&function) {
            return known.clone();
        }
        let body = self.code.body(function).expect("only functions with bodies are entered");
        let blocks = &body.function.blocks;
        let count = parameters(body.code, body.function).len() + blocks.iter().map(Vec::len).sum::<usize>();
        let mut needed = vec![vec![false; count]; blocks.len()];
        let mut named = vec![];
        let mut grown = true;
        while std::mem::take(&mut grown) {
            for block in (0..blocks.len()).rev() {
                let first = |of: usize| self.code.value(Place { function, block: of as u32, at: 0 }) as usize;
                let mut now = vec![false; count];
                for &next in &body.model.blocks[block].successors {
                    let next = next as usize;
                    let phis = blocks[next].iter().take_while(|i| matches!(i.what, What::Phi(_))).count();
                    for (number, _) in needed[next].iter().enumerate().filter(|(_, needed)| **needed) {
                        now[number] |= !(first(next)..first(next) + phis).contains(&number);
                    }
                    for instruction in &blocks[next][..phis] {
                        let What::Phi(incoming) = &instruction.what else { continue };
                        for (_, value) in incoming.iter().filter(|(before, _)| *before as usize == block) {
                            if let Operand::Value(number) = value {
                                now[*number as usize] = true;
                            }
                        }
                    }
                }
                for (at, instruction) in blocks[block].iter().enumerate().rev() {
                    if matches!(instruction.what, What::Phi(_)) {
                        break;
                    }
                    now[first(block) + at] = false;
                    named.clear();
                    operands(&instruction.what, &mut named);
                    for operand in &named {
                        if let Operand::Value(number) = operand {
                            now[*number as usize] = true;
                        }
                    }
                }
                if now != needed[block] {
                    (needed[block], grown) = (now, true);
                }
            }
        }
        let needed = Rc::new(needed);
        self.needed.insert(function, needed.clone());
        needed
    }

    /// From an instruction to the end of its block, to a call, or back to a caller and on from there.
    fn follow(&mut self, mut state: State) -> Outcome<()> {
        loop {
            self.work += 1;
            let frame = state.frames.last_mut().expect("somebody runs");
            let (function, block, at) = (frame.function, frame.block, frame.at);
            let body = self.code.body(function).ok_or(Unfollowed)?;
            let instruction = body.function.blocks[block as usize].get(at as usize).ok_or(Unfollowed)?;
            let number = self.code.value(Place { function, block, at });
            frame.at += 1;
            let successors = &body.model.blocks[block as usize].successors;
            match &instruction.what {
                What::Phi(_) => {}
                What::Call(call) => match self.call(&mut state, body, call, number)? {
                    Went::On => {}
                    Went::In | Went::Away => return Ok(()),
                },
                What::Store { value, to, .. } => {
                    if let Some(of) = self.followed_at(body, *to) {
                        let value = self.operand(state.frames.last().expect("this one"), body, *value);
                        state.globals[of] = few(self.stored.entry(of).or_default(), value, self.most);
                    }
                }
                What::Return(value) => {
                    let value =
                        value.and_then(|value| self.operand(state.frames.last().expect("this one"), body, value));
                    state.frames.pop();
                    let Some(caller) = state.frames.last_mut() else { return Ok(()) };
                    let called = Place { function: caller.function, block: caller.block, at: caller.at - 1 };
                    caller.set(self.code.value(called), value);
                }
                What::Jump => {
                    let to = *successors.first().ok_or(Unfollowed)?;
                    self.go(state, body, to, &Learnt::default());
                    return Ok(());
                }
                What::Branch(condition) => {
                    let frame = state.frames.last().expect("this one");
                    let (condition, known) = (*condition, self.operand(frame, body, *condition));
                    for (way, to) in successors.iter().enumerate().take(2) {
                        let holds = way == 0;
                        if known.is_none_or(|known| (known & 1 == 1) == holds) {
                            let learnt = self.learnt(&state, body, condition, holds);
                            self.go(state.clone(), body, *to, &learnt);
                        }
                    }
                    return Ok(());
                }
                What::Switch(on, cases) => {
                    let known = self.operand(state.frames.last().expect("this one"), body, *on);
                    for (way, to) in successors.iter().enumerate() {
                        let case = way.checked_sub(1).and_then(|case| cases.get(case).copied());
                        let may = match (known, case) {
                            (None, _) => true,
                            (Some(known), Some(case)) => known == case,
                            (Some(known), None) => !cases.contains(&known),
                        };
                        if may {
                            let mut learnt = Learnt::default();
                            if let Some(case) = case {
                                self.learn(&state, body, *on, case, &mut learnt);
                            }
                            self.go(state.clone(), body, *to, &learnt);
                        }
                    }
                    return Ok(());
                }
                What::Unreachable => return Ok(()),
                What::Invoke(_) | What::Resume(_) => return Err(Unfollowed),
                what => {
                    let frame = state.frames.last().expect("this one");
                    let value = match what {
                        What::Load { from, volatile: false, .. } => {
                            self.followed_at(body, *from).and_then(|of| state.globals[of])
                        }
                        what => self.value(frame, body, what, instruction.ty),
                    };
                    state.frames.last_mut().expect("this one").set(number, value);
                }
            }
        }
    }

    /// Along an edge of the topmost activation, with values that are certain on it.
    fn go(&mut self, mut state: State, body: Body<'a>, to: u32, learnt: &Learnt) {
        for &(of, value) in &learnt.globals {
            state.globals[of] = Some(value);
        }
        let frame = state.frames.last_mut().expect("somebody runs");
        for &(number, value) in &learnt.values {
            frame.set(number, Some(value));
        }
        let (function, from) = (frame.function, frame.block);
        let mut new = vec![];
        for instruction in &body.function.blocks[to as usize] {
            let What::Phi(incoming) = &instruction.what else { break };
            let value = incoming.iter().find(|(before, _)| *before == from);
            new.push(value.and_then(|(_, value)| self.operand(frame, body, *value)));
        }
        let first = self.code.value(Place { function, block: to, at: 0 });
        for (number, value) in new.iter().enumerate() {
            let number = first + number as u32;
            frame.set(number, few(self.joined.entry((function, number)).or_default(), *value, self.most));
        }
        (frame.block, frame.at) = (to, new.len() as u32);
        self.found.edges.insert((function, from, to));
        self.enter(state);
    }

    /// What is certain where a decision went one way.
    fn learnt(&self, state: &State, body: Body<'a>, condition: Operand, holds: bool) -> Learnt {
        let (frame, mut learnt) = (state.frames.last().expect("somebody runs"), Learnt::default());
        let Operand::Value(number) = condition else { return learnt };
        learnt.values.push((number, u128::from(holds)));
        let definition = self.code.definition(frame.function, number).and_then(|place| self.code.instruction(place));
        if let Some(What::Compare(order, a, b)) = definition.map(|instruction| &instruction.what)
            && (*order == Order::Equal && holds || *order == Order::NotEqual && !holds)
        {
            for (one, other) in [(a, b), (b, a)] {
                if let Some(value) = self.operand(frame, body, *other) {
                    self.learn(state, body, *one, value, &mut learnt);
                }
            }
        }
        learnt
    }

    /// An operand has a value; so has the variable that it was loaded from just now.
    fn learn(&self, state: &State, body: Body<'a>, operand: Operand, value: u128, learnt: &mut Learnt) {
        let Operand::Value(number) = operand else { return };
        learnt.values.push((number, value));
        let frame = state.frames.last().expect("somebody runs");
        let Some(place) = self.code.definition(frame.function, number).filter(|place| place.block == frame.block)
        else {
            return;
        };
        let block = &body.function.blocks[place.block as usize];
        let What::Load { from, .. } = block[place.at as usize].what else { return };
        let changes = |what: &What| matches!(what, What::Call(_) | What::Store { .. });
        if !block[place.at as usize..].iter().any(|instruction| changes(&instruction.what)) {
            learnt.globals.extend(self.followed_at(body, from).map(|of| (of, value)));
        }
    }

    /// The variable whose address this is, by its number in a state.
    fn followed_at(&self, body: Body<'a>, address: Operand) -> Option<usize> {
        let Operand::Constant(id) = address else { return None };
        match body.code.constants[id as usize] {
            Constant::Global(number) => self.followed.get(&self.code.global(body.unit, number)).copied(),
            _ => None,
        }
    }

    fn operand(&self, frame: &Frame, body: Body<'a>, operand: Operand) -> Known {
        match operand {
            Operand::Value(number) => frame.get(number),
            Operand::Constant(id) => match body.code.constants[id as usize] {
                Constant::Int(_, value) => Some(value),
                Constant::Null(ty) => width(body.code, ty).map(|_| 0),
                _ => None,
            },
        }
    }

    fn width_of(&self, frame: &Frame, body: Body<'a>, operand: Operand) -> Option<u8> {
        self.code.type_of(frame.function, operand).and_then(|ty| width(body.code, ty))
    }

    fn value(&self, frame: &Frame, body: Body<'a>, what: &What, ty: TypeId) -> Known {
        let get = |operand: Operand| self.operand(frame, body, operand);
        let bits = width(body.code, ty)?;
        match what {
            What::Binary(Binary::And | Binary::Mul, a, b) if [get(*a), get(*b)].contains(&Some(0)) => Some(0),
            What::Binary(op, a, b) => {
                let (a, b) = (get(*a)?, get(*b)?);
                let float = matches!(op, Binary::FAdd | Binary::FSub | Binary::FMul | Binary::FDiv | Binary::FRem);
                let shifts = matches!(op, Binary::Shl | Binary::LShr | Binary::AShr);
                let divides = matches!(op, Binary::UDiv | Binary::SDiv | Binary::URem | Binary::SRem);
                // What C leaves undefined may be anything.
                let undefined = shifts && b >= u128::from(bits) || divides && (b == 0 || signed(b, bits) == -1);
                (!float && !undefined).then(|| compute(operation(*op), bits, bits, a, b, 0))
            }
            What::Compare(order, a, b) => {
                let bits = self.width_of(frame, body, *a).or_else(|| self.width_of(frame, body, *b))?;
                Some(u128::from(holds(*order, bits, get(*a)?, get(*b)?)))
            }
            What::Cast(cast, a) => {
                let (from, value) = (self.width_of(frame, body, *a)?, get(*a)?);
                match cast {
                    Cast::Truncate => Some(mask(value, bits)),
                    Cast::ZeroExtend => Some(value),
                    Cast::SignExtend => Some(compute(Op::SExt, bits, from, value, 0, 0)),
                    _ => None,
                }
            }
            What::Select(condition, a, b) => match get(*condition) {
                Some(holds) => get(if holds & 1 == 1 { *a } else { *b }),
                None => get(*a).filter(|value| get(*b) == Some(*value)),
            },
            What::Freeze(a) => get(*a),
            _ => None,
        }
    }

    fn call(&mut self, state: &mut State, body: Body<'a>, call: &Call, number: u32) -> Outcome<Went> {
        let frame = state.frames.last().expect("somebody runs");
        let given: Vec<Known> = call.arguments.iter().map(|argument| self.operand(frame, body, *argument)).collect();
        let mut result = None;
        match self.code.called(body.unit, body.code, call) {
            Called::Known(callee) => {
                let called = self.code.body(callee).ok_or(Unfollowed)?;
                // Models touch no variable of the program, and nobody is there to be called back.
                if !self.code.program.unit(called.unit).model {
                    if state.frames.len() >= DEPTH {
                        return Err(Unfollowed);
                    }
                    let count = parameters(called.code, called.function).len();
                    let values = given.iter().take(count).enumerate();
                    let values = values.filter_map(|(number, value)| Some((number as u32, (*value)?))).collect();
                    state.frames.push(Frame { function: callee, block: 0, at: 0, values });
                    self.enter(state.clone());
                    return Ok(Went::In);
                }
            }
            Called::Outside(name) if self.code.is_input(name) => {}
            Called::Outside(name) => {
                let twice = library::returns_twice(name) || library::jumps_back(name);
                let unseen = !library::is_known(name) && self.code.is_foreign(name);
                if twice || library::breaks_order(name) || unseen || self.own.contains(name) {
                    return Err(Unfollowed);
                }
                match name {
                    "symcrete_assume" | "klee_assume" | "__VERIFIER_assume" if given.first() == Some(&Some(0)) => {
                        return Ok(Went::Away);
                    }
                    "abort" | "exit" | "_exit" | "_Exit" | "__assert_fail" => return Ok(Went::Away),
                    _ if name.starts_with("llvm.expect") => result = given.first().copied().flatten(),
                    _ => {}
                }
            }
            Called::Pointer(_) | Called::Assembly => return Err(Unfollowed),
        }
        state.frames.last_mut().expect("somebody runs").set(number, result);
        Ok(Went::On)
    }
}

/// A number, as long as no more than so many are met in its place.
fn few(met: &mut FxHashSet<u128>, value: Known, most: usize) -> Known {
    value.filter(|value| met.contains(value) || met.len() < most && met.insert(*value))
}

/// How a call goes.
enum Went {
    /// Past it.
    On,
    /// Into what is called.
    In,
    /// The run is over.
    Away,
}
