//! The judgement of one run: expectations of the case against what the tool said and what really happens.

use crate::annotation::Annotation;
use crate::brute;
use crate::case::{Case, End as Ending, Revision};
use crate::coverage::Coverage;
use crate::input::Input;
use crate::native::{Build, End, Native};
use crate::place::Places;
use crate::tool::{self, Answer, Recorded, Summary, Uncovered};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Runs the tool on a case and judges it; the error lists everything that is not as it should be.
pub fn judge(places: &Places, case: &Case, revision: &Revision) -> Result<(), String> {
    let work = || -> Result<(Answer, Vec<String>)> {
        let scratch = tempfile::tempdir()?;
        let answer = tool::run(places, case, revision, &scratch.path().join("out"))?;
        let mut court = Court { places, case, revision, answer: &answer, problems: vec![] };
        court.sit(scratch.path())?;
        let problems = court.problems;
        Ok((answer, problems))
    };
    match work() {
        Ok((_, problems)) if problems.is_empty() => Ok(()),
        Ok((answer, problems)) => {
            let mut text = format!("{}: {}\n", case.path.display(), case.about);
            problems.iter().for_each(|p| text.push_str(&format!("  - {p}\n")));
            if let Some(should) = &case.should {
                text.push_str(&format!(
                    "  this is a known gap; if it closed, move the case out of gaps/. It should: {should}\n"
                ));
            }
            text.push_str(&format!("by hand:\n  {}\n", answer.command));
            let words: Vec<&str> = answer.stderr.lines().collect();
            let first = words.len().saturating_sub(25);
            text.push_str(&format!("the tool said:\n  {}\n", words[first..].join("\n  ")));
            Err(text)
        }
        Err(error) => Err(format!("{}: the case cannot be judged: {error:?}", case.path.display())),
    }
}

struct Court<'a> {
    places: &'a Places,
    case: &'a Case,
    revision: &'a Revision,
    answer: &'a Answer,
    problems: Vec<String>,
}

