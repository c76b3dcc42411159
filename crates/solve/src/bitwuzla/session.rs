//! One handle, the encodings that belong to it, and the decision what its solver is given for good and when it is
//! thrown away.
//!
//! Three facts, all measured, shape it. Conditions that are asserted are cheaper than assumed ones, but cannot be taken
//! back. A solver that knows most of a query already is much cheaper than a fresh one. A solver full of what a query
//! does not need is dearer than a fresh one. So: as long as queries grow (flips of one path, from its start), their
//! prefix is asserted; once one shrinks (backtracking), prefixes are only assumed; and ballast is thrown overboard.

use rustc_hash::FxHashSet;
use symcrete_term::{TermId, Terms};

use super::encode::{Encoder, Size, Unsupported};
use super::handle::{Handle, Node};
use crate::Query;

/// Queries after which the solver is renewed in any case: long-lived ones get slower.
const QUERIES_PER_SOLVER: u32 = 300;
/// A solver that holds this many times more gates of no use to a query than of use is not worth keeping for it.
const BALLAST: u64 = 2;
/// Gates that never weigh.
const LIGHT: u64 = 1_000;

pub struct Session {
    pub handle: Handle,
    pub encoder: Encoder,
    /// Number of the current solver, from 1.
    solver: u32,
    queries: u32,
    /// Gates the solver has been given.
    gates: u64,
    /// What the solver was told for good; always part of the query being solved.
    asserted: FxHashSet<TermId>,
    /// Floats whose bits the solver was told about.
    tied: FxHashSet<TermId>,
    previous: Vec<TermId>,
    /// Whether prefixes have lately been losing conditions.
    shrinking: bool,
    /// Whether every prefix is only assumed.
    assuming: bool,
}

impl Session {
    pub fn new() -> Session {
        Session {
            handle: Handle::new(),
            encoder: Encoder::default(),
            solver: 1,
            queries: 0,
            gates: 0,
            asserted: FxHashSet::default(),
            tied: FxHashSet::default(),
            previous: Vec::new(),
            shrinking: false,
            assuming: false,
        }
    }

    /// For queries that are asked again and again under other assumptions.
    pub fn assuming() -> Session {
        Session { assuming: true, ..Session::new() }
    }

    pub fn renew_solver(&mut self) {
        self.handle.renew_solver();
        self.asserted.clear();
        self.tied.clear();
        (self.solver, self.queries, self.gates) = (self.solver + 1, 0, 0);
    }

    pub fn measure(&mut self, terms: &Terms, query: &Query<'_>) -> Size {
        self.encoder.measure(terms, query.conditions(), self.solver)
    }

    /// Makes the solver ready for the query that was measured. What it returns has to be assumed.
    pub fn prepare(
        &mut self,
        terms: &Terms,
        query: &Query<'_>,
        mut size: Size,
    ) -> Result<Vec<(TermId, Node)>, Unsupported> {
        self.encoder.encode(&mut self.handle, terms)?;
        let prefix: FxHashSet<TermId> = query.prefix.iter().copied().collect();
        let kept = self.previous.iter().filter(|condition| prefix.contains(condition)).count();
        if kept == self.previous.len() {
            self.shrinking = false;
        } else if kept > 0 {
            self.shrinking = true;
        }
        self.previous.clear();
        self.previous.extend_from_slice(query.prefix);

        let ballast = self.gates.saturating_sub(size.known);
        if self.queries >= QUERIES_PER_SOLVER
            || ballast > LIGHT + BALLAST * size.known
            || !self.asserted.iter().all(|condition| prefix.contains(condition))
        {
            self.renew_solver();
            size.known = 0;
        }
        self.encoder.load(self.solver);
        self.queries += 1;
        self.gates += size.whole - size.known;

        for (float, tie) in self.encoder.ties() {
            if self.tied.insert(float) {
                self.handle.assert(tie.tied);
            }
        }
        let mut assumed = vec![(query.goal, self.encoder.node(query.goal))];
        for &condition in query.prefix {
            let node = self.encoder.node(condition);
            if self.asserted.contains(&condition) {
                continue;
            }
            if self.shrinking || self.assuming {
                assumed.push((condition, node));
            } else {
                self.asserted.insert(condition);
                self.handle.assert(node);
            }
        }
        Ok(assumed)
    }

    /// After unsat: which conditions cannot hold together, as far as the solver can tell.
    pub fn core(&mut self, query: &Query<'_>, assumed: &[(TermId, Node)]) -> Vec<TermId> {
        let failed: FxHashSet<Node> = self.handle.failed_assumptions().into_iter().collect();
        let needed = assumed.iter().filter(|(_, node)| failed.contains(node)).map(|&(condition, _)| condition);
        let asserted = query.prefix.iter().copied().filter(|condition| self.asserted.contains(condition));
        asserted.chain(needed).collect()
    }
}
