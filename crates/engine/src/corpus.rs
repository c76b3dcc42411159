//! Inputs that did something new, whoever made them: the solver, chance or the user. New ones are made from them by
//! changing a few places, by putting in pieces that the program looks for, and by joining two of them.

use crate::borders::Borders;
use crate::dictionary::Dictionary;
use crate::lines;
use crate::shape::Shape;
use crate::tokens;
use rand_core::RngCore;
use std::sync::Arc;
use symcrete_exec::{Input, SourceSpec};
use symcrete_search::{Rng, below};

/// Inputs that are kept; the oldest give way.
const MOST: usize = 1024;
/// How many count as the latest.
const LATEST: usize = 4;
/// Changes of one input: each further one half as likely.
const MOST_CHANGES: u32 = 6;
/// Of so many changes of an input that has lines one is of a whole line.
const LINES: usize = 6;
/// One in so many puts a piece of another input in the place of one.
const TOKENS: usize = 4;
/// The longest stretch that is moved or removed at once.
const STRETCH: usize = 16;
/// How often a stretch is copied at once.
const MOST_COPIES: usize = 32;
/// The longest word that is made because some number says so.
const LONGEST_WORD: u64 = 512;

#[derive(Clone, Default)]
pub struct Corpus {
    inputs: Vec<Arc<Input>>,
    /// Where the latest one is.
    newest: usize,
    pub borders: Borders,
}