impl Court<'_> {
    fn sit(&mut self, scratch: &Path) -> Result<()> {
        self.exit_and_words();
        let Some(summary) = self.answer.summary.clone() else {
            // Nothing was run: a case of wrong use says so by its exit code.
            if self.revision.exit.is_none() {
                self.problems.push("no summary.json was written".into());
            }
            return Ok(());
        };
        self.figures(&summary);
        self.bugs(&summary);
        self.replays(scratch)?;
        self.sides(&summary, scratch)
    }

    /// Whether everything the case names must have been found.
    fn complete(&self) -> bool {
        !self.revision.foreign || self.answer.summary.as_ref().is_some_and(|s| s.exhausted)
    }

    fn expect(&mut self, holds: bool, problem: impl FnOnce() -> String) {
        if !holds {
            self.problems.push(problem());
        }
    }

    fn exit_and_words(&mut self) {
        let bugs = !self.case.bugs().is_empty();
        let expected = self.revision.exit.unwrap_or(i32::from(bugs));
        let found = self.answer.exit;
        let excused = !self.complete() && found == Some(0) && expected == 1;
        self.expect(found == Some(expected) || excused, || format!("exit code: expected {expected}, got {found:?}"));
        for words in &self.revision.stderr {
            if !self.answer.stderr.contains(words) {
                self.problems.push(format!("standard error: expected `{words}`"));
            }
        }
    }

    fn figures(&mut self, summary: &Summary) {
        let allowed = |what: &str| self.revision.allow.iter().any(|a| a == what);
        let silent = [
            ("diverged", summary.diverged),
            ("unknown", summary.unknown),
            ("nondeterministic", u64::from(summary.nondeterministic)),
        ];
        for (what, count) in silent {
            if count > 0 && !allowed(what) {
                self.problems.push(format!("{what}: expected none, got {count}"));
            }
        }
        for lost in &summary.lost {
            if !self.revision.lost.contains(&lost.what) && !self.revision.may_lose.contains(&lost.what) {
                self.problems.push(format!("lost precision: `{}` at {} (×{})", lost.what, lost.place, lost.count));
            }
        }
        for what in self.revision.lost.iter().filter(|_| !self.revision.foreign) {
            if !summary.lost.iter().any(|l| l.what == *what) {
                self.problems.push(format!("expected to lose `{what}`, but it was not lost: take the line away"));
            }
        }
        if let Some(crossed) = &summary.cross_check {
            self.expect(crossed.lost == 0, || format!("Z3 was lost {} times", crossed.lost));
            self.expect(crossed.agreed > 0 || crossed.compared == 0, || {
                format!("Z3 settled none of {} verdicts", crossed.compared)
            });
        }
        let budget = self.revision.iterations;
        self.expect(summary.iterations <= budget, || {
            format!("iterations: expected <= {budget}, got {}", summary.iterations)
        });
        let spent = summary.iterations >= budget;
        let end = match (summary.exhausted, spent) {
            (true, _) => "exhausted",
            (false, true) => "budget",
            (false, false) => "nothing-left",
        };
        if let Some(expected) = self.revision.end.filter(|_| !self.revision.foreign) {
            let same = match expected {
                Ending::Exhausted => end == "exhausted",
                Ending::Budget => end == "budget",
                Ending::NothingLeft => end == "nothing-left",
                Ending::Goal => !summary.exhausted && !spent,
            };
            self.expect(same, || {
                format!("end: expected {expected:?}, got {end} after {} iterations", summary.iterations)
            });
        }
        self.expect(summary.tests == self.answer.tests.len() as u64, || {
            format!("summary.json speaks of {} tests, {} are on disk", summary.tests, self.answer.tests.len())
        });
    }

    fn bugs(&mut self, summary: &Summary) {
        let expected: BTreeSet<_> = self.case.bugs().into_iter().collect();
        let mut found = BTreeSet::new();
        for bug in &summary.bugs {
            let key = (bug.kind.clone(), crate::case::file_name(Path::new(&bug.file)), bug.line);
            self.expect(found.insert(key), || format!("{} at {}:{} is reported twice", bug.kind, bug.file, bug.line));
        }
        let complete = self.complete();
        for (kind, file, line) in expected.difference(&found).filter(|_| complete) {
            self.problems.push(format!("{file}:{line}: expected crash: {kind}, which was not found"));
        }
        for (kind, file, line) in found.difference(&expected) {
            self.problems.push(format!("{file}:{line}: {kind} was reported, expected none here"));
        }
    }

    /// Every recorded input ends natively as recorded.
    fn replays(&mut self, scratch: &Path) -> Result<()> {
        let plain = Native::build(self.places, self.case, self.revision, Build::Plain, scratch)?;
        let by_end: Vec<&Recorded> = self.answer.tests.iter().chain(&self.answer.bugs).collect();
        let inputs: Vec<Input> = by_end.iter().map(|r| r.input.clone()).collect();
        for (record, end) in by_end.iter().zip(plain.run(&inputs, scratch, None)?) {
            // A limit of the tool ended it; natively there is none.
            let limited = record.end == End::Signal(9);
            self.expect(end == record.end || limited, || {
                format!("{}: recorded {:?}, natively {end:?}", record.name, record.end)
            });
        }
        for (kind, build) in [("address", Build::Address), ("undefined", Build::Undefined)] {
            let of_kind: Vec<&Recorded> = self.answer.bugs.iter().filter(|b| b.kind.as_deref() == Some(kind)).collect();
            if of_kind.is_empty() {
                continue;
            }
            let native = Native::build(self.places, self.case, self.revision, build, scratch)?;
            let inputs: Vec<Input> = of_kind.iter().map(|r| r.input.clone()).collect();
            for (record, end) in of_kind.iter().zip(native.run(&inputs, scratch, None)?) {
                self.expect(end == End::Signal(6), || {
                    format!("{}: the sanitizer sees nothing natively ({end:?})", record.name)
                });
            }
        }
        Ok(())
    }

    /// Sides and lines by clang's own counts, over the kept tests and, where that is possible, over all inputs.
    fn sides(&mut self, summary: &Summary, scratch: &Path) -> Result<()> {
        let native = Native::build(self.places, self.case, self.revision, Build::Coverage, scratch)?;
        let kept: Vec<Input> = self.answer.tests.iter().chain(&self.answer.bugs).map(|r| r.input.clone()).collect();
        let profile = scratch.join("kept.profraw");
        native.run(&kept, scratch, Some(&profile))?;
        let ours = Coverage::read(&native.program, &profile)?;
        for (file, annotations) in &self.case.annotations {
            for annotation in annotations {
                let problems = line_problems(file, annotation, &ours, self.complete());
                self.problems.extend(problems);
                if !self.revision.foreign {
                    self.problems.extend(reason_problems(file, annotation, summary));
                }
            }
        }
        self.claims(&ours);
        // A search that does not claim to be complete has nothing to be compared with all inputs.
        let Some(all) = brute::all_inputs(self.case).filter(|_| self.complete()) else { return Ok(()) };
        let profile = scratch.join("all.profraw");
        let ends: BTreeSet<End> = native.run(&all, scratch, Some(&profile))?.into_iter().collect();
        let real = Coverage::read(&native.program, &profile)?;
        let have: BTreeSet<String> = ours.taken().into_iter().collect();
        for missed in real.taken().iter().filter(|side| !have.contains(*side)) {
            let of_case = self.is_of_case(missed);
            self.expect(!of_case, || {
                format!("{missed}: reachable (found by trying all {} inputs), but no test takes it", all.len())
            });
        }
        let recorded: BTreeSet<End> = self.answer.tests.iter().chain(&self.answer.bugs).map(|r| r.end).collect();
        for end in ends.iter().filter(|e| matches!(e, End::Signal(_) | End::Timeout) && !recorded.contains(e)) {
            self.problems.push(format!("{end:?} happens natively, but no test ends so"));
        }
        for uncovered in summary.uncovered.iter().filter(|u| u.reason == "unreachable") {
            let taken = real.conditions_of(&self.main_file(), uncovered.line);
            let side = usize::from(uncovered.branch.ends_with(":false"));
            let is_condition = uncovered.branch.ends_with(":true") || uncovered.branch.ends_with(":false");
            if let ([only], true) =
                (taken.as_slice(), is_condition && !real.is_negated(&self.main_file(), uncovered.line))
                && only[side]
            {
                self.problems.push(format!("{} is called unreachable, but some input takes it", uncovered.branch));
            }
        }
        Ok(())
    }

    fn main_file(&self) -> String {
        crate::case::file_name(&self.case.path)
    }

    fn is_of_case(&self, side: &str) -> bool {
        self.case.annotations.keys().any(|file| side.starts_with(&format!("{file}:")))
    }

    /// What the tests say they took was taken: no more sides of a line than clang counts there and, where the
    /// line has one condition without `!`, the same ones.
    fn claims(&mut self, ours: &Coverage) {
        // Instances of templates and planted checks have sides of their own there.
        if self.case.is_cxx() || self.revision.args.iter().any(|a| a.contains("undefined")) {
            return;
        }
        let mut claimed: BTreeMap<(String, u32), BTreeSet<&str>> = BTreeMap::new();
        for name in self.answer.tests.iter().flat_map(|t| &t.new_sides) {
            let parts: Vec<&str> = name.rsplitn(4, ':').collect();
            let [side, _, line, path] = parts[..] else { continue };
            if side.starts_with("true") || side.starts_with("false") {
                let file = crate::case::file_name(Path::new(path));
                claimed.entry((file, line.parse().unwrap_or(0))).or_default().insert(name);
            }
        }
        for ((file, line), names) in claimed {
            let conditions = ours.conditions_of(&file, line);
            let taken = conditions.iter().flatten().filter(|t| **t).count();
            if !conditions.is_empty() && names.len() > taken {
                self.problems.push(format!("{file}:{line}: tests claim {names:?}, natively {taken} sides are taken"));
            }
            if let ([only], false) = (&conditions[..], ours.is_negated(&file, line)) {
                for name in names.iter().filter(|n| !only[usize::from(n.ends_with(":false"))]) {
                    self.problems
                        .push(format!("{file}:{line}: a test claims {name}, natively the other side is taken"));
                }
            }
        }
    }
}

