//! Memory on a path: objects, what was written to them, and what may lie behind pointers that nothing is known of.
//!
//! A read looks at the writes of its object, newest first, byte by byte where it must. What cannot be resolved
//! is an unknown: a read may give more values than the program can see, never fewer.

use crate::code::{Code, GlobalId, width};
use crate::state::{Source, State};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_program::code::{Constant, ConstantId, TypeId, TypeKind, UnitCode};
use symcrete_program::{FunctionId, UnitId};
use symcrete_term::{Table, TermId, Var};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(u32);

/// What was in an object before anything was written to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    Constant(UnitId, ConstantId),
    Zero,
    /// The bytes of an object of the input.
    Input(u32),
    Unknown(Source),
}

#[derive(Debug)]
struct Object {
    size: Option<u64>,
    initial: Initial,
    constant: bool,
    writes: Vec<Write>,
    /// Its address was let go on the path, or may be known before it begins.
    known_elsewhere: bool,
    /// Is written by code that knows its name only.
    global: Option<GlobalId>,
    alignment: u64,
    base: Option<TermId>,
    /// Bytes that were unknown and were looked at: the same again.
    seen: FxHashMap<(usize, u64), TermId>,
}

#[derive(Clone, Debug)]
enum Write {
    At {
        offset: TermId,
        size: u64,
        value: Value,
    },
    /// Anything, by code that was not looked at.
    Anything(Source),
}

/// A scalar larger than this is none.
const WIDEST: u64 = 16;
/// Places that a read or write at an unknown index is spelt out for.
const MOST_PLACES: u64 = 512;
/// The same where the contents are terms.
const MOST_TERMS: u64 = 128;
/// Writes at unknown places that a read looks through.
const MOST_WRITES: usize = 24;

#[derive(Default)]
pub struct Memory {
    objects: Vec<Object>,
    globals: FxHashMap<GlobalId, ObjectId>,
    functions: FxHashMap<FunctionId, ObjectId>,
    of_function: FxHashMap<ObjectId, FunctionId>,
    /// Loads behind pointers that nothing is known of, since the last write that may have changed them.
    behind: FxHashMap<(TermId, u64), Value>,
    /// The path begins where the program does: globals have their first values.
    pub from_start: bool,
    /// Globals that may have been written before even then.
    pub written_before: FxHashSet<GlobalId>,
    pub written_before_all: bool,
    /// Globals that always have their first values.
    pub unchanged: std::rc::Rc<FxHashSet<GlobalId>>,
}

impl Memory {
    pub fn new_object(&mut self, size: Option<u64>, alignment: u64, initial: Initial) -> ObjectId {
        self.add(Object {
            size,
            initial,
            constant: false,
            writes: vec![],
            known_elsewhere: false,
            global: None,
            alignment,
            base: None,
            seen: FxHashMap::default(),
        })
    }

    fn add(&mut self, object: Object) -> ObjectId {
        self.objects.push(object);
        ObjectId(self.objects.len() as u32 - 1)
    }

    pub fn global(&mut self, code: &Code<'_>, id: GlobalId) -> ObjectId {
        if let Some(&known) = self.globals.get(&id) {
            return known;
        }
        let global = &code.globals[id.0 as usize];
        let unchanged = global.constant || self.unchanged.contains(&id);
        let first = unchanged || (self.from_start && !self.written_before_all && !self.written_before.contains(&id));
        let initial = match global.initial {
            Some(initial) if first => Initial::Constant(global.unit, initial),
            _ => Initial::Unknown(Source::Before),
        };
        let object = self.add(Object {
            size: global.initial.map(|_| global.size),
            initial,
            constant: unchanged && global.initial.is_some(),
            writes: vec![],
            known_elsewhere: global.exposed,
            global: Some(id),
            alignment: 1,
            base: None,
            seen: FxHashMap::default(),
        });
        self.globals.insert(id, object);
        object
    }