impl Corpus {
    pub fn add(&mut self, input: &Input) {
        if self.inputs.len() < MOST {
            self.newest = self.inputs.len();
            self.inputs.push(Arc::new(input.clone()));
        } else {
            self.newest = (self.newest + 1) % MOST;
            self.inputs[self.newest] = Arc::new(input.clone());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Later ones more often, for they stand for what is rarer, and the latest most of all: whoever came nearer to
    /// something step by step goes on from there.
    fn pick(&self, rng: &mut Rng) -> &Input {
        let kind = below(rng, 4);
        if kind == 1
            && let Some(input) = self.borders.pick(rng)
        {
            return input;
        }
        if kind == 0 {
            let back = below(rng, LATEST.min(self.inputs.len()));
            return &self.inputs[(self.newest + self.inputs.len() - back) % self.inputs.len()];
        }
        let at = below(rng, self.inputs.len()).max(below(rng, self.inputs.len()));
        &self.inputs[at]
    }

    /// A new input from one or two of the corpus, which is not empty.
    pub fn mutate(&self, sources: &[SourceSpec], dictionary: &Dictionary, shape: &Shape, rng: &mut Rng) -> Input {
        let mut input = Input::clone(self.pick(rng));
        let filled: Vec<usize> = (0..input.objects.len())
            .filter(|&at| !input.objects[at].bytes.is_empty() || sources.get(at).is_some_and(|s| s.capacity > 0))
            .collect();
        if filled.is_empty() {
            return input;
        }
        let mut enough = false;
        if below(rng, 6) == 0 {
            let at = filled[below(rng, filled.len())];
            let other = self.pick(rng).objects.get(at).map(|object| object.bytes.clone());
            if let Some(other) = other {
                let fixed = sources.get(at).is_none_or(|source| source.exact);
                let bytes = &mut input.objects[at].bytes;
                if fixed || below(rng, 2) == 0 || !lines::weave(bytes, &other, rng) {
                    splice(bytes, &other, fixed, rng);
                } else {
                    // Lines that were good for something as they are may be good for more together.
                    enough = below(rng, 2) == 0;
                }
            }
        }
        let changes = if enough { 0 } else { 1 + rng.next_u32().trailing_ones().min(MOST_CHANGES) };
        for _ in 0..changes {
            let at = filled[below(rng, filled.len())];
            let fixed = sources.get(at).is_none_or(|source| source.exact);
            let bytes = &mut input.objects[at].bytes;
            if !fixed && below(rng, TOKENS) == 0 {
                let other = self.pick(rng).objects.get(at);
                tokens::exchange(bytes, other.map_or(&[], |other| &other.bytes), rng);
                continue;
            }
            if !fixed && below(rng, LINES) == 0 && lines::change(bytes, dictionary, rng) {
                continue;
            }
            if below(rng, 2) == 0 || !shape.redraw(at, bytes, dictionary, rng) {
                change(bytes, fixed, dictionary, rng);
            }
        }
        for (object, source) in input.objects.iter_mut().zip(sources) {
            source.fit(&mut object.bytes);
        }
        input
    }
}

/// The beginning of one and the end of another, or one within the other.
fn splice(bytes: &mut Vec<u8>, other: &[u8], fixed: bool, rng: &mut Rng) {
    if !fixed && !other.is_empty() && below(rng, 2) == 0 {
        let at = below(rng, bytes.len() + 1);
        let gone = if below(rng, 2) == 0 { 0 } else { below(rng, (bytes.len() - at).min(STRETCH) + 1) };
        let (from, length) = if below(rng, 2) == 0 { (0, other.len()) } else { stretch(other, rng) };
        bytes.splice(at..at + gone, other[from..from + length].iter().copied());
        return;
    }
    let cut = below(rng, bytes.len().min(other.len()) + 1);
    if fixed {
        let end = bytes.len().min(other.len());
        bytes[cut..end].copy_from_slice(&other[cut..end]);
        return;
    }
    let from = if below(rng, 2) == 0 { cut } else { below(rng, other.len() + 1) };
    bytes.truncate(cut);
    bytes.extend_from_slice(&other[from..]);
}

/// One change; `fixed`: the length stays.
fn change(bytes: &mut Vec<u8>, fixed: bool, dictionary: &Dictionary, rng: &mut Rng) {
    let any = rng.next_u64();
    if bytes.is_empty() {
        if !fixed {
            match dictionary.draw_piece(rng) {
                Some(piece) if any & 1 == 0 => bytes.extend_from_slice(piece),
                _ => bytes.push(dictionary.draw_letter(rng).unwrap_or(any as u8)),
            }
        }
        return;
    }
    let at = below(rng, bytes.len());
    match below(rng, if fixed { 6 } else { 13 }) {
        0 => bytes[at] ^= 1 << (any & 7),
        1 => bytes[at] = any as u8,
        2 => bytes[at] = bytes[at].wrapping_add((any % 33) as u8).wrapping_sub(16),
        3 => bytes[at] = dictionary.draw_letter(rng).unwrap_or(any as u8),
        4 => {
            if let Some(piece) = dictionary.draw_piece(rng) {
                let length = piece.len().min(bytes.len() - at);
                bytes[at..at + length].copy_from_slice(&piece[..length]);
            }
        }
        5 => {
            let (from, length) = stretch(bytes, rng);
            let length = length.min(bytes.len() - at);
            bytes.copy_within(from..(from + length), at);
        }
        6 => {
            if let Some(piece) = dictionary.draw_piece(rng) {
                let piece = piece.to_vec();
                bytes.splice(at..at, piece);
            }
        }
        7 => bytes.insert(at, dictionary.draw_letter(rng).unwrap_or(any as u8)),
        8 => {
            let (from, length) = stretch(bytes, rng);
            bytes.drain(from..from + length);
        }
        9 => {
            let (from, length) = stretch(bytes, rng);
            // Now and then so often that whatever counts them comes to its end.
            let times = if any & 7 == 0 { 1 + below(rng, MOST_COPIES) } else { 1 };
            let copies = bytes[from..from + length].repeat(times);
            bytes.splice(at..at, copies);
        }
        10 => renumber(bytes, at, dictionary, rng),
        11 => lengthen(bytes, at, dictionary, rng),
        _ => bytes.truncate(at),
    }
}

/// Another number in the place of the next one that is written out in digits, or one where there was none. To flip what
/// such a number is compared with helps only where it has digits enough.
fn renumber(bytes: &mut Vec<u8>, at: usize, dictionary: &Dictionary, rng: &mut Rng) {
    let next = (at..bytes.len()).chain(0..at).find(|&place| bytes[place].is_ascii_digit());
    let (from, length) = match next {
        Some(found) if below(rng, 4) != 0 => {
            let from = bytes[..found].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |before| before + 1);
            (from, bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count())
        }
        _ => (at, 0),
    };
    let any = rng.next_u64();
    let number = match below(rng, 5) {
        0 => dictionary.draw_number(rng).unwrap_or(any) as i64,
        1 => dictionary.draw_value(rng).unwrap_or(any) as i64,
        2 => (any >> (any % 64) & i64::MAX as u64) as i64,
        3 => (any % 1000) as i64,
        _ => {
            // As many digits as before, or one more or less.
            let digits = (length as u32 + below(rng, 3) as u32).saturating_sub(1).clamp(1, 19);
            let least = 10_u64.pow(digits - 1);
            (least + any % (9 * least)) as i64
        }
    };
    bytes.splice(from..from + length, number.to_string().into_bytes());
}

/// A word as long as some number that the program has in it: lengths of words are compared with such numbers.
fn lengthen(bytes: &mut Vec<u8>, at: usize, dictionary: &Dictionary, rng: &mut Rng) {
    let Some(length) = dictionary.draw_number(rng).filter(|number| *number <= LONGEST_WORD) else { return };
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | 0x80..);
    let from = bytes[..at].iter().rposition(|byte| !in_word(byte)).map_or(0, |before| before + 1);
    let had = bytes[from..].iter().take_while(|byte| in_word(byte)).count();
    let length = length as usize;
    // It may be its beginning or its end that counts.
    let in_front = below(rng, 2) == 0;
    if had >= length {
        let begin = if in_front { from } else { from + length };
        bytes.drain(begin..begin + had - length);
    } else {
        let filler = bytes.get(from).copied().filter(|_| had > 0).unwrap_or(b'a');
        let place = if in_front { from } else { from + had };
        bytes.splice(place..place, std::iter::repeat_n(filler, length - had));
    }
}

