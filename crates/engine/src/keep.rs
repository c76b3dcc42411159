//! What is kept: tests that add coverage and inputs that show a bug, each replayed before it is reported.

use crate::bugs::{Failure, Place, address_failure, describe};
use crate::campaign::{Campaign, EngineError};
use crate::inputs;
use crate::judge::Verdict;
use symcrete_event::{Bug, BugKind, End as EventEnd, Event, Origin, Test};
use symcrete_exec::{End, Input, Mode, Run};
use symcrete_program::SideId;
use symcrete_tree::NodeId;

impl Campaign<'_> {
    /// After a tracked run: keep it when it took new sides of the user's code, came to a target, or failed.
    pub fn keep(
        &mut self,
        input: &Input,
        run: &Run,
        origin: Origin,
        taken: &[SideId],
        new: &[SideId],
        wanted: bool,
    ) -> Result<(), EngineError> {
        let counted: Vec<u32> = new.iter().filter(|s| self.counted[s.index()]).map(|s| s.0).collect();
        let suspicious = run.end.is_failure() || run.check.is_some();
        if counted.is_empty() && !suspicious && !wanted {
            return Ok(());
        }
        if self.propose(input, new, suspicious, &origin) {
            self.counters.branches_covered += counted.len() as u32;
            self.note_news(input, new);
            return Ok(());
        }
        // Coverage is not what targets are asked for; it costs a replay.
        let beside = self.watch.as_ref().is_some_and(|watch| !watch.targets.is_empty()) && !wanted && !suspicious;
        if self.silent || beside {
            self.counters.branches_covered += counted.len() as u32;
            for side in taken {
                self.side_hits[side.index()] += 1;
            }
            return Ok(());
        }
        if counted.is_empty() && !wanted && self.watch.is_none() && run.check.is_none() {
            let last = self.tree.latest().map(|leaf| self.tree.site(leaf.node));
            if !self.deserves_a_look(run, last) {
                return Ok(());
            }
        }
        let verdict = self.confirm(input)?;
        // The user stops us: how it ends was not seen, and what was not seen is not claimed.
        if verdict.end == End::Interrupted {
            return Ok(());
        }
        if run.end == End::Timeout && matches!(verdict.end, End::Exit(_)) {
            self.note_given_up();
        }
        let watch = self.watch.as_mut().filter(|_| suspicious);
        let wanted = watch.is_some_and(|w| w.look_at_crash(&verdict.stack, self.counters.tests + 1)) || wanted;
        self.counters.branches_covered += counted.len() as u32;
        let mut number = 0;
        if !counted.is_empty() || wanted {
            self.counters.tests += 1;
            number = self.counters.tests;
            self.test_of_run.insert(self.runs.len() - 1, number);
            for side in taken {
                self.side_hits[side.index()] += 1;
            }
        }
        let objects = inputs::objects(input);
        let test = Test {
            number,
            inputs: &objects,
            origin,
            new_sides: &counted,
            end: event_end(verdict.end),
            seconds: verdict.seconds,
        };
        if number > 0 {
            self.say(&Event::Test(&test));
            self.say_targets(number);
            // Coverage has grown: the time series has every growth.
            self.say_figures();
        }
        if number > 0 && !suspicious {
            self.note_news(input, new);
        }
        if number > 0 {
            self.tell_kept(input, new);
        }
        let near = self.near();
        let mut failure = describe(&verdict, run.check.as_ref(), &near);
        if failure.is_none() {
            if suspicious && !matches!(run.end, End::Timeout) {
                self.lost.add_named(&format!("replay:{}", run.end), "", 1);
            }
            failure = self.address_check(input, &near)?;
        }
        match failure {
            Some(failure) => self.report_bug(input, failure, &test),
            None => Ok(()),
        }
    }

    /// Solved inputs that are kept without a path of their own (one generation): each is run once, to know its end.
    pub fn keep_unseen(&mut self, solved: &[(Origin, Input)]) -> Result<(), EngineError> {
        let mut rest = solved;
        while let Some((_, first)) = rest.first() {
            let mut ends: Vec<(EventEnd, f64)> = vec![];
            if self.persistent {
                let inputs: Vec<Input> = rest.iter().map(|(_, input)| input.clone()).collect();
                let result = self.server.batch(&inputs, &self.limits())?;
                // Whoever comes back from the harness to the loop ended as a harness ends.
                let fine = result.ended.as_ref().map_or(result.executed, |(index, _)| *index);
                ends.resize(fine, (EventEnd::Exit(0), 0.0));
                ends.extend(result.ended.map(|(_, run)| (event_end(run.end), run.seconds)));
            }
            if ends.is_empty() {
                let run = self.server.run(Mode::Fast, first, &self.limits())?;
                ends.push((event_end(run.end), run.seconds));
            }
            self.counters.executions += ends.len() as u64;
            for ((origin, input), (end, seconds)) in rest.iter().zip(&ends) {
                self.counters.tests += 1;
                let objects = inputs::objects(input);
                let (number, origin) = (self.counters.tests, origin.clone());
                self.say(&Event::Test(&Test {
                    number,
                    inputs: &objects,
                    origin,
                    new_sides: &[],
                    end: *end,
                    seconds: *seconds,
                }));
            }
            rest = &rest[ends.len().min(rest.len())..];
        }
        Ok(())
    }

    /// How the input really ends: on the plain build where there is one, else in the fast body.
    pub fn confirm(&mut self, input: &Input) -> Result<Verdict, EngineError> {
        let limits = self.limits();
        let verdict = self.judge.plain(input, &limits).map_err(|e| EngineError::Replay(e.to_string()))?;
        if let Some(verdict) = verdict {
            self.counters.executions += 1;
            if matches!(verdict.end, End::Exit(_)) {
                self.longest = self.longest.max(verdict.seconds);
            }
            return Ok(verdict);
        }
        let again = self.run_fast(input)?;
        Ok(Verdict { end: again.end, seconds: again.seconds, words: String::new(), stack: vec![] })
    }

    /// The failure an input shows, if it does; for shortening.
    pub fn failure_of(&mut self, input: &Input) -> Result<Option<Failure>, EngineError> {
        let run = self.run_fast(input)?;
        if !run.end.is_failure() && run.check.is_none() {
            return Ok(None);
        }
        let verdict = self.confirm(input)?;
        let near = self.near();
        Ok(describe(&verdict, run.check.as_ref(), &near))
    }

    fn address_check(&mut self, input: &Input, near: &Place) -> Result<Option<Failure>, EngineError> {
        if !self.settings.checks.address {
            return Ok(None);
        }
        let limits = self.limits();
        let verdict = self.judge.address(input, &limits).map_err(|e| EngineError::Replay(e.to_string()))?;
        Ok(verdict.and_then(|verdict| address_failure(&verdict, near)))
    }

    fn report_bug(&mut self, input: &Input, failure: Failure, test: &Test<'_>) -> Result<(), EngineError> {
        if !self.bugs_seen.insert(failure.identity.clone()) {
            return Ok(());
        }
        self.bug_count += 1;
        let number = self.bug_count;
        let under_constrained = test.inputs.iter().any(|o| o.kind == symcrete_event::InputKind::Choice);
        let bug = |test: Test<'_>, tell: &mut dyn FnMut(&Bug<'_>)| {
            tell(&Bug {
                number,
                kind: failure.identity.kind,
                file: &failure.identity.file,
                line: failure.identity.line,
                function: &failure.function,
                detail: &failure.detail,
                stack: &failure.stack,
                under_constrained,
                test,
            });
        };
        bug(test.clone(), &mut |b| self.say(&Event::Bug(b)));
        // A failure only AddressSanitizer sees, or one without a place, could turn into another while it shrinks.
        if failure.identity.kind == BugKind::Address || failure.identity.file.is_empty() {
            return Ok(());
        }
        if let Some((small, verdict)) = self.shorten(input, &failure.identity)? {
            let objects = inputs::objects(&small);
            let (end, seconds) = (event_end(verdict.end), verdict.seconds);
            let shorter = Test { inputs: &objects, number: 0, new_sides: &[], end, seconds, ..test.clone() };
            bug(shorter, &mut |b| self.say(&Event::Shortened(b)));
        }
        Ok(())
    }

    /// Where the run made its last decision outside of our models of library functions: those are no place to look at.
    fn near(&self) -> Place {
        let Some(leaf) = self.tree.latest() else { return Place::default() };
        let above = |node: &NodeId| self.tree.parent(*node).map(|side| side.node);
        std::iter::successors(Some(leaf.node), above).find_map(|node| self.place_of(node)).unwrap_or_default()
    }

    /// Nothing for a decision of a model.
    fn place_of(&self, node: NodeId) -> Option<Place> {
        let site = self.tree.site(node);
        if site.index() >= self.program.site_count() {
            return None;
        }
        let (unit, site) = self.program.site(site);
        let model = Some(self.program.unit(unit)).filter(|unit| !unit.model)?;
        let file = model.files.get(site.location.file as usize).cloned().unwrap_or_default();
        let function = model.functions.get(site.function as usize).map(|f| f.source_name.clone()).unwrap_or_default();
        Some(Place { file, line: site.location.line, function })
    }

    fn say_targets(&mut self, test: u32) {
        let fresh: Vec<u32> = self.targets.difference(&self.targets_said).copied().collect();
        for number in fresh {
            self.targets_said.insert(number);
            self.say(&Event::Target { number, test });
        }
    }
}

/// As tests record it.
fn event_end(end: End) -> EventEnd {
    match end {
        End::Exit(code) => EventEnd::Exit(code),
        End::Signal(crash) | End::StackOverflow(crash) => EventEnd::Signal(crash.signal),
        End::Timeout => EventEnd::Timeout,
        End::Stopped(_) => EventEnd::Exit(0),
        End::Memory | End::Processes | End::Output | End::Lost | End::Interrupted => EventEnd::Signal(libc::SIGKILL),
    }
}
