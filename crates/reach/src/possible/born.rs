//! Whether memory that begins undefined is read before it is written: from where an object is made, forwards through
//! its function and the functions it is handed to, with what was certainly written on the way.
//!
//! An object that is freed or was never made has nothing to be read. A copy of a function returns to the one call that
//! enters it, with the object it made: the way goes on there. What is left unwritten when any other function returns, is
//! left by a jump, or makes the next object, may be read by anybody.

use super::Work;
use super::call::{Outside, outside};
use super::memory::Kind;
use super::set::{Numbers, ObjectId, Offset};
use super::written::{Written, copy_gaps};
use crate::code::{Called, Place, width};
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_program::FunctionId;
use symcrete_program::code::{Call, Constant, Operand, Order, What};

/// How deep the functions that an object is handed to are followed.
const DEPTH: usize = 8;

/// Marks what may be read too early as any number; whether something new was found.
pub fn undefined_reads(work: &mut Work<'_, '_>) -> bool {
    let mut found = false;
    let jumping = work.left_by_jumps();
    for number in 0..work.memory.objects.len() as u32 {
        let id = ObjectId(number);
        let object = work.memory.of(id);
        if !object.begins_undefined() || object.readers.is_empty() {
            continue;
        }
        let (Kind::Stack(origin) | Kind::Heap(origin)) = object.kind else { continue };
        let reads = reads_of(work, id);
        found |= copy_gaps(work, id);
        let object = work.memory.of(id);
        if reads.iter().all(|read| object.load(read.at, read.size).numbers == Numbers::Any) {
            continue;
        }
        let places = places_of(work, id);
        let mut walk = Walk {
            work,
            jumping: &jumping,
            id,
            origin,
            made: Written::Bytes(vec![]),
            places,
            reads,
            early: FxHashSet::default(),
            stack: vec![],
            given: FxHashSet::default(),
        };
        walk.begin();
        let (early, known) = (walk.early, &mut work.memory.of_mut(id).early);
        let grown = early.into_iter().filter(|read| known.insert(*read)).count();
        if grown > 0 {
            found = true;
            work.read_again(id);
        }
    }
    found
}

/// A read of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Read {
    function: FunctionId,
    at: Offset,
    size: u64,
}

/// The instructions that read an object.
pub fn places_of(work: &Work<'_, '_>, id: ObjectId) -> FxHashSet<Place> {
    work.memory.of(id).readers.iter().map(|(place, ..)| *place).collect()
}

/// Every read of an object. A copy reads the cells that it has.
fn reads_of(work: &Work<'_, '_>, id: ObjectId) -> Vec<Read> {
    let mut reads = vec![];
    for place in places_of(work, id) {
        for (at, size) in read_at(work, id, place) {
            reads.push(Read { function: place.function, at, size });
        }
    }
    reads
}

fn read_at(work: &Work<'_, '_>, id: ObjectId, place: Place) -> Vec<(Offset, u64)> {
    let object = work.memory.of(id);
    let (Some(body), Some(instruction)) = (work.body(place.function), work.instruction(place)) else {
        return vec![];
    };
    let (from, size) = match &instruction.what {
        What::Load { from, .. } => (*from, None),
        What::ReadModifyWrite { at, .. } => (*at, None),
        What::CompareExchange { at, new, .. } => (*at, work.type_of(place.function, *new)),
        _ => return object.cells.iter().map(|cell| (cell.at, cell.size)).collect(),
    };
    let ty = size.unwrap_or(instruction.ty);
    let size = width(body.code, ty).map_or(body.code.types[ty as usize].size, |bits| u64::from(bits).div_ceil(8));
    let Operand::Value(number) = from else { return vec![] };
    let set = &work.sets[(work.first[place.function.index()] + number) as usize];
    set.places.iter().filter(|(object, _)| *object == id).map(|(_, at)| (*at, size)).collect()
}

struct Walk<'w, 'c, 'a> {
    work: &'w Work<'c, 'a>,
    /// Functions that may be left by a jump.
    jumping: &'w [bool],
    id: ObjectId,
    /// Where the object is made, or comes from when who made it has returned; and what is written then.
    origin: Place,
    made: Written,
    places: FxHashSet<Place>,
    reads: Vec<Read>,
    /// What may be read before it is written.
    early: FxHashSet<(Offset, u64)>,
    /// Functions on the way.
    stack: Vec<FunctionId>,
    /// Where in the object the address lies that its maker returns; nothing when it returns something else.
    given: FxHashSet<Option<i64>>,
}