    /// Nobody writes to an object.
    pub fn keep(&mut self, object: ObjectId) {
        self.objects[object.0 as usize].constant = true;
    }

    pub fn function(&mut self, function: FunctionId) -> ObjectId {
        if let Some(&known) = self.functions.get(&function) {
            return known;
        }
        let object = self.new_object(Some(1), 1, Initial::Unknown(Source::Before));
        self.functions.insert(function, object);
        self.of_function.insert(object, function);
        object
    }

    /// The function an address is of.
    pub fn function_at(&self, object: ObjectId) -> Option<FunctionId> {
        self.of_function.get(&object).copied()
    }

    /// The same for a global that was not met yet.
    pub fn let_go_global(&mut self, code: &Code<'_>, id: GlobalId) {
        let object = self.global(code, id);
        self.objects[object.0 as usize].known_elsewhere = true;
    }

    /// The address is stored, handed over or computed with: who knows where it is used.
    pub fn let_go(&mut self, value: &Value) {
        let mut objects = vec![];
        value.objects(&mut objects);
        for ObjectId(number) in objects {
            self.objects[number as usize].known_elsewhere = true;
        }
    }

    pub fn overwrite(&mut self, object: ObjectId, source: Source) {
        let object = &mut self.objects[object.0 as usize];
        if !object.constant {
            object.writes.push(Write::Anything(source));
        }
    }

    /// A write through a pointer that may be of anything whose address is known somewhere.
    pub fn overwrite_known(&mut self, code: &Code<'_>, source: &Source) {
        self.overwrite_where(code, source, |object| object.known_elsewhere, |global| global.exposed);
    }

    /// A write by code that may know every global by its name as well.
    pub fn overwrite_all(&mut self, code: &Code<'_>, source: &Source) {
        self.overwrite_where(code, source, |object| object.known_elsewhere || object.global.is_some(), |_| true);
    }

    /// Anything may have been done by code that knows all that is known here, and it may be known anywhere now.
    pub fn overwrite_everything(&mut self, code: &Code<'_>, source: &Source) {
        self.overwrite_where(code, source, |_| true, |_| true);
        self.objects.iter_mut().for_each(|object| object.known_elsewhere = true);
    }

    fn overwrite_where(
        &mut self,
        code: &Code<'_>,
        source: &Source,
        these: impl Fn(&Object) -> bool,
        globals: impl Fn(&crate::code::Global) -> bool,
    ) {
        self.behind.clear();
        // Globals that were not met yet are written, too.
        for (number, global) in code.globals.iter().enumerate() {
            if globals(global) && !global.constant {
                self.global(code, GlobalId(number as u32));
            }
        }
        for object in &mut self.objects {
            if these(object) && !object.constant {
                object.writes.push(Write::Anything(source.clone()));
            }
        }
    }

    pub fn overwrite_global(&mut self, code: &Code<'_>, id: GlobalId, source: &Source) {
        let object = self.global(code, id);
        self.overwrite(object, source.clone());
    }

    pub fn size(&self, object: ObjectId) -> Option<u64> {
        self.objects[object.0 as usize].size
    }
}

