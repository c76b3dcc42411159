//! `symcrete show`: a test or a bug, with the branches a run of it takes; or what an output folder holds.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Show;
use crate::record::TargetRecord;
use crate::{inputs, surroundings};
use std::path::Path;
use symcrete_exec::{Limits, Mode, Server, Target, Units};
use symcrete_report::show::{Taken, overview, show, test_path};
use symcrete_report::{SideNames, TestFile};
use symcrete_toolchain::build::Recorded;

pub fn run(options: &Show) -> Result<Exit, Failure> {
    if !options.path.exists() {
        return Err(Failure::wrong_use(format!("{}: no such test, bug or output folder", options.path.display())));
    }
    if options.path.join(symcrete_report::CAMPAIGN).exists() {
        print!("{}", overview(&options.path));
        return Ok(exit::DONE);
    }
    let taken = taken(&options.path);
    print!("{}", show(&options.path, taken.as_deref().ok())?);
    if let Err(why) = taken {
        println!("\nthe branches it takes are not known: {why}");
    }
    Ok(exit::DONE)
}

/// One tracking run says which branches the test takes today. Whatever goes wrong is no reason to
/// show less of the test itself.
fn taken(path: &Path) -> Result<Vec<Taken>, String> {
    let (out, record) = TargetRecord::of_path(path).map_err(|f| f.message)?;
    let test = TestFile::read(&test_path(path)).map_err(|e| e.to_string())?;
    let prepared = record.prepare(&surroundings::layout(), out.join("build"), false).map_err(|f| f.message)?;
    let (program_file, _) = prepared.tracked().map_err(|f| f.message)?;
    let program = Recorded::read(&program_file, &surroundings::library_path()).map_err(|e| e.to_string())?.program;
    let (declared, _) = inputs::choose(&record, &prepared, &program);
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut target = Target::new(&program_file, scratch.path());
    target.sources = inputs::sources(&declared);
    target.args = record.arguments();
    let input = inputs::fitted(&test.objects().unwrap_or_default(), &target.sources);
    let mut server = Server::new(target).map_err(|e| e.to_string())?;
    server.run(Mode::Tracking, &input, &Limits::default()).map_err(|e| e.to_string())?;
    let trace = server.trace();
    let units = Units::load(&trace, &program).map_err(|e| e.to_string())?;
    let covered = units.covered(&trace);
    let names = SideNames::new(&program, &record.folder);
    let own = program.counted_sides().map(|(id, _, _)| id).filter(|id| covered.contains(id));
    Ok(own
        .map(|id| {
            let side = names.get(id.0);
            Taken {
                place: format!("{}:{}:{}", side.file, side.line, side.column),
                kind: side.kind,
                function: side.function,
            }
        })
        .collect())
}
