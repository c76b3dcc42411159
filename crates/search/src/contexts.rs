//! Contexts of branches: the last branches of a path up to and including one, those that dominate it left out, because
//! every path that comes here has them.

use crate::strategy::View;
use symcrete_program::{Dominators, SideId};
use symcrete_tree::{NodeId, OpenSide, Passed};

/// A branch on a path: a side of the source, or an outcome of a decision that the source does not have.
pub(crate) type Branch = u64;

/// Contexts, first branch last; its own first.
pub(crate) struct Contexts {
    dominators: Option<Dominators>,
}

/// Marks outcomes of decisions without a source side.
const LATE: u64 = 1 << 63;

fn branch(view: &View<'_>, taken: OpenSide) -> Branch {
    let site = view.tree.site(taken.node);
    match view.program.side_of(site, taken.side as usize) {
        Some(side) => u64::from(side.0),
        None => LATE | u64::from(site.0) << 24 | u64::from(taken.side & 0xff_ffff),
    }
}

/// Branches of a path, walking back from a node, each with whether it belongs to the node's own activation.
struct Back<'a> {
    view: &'a View<'a>,
    node: Option<NodeId>,
    passed: &'a [Passed],
    /// Activations entered (above 0) or left (below 0) since, walking back.
    level: i32,
}

impl<'a> Back<'a> {
    fn new(view: &'a View<'a>, node: NodeId) -> Back<'a> {
        Back { view, node: Some(node), passed: view.tree.passed(node), level: 0 }
    }
}

impl Iterator for Back<'_> {
    type Item = (Branch, bool);

    fn next(&mut self) -> Option<(Branch, bool)> {
        loop {
            while let Some((last, rest)) = self.passed.split_last() {
                self.passed = rest;
                match last {
                    Passed::Side(side) => return Some((u64::from(side.0), self.level == 0)),
                    Passed::Leave if self.level >= 0 => self.level += 1,
                    // Before the activation's own beginning nothing is in it any more.
                    Passed::Enter(_) if self.level == 0 => self.level = -1,
                    Passed::Enter(_) if self.level > 0 => self.level -= 1,
                    _ => {}
                }
            }
            let parent = self.view.tree.parent(self.node?)?;
            let full = !self.view.tree.passed(self.node?).is_empty();
            self.node = Some(parent.node);
            self.passed = self.view.tree.passed(parent.node);
            let source = self.view.program.side_of(self.view.tree.site(parent.node), parent.side as usize);
            // In a full path the sides of decisions on input are among what was passed.
            if !full || source.is_none() {
                return Some((branch(self.view, parent), self.level == 0));
            }
        }
    }
}

impl Contexts {
    pub fn new(without_dominators: bool) -> Contexts {
        Contexts { dominators: without_dominators.then(Dominators::new) }
    }

    /// The `k`-context of the branch `taken`, and whether it has the full length.
    pub fn of(&mut self, view: &View<'_>, taken: OpenSide, k: u32) -> Vec<Branch> {
        let own = branch(view, taken);
        let mut context = vec![own];
        if k <= 1 {
            return context;
        }
        for (earlier, same_activation) in Back::new(view, taken.node) {
            if same_activation && self.dominates(view, earlier, own) {
                continue;
            }
            context.push(earlier);
            if context.len() as u32 >= k {
                break;
            }
        }
        context
    }

    fn dominates(&mut self, view: &View<'_>, x: Branch, y: Branch) -> bool {
        match &mut self.dominators {
            Some(dominators) if (x | y) & LATE == 0 => {
                x != y && dominators.dominates(view.program, SideId(x as u32), SideId(y as u32))
            }
            _ => false,
        }
    }
}
