//! The machine: runs functions block by block.

use super::memory::Memory;
use super::scalar::{self, Value, bits, mask, signed};
use std::collections::HashMap;
use symcrete_program::Unit;
use symcrete_program::code::{Call, Callee, Constant, ConstantId, Operand, TypeId, TypeKind, UnitCode, What};

/// Where functions seem to lie: nothing is loaded from there.
const FUNCTIONS: u64 = 0x1000;

pub struct Machine<'a> {
    pub unit: &'a Unit,
    pub code: &'a UnitCode,
    pub memory: Memory,
    pub out: String,
    globals: Vec<u64>,
    functions: HashMap<&'a str, usize>,
}

struct Frame {
    function: usize,
    values: Vec<Value>,
    /// Of the first instruction of each block.
    begins: Vec<usize>,
}

impl<'a> Machine<'a> {
    pub fn new(unit: &'a Unit, code: &'a UnitCode) -> Machine<'a> {
        let functions = unit.functions.iter().enumerate().map(|(i, f)| (f.name.as_str(), i)).collect();
        let mut machine = Machine { unit, code, memory: Memory::new(), out: String::new(), globals: vec![], functions };
        for global in &code.globals {
            let size = code.types[global.ty as usize].size;
            let at = machine.memory.take(size, u64::from(global.alignment.max(1)));
            machine.globals.push(at);
        }
        for (number, global) in code.globals.iter().enumerate() {
            if let Some(initial) = global.initial {
                let value = machine.constant(initial);
                let at = machine.globals[number];
                machine.memory.store(code, global.ty, at, &value);
            }
        }
        machine
    }

    pub fn run_main(mut self) -> (String, i32) {
        let main = self.functions["main"];
        let arguments = match &self.code.types[self.code.functions[main].signature as usize].kind {
            TypeKind::Function(_, parameters, _) => {
                let list = self.memory.take(16, 8);
                [Value::Bits(1), Value::Bits(u128::from(list))][..parameters.len()].to_vec()
            }
            other => panic!("main is a {other:?}"),
        };
        let result = self.call_function(main, arguments);
        (self.out, result.bits() as u8 as i32)
    }

    fn zero(&self, ty: TypeId) -> Value {
        match &self.code.types[ty as usize].kind {
            TypeKind::Array(element, count) => Value::List(vec![self.zero(*element); *count as usize]),
            TypeKind::Vector(element, count) => Value::List(vec![self.zero(*element); *count as usize]),
            TypeKind::Struct(fields) => Value::List(fields.iter().map(|(field, _)| self.zero(*field)).collect()),
            _ => Value::Bits(0),
        }
    }

    fn constant_type(&self, id: ConstantId) -> Option<TypeId> {
        match &self.code.constants[id as usize] {
            Constant::Int(ty, _)
            | Constant::Float(ty, _)
            | Constant::Null(ty)
            | Constant::Undefined(ty)
            | Constant::Bytes(ty, _)
            | Constant::Elements(ty, _)
            | Constant::Cast(_, ty, _)
            | Constant::Binary(_, ty, ..)
            | Constant::Other(ty, _) => Some(*ty),
            _ => None,
        }
    }

    pub fn constant(&self, id: ConstantId) -> Value {
        match &self.code.constants[id as usize] {
            Constant::Int(_, value) => Value::Bits(*value),
            Constant::Float(_, bits) => Value::Bits(u128::from(*bits)),
            Constant::Null(ty) | Constant::Undefined(ty) => self.zero(*ty),
            Constant::Bytes(_, bytes) => Value::List(bytes.iter().map(|b| Value::Bits(u128::from(*b))).collect()),
            Constant::Elements(_, list) => Value::List(list.iter().map(|e| self.constant(*e)).collect()),
            Constant::Global(number) => Value::Bits(u128::from(self.globals[*number as usize])),
            Constant::Function(symbol) => Value::Bits(u128::from(FUNCTIONS + 16 * u64::from(*symbol))),
            Constant::Offset(base, offset) => {
                Value::Bits(u128::from((self.constant(*base).bits() as u64).wrapping_add_signed(*offset)))
            }
            Constant::Cast(cast, to, from) => {
                let width = self.constant_type(*from).map_or(64, |ty| bits(self.code, ty));
                Value::Bits(scalar::cast(*cast, width, bits(self.code, *to), self.constant(*from).bits()))
            }
            Constant::Binary(op, ty, a, b) => {
                let (a, b) = (self.constant(*a).bits(), self.constant(*b).bits());
                Value::Bits(scalar::binary(*op, bits(self.code, *ty), a, b))
            }
            Constant::Other(_, text) => panic!("constant {text}"),
        }
    }

    fn operand(&self, frame: &Frame, operand: Operand) -> Value {
        match operand {
            Operand::Value(number) => frame.values[number as usize].clone(),
            Operand::Constant(id) => self.constant(id),
        }
    }

    pub fn call_function(&mut self, number: usize, arguments: Vec<Value>) -> Value {
        let function = &self.code.functions[number];
        let model = &self.unit.functions[number];
        let stack = self.memory.top();
        let mut begins = vec![];
        let mut next = arguments.len();
        for block in &function.blocks {
            begins.push(next);
            next += block.len();
        }
        let mut frame = Frame { function: number, values: arguments, begins };
        frame.values.resize(next, Value::Bits(0));
        let (mut block, mut from) = (0usize, 0u32);
        loop {
            self.phis(&mut frame, number, block, from);
            let list = &function.blocks[block];
            let mut way = 0;
            for (at, instruction) in list.iter().enumerate() {
                let value = match &instruction.what {
                    What::Phi(_) => continue,
                    What::Return(value) => {
                        let result = value.map_or(Value::Bits(0), |v| self.operand(&frame, v));
                        self.give_back(stack);
                        return result;
                    }
                    What::Jump => Value::Bits(0),
                    What::Branch(condition) => {
                        way = usize::from(self.operand(&frame, *condition).bits() == 0);
                        Value::Bits(0)
                    }
                    What::Switch(on, cases) => {
                        let on = self.operand(&frame, *on).bits();
                        way = cases.iter().position(|c| *c == on).map_or(0, |case| case + 1);
                        Value::Bits(0)
                    }
                    What::Unreachable => panic!("{} runs into nothing", model.name),
                    what => self.compute(&frame, what, instruction.ty),
                };
                let place = frame.begins[block] + at;
                frame.values[place] = value;
            }
            from = block as u32;
            block = model.blocks[block].successors[way] as usize;
        }
    }

    /// What was allocated on the heap above the frame must stay: only frames that allocated nothing else go.
    fn give_back(&mut self, stack: usize) {
        if !self.heap_used() {
            self.memory.cut(stack);
        }
    }

    fn heap_used(&self) -> bool {
        self.code.symbols.iter().any(|s| s == "malloc" || s == "calloc")
    }

    /// All at once: one may be another's value from before.
    fn phis(&mut self, frame: &mut Frame, number: usize, block: usize, from: u32) {
        let mut values = vec![];
        for instruction in &self.code.functions[number].blocks[block] {
            let What::Phi(incoming) = &instruction.what else { break };
            let (_, value) = incoming.iter().find(|(pred, _)| *pred == from).expect("a value from every side");
            values.push(self.operand(frame, *value));
        }
        let begin = frame.begins[block];
        for (at, value) in values.into_iter().enumerate() {
            frame.values[begin + at] = value;
        }
    }

    fn compute(&mut self, frame: &Frame, what: &What, ty: TypeId) -> Value {
        let code = self.code;
        let get = |machine: &Self, operand: Operand| machine.operand(frame, operand);
        match what {
            What::Binary(op, a, b) => {
                let (a, b) = (get(self, *a), get(self, *b));
                self.each(ty, &[a, b], |width, v| scalar::binary(*op, width, v[0], v[1]))
            }
            What::Negate(a) => {
                let a = get(self, *a);
                self.each(ty, &[a], |width, v| scalar::negate(width, v[0]))
            }
            What::Compare(order, a, b) => {
                let width = self.width_of(frame, *a);
                Value::Bits(u128::from(scalar::compare(*order, width, get(self, *a).bits(), get(self, *b).bits())))
            }
            What::FloatCompare(outcomes, a, b) => {
                let width = self.width_of(frame, *a);
                let (a, b) = (get(self, *a).bits(), get(self, *b).bits());
                Value::Bits(u128::from(scalar::float_compare(*outcomes, width, a, b)))
            }
            What::Cast(cast, a) => {
                Value::Bits(scalar::cast(*cast, self.width_of(frame, *a), bits(code, ty), get(self, *a).bits()))
            }
            What::Select(c, a, b) => get(self, if get(self, *c).bits() != 0 { *a } else { *b }),
            What::Load { from, .. } => self.memory.load(code, ty, get(self, *from).bits() as u64),
            What::Store { value, to, .. } => {
                let ty = self.type_of(frame, *value);
                let (at, value) = (get(self, *to).bits() as u64, get(self, *value));
                self.memory.store(code, ty, at, &value);
                Value::Bits(0)
            }
            What::Alloca { of, count, alignment } => {
                let size = code.types[*of as usize].size * get(self, *count).bits() as u64;
                Value::Bits(u128::from(self.memory.take(size, u64::from(*alignment))))
            }
            What::Address { base, offset, terms } => {
                let mut at = (get(self, *base).bits() as u64).wrapping_add_signed(*offset);
                for (term, scale) in terms {
                    let value = signed(get(self, *term).bits(), self.width_of(frame, *term)) as i64;
                    at = at.wrapping_add_signed(value.wrapping_mul(*scale));
                }
                Value::Bits(u128::from(at))
            }
            What::Call(call) | What::Invoke(call) => {
                let result = self.call(frame, call);
                if matches!(code.types[ty as usize].kind, TypeKind::Void) { Value::Bits(0) } else { result }
            }
            What::Extract(a, way) => {
                let mut value = get(self, *a);
                for &step in way {
                    let Value::List(mut list) = value else { panic!("no parts in {value:?}") };
                    value = list.swap_remove(step as usize);
                }
                value
            }
            What::Insert(a, part, way) => {
                let (mut whole, part) = (get(self, *a), get(self, *part));
                let mut place = &mut whole;
                for &step in way {
                    let Value::List(list) = place else { panic!("no parts") };
                    place = &mut list[step as usize];
                }
                *place = part;
                whole
            }
            What::Freeze(a) => get(self, *a),
            other => panic!("not interpreted: {other:?}"),
        }
    }

    /// Applies an operation to scalars, or to vectors element by element.
    fn each(&self, ty: TypeId, values: &[Value], with: impl Fn(u32, &[u128]) -> u128 + Copy) -> Value {
        match &self.code.types[ty as usize].kind {
            TypeKind::Vector(element, count) => Value::List(
                (0..*count as usize)
                    .map(|i| {
                        let parts: Vec<Value> = values
                            .iter()
                            .map(|v| match v {
                                Value::List(list) => list[i].clone(),
                                other => panic!("{other:?} is no vector"),
                            })
                            .collect();
                        self.each(*element, &parts, with)
                    })
                    .collect(),
            ),
            _ => {
                let scalars: Vec<u128> = values.iter().map(|v| v.bits()).collect();
                let width = bits(self.code, ty);
                Value::Bits(mask(with(width, &scalars), width))
            }
        }
    }

    fn type_of(&self, frame: &Frame, operand: Operand) -> TypeId {
        match operand {
            Operand::Constant(id) => self.constant_type(id).unwrap_or_else(|| self.pointer()),
            Operand::Value(number) => frame.type_of(self, number),
        }
    }

    fn pointer(&self) -> TypeId {
        self.code.types.iter().position(|t| t.kind == TypeKind::Pointer).expect("pointers") as TypeId
    }

    fn width_of(&self, frame: &Frame, operand: Operand) -> u32 {
        bits(self.code, self.type_of(frame, operand))
    }

    fn call(&mut self, frame: &Frame, call: &Call) -> Value {
        let mut arguments: Vec<Value> = call.arguments.iter().map(|a| self.operand(frame, *a)).collect();
        for (number, ty) in &call.copies {
            let at = arguments[*number as usize].bits() as u64;
            let copy = self.memory.load(self.code, *ty, at);
            let kind = &self.code.types[*ty as usize];
            let place = self.memory.take(kind.size, u64::from(kind.alignment));
            self.memory.store(self.code, *ty, place, &copy);
            arguments[*number as usize] = Value::Bits(u128::from(place));
        }
        let symbol = match &call.callee {
            Callee::Direct(symbol) => *symbol,
            Callee::Indirect(pointer) => ((self.operand(frame, *pointer).bits() as u64 - FUNCTIONS) / 16) as u32,
            Callee::Assembly => panic!("assembly"),
        };
        let name = self.code.symbols[symbol as usize].as_str();
        match self.functions.get(name) {
            Some(&number) => self.call_function(number, arguments),
            None => self.library(name, &arguments),
        }
    }
}

impl Frame {
    fn type_of(&self, machine: &Machine<'_>, number: u32) -> TypeId {
        let number = number as usize;
        let owner = &machine.code.functions[self.function];
        if number < self.begins[0] {
            let TypeKind::Function(_, parameters, _) = &machine.code.types[owner.signature as usize].kind else {
                panic!("no signature")
            };
            return parameters[number];
        }
        let block = self.begins.partition_point(|b| *b <= number) - 1;
        owner.blocks[block][number - self.begins[block]].ty
    }
}
