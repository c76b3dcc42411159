//! What the screen shows, as plain data: filled from events, changed by keys, drawn by `draw`. Bounded, however long a
//! campaign is.
//!
//! Knows no terminal, no clock and no thread.

use crate::bug_folder::place;
use crate::names::SideNames;
use crate::terminal::quoted;
use crate::test_file::{end_text, origin_text};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use symcrete_event::{Bug, Counters, Event, InputObject, LayerRow, Phase, Progress, Started, Test};

/// Finds that can be looked at here; the files have all of them.
const MOST_FINDS: usize = 1000;
/// Points of the curve: more than any terminal has columns.
const MOST_POINTS: usize = 512;
/// Inputs, branches and frames of one find.
const MOST_ROWS: usize = 200;
/// How long the rate of runs is averaged over, at least.
const RATE_OVER: Duration = Duration::from_millis(500);

/// Whether the campaign goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    #[default]
    Running,
    /// A pause was asked for; the step that is being done is finished first.
    Pausing,
    Paused,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    #[default]
    Overview,
    /// The selected find, from this line on.
    Find {
        from: usize,
    },
    Help,
}

/// A test or a bug, in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Find {
    pub at: Duration,
    /// `test 3`, `abort`.
    pub title: String,
    pub is_bug: bool,
    /// The engine's number of a bug: a shorter input replaces the one before.
    pub bug: Option<u32>,
    /// In a line: the place of a bug, how many branches a test brought.
    pub short: String,
    /// The first input, readable.
    pub first: String,
    /// Everything, line by line; `(heading, text)`.
    pub rows: Vec<(&'static str, String)>,
}

#[derive(Clone, Debug, Default)]
pub struct State {
    pub target: String,
    pub entry: String,
    pub strategy: String,
    pub seed: u64,
    /// The output folder as the user would type it.
    pub out: String,
    pub at: Duration,
    pub counters: Counters,
    pub frontier: u64,
    pub bugs: u32,
    pub cpu_seconds: f64,
    pub memory_mb: u64,
    pub phase: Phase,
    pub layers: Vec<LayerRow>,
    pub rate: f64,
    pub(super) rated: (Duration, u64),
    /// Seconds and branches, in order of time.
    pub curve: Vec<(f64, f64)>,
    /// A point of the curve stands for so many seconds at least.
    pub(super) every: f64,
    /// Oldest first. Shared: the state is copied for each drawing.
    pub finds: Vec<Arc<Find>>,
    /// Older ones that are not shown any more.
    pub dropped: usize,
    /// Position in `finds`.
    pub selected: Option<usize>,
    pub note: String,
    pub hold: Hold,
    /// The campaign was told to stop.
    pub stopping: bool,
    pub view: View,
}

impl State {
    pub fn new(out: &Path) -> State {
        State { out: out.display().to_string(), ..State::default() }
    }

    pub fn take(&mut self, at: Duration, event: &Event<'_>, names: &SideNames) {
        match event {
            Event::Started(started) => self.started(started),
            Event::Note(text) => self.note = (*text).into(),
            Event::Progress(progress) => self.progress(at, progress),
            Event::Test(test) => self.add(of_test(at, test, names)),
            Event::Bug(bug) | Event::Shortened(bug) => self.bug(of_bug(at, bug, names)),
            Event::Target { number, test } => self.note = format!("target {number} reached by test {test}"),
            Event::Finished(_) => {}
        }
    }

    fn started(&mut self, started: &Started<'_>) {
        self.target = started.target.into();
        self.entry = started.entry.into();
        self.strategy = started.strategy.into();
        self.seed = started.seed;
        self.counters.branches_total = started.branches_total;
    }

    fn progress(&mut self, at: Duration, progress: &Progress<'_>) {
        self.at = at;
        self.counters = progress.counters;
        self.frontier = progress.frontier;
        self.bugs = progress.bugs;
        self.cpu_seconds = progress.clocks.cpu_seconds;
        self.memory_mb = progress.clocks.peak_memory_mb;
        self.phase = progress.phase;
        self.layers = progress.layers.to_vec();
        let (before, executions) = self.rated;
        let passed = at.saturating_sub(before);
        if passed >= RATE_OVER || self.rate == 0.0 {
            let runs = progress.counters.executions.saturating_sub(executions);
            self.rate = runs as f64 / passed.as_secs_f64().max(1e-3);
            self.rated = (at, progress.counters.executions);
        }
        self.point(at.as_secs_f64(), f64::from(progress.counters.branches_covered));
    }

