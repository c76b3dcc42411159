//! The parts of a page that need no script: figures, tables, bugs. Every text goes through `markup`.

use super::model::{Bug, Model, Side};
use crate::table::part_name;
use crate::text::markup;
use std::collections::BTreeMap;
use std::fmt::Write;
use symcrete_event::TimeSpent;

/// Rows of a table before the rest is only counted.
const ROWS: usize = 2000;
/// Decisions of the tree that are there as text, too, and how deep they may lie.
const TEXT_NODES: usize = 200;
const TEXT_DEPTH: usize = 30;

/// What each reason of an uncovered side means.
pub const REASONS: &[(&str, &str)] = &[
    ("unreachable", "proved: no input takes it"),
    ("solver", "the solver gave up"),
    ("input", "it does not depend on an input that the run controls"),
    ("lost", "what it depends on was lost on the way"),
    ("untried", "not tried yet"),
];

pub fn overview(model: &Model) -> String {
    let summary = &model.summary;
    let mut rows: Vec<(&str, String)> = vec![("state", model.state.clone())];
    if summary.branches_total > 0 {
        let covered =
            format!("{} of {} ({:.1} %)", summary.branches_covered, summary.branches_total, 100.0 * summary.coverage());
        rows.push(("branches covered", covered));
    }
    rows.push(("tests", model.tests.len().saturating_sub(model.bugs.len()).to_string()));
    rows.push(("bugs", model.bugs.len().to_string()));
    if !summary.entry.is_empty() {
        let functions = summary.functions_touched;
        rows.extend([
            ("entry", summary.entry.clone()),
            ("strategy", format!("{}, seed {}", summary.strategy, summary.seed)),
            ("runs", format!("{} ({} tracked)", summary.executions, summary.tracked_executions)),
            ("new inputs", summary.iterations.to_string()),
            (
                "solver",
                format!(
                    "{} calls: {} sat, {} unsat, {} unknown",
                    summary.solver_calls, summary.sat, summary.unsat, summary.unknown
                ),
            ),
            ("diverged", summary.diverged.to_string()),
            ("functions entered", functions.to_string()),
            ("CPU seconds", format!("{:.1} ({:.1} by the clock)", summary.cpu_seconds, summary.wall_seconds)),
            ("memory", format!("{} MB", summary.peak_memory_mb)),
            ("version", format!("symcrete {}", summary.version)),
        ]);
    }
    let mut out = String::from("<dl>");
    for (name, value) in rows {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", markup(&value));
    }
    out.push_str("</dl>");
    out
}

pub fn notes(model: &Model) -> String {
    if model.notes.is_empty() {
        return String::new();
    }
    let mut out = String::from("<ul class=\"notes\">");
    for note in model.notes.iter().take(ROWS) {
        let _ = write!(out, "<li>{}</li>", markup(note));
    }
    out.push_str("</ul>");
    out
}

pub fn bugs(model: &Model) -> String {
    if model.bugs.is_empty() {
        return "<p>No bug was found.</p>".into();
    }
    model.bugs.iter().map(|bug| one_bug(model, bug)).collect()
}

fn one_bug(model: &Model, bug: &Bug) -> String {
    let mut out = String::from("<article class=\"bug\">");
    let place = match bug.at {
        Some((file, line)) => {
            format!("<a href=\"#f{file}\" data-file=\"{file}\" data-line=\"{line}\">{}</a>", markup(&bug.place))
        }
        None => markup(&bug.place),
    };
    let _ = write!(out, "<h3>{} at {place}</h3>", markup(&bug.kind));
    if !bug.detail.is_empty() && bug.detail != bug.kind {
        let _ = write!(out, "<p>{}</p>", markup(&bug.detail));
    }
    if bug.under_constrained {
        out.push_str("<p>Under-constrained: needs parameters that no caller may ever pass.</p>");
    }
    if let Some(test) = bug.test.map(|t| &model.tests[t]) {
        let _ = write!(out, "<p>ends with {}</p><pre class=\"input\">", markup(&test.end));
        for (name, text, _) in &test.inputs {
            let _ = writeln!(out, "{} = {}", markup(name), markup(text));
        }
        out.push_str("</pre>");
    }
    if !bug.stack.is_empty() {
        let _ = write!(out, "<pre class=\"stack\">{}</pre>", markup(&bug.stack.join("\n")));
    }
    if !bug.replay.is_empty() {
        let _ =
            write!(out, "<p>Again: <code>{}</code>, in a debugger with <code>--gdb</code></p>", markup(&bug.replay));
    }
    out.push_str("</article>");
    out
}

