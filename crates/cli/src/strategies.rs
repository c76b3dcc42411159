//! `symcrete strategies`.

use crate::exit::{self, Exit};
use symcrete_search::strategies;

pub fn run() -> Exit {
    for entry in strategies() {
        let source = if entry.source == "-" { String::new() } else { format!("  [{}]", entry.source) };
        println!("{:<15} {}{source}", entry.name, entry.about);
    }
    exit::DONE
}
