//! Flips: ask the solver for an input that takes an open side, run it, and see whether it does.

use crate::campaign::{Campaign, EngineError};
use crate::clock::{own_cpu, thread_cpu};
use crate::execute::cost;
use crate::inputs;
use crate::long_runs::limits_behind;
use std::time::{Duration, Instant};
use symcrete_event::Origin;
use symcrete_exec::{Input, Mode, Run};
use symcrete_search::{Ended, Outcome};
use symcrete_solve::{Answer, Budget, Fault, Limit, Parent, Query, Solver, Why};
use symcrete_term::{TermId, Terms, Var};
use symcrete_tree::{Closed, OpenSide, RunId};

/// Budgets of the first, second and later attempts at one side: 1 ms of the core, 50 ms, 2 s, and once more.
pub fn budget(attempts: u8, by_clock: bool) -> Budget {
    let (steps, evaluations, size, milliseconds) = match attempts {
        0 => return if by_clock { Budget::FIRST } else { Budget::FIRST.steps_only() },
        1 => (5_000, 2_000_000, 2_000_000, 50),
        2 => (50_000, 20_000_000, 20_000_000, 2_000),
        _ => (200_000, 80_000_000, 50_000_000, 20_000),
    };
    let time = Some(Duration::from_millis(milliseconds));
    let budget = Budget { steps, evaluations, size, time, ..Budget::default() };
    if by_clock { budget } else { budget.steps_only() }
}

/// How often one uncovered side of the program gets the second budget right after the first.
const MOST_HURRIED: u32 = 32;

impl Campaign<'_> {
    /// Solves for an open side and runs the model.
    pub fn flip(&mut self, side: OpenSide) -> Result<Outcome, EngineError> {
        let flipped = match self.solve(side)? {
            Solved::Input(input) => {
                self.counters.flips += 1;
                self.counters.iterations += 1;
                let limits = limits_behind(self.tree.depth(side.node), self.search_limits());
                let run = self.server.run(Mode::Tracking, &input, &limits)?;
                Flipped::Ran(input, run)
            }
            Solved::Unsat => Flipped::Unsat,
            Solved::Unknown => Flipped::Unknown,
        };
        self.settle(side, flipped)
    }

    /// What came of solving for an open side, and of running the model.
    pub(crate) fn settle(&mut self, side: OpenSide, flipped: Flipped) -> Result<Outcome, EngineError> {
        let mut outcome = Outcome { ended: Ended::Unsat, leaf: None, runs: 0, gain: 0, news: 0, cost: cost::SOLVE };
        match flipped {
            Flipped::Ran(input, run) => {
                let origin = self.origin(side);
                let tracked = self.take_in(&input, &run, Some(side), origin)?;
                outcome.runs = 1;
                outcome.cost += cost::TRACKED;
                outcome.gain = tracked.gain;
                outcome.leaf = tracked.inserted.leaf.filter(|_| tracked.inserted.new_path);
                outcome.ended = if tracked.inserted.diverged.is_some() {
                    self.counters.diverged += 1;
                    Ended::Diverged
                } else {
                    Ended::Ran
                };
            }
            Flipped::Unsat => {
                self.tree.close(side, Closed::Unsat);
                self.try_optimistically(side, &mut outcome)?;
            }
            Flipped::Unknown => {
                self.tree.close(side, Closed::Unknown);
                outcome.ended = Ended::Unknown;
                self.try_optimistically(side, &mut outcome)?;
            }
        }
        Ok(outcome)
    }

    /// An input for an open side, not yet run.
    pub fn solve(&mut self, side: OpenSide) -> Result<Solved, EngineError> {
        let prefix = self.tree.prefix_conditions(side.node);
        self.solve_behind(side, prefix)
    }

    /// The same, where somebody knows the conditions on the way already.
    pub fn solve_behind(&mut self, side: OpenSide, prefix: Vec<TermId>) -> Result<Solved, EngineError> {
        let question = self.question_behind(side, prefix);
        self.ask(question)
    }

    /// What has to be solved for an open side, behind the conditions on the way to it.
    pub(crate) fn question_behind(&mut self, side: OpenSide, prefix: Vec<TermId>) -> Question {
        let goal = self.tree.side_condition(side, &mut self.terms, self.program);
        let attempts = self.tree.attempts(side);
        let effort = attempts + self.settings.solving.effort;
        let mut budgets = vec![budget(effort, self.by_clock())];
        if self.deserves_more(side, attempts) {
            budgets.push(budget(effort + 1, self.by_clock()));
        }
        if attempts > 0 {
            // It was counted when it was put off.
            self.counters.unknown = self.counters.unknown.saturating_sub(1);
        }
        self.question(prefix, goal, self.tree.run(side.node), budgets)
    }

    /// Whether the first attempt's small budget is followed by the next one's at once: for a side of the program that
    /// no run has taken, a few times. Everything else waits until nothing better is left.
    fn deserves_more(&mut self, side: OpenSide, attempts: u8) -> bool {
        if attempts > 0 || self.settings.search.one_generation {
            return false;
        }
        let Some(aimed) = self.program.side_of(self.tree.site(side.node), side.side as usize) else { return false };
        if self.coverage.is_covered(aimed) {
            return false;
        }
        let tries = self.hurried.entry(aimed.0).or_insert(0);
        *tries += 1;
        *tries <= MOST_HURRIED
    }

    /// The question for an input that makes all conditions true, for the inputs of a run that makes the prefix true.
    pub(crate) fn question(
        &mut self,
        mut prefix: Vec<TermId>,
        goal: TermId,
        run: RunId,
        budgets: Vec<Budget>,
    ) -> Question {
        prefix.push(goal);
        let bounds = inputs::length_bounds(&mut self.terms, &prefix, self.server.sources());
        prefix.pop();
        prefix.splice(0..0, bounds);
        self.counters.solver_calls += 1;
        Question { prefix, goal, run, budgets }
    }

    pub fn ask(&mut self, question: Question) -> Result<Solved, EngineError> {
        let left = self.time_left();
        let parent = &self.runs[question.run.0 as usize];
        // Hard queries are solved on a thread of their own, but so may be other things while there are workers.
        let cpu = if self.spent.is_empty() { own_cpu } else { thread_cpu };
        let begin = cpu();
        let answer = question.put(&mut self.solver, &self.terms, parent, left);
        self.solver_cpu += cpu().saturating_sub(begin);
        Ok(match answer? {
            Answer::Sat(model) => {
                self.counters.sat += 1;
                Solved::Input(inputs::with_model(parent, &model, self.server.sources(), &mut self.rng))
            }
            Answer::Unsat(_) => {
                self.counters.unsat += 1;
                Solved::Unsat
            }
            Answer::Unknown(why) => {
                self.counters.unknown += 1;
                self.note_unknown(why);
                Solved::Unknown
            }
        })
    }

    pub(crate) fn note_unknown(&mut self, why: Why) {
        match why {
            Why::Budget(limit) => self.nondeterministic |= !limit.is_deterministic() && limit != Limit::Cancelled,
            Why::Unsupported(what) => self.lost.add_named(&format!("solver:{what}"), "", 1),
        }
    }

    /// Where the input of a flip comes from, for people.
    pub fn origin(&self, side: OpenSide) -> Origin {
        let run = self.tree.run(side.node).0 as usize;
        let outcome = side.side as usize;
        let aimed = self.program.side_of(self.tree.site(side.node), outcome);
        let test = self.test_of_run.get(&run).copied().unwrap_or(0);
        Origin::Flip { test, side: aimed.map(|s| s.0), optimistic: false }
    }
}

