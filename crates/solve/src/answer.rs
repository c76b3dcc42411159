//! What a query can come back with. Sat, unsat and unknown are values; an error is only what is our own fault.

use symcrete_term::{Assignment, TermId, Var, VarId};

/// Values for some inputs; every other input keeps the parent run's value.
/// Invariant: sorted by variable, each variable once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Model {
    values: Vec<(Var, u64)>,
}

impl Model {
    pub fn new(mut values: Vec<(Var, u64)>) -> Model {
        values.sort_unstable_by_key(|&(var, _)| var);
        values.dedup_by_key(|&mut (var, _)| var);
        Model { values }
    }

    /// The value the model gives to a variable, if it speaks of it at all.
    pub fn get(&self, var: Var) -> Option<u64> {
        self.values.binary_search_by_key(&var, |&(var, _)| var).ok().map(|at| self.values[at].1)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Var, u64)> + '_ {
        self.values.iter().copied()
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The model on top of the values of another assignment.
    pub fn over<'a>(&'a self, parent: &'a dyn Assignment) -> Overlay<'a> {
        Overlay { model: self, parent }
    }
}

/// See [`Model::over`].
pub struct Overlay<'a> {
    model: &'a Model,
    parent: &'a dyn Assignment,
}

impl Assignment for Overlay<'_> {
    fn value(&self, id: VarId, var: Var) -> u128 {
        match self.model.get(var) {
            Some(value) => u128::from(value),
            None => self.parent.value(id, var),
        }
    }
}

/// Conditions of the query, the goal possibly among them, that no input makes true together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    pub conditions: Vec<TermId>,
}

/// Which limit ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The steps of the budget: the same query in the same sequence ends here again.
    Steps,
    /// The conditions are too large to be handed to the core within the budget.
    Size,
    /// The time of the budget.
    Time,
    /// The memory of the budget.
    Memory,
    /// The core did not come back even after its time was over, and was left behind.
    Stuck,
    /// Somebody asked all solving to stop.
    Cancelled,
}

impl Limit {
    /// Whether another machine, or another day, would have ended at the same point.
    pub const fn is_deterministic(self) -> bool {
        matches!(self, Limit::Steps | Limit::Size)
    }
}

/// Why a query was not settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// May be settled with a larger budget.
    Budget(Limit),
    /// The core has no encoding for something in the conditions.
    Unsupported(&'static str),
}

/// The verdict on a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Sat(Model),
    Unsat(Core),
    Unknown(Why),
}

impl Fault {
    /// The query it is about, as SMT-LIB text, where there is one.
    pub fn script(&self) -> Option<&str> {
        match self {
            Fault::Disagreement { script, .. } | Fault::Script { script, .. } => Some(script),
            Fault::WrongModel { .. } | Fault::StrayCore { .. } => None,
        }
    }
}

/// A layer broke its word. Never the user's fault; the engine ends with the exit code for that.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error(
        "the model found for a query does not make condition {} true (term {condition:?}, layer {layer}); \
         please report this with the program and the options used",
        if *is_goal { "to be reached" } else { "of the path" }
    )]
    WrongModel { layer: &'static str, condition: TermId, is_goal: bool },
    #[error(
        "layer {layer} gives a reason for unsat that is not part of the query (term {condition:?}); please report this"
    )]
    StrayCore { layer: &'static str, condition: TermId },
    #[error(
        "DISAGREEMENT between solvers: layer {layer} says {ours}, Z3 says {theirs}; please report this with the query, \
         the program and the options used"
    )]
    Disagreement { layer: &'static str, ours: &'static str, theirs: &'static str, script: String },
    #[error("Z3 does not accept a query written for it ({complaint}); please report this with the query")]
    Script { complaint: String, script: String },
}
