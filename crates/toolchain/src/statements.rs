//! Statements of a C file, as clang reads them: of those it makes no code for nobody else knows.

use crate::build::compile_flags;
use crate::layout::{Language, Layout};
use serde::Deserialize;
use std::collections::HashSet;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;
use symcrete_program::Unit;

/// A node of `-ast-dump=json`, as far as it is looked at.
#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    id: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    opcode: String,
    #[serde(default, rename = "castKind")]
    cast: String,
    #[serde(default)]
    inline: bool,
    #[serde(default, rename = "storageClass")]
    storage: String,
    #[serde(default, rename = "type")]
    ty: Type,
    #[serde(default)]
    loc: Location,
    #[serde(default)]
    range: Range,
    #[serde(default, rename = "referencedDecl")]
    refers: Option<Box<Node>>,
    #[serde(default)]
    inner: Vec<Option<Node>>,
}

#[derive(Default, Deserialize)]
struct Type {
    #[serde(default, rename = "qualType")]
    name: String,
}

/// A place in a file, or of what a macro made: where that is written, and where it stands.
#[derive(Default, Deserialize)]
struct Location {
    /// Left out where it is that of the place printed before.
    file: Option<String>,
    offset: Option<usize>,
    #[serde(rename = "spellingLoc")]
    spelling: Option<Box<Location>>,
    #[serde(rename = "expansionLoc")]
    expansion: Option<Box<Location>>,
}

#[derive(Default, Deserialize)]
struct Range {
    #[serde(default)]
    begin: Location,
    #[serde(default)]
    end: Location,
}

/// The lines of a statement that begins on this line, one of which there is an instruction in the program's model when it
/// runs: a call without a result, a write to memory. (Local variables are no memory there, and returns share their end.)
/// Nothing for all others, for C++, and where macros, included files or `#line` make places hard to tell.
pub fn statement_at(layout: &Layout, unit: &Unit, file: &Path, line: u32) -> Option<RangeInclusive<u32>> {
    let folder = Path::new(&unit.folder);
    let text = std::fs::read_to_string(folder.join(file)).ok()?;
    let moved = |line: &str| {
        let rest = line.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
        rest.starts_with("line") || rest.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_c = [Path::new(&unit.path), file].iter().all(|path| Language::of_file(path) == Language::C);
    let is_header = file.extension().is_none_or(|e| e != "c");
    if !is_c || is_header || text.lines().any(moved) {
        return None;
    }
    let mut words: Vec<OsString> = compile_flags(&unit.command);
    if let Some(include) = layout.include() {
        words.extend(["-idirafter".into(), include.into()]);
    }
    words.extend(["-w", "-fsyntax-only", "-Xclang", "-ast-dump=json"].map(OsString::from));
    words.push(unit.path.clone().into());
    let output = Command::new(layout.clang(Language::C).ok()?).args(words).current_dir(folder).output().ok()?;
    let root: Node = serde_json::from_slice(&output.stdout).ok().filter(|_| output.status.success())?;
    let same = |other: &str| folder.join(other).canonicalize().ok() == folder.join(file).canonicalize().ok();
    let mut search = Search { text: &text, line, is_file: &same, here: false, locals: HashSet::new(), found: None };
    search.visit(&root, &Around::default());
    search.found
}

struct Search<'a> {
    text: &'a str,
    line: u32,
    is_file: &'a dyn Fn(&str) -> bool,
    /// Whether the place met last is in the file.
    here: bool,
    /// Variables that are declared in functions.
    locals: HashSet<String>,
    found: Option<RangeInclusive<u32>>,
}

/// What a node stands in.
#[derive(Clone, Copy, Default)]
struct Around {
    /// A function with code of its own wherever it is called.
    body: bool,
    /// Not a part of an expression.
    statement: bool,
    /// In a function.
    inside: bool,
}

