//! The directories a target may write to, the one it runs in and its own `/tmp`: fresh at first, empty again before every run.

use crate::temporary::Temporary;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Removed with everything in them when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    temporary: Arc<Temporary>,
}

impl Scratch {
    /// New empty directories below `parent`, readable by nobody else.
    pub fn new_in(parent: &Path) -> io::Result<Scratch> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let parent = parent.canonicalize()?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let named = |what: &str| parent.join(format!("symcrete-{what}-{}-{number}", std::process::id()));
            let path = named("scratch");
            match fs::create_dir(&path) {
                Ok(()) => {
                    let scratch = Scratch { temporary: Arc::new(Temporary::new(named("tmp"), path.clone())), path };
                    scratch.folders().try_for_each(renew)?;
                    return Ok(scratch);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where the target runs.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn temporary(&self) -> &Arc<Temporary> {
        &self.temporary
    }

    fn folders(&self) -> impl Iterator<Item = &Path> {
        [self.path(), self.temporary.path()].into_iter()
    }

    /// Whether something in there is ours, for targets to see what is outside.
    fn is_ours(&self, path: &Path) -> bool {
        path.parent() == Some(self.temporary.path()) && path.file_name().is_some_and(|name| self.temporary.holds(name))
    }

    /// What is in it now. Files beyond a fair size are remembered by name only.
    pub fn keep(&self) -> Kept {
        let mut kept = Kept::default();
        let mut room = MOST_KEPT;
        let mut open: Vec<PathBuf> = self.folders().map(Path::to_path_buf).collect();
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let Ok(data) = fs::symlink_metadata(&path) else { continue };
                if self.is_ours(&path) {
                    continue;
                }
                if data.is_dir() {
                    open.push(path.clone());
                    kept.folders.push(path);
                } else if data.is_file() && data.len() <= room {
                    room -= data.len();
                    if let Ok(bytes) = fs::read(&path) {
                        kept.files.insert(path, bytes);
                    }
                } else {
                    kept.others.insert(path);
                }
            }
        }
        kept
    }

    /// Makes it as it was. Files are written over, not replaced: somebody may have them open.
    pub fn put_back(&self, kept: &Kept) -> io::Result<()> {
        let now = self.keep();
        for path in now.files.keys().chain(&now.others) {
            if !kept.files.contains_key(path) && !kept.others.contains(path) {
                remove(path)?;
            }
        }
        for folder in now.folders.iter().filter(|folder| !kept.folders.contains(folder) && folder.exists()) {
            remove(folder)?;
        }
        for folder in &kept.folders {
            fs::create_dir_all(folder)?;
        }
        for (path, bytes) in kept.files.iter().filter(|(path, bytes)| now.files.get(*path) != Some(bytes)) {
            fs::write(path, bytes)?;
        }
        Ok(())
    }

    /// Takes away whatever a run left. `true` when there was something.
    pub fn clean(&self) -> io::Result<bool> {
        let mut found = false;
        for folder in self.folders() {
            let entries = match fs::read_dir(folder) {
                Ok(entries) => entries,
                // The target may have locked its own directory, or removed it.
                Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound) => {
                    renew(folder)?;
                    found = true;
                    fs::read_dir(folder)?
                }
                Err(error) => return Err(error),
            };
            for entry in entries {
                let path = entry?.path();
                if !self.is_ours(&path) {
                    found = true;
                    remove(&path)?;
                }
            }
        }
        Ok(found)
    }
}

/// What a directory held at one time.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    files: BTreeMap<PathBuf, Vec<u8>>,
    folders: Vec<PathBuf>,
    /// Too large, or no files.
    others: BTreeSet<PathBuf>,
}

/// Bytes of files that are kept in all.
const MOST_KEPT: u64 = 64 << 20;

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing sensible can be done about a failure here; the directory is in a temporary place anyway.
        let left: Vec<&Path> = self.folders().filter(|folder| fs::remove_dir_all(folder).is_err()).collect();
        if !left.is_empty() {
            let _ = self.clean();
            for folder in left {
                let _ = fs::remove_dir_all(folder);
            }
        }
    }
}

/// A directory is there, and only ours.
fn renew(folder: &Path) -> io::Result<()> {
    if !folder.is_dir() {
        fs::create_dir(folder)?;
    }
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Removes a file or a directory tree, also one whose permissions forbid looking into it.
fn remove(path: &Path) -> io::Result<()> {
    let kind = fs::symlink_metadata(path)?.file_type();
    if !kind.is_dir() {
        return match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        };
    }
    if fs::remove_dir_all(path).is_ok() {
        return Ok(());
    }
    unlock(path);
    fs::remove_dir_all(path)
}

/// Makes every directory of a tree writable by its owner. Symbolic links are not followed.
fn unlock(root: &Path) {
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        open.extend(entries.flatten().filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_takes_everything_away() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(parent.path()).unwrap();
        assert!(!scratch.clean().unwrap());
        fs::create_dir_all(scratch.path().join("a/b/c")).unwrap();
        fs::write(scratch.path().join("a/b/c/file"), "x").unwrap();
        std::os::unix::fs::symlink("/", scratch.path().join("a/root")).unwrap();
        fs::set_permissions(scratch.path().join("a/b"), Permissions::from_mode(0o000)).unwrap();
        assert!(scratch.clean().unwrap());
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        assert!(Path::new("/proc").exists());
    }

    #[test]
    fn what_was_kept_comes_back() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(parent.path()).unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::create_dir(at("d")).unwrap();
        fs::write(at("d/a"), "one").unwrap();
        fs::write(at("b"), "two").unwrap();
        let open = fs::File::open(at("b")).unwrap();
        let kept = scratch.keep();
        fs::write(at("b"), "changed, and longer").unwrap();
        fs::remove_dir_all(at("d")).unwrap();
        fs::create_dir(at("new")).unwrap();
        fs::write(at("new/c"), "x").unwrap();
        scratch.put_back(&kept).unwrap();
        assert_eq!(fs::read_to_string(at("d/a")).unwrap(), "one");
        assert_eq!(std::io::read_to_string(&open).unwrap(), "two", "whoever has it open sees it as it was");
        assert!(!at("new").exists());
    }

    #[test]
    fn a_removed_scratch_comes_back_and_goes_with_its_owner() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new_in(parent.path()).unwrap();
        let path = scratch.path().to_path_buf();
        fs::remove_dir(&path).unwrap();
        assert!(scratch.clean().unwrap());
        assert!(path.is_dir());
        fs::write(path.join("left"), "x").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }
}
