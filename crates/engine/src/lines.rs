//! Changes of whole lines. A program that reads commands line by line comes to a state by several of them, and each of
//! those that were found stands in an input of its own: what was said there is said here, too, in a line before or after.

use crate::dictionary::Dictionary;
use rand_core::RngCore;
use symcrete_search::{Rng, below};

/// Lines that are taken over at once, at most.
const MOST: usize = 3;

/// Puts some lines of another input between those of this one. Nothing where neither has lines.
pub fn weave(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) -> bool {
    if other.is_empty() || !(has_lines(bytes) || has_lines(other)) {
        return false;
    }
    let begins: Vec<usize> = begins(other).collect();
    let first = below(rng, begins.len());
    let end = begins.get(first + 1 + below(rng, MOST)).map_or(other.len(), |next| *next);
    insert(bytes, &other[begins[first]..end], rng);
    true
}

/// One line less, once more, or a new one of what the program looks for. Nothing where there are no lines.
pub fn change(bytes: &mut Vec<u8>, dictionary: &Dictionary, rng: &mut Rng) -> bool {
    if !has_lines(bytes) {
        return false;
    }
    let begins: Vec<usize> = begins(bytes).collect();
    let at = below(rng, begins.len());
    let line = begins[at]..begins.get(at + 1).copied().unwrap_or(bytes.len());
    match below(rng, 3) {
        0 => drop(bytes.drain(line)),
        1 => {
            let line = bytes[line].to_vec();
            insert(bytes, &line, rng);
        }
        _ => {
            let Some(piece) = dictionary.draw_piece(rng) else { return false };
            insert(bytes, piece, rng);
        }
    }
    true
}

/// The lines, each with its end.
pub fn ranges(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let begins: Vec<usize> = begins(bytes).collect();
    let ends = begins[1..].iter().copied().chain([bytes.len()]);
    begins.iter().zip(ends).map(|(begin, end)| *begin..end).collect()
}

fn has_lines(bytes: &[u8]) -> bool {
    bytes.contains(&b'\n')
}

/// Where lines begin; the first one always does.
fn begins(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let behind = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    [0].into_iter().chain(behind.filter(|at| *at < bytes.len()))
}

/// Lines as lines of their own: before one of those that are there, behind all of them, or in the place of one's rest.
fn insert(bytes: &mut Vec<u8>, lines: &[u8], rng: &mut Rng) {
    let mut lines = lines.to_vec();
    if lines.last() != Some(&b'\n') {
        lines.push(b'\n');
    }
    let places: Vec<usize> = begins(bytes).chain([bytes.len()]).collect();
    let place = places[below(rng, places.len())];
    if place == bytes.len() && bytes.last().is_some_and(|last| *last != b'\n') {
        // What has no end of line yet may be longer than it need be: a part of it will often do.
        if rng.next_u32() & 1 == 0 {
            let last = begins(bytes).last().unwrap_or(0);
            bytes.truncate(last + below(rng, bytes.len() - last + 1));
        }
        bytes.push(b'\n');
        bytes.extend_from_slice(&lines);
    } else {
        bytes.splice(place..place, lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use symcrete_search::seeded;

    #[test]
    fn lines_of_one_stand_between_those_of_the_other() {
        let mut rng = seeded(3);
        let mut seen = BTreeSet::new();
        for _ in 0..500 {
            let mut bytes = b"add 1\nadd 2\n".to_vec();
            assert!(weave(&mut bytes, b"sum", &mut rng));
            seen.insert(String::from_utf8(bytes).unwrap());
        }
        let wanted = ["sum\nadd 1\nadd 2\n", "add 1\nsum\nadd 2\n", "add 1\nadd 2\nsum\n"];
        assert_eq!(seen, wanted.map(String::from).into());
        assert!(!weave(&mut b"a".to_vec(), b"b", &mut rng) && !weave(&mut b"a\n".to_vec(), b"", &mut rng));
    }

    #[test]
    fn a_line_without_an_end_gets_one() {
        let mut rng = seeded(4);
        for _ in 0..500 {
            let mut bytes = b"x\nadd 3 and more".to_vec();
            weave(&mut bytes, b"sum\n", &mut rng);
            let text = String::from_utf8(bytes).unwrap();
            assert_eq!(text.lines().filter(|line| *line == "sum").count(), 1, "{text:?}");
        }
    }

    #[test]
    fn lines_go_and_come_again() {
        let mut rng = seeded(5);
        let mut lengths = BTreeSet::new();
        for _ in 0..2000 {
            let mut bytes = b"one\ntwo\nthree".to_vec();
            if change(&mut bytes, &Dictionary::default(), &mut rng) {
                lengths.insert(bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count());
            }
        }
        assert_eq!(lengths, [2, 3, 4].into(), "a rest of three may be empty");
        assert!(!change(&mut b"no line".to_vec(), &Dictionary::default(), &mut rng));
    }
}
