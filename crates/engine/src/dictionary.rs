//! Pieces that inputs may have to contain: constants of the program's own code, and what runs compared their input
//! with. Everything is kept as bytes, the way it would stand in an input. Never asks the solver.

use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use symcrete_exec::Wish;
use symcrete_program::Words;
use symcrete_search::{Rng, below};
use symcrete_term::{Op, Term, TermId, Terms, Var};

/// Pieces that are kept; later ones take the places of earlier ones, by chance.
const MOST: usize = 8192;
/// Comparisons of one run that are looked at.
const MOST_OF_A_RUN: usize = 2048;
/// Values of one run that were compared with each other.
const MOST_VALUES: usize = 16;
/// Such values that are kept; the oldest give way.
const VALUES: usize = 64;
/// The longest word taken from a comparison of strings.
const LONGEST: usize = 32;

/// What may stand for the conversions of a format: a word, an integer, a number with a fraction.
const EXAMPLES: [[&str; 3]; 2] = [["a", "1", "0.5"], ["b", "-7", "2e3"]];

#[derive(Clone, Default)]
pub struct Dictionary {
    /// Of two bytes or more.
    pieces: Vec<Box<[u8]>>,
    known: FxHashSet<Box<[u8]>>,
    /// Single bytes that the program compares with.
    letters: Vec<u8>,
    /// Numbers it compares with.
    numbers: Vec<u64>,
    known_numbers: FxHashSet<(u32, u64)>,
    /// What it lately computed from its input and compared for equality: a check sum, say.
    values: VecDeque<u64>,
    /// Floats it compares with.
    floats: Vec<f64>,
}

impl Dictionary {
    /// What the program's code has.
    pub fn mined(words: &Words) -> Dictionary {
        let mut dictionary = Dictionary::default();
        for string in &words.strings {
            dictionary.piece(string);
            EXAMPLES.iter().filter_map(|example| filled(string, example)).for_each(|text| dictionary.piece(&text));
        }
        for &(width, value) in &words.numbers {
            dictionary.number(width, value as u64);
        }
        dictionary
    }

    fn piece(&mut self, bytes: &[u8]) {
        if bytes.len() < 2 || !self.known.insert(bytes.into()) {
            return;
        }
        if self.pieces.len() < MOST {
            self.pieces.push(bytes.into());
        } else {
            // Spread by content: the same history gives the same dictionary.
            let place = bytes.iter().fold(0usize, |sum, &byte| sum.wrapping_mul(31) + usize::from(byte)) % MOST;
            self.pieces[place] = bytes.into();
        }
    }

    /// A number that something of a width was compared with: as it lies in memory in both orders, and as text.
    fn number(&mut self, width: u32, value: u64) {
        if value == 0 || !self.known_numbers.insert((width, value)) || self.numbers.len() >= MOST {
            return;
        }
        self.numbers.push(value);
        if value < 256 {
            if !self.letters.contains(&(value as u8)) {
                self.letters.push(value as u8);
            }
            return;
        }
        for bytes in [2, 4, 8].into_iter().filter(|bytes| 8 * bytes <= width.max(16) && value >> (8 * bytes - 1) <= 1) {
            let little = &value.to_le_bytes()[..bytes as usize];
            self.piece(little);
            let big: Vec<u8> = little.iter().rev().copied().collect();
            self.piece(&big);
        }
        let signed = (value << (64 - width.clamp(8, 64))) as i64 >> (64 - width.clamp(8, 64));
        self.piece(signed.to_string().as_bytes());
    }

    fn float(&mut self, value: f64) {
        if self.floats.len() < MOST && !self.floats.iter().any(|known| known.to_bits() == value.to_bits()) {
            self.floats.push(value);
        }
    }

