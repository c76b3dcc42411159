//! Names of files by their spelling alone: nothing here looks at a disk.

use std::path::{Component, Path, PathBuf};

/// Without `.` and `..`.
pub fn plain_path(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_their_detours() {
        for (from, to) in [
            ("/a/./b/../c.c", "/a/c.c"),
            ("/a/b.c", "/a/b.c"),
            ("../x.c", "../x.c"),
            ("/usr/lib/12/../../include/h", "/usr/include/h"),
        ] {
            assert_eq!(plain_path(Path::new(from)), Path::new(to));
        }
    }
}
