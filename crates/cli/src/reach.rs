//! `symcrete reach`: targets to places, then the engine; what was found out, for people and in JSON.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::{LoopMethods, Reach as Options, Run, Switch};
use crate::record::reason;
use crate::run::{self, Opened};
use crate::{interrupts, reach_targets, surroundings};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;
use symcrete_engine::{Campaign as Engine, Found};
use symcrete_event::{Declared, InputKind};
use symcrete_program::{FunctionId, Program, Unit};
use symcrete_reach::{Named, Place, Reach, Start, Target, TargetError, Verdict, is_same_file};
use symcrete_report::{Obstacle, ReachFile, ReachRow, shell_word};
use symcrete_toolchain::entry::Entry;
use symcrete_toolchain::statements::statement_at;
use symcrete_toolchain::symbols::{defined_functions, first_functions};
use symcrete_toolchain::{did_you_mean, harness};

/// CPU time for each target when no budget is given.
const EACH: Duration = Duration::from_secs(60);

pub fn run(mut options: Options) -> Result<Exit, Failure> {
    if options.run.jobs.is_some_and(|jobs| jobs > 1) {
        return Err(Failure::wrong_use("`reach` works with one job: leave out `--jobs`"));
    }
    let targets = sources_and_targets(&mut options)?;
    let several = targets.len().max(1) as u32;
    let budget = &mut options.run;
    if budget.max_cpu.is_none() && budget.max_time.is_none() && budget.max_iterations.is_none() {
        budget.max_cpu = Some(EACH * several);
    }
    if let Some(from) = &options.from {
        if let Err(error) = std::fs::metadata(from) {
            return Err(Failure::wrong_use(format!("--from {}: {}", from.display(), reason(&error))));
        }
        let tests = from.join("tests");
        options.run.seeds.push(if tests.is_dir() { tests } else { from.clone() });
    }
    let opened = run::open(&options.run)?;
    let program = opened.program.clone();
    let mut reach = backwards(&opened, &program, reach_options(&options))?;
    let Wanted { named, errors } = find(&options, &targets, &reach)?;
    if named.is_empty() {
        eprintln!("{}", nothing_to_find(&options));
        return Ok(exit::DONE);
    }
    let interrupted = interrupts::flag();
    let mut reporters = opened.begin(&options.run, &interrupted)?;
    let Opened { held, out, builds, settings, seeds, observers, .. } = opened;
    let (found, _) = Engine::new(&settings, &builds, &program, &mut reporters, &interrupted, observers)
        .and_then(|engine| engine.reach(seeds, &mut reach, &named))
        .map_err(|error| run::failure(error, &out))?;
    // What may have had the screen gives it back.
    drop(reporters);
    let file = ReachFile::new(named.iter().zip(&found).map(|(named, found)| row(&reach, named, found)).collect());
    let text = serde_json::to_string_pretty(&file).expect("plain data");
    if let Err(error) = std::fs::write(out.join("reach.json"), &text) {
        eprintln!("note: {}: {error}", out.join("reach.json").display());
    }
    // Nobody has to listen to the end.
    let _ = match options.run.json {
        true => writeln!(std::io::stdout(), "{text}"),
        false => say(&mut std::io::stdout(), &options, &file, held.path()),
    };
    if interrupted.load(Ordering::Relaxed) {
        return Ok(exit::INTERRUPTED);
    }
    Ok(exit_code(options.error.then_some(errors), &found))
}

/// Of several targets the worst answer counts; an error that is found is a bug. `errors` are the targets that are some.
fn exit_code(errors: Option<Range<usize>>, found: &[Found]) -> Exit {
    let any = |wanted: fn(&Verdict) -> bool| found.iter().any(|found| wanted(&found.verdict));
    let error = errors.is_some();
    if errors.is_some_and(|errors| found[errors].iter().any(|found| found.verdict == Verdict::Reached)) {
        return exit::FOUND;
    }
    if any(|verdict| matches!(verdict, Verdict::Unknown(_))) {
        return exit::UNKNOWN;
    }
    match any(|verdict| *verdict == Verdict::Unreachable) {
        true if error => exit::DONE,
        true => exit::UNREACHABLE,
        false => exit::DONE,
    }
}

