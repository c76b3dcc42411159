//! What a user points at, as places of the program.

use crate::code::{Code, Place};
use rustc_hash::FxHashSet;
use std::ops::RangeInclusive;
use std::str::FromStr;
use symcrete_program::code::What;
use symcrete_program::{Function, FunctionId, is_system_header};

/// `FILE:LINE` or `FILE:FUNCTION`; the column of `FILE:LINE:COLUMN`, as compilers write it, says nothing more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Line { file: String, line: u32 },
    Function { file: String, name: String },
}

/// A target with the places that stand for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// As users write it.
    pub name: String,
    pub places: Vec<Place>,
    /// The number of a `symcrete_target` call.
    pub marker: Option<u32>,
    /// It is a line or a function, not one instruction.
    pub whole: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("`{0}` is no target: write FILE:LINE or FILE:FUNCTION")]
    Form(String),
    #[error("no part of the program comes from {file}{}", files(known))]
    File { file: String, known: Vec<String> },
    #[error("{file}:{line} has no code of its own{}", nearest(*before, *after))]
    Line { file: String, line: u32, before: Option<u32>, after: Option<u32> },
    #[error(
        "{file} has no function `{name}` with code of its own (one that is static or inline and never called has none)"
    )]
    Function { file: String, name: String, known: Vec<String> },
}

fn nearest(before: Option<u32>, after: Option<u32>) -> String {
    match (before, after) {
        (Some(a), Some(b)) => format!(": the nearest lines with code are {a} and {b}"),
        (Some(a), None) | (None, Some(a)) => format!(": the nearest line with code is {a}"),
        (None, None) => String::new(),
    }
}

fn files(known: &[String]) -> String {
    match known {
        [] => String::new(),
        _ => format!("; its files are {}", known.join(", ")),
    }
}

impl FromStr for Target {
    type Err = TargetError;
    fn from_str(text: &str) -> Result<Target, TargetError> {
        // `::` is part of a name.
        let is_single = |at: usize| !text[..at].ends_with(':') && !text[at + 1..].starts_with(':');
        let at = text.rmatch_indices(':').map(|(at, _)| at).find(|&at| is_single(at));
        let (file, what) = at.map(|at| (&text[..at], &text[at + 1..])).ok_or_else(|| TargetError::Form(text.into()))?;
        if file.is_empty() || what.is_empty() {
            return Err(TargetError::Form(text.into()));
        }
        let before = file.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        Ok(match (what.parse::<u32>(), before) {
            (Ok(_), Some((file, line))) if !file.is_empty() => Target::Line { file: file.into(), line },
            (Ok(line), _) => Target::Line { file: file.into(), line },
            (Err(_), _) => Target::Function { file: file.into(), name: what.into() },
        })
    }
}

/// Whether a file that the compiler named is the one that a user means: the same last parts.
pub fn is_same_file(known: &str, asked: &str) -> bool {
    let parts =
        |path: &str| path.split('/').filter(|p| !p.is_empty() && *p != ".").map(str::to_owned).collect::<Vec<_>>();
    let (known, asked) = (parts(known), parts(asked));
    let shorter = known.len().min(asked.len());
    let asked: Vec<_> = asked.into_iter().skip_while(|part| part == "..").collect();
    let count = shorter.min(asked.len());
    count > 0 && known[known.len() - count..] == asked[asked.len() - count..]
}

/// Whether users may call a function by this name, which may say whose it is: `list::push`.
fn is_called(model: &Function, name: &str) -> bool {
    if model.source_name == name || model.name == name {
        return true;
    }
    // So names within others are mangled.
    let parts: Vec<&str> = name.split("::").collect();
    let mangled: String = parts.iter().map(|part| format!("{}{part}", part.len())).collect();
    parts.len() > 1 && parts.last() == Some(&model.source_name.as_str()) && model.name.contains(&mangled)
}

