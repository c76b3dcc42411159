//! `symcrete harness`: the harness of `run --function`, to be looked at, edited and kept.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Harness;
use crate::record::TargetRecord;
use crate::surroundings;
use std::path::{Path, PathBuf};
use symcrete_toolchain::harness::kept;
use symcrete_toolchain::target;

pub fn run(options: &Harness) -> Result<Exit, Failure> {
    let folder = surroundings::folder()?;
    let mut entry = options.entry.clone();
    let mut files = options.files.clone();
    if entry.function.is_none()
        && let Some((file, function)) = named(&folder, &files[0])
    {
        (files[0], entry.function) = (file, Some(function));
    }
    let Some(function) = entry.function.clone().filter(|f| f != "main") else {
        return Err(Failure::wrong_use("for which function? Name it: `symcrete harness FILE.c:FUNCTION`"));
    };
    let record = TargetRecord::of_entry(&files, &entry, &folder);
    let scratch = tempfile::tempdir().map_err(|e| Failure::wrong_use(format!("no temporary folder: {e}")))?;
    let request = record.request(surroundings::color_on_stderr())?;
    let target = target::prepare(surroundings::layout(), scratch.path().to_owned(), &request)?;
    let position = target.builder.sources.iter().position(|s| s.path.starts_with(scratch.path()));
    let text = position.and_then(|p| std::fs::read_to_string(&target.builder.sources[p].path).ok()).unwrap_or_default();
    let position = position.unwrap_or(0);
    let source = files[position].display().to_string();
    let others: Vec<String> =
        files.iter().enumerate().filter(|(i, _)| *i != position).map(|(_, f)| f.display().to_string()).collect();
    let text = kept(&text, &function, &source, &others, &request.harness);
    let Some(out) = &options.out else {
        print!("{text}");
        return Ok(exit::DONE);
    };
    // Somebody may have edited it.
    if out.exists() {
        return Err(Failure::wrong_use(format!("{} is there already: name another file", out.display())));
    }
    std::fs::write(out, text).map_err(|e| Failure::wrong_use(format!("{}: {e}", out.display())))?;
    println!("{}\n  symcrete run {}", out.display(), out.display());
    Ok(exit::DONE)
}

/// `FILE:FUNCTION`, for a file that is there; names of C++ have colons, too.
fn named(folder: &Path, given: &Path) -> Option<(PathBuf, String)> {
    let text = given.to_str()?;
    let colons = text.match_indices(':').map(|(at, _)| at);
    let mut splits = colons.map(|at| (PathBuf::from(&text[..at]), text[at + 1..].to_string()));
    splits.find(|(file, function)| !function.is_empty() && folder.join(file).is_file())
}
