//! What counts as a bug, where it is, and when two are the same.

use crate::judge::Verdict;
use symcrete_event::BugKind;
use symcrete_exec::{Check, End, signal_name};

/// Two failures with the same identity are one bug.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    pub kind: BugKind,
    pub file: String,
    pub line: u32,
}

/// A failure, described.
#[derive(Clone, Debug)]
pub struct Failure {
    pub identity: Identity,
    pub function: String,
    pub detail: String,
    pub stack: Vec<String>,
}

/// A place in the user's code.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub function: String,
}

/// Describes how a run failed; `None` when it did not, or only a limit of ours was met. `near` is the last
/// decision before the end, for failures that do not say where they are.
pub fn describe(end: End, check: Option<&Check>, words: &str, near: &Place) -> Option<Failure> {
    let failure = |kind, file: &str, line, function: &str, detail: String| {
        let identity = Identity { kind, file: file.into(), line };
        Some(Failure { identity, function: function.into(), detail, stack: vec![] })
    };
    if let Some(check) = check {
        return failure(BugKind::Undefined, &check.file, check.line, &near.function, check.kind.clone());
    }
    if let Some((file, line, function, text)) = failed_assertion(words).filter(|_| matches!(end, End::Signal(_))) {
        return failure(BugKind::Assert, &file, line, &function, text);
    }
    let here = |kind, detail: String| failure(kind, &near.file, near.line, &near.function, detail);
    match end {
        End::Signal(crash) if crash.signal == libc::SIGABRT => here(BugKind::Abort, "abort".into()),
        End::Signal(crash) if crash.signal == libc::SIGKILL => None,
        End::Signal(crash) => here(BugKind::Crash, signal_name(crash.signal)),
        End::StackOverflow(_) => here(BugKind::StackOverflow, "stack overflow".into()),
        End::Timeout => here(BugKind::Timeout, "did not end in time".into()),
        End::Exit(_) | End::Stopped(_) | End::Memory | End::Processes | End::Output | End::Lost | End::Interrupted => None,
    }
}

/// AddressSanitizer's report, if there is one.
pub fn address_failure(verdict: &Verdict, near: &Place) -> Option<Failure> {
    let at = verdict.words.find("ERROR: AddressSanitizer: ")?;
    let text = verdict.words[at + 25..].lines().next().unwrap_or("").split(" on ").next().unwrap_or("").to_string();
    let stack: Vec<String> =
        verdict.words[at..].lines().skip(1).map(str::trim).skip_while(|l| !l.starts_with('#')).take_while(|l| l.starts_with('#')).map(frame).collect();
    let place = stack.iter().find_map(|f| place_of_frame(f)).unwrap_or_else(|| near.clone());
    let identity = Identity { kind: BugKind::Address, file: place.file, line: place.line };
    Some(Failure { identity, function: place.function, detail: text, stack })
}

/// `#0 0x… in f file.c:3:4` without the address.
fn frame(line: &str) -> String {
    line.split_once(" in ").map_or(line, |(_, rest)| rest).into()
}

/// Sanitizer frames of the user's own code name a line.
fn place_of_frame(frame: &str) -> Option<Place> {
    let (function, rest) = frame.split_once(' ')?;
    let mut parts = rest.rsplitn(3, ':');
    let last = parts.next()?;
    let middle = parts.next()?;
    let (file, line) = match (parts.next(), middle.parse::<u32>()) {
        (Some(file), Ok(line)) => (file, line),
        _ => (middle, last.parse().ok()?),
    };
    let ours = !file.contains("compiler-rt") && !file.starts_with('(') && !function.starts_with("__asan") && !function.starts_with("__interceptor");
    ours.then(|| Place { file: file.into(), line, function: function.into() })
}

/// glibc's `program: file:line: function: Assertion `text' failed.`
fn failed_assertion(words: &str) -> Option<(String, u32, String, String)> {
    let line = words.lines().rev().find(|l| l.contains(": Assertion `"))?;
    let (head, text) = line.split_once(": Assertion `")?;
    let mut parts = head.splitn(4, ": ").collect::<Vec<_>>().into_iter().rev();
    let function = parts.next()?.to_string();
    let place = parts.next()?;
    let (file, number) = place.rsplit_once(':')?;
    let text = text.rsplit_once("' failed").map_or(text, |(t, _)| t);
    Some((file.to_string(), number.parse().ok()?, function, text.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glibc_assertions_are_understood() {
        let words = "noise\nprogram: a dir/x.c:12: int f(int): Assertion `x != 3' failed.\n";
        let (file, line, function, text) = failed_assertion(words).unwrap();
        assert_eq!((file.as_str(), line, function.as_str(), text.as_str()), ("a dir/x.c", 12, "int f(int)", "x != 3"));
        assert!(failed_assertion("all is well").is_none());
    }

    #[test]
    fn sanitizer_frames_name_a_place() {
        let place = place_of_frame("parse dir/x.c:7:3").unwrap();
        assert_eq!((place.file.as_str(), place.line, place.function.as_str()), ("dir/x.c", 7, "parse"));
        assert!(place_of_frame("memcpy (libc.so.6+0x1)").is_none());
    }
}