impl Code<'_> {
    pub fn find(&self, target: &Target) -> Result<Named, TargetError> {
        let (file, name) = match target {
            Target::Line { file, line } => (file, format!("{file}:{line}")),
            Target::Function { file, name } => (file, format!("{file}:{name}")),
        };
        let mut known = vec![];
        let mut here = vec![];
        for (id, body) in self.bodies() {
            let own = self.location(Place { function: id, block: 0, at: 0 }).0;
            if is_same_file(&own, file) {
                here.push((id, body));
            } else if !self.program.unit(body.unit).model && !is_system_header(&own) && !known.contains(&own) {
                known.push(own);
            }
        }
        if here.is_empty() {
            return Err(TargetError::File { file: file.clone(), known });
        }
        match target {
            Target::Function { name: function, .. } => {
                let places: Vec<Place> = here
                    .iter()
                    .filter(|(_, body)| is_called(body.model, function))
                    .map(|(id, _)| Place { function: *id, block: 0, at: 0 })
                    .collect();
                if places.is_empty() {
                    let known = here.iter().map(|(_, body)| body.model.source_name.clone()).collect();
                    return Err(TargetError::Function { file: file.clone(), name: function.clone(), known });
                }
                Ok(Named { name, places, marker: None, whole: true })
            }
            Target::Line { line, .. } => {
                let (mut places, mut lines) = (vec![], vec![]);
                for (function, body) in here {
                    for (block, list) in body.function.blocks.iter().enumerate() {
                        lines.extend(list.iter().map(|i| i.line));
                        let at = list
                            .iter()
                            .position(|i| i.line == *line && !matches!(i.what, What::Phi(_) | What::Alloca { .. }));
                        // What has no place has line 0.
                        places.extend(at.filter(|_| *line > 0).map(|at| Place {
                            function,
                            block: block as u32,
                            at: at as u32,
                        }));
                    }
                }
                if places.is_empty() {
                    let before = lines.iter().copied().filter(|&l| l > 0 && l < *line).max();
                    let after = lines.iter().copied().filter(|l| l > line).min();
                    return Err(TargetError::Line { file: file.clone(), line: *line, before, after });
                }
                Ok(Named { name, places, marker: None, whole: true })
            }
        }
    }

    /// Whether there is code of one of these lines of a file.
    pub fn has_code(&self, file: &str, mut lines: RangeInclusive<u32>) -> bool {
        let of_file = |id: FunctionId| is_same_file(&self.location(Place { function: id, block: 0, at: 0 }).0, file);
        let here = self.bodies().filter(|(id, _)| of_file(*id));
        let found: FxHashSet<u32> =
            here.flat_map(|(_, body)| body.function.blocks.iter().flatten().map(|i| i.line)).collect();
        lines.any(|line| found.contains(&line))
    }

    /// Every call of `symcrete_target` in the user's code, by number.
    pub fn markers(&self) -> Vec<Named> {
        let mut found: std::collections::BTreeMap<u32, Vec<Place>> = std::collections::BTreeMap::new();
        self.each_call(|place, name, body, call| {
            if name == "symcrete_target"
                && let Some(symcrete_program::code::Operand::Constant(id)) = call.arguments.first()
                && let symcrete_program::code::Constant::Int(_, number) = body.code.constants[*id as usize]
            {
                found.entry(number as u32).or_default().push(place);
            }
        });
        let named = |(number, places): (u32, Vec<Place>)| Named {
            name: format!("target {number}"),
            places,
            marker: Some(number),
            whole: false,
        };
        found.into_iter().map(named).collect()
    }

    /// Every place in the user's code where a run ends as a failure: `abort`, a failed assertion, the marks of
    /// verification tasks, a check of the compiler.
    pub fn errors(&self) -> Vec<Named> {
        const ENDS: [&str; 8] = [
            "abort",
            "__assert_fail",
            "__assert",
            "reach_error",
            "__VERIFIER_error",
            "__assert_rtn",
            "llvm.trap",
            "llvm.debugtrap",
        ];
        let mut found = vec![];
        self.each_call(|place, name, _, _| {
            // The compiler puts one behind each call that does not return.
            let is_behind = name == "__ubsan_handle_builtin_unreachable" && self.last_calls.is_before(place);
            if is_behind {
                return;
            }
            if ENDS.contains(&name) || name.starts_with("__ubsan_handle") || name.starts_with("llvm.ubsantrap") {
                let (file, line) = self.location(place);
                let called = name.trim_start_matches("llvm.");
                found.push(Named {
                    name: format!("{file}:{line} ({called})"),
                    places: vec![place],
                    marker: None,
                    whole: false,
                });
            }
        });
        found
    }

    fn each_call(&self, mut with: impl FnMut(Place, &str, crate::code::Body<'_>, &symcrete_program::code::Call)) {
        for (function, body) in self.bodies() {
            let unit = self.program.unit(body.unit);
            if unit.model || !unit.is_own(body.model.location) {
                continue;
            }
            for (block, list) in body.function.blocks.iter().enumerate() {
                for (at, instruction) in list.iter().enumerate() {
                    let (What::Call(call) | What::Invoke(call)) = &instruction.what else { continue };
                    let symcrete_program::code::Callee::Direct(symbol) = call.callee else { continue };
                    let name = &body.code.symbols[symbol as usize];
                    with(Place { function, block: block as u32, at: at as u32 }, name, body, call);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read() {
        assert_eq!("a/b.c:12".parse(), Ok(Target::Line { file: "a/b.c".into(), line: 12 }));
        assert_eq!("a/b.c:12:7".parse(), Ok(Target::Line { file: "a/b.c".into(), line: 12 }));
        assert_eq!("b.cc:D::f".parse(), Ok(Target::Function { file: "b.cc".into(), name: "D::f".into() }));
        assert_eq!("b.c:f".parse(), Ok(Target::Function { file: "b.c".into(), name: "f".into() }));
        for bad in ["b.c", ":3", "b.c:"] {
            assert_eq!(bad.parse::<Target>(), Err(TargetError::Form(bad.into())));
        }
    }

    #[test]
    fn files_are_the_same_by_their_ends() {
        assert!(
            is_same_file("/x/src/a.c", "src/a.c") && is_same_file("a.c", "/y/a.c") && is_same_file("/x/a.c", "../a.c")
        );
        assert!(!is_same_file("/x/src/a.c", "lib/a.c") && !is_same_file("ba.c", "a.c"));
    }
}
