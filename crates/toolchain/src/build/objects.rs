//! Shared objects that a program is linked with, found as the dynamic linker finds them.
//!
//! Reads files only; what is not found is left to the dynamic linker's own message.

use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile64, FileHeader};
use object::{Object, ObjectSection};
use std::path::{Path, PathBuf};
use symcrete_program::{LoadError, Program};

/// One file and what it asks for.
struct Needs {
    names: Vec<String>,
    /// RPATH and RUNPATH, with `$ORIGIN` replaced.
    paths: Vec<PathBuf>,
}

/// The program model of a file and of every instrumented shared object it needs, and the names of the
/// other ones as the file asks for them, with the folders named in it.
pub struct Linked {
    pub program: Program,
    pub plain: Vec<String>,
    pub paths: Vec<PathBuf>,
}

/// `library_path` is what `LD_LIBRARY_PATH` says.
pub fn linked(target: &Path, bytes: &[u8], library_path: &[PathBuf]) -> Result<Linked, LoadError> {
    let mut linked = Linked { program: Program::from_elf(bytes)?, plain: Vec::new(), paths: Vec::new() };
    let mut seen: Vec<String> = Vec::new();
    let mut work = vec![needs(target, bytes)];
    while let Some(needs) = work.pop() {
        linked.paths.extend(needs.paths.iter().filter(|p| !linked.paths.contains(p)).cloned().collect::<Vec<_>>());
        for name in needs.names {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name.clone());
            let found =
                find(&name, &needs.paths, library_path).and_then(|path| Some((std::fs::read(&path).ok()?, path)));
            match found {
                Some((bytes, path)) if has_model(&bytes) => {
                    linked.program.append(Program::from_elf(&bytes)?);
                    work.push(self::needs(&path, &bytes));
                }
                _ => linked.plain.push(name),
            }
        }
    }
    Ok(linked)
}

fn has_model(bytes: &[u8]) -> bool {
    object::File::parse(bytes)
        .is_ok_and(|f| f.section_by_name(symcrete_abi::unit::SECTION_MODEL).is_some_and(|s| s.size() > 0))
}

/// Whether an object file, or some member of an archive, is instrumented.
pub fn is_instrumented(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let Ok(archive) = ArchiveFile::parse(&*bytes) else { return has_model(&bytes) };
    archive.members().flatten().any(|member| member.data(&*bytes).is_ok_and(has_model))
}

fn find(name: &str, own: &[PathBuf], library_path: &[PathBuf]) -> Option<PathBuf> {
    const STANDARD: &[&str] = &[
        "/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/local/lib",
        "/lib64",
        "/usr/lib64",
        "/lib",
        "/usr/lib",
    ];
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|p| p.is_file());
    }
    let standard = STANDARD.iter().map(PathBuf::from);
    own.iter().chain(library_path).cloned().chain(standard).map(|folder| folder.join(name)).find(|p| p.is_file())
}

fn needs(path: &Path, bytes: &[u8]) -> Needs {
    let mut needs = Needs { names: Vec::new(), paths: Vec::new() };
    let Ok(file) = ElfFile64::<object::Endianness>::parse(bytes) else { return needs };
    let endian = file.endian();
    let Ok(sections) = file.elf_header().sections(endian, bytes) else { return needs };
    let Ok(Some((dynamic, link))) = sections.dynamic(endian, bytes) else { return needs };
    let Ok(strings) = sections.strings(endian, bytes, link) else { return needs };
    let origin = path.canonicalize().ok().and_then(|p| p.parent().map(|p| p.display().to_string())).unwrap_or_default();
    for entry in dynamic {
        let tag = entry.d_tag.get(endian) as u32;
        let Ok(offset) = u32::try_from(entry.d_val.get(endian)) else { continue };
        let Some(text) = strings.get(offset).ok().and_then(|t| std::str::from_utf8(t).ok()) else { continue };
        match tag {
            object::elf::DT_NEEDED => needs.names.push(text.into()),
            object::elf::DT_RUNPATH | object::elf::DT_RPATH => {
                let expanded = text.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin);
                needs.paths.extend(expanded.split(':').filter(|p| !p.is_empty()).map(PathBuf::from));
            }
            _ => {}
        }
    }
    needs
}
