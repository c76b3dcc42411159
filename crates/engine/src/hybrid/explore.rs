//! From one snapshot: breadth first over the decisions behind it, those first that lead to sides not covered yet.
//!
//! Paths from a snapshot begin there, so they have a tree of their own; what they prove holds for that state only and
//! is forgotten with it.

use super::archive::{Chain, Stretch};
use super::{Hybrid, Whole};
use crate::campaign::{Campaign, EngineError};
use crate::execute::judge_trace;
use crate::flip::Solved;
use crate::wishes::Wishes;
use std::mem;
use std::rc::Rc;
use symcrete_event::Origin;
use symcrete_exec::{Cell, End, Input};
use symcrete_tree::{Closed, End as PathEnd, OpenSide, RunId, Tree};

/// How far an exploration goes.
pub struct Bounds {
    /// Inputs behind the snapshot.
    pub inputs: u32,
    pub runs: u32,
    /// The first thing found is enough.
    pub first: bool,
    /// Microseconds without anything found.
    pub patience: f64,
}

/// What belongs to one snapshot.
#[derive(Default)]
struct Local {
    tree: Tree,
    runs: Vec<Input>,
    wishes: Wishes,
    /// The last input that was solved for came from a wish.
    wished: bool,
}

/// A run from the snapshot.
struct Branch {
    input: Input,
    /// It took a side that is not covered, or failed.
    news: bool,
    cell: Option<Cell>,
    statements: usize,
    slow: bool,
}

