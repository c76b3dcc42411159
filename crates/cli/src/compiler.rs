//! `symcrete cc`, `symcrete c++`, and the same under the names `symcrete-cc`, `symcrete-c++`.

use crate::{exit, surroundings};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;
use symcrete_toolchain::layout::Language;
use symcrete_toolchain::wrapper::{self, WrapperError};

pub fn by_program_name(name: &OsStr) -> Option<Language> {
    by_command(Path::new(name).file_name()?.to_str()?.strip_prefix("symcrete-")?)
}

pub fn by_command(name: &str) -> Option<Language> {
    match name {
        "cc" => Some(Language::C),
        "c++" => Some(Language::Cxx),
        _ => None,
    }
}

pub fn run(language: Language, arguments: Vec<OsString>) -> ExitCode {
    let folder = std::env::current_dir().unwrap_or_default();
    let layout = surroundings::layout();
    let mut say = |note: &str| eprintln!("symcrete: note: {note}");
    match wrapper::run(language, arguments, &folder, &layout, &mut say) {
        Ok(code) => ExitCode::from(code.clamp(0, 255) as u8),
        Err(error) => {
            eprintln!("symcrete: {error}");
            match error {
                WrapperError::Layout(_) | WrapperError::Start { .. } => exit::MISSING.into(),
                WrapperError::Arguments(_) => exit::FAULT.into(),
            }
        }
    }
}
