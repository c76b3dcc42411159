//! What values can be at all, in any run: every value and every cell of memory has the set of all numbers and addresses
//! that may come there, whatever the order. Code that nothing leads to is not looked at, so a flag that is never set
//! closes the code behind it, and a call through a pointer leads to the functions whose addresses get there.
//!
//! One fixed point over the program, by inclusion: objects by where they are made, cells by offset and size, numbers one
//! by one or by their ends, calls without context. Everything errs on the side of more. Like all proofs here it is about
//! runs without memory errors: an access stays inside its object, and an address that was made from no object's address
//! points to nothing. What was never written is any number, unless it is seen that nobody reads it before ([`born`]).

mod arithmetic;
mod born;
mod call;
mod constants;
mod copies;
mod escape;
mod guards;
mod memory;
mod set;
mod transfer;
mod written;

use crate::code::{Body, Code, GlobalId, Place, parameters};
use crate::evaluate::Start;
use copies::Copies;
use guards::{Guards, Test};
use memory::{Kind, Memory};
use rustc_hash::{FxHashMap, FxHashSet};
pub use set::Set;
use set::{Meeting, ObjectId, Offset};
use std::collections::VecDeque;
use symcrete_program::FunctionId;
use symcrete_program::code::{Constant, Operand};

/// Visits of instructions, and addresses they give, after which the analysis is not worth its time: some seconds.
const MOST_WORK: u64 = 20_000_000;
/// The same with copies of functions: without them there is still something to be had.
const MOST_WORK_ON_COPIES: u64 = 8_000_000;
/// What loads look at is worth so much less than a visit.
const LOOKS: u64 = 16;

/// The result.
pub struct Possible {
    /// By value, functions one after the other.
    sets: Vec<Set>,
    first: Vec<u32>,
    /// Blocks that runs can get to, by function.
    live: Vec<Vec<bool>>,
    edges: FxHashSet<(FunctionId, u32, u32)>,
    /// What the objects are.
    kinds: Vec<Kind>,
    /// Who is called through a pointer.
    targets: FxHashMap<Place, FxHashSet<FunctionId>>,
    /// Calls through pointers that come from outside.
    wild: FxHashSet<Place>,
    /// Functions that code outside may call.
    escaped: FxHashSet<FunctionId>,
    /// Variables, and the input, that nobody writes to.
    unchanged: FxHashSet<Kind>,
}

/// What an address is of, when it can be of one thing only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    Global(GlobalId, i64),
    Function(FunctionId),
}

impl Possible {
    /// Nothing when the program has something that cannot be looked at in this way, or too much.
    pub fn new(code: &Code<'_>, start: &Start, before_entry: &[FunctionId], foreign: bool) -> Option<Possible> {
        // Where memory is linked through and through, copies of functions only multiply the links.
        let with = |copies, most| Possible::settled(Work::new(code, copies, most)?, start, before_entry, foreign);
        with(Copies::new(code), MOST_WORK_ON_COPIES).or_else(|| with(Copies::none(code), MOST_WORK))
    }

    fn settled(mut work: Work<'_, '_>, start: &Start, before_entry: &[FunctionId], foreign: bool) -> Option<Possible> {
        let code = work.code;
        work.begin(start, before_entry);
        if foreign {
            work.become_foreign();
        }
        loop {
            work.settle()?;
            // What may be read before it is written is any number; that may lead further.
            if !born::undefined_reads(&mut work) {
                break;
            }
        }
        work.merge_copies();
        let escaped = work.known_outside().collect();
        let mut unchanged = FxHashSet::default();
        // A variable that nobody even names is not among the objects; nothing is lost with it.
        for object in work.memory.objects.iter().filter(|object| !object.changed && !object.escaped) {
            match object.kind {
                Kind::Global(_) | Kind::Input => drop(unchanged.insert(object.kind.clone())),
                _ => {}
            }
        }
        let kinds = work.memory.objects.into_iter().map(|object| object.kind).collect();
        let Work { sets, first, mut live, edges, targets, wild, .. } = work;
        // Calls of library functions were taken for what they are, not followed into their models: nothing is said of those.
        for (id, _) in code.bodies().filter(|(_, body)| code.program.unit(body.unit).model) {
            if !live[id.index()][0] {
                live[id.index()].fill(true);
            }
        }
        Some(Possible { sets, first, live, edges, kinds, targets, wild, escaped, unchanged })
    }

    /// Whether any run enters a block.
    pub fn is_live(&self, function: FunctionId, block: u32) -> bool {
        self.live[function.index()].get(block as usize).copied().unwrap_or(true)
    }

    /// Whether any run goes from one block to another.
    pub fn is_gone(&self, function: FunctionId, from: u32, to: u32) -> bool {
        self.edges.contains(&(function, from, to))
    }

    pub fn is_entered(&self, function: FunctionId) -> bool {
        self.is_live(function, 0)
    }

