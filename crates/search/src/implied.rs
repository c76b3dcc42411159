//! What taking one side says about others: a run through `v` passes everything that dominates `v` in its function, and
//! will pass everything that post-dominates it. Sides that imply each other are one *class*; a class that no other one
//! implies is a *requirement*: all is covered when the requirements are. Within functions only: what a call implies is
//! not looked at, which makes more requirements than need be, never fewer.

use crate::flow::{Flow, Lists};

const NONE: u32 = u32::MAX;

/// Goals that have to be asked for.
#[derive(Debug)]
pub(crate) struct Requirements {
    /// By node: the topmost goal of its class; itself for a class of one; none for what is no goal.
    pub head: Vec<u32>,
    /// Heads of classes that no other class implies.
    pub required: Vec<u32>,
}

/// Immediate dominators within functions, along `after`, from `roots`; in the order of `ranks`, which ascends from the
/// roots. The iterative algorithm of Cooper, Harvey and Kennedy.
fn dominators(count: usize, roots: &[u32], before: &Lists, sequence: &[u32]) -> Vec<u32> {
    let mut rank = vec![NONE; count];
    sequence.iter().enumerate().for_each(|(place, &node)| rank[node as usize] = place as u32);
    let mut above = vec![NONE; count];
    let mut is_root = vec![false; count];
    for &root in roots {
        above[root as usize] = root;
        is_root[root as usize] = true;
    }
    let meet = |above: &[u32], mut a: u32, mut b: u32| -> Option<u32> {
        while a != b {
            // Two roots have nothing in common.
            if rank[a as usize] > rank[b as usize] {
                let up = above[a as usize];
                if up == a {
                    return None;
                }
                a = up;
            } else {
                let up = above[b as usize];
                if up == b {
                    return None;
                }
                b = up;
            }
        }
        Some(a)
    };
    loop {
        let mut changed = false;
        for &node in sequence {
            if is_root[node as usize] {
                continue;
            }
            let mut best: Option<u32> = None;
            let mut free = false;
            for &other in before.of(node as usize) {
                if above[other as usize] == NONE {
                    continue;
                }
                match best {
                    None => best = Some(other),
                    Some(known) => match meet(&above, known, other) {
                        Some(common) => best = Some(common),
                        None => free = true,
                    },
                }
            }
            // Nothing above it on every way: it is its own root.
            let new = if free { node } else { best.unwrap_or(NONE) };
            if above[node as usize] != new {
                above[node as usize] = new;
                changed = true;
            }
        }
        if !changed {
            return above;
        }
    }
}

impl Requirements {
    pub fn new(flow: &Flow) -> Requirements {
        let count = flow.len();
        // Numbers ascend from ends to entries, so entries first is the other way round.
        let forwards: Vec<u32> = (0..count as u32).rev().collect();
        let backwards: Vec<u32> = (0..count as u32).collect();
        let entries: Vec<u32> = (0..count as u32).filter(|&node| flow.before.of(node as usize).is_empty()).collect();
        let exits: Vec<u32> = (0..count as u32).filter(|&node| flow.after.of(node as usize).is_empty()).collect();
        let mut entries: Vec<u32> = entries.into_iter().chain(flow.home.iter().copied()).collect();
        entries.sort_unstable();
        entries.dedup();
        let above = dominators(count, &entries, &flow.before, &forwards);
        let below = dominators(count, &exits, &flow.after, &backwards);
        // The nearest goal above, by dominators, and below, by post-dominators.
        let nearest_goal = |tree: &[u32]| -> Vec<u32> {
            (0..count)
                .map(|node| {
                    let mut at = node as u32;
                    loop {
                        let up = tree[at as usize];
                        if up == NONE || up == at {
                            return NONE;
                        }
                        at = up;
                        if flow.goals[at as usize] {
                            return at;
                        }
                    }
                })
                .collect()
        };
        let (above_goal, below_goal) = (nearest_goal(&above), nearest_goal(&below));
        let post_dominates = |by: u32, node: u32| -> bool {
            let mut at = node;
            while at != NONE {
                if at == by {
                    return true;
                }
                at = below_goal[at as usize];
            }
            false
        };
        let mut head = vec![NONE; count];
        // Entries first: what is above has its class already.
        for node in (0..count as u32).rev().filter(|&node| flow.goals[node as usize]) {
            let up = above_goal[node as usize];
            let joined = up != NONE && head[up as usize] != NONE && post_dominates(node, up);
            head[node as usize] = if joined { head[up as usize] } else { node };
        }
        let mut implied = vec![false; count];
        for node in (0..count).filter(|&node| flow.goals[node]) {
            for other in [above_goal[node], below_goal[node]] {
                if other != NONE && head[other as usize] != head[node] {
                    implied[head[other as usize] as usize] = true;
                }
            }
        }
        let required = (0..count as u32).filter(|&n| head[n as usize] == n && !implied[n as usize]).collect();
        Requirements { head, required }
    }
}
