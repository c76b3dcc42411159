//! What is asked. Plain borrowed data.

use std::time::Duration;

use symcrete_term::{Assignment, TermId, Var};

/// The run whose path is being left: where inputs that the model does not mention keep their values.
#[derive(Clone, Copy)]
pub struct Parent<'a> {
    /// A number that stands for these values: other values, other number. Layers remember by it what they
    /// evaluated, so a number must not be used again for other values.
    pub run: u64,
    pub values: &'a dyn Assignment,
}

impl Parent<'static> {
    /// For queries that do not come from a run: all inputs 0.
    pub fn none() -> Parent<'static> {
        fn zero(_: Var) -> u128 {
            0
        }
        Parent { run: u64::MAX, values: &(zero as fn(Var) -> u128) }
    }
}

/// Is there an input that makes all conditions of the prefix, and the goal, true?
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// One-bit terms, in path order. Normally all true for the parent; nothing breaks when they are not.
    pub prefix: &'a [TermId],
    /// The flipped condition.
    pub goal: TermId,
    pub parent: Parent<'a>,
}

impl<'a> Query<'a> {
    /// All conditions, the goal first: it is the one most likely to fail.
    pub fn conditions(&self) -> impl Iterator<Item = TermId> + 'a {
        std::iter::once(self.goal).chain(self.prefix.iter().copied())
    }
}

/// Two gigabytes: more than any search needs that comes to an end within its time.
const MEMORY: u64 = 2 << 30;

/// How much one query may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Steps of the core: how often it asks whether to go on. Deterministic.
    pub steps: u64,
    /// Operations that local search may evaluate. Deterministic.
    pub evaluations: u64,
    /// Rough number of gates the core may be handed. Deterministic.
    pub size: u64,
    /// CPU time, soft: the core looks at it between steps.
    pub time: Option<Duration>,
    /// Bytes by which the core's search may let this process grow; what it is handed is bounded by `size`.
    pub memory: u64,
    /// How long, by the clock on the wall, after `time` (or after the start, without one) the core is left behind.
    pub patience: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            // About two seconds of hard search.
            steps: 25_000,
            evaluations: 10_000_000,
            size: 4_000_000,
            time: Some(Duration::from_secs(2)),
            memory: MEMORY,
            patience: Duration::from_secs(5),
        }
    }
}

impl Budget {
    /// What the core is given the first time a query comes: enough for what is easy.
    pub const FIRST: Budget = Budget {
        steps: 100,
        evaluations: 400_000,
        size: 40_000,
        time: Some(Duration::from_millis(1)),
        memory: MEMORY,
        patience: Duration::from_secs(5),
    };

    /// Whether a query comes for the first time, so that what seldom helps may be left out.
    pub(crate) fn is_first(&self) -> bool {
        self.steps <= Budget::FIRST.steps
    }

    /// No clock: every limit that normally ends a query is counted in steps.
    pub fn steps_only(self) -> Budget {
        Budget { time: None, patience: Duration::from_secs(60), ..self }
    }

    /// No more than what is left of a campaign's time.
    pub fn within(self, left: Duration) -> Budget {
        let time = self.time.map(|time| time.min(left));
        let after = left.saturating_sub(time.unwrap_or_default()) + Duration::from_millis(500);
        Budget { time, patience: self.patience.min(after), ..self }
    }

    /// For trying an unknown one again.
    pub fn times(self, factor: u32) -> Budget {
        Budget {
            steps: self.steps.saturating_mul(u64::from(factor)),
            evaluations: self.evaluations.saturating_mul(u64::from(factor)),
            size: self.size.saturating_mul(u64::from(factor)),
            time: self.time.map(|time| time.saturating_mul(factor)),
            ..self
        }
    }
}
