//! The final table: coverage, bugs with the command to replay each, what was lost, what to do next.

use crate::names::SideNames;
use crate::terminal::{clock, short};
use crate::text::shell_word;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;
use symcrete_event::{Finished, Reason, Stopped};

/// Rows of one list; the files have all of them.
const SHOWN: usize = 8;

/// `out` is the output folder as the user would type it. Bugs are read from it: it holds each once,
/// shortened, and those of earlier runs.
pub fn table(at: Duration, finished: &Finished<'_>, names: &SideNames, out: &Path, color: bool) -> String {
    let counters = &finished.counters;
    let bold = |text: &str| if color { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() };
    let mut text = String::new();
    let _ = writeln!(text, "\n{}", bold(&ending(finished)));
    let share = |part: u32, whole: u32| if whole == 0 { 100.0 } else { f64::from(part) * 100.0 / f64::from(whole) };
    row(
        &mut text,
        "branches",
        format!(
            "{} of {} ({:.1}%); {:.1}% in the {} entered",
            counters.branches_covered,
            counters.branches_total,
            share(counters.branches_covered, counters.branches_total),
            share(counters.branches_covered, counters.branches_in_touched),
            count(counters.functions_touched, "function")
        ),
    );
    row(&mut text, "tests", format!("{} in {}", counters.tests, out.join("tests").display()));
    let rate = short(counters.executions as f64 / at.as_secs_f64().max(1e-3));
    row(
        &mut text,
        "runs",
        format!(
            "{} ({rate}/s), {} tracked, {} new inputs: {} random, {} by flipping",
            counters.executions, counters.tracked_executions, counters.iterations, counters.random_runs, counters.flips
        ),
    );
    row(
        &mut text,
        "solver",
        format!(
            "{} calls, {:.1}s: {} sat, {} unsat, {} unknown; {} diverged",
            counters.solver_calls,
            finished.clocks.solver_seconds,
            counters.sat,
            counters.unsat,
            counters.unknown,
            counters.diverged
        ),
    );
    // Layers that answered nothing only cost space.
    for layer in finished.layers.iter().filter(|l| l.sat + l.unsat > 0) {
        row(
            &mut text,
            "",
            format!(
                "{:<12} {} asked, {} sat, {} unsat, {:.2}s",
                layer.name, layer.calls, layer.sat, layer.unsat, layer.seconds
            ),
        );
    }
    queries(&mut text, finished);
    row(
        &mut text,
        "time",
        format!(
            "{} ({:.1} CPU-seconds), {} MB",
            clock(at),
            finished.clocks.cpu_seconds,
            finished.clocks.peak_memory_mb
        ),
    );
    went(&mut text, finished);
    bugs(&mut text, out, color);
    lost(&mut text, finished);
    uncovered(&mut text, finished, names);
    next(&mut text, finished, out);
    text
}

fn row(text: &mut String, name: &str, value: String) {
    let _ = writeln!(text, "  {name:<10} {value}");
}

/// Where the time went: what is less than a hundredth only costs space.
fn went(text: &mut String, finished: &Finished<'_>) {
    let clocks = &finished.clocks;
    let share = |seconds: f64| 100.0 * seconds / clocks.cpu_seconds.max(1e-9);
    let mut parts: Vec<(&str, f64)> = clocks.time.parts().into_iter().filter(|(_, s)| share(*s) >= 1.0).collect();
    let rest = parts.pop_if(|(name, _)| *name == "rest");
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let words: Vec<String> = parts
        .into_iter()
        .chain(rest)
        .map(|(name, seconds)| format!("{} {:.0}%", part_name(name), share(seconds)))
        .collect();
    if !words.is_empty() {
        row(text, "", words.join(", "));
    }
}

/// A part of the time, for people.
pub(crate) fn part_name(name: &str) -> &str {
    match name {
        "fast" => "running (fast body)",
        "walks" => "walks of hybrid testing",
        "search" => "search decisions",
        "taking_in" => "taking in paths",
        other => other,
    }
}

