//! `symcrete compare`: the same campaign under several strategies and seeds, side by side. Every campaign is a process
//! of its own, so that CPU time is counted for each alone and one that fails takes nobody with it.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Compare;
use crate::record::TargetRecord;
use crate::{interrupts, run, settings, surroundings};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use symcrete_report::compare::{Axis, Budget, Comparison, Entrant, Failed, OneRun, plot};

/// What each campaign gets when nothing is said.
const DEFAULT_CPU: Duration = Duration::from_secs(20);
/// How often a campaign is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Options that are the comparison's own, with whether a value follows.
const OWN: [(&str, bool); 8] = [
    ("--strategies", true),
    ("--runs", true),
    ("--seed", true),
    ("--out", true),
    ("--jobs", true),
    ("--strategy", true),
    ("--json", false),
    ("--quiet", false),
];

/// One campaign to run.
struct Job {
    entrant: usize,
    seed: u64,
}

pub fn run(options: &Compare) -> Result<Exit, Failure> {
    let names = names(options)?;
    let folder = surroundings::folder()?;
    let record = TargetRecord::new(&options.run, &folder)?;
    let default = || Path::new("symcrete-out").join(format!("{}-compare", record.short_name()));
    let out = fresh(&options.run.out.clone().unwrap_or_else(default))?;
    // Compiled once, before any clock starts; the campaigns find it there.
    let prepared = record.prepare(&surroundings::layout(), out.join("build"), surroundings::color_on_stderr())?;
    let quiet = options.run.quiet;
    run::build(&options.run, &prepared, &|text| say(quiet, &format!("note: {text}")))?;

    let arguments = campaign_arguments(options, &out);
    let first = options.run.seed;
    // Seed by seed, so that whatever disturbs the machine for a while disturbs all of them.
    let jobs = (0..u64::from(options.runs))
        .flat_map(|n| (0..names.len()).map(move |entrant| Job { entrant, seed: first.wrapping_add(n) }));
    let workers = options.run.jobs.map_or_else(cores, |jobs| jobs as usize);
    let results = Mutex::new(names.iter().map(|name| Entrant { name: name.clone(), ..Entrant::default() }).collect());
    let interrupted = interrupts::flag();
    interrupts::handle(&interrupted)?;
    let all = Campaigns {
        jobs: Mutex::new(jobs.collect()),
        total: names.len() * options.runs as usize,
        done: AtomicUsize::new(0),
        results,
        names: &names,
        arguments: &arguments,
        fixed: &options.run.arguments,
        out: &out,
        quiet,
        interrupted: &interrupted,
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(|| all.work()))));
    let mut entrants = all.results.into_inner().unwrap_or_default();
    for entrant in &mut entrants {
        entrant.runs.sort_by_key(|run| run.seed);
        entrant.failed.sort_by_key(|failed| failed.seed);
    }
    report(options, &record.name(), &out, &entrants)?;
    Ok(match (interrupted.load(Ordering::Relaxed), entrants.iter().all(|entrant| entrant.runs.is_empty())) {
        (true, _) => exit::INTERRUPTED,
        (_, true) => exit::FAULT,
        _ => exit::DONE,
    })
}

