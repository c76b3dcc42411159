//! Counted values, early: numbers that grow or fall by fixed steps (`n++`, `list.length += 2`), and what is copied from
//! them. How often something happened depends on input only through the way that was taken, so no condition over input
//! says *three times*: the solver has nothing to solve. Instead fast bodies measure how near such a number came to
//! what it is compared with; here those comparisons are found and marked. Never changes what is compared.

use crate::COUNTED;
use crate::ir::{Block, Builder, Module, Opcode, Type, TypeKind, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Passes over the unit: copies of copies of counters are counters, within reason.
const PASSES: usize = 8;
/// How far casts, steps and joins are followed from a value.
const FOLLOWED: usize = 64;

/// A place in memory as far as types tell places apart: a variable, or a field of any struct of a type.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place {
    Variable(Value),
    Field(Type, Vec<Option<u64>>),
}

#[derive(Default)]
struct Counters {
    values: FxHashSet<Value>,
    places: FxHashSet<Place>,
    /// Functions that return one.
    functions: FxHashSet<Value>,
}

/// Marks comparisons of counted values in these functions. Returns how many there are.
pub fn plant(module: Module, functions: &[Value]) -> u32 {
    let blocks: Vec<Block> = functions.iter().flat_map(|f| f.blocks()).collect();
    let instructions: Vec<Value> = blocks.iter().flat_map(|b| b.instructions()).collect();
    let counters = Counters::find(functions, &instructions);
    let long = module.int(64);
    let ty = Type::function(module.void(), &[module.int(32), long, long]);
    let mut count = 0;
    for &comparison in instructions.iter().filter(|i| i.opcode() == Opcode::LLVMICmp) {
        let (a, b) = (comparison.operand(0), comparison.operand(1));
        let fits = a.ty().kind() == TypeKind::LLVMIntegerTypeKind && (2..=64).contains(&a.ty().int_width());
        let asked = [a, b].into_iter().any(|v| counters.says_something(v, comparison.parent()));
        if !fits || !asked {
            continue;
        }
        let Some(at) = comparison.next() else { continue };
        let marker = module.declare_function(COUNTED, ty);
        marker.make_marker();
        let builder = Builder::before(module, at);
        let whole = |v: Value| if v.ty().int_width() == 64 { v } else { builder.sext(v, long) };
        builder.call_typed(ty, marker, &[module.int_value(32, u64::from(count)), whole(a), whole(b)]);
        count += 1;
    }
    count
}

/// Whether there is a way from one block to another, or they are the same.
fn leads_to(from: Block, to: Block) -> bool {
    let (mut seen, mut open) = (FxHashSet::default(), vec![from]);
    while let Some(block) = open.pop() {
        if block == to {
            return true;
        }
        if seen.insert(block) {
            open.extend(block.successors());
        }
    }
    false
}

impl Counters {
    fn find(functions: &[Value], instructions: &[Value]) -> Counters {
        let mut counters = Counters::default();
        let mut parameters: FxHashMap<Value, Vec<Value>> = FxHashMap::default();
        for &function in functions {
            parameters.insert(function, function.parameters());
        }
        for _ in 0..PASSES {
            let before = counters.size();
            for &instruction in instructions {
                counters.look_at(instruction, &parameters);
            }
            if counters.size() == before {
                break;
            }
        }
        counters
    }

    fn size(&self) -> usize {
        self.values.len() + self.places.len() + self.functions.len()
    }

