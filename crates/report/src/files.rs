//! Writes everything to the output folder at once: what was found is on disk before the next run.

use crate::atomic;
use crate::baseline::{FUNCTIONS, FunctionsFile};
use crate::bug_folder;
use crate::entered::entered;
use crate::folder::Contents;
use crate::lcov::lcov;
use crate::names::SideNames;
use crate::page::{SOURCES, SourcesFile};
use crate::summary::{BugEntry, LayerEntry, LostEntry, Summary, UncoveredEntry, seconds};
use crate::test_file::TestFile;
use crate::tree_file::{TREE, TreeFile};
use serde::Serialize;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use symcrete_event::{Bug, Event, Finished, InputObject, Origin, Progress, Reporter, Started, Stopped, Test};
use symcrete_program::Program;

/// The reporter of the output folder. Invariant: `bugs` and `tests` are what lies on disk.
pub struct Files {
    out: PathBuf,
    folder: PathBuf,
    program: Rc<Program>,
    names: Rc<SideNames>,
    summary: Summary,
    bugs: Vec<(u32, BugEntry)>,
    tests: u32,
    numbering: Numbering,
}

/// A resumed campaign runs the earlier tests first and may find that it would keep them, and their bugs,
/// again: those get their old numbers and files, new ones are numbered after them.
#[derive(Default)]
struct Numbering {
    earlier: HashMap<Vec<InputObject>, u32>,
    tests: u32,
    /// The engine's numbers → ours.
    known: HashMap<u32, u32>,
    known_bugs: HashMap<u32, u32>,
}

impl Numbering {
    /// Our number of a test, and whether it is new.
    fn test(&mut self, test: &Test<'_>) -> (u32, bool) {
        let old = self.earlier.get(test.inputs).copied();
        let number = old.unwrap_or_else(|| {
            self.tests += 1;
            self.tests
        });
        self.known.insert(test.number, number);
        (number, old.is_none())
    }

    fn origin(&self, origin: &Origin) -> Origin {
        match origin {
            Origin::Flip { test, side, optimistic } => Origin::Flip {
                test: self.known.get(test).copied().unwrap_or(*test),
                side: *side,
                optimistic: *optimistic,
            },
            other => other.clone(),
        }
    }
}

#[derive(Serialize)]
struct ProgressLine {
    seconds: f64,
    executions: u64,
    branches_covered: u32,
    solver_calls: u64,
    iterations: u64,
    frontier: u64,
    tests: u32,
    bugs: u32,
    cpu_seconds: f64,
}

impl Files {
    /// `folder` is where the user stands; `earlier` what a resumed folder already holds.
    pub fn new(out: &Path, folder: &Path, program: Rc<Program>, names: Rc<SideNames>, earlier: &Contents) -> Files {
        Files {
            out: out.to_owned(),
            folder: folder.to_owned(),
            program,
            names,
            summary: Summary::new(),
            bugs: earlier.bugs.clone(),
            tests: earlier.tests.len() as u32,
            numbering: Numbering {
                earlier: earlier.tests.iter().filter_map(|(number, test)| Some((test.objects()?, *number))).collect(),
                tests: earlier.tests.iter().map(|(number, _)| *number).max().unwrap_or(0),
                ..Numbering::default()
            },
        }
    }

    fn started(&mut self, started: &Started<'_>) -> io::Result<()> {
        self.summary.target = started.target.into();
        self.summary.entry = started.entry.into();
        self.summary.strategy = started.strategy.into();
        self.summary.seed = started.seed;
        self.summary.branches_total = started.branches_total;
        let sources = SourcesFile::of(&lcov(&self.program, &self.folder, &[], &[]));
        atomic::write_json(&self.out.join(SOURCES), &sources)
    }

    fn test(&mut self, test: &Test<'_>) -> io::Result<()> {
        let (number, is_new) = self.numbering.test(test);
        if !is_new {
            return Ok(());
        }
        self.tests += 1;
        let test = Test { number, origin: self.numbering.origin(&test.origin), ..test.clone() };
        let path = self.out.join("tests").join(format!("{number:06}.json"));
        if let [only] = test.inputs {
            // The test is there once the next file is; until then nobody looks at this one.
            std::fs::write(path.with_extension("bin"), &only.bytes)?;
        }
        atomic::write_json(&path, &TestFile::new(&test, &self.names))
    }

    fn bug(&mut self, bug: &Bug<'_>) -> io::Result<()> {
        let names = self.names.clone();
        let bug = &Bug { file: names.shown(bug.file), ..bug.clone() };
        let same = |entry: &BugEntry| entry.kind == bug.kind.slug() && entry.file == bug.file && entry.line == bug.line;
        let number = match self.numbering.known_bugs.get(&bug.number) {
            Some(number) => *number,
            None => {
                let old = self.bugs.iter().find(|(_, entry)| same(entry)).map(|(number, _)| *number);
                old.unwrap_or_else(|| self.bugs.iter().map(|(number, _)| *number).max().unwrap_or(0) + 1)
            }
        };
        self.numbering.known_bugs.insert(bug.number, number);
        let test = Test { origin: self.numbering.origin(&bug.test.origin), ..bug.test.clone() };
        let bug = Bug { number, test, ..bug.clone() };
        let entry = BugEntry {
            kind: bug.kind.slug().into(),
            file: bug.file.into(),
            line: bug.line,
            function: bug.function.into(),
            test: format!("bugs/{}/test.json", bug_folder::folder_name(&bug)),
            under_constrained: bug.under_constrained,
        };
        match self.bugs.iter_mut().find(|(known, _)| *known == number) {
            Some((_, old)) => *old = entry,
            None => self.bugs.push((number, entry)),
        }
        bug_folder::write(&self.out, &bug, &self.names)
    }

