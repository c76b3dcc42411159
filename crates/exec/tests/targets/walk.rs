//! Walks and snapshots against the real runtime.

use crate::build::{here, linked, replayable, tracked};
use std::time::Duration;
use symcrete_abi::input::ValueKind;
use symcrete_exec::{
    End, Halt, Importer, Input, Limits, Mode, Object, ObjectKind, ReplayCommand, Replayer, Server, Target, Units, Walk,
    check_path, check_trace,
};
use symcrete_program::Program;
use symcrete_term::Terms;

fn given(values: &[u32]) -> Input {
    let kind = ObjectKind::Requested(ValueKind::Unsigned);
    let object = |v: &u32| Object { name: "x".into(), kind, bytes: v.to_le_bytes().to_vec() };
    Input { objects: values.iter().map(object).collect() }
}

fn limits(inputs: u32) -> Limits {
    Limits { max_inputs: inputs, timeout: Duration::from_secs(20), ..Limits::default() }
}

fn server() -> Server {
    Server::new(Target::new(tracked(&here("tests/c/asks.c")), std::env::temp_dir())).unwrap()
}

#[test]
fn a_snapshot_is_the_very_state_and_stays_so() {
    let mut server = server();
    let leg = server.walk(&given(&[5; 40]), &limits(40), Walk::default()).unwrap();
    assert_eq!((leg.halt, leg.run.requested.len()), (Some(Halt::Bound), 40));
    let model = Program::from_elf(&std::fs::read(tracked(&here("tests/c/asks.c"))).unwrap()).unwrap();
    for round in 0..3 {
        // The sum of the forty is known to it: it ends as it would have without a snapshot.
        let input = given(&[1000]);
        let run = server.run_from_snapshot(&input, &limits(3)).unwrap().unwrap();
        assert_eq!((run.end, run.requested.len()), (End::Exit(7), 1), "round {round}");
        let real = server.input_of(&input, &run);
        let trace = server.trace();
        assert_eq!(check_trace(&trace, &real), Ok(()));
        let units = Units::load(&trace, &model).unwrap();
        let mut terms = Terms::new();
        let path = Importer::new().path(&trace, &units, &model, &mut terms).unwrap();
        assert_eq!(check_path(&path, &terms, &real), Ok(()));
        assert!(!path.steps.is_empty(), "what comes behind the snapshot is followed");
        // Whatever others do from there.
        let crash = server.run_from_snapshot(&given(&[1, 2000]), &limits(3)).unwrap().unwrap();
        assert!(matches!(crash.end, End::Signal(c) if c.signal == libc::SIGABRT), "{:?}", crash.end);
        let quick = Limits { timeout: Duration::from_millis(100), ..limits(3) };
        let stuck = server.run_from_snapshot(&given(&[3000]), &quick).unwrap().unwrap();
        assert_eq!(stuck.end, End::Timeout);
        let more = server.run_from_snapshot(&given(&[1, 2, 3]), &limits(3)).unwrap().unwrap();
        assert!(matches!(more.end, End::Stopped(_)) && server.cell().is_some(), "{:?}", more.end);
    }
    // The walk itself goes on, and never noticed.
    let leg = server.walk_on(&given(&[5, 1000]), &limits(9), Walk::default()).unwrap();
    assert_eq!((leg.halt, leg.run.end, leg.run.requested.len()), (None, End::Exit(7), 2));
    assert!(server.run_from_snapshot(&given(&[1]), &limits(1)).unwrap().is_none(), "it has ended");
    // The server is as good as new.
    assert_eq!(server.run(Mode::Fast, &given(&[5, 1000]), &limits(9)).unwrap().end, End::Exit(7));
    assert_eq!(server.starts(), 1);
}

/// A clock that ran on, or random numbers of the machine, would give another end nearly every time.
#[test]
fn clocks_and_random_numbers_are_the_same_in_every_run() {
    let source = here("tests/c/clocks.c");
    let mut server = Server::new(Target::new(linked(&source), std::env::temp_dir())).unwrap();
    let input = given(&[3, 4]);
    let end = server.run(Mode::Fast, &input, &limits(9)).unwrap().end;
    // Sleeping for hours takes no time, and shows on the clock.
    assert!(matches!(end, End::Exit(code) if code < 251), "{end}");
    assert_eq!(server.run(Mode::Tracking, &input, &limits(9)).unwrap().end, end);
    let leg = server.walk(&input, &limits(1), Walk::default()).unwrap();
    assert_eq!(leg.halt, Some(Halt::Bound));
    for _ in 0..2 {
        assert_eq!(server.run_from_snapshot(&given(&[4]), &limits(9)).unwrap().unwrap().end, end);
    }
    assert_eq!(server.walk_on(&given(&[4]), &limits(9), Walk::default()).unwrap().run.end, end);
    let command = ReplayCommand::new(replayable(&source));
    let replayed = Replayer::new(&std::env::temp_dir(), true).unwrap().replay(&command, &input, &limits(9)).unwrap();
    assert_eq!(replayed.end, end);
}

#[test]
fn a_walk_stands_still_for_news_and_for_quiet() {
    let mut server = server();
    let walk = Walk { quiet: 11, news: true, ..Walk::default() };
    let leg = server.walk(&given(&[0; 100]), &limits(1000), walk).unwrap();
    assert_eq!(leg.halt, Some(Halt::News), "everything is new at first");
    let mut halt = leg.halt;
    let mut legs = 0;
    let mut last = 0;
    while halt == Some(Halt::News) {
        let leg = server.walk_on(&given(&[0; 100]), &limits(1000), walk).unwrap();
        (halt, last) = (leg.halt, leg.run.requested.len());
        legs += 1;
        assert!(legs < 50);
    }
    assert_eq!((halt, last), (Some(Halt::Quiet), 10), "ten inputs without news, right before the next");
    server.end_walk();
    assert_eq!(server.run(Mode::Tracking, &given(&[1000]), &limits(9)).unwrap().end, End::Exit(7));
}

/// A state is a measure, not a verdict: what the kernel writes into a process shows in it now and then.
#[test]
fn same_values_mostly_same_state() {
    let mut server = server();
    let mut cell = |before: &[u32], after: &[u32]| {
        let bound = Limits { seed: 1, ..limits(before.len() as u32) };
        server.walk(&given(before), &bound, Walk::default()).unwrap();
        server.run_from_snapshot(&given(after), &limits(after.len() as u32)).unwrap().unwrap();
        server.cell().unwrap().state
    };
    // Looks say which words take another value each time; on a busy machine it takes more of them.
    let mut states_of_a_round = || {
        let mut states: Vec<u64> = (0..20).map(|_| cell(&[5, 6], &[7])).collect();
        states.sort_unstable();
        states.dedup();
        states.len()
    };
    let rounds: Vec<usize> = (0..8).map(|_| states_of_a_round()).collect();
    assert!(rounds.iter().any(|&states| states <= 5), "{rounds:?}");
}
