//! One run as the tree sees it: the input-dependent decisions in order, and how it ended.

use crate::full::FullPath;
use crate::node::Kind;
use symcrete_program::SiteId;
use symcrete_term::TermId;

/// The number of a run, given by whoever keeps the inputs; the tree remembers which run first
/// reached each node, so that a flip starts from an input that takes its prefix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct RunId(pub u32);

/// One input-dependent decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub site: SiteId,
    pub kind: Kind,
    /// The outcome: 0 or 1 for a branch and an assumption, the case for a switch (the last is the
    /// default). Not read for an address, whose values are told apart by `condition`.
    pub taken: u32,
    /// What was decided on: the condition of a branch or an assumption, the value switched on, the
    /// address. Whoever imports the trace leaves out what turned out constant.
    pub subject: TermId,
    /// True for this run.
    pub condition: TermId,
}

/// How the run ended, as far as the tree cares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum End {
    /// The program ended by itself: a return, an exit, a crash.
    #[default]
    Complete,
    /// A limit ended the run or its trace: what would have come after is not known.
    Cut,
}

/// One run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    pub steps: Vec<Step>,
    pub end: End,
    /// Values made concrete or otherwise lost on the way, other than those the steps speak of.
    pub lost: u64,
    /// Every decision, when somebody asked for it.
    pub full: Option<Box<FullPath>>,
}
