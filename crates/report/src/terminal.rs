//! What a person sees while a campaign runs: one live line on a terminal, plain lines anywhere else.
//!
//! Writes only to what it was given; knows nothing of descriptors and the environment.

use crate::bug_folder::place;
use crate::names::SideNames;
use crate::table::table;
use crate::text::readable;
use std::io::{self, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;
use symcrete_event::{Bug, Declared, Event, InputKind, Progress, Reporter, Started};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The line is redrawn in place.
    pub live: bool,
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
}

/// How often a plain line is written when nothing else happens.
const PLAIN_EVERY: Duration = Duration::from_secs(10);
/// How often the live line changes: more is flicker.
const LIVE_EVERY: Duration = Duration::from_millis(100);

pub struct Terminal<W: Write> {
    to: W,
    style: Style,
    names: Rc<SideNames>,
    out: PathBuf,
    /// A live line is on the screen.
    drawn: bool,
    last: Option<Duration>,
    last_executions: (Duration, u64),
    rate: f64,
}

impl<W: Write> Terminal<W> {
    /// `out` is the output folder as the user would type it.
    pub fn new(to: W, style: Style, names: Rc<SideNames>, out: PathBuf) -> Terminal<W> {
        Terminal { to, style, names, out, drawn: false, last: None, last_executions: (Duration::ZERO, 0), rate: 0.0 }
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        self.wipe()?;
        writeln!(self.to, "{text}")
    }

    fn wipe(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.drawn) {
            write!(self.to, "\r\x1b[K")?;
        }
        Ok(())
    }

    fn started(&mut self, started: &Started<'_>) -> io::Result<()> {
        let inputs =
            if started.inputs.is_empty() { "inputs asked for by the program".into() } else { inputs(started.inputs) };
        let resumed =
            if started.resumed > 0 { format!(", going on from {} tests", started.resumed) } else { String::new() };
        let text = format!(
            "{} from {}: {} branches, {inputs}; strategy {}, seed {}{resumed}",
            started.target, started.entry, started.branches_total, started.strategy, started.seed
        );
        self.line(&text)
    }

    fn progress(&mut self, at: Duration, progress: &Progress<'_>) -> io::Result<()> {
        let every = if self.style.live { LIVE_EVERY } else { PLAIN_EVERY };
        if self.last.is_some_and(|last| at.saturating_sub(last) < every) {
            return Ok(());
        }
        self.last = Some(at);
        let (before, executions) = self.last_executions;
        let passed = at.saturating_sub(before).as_secs_f64();
        if passed >= 0.5 || self.rate == 0.0 {
            self.rate = (progress.counters.executions.saturating_sub(executions)) as f64 / passed.max(1e-3);
            self.last_executions = (at, progress.counters.executions);
        }
        let text = self.figures(at, progress);
        if !self.style.live {
            return self.line(&text);
        }
        // No colour here: a line cut to the terminal's width could lose its end.
        let cut: String = text.chars().take(self.style.width.saturating_sub(1)).collect();
        write!(self.to, "\r\x1b[K{cut}")?;
        self.drawn = true;
        self.to.flush()
    }

    fn figures(&self, at: Duration, progress: &Progress<'_>) -> String {
        let counters = &progress.counters;
        let share = if counters.branches_total == 0 {
            100
        } else {
            u64::from(counters.branches_covered) * 100 / u64::from(counters.branches_total)
        };
        let bugs = match progress.bugs {
            0 => "no bugs".to_string(),
            1 => "1 bug".to_string(),
            n => format!("{n} bugs"),
        };
        format!(
            "{:>5}  {} runs/s  branches {}/{} ({share}%)  {} open  {} tests  {bugs}",
            clock(at),
            short(self.rate),
            counters.branches_covered,
            counters.branches_total,
            progress.frontier,
            counters.tests,
        )
    }

    fn bug(&mut self, at: Duration, bug: &Bug<'_>) -> io::Result<()> {
        let place = place(self.names.shown(bug.file), bug.line, bug.function);
        let guess = if bug.under_constrained { " (under-constrained)" } else { "" };
        let detail = if bug.detail.is_empty() { String::new() } else { format!(": {}", bug.detail) };
        let head = self.paint("1;31", bug.kind.slug());
        self.line(&format!("{:>5}  {head} at {place}{detail}{guess}", clock(at)))?;
        let shown: Vec<String> =
            bug.test.inputs.iter().take(4).map(|i| format!("{} = {}", i.name, quoted(i.kind, &i.bytes, 60))).collect();
        if !shown.is_empty() {
            let more = if bug.test.inputs.len() > 4 { ", …" } else { "" };
            self.line(&format!("       {}{more}", shown.join(", ")))?;
        }
        Ok(())
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.style.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.into() }
    }
}

impl<W: Write> Reporter for Terminal<W> {
    fn event(&mut self, at: Duration, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started(started) => self.started(started),
            Event::Note(text) => self.line(&format!("note: {text}")),
            Event::Progress(progress) => self.progress(at, progress),
            Event::Test(_) | Event::Shortened(_) => Ok(()),
            Event::Bug(bug) => self.bug(at, bug),
            Event::Target { number, test } => {
                self.line(&format!("{:>5}  target {number} reached by test {test}", clock(at)))
            }
            Event::Finished(finished) => {
                self.wipe()?;
                let text = table(at, finished, &self.names, &self.out, self.style.color);
                self.to.write_all(text.as_bytes())?;
                self.to.flush()
            }
        }
    }
}

/// `stdin up to 64 bytes, arg1 exactly 3 bytes`.
pub(crate) fn inputs(declared: &[Declared]) -> String {
    let mut seen: Vec<InputKind> = Vec::new();
    let words: Vec<String> = declared
        .iter()
        .map(|d| {
            seen.push(d.kind);
            let position = seen.iter().filter(|k| **k == d.kind).count();
            let name = match d.kind {
                InputKind::Env | InputKind::File => format!("{} {}", d.kind.slug(), d.name),
                _ => d.title(position),
            };
            format!("{name} {} {} bytes", if d.exact { "exactly" } else { "up to" }, d.capacity)
        })
        .collect();
    words.join(", ")
}

/// As a person reads it, cut after so many characters.
pub(crate) fn quoted(kind: InputKind, bytes: &[u8], most: usize) -> String {
    let text = readable(kind, bytes);
    let number = matches!(
        kind,
        InputKind::Signed | InputKind::Unsigned | InputKind::Float | InputKind::Bool | InputKind::Choice
    );
    let cut: String = if text.chars().count() > most { text.chars().take(most).chain(['…']).collect() } else { text };
    if number { cut } else { format!("\"{cut}\"") }
}

/// `7s`, `2m03s`, `1h02m`.
pub(crate) fn clock(at: Duration) -> String {
    let seconds = at.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// `950`, `1.2k`, `48k`, `6.4M`.
pub(crate) fn short(value: f64) -> String {
    match value {
        v if v < 1e3 => format!("{v:.0}"),
        v if v < 1e4 => format!("{:.1}k", v / 1e3),
        v if v < 1e6 => format!("{:.0}k", v / 1e3),
        v => format!("{:.1}M", v / 1e6),
    }
}
