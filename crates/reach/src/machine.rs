//! Runs the program model itself on one input: for the forward phase, which has to see how close a run comes.
//!
//! Not the judge: what it says is tried in the real program. A run ends where something is not modelled.

use crate::calls::{plain_math, scalar_request};
use crate::code::{Body, Called, Code, GlobalId, Place, constant_type, parameters, width};
use crate::library;
use crate::state::RequestKind;
use rustc_hash::FxHashMap;
use symcrete_program::FunctionId;
use symcrete_program::code::{
    Binary, Call, Cast, Constant, ConstantId, Operand, Order, TypeId, TypeKind, UnitCode, What,
};
use symcrete_term::{Op, compute, native};

/// Where data seems to lie; functions lie below.
const BASE: u64 = 0x10_0000;
const FUNCTIONS: u64 = 0x1000;
/// Memory of one run.
const MOST_MEMORY: usize = 16 << 20;
const MOST_FRAMES: usize = 512;

/// Why a run of the model ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The program was over.
    Over,
    /// A memory access that no object has, or the like.
    Fault,
    /// As many instructions as allowed.
    Limit,
    /// Something that is not modelled.
    Unknown(String),
    /// Whoever looks on has seen enough.
    Enough,
}

/// An input on request: what was asked for, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub name: String,
    pub kind: RequestKind,
    pub bytes: Vec<u8>,
}

/// Who looks on.
pub trait Onlooker {
    /// A block is entered; false ends the run.
    fn enter(&mut self, function: FunctionId, block: u32, from: Option<u32>) -> bool;
    /// A block is about to be left; `toward` says how far its decision is from going to a successor.
    fn leave(&mut self, function: FunctionId, block: u32, toward: &mut dyn FnMut(u32) -> f64);
    /// An instruction before which the run is; false ends the run.
    fn at(&mut self, place: Place) -> bool;
}

#[derive(Clone, Debug, PartialEq)]
enum Held {
    Bits(u128),
    List(Vec<Held>),
}

impl Held {
    fn bits(&self) -> u128 {
        match self {
            Held::Bits(bits) => *bits,
            Held::List(_) => 0,
        }
    }
}

/// A program ready to be run many times.
pub struct Image {
    bytes: Vec<u8>,
    globals: FxHashMap<GlobalId, u64>,
}

impl Image {
    pub fn new(code: &Code<'_>) -> Image {
        let mut image = Image { bytes: vec![], globals: FxHashMap::default() };
        for (number, global) in code.globals.iter().enumerate() {
            let at = BASE + image.bytes.len().next_multiple_of(16) as u64;
            image.bytes.resize((at - BASE) as usize + (global.size.max(8) as usize).min(MOST_MEMORY / 2), 0);
            image.globals.insert(GlobalId(number as u32), at);
        }
        for (number, global) in code.globals.iter().enumerate() {
            let Some(initial) = global.initial else { continue };
            let Some(unit) = code.program.details(global.unit).and_then(|d| d.code()) else { continue };
            let at = image.globals[&GlobalId(number as u32)];
            let ty = constant_type(unit, initial);
            let mut machine = Machine::new(code, &image, &[], None, u64::MAX);
            machine.memory.clone_from(&image.bytes);
            let value = machine.constant(global.unit, unit, initial);
            match ty {
                Some(ty) => machine.store(unit, ty, at, &value),
                None => machine.write(at, &value.bits().to_le_bytes()[..8]),
            };
            image.bytes = machine.memory;
        }
        image
    }
}

pub struct Machine<'m, 'a> {
    code: &'m Code<'a>,
    image: &'m Image,
    memory: Vec<u8>,
    requests: &'m [Vec<u8>],
    /// The buffer of a libFuzzer harness.
    buffer: Option<&'m [u8]>,
    pub asked: Vec<Asked>,
    left: u64,
    frames: usize,
}

type Outcome<T> = Result<T, Stop>;

impl<'m, 'a> Machine<'m, 'a> {
    pub fn new(
        code: &'m Code<'a>,
        image: &'m Image,
        requests: &'m [Vec<u8>],
        buffer: Option<&'m [u8]>,
        limit: u64,
    ) -> Self {
        Machine { code, image, memory: vec![], requests, buffer, asked: vec![], left: limit, frames: 0 }
    }

