//! A query asked again and again, each time with other inputs kept at the parent's values. The kept ones are
//! assumptions, so all questions share one encoding and what was learnt.

use rustc_hash::FxHashMap;
use symcrete_term::VarId;

use super::ffi::Kind;
use super::handle::{Node, Stop, Verdict};
use super::session::Session;
use super::{MAX_ENCODED, is_right, model_of};
use crate::layer::SolveCx;
use crate::{Model, Query};

/// What is known about a query with some inputs kept.
pub(crate) enum Kept {
    Sat(Model),
    /// Kept inputs that cannot all stay; none when the query has no solution at all.
    Conflict(Vec<VarId>),
    Unknown,
}

#[derive(Default)]
pub(crate) struct Keeping {
    session: Option<Session>,
}

impl Keeping {
    pub(crate) fn forget_terms(&mut self) {
        self.session = None;
    }

    pub(crate) fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>, kept: &[VarId]) -> Kept {
        let mut session = match self.session.take() {
            Some(session) if session.encoder.len() <= MAX_ENCODED => session,
            _ => Session::assuming(),
        };
        let answer = ask(&mut session, cx, query, kept);
        self.session = Some(session);
        answer
    }
}

fn ask(session: &mut Session, cx: &mut SolveCx<'_>, query: &Query<'_>, kept: &[VarId]) -> Kept {
    let size = session.measure(cx.terms, query);
    if size.whole > cx.budget.size {
        return Kept::Unknown;
    }
    let Ok(assumed) = session.prepare(cx.terms, query, size) else {
        return Kept::Unknown;
    };
    let mut assumptions: Vec<Node> = assumed.into_iter().map(|(_, node)| node).collect();
    let Session { handle, encoder, .. } = session;
    let mut vars: FxHashMap<Node, VarId> = FxHashMap::default();
    for (var, term) in encoder.variables(cx.terms).filter(|(var, _)| kept.contains(var)) {
        let (width, value) = (cx.terms.width(term), query.parent.values.value(var, cx.terms.variable(var)));
        let value = if width == 1 { handle.truth(value != 0) } else { handle.bits(width, value) };
        let stays = handle.binary(Kind::Equal, encoder.node(term), value);
        vars.insert(stays, var);
        assumptions.push(stays);
    }
    let stop = Stop::within(&cx.budget, cx.cancel);
    let (verdict, polls) = handle.check(&assumptions, stop);
    cx.counters.core_steps += polls;
    match verdict {
        Verdict::Sat => {
            let model = model_of(cx.terms, session);
            if is_right(cx, query, &model) { Kept::Sat(model) } else { Kept::Unknown }
        }
        Verdict::Unsat => {
            let failed = handle.failed_assumptions().into_iter();
            Kept::Conflict(failed.filter_map(|node| vars.get(&node).copied()).collect())
        }
        Verdict::Stopped(_) => Kept::Unknown,
    }
}
