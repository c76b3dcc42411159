//! `symcrete harness`: the text that `run --function` would compile.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Harness;
use crate::record::TargetRecord;
use crate::surroundings;
use symcrete_toolchain::target;

pub fn run(options: &Harness) -> Result<Exit, Failure> {
    if options.entry.function.as_deref().is_none_or(|f| f == "main") {
        return Err(Failure::wrong_use("for which function? Name it with `--function F`"));
    }
    let folder = surroundings::folder()?;
    let record = TargetRecord::of_entry(&options.files, &options.entry, &folder);
    let scratch = tempfile::tempdir().map_err(|e| Failure::wrong_use(format!("no temporary folder: {e}")))?;
    let target = target::prepare(
        surroundings::layout(),
        scratch.path().to_owned(),
        &record.request(surroundings::color_on_stderr())?,
    )?;
    let written = target.builder.sources.iter().find(|s| s.path.starts_with(scratch.path()));
    let text = written.and_then(|s| std::fs::read_to_string(&s.path).ok()).unwrap_or_default();
    print!("{text}");
    Ok(exit::DONE)
}
