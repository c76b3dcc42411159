//! Sees every query once it is sliced: counts the distinct ones and those the core was needed for, and hands each distinct
//! one as SMT-LIB text to whoever keeps a log. Not a layer one can turn off; never changes an answer. Opens no files.

use std::fmt::Write;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::io;
use std::time::Instant;

use rustc_hash::{FxHashSet, FxHasher};
use symcrete_term::{TermId, write_smtlib};

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Fault, Query};

/// The cost model learns from so many queries, and from one in a few of the others: they are much alike.
const ALL_LEARNT: u64 = 1_000;
const SAMPLE: u64 = 4;

/// Keeps queries somewhere. Numbers go up by one from 1.
pub trait QueryLog: Send {
    fn keep(&mut self, number: u64, script: &str) -> io::Result<()>;
}

/// Distinct queries: same conditions, same goal, whatever the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryCounters {
    pub distinct: u64,
    /// Of them, those for which the core was asked.
    pub to_core: u64,
    pub logged: u64,
    /// Of the logged ones, those that standard theories cannot say whole: libm, `fmod`.
    pub logged_loosely: u64,
    /// Those that could not be written.
    pub log_failures: u64,
}

pub(crate) struct Queries {
    seen: FxHashSet<u64>,
    log: Option<Box<dyn QueryLog>>,
    core: &'static str,
    next: Box<dyn SolverLayer>,
}

impl Queries {
    /// `core` is the name under which the core counts.
    pub(crate) fn new(core: &'static str, log: Option<Box<dyn QueryLog>>, next: Box<dyn SolverLayer>) -> Queries {
        Queries { seen: FxHashSet::default(), log, core, next }
    }

    fn write(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>, answer: &Answer, seconds: f64) {
        let Some(log) = &mut self.log else { return };
        let number = cx.counters.queries.logged + 1;
        let status = match answer {
            Answer::Sat(_) => "sat",
            Answer::Unsat(_) => "unsat",
            Answer::Unknown(_) => "unknown",
        };
        let mut script = format!("; query {number}: {status} by {}, {:.1} us\n", cx.answered_by, seconds * 1e6);
        let _ = writeln!(script, "(set-info :status {status})");
        // The flipped condition last, as on the path.
        let conditions: Vec<TermId> = query.prefix.iter().copied().chain([query.goal]).collect();
        let loose = write_smtlib(&mut script, cx.terms, &conditions).unwrap_or_default();
        if !loose.missing.is_empty() {
            let names = loose.missing.join(", ");
            script = format!("; not in the theory, so left free, and the status may differ: {names}\n{script}");
        }
        match log.keep(number, &script) {
            Ok(()) => {
                cx.counters.queries.logged += 1;
                cx.counters.queries.logged_loosely += u64::from(!loose.missing.is_empty());
            }
            // A full disk today is full tomorrow: the campaign goes on without a log, and says so.
            Err(_) => {
                cx.counters.queries.log_failures += 1;
                self.log = None;
            }
        }
    }
}

/// The same for the same set of conditions in any order.
fn fingerprint(query: &Query<'_>) -> u64 {
    let hasher = BuildHasherDefault::<FxHasher>::default();
    let sum = query.prefix.iter().fold(0u64, |sum, &id| sum.wrapping_add(hasher.hash_one((id, 1u8))));
    hasher.hash_one((sum, query.goal))
}

impl SolverLayer for Queries {
    fn name(&self) -> &'static str {
        "queries"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        if !self.seen.insert(fingerprint(query)) {
            return self.next.solve(cx, query);
        }
        cx.counters.queries.distinct += 1;
        let before = cx.counters.get(self.core).calls;
        let start = Instant::now();
        let answer = self.next.solve(cx, query)?;
        let took = start.elapsed();
        let distinct = cx.counters.queries.distinct;
        if let Some(cost) = &mut cx.cost
            && (distinct <= ALL_LEARNT || distinct.is_multiple_of(SAMPLE))
        {
            cost.learn(cx.terms, query.prefix, query.goal, took);
        }
        cx.counters.queries.to_core += u64::from(cx.counters.get(self.core).calls > before);
        self.write(cx, query, &answer, took.as_secs_f64());
        Ok(answer)
    }

    fn forget_terms(&mut self) {
        self.seen.clear();
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, byte, sat};
    use crate::{Budget, Counters, Parent};
    use std::sync::{Arc, Mutex};
    use symcrete_term::{Evaluator, Terms};

    struct Kept(Arc<Mutex<Vec<String>>>, usize);

    impl QueryLog for Kept {
        fn keep(&mut self, number: u64, script: &str) -> io::Result<()> {
            let mut kept = self.0.lock().unwrap();
            assert_eq!(number as usize, kept.len() + 1);
            if kept.len() == self.1 {
                return Err(io::Error::other("full"));
            }
            kept.push(script.to_owned());
            Ok(())
        }
    }

    #[test]
    fn each_query_is_kept_once_and_a_full_disk_stops_nothing() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var(byte(0)), terms.var(byte(1)));
        let five = terms.constant(8, 5);
        let (goal, one, other) = (terms.eq(x, five), terms.ult(x, y), terms.ult(y, five));
        let (core, asked) = Scripted::new(sat(&[(byte(0), 5)]));
        let kept = Arc::default();
        let mut layer = Queries::new("scripted", Some(Box::new(Kept(Arc::clone(&kept), 2))), core);
        let (mut evaluator, mut counters, cancel) = (Evaluator::new(), Counters::default(), Arc::default());
        for prefix in [&[one, other][..], &[other, one], &[one], &[], &[other]] {
            let mut cx = SolveCx::new(&terms, Budget::default(), &mut evaluator, &mut counters, &cancel);
            layer.solve(&mut cx, &Query { prefix, goal, parent: Parent::none() }).unwrap();
        }
        assert_eq!(asked.lock().unwrap().len(), 5);
        let QueryCounters { distinct, logged, log_failures, logged_loosely, .. } = counters.queries;
        assert_eq!((distinct, logged, log_failures, logged_loosely), (4, 2, 1, 0));
        let kept = kept.lock().unwrap();
        assert!(kept[0].contains("(set-info :status sat)") && kept[0].contains("(check-sat)"), "{}", kept[0]);
    }
}
