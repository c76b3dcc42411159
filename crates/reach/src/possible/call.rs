//! Calls: of functions with bodies, through pointers, and of what is not part of the program.

use super::Work;
use super::memory::{Fill, Kind, may_be_outside};
use super::set::{Meeting, Numbers, Offset, Set};
use crate::code::{Body, Called, Code, Place, parameters, width};
use crate::library::{self, Writes};
use symcrete_program::FunctionId;
use symcrete_program::code::{Call, Callee, Instruction, TypeId, TypeKind, What};

/// Functions that write addresses where their arguments point, or bytes of one argument's memory into another's.
const MIXING: [&str; 8] =
    ["bcopy", "getdelim", "getline", "memccpy", "posix_memalign", "setvbuf", "strsep", "strtok_r"];

/// Pairs of places that a copy is followed between one by one.
const MOST_COPIES: usize = 64;

/// How names of functions begin by which others are left: those of C++ may throw.
const UNWINDING: [&str; 3] = ["_Z", "__cxa_", "_Unwind"];

/// What a call of something outside does to memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    Allocates,
    Copies,
    Fills,
    Frees,
    Known,
    /// Whatever it wants, with all that it knows.
    Anything,
}

pub fn outside(name: &str) -> Outside {
    let name = name.strip_prefix("llvm.").unwrap_or(name);
    match name {
        "malloc" | "calloc" | "aligned_alloc" | "strdup" | "strndup" | "realloc" | "reallocarray" => Outside::Allocates,
        "memcpy" | "memmove" | "mempcpy" => Outside::Copies,
        "memset" | "bzero" => Outside::Fills,
        "free" => Outside::Frees,
        _ if name.starts_with("memcpy.") || name.starts_with("memmove.") => Outside::Copies,
        _ if name.starts_with("memset.") => Outside::Fills,
        _ if name.starts_with("va_") || MIXING.contains(&name) => Outside::Anything,
        _ => Outside::Known,
    }
}

/// The function of the library that a body of ours is a model of, when its name says enough.
pub fn stands_for<'a>(code: &Code<'a>, callee: FunctionId) -> Option<&'a str> {
    let body = code.body(callee).filter(|body| code.program.unit(body.unit).model)?;
    let name = symcrete_program::modelled(&body.model.name)?;
    (outside(name) != Outside::Known || library::is_known(name)).then_some(name)
}

