//! Rebuilds a linked target plainly from what its object files recorded: each unit's command and folder.
//!
//! Where that cannot work (a unit without its command, a source that is gone) it says so; the caller then
//! judges tests by the target's own fast body.

use super::compile::{Builder, Source};
use super::error::BuildError;
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
    /// Reads a target built by `symcrete cc`.
    pub fn read(target: &Path) -> Result<Recorded, BuildError> {
        let broken = |reason: String| BuildError::Source { path: target.to_owned(), reason };
        let bytes = std::fs::read(target).map_err(|e| broken(e.to_string()))?;
        let program = Program::from_elf(&bytes).map_err(|e| broken(e.to_string()))?;
        let mut sanitizers: Vec<String> = program.units().flat_map(|(_, u)| parse(&u.command).sanitizers()).collect();
        sanitizers.sort();
        sanitizers.dedup();
        let file = object::File::parse(&*bytes).map_err(|e| broken(e.to_string()))?;
        let has_main = !file.symbols().any(|s| s.is_definition() && s.name() == Ok(crate::entry::FUZZER));
        Ok(Recorded { program, sanitizers, libraries: needed(&bytes), has_main })
    }

    /// Whether the target is a plain program, as opposed to a libFuzzer harness.
    pub fn has_main(&self) -> bool {
        self.has_main
    }

    /// A builder for the plain variants.
    pub fn builder(&self, layout: Layout, out: PathBuf, target: &Path) -> Result<Builder, BuildError> {
        let cannot = |why: String| BuildError::Recorded { target: target.display().to_string(), why };
        let mut sources = Vec::new();
        for (_, unit) in self.program.units().filter(|(_, u)| !u.model) {
            if unit.command.is_empty() {
                return Err(cannot(format!("{} does not say how it was compiled", unit.path)));
            }
            let folder = PathBuf::from(&unit.folder);
            if !folder.join(&unit.path).is_file() {
                return Err(cannot(format!("{} is not there any more", unit.path)));
            }
            sources.push(Source { path: PathBuf::from(&unit.path), compiled: true, flags: compile_flags(&unit.command), folder });
        }
        if sources.is_empty() {
            return Err(cannot("it has no code of its own".into()));
        }
        let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
        Ok(Builder { layout, out, folder, sources, cflags: Vec::new(), libraries: self.libraries.clone(), undefined: false, color: false })
    }
}

fn parse(command: &[String]) -> CommandLine {
    CommandLine::parse(command.iter().map(OsString::from).collect())
}

/// The part of a recorded command that concerns compiling.
fn compile_flags(command: &[String]) -> Vec<OsString> {
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

/// The shared libraries the target asks for, as linker words, and where it looks for them.
fn needed(bytes: &[u8]) -> Vec<OsString> {
    use object::read::elf::{ElfFile64, FileHeader};
    let Ok(file) = ElfFile64::<object::Endianness>::parse(bytes) else { return Vec::new() };
    let endian = file.endian();
    let Ok(sections) = file.elf_header().sections(endian, bytes) else { return Vec::new() };
    let Ok(Some((dynamic, link))) = sections.dynamic(endian, bytes) else { return Vec::new() };
    let Ok(strings) = sections.strings(endian, bytes, link) else { return Vec::new() };
    let mut words = Vec::new();
    for entry in dynamic {
        let tag = entry.d_tag.get(endian) as u32;
        let Ok(offset) = u32::try_from(entry.d_val.get(endian)) else { continue };
        let text = strings.get(offset).ok().and_then(|t| std::str::from_utf8(t).ok());
        match (tag, text) {
            // The compiler adds the C library and its own support by itself.
            (object::elf::DT_NEEDED, Some(name)) if !["libc.so", "libgcc_s.so", "ld-linux"].iter().any(|p| name.starts_with(p)) => {
                words.push(OsString::from(format!("-l:{name}")));
            }
            (object::elf::DT_RUNPATH | object::elf::DT_RPATH, Some(path)) => {
                words.push(OsString::from(format!("-L{path}")));
                words.push(OsString::from(format!("-Wl,-rpath,{path}")));
            }
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_compiles_is_kept() {
        let command = "-O3 -DA=1 -Iinc -c src/a.c b.c -o a.o -MD -MF a.d -lm -Wl,-z,now -flto -fsanitize=address -std=c99";
        let words: Vec<String> = command.split_whitespace().map(String::from).collect();
        assert_eq!(compile_flags(&words), ["-O3", "-DA=1", "-Iinc", "-std=c99"].map(OsString::from));
    }
}
