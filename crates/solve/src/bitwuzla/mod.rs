//! The core: Bitwuzla, asked by assumptions in a solver that is thrown away every few dozen queries, because
//! long-lived ones get slower. Encodings are kept longer, until they become too many. Its types stay in this folder.

mod encode;
mod ffi;
mod handle;
#[cfg(test)]
mod tests;
mod watchdog;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rustc_hash::FxHashSet;
use symcrete_term::TermId;

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Core, Fault, Limit, Model, Query, Why};
use encode::{Encoder, Unsupported};
use handle::{Handle, Stop, Verdict};
use watchdog::Watchdog;

/// Queries after which the solver is renewed.
const QUERIES_PER_SOLVER: u32 = 50;
/// Encoded terms after which everything starts anew.
const MAX_ENCODED: usize = 200_000;
/// Queries of at most this many gates are solved on the caller's thread: the phases in which Bitwuzla does not ask
/// whether to go on are short for them. Larger ones are solved under the watchdog's eye.
const SMALL: u64 = 30_000;

/// One handle and the encodings that belong to it.
struct Session {
    handle: Handle,
    encoder: Encoder,
    queries: u32,
}

impl Session {
    fn new() -> Session {
        Session {
            handle: Handle::new(),
            encoder: Encoder::default(),
            queries: 0,
        }
    }
}

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
            Some(mut session) if session.encoder.len() <= MAX_ENCODED => {
                if session.queries >= QUERIES_PER_SOLVER {
                    session.handle.renew_solver();
                    session.queries = 0;
                }
                session
            }
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
        let gates = session.encoder.measure(cx.terms, query.conditions());
        if gates > cx.budget.size {
            self.session = Some(session);
            return Ok(Answer::Unknown(Why::Budget(Limit::Size)));
        }
        let encoded = { session.encoder.encode(&mut session.handle, cx.terms) };
        if let Err(Unsupported(what)) = encoded {
            self.session = Some(session);
            return Ok(Answer::Unknown(Why::Unsupported(what)));
        }
        let conditions: Vec<TermId> = query.conditions().collect();
        let assumptions: Vec<_> = conditions
            .iter()
            .map(|&condition| session.encoder.node(condition))
            .collect();
        let stop = Stop {
            polls: 0,
            max_polls: cx.budget.steps,
            deadline: cx.budget.time.map(|time| Instant::now() + time),
            cancel: Arc::clone(cx.cancel),
            abandoned: Arc::new(AtomicBool::new(false)),
            reason: None,
        };
        session.queries += 1;
        let checked = if gates <= SMALL {
            let (verdict, polls) = session.handle.check(&assumptions, stop);
            Some((session, verdict, polls))
        } else {
            self.watchdog
                .check(session, assumptions.clone(), stop, &cx.budget)
        };
        let Some((mut session, verdict, polls)) = checked else {
            cx.counters.stuck += 1;
            return Ok(Answer::Unknown(Why::Budget(Limit::Stuck)));
        };
        cx.counters.core_steps += polls;
        let answer = match verdict {
            Verdict::Sat => {
                let Session {
                    handle, encoder, ..
                } = &mut *session;
                let values = encoder.variables(cx.terms).map(|(var, term)| {
                    let value = handle.value(encoder.node(term));
                    (cx.terms.variable(var), value as u64)
                });
                Answer::Sat(Model::new(values.collect()))
            }
            Verdict::Unsat => {
                let failed: FxHashSet<_> =
                    session.handle.failed_assumptions().into_iter().collect();
                let pairs = conditions.iter().zip(&assumptions);
                let mut core: Vec<TermId> = pairs
                    .filter(|(_, node)| failed.contains(node))
                    .map(|(&condition, _)| condition)
                    .collect();
                if core.is_empty() {
                    core = conditions;
                }
                Answer::Unsat(Core { conditions: core })
            }
            Verdict::Stopped(limit) => {
                // What an interrupted check leaves behind should not influence the next one.
                session.handle.renew_solver();
                session.queries = 0;
                Answer::Unknown(Why::Budget(limit))
            }
        };
        self.session = Some(session);
        Ok(answer)
    }

    fn forget_terms(&mut self) {
        self.session = None;
    }
}