    fn progress(&mut self, at: Duration, progress: &Progress<'_>) -> io::Result<()> {
        let line = ProgressLine {
            seconds: seconds(at.as_secs_f64()),
            executions: progress.counters.executions,
            branches_covered: progress.counters.branches_covered,
            solver_calls: progress.counters.solver_calls,
            iterations: progress.counters.iterations,
            frontier: progress.frontier,
            tests: self.tests,
            bugs: progress.bugs,
            cpu_seconds: seconds(progress.clocks.cpu_seconds),
        };
        let mut text = serde_json::to_vec(&line)?;
        text.push(b'\n');
        // One write per line: a kill leaves whole lines.
        OpenOptions::new().create(true).append(true).open(self.out.join("progress.jsonl"))?.write_all(&text)
    }

    fn finished(&mut self, at: Duration, finished: &Finished<'_>) -> io::Result<()> {
        self.fill(at, finished);
        let summary = atomic::write_json(&self.out.join("summary.json"), &self.summary);
        let (sides, tests) = (finished.side_hits, finished.counters.tests);
        let functions = entered(&self.program, sides, finished.function_hits, &self.summary.entry, tests);
        let coverage = lcov(&self.program, &self.folder, sides, &functions);
        let coverage = atomic::write(&self.out.join("coverage.lcov"), coverage.as_bytes());
        let rows = FunctionsFile::new(&self.program, &self.folder, sides);
        let rows = atomic::write_json(&self.out.join(FUNCTIONS), &rows);
        let number = |test: u32| self.numbering.known.get(&test).copied().unwrap_or(test);
        let tree = TreeFile::new(finished.tree, &self.program, &self.folder, number);
        // Not for people, and long: without the spaces that other files have.
        let tree = atomic::write(&self.out.join(TREE), &serde_json::to_vec(&tree)?);
        let progress = Progress {
            counters: finished.counters,
            frontier: 0,
            bugs: self.bugs.len() as u32,
            clocks: finished.clocks,
            ..Progress::default()
        };
        summary.and(coverage).and(rows).and(tree).and(self.progress(at, &progress))
    }

    fn fill(&mut self, at: Duration, finished: &Finished<'_>) {
        let counters = &finished.counters;
        let names = &self.names;
        self.summary = Summary {
            cpu_seconds: seconds(finished.clocks.cpu_seconds),
            wall_seconds: seconds(at.as_secs_f64()),
            executions: counters.executions,
            tracked_executions: counters.tracked_executions,
            solver_calls: counters.solver_calls,
            solver_seconds: seconds(finished.clocks.solver_seconds),
            sat: counters.sat,
            unsat: counters.unsat,
            unknown: counters.unknown,
            diverged: counters.diverged,
            branches_total: counters.branches_total,
            branches_covered: counters.branches_covered,
            functions_touched: counters.functions_touched,
            branches_in_touched: counters.branches_in_touched,
            tests: self.tests,
            bugs: self.bugs.iter().map(|(_, b)| b.clone()).collect(),
            exhausted: finished.stopped == Stopped::Exhausted,
            interrupted: finished.stopped == Stopped::Interrupted,
            lost: finished
                .lost
                .iter()
                .map(|l| LostEntry { what: l.what.clone(), place: l.place.clone(), count: l.count })
                .collect(),
            uncovered: finished
                .uncovered
                .iter()
                .map(|u| {
                    let side = names.get(u.side);
                    UncoveredEntry {
                        branch: side.name,
                        file: side.file,
                        line: side.line,
                        reason: u.reason.slug().into(),
                    }
                })
                .collect(),
            layers: finished
                .layers
                .iter()
                .map(|l| {
                    let entry = LayerEntry {
                        calls: l.calls,
                        sat: l.sat,
                        unsat: l.unsat,
                        unknown: l.unknown,
                        conditions: l.conditions,
                        seconds: seconds(l.seconds),
                    };
                    (l.name.clone(), entry)
                })
                .collect(),
            time: (&finished.clocks.time).into(),
            queries: finished.solving.into(),
            cross_check: finished.solving.cross_check.as_ref().map(Into::into),
            cost_model: (&finished.solving.cost_model).into(),
            iterations: counters.iterations,
            random_runs: counters.random_runs,
            flips: counters.flips,
            targets_reached: finished.targets_reached.to_vec(),
            nondeterministic: finished.nondeterministic,
            peak_memory_mb: finished.clocks.peak_memory_mb,
            ..std::mem::take(&mut self.summary)
        };
    }
}

impl Reporter for Files {
    fn event(&mut self, at: Duration, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started(started) => self.started(started),
            Event::Note(_) | Event::Target { .. } => Ok(()),
            Event::Progress(progress) => self.progress(at, progress),
            Event::Test(test) => self.test(test),
            Event::Bug(bug) | Event::Shortened(bug) => self.bug(bug),
            Event::Finished(finished) => self.finished(at, finished),
        }
    }
}
