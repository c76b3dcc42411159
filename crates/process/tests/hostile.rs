//! Programs that misbehave, run for real: each must be judged correctly and leave nothing behind.

use std::ffi::OsString;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use symcrete_process::{Child, Exit, Limits, Over, Sandbox, Scratch, Sink, Spawn, Status, Stdin, Waited, Watch};

fn program() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (to, unfinished) =
            (folder.join("process-hostile"), folder.join(format!("process-hostile-{}", std::process::id())));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile.c");
        let built =
            Command::new("cc").args(["-O0", "-w", "-o"]).arg(&unfinished).arg(&source).status().expect("a C compiler");
        assert!(built.success());
        std::fs::rename(unfinished, &to).unwrap();
        to
    })
}

struct Room {
    scratch: Scratch,
    sandbox: Sandbox,
}

fn room() -> Room {
    let scratch = Scratch::new_in(&std::env::temp_dir()).unwrap();
    let sandbox = Sandbox::confine(&scratch);
    Room { scratch, sandbox }
}

/// The same, on a machine that offers nothing.
fn bare_room() -> Room {
    Room { scratch: Scratch::new_in(&std::env::temp_dir()).unwrap(), sandbox: Sandbox::without_kernel_help() }
}

fn spawn(room: &Room, args: &[&str]) -> Spawn {
    let mut spawn = Spawn::new(program());
    spawn.args.extend(args.iter().map(OsString::from));
    spawn.folder = Some(room.scratch.path().to_path_buf());
    spawn.limits = Limits { stack: Some(8 << 20), file_size: Some(32 << 20), ..Limits::default() };
    spawn.supervised = true;
    spawn.fixed_addresses = true;
    spawn
}

fn soon(milliseconds: u64) -> Watch<'static> {
    Watch { deadline: Some(Instant::now() + Duration::from_millis(milliseconds)), ..Watch::default() }
}

fn start(room: &Room, args: &[&str]) -> Child {
    spawn(room, args).start(&room.sandbox).unwrap()
}

fn ended(mut child: Child) -> Exit {
    match child.wait(&soon(20_000)) {
        Waited::Ended(exit) => exit,
        Waited::Over(over) => panic!("still running: {over:?}"),
    }
}

fn status(room: &Room, args: &[&str]) -> Status {
    ended(start(room, args)).status
}

fn output(room: &Room, args: &[&str], stdin: Stdin) -> (Status, String) {
    let mut spawn = spawn(room, args);
    spawn.stdin = stdin;
    spawn.stdout = Sink::Capture(1 << 20);
    let mut child = spawn.start(&room.sandbox).unwrap();
    let Waited::Ended(exit) = child.wait(&soon(20_000)) else { panic!("still running") };
    (exit.status, String::from_utf8(child.captured(1).bytes).unwrap())
}

#[test]
fn ends_are_what_they_are() {
    for room in [room(), bare_room()] {
        assert_eq!(status(&room, &["exit"]), Status::Exit(7));
        assert_eq!(status(&room, &["quick-exit"]), Status::Exit(9));
        assert_eq!(status(&room, &["abort"]), Status::Signal(libc::SIGABRT));
        assert_eq!(status(&room, &["atexit"]), Status::Signal(libc::SIGABRT));
        assert_eq!(status(&room, &["divide"]), Status::Signal(libc::SIGFPE));
        assert_eq!(status(&room, &["close-all"]), Status::Exit(4));
        assert_eq!(status(&room, &["chdir"]), Status::Exit(5));
        assert_eq!(status(&room, &["kill-group"]), Status::Signal(libc::SIGKILL));
        assert_eq!(status(&room, &["caught"]), Status::Exit(13));
        assert_eq!(status(&room, &["pipe-signal"]), Status::Exit(0));
    }
}

#[test]
fn a_program_cannot_kill_everyone() {
    let room = room();
    if room.sandbox.report().processes_contained {
        assert_eq!(status(&room, &["kill-everyone"]), Status::Exit(11));
    }
}

#[test]
fn a_server_is_not_supervised_and_ends_all_the_same() {
    let room = room();
    let mut direct = spawn(&room, &["exit"]);
    direct.supervised = false;
    assert_eq!(ended(direct.start(&room.sandbox).unwrap()).status, Status::Exit(7));
}

#[test]
fn faults_carry_their_place() {
    let room = room();
    let exit = ended(start(&room, &["null"]));
    assert_eq!(exit.status, Status::Signal(libc::SIGSEGV));
    let fault = exit.fault.expect("ptrace works here");
    assert_eq!(fault.address, 16);
    assert!(fault.pc != 0 && !fault.is_stack_overflow(8 << 20));
}