/// Every side of the line that is uncovered is so for the reason named, and there is one.
fn reason_problems(file: &str, annotation: &Annotation, summary: &Summary) -> Vec<String> {
    let Some(expected) = &annotation.uncovered else { return vec![] };
    let here = |u: &&Uncovered| u.line == annotation.line && crate::case::file_name(Path::new(&u.file)) == file;
    let found: Vec<&Uncovered> = summary.uncovered.iter().filter(here).collect();
    let wrong = found.iter().filter(|u| u.reason != *expected);
    let mut problems: Vec<String> =
        wrong.map(|u| format!("{} is uncovered: expected `{expected}`, got `{}`", u.branch, u.reason)).collect();
    if found.is_empty() {
        problems.push(format!("{file}:{}: expected an uncovered side, all are covered", annotation.line));
    }
    problems
}

fn line_problems(file: &str, annotation: &Annotation, ours: &Coverage, complete: bool) -> Vec<String> {
    let line = annotation.line;
    let mut problems = vec![];
    let mut problem = |text: String| problems.push(format!("{file}:{line}: {text}"));
    if !annotation.sides.is_empty() {
        let conditions = ours.conditions_of(file, line);
        if conditions.is_empty() {
            problem("`side:` on a line without a condition".into());
        } else if annotation.sides.len() > 1 && annotation.sides.len() != conditions.len() {
            problem(format!(
                "{} sides are annotated, the line has {} conditions",
                annotation.sides.len(),
                conditions.len()
            ));
        }
        for (at, taken) in conditions.iter().enumerate() {
            let wanted = annotation.sides[at.min(annotation.sides.len() - 1)].wanted();
            for (index, name) in ["true", "false"].iter().enumerate() {
                if wanted[index] && !taken[index] && complete {
                    problem(format!("condition {}: expected its {name} side, no test takes it", at + 1));
                }
                if !wanted[index] && taken[index] {
                    problem(format!("condition {}: a test takes its {name} side, expected none to", at + 1));
                }
            }
        }
    }
    if let Some(count) = annotation.cases {
        let labels = ours.labels_of(file, line);
        let taken = labels.iter().filter(|t| **t).count();
        if taken > count || (taken < count && complete) {
            problem(format!("expected {count} case labels taken, got {taken} of {}", labels.len()));
        }
    }
    let reached = ours.line(file, line);
    if (annotation.reach || annotation.unreachable) && reached.is_none() {
        problem("`reach` or `unreachable` on a line without code".into());
    }
    if annotation.reach && reached == Some(false) && complete {
        problem("expected to be reached, no test does".into());
    }
    if annotation.unreachable && reached == Some(true) {
        problem("expected to be unreachable, a test reaches it".into());
    }
    problems
}
