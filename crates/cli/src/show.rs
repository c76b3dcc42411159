//! `symcrete show`.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Show;

pub fn run(options: &Show) -> Result<Exit, Failure> {
    if !options.path.exists() {
        return Err(Failure::wrong_use(format!("{}: no such test or bug", options.path.display())));
    }
    print!("{}", symcrete_report::show::show(&options.path, None)?);
    Ok(exit::DONE)
}
