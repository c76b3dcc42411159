//! `--tui`: the whole screen for long campaigns: the curve, the frontier, the solver's layers, the last finds. Hears the
//! same events as the live line; what would have been written meanwhile is written when the screen is given back.
//!
//! Drawing and keys have a thread of their own, which never waits for the campaign, and the campaign waits for it only
//! where the user pauses it. Nothing here decides what is run.

mod draw;
mod keys;
mod screen;
#[cfg(test)]
mod snapshots;
mod state;

use crate::names::SideNames;
use crate::terminal::{Style, Terminal};
use draw::Look;
use keys::Action;
use screen::{Screen, Shared};
use state::State;
use std::cell::RefCell;
use std::io::{self, Stderr, Write, stderr};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use symcrete_event::{Event, Reporter};

/// How often a paused campaign looks whether it was told to stop.
const AGAIN: Duration = Duration::from_millis(50);

/// The reporter that has the screen.
pub struct Tui {
    screen: Screen,
    shared: Arc<Shared>,
    names: Rc<SideNames>,
    /// For afterwards: the lines that stay, and the table.
    plain: Terminal<Later>,
    later: Later,
    interrupted: Arc<AtomicBool>,
}

impl Tui {
    /// Takes the terminal of standard error. Keys that stop the campaign set `interrupted`; who presses twice ends the
    /// process with `at_once`, after the terminal was given back.
    pub fn start(
        style: Style,
        names: Rc<SideNames>,
        out: &Path,
        interrupted: &Arc<AtomicBool>,
        at_once: impl Fn() + Send + 'static,
    ) -> io::Result<Tui> {
        let shared = Arc::new(Shared::new(State::new(out)));
        let stop = Arc::clone(interrupted);
        let look = Look { color: style.color };
        let later = Later::default();
        let hold = screen::Hold::take()?;
        let way_out = hold.clone();
        let screen = Screen::start(hold, Arc::clone(&shared), look, move |action| {
            if stop.swap(true, Ordering::Relaxed) || action == Action::StopAtOnce {
                way_out.give_back();
                at_once();
            }
        })?;
        let style = Style { live: false, ..style };
        let plain = Terminal::new(later.clone(), style, names.clone(), out.to_owned());
        Ok(Tui { screen, shared, names, plain, later, interrupted: Arc::clone(interrupted) })
    }

    /// Gives the terminal back, for one who ends the process from elsewhere.
    pub fn way_out(&self) -> impl Fn() + Send + 'static {
        let hold = self.screen.hold.clone();
        move || hold.give_back()
    }

    fn close(&mut self) {
        self.screen.end();
        self.later.open();
    }
}

impl Reporter for Tui {
    fn event(&mut self, at: Duration, event: &Event<'_>) -> io::Result<()> {
        if matches!(event, Event::Finished(_)) {
            self.close();
        }
        if self.shared.over.load(Ordering::Relaxed) {
            return self.plain.event(at, event);
        }
        let mut state = self.shared.state();
        state.take(at, event, &self.names);
        state.stopping |= self.interrupted.load(Ordering::Relaxed);
        drop(state);
        self.shared.changed.store(true, Ordering::Relaxed);
        match event {
            Event::Progress(_) => Ok(()),
            other => self.plain.event(at, other),
        }
    }

    fn hold(&mut self) -> Duration {
        let mut state = self.shared.state();
        if state.hold != state::Hold::Pausing {
            return Duration::ZERO;
        }
        let begin = Instant::now();
        state.hold = state::Hold::Paused;
        self.shared.changed.store(true, Ordering::Relaxed);
        let stops = || self.interrupted.load(Ordering::Relaxed) || self.shared.over.load(Ordering::Relaxed);
        while state.hold == state::Hold::Paused && !stops() {
            let waited = self.shared.pressed.wait_timeout(state, AGAIN);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.hold == state::Hold::Paused {
            state.hold = state::Hold::Running;
        }
        begin.elapsed()
    }
}

impl Drop for Tui {
    fn drop(&mut self) {
        self.close();
    }
}

/// Standard error, from when it is opened on; until then what is written waits.
#[derive(Clone, Default)]
struct Later(Rc<RefCell<Waiting>>);

#[derive(Default)]
struct Waiting {
    text: Vec<u8>,
    to: Option<Stderr>,
}

impl Later {
    fn open(&self) {
        let mut waiting = self.0.borrow_mut();
        if waiting.to.is_none() {
            let text = std::mem::take(&mut waiting.text);
            let _ = waiting.to.insert(stderr()).write_all(&text);
        }
    }
}

impl Write for Later {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.borrow_mut();
        match &mut waiting.to {
            Some(to) => to.write(bytes),
            None => {
                waiting.text.extend(bytes);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
