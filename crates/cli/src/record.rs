//! How a target is built and fed, as `campaign.json` keeps it: enough to build and replay it again from
//! anywhere.

use crate::failure::Failure;
use crate::options::{Check, EntryOptions, Run};
use crate::surroundings;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use symcrete_event::{Declared, InputKind};
use symcrete_report::Campaign;
use symcrete_toolchain::build::{BuildError, Recorded};
use symcrete_toolchain::entry::{Entry, FUZZER};
use symcrete_toolchain::harness::{self, Buffer};
use symcrete_toolchain::input_functions::InputFunction;
use symcrete_toolchain::project::{self, Unit};
use symcrete_toolchain::target::{self, Request};
use symcrete_toolchain::{Builder, Layout, Variant, response};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetRecord {
    /// Where the user stood; relative names start here.
    pub folder: PathBuf,
    pub files: Vec<PathBuf>,
    pub binary: Option<PathBuf>,
    pub cflags: String,
    pub function: Option<String>,
    pub pointer_depth: u32,
    pub buffers: Vec<(String, u32)>,
    pub undefined: bool,
    pub inputs: Vec<InputRecord>,
    /// Functions that are inputs, and the bytes of what they return or fill.
    #[serde(default)]
    pub input_functions: Vec<(String, Option<u32>)>,
    /// Fixed arguments of the program, before those that are input.
    #[serde(default)]
    pub arguments: Vec<String>,
    pub max_len: u32,
    pub max_len_exact: bool,
    /// How files are compiled, with `--project`: kept, so that a project that was built anew changes nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<UnitRecord>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitRecord {
    pub file: PathBuf,
    pub folder: PathBuf,
    pub flags: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    pub kind: String,
    pub name: String,
    pub capacity: u32,
    pub exact: bool,
}

impl TargetRecord {
    pub fn new(run: &Run, folder: &Path) -> Result<TargetRecord, Failure> {
        let (files, units) = match &run.project {
            Some(project) => of_project(project, &run.files, folder)?,
            None => (run.files.clone(), Vec::new()),
        };
        if files.is_empty() && run.target.is_none() {
            return Err(Failure::wrong_use(
                "what to run? Name source files, or a built program with `--target BINARY`",
            ));
        }
        if run.target.is_some() && !run.files.is_empty() {
            return Err(Failure::wrong_use(
                "source files and `--target` do not go together: the program is built already",
            ));
        }
        if run.target.is_some() && run.entry.function.is_some() {
            return Err(Failure::wrong_use("`--function` needs the sources: a built program has its entry already"));
        }
        // Before anything is written: a mistyped name must leave no output folder behind.
        for file in files.iter().chain(&run.target) {
            if let Err(error) = std::fs::metadata(folder.join(file)) {
                return Err(Failure::wrong_use(format!("{}: {}", file.display(), reason(&error))));
            }
        }
        if let Some(binary) = &run.target {
            Recorded::read(&folder.join(binary), &surroundings::library_path())?;
        }
        for seeds in &run.seeds {
            if let Err(error) = std::fs::metadata(folder.join(seeds)) {
                return Err(Failure::wrong_use(format!("--seeds {}: {}", seeds.display(), reason(&error))));
            }
        }
        let declared = run.stdin.iter().chain(&run.arg).chain(&run.env).chain(&run.file).chain(&run.socket);
        let mut record = TargetRecord::of_entry(&files, &run.entry, folder);
        record.units = units;
        record.binary = run.target.clone();
        if run.entry.function.is_some() && !run.arguments.is_empty() {
            return Err(Failure::wrong_use("arguments behind `--` are for a program's main, not for `--function`"));
        }
        record.arguments = run.arguments.clone();
        record.input_functions = run.input_function.iter().map(|f| (f.name.clone(), f.bytes)).collect();
        record.undefined = run.check.contains(&Check::Undefined);
        record.inputs = declared
            .map(|d| InputRecord {
                kind: d.kind.slug().into(),
                name: d.name.clone(),
                capacity: d.capacity,
                exact: d.exact,
            })
            .collect();
        (record.max_len, record.max_len_exact) = run.max_len;
        Ok(record)
    }