impl Search<'_> {
    /// Notes the file of a place; where it is in the file, unless a macro made it.
    fn place(&mut self, location: &Location) -> Option<usize> {
        if let Some(file) = &location.file {
            self.here = (self.is_file)(file);
        }
        for part in [&location.spelling, &location.expansion].into_iter().flatten() {
            self.place(part);
        }
        location.offset.filter(|_| self.here)
    }

    fn line_of(&self, offset: usize) -> Option<u32> {
        Some(self.text.as_bytes().get(..offset)?.iter().filter(|byte| **byte == b'\n').count() as u32 + 1)
    }

    fn visit(&mut self, node: &Node, around: &Around) {
        // In the order in which they are printed.
        self.place(&node.loc);
        let (begin, end) = (self.place(&node.range.begin), self.place(&node.range.end));
        if let (Some(begin), Some(end)) = (begin, end)
            && let (Some(first), Some(last)) = (self.line_of(begin), self.line_of(end))
            && around.body
            && around.statement
            && first == self.line
            && self.found.is_none()
            && self.makes_code(node)
        {
            self.found = Some(first..=last);
        }
        if ["VarDecl", "ParmVarDecl"].contains(&node.kind.as_str()) && around.inside {
            self.locals.insert(node.id.clone());
        }
        let count = node.inner.len();
        let body = match node.kind.as_str() {
            // Of an inline function that is not static there may be code that is no part of the program; the lines of one
            // that begins elsewhere count as lines of that file.
            "FunctionDecl" => {
                let quiet = node.inner.iter().flatten().any(|part| part.kind == "NoDebugAttr");
                !quiet && begin.is_some() && (!node.inline || node.storage == "static")
            }
            _ => around.body,
        };
        for (number, part) in node.inner.iter().enumerate() {
            let Some(part) = part else { continue };
            let statement = match node.kind.as_str() {
                "CompoundStmt" => true,
                "IfStmt" => number > 0,
                "WhileStmt" | "ForStmt" | "LabelStmt" | "CaseStmt" | "DefaultStmt" | "SwitchStmt" => {
                    number + 1 == count
                }
                "DoStmt" => number == 0,
                _ => false,
            };
            self.visit(part, &Around { body, statement, inside: around.inside || node.kind == "FunctionDecl" });
        }
    }
}

impl Search<'_> {
    fn makes_code(&self, node: &Node) -> bool {
        let written = node.inner.first().and_then(Option::as_ref);
        let writes = || written.is_some_and(|place| self.is_memory(place));
        match node.kind.as_str() {
            // What the compiler computes itself may leave no call.
            "CallExpr" => callee(node).is_some_and(|name| !name.starts_with("__builtin")) && node.ty.name == "void",
            "BinaryOperator" => node.opcode == "=" && writes(),
            "UnaryOperator" => ["++", "--"].contains(&node.opcode.as_str()) && writes(),
            "CompoundAssignOperator" => writes(),
            _ => false,
        }
    }

    /// Whether a place is none that becomes a mere value.
    fn is_memory(&self, place: &Node) -> bool {
        match place.kind.as_str() {
            "ParenExpr" => place.inner.first().and_then(Option::as_ref).is_some_and(|inner| self.is_memory(inner)),
            "MemberExpr" => true,
            // Behind a pointer there may be such a place, too.
            "ArraySubscriptExpr" => {
                place.inner.first().and_then(Option::as_ref).is_some_and(|base| base.cast == "ArrayToPointerDecay")
            }
            "DeclRefExpr" => {
                place.refers.as_ref().is_some_and(|of| of.kind == "VarDecl" && !self.locals.contains(&of.id))
            }
            _ => false,
        }
    }
}

/// The name of the function that is called.
fn callee(call: &Node) -> Option<&str> {
    let mut node = call.inner.first()?.as_ref()?;
    while node.refers.is_none() {
        node = node.inner.first()?.as_ref()?;
    }
    node.refers.as_ref().map(|function| function.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Places;

    const TEXT: &str = "#include <stdlib.h>
#include <string.h>
#define TWICE(x) do { x; x; } while (0)
static int all;
static int unused(int a) {
  all += 2;
  return a;
}
inline int elsewhere(int a) {
  return a + 1;
}
int main(void) {
  int x = 3, y, list[4];
  /* nothing */
  ;
  x;
  while (1)
    all++;
  abort();
  x = 3;
  list[x] = 4;
  TWICE(x--);
  if (0)
    all = atoi(
      \"3\");
  __builtin_trap();
  {
  }
  switch (x) {
  default:
    y = 3;
    x--;
    *(&x) = 3;
    strlen(\"x\");
    break;
  }
  return 0;
}
";

    #[test]
    fn statements_are_told_from_what_may_have_no_code() {
        let path = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
        let layout = Layout::find(Places { path, ..Places::default() });
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.c"), TEXT).unwrap();
        let folder_name = folder.path().display().to_string();
        let unit = Unit { path: "a.c".into(), folder: folder_name, command: vec!["a.c".into()], ..Unit::default() };
        let found: Vec<(u32, u32)> = (1..=TEXT.lines().count() as u32)
            .filter_map(|line| statement_at(&layout, &unit, Path::new("a.c"), line))
            .map(|range| range.into_inner())
            .collect();
        assert_eq!(found, [(6, 6), (18, 18), (19, 19), (21, 21), (24, 25)]);
        std::fs::write(folder.path().join("a.c"), format!("# 7 \"b.y\"\n{TEXT}")).unwrap();
        assert_eq!(statement_at(&layout, &unit, Path::new("a.c"), 5), None);
    }
}
