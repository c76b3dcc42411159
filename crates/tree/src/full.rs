//! Full paths: every source-level decision of a run, also those that do not depend on input, with the calls
//! around them.

use symcrete_program::{FunctionId, SideId};

/// One thing a run did.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Passed {
    /// Entered a function, inlined or not.
    Enter(FunctionId),
    Side(SideId),
    /// Left the function entered last: by returning, or because an exception or `longjmp` went past it.
    Leave,
}

/// What a run did, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FullPath {
    pub passed: Vec<Passed>,
    /// For each step of the path: how many entries of `passed` came before it. The side a step takes, where
    /// it is one of the source, is among the first entries behind that.
    pub steps: Vec<u32>,
    /// The run went on behind the last entry, unrecorded.
    pub cut: bool,
}

/// What lies between two decisions on input, kept for each node of the tree. More than this is cut at the
/// front: contexts look back from the decision.
const KEPT: usize = 4096;

/// What runs passed on the way to each node; empty when nobody asked for full paths.
#[derive(Debug, Default)]
pub(crate) struct Between {
    all: Vec<Passed>,
    /// By node: where its stretch begins; it ends where the next one begins.
    begins: Vec<u32>,
}

impl Between {
    /// Keeps the stretch before a new node. Nodes come in order of their numbers.
    pub(crate) fn push(&mut self, node: usize, stretch: &[Passed]) {
        while self.begins.len() < node {
            self.begins.push(self.all.len() as u32);
        }
        self.begins.push(self.all.len() as u32);
        self.all.extend_from_slice(&stretch[stretch.len().saturating_sub(KEPT)..]);
    }

    pub(crate) fn of(&self, node: usize) -> &[Passed] {
        let Some(&begin) = self.begins.get(node) else { return &[] };
        let end = self.begins.get(node + 1).map_or(self.all.len(), |&end| end as usize);
        &self.all[begin as usize..end]
    }
}

impl FullPath {
    /// What was passed between step `number - 1` and step `number`.
    pub fn before(&self, number: usize) -> &[Passed] {
        let place = |n: usize| self.steps.get(n).map_or(self.passed.len(), |&p| (p as usize).min(self.passed.len()));
        let (begin, end) = (if number == 0 { 0 } else { place(number - 1) }, place(number));
        self.passed.get(begin..end).unwrap_or(&[])
    }
}