    /// What conditions of a run compare with: one of the two sides is known then.
    pub fn learn(&mut self, subjects: impl Iterator<Item = TermId>, terms: &Terms) {
        for subject in subjects.take(MOST_OF_A_RUN) {
            // A number read from several bytes is compared byte by byte once terms are simplified.
            if let Term::Apply(Op::And, _) = terms.get(subject) {
                if let Some(word) = word(subject, terms) {
                    self.piece(&word);
                }
                continue;
            }
            if let Term::Apply(op, &[a, b]) = terms.get(subject)
                && op.is_float()
            {
                [a, b].into_iter().filter_map(|side| constant_float(side, terms)).for_each(|value| self.float(value));
                continue;
            }
            let Term::Apply(Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle, &[a, b]) = terms.get(subject)
            else {
                continue;
            };
            for side in [a, b] {
                if let Some(value) = terms.as_constant(side)
                    && terms.width(side) <= 64
                {
                    self.number(u32::from(terms.width(side)), value as u64);
                }
            }
        }
    }

    /// The values, in that run, of what was compared for equality.
    pub fn learn_values(
        &mut self,
        subjects: impl Iterator<Item = TermId>,
        terms: &Terms,
        mut value: impl FnMut(TermId) -> u128,
    ) {
        let compared = subjects.take(MOST_OF_A_RUN).filter_map(|subject| match terms.get(subject) {
            Term::Apply(Op::Eq | Op::Ne, &[a, b]) if (16..=64).contains(&terms.width(a)) => Some([a, b]),
            _ => None,
        });
        // Constants are known already.
        for side in compared.flatten().filter(|side| !terms.is_constant(*side)).take(MOST_VALUES) {
            let bits = 64 - u32::from(terms.width(side));
            let value = ((value(side) as u64) << bits) as i64 >> bits;
            if value.unsigned_abs() < 10 || self.values.contains(&(value as u64)) {
                continue;
            }
            if self.values.len() == VALUES {
                self.values.pop_front();
            }
            self.values.push_back(value as u64);
        }
    }

    /// Words that comparisons of strings would have needed.
    pub fn learn_words(&mut self, wishes: &[Wish], terms: &Terms) {
        for wish in wishes.iter().take(64) {
            if let Some(word) = word(wish.goal, terms) {
                self.piece(&word);
            }
        }
    }

    /// What a person could type, evenly from all of it if there is more than `most`.
    pub fn texts(&self, most: usize) -> impl Iterator<Item = &[u8]> {
        let pieces = || self.pieces.iter().map(|piece| &piece[..]);
        let typed = |piece: &&[u8]| piece.iter().all(|byte| matches!(byte, b' '..=b'~'));
        let step = pieces().filter(typed).count().div_ceil(most).max(1);
        pieces().filter(typed).step_by(step)
    }

    pub fn draw_piece(&self, rng: &mut Rng) -> Option<&[u8]> {
        self.pieces.get(below(rng, self.pieces.len().max(1))).map(|piece| &piece[..])
    }

    pub fn draw_letter(&self, rng: &mut Rng) -> Option<u8> {
        self.letters.get(below(rng, self.letters.len().max(1))).copied()
    }

    /// A float the program compares with.
    pub fn draw_float(&self, rng: &mut Rng) -> Option<f64> {
        self.floats.get(below(rng, self.floats.len().max(1))).copied()
    }

    /// A value that was compared with another one.
    pub fn draw_value(&self, rng: &mut Rng) -> Option<u64> {
        self.values.get(below(rng, self.values.len().max(1))).copied()
    }

    /// A number the program compares with, or a neighbour.
    pub fn draw_number(&self, rng: &mut Rng) -> Option<u64> {
        let number = self.numbers.get(below(rng, self.numbers.len().max(1)))?;
        Some(number.wrapping_add(below(rng, 3) as u64).wrapping_sub(1))
    }
}

fn constant_float(id: TermId, terms: &Terms) -> Option<f64> {
    let bits = terms.as_constant(id)?;
    match terms.width(id) {
        32 => Some(f64::from(f32::from_bits(bits as u32))),
        64 => Some(f64::from_bits(bits as u64)),
        _ => None,
    }
}

