//! Which line of the source an instruction is the code of. Never changes anything.

use crate::ir::{Opcode, Value};

/// The line; 0 for what has none, and for the end of a scope.
pub fn line(instruction: Value) -> u32 {
    if ends_scope(instruction) { 0 } else { instruction.line() }
}

/// Whether it is but the way on behind a scope that other ways leave in between (`return`, `break`). The compiler places
/// it at the last word of the scope, and without braces that may be this very `return`:
///
/// ```c
/// for (int i = 0; i < n; i++)
///     if (a[i])
///         return 1;
/// ```
///
/// So it is a jump by itself that only jumps without a place lead to, the last thing of its scope, and on its line there
/// is something of a scope inside.
fn ends_scope(jump: Value) -> bool {
    let is_lone = jump.line() != 0
        && jump.opcode() == Opcode::LLVMBr
        && jump.parent().instructions().iter().filter(|other| !other.is_debug_or_pseudo()).count() == 1
        && jump.parent().successors().len() == 1;
    let before = || jump.parent().predecessors().into_iter().map(|block| block.terminator());
    let is_plain = |end: Value| end.line() == 0 && [Opcode::LLVMBr, Opcode::LLVMSwitch].contains(&end.opcode());
    if !is_lone || before().next().is_none() || !before().all(is_plain) {
        return false;
    }
    let place = |i: Value| (i.line(), i.column());
    let all = jump.parent().function().blocks().into_iter().flat_map(|block| block.instructions());
    let inside: Vec<(u32, Value)> = all.filter_map(|i| Some((i.depth_in_scope_of(jump)?, i))).collect();
    inside.iter().all(|(_, i)| place(*i) <= place(jump))
        && inside.iter().any(|(depth, i)| *depth > 0 && i.line() == jump.line())
}
