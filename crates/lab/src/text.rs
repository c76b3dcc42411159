//! The table for people.

use crate::table::Results;
use std::fmt::Write;

/// Names longer than this push their row apart.
const NAME: usize = 30;

fn head(results: &Results) -> String {
    let kind = if results.cyclic { ", cyclic" } else { "" };
    format!("{} states{kind}", results.states)
}

fn number(value: f64) -> String {
    if value < 100.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

/// All columns, a block per level: first the ratio of means, as in the paper, then the other figures.
pub fn text(all: &[Results]) -> String {
    let mut out = String::new();
    let mut rest = all;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|results| results.level == first.level).count();
        let (columns, others) = rest.split_at(count);
        rest = others;
        block(&mut out, columns);
    }
    out
}

fn block(out: &mut String, columns: &[Results]) {
    let first = &columns[0];
    let level = first.level.map_or("chains from files".to_string(), |level| format!("level {level}"));
    let _ = writeln!(out, "{level}: {} chains x {} repetitions, seed {}", first.chains, first.repetitions, first.seed);
    for results in columns {
        let optimum = results.optimum.map_or(String::new(), number);
        let _ = match &results.estimated {
            None => writeln!(
                out,
                "  {}: the optimum costs {optimum} on the average, found in {:.3} ms a chain",
                head(results),
                results.optimum_milliseconds
            ),
            Some(why) => writeln!(out, "  {}: no exact optimum ({why}); estimated: {optimum}", head(results)),
        };
    }
    if first.cells.is_empty() {
        let _ = writeln!(out);
        return;
    }
    let mut line = |name: &str, cell: &dyn Fn(&Results) -> String| {
        let cells: String = columns.iter().map(cell).collect();
        let text = format!("{name:NAME$}{cells}");
        let _ = writeln!(out, "{}", text.trim_end());
    };
    line("", &|_| String::new());
    line("mean cost / mean optimum", &|results| format!(" {:>11}", head(results)));
    line("optimum", &|_| format!(" {:>11}", 1));
    for (row, cell) in first.cells.iter().enumerate() {
        line(&cell.strategy, &|results| format!(" {:>11}", number(results.cells[row].ratio_of_means)));
    }
    line("", &|_| String::new());
    line("ratios: mean median deviation", &|results| format!(" {:>23}", head(results)));
    for (row, cell) in first.cells.iter().enumerate() {
        line(&cell.strategy, &|results| {
            let cell = &results.cells[row];
            let figures = [cell.mean_of_ratios, cell.median_of_ratios, cell.deviation].map(number);
            format!(" {:>7} {:>7} {:>7}", figures[0], figures[1], figures[2])
        });
    }
    let unfinished: Vec<String> = (0..first.cells.len())
        .map(|row| (row, columns.iter().map(|results| results.cells[row].unfinished).sum::<usize>()))
        .filter(|(_, count)| *count > 0)
        .map(|(row, count)| format!("{} {count}", first.cells[row].strategy))
        .collect();
    if !unfinished.is_empty() {
        let _ = writeln!(out, "\ncampaigns ended by a limit before all was covered: {}", unfinished.join(", "));
    }
    let _ = writeln!(out);
}