    /// Instructions run, of those allowed.
    pub fn spent(&self, limit: u64) -> u64 {
        limit - self.left
    }

    /// Runs from a function on; what it did is for the onlooker to say.
    pub fn run(&mut self, entry: FunctionId, onlooker: &mut dyn Onlooker) -> Stop {
        self.memory.clone_from(&self.image.bytes);
        let Some(body) = self.code.body(entry) else { return Stop::Unknown("no body".into()) };
        let count = parameters(body.code, body.function).len();
        let mut arguments = vec![Held::Bits(0); count];
        if let (Some(buffer), 2) = (self.buffer, count) {
            let Ok(at) = self.take(buffer.len() as u64, 16) else { return Stop::Limit };
            self.write(at, buffer);
            arguments = vec![Held::Bits(u128::from(at)), Held::Bits(buffer.len() as u128)];
        }
        match self.call_function(entry, arguments, onlooker) {
            Ok(_) => Stop::Over,
            Err(stop) => stop,
        }
    }

    fn take(&mut self, size: u64, alignment: u64) -> Outcome<u64> {
        let at = (BASE + self.memory.len() as u64).next_multiple_of(alignment.max(1));
        let end = (at - BASE).checked_add(size.max(1)).filter(|&end| end <= MOST_MEMORY as u64).ok_or(Stop::Limit)?;
        self.memory.resize(end as usize, 0);
        Ok(at)
    }

