//! Draws the state, at any size from 40 columns on; what does not fit is left out from the least important on.
//!
//! Decides nothing and remembers nothing.

use super::keys::HELP;
use super::state::{Find, Hold, State, View};
use crate::terminal::{clock, short};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Chart, Dataset, GraphType, Paragraph, Wrap};
use symcrete_event::LayerRow;

/// From here on the curve and the solver stand side by side.
const WIDE: u16 = 80;

/// What the terminal can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub color: bool,
}

impl Look {
    fn paint(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }

    fn loud(self, color: Color) -> Style {
        self.paint(color).add_modifier(Modifier::BOLD)
    }
}

pub fn draw(frame: &mut Frame<'_>, state: &State, look: Look) {
    let width = usize::from(frame.area().width);
    let head = head(state, look, width);
    let [top, middle, foot] =
        Layout::vertical([Constraint::Length(head.len() as u16), Constraint::Min(0), Constraint::Length(1)])
            .areas(frame.area());
    frame.render_widget(Paragraph::new(head), top);
    match state.view {
        View::Overview => overview(frame, middle, state, look),
        View::Find { from } => {
            if let Some(find) = state.selected.and_then(|at| state.finds.get(at)) {
                one_find(frame, middle, find, from, look);
            }
        }
        View::Help => help(frame, middle, state),
    }
    frame.render_widget(Paragraph::new(keys(state, width)), foot);
}

/// What is being done, then all figures, as many in a line as fit.
fn head(state: &State, look: Look, width: usize) -> Vec<Line<'static>> {
    let (word, style) = match (state.stopping, state.hold) {
        (true, _) => ("stopping", look.loud(Color::Yellow)),
        (_, Hold::Running) => ("running", look.loud(Color::Green)),
        (_, Hold::Pausing) => ("pausing", look.loud(Color::Yellow)),
        (_, Hold::Paused) => ("paused", look.loud(Color::Yellow)),
    };
    let room = width.saturating_sub(word.len() + 2);
    let name = match state.target.as_str() {
        "" => "starting".into(),
        target => cut(&format!("{target} from {}", state.entry), room),
    };
    let gap = " ".repeat(width.saturating_sub(Span::raw(name.as_str()).width() + word.len()));
    let title = Line::from(vec![
        Span::styled(name, Style::new().add_modifier(Modifier::BOLD)),
        gap.into(),
        Span::styled(word, style),
    ]);
    let counters = &state.counters;
    let share = match counters.branches_total {
        0 => 100,
        total => u64::from(counters.branches_covered) * 100 / u64::from(total),
    };
    let count = |number: u64, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let figures = [
        (clock(state.at), Style::new()),
        (
            format!("branches {}/{} ({share}%)", counters.branches_covered, counters.branches_total),
            look.loud(Color::Cyan),
        ),
        (format!("{} runs/s", short(state.rate)), Style::new()),
        (count(u64::from(counters.tests), "test", "tests"), Style::new()),
        match state.bugs {
            0 => ("no bugs".into(), Style::new()),
            bugs => (count(u64::from(bugs), "bug", "bugs"), look.loud(Color::Red)),
        },
        (format!("{} open", short(state.frontier as f64)), Style::new()),
        (format!("{}: {}", state.strategy, state.phase.text()), Style::new()),
        (format!("{} runs", short(counters.executions as f64)), Style::new()),
        (format!("{:.1} CPU-s", state.cpu_seconds), Style::new()),
        (format!("{} MB", state.memory_mb), Style::new()),
    ];
    let mut lines = vec![title];
    let (mut line, mut used) = (Line::default(), 0);
    for (text, style) in figures {
        let needed = text.chars().count();
        if used > 0 && used + 2 + needed > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push_span("  ");
            used += 2;
        }
        used += needed;
        line.push_span(Span::styled(text, style));
    }
    lines.push(line);
    if !state.note.is_empty() {
        lines.push(Line::from(cut(&state.note, width)));
    }
    lines
}

fn overview(frame: &mut Frame<'_>, area: Rect, state: &State, look: Look) {
    let layers = asked(&state.layers);
    let solver_height = layers.len() as u16 + 3;
    let finds = if area.width >= WIDE {
        let height = if area.height < 10 { 0 } else { solver_height.max(7).min(area.height / 2) };
        let [above, finds] = Layout::vertical([Constraint::Length(height), Constraint::Min(0)]).areas(area);
        let [left, right] = Layout::horizontal([Constraint::Min(30), Constraint::Length(46)]).areas(above);
        curve(frame, left, state, look);
        solver(frame, right, &layers, look);
        finds
    } else {
        let curve_height = if area.height < 16 { 0 } else { 6 };
        let solver_height = if area.height < 10 { 0 } else { solver_height.clamp(4, 7) };
        let [above, below, finds] =
            Layout::vertical([Constraint::Length(curve_height), Constraint::Length(solver_height), Constraint::Min(0)])
                .areas(area);
        curve(frame, above, state, look);
        solver(frame, below, &layers, look);
        finds
    };
    last_finds(frame, finds, state, look);
}

