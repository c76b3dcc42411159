//! `--function F`: a readable C harness that builds the function's parameters from input and calls it.
//!
//! The types come from debug information, so that nothing here parses C. The harness includes the source
//! file, so that static functions can be reached too.

mod kept;
mod types;
mod write;

pub use kept::kept;
pub use types::{Function, Record, Scalar, Type, TypeId, Types};
pub use write::{Buffer, Options, write};
pub(crate) use write::{is_length, request};

/// File name of a generated harness; `symcrete_program::HARNESS` tells its branches from the user's.
pub const FILE: &str = "symcrete_harness.c";
pub const FILE_CXX: &str = "symcrete_harness.cc";
/// The function that the runtime's `main` calls.
pub const ENTRY: &str = "symcrete_harness";
/// What a `main` of the user's is called while another function is the entry.
pub const USER_MAIN: &str = "symcrete_user_main";

#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    #[error("the debug information of {file} cannot be read: {reason}")]
    Debug { file: String, reason: String },
    #[error(
        "cannot build parameter `{parameter}` of `{function}`: {reason}\n  write a harness of your own: `int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)`"
    )]
    Parameter { function: String, parameter: String, reason: String },
    #[error("`--buffer {name}:…`: `{function}` has no pointer parameter `{name}`{}", crate::did_you_mean(name, pointers.iter().map(|s| s.as_str())))]
    Buffer { name: String, function: String, pointers: Vec<String> },
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_program_model_knows_the_name_of_a_harness() {
        for file in [super::FILE, super::FILE_CXX] {
            assert_eq!(file.rsplit_once('.').unwrap().0, symcrete_program::HARNESS);
        }
    }
}
