//! Addresses of a program back to places in its source, from its debug information.

use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, SymbolKind};
use std::path::Path;

/// The names of all functions that a program or shared object defines; none when it cannot be read.
pub fn defined_functions(program: &Path) -> Vec<String> {
    let Ok(bytes) = std::fs::read(program) else { return vec![] };
    let Ok(file) = object::File::parse(&*bytes) else { return vec![] };
    let functions = file.symbols().filter(|s| s.kind() == SymbolKind::Text && s.is_definition());
    functions.filter_map(|s| s.name().ok().map(str::to_owned)).collect()
}

/// The names of the functions that run before `main`, as the program's tables of them say; `?` for one without a name.
pub fn first_functions(program: &Path) -> Vec<String> {
    let Ok(bytes) = std::fs::read(program) else { return vec![] };
    let Ok(file) = object::File::parse(&*bytes) else { return vec![] };
    let is_table = |name: &str| [".preinit_array", ".init_array", ".ctors"].iter().any(|begin| name.starts_with(begin));
    let tables: Vec<_> = file.sections().filter(|section| section.name().is_ok_and(is_table)).collect();
    let inside = |at: u64| tables.iter().any(|table| (table.address()..table.address() + table.size()).contains(&at));
    // Written down in the table, or by the loader.
    let mut addresses: Vec<u64> = vec![];
    for table in &tables {
        let words = table.data().unwrap_or_default().chunks_exact(8);
        addresses.extend(words.filter_map(|word| word.try_into().ok().map(u64::from_le_bytes)));
    }
    for (_, relocation) in file.dynamic_relocations().into_iter().flatten().filter(|(at, _)| inside(*at)) {
        let symbol = match relocation.target() {
            object::RelocationTarget::Symbol(index) => {
                file.dynamic_symbol_table().and_then(|table| table.symbol_by_index(index).ok()).map(|s| s.address())
            }
            _ => None,
        };
        addresses.push(symbol.unwrap_or(0).wrapping_add_signed(relocation.addend()));
    }
    addresses.retain(|&address| address != 0 && address != u64::MAX);
    let name = |address: u64| {
        let mut here = file.symbols().filter(|s| s.kind() == SymbolKind::Text && s.address() == address);
        here.find_map(|s| s.name().ok().map(str::to_owned)).unwrap_or_else(|| "?".into())
    };
    addresses.into_iter().map(name).collect()
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    pub function: String,
    pub file: String,
    pub line: u32,
}

/// The debug information of one program.
pub struct Symbols {
    loader: Option<addr2line::Loader>,
}

impl Symbols {
    /// A program without readable debug information knows no places; that is no error.
    pub fn load(program: &Path) -> Symbols {
        Symbols { loader: addr2line::Loader::new(program).ok() }
    }

    /// The functions at an address as it was linked, innermost (inlined) first.
    pub fn places(&self, address: u64) -> Vec<SourcePlace> {
        let Some(mut frames) = self.loader.as_ref().and_then(|l| l.find_frames(address).ok()) else { return vec![] };
        let mut places = vec![];
        while let Ok(Some(frame)) = frames.next() {
            let function = frame.function.and_then(|f| f.demangle().ok().map(|n| n.into_owned())).unwrap_or_default();
            let (file, line) = match frame.location {
                Some(location) => (location.file.unwrap_or("").to_string(), location.line.unwrap_or(0)),
                None => (String::new(), 0),
            };
            places.push(SourcePlace { function, file, line });
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn here() -> u32 {
        line!()
    }

    /// Where this test program was loaded: its addresses as linked are relative to it.
    fn load_address() -> u64 {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let first = maps.lines().next().unwrap();
        u64::from_str_radix(first.split('-').next().unwrap(), 16).unwrap()
    }

    #[test]
    fn a_function_of_this_very_program_is_found() {
        let symbols = Symbols::load(&std::env::current_exe().unwrap());
        let address = here as fn() -> u32 as usize as u64 - load_address();
        let place = symbols.places(address).pop().expect("debug information in test builds");
        assert!(place.function.contains("here"), "{place:?}");
        assert!(place.file.ends_with("symbols.rs") && place.line.abs_diff(here()) <= 2, "{place:?}");
    }

    #[test]
    fn a_file_without_debug_information_knows_nothing() {
        assert!(Symbols::load(Path::new("/nonexistent")).places(0x1000).is_empty());
    }
}
