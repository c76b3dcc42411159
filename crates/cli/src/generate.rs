//! `symcrete generate`: man pages, completions and the reference, all from the one definition of the options. For
//! those who package the tool; `make install` runs it.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::{Cli, Generate, GenerateKind};
use clap::{Command, CommandFactory};
use std::fmt::Write;
use std::path::Path;

pub fn run(options: &Generate) -> Result<Exit, Failure> {
    let written = match options.kind {
        GenerateKind::Man => man(&options.to),
        GenerateKind::Completions => completions(&options.to),
        GenerateKind::Reference => std::fs::write(options.to.join("cli.md"), reference()),
    };
    written.map_err(|error| Failure::wrong_use(format!("{}: {error}", options.to.display())))?;
    Ok(exit::DONE)
}

/// The commands that are there for users, by name.
fn commands() -> Vec<Command> {
    let mut all = Cli::command();
    all.build();
    all.get_subcommands().filter(|c| !c.is_hide_set()).cloned().collect()
}

/// `symcrete.1`, and a page for each command: `symcrete-run.1` and so on.
fn man(to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    clap_mangen::generate_to(Cli::command(), to)
}

fn completions(to: &Path) -> std::io::Result<()> {
    use clap_complete::Shell;
    std::fs::create_dir_all(to)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Cli::command(), "symcrete", to)?;
    }
    Ok(())
}

/// Every command with its options, as `--help` says them.
fn reference() -> String {
    let mut out = String::from(
        "# Command line\n\nWritten by `symcrete generate reference docs`: the text of `symcrete COMMAND --help`.\n",
    );
    for mut command in commands() {
        let name = command.get_name().to_string();
        // The same on every terminal.
        command = command.term_width(100).bin_name(format!("symcrete {name}"));
        let help = command.render_long_help().to_string();
        let help: String = help.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        let _ = write!(out, "\n## {name}\n\n```text\n{}\n```\n", help.trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_has_every_option() {
        let text = reference();
        for command in commands() {
            assert!(text.contains(&format!("\n## {}\n", command.get_name())));
            for option in command.get_arguments().filter(|a| !a.is_hide_set()).filter_map(|a| a.get_long()) {
                assert!(text.contains(&format!("--{option}")), "{}: {option}", command.get_name());
            }
        }
    }

    #[test]
    fn pages_and_completions_name_every_command() {
        let folder = tempfile::tempdir().unwrap();
        man(folder.path()).unwrap();
        completions(folder.path()).unwrap();
        let bash = std::fs::read_to_string(folder.path().join("symcrete.bash")).unwrap();
        for command in commands() {
            let name = command.get_name();
            assert!(folder.path().join(format!("symcrete-{name}.1")).exists(), "no man page of {name}");
            assert!(bash.contains(name), "no completion of {name}");
        }
    }
}