    fn look_at(&mut self, instruction: Value, parameters: &FxHashMap<Value, Vec<Value>>) {
        match instruction.opcode() {
            Opcode::LLVMPHI
                if is_integer(instruction)
                    && !self.values.contains(&instruction)
                    && (steps_back_to(instruction, |v| v == instruction)
                        || instruction.incoming().into_iter().any(|(v, _)| self.is_counted(v))) =>
            {
                self.values.insert(instruction);
            }
            Opcode::LLVMStore if is_integer(instruction.operand(0)) => {
                let (value, pointer) = (instruction.operand(0), instruction.operand(1));
                let Some(place) = place(pointer) else { return };
                if self.places.contains(&place) {
                    return;
                }
                let own =
                    |v: Value| v.opcode_if() == Some(Opcode::LLVMLoad) && place_of_load(v).as_ref() == Some(&place);
                if steps_back_to(value, own) || self.is_counted(value) {
                    self.places.insert(place);
                }
            }
            Opcode::LLVMRet => {
                let operands = instruction.operands();
                if operands.first().is_some_and(|v| is_integer(*v) && self.is_counted(*v)) {
                    self.functions.insert(instruction.parent().function());
                }
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                let Some(own) = instruction.called_function().and_then(|callee| parameters.get(&callee)) else {
                    return;
                };
                for (&argument, &parameter) in instruction.arguments().iter().zip(own) {
                    if !is_integer(argument) || self.values.contains(&parameter) {
                        continue;
                    }
                    // A function that calls itself one level deeper counts its depth.
                    if steps_back_to(argument, |v| v == parameter) || self.is_counted(argument) {
                        self.values.insert(parameter);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a value is a counter, give or take a constant.
    fn is_counted(&self, value: Value) -> bool {
        walk(value, |v, _| {
            self.values.contains(&v)
                || match v.opcode_if() {
                    Some(Opcode::LLVMLoad) => place_of_load(v).is_some_and(|place| self.places.contains(&place)),
                    Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
                        v.called_function().is_some_and(|f| self.functions.contains(&f))
                    }
                    _ => false,
                }
        })
    }

    /// Whether comparing this value tells something about the way to it: not so the number of the turn that a loop is in,
    /// which takes all its values whatever the input is.
    fn says_something(&self, value: Value, from: Block) -> bool {
        if !is_integer(value) || !self.is_counted(value) {
            return false;
        }
        !walk(value, |v, _| {
            v.opcode_if() == Some(Opcode::LLVMPHI)
                && v.incoming().into_iter().any(|(next, _)| is_step(next) && next.operand(0) == v)
                && leads_to(from, v.parent())
        })
    }
}

/// Whether a value is one that `is_start` knows, changed by at least one fixed step on some way.
fn steps_back_to(value: Value, is_start: impl Fn(Value) -> bool) -> bool {
    walk(value, |v, stepped| stepped && is_start(v))
}

/// Looks at a value and at what it is made of by casts, fixed steps and joins; `found` is also told whether a step
/// lies between.
fn walk(value: Value, found: impl Fn(Value, bool) -> bool) -> bool {
    let (mut seen, mut open) = (FxHashSet::default(), vec![(value, false)]);
    while let Some((v, stepped)) = open.pop() {
        if found(v, stepped) {
            return true;
        }
        if seen.len() >= FOLLOWED || !seen.insert((v, stepped)) {
            continue;
        }
        match v.opcode_if() {
            Some(Opcode::LLVMPHI) => open.extend(v.incoming().into_iter().map(|(from, _)| (from, stepped))),
            Some(Opcode::LLVMSelect) => open.extend([(v.operand(1), stepped), (v.operand(2), stepped)]),
            Some(Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc) => open.push((v.operand(0), stepped)),
            Some(_) if is_step(v) => open.push((v.operand(0), true)),
            _ => {}
        }
    }
    false
}

fn is_step(value: Value) -> bool {
    matches!(value.opcode_if(), Some(Opcode::LLVMAdd | Opcode::LLVMSub)) && value.operand(1).is_constant_int()
}

fn is_integer(value: Value) -> bool {
    value.ty().kind() == TypeKind::LLVMIntegerTypeKind && value.ty().int_width() > 1
}

fn place_of_load(load: Value) -> Option<Place> {
    place(load.operand(0))
}

fn place(pointer: Value) -> Option<Place> {
    if pointer.is_alloca() || pointer.is_global_variable() {
        return Some(Place::Variable(pointer));
    }
    pointer.gep_base()?;
    let ty = pointer.gep_source_type();
    let field = ty.kind() == TypeKind::LLVMStructTypeKind;
    let indices = pointer.operands().into_iter().skip(2).map(|i| i.constant_value().map(|v| v as u64)).collect();
    field.then_some(Place::Field(ty, indices))
}
