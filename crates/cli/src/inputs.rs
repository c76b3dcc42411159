//! Which inputs a campaign feeds when the user declared none, and seeds from files.

use crate::failure::Failure;
use crate::record::{Prepared, TargetRecord};
use std::path::{Path, PathBuf};
use symcrete_abi::input::ValueKind;
use symcrete_event::{Declared, InputKind, InputObject};
use symcrete_exec::{Input, Object, ObjectKind, SourceSpec};
use symcrete_program::{Call, Program};
use symcrete_report::TestFile;
use symcrete_toolchain::entry::Entry;

/// Standard input of a program that reads it when nobody says how much.
const DEFAULT_STDIN: u32 = 64;

/// Calls that read standard input, or may.
const READERS: &[&str] = &[
    "read",
    "fgetc",
    "fgets",
    "fread",
    "getc",
    "getchar",
    "getdelim",
    "getline",
    "gets",
    "scanf",
    "fscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc23_scanf",
    "__isoc23_fscanf",
    "getc_unlocked",
    "getchar_unlocked",
    "vscanf",
    "vfscanf",
    "readv",
    "fgets_unlocked",
    "fgetc_unlocked",
    "fread_unlocked",
];

/// Whether a call may read standard input: functions of C, and members and friends of C++'s input streams.
fn reads(name: &str) -> bool {
    READERS.contains(&name) || name.starts_with("_ZNSi") || name.contains("basic_istream")
}

/// The declared sources, or sensible ones; and a note when they were ours to choose.
pub fn choose(record: &TargetRecord, prepared: &Prepared, program: &Program) -> (Vec<Declared>, Option<String>) {
    let mut declared = record.declared();
    if prepared.is_fuzzer() {
        let buffer = Declared {
            kind: InputKind::Buffer,
            name: String::new(),
            capacity: record.max_len,
            exact: record.max_len_exact,
        };
        declared.insert(0, buffer);
        return (declared, None);
    }
    if declared.is_empty() && prepared.entry == Entry::Main && !calls(program, is_request) && calls(program, reads) {
        declared.push(Declared { kind: InputKind::Stdin, name: String::new(), capacity: DEFAULT_STDIN, exact: false });
        return (
            declared,
            Some(format!(
                "no input was declared: standard input of up to {DEFAULT_STDIN} bytes is used (`--stdin N` changes \
                 that; `--arg N` and `--file NAME:N` declare others)"
            )),
        );
    }
    (declared, None)
}

/// Functions by which a program asks for input.
fn is_request(name: &str) -> bool {
    (name.starts_with("symcrete_") && !["symcrete_assume", "symcrete_target"].contains(&name))
        || name.starts_with("__VERIFIER_nondet_")
        || ["klee_make_symbolic", "klee_int", "klee_range"].contains(&name)
}

fn calls(program: &Program, wanted: impl Fn(&str) -> bool) -> bool {
    program.units().filter(|(_, u)| !u.model).any(|(_, unit)| {
        let blocks = unit.functions.iter().flat_map(|f| &f.blocks);
        blocks.flat_map(|b| &b.calls).any(|c| matches!(c, Call::Direct(name) if wanted(name)))
    })
}

/// What a program without input could be given.
pub fn suggestions() -> &'static str {
    "the program reads no input that symcrete controls\n  \
     declare some:  --stdin N   --arg N   --env NAME:N   --file NAME:N   --socket N\n  \
     or start from a function:  --function F\n  \
     or ask in the source:  #include <symcrete.h>  int x = symcrete_int(\"x\");"
}

/// Every file below the folders, in the order of their names.
pub fn seeds(folders: &[PathBuf], sources: &[SourceSpec]) -> Result<Vec<(String, Input)>, Failure> {
    let mut seeds = Vec::new();
    for folder in folders {
        let cannot = |e: std::io::Error| Failure::wrong_use(format!("--seeds {}: {e}", folder.display()));
        let mut files = Vec::new();
        if std::fs::metadata(folder).map_err(cannot)?.is_dir() {
            collect(folder, &mut files).map_err(cannot)?;
        } else {
            files.push(folder.clone());
        }
        files.sort();
        for file in files {
            let bytes = std::fs::read(&file).map_err(cannot)?;
            // One of our own tests may have several inputs; anything else is the first source's bytes.
            let ours = file
                .extension()
                .is_some_and(|e| e == "json")
                .then(|| TestFile::read(&file).ok())
                .flatten()
                .and_then(|t| t.objects());
            let input = ours.map_or_else(|| Input::for_sources(sources, [bytes]), |objects| fitted(&objects, sources));
            seeds.push((file.display().to_string(), input));
        }
    }
    Ok(seeds)
}

/// A recorded test as it is.
pub fn input(objects: &[InputObject]) -> Input {
    let object = |o: &InputObject| {
        let kind = if o.kind.is_declared() {
            ObjectKind::Declared(o.kind.source())
        } else {
            ObjectKind::Requested(value_kind(o.kind))
        };
        Object { name: o.name.clone(), kind, bytes: o.bytes.clone() }
    };
    Input { objects: objects.iter().map(object).collect() }
}

/// A recorded test brought to the sources of a target, which may be others by now.
pub fn fitted(objects: &[InputObject], sources: &[SourceSpec]) -> Input {
    let (declared, asked): (Vec<InputObject>, Vec<InputObject>) =
        objects.iter().cloned().partition(|o| o.kind.is_declared());
    let mut fitted = Input::for_sources(sources, declared.into_iter().map(|o| o.bytes));
    fitted.objects.extend(input(&asked).objects);
    fitted
}

fn value_kind(kind: InputKind) -> ValueKind {
    match kind {
        InputKind::Signed => ValueKind::Signed,
        InputKind::Unsigned => ValueKind::Unsigned,
        InputKind::Float => ValueKind::Float,
        InputKind::Bool => ValueKind::Bool,
        InputKind::Choice => ValueKind::Choice,
        _ => ValueKind::Bytes,
    }
}

pub fn sources(declared: &[Declared]) -> Vec<SourceSpec> {
    declared
        .iter()
        .map(|d| SourceSpec { kind: d.kind.source(), name: d.name.clone(), capacity: d.capacity, exact: d.exact })
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(&path, files)?;
        } else if path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
