//! Which sides every way from a function's entry to another side takes: dominance between edges, function by function,
//! computed when a function is first asked about. Says nothing about other functions, and nothing about sides that the
//! model has no edge for.

use crate::{FunctionId, Program, SideId};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

/// Dominance between the sides of each function.
#[derive(Debug, Default)]
pub struct Dominators {
    functions: Vec<Option<Box<[Interval]>>>,
}

/// A side's subtree of the dominator tree, as the time it is entered and the time it is left.
#[derive(Clone, Copy, Debug)]
struct Interval {
    enter: u32,
    leave: u32,
}

const OUTSIDE: Interval = Interval { enter: u32::MAX, leave: 0 };

impl Dominators {
    pub fn new() -> Dominators {
        Dominators::default()
    }

    /// Whether every way from the entry of their function to `y` takes `x`. A side dominates itself; sides of
    /// different functions do not dominate each other.
    pub fn dominates(&mut self, program: &Program, x: SideId, y: SideId) -> bool {
        let function = program.function_of(x);
        if function != program.function_of(y) || function.index() >= program.function_count() {
            return false;
        }
        if self.functions.len() < program.function_count() {
            self.functions.resize_with(program.function_count(), || None);
        }
        let all = self.functions[function.index()].get_or_insert_with(|| intervals(program, function));
        let (unit, model) = program.function(function);
        let first = program.side_id(unit, model.first_side);
        let of = |side: SideId| all.get((side.0 - first.0) as usize).copied().unwrap_or(OUTSIDE);
        let (x, y) = (of(x), of(y));
        y.enter != u32::MAX && x.enter <= y.enter && y.leave <= x.leave
    }
}

/// The function's graph with a node for each side between the blocks it connects, and its dominator tree.
fn intervals(program: &Program, function: FunctionId) -> Box<[Interval]> {
    let (_, model) = program.function(function);
    let blocks = model.blocks.len();
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(blocks + model.side_count as usize, 3 * blocks);
    for _ in 0..blocks + model.side_count as usize {
        graph.add_node(());
    }
    let node = |number: usize| NodeIndex::new(number);
    for (number, block) in model.blocks.iter().enumerate() {
        for (way, &next) in block.successors.iter().enumerate() {
            match block.sides.get(way).copied().flatten() {
                Some(side) => {
                    let between = node(blocks + (side - model.first_side) as usize);
                    graph.add_edge(node(number), between, ());
                    graph.add_edge(between, node(next as usize), ());
                }
                None => drop(graph.add_edge(node(number), node(next as usize), ())),
            }
        }
    }
    let mut all = vec![OUTSIDE; blocks + model.side_count as usize];
    if blocks > 0 {
        let tree = simple_fast(&graph, node(0));
        let mut children = vec![vec![]; all.len()];
        for number in 1..all.len() {
            if let Some(parent) = tree.immediate_dominator(node(number)) {
                children[parent.index()].push(number as u32);
            }
        }
        number_subtrees(&children, &mut all);
    }
    all.split_off(blocks).into_boxed_slice()
}

fn number_subtrees(children: &[Vec<u32>], all: &mut [Interval]) {
    let mut time = 0;
    let mut stack = vec![(0usize, 0usize)];
    all[0].enter = 0;
    while let Some((at, child)) = stack.pop() {
        if let Some(&next) = children[at].get(child) {
            stack.push((at, child + 1));
            time += 1;
            all[next as usize].enter = time;
            stack.push((next as usize, 0));
        } else {
            all[at].leave = time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::{Sketch, blocks};
    use proptest::prelude::*;

    #[test]
    fn nested_conditions_dominate_and_joins_end_it() {
        let mut sketch = Sketch::new();
        // 0: a ? 1 : 2.  1: b ? 3 : 4.  All meet in 5, which decides again.
        sketch.function("f", &blocks(&[&[1, 2], &[3, 4], &[5], &[5], &[5], &[6, 7], &[], &[]]));
        sketch.function("g", &blocks(&[&[1, 2], &[], &[]]));
        let program = sketch.program();
        let mut dominators = Dominators::new();
        let mut dominates = |x: u32, y: u32| dominators.dominates(&program, SideId(x), SideId(y));
        assert!(dominates(0, 2) && dominates(0, 3) && dominates(2, 2));
        assert!(!dominates(1, 2) && !dominates(2, 3) && !dominates(2, 0));
        assert!((0..4).all(|x| !dominates(x, 4) && !dominates(x, 5)), "behind the join nothing is certain");
        assert!(!dominates(0, 6), "another function");
    }

    #[test]
    fn of_two_labels_to_one_block_neither_dominates() {
        let mut sketch = Sketch::new();
        sketch.function("f", &blocks(&[&[1, 1, 2], &[3, 2], &[], &[]]));
        let program = sketch.program();
        let mut dominators = Dominators::new();
        assert!(!dominators.dominates(&program, SideId(0), SideId(3)));
        assert!(!dominators.dominates(&program, SideId(1), SideId(3)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// The definition: without `x` there is no way to `y`.
        #[test]
        fn equal_to_taking_the_edge_away(shape in prop::collection::vec((0u32..10, 0u32..10, 0u8..4), 1..10)) {
            let n = shape.len() as u32;
            let all: Vec<(Vec<u32>, Vec<&str>)> = shape.iter().map(|&(x, y, kind)| {
                (match kind { 0 => vec![], 1 => vec![x % n], _ => vec![x % n, y % n] }, vec![])
            }).collect();
            let mut sketch = Sketch::new();
            sketch.function("f", &all);
            let program = sketch.program();
            let mut dominators = Dominators::new();
            let reach = |without: Option<SideId>| {
                let (mut blocks, mut sides, mut work) = (vec![false; n as usize], vec![], vec![0u32]);
                while let Some(at) = work.pop() {
                    if std::mem::replace(&mut blocks[at as usize], true) { continue }
                    let (_, f) = program.function(FunctionId(0));
                    let block = &f.blocks[at as usize];
                    for (way, &next) in block.successors.iter().enumerate() {
                        let side = block.sides.get(way).copied().flatten().map(SideId);
                        if side.is_some() && side == without { continue }
                        sides.extend(side);
                        work.push(next);
                    }
                }
                sides
            };
            let reachable = reach(None);
            for x in (0..program.side_count() as u32).map(SideId) {
                let left = reach(Some(x));
                for &y in &reachable {
                    let want = x == y || (reachable.contains(&x) && !left.contains(&y));
                    prop_assert_eq!(dominators.dominates(&program, x, y), want, "{:?} {:?}", x, y);
                }
            }
        }
    }
}
