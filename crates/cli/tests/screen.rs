//! `run --tui` on a real terminal, and where there is none.

mod desk;

use desk::Desk;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Goes on for ever: every input has a path of its own.
const PROGRAM: &str = "#include <stdio.h>\nint main(void) {\n  unsigned sum = 0;\n  for (int c; (c = getchar()) >= 0;) if (c & 1) sum = sum * 31 + (unsigned)c;\n  return sum == 12345;\n}\n";
/// Longer than anything here may take, on any machine: then something hangs.
const FOREVER: Duration = Duration::from_secs(60);

struct Screen {
    keys: File,
    /// Kept open: what the terminal was and is can be asked of it.
    terminal: File,
    said: Receiver<Vec<u8>>,
    text: String,
}

impl Screen {
    fn new() -> Screen {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
        let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
        tcsetwinsize(&terminal, Winsize { ws_row: 30, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let ours = File::from(ours);
        let mut heard = ours.try_clone().unwrap();
        let (send, said) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = heard.read(&mut bytes) {
                if send.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Screen { keys: ours, terminal, said, text: String::new() }
    }

    fn modes(&self) -> Termios {
        tcgetattr(&self.terminal).unwrap()
    }

    fn start(&self, desk: &Desk, arguments: &str) -> Child {
        let end = || Stdio::from(self.terminal.try_clone().unwrap());
        let mut command = desk.command(arguments);
        command.stdin(end()).stdout(end()).stderr(end()).env("TERM", "xterm").spawn().unwrap()
    }

    fn press(&mut self, key: &str) {
        self.keys.write_all(key.as_bytes()).unwrap();
    }

    /// Waits until the terminal was sent this, and forgets what came before.
    #[track_caller]
    fn wait_for(&mut self, wanted: &str) {
        while !self.text.contains(wanted) {
            match self.said.recv_timeout(FOREVER) {
                Ok(bytes) => self.text.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("no {wanted:?} in {:?}", self.text),
            }
        }
        self.text = self.text.split_once(wanted).unwrap().1.to_string();
    }
}

#[test]
fn a_run_is_paused_looked_at_and_stopped() {
    let Some(desk) = Desk::new() else { return };
    desk.file("p.c", PROGRAM);
    let mut screen = Screen::new();
    let before = screen.modes();
    let mut child = screen.start(&desk, "run p.c --stdin 64 --tui --max-cpu 60s --out o");
    // The alternate screen, then its parts.
    screen.wait_for("\x1b[?1049h");
    screen.wait_for("finds");
    assert_ne!(screen.modes().local_modes, before.local_modes, "keys come one by one");
    screen.press("p");
    screen.wait_for("paused");
    screen.press("\r");
    screen.wait_for("input");
    screen.press("p");
    screen.wait_for("running");
    screen.press("q");
    screen.wait_for("\x1b[?1049l");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    screen.wait_for("interrupted; everything found is kept");
    let after = screen.modes();
    assert_eq!(
        (after.local_modes, after.input_modes, after.output_modes),
        (before.local_modes, before.input_modes, before.output_modes)
    );
    let summary = desk.json("o/summary.json");
    assert_eq!(summary["interrupted"], true);
    assert_eq!(summary["tests"], desk.names("o/tests").iter().filter(|name| name.ends_with(".json")).count());
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let Some(desk) = Desk::new() else { return };
    desk.file("p.c", PROGRAM);
    let mut screen = Screen::new();
    let before = screen.modes();
    let mut child = screen.start(&desk, "run p.c --stdin 64 --tui --max-cpu 60s --out o");
    screen.wait_for("finds");
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    screen.wait_for("\x1b[?1049l");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(screen.modes().local_modes, before.local_modes);
}

#[test]
fn without_a_terminal_there_are_lines() {
    let Some(desk) = Desk::new() else { return };
    desk.file("p.c", PROGRAM);
    let said = desk.run("run p.c --stdin 2 --tui --max-iterations 50 --out o", 0);
    assert!(said.starts_with("note: no screen for `--tui`: "), "{said}");
    assert!(said.contains("exhausted") && !said.contains('\x1b'), "{said}");
    let mut screen = Screen::new();
    let mut command = desk.command("run p.c --stdin 2 --tui --max-iterations 50 --out o");
    let end = || Stdio::from(screen.terminal.try_clone().unwrap());
    let mut child = command.stdin(end()).stdout(end()).stderr(end()).env("TERM", "dumb").spawn().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    screen.wait_for("no screen for `--tui`: TERM is `dumb`");
    screen.wait_for("exhausted");
    assert!(!screen.text.contains('\x1b'), "{:?}", screen.text);
}
