//! `symcrete run`: build, open the output folder, let the engine work, say how it went.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::{Check, Run};
use crate::record::{Prepared, TargetRecord};
use crate::{inputs, interrupts, reach, settings, surroundings};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use symcrete_engine::{Campaign as Engine, EngineError, Files as Builds, Settings};
use symcrete_event::All;
use symcrete_exec::Input;
use symcrete_program::Program;
use symcrete_reach::Options;
use symcrete_report::baseline::{Baseline, NEWS};
use symcrete_report::{Campaign, Contents, Files, Folder, QueryFolder, SideNames, Terminal, Tui};
use symcrete_solve::{Observers, QueryLog, Z3};
use symcrete_toolchain::Variant;
use symcrete_toolchain::build::Recorded;
use symcrete_toolchain::entry::Entry;

/// A target that is built, and an output folder that is open for it.
pub struct Opened {
    pub held: Folder,
    pub out: PathBuf,
    pub builds: Builds,
    pub program: Rc<Program>,
    pub settings: Settings,
    pub seeds: Vec<(String, Input)>,
    pub observers: Observers,
    pub entry: Entry,
    baseline: Option<Baseline>,
    earlier: Contents,
    folder: PathBuf,
}

pub fn run(options: &Run) -> Result<Exit, Failure> {
    let opened = open(options)?;
    let interrupted = interrupts::flag();
    let mut reporters = opened.begin(options, &interrupted)?;
    let looked_at = opened.program.clone();
    let mut reach = match options.finish {
        true => Some(reach::backwards(
            &opened,
            &looked_at,
            Options { opaque: reach::opaque(options), ..Options::default() },
        )?),
        false => None,
    };
    let Opened { out, builds, program, settings, seeds, observers, earlier, baseline, folder, .. } = opened;
    let bugs = Engine::new(&settings, &builds, &program, &mut reporters, &interrupted, observers)
        .and_then(|engine| match &mut reach {
            Some(reach) => engine.run_and_settle(seeds, reach),
            None => engine.run(seeds),
        })
        .map_err(|error| failure(error, &out))?;
    if options.json {
        let text = std::fs::read(out.join("summary.json")).unwrap_or_default();
        let _ = std::io::stdout().write_all(&text);
    }
    let bad = match &baseline {
        Some(baseline) => since(baseline, &out, &program, &folder, options.quiet)?,
        None => bugs > 0 || !earlier.bugs.is_empty(),
    };
    Ok(match (interrupted.load(Ordering::Relaxed), bad) {
        (true, _) => exit::INTERRUPTED,
        (_, true) => exit::FOUND,
        _ => exit::DONE,
    })
}

/// Says what is new since the baseline; whether any of it is bad.
fn since(baseline: &Baseline, out: &Path, program: &Program, folder: &Path, quiet: bool) -> Result<bool, Failure> {
    let news = baseline.compare(out, program, folder).map_err(|error| Failure::wrong_use(error.to_string()))?;
    if let Err(error) = news.write(out) {
        eprintln!("note: {}: {error}", out.join(NEWS).display());
    }
    if !quiet {
        eprint!("{}", news.text());
    }
    Ok(news.is_bad())
}

/// Everything before a campaign begins.
pub fn open(options: &Run) -> Result<Opened, Failure> {
    settings::check(options)?;
    let folder = surroundings::folder()?;
    let record = TargetRecord::new(options, &folder)?;
    let observers = observers(options)?;
    let out = options.out.clone().unwrap_or_else(|| Path::new("symcrete-out").join(record.short_name()));
    // Read first: it may be the folder that this run will use.
    let baseline = options.baseline.as_deref().map(Baseline::read).transpose();
    let baseline = baseline.map_err(|error| Failure::wrong_use(error.to_string()))?;
    let campaign = Campaign::new(record.name(), serde_json::to_value(&record).expect("plain data"));
    let held = Folder::open(&out, campaign, options.resume)?;
    let say = |text: &str| {
        if !options.quiet {
            eprintln!("note: {text}");
        }
    };
    let out = held.path().canonicalize().map_err(|e| Failure::wrong_use(format!("{}: {e}", out.display())))?;
    let kept = options.build_folder.clone().unwrap_or_else(|| out.join("build"));
    let prepared = record.prepare(&surroundings::layout(), kept, surroundings::color_on_stderr())?;
    let builds = build(options, &prepared, &say)?;
    let program = Rc::new(Recorded::read(&builds.tracked, &surroundings::library_path())?.program);
    let (declared, note) = inputs::choose(&record, &prepared, &program);
    note.iter().for_each(|note| say(note));
    let earlier = if options.resume { Contents::read(&out) } else { Contents::default() };
    earlier.damaged.iter().for_each(|note| say(note));
    let known = baseline.as_ref().map(|b| &b.contents);
    let seeds = seeds(options, [Some(&earlier), known], &inputs::sources(&declared))?;
    let settings =
        settings::build(options, record.name(), prepared.entry_name(), declared, earlier.tests.len() as u32, &out)?;
    let entry = prepared.entry.clone();
    Ok(Opened { held, out, builds, program, settings, seeds, observers, entry, baseline, earlier, folder })
}

