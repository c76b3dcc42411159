//! What is kept of the execution tree when a campaign ends: the decisions nearest to the first one.

use crate::campaign::Campaign;
use std::collections::VecDeque;
use symcrete_event::{TreeNode, TreeRows, TreeSide};
use symcrete_tree::{NodeId, SideState, Tree};

/// Decisions that are kept.
pub(crate) const MOST: usize = 10_000;
/// Sides of one decision that are kept.
const MOST_SIDES: u32 = 32;

impl Campaign<'_> {
    pub(crate) fn kept_tree(&self) -> TreeRows {
        let test_of = |run: usize| self.test_of_run.get(&run).copied().unwrap_or(0);
        kept(&self.tree, &test_of, MOST)
    }
}

/// Level by level from the first decision, at most so many nodes. `test_of`: the test of a run, or 0.
fn kept(tree: &Tree, test_of: &dyn Fn(usize) -> u32, most: usize) -> TreeRows {
    let count = tree.len();
    // Whoever came to a node came by all nodes above it, which are older.
    let mut tests: Vec<u32> = ids(count).map(|id| test_of(tree.run(id).0 as usize)).collect();
    let mut below = vec![0u32; count];
    for id in ids(count).rev() {
        let Some(parent) = tree.parent(id) else { continue };
        let (own, above) = (tests[id.index()], &mut tests[parent.node.index()]);
        if own != 0 && (*above == 0 || own < *above) {
            *above = own;
        }
        below[parent.node.index()] += below[id.index()] + 1;
    }
    let mut rows = TreeRows { total: count as u64, nodes: vec![] };
    let mut queue: VecDeque<(Option<(u32, u32)>, NodeId)> = VecDeque::new();
    queue.extend(twins(tree, tree.root()).map(|id| (None, id)));
    while let Some((parent, id)) = queue.pop_front() {
        if rows.nodes.len() >= most {
            if let Some((above, _)) = parent {
                rows.nodes[above as usize].left_out += u64::from(below[id.index()]) + 1;
            }
            continue;
        }
        let position = rows.nodes.len() as u32;
        let sides = tree.side_count(id);
        let mut shown = vec![];
        for side in 0..sides {
            let state = tree.side(id, side);
            if let SideState::Taken(child) = state {
                queue.extend(twins(tree, child).map(|child| (Some((position, side)), child)));
            }
            if side < MOST_SIDES {
                shown.push(seen(state));
            }
        }
        rows.nodes.push(TreeNode {
            parent,
            site: tree.site(id).0,
            test: tests[id.index()],
            more_sides: sides - shown.len() as u32,
            sides: shown,
            left_out: 0,
        });
    }
    rows
}

fn ids(count: usize) -> impl DoubleEndedIterator<Item = NodeId> {
    (0..count as u32).map(NodeId)
}

/// A node and the others after the very same prefix.
fn twins(tree: &Tree, first: Option<NodeId>) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(first, |id| tree.twin(*id))
}

fn seen(state: SideState) -> TreeSide {
    match state {
        SideState::Open => TreeSide::Open,
        SideState::Taken(Some(_)) => TreeSide::Taken,
        SideState::Taken(None) => TreeSide::Ended,
        SideState::Unsat => TreeSide::Infeasible,
        SideState::Unknown { .. } => TreeSide::Unknown,
        SideState::Diverged => TreeSide::Diverged,
        SideState::Excluded => TreeSide::Excluded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_program::SiteId;
    use symcrete_term::{Terms, Var};
    use symcrete_tree::{Closed, Kind, OpenSide, Path, RunId, Step};

    /// Runs over three bits of the input, each a decision at a site of its own.
    fn tree(runs: &[[bool; 3]]) -> Tree {
        let (mut terms, mut tree) = (Terms::new(), Tree::new());
        for (run, bits) in runs.iter().enumerate() {
            let mut path = Path::default();
            for (at, &taken) in bits.iter().enumerate() {
                let byte = terms.var(Var::Byte { object: 0, offset: at as u32 });
                let half = terms.constant(8, 128);
                let subject = terms.ult(byte, half);
                let condition = if taken { subject } else { terms.not(subject) };
                let site = SiteId(at as u32);
                path.steps.push(Step { site, kind: Kind::Branch, taken: taken.into(), subject, condition });
            }
            tree.insert(&path, RunId(run as u32), None);
        }
        tree
    }

    #[test]
    fn nodes_have_their_first_test_and_their_sides() {
        let mut tree = tree(&[[false; 3], [true, false, false], [false, true, true]]);
        let last = OpenSide { node: NodeId(2), side: 1 };
        assert!(tree.close(last, Closed::Unsat));
        // The first run was not kept as a test; the third one came by the same first decisions.
        let rows = kept(&tree, &|run| [0, 7, 9][run], 100);
        assert_eq!(rows.total, 6);
        assert_eq!(rows.nodes.len(), 6);
        let of = |sites: u32| rows.nodes.iter().filter(move |node| node.site == sites);
        let first = &rows.nodes[0];
        assert_eq!((first.parent, first.test, &first.sides[..]), (None, 7, &[TreeSide::Taken; 2][..]));
        assert_eq!(of(1).map(|node| node.test).collect::<Vec<_>>(), [9, 7]);
        let third: Vec<_> = of(2).map(|node| (node.parent, node.test, node.sides.clone())).collect();
        use TreeSide::{Ended, Infeasible, Open};
        assert_eq!(
            third,
            [
                (Some((1, 0)), 0, vec![Ended, Infeasible]),
                (Some((1, 1)), 9, vec![Open, Ended]),
                (Some((2, 0)), 7, vec![Ended, Open])
            ]
        );
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let all: Vec<[bool; 3]> = (0..8).map(|n| [n & 1 > 0, n & 2 > 0, n & 4 > 0]).collect();
        let tree = tree(&all);
        for most in 1..=7 {
            let rows = kept(&tree, &|_| 1, most);
            assert_eq!((rows.total, rows.nodes.len()), (7, most));
            let left_out: u64 = rows.nodes.iter().map(|node| node.left_out).sum();
            assert_eq!(left_out, 7 - most as u64);
            let above = |(at, node): (usize, &TreeNode)| node.parent.is_none_or(|(above, _)| (above as usize) < at);
            assert!(rows.nodes.iter().enumerate().all(above));
        }
        assert_eq!(kept(&Tree::new(), &|_| 1, 5), TreeRows::default());
    }
}
