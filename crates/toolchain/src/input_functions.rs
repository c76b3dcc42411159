//! `--input-function G`: every return of `G` is an input, and its body is not run.
//!
//! What `G` returns is read from debug information. A C file that a person can read says what is asked for in its
//! place; the plugin turns the body into a call of that, in tracked and plain builds alike. Nothing of the user's
//! is changed.

use crate::harness::{Function, Record, Scalar, Type, TypeId, Types, is_length, request};
use crate::nearest::did_you_mean;
use std::fmt::Write;

/// For the plugin: which functions are replaced, and by what.
pub const ENV_INPUTS: &str = "SYMCRETE_INPUTS";
/// For the plugin: nothing else is to be done.
pub const ENV_PLAIN: &str = "SYMCRETE_PLAIN";

/// Bytes behind a returned pointer to characters, and the most that one call puts into a buffer.
pub const DEFAULT_BYTES: u32 = 64;

/// As the user names it: `G` or `G:N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFunction {
    pub name: String,
    pub bytes: Option<u32>,
}

#[derive(Debug, thiserror::Error)]
pub enum InputFunctionError {
    #[error(
        "`--input-function {name}`: the program uses `{name}`, but does not define it; only its own functions can be replaced\n  \
         what libraries read is declared: --stdin N, --file NAME:N, --socket N"
    )]
    Outside { name: String },
    #[error("`--input-function {name}`: no function of that name{}", did_you_mean(name, functions.iter().map(|f| f.as_str())))]
    Unknown { name: String, functions: Vec<String> },
    #[error("`--input-function {name}`: {count} functions have that name")]
    Several { name: String, count: usize },
    #[error("`--input-function {name}`: its result cannot be an input: {reason}")]
    Result { name: String, reason: String },
    #[error("`--input-function {name}` is named twice")]
    Twice { name: String },
    #[error("`--input-function {name}`: it is where the program starts")]
    Entry { name: String },
}

/// What replaces the functions.
#[derive(Clone, Debug, Default)]
pub struct StandIns {
    /// For the plugin.
    pub list: String,
    /// The C file.
    pub text: String,
}

const HEADER: &str =
    "/* Written by symcrete for `--input-function`: what is asked for when the program calls these functions.
 * `result` is where the result goes; `buffer` and `size` are the caller's, where the function fills one. */
#include <stdint.h>
#include <stdlib.h>
#include <symcrete.h>
";

impl StandIns {
    /// Adds the stand-in of one function.
    pub fn add(
        &mut self,
        wanted: &InputFunction,
        types: &Types,
        function: &Function,
    ) -> Result<(), InputFunctionError> {
        if self.text.is_empty() {
            self.text.push_str(HEADER);
        }
        let number = self.list.split(';').filter(|s| !s.is_empty()).count();
        let stand_in = format!("symcrete_input_{number}");
        let most = wanted.bytes.unwrap_or(DEFAULT_BYTES).max(1);
        let buffer = buffer_of(types, function);
        let body = body(types, function, buffer.is_some(), most)
            .map_err(|reason| InputFunctionError::Result { name: function.name.clone(), reason })?;
        let name = &function.name;
        let _ = write!(
            self.text,
            "\n/* {name} */\nvoid {stand_in}(void *result, void *buffer, int64_t size);\n\
             void {stand_in}(void *result, void *buffer, int64_t size) {{\n{body}}}\n"
        );
        let separator = if self.list.is_empty() { "" } else { ";" };
        let place = buffer.map_or_else(String::new, |(buffer, size)| format!("@{buffer},{size}"));
        let _ = write!(self.list, "{separator}{name}={stand_in}{place}");
        Ok(())
    }
}

/// A buffer that the function fills, and its size: a pointer to bytes that may be written, and right behind it a
/// number that is called like a length.
fn buffer_of(types: &Types, function: &Function) -> Option<(usize, usize)> {
    let parameters = &function.parameters;
    let writable = |ty: TypeId| match types.get(types.bare(ty)) {
        Type::Pointer { to, reference: false } => !types.is_const(*to) && is_bytes(types, *to),
        _ => false,
    };
    let length = |name: &str, ty: TypeId| {
        let number = matches!(types.get(types.bare(ty)), Type::Scalar { kind: Scalar::Signed | Scalar::Unsigned, .. });
        let size = matches!(types.get(ty), Type::Typedef { name, .. } if name == "size_t");
        number && (size || is_length(name))
    };
    let at = (1..parameters.len())
        .find(|&at| writable(parameters[at - 1].1) && length(&parameters[at].0, parameters[at].1))?;
    Some((at - 1, at))
}

fn is_bytes(types: &Types, ty: TypeId) -> bool {
    match types.get(types.bare(ty)) {
        Type::Void => true,
        Type::Scalar { size, .. } => *size == 1,
        _ => false,
    }
}