    /// What a value of a function can be, by its number.
    pub fn value(&self, function: FunctionId, number: u32) -> &Set {
        &self.sets[(self.first[function.index()] + number) as usize]
    }

    /// The one thing that a value can be an address of.
    pub fn only(&self, function: FunctionId, number: u32) -> Option<Only> {
        let set = self.value(function, number);
        let ([(object, offset)], Some(0), false) = (&set.places[..], set.count(), set.outside) else { return None };
        match (&self.kinds[object.0 as usize], offset.step) {
            (Kind::Global(id), 0) => Some(Only::Global(*id, offset.at)),
            (Kind::Function(id), 0) if offset.at == 0 => Some(Only::Function(*id)),
            _ => None,
        }
    }

    /// Whether a call through a pointer may enter a function.
    pub fn may_call(&self, call: Place, function: FunctionId) -> bool {
        self.targets.get(&call).is_some_and(|targets| targets.contains(&function))
            || self.wild.contains(&call) && self.is_escaped(function)
    }

    /// Whether a variable always has the value it begins with.
    pub fn is_unchanged(&self, global: GlobalId) -> bool {
        self.unchanged.contains(&Kind::Global(global))
    }

    /// The same for the bytes that the entry is given.
    pub fn is_input_unchanged(&self) -> bool {
        self.unchanged.contains(&Kind::Input)
    }

    /// Whether code outside may call a function.
    pub fn is_escaped(&self, function: FunctionId) -> bool {
        self.escaped.contains(&function)
    }
}

/// The fixed point in the making.
struct Work<'c, 'a> {
    code: &'c Code<'a>,
    copies: Copies,
    first: Vec<u32>,
    sets: Vec<Set>,
    /// Instructions that use a value, made when its function is entered.
    users: Vec<Vec<Place>>,
    returns: Vec<Set>,
    /// Calls that get a function's result.
    returned_to: Vec<FxHashSet<Place>>,
    /// Whom a function calls, and whether it calls code outside that may call back.
    calls: Vec<FxHashSet<FunctionId>>,
    calls_out: Vec<bool>,
    /// Functions may be left otherwise than by returning, by exceptions and the like.
    jumps: bool,
    /// Those that jump back to others; and whether any can be jumped back to.
    jumpers: FxHashSet<FunctionId>,
    returns_twice: bool,
    live: Vec<Vec<bool>>,
    edges: FxHashSet<(FunctionId, u32, u32)>,
    memory: Memory,
    /// What branches say of values, by function of the program.
    guards: FxHashMap<FunctionId, std::rc::Rc<Guards>>,
    /// The block that is looked at, and the block that it is left for.
    here: Option<(FunctionId, u32, Option<u32>)>,
    targets: FxHashMap<Place, FxHashSet<FunctionId>>,
    wild: FxHashSet<Place>,
    /// Names that calls through pointers reach.
    externals: FxHashMap<Place, FxHashSet<String>>,
    /// Code outside may know every name.
    foreign: bool,
    queue: VecDeque<Place>,
    queued: FxHashSet<Place>,
    spent: u64,
    /// What loads looked at and joined: little work each.
    looked_at: u64,
    most: u64,
}

impl<'c, 'a> Work<'c, 'a> {
    fn new(code: &'c Code<'a>, copies: Copies, most: u64) -> Option<Work<'c, 'a>> {
        for (unit, _) in code.program.units() {
            // A name in an expression that the model does not have would be missed.
            let constants = &code.program.details(unit)?.code()?.constants;
            if constants.iter().any(|constant| matches!(constant, Constant::Other(_, text) if text.contains('@'))) {
                return None;
            }
        }
        let mut work = Work {
            code,
            copies,
            first: vec![],
            sets: vec![],
            users: vec![],
            returns: vec![],
            returned_to: vec![],
            calls: vec![],
            calls_out: vec![],
            jumps: false,
            jumpers: FxHashSet::default(),
            returns_twice: false,
            live: vec![],
            edges: FxHashSet::default(),
            memory: Memory::default(),
            guards: FxHashMap::default(),
            here: None,
            targets: FxHashMap::default(),
            wild: FxHashSet::default(),
            externals: FxHashMap::default(),
            foreign: false,
            queue: VecDeque::new(),
            queued: FxHashSet::default(),
            spent: 0,
            looked_at: 0,
            most,
        };
        for number in 0..code.program.function_count() {
            work.add_function(code.body(FunctionId(number as u32)));
        }
        Some(work)
    }

