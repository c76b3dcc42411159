//! Bytes as hex and as a person reads them; names of signals.

use symcrete_event::InputKind;

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 15));
    }
    text
}

/// `None` for anything but pairs of hexadecimal digits.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
    let digits = digits?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

/// Longer texts are cut; the hex form has everything.
const SHOWN: usize = 256;

/// Numbers as numbers, everything else as a C string without its quotes.
pub fn readable(kind: InputKind, bytes: &[u8]) -> String {
    number(kind, bytes).unwrap_or_else(|| escaped(bytes))
}

fn number(kind: InputKind, bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() || bytes.len() > 16 {
        return None;
    }
    let mut wide = [0u8; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let value = u128::from_le_bytes(wide);
    match kind {
        InputKind::Signed => {
            let unused = 128 - 8 * bytes.len() as u32;
            Some((((value << unused) as i128) >> unused).to_string())
        }
        InputKind::Unsigned | InputKind::Choice => Some(value.to_string()),
        InputKind::Bool => Some(if value == 0 { "false" } else { "true" }.into()),
        InputKind::Float => match bytes.len() {
            4 => Some(format!("{:?}", f32::from_bits(value as u32))),
            8 => Some(format!("{:?}", f64::from_bits(value as u64))),
            _ => None,
        },
        _ => None,
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::new();
    for &byte in bytes.iter().take(SHOWN) {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            b'\\' => out.push_str("\\\\"),
            0x20..=0x7e => out.push(byte as char),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    if bytes.len() > SHOWN {
        out.push_str(&format!("… ({} bytes)", bytes.len()));
    }
    out
}

/// For XML and HTML, in text and in attributes. Characters that XML has no form for are replaced.
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if (c as u32) < 0x20 => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

pub fn signal_name(signal: i32) -> String {
    const NAMES: &[(i32, &str)] = &[
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (10, "SIGUSR1"),
        (11, "SIGSEGV"),
        (12, "SIGUSR2"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
        (31, "SIGSYS"),
    ];
    NAMES.iter().find(|(n, _)| *n == signal).map_or_else(|| format!("signal {signal}"), |(_, name)| name.to_string())
}

/// A word as a shell takes it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=./,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_read_as_numbers() {
        assert_eq!(readable(InputKind::Signed, &(-5i32).to_le_bytes()), "-5");
        assert_eq!(readable(InputKind::Signed, &i64::MIN.to_le_bytes()), i64::MIN.to_string());
        assert_eq!(readable(InputKind::Unsigned, &[0xff, 0xff]), "65535");
        assert_eq!(readable(InputKind::Float, &1.5f64.to_le_bytes()), "1.5");
        assert_eq!(readable(InputKind::Float, &f32::NAN.to_le_bytes()), "NaN");
        assert_eq!(readable(InputKind::Bool, &[1]), "true");
        assert_eq!(readable(InputKind::Stdin, b"a\"b\\\n\x00\xff"), "a\"b\\\\\\n\\x00\\xff");
        assert!(readable(InputKind::Buffer, &[b'x'; 300]).ends_with("… (300 bytes)"));
    }

    proptest! {
        #[test]
        fn hex_is_read_back(bytes in proptest::collection::vec(any::<u8>(), 0..50)) {
            prop_assert_eq!(from_hex(&hex(&bytes)), Some(bytes));
        }

        #[test]
        fn signed_numbers_of_every_size(value in any::<i64>(), size in 1usize..=8) {
            let bytes = &value.to_le_bytes()[..size];
            let shift = 64 - 8 * size as u32;
            prop_assert_eq!(readable(InputKind::Signed, bytes), ((value << shift) >> shift).to_string());
        }
    }

    #[test]
    fn what_is_no_hex() {
        assert_eq!(from_hex("abc"), None);
        assert_eq!(from_hex("zz"), None);
    }
}
