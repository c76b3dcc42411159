//! Inputs: as a case declares them, and as lists of byte objects that the native driver is given.

use anyhow::{Context, Result, bail};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Buffer = 1,
    Stdin,
    Arg,
    Env,
    File,
    Socket,
    /// Asked for while the program runs.
    Request,
}

impl Kind {
    /// From the kind in a test file.
    pub fn from_slug(slug: &str) -> Kind {
        match slug {
            "buffer" => Kind::Buffer,
            "stdin" => Kind::Stdin,
            "arg" => Kind::Arg,
            "env" => Kind::Env,
            "file" => Kind::File,
            "socket" => Kind::Socket,
            _ => Kind::Request,
        }
    }
}

/// One line `//@ input:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    Source {
        kind: Kind,
        name: String,
        capacity: u32,
        exact: bool,
    },
    Function(String),
    /// The program asks by itself (`symcrete.h` and the like).
    Calls,
    None,
}

impl Declared {
    pub fn parse(text: &str) -> Result<Declared> {
        let (word, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let rest = rest.trim();
        let kind = match word {
            "stdin" => Kind::Stdin,
            "arg" => Kind::Arg,
            "env" => Kind::Env,
            "file" => Kind::File,
            "buffer" => Kind::Buffer,
            "socket" => Kind::Socket,
            "function" if !rest.is_empty() => return Ok(Declared::Function(rest.into())),
            "calls" => return Ok(Declared::Calls),
            "none" => return Ok(Declared::None),
            _ => bail!(
                "`input: {text}`: stdin N, arg N, env NAME:N, file NAME:N, buffer N, socket N, function F, calls or none"
            ),
        };
        let (name, length) = match kind {
            Kind::Env | Kind::File => {
                rest.rsplit_once(':').with_context(|| format!("`input: {text}`: write {word} NAME:N"))?
            }
            _ => ("", rest),
        };
        let exact = length.starts_with('=');
        let capacity = length.trim_start_matches('=').parse().with_context(|| format!("`input: {text}`: no length"))?;
        Ok(Declared::Source { kind, name: name.into(), capacity, exact })
    }

    /// As options of `symcrete run`.
    pub fn options(&self) -> Vec<String> {
        let Declared::Source { kind, name, capacity, exact } = self else {
            return match self {
                Declared::Function(name) => vec!["--function".into(), name.clone()],
                _ => vec![],
            };
        };
        let length = format!("{}{capacity}", if *exact { "=" } else { "" });
        let named = format!("{name}:{length}");
        match kind {
            Kind::Buffer => vec!["--max-len".into(), length],
            Kind::Stdin => vec!["--stdin".into(), length],
            Kind::Arg => vec!["--arg".into(), length],
            Kind::Env => vec!["--env".into(), named],
            Kind::File => vec!["--file".into(), named],
            Kind::Socket => vec!["--socket".into(), length],
            Kind::Request => vec![],
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub kind: Kind,
    pub name: String,
    pub bytes: Vec<u8>,
}

/// One input, and how long the program may take on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub objects: Vec<Object>,
    pub milliseconds: u32,
}

/// In the form `c/driver.c` reads.
pub fn encode(inputs: &[Input]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |n: usize, bytes: &[u8]| {
        out.extend((n as u32).to_le_bytes());
        out.extend(bytes);
    };
    put(inputs.len(), &[]);
    for input in inputs {
        put(input.milliseconds as usize, &[]);
        put(input.objects.len(), &[]);
        for object in &input.objects {
            put(object.kind as usize, &[]);
            put(object.name.len(), object.name.as_bytes());
            put(object.bytes.len(), &object.bytes);
        }
    }
    out
}

pub fn from_hex(text: &str) -> Result<Vec<u8>> {
    let digits = |i| u8::from_str_radix(text.get(i..i + 2).context("odd number of hex digits")?, 16).context("no hex");
    (0..text.len()).step_by(2).map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_become_options() {
        let options = |text| Declared::parse(text).unwrap().options().join(" ");
        assert_eq!(options("stdin =4"), "--stdin =4");
        assert_eq!(options("env HOME:3"), "--env HOME:3");
        assert_eq!(options("buffer 8"), "--max-len 8");
        assert_eq!(options("function f"), "--function f");
        assert_eq!(options("none"), "");
        for wrong in ["stdin", "env 3", "mouse 4", "function", "stdin four"] {
            assert!(Declared::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn hex_is_read() {
        assert_eq!(from_hex("00ff7a").unwrap(), [0, 255, 0x7a]);
        assert!(from_hex("0").is_err() && from_hex("zz").is_err());
    }
}
