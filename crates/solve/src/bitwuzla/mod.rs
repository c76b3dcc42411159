//! The core: Bitwuzla. One session of encodings and a solver, renewed as `session.rs` decides; the watchdog for what
//! is large. Its types stay in this folder.

mod encode;
mod ffi;
mod handle;
mod session;
#[cfg(test)]
mod tests;
mod watchdog;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Core, Fault, Limit, Model, Query, Why};
use encode::Unsupported;
use handle::{Handle, Stop, Verdict};
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
        let assumptions: Vec<_> = assumed.iter().map(|&(_, node)| node).collect();
        let stop = Stop {
            polls: 0,
            max_polls: cx.budget.steps,
            time: cx.budget.time,
            cancel: Arc::clone(cx.cancel),
            abandoned: Arc::new(AtomicBool::new(false)),
            reason: None,
        };
        let checked = if size.whole <= SMALL {
            let (verdict, polls) = session.handle.check(&assumptions, stop);
            Some((session, verdict, polls))
        } else {
            self.watchdog.check(session, assumptions, stop, &cx.budget)
        };
        let Some((mut session, verdict, polls)) = checked else {
            cx.counters.stuck += 1;
            return Ok(Answer::Unknown(Why::Budget(Limit::Stuck)));
        };
        cx.counters.core_steps += polls;
        let answer = match verdict {
            Verdict::Sat => {
                let Session { handle, encoder, .. } = &mut *session;
                let values = encoder.variables(cx.terms).map(|(var, term)| {
                    let value = handle.value(encoder.node(term));
                    (cx.terms.variable(var), value as u64)
                });
                Answer::Sat(Model::new(values.collect()))
            }
            Verdict::Unsat => Answer::Unsat(Core { conditions: session.core(query, &assumed) }),
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