/// What was logged and compared, where that was asked for.
fn queries(text: &mut String, finished: &Finished<'_>) {
    let solving = finished.solving;
    if let Some(correlation) = solving.cost_model.rank_correlation {
        let observations = solving.cost_model.observations;
        row(text, "", format!("cost model   ranks the times of {observations} distinct queries with {correlation:.2}"));
    }
    if let Some(log) = solving.log {
        let loose = if log.loose > 0 { format!(", {} with parts no theory has", log.loose) } else { String::new() };
        let failed = if log.failed > 0 { "; the log could not be written further" } else { "" };
        row(text, "queries", format!("{} logged{loose}{failed}", log.written));
    }
    if let Some(crossed) = solving.cross_check {
        let restarts = match crossed.lost {
            0 => String::new(),
            lost => format!("; it died or hung {lost} times and was started again"),
        };
        row(
            text,
            "z3",
            format!(
                "{} verdicts compared: {} agree, {} it could not settle, {} need what no theory has{restarts}",
                crossed.compared, crossed.agreed, crossed.undecided, crossed.inexpressible
            ),
        );
    }
}

/// `1 function`, `3 functions`.
fn count(number: u32, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn ending(finished: &Finished<'_>) -> String {
    match finished.stopped {
        Stopped::Exhausted => "exhausted: every feasible path was run".into(),
        Stopped::Budget => "budget spent".into(),
        Stopped::Goal => "goal reached".into(),
        Stopped::NothingLeft => "nothing left to try, but not proved complete (see what was lost)".into(),
        Stopped::Interrupted => "interrupted; everything found is kept".into(),
    }
}

fn bugs(text: &mut String, out: &Path, color: bool) {
    let contents = crate::folder::Contents::read(out);
    if contents.bugs.is_empty() {
        let _ = writeln!(text, "  {:<10} none found", "bugs");
        return;
    }
    for (index, (_, bug)) in contents.bugs.iter().enumerate() {
        let title = if index == 0 { "bugs" } else { "" };
        let kind = if color { format!("\x1b[1;31m{}\x1b[0m", bug.kind) } else { bug.kind.clone() };
        let guess = if bug.under_constrained { " (under-constrained)" } else { "" };
        let _ = writeln!(
            text,
            "  {title:<10} {kind} at {}{guess}",
            crate::bug_folder::place(&bug.file, bug.line, &bug.function)
        );
        let folder = Path::new(&bug.test).parent().unwrap_or(Path::new(""));
        let _ =
            writeln!(text, "  {:<10}   symcrete replay {}", "", shell_word(&out.join(folder).display().to_string()));
    }
}

fn lost(text: &mut String, finished: &Finished<'_>) {
    let mut rows: Vec<_> = finished.lost.iter().collect();
    rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| (&a.what, &a.place).cmp(&(&b.what, &b.place))));
    for (index, row) in rows.iter().take(SHOWN).enumerate() {
        let place = if row.place.is_empty() { String::new() } else { format!(" at {}", row.place) };
        let _ =
            writeln!(text, "  {:<10} {}{place}, {}", if index == 0 { "lost" } else { "" }, row.what, times(row.count));
    }
    if rows.len() > SHOWN {
        let _ = writeln!(text, "  {:<10} … and {} more in summary.json", "", rows.len() - SHOWN);
    }
}

fn uncovered(text: &mut String, finished: &Finished<'_>, names: &SideNames) {
    if finished.uncovered.is_empty() {
        return;
    }
    let mut reasons: BTreeMap<Reason, u32> = BTreeMap::new();
    for one in finished.uncovered {
        *reasons.entry(one.reason).or_insert(0) += 1;
    }
    let summary: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {}", reason.slug())).collect();
    let _ = writeln!(text, "  {:<10} {} branches: {}", "uncovered", finished.uncovered.len(), summary.join(", "));
    for one in finished.uncovered.iter().take(SHOWN) {
        let side = names.get(one.side);
        let _ = writeln!(text, "  {:<10}   {}:{} {} ({})", "", side.file, side.line, side.kind, one.reason.slug());
    }
    if finished.uncovered.len() > SHOWN {
        let _ = writeln!(text, "  {:<10}   … and {} more in summary.json", "", finished.uncovered.len() - SHOWN);
    }
}

fn next(text: &mut String, finished: &Finished<'_>, out: &Path) {
    let first = shell_word(&out.join("tests/000001.json").display().to_string());
    let out = shell_word(&out.display().to_string());
    let _ = writeln!(text, "\nnext");
    if finished.counters.tests > 0 {
        let _ = writeln!(text, "  symcrete show {first}    one test: its input, its branches, its end");
    }
    let _ = writeln!(text, "  symcrete replay {out}                    all tests again on a plain build");
    if finished.stopped != Stopped::Exhausted && !finished.uncovered.is_empty() {
        let _ = writeln!(text, "  symcrete run … --resume                 go on where this run stopped");
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}
