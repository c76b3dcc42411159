//! The screen as it is seen, at the widths of terminals.

use super::draw::{Look, draw};
use super::keys::{Key, update};
use super::state::{Hold, State};
use crate::names::SideNames;
use expect_test::{Expect, expect};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;
use std::path::Path;
use std::time::Duration;
use symcrete_event::*;

/// A campaign as it may stand after two minutes.
fn state() -> State {
    let mut state = State::new(Path::new("symcrete-out/parser"));
    let names = SideNames::default();
    let mut take = |seconds: u64, event: &Event<'_>| state.take(Duration::from_secs(seconds), event, &names);
    let started = Started {
        target: "parser.c",
        entry: "main",
        strategy: "auto",
        seed: 1,
        inputs: &[],
        branches_total: 210,
        resumed: 0,
    };
    take(0, &Event::Started(started));
    let layer = |name: &str, calls, sat, unsat, seconds| LayerRow {
        name: name.into(),
        calls,
        sat,
        unsat,
        unknown: 0,
        conditions: 0,
        seconds,
    };
    let layers = [
        layer("simplify", 17_634, 0, 2747, 0.01),
        layer("cores", 14_887, 0, 2025, 0.02),
        layer("range", 12_862, 11_669, 105, 0.05),
        layer("local", 0, 0, 0, 0.0),
        layer("bitwuzla", 309, 100, 59, 123.4),
    ];
    for (seconds, covered) in [(0, 2), (10, 90), (30, 140), (60, 171), (123, 187)] {
        let counters = Counters {
            executions: seconds * 1200,
            branches_total: 210,
            branches_covered: covered,
            tests: 31,
            ..Counters::default()
        };
        let clocks =
            Clocks { cpu_seconds: seconds as f64 * 0.9, solver_seconds: 0.0, peak_memory_mb: 46, ..Clocks::default() };
        let progress = Progress { counters, frontier: 14_320, bugs: 1, clocks, phase: Phase::Search, layers: &layers };
        take(seconds, &Event::Progress(progress));
    }
    let inputs = [
        InputObject { kind: InputKind::Stdin, name: "stdin".into(), bytes: b"width=\x1b[2J\xff\n".to_vec() },
        InputObject { kind: InputKind::Signed, name: "limit".into(), bytes: vec![0xff; 4] },
    ];
    let test = Test {
        number: 30,
        inputs: &inputs,
        origin: Origin::Flip { test: 3, side: None, optimistic: false },
        new_sides: &[4, 5],
        end: End::Exit(0),
        seconds: 0.0,
    };
    take(61, &Event::Test(&test));
    let stack = ["read_width at parser.c:42".to_string(), "main at parser.c:90".to_string()];
    let bug = Bug {
        number: 1,
        kind: BugKind::Assert,
        file: "parser.c",
        line: 42,
        function: "read_width",
        detail: "columns <= 4000",
        stack: &stack,
        under_constrained: false,
        test: Test { number: 31, end: End::Signal(6), origin: Origin::Random, new_sides: &[7], ..test.clone() },
    };
    take(62, &Event::Test(&bug.test));
    take(62, &Event::Bug(&bug));
    state
}

fn seen(state: &State, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, state, Look { color: false })).unwrap();
    let buffer = terminal.backend().buffer();
    let rows = (0..height).map(|y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>());
    rows.map(|row| format!("{}\n", row.trim_end())).collect()
}

fn shows(state: &State, width: u16, height: u16, expected: Expect) {
    expected.assert_eq(&seen(state, width, height));
}

