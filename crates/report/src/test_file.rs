//! `tests/000001.json`: one test, in the form scripts rely on.

use crate::FORMAT;
use crate::names::SideNames;
use crate::text::{from_hex, hex, readable, signal_name};
use serde::{Deserialize, Serialize};
use std::path::Path;
use symcrete_event::{End, InputKind, InputObject, Origin, Test};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestFile {
    pub format: u32,
    pub inputs: Vec<InputFile>,
    /// `random`, `seed NAME`, `flip of test N at BRANCH`.
    pub origin: String,
    pub new_sides: Vec<String>,
    pub end: EndFile,
    pub seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    pub name: String,
    pub kind: String,
    pub hex: String,
    pub text: String,
}

/// `{"exit": 0}`, `{"signal": 11}` or `{"timeout": true}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndFile {
    Exit(i32),
    Signal(i32),
    Timeout(bool),
}

impl From<End> for EndFile {
    fn from(end: End) -> EndFile {
        match end {
            End::Exit(code) => EndFile::Exit(code),
            End::Signal(signal) => EndFile::Signal(signal),
            End::Timeout => EndFile::Timeout(true),
        }
    }
}

impl From<EndFile> for End {
    fn from(end: EndFile) -> End {
        match end {
            EndFile::Exit(code) => End::Exit(code),
            EndFile::Signal(signal) => End::Signal(signal),
            EndFile::Timeout(_) => End::Timeout,
        }
    }
}

/// `exit 1`, `SIGSEGV`, `timeout`.
pub fn end_text(end: End) -> String {
    match end {
        End::Exit(code) => format!("exit {code}"),
        End::Signal(signal) => signal_name(signal),
        End::Timeout => "timeout".into(),
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("{path}: {source}")]
    Io { path: String, source: std::io::Error },
    #[error("{path} is no file of this symcrete: {reason}")]
    Form { path: String, reason: String },
}

impl TestFile {
    pub fn new(test: &Test<'_>, names: &SideNames) -> TestFile {
        TestFile {
            format: FORMAT,
            inputs: test
                .inputs
                .iter()
                .map(|o| InputFile {
                    name: o.name.clone(),
                    kind: o.kind.slug().into(),
                    hex: hex(&o.bytes),
                    text: readable(o.kind, &o.bytes),
                })
                .collect(),
            origin: origin_text(&test.origin, names),
            new_sides: test.new_sides.iter().map(|s| names.get(*s).name).collect(),
            end: test.end.into(),
            seconds: (test.seconds * 1e6).round() / 1e6,
        }
    }

    pub fn read(path: &Path) -> Result<TestFile, ReadError> {
        let name = path.display().to_string();
        let text = std::fs::read(path).map_err(|source| ReadError::Io { path: name.clone(), source })?;
        let file: TestFile =
            serde_json::from_slice(&text).map_err(|e| ReadError::Form { path: name.clone(), reason: e.to_string() })?;
        if file.format != FORMAT {
            return Err(ReadError::Form { path: name, reason: format!("format {} instead of {FORMAT}", file.format) });
        }
        file.objects().ok_or_else(|| ReadError::Form { path: name, reason: "its inputs are damaged".into() })?;
        Ok(file)
    }

    /// The inputs as bytes; `None` when the hex is damaged. A test written by hand needs no kind.
    pub fn objects(&self) -> Option<Vec<InputObject>> {
        self.inputs
            .iter()
            .map(|input| {
                let kind = InputKind::from_slug(&input.kind)?;
                Some(InputObject { kind, name: input.name.clone(), bytes: from_hex(&input.hex)? })
            })
            .collect()
    }
}

pub(crate) fn origin_text(origin: &Origin, names: &SideNames) -> String {
    match origin {
        Origin::Random => "random".into(),
        Origin::Seed(name) => format!("seed {name}"),
        Origin::Reach => "backwards from a target".into(),
        Origin::Snapshot { after } => format!("from a snapshot after {after} inputs"),
        Origin::Flip { test, side, optimistic } => {
            let how = if *optimistic { "optimistic flip" } else { "flip" };
            let parent = if *test == 0 { "of a run that was not kept".to_string() } else { format!("of test {test}") };
            let place = side.map(|s| format!(" at {}", names.get(s).name)).unwrap_or_default();
            format!("{how} {parent}{place}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = [InputObject { kind: InputKind::Stdin, name: "stdin".into(), bytes: b"a\x00".to_vec() }];
        let test = Test {
            number: 1,
            inputs: &inputs,
            origin: Origin::Random,
            new_sides: &[],
            end: End::Signal(6),
            seconds: 0.25,
        };
        let file = TestFile::new(&test, &SideNames::default());
        let path = folder.path().join("t.json");
        crate::atomic::write_json(&path, &file).unwrap();
        let again = TestFile::read(&path).unwrap();
        assert_eq!(again, file);
        assert_eq!(again.objects().unwrap(), inputs);
        assert_eq!(End::from(again.end), End::Signal(6));
        std::fs::write(&path, "{\"format\": 9}").unwrap();
        assert!(TestFile::read(&path).unwrap_err().to_string().contains("is no file of this symcrete"));
    }
}