/// Whether targets are found otherwise than by naming them: arguments are sources then.
fn finds_targets(options: &Options) -> bool {
    options.targets || options.error || options.diff.is_some() || options.sarif.is_some()
}

/// Targets stand where `run` has its files, and the sources behind `--`.
fn sources_and_targets(options: &mut Options) -> Result<Vec<Target>, Failure> {
    let given = std::mem::take(&mut options.run.files);
    // With a program that is built they are its arguments, as everywhere.
    let sources: Vec<PathBuf> = match options.run.target {
        Some(_) => vec![],
        None => std::mem::take(&mut options.run.arguments).into_iter().map(PathBuf::from).collect(),
    };
    let mut targets: Vec<Target> = vec![];
    let mut own: Vec<PathBuf> = vec![];
    for argument in given {
        if finds_targets(options) && !argument.to_string_lossy().contains(':') {
            options.run.files.push(argument);
            continue;
        }
        let target: Target =
            argument.to_string_lossy().parse().map_err(|error| Failure::wrong_use(format!("{error}")))?;
        let (Target::Line { file, .. } | Target::Function { file, .. }) = &target;
        if !own.contains(&PathBuf::from(file)) {
            own.push(file.into());
        }
        targets.push(target);
    }
    if targets.is_empty() && !finds_targets(options) {
        return Err(Failure::wrong_use(
            "which target? Name one as FILE:LINE or FILE:FUNCTION, or ask for many with --targets, --error, --diff or --sarif",
        ));
    }
    options.run.files.extend(sources);
    if options.run.files.is_empty() && options.run.target.is_none() {
        let is_header =
            |file: &PathBuf| file.extension().is_some_and(|e| ["h", "hh", "hpp", "hxx", "inc"].iter().any(|h| e == *h));
        if let Some(header) = own.iter().find(|file| is_header(file)) {
            let header = header.display();
            return Err(Failure::wrong_use(format!(
                "{header} is a header: which sources is it part of? Name them behind `--`"
            )));
        }
        options.run.files = own;
    }
    Ok(targets)
}

fn reach_options(options: &Options) -> symcrete_reach::Options {
    symcrete_reach::Options {
        unroll: options.unroll,
        loop_methods: match options.loop_methods {
            LoopMethods::First => symcrete_reach::LoopMethods::First,
            LoopMethods::Last => symcrete_reach::LoopMethods::Last,
            LoopMethods::Off => symcrete_reach::LoopMethods::Off,
        },
        slice: options.slice == Switch::On,
        opaque: opaque(&options.run),
        linked: vec![],
        first: vec![],
    }
}

/// The search backwards over a program that is built.
pub fn backwards<'p>(
    opened: &Opened,
    program: &'p Program,
    mut options: symcrete_reach::Options,
) -> Result<Reach<'p>, Failure> {
    options.linked = defined_functions(&opened.builds.tracked);
    options.first = first_functions(&opened.builds.tracked);
    Reach::new(program, start(opened)?, options).ok_or_else(|| {
        Failure::wrong_use("the program carries no instructions to look at: build it again with this version")
    })
}

/// Functions whose bodies are not run: their results are input.
pub fn opaque(run: &Run) -> Vec<String> {
    run.input_function.iter().map(|f| f.name.clone()).collect()
}