/// Branches covered, over time.
fn curve(frame: &mut Frame<'_>, area: Rect, state: &State, look: Look) {
    if area.height < 5 {
        return;
    }
    let most = state.curve.iter().map(|point| point.1).fold(1.0, f64::max);
    let last = state.curve.last().map_or(1.0, |point| point.0.max(1e-3));
    let data = Dataset::default()
        .marker(Marker::Braille)
        .graph_type(GraphType::Line)
        .style(look.paint(Color::Cyan))
        .data(&state.curve);
    let x = Axis::default().bounds([0.0, last]).labels(["0s".into(), clock(state.at)]);
    let y = Axis::default().bounds([0.0, most]).labels(["0".into(), format!("{most:.0}")]);
    frame.render_widget(
        Chart::new(vec![data]).block(Block::bordered().title("branches over time")).x_axis(x).y_axis(y),
        area,
    );
}

/// Those that were asked anything.
fn asked(layers: &[LayerRow]) -> Vec<&LayerRow> {
    layers.iter().filter(|layer| layer.calls > 0).collect()
}

fn solver(frame: &mut Frame<'_>, area: Rect, layers: &[&LayerRow], look: Look) {
    if area.height < 4 {
        return;
    }
    let room = usize::from(area.height) - 3;
    let mut shown: Vec<usize> = (0..layers.len()).collect();
    // Where there is no room for all, those that take the time.
    shown.sort_by(|a, b| layers[*b].seconds.total_cmp(&layers[*a].seconds));
    shown.truncate(room);
    shown.sort_unstable();
    let left_out = layers.len() - shown.len();
    let title = if left_out > 0 { format!("solver ({left_out} layers more)") } else { "solver".into() };
    let row = |name: &str, asked: &str, sat: &str, unsat: &str, time: &str| {
        format!("{name:<10.10}{asked:>7}{sat:>7}{unsat:>7}{time:>7}")
    };
    let mut lines = vec![Line::styled(row("layer", "asked", "sat", "unsat", "time"), look.paint(Color::DarkGray))];
    for layer in shown.into_iter().map(|at| layers[at]) {
        let number = |value: u64| short(value as f64);
        let time = match layer.seconds {
            s if s < 100.0 => format!("{s:.1}s"),
            s => format!("{s:.0}s"),
        };
        lines.push(Line::from(row(&layer.name, &number(layer.calls), &number(layer.sat), &number(layer.unsat), &time)));
    }
    if layers.is_empty() {
        lines.push("nothing asked yet".into());
    }
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
}

/// Newest first, the selected one in sight.
fn last_finds(frame: &mut Frame<'_>, area: Rect, state: &State, look: Look) {
    if area.height < 3 {
        return;
    }
    let count = state.finds.len();
    let room = usize::from(area.height) - 2;
    let position = state.selected.map_or(0, |at| count - 1 - at);
    let first = position.saturating_sub(room - 1);
    let mut lines = vec![];
    for at in (0..count).rev().skip(first).take(room) {
        let find = &state.finds[at];
        let kind = if find.is_bug { look.loud(Color::Red) } else { Style::new() };
        let mut line = Line::from(vec![
            Span::raw(format!("{:>6} ", clock(find.at))),
            Span::styled(format!("{} ", find.title), kind),
            Span::raw(find.short.clone()),
            Span::styled(format!("  {}", find.first), look.paint(Color::DarkGray)),
        ]);
        if state.selected == Some(at) {
            line = line.style(Style::new().add_modifier(Modifier::REVERSED));
        }
        lines.push(line);
    }
    if lines.is_empty() {
        lines.push("nothing found yet".into());
    }
    let title = match state.dropped {
        0 => "last finds".to_string(),
        dropped => format!("last finds ({dropped} older in {})", state.out),
    };
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
}

fn one_find(frame: &mut Frame<'_>, area: Rect, find: &Find, from: usize, look: Look) {
    let mut lines = vec![];
    for (heading, text) in find.rows.iter().skip(from) {
        if !heading.is_empty() {
            lines.push(Line::styled(*heading, look.loud(Color::Cyan)));
        }
        lines.push(Line::from(format!("  {text}")));
    }
    let title = format!("{} at {}", find.title, clock(find.at));
    let text = Paragraph::new(lines).wrap(Wrap { trim: false });
    frame.render_widget(text.block(Block::bordered().title(title)), area);
}

fn help(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let mut lines: Vec<Line<'_>> = HELP.iter().map(|(key, text)| Line::from(format!("{key:<6} {text}"))).collect();
    lines.push(Line::default());
    lines.push(Line::from(format!("Tests and bugs are in {} already.", state.out)));
    let text = Paragraph::new(lines).wrap(Wrap { trim: false });
    frame.render_widget(text.block(Block::bordered().title("keys")), area);
}

fn keys(state: &State, width: usize) -> String {
    let pause = if state.hold == Hold::Running { "p pause" } else { "p go on" };
    let text = match state.view {
        View::Overview => format!("{pause}  q stop  ↑↓ enter look  ? help"),
        View::Find { .. } => format!("{pause}  q stop  ↑↓ scroll  esc back"),
        View::Help => format!("{pause}  q stop  esc back"),
    };
    cut(&text, width)
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
