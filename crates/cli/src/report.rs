//! `symcrete report`.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Report;
use symcrete_report::page;

pub fn run(options: &Report) -> Result<Exit, Failure> {
    let written = page::write(&options.out).map_err(|error| Failure::wrong_use(error.to_string()))?;
    for note in written.notes.iter().take(10) {
        println!("note: {note}");
    }
    if written.notes.len() > 10 {
        println!("note: and {} more, on the page", written.notes.len() - 10);
    }
    println!("{} ({:.1} MB): open it in a browser", written.path.display(), written.bytes as f64 / 1e6);
    Ok(exit::DONE)
}