/// Values that are addresses of the object, and how far from its beginning.
type Tracked = FxHashMap<u32, i64>;

impl Walk<'_, '_, '_> {
    fn begin(&mut self) {
        let mut offset = 0;
        loop {
            let tracked = Tracked::from_iter([(self.work.value(self.origin), offset)]);
            self.given.clear();
            let left = self.function(self.origin.function, tracked, self.made.clone());
            // On the stack it is gone with its function.
            if !self.is_on_heap() {
                return;
            }
            if self.work.jumps {
                return self.left(&Written::Bytes(vec![]));
            }
            let given = self.given.iter().copied().collect::<Vec<_>>();
            let ([Some(at)], Some(call)) = (&given[..], self.work.copies.call(self.origin.function)) else {
                return self.left(&left);
            };
            (self.origin, self.made, offset) = (call, left, *at);
        }
    }

    fn is_on_heap(&self) -> bool {
        matches!(self.work.memory.of(self.id).kind, Kind::Heap(_))
    }

    /// From here on anybody may read.
    fn left(&mut self, state: &Written) {
        for read in self.reads.clone() {
            self.check(state, read.at, read.size);
        }
    }

    fn check(&mut self, state: &Written, at: Offset, size: u64) {
        if !state.covers(at, size, self.work.memory.of(self.id).size) {
            self.early.insert((at, size));
        }
    }

    /// Follows a function, from where the object is made or (another one) from its beginning; what was written on all
    /// ways out.
    fn function(&mut self, function: FunctionId, mut tracked: Tracked, before: Written) -> Written {
        let Some(body) = self.work.body(function) else { return Written::Bytes(vec![]) };
        follow_addresses(self.work, function, &mut tracked);
        self.stack.push(function);
        let mut states: FxHashMap<u32, Written> = FxHashMap::default();
        let mut out = Written::Gone;
        let mut waiting: Vec<(u32, u32, Written)> = vec![];
        if self.stack.len() == 1 {
            waiting.push((self.origin.block, self.origin.at + 1, before));
        } else {
            states.insert(0, before.clone());
            waiting.push((0, 0, before));
        }
        while let Some((block, from, mut state)) = waiting.pop() {
            let list = &body.function.blocks[block as usize];
            let mut before = state.clone();
            for at in from..list.len() as u32 {
                before.clone_from(&state);
                let place = Place { function, block, at };
                if place == self.origin && self.stack.len() == 1 {
                    // The object made before is out of sight.
                    self.left(&state);
                    state = self.made.clone();
                    continue;
                }
                self.step(place, &tracked, &mut state);
                if let What::Return(value) = &list[at as usize].what {
                    out = out.meet(&state);
                    if self.stack.len() == 1 && state != Written::Gone {
                        self.given.insert(match value {
                            Some(Operand::Value(number)) => tracked.get(number).copied(),
                            _ => None,
                        });
                    }
                }
            }
            let successors = &body.model.blocks[block as usize].successors;
            // An exception comes before the call has done its work.
            let thrown = matches!(list.last().map(|last| &last.what), Some(What::Invoke(_))).then_some(before);
            let none_at = list.last().and_then(|last| self.where_null(function, &last.what, &tracked));
            for (number, &to) in successors.iter().enumerate() {
                if !self.work.edges.contains(&(function, block, to)) {
                    continue;
                }
                let state = match &thrown {
                    _ if none_at == Some(number) => Written::Gone,
                    Some(before) if number > 0 => before.clone(),
                    _ => state.clone(),
                };
                let joined = states.get(&to).map_or(state.clone(), |known| known.meet(&state));
                if states.get(&to) != Some(&joined) {
                    states.insert(to, joined.clone());
                    waiting.push((to, 0, joined));
                }
            }
        }
        self.stack.pop();
        out
    }

    /// The successor that is taken when the object could not be made.
    fn where_null(&self, function: FunctionId, what: &What, tracked: &Tracked) -> Option<usize> {
        let What::Branch(Operand::Value(condition)) = what else { return None };
        let work = self.work;
        let What::Compare(how, a, b) = &work.instruction(work.definition(function, *condition)?)?.what else {
            return None;
        };
        let body = work.body(function)?;
        let own = |operand: &Operand| matches!(operand, Operand::Value(v) if tracked.get(v) == Some(&0));
        let null = |operand: &Operand| matches!(operand, Operand::Constant(id) if matches!(body.code.constants[*id as usize], Constant::Null(_)));
        if !(own(a) && null(b) || null(a) && own(b)) {
            return None;
        }
        match how {
            Order::Equal => Some(0),
            Order::NotEqual => Some(1),
            _ => None,
        }
    }

    fn step(&mut self, place: Place, tracked: &Tracked, state: &mut Written) {
        let work = self.work;
        let Some(instruction) = work.instruction(place) else { return };
        let at = |operand: &Operand| match operand {
            Operand::Value(number) => tracked.get(number).copied(),
            Operand::Constant(_) => None,
        };
        match &instruction.what {
            What::Load { .. } => self.read(place, state),
            What::Store { value, to, .. } => {
                if let Some(offset) = at(to) {
                    state.add(offset, self.size(place.function, *value));
                }
            }
            What::ReadModifyWrite { .. } | What::CompareExchange { .. } => self.read(place, state),
            What::Call(call) | What::Invoke(call) => self.call(place, call, tracked, state),
            _ => {}
        }
    }

    fn size(&self, function: FunctionId, value: Operand) -> u64 {
        let Some((body, ty)) = self.work.body(function).zip(self.work.type_of(function, value)) else {
            return 8;
        };
        width(body.code, ty).map_or(body.code.types[ty as usize].size, |bits| u64::from(bits).div_ceil(8))
    }

    fn read(&mut self, place: Place, state: &Written) {
        if self.places.contains(&place) {
            for (at, size) in read_at(self.work, self.id, place) {
                self.check(state, at, size);
            }
        }
    }

    fn call(&mut self, place: Place, call: &Call, tracked: &Tracked, state: &mut Written) {
        self.read(place, state);
        let work = self.work;
        let Some(body) = work.body(place.function) else { return };
        let mut callees: Vec<FunctionId> = vec![];
        let mut names: Vec<&str> = vec![];
        match work.code.called(body.unit, body.code, call) {
            Called::Known(callee) => match work.stands_for(callee) {
                Some(name) => names.push(name),
                None => callees.push(work.entered(callee, place)),
            },
            Called::Outside(name) => names.push(name),
            Called::Pointer(_) => {
                callees.extend(work.targets.get(&place).into_iter().flatten());
                names.extend(work.externals.get(&place).into_iter().flatten().map(String::as_str));
            }
            Called::Assembly => {}
        }
        let unknown =
            matches!(work.code.called(body.unit, body.code, call), Called::Assembly) || work.wild.contains(&place);
        let handed = |number: usize| match call.arguments.get(number) {
            Some(Operand::Value(value)) if !call.copies.iter().any(|(copied, _)| *copied as usize == number) => {
                tracked.get(value).copied()
            }
            _ => None,
        };
        if let ([callee], [], false) = (&callees[..], &names[..], unknown)
            && self.stack.len() < DEPTH
            && !self.stack.contains(callee)
        {
            let named = work.body(*callee).map_or(0, |body| crate::code::parameters(body.code, body.function).len());
            let named = named.min(call.arguments.len());
            let roots: Tracked = (0..named).filter_map(|n| Some((n as u32, handed(n)?))).collect();
            if !roots.is_empty() {
                *state = self.function(*callee, roots, state.clone());
                return;
            }
        }
        let jumps = |name: &&str| crate::library::jumps_back(name);
        if self.is_on_heap() && (names.iter().any(jumps) || callees.iter().any(|callee| self.jumping[callee.index()])) {
            self.left(state);
        }
        if let ([], [name], false) = (&callees[..], &names[..], unknown) {
            match outside(name) {
                Outside::Frees if handed(0) == Some(0) => *state = Written::Gone,
                Outside::Fills => {
                    let count = call.arguments.get(if *name == "bzero" { 1 } else { 2 });
                    if let (Some(at), Some(count)) = (handed(0), count.and_then(|c| self.number(place.function, *c))) {
                        state.add(at, count);
                    }
                }
                Outside::Copies => self.copied(place, call, handed(0), state),
                Outside::Frees | Outside::Allocates => {}
                Outside::Known if crate::library::is_known(name) => {}
                Outside::Known | Outside::Anything => self.anybody(state),
            }
            return;
        }
        if unknown || !names.iter().all(|name| crate::library::is_known(name)) {
            self.anybody(state);
        }
        self.reads_behind(&callees, state);
    }

    /// A copy writes as much as was defined where it came from.
    fn copied(&mut self, place: Place, call: &Call, to: Option<i64>, state: &mut Written) {
        let count = call.arguments.get(2).and_then(|count| self.number(place.function, *count));
        let (Some(to), Some(count), Some(Operand::Value(from))) = (to, count, call.arguments.get(1)) else {
            if let (Some(to), Some(count)) = (to, count) {
                // From a constant: a variable of the program.
                state.add(to, count);
            }
            return;
        };
        let from = &self.work.sets[(self.work.first[place.function.index()] + from) as usize];
        if from.outside || from.places.iter().all(|(object, _)| !self.work.memory.of(*object).begins_undefined()) {
            state.add(to, count);
            return;
        }
        let [(source, at)] = from.places[..] else { return };
        for cell in &self.work.memory.of(source).cells {
            let ahead = cell.at.at.wrapping_sub(at.at);
            let inside = ahead >= 0 && ahead as u64 + cell.size <= count;
            if at.step == 0 && cell.at.step == 0 && inside {
                state.add(to + ahead, cell.size);
            }
        }
    }

    fn number(&self, function: FunctionId, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Constant(id) => match self.work.body(function)?.code.constants[id as usize] {
                Constant::Int(_, value) => u64::try_from(value).ok(),
                _ => None,
            },
            Operand::Value(number) => {
                let set = &self.work.sets[(self.work.first[function.index()] + number) as usize];
                set.as_few().filter(|few| few.len() == 1).and_then(|few| u64::try_from(few[0]).ok())
            }
        }
    }

    /// Code outside may call whatever it knows.
    fn anybody(&mut self, state: &Written) {
        let escaped: Vec<FunctionId> = self.work.known_outside().collect();
        if self.is_on_heap() && self.work.has_jumps() {
            self.left(state);
        }
        self.reads_behind(&escaped, state);
    }

    /// Reads in functions and all that they call.
    fn reads_behind(&mut self, functions: &[FunctionId], state: &Written) {
        if *state == Written::Gone || self.reads.iter().all(|read| state.covers(read.at, read.size, None)) {
            return;
        }
        let behind = self.work.reachable_from(functions);
        for read in self.reads.clone() {
            if behind.contains(&read.function) {
                self.check(state, read.at, read.size);
            }
        }
    }
}