/// A stretch of bytes that are there: where it begins, and its length.
fn stretch(bytes: &[u8], rng: &mut Rng) -> (usize, usize) {
    let from = below(rng, bytes.len());
    (from, 1 + below(rng, (bytes.len() - from).min(STRETCH)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_abi::input::SourceKind;
    use symcrete_program::Words;
    use symcrete_search::seeded;

    fn source(capacity: u32, exact: bool) -> SourceSpec {
        SourceSpec { kind: SourceKind::Stdin, name: "stdin".into(), capacity, exact }
    }

    #[test]
    fn what_comes_out_fits_its_source() {
        for exact in [false, true] {
            let sources = [source(24, exact), source(0, false)];
            let mut corpus = Corpus::default();
            for text in ["[1,2,3]", "{\"a\":true}", ""] {
                let mut bytes = text.as_bytes().to_vec();
                sources[0].fit(&mut bytes);
                corpus.add(&Input::for_sources(&sources, [bytes, vec![]]));
            }
            let mut rng = seeded(9);
            let mut different = std::collections::BTreeSet::new();
            for _ in 0..5000 {
                let input = corpus.mutate(&sources, &Dictionary::default(), &Shape::default(), &mut rng);
                let length = input.objects[0].bytes.len();
                assert!(if exact { length == 24 } else { length <= 24 }, "{length}");
                assert!(input.objects[1].bytes.is_empty());
                different.insert(input.objects[0].bytes.clone());
            }
            assert!(different.len() > 2000, "{}", different.len());
        }
    }

    #[test]
    fn words_become_as_long_as_a_number_says() {
        let dictionary = Dictionary::mined(&Words { numbers: [(32, 12)].into(), ..Words::default() });
        let mut rng = seeded(3);
        let mut lengths = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let mut bytes = b"key=value\n".to_vec();
            lengthen(&mut bytes, 6, &dictionary, &mut rng);
            assert!(bytes.starts_with(b"key=") && bytes.ends_with(b"\n"), "{bytes:?}");
            lengths.insert(bytes.len() - 5);
        }
        assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [11, 12, 13]);
    }

    #[test]
    fn numbers_in_digits_become_other_numbers() {
        let mut rng = seeded(3);
        let mut lengths = std::collections::BTreeSet::new();
        for _ in 0..500 {
            let mut bytes = b"width=12;".to_vec();
            let at = below(&mut rng, bytes.len());
            renumber(&mut bytes, at, &Dictionary::default(), &mut rng);
            let text = String::from_utf8(bytes).unwrap();
            let number = text.strip_prefix("width=").and_then(|rest| rest.strip_suffix(';'));
            if let Some(number) = number.filter(|number| number.parse::<i64>().is_ok()) {
                lengths.insert(number.len());
            } else {
                assert!(text.len() > "width=12;".len(), "{text}: nothing was put in");
            }
        }
        assert!((1..=19).all(|length| lengths.contains(&length)), "{lengths:?}");
    }

    #[test]
    fn old_inputs_give_way() {
        let sources = [source(4, false)];
        let mut corpus = Corpus::default();
        for n in 0..3 * MOST as u32 {
            corpus.add(&Input::for_sources(&sources, [n.to_le_bytes().to_vec()]));
        }
        assert_eq!(corpus.inputs.len(), MOST);
    }
}
