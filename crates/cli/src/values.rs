//! Values of options: sizes, times, inputs, goals. Every error says what would have been right.

use std::time::Duration;
use symcrete_engine::Goal;
use symcrete_event::{Declared, InputKind};
use symcrete_toolchain::harness::Buffer;
use symcrete_toolchain::input_functions::InputFunction;

/// `20s`, `500ms`, `2m`, `1h`, or a number of seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time: write 20s, 500ms, 2m or 1h");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let value: f64 = digits.parse().map_err(|_| wrong())?;
    let seconds = value * scale;
    if !(seconds > 0.0 && seconds < 1e9) {
        return Err(wrong());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// `512m`, `2g`, or a number of bytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no amount of memory: write 512m or 2g");
    let lower = text.to_lowercase();
    let digits = lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &lower[digits.len()..] {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err(wrong()),
    };
    let value: u64 = digits.parse().map_err(|_| wrong())?;
    value.checked_mul(1 << shift).filter(|v| *v > 0).ok_or_else(wrong)
}

/// Longest input that can be declared.
const LONGEST: u32 = symcrete_exec::MAX_CAPACITY;

/// `N` or `=N`.
pub fn size(text: &str) -> Result<(u32, bool), String> {
    let (digits, exact) = match text.strip_prefix('=') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let value: u32 =
        digits.parse().map_err(|_| format!("`{text}` is no length: write N for 0 to N bytes, =N for exactly N"))?;
    if value > LONGEST {
        return Err(format!("{value} bytes are too many: at most {LONGEST}"));
    }
    Ok((value, exact))
}

/// `G` or `G:N`; a name of C++ may have colons of its own.
pub fn input_function(text: &str) -> Result<InputFunction, String> {
    let (name, bytes) = match text.rsplit_once(':') {
        Some((name, digits)) if !name.ends_with(':') && digits.parse::<u32>().is_ok() => (name, digits.parse().ok()),
        _ => (text, None),
    };
    let odd = |c: char| !(c.is_alphanumeric() || "_$:~.".contains(c));
    if name.is_empty() || name.contains(odd) {
        return Err(format!("`{text}` is no function: write its name, or NAME:N"));
    }
    match bytes {
        Some(0) => Err(format!("`{text}`: a buffer has at least one byte")),
        Some(n) if n > 32_768 => Err(format!("{n} bytes are too many: at most 32768")),
        _ => Ok(InputFunction { name: name.into(), bytes }),
    }
}

fn unnamed(kind: InputKind, text: &str) -> Result<Declared, String> {
    let (capacity, exact) = size(text)?;
    Ok(Declared { kind, name: String::new(), capacity, exact })
}

pub fn stdin(text: &str) -> Result<Declared, String> {
    unnamed(InputKind::Stdin, text)
}

pub fn arg(text: &str) -> Result<Declared, String> {
    unnamed(InputKind::Arg, text)
}

pub fn socket(text: &str) -> Result<Declared, String> {
    unnamed(InputKind::Socket, text)
}

pub fn env(text: &str) -> Result<Declared, String> {
    let declared = named(InputKind::Env, text)?;
    if declared.name.contains('=') {
        return Err(format!("`{}` cannot be the name of an environment variable", declared.name));
    }
    Ok(declared)
}

pub fn file(text: &str) -> Result<Declared, String> {
    let declared = named(InputKind::File, text)?;
    if declared.name.contains('/') || declared.name == "." || declared.name == ".." {
        return Err(format!(
            "`{}` cannot be a file here: it lies in the folder the program runs in, name it without folders",
            declared.name
        ));
    }
    Ok(declared)
}

fn named(kind: InputKind, text: &str) -> Result<Declared, String> {
    let (name, length) = text
        .rsplit_once(':')
        .filter(|(n, _)| !n.is_empty())
        .ok_or_else(|| format!("`{text}`: write NAME:N, or NAME:=N for exactly N bytes"))?;
    if name.len() > 119 {
        return Err(format!("the name `{name}` is too long: at most 119 bytes"));
    }
    let (capacity, exact) = size(length)?;
    Ok(Declared { kind, name: name.into(), capacity, exact })
}

/// `p:N`.
pub fn buffer(text: &str) -> Result<Buffer, String> {
    let wrong = || format!("`{text}`: write PARAMETER:BYTES, for example data:64");
    let (name, bytes) = text.rsplit_once(':').filter(|(n, _)| !n.is_empty()).ok_or_else(wrong)?;
    let bytes = bytes.parse().ok().filter(|n| (1..=LONGEST).contains(n)).ok_or_else(wrong)?;
    Ok(Buffer { name: name.into(), bytes })
}

/// `coverage=90%`, `bug`, `targets`.
pub fn goal(text: &str) -> Result<Goal, String> {
    let wrong = || format!("`{text}` is no goal: write coverage=90%, bug or targets");
    match text {
        "bug" => Ok(Goal::Bug),
        "targets" => Ok(Goal::Targets),
        _ => {
            let percent: f64 =
                text.strip_prefix("coverage=").and_then(|p| p.trim_end_matches('%').parse().ok()).ok_or_else(wrong)?;
            if (0.0..=100.0).contains(&percent) { Ok(Goal::Coverage(percent / 100.0)) } else { Err(wrong()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_amounts() {
        assert_eq!(duration("20s"), Ok(Duration::from_secs(20)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        for text in ["", "s", "-1s", "0", "1d", "1e400", "NaN"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(bytes("2g"), Ok(2 << 30));
        assert_eq!(bytes("64MiB"), Ok(64 << 20));
        for text in ["", "g", "0", "-1", "1t", "99999999999g"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn inputs() {
        assert_eq!(size("64"), Ok((64, false)));
        assert_eq!(size("=4"), Ok((4, true)));
        assert!(size("").is_err() && size("-1").is_err() && size("99999999999").is_err());
        let home = env("HOME:=8").unwrap();
        assert_eq!((home.name.as_str(), home.capacity, home.exact), ("HOME", 8, true));
        assert!(env("A=B:8").is_err() && env("8").is_err() && env(":8").is_err());
        assert!(file("../etc/passwd:8").is_err() && file("a.txt:8").is_ok());
        assert_eq!(buffer("data:64"), Ok(Buffer { name: "data".into(), bytes: 64 }));
        assert!(buffer("data").is_err() && buffer("data:0").is_err());
    }

    #[test]
    fn goals() {
        assert_eq!(goal("coverage=90%"), Ok(Goal::Coverage(0.9)));
        assert_eq!(goal("coverage=100"), Ok(Goal::Coverage(1.0)));
        assert!(goal("coverage=101%").is_err() && goal("bugs").is_err());
    }
}
