//! What counts as a bug, where it is, and when two are the same.

use crate::judge::Verdict;
use std::collections::BTreeMap;
use symcrete_event::BugKind;
use symcrete_exec::{Check, End, signal_name};
use symcrete_toolchain::symbols::SourcePlace;

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
pub fn describe(verdict: &Verdict, check: Option<&Check>, near: &Place) -> Option<Failure> {
    let frame = |p: &SourcePlace| format!("{} {}:{}", p.function, p.file, p.line);
    let stack: Vec<String> = verdict.stack.iter().map(frame).collect();
    let failure = |kind, place: Place, detail: String| {
        let identity = Identity { kind, file: place.file, line: place.line };
        Some(Failure { identity, function: place.function, detail, stack: stack.clone() })
    };
    if let Some(check) = check {
        let place = Place { file: check.file.clone(), line: check.line, function: near.function.clone() };
        return failure(BugKind::Undefined, place, check.kind.clone());
    }
    if let Some((mut place, text)) = failed_assertion(&verdict.words).filter(|_| matches!(verdict.end, End::Signal(_)))
    {
        // It names the whole signature; the stack has the name that all other bugs go by.
        if let Some(frame) = verdict.stack.iter().find(|frame| frame.line == place.line) {
            place.function.clone_from(&frame.function);
        }
        return failure(BugKind::Assert, place, text);
    }
    // The innermost frame with a line is the user's: the C library's has none.
    let known = verdict.stack.iter().find(|p| p.line != 0 && !p.file.is_empty());
    let place = known
        .map_or_else(|| near.clone(), |p| Place { file: p.file.clone(), line: p.line, function: p.function.clone() });
    match verdict.end {
        End::Signal(crash) if crash.signal == libc::SIGABRT => failure(BugKind::Abort, place, "abort".into()),
        End::Signal(crash) if crash.signal == libc::SIGKILL => None,
        End::Signal(crash) => failure(BugKind::Crash, place, signal_name(crash.signal)),
        End::StackOverflow(_) => {
            failure(BugKind::StackOverflow, recursion(&verdict.stack).unwrap_or(place), "stack overflow".into())
        }
        End::Timeout => failure(BugKind::Timeout, near.clone(), "did not end in time".into()),
        End::Exit(_) | End::Stopped(_) | End::Memory | End::Processes | End::Output | End::Lost | End::Interrupted => {
            None
        }
    }
}

/// Where a stack overflows is chance; where the recursion goes round is not: of the places that are on the
/// stack again and again, the first in the source.
fn recursion(stack: &[SourcePlace]) -> Option<Place> {
    let mut times: BTreeMap<(&str, u32, &str), u32> = BTreeMap::new();
    for frame in stack.iter().filter(|p| p.line != 0 && !p.file.is_empty()) {
        *times.entry((&frame.file, frame.line, &frame.function)).or_default() += 1;
    }
    let most = times.values().max().copied()?;
    let (file, line, function) = times.iter().find(|(_, n)| **n >= 2 && **n * 2 > most)?.0;
    Some(Place { file: (*file).into(), line: *line, function: (*function).into() })
}

/// AddressSanitizer's report, if there is one.
pub fn address_failure(verdict: &Verdict, near: &Place) -> Option<Failure> {
    let at = verdict.words.find("ERROR: AddressSanitizer: ")?;
    let text = verdict.words[at + 25..].lines().next().unwrap_or("").split(" on ").next().unwrap_or("").to_string();
    let stack: Vec<String> = verdict.words[at..]
        .lines()
        .skip(1)
        .map(str::trim)
        .skip_while(|l| !l.starts_with('#'))
        .take_while(|l| l.starts_with('#'))
        .map(frame)
        .collect();
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
    let ours = !file.contains("compiler-rt")
        && !file.starts_with('(')
        && !function.starts_with("__asan")
        && !function.starts_with("__interceptor");
    ours.then(|| Place { file: file.into(), line, function: function.into() })
}

/// glibc's `program: file:line: function: Assertion `text' failed.`
fn failed_assertion(words: &str) -> Option<(Place, String)> {
    let line = words.lines().rev().find(|l| l.contains(": Assertion `"))?;
    let (head, text) = line.split_once(": Assertion `")?;
    let mut parts = head.splitn(4, ": ").collect::<Vec<_>>().into_iter().rev();
    let function = parts.next()?.to_string();
    let place = parts.next()?;
    let (file, number) = place.rsplit_once(':')?;
    let text = text.rsplit_once("' failed").map_or(text, |(t, _)| t);
    Some((Place { file: file.to_string(), line: number.parse().ok()?, function }, text.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glibc_assertions_are_understood() {
        let words = "noise\nprogram: a dir/x.c:12: int f(int): Assertion `x != 3' failed.\n";
        let (place, text) = failed_assertion(words).unwrap();
        assert_eq!((place.file.as_str(), place.line, place.function.as_str()), ("a dir/x.c", 12, "int f(int)"));
        assert_eq!(text, "x != 3");
        assert!(failed_assertion("all is well").is_none());
    }

    #[test]
    fn a_recursion_is_found_where_it_goes_round() {
        let at = |line| SourcePlace { file: "x.c".into(), line, function: "f".into() };
        // Two functions call each other; the innermost frame is wherever the stack happened to end.
        let stack = [at(3), at(12), at(7), at(12), at(7), at(12), at(40)];
        assert_eq!(recursion(&stack).unwrap().line, 7);
        assert!(recursion(&[at(3), at(4)]).is_none());
    }

    #[test]
    fn sanitizer_frames_name_a_place() {
        let place = place_of_frame("parse dir/x.c:7:3").unwrap();
        assert_eq!((place.file.as_str(), place.line, place.function.as_str()), ("dir/x.c", 7, "parse"));
        assert!(place_of_frame("memcpy (libc.so.6+0x1)").is_none());
    }
}