impl<'a> Work<'_, 'a> {
    pub fn call(&mut self, body: Body<'a>, place: Place, call: &'a Call, ty: TypeId) -> Set {
        let function = place.function;
        match self.code.called(body.unit, body.code, call) {
            Called::Known(callee) => match self.stands_for(callee) {
                Some(name) => self.outside(body, place, call, name, ty),
                None => self.enter_by(body, place, call, callee),
            },
            Called::Outside(name) => self.outside(body, place, call, name, ty),
            Called::Assembly => {
                self.give_away(body, place, call);
                self.calls_out[function.index()] = true;
                self.become_foreign();
                Set::top()
            }
            Called::Pointer(pointer) => {
                let pointer = self.operand(body, function, pointer);
                let mut all = Set::default();
                if may_be_outside(&pointer) {
                    self.give_away(body, place, call);
                    self.calls_out[function.index()] = true;
                    self.wild.insert(place);
                    all = Set::top();
                }
                for (object, _) in &pointer.places {
                    match self.memory.of(*object).kind.clone() {
                        Kind::Function(callee) if self.stands_for(callee).is_some() => {
                            let name = self.stands_for(callee).unwrap_or_default();
                            all.join(&self.outside(body, place, call, name, ty));
                            self.externals.entry(place).or_default().insert(name.to_owned());
                        }
                        Kind::Function(callee) => {
                            all.join(&self.enter_by(body, place, call, callee));
                            let entered = self.entered_by(callee, place);
                            self.targets.entry(place).or_default().insert(entered);
                        }
                        Kind::External(name) => {
                            all.join(&self.outside(body, place, call, &name, ty));
                            self.externals.entry(place).or_default().insert(name);
                        }
                        _ => {}
                    }
                }
                all
            }
        }
    }

    pub fn stands_for(&self, callee: FunctionId) -> Option<&'a str> {
        stands_for(self.code, callee)
    }

    /// Everything that is handed over is known outside.
    fn give_away(&mut self, body: Body<'a>, place: Place, call: &Call) {
        for argument in &call.arguments {
            let value = self.operand(body, place.function, *argument);
            self.escape(&value);
        }
    }

    fn enter_by(&mut self, body: Body<'a>, place: Place, call: &Call, callee: FunctionId) -> Set {
        let Some(called) = self.code.body(callee) else { return Set::top() };
        let count = parameters(called.code, called.function).len();
        let takes_more = takes_more(called);
        let callee = self.entered_by(callee, place);
        self.enter(callee);
        for (number, argument) in call.arguments.iter().enumerate() {
            let value = self.operand(body, place.function, *argument);
            if number < count {
                self.grow(callee, number as u32, &value);
            } else if takes_more {
                // What a function with `...` makes of it is not followed.
                self.escape(&value);
            }
        }
        for number in call.arguments.len()..count {
            self.grow(callee, number as u32, &Set::any());
        }
        self.returned_to[callee.index()].insert(place);
        self.calls[place.function.index()].insert(callee);
        self.returns[callee.index()].clone()
    }

    fn argument(&mut self, body: Body<'a>, place: Place, call: &Call, number: usize) -> Set {
        match call.arguments.get(number) {
            Some(argument) => self.operand(body, place.function, *argument),
            None => Set::any(),
        }
    }

    fn outside(&mut self, body: Body<'a>, place: Place, call: &Call, name: &str, ty: TypeId) -> Set {
        let function = place.function;
        let arguments: Vec<Set> = (0..call.arguments.len()).map(|n| self.argument(body, place, call, n)).collect();
        let is_pointer =
            matches!(body.code.types[ty as usize].kind, TypeKind::Pointer) || width(body.code, ty).is_none();
        // Two numbers in a struct.
        if name.starts_with("llvm.") && name.contains(".with.overflow.") {
            let mut given = Set::default();
            for argument in &arguments {
                given.join(&argument.mixed());
            }
            return if arguments.iter().any(Set::is_empty) { Set::default() } else { given };
        }
        let number = |n: usize| match arguments.get(n).and_then(Set::as_few) {
            Some([one]) => u64::try_from(*one).ok(),
            _ => None,
        };
        if self.code.is_input(name) {
            arguments.iter().for_each(|argument| self.any_numbers(argument));
            return if is_pointer { Set::top() } else { Set::any() };
        }
        if library::returns_twice(name) || library::jumps_back(name) {
            if library::jumps_back(name) {
                self.jumpers.insert(function);
            }
            // What is kept there is for coming back: numbers, as far as the program is concerned.
            if library::returns_twice(name) {
                self.returns_twice = true;
                arguments.iter().for_each(|argument| self.any_numbers(argument));
            }
            return Set::any();
        }
        if name == "__ctype_get_mb_cur_max" && self.code.is_in_plain_locale() {
            return Set::number(1);
        }
        self.jumps |= library::breaks_order(name) || UNWINDING.iter().any(|begin| name.starts_with(begin));
        match outside(name) {
            Outside::Allocates => {
                let kind = Kind::Heap(place);
                let object = self.memory.find(&kind).unwrap_or_else(|| self.memory.add(kind, None));
                let made = self.memory.of_mut(object);
                made.zero |= name == "calloc";
                made.numbers |= !matches!(name, "malloc" | "calloc" | "aligned_alloc");
                let mut given = Set::place(object, Offset::new(0, 0));
                given.join(&Set::number(0));
                if name.starts_with("realloc") {
                    self.copy(place, &given, &arguments[0], None);
                    // It may stay where it was.
                    given.join(&arguments[0]);
                }
                given
            }
            Outside::Copies => {
                let (to, from) = (arguments[0].clone(), arguments[1].clone());
                self.copy(place, &to, &from, number(2));
                if name == "mempcpy" { to.mixed() } else { to }
            }
            Outside::Fills => {
                let zero = name == "bzero" || arguments[1].as_few() == Some(&[0]);
                let count = number(if name == "bzero" { 1 } else { 2 });
                for &(object, at) in &arguments[0].places {
                    let filled = self.memory.of_mut(object);
                    filled.changed = true;
                    let new = match zero {
                        true => filled.fill(Fill { at, count }),
                        false => !arguments[1].is_empty() && !std::mem::replace(&mut filled.numbers, true),
                    };
                    if new {
                        self.read_again(object);
                    }
                }
                arguments[0].clone()
            }
            Outside::Frees => Set::default(),
            Outside::Known
                if name == "llvm.threadlocal.address"
                    || name.starts_with("llvm.expect")
                    || library::gives_back(name) =>
            {
                arguments[0].clone()
            }
            Outside::Known if library::writes(name) != Writes::Everything || library::breaks_order(name) => {
                let mut all = match is_pointer {
                    true if library::gives_part(name) => Set::number(0),
                    true => Set::top(),
                    false => Set::any(),
                };
                let mut given = Set::any();
                for argument in &arguments {
                    given.join(&argument.mixed());
                }
                let written = if library::writes_numbers(name) { Set::any() } else { given.clone() };
                if library::writes(name) == Writes::Arguments {
                    for argument in &arguments {
                        let to = Set { places: argument.mixed().places, ..Set::default() };
                        self.store(&to, 1, &written);
                    }
                }
                if is_pointer && library::gives_part(name) {
                    all.join(&arguments.first().map_or(Set::top(), Set::mixed));
                } else if is_pointer {
                    all.join(&given);
                }
                if library::breaks_order(name) {
                    self.give_away(body, place, call);
                }
                all
            }
            _ => {
                self.give_away(body, place, call);
                self.calls_out[place.function.index()] = true;
                if self.code.is_foreign(name) && !self.code.program.unit(body.unit).model {
                    self.become_foreign();
                }
                Set::top()
            }
        }
    }

    /// Any numbers may be where an address points.
    fn any_numbers(&mut self, to: &Set) {
        for (object, _) in &to.places {
            self.memory.of_mut(*object).changed = true;
            if !std::mem::replace(&mut self.memory.of_mut(*object).numbers, true) {
                self.read_again(*object);
            }
        }
    }

    /// A copy between so many objects that it is not looked at one by one: everything may come everywhere.
    fn blend(&mut self, place: Place, to: &Set, from: &Set) {
        let mut all = Set::any();
        for &(source, _) in &from.places {
            let object = self.memory.of_mut(source);
            object.readers.insert((place, Offset::ANY, 1));
            if object.escaped {
                all.join(&Set::top());
            }
            self.spent += object.cells.len() as u64;
            for cell in &object.cells {
                all.join(&cell.set.mixed());
            }
        }
        self.spent += (to.places.len() * all.places.len()) as u64;
        for &(target, _) in &to.places {
            self.store(&Set::place(target, Offset::ANY), 1, &all);
        }
    }

    /// Bytes from one place to another; of an unknown count when none is given.
    fn copy(&mut self, place: Place, to: &Set, from: &Set, count: Option<u64>) {
        if may_be_outside(from) {
            let to = Set { places: to.mixed().places, outside: to.outside, ..Set::default() };
            self.store(&to, 1, &Set::top());
        }
        if to.outside {
            for (object, _) in &from.places {
                for cell in self.memory.of(*object).cells.clone() {
                    self.escape(&cell.set);
                }
            }
        }
        if to.places.len() * from.places.len() > MOST_COPIES {
            return self.blend(place, to, from);
        }
        for &(source, at) in &from.places {
            let object = self.memory.of_mut(source);
            // All of it, when the count is not known.
            match count {
                Some(count) => object.readers.insert((place, at, count)),
                None => object.readers.insert((place, Offset::ANY, 1)),
            };
            let (zero, numbers, escaped) = (object.zero, object.numbers, object.escaped);
            self.spent += (to.places.len() * (object.cells.len() + object.fills.len())) as u64;
            let (cells, fills, early) = (object.cells.clone(), object.fills.clone(), object.early.clone());
            for &(target, begin) in &to.places {
                if escaped {
                    self.store(&Set::place(target, Offset::ANY), 1, &Set::top());
                    continue;
                }
                let object = self.memory.of_mut(target);
                object.changed = true;
                let mut new = numbers && !std::mem::replace(&mut object.numbers, true);
                if zero {
                    new |= object.fill(Fill { at: begin, count });
                }
                for fill in &fills {
                    if let Some(fill) = shifted(*fill, at, begin, count) {
                        new |= object.fill(fill);
                    }
                }
                if new {
                    self.read_again(target);
                }
                for cell in &cells {
                    if let Some(count) = count
                        && at.meets(count, cell.at, cell.size) == Meeting::Apart
                    {
                        continue;
                    }
                    // How far behind the first byte the cell lies.
                    let step = super::set::gcd(at.step, cell.at.step);
                    let ahead = Offset::new(cell.at.at.wrapping_sub(at.at), step);
                    // A part of a cell is another number; a part of an address is none.
                    let whole = cell.size == 1
                        || step == 0
                            && ahead.at >= 0
                            && count.is_some_and(|count| ahead.at as u64 + cell.size <= count);
                    let mut set = cell.set.clone();
                    if early.contains(&(cell.at, cell.size)) {
                        set.numbers = Numbers::Any;
                    }
                    if !whole && set.numbers != Numbers::Few(vec![]) {
                        set.numbers = Numbers::Any;
                    }
                    let there = begin.moved(ahead.at).in_steps(step);
                    self.store(&Set::place(target, there), cell.size, &set);
                }
            }
        }
    }
}