impl State<'_> {
    /// Where an object lies: not at 0, aligned, inside the address space. Different objects lie apart; that is said
    /// where two of them are compared.
    pub fn base(&mut self, code: &Code<'_>, id: ObjectId) -> TermId {
        let _ = code;
        if let Some(base) = self.memory.objects[id.0 as usize].base {
            return base;
        }
        let base = self.unknown(64, Source::Before);
        let object = &mut self.memory.objects[id.0 as usize];
        object.base = Some(base);
        let (alignment, size) = (object.alignment.max(1), object.size.unwrap_or(1));
        let (low, top) = (self.constant(64, 4096), self.constant(64, (1 << 47) - 4096 - u128::from(size)));
        let (above, below) = (self.terms.ule(low, base), self.terms.ule(base, top));
        self.require(above);
        self.require(below);
        if alignment > 1 && alignment.is_power_of_two() {
            let mask = self.constant(64, u128::from(alignment - 1));
            let rest = self.terms.and(base, mask);
            let zero = self.constant(64, 0);
            let aligned = self.terms.eq(rest, zero);
            self.require(aligned);
        }
        // Apart from all that have a place already.
        for other in 0..self.memory.objects.len() {
            if other == id.0 as usize {
                continue;
            }
            if let (Some(place), other_size) =
                (self.memory.objects[other].base, self.memory.objects[other].size.unwrap_or(1))
            {
                let (own, others) = (self.constant(64, u128::from(size)), self.constant(64, u128::from(other_size)));
                let (end, other_end) = (self.terms.add(base, own), self.terms.add(place, others));
                let (before, behind) = (self.terms.ule(end, place), self.terms.ule(other_end, base));
                let apart = self.terms.or(before, behind);
                self.require(apart);
            }
        }
        base
    }

    pub fn load(&mut self, code: &Code<'_>, unit: &UnitCode, ty: TypeId, from: &Value) -> Value {
        match &unit.types[ty as usize].kind {
            TypeKind::Struct(fields) => {
                let parts = fields.clone();
                return Value::List(
                    parts.iter().map(|(field, at)| self.load_part(code, unit, *field, from, *at)).collect(),
                );
            }
            TypeKind::Array(element, count) if *count <= 64 => {
                let (element, step) = (*element, unit.types[*element as usize].size);
                return Value::List((0..*count).map(|i| self.load_part(code, unit, element, from, i * step)).collect());
            }
            TypeKind::Vector(element, count) if unit.types[*element as usize].size * u64::from(*count) <= 64 => {
                let (element, step, count) = (*element, unit.types[*element as usize].size, u64::from(*count));
                return Value::List((0..count).map(|i| self.load_part(code, unit, element, from, i * step)).collect());
            }
            _ => {}
        }
        let Some(bits) = width(unit, ty) else { return Value::Opaque };
        let size = u64::from(bits).div_ceil(8);
        let loaded = self.load_word(code, from, size);
        match loaded {
            Value::Bits(term) if self.terms.width(term) > bits => Value::Bits(self.terms.extract(term, 0, bits)),
            other => other,
        }
    }

    fn load_part(&mut self, code: &Code<'_>, unit: &UnitCode, ty: TypeId, from: &Value, at: u64) -> Value {
        let by = self.constant(64, u128::from(at));
        let from = self.advance(from.clone(), by);
        self.load(code, unit, ty, &from)
    }

    pub fn load_word(&mut self, code: &Code<'_>, from: &Value, size: u64) -> Value {
        match from {
            Value::Address(object, offset) => self.read(code, *object, *offset, size),
            Value::Either(condition, yes, no) => {
                let (yes, no) = (self.load_word(code, yes, size), self.load_word(code, no, size));
                self.select(*condition, yes, no)
            }
            Value::Bits(pointer) => {
                if let Some(known) = self.memory.behind.get(&(*pointer, size)) {
                    return known.clone();
                }
                let source = Source::Memory(self.here);
                let value = Value::Bits(self.unknown(8 * size as u8, source));
                self.memory.behind.insert((*pointer, size), value.clone());
                value
            }
            Value::List(_) | Value::Opaque => {
                let source = Source::Memory(self.here);
                Value::Bits(self.unknown(8 * size as u8, source))
            }
        }
    }

    /// A scalar of an object.
    fn read(&mut self, code: &Code<'_>, object: ObjectId, offset: TermId, size: u64) -> Value {
        // The newest write of just this place needs no taking apart.
        let mut newest = None;
        for write in self.memory.objects[object.0 as usize].writes.iter().rev() {
            let Write::At { offset: at, size: written, value } = write else { break };
            if *at == offset && *written == size {
                newest = Some(value.clone());
                break;
            }
            let apart = match (self.terms.as_constant(*at), self.terms.as_constant(offset)) {
                (Some(a), Some(b)) => a + u128::from(*written) <= b || b + u128::from(size) <= a,
                _ => false,
            };
            if !apart {
                break;
            }
        }
        if let Some(value) = newest {
            return value;
        }
        if let Some(place) = self.terms.as_constant(offset) {
            if let Some(value) = self.initial_address(code, object, place as u64, size) {
                return value;
            }
            let bytes: Vec<TermId> = (0..size).map(|i| self.byte(code, object, place as u64 + i)).collect();
            return Value::Bits(self.terms.word(&bytes));
        }
        self.read_anywhere(code, object, offset, size)
    }

    /// An address that an initialised global holds and nobody wrote over.
    fn initial_address(&mut self, code: &Code<'_>, object: ObjectId, place: u64, size: u64) -> Option<Value> {
        let held = &self.memory.objects[object.0 as usize];
        let Initial::Constant(unit, id) = held.initial else { return None };
        if size != 8 || !held.writes.is_empty() {
            return None;
        }
        let unit_code = code.program.details(unit)?.code()?;
        let ty = code.globals[held.global?.0 as usize].initial.and_then(|i| crate::code::constant_type(unit_code, i));
        let found = constant_at(unit_code, id, ty?, place)?;
        let is_address = matches!(
            unit_code.constants[found as usize],
            Constant::Global(_) | Constant::Function(_) | Constant::Offset(..)
        );
        is_address.then(|| self.constant_value(code, unit, unit_code, found))
    }

    /// One byte of an object at a known place.
    fn byte(&mut self, code: &Code<'_>, object: ObjectId, place: u64) -> TermId {
        let writes = self.memory.objects[object.0 as usize].writes.clone();
        let mut covered: Vec<(TermId, TermId)> = vec![];
        let mut result = None;
        let mut looked = 0;
        for (number, write) in writes.iter().enumerate().rev() {
            match write {
                Write::Anything(source) => {
                    result = Some(self.unknown_byte(object, number + 1, place, source.clone()));
                    break;
                }
                Write::At { offset, size, value } => match self.terms.as_constant(*offset) {
                    Some(at) => {
                        let at = at as u64;
                        if at <= place && place - at < *size {
                            result = Some(self.byte_of(code, value, *size, place - at));
                            break;
                        }
                    }
                    None => {
                        looked += 1;
                        if looked > MOST_WRITES {
                            let source = Source::Memory(self.here);
                            result = Some(self.unknown_byte(object, usize::MAX - number, place, source));
                            break;
                        }
                        for i in 0..*size {
                            let here = self.constant(64, u128::from(place.wrapping_sub(i)));
                            let hit = self.terms.eq(*offset, here);
                            let byte = self.byte_of(code, value, *size, i);
                            covered.push((hit, byte));
                        }
                    }
                },
            }
        }
        let mut byte = match result {
            Some(byte) => byte,
            None => self.initial_byte(code, object, place),
        };
        for (hit, value) in covered.into_iter().rev() {
            byte = self.terms.select(hit, value, byte);
        }
        byte
    }

    fn unknown_byte(&mut self, object: ObjectId, generation: usize, place: u64, source: Source) -> TermId {
        if let Some(&known) = self.memory.objects[object.0 as usize].seen.get(&(generation, place)) {
            return known;
        }
        let byte = self.unknown(8, source);
        self.memory.objects[object.0 as usize].seen.insert((generation, place), byte);
        byte
    }

    fn byte_of(&mut self, code: &Code<'_>, value: &Value, size: u64, index: u64) -> TermId {
        let word = self.bits(code, value, (8 * size) as u8);
        self.terms.extract(word, 8 * index as u8, 8)
    }

    fn initial_byte(&mut self, code: &Code<'_>, object: ObjectId, place: u64) -> TermId {
        let held = &self.memory.objects[object.0 as usize];
        let inside = held.size.is_none_or(|size| place < size);
        match held.initial.clone() {
            Initial::Zero if inside => self.constant(8, 0),
            Initial::Input(number) if inside && place < u64::from(u32::MAX) => {
                self.terms.var(Var::Byte { object: number, offset: place as u32 })
            }
            Initial::Constant(unit, id) if inside => {
                let known = code.program.details(unit).and_then(|d| d.code()).and_then(|unit_code| {
                    let ty = crate::code::constant_type(unit_code, id)?;
                    constant_byte(unit_code, id, ty, place)
                });
                match known {
                    Some(byte) => self.constant(8, u128::from(byte)),
                    None => self.unknown_byte(object, 0, place, Source::Memory(self.here)),
                }
            }
            Initial::Unknown(source) => self.unknown_byte(object, 0, place, source),
            _ => self.unknown_byte(object, 0, place, Source::Undefined),
        }
    }

    /// A scalar at an unknown place of an object.
    fn read_anywhere(&mut self, code: &Code<'_>, object: ObjectId, offset: TermId, size: u64) -> Value {
        let Some(whole) = self.memory.size(object).filter(|&whole| whole >= size && whole <= 8 * MOST_PLACES) else {
            let source = Source::Memory(self.here);
            return Value::Bits(self.unknown(8 * size as u8, source));
        };
        // Elements lie at multiples of their size; what lies between is not spelt out.
        let places: Vec<u64> = (0..=(whole - size) / size).map(|i| i * size).collect();
        if places.len() as u64 > MOST_PLACES {
            let source = Source::Memory(self.here);
            return Value::Bits(self.unknown(8 * size as u8, source));
        }
        let mut words = vec![];
        for place in &places {
            let bytes: Vec<TermId> = (0..size).map(|i| self.byte(code, object, place + i)).collect();
            words.push(self.terms.word(&bytes));
        }
        let other = self.unknown(8 * size as u8, Source::Memory(self.here));
        let known: Option<Vec<u64>> =
            words.iter().map(|w| self.terms.as_constant(*w).and_then(|v| u64::try_from(v).ok())).collect();
        if let Some(values) = known
            && size <= 8
        {
            let step = self.constant(64, u128::from(size));
            let (index, rest) = (self.terms.udiv(offset, step), self.terms.urem(offset, step));
            let (zero, end) = (self.constant(64, 0), self.constant(64, places.len() as u128));
            let (aligned, inside) = (self.terms.eq(rest, zero), self.terms.ult(index, end));
            let fits = self.terms.and(aligned, inside);
            let read = self.terms.read(index, Table::new(8 * size as u8, values));
            return Value::Bits(self.terms.select(fits, read, other));
        }
        if words.len() as u64 > MOST_TERMS {
            return Value::Bits(other);
        }
        let mut value = other;
        for (place, word) in places.iter().zip(words) {
            let here = self.constant(64, u128::from(*place));
            let hit = self.terms.eq(offset, here);
            value = self.terms.select(hit, word, value);
        }
        Value::Bits(value)
    }

    pub fn store(&mut self, code: &Code<'_>, unit: &UnitCode, ty: TypeId, to: &Value, value: Value) {
        match (&unit.types[ty as usize].kind, value) {
            (TypeKind::Struct(fields), Value::List(list)) => {
                for ((field, at), part) in fields.clone().into_iter().zip(list) {
                    let by = self.constant(64, u128::from(at));
                    let to = self.advance(to.clone(), by);
                    self.store(code, unit, field, &to, part);
                }
            }
            (TypeKind::Array(element, _) | TypeKind::Vector(element, _), Value::List(list)) => {
                let step = unit.types[*element as usize].size;
                for (i, part) in list.into_iter().enumerate() {
                    let by = self.constant(64, u128::from(i as u64 * step));
                    let to = self.advance(to.clone(), by);
                    self.store(code, unit, *element, &to, part);
                }
            }
            (_, value) => {
                self.memory.let_go(&value);
                let size = match width(unit, ty) {
                    Some(bits) => u64::from(bits).div_ceil(8),
                    None => unit.types[ty as usize].size,
                };
                let value = match width(unit, ty) {
                    Some(bits) if bits % 8 != 0 => {
                        let narrow = self.bits(code, &value, bits);
                        Value::Bits(self.terms.zext(narrow, 8 * size as u8))
                    }
                    _ => value,
                };
                self.write(code, to, size, value);
            }
        }
    }

    /// Writes a scalar.
    pub fn write(&mut self, code: &Code<'_>, to: &Value, size: u64, value: Value) {
        match to {
            Value::Address(object, offset) => {
                // Behind an unknown pointer there may be an object that is known elsewhere.
                if self.memory.objects[object.0 as usize].known_elsewhere {
                    self.memory.behind.clear();
                }
                let unknown_end = size > WIDEST || matches!(value, Value::Opaque | Value::List(_));
                if unknown_end {
                    self.memory.overwrite(*object, Source::Memory(self.here));
                    return;
                }
                let object = &mut self.memory.objects[object.0 as usize];
                if !object.constant {
                    object.writes.push(Write::At { offset: *offset, size, value });
                }
            }
            Value::Either(condition, yes, no) => {
                for (at, this) in [(yes, true), (no, false)] {
                    let old = self.load_word(code, at, size.min(WIDEST));
                    let (first, second) = if this { (value.clone(), old) } else { (old, value.clone()) };
                    let new = self.select(*condition, first, second);
                    self.write(code, at, size, new);
                }
            }
            Value::Bits(pointer) if self.is_nothing(*pointer) => {}
            Value::Bits(_) | Value::List(_) | Value::Opaque => {
                let source = Source::Memory(self.here);
                self.memory.overwrite_known(code, &source);
            }
        }
    }

    /// Whether nothing lies at an address: null, or a field or an element of what would lie there.
    fn is_nothing(&self, pointer: TermId) -> bool {
        const PAGE: u128 = 4096;
        self.terms.as_constant(pointer).is_some_and(|address| address < PAGE)
    }

    /// Everything an address may be of is overwritten.
    pub fn overwrite_at(&mut self, code: &Code<'_>, at: &Value, source: &Source) {
        self.memory.behind.clear();
        match at {
            Value::Address(object, _) => self.memory.overwrite(*object, source.clone()),
            Value::Either(_, yes, no) => {
                self.overwrite_at(code, yes, source);
                self.overwrite_at(code, no, source);
            }
            Value::Bits(pointer) if self.is_nothing(*pointer) => {}
            Value::Bits(_) | Value::List(_) | Value::Opaque => self.memory.overwrite_known(code, source),
        }
    }

    pub fn constant_value(&mut self, code: &Code<'_>, unit: UnitId, unit_code: &UnitCode, id: ConstantId) -> Value {
        let zero = |state: &mut Self, ty: TypeId| state.zero(unit_code, ty);
        match &unit_code.constants[id as usize] {
            Constant::Int(ty, value) => match width(unit_code, *ty) {
                Some(bits) => Value::Bits(self.constant(bits, *value)),
                None => Value::Opaque,
            },
            Constant::Float(ty, bits) => match width(unit_code, *ty) {
                Some(width) => Value::Bits(self.constant(width, u128::from(*bits))),
                None => Value::Opaque,
            },
            Constant::Null(ty) => zero(self, *ty),
            Constant::Undefined(ty) => self.unknown_of(unit_code, *ty, &Source::Undefined),
            Constant::Bytes(_, bytes) => {
                Value::List(bytes.iter().map(|b| Value::Bits(self.terms.constant(8, u128::from(*b)))).collect())
            }
            Constant::Elements(_, list) => {
                Value::List(list.iter().map(|e| self.constant_value(code, unit, unit_code, *e)).collect())
            }
            Constant::Global(number) => {
                let object = self.memory.global(code, code.global(unit, *number));
                Value::Address(object, self.terms.constant(64, 0))
            }
            Constant::Function(symbol) => match code.by_name_owned(unit, &unit_code.symbols[*symbol as usize]) {
                Some(function) => {
                    let object = self.memory.function(function);
                    Value::Address(object, self.terms.constant(64, 0))
                }
                None => Value::Bits(self.unknown(64, Source::Before)),
            },
            Constant::Offset(base, offset) => {
                let base = self.constant_value(code, unit, unit_code, *base);
                let by = self.constant(64, *offset as u64 as u128);
                self.advance(base, by)
            }
            Constant::Cast(symcrete_program::code::Cast::Bits, ty, inner) => {
                let value = self.constant_value(code, unit, unit_code, *inner);
                match (width(unit_code, *ty), &value) {
                    (Some(64), Value::Address(..) | Value::Bits(_)) => value,
                    _ => self.unknown_of(unit_code, *ty, &Source::Undefined),
                }
            }
            Constant::Cast(_, ty, _) | Constant::Binary(_, ty, ..) | Constant::Other(ty, _) => {
                let source = Source::Unsupported("constant expression".into(), self.here);
                self.unknown_of(unit_code, *ty, &source)
            }
        }
    }

    fn zero(&mut self, unit: &UnitCode, ty: TypeId) -> Value {
        match &unit.types[ty as usize].kind {
            TypeKind::Array(element, count) if *count <= 64 => {
                Value::List(vec![self.zero(unit, *element); *count as usize])
            }
            TypeKind::Vector(element, count) => Value::List(vec![self.zero(unit, *element); *count as usize]),
            TypeKind::Struct(fields) => {
                Value::List(fields.clone().iter().map(|(field, _)| self.zero(unit, *field)).collect())
            }
            _ => match width(unit, ty) {
                Some(bits) => Value::Bits(self.constant(bits, 0)),
                None => Value::Opaque,
            },
        }
    }
}

