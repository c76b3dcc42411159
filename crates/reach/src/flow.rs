//! The control-flow graph of one function, looked at from behind: predecessors, dominators, what lies between a
//! block and its dominator.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use symcrete_program::Function;

#[derive(Debug)]
pub struct Flow {
    /// Each predecessor once, in order of numbers.
    pub predecessors: Vec<Vec<u32>>,
    successors: Vec<Vec<u32>>,
    dominator: Vec<Option<u32>>,
}

impl Flow {
    /// `ends` says of which blocks no run gets to the end.
    pub fn new(function: &Function, ends: impl Fn(u32) -> bool) -> Flow {
        let count = function.blocks.len();
        let mut graph = DiGraph::<(), ()>::with_capacity(count, count * 2);
        for _ in 0..count {
            graph.add_node(());
        }
        let mut predecessors = vec![vec![]; count];
        let left = |block: usize| match ends(block as u32) {
            true => &[][..],
            false => &function.blocks[block].successors[..],
        };
        for from in 0..count {
            for &to in left(from) {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to as usize), ());
                let list: &mut Vec<u32> = &mut predecessors[to as usize];
                if list.last() != Some(&(from as u32)) {
                    list.push(from as u32);
                }
            }
        }
        let tree = simple_fast(&graph, NodeIndex::new(0));
        let dominator = (0..count)
            .map(|block| tree.immediate_dominator(NodeIndex::new(block)).map(|d| d.index() as u32))
            .collect::<Vec<_>>();
        // What no path from the entry reaches is nobody's predecessor.
        let reached = |block: u32| block == 0 || dominator[block as usize].is_some();
        for list in &mut predecessors {
            list.retain(|&from| reached(from));
        }
        let successors = (0..count).map(|block| left(block).to_vec()).collect();
        Flow { predecessors, successors, dominator }
    }

    /// Whether any path from the entry leads there.
    pub fn is_reachable(&self, block: u32) -> bool {
        block == 0 || self.dominator[block as usize].is_some()
    }

    pub fn dominates(&self, upper: u32, lower: u32) -> bool {
        let mut at = Some(lower);
        while let Some(block) = at {
            if block == upper {
                return true;
            }
            at = self.dominator[block as usize].filter(|&d| d != block);
        }
        false
    }

    /// By block, when a walk over the tree of dominators comes to it and leaves it: a block dominates those whose times
    /// lie within its own. Blocks that no path reaches have an empty time.
    pub fn spans(&self) -> Vec<(u32, u32)> {
        let mut below: Vec<Vec<u32>> = vec![vec![]; self.dominator.len()];
        for (block, dominator) in self.dominator.iter().enumerate() {
            if let Some(dominator) = dominator.filter(|&d| d as usize != block) {
                below[dominator as usize].push(block as u32);
            }
        }
        let mut spans = vec![(u32::MAX, 0); self.dominator.len()];
        let (mut time, mut stack) = (0, vec![(0u32, false)]);
        while let Some((block, leaves)) = stack.pop() {
            time += 1;
            if leaves {
                spans[block as usize].1 = time;
                continue;
            }
            spans[block as usize].0 = time;
            stack.push((block, true));
            stack.extend(below[block as usize].iter().map(|&lower| (lower, false)));
        }
        spans
    }

    /// The blocks through which every path from `upper` to `lower` goes, `upper` left out; nothing when it does not
    /// dominate.
    pub fn way(&self, upper: u32, lower: u32) -> Option<Vec<u32>> {
        let mut way = vec![];
        let mut at = lower;
        while at != upper {
            way.push(at);
            at = self.dominator[at as usize].filter(|&d| d != at)?;
        }
        way.reverse();
        Some(way)
    }

    /// Whether there is one way only from `from` to `to`: the edge.
    pub fn is_edge(&self, from: u32, to: u32) -> bool {
        self.predecessors[to as usize] == [from]
    }

    /// The blocks a path may go through after it left `from` for the last time and before it is in `to` for the last
    /// time; `to` itself when it can be passed on the way.
    pub fn between(&self, from: u32, to: u32) -> Vec<u32> {
        let mut met = vec![false; self.predecessors.len()];
        let mut work = vec![to];
        let mut between = vec![];
        while let Some(block) = work.pop() {
            for &before in &self.predecessors[block as usize] {
                if before != from && !std::mem::replace(&mut met[before as usize], true) {
                    between.push(before);
                    work.push(before);
                }
            }
        }
        between
    }

    /// The blocks that can come after a block; itself, when it lies on a loop.
    pub fn behind(&self, block: u32) -> Vec<u32> {
        let mut met = vec![false; self.successors.len()];
        let (mut work, mut behind) = (vec![block], vec![]);
        while let Some(block) = work.pop() {
            for &next in &self.successors[block as usize] {
                if !std::mem::replace(&mut met[next as usize], true) {
                    behind.push(next);
                    work.push(next);
                }
            }
        }
        behind
    }

    /// Whether a block begins a loop: an edge comes back to it.
    pub fn is_loop(&self, block: u32) -> bool {
        self.predecessors[block as usize].iter().any(|&from| self.dominates(block, from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_program::sketch::{Sketch, blocks};

    #[test]
    fn ways_and_regions() {
        let mut sketch = Sketch::new();
        // 0 -> 1 (loop header) -> 2 -> 1, 1 -> 3; 3 -> 4 | 5 -> 6.
        sketch.function("f", &blocks(&[&[1], &[2, 3], &[1], &[4, 5], &[6], &[6], &[]]));
        let program = sketch.program();
        let flow = Flow::new(&program.units().next().unwrap().1.functions[0], |_| false);
        assert_eq!(flow.way(0, 6), Some(vec![1, 3, 6]));
        assert_eq!(flow.way(4, 6), None);
        assert!(flow.is_edge(1, 3) && !flow.is_edge(0, 1));
        let sorted = |mut v: Vec<u32>| {
            v.sort_unstable();
            v
        };
        assert_eq!(sorted(flow.between(0, 1)), [1, 2]);
        assert_eq!(sorted(flow.between(3, 6)), [4, 5]);
        assert!(flow.is_loop(1) && !flow.is_loop(3));
        assert_eq!(sorted(flow.behind(2)), [1, 2, 3, 4, 5, 6]);
        assert_eq!(sorted(flow.behind(4)), [6]);
        let spans = flow.spans();
        for (upper, (a, b)) in spans.iter().enumerate() {
            for (lower, (from, upto)) in spans.iter().enumerate() {
                assert_eq!(a <= from && upto <= b, flow.dominates(upper as u32, lower as u32));
            }
        }
    }
}