/// Covered and all, of sides.
#[derive(Clone, Copy, Default)]
struct Share {
    covered: usize,
    all: usize,
}

impl Share {
    fn add(&mut self, side: &Side) {
        self.all += 1;
        self.covered += usize::from(side.test.is_some());
    }

    fn cell(self) -> String {
        if self.all == 0 {
            return "<td></td><td></td>".into();
        }
        let percent = 100.0 * self.covered as f64 / self.all as f64;
        format!(
            "<td class=\"number\">{}/{}</td><td><meter max=\"100\" value=\"{percent:.1}\">{percent:.0} %</meter></td>",
            self.covered, self.all
        )
    }
}

/// Files, and the functions of each.
pub fn files(model: &Model) -> String {
    if model.files.is_empty() {
        return "<p>No source is known.</p>".into();
    }
    let mut of_file = vec![Share::default(); model.files.len()];
    let mut of_function: BTreeMap<(usize, usize), Share> = BTreeMap::new();
    for side in &model.sides {
        of_file[side.file].add(side);
        let functions = &model.files[side.file].functions;
        if let Some(function) = functions.partition_point(|f| f.0 <= side.line).checked_sub(1) {
            of_function.entry((side.file, function)).or_default().add(side);
        }
    }
    let mut out = String::new();
    for (index, file) in model.files.iter().enumerate() {
        let lines = file.lines.len();
        let run = file.lines.iter().filter(|(_, hits)| *hits > 0).count();
        let _ = write!(
            out,
            "<details class=\"file\"{}><summary><a href=\"#f{index}\" data-file=\"{index}\">{}</a> \
             <span>{run} of {lines} lines</span><table><tr>{}</tr></table></summary>",
            if model.files.len() == 1 { " open" } else { "" },
            markup(&file.name),
            of_file[index].cell()
        );
        if !file.warning.is_empty() {
            let _ = write!(out, "<p class=\"warning\">{}</p>", markup(&file.warning));
        }
        out.push_str("<table class=\"wide\"><thead><tr><th>function</th><th>tests</th><th colspan=\"2\">branches</th></tr></thead><tbody>");
        for (position, (line, name, tests)) in file.functions.iter().enumerate() {
            let share = of_function.get(&(index, position)).copied().unwrap_or_default();
            let _ = write!(
                out,
                "<tr><td><a href=\"#f{index}\" data-file=\"{index}\" data-line=\"{line}\">{}</a></td><td class=\"number\">{tests}</td>{}</tr>",
                markup(name),
                share.cell()
            );
        }
        out.push_str("</tbody></table></details>");
    }
    out
}

/// What is there of the execution tree, and its first decisions as text.
pub fn tree(model: &Model) -> String {
    let tree = &model.tree;
    if tree.nodes.is_empty() {
        return "<p>No decision of a run is known.</p>".into();
    }
    let kept = tree.nodes.len();
    let mut out = match tree.total - (kept as u64).min(tree.total) {
        0 => format!("<p>All {kept} decisions of all runs.</p>"),
        left_out => format!(
            "<p>The {kept} decisions nearest to the first one; {left_out} that lie deeper are not on this page.</p>"
        ),
    };
    let mut depths = vec![0; kept];
    let mut below: Vec<Vec<usize>> = vec![vec![]; kept];
    for (at, node) in tree.nodes.iter().enumerate() {
        if let Ok(above) = usize::try_from(node.0) {
            depths[at] = depths[above] + 1;
            below[above].push(at);
        }
    }
    let roots = (0..kept).filter(|at| tree.nodes[*at].0 < 0);
    let mut stack: Vec<usize> = roots.collect::<Vec<_>>().into_iter().rev().collect();
    let _ = write!(out, "<details><summary>The first decisions as text</summary><pre>");
    let mut shown = 0;
    while let Some(at) = stack.pop() {
        if shown == TEXT_NODES || depths[at] > TEXT_DEPTH {
            continue;
        }
        shown += 1;
        let (_, _, place, _, sides, _) = &tree.nodes[at];
        let (_, file, line, column, names) = &tree.places[*place];
        let name = |side: usize| names.get(side).cloned().unwrap_or_else(|| side.to_string());
        let states =
            sides.chars().enumerate().filter_map(|(side, c)| Some(format!("{}: {}", name(side), side_state(c)?)));
        let states = states.collect::<Vec<_>>().join(", ");
        let indent = "  ".repeat(depths[at]);
        let text = format!("{indent}{file}:{line}:{column}  {states}");
        let _ = writeln!(out, "{}", markup(&text));
        stack.extend(below[at].iter().rev());
    }
    let _ = write!(out, "</pre></details>");
    out
}

