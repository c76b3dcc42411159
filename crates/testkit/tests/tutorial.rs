//! Every command of the tutorial, run as printed, in the order printed.
//!
//! A block of ```console holds commands behind `$ `; `[exit N]` below one says how it ends when that is not 0.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use symcrete_testkit::Places;

struct Printed {
    command: String,
    exit: i32,
}

fn commands(text: &str) -> Vec<Printed> {
    let mut commands: Vec<Printed> = vec![];
    let mut inside = false;
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            inside = language == "console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            commands.push(Printed { command: command.into(), exit: 0 });
        } else if let Some(code) = line.strip_prefix("[exit ").and_then(|rest| rest.strip_suffix(']')) {
            commands.last_mut().expect("an exit code stands below a command").exit = code.parse().expect("a number");
        }
    }
    commands
}

#[test]
fn commands_do_what_the_tutorial_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let stage = std::env::var_os("SYMCRETE_STAGE").map(PathBuf::from);
    let tool = Places::new(stage, Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap().symcrete();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("examples")).unwrap();
    std::fs::copy(root.join("examples/settings.c"), folder.path().join("examples/settings.c")).unwrap();
    let mut path = std::ffi::OsString::from(tool.parent().unwrap());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let text = std::fs::read_to_string(root.join("docs/tutorial.md")).unwrap();
    let commands = commands(&text);
    assert!(commands.len() > 8, "the tutorial has commands");
    for Printed { command, exit } in commands {
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(folder.path())
            .env("PATH", &path)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert_eq!(output.status.code(), Some(exit), "$ {command}\n{}", String::from_utf8_lossy(&said));
    }
}