/// Adds the addresses that lie a fixed number of bytes from known ones.
fn follow_addresses(work: &Work<'_, '_>, function: FunctionId, tracked: &mut Tracked) {
    let Some(body) = work.body(function) else { return };
    loop {
        let before = tracked.len();
        for (block, list) in body.function.blocks.iter().enumerate() {
            for (at, instruction) in list.iter().enumerate() {
                let place = Place { function, block: block as u32, at: at as u32 };
                let of = |operand: &Operand| match operand {
                    Operand::Value(number) => tracked.get(number).copied(),
                    Operand::Constant(_) => None,
                };
                let offset = match &instruction.what {
                    What::Address { base, offset, terms } if terms.is_empty() => of(base).map(|base| base + offset),
                    What::Freeze(base) => of(base),
                    What::Phi(incoming) => {
                        let live = |(from, _): &&(u32, Operand)| work.edges.contains(&(function, *from, place.block));
                        let mut offsets = incoming.iter().filter(live).map(|(_, value)| of(value));
                        let first = offsets.next().flatten();
                        first.filter(|first| offsets.all(|other| other == Some(*first)))
                    }
                    _ => None,
                };
                if let Some(offset) = offset {
                    tracked.insert(work.value(place), offset);
                }
            }
        }
        if tracked.len() == before {
            return;
        }
    }
}
