//! The table as a picture: how many times the optimum each strategy costs, over the size of the chains.

use crate::table::Results;
use plotters::prelude::*;

const WIDTH: u32 = 760;
const HEIGHT: u32 = 520;
/// Room for names at the right.
const NAMES: i32 = 210;
/// A palette that can be told apart, also by people who see fewer colours; then dashes would be next, but lines are
/// named at their ends.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(120, 94, 240),
    RGBColor(90, 90, 90),
];

#[derive(Debug, thiserror::Error)]
#[error("the plot cannot be drawn: {0}")]
pub struct PlotError(String);

/// One line of a panel.
struct Line<'a> {
    name: &'a str,
    points: Vec<(f64, f64)>,
}

/// An SVG document with a panel per level.
pub fn svg(all: &[Results]) -> Result<String, PlotError> {
    let mut levels: Vec<Option<&str>> = all.iter().map(|results| results.level).collect();
    levels.dedup();
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH * levels.len() as u32, HEIGHT)).into_drawing_area();
        let fail = |error: &dyn std::fmt::Display| PlotError(error.to_string());
        root.fill(&WHITE).map_err(|e| fail(&e))?;
        for (area, level) in root.split_evenly((1, levels.len())).iter().zip(&levels) {
            let columns: Vec<&Results> = all.iter().filter(|results| results.level == *level).collect();
            panel(area, level.unwrap_or("chains"), &columns).map_err(|e| PlotError(e.to_string()))?;
        }
        root.present().map_err(|e| fail(&e))?;
    }
    Ok(text)
}

fn lines<'a>(columns: &[&'a Results]) -> Vec<Line<'a>> {
    let names = columns.first().map_or(&[][..], |results| &results.cells);
    let line = |(row, cell): (usize, &'a crate::Cell)| Line {
        name: &cell.strategy,
        points: columns.iter().map(|r| (r.states as f64, r.cells[row].ratio_of_means.max(0.5))).collect(),
    };
    names.iter().enumerate().map(line).collect()
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(area: &Area<'_>, title: &str, columns: &[&Results]) -> Result<(), Box<dyn std::error::Error>> {
    let lines = lines(columns);
    let values = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.1));
    let most = values().fold(2.0f64, f64::max) * 1.2;
    let least = values().fold(1.0f64, f64::min) * 0.95;
    let sizes: Vec<f64> = columns.iter().map(|results| results.states as f64).collect();
    let (first, last) = (sizes.first().copied().unwrap_or(0.0), sizes.last().copied().unwrap_or(1.0));
    let (plot, names) = area.split_horizontally(WIDTH as i32 - NAMES);
    let mut chart = ChartBuilder::on(&plot)
        .caption(format!("{title}: mean cost / mean optimum"), ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(first - 0.5..last + 0.5, (least..most).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("locations")
        .y_desc("times the optimum")
        .x_labels(sizes.len().max(2))
        .y_label_formatter(&|value| format!("{value:.1}"))
        .draw()?;
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let width = if line.name.starts_with("savings") { 3 } else { 1 };
        chart.draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(width)))?;
        chart
            .draw_series(line.points.iter().map(|&point| Circle::new(point, 2 + width as i32 / 2, colour.filled())))?;
    }
    // Names in the order in which the lines end.
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let end = |&line: &usize| lines[line].points.last().map_or(0.0, |point| point.1);
    order.sort_by(|a, b| end(b).total_cmp(&end(a)));
    for (place, &line) in order.iter().enumerate() {
        let colour = COLOURS[line % COLOURS.len()];
        let text = format!("{} {:.2}", lines[line].name, end(&line));
        let style = ("sans-serif", 13).into_font().color(&colour);
        names.draw(&Text::new(text, (4, 40 + 16 * place as i32), style))?;
    }
    Ok(())
}