impl Campaign<'_> {
    /// The input of the last run that led to something new, as the run from the start has confirmed it.
    pub(super) fn explore(
        &mut self,
        hybrid: &mut Hybrid,
        whole: &Whole,
        chain: Option<&Rc<Chain>>,
        bounds: Bounds,
    ) -> Result<Option<Input>, EngineError> {
        let declared = self.server.sources().len();
        let start = Input { objects: whole.input.objects[..declared].to_vec() };
        let mut local = Local::default();
        let mut found = None;
        // The walk that led here may have been the last that the budget allowed.
        let mut next = self.over().is_none().then_some((start, None));
        let mut runs = 0;
        let mut end = self.so_far(hybrid).spent + bounds.patience;
        while let Some((input, expected)) = next.take() {
            self.swap(&mut local);
            let branch = self.branch_off(hybrid, &input, expected, bounds.inputs);
            self.swap(&mut local);
            let Some(branch) = branch? else {
                // What was tried took its own snapshot with it, or the system had no room for one more process.
                self.lost.add_named("snapshot:gone", "", 1);
                break;
            };
            runs += 1;
            let (sources, objects) = branch.input.objects.split_at(declared);
            if let (Some(cell), Some(chain)) = (branch.cell, chain) {
                let declared = self.used_up(sources, cell.position);
                let stretch = Stretch { declared, objects: objects.to_vec(), statements: branch.statements };
                hybrid.archive.add(cell, chain, stretch, &mut self.rng);
            }
            if branch.news {
                let mut longer = sources.to_vec();
                if let Some(cell) = branch.cell {
                    longer = self.used_up(sources, cell.position);
                }
                longer.extend_from_slice(&whole.input.objects[declared..]);
                longer.extend_from_slice(objects);
                let statements = whole.statements + branch.statements;
                let longer = Whole { input: Input { objects: longer }, statements };
                let after = whole.statements as u32;
                if self.found(hybrid, &longer, Origin::Snapshot { after }, branch.slow)? > 0 {
                    for object in objects {
                        hybrid.server.offer_value(&object.bytes);
                    }
                    found = Some(branch.input.clone());
                    end = self.so_far(hybrid).spent + bounds.patience;
                    if bounds.first {
                        break;
                    }
                }
            }
            if runs % 16 == 0 {
                self.walk_cpu = hybrid.server.cpu();
                self.exchange(hybrid)?;
                self.say_progress();
            }
            // Where one run takes all its time, so would the others.
            let enough = runs >= bounds.runs || self.so_far(hybrid).spent >= end;
            if enough || self.over().is_some() || (branch.slow && hybrid.brief) {
                break;
            }
            local.wished = !local.wished;
            let wish = local.wished;
            self.swap(&mut local);
            let solved = self.solve_next(hybrid, end, wish);
            self.swap(&mut local);
            next = solved?;
        }
        Ok(found)
    }

    fn swap(&mut self, local: &mut Local) {
        mem::swap(&mut self.tree, &mut local.tree);
        mem::swap(&mut self.runs, &mut local.runs);
        mem::swap(&mut self.wishes, &mut local.wishes);
    }

    /// The next input to run from the snapshot, and the side it is to take; none when nothing is open. Whole words that
    /// the program compares what it reads with come in turn with single decisions: breadth first, the bytes of a line
    /// would be tried one by one before the first word is spelt.
    fn solve_next(
        &mut self,
        hybrid: &Hybrid,
        end: f64,
        wish: bool,
    ) -> Result<Option<(Input, Option<OpenSide>)>, EngineError> {
        if wish
            && let Some(question) = self.next_wish()
            && let Solved::Input(input) = self.ask(question)?
        {
            self.counters.flips += 1;
            return Ok(Some((input, None)));
        }
        // Nothing is added while sides are solved for: they are put in order once.
        for (number, side) in self.nearest_first().into_iter().enumerate() {
            let enough = number % 64 == 63 && self.so_far(hybrid).spent >= end;
            if enough || self.over().is_some() {
                break;
            }
            match self.solve(side)? {
                Solved::Input(input) => {
                    self.counters.flips += 1;
                    return Ok(Some((input, Some(side))));
                }
                Solved::Unsat => drop(self.tree.close(side, Closed::Unsat)),
                Solved::Unknown => drop(self.tree.close(side, Closed::Unknown)),
            }
        }
        Ok(None)
    }

    /// Breadth first, what is not covered before everything else.
    fn nearest_first(&self) -> Vec<OpenSide> {
        let covered = |side: &OpenSide| {
            let aimed = self.program.side_of(self.tree.site(side.node), side.side as usize);
            aimed.is_none_or(|aimed| self.coverage.is_covered(aimed))
        };
        let mut sides: Vec<OpenSide> = self.tree.frontier().iter().collect();
        sides.sort_by_cached_key(|side| (covered(side), self.tree.depth(side.node), side.node.0, side.side));
        sides
    }

    /// Runs an input from the snapshot and adds its path. None: the snapshot is gone.
    fn branch_off(
        &mut self,
        hybrid: &mut Hybrid,
        input: &Input,
        expected: Option<OpenSide>,
        most: u32,
    ) -> Result<Option<Branch>, EngineError> {
        let mut limits = self.walk_limits(most as usize);
        if let Some(time) = self.share_of_timeout(5).filter(|_| hybrid.brief) {
            limits.timeout = time;
        }
        let Some(run) = hybrid.server.run_from_snapshot(input, &limits)? else { return Ok(None) };
        self.counters.executions += 1;
        self.counters.tracked_executions += 1;
        self.counters.iterations += 1;
        let input = hybrid.server.input_of(input, &run);
        let trace = hybrid.server.trace();
        let mut path = self.importer.path(&trace, &self.units, self.program, &mut self.terms)?;
        if run.end.is_cut() {
            path.end = PathEnd::Cut;
        } else if self.self_check {
            judge_trace(&mut self.importer, &self.terms, &trace, &input)?;
        }
        for lost in trace.lost() {
            self.lost.add(lost, self.units.site(lost.site), self.program);
        }
        for site in trace.events().filter_map(|event| self.units.site(event.site)) {
            self.dependent.note(site);
        }
        let new_side = self.units.covered(&trace).into_iter().any(|side| !self.coverage.is_covered(side));
        let id = RunId(self.runs.len() as u32);
        self.wishes.collect(self.importer.wishes(), &path, id);
        let inserted = self.tree.insert(&path, id, expected);
        if inserted.diverged.is_some() {
            self.counters.diverged += 1;
        }
        self.learn_words(&inserted, &input);
        self.runs.push(input.clone());
        if new_side {
            hybrid.server.absorb_sides();
        }
        let (cell, statements) = (hybrid.server.cell(), hybrid.server.statements() as usize);
        let news = new_side || run.end.is_failure() || run.check.is_some();
        let slow = run.end == End::Timeout;
        Ok(Some(Branch { input, news, cell, statements, slow }))
    }
}