impl Opened {
    /// From here on the folder is the campaign's: who writes it down. Signals, and keys that mean the same, are looked
    /// after.
    pub fn begin(&self, options: &Run, interrupted: &Arc<AtomicBool>) -> Result<All, Failure> {
        if let Some(moved) = self.held.begin()?
            && !options.quiet
        {
            eprintln!("note: earlier results are kept in {} (`--resume` would go on from them)", moved.display());
        }
        let names = Rc::new(SideNames::new(&self.program, &self.folder));
        let files = Files::new(self.held.path(), &self.folder, self.program.clone(), names.clone(), &self.earlier);
        let mut reporters = All::new(vec![Box::new(files)]);
        let style = surroundings::style();
        if options.tui {
            let started = surroundings::whole_screen().and_then(|()| {
                let tui = Tui::start(style, names.clone(), self.held.path(), interrupted, interrupts::end);
                tui.map_err(|error| error.to_string())
            });
            match started {
                Ok(tui) => {
                    interrupts::handle_with(interrupted, tui.way_out())?;
                    reporters.reporters.push(Box::new(tui));
                    return Ok(reporters);
                }
                Err(why) => eprintln!("note: no screen for `--tui`: {why}; going on with lines"),
            }
        }
        if !options.quiet {
            let out = self.held.path().to_owned();
            reporters.reporters.push(Box::new(Terminal::new(std::io::stderr(), style, names, out)));
        }
        interrupts::handle(interrupted)?;
        Ok(reporters)
    }
}

/// Every variant the campaign will need, before its clock starts.
pub fn build(options: &Run, prepared: &Prepared, say: &dyn Fn(&str)) -> Result<Builds, Failure> {
    let (tracked, warnings) = prepared.tracked()?;
    if !options.quiet {
        let _ = std::io::stderr().write_all(&warnings);
    }
    let optional = |variant| -> Result<Option<PathBuf>, Failure> {
        match prepared.variant(variant)? {
            Ok(program) => Ok(Some(program)),
            Err(why) => {
                say(&format!("{why}; the target's own fast body judges its tests instead"));
                Ok(None)
            }
        }
    };
    let plain = optional(Variant::Plain)?;
    let address = match options.check.contains(&Check::Address) && plain.is_some() {
        true => optional(Variant::Address)?,
        false => None,
    };
    if options.check.contains(&Check::Address) && address.is_none() {
        return Err(Failure::wrong_use(
            "`--check address` needs a build with AddressSanitizer, which this target cannot have",
        ));
    }
    let arguments = options.arguments.iter().map(Into::into).collect();
    Ok(Builds { tracked, plain, address, arguments })
}

/// Earlier tests first: their coverage is there before anything is searched.
fn seeds(
    options: &Run,
    earlier: [Option<&Contents>; 2],
    sources: &[symcrete_exec::SourceSpec],
) -> Result<Vec<(String, Input)>, Failure> {
    let mut seeds = Vec::new();
    for contents in earlier.into_iter().flatten() {
        let tests = contents.tests.iter();
        seeds.extend(
            tests.filter_map(|(number, test)| {
                Some((format!("test {number}"), inputs::fitted(&test.objects()?, sources)))
            }),
        );
    }
    seeds.extend(inputs::seeds(&options.seeds, sources)?);
    Ok(seeds)
}

/// Who looks on at the solver. Before anything is compiled or made: a folder that cannot be written and a missing
/// Z3 must not cost a campaign.
fn observers(options: &Run) -> Result<Observers, Failure> {
    struct Log(QueryFolder);
    impl QueryLog for Log {
        fn keep(&mut self, number: u64, script: &str) -> std::io::Result<()> {
            self.0.keep(number, script)
        }
    }
    let mut observers = Observers::default();
    if options.cross_check {
        let missing = |why: String| {
            let install = surroundings::z3_command();
            Failure::missing(format!("`--cross-check` needs Z3: {why}\n  install it with: {install}"))
        };
        let z3 = surroundings::z3().ok_or_else(|| missing("it is not on this machine".into()))?;
        observers.judge = Some(Z3::start(z3).map_err(|error| missing(error.to_string()))?);
    }
    if let Some(folder) = &options.log_queries {
        let folder = QueryFolder::open(folder).map_err(|error| Failure::wrong_use(error.to_string()))?;
        observers.log = Some(Box::new(Log(folder)));
    }
    Ok(observers)
}

/// A query on which solvers disagree goes to the output folder, where it can be found.
pub fn failure(error: EngineError, out: &Path) -> Failure {
    let mut kept = String::new();
    if let EngineError::Solver(fault) = &error
        && let Some(script) = fault.script()
    {
        let path = out.join("disagreement.smt2");
        kept = match std::fs::write(&path, script) {
            Ok(()) => format!("\n  the query is in {}", path.display()),
            Err(error) => format!("\n  the query could not be kept ({error}):\n{script}"),
        };
    }
    if let EngineError::NoInput(_) = error {
        return Failure::wrong_use(inputs::suggestions());
    }
    if !error.is_our_fault() {
        return Failure::wrong_use(error.to_string());
    }
    let message = format!(
        "internal error: {error}\n  this is a fault of symcrete: please report it with the program, the command and this message{kept}"
    );
    Failure { exit: exit::FAULT, message, diagnostics: Vec::new() }
}
