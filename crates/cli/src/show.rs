//! `symcrete show`.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Show;

pub fn run(options: &Show) -> Result<Exit, Failure> {
    print!("{}", symcrete_report::show::show(&options.path, None)?);
    Ok(exit::DONE)
}
