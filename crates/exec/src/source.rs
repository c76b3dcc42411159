//! Declared input sources: what the user says on the command line, and what the runtime is told.

use symcrete_abi::input::{Source, SourceKind};

/// One declared source. `exact`: always `capacity` bytes; otherwise any length up to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSpec {
    pub kind: SourceKind,
    /// Name of the environment variable or of the file; empty for the others.
    pub name: String,
    pub capacity: u32,
    pub exact: bool,
}

/// Larger than this an object makes no sense for one run.
pub const MAX_CAPACITY: u32 = 8 << 20;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    #[error("`{0}` is no size: give a number of bytes N (0 to N bytes) or =N (exactly N bytes)")]
    Size(String),
    #[error("a size of {0} bytes is too large: at most {MAX_CAPACITY}")]
    TooLarge(String),
    #[error("`{0}` has no name: write NAME:N or NAME:=N")]
    NoName(String),
    #[error("the name `{0}` is too long: at most 119 bytes")]
    LongName(String),
    #[error("`{0}` cannot be a file name here: no folders, and neither `.` nor `..`")]
    FileName(String),
    #[error("`{0}` cannot be the name of an environment variable")]
    VariableName(String),
}

impl SourceSpec {
    /// `N` or `=N`, for sources without a name.
    pub fn unnamed(kind: SourceKind, size: &str) -> Result<SourceSpec, SourceError> {
        let (capacity, exact) = parse_size(size)?;
        Ok(SourceSpec { kind, name: String::new(), capacity, exact })
    }

    /// `NAME:N` or `NAME:=N`, for environment variables and files.
    pub fn named(kind: SourceKind, text: &str) -> Result<SourceSpec, SourceError> {
        let (name, size) = text.rsplit_once(':').ok_or_else(|| SourceError::NoName(text.into()))?;
        if name.is_empty() {
            return Err(SourceError::NoName(text.into()));
        }
        let (capacity, exact) = parse_size(size)?;
        if name.len() >= 120 || name.contains('\0') {
            return Err(SourceError::LongName(name.into()));
        }
        match kind {
            SourceKind::File if name.contains('/') || name == "." || name == ".." => {
                return Err(SourceError::FileName(name.into()));
            }
            SourceKind::Env if name.contains('=') => return Err(SourceError::VariableName(name.into())),
            _ => {}
        }
        Ok(SourceSpec { kind, name: name.into(), capacity, exact })
    }

    /// What tests call the object; `position` counts the sources of its kind from 1.
    pub fn title(&self, position: usize) -> String {
        match self.kind {
            SourceKind::Buffer => "data".into(),
            SourceKind::Stdin => "stdin".into(),
            SourceKind::Socket => "socket".into(),
            SourceKind::Arg => format!("arg{position}"),
            SourceKind::Env | SourceKind::File | SourceKind::Request => self.name.clone(),
        }
    }

    pub(crate) fn record(&self) -> Source {
        let mut name = [0; 120];
        let bytes = self.name.as_bytes();
        let length = bytes.len().min(119);
        name[..length].copy_from_slice(&bytes[..length]);
        Source {
            kind: self.kind as u8,
            exact: self.exact as u8,
            name_length: length as u16,
            capacity: self.capacity,
            name,
        }
    }

    /// The record's bytes, as they lie in memory and in test files.
    pub(crate) fn append_record(&self, to: &mut Vec<u8>) {
        let record = self.record();
        to.extend([record.kind, record.exact]);
        to.extend(record.name_length.to_le_bytes());
        to.extend(record.capacity.to_le_bytes());
        to.extend(record.name);
    }

    /// Brings bytes to a length this source can have: cut, or filled up with zeros when it is exact.
    pub fn fit(&self, bytes: &mut Vec<u8>) {
        let capacity = self.capacity as usize;
        if self.exact || bytes.len() > capacity {
            bytes.resize(capacity, 0);
        }
    }
}

fn parse_size(text: &str) -> Result<(u32, bool), SourceError> {
    let (digits, exact) = match text.strip_prefix('=') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(SourceError::Size(text.into()));
    }
    match digits.parse::<u32>() {
        Ok(size) if size <= MAX_CAPACITY => Ok((size, exact)),
        _ => Err(SourceError::TooLarge(digits.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_names_are_read() {
        let stdin = SourceSpec::unnamed(SourceKind::Stdin, "64").unwrap();
        assert_eq!((stdin.capacity, stdin.exact), (64, false));
        let exact = SourceSpec::unnamed(SourceKind::Arg, "=4").unwrap();
        assert_eq!((exact.capacity, exact.exact), (4, true));
        let file = SourceSpec::named(SourceKind::File, "a:b:=7").unwrap();
        assert_eq!((file.name.as_str(), file.capacity, file.exact), ("a:b", 7, true));
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        for text in ["", "=", "-1", "x", "4 ", "0x10", "=="] {
            assert_eq!(SourceSpec::unnamed(SourceKind::Stdin, text), Err(SourceError::Size(text.into())));
        }
        assert!(matches!(SourceSpec::unnamed(SourceKind::Stdin, "99999999999"), Err(SourceError::TooLarge(_))));
        for text in ["8", ":8"] {
            assert!(matches!(SourceSpec::named(SourceKind::Env, text), Err(SourceError::NoName(_))));
        }
        assert!(matches!(SourceSpec::named(SourceKind::File, "../x:8"), Err(SourceError::FileName(_))));
        assert!(matches!(SourceSpec::named(SourceKind::Env, "A=B:8"), Err(SourceError::VariableName(_))));
        let long = format!("{}:8", "n".repeat(200));
        assert!(matches!(SourceSpec::named(SourceKind::File, &long), Err(SourceError::LongName(_))));
    }
}