fn body(types: &Types, function: &Function, fills: bool, most: u32) -> Result<String, String> {
    const VOID: &str = "    (void)result, (void)buffer, (void)size;\n";
    let name = &function.name;
    let result = types.get(types.bare(function.result));
    let mut text = String::from(VOID);
    if fills {
        let room = format!("    int64_t most = size < 0 ? 0 : size < {most} ? size : {most};\n");
        text.push_str(&room);
    }
    match result {
        Type::Void if fills => {
            let _ = writeln!(text, "    if (most > 1) symcrete_bytes(buffer, most - 1, \"{name}\");");
            text.push_str("    if (most > 0) ((char *)buffer)[most - 1] = 0;\n");
        }
        Type::Void => return Err("it returns nothing, and fills no buffer (a pointer and its size)".into()),
        Type::Scalar { kind: Scalar::Signed | Scalar::Unsigned, size, .. } if fills && (2..=8).contains(size) => {
            let signed = matches!(result, Type::Scalar { kind: Scalar::Signed, .. });
            // From -1 (an error) or 0 up to what the buffer takes; every value as likely as any other.
            let (more, less) = if signed { (2, 1) } else { (1, 0) };
            let _ = writeln!(
                text,
                "    int64_t length = (int64_t)(symcrete_ushort(\"length of {name}\") % (most + {more})) - {less};"
            );
            let _ = writeln!(text, "    if (most > 0) symcrete_bytes(buffer, most, \"{name}\");");
            let _ = writeln!(text, "    *(int{}_t *)result = length;", 8 * size);
        }
        Type::Scalar { kind, size, .. } => match request(*kind, *size, name) {
            Some(request) => {
                let ty = match kind {
                    Scalar::Float if *size == 4 => "float".to_string(),
                    Scalar::Float => "double".into(),
                    Scalar::Bool => "unsigned char".into(),
                    _ => format!("int{}_t", 8 * size),
                };
                let _ = writeln!(text, "    *({ty} *)result = {request};");
            }
            None if *kind == Scalar::Float => return Err(format!("a floating point number of {size} bytes")),
            None => {
                let _ = writeln!(text, "    symcrete_bytes(result, {size}, \"{name}\");");
            }
        },
        Type::Pointer { to, .. } if fills && is_bytes(types, *to) => {
            // As fgets does: the caller's buffer, or nothing.
            let _ = writeln!(
                text,
                "    *(void **)result = 0;\n    if (!symcrete_choice(2, \"{name} is not null\")) return;"
            );
            let _ = writeln!(text, "    if (most > 1) symcrete_bytes(buffer, most - 1, \"{name}\");");
            text.push_str("    if (most > 0) ((char *)buffer)[most - 1] = 0;\n    *(void **)result = buffer;\n");
        }
        Type::Pointer { to, .. } => pointer(types, *to, name, most, &mut text)?,
        Type::Record(_) => return Err("a structure".into()),
        Type::Opaque(what) => return Err(what.clone()),
        _ => return Err("neither a number nor a pointer".into()),
    }
    Ok(text)
}

/// Null, or fresh memory: characters with a zero behind them, or one object of plain numbers.
fn pointer(types: &Types, to: TypeId, name: &str, most: u32, text: &mut String) -> Result<(), String> {
    let (bytes, room) = match types.get(types.bare(to)) {
        _ if is_bytes(types, to) => (u64::from(most), u64::from(most) + 1),
        Type::Scalar { .. } | Type::Record(_) | Type::Array { .. } => {
            plain(types, to, 0)?;
            (types.size(to), types.size(to))
        }
        _ => return Err("a pointer to what is no plain data".into()),
    };
    let _ = writeln!(text, "    char *p = 0;\n    if (symcrete_choice(2, \"{name} is not null\")) {{");
    let _ = writeln!(text, "        p = calloc(1, {room});\n        symcrete_bytes(p, {bytes}, \"{name}\");");
    text.push_str("    }\n    *(char **)result = p;\n");
    Ok(())
}

/// Data whose every bit pattern is a value.
fn plain(types: &Types, ty: TypeId, level: u32) -> Result<(), String> {
    match types.get(types.bare(ty)) {
        Type::Scalar { .. } => Ok(()),
        Type::Array { of, count: Some(_) } if level < 8 => plain(types, *of, level + 1),
        Type::Record(Record { incomplete: false, has_bases: false, fields, .. }) if level < 8 => {
            fields.iter().try_for_each(|f| plain(types, f.of, level + 1))
        }
        Type::Record(Record { incomplete: true, .. }) => {
            Err("a pointer to a structure that is not defined here".into())
        }
        _ => Err("a pointer to a structure with pointers in it".into()),
    }
}
