//! The core: Bitwuzla. One session of encodings and a solver, renewed as `session.rs` decides; the watchdog for what
//! is large. Its types stay in this folder.

mod encode;
mod ffi;
mod float;
#[cfg(test)]
mod float_tests;
mod handle;
mod keeping;
mod session;
mod tables;
pub(crate) use keeping::{Keeping, Kept};
pub(crate) use tables::affine;
#[cfg(test)]
mod tests;
mod watchdog;

use symcrete_term::Terms;

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Core, Fault, Limit, Model, Query, Why};
use encode::{Size, Unsupported};
use handle::{Handle, Node, Stop, Verdict};
use session::Session;
use watchdog::Watchdog;

/// Encoded terms after which everything starts anew.
const MAX_ENCODED: usize = 200_000;
/// Queries of at most this many gates are solved on the caller's thread: the phases in which Bitwuzla does not ask
/// whether to go on are short for them. Larger ones are solved under the watchdog's eye.
const SMALL: u64 = 30_000;

/// The core of the chain.
#[derive(Default)]
pub struct Bitwuzla {
    session: Option<Box<Session>>,
    watchdog: Watchdog,
}

impl Bitwuzla {
    pub fn new() -> Bitwuzla {
        Self::default()
    }

    /// The version of the library that is linked.
    pub fn version() -> String {
        Handle::version()
    }

    fn session(&mut self) -> Box<Session> {
        match self.session.take() {
            Some(session) if session.encoder.len() <= MAX_ENCODED => session,
            _ => Box::new(Session::new()),
        }
    }

    /// One check within the budget; `None` when it had to be left behind.
    fn check(
        &mut self,
        cx: &mut SolveCx<'_>,
        mut session: Box<Session>,
        assumptions: &[Node],
        size: Size,
    ) -> Option<(Box<Session>, Verdict)> {
        let stop = Stop::within(&cx.budget, cx.cancel);
        let (session, verdict, polls) = if size.whole <= SMALL {
            let (verdict, polls) = session.handle.check(assumptions, stop);
            (session, verdict, polls)
        } else {
            self.watchdog.check(session, assumptions.to_vec(), stop, &cx.budget)?
        };
        cx.counters.core_steps += polls;
        Some((session, verdict))
    }
}

/// After sat: the values the solver chose.
fn model_of(terms: &Terms, session: &mut Session) -> Model {
    let Session { handle, encoder, .. } = session;
    let values = encoder.variables(terms).map(|(var, term)| {
        let value = handle.value(encoder.node(term));
        (terms.variable(var), value as u64)
    });
    Model::new(values.collect())
}

fn is_right(cx: &mut SolveCx<'_>, query: &Query<'_>, model: &Model) -> bool {
    let values = model.over(query.parent.values);
    cx.evaluator.begin();
    query.conditions().all(|condition| cx.evaluator.holds(cx.terms, condition, &values))
}

impl SolverLayer for Bitwuzla {
    fn name(&self) -> &'static str {
        "bitwuzla"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        let mut session = self.session();
        let size = session.measure(cx.terms, query);
        if size.whole > cx.budget.size {
            self.session = Some(session);
            return Ok(Answer::Unknown(Why::Budget(Limit::Size)));
        }
        let assumed = match session.prepare(cx.terms, query, size) {
            Ok(assumed) => assumed,
            Err(Unsupported(what)) => {
                self.session = Some(session);
                return Ok(Answer::Unknown(Why::Unsupported(what)));
            }
        };
        let mut assumptions: Vec<_> = assumed.iter().map(|&(_, node)| node).collect();
        let mut checked = self.check(cx, session, &assumptions, size);
        if let Some((session, Verdict::Sat)) = &mut checked
            && session.encoder.ties().next().is_some()
            && !is_right(cx, query, &model_of(cx.terms, session))
        {
            // The bits of a NaN are not what the solver took them for: there may be a model without such NaNs.
            let session = checked.take().expect("matched above").0;
            assumptions.extend(session.encoder.ties().map(|(_, tie)| tie.ordinary));
            checked = self.check(cx, session, &assumptions, size);
            if let Some((mut session, verdict)) = checked {
                if verdict != Verdict::Sat || !is_right(cx, query, &model_of(cx.terms, &mut session)) {
                    self.session = Some(session);
                    return Ok(Answer::Unknown(Why::Unsupported("the bits of a NaN")));
                }
                checked = Some((session, verdict));
            }
        }
        let Some((mut session, verdict)) = checked else {
            cx.counters.stuck += 1;
            return Ok(Answer::Unknown(Why::Budget(Limit::Stuck)));
        };
        let answer = match verdict {
            Verdict::Sat => Answer::Sat(model_of(cx.terms, &mut session)),
            Verdict::Unsat => Answer::Unsat(Core { conditions: session.core(query, &assumed) }),
            Verdict::Stopped(Limit::Memory) => {
                session.renew_solver();
                Answer::Unknown(Why::Budget(Limit::Memory))
            }
            // What was encoded and learnt is kept: the next query, or the next attempt, starts from there.
            Verdict::Stopped(limit) => Answer::Unknown(Why::Budget(limit)),
        };
        self.session = Some(session);
        Ok(answer)
    }

    fn forget_terms(&mut self) {
        self.session = None;
    }
}
