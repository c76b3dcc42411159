//! The way from a function that anyone may call into its tracking body.

use crate::ir::{Builder, insert_block};
use crate::ir::{IntPredicate, Value};
use crate::late::{Late, path};
use symcrete_abi::functions::{MODE, PATH_ENTER};
use symcrete_abi::path::{MarkKind, mark};

/// Puts `if (mode) return body(arguments…);` in front of the original. `musttail` forwards everything as
/// it came: variadic arguments, hidden result pointers, copies of structs. In a shared object without a
/// runtime around it there is no mode.
pub fn insert(late: &mut Late, original: Value, body: Value) {
    if original.is_declaration() || body.is_declaration() {
        return;
    }
    let module = late.module;
    let old_entry = original.entry();
    let entry = insert_block(module, old_entry);
    let away = insert_block(module, old_entry);
    let mode = late.runtime_global(MODE);
    let look = if module.is_shared_code() {
        let look = insert_block(module, away);
        let builder = Builder::at_end(module, entry);
        builder.conditional(builder.is_not_null(mode), look, old_entry);
        look
    } else {
        entry
    };
    let builder = Builder::at_end(module, look);
    let mode = builder.load(module.int(8), mode, 1);
    let tracking = builder.icmp(IntPredicate::LLVMIntNE, mode, module.int_value(8, 0));
    builder.conditional(tracking, away, old_entry).set_unlikely();
    // Fixed-size stack slots are only cheap in the entry block.
    let end = entry.terminator();
    for instruction in old_entry.instructions() {
        if instruction.is_alloca() && instruction.operand(0).is_constant_int() {
            instruction.move_before(end);
        }
    }
    // Whoever comes this way is not seen by a walk through the model: a full path has to say so.
    let function = late.sites.function(&original.name());
    let number = late.path.word(mark(MarkKind::Enter, function));
    let (told, go) = (insert_block(module, old_entry), insert_block(module, old_entry));
    let builder = Builder::at_end(module, away);
    builder.conditional(path::recording(late, &builder), told, go).set_unlikely();
    let builder = Builder::at_end(module, told);
    path::write_mark(late, &builder, PATH_ENTER, number);
    builder.branch(go);
    let builder = Builder::at_end(module, go);
    let call = builder.call_typed(body.function_type(), body, &original.parameters());
    call.set_convention(body.convention());
    call.copy_call_attributes(original);
    call.set_artificial_location(module, original);
    call.make_must_tail();
    let void = call.ty().is_void();
    builder.ret((!void).then_some(call));
}
