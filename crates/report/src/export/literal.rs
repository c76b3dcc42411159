//! Bytes and numbers as C writes them, the same for every compiler.

use std::fmt::Write;
use symcrete_event::{InputKind, InputObject};

/// Characters of a literal before it goes on in the next line.
const WIDTH: usize = 90;

/// String literals that C puts together, one per line of text. Octal escapes have an end of their own; a question
/// mark might begin a trigraph.
pub(super) fn text(bytes: &[u8], indent: &str) -> String {
    let mut lines = vec![String::new()];
    for (index, &byte) in bytes.iter().enumerate() {
        let line = lines.last_mut().expect("there is a line");
        match byte {
            b'\n' => line.push_str("\\n"),
            b'\t' => line.push_str("\\t"),
            b'\r' => line.push_str("\\r"),
            b'"' => line.push_str("\\\""),
            b'\\' => line.push_str("\\\\"),
            b'?' => line.push_str("\\?"),
            0x20..=0x7e => line.push(byte as char),
            _ => {
                let _ = write!(line, "\\{byte:03o}");
            }
        }
        if (byte == b'\n' || line.len() >= WIDTH) && index + 1 < bytes.len() {
            lines.push(String::new());
        }
    }
    lines.iter().map(|l| format!("\"{l}\"")).collect::<Vec<_>>().join(&format!("\n{indent}"))
}

/// The C type and the value of a number that has both.
pub(super) fn number(object: &InputObject) -> Option<(&'static str, String)> {
    let bytes = &object.bytes;
    let mut wide = [0u8; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let value = u64::from_le_bytes(wide);
    match (object.kind, bytes.len()) {
        (InputKind::Signed, size @ (1 | 2 | 4 | 8)) => {
            let unused = 64 - 8 * size as u32;
            let value = ((value << unused) as i64) >> unused;
            Some(match size {
                1 => ("int8_t", value.to_string()),
                2 => ("int16_t", value.to_string()),
                // A minus sign is no part of a number in C: the least one has no literal.
                4 if value == i64::from(i32::MIN) => ("int32_t", "INT32_MIN".into()),
                4 => ("int32_t", value.to_string()),
                _ if value == i64::MIN => ("int64_t", "INT64_MIN".into()),
                _ => ("int64_t", format!("INT64_C({value})")),
            })
        }
        (InputKind::Unsigned, 1) | (InputKind::Bool | InputKind::Choice, 1) => Some(("uint8_t", value.to_string())),
        (InputKind::Unsigned, 2) => Some(("uint16_t", value.to_string())),
        (InputKind::Unsigned, 4) => Some(("uint32_t", format!("{value}u"))),
        (InputKind::Unsigned, 8) => Some(("uint64_t", format!("UINT64_C({value})"))),
        (InputKind::Float, 4) => {
            let value = f32::from_bits(value as u32);
            value.is_finite().then(|| ("float", format!("{value:?}f")))
        }
        (InputKind::Float, 8) => {
            let value = f64::from_bits(value);
            value.is_finite().then(|| ("double", format!("{value:?}")))
        }
        _ => None,
    }
}

/// For a comment: nothing in it may end it or begin another.
pub(super) fn comment(text: &str) -> String {
    let mut out = text.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?");
    out.retain(|c| !c.is_control());
    // At the end of a line it would swallow the next one.
    out.replace('\\', "/")
}
