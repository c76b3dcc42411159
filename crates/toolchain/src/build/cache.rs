//! What was built from what: an object file is used again while its command and every file it was made
//! from (headers included) are the same, byte for byte.
//!
//! Never trusts time stamps.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Record {
    command: u64,
    files: Vec<(PathBuf, u64)>,
}

/// Of the whole contents; `None` when the file cannot be read.
pub fn file_hash(path: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    std::fs::read(path).ok()?.hash(&mut hasher);
    Some(hasher.finish())
}

/// `inputs`: what the plugin is told besides.
pub fn command_hash(program: &Path, arguments: &[OsString], inputs: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (program, arguments, inputs, env!("CARGO_PKG_VERSION")).hash(&mut hasher);
    hasher.finish()
}

/// Whether `product` was made by this command from files that are still the same.
pub fn is_fresh(product: &Path, command: u64) -> bool {
    let Ok(text) = std::fs::read(record_of(product)) else { return false };
    let Ok(record) = serde_json::from_slice::<Record>(&text) else { return false };
    product.is_file()
        && record.command == command
        && record.files.iter().all(|(path, hash)| file_hash(path) == Some(*hash))
}

/// Remembers what `product` was made from.
pub fn remember(product: &Path, command: u64, files: Vec<PathBuf>) -> io::Result<()> {
    let files = files.into_iter().filter_map(|f| file_hash(&f).map(|h| (f, h))).collect();
    let text = serde_json::to_vec(&Record { command, files })?;
    std::fs::write(record_of(product), text)
}

pub fn forget(product: &Path) {
    let _ = std::fs::remove_file(record_of(product));
}

fn record_of(product: &Path) -> PathBuf {
    let mut name = product.as_os_str().to_owned();
    name.push(".made-from");
    name.into()
}

/// The files of a dependency file as clang writes it (`-MD`), relative to `folder`.
pub fn dependencies(text: &str, folder: &Path) -> Vec<PathBuf> {
    let Some((_, list)) = text.split_once(": ") else { return Vec::new() };
    let mut files = Vec::new();
    let mut name = String::new();
    let mut letters = list.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'\n') => {
                letters.next();
            }
            '\\' if matches!(letters.peek(), Some(' ' | '#' | '\\')) => name.extend(letters.next()),
            '$' if letters.peek() == Some(&'$') => name.extend(letters.next()),
            ' ' | '\n' | '\t' => {
                if !name.is_empty() {
                    files.push(folder.join(std::mem::take(&mut name)));
                }
            }
            other => name.push(other),
        }
    }
    if !name.is_empty() {
        files.push(folder.join(name));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependency_files_with_odd_names() {
        let text = "a.o: a.c my\\ file.h \\\n  /usr/x.h c\\#.h d$$.h\n";
        let names = dependencies(text, Path::new("/w"));
        assert_eq!(names, ["/w/a.c", "/w/my file.h", "/usr/x.h", "/w/c#.h", "/w/d$.h"].map(PathBuf::from));
    }

    #[test]
    fn a_changed_file_or_command_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (product, source) = (folder.path().join("a.o"), folder.path().join("a.c"));
        std::fs::write(&product, "o").unwrap();
        std::fs::write(&source, "1").unwrap();
        assert!(!is_fresh(&product, 7));
        remember(&product, 7, vec![source.clone()]).unwrap();
        assert!(is_fresh(&product, 7) && !is_fresh(&product, 8));
        std::fs::write(&source, "2").unwrap();
        assert!(!is_fresh(&product, 7));
        std::fs::write(&source, "1").unwrap();
        assert!(is_fresh(&product, 7));
        std::fs::remove_file(&product).unwrap();
        assert!(!is_fresh(&product, 7));
    }
}