/// The constant that lies at a place of another, if one begins there.
fn constant_at(unit: &UnitCode, id: ConstantId, ty: TypeId, place: u64) -> Option<ConstantId> {
    match (&unit.constants[id as usize], &unit.types[ty as usize].kind) {
        (Constant::Elements(_, list), TypeKind::Struct(fields)) => {
            let part = fields.iter().rposition(|(_, offset)| *offset <= place)?;
            constant_at(unit, *list.get(part)?, fields[part].0, place - fields[part].1)
        }
        (Constant::Elements(_, list), TypeKind::Array(element, _) | TypeKind::Vector(element, _)) => {
            let size = unit.types[*element as usize].size.max(1);
            constant_at(unit, *list.get((place / size) as usize)?, *element, place % size)
        }
        _ if place == 0 => Some(id),
        _ => None,
    }
}

/// One byte of a constant; nothing where it depends on addresses or is not defined.
fn constant_byte(unit: &UnitCode, id: ConstantId, ty: TypeId, place: u64) -> Option<u8> {
    match (&unit.constants[id as usize], &unit.types[ty as usize].kind) {
        (Constant::Null(_), _) => Some(0),
        (Constant::Int(_, value), _) if place < 16 => Some((*value >> (8 * place)) as u8),
        (Constant::Float(_, bits), _) if place < 8 => Some((*bits >> (8 * place)) as u8),
        (Constant::Bytes(_, bytes), _) => bytes.get(place as usize).copied(),
        (Constant::Elements(_, list), TypeKind::Struct(fields)) => {
            let part = fields.iter().rposition(|(_, offset)| *offset <= place)?;
            let (field, offset) = fields[part];
            // Between fields there is room that nobody reads; it is zero in a global.
            if place - offset >= unit.types[field as usize].size {
                return Some(0);
            }
            constant_byte(unit, *list.get(part)?, field, place - offset)
        }
        (Constant::Elements(_, list), TypeKind::Array(element, _) | TypeKind::Vector(element, _)) => {
            let size = unit.types[*element as usize].size.max(1);
            constant_byte(unit, *list.get((place / size) as usize)?, *element, place % size)
        }
        _ => None,
    }
}
