//! From what the user names to something that can be built: sources, entry, and a harness where the
//! entry is an ordinary function.

use crate::build::{BuildError, Builder, Source, Variant};
use crate::entry::{self, Entry, EntryError, FUZZER};
use crate::harness::{self, HarnessError, Types, USER_MAIN};
use crate::input_functions::{InputFunction, InputFunctionError, StandIns};
use crate::layout::{Language, Layout};
use crate::project::Unit;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Relative to `folder`.
    pub files: Vec<PathBuf>,
    pub folder: PathBuf,
    pub cflags: Vec<OsString>,
    pub function: Option<String>,
    pub harness: harness::Options,
    pub input_functions: Vec<InputFunction>,
    /// How files of a project are compiled (`--project`); others have no flags of their own.
    pub units: Vec<Unit>,
    /// `--check undefined`.
    pub undefined: bool,
    pub color: bool,
}

#[derive(Clone, Debug)]
pub struct Target {
    pub builder: Builder,
    pub entry: Entry,
}

/// Finds the entry and, for `--function`, writes the harness; compiles as much as that needs.
pub fn prepare(layout: Layout, out: PathBuf, request: &Request) -> Result<Target, BuildError> {
    let mut builder = Builder::new(layout, out, request.folder.clone(), &request.files, request.cflags.clone())?;
    builder.undefined = request.undefined;
    builder.color = request.color;
    for source in builder.sources.iter_mut().filter(|s| s.compiled) {
        let full = request.folder.join(&source.path);
        if let Some(unit) = request.units.iter().find(|u| u.file == full) {
            let (flags, folder) = (unit.flags.clone(), unit.folder.clone());
            *source = Source { path: full, flags, folder, ..source.clone() };
        }
    }
    let entry = request.function.as_deref().unwrap_or("main");
    let all: Vec<usize> = (0..builder.sources.len()).collect();
    replace_functions(&mut builder, &request.input_functions, entry, &all)?;
    match request.function.as_deref() {
        None | Some("main" | FUZZER) => by_symbols(builder, request.function.as_deref()),
        Some(name) => by_harness(builder, name, request),
    }
}

/// Makes inputs of functions: looks for them in the sources named by number, and adds the file that stands in for
/// them.
pub fn replace_functions(
    builder: &mut Builder,
    wanted: &[InputFunction],
    entry: &str,
    sources: &[usize],
) -> Result<(), BuildError> {
    let mut stand_ins = StandIns::default();
    let mut all = Vec::new();
    for &index in sources {
        if !wanted.is_empty() && has_types(&builder.sources[index]) {
            all.push((index, read_types(builder, index)?));
        }
    }
    for (at, one) in wanted.iter().enumerate() {
        let name = || one.name.clone();
        if one.name == entry || one.name == FUZZER {
            return Err(InputFunctionError::Entry { name: name() }.into());
        }
        if wanted[..at].iter().any(|w| w.name == one.name) {
            return Err(InputFunctionError::Twice { name: name() }.into());
        }
        let found: Vec<(usize, &Types, &harness::Function)> = all
            .iter()
            .flat_map(|(at, types)| types.functions.iter().filter(|f| f.name == one.name).map(move |f| (*at, types, f)))
            .collect();
        match found[..] {
            [(index, types, function)] => {
                stand_ins.add(one, types, function)?;
                builder.sources[index].asks = true;
            }
            [] if all.iter().any(|(_, types)| types.undefined.contains(&one.name)) => {
                return Err(InputFunctionError::Outside { name: name() }.into());
            }
            [] => {
                let own = all.iter().flat_map(|(_, t)| t.functions.iter().filter(|f| f.own));
                let functions = own.map(|f| f.name.clone()).collect();
                return Err(InputFunctionError::Unknown { name: name(), functions }.into());
            }
            _ => return Err(InputFunctionError::Several { name: name(), count: found.len() }.into()),
        }
    }
    if stand_ins.list.is_empty() {
        return Ok(());
    }
    // In a folder of its own: the harness of `--function` has the same name, by which its branches are told
    // from the user's.
    let folder = builder.out.join("inputs");
    let path = folder.join(harness::FILE);
    let written = std::fs::create_dir_all(&folder).and_then(|()| write_if_changed(&path, &stand_ins.text));
    written.map_err(|source| BuildError::Io { path: path.clone(), source })?;
    builder.inputs = stand_ins.list;
    let folder = builder.folder.clone();
    builder.sources.push(Source { path, compiled: true, flags: Vec::new(), folder, asks: false });
    Ok(())
}

fn by_symbols(mut builder: Builder, chosen: Option<&str>) -> Result<Target, BuildError> {
    let (objects, _) = builder.objects(Variant::Tracked)?;
    let sources: Vec<PathBuf> = builder.sources.iter().map(|s| s.path.clone()).collect();
    let found = entry::detect(&entry::pair(&objects, &sources), chosen);
    let entry = match found {
        Ok(entry) => entry,
        // An archive may hold it; then the linker decides.
        Err(EntryError::None { .. }) if sources.iter().any(|s| s.extension().is_some_and(|e| e == "a")) => Entry::Main,
        Err(EntryError::None { files, .. }) => {
            return Err(EntryError::None { files, candidates: functions(&builder)? }.into());
        }
        Err(EntryError::Unknown { name, files, .. }) => {
            return Err(EntryError::Unknown { name, files, candidates: functions(&builder)? }.into());
        }
        Err(error) => return Err(error.into()),
    };
    if entry == Entry::Fuzzer && chosen.is_some() {
        rename_main(&mut builder);
    }
    Ok(Target { builder, entry })
}

