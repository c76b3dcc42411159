//! `coverage.lcov`: lines, functions and branches in the form that genhtml, editors and CI services read.

use crate::names::file_name;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use symcrete_program::{Function, Program, Unit, UnitId};

#[derive(Default)]
struct File {
    /// Line → how many tests ran it.
    lines: BTreeMap<u32, u32>,
    /// Name → line, tests.
    functions: BTreeMap<String, (u32, u32)>,
    /// (line, decision, side) → tests; `None` where the decision was never met.
    branches: BTreeMap<(u32, u32, u32), Option<u32>>,
}

/// `side_hits` and `function_hits` by number: how many kept tests took the side, entered the function.
pub fn lcov(program: &Program, folder: &Path, side_hits: &[u32], function_hits: &[u32]) -> String {
    let mut files: BTreeMap<String, File> = BTreeMap::new();
    for (id, unit) in program.units().filter(|(_, u)| !u.model) {
        for (index, function) in unit.functions.iter().enumerate() {
            let hits = function_hits.get(program.function_id(id, index as u32).index()).copied().unwrap_or(0);
            add_function(program, id, unit, function, folder, side_hits, hits, &mut files);
        }
    }
    let mut out = String::new();
    for (name, file) in &files {
        let _ = writeln!(out, "TN:\nSF:{}", folder.join(name).display());
        for (function, (line, _)) in &file.functions {
            let _ = writeln!(out, "FN:{line},{function}");
        }
        for (function, (_, hits)) in &file.functions {
            let _ = writeln!(out, "FNDA:{hits},{function}");
        }
        let _ = writeln!(
            out,
            "FNF:{}\nFNH:{}",
            file.functions.len(),
            file.functions.values().filter(|(_, h)| *h > 0).count()
        );
        for ((line, decision, side), hits) in &file.branches {
            let taken = hits.map_or("-".to_string(), |h| h.to_string());
            let _ = writeln!(out, "BRDA:{line},{decision},{side},{taken}");
        }
        let _ = writeln!(
            out,
            "BRF:{}\nBRH:{}",
            file.branches.len(),
            file.branches.values().filter(|h| h.is_some_and(|h| h > 0)).count()
        );
        for (line, hits) in &file.lines {
            let _ = writeln!(out, "DA:{line},{hits}");
        }
        let _ = writeln!(
            out,
            "LF:{}\nLH:{}\nend_of_record",
            file.lines.len(),
            file.lines.values().filter(|h| **h > 0).count()
        );
    }
    out
}

#[allow(clippy::too_many_arguments)]
fn add_function(
    program: &Program,
    id: UnitId,
    unit: &Unit,
    function: &Function,
    folder: &Path,
    side_hits: &[u32],
    hits: u32,
    files: &mut BTreeMap<String, File>,
) {
    if function.location.line == 0 || !unit.is_own(function.location) {
        return;
    }
    let hits_of = |local: u32| side_hits.get(program.side_id(id, local).index()).copied().unwrap_or(0);
    let file = files.entry(file_name(unit, function.location, folder)).or_default();
    let entry = file.functions.entry(function.source_name.clone()).or_insert((function.location.line, 0));
    entry.1 = entry.1.max(hits);
    let blocks = block_hits(function, hits, &hits_of);
    for (block, hits) in function.blocks.iter().zip(&blocks) {
        if !unit.is_own(block.location) {
            continue;
        }
        let file = files.entry(file_name(unit, block.location, folder)).or_default();
        for line in block.lines.iter().filter(|l| **l > 0) {
            let known = file.lines.entry(*line).or_insert(0);
            *known = (*known).max(*hits);
        }
    }
    let sides = unit.sides.iter().enumerate().skip(function.first_side as usize).take(function.side_count as usize);
    for (local, side) in sides.filter(|(_, s)| s.counts() && unit.is_own(s.location)) {
        let met = blocks.get(side.block as usize).is_some_and(|h| *h > 0);
        let taken = hits_of(local as u32);
        let file = files.entry(file_name(unit, side.location, folder)).or_default();
        // Inline functions appear once per unit: the same place counts once.
        let key = (side.location.line, side.location.column, local as u32 - side.decision);
        let known = file.branches.entry(key).or_insert(None);
        if met || taken > 0 {
            *known = Some(known.unwrap_or(0).max(taken));
        }
    }
}

/// How many tests ran each block: known for the entry and behind sides, passed on along edges that
/// decide nothing. A call that never returns makes the rest of its block count as run.
pub(crate) fn block_hits(function: &Function, entered: u32, side_hits: &dyn Fn(u32) -> u32) -> Vec<u32> {
    let mut hits = vec![0u32; function.blocks.len()];
    let Some(first) = hits.first_mut() else { return hits };
    *first = entered;
    let mut work: Vec<usize> = (0..function.blocks.len()).collect();
    while let Some(index) = work.pop() {
        let block = &function.blocks[index];
        for (position, successor) in block.successors.iter().enumerate() {
            let passed = match block.sides.get(position).copied().flatten() {
                Some(side) => side_hits(side),
                None => hits[index],
            };
            let Some(known) = hits.get_mut(*successor as usize) else { continue };
            if passed > *known {
                *known = passed;
                work.push(*successor as usize);
            }
        }
    }
    hits
}