#[test]
fn endless_recursion_is_a_stack_overflow() {
    for stack in [1u64 << 20, 8 << 20, 64 << 20] {
        let room = room();
        let mut spawn = spawn(&room, &["recurse"]);
        spawn.limits.stack = Some(stack);
        let exit = ended(spawn.start(&room.sandbox).unwrap());
        assert_eq!(exit.status, Status::Signal(libc::SIGSEGV));
        assert!(exit.fault.unwrap().is_stack_overflow(stack), "{exit:?}");
    }
}

#[test]
fn endless_programs_are_cut() {
    for room in [room(), bare_room()] {
        for what in ["loop", "wait", "stubborn"] {
            let mut child = start(&room, &[what]);
            assert_eq!(child.wait(&soon(150)), Waited::Over(Over::Time));
            assert_eq!(child.kill().status, Status::Signal(libc::SIGKILL));
        }
    }
}

#[test]
fn a_fork_bomb_is_cut_and_nothing_of_it_survives() {
    for room in [room(), bare_room()] {
        let mut child = start(&room, &["fork-bomb"]);
        let watch = Watch { processes: Some(40), ..soon(20_000) };
        assert_eq!(child.wait(&watch), Waited::Over(Over::Processes));
        child.kill();
        assert_eq!(running(program(), "fork-bomb"), 0);
    }
}

#[test]
fn a_daemon_does_not_survive_its_program() {
    for room in [room(), bare_room()] {
        assert_eq!(status(&room, &["daemon"]), Status::Exit(0));
        assert!(room.scratch.path().join("daemon.pid").exists());
        assert_eq!(running(program(), "daemon"), 0);
        assert!(room.scratch.clean().unwrap());
    }
}

#[test]
fn what_a_program_leaves_behind_goes_with_it() {
    for room in [room(), bare_room()] {
        assert_eq!(status(&room, &["leave"]), Status::Exit(14));
        assert_eq!(running(program(), "leave"), 0);
    }
}

#[test]
fn descendants_of_a_server_can_be_killed_without_it() {
    for room in [room(), bare_room()] {
        let mut spawn = spawn(&room, &["fork-bomb"]);
        spawn.supervised = false;
        let mut child = spawn.start(&room.sandbox).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        assert!(child.has_descendants());
        child.kill();
        assert_eq!(running(program(), "fork-bomb"), 0);
    }
}

/// How many processes run `program argument`.
fn running(program: &Path, argument: &str) -> usize {
    let wanted = [program.as_os_str().as_encoded_bytes(), b"\0", argument.as_bytes(), b"\0"].concat();
    let mut count = 0;
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let is_it = std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line == wanted);
        let alive = std::fs::read_to_string(entry.path().join("stat")).is_ok_and(|s| !s.contains(") Z "));
        count += (is_it && alive) as usize;
    }
    count
}

#[test]
fn memory_is_bounded_both_ways() {
    let room = room();
    let mut child = start(&room, &["eat"]);
    let watch = Watch { memory: Some(64 << 20), ..soon(20_000) };
    assert_eq!(child.wait(&watch), Waited::Over(Over::Memory));
    child.kill();
    let mut limited = spawn(&room, &["eat"]);
    limited.limits.address_space = Some(64 << 20);
    assert_eq!(ended(limited.start(&room.sandbox).unwrap()).status, Status::Exit(8));
}

#[test]
fn output_is_bounded() {
    let room = room();
    let mut chatty = spawn(&room, &["chatter"]);
    chatty.stdout = Sink::Capture(1000);
    let mut child = chatty.start(&room.sandbox).unwrap();
    let Waited::Ended(exit) = child.wait(&soon(60_000)) else { panic!("gigabytes should pass") };
    assert_eq!(exit.status, Status::Exit(0));
    let got = child.captured(1);
    assert_eq!((got.bytes.len(), got.dropped), (1000, (3 << 30) - 1000));
    assert_eq!(status(&room, &["big-file"]), Status::Signal(libc::SIGXFSZ));
    assert!(std::fs::metadata(room.scratch.path().join("big")).unwrap().len() <= 32 << 20);
}