    fn begin(&mut self, start: &Start, before_entry: &[FunctionId]) {
        self.enter(start.entry);
        let count = self.code.body(start.entry).map_or(0, |body| parameters(body.code, body.function).len() as u32);
        if start.buffer.is_some() && count == 2 {
            let input = self.memory.add(Kind::Input, None);
            self.memory.of_mut(input).numbers = true;
            self.grow(start.entry, 0, &Set::place(input, Offset::new(0, 0)));
            let most = start.buffer.map_or(0, |(most, _)| u64::from(most));
            self.grow(start.entry, 1, &Set::between(0, most));
        } else {
            let told = |number| start.arguments.filter(|_| number == 0).map(u64::from);
            let given = |number| told(number).map_or(Set::top(), |count| Set::between(count, count));
            (0..count).for_each(|number| self.grow(start.entry, number, &given(number)));
        }
        for &function in before_entry {
            self.called_from_outside(function);
        }
    }

    fn settle(&mut self) -> Option<()> {
        while let Some(place) = self.queue.pop_front() {
            self.queued.remove(&place);
            if self.spent + self.looked_at / LOOKS > self.most {
                return None;
            }
            self.visit(place);
        }
        Some(())
    }

    fn push(&mut self, place: Place) {
        if self.live[place.function.index()][place.block as usize] && self.queued.insert(place) {
            self.queue.push_back(place);
        }
    }

    /// A function is called by somebody.
    fn enter(&mut self, function: FunctionId) {
        let Some(body) = self.body(function) else { return };
        if self.live[function.index()][0] {
            return;
        }
        let first = self.first[function.index()];
        let mut operands = vec![];
        for (block, list) in body.function.blocks.iter().enumerate() {
            for (at, instruction) in list.iter().enumerate() {
                operands.clear();
                crate::code::operands(&instruction.what, &mut operands);
                for operand in &operands {
                    if let Operand::Value(number) = operand {
                        self.users[(first + number) as usize].push(Place {
                            function,
                            block: block as u32,
                            at: at as u32,
                        });
                    }
                }
            }
        }
        let of = self.copies.original(function);
        let guards = self.guards.entry(of).or_insert_with(|| Guards::new(self.code, of, body).into()).clone();
        for (value, other) in guards.pairs() {
            let users = self.users[(first + value) as usize].clone();
            self.users[(first + other) as usize].extend(users);
        }
        self.enter_block(function, 0);
    }

    fn enter_block(&mut self, function: FunctionId, block: u32) {
        if std::mem::replace(&mut self.live[function.index()][block as usize], true) {
            return;
        }
        let Some(body) = self.body(function) else { return };
        for at in 0..body.function.blocks[block as usize].len() as u32 {
            self.push(Place { function, block, at });
        }
    }

    fn go(&mut self, function: FunctionId, from: u32, to: u32) {
        if !self.edges.insert((function, from, to)) {
            return;
        }
        if !self.live[function.index()][to as usize] {
            return self.enter_block(function, to);
        }
        let Some(body) = self.body(function) else { return };
        for (at, instruction) in body.function.blocks[to as usize].iter().enumerate() {
            if !matches!(instruction.what, symcrete_program::code::What::Phi(_)) {
                break;
            }
            self.push(Place { function, block: to, at: at as u32 });
        }
    }

    /// A value can be this as well.
    fn grow(&mut self, function: FunctionId, number: u32, set: &Set) {
        let node = (self.first[function.index()] + number) as usize;
        if self.sets[node].join(set) {
            for place in self.users[node].clone() {
                self.push(place);
            }
        }
    }

    fn read_again(&mut self, object: ObjectId) {
        self.read_again_at(object, Offset::ANY, 1);
    }

    /// Something new is at some place of an object.
    fn read_again_at(&mut self, object: ObjectId, at: Offset, size: u64) {
        let readers = &self.memory.of(object).readers;
        let met = readers.iter().filter(|(_, from, count)| from.meets(*count, at, size) != Meeting::Apart);
        for place in met.map(|(place, ..)| *place).collect::<Vec<_>>() {
            self.push(place);
        }
    }

    fn operand(&mut self, body: Body<'a>, function: FunctionId, operand: Operand) -> Set {
        match operand {
            Operand::Value(number) => self.guarded(body, function, number),
            Operand::Constant(id) => self.constant(body.unit, body.code, id),
        }
    }

    /// A value where it is looked at.
    fn guarded(&mut self, body: Body<'a>, function: FunctionId, number: u32) -> Set {
        let first = self.first[function.index()];
        let mut set = self.sets[(first + number) as usize].clone();
        let Some((_, block, edge)) = self.here.filter(|(here, ..)| *here == function) else { return set };
        let Some(guards) = self.guards.get(&self.copies.original(function)).cloned() else { return set };
        for test in guards.of(number, block, edge) {
            let other = match test {
                Test::Order { other: Operand::Value(other), .. } => self.sets[(first + other) as usize].clone(),
                Test::Order { other: Operand::Constant(id), .. } => self.constant(body.unit, body.code, *id),
                Test::OneOf(_) => Set::default(),
            };
            test.applied(&mut set, &other);
        }
        set
    }
}
