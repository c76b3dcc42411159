//! Response files: `@FILE` on a command line stands for the words in FILE, which may name further files.
//! The quoting is GNU's: blanks separate, single and double quotes group, a backslash takes the next
//! character as it is.
//!
//! Never fails: an `@FILE` that cannot be read is an ordinary word, as for clang.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// Deeper nesting is taken for a file that names itself.
const DEPTH: usize = 20;

/// All words with response files replaced by their contents.
pub fn expand(words: impl IntoIterator<Item = OsString>, folder: &Path) -> Vec<OsString> {
    let mut out = Vec::new();
    expand_into(words, folder, DEPTH, &mut out);
    out
}

fn expand_into(words: impl IntoIterator<Item = OsString>, folder: &Path, depth: usize, out: &mut Vec<OsString>) {
    for word in words {
        let bytes = word.as_bytes();
        if bytes.len() > 1 && bytes[0] == b'@' && depth > 0 {
            // Names are relative to the working directory, not to the response file.
            if let Ok(contents) = std::fs::read(folder.join(OsStr::from_bytes(&bytes[1..]))) {
                expand_into(split(&contents), folder, depth - 1, out);
                continue;
            }
        }
        out.push(word);
    }
}

/// The words of a response file, or of a `--cflags` text.
pub fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(q), b) if b == q => quote = None,
            (Some(b'\''), b) => word.get_or_insert_default().push(b),
            (_, b'\\') => word.get_or_insert_default().extend(bytes.next()),
            (Some(_), b) => word.get_or_insert_default().push(b),
            (None, b'\'' | b'"') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (None, b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c') => words.extend(word.take()),
            (None, b) => word.get_or_insert_default().push(b),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

/// The inverse of [`split`].
pub fn join(words: &[OsString]) -> Vec<u8> {
    let mut out = Vec::new();
    for word in words {
        out.push(b'"');
        for &byte in word.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                out.push(b'\\');
            }
            out.push(byte);
        }
        out.extend(b"\"\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<String> {
        split(text.as_bytes()).into_iter().map(|w| w.into_string().unwrap()).collect()
    }

    #[test]
    fn quotes_and_backslashes() {
        assert_eq!(words("  -c  a.c\n-DX='a b' \"\" -I\\ x"), ["-c", "a.c", "-DX=a b", "", "-I x"]);
        assert_eq!(words(r#"-DS=\"hi\" '\n'"#), ["-DS=\"hi\"", "\\n"]);
        assert!(words(" \n").is_empty());
    }

    #[test]
    fn files_name_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "-c @b @missing").unwrap();
        std::fs::write(folder.path().join("b"), "x.c").unwrap();
        std::fs::write(folder.path().join("loop"), "@loop").unwrap();
        let expanded = expand([OsString::from("@a"), "@loop".into()], folder.path());
        assert_eq!(expanded, ["-c", "x.c", "@missing", "@loop"]);
    }

    proptest! {
        #[test]
        fn split_undoes_join(list in proptest::collection::vec(proptest::collection::vec(1u8.., 0..12), 0..6)) {
            let list: Vec<OsString> = list.into_iter().map(OsString::from_vec).collect();
            prop_assert_eq!(split(&join(&list)), list);
        }
    }
}
