//! A harness to be edited and kept: a program of its own, with what it assumes said at the top.

use super::{ENTRY, Options};
use std::fmt::Write;

/// `text` is what [`super::write`] wrote for `function` of `source`; `others` are the files it must be run with.
pub fn kept(text: &str, function: &str, source: &str, others: &[String], options: &Options) -> String {
    let body = text.split_once('\n').map_or(text, |(_, rest)| rest);
    let depth = options.pointer_depth;
    let others: String = others.iter().map(|o| format!(" {o}")).collect();
    let mut out = format!(
        "/* Harness for `{function}` of {source}, written by symcrete to be edited and kept. To run it:\n *\n \
         *   symcrete run THIS-FILE{others}\n *\n * It assumes, and each can be changed below:\n \
         *   - numbers and plain structures have any value;\n \
         *   - a pointer is null, a fresh object, or an earlier object of its type; fresh ones {depth} deep;\n \
         *   - a pointer to characters, or to anything, is a string of up to 15 characters;\n \
         *   - a pointer to a function is null or a function of ours that returns any value;\n \
         *   - global variables have the values they begin with.\n"
    );
    for buffer in &options.buffers {
        let _ = writeln!(out, " *   - `{}` points to {} bytes of any value.", buffer.name, buffer.bytes);
    }
    out.push_str(" * symcrete_assume(condition) takes values out that no caller passes. */\n");
    let include = format!("#include \"{source}\"\n");
    let wrapped =
        format!("#define main program_main /* the file may have a main of its own */\n{include}#undef main\n");
    out.push_str(&body.replacen(&include, &wrapped, 1));
    let _ = write!(out, "\nint main(void) {{\n    {ENTRY}();\n    return 0;\n}}\n");
    out
}
