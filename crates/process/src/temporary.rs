//! A `/tmp` of a target's own: beside its directory the one place where programs expect to write.

use std::collections::BTreeSet;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

/// Where programs write what nobody shall keep. What is written to one of them is there in the other, too.
const PLACES: [&str; 2] = ["/tmp", "/var/tmp"];

/// The directory that a target sees there.
#[derive(Debug)]
pub struct Temporary {
    path: PathBuf,
    /// The directory that the target runs in.
    beside: PathBuf,
    /// Entries of the machine's own `/tmp` that a target needs: here something to mount them on.
    held: Mutex<BTreeSet<OsString>>,
}

/// Something of the outside, and where a target shall find it.
#[derive(Debug)]
pub(crate) struct Mount {
    pub from: CString,
    pub to: CString,
    pub read_only: bool,
}

impl Mount {
    fn new(from: &Path, to: &Path, read_only: bool) -> io::Result<Mount> {
        let c_string = |path: &Path| CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other);
        Ok(Mount { from: c_string(from)?, to: c_string(to)?, read_only })
    }
}

impl Temporary {
    pub fn new(path: PathBuf, beside: PathBuf) -> Temporary {
        Temporary { path, beside, held: Mutex::default() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn holds(&self, name: &OsStr) -> bool {
        self.held.lock().is_ok_and(|held| held.contains(name))
    }

    /// What must be mounted so that a target has this directory, and still finds what it needs of the machine's own, the
    /// directory it runs in for one.
    pub(crate) fn mounts(&self, needed: &[&Path]) -> io::Result<Vec<Mount>> {
        let (place, other) = (Path::new(PLACES[0]), Path::new(PLACES[1]));
        let mut mounts = vec![];
        for name in needed.iter().copied().chain([self.beside.as_path()]).filter_map(entry).collect::<BTreeSet<_>>() {
            let outside = place.join(name);
            let Ok(data) = fs::metadata(&outside) else { continue };
            let inside = self.path.join(name);
            if !inside.exists() {
                if data.is_dir() { fs::create_dir(&inside)? } else { drop(File::create(&inside)?) }
            }
            if let Ok(mut held) = self.held.lock() {
                held.insert(name.to_owned());
            }
            // What is allowed in this directory would be allowed there, too.
            mounts.push(Mount::new(&outside, &inside, true)?);
        }
        if let Ok(below) = self.beside.strip_prefix(place) {
            mounts.push(Mount::new(&self.beside, &self.path.join(below), false)?);
        }
        mounts.push(Mount::new(&self.path, place, false)?);
        if other.is_dir() && !needed.iter().any(|path| path.starts_with(other) && path.exists()) {
            mounts.push(Mount::new(place, other, false)?);
        }
        Ok(mounts)
    }
}

/// The entry of `/tmp` that a path lies in.
fn entry(path: &Path) -> Option<&OsStr> {
    match path.strip_prefix(PLACES[0]).ok()?.components().next()? {
        Component::Normal(name) => Some(name),
        _ => None,
    }
}
