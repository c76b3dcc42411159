//! Coverage over time and over inputs, as areas of what earned it, drawn as SVG within the page.

use super::model::{Earned, Model, Moment};
use crate::text::markup;
use plotters::prelude::*;
use std::error::Error;
use std::fmt::Write;

const SIZE: (u32, u32) = (760, 300);
/// Points of a curve: more would only make the page larger.
const POINTS: usize = 400;
/// Told apart in light and dark, and without red and green.
const COLOURS: [RGBColor; 5] = [
    RGBColor(128, 128, 128),
    RGBColor(230, 159, 0),
    RGBColor(0, 114, 178),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];

pub fn plots(model: &Model) -> String {
    if model.progress.len() < 2 {
        return "<p>There is no time series.</p>".into();
    }
    let kinds: Vec<usize> =
        (0..Earned::ALL.len()).filter(|k| model.tests.iter().any(|t| t.earned == Earned::ALL[*k].0)).collect();
    let mut out = String::from("<p class=\"legend\">");
    for kind in &kinds {
        let RGBColor(r, g, b) = COLOURS[*kind];
        let (earned, name) = Earned::ALL[*kind];
        let tests = model.tests.iter().filter(|t| t.earned == earned && t.path.starts_with("tests/"));
        let (count, sides) = tests.fold((0, 0), |(count, sides), t| (count + 1, sides + t.sides.len()));
        let _ = write!(
            out,
            "<span><svg width=\"12\" height=\"12\"><rect width=\"12\" height=\"12\" fill=\"rgb({r},{g},{b})\"/></svg> \
             {name}: {sides} branches by {count} tests</span> "
        );
    }
    out.push_str("</p>");
    let series = series(model);
    for (label, axis) in [("seconds", 0), ("new inputs", 1)] {
        let picture = drawn(&series, &kinds, axis, label);
        out.push_str(&picture.unwrap_or_else(|error| format!("<p>No plot: {}</p>", markup(&error.to_string()))));
    }
    out
}

/// A moment, and the branches that each kind of test had earned by then.
type Point = ([f64; 2], [f64; 5]);

fn series(model: &Model) -> Vec<Point> {
    let mut earned = [0.0; 5];
    let mut tests = model.tests.iter().filter(|t| t.path.starts_with("tests/"));
    let mut taken = 0;
    let mut points: Vec<Point> = Vec::with_capacity(model.progress.len());
    for Moment { seconds, iterations, tests: kept, .. } in &model.progress {
        while taken < *kept
            && let Some(test) = tests.next()
        {
            let kind = Earned::ALL.iter().position(|(e, _)| *e == test.earned).unwrap_or(0);
            earned[kind] += test.sides.len() as f64;
            taken += 1;
        }
        points.push(([*seconds, *iterations as f64], earned));
    }
    let step = points.len().div_ceil(POINTS);
    let last = points.len() - 1;
    points.into_iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last).map(|(_, p)| p).collect()
}

fn drawn(series: &[Point], kinds: &[usize], axis: usize, label: &str) -> Result<String, Box<dyn Error>> {
    let end = series.iter().map(|p| p.0[axis]).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let top = series.last().map_or(1.0, |p| p.1.iter().sum::<f64>()).max(1.0) * 1.05;
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(52)
            .build_cartesian_2d(0.0..end, 0.0..top)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .x_desc(label)
            .y_desc("branches")
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .draw()?;
        // From the sum of all down to the first: each covers what is not its own.
        for upto in (0..kinds.len()).rev() {
            let height = |p: &Point| kinds[..=upto].iter().map(|k| p.1[*k]).sum::<f64>();
            let mut outline: Vec<(f64, f64)> = series.iter().map(|p| (p.0[axis], height(p))).collect();
            outline.push((end, 0.0));
            outline.push((0.0, 0.0));
            chart.draw_series(std::iter::once(Polygon::new(outline, COLOURS[kinds[upto]].filled())))?;
        }
        root.present()?;
    }
    // Ink follows the page's own, which may be dark or light.
    Ok(svg.replace("\"#000000\"", "\"currentColor\"").replacen("<svg ", "<svg role=\"img\" ", 1))
}

fn short(value: f64) -> String {
    if value >= 1e6 {
        format!("{:.1}M", value / 1e6)
    } else if value >= 1e4 {
        format!("{:.0}k", value / 1e3)
    } else if value == value.trunc() {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}
