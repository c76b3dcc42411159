//! The final figures of a campaign.

use crate::TreeRows;

/// Everything that is counted, the same in every run with the same seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Runs of the target, of any kind.
    pub executions: u64,
    pub tracked_executions: u64,
    /// New inputs executed.
    pub iterations: u64,
    pub random_runs: u64,
    pub flips: u64,
    pub solver_calls: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub diverged: u64,
    pub branches_total: u32,
    pub branches_covered: u32,
    pub functions_touched: u32,
    pub branches_in_touched: u32,
    pub tests: u32,
}

impl Counters {
    /// Adds what somebody else has done since `before`. What is known is not theirs to count.
    pub fn add_work(&mut self, now: &Counters, before: &Counters) {
        let parts: [fn(&mut Counters) -> &mut u64; 10] = [
            |c| &mut c.executions,
            |c| &mut c.tracked_executions,
            |c| &mut c.iterations,
            |c| &mut c.random_runs,
            |c| &mut c.flips,
            |c| &mut c.solver_calls,
            |c| &mut c.sat,
            |c| &mut c.unsat,
            |c| &mut c.unknown,
            |c| &mut c.diverged,
        ];
        let (mut now, mut before) = (*now, *before);
        for part in parts {
            *part(self) += *part(&mut now) - *part(&mut before);
        }
    }
}

/// What a clock or the machine decided.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clocks {
    pub cpu_seconds: f64,
    pub solver_seconds: f64,
    pub peak_memory_mb: u64,
    pub time: TimeSpent,
}

/// Where the CPU time of a campaign went, in seconds; all parts together are all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeSpent {
    /// The target's fast bodies.
    pub fast: f64,
    /// The target's tracking bodies.
    pub tracking: f64,
    /// Tests and bugs again, on plain builds.
    pub replays: f64,
    /// Walks of hybrid testing, in either body, and what is run from their snapshots.
    pub walks: f64,
    pub solving: f64,
    /// The strategy's decisions.
    pub search: f64,
    /// Traces to paths, paths into the tree, what they cover.
    pub taking_in: f64,
    /// Showing, and writing results to disk.
    pub reporting: f64,
    /// Drawing inputs, starting runs and waiting for them, workers, reaching backwards.
    pub rest: f64,
}

impl TimeSpent {
    /// Names and seconds, as files and people have them; the rest last.
    pub fn parts(&self) -> [(&'static str, f64); 9] {
        [
            ("fast", self.fast),
            ("tracking", self.tracking),
            ("replays", self.replays),
            ("walks", self.walks),
            ("solving", self.solving),
            ("search", self.search),
            ("taking_in", self.taking_in),
            ("reporting", self.reporting),
            ("rest", self.rest),
        ]
    }
}

/// Why the campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Every feasible path was run, and that is proved.
    Exhausted,
    /// A limit of the budget.
    Budget,
    /// The goal of `--until`.
    Goal,
    /// The strategy has nothing left to try, but something was lost, unknown or diverged.
    NothingLeft,
    /// SIGINT or SIGTERM.
    Interrupted,
}

/// Why a side is uncovered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    Unreachable,
    Solver,
    Input,
    Lost,
    Untried,
}

impl Reason {
    pub fn slug(self) -> &'static str {
        match self {
            Reason::Unreachable => "unreachable",
            Reason::Solver => "solver",
            Reason::Input => "input",
            Reason::Lost => "lost",
            Reason::Untried => "untried",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncovered {
    pub side: u32,
    pub reason: Reason,
}

/// One kind of lost precision at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostRow {
    /// The instruction, function or limit: `call:getenv`, `address`, `limit:nodes`.
    pub what: String,
    /// `file:line`, or empty.
    pub place: String,
    pub count: u64,
}

/// One layer of the solver chain.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRow {
    pub name: String,
    pub calls: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Of all queries it was asked, how many conditions they had.
    pub conditions: u64,
    pub seconds: f64,
}

/// What is known of the queries as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solving {
    /// CPU time of the chain.
    pub cpu_seconds: f64,
    /// Distinct queries, and those of them that the core was asked.
    pub distinct: u64,
    pub to_core: u64,
    /// With `--log-queries`.
    pub log: Option<QueryLogRow>,
    /// With `--cross-check`.
    pub cross_check: Option<CrossCheckRow>,
    pub cost_model: CostModelRow,
}

/// What the chain learnt about the cost of queries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostModelRow {
    pub observations: u64,
    /// Of expected and real times, -1 to 1; `None` for too few queries.
    pub rank_correlation: Option<f64>,
    /// Of the logarithm of microseconds, by what is counted.
    pub weights: Vec<(String, f64)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryLogRow {
    pub written: u64,
    /// Of them, those with operations that standard theories lack.
    pub loose: u64,
    /// 1 when the log could not be written any more: it ends there.
    pub failed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrossCheckRow {
    pub compared: u64,
    pub agreed: u64,
    pub undecided: u64,
    pub inexpressible: u64,
    /// The other solver died or hung, and was started again.
    pub lost: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Finished<'a> {
    pub stopped: Stopped,
    pub counters: Counters,
    pub clocks: Clocks,
    /// A wall-clock limit cut something: the same seed may give another result.
    pub nondeterministic: bool,
    pub lost: &'a [LostRow],
    /// Every counted side that no test took, in order of their numbers.
    pub uncovered: &'a [Uncovered],
    /// In the order of the chain.
    pub layers: &'a [LayerRow],
    pub solving: &'a Solving,
    /// Numbers handed to `symcrete_target`, ascending.
    pub targets_reached: &'a [u32],
    /// For every side of the program, how many kept tests took it.
    pub side_hits: &'a [u32],
    /// For every function of the program, how many kept tests entered it.
    pub function_hits: &'a [u32],
    pub tree: &'a TreeRows,
}
