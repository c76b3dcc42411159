//! Names of sides for people and files: `FILE:LINE:COLUMN:KIND`. Where a macro or a template puts several
//! decisions at one place a number keeps them apart, in the order of the program.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use symcrete_program::{Location, Program, SideKind, Unit, plain_path};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideName {
    /// Unique within the program.
    pub name: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    pub kind: String,
}

/// The names of all sides of a program, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct SideNames {
    names: Vec<SideName>,
    folder: PathBuf,
}

impl SideNames {
    /// File names are shown relative to `folder` where they lie below it.
    pub fn new(program: &Program, folder: &Path) -> SideNames {
        let mut names = Vec::with_capacity(program.side_count());
        let mut seen: HashMap<String, u32> = HashMap::new();
        for (_, unit) in program.units() {
            for side in &unit.sides {
                let file = file_name(unit, side.location, folder);
                let kind = kind_text(&side.kind);
                let (line, column) = (side.location.line, side.location.column);
                let mut name = format!("{file}:{line}:{column}:{kind}");
                let count = seen.entry(name.clone()).or_insert(0);
                *count += 1;
                if *count > 1 {
                    name = format!("{name}~{count}");
                }
                let function =
                    unit.functions.get(side.function as usize).map(|f| f.source_name.clone()).unwrap_or_default();
                names.push(SideName { name, file, line, column, function, kind });
            }
        }
        SideNames { names, folder: folder.to_owned() }
    }

    /// A file's name as short as it can be from where the user stands.
    pub fn shown<'a>(&self, file: &'a str) -> &'a str {
        let below = Path::new(file).strip_prefix(&self.folder).ok().and_then(|p| p.to_str());
        below.filter(|p| !p.is_empty() && !self.folder.as_os_str().is_empty()).unwrap_or(file)
    }

    /// A side that the program does not have gets a name that says so.
    pub fn get(&self, side: u32) -> SideName {
        self.names.get(side as usize).cloned().unwrap_or_else(|| SideName {
            name: format!("?:{side}"),
            file: "?".into(),
            line: 0,
            column: 0,
            function: String::new(),
            kind: String::new(),
        })
    }
}

/// The file of a location, as short as it can be from `folder`.
pub(crate) fn file_name(unit: &Unit, location: Location, folder: &Path) -> String {
    let file = unit.files.get(location.file as usize).unwrap_or(&unit.path);
    let full = plain_path(&Path::new(&unit.folder).join(file));
    full.strip_prefix(folder).unwrap_or(&full).display().to_string()
}

pub fn kind_text(kind: &SideKind) -> String {
    match kind {
        SideKind::True => "true".into(),
        SideKind::False => "false".into(),
        SideKind::Case(value) => format!("case={value}"),
        SideKind::Default => "default".into(),
        SideKind::CheckFails => "fails".into(),
        SideKind::CheckHolds => "holds".into(),
    }
}