/// Where runs begin, in the model.
fn start(opened: &Opened) -> Result<Start, Failure> {
    let name = match &opened.entry {
        Entry::Function(_) => harness::ENTRY,
        other => other.name(),
    };
    let entry =
        function(&opened.program, name).or_else(|| function(&opened.program, harness::USER_MAIN)).ok_or_else(|| {
            Failure::wrong_use(format!("`{name}` is not part of the program's model: build it with `symcrete cc`"))
        })?;
    let buffer = match opened.entry {
        Entry::Fuzzer => opened.settings.inputs.first().map(|declared| (declared.capacity, declared.exact)),
        _ => None,
    };
    let is_argument = |declared: &&Declared| declared.kind == InputKind::Arg;
    let given = 1 + opened.builds.arguments.len() + opened.settings.inputs.iter().filter(is_argument).count();
    let arguments = (opened.entry == Entry::Main).then_some(given as u32);
    Ok(Start { entry, buffer, arguments, declared: opened.settings.inputs.len() as u32 })
}

fn function(program: &Program, name: &str) -> Option<FunctionId> {
    program.units().find_map(|(unit, model)| {
        let local = model.functions.iter().position(|f| f.name == name && !f.blocks.is_empty())?;
        Some(program.function_id(unit, local as u32))
    })
}

/// What is asked for, and which of it `--error` asked for.
struct Wanted {
    named: Vec<Named>,
    errors: Range<usize>,
}

fn find(options: &Options, targets: &[Target], reach: &Reach<'_>) -> Result<Wanted, Failure> {
    let (mut named, mut dropped) = (vec![], vec![]);
    for target in targets {
        match reach.code.find(target) {
            Ok(target) => named.push(target),
            Err(TargetError::Line { file, line, .. }) if never_compiled(reach, &file, line) => {
                named.push(Named { name: format!("{file}:{line}"), places: vec![], marker: None, whole: true });
            }
            // The others get their answers, whatever the compiler made of this one.
            Err(error @ TargetError::Line { .. }) if targets.len() > 1 => dropped.push(error),
            Err(error) => {
                let near = match &error {
                    TargetError::Function { name, known, .. } => did_you_mean(name, known.iter().map(String::as_str)),
                    _ => String::new(),
                };
                return Err(Failure::wrong_use(format!("{error}{near}")));
            }
        }
    }
    if let Some(first) = dropped.first().filter(|_| named.is_empty()) {
        return Err(Failure::wrong_use(format!("{first}")));
    }
    for error in dropped {
        eprintln!("note: {error}: left out");
    }
    let mut without_code = vec![];
    if options.targets {
        named.extend(reach.code.markers());
    }
    let before = named.len();
    if options.error {
        named.extend(reach.code.errors());
    }
    let errors = before..named.len();
    let lines = reach_targets::lines(options)?;
    let asked_for_lines = !lines.is_empty();
    for found in lines {
        match reach.code.find(&found.target) {
            Ok(mut target) => {
                target.name = found.name;
                named.push(target);
            }
            Err(_) => without_code.push(found.name),
        }
    }
    // Lines without code, and files of other programs, are nobody's target; whoever named them is told.
    if !without_code.is_empty() && !named.is_empty() {
        let (shown, more) = without_code.split_at(without_code.len().min(8));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        eprintln!("note: no code of this program stands at {}{more}: left out", shown.join(", "));
    }
    if named.is_empty() && asked_for_lines {
        return Err(Failure::wrong_use("none of the lines named there has code in this program"));
    }
    if named.is_empty() && options.targets && !options.error {
        return Err(Failure::wrong_use("there is no call of symcrete_target in the program"));
    }
    Ok(Wanted { named, errors })
}

/// Whether a statement stands there for which the compiler made no code: it saw that nothing leads there.
fn never_compiled(reach: &Reach<'_>, file: &str, line: u32) -> bool {
    let layout = surroundings::layout();
    let units = reach.code.program.units().map(|(_, unit)| unit).filter(|unit| !unit.model);
    let has = |unit: &&Unit| unit.files.iter().any(|known| is_same_file(known.as_str(), file));
    units.filter(has).any(|unit| {
        let known = unit.files.iter().find(|known| is_same_file(known.as_str(), file));
        let lines = known.and_then(|known| statement_at(&layout, unit, Path::new(known.as_str()), line));
        lines.is_some_and(|lines| !reach.code.has_code(file, lines))
    })
}