#[test]
fn forty_columns() {
    shows(
        &state(),
        40,
        24,
        expect![[r#"
        parser.c from main               running
        2m03s  branches 187/210 (89%)
        1.2k runs/s  31 tests  1 bug  14k open
        auto: searching  148k runs  110.7 CPU-s
        46 MB
        ┌branches over time────────────────────┐
        │187│    ⣀⣀⣀⠤⠤⠤⠤⠤⠔⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠊⠉⠉⠉⠉⠉⠉⠉⠉│
        │0  │⡠⠔⠊⠉                              │
        │   └──────────────────────────────────│
        │  0s                             2m03s│
        └──────────────────────────────────────┘
        ┌solver────────────────────────────────┐
        │layer       asked    sat  unsat   time│
        │simplify      18k      0   2.7k   0.0s│
        │cores         15k      0   2.0k   0.0s│
        │range         13k    12k    105   0.1s│
        │bitwuzla      309    100     59   123s│
        └──────────────────────────────────────┘
        ┌last finds────────────────────────────┐
        │ 1m02s assert parser.c:42 in read_widt│
        │ 1m02s test 31 1 new branch, SIGABRT  │
        │ 1m01s test 30 2 new branches, exit 0 │
        └──────────────────────────────────────┘
        p pause  q stop  ↑↓ enter look  ? help
    "#]],
    );
}

#[test]
fn eighty_columns() {
    shows(
        &state(),
        80,
        24,
        expect![[r#"
        parser.c from main                                                       running
        2m03s  branches 187/210 (89%)  1.2k runs/s  31 tests  1 bug  14k open
        auto: searching  148k runs  110.7 CPU-s  46 MB
        ┌branches over time──────────────┐┌solver──────────────────────────────────────┐
        │187│      ⣀⣀⡠⠤⠤⠤⠒⠒⠒⠒⠒⠒⠒⠒⠒⠉⠉⠉⠉⠉⠉⠉││layer       asked    sat  unsat   time      │
        │   │ ⢀⠤⠒⠊⠉                      ││simplify      18k      0   2.7k   0.0s      │
        │0  │⡠⠃                          ││cores         15k      0   2.0k   0.0s      │
        │   └────────────────────────────││range         13k    12k    105   0.1s      │
        │  0s                       2m03s││bitwuzla      309    100     59   123s      │
        └────────────────────────────────┘└────────────────────────────────────────────┘
        ┌last finds────────────────────────────────────────────────────────────────────┐
        │ 1m02s assert parser.c:42 in read_width  stdin = "width=\x1b[2J\xff\n"        │
        │ 1m02s test 31 1 new branch, SIGABRT  stdin = "width=\x1b[2J\xff\n"           │
        │ 1m01s test 30 2 new branches, exit 0  stdin = "width=\x1b[2J\xff\n"          │
        │                                                                              │
        │                                                                              │
        │                                                                              │
        │                                                                              │
        │                                                                              │
        │                                                                              │
        │                                                                              │
        │                                                                              │
        └──────────────────────────────────────────────────────────────────────────────┘
        p pause  q stop  ↑↓ enter look  ? help
    "#]],
    );
}

#[test]
fn a_hundred_and_twenty_columns() {
    let mut state = state();
    state.hold = Hold::Paused;
    update(&mut state, Key::Down);
    shows(
        &state,
        120,
        20,
        expect![[r#"
        parser.c from main                                                                                                paused
        2m03s  branches 187/210 (89%)  1.2k runs/s  31 tests  1 bug  14k open  auto: searching  148k runs  110.7 CPU-s  46 MB
        ┌branches over time──────────────────────────────────────────────────────┐┌solver──────────────────────────────────────┐
        │187│               ⣀⣀⣀⣀⣀⣀⠤⠤⠤⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠊⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉││layer       asked    sat  unsat   time      │
        │   │    ⣀⠤⠤⠔⠒⠒⠒⠊⠉⠉⠉                                                     ││simplify      18k      0   2.7k   0.0s      │
        │0  │⣀⠤⠒⠉                                                                ││cores         15k      0   2.0k   0.0s      │
        │   └────────────────────────────────────────────────────────────────────││range         13k    12k    105   0.1s      │
        │  0s                                                               2m03s││bitwuzla      309    100     59   123s      │
        └────────────────────────────────────────────────────────────────────────┘└────────────────────────────────────────────┘
        ┌last finds────────────────────────────────────────────────────────────────────────────────────────────────────────────┐
        │ 1m02s assert parser.c:42 in read_width  stdin = "width=\x1b[2J\xff\n"                                                │
        │ 1m02s test 31 1 new branch, SIGABRT  stdin = "width=\x1b[2J\xff\n"                                                   │
        │ 1m01s test 30 2 new branches, exit 0  stdin = "width=\x1b[2J\xff\n"                                                  │
        │                                                                                                                      │
        │                                                                                                                      │
        │                                                                                                                      │
        │                                                                                                                      │
        │                                                                                                                      │
        └──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
        p go on  q stop  ↑↓ enter look  ? help
    "#]],
    );
}

#[test]
fn a_find() {
    let mut state = state();
    update(&mut state, Key::Enter);
    shows(
        &state,
        60,
        24,
        expect![[r#"
        parser.c from main                                   running
        2m03s  branches 187/210 (89%)  1.2k runs/s  31 tests  1 bug
        14k open  auto: searching  148k runs  110.7 CPU-s  46 MB
        ┌assert at 1m02s───────────────────────────────────────────┐
        │place                                                     │
        │  parser.c:42 in read_width                               │
        │detail                                                    │
        │  columns <= 4000                                         │
        │input                                                     │
        │  stdin = "width=\x1b[2J\xff\n"                           │
        │  limit = -1                                              │
        │end                                                       │
        │  SIGABRT                                                 │
        │from                                                      │
        │  random                                                  │
        │branches                                                  │
        │  ?:7                                                     │
        │stack                                                     │
        │  read_width at parser.c:42                               │
        │  main at parser.c:90                                     │
        │                                                          │
        │                                                          │
        └──────────────────────────────────────────────────────────┘
        p pause  q stop  ↑↓ scroll  esc back
    "#]],
    );
}

#[test]
fn the_help_on_a_narrow_terminal() {
    let mut state = state();
    update(&mut state, Key::Char('?'));
    shows(
        &state,
        40,
        20,
        expect![[r#"
        parser.c from main               running
        2m03s  branches 187/210 (89%)
        1.2k runs/s  31 tests  1 bug  14k open
        auto: searching  148k runs  110.7 CPU-s
        46 MB
        ┌keys──────────────────────────────────┐
        │p      pause, and go on: a pause is no│
        │part of the budget                    │
        │q      stop: everything found is kept │
        │(`--resume` goes on); again: at once  │
        │↑ ↓    choose a find; page keys, home,│
        │end                                   │
        │enter  look at it: input, end,        │
        │branches                              │
        │esc    back                           │
        │?      this help                      │
        │                                      │
        │Tests and bugs are in                 │
        └──────────────────────────────────────┘
        p pause  q stop  esc back
    "#]],
    );
}

#[test]
fn a_campaign_that_has_only_begun() {
    shows(
        &State::new(Path::new("o")),
        40,
        16,
        expect![[r#"
        starting                         running
        0s  branches 0/0 (100%)  0 runs/s
        0 tests  no bugs  0 open  : first runs
        0 runs  0.0 CPU-s  0 MB
        ┌solver────────────────────────────────┐
        │layer       asked    sat  unsat   time│
        │nothing asked yet                     │
        └──────────────────────────────────────┘
        ┌last finds────────────────────────────┐
        │nothing found yet                     │
        │                                      │
        │                                      │
        │                                      │
        │                                      │
        └──────────────────────────────────────┘
        p pause  q stop  ↑↓ enter look  ? help
    "#]],
    );
}

/// Also sizes that no terminal has: nothing may panic, and nothing of an input is a command to the terminal.
#[test]
fn every_size_and_no_colour() {
    let mut state = state();
    let (widths, heights) = ([0, 1, 2, 3, 5, 9, 20, 39, 79, 81], [0, 1, 2, 3, 4, 6, 9, 11, 17, 30]);
    for keys in [&[][..], &[Key::Down], &[Key::Enter], &[Key::PageDown, Key::Char('?')]] {
        for key in keys {
            update(&mut state, *key);
        }
        for (width, height) in widths.iter().flat_map(|width| heights.map(|height| (*width, height))) {
            assert!(!seen(&state, width, height).contains('\x1b'));
        }
    }
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    for color in [false, true] {
        terminal.draw(|frame| draw(frame, &state, Look { color })).unwrap();
        let cells = &terminal.backend().buffer().content;
        assert_eq!(cells.iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset), color);
    }
}
