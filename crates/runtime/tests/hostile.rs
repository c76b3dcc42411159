//! What targets may do: fork, start threads, take signals anywhere, replace handlers, close everything,
//! load libraries. The run is judged by what it is, the next one starts clean. And what the archive needs.

mod engine;

use engine::{Engine, Settings, archive, clang, crate_folder, object, piece, scratch, source, succeed, target};
use std::path::PathBuf;
use std::process::Command;
use symcrete_abi::input::SourceKind;
use symcrete_abi::layout::LostEntry;
use symcrete_abi::lost::NO_SITE;
use symcrete_abi::{EventKind, Lost, Mode};

fn library() -> PathBuf {
    let out = scratch().join("library.so");
    let object = object(&crate_folder().join("tests/c/library.c"), &[]);
    succeed(
        clang()
            .args(["-shared", "-fuse-ld=lld", "-Wl,-z,nostart-stop-gc"])
            .arg(piece("begin.c"))
            .arg(object)
            .arg(piece("end.c"))
            .arg("-o")
            .arg(&out),
    );
    out
}

fn hostile() -> Engine {
    let library = library();
    let stdin = source(SourceKind::Stdin, 20, false, "");
    let environment = [("LIBRARY", library.to_str().unwrap())];
    let settings = Settings {
        sources: &[stdin],
        environment: &environment,
        nodes: 1 << 10,
        events: 1 << 18,
        ..Settings::default()
    };
    Engine::start(&target("hostile", &[], &["-pthread"]), &settings)
}

fn sites(engine: &Engine) -> Vec<u32> {
    engine.events().iter().filter(|e| e.kind == EventKind::Branch as u8).map(|e| e.site).collect()
}

#[test]
fn a_child_of_the_target_is_not_traced_and_its_death_is_not_ours() {
    let mut engine = hostile();
    assert_eq!(engine.run(Mode::Tracking, &[b"f"]), 0);
    assert_eq!(sites(&engine), [0, 7]);
    assert_eq!((engine.header().signal, engine.lost().len()), (0, 0));
    assert_eq!(engine.run(Mode::Tracking, &[b"?"]), 0);
    assert_eq!(sites(&engine), [0, 7]);
}

#[test]
fn a_second_thread_ends_tracking_and_is_counted() {
    let mut engine = hostile();
    assert_eq!(engine.run(Mode::Tracking, &[b"t"]), 0);
    assert_eq!(sites(&engine), [0]);
    assert_eq!(engine.lost(), [LostEntry { what: Lost::Thread as u32, site: NO_SITE, count: 1 }]);
    // The next run is tracked again.
    assert_eq!(engine.run(Mode::Tracking, &[b"x"]), 0);
    assert_eq!(sites(&engine), [0, 7]);
    assert_eq!(engine.lost(), []);
}

#[test]
fn signals_in_the_middle_leave_a_sound_trace() {
    let mut engine = hostile();
    for input in [b"s", b"j"] {
        assert_eq!(engine.run(Mode::Tracking, &[input]), 0);
        // Every node once, whatever was interrupted: input byte, constant, comparison.
        let nodes = engine.nodes();
        assert!(nodes.len() <= 8, "{nodes:?}");
        let events = engine.events();
        assert!(events.len() > 50_000 || input == b"j");
        assert!(events.iter().all(|e| e.label as usize != 0 && (e.label as usize) < nodes.len() && e.taken == 0));
        assert_eq!(events.last().unwrap().site, 7, "tracking goes on after {input:?}");
        assert!(engine.lost().iter().all(|l| l.what == Lost::Signal as u32), "{:?}", engine.lost());
    }
}

#[test]
fn handlers_of_the_target_and_closed_descriptors_are_its_own_business() {
    let mut engine = hostile();
    assert_eq!(engine.run(Mode::Tracking, &[b"h"]) >> 8, 33);
    assert_eq!(engine.header().signal, 0);
    assert_eq!(engine.run(Mode::Tracking, &[b"c"]), 0);
    assert_eq!(sites(&engine), [0, 7]);
}

#[test]
fn a_stack_overflow_shows_by_its_address() {
    let mut engine = hostile();
    for mode in [Mode::Tracking, Mode::Fast] {
        assert_eq!(engine.run(mode, &[b"r"]) & 0x7f, libc::SIGSEGV);
        let header = engine.header();
        assert_eq!(header.signal, libc::SIGSEGV as u32);
        // Just below the lowest address the stack may have, by no more than a frame.
        assert!((header.stack_low - 8192..header.stack_low).contains(&header.signal_address), "{header:?}");
        assert!(header.signal_sp.abs_diff(header.signal_address) < 8192);
    }
}

