//! Coverage over iterations or CPU time as an SVG: the mean of each strategy's runs, between the least and the most.

use super::runs::{Entrant, Reading};
use plotters::prelude::*;
use std::error::Error;

/// What runs along the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    Iterations,
    CpuSeconds,
}

impl Axis {
    fn of(self, reading: &Reading) -> f64 {
        match self {
            Axis::Iterations => reading.iterations as f64,
            Axis::CpuSeconds => reading.cpu_seconds,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Axis::Iterations => "iterations",
            Axis::CpuSeconds => "CPU seconds",
        }
    }
}

/// Moments along the bottom.
const STEPS: usize = 240;

/// The plot as SVG text.
pub fn plot(title: &str, entrants: &[Entrant], axis: Axis) -> Result<String, Box<dyn Error>> {
    let all = || entrants.iter().flat_map(|entrant| &entrant.runs);
    let end = all().filter_map(|run| run.series.last()).map(|reading| axis.of(reading)).fold(0.0, f64::max);
    let end = if end > 0.0 { end } else { 1.0 };
    let most = all().map(|run| run.summary.branches_covered).max().unwrap_or(1).max(1);
    // What every run has at once would take most of the picture.
    let least = all().filter_map(|run| run.series.first()).map(|reading| reading.branches_covered).min().unwrap_or(0);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (900, 560)).into_drawing_area();
        root.fill(&WHITE)?;
        let bottom = f64::from(least) * 0.95;
        let top = f64::from(most) + (f64::from(most) - bottom).max(1.0) * 0.04;
        let mut chart = ChartBuilder::on(&root)
            .caption(title, ("sans-serif", 20))
            .margin(14)
            .x_label_area_size(42)
            .y_label_area_size(58)
            .build_cartesian_2d(0.0..end, bottom..top)?;
        chart.configure_mesh().x_desc(axis.label()).y_desc("branches covered").light_line_style(WHITE).draw()?;
        for (number, entrant) in entrants.iter().enumerate().filter(|(_, entrant)| !entrant.runs.is_empty()) {
            let color = Palette99::pick(number).to_rgba();
            let moments = (0..=STEPS).map(|step| end * step as f64 / STEPS as f64);
            let spread: Vec<(f64, f64, f64, f64)> = moments
                .map(|moment| {
                    let values = entrant.runs.iter().map(|run| f64::from(run.covered_at(moment, |r| axis.of(r))));
                    let (mut low, mut high, mut sum) = (f64::INFINITY, 0.0f64, 0.0);
                    for value in values {
                        (low, high, sum) = (low.min(value), high.max(value), sum + value);
                    }
                    (moment, sum / entrant.runs.len() as f64, low, high)
                })
                .skip_while(|(_, mean, _, _)| *mean < bottom)
                .collect();
            let band = spread.iter().map(|s| (s.0, s.3)).chain(spread.iter().rev().map(|s| (s.0, s.2.max(bottom))));
            chart.draw_series(std::iter::once(Polygon::new(band.collect::<Vec<_>>(), color.mix(0.08).filled())))?;
            let line = LineSeries::new(spread.iter().map(|s| (s.0, s.1)), color.stroke_width(2));
            chart
                .draw_series(line)?
                .label(entrant.name.clone())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(3)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
    }
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::super::runs::OneRun;
    use super::*;
    use crate::Summary;

    #[test]
    fn every_strategy_has_its_line() {
        let reading = |iterations, branches_covered| Reading { iterations, cpu_seconds: 0.5, branches_covered };
        let entrant = |name: &str, runs: Vec<Vec<Reading>>| Entrant {
            name: name.into(),
            runs: runs
                .into_iter()
                .map(|series| OneRun { seed: 1, summary: Summary { branches_covered: 9, ..Summary::new() }, series })
                .collect(),
            failed: vec![],
        };
        let all = [
            entrant("first", vec![vec![reading(1, 3), reading(40, 9)], vec![reading(2, 3)]]),
            entrant("second", vec![vec![reading(1, 4)]]),
            entrant("failed", vec![]),
        ];
        for axis in [Axis::Iterations, Axis::CpuSeconds] {
            let svg = plot("a.c", &all, axis).unwrap();
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
            assert!(svg.contains("first") && svg.contains("second") && !svg.contains("failed"));
            assert_eq!(svg.matches("<polygon").count(), 2);
        }
        assert!(plot("nothing", &[], Axis::Iterations).is_ok());
    }
}