    fn slice(&self, at: u64, size: u64) -> Outcome<&[u8]> {
        let begin = at.checked_sub(BASE).ok_or(Stop::Fault)?;
        let end = begin.checked_add(size).ok_or(Stop::Fault)?;
        self.memory.get(begin as usize..end as usize).ok_or(Stop::Fault)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> bool {
        let Some(begin) = at.checked_sub(BASE).map(|b| b as usize) else { return false };
        let Some(place) = begin.checked_add(bytes.len()).and_then(|end| self.memory.get_mut(begin..end)) else {
            return false;
        };
        place.copy_from_slice(bytes);
        true
    }

    fn load(&self, unit: &UnitCode, ty: TypeId, at: u64) -> Outcome<Held> {
        let list = |element: TypeId, count: u64| -> Outcome<Held> {
            let size = unit.types[element as usize].size;
            (0..count)
                .map(|i| self.load(unit, element, at.wrapping_add(i * size)))
                .collect::<Outcome<_>>()
                .map(Held::List)
        };
        match &unit.types[ty as usize].kind {
            TypeKind::Array(element, count) => list(*element, *count),
            TypeKind::Vector(element, count) => list(*element, u64::from(*count)),
            TypeKind::Struct(fields) => {
                let parts = fields.iter().map(|(field, offset)| self.load(unit, *field, at.wrapping_add(*offset)));
                parts.collect::<Outcome<_>>().map(Held::List)
            }
            _ => {
                let bits = width(unit, ty).ok_or_else(|| Stop::Unknown("a type".into()))?;
                let size = u64::from(bits).div_ceil(8);
                let mut raw = [0; 16];
                raw[..size as usize].copy_from_slice(self.slice(at, size)?);
                Ok(Held::Bits(mask(u128::from_le_bytes(raw), bits)))
            }
        }
    }

    fn store(&mut self, unit: &UnitCode, ty: TypeId, at: u64, value: &Held) -> bool {
        match (&unit.types[ty as usize].kind, value) {
            (TypeKind::Array(element, _) | TypeKind::Vector(element, _), Held::List(list)) => {
                let size = unit.types[*element as usize].size;
                list.iter()
                    .enumerate()
                    .all(|(i, value)| self.store(unit, *element, at.wrapping_add(i as u64 * size), value))
            }
            (TypeKind::Struct(fields), Held::List(list)) => {
                let mut parts = fields.iter().zip(list);
                parts.all(|((field, offset), value)| self.store(unit, *field, at.wrapping_add(*offset), value))
            }
            (_, Held::Bits(value)) => {
                let size = u64::from(width(unit, ty).unwrap_or(8)).div_ceil(8) as usize;
                self.write(at, &value.to_le_bytes()[..size])
            }
            _ => false,
        }
    }

    fn zero(&self, unit: &UnitCode, ty: TypeId) -> Held {
        match &unit.types[ty as usize].kind {
            TypeKind::Array(element, count) => {
                Held::List(vec![self.zero(unit, *element); (*count).min(1 << 16) as usize])
            }
            TypeKind::Vector(element, count) => Held::List(vec![self.zero(unit, *element); *count as usize]),
            TypeKind::Struct(fields) => Held::List(fields.iter().map(|(field, _)| self.zero(unit, *field)).collect()),
            _ => Held::Bits(0),
        }
    }

    fn constant(&self, unit: symcrete_program::UnitId, code: &UnitCode, id: ConstantId) -> Held {
        match &code.constants[id as usize] {
            Constant::Int(_, value) => Held::Bits(*value),
            Constant::Float(_, bits) => Held::Bits(u128::from(*bits)),
            Constant::Null(ty) | Constant::Undefined(ty) => self.zero(code, *ty),
            Constant::Bytes(_, bytes) => Held::List(bytes.iter().map(|b| Held::Bits(u128::from(*b))).collect()),
            Constant::Elements(_, list) => Held::List(list.iter().map(|e| self.constant(unit, code, *e)).collect()),
            Constant::Global(number) => Held::Bits(u128::from(self.image.globals[&self.code.global(unit, *number)])),
            Constant::Function(symbol) => {
                let function = self.code.by_name_owned(unit, &code.symbols[*symbol as usize]);
                Held::Bits(function.map_or(u128::from(FUNCTIONS - 1), |f| u128::from(FUNCTIONS + 16 * u64::from(f.0))))
            }
            Constant::Offset(base, offset) => {
                let base = self.constant(unit, code, *base).bits() as u64;
                Held::Bits(u128::from(base.wrapping_add_signed(*offset)))
            }
            Constant::Cast(Cast::Bits, _, inner) => self.constant(unit, code, *inner),
            Constant::Cast(..) | Constant::Binary(..) | Constant::Other(..) => Held::Bits(0),
        }
    }

    fn call_function(
        &mut self,
        function: FunctionId,
        arguments: Vec<Held>,
        onlooker: &mut dyn Onlooker,
    ) -> Outcome<Held> {
        let body = self.code.body(function).ok_or_else(|| Stop::Unknown("no body".into()))?;
        self.frames += 1;
        if self.frames > MOST_FRAMES {
            return Err(Stop::Limit);
        }
        let count = body.function.blocks.iter().map(Vec::len).sum::<usize>();
        let wanted = parameters(body.code, body.function).len();
        let mut values = arguments;
        values.resize(wanted, Held::Bits(0));
        values.resize(wanted + count, Held::Bits(0));
        let (mut block, mut from) = (0u32, None);
        loop {
            if !onlooker.enter(function, block, from) {
                return Err(Stop::Enough);
            }
            self.phis(function, body, &mut values, block, from);
            let list = &body.function.blocks[block as usize];
            let mut way = 0usize;
            for (at, instruction) in list.iter().enumerate() {
                self.left = self.left.checked_sub(1).ok_or(Stop::Limit)?;
                let place = Place { function, block, at: at as u32 };
                let value = match &instruction.what {
                    What::Phi(_) => continue,
                    What::Return(value) => {
                        self.frames -= 1;
                        return Ok(value.map_or(Held::Bits(0), |v| self.operand(body, &values, v)));
                    }
                    What::Jump => break,
                    What::Branch(condition) => {
                        let holds = self.operand(body, &values, *condition).bits() & 1 == 1;
                        way = usize::from(!holds);
                        let successors = &body.model.blocks[block as usize].successors;
                        let this: &Self = self;
                        onlooker.leave(function, block, &mut |to| {
                            if successors.get(way) == Some(&to) {
                                return 0.0;
                            }
                            this.distance(function, body, &values, *condition, successors.first() == Some(&to))
                        });
                        break;
                    }
                    What::Switch(on, cases) => {
                        let on = self.operand(body, &values, *on).bits();
                        way = cases.iter().position(|c| *c == on).map_or(0, |case| case + 1);
                        let successors = &body.model.blocks[block as usize].successors;
                        onlooker.leave(function, block, &mut |to| {
                            if successors.get(way) == Some(&to) {
                                return 0.0;
                            }
                            let hit = |(case, _): (&u128, &u32)| (*case as f64 - on as f64).abs();
                            let near = cases.iter().zip(&successors[1..]).filter(|(_, s)| **s == to).map(hit);
                            near.fold(f64::INFINITY, f64::min).min(1e18)
                        });
                        break;
                    }
                    What::Invoke(call) => {
                        if !onlooker.at(place) {
                            return Err(Stop::Enough);
                        }
                        self.call(body, &values, call, instruction.ty, onlooker)?
                    }
                    What::Call(call) => {
                        if !onlooker.at(place) {
                            return Err(Stop::Enough);
                        }
                        self.call(body, &values, call, instruction.ty, onlooker)?
                    }
                    What::Unreachable | What::Resume(_) => return Err(Stop::Over),
                    what => self.compute(function, body, &values, what, instruction.ty)?,
                };
                values[self.code.value(place) as usize] = value;
            }
            from = Some(block);
            block = *body.model.blocks[block as usize].successors.get(way).ok_or(Stop::Over)?;
        }
    }

    fn phis(&mut self, function: FunctionId, body: Body<'a>, values: &mut [Held], block: u32, from: Option<u32>) {
        let Some(from) = from else { return };
        let mut new = vec![];
        for instruction in &body.function.blocks[block as usize] {
            let What::Phi(incoming) = &instruction.what else { break };
            let value = incoming.iter().find(|(before, _)| *before == from);
            new.push(value.map_or(Held::Bits(0), |(_, value)| self.operand(body, values, *value)));
        }
        let first = self.code.value(Place { function, block, at: 0 }) as usize;
        for (number, value) in new.into_iter().enumerate() {
            values[first + number] = value;
        }
    }

    fn operand(&self, body: Body<'a>, values: &[Held], operand: Operand) -> Held {
        match operand {
            Operand::Value(number) => values[number as usize].clone(),
            Operand::Constant(id) => self.constant(body.unit, body.code, id),
        }
    }

    fn width_of(&self, function: FunctionId, body: Body<'a>, operand: Operand) -> Outcome<u8> {
        match self.code.type_of(function, operand) {
            Some(ty) => width(body.code, ty).ok_or_else(|| Stop::Unknown("a vector".into())),
            None => Ok(64),
        }
    }

    fn compute(
        &mut self,
        function: FunctionId,
        body: Body<'a>,
        values: &[Held],
        what: &What,
        ty: TypeId,
    ) -> Outcome<Held> {
        let get = |this: &Self, operand: Operand| this.operand(body, values, operand);
        let unknown = |what: &str| Err(Stop::Unknown(what.into()));
        Ok(match what {
            What::Binary(op, a, b) => {
                let Some(bits) = width(body.code, ty) else { return unknown("a vector") };
                let (a, b) = (get(self, *a).bits(), get(self, *b).bits());
                let divides = matches!(op, Binary::UDiv | Binary::SDiv | Binary::URem | Binary::SRem);
                if divides && b == 0 {
                    return Err(Stop::Fault);
                }
                Held::Bits(compute(operation(*op), bits, bits, a, b, 0))
            }
            What::Negate(a) => {
                let Some(bits) = width(body.code, ty) else { return unknown("a vector") };
                Held::Bits(get(self, *a).bits() ^ 1 << (bits - 1))
            }
            What::Compare(order, a, b) => {
                let bits = self.width_of(function, body, *a).or_else(|_| self.width_of(function, body, *b))?;
                Held::Bits(u128::from(holds(*order, bits, get(self, *a).bits(), get(self, *b).bits())))
            }
            What::FloatCompare(outcomes, a, b) => {
                let bits = self.width_of(function, body, *a)?;
                let (a, b) = (float(bits, get(self, *a).bits()), float(bits, get(self, *b).bits()));
                let outcome = match a.partial_cmp(&b) {
                    Some(std::cmp::Ordering::Equal) => 1,
                    Some(std::cmp::Ordering::Greater) => 2,
                    Some(std::cmp::Ordering::Less) => 4,
                    None => 8,
                };
                Held::Bits(u128::from(outcomes & outcome != 0))
            }
            What::Cast(cast, a) => {
                let Some(to) = width(body.code, ty) else { return unknown("a vector") };
                let from = self.width_of(function, body, *a)?;
                let value = get(self, *a).bits();
                let op = match cast {
                    Cast::Truncate | Cast::Bits => return Ok(Held::Bits(mask(value, to))),
                    Cast::ZeroExtend => return Ok(Held::Bits(value)),
                    Cast::SignExtend => Op::SExt,
                    Cast::FloatTruncate => Op::FTrunc,
                    Cast::FloatExtend => Op::FExt,
                    Cast::FloatToUnsigned => Op::FToUi,
                    Cast::FloatToSigned => Op::FToSi,
                    Cast::UnsignedToFloat => Op::UiToF,
                    Cast::SignedToFloat => Op::SiToF,
                };
                Held::Bits(compute(op, to, from, value, 0, 0))
            }
            What::Select(c, a, b) => get(self, if get(self, *c).bits() & 1 == 1 { *a } else { *b }),
            What::Load { from, .. } => self.load(body.code, ty, get(self, *from).bits() as u64)?,
            What::Store { value, to, .. } => {
                let (at, held) = (get(self, *to).bits() as u64, get(self, *value));
                let stored = match self.code.type_of(function, *value) {
                    Some(ty) => self.store(body.code, ty, at, &held),
                    None => self.write(at, &held.bits().to_le_bytes()[..8]),
                };
                if !stored {
                    return Err(Stop::Fault);
                }
                Held::Bits(0)
            }
            What::Alloca { of, count, alignment } => {
                let size = body.code.types[*of as usize].size.saturating_mul(get(self, *count).bits() as u64);
                Held::Bits(u128::from(self.take(size, u64::from(*alignment))?))
            }
            What::Address { base, offset, terms } => {
                let mut at = (get(self, *base).bits() as u64).wrapping_add_signed(*offset);
                for (term, scale) in terms {
                    let bits = self.width_of(function, body, *term)?;
                    let value = signed(get(self, *term).bits(), bits) as i64;
                    at = at.wrapping_add_signed(value.wrapping_mul(*scale));
                }
                Held::Bits(u128::from(at))
            }
            What::Extract(a, way) => {
                let mut value = get(self, *a);
                for &step in way {
                    value = match value {
                        Held::List(mut list) if (step as usize) < list.len() => list.swap_remove(step as usize),
                        _ => return unknown("a part"),
                    };
                }
                value
            }
            What::Insert(a, part, way) => {
                let (mut whole, part) = (get(self, *a), get(self, *part));
                let mut place = &mut whole;
                for &step in way {
                    place = match place {
                        Held::List(list) if (step as usize) < list.len() => &mut list[step as usize],
                        _ => return unknown("a part"),
                    };
                }
                *place = part;
                whole
            }
            What::Freeze(a) => get(self, *a),
            What::Other(name, _) => return unknown(name),
            _ => return unknown("an instruction"),
        })
    }

    fn call(
        &mut self,
        body: Body<'a>,
        values: &[Held],
        call: &Call,
        ty: TypeId,
        onlooker: &mut dyn Onlooker,
    ) -> Outcome<Held> {
        let mut arguments: Vec<Held> = call.arguments.iter().map(|a| self.operand(body, values, *a)).collect();
        for (number, ty) in &call.copies {
            let kind = &body.code.types[*ty as usize];
            let bytes = self.slice(arguments[*number as usize].bits() as u64, kind.size)?.to_vec();
            let place = self.take(kind.size, u64::from(kind.alignment))?;
            self.write(place, &bytes);
            arguments[*number as usize] = Held::Bits(u128::from(place));
        }
        match self.code.called(body.unit, body.code, call) {
            Called::Known(function) => self.call_function(function, arguments, onlooker),
            Called::Pointer(pointer) => {
                let at = self.operand(body, values, pointer).bits() as u64;
                let number = at.checked_sub(FUNCTIONS).filter(|n| n % 16 == 0).map(|n| n / 16);
                let known = number.filter(|n| *n < self.code.program.function_count() as u64);
                let function = known.ok_or_else(|| Stop::Unknown("a function pointer".into()))?;
                self.call_function(FunctionId(function as u32), arguments, onlooker)
            }
            Called::Outside(name) => self.outside(body, name, &arguments, ty),
            Called::Assembly => Err(Stop::Unknown("assembly".into())),
        }
    }

    fn ask(&mut self, name: String, kind: RequestKind, size: u64) -> Vec<u8> {
        let mut bytes = self.requests.get(self.asked.len()).cloned().unwrap_or_default();
        bytes.resize(size.min(1 << 20) as usize, 0);
        self.asked.push(Asked { name, kind, bytes: bytes.clone() });
        bytes
    }

    fn text(&self, at: u64) -> String {
        let mut text = vec![];
        while let Ok([byte]) = self.slice(at + text.len() as u64, 1)
            && *byte != 0
            && text.len() < 256
        {
            text.push(*byte);
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    fn outside(&mut self, body: Body<'a>, name: &str, arguments: &[Held], ty: TypeId) -> Outcome<Held> {
        let bits = |n: usize| arguments.get(n).map_or(0, Held::bits);
        let at = |n: usize| bits(n) as u64;
        let result = width(body.code, ty);
        if let Some((bytes, kind, named)) = scalar_request(name) {
            let label = match (named, kind) {
                (true, RequestKind::Choice) => self.text(at(1)),
                (true, _) => self.text(at(0)),
                _ => name.trim_start_matches("__VERIFIER_nondet_").to_owned(),
            };
            let mut raw = [0; 16];
            let given = self.ask(label, kind, u64::from(bytes));
            raw[..given.len()].copy_from_slice(&given);
            let value = u128::from_le_bytes(raw);
            return Ok(Held::Bits(match kind {
                RequestKind::Bool => value & 1,
                RequestKind::Choice => value % bits(0).max(1),
                _ => value,
            }));
        }
        if let Some((op, _)) = plain_math(name.strip_prefix("llvm.").and_then(|n| n.split('.').next()).unwrap_or(name))
        {
            let width = result.ok_or_else(|| Stop::Unknown(name.into()))?;
            return Ok(Held::Bits(compute(op, width, width, bits(0), bits(1), bits(2))));
        }
        if let Some(function) = native::number(name) {
            let width = result.ok_or_else(|| Stop::Unknown(name.into()))?;
            return Ok(Held::Bits(compute(Op::Native { function }, width, width, bits(0), bits(1), bits(2))));
        }
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            return self.intrinsic(intrinsic, arguments, result).ok_or_else(|| Stop::Unknown(name.into()));
        }
        Ok(Held::Bits(match name {
            "symcrete_bytes" | "klee_make_symbolic" | "__VERIFIER_nondet_memory" => {
                let label = if name.starts_with("__") { "memory".into() } else { self.text(at(2)) };
                let given = self.ask(label, RequestKind::Bytes, at(1));
                if !self.write(at(0), &given) {
                    return Err(Stop::Fault);
                }
                0
            }
            "symcrete_assume" | "klee_assume" | "__VERIFIER_assume" => {
                if bits(0) == 0 {
                    return Err(Stop::Over);
                }
                0
            }
            "symcrete_target" | "free" | "puts" | "putchar" | "printf" | "fprintf" | "fputs" | "fputc" | "putc"
            | "fflush" => 0,
            "malloc" => u128::from(self.take(at(0).min(1 << 20), 16)?),
            "calloc" => u128::from(self.take(at(0).saturating_mul(at(1)).min(1 << 20), 16)?),
            _ if library::gives_back(name) => bits(0),
            _ if library::returns_twice(name) => 0,
            _ if library::jumps_back(name) => return Err(Stop::Over),
            "abort" | "exit" | "_exit" | "__assert_fail" | "__VERIFIER_error" => return Err(Stop::Over),
            "fabs" => bits(0) & !(1 << 63),
            "fabsf" => bits(0) & !(1 << 31),
            "abs" => u128::from((bits(0) as i32).unsigned_abs()),
            "memcpy" | "memmove" => {
                self.copy(at(0), at(1), at(2))?;
                bits(0)
            }
            "memset" => {
                self.fill(at(0), bits(1) as u8, at(2))?;
                bits(0)
            }
            _ => return Err(Stop::Unknown(name.into())),
        }))
    }

    fn copy(&mut self, to: u64, from: u64, size: u64) -> Outcome<()> {
        let bytes = self.slice(from, size)?.to_vec();
        if self.write(to, &bytes) { Ok(()) } else { Err(Stop::Fault) }
    }

    fn fill(&mut self, to: u64, byte: u8, size: u64) -> Outcome<()> {
        if size > MOST_MEMORY as u64 {
            return Err(Stop::Fault);
        }
        if self.write(to, &vec![byte; size as usize]) { Ok(()) } else { Err(Stop::Fault) }
    }

    fn intrinsic(&mut self, name: &str, arguments: &[Held], result: Option<u8>) -> Option<Held> {
        let bits = |n: usize| arguments.get(n).map_or(0, Held::bits);
        let family = name.split('.').next().unwrap_or(name);
        let own = name.rsplit_once(".i").and_then(|(_, w)| w.parse::<u8>().ok()).or(result).unwrap_or(64);
        let apply = |op: Op| compute(op, own, own, bits(0), bits(1), bits(2));
        let pair = |op: Op, over: Op| {
            Some(Held::List(vec![Held::Bits(apply(op)), Held::Bits(compute(over, 1, own, bits(0), bits(1), 0))]))
        };
        let less = |op: Op| compute(op, 1, own, bits(0), bits(1), 0) == 1;
        Some(Held::Bits(match family {
            "lifetime" | "sideeffect" | "dbg" | "assume" | "experimental" | "invariant" | "stackrestore"
            | "stacksave" => 0,
            "expect" => bits(0),
            "memcpy" | "memmove" => {
                self.copy(bits(0) as u64, bits(1) as u64, bits(2) as u64).ok()?;
                0
            }
            "memset" => {
                self.fill(bits(0) as u64, bits(1) as u8, bits(2) as u64).ok()?;
                0
            }
            "smax" => {
                if less(Op::Slt) {
                    bits(1)
                } else {
                    bits(0)
                }
            }
            "smin" => {
                if less(Op::Slt) {
                    bits(0)
                } else {
                    bits(1)
                }
            }
            "umax" => bits(0).max(bits(1)),
            "umin" => bits(0).min(bits(1)),
            "abs" => mask(signed(bits(0), own).unsigned_abs(), own),
            "fabs" => bits(0) & !(1 << (result? - 1)),
            "bswap" => apply(Op::Bswap),
            "bitreverse" => apply(Op::BitReverse),
            "ctpop" => apply(Op::Ctpop),
            "ctlz" => apply(Op::Ctlz),
            "cttz" => apply(Op::Cttz),
            "fmuladd" => {
                let width = result?;
                let product = compute(Op::FMul, width, width, bits(0), bits(1), 0);
                compute(Op::FAdd, width, width, product, bits(2), 0)
            }
            "uadd" if name.contains("overflow") => return pair(Op::Add, Op::UAddO),
            "sadd" if name.contains("overflow") => return pair(Op::Add, Op::SAddO),
            "usub" if name.contains("overflow") => return pair(Op::Sub, Op::USubO),
            "ssub" if name.contains("overflow") => return pair(Op::Sub, Op::SSubO),
            "umul" if name.contains("overflow") => return pair(Op::Mul, Op::UMulO),
            "smul" if name.contains("overflow") => return pair(Op::Mul, Op::SMulO),
            _ => return None,
        }))
    }

    /// How far a condition is from being what is wanted.
    fn distance(&self, function: FunctionId, body: Body<'a>, values: &[Held], condition: Operand, wanted: bool) -> f64 {
        const FAR: f64 = 1.0;
        let Operand::Value(number) = condition else { return FAR };
        let Some(instruction) = self.code.definition(function, number).and_then(|place| self.code.instruction(place))
        else {
            return FAR;
        };
        let get = |operand: Operand| self.operand(body, values, operand).bits();
        match &instruction.what {
            What::Compare(order, a, b) => {
                let Ok(bits) = self.width_of(function, body, *a).or_else(|_| self.width_of(function, body, *b)) else {
                    return FAR;
                };
                let order = if wanted { *order } else { opposite(*order) };
                let is_signed = matches!(
                    order,
                    Order::SignedGreater | Order::SignedGreaterEqual | Order::SignedLess | Order::SignedLessEqual
                );
                let number = |value: u128| match is_signed || matches!(order, Order::Equal | Order::NotEqual) {
                    true => signed(value, bits) as f64,
                    false => value as f64,
                };
                let (a, b) = (number(get(*a)), number(get(*b)));
                match order {
                    Order::Equal => (a - b).abs(),
                    Order::NotEqual => FAR,
                    Order::SignedGreater | Order::UnsignedGreater => (b - a + 1.0).max(0.0),
                    Order::SignedGreaterEqual | Order::UnsignedGreaterEqual => (b - a).max(0.0),
                    Order::SignedLess | Order::UnsignedLess => (a - b + 1.0).max(0.0),
                    Order::SignedLessEqual | Order::UnsignedLessEqual => (a - b).max(0.0),
                }
            }
            What::FloatCompare(_, a, b) => {
                let Ok(bits) = self.width_of(function, body, *a) else { return FAR };
                let (a, b) = (float(bits, get(*a)), float(bits, get(*b)));
                let gap = (a - b).abs();
                if gap.is_finite() { gap.max(f64::MIN_POSITIVE) } else { 1e300 }
            }
            _ => FAR,
        }
    }
}

fn opposite(order: Order) -> Order {
    match order {
        Order::Equal => Order::NotEqual,
        Order::NotEqual => Order::Equal,
        Order::UnsignedGreater => Order::UnsignedLessEqual,
        Order::UnsignedGreaterEqual => Order::UnsignedLess,
        Order::UnsignedLess => Order::UnsignedGreaterEqual,
        Order::UnsignedLessEqual => Order::UnsignedGreater,
        Order::SignedGreater => Order::SignedLessEqual,
        Order::SignedGreaterEqual => Order::SignedLess,
        Order::SignedLess => Order::SignedGreaterEqual,
        Order::SignedLessEqual => Order::SignedGreater,
    }
}

pub fn holds(order: Order, bits: u8, a: u128, b: u128) -> bool {
    let (x, y) = (signed(a, bits), signed(b, bits));
    match order {
        Order::Equal => a == b,
        Order::NotEqual => a != b,
        Order::UnsignedGreater => a > b,
        Order::UnsignedGreaterEqual => a >= b,
        Order::UnsignedLess => a < b,
        Order::UnsignedLessEqual => a <= b,
        Order::SignedGreater => x > y,
        Order::SignedGreaterEqual => x >= y,
        Order::SignedLess => x < y,
        Order::SignedLessEqual => x <= y,
    }
}

pub fn operation(op: Binary) -> Op {
    match op {
        Binary::Add => Op::Add,
        Binary::Sub => Op::Sub,
        Binary::Mul => Op::Mul,
        Binary::UDiv => Op::UDiv,
        Binary::SDiv => Op::SDiv,
        Binary::URem => Op::URem,
        Binary::SRem => Op::SRem,
        Binary::Shl => Op::Shl,
        Binary::LShr => Op::LShr,
        Binary::AShr => Op::AShr,
        Binary::And => Op::And,
        Binary::Or => Op::Or,
        Binary::Xor => Op::Xor,
        Binary::FAdd => Op::FAdd,
        Binary::FSub => Op::FSub,
        Binary::FMul => Op::FMul,
        Binary::FDiv => Op::FDiv,
        Binary::FRem => Op::FRem,
    }
}

pub fn mask(value: u128, bits: u8) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

pub fn signed(value: u128, bits: u8) -> i128 {
    let shift = 128 - u32::from(bits.max(1));
    ((value << shift) as i128) >> shift
}

fn float(bits: u8, value: u128) -> f64 {
    if bits == 32 { f64::from(f32::from_bits(value as u32)) } else { f64::from_bits(value as u64) }
}