/// Nobody named anything that could be found: why.
fn nothing_to_find(options: &Options) -> String {
    let why = match (&options.diff, &options.sarif) {
        (Some(revision), _) => format!("nothing has changed since {revision}"),
        (_, Some(file)) => format!("{} has no findings", file.display()),
        _ => "there is no abort, assertion or check in the program".into(),
    };
    format!("{why}: nothing to find")
}

fn row(reach: &Reach<'_>, named: &Named, found: &Found) -> ReachRow {
    let at = |place: Place| reach.code.location(place);
    let mut row = ReachRow {
        target: named.name.clone(),
        verdict: "reached".into(),
        test: found.test.map(|number| format!("tests/{number:06}.json")),
        segments: found.segments,
        seconds: found.seconds,
        obstacle: None,
        why: vec![],
        text: String::new(),
    };
    for &place in &found.conditions {
        let (file, line) = at(place);
        let text = format!("{file}:{line}");
        if !row.why.contains(&text) {
            row.why.push(text);
        }
    }
    match &found.verdict {
        Verdict::Reached => {}
        Verdict::Unreachable => row.verdict = "unreachable".into(),
        Verdict::Unknown(obstacle) => {
            row.verdict = "unknown".into();
            let (file, line) = obstacle.place.map(at).unwrap_or_default();
            row.text = obstacle.what.to_string();
            row.obstacle = Some(Obstacle { what: obstacle.what.slug(), file, line });
        }
    }
    row
}

/// The answers, one a line, and what to do next.
fn say(to: &mut impl Write, options: &Options, file: &ReachFile, out: &Path) -> io::Result<()> {
    for row in &file.targets {
        match row.verdict.as_str() {
            "reached" => {
                let test = out.join(row.test.as_deref().unwrap_or("")).display().to_string();
                writeln!(to, "{}: reached, by {test}", row.target)?;
                writeln!(to, "  symcrete show {}", shell_word(&test))?;
                if options.explain && row.why.is_empty() {
                    writeln!(to, "  found by running: the branches it takes are in what `symcrete show` prints")?;
                } else if options.explain {
                    writeln!(to, "  it decides, on the way there:")?;
                    explain(to, &row.why)?;
                }
            }
            "unreachable" => {
                writeln!(to, "{}: unreachable, proved ({} segments)", row.target, row.segments)?;
                if row.why.is_empty() && options.explain {
                    writeln!(
                        to,
                        "  nothing that runs leads there, or every path there is was run and none came there"
                    )?;
                } else if options.explain {
                    writeln!(to, "  what cannot hold together:")?;
                    explain(to, &row.why)?;
                } else if !row.why.is_empty() {
                    writeln!(to, "  what cannot hold together: {}", row.why.join(", "))?;
                }
            }
            _ => {
                let place = match &row.obstacle {
                    Some(obstacle) if obstacle.line > 0 => format!(" at {}:{}", obstacle.file, obstacle.line),
                    _ => String::new(),
                };
                writeln!(to, "{}: unknown{place}: {}", row.target, row.text)?;
            }
        }
    }
    Ok(())
}

/// Conditions as a person reads them: the lines they stand on.
fn explain(to: &mut impl Write, places: &[String]) -> io::Result<()> {
    for place in places {
        let source = place.rsplit_once(':').and_then(|(file, line)| {
            let text = std::fs::read_to_string(file).ok()?;
            let line = text.lines().nth(line.parse::<usize>().ok()?.checked_sub(1)?)?;
            Some(line.trim().to_owned())
        });
        writeln!(to, "    {place:<24} {}", source.unwrap_or_default())?;
    }
    Ok(())
}
