//! Counted values, late: where a number that counts something is compared, the fast body keeps how near the two came,
//! and marks it when they came nearer than ever. The marks of one comparison are bits, from far to near, and all up to
//! the nearest are set: so "nearer than any run before" is a mark that nobody has seen, and looks like any other news.

use crate::COUNTED;
use crate::ir::{Builder, IntPredicate, Module, Type, Value, append_block, split_if};

/// Bytes of marks for one comparison.
pub const BYTES: usize = 32;
const LEVELS: u64 = 8 * BYTES as u64;
/// Distances below this are told apart one by one, larger ones four to an octave.
const EXACT: u64 = 192;

/// Calls that the early stage left in these functions.
pub fn calls(functions: &[Value]) -> Vec<Value> {
    let all = functions.iter().flat_map(|f| f.blocks()).flat_map(|b| b.instructions());
    all.filter(|i| i.is_call() && i.called_function().is_some_and(|f| f.name() == COUNTED)).collect()
}

/// Puts the measuring in their places; the marks of comparison `n` begin at `first + n * BYTES` of the array.
pub fn expand(module: Module, calls: &[Value], array: Value, first: usize) {
    let numbers = numbers(calls);
    if numbers.is_empty() {
        return;
    }
    let long = module.int(64);
    let words = module.array(long, numbers.len() as u64);
    // How near comparisons came in this process, all ones at first, turned round so that zeros say it.
    let nearness = module.define_global("__symcrete_unit_nearness", words, words.zero());
    let nearer = nearer(module);
    for &call in calls {
        let [number, a, b] = call.arguments()[..] else { continue };
        let place = numbers.iter().position(|n| Some(*n) == number.constant_value()).unwrap_or(0);
        let builder = Builder::before(module, call);
        let (over, under) = (builder.sub(a, b), builder.sub(b, a));
        let above = builder.icmp(IntPredicate::LLVMIntSGE, a, b);
        let distance = builder.freeze(builder.select(above, over, under));
        let near = builder.xor(distance, module.int_value(64, u64::MAX));
        let known = builder.offset(nearness, 8 * place as u64);
        let load = builder.load(long, known, 8);
        module.set_nosanitize(load);
        let is_nearer = builder.icmp(IntPredicate::LLVMIntUGT, near, load);
        let end = split_if(is_nearer, call);
        let builder = Builder::before(module, end);
        let marks = builder.offset(array, (first + BYTES * place) as u64);
        builder.call(nearer, &[known, distance, marks]);
    }
    erase(calls);
}

/// How many comparisons these calls are about: the optimiser copies some and drops others.
pub fn count(calls: &[Value]) -> usize {
    numbers(calls).len()
}

pub fn erase(calls: &[Value]) {
    calls.iter().for_each(|call| call.erase());
}

fn numbers(calls: &[Value]) -> Vec<u128> {
    let mut numbers: Vec<u128> = calls.iter().filter_map(|call| call.arguments().first()?.constant_value()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// `void nearer(u64 *known, u64 distance, u8 *marks)`: keeps the distance and sets the marks up to it.
fn nearer(module: Module) -> Value {
    let (long, byte, ptr) = (module.int(64), module.int(8), module.ptr());
    let function = module.declare_function("__symcrete_nearer", Type::function(module.void(), &[ptr, long, ptr]));
    function.make_internal();
    for attribute in ["cold", "noinline", "nounwind"] {
        function.add_attribute(module, attribute);
    }
    let [known, distance, marks] = function.parameters()[..] else { return function };
    let leading = module.declare_function("llvm.ctlz.i64", Type::function(long, &[long, module.int(1)]));
    let builder = Builder::at_end(module, append_block(module, function));
    let number = |value: u64| module.int_value(64, value);
    let near = builder.xor(distance, number(u64::MAX));
    module.set_nosanitize(builder.store(near, known, 8));
    let exact = builder.icmp(IntPredicate::LLVMIntULT, distance, number(EXACT));
    let safe = builder.select(exact, number(EXACT), distance);
    let octave = builder.sub(number(63), builder.call(leading, &[safe, module.int_value(1, 1)]));
    let quarter = builder.and(builder.lshr(safe, builder.sub(octave, number(2))), number(3));
    // 192 is the third quarter of the octave that begins with 128.
    let rough =
        builder.add(builder.add(builder.shl(builder.sub(octave, number(7)), number(2)), quarter), number(EXACT - 2));
    let step = builder.select(exact, distance, rough);
    let far = builder.icmp(IntPredicate::LLVMIntUGE, step, number(LEVELS));
    let level = builder.sub(number(LEVELS - 1), builder.select(far, number(LEVELS - 1), step));
    let whole = builder.lshr(level, number(3));
    builder.fill(marks, module.int_value(8, 255), whole);
    let last = builder.offset_by(marks, whole);
    let bits = builder.sub(builder.shl(number(2), builder.and(level, number(7))), number(1));
    let before = builder.load(byte, last, 1);
    module.set_nosanitize(before);
    module.set_nosanitize(builder.store(builder.or(before, builder.trunc(bits, byte)), last, 1));
    builder.ret(None);
    function
}