/// What a letter of `tree.json` means.
fn side_state(letter: char) -> Option<&'static str> {
    Some(match letter {
        'o' => "open",
        't' => "taken",
        'e' => "taken, then the end",
        'i' => "infeasible",
        'u' => "the solver gave up",
        'd' => "diverged",
        'x' => "excluded by an assumption",
        _ => return None,
    })
}

/// How many sides nobody took, by reason.
pub fn uncovered(model: &Model) -> String {
    let mut out = String::new();
    for (reason, meaning) in REASONS {
        let count = model.sides.iter().filter(|s| s.reason == *reason).count();
        if count > 0 {
            let _ = write!(out, "<tr><td class=\"number\">{count}</td><td>{reason}</td><td>{meaning}</td></tr>");
        }
    }
    if out.is_empty() {
        String::new()
    } else {
        format!("<table class=\"wide\"><caption>Uncovered branches, by reason</caption>{out}</table>")
    }
}

pub fn lost(model: &Model) -> String {
    if model.lost.is_empty() {
        return "<p>Nothing was lost.</p>".into();
    }
    let mut rows: Vec<_> = model.lost.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    let mut out =
        String::from("<table class=\"wide\"><thead><tr><th>times</th><th>what</th><th>where</th></tr></thead><tbody>");
    for row in rows.iter().take(ROWS) {
        let _ = write!(
            out,
            "<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td></tr>",
            row.count,
            markup(&row.what),
            markup(&row.place)
        );
    }
    out.push_str("</tbody></table>");
    if rows.len() > ROWS {
        let _ = write!(out, "<p>and {} more in summary.json</p>", rows.len() - ROWS);
    }
    out
}

/// Where the CPU time went.
pub fn time(model: &Model) -> String {
    let summary = &model.summary;
    if summary.cpu_seconds <= 0.0 {
        return "<p>Not known.</p>".into();
    }
    let parts = TimeSpent::from(&summary.time).parts();
    let is_known = parts.iter().any(|(_, seconds)| *seconds > 0.0);
    let mut out = String::from(
        "<table class=\"wide\"><thead><tr><th>part</th><th>seconds</th><th></th><th>asked</th><th>sat</th><th>unsat</th><th>passed on</th></tr></thead><tbody>",
    );
    let mut row = |name: &str, seconds: f64, rest: String| {
        let percent = (100.0 * seconds / summary.cpu_seconds).clamp(0.0, 100.0);
        let _ = write!(
            out,
            "<tr><td>{}</td><td class=\"number\">{seconds:.3}</td><td><meter max=\"100\" value=\"{percent:.1}\">{percent:.0} %</meter></td>{rest}</tr>",
            markup(name)
        );
    };
    let none = "<td></td><td></td><td></td><td></td>".to_string();
    let layers = |row: &mut dyn FnMut(&str, f64, String)| {
        for (name, layer) in &model.layers {
            let cells = [layer.calls, layer.sat, layer.unsat, layer.unknown];
            let cells = cells.map(|n| format!("<td class=\"number\">{n}</td>")).concat();
            row(&format!("– {name}"), layer.seconds, cells);
        }
    };
    if is_known {
        for (name, seconds) in parts {
            row(part_name(name), seconds, none.clone());
            if name == "solving" {
                layers(&mut row);
            }
        }
    } else {
        // A run of a version that did not tell more apart.
        let solving = summary.queries.cpu_seconds.max(summary.solver_seconds).min(summary.cpu_seconds);
        row("running, tracking and the engine", summary.cpu_seconds - solving, none.clone());
        row("solving", solving, none);
        layers(&mut row);
    }
    out.push_str(
        "</tbody></table><p>CPU seconds; those of layers by the clock on the wall, each without the layers below it. \
         Fast and tracking runs share what the target used by how long each was waited for.</p>",
    );
    out
}
