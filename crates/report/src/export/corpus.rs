//! A folder of raw inputs, as libFuzzer and AFL++ take it and `--seeds` reads it back.

use super::{Case, Exported};
use crate::atomic;
use std::io;
use std::path::Path;

pub(super) fn write(to: &Path, cases: &[Case], done: &mut Exported) -> io::Result<()> {
    for case in cases {
        let objects = case.test.objects().unwrap_or_default();
        let [only] = objects.as_slice() else {
            let why = format!("it has {} inputs, a corpus file has one", objects.len());
            done.left_out.push((case.name.clone(), why));
            continue;
        };
        atomic::write(&to.join(&case.name), &only.bytes)?;
        done.files += 1;
    }
    Ok(())
}
