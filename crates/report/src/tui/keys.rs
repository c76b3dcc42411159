//! What keys do: a pure function of the state. Only stopping leaves it.

use super::state::{Hold, State, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    /// Ctrl-C.
    Interrupt,
}

/// What the campaign, not the screen, has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// In good order: results are written.
    Stop,
    /// It was asked to stop before.
    StopAtOnce,
}

/// Lines of a find that a page key goes on.
const PAGE: usize = 10;

pub const HELP: &[(&str, &str)] = &[
    ("p", "pause, and go on: a pause is no part of the budget"),
    ("q", "stop: everything found is kept (`--resume` goes on); again: at once"),
    ("↑ ↓", "choose a find; page keys, home, end"),
    ("enter", "look at it: input, end, branches"),
    ("esc", "back"),
    ("?", "this help"),
];

pub fn update(state: &mut State, key: Key) -> Option<Action> {
    match (state.view, key) {
        (_, Key::Interrupt | Key::Char('q' | 'Q')) => return Some(stop(state)),
        (_, Key::Char('p' | 'P' | ' ')) => pause(state),
        (View::Help, _) => state.view = View::Overview,
        (_, Key::Char('?' | 'h')) => state.view = View::Help,
        (View::Find { .. }, Key::Enter | Key::Escape) => state.view = View::Overview,
        (View::Find { from }, key) => state.view = View::Find { from: scrolled(state, from, key) },
        (View::Overview, Key::Enter) if !state.finds.is_empty() => {
            state.selected.get_or_insert(state.finds.len() - 1);
            state.view = View::Find { from: 0 };
        }
        (View::Overview, Key::Escape) => state.selected = None,
        (View::Overview, key) => choose(state, key),
    }
    None
}

fn stop(state: &mut State) -> Action {
    state.hold = Hold::Running;
    if std::mem::replace(&mut state.stopping, true) { Action::StopAtOnce } else { Action::Stop }
}

fn pause(state: &mut State) {
    state.hold = match state.hold {
        Hold::Running if state.stopping => Hold::Running,
        Hold::Running => Hold::Pausing,
        Hold::Pausing | Hold::Paused => Hold::Running,
    };
}

/// The newest find is on top, so up goes to newer ones.
fn choose(state: &mut State, key: Key) {
    let Some(newest) = state.finds.len().checked_sub(1) else { return };
    state.selected = match (state.selected, key) {
        (None, Key::Down | Key::PageDown | Key::Home) => Some(newest),
        (None, Key::Up | Key::PageUp | Key::End) => Some(0),
        (Some(at), Key::Up) => Some((at + 1).min(newest)),
        (Some(at), Key::Down) => Some(at.saturating_sub(1)),
        (Some(at), Key::PageUp) => Some((at + PAGE).min(newest)),
        (Some(at), Key::PageDown) => Some(at.saturating_sub(PAGE)),
        (Some(_), Key::Home) => Some(newest),
        (Some(_), Key::End) => Some(0),
        (selected, _) => selected,
    };
}

fn scrolled(state: &State, from: usize, key: Key) -> usize {
    let rows = state.selected.and_then(|at| state.finds.get(at)).map_or(0, |find| find.rows.len());
    let last = rows.saturating_sub(1);
    match key {
        Key::Up => from.saturating_sub(1),
        Key::Down => (from + 1).min(last),
        Key::PageUp => from.saturating_sub(PAGE),
        Key::PageDown => (from + PAGE).min(last),
        Key::Home => 0,
        Key::End => last,
        _ => from,
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::Find;
    use super::*;
    use std::sync::Arc;

    fn state(finds: usize) -> State {
        let find = |number: usize| Find {
            title: format!("test {number}"),
            rows: vec![("", String::new()); 30],
            ..Find::default()
        };
        State { finds: (1..=finds).map(find).map(Arc::new).collect(), ..State::default() }
    }

    fn press(state: &mut State, keys: &[Key]) -> Vec<Option<Action>> {
        keys.iter().map(|key| update(state, *key)).collect()
    }

    #[test]
    fn a_pause_is_asked_for_and_taken_back() {
        let mut s = state(0);
        press(&mut s, &[Key::Char('p')]);
        assert_eq!(s.hold, Hold::Pausing);
        s.hold = Hold::Paused;
        press(&mut s, &[Key::Char('p')]);
        assert_eq!(s.hold, Hold::Running);
        press(&mut s, &[Key::Char(' '), Key::Char(' ')]);
        assert_eq!(s.hold, Hold::Running);
    }

    #[test]
    fn stopping_ends_a_pause_and_the_second_time_is_at_once() {
        let mut s = state(0);
        let actions = press(&mut s, &[Key::Char('p'), Key::Char('q')]);
        assert_eq!(actions, [None, Some(Action::Stop)]);
        assert_eq!((s.hold, s.stopping), (Hold::Running, true));
        press(&mut s, &[Key::Char('p')]);
        assert_eq!(s.hold, Hold::Running, "what stops is not paused");
        assert_eq!(update(&mut s, Key::Interrupt), Some(Action::StopAtOnce));
        // From every view.
        for view in [View::Help, View::Find { from: 3 }] {
            assert_eq!(update(&mut State { view, ..state(1) }, Key::Interrupt), Some(Action::Stop));
        }
    }

    #[test]
    fn finds_are_chosen_looked_at_and_left() {
        let mut s = state(3);
        press(&mut s, &[Key::Down]);
        assert_eq!(s.selected, Some(2), "the newest is on top");
        press(&mut s, &[Key::Down, Key::Down, Key::Down]);
        assert_eq!(s.selected, Some(0));
        press(&mut s, &[Key::Up, Key::Enter, Key::Down, Key::PageDown]);
        assert_eq!((s.selected, s.view), (Some(1), View::Find { from: 11 }));
        press(&mut s, &[Key::End, Key::Down]);
        assert_eq!(s.view, View::Find { from: 29 });
        press(&mut s, &[Key::Home, Key::Up]);
        assert_eq!(s.view, View::Find { from: 0 });
        press(&mut s, &[Key::Escape]);
        assert_eq!((s.selected, s.view), (Some(1), View::Overview));
        press(&mut s, &[Key::Escape]);
        assert_eq!(s.selected, None);
        press(&mut s, &[Key::Enter]);
        assert_eq!((s.selected, s.view), (Some(2), View::Find { from: 0 }), "enter alone shows the newest");
    }

    #[test]
    fn nothing_to_choose_and_keys_that_mean_nothing() {
        let mut s = state(0);
        let keys = [Key::Up, Key::Down, Key::PageUp, Key::PageDown, Key::Home, Key::End, Key::Enter, Key::Char('x')];
        assert_eq!(press(&mut s, &keys), [None; 8]);
        assert_eq!((s.selected, s.view), (None, View::Overview));
        press(&mut s, &[Key::Char('?')]);
        assert_eq!(s.view, View::Help);
        press(&mut s, &[Key::Down]);
        assert_eq!(s.view, View::Overview, "any key leaves the help");
    }
}