/// While something else is the entry a `main` of the user's must not be the program's.
fn rename_main(builder: &mut Builder) {
    for source in builder.sources.iter_mut().filter(|s| s.compiled) {
        source.flags.push(format!("-Dmain={USER_MAIN}").into());
    }
}

/// Every function with the names of its parameters, which only full debug information has.
fn functions(builder: &Builder) -> Result<Vec<String>, BuildError> {
    let mut all = Vec::new();
    for index in 0..builder.sources.len() {
        if has_types(&builder.sources[index]) {
            all.extend(listed(&read_types(builder, index)?));
        }
    }
    Ok(all)
}

/// `f(x, y)`, in the order of the source.
fn listed(types: &Types) -> Vec<String> {
    let mut functions: Vec<_> = types.functions.iter().filter(|f| f.own).collect();
    functions.sort_by_key(|f| f.line);
    let names = |f: &harness::Function| f.parameters.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>().join(", ");
    functions.iter().map(|f| format!("{}({})", f.name, names(f))).collect()
}

fn has_types(source: &Source) -> bool {
    source.compiled && !source.path.extension().is_some_and(|e| e == "s" || e == "S")
}

fn by_harness(mut builder: Builder, name: &str, request: &Request) -> Result<Target, BuildError> {
    let mut all = Vec::new();
    for index in 0..builder.sources.len() {
        if !has_types(&builder.sources[index]) {
            continue;
        }
        let types = read_types(&builder, index)?;
        if let Some(function) = types.functions.iter().find(|f| f.name == name) {
            let language = Language::of_file(&builder.sources[index].path);
            // With `-iquote FOLDER` the directive finds the file under the name the user gave it.
            let include = builder.sources[index].path.display().to_string();
            let text = harness::write(&types, function, &include, language, &request.harness)?;
            let file = if language == Language::Cxx { harness::FILE_CXX } else { harness::FILE };
            let path = builder.out.join(file);
            let written = std::fs::create_dir_all(&builder.out).and_then(|()| write_if_changed(&path, &text));
            written.map_err(|source| BuildError::Io { path: path.clone(), source })?;
            let mut quote = OsString::from("-iquote");
            quote.push(&request.folder);
            let source = &mut builder.sources[index];
            source.path = path;
            source.flags.push(quote);
            rename_main(&mut builder);
            return Ok(Target { builder, entry: Entry::Function(name.into()) });
        }
        all.extend(listed(&types));
    }
    let files = request.files.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", ");
    Err(EntryError::Unknown { name: name.into(), files, candidates: all }.into())
}

/// Compiles one source plainly, unused static functions included, and reads its debug information.
/// A shared object, because its debug information needs no relocation.
fn read_types(builder: &Builder, index: usize) -> Result<Types, BuildError> {
    let source = &builder.sources[index];
    let out = builder.out.join("types");
    std::fs::create_dir_all(&out).map_err(|e| BuildError::Io { path: out.clone(), source: e })?;
    let product = out.join(format!("{index:04}.so"));
    let clang = builder.layout.clang(Language::of_file(&source.path))?;
    let mut command = Command::new(&clang);
    command.args([
        "--start-no-unused-arguments",
        "-g",
        "-O0",
        "-fPIC",
        "-shared",
        "-femit-all-decls",
        "-fuse-ld=lld",
        "-nostdlib",
    ]);
    if builder.color {
        command.arg("-fcolor-diagnostics");
    }
    if let Some(include) = builder.layout.include() {
        command.arg("-idirafter").arg(include);
    }
    command.args(compile_only(&builder.cflags)).args(compile_only(&source.flags)).arg("--end-no-unused-arguments");
    // Undefined names are fine here, whatever the user's flags say about them.
    command.arg(&source.path).arg("-Wl,-z,undefs").arg("-o").arg(&product).current_dir(&source.folder);
    let output = command.output().map_err(|e| BuildError::Start { program: clang.display().to_string(), source: e })?;
    if !output.status.success() {
        return Err(BuildError::Compile { what: source.path.display().to_string(), diagnostics: output.stderr });
    }
    let broken = |reason: String| HarnessError::Debug { file: source.path.display().to_string(), reason };
    let bytes = std::fs::read(&product).map_err(|e| broken(e.to_string()))?;
    Ok(Types::read(&bytes, &source.path.display().to_string())?)
}

/// Flags of the user that shape the program's meaning; not those of links, levels and sanitizers.
fn compile_only(flags: &[OsString]) -> Vec<OsString> {
    use crate::arguments::{CommandLine, Role};
    let mut line = CommandLine::parse(flags.to_vec());
    line.words.retain(|w| matches!(w.role, Role::Other | Role::Language));
    line.words.retain(|w| !w.head().starts_with("-static"));
    line.into_arguments()
}

/// Leaves the file's time alone when nothing changed.
fn write_if_changed(path: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    std::fs::write(path, text)
}