/// Whether a function with `...` looks at what is handed over beyond its parameters: by name, or by handing it on.
fn takes_more(body: Body<'_>) -> bool {
    let variadic = |ty: TypeId| !matches!(body.code.types[ty as usize].kind, TypeKind::Function(_, _, false));
    let looks = |instruction: &Instruction| match &instruction.what {
        What::Call(call) | What::Invoke(call) => {
            variadic(call.signature)
                || matches!(call.callee, Callee::Direct(symbol) if body.code.symbols[symbol as usize].starts_with("llvm.va_"))
        }
        _ => false,
    };
    variadic(body.function.signature) && body.function.blocks.iter().flatten().any(looks)
}

/// The part of a filling that is copied, where it comes to lie.
fn shifted(fill: Fill, from: Offset, to: Offset, count: Option<u64>) -> Option<Fill> {
    let exact = from.step == 0 && to.step == 0 && fill.at.step == 0;
    let (true, Some(count)) = (exact, count) else { return Some(Fill { at: Offset::ANY, count: None }) };
    let end = from.at.saturating_add_unsigned(count);
    let (first, last) =
        (fill.at.at.max(from.at), fill.count.map_or(end, |size| end.min(fill.at.at.saturating_add_unsigned(size))));
    let length = u64::try_from(last.checked_sub(first)?).ok().filter(|length| *length > 0)?;
    Some(Fill { at: to.moved(first - from.at), count: Some(length) })
}