/// The strategies, each checked before anything is compiled.
fn names(options: &Compare) -> Result<Vec<String>, Failure> {
    let run = &options.run;
    if run.max_time.is_some() {
        return Err(Failure::wrong_use(
            "`compare` gives every campaign the same iterations or CPU time: use `--max-iterations` or `--max-cpu`",
        ));
    }
    if run.resume || run.one_generation {
        return Err(Failure::wrong_use("`--resume` and `--one-generation` are for `run`"));
    }
    if run.strategy != "auto" {
        return Err(Failure::wrong_use("`compare` takes `--strategies a,b,…`"));
    }
    if run.tui {
        return Err(Failure::wrong_use("`--tui` shows one campaign; `compare` runs many at a time"));
    }
    let mut names: Vec<String> = vec![];
    for name in &options.strategies {
        settings::check_strategy(parts(name).0)?;
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    settings::check_solving(run)?;
    Ok(names)
}

/// A strategy, and options that only it is given: `cgs:cgs-k=5`.
fn parts(entrant: &str) -> (&str, impl Iterator<Item = String> + '_) {
    let mut parts = entrant.split(':');
    (parts.next().unwrap_or_default(), parts.map(|option| format!("--{option}")))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn say(quiet: bool, text: &str) {
    if !quiet {
        eprintln!("{text}");
    }
}

/// The output folder, without the campaigns of an earlier comparison.
fn fresh(out: &Path) -> Result<PathBuf, Failure> {
    let wrong = |error: std::io::Error| Failure::wrong_use(format!("{}: {error}", out.display()));
    let is_ours = out.join("build").exists() || out.join("compare.json").exists() || out.join("runs").exists();
    let is_used = std::fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if is_used && (!is_ours || out.join("campaign.json").exists()) {
        let text = format!("{} holds something else than a comparison: name another folder with --out", out.display());
        return Err(Failure::wrong_use(text));
    }
    if out.join("runs").exists() {
        std::fs::remove_dir_all(out.join("runs")).map_err(wrong)?;
    }
    std::fs::create_dir_all(out.join("runs")).map_err(wrong)?;
    out.canonicalize().map_err(wrong)
}

/// The user's own arguments, for a single campaign.
fn campaign_arguments(options: &Compare, out: &Path) -> Vec<OsString> {
    let mut given = std::env::args_os().skip(2).take_while(|argument| argument != "--");
    let mut kept: Vec<OsString> = vec!["run".into()];
    while let Some(argument) = given.next() {
        match own_option(&argument) {
            Some(true) => drop(given.next()),
            Some(false) => {}
            None => kept.push(argument),
        }
    }
    if options.run.max_iterations.is_none() && options.run.max_cpu.is_none() {
        kept.extend(["--max-cpu".into(), format!("{}s", DEFAULT_CPU.as_secs()).into()]);
    }
    kept.extend(["--quiet".into(), "--build-folder".into(), out.join("build").into()]);
    kept
}

/// Whether an argument belongs to the comparison, and then whether its value is the next one.
fn own_option(argument: &OsStr) -> Option<bool> {
    let text = argument.to_str()?;
    let (name, has_value) = text.split_once('=').map_or((text, false), |(name, _)| (name, true));
    let (_, takes) = OWN.iter().find(|(own, _)| *own == name)?;
    Some(*takes && !has_value)
}

/// All campaigns of a comparison, worked on side by side.
struct Campaigns<'a> {
    jobs: Mutex<VecDeque<Job>>,
    total: usize,
    done: AtomicUsize,
    results: Mutex<Vec<Entrant>>,
    names: &'a [String],
    arguments: &'a [OsString],
    fixed: &'a [String],
    out: &'a Path,
    quiet: bool,
    interrupted: &'a AtomicBool,
}

impl Campaigns<'_> {
    fn work(&self) {
        while let Some(job) = self.jobs.lock().ok().and_then(|mut jobs| jobs.pop_front()) {
            if self.interrupted.load(Ordering::Relaxed) {
                return;
            }
            let name = &self.names[job.entrant];
            let result = self.campaign(name, job.seed);
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            let told = match &result {
                Ok(run) => format!("{} branches", run.summary.branches_covered),
                Err(why) => format!("failed: {why}"),
            };
            say(self.quiet, &format!("  {done}/{} {name}, seed {}: {told}", self.total, job.seed));
            let Ok(mut results) = self.results.lock() else { return };
            match result {
                Ok(run) => results[job.entrant].runs.push(run),
                Err(why) => results[job.entrant].failed.push(Failed { seed: job.seed, why }),
            }
        }
    }

    /// Runs one campaign to its end; why it gave no result, if it did not.
    fn campaign(&self, name: &str, seed: u64) -> Result<OneRun, String> {
        let folder: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' }).collect();
        let out = self.out.join("runs").join(format!("{folder}-{seed}"));
        let (strategy, own) = parts(name);
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args(self.arguments).args(["--strategy", strategy, "--seed", &seed.to_string()]).args(own);
        command.arg("--out").arg(&out).arg("--").args(self.fixed);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let code = self.wait(&mut child)?;
        let mut words = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            let _ = std::io::Read::read_to_string(&mut stderr, &mut words);
        }
        let first = words.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message").trim();
        let first = first.trim_start_matches("symcrete: ").trim_start_matches("error: ").to_owned();
        match code {
            Some(0 | 1) => OneRun::read(&out).map_err(|error| format!("its results cannot be read: {error}")),
            Some(code) => Err(format!("{first} (exit code {code})")),
            None => Err(format!("{first} (ended by a signal)")),
        }
    }

    fn wait(&self, child: &mut Child) -> Result<Option<i32>, String> {
        loop {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                return Ok(status.code());
            }
            if self.interrupted.load(Ordering::Relaxed) {
                let _ = child.kill();
                let _ = child.wait();
                return Err("interrupted".into());
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// The table, the plots and the figures.
fn report(options: &Compare, target: &str, out: &Path, entrants: &[Entrant]) -> Result<(), Failure> {
    let wrong = |error: std::io::Error| Failure::wrong_use(format!("{}: {error}", out.display()));
    let unlimited = options.run.max_iterations.is_none() && options.run.max_cpu.is_none();
    let cpu = if unlimited { Some(DEFAULT_CPU) } else { options.run.max_cpu };
    let budget = Budget { iterations: options.run.max_iterations, cpu_seconds: cpu.map(|cpu| cpu.as_secs_f64()) };
    let table = Comparison::new(target, budget, options.runs, entrants);
    let mut json = serde_json::to_vec_pretty(&table).expect("plain data");
    json.push(b'\n');
    std::fs::write(out.join("compare.json"), &json).map_err(wrong)?;
    for (axis, file) in [(Axis::Iterations, "iterations.svg"), (Axis::CpuSeconds, "time.svg")] {
        match plot(target, entrants, axis) {
            Ok(svg) => std::fs::write(out.join(file), svg).map_err(wrong)?,
            Err(error) => say(options.run.quiet, &format!("note: {file} cannot be drawn: {error}")),
        }
    }
    let mut stdout = std::io::stdout().lock();
    let _ = match options.run.json {
        true => stdout.write_all(&json),
        false => {
            let shown = out.display();
            write!(
                stdout,
                "\n{}\n  {shown}/compare.json, iterations.svg, time.svg; each campaign in {shown}/runs\n",
                table.text()
            )
        }
    };
    Ok(())
}
