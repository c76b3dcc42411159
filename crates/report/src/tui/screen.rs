//! The terminal itself: taken, drawn on by a thread of its own, and given back however the campaign ends.

use super::draw::{Look, draw};
use super::keys::{Action, Key, update};
use super::state::State;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::crossterm::{cursor, execute, terminal};
use rustix::time::{ClockId, clock_gettime};
use std::io::{self, Stderr, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often the screen is drawn at most.
const EVERY: Duration = Duration::from_millis(250);
/// The same where drawing has taken its share of the CPU time: on a busy machine a campaign gets little of it.
const SELDOM: Duration = Duration::from_secs(5);
/// Of the CPU time of this process.
const SHARE: f64 = 0.004;
/// How long a panicking thread waits for a drawing that is going on.
const PATIENCE: Duration = Duration::from_millis(300);

/// What the campaign and the screen share. Never locked while something is drawn or run.
#[derive(Default)]
pub struct Shared {
    state: Mutex<State>,
    /// A key was pressed that the campaign may wait for.
    pub pressed: Condvar,
    /// There is something new to draw.
    pub changed: AtomicBool,
    /// The screen is to be given back.
    pub over: AtomicBool,
}

impl Shared {
    pub fn new(state: State) -> Shared {
        Shared { state: Mutex::new(state), ..Shared::default() }
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the terminal is ours. Locked while it is drawn on, so that nothing is drawn after it was given back.
#[derive(Clone)]
pub struct Hold(Arc<Mutex<bool>>);

impl Hold {
    pub fn take() -> io::Result<Hold> {
        terminal::enable_raw_mode()?;
        let hold = Hold(Arc::new(Mutex::new(true)));
        if let Err(error) = execute!(stderr(), terminal::EnterAlternateScreen, cursor::Hide) {
            hold.give_back();
            return Err(error);
        }
        Ok(hold)
    }

    /// Makes the terminal what it was; once is enough, and never too late.
    pub fn give_back(&self) {
        let until = Instant::now() + PATIENCE;
        let mut held = loop {
            match self.0.try_lock() {
                Ok(held) => break Some(held),
                Err(TryLockError::Poisoned(held)) => break Some(held.into_inner()),
                // The one who draws may be the one who panics.
                Err(TryLockError::WouldBlock) if Instant::now() > until => break None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(5)),
            }
        };
        if let Some(held) = &mut held
            && !std::mem::replace(&mut **held, false)
        {
            return;
        }
        let _ = execute!(stderr(), terminal::LeaveAlternateScreen, cursor::Show);
        let _ = terminal::disable_raw_mode();
    }
}

/// The thread that draws and listens.
pub struct Screen {
    pub hold: Hold,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

impl Screen {
    /// A panic of any thread gives the terminal back before it is told.
    pub fn start(
        hold: Hold,
        shared: Arc<Shared>,
        look: Look,
        act: impl Fn(Action) + Send + 'static,
    ) -> io::Result<Screen> {
        let before = std::panic::take_hook();
        let held = hold.clone();
        std::panic::set_hook(Box::new(move |panic| {
            held.give_back();
            before(panic);
        }));
        let (held, seen) = (hold.clone(), Arc::clone(&shared));
        let thread = thread::Builder::new().name("symcrete-tui".into()).spawn(move || {
            let drawn = Terminal::new(CrosstermBackend::new(stderr()))
                .and_then(|mut terminal| attend(&mut terminal, &seen, &held, look, &act));
            if drawn.is_err() {
                // Nobody can see anything any more: the campaign goes on without.
                seen.over.store(true, Ordering::Relaxed);
            }
        });
        match thread {
            Ok(thread) => Ok(Screen { hold, thread: Some(thread), shared }),
            Err(error) => {
                hold.give_back();
                Err(error)
            }
        }
    }

    pub fn end(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.hold.give_back();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.end();
    }
}

/// Whether this thread, which does nothing but draw, has used less than its share.
fn may_draw() -> bool {
    let seconds = |id| {
        let time = clock_gettime(id);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    seconds(ClockId::ThreadCPUTime) <= SHARE * seconds(ClockId::ProcessCPUTime)
}

fn attend(
    terminal: &mut Terminal<CrosstermBackend<Stderr>>,
    shared: &Shared,
    hold: &Hold,
    look: Look,
    act: &dyn Fn(Action),
) -> io::Result<()> {
    let mut last: Option<Instant> = None;
    let mut at_once = true;
    while !shared.over.load(Ordering::Relaxed) {
        let due = at_once || last.is_none_or(|last| last.elapsed() >= if may_draw() { EVERY } else { SELDOM });
        if due && (shared.changed.swap(false, Ordering::Relaxed) || at_once) {
            let state = shared.state().clone();
            let held = hold.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !*held {
                return Ok(());
            }
            terminal.draw(|frame| draw(frame, &state, look))?;
            drop(held);
            (last, at_once) = (Some(Instant::now()), false);
        }
        if !event::poll(EVERY)? {
            continue;
        }
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                let control = key.modifiers.contains(KeyModifiers::CONTROL);
                let Some(key) = meaning(key.code, control) else { continue };
                let action = update(&mut shared.state(), key);
                shared.pressed.notify_all();
                at_once = true;
                if let Some(action) = action {
                    act(action);
                }
            }
            Event::Resize(..) => at_once = true,
            _ => {}
        }
    }
    Ok(())
}

fn meaning(code: KeyCode, control: bool) -> Option<Key> {
    Some(match code {
        KeyCode::Char('c') if control => Key::Interrupt,
        KeyCode::Char('l') if control => Key::Char('l'),
        KeyCode::Char(_) if control => return None,
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter | KeyCode::Right => Key::Enter,
        KeyCode::Esc | KeyCode::Left | KeyCode::Backspace => Key::Escape,
        _ => return None,
    })
}