/// The bytes that make a conjunction of `byte = constant` true, in the order of their places.
fn word(goal: TermId, terms: &Terms) -> Option<Vec<u8>> {
    let (mut work, mut bytes) = (vec![goal], vec![]);
    while let Some(term) = work.pop() {
        match terms.get(term) {
            Term::Apply(Op::And, parts) => work.extend(parts),
            Term::Apply(Op::Eq, &[a, b]) => {
                let (byte, value) = if terms.is_constant(a) { (b, a) } else { (a, b) };
                let Term::Variable(_, Var::Byte { object, offset }) = terms.get(byte) else { return None };
                bytes.push(((object, offset), terms.as_constant(value)? as u8));
            }
            _ => return None,
        }
    }
    bytes.sort_unstable();
    bytes.dedup();
    let begin = bytes.first()?.0;
    let in_a_row = bytes.iter().enumerate().all(|(at, (place, _))| *place == (begin.0, begin.1 + at as u32));
    (in_a_row && bytes.len() <= LONGEST).then(|| bytes.iter().map(|(_, byte)| *byte).collect())
}

/// A text that a format describes, as `scanf` would read it. Nothing where it has no conversions.
fn filled(format: &[u8], [word, integer, fraction]: &[&str; 3]) -> Option<Vec<u8>> {
    let mut text = vec![];
    let mut found = false;
    let mut rest = format;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        // Flags, width and size say nothing about what stands there.
        let at = rest.iter().position(|byte| !b"-+ #0123456789.*hlLqjzt".contains(byte))?;
        let conversion = rest[at];
        let what = match conversion {
            b'%' => "%",
            b's' | b'c' | b'[' => word,
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => integer,
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => fraction,
            _ => return None,
        };
        rest = &rest[at + 1..];
        if conversion == b'[' {
            // A set of characters ends with a bracket, but not with one that is the first in it.
            let first = 1 + usize::from(rest.first() == Some(&b'^'));
            rest = &rest[first + 1 + rest.get(first..)?.iter().position(|byte| *byte == b']')?..];
        }
        text.extend_from_slice(what.as_bytes());
        found |= what != "%";
    }
    found.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_search::seeded;

    #[test]
    fn formats_are_filled_as_they_would_be_read() {
        let text = |format: &str| filled(format.as_bytes(), &EXAMPLES[0]).map(|text| String::from_utf8(text).unwrap());
        assert_eq!(text("add %31s %d %lf").as_deref(), Some("add a 1 0.5"));
        assert_eq!(text("%*u%% of %[^]\n]s, %-3.2Lg").as_deref(), Some("1% of as, 0.5"));
        assert_eq!([text("no format"), text("100%"), text("100%%"), text("%y"), text("%[abc")], [const { None }; 5]);
    }

    #[test]
    fn numbers_stand_as_bytes_and_as_text() {
        let mut dictionary = Dictionary::default();
        dictionary.number(32, 0xdeadbeef);
        let all: Vec<&[u8]> = dictionary.pieces.iter().map(|piece| &piece[..]).collect();
        assert!(all.contains(&&[0xef, 0xbe, 0xad, 0xde][..]) && all.contains(&&[0xde, 0xad, 0xbe, 0xef][..]));
        assert!(all.contains(&&b"-559038737"[..]), "{all:?}");
        dictionary.number(32, u64::from(b'{'));
        assert_eq!(dictionary.draw_letter(&mut seeded(1)), Some(b'{'));
        dictionary.number(32, 4000);
        assert!(dictionary.pieces.iter().any(|piece| **piece == *b"4000"));
    }

    #[test]
    fn comparisons_of_runs_are_learnt() {
        let mut terms = Terms::new();
        let bytes: Vec<TermId> = (0..4).map(|offset| terms.var(Var::Byte { object: 0, offset })).collect();
        let high = terms.concat(bytes[1], bytes[0]);
        let wanted = terms.constant(16, 0x1234);
        let equal = terms.eq(high, wanted);
        let mut dictionary = Dictionary::default();
        dictionary.learn([equal].into_iter(), &terms);
        assert!(dictionary.pieces.iter().any(|piece| **piece == [0x34, 0x12]), "{:?}", dictionary.pieces);
        let mut goal = TermId::TRUE;
        for (byte, letter) in bytes.iter().zip(b"true") {
            let letter = terms.constant(8, u128::from(*letter));
            let equal = terms.eq(*byte, letter);
            goal = terms.and(goal, equal);
        }
        assert_eq!(word(goal, &terms).as_deref(), Some(&b"true"[..]));
    }
}
