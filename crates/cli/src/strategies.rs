//! `symcrete strategies`.

use crate::exit::{self, Exit};
use symcrete_engine::HYBRID;
use symcrete_search::strategies;

pub fn run() -> Exit {
    for entry in strategies() {
        let source = if entry.source == "-" { String::new() } else { format!("  [{}]", entry.source) };
        println!("{:<15} {}{source}", entry.name, entry.about);
    }
    println!(
        "{HYBRID:<15} random runs; when nothing new comes, a snapshot, and flips from that very state  [Hybrid Concolic Testing, ICSE 2007]"
    );
    exit::DONE
}