#[test]
fn a_library_loaded_late_brings_its_coverage() {
    let mut engine = hostile();
    for _ in 0..2 {
        assert_eq!(engine.run(Mode::Tracking, &[b"o"]), 0);
        let units = engine.units();
        assert_eq!(units.iter().map(|u| u.hash).collect::<Vec<_>>(), [9, 0x50]);
        assert_eq!(units[1].site_base, 10);
        assert_eq!(engine.marks()[units[1].marks_at as usize..][..4], [0, 0, 0, 1]);
        // Without it only the program itself is there.
        assert_eq!(engine.run(Mode::Tracking, &[b"x"]), 0);
        assert_eq!(engine.units().len(), 1);
    }
}

#[test]
fn a_foreign_call_is_lost_only_if_it_was_handed_input() {
    let mut engine = hostile();
    assert_eq!(engine.run(Mode::Tracking, &[b"u"]), 0);
    assert_eq!(engine.lost(), []);
    assert_eq!(engine.run(Mode::Tracking, &[b"uu"]), 0);
    assert_eq!(engine.lost(), [LostEntry { what: Lost::Call as u32, site: 6, count: 1 }]);
}

#[test]
fn a_foreign_call_that_takes_input_is_lost() {
    let mut engine = hostile();
    assert_eq!(engine.run(Mode::Tracking, &[b"w"]), 0);
    assert_eq!(engine.lost(), []);
    assert_eq!(engine.run(Mode::Tracking, &[&[b'w'; 20]]), 0);
    assert_eq!(engine.lost(), [LostEntry { what: Lost::Call as u32, site: 5, count: 1 }]);
}

#[test]
fn slow_calls_keep_the_registers_they_promise() {
    let program = target("registers", &[], &[]);
    for body in ["", "tracking"] {
        let said = succeed(Command::new(&program).env("SYMCRETE_BODY", body));
        assert_eq!(String::from_utf8(said.stdout).unwrap(), "kept\n");
    }
}

#[test]
fn a_target_run_by_hand_is_a_plain_program_also_where_memory_is_limited() {
    let program = target("harness", &["main.c"], &[]);
    succeed(Command::new("/bin/sh").arg("-c").arg(format!("ulimit -v 200000; echo ABC | {}", program.display())));
    succeed(
        Command::new("/bin/sh")
            .arg("-c")
            .arg(format!("ulimit -v 200000; echo ABC | SYMCRETE_BODY=tracking {}", program.display())),
    );
    // The variable of an engine that is not there does not matter either.
    succeed(
        Command::new("/bin/sh").arg("-c").arg(format!("echo ABC | SYMCRETE_ENGINE=100,101,102 {}", program.display())),
    );
}

/// What the archive's own object needs from the target: memory functions that every C library has.
#[test]
fn the_archive_needs_next_to_nothing() {
    let output = succeed(Command::new("llvm-nm-22").args(["--format=posix", "--undefined-only"]).arg(archive()));
    let text = String::from_utf8(output.stdout).unwrap();
    let own = text.split("\n\n").find(|member| member.contains("symcrete_runtime")).expect("our own object");
    let allowed = ["memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen"];
    let needed: Vec<&str> =
        own.lines().filter(|l| l.ends_with(" U") || l.contains(" U ")).filter_map(|l| l.split(' ').next()).collect();
    let wrong: Vec<&&str> = needed.iter().filter(|name| !allowed.contains(name)).collect();
    assert!(!needed.is_empty() && wrong.is_empty(), "{needed:?}");
}

/// Everything the pass may call exists.
#[test]
fn the_archive_defines_the_whole_table() {
    let output = succeed(Command::new("llvm-nm-22").args(["--format=posix", "--defined-only", "-g"]).arg(archive()));
    let text = String::from_utf8(output.stdout).unwrap();
    let defined: Vec<&str> = text.lines().filter_map(|l| l.split(' ').next()).collect();
    for function in symcrete_abi::functions::ALL {
        assert!(defined.contains(&function.name), "{}", function.name);
    }
    for name in [symcrete_abi::functions::MODE, symcrete_abi::functions::BLOCK] {
        assert!(defined.contains(&name), "{name}");
    }
}
