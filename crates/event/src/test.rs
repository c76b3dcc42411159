//! Tests and bugs.

use crate::InputObject;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    Exit(i32),
    Signal(i32),
    Timeout,
}

/// Where an input came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Random,
    /// The named file of `--seeds`, or an earlier test of the same output folder.
    Seed(String),
    /// A side of an earlier test's path was flipped. `side` is the source side that was aimed at, if the
    /// decision has one. `test` is 0 when the parent was not kept.
    Flip {
        test: u32,
        side: Option<u32>,
        optimistic: bool,
    },
    /// Solved for backwards from a target.
    Reach,
    /// Found from a snapshot of a run, after so many inputs of it.
    Snapshot {
        after: u32,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Test<'a> {
    /// From 1, without gaps; names the file.
    pub number: u32,
    pub inputs: &'a [InputObject],
    pub origin: Origin,
    /// Sides no earlier test took.
    pub new_sides: &'a [u32],
    pub end: End,
    /// Wall-clock of its replay.
    pub seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BugKind {
    Crash,
    Abort,
    Assert,
    Timeout,
    StackOverflow,
    Undefined,
    Address,
}

impl BugKind {
    pub const ALL: &'static [BugKind] = &[
        BugKind::Crash,
        BugKind::Abort,
        BugKind::Assert,
        BugKind::Timeout,
        BugKind::StackOverflow,
        BugKind::Undefined,
        BugKind::Address,
    ];

    pub fn slug(self) -> &'static str {
        match self {
            BugKind::Crash => "crash",
            BugKind::Abort => "abort",
            BugKind::Assert => "assert",
            BugKind::Timeout => "timeout",
            BugKind::StackOverflow => "stack-overflow",
            BugKind::Undefined => "undefined",
            BugKind::Address => "address",
        }
    }

    pub fn from_slug(slug: &str) -> Option<BugKind> {
        Self::ALL.iter().copied().find(|k| k.slug() == slug)
    }
}

/// One bug, at its place in the user's code.
#[derive(Clone, Debug, PartialEq)]
pub struct Bug<'a> {
    /// From 1; names the folder.
    pub number: u32,
    pub kind: BugKind,
    /// Empty when no line of the user's code is known.
    pub file: &'a str,
    pub line: u32,
    pub function: &'a str,
    /// One line more: the signal, the sanitizer's words, the failed assertion.
    pub detail: &'a str,
    /// Innermost first, one readable frame each.
    pub stack: &'a [String],
    /// It needs a guess of ours about a caller: a pointer that a harness built.
    pub under_constrained: bool,
    /// The input, its origin and end; `number` is that of the kept test, or 0 when it was not kept as one.
    pub test: Test<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_back() {
        for kind in BugKind::ALL {
            assert_eq!(BugKind::from_slug(kind.slug()), Some(*kind));
        }
    }
}