#[test]
fn standard_input_and_sockets_deliver_every_byte() {
    let room = room();
    let text = "some text ".repeat(50_000);
    assert_eq!(output(&room, &["echo"], Stdin::Bytes(text.clone().into_bytes())), (Status::Exit(0), text.clone()));
    assert_eq!(output(&room, &["echo"], Stdin::Null), (Status::Exit(0), String::new()));
    // On a socket the answer goes back over it and is dropped; the program must not block either way.
    let mut spawn = spawn(&room, &["echo"]);
    spawn.stdin = Stdin::Socket(text.into_bytes());
    assert_eq!(ended(spawn.start(&room.sandbox).unwrap()).status, Status::Exit(0));
}

#[test]
fn only_what_was_passed_is_open() {
    let room = room();
    let mut spawn = spawn(&room, &["descriptors"]);
    spawn.stdout = Sink::Capture(1000);
    let (read, write) = std::io::pipe().unwrap();
    // Swapped on purpose: the numbers of the sources are among the destinations.
    let (read, write): (OwnedFd, OwnedFd) = (read.into(), write.into());
    spawn.pass = vec![(read, 200), (write, 3)];
    let mut child = spawn.start(&room.sandbox).unwrap();
    assert!(matches!(child.wait(&soon(20_000)), Waited::Ended(_)));
    assert_eq!(String::from_utf8(child.captured(1).bytes).unwrap(), "0 1 2 3 200 ");
}

#[test]
fn limits_and_session_hold() {
    let room = room();
    let (_, text) = output(&room, &["limits"], Stdin::Null);
    assert_eq!(text, format!("{} 0 1", 8 << 20));
}

#[test]
fn addresses_do_not_move() {
    let room = room();
    if !room.sandbox.report().addresses_fixed {
        return;
    }
    let first = output(&room, &["address"], Stdin::Null);
    assert_eq!(first, output(&room, &["address"], Stdin::Null));
}

#[test]
fn the_sandbox_keeps_writes_in_and_the_network_out() {
    let room = room();
    let report = room.sandbox.report();
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    let open = Sandbox::off();
    let write = |sandbox: &Sandbox, path: &str| ended(spawn(&room, &["write", path]).start(sandbox).unwrap()).status;
    assert_eq!(write(&room.sandbox, "inside"), Status::Exit(0));
    assert_eq!(write(&room.sandbox, "/dev/null"), Status::Exit(0));
    if report.own_temporary {
        for (number, folder) in ["/tmp", "/var/tmp"].into_iter().enumerate() {
            let theirs = format!("{folder}/symcrete-hostile-{}-{number}", std::process::id());
            assert_eq!(write(&room.sandbox, &theirs), Status::Exit(0), "{theirs}");
            assert!(!Path::new(&theirs).exists());
        }
        assert!(room.scratch.clean().unwrap() && !room.scratch.clean().unwrap());
    }
    if report.writes_confined {
        assert_eq!(write(&room.sandbox, victim.to_str().unwrap()), Status::Exit(20));
        assert!(!victim.exists());
    }
    assert_eq!(write(&open, victim.to_str().unwrap()), Status::Exit(0));
    assert!(victim.exists());

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    if report.network_off {
        assert_eq!(status(&room, &["connect", &port]), Status::Exit(31));
    }
    let connected = ended(spawn(&room, &["connect", &port]).start(&open).unwrap());
    assert_eq!(connected.status, Status::Exit(0));
    let own = std::process::id().to_string();
    if report.processes_contained {
        assert_eq!(status(&room, &["signal", &own]), Status::Exit(32));
    }
}

#[test]
fn what_cannot_start_says_why() {
    let room = room();
    let missing = Spawn::new("/nonexistent/program").start(&room.sandbox).unwrap_err().to_string();
    assert!(missing.contains("/nonexistent/program") && missing.contains("exec"), "{missing}");
    let mut nowhere = spawn(&room, &["exit"]);
    nowhere.folder = Some("/nonexistent".into());
    assert!(nowhere.start(&room.sandbox).unwrap_err().to_string().contains("directory"));
}

#[test]
fn waiting_can_be_interrupted() {
    let room = room();
    let mut child = start(&room, &["loop"]);
    let flag = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            flag.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let watch = Watch { interrupt: Some(&flag), ..soon(20_000) };
        assert_eq!(child.wait(&watch), Waited::Over(Over::Interrupted));
    });
}

#[test]
fn cpu_time_is_accounted() {
    let room = room();
    let exit = ended(start(&room, &["burn"]));
    assert!(exit.cpu >= Duration::from_millis(150), "{exit:?}");
    let mut child = start(&room, &["loop"]);
    while child.cpu() < Duration::from_millis(50) {
        child.wait(&soon(20));
    }
    child.kill();
}