    /// The output folder that a test, a bug or the folder itself belongs to, and its target.
    pub fn of_path(path: &Path) -> Result<(PathBuf, TargetRecord), Failure> {
        let full =
            path.canonicalize().map_err(|e| Failure::wrong_use(format!("{}: {}", path.display(), reason(&e))))?;
        let found = full.ancestors().find_map(|folder| Some((folder.to_owned(), Campaign::read(folder).ok()?)));
        let (out, campaign) = found
            .ok_or_else(|| Failure::wrong_use(format!("{} belongs to no output folder of symcrete", path.display())))?;
        let record = serde_json::from_value(campaign.target)
            .map_err(|e| Failure::wrong_use(format!("{}: {e}", out.display())))?;
        Ok((out, record))
    }

    pub fn of_entry(files: &[PathBuf], entry: &EntryOptions, folder: &Path) -> TargetRecord {
        TargetRecord {
            folder: folder.to_owned(),
            files: files.to_vec(),
            binary: None,
            cflags: entry.cflags.clone(),
            function: entry.function.clone(),
            pointer_depth: entry.pointer_depth,
            buffers: entry.buffer.iter().map(|b| (b.name.clone(), b.bytes)).collect(),
            undefined: false,
            inputs: Vec::new(),
            input_functions: Vec::new(),
            arguments: Vec::new(),
            max_len: 0,
            max_len_exact: false,
            units: Vec::new(),
        }
    }

    /// As the user named it.
    pub fn name(&self) -> String {
        match &self.binary {
            Some(binary) => binary.display().to_string(),
            None => self.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(" "),
        }
    }

    /// The last part of the default output folder.
    pub fn short_name(&self) -> String {
        let first = self.binary.as_ref().or(self.files.first());
        let stem =
            first.and_then(|f| f.file_stem()).map_or_else(|| "target".into(), |s| s.to_string_lossy().into_owned());
        match &self.function {
            Some(function) => format!("{stem}-{function}"),
            None => stem,
        }
    }

    pub fn arguments(&self) -> Vec<OsString> {
        self.arguments.iter().map(OsString::from).collect()
    }

    pub fn declared(&self) -> Vec<Declared> {
        self.inputs
            .iter()
            .filter_map(|i| {
                Some(Declared {
                    kind: InputKind::from_slug(&i.kind)?,
                    name: i.name.clone(),
                    capacity: i.capacity,
                    exact: i.exact,
                })
            })
            .collect()
    }

    /// The tracked program, compiled where needed, and what builds its other variants.
    pub fn prepare(&self, layout: &Layout, build: PathBuf, color: bool) -> Result<Prepared, Failure> {
        let Some(binary) = &self.binary else {
            let target = target::prepare(layout.clone(), build, &self.request(color)?)?;
            return Ok(Prepared { entry: target.entry, builder: Ok(target.builder), binary: None });
        };
        let wanted = self.input_functions();
        let binary = self.folder.join(binary);
        let recorded = Recorded::read(&binary, &surroundings::library_path())?;
        let entry = if recorded.has_main() { Entry::Main } else { Entry::Fuzzer };
        let builder = recorded.builder(layout.clone(), build, &binary).map_err(|e| e.to_string());
        if !wanted.is_empty() {
            // The program as it is has the bodies in it: it is built once more, from what it says of itself.
            let mut builder = builder.map_err(|why| Failure::wrong_use(format!("`--input-function`: {why}")))?;
            let defining = recorded.defining(&wanted.iter().map(|w| w.name.as_str()).collect::<Vec<_>>());
            target::replace_functions(&mut builder, &wanted, entry.name(), &defining)?;
            return Ok(Prepared { entry, builder: Ok(builder), binary: None });
        }
        Ok(Prepared { entry, builder, binary: Some(binary) })
    }