    /// The last point is always now. When there are too many every other one goes.
    fn point(&mut self, seconds: f64, covered: f64) {
        let kept = self.curve.len().checked_sub(2).map(|at| self.curve[at].0);
        if kept.is_some_and(|kept| seconds - kept < self.every) {
            self.curve.pop();
        }
        self.curve.push((seconds, covered));
        if self.curve.len() > MOST_POINTS {
            let mut keep = false;
            self.curve.retain(|_| {
                keep = !keep;
                keep
            });
            self.every = 2.0 * seconds / MOST_POINTS as f64;
        }
    }

    fn add(&mut self, find: Find) {
        if self.finds.len() >= MOST_FINDS {
            self.finds.remove(0);
            self.dropped += 1;
            self.selected = self.selected.map(|at| at.saturating_sub(1));
        }
        self.finds.push(Arc::new(find));
    }

    fn bug(&mut self, bug: Find) {
        match self.finds.iter_mut().find(|find| find.bug == bug.bug) {
            Some(known) => *known = Arc::new(Find { at: known.at, ..bug }),
            None => self.add(bug),
        }
    }
}

fn of_test(at: Duration, test: &Test<'_>, names: &SideNames) -> Find {
    let count = test.new_sides.len();
    let short = format!("{count} new {}, {}", if count == 1 { "branch" } else { "branches" }, end_text(test.end));
    let (first, rows) = rows_of(test, names);
    Find { at, title: format!("test {}", test.number), short, first, rows, ..Find::default() }
}

fn of_bug(at: Duration, bug: &Bug<'_>, names: &SideNames) -> Find {
    let place = place(names.shown(bug.file), bug.line, bug.function);
    let (first, of_test) = rows_of(&bug.test, names);
    let mut rows = vec![("place", place.clone())];
    if !bug.detail.is_empty() {
        rows.push(("detail", bug.detail.into()));
    }
    if bug.under_constrained {
        rows.push(("", "under-constrained: needs parameters that no caller may ever pass".into()));
    }
    rows.extend(of_test);
    rows.extend(list("stack", bug.stack.iter().cloned(), bug.stack.len()));
    let title = bug.kind.slug().to_string();
    Find { at, title, is_bug: true, bug: Some(bug.number), short: place, first, rows }
}

/// The first input in a line, and all that is said of a test.
fn rows_of(test: &Test<'_>, names: &SideNames) -> (String, Vec<(&'static str, String)>) {
    let line = |object: &InputObject| format!("{} = {}", object.name, quoted(object.kind, &object.bytes, usize::MAX));
    let first = test.inputs.first().map(|o| format!("{} = {}", o.name, quoted(o.kind, &o.bytes, 60)));
    let mut rows = list("input", test.inputs.iter().map(line), test.inputs.len());
    rows.push(("end", end_text(test.end)));
    rows.push(("from", origin_text(&test.origin, names)));
    let sides = test.new_sides.iter().map(|side| names.get(*side).name);
    rows.extend(list("branches", sides, test.new_sides.len()));
    (first.unwrap_or_default(), rows)
}

fn list(title: &'static str, items: impl Iterator<Item = String>, count: usize) -> Vec<(&'static str, String)> {
    let mut rows: Vec<_> = items.take(MOST_ROWS).map(|text| ("", text)).collect();
    if count > MOST_ROWS {
        rows.push(("", format!("and {} more", count - MOST_ROWS)));
    }
    if let Some(first) = rows.first_mut() {
        first.0 = title;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_campaign_has_a_short_curve() {
        let mut state = State::default();
        for tenth in 0..200_000u32 {
            state.point(f64::from(tenth) / 10.0, f64::from(tenth / 100));
        }
        assert!(state.curve.len() <= MOST_POINTS && state.curve.len() > MOST_POINTS / 4, "{}", state.curve.len());
        assert_eq!(state.curve[0], (0.0, 0.0));
        assert_eq!(*state.curve.last().unwrap(), (19_999.9, 1999.0));
        assert!(state.curve.is_sorted_by(|a, b| a.0 < b.0));
        let gaps: Vec<f64> = state.curve.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(gaps.iter().all(|gap| *gap < 200.0), "no part of the time is left out: {gaps:?}");
    }

    #[test]
    fn old_finds_go_and_the_selected_one_stays_selected() {
        let mut state = State { selected: Some(5), ..State::default() };
        for number in 0..MOST_FINDS + 3 {
            state.add(Find { title: number.to_string(), ..Find::default() });
        }
        assert_eq!((state.finds.len(), state.dropped), (MOST_FINDS, 3));
        assert_eq!(state.finds[state.selected.unwrap()].title, "5");
    }

    #[test]
    fn a_shorter_input_replaces_the_find() {
        let mut state = State::default();
        let bug = |first: &str, at| Find {
            bug: Some(1),
            at: Duration::from_secs(at),
            first: first.into(),
            ..Find::default()
        };
        state.bug(bug("long", 1));
        state.bug(bug("short", 9));
        assert_eq!(state.finds, [Arc::new(bug("short", 1))]);
    }
}
