//! The `symcrete` binary.
fn main() {}
