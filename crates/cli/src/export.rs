//! `symcrete export`.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::{CFramework, Export};
use crate::record::TargetRecord;
use crate::surroundings;
use std::path::Path;
use symcrete_report::export::c::{Entry as CEntry, Framework, Program};
use symcrete_report::export::{About, ExportError, Exported, Format, export, export_reach};
use symcrete_report::{Campaign, ReachFile, Summary};
use symcrete_toolchain::entry::{Entry, FUZZER};
use symcrete_toolchain::harness::ENTRY;
use symcrete_toolchain::layout::Language;
use symcrete_toolchain::{did_you_mean, response};

const FORMATS: &[&str] = &["c", "corpus", "junit", "ktest", "sarif", "testcomp"];

pub fn run(options: &Export) -> Result<Exit, Failure> {
    if !FORMATS.contains(&options.format.as_str()) {
        return Err(Failure::wrong_use(format!(
            "`--format {}`: one of {}{}",
            options.format,
            FORMATS.join(", "),
            did_you_mean(&options.format, FORMATS.iter().copied())
        )));
    }
    if options.framework.is_some() && options.format != "c" {
        return Err(Failure::wrong_use("`--framework` is for `--format c`"));
    }
    let done = match options.out.is_file() {
        true => verdicts(options)?,
        false => folder(options)?,
    };
    for note in &done.notes {
        println!("  {note}");
    }
    if let Some((name, why)) = done.left_out.first() {
        println!("{} tests left out; {name}: {why}", done.left_out.len());
    }
    Ok(exit::DONE)
}

/// The tests and bugs of an output folder.
fn folder(options: &Export) -> Result<Exported, Failure> {
    let campaign = Campaign::read(&options.out)?;
    let entry = Summary::read(&options.out).ok().map(|s| s.entry);
    let format = match options.format.as_str() {
        "c" => Format::C(Box::new(program(options, entry.as_deref())?)),
        "ktest" => Format::KTest,
        "testcomp" => Format::TestComp,
        other => findings(other).unwrap_or(Format::Corpus),
    };
    let to = options.to.clone().unwrap_or_else(|| options.out.join(&options.format));
    let folder = campaign.target["folder"].as_str().unwrap_or_default();
    let about = About { target: &campaign.name, entry: entry.as_deref().unwrap_or("main"), folder };
    written(export(&options.out, &to, &format, &about), &to)
}

/// The verdicts of `reach --json`.
fn verdicts(options: &Export) -> Result<Exported, Failure> {
    let file = ReachFile::read(&options.out)?;
    let beside = || options.out.parent().unwrap_or(Path::new("")).join(&options.format);
    let to = options.to.clone().unwrap_or_else(beside);
    written(export_reach(&file, &to, &findings(&options.format).unwrap_or(Format::Corpus)), &to)
}

fn findings(format: &str) -> Option<Format> {
    match format {
        "sarif" => Some(Format::Sarif),
        "junit" => Some(Format::JUnit),
        _ => None,
    }
}

fn written(done: Result<Exported, ExportError>, to: &Path) -> Result<Exported, Failure> {
    let done = done.map_err(|error| match error {
        ExportError::Io(error) => Failure::wrong_use(format!("{}: {error}", to.display())),
        other => Failure::wrong_use(other.to_string()),
    })?;
    println!("{} files in {}", done.files, to.display());
    Ok(done)
}

/// What a compiler must know of the target. Only a harness, and a run that was killed, need anything compiled.
fn program(options: &Export, entry: Option<&str>) -> Result<Program, Failure> {
    let (out, record) = TargetRecord::of_path(&options.out)?;
    let mut files = record.files.clone();
    let entry = match entry {
        Some("main") => CEntry::Main,
        Some(FUZZER) => CEntry::Fuzzer,
        // Refused later, with the reason; nothing needs to be compiled for that.
        _ if !record.input_functions.is_empty() => CEntry::Main,
        _ => {
            let prepared =
                record.prepare(&surroundings::layout(), out.join("build"), surroundings::color_on_stderr())?;
            match prepared.entry {
                Entry::Main => CEntry::Main,
                Entry::Fuzzer => CEntry::Fuzzer,
                Entry::Function(_) => {
                    let builder = prepared.builder.map_err(Failure::wrong_use)?;
                    let harness = builder.sources.iter().position(|s| s.path.file_stem().is_some_and(|n| n == ENTRY));
                    let missing = || Failure::wrong_use("the harness of `--function` is missing");
                    let position = harness.ok_or_else(missing)?;
                    let text = std::fs::read_to_string(&builder.sources[position].path).map_err(|_| missing())?;
                    // It includes the file that it stands for.
                    files.remove(position);
                    CEntry::Harness { text }
                }
            }
        }
    };
    if !record.units.is_empty() {
        // Each is compiled in its own way, which the project's own build knows.
        files.clear();
    }
    Ok(Program {
        name: record.short_name(),
        entry,
        cxx: record.files.iter().any(|f| Language::of_file(f) == Language::Cxx),
        files: files.iter().map(|f| f.display().to_string()).collect(),
        folder: record.folder.display().to_string(),
        flags: response::split(record.cflags.as_bytes()).iter().map(|f| f.to_string_lossy().into_owned()).collect(),
        arguments: record.arguments.clone(),
        input_functions: record.input_functions.iter().map(|(name, _)| name.clone()).collect(),
        framework: options.framework.map_or(Framework::None, CFramework::framework),
    })
}
