//! The `symcrete` binary: flags to settings to engine. The only place where the environment is read.

mod compare;
mod compiler;
mod doctor;
mod exit;
mod export;
mod failure;
mod generate;
mod harness;
mod inputs;
mod interrupts;
mod lab;
mod options;
mod reach;
mod reach_targets;
mod record;
mod replay;
mod report;
mod run;
mod settings;
mod show;
mod strategies;
mod surroundings;
mod topics;
mod values;

use clap::Parser;
use exit::Exit;
use failure::Failure;
use options::{Cli, Command};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let name = arguments.first().cloned().unwrap_or_default();
    if let Some(language) = compiler::by_program_name(&name) {
        return compiler::run(language, arguments[1..].to_vec());
    }
    // clang's arguments are clang's: nothing of ours may look at them.
    if let Some(language) = arguments.get(1).and_then(|a| a.to_str()).and_then(compiler::by_command) {
        return compiler::run(language, arguments[2..].to_vec());
    }
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(mut error) => {
            advise(&mut error);
            let _ = error.print();
            return if error.use_stderr() { exit::USE.into() } else { exit::DONE.into() };
        }
    };
    match dispatch(cli.command) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            let mut stderr = std::io::stderr().lock();
            let _ = stderr.write_all(&failure.diagnostics);
            let _ = writeln!(stderr, "symcrete: {}", failure.message);
            failure.exit.into()
        }
    }
}

/// Whoever is used to compilers gives their flags where files go.
fn advise(error: &mut clap::Error) {
    use clap::error::{ContextKind, ContextValue};
    const COMPILERS: [&str; 9] = ["-I", "-D", "-U", "-L", "-l", "-W", "-f", "-O", "-g"];
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return };
    if COMPILERS.iter().any(|start| flag.starts_with(start)) {
        let advice = "flags for the compiler go into one option: --cflags \"-Iinclude -DDEBUG\"".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice]));
    }
}

fn dispatch(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(options) => run::run(&options),
        Command::Reach(options) => reach::run(*options),
        Command::Compare(options) => compare::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Show(options) => show::run(&options),
        Command::Export(options) => export::run(&options),
        Command::Strategies => Ok(strategies::run()),
        Command::Lab(options) => lab::run(&options),
        Command::Harness(options) => harness::run(&options),
        Command::Doctor => Ok(doctor::run()),
        Command::Generate(options) => generate::run(&options),
        Command::Help { topic } => topics::run(topic.as_deref()),
        // Handled before parsing; here only so that help lists them.
        Command::Cc(_) | Command::Cxx(_) => Ok(exit::USE),
        Command::Report(options) => report::run(&options),
    }
}
