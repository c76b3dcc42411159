//! The directory a target runs in and may write to: fresh at first, empty again before every run.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Removed with everything in it when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A new empty directory below `parent`, readable by nobody else.
    pub fn new_in(parent: &Path) -> io::Result<Scratch> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let parent = parent.canonicalize()?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("symcrete-scratch-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => {
                    fs::set_permissions(&path, Permissions::from_mode(0o700))?;
                    return Ok(Scratch { path });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes away whatever a run left. `true` when there was something.
    pub fn clean(&self) -> io::Result<bool> {
        let mut found = false;
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                // The target may have locked its own directory.
                fs::set_permissions(&self.path, Permissions::from_mode(0o700))?;
                found = true;
                fs::read_dir(&self.path)?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir(&self.path)?;
                fs::set_permissions(&self.path, Permissions::from_mode(0o700))?;
                return Ok(true);
            }
            Err(error) => return Err(error),
        };
        for entry in entries {
            found = true;
            remove(&entry?.path())?;
        }
        Ok(found)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing sensible can be done about a failure here; the directory is in a temporary place anyway.
        if fs::remove_dir_all(&self.path).is_err() {
            let _ = self.clean();
            let _ = fs::remove_dir(&self.path);
        }
    }
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
