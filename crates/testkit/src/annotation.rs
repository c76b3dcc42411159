//! What a line of a case says about itself: `//~ side: both`, `//~ reach`, `//~ crash: abort` and so on.

use anyhow::{Result, bail};

/// Which outcomes of a condition the kept tests must take, and by that which they cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    Both,
    True,
    False,
    /// The condition is not evaluated at all.
    Neither,
}

impl Sides {
    fn parse(word: &str) -> Option<Sides> {
        Some(match word {
            "both" => Sides::Both,
            "true" => Sides::True,
            "false" => Sides::False,
            "neither" => Sides::Neither,
            _ => return None,
        })
    }

    pub fn wanted(self) -> [bool; 2] {
        match self {
            Sides::Both => [true, true],
            Sides::True => [true, false],
            Sides::False => [false, true],
            Sides::Neither => [false, false],
        }
    }
}

/// The annotations of one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// From 1.
    pub line: u32,
    /// One for all conditions of the line, or one each, from left to right.
    pub sides: Vec<Sides>,
    /// How many case labels of the line are taken.
    pub cases: Option<usize>,
    pub reach: bool,
    pub unreachable: bool,
    /// In cases of `reach`: neither, and what stands in the way.
    pub unknown: Option<String>,
    /// The reason given for the sides of the line that no test takes.
    pub uncovered: Option<String>,
    /// Kinds of bugs that show here.
    pub crashes: Vec<String>,
}

const REASONS: &[&str] = &["unreachable", "solver", "input", "lost", "untried"];
const CRASHES: &[&str] = &["crash", "abort", "assert", "timeout", "stack-overflow", "undefined", "address"];

impl Annotation {
    /// Reads what follows `//~`. Whatever stands in parentheses is for people.
    pub fn parse(line: u32, text: &str) -> Result<Annotation> {
        let mut found = Annotation { line, ..Annotation::default() };
        let text = text.split('(').next().unwrap_or_default();
        let mut key = "";
        for word in text.split_whitespace() {
            match (word, key) {
                ("side:" | "crash:" | "case:" | "uncovered:" | "unknown:", _) => key = word,
                (word, "unknown:") => found.unknown = Some(word.into()),
                (word, "uncovered:") if REASONS.contains(&word) => found.uncovered = Some(word.into()),
                ("reach", _) => found.reach = true,
                ("unreachable", _) => found.unreachable = true,
                (word, "side:") if Sides::parse(word).is_some() => found.sides.extend(Sides::parse(word)),
                (word, "crash:") if CRASHES.contains(&word) => found.crashes.push(word.into()),
                (word, "case:") if word.parse::<usize>().is_ok() => found.cases = word.parse().ok(),
                _ => bail!("line {line}: `{word}` is not understood in `//~{text}`"),
            }
        }
        if found == (Annotation { line, ..Annotation::default() }) {
            bail!("line {line}: `//~` says nothing");
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let found = Annotation::parse(7, " side: true both   crash: abort (the rest is for people)").unwrap();
        assert_eq!(found.sides, [Sides::True, Sides::Both]);
        assert_eq!(found.crashes, ["abort"]);
        assert!(Annotation::parse(1, " reach").unwrap().reach);
        assert_eq!(Annotation::parse(1, " case: 2").unwrap().cases, Some(2));
        let found = Annotation::parse(1, " side: neither uncovered: unreachable").unwrap();
        assert_eq!((found.uncovered.as_deref(), found.unreachable), (Some("unreachable"), false));
        for wrong in ["", " side: maybe", " crash: burn", " reached", " case: many"] {
            assert!(Annotation::parse(1, wrong).is_err(), "{wrong}");
        }
    }
}
