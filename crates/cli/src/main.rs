//! The `symcrete` binary: flags to settings to engine. The only place where the environment is read.

mod compiler;
mod exit;
mod surroundings;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<OsString> = arguments.collect();
    if let Some(language) = compiler::by_program_name(&name) {
        return compiler::run(language, rest);
    }
    match rest.first().and_then(|a| a.to_str()).and_then(compiler::by_command) {
        Some(language) => compiler::run(language, rest[1..].to_vec()),
        None => {
            eprintln!("symcrete: commands so far: cc, c++");
            exit::USE.into()
        }
    }
}
