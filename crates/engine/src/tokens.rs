//! Pieces of text that belong together in most languages: words, numbers, strings, what is between brackets. Another one in
//! the place of one leaves the rest as good as it was; a stretch of bytes hardly ever does.

use std::ops::Range;
use symcrete_search::{Rng, below};

/// One piece of a text for one of another, or for all of it where that is short.
pub fn exchange(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    /// What is as short as this may be a piece by itself.
    const SHORT: usize = 16;
    if bytes.is_empty() || other.is_empty() {
        return;
    }
    let gone = token(bytes, below(rng, bytes.len()));
    let all = other.len() <= SHORT && below(rng, 2) == 0;
    let new = if all { 0..other.len() } else { token(other, below(rng, other.len())) };
    bytes.splice(gone, other[new].iter().copied());
}

/// The piece that begins at a place, or that the place is in the middle of.
fn token(bytes: &[u8], at: usize) -> Range<usize> {
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.' | 0x80..);
    let single = at..at + 1;
    let close = match bytes[at] {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        quote @ (b'"' | b'\'') => quote,
        byte if in_word(&byte) => {
            let begin = bytes[..at].iter().rposition(|byte| !in_word(byte)).map_or(0, |before| before + 1);
            let end = bytes[at..].iter().position(|byte| !in_word(byte)).map_or(bytes.len(), |length| at + length);
            return begin..end;
        }
        _ => return single,
    };
    let (open, mut depth, mut place) = (bytes[at], 1, at + 1);
    while place < bytes.len() {
        match bytes[place] {
            b'\\' if open == close => place += 1,
            byte if byte == close => depth -= 1,
            byte if byte == open => depth += 1,
            _ => {}
        }
        place += 1;
        if depth == 0 {
            return at..place;
        }
    }
    single
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_search::seeded;

    #[test]
    fn pieces_are_words_strings_and_what_is_between_brackets() {
        let text = br#"{"a":[1.5,{"b\"":-2}],x}"#;
        let piece = |at: usize| std::str::from_utf8(&text[token(text, at)]).unwrap();
        let found: Vec<&str> = [0, 1, 2, 4, 5, 6, 8, 9, 11, 17, 21].map(piece).to_vec();
        let expected = [
            r#"{"a":[1.5,{"b\"":-2}],x}"#,
            r#""a""#,
            "a",
            ":",
            r#"[1.5,{"b\"":-2}]"#,
            "1.5",
            "1.5",
            ",",
            r#""b\"""#,
            "-2",
            ",",
        ];
        assert_eq!(found, expected);
        assert_eq!(token(b"((", 0), 0..1);
        assert_eq!(token(b"\"\\", 0), 0..1);
    }

    #[test]
    fn values_of_equal_keys_become_others() {
        let mut rng = seeded(5);
        let others: [&[u8]; 3] = [b"{}", br#"{"":{}}"#, b"[7]"];
        let found = (0..100_000).any(|_| {
            let mut bytes = br#"{"":true,"":7}"#.to_vec();
            for _ in 0..2 {
                let other = others[below(&mut rng, others.len())];
                exchange(&mut bytes, other, &mut rng);
            }
            bytes == br#"{"":{},"":{"":{}}}"#
        });
        assert!(found);
    }
}
