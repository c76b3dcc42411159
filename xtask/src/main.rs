//! Chores of the project that are not worth a shell script.
fn main() {}