    fn input_functions(&self) -> Vec<InputFunction> {
        let functions = self.input_functions.iter();
        functions.map(|(name, bytes)| InputFunction { name: name.clone(), bytes: *bytes }).collect()
    }

    pub fn request(&self, color: bool) -> Result<Request, Failure> {
        let cflags = response::split(self.cflags.as_bytes());
        if let Some(stray) = cflags.iter().find(|f| ["-c", "-S", "-E", "-o"].iter().any(|s| *f == s)) {
            return Err(Failure::wrong_use(format!(
                "`--cflags` must not contain {}: the program is built whole",
                stray.to_string_lossy()
            )));
        }
        Ok(Request {
            files: self.files.clone(),
            folder: self.folder.clone(),
            cflags,
            function: self.function.clone(),
            harness: harness::Options {
                pointer_depth: self.pointer_depth,
                buffers: self
                    .buffers
                    .iter()
                    .map(|(name, bytes)| Buffer { name: name.clone(), bytes: *bytes })
                    .collect(),
            },
            input_functions: self.input_functions(),
            units: self.units.iter().map(UnitRecord::unit).collect(),
            undefined: self.undefined,
            color,
        })
    }
}

impl UnitRecord {
    fn unit(&self) -> Unit {
        let flags = self.flags.iter().map(OsString::from).collect();
        Unit { file: self.file.clone(), folder: self.folder.clone(), flags }
    }
}

/// The files that are meant, and how each of them is compiled: those named, or all of the project.
fn of_project(project: &Path, named: &[PathBuf], folder: &Path) -> Result<(Vec<PathBuf>, Vec<UnitRecord>), Failure> {
    let units = project::read(&folder.join(project)).map_err(|error| Failure::wrong_use(error.to_string()))?;
    let below = |file: &Path| file.strip_prefix(folder).unwrap_or(file).to_owned();
    let files = match named {
        [] => units.iter().map(|u| below(&u.file)).collect(),
        named => named.to_vec(),
    };
    let is_meant = |unit: &&Unit| files.iter().any(|f| folder.join(f) == unit.file);
    let record = |unit: &Unit| UnitRecord {
        file: unit.file.clone(),
        folder: unit.folder.clone(),
        flags: unit.flags.iter().map(|f| f.to_string_lossy().into_owned()).collect(),
    };
    let records = units.iter().filter(is_meant).map(record).collect();
    Ok((files, records))
}

pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or folder".into(),
        _ => error.to_string(),
    }
}

/// A target whose entry is known.
pub struct Prepared {
    pub entry: Entry,
    /// Why a built program cannot be built in other ways, where it cannot.
    pub builder: Result<Builder, String>,
    binary: Option<PathBuf>,
}

impl Prepared {
    /// The program that is explored, and the compiler's warnings.
    pub fn tracked(&self) -> Result<(PathBuf, Vec<u8>), Failure> {
        match (&self.binary, &self.builder) {
            (Some(binary), _) => Ok((binary.clone(), Vec::new())),
            (None, Ok(builder)) => {
                let built = builder.build(Variant::Tracked)?;
                Ok((built.program, built.diagnostics))
            }
            (None, Err(why)) => Err(Failure::wrong_use(why.clone())),
        }
    }

    /// Another variant. A target given as a binary may not have it: the reason is for the user, not an error.
    pub fn variant(&self, variant: Variant) -> Result<Result<PathBuf, String>, Failure> {
        let builder = match &self.builder {
            Ok(builder) => builder,
            Err(why) => return Ok(Err(why.clone())),
        };
        match builder.build(variant) {
            Ok(built) => Ok(Ok(built.program)),
            Err(error) if self.binary.is_some() && !error.is_missing_piece() => Ok(Err(error.to_string())),
            // Objects that were given and do not say how they came about.
            Err(error @ BuildError::Recorded { .. }) => Ok(Err(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    pub fn entry_name(&self) -> &str {
        self.entry.name()
    }

    pub fn is_fuzzer(&self) -> bool {
        self.entry.name() == FUZZER
    }
}