pub enum Solved {
    Input(Input),
    Unsat,
    Unknown,
}

/// What came of a flip, not yet taken in.
pub(crate) enum Flipped {
    /// The model, and how it ran in the tracking body of the campaign's server.
    Ran(Input, Run),
    Unsat,
    Unknown,
}

/// Is there an input that makes all these conditions true, beside those of a run that makes the prefix true? Can be put
/// to any solver, on any thread, that has the campaign's terms.
pub struct Question {
    prefix: Vec<TermId>,
    goal: TermId,
    pub run: RunId,
    /// Each is tried when the one before was not enough.
    budgets: Vec<Budget>,
}

impl Question {
    /// How many decisions come before the one that is flipped.
    pub fn depth(&self) -> u32 {
        self.prefix.len() as u32
    }

    /// `left`: what is left of the campaign's time.
    pub fn put(
        &self,
        solver: &mut Solver,
        terms: &Terms,
        parent: &Input,
        left: Option<Duration>,
    ) -> Result<Answer, Fault> {
        let begin = Instant::now();
        let values = |var: Var| inputs::value(parent, var);
        let parent = Parent { run: u64::from(self.run.0), values: &values };
        let query = Query { prefix: &self.prefix, goal: self.goal, parent };
        let mut answer = Ok(Answer::Unknown(Why::Budget(Limit::Steps)));
        for budget in &self.budgets {
            let budget = left.map_or(*budget, |left| budget.within(left.saturating_sub(begin.elapsed())));
            answer = solver.solve_within(terms, &query, budget);
            if !matches!(answer, Ok(Answer::Unknown(Why::Budget(_)))) {
                break;
            }
        }
        answer
    }
}
