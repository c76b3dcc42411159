//! Rebuilds a linked target plainly from what its object files recorded: each unit's command and folder.
//!
//! Where that cannot work (a unit without its command, a source that is gone) it says so; the caller then
//! judges tests by the target's own fast body.

use super::compile::{Builder, Source};
use super::error::BuildError;
use super::objects::{self, Linked};
use super::variant::Variant;
use crate::arguments::{CommandLine, Role};
use crate::layout::Layout;
use object::{Object, ObjectSymbol};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use symcrete_program::Program;

/// What a linked target says of itself.
#[derive(Debug)]
pub struct Recorded {
    pub program: Program,
    /// Sanitizers the user's own commands asked for; they are for the replay builds.
    pub sanitizers: Vec<String>,
    libraries: Vec<OsString>,
    has_main: bool,
}

impl Recorded {
    /// Reads a target built by `symcrete cc`, with the instrumented shared objects it needs.
    /// `library_path` is what `LD_LIBRARY_PATH` says.
    pub fn read(target: &Path, library_path: &[PathBuf]) -> Result<Recorded, BuildError> {
        let broken = |reason: String| BuildError::Source { path: target.to_owned(), reason };
        let bytes = std::fs::read(target).map_err(|e| broken(e.to_string()))?;
        let linked = objects::linked(target, &bytes, library_path).map_err(|e| broken(e.to_string()))?;
        let libraries = libraries(&linked);
        let program = linked.program;
        let mut sanitizers: Vec<String> = program.units().flat_map(|(_, u)| parse(&u.command).sanitizers()).collect();
        sanitizers.sort();
        sanitizers.dedup();
        let file = object::File::parse(&*bytes).map_err(|e| broken(e.to_string()))?;
        let has_main = !file.symbols().any(|s| s.is_definition() && s.name() == Ok(crate::entry::FUZZER));
        Ok(Recorded { program, sanitizers, libraries, has_main })
    }

    /// Whether the target is a plain program, as opposed to a libFuzzer harness.
    pub fn has_main(&self) -> bool {
        self.has_main
    }

    /// Numbers of a builder's sources that define or call one of the functions; all of them where a name is unknown.
    pub fn defining(&self, names: &[&str]) -> Vec<usize> {
        let units: Vec<_> = self.program.units().filter(|(_, u)| !u.model).map(|(_, u)| u).collect();
        let of = |name: &&str| -> Vec<usize> {
            let defines =
                |u: &symcrete_program::Unit| u.functions.iter().any(|f| f.name == *name || f.source_name == *name);
            (0..units.len()).filter(|&at| defines(units[at])).collect()
        };
        let found: Vec<Vec<usize>> = names.iter().map(of).collect();
        if found.iter().any(Vec::is_empty) {
            return (0..units.len()).collect();
        }
        let mut all = found.concat();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Every unit as a source to be compiled as it was.
    fn sources(&self, target: &Path) -> Result<Vec<Source>, BuildError> {
        let cannot = |why: String| BuildError::Recorded { target: target.display().to_string(), why };
        let source = |unit: &symcrete_program::Unit| {
            if unit.command.is_empty() {
                return Err(cannot(format!("{} does not say how it was compiled", unit.path)));
            }
            let folder = PathBuf::from(&unit.folder);
            if !folder.join(&unit.path).is_file() {
                return Err(cannot(format!("{} is not there any more", unit.path)));
            }
            let (path, flags) = (PathBuf::from(&unit.path), compile_flags(&unit.command));
            Ok(Source { path, compiled: true, flags, folder, asks: false })
        };
        self.program.units().filter(|(_, u)| !u.model).map(|(_, unit)| source(unit)).collect()
    }

    /// A builder for the plain variants.
    pub fn builder(&self, layout: Layout, out: PathBuf, target: &Path) -> Result<Builder, BuildError> {
        let cannot = |why: String| BuildError::Recorded { target: target.display().to_string(), why };
        let sources = self.sources(target)?;
        if sources.is_empty() {
            return Err(cannot("it has no code of its own".into()));
        }
        let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
        Ok(Builder {
            layout,
            out,
            folder,
            sources,
            cflags: Vec::new(),
            libraries: self.libraries.clone(),
            undefined: false,
            color: false,
            inputs: String::new(),
        })
    }
}

/// What `builder` needs for plain variants where it was given instrumented objects or archives: their units
/// as the tracked program recorded them. `None` where it was given none.
pub fn without_instrumented(builder: &Builder) -> Result<Option<Builder>, BuildError> {
    let full = |source: &Source| source.folder.join(&source.path);
    let instrumented = |source: &Source| !source.compiled && objects::is_instrumented(&full(source));
    if !builder.sources.iter().any(instrumented) {
        return Ok(None);
    }
    let tracked = builder.out.join(Variant::Tracked.folder()).join("program");
    let same = |source: &Source| full(source).canonicalize().unwrap_or_else(|_| full(source));
    let own: Vec<PathBuf> = builder.sources.iter().filter(|s| s.compiled).map(same).collect();
    let recorded = Recorded::read(&tracked, &[])?.sources(&tracked)?;
    let (compiled, given): (Vec<Source>, Vec<Source>) = builder.sources.iter().cloned().partition(|s| s.compiled);
    let mut sources = compiled;
    sources.extend(recorded.into_iter().filter(|s| !own.contains(&same(s))));
    // Of an archive nothing is taken that was compiled anew; the rest of it may be needed.
    let is_archive = |source: &Source| source.path.extension().is_some_and(|e| e == "a");
    sources.extend(given.into_iter().filter(|source| is_archive(source) || !instrumented(source)));
    Ok(Some(Builder { sources, ..builder.clone() }))
}

fn parse(command: &[String]) -> CommandLine {
    CommandLine::parse(command.iter().map(OsString::from).collect())
}

/// The part of a recorded command that concerns compiling.
pub(crate) fn compile_flags(command: &[String]) -> Vec<OsString> {
    let mut line = parse(command);
    line.words.retain(|w| {
        !matches!(
            w.role,
            Role::Input(_)
                | Role::Output
                | Role::Stage(_)
                | Role::Dependency
                | Role::Library
                | Role::Linker
                | Role::Shared
                | Role::Relocatable
                | Role::Lto
                | Role::Sanitize
                | Role::NoSanitize
                | Role::SanitizerDetail
        )
    });
    line.into_arguments()
}

/// Words that link the libraries which are not ours, found where the target finds them.
fn libraries(linked: &Linked) -> Vec<OsString> {
    let mut words = Vec::new();
    for path in &linked.paths {
        words.push(OsString::from(format!("-L{}", path.display())));
        words.push(OsString::from(format!("-Wl,-rpath,{}", path.display())));
    }
    // The compiler adds the C library and its own support by itself.
    let own = ["libc.so", "libgcc_s.so", "ld-linux"];
    words.extend(
        linked
            .plain
            .iter()
            .filter(|name| !own.iter().any(|p| name.starts_with(p)))
            .map(|name| if name.contains('/') { OsString::from(name) } else { OsString::from(format!("-l:{name}")) }),
    );
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_compiles_is_kept() {
        let command =
            "-O3 -DA=1 -Iinc -c src/a.c b.c -o a.o -MD -MF a.d -lm -Wl,-z,now -flto -fsanitize=address -std=c99";
        let words: Vec<String> = command.split_whitespace().map(String::from).collect();
        assert_eq!(compile_flags(&words), ["-O3", "-DA=1", "-Iinc", "-std=c99"].map(OsString::from));
    }
}
