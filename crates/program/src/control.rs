//! Control dependence: which blocks run only because a side was taken, and how many hang on a side altogether, those
//! of the functions called there included. Computed when a function or side is first asked about.

use crate::callees::Callees;
use crate::{FunctionId, Program, SideId};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

/// What hangs on each side.
#[derive(Debug, Default)]
pub struct Control {
    /// By function: the immediate post-dominator of each block; the number of blocks stands for the exit.
    after: Vec<Option<Box<[u32]>>>,
    /// By function, by block: who is called.
    calls: Vec<Vec<(u32, FunctionId)>>,
    weights: FxHashMap<SideId, u32>,
}

impl Control {
    pub fn new(program: &Program) -> Control {
        let callees = Callees::new(program);
        let calls = crate::callees::functions(program).map(|(unit, _, function)| {
            let numbered = function.blocks.iter().enumerate();
            let all = numbered.flat_map(|(number, block)| block.calls.iter().map(move |call| (number as u32, call)));
            all.flat_map(|(number, call)| callees.of(unit, call).into_iter().map(move |f| (number, f))).collect()
        });
        Control { after: vec![None; program.function_count()], calls: calls.collect(), weights: FxHashMap::default() }
    }

    /// The blocks of its function that are control-dependent on a side: those that run for certain once it is taken,
    /// and need not run otherwise.
    pub fn dependent(&mut self, program: &Program, side: SideId) -> Vec<u32> {
        let Some(target) = program.successor(side) else { return vec![] };
        let (_, decided) = program.side(side);
        self.stretch(program, program.function_of(side), decided.block, target)
    }

    /// The blocks on the post-dominator tree from the end of an edge up to where the edge's begin goes anyway.
    fn stretch(&mut self, program: &Program, function: FunctionId, from: u32, to: u32) -> Vec<u32> {
        let after = self.after[function.index()].get_or_insert_with(|| post_dominators(program, function));
        let exit = after.len() as u32;
        let stop = after[from as usize];
        let mut found = vec![];
        let mut at = to;
        while at != stop && at != exit {
            found.push(at);
            at = after[at as usize];
        }
        found
    }

    /// How many blocks hang on a side, directly or through the decisions among them, with those of functions that are
    /// called there. Each block counts once.
    pub fn weight(&mut self, program: &Program, side: SideId) -> u32 {
        if let Some(&known) = self.weights.get(&side) {
            return known;
        }
        let home = program.function_of(side);
        let mut work = self.dependent(program, side);
        let mut seen: FxHashSet<u32> = work.iter().copied().collect();
        let mut called = vec![];
        while let Some(block) = work.pop() {
            called.extend(self.called_in(home, block));
            let (_, model) = program.function(home);
            let next = &model.blocks[block as usize].successors;
            if next.len() > 1 {
                for &to in next {
                    let more = self.stretch(program, home, block, to);
                    work.extend(more.into_iter().filter(|&block| seen.insert(block)));
                }
            }
        }
        let mut count = seen.len() as u32;
        let mut entered: FxHashSet<FunctionId> = FxHashSet::default();
        while let Some(function) = called.pop() {
            if function != home && entered.insert(function) {
                count += program.function(function).1.blocks.len() as u32;
                called.extend(self.calls[function.index()].iter().map(|&(_, callee)| callee));
            }
        }
        self.weights.insert(side, count);
        count
    }

    fn called_in(&self, function: FunctionId, block: u32) -> impl Iterator<Item = FunctionId> + '_ {
        let all = &self.calls[function.index()];
        let begin = all.partition_point(|&(number, _)| number < block);
        all[begin..].iter().take_while(move |&&(number, _)| number == block).map(|&(_, callee)| callee)
    }
}

/// Immediate post-dominators. Blocks that can never leave the function are given a way to its exit, one for each loop
/// they are caught in, so that every block has one.
fn post_dominators(program: &Program, function: FunctionId) -> Box<[u32]> {
    let (_, model) = program.function(function);
    let blocks = model.blocks.len();
    let node = |number: usize| NodeIndex::new(number);
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(blocks + 1, 2 * blocks);
    for _ in 0..=blocks {
        graph.add_node(());
    }
    let mut before = vec![vec![]; blocks];
    for (number, block) in model.blocks.iter().enumerate() {
        for &next in &block.successors {
            graph.add_edge(node(next as usize), node(number), ());
            before[next as usize].push(number);
        }
    }
    let mut leaves = vec![false; blocks];
    let mut let_out = |from: usize, leaves: &mut Vec<bool>| {
        graph.add_edge(node(blocks), node(from), ());
        let mut work = vec![from];
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut leaves[at], true) {
                work.extend(before[at].iter().copied());
            }
        }
    };
    for (number, block) in model.blocks.iter().enumerate() {
        if block.successors.is_empty() {
            let_out(number, &mut leaves);
        }
    }
    for number in (0..blocks).rev() {
        if !leaves[number] {
            let_out(number, &mut leaves);
        }
    }
    let tree = simple_fast(&graph, node(blocks));
    let after = |number: usize| tree.immediate_dominator(node(number)).map_or(blocks, NodeIndex::index) as u32;
    (0..blocks).map(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::{Sketch, blocks};
    use proptest::prelude::*;

    #[test]
    fn nested_blocks_hang_on_the_outer_side() {
        let mut sketch = Sketch::new();
        // 0: if → 1 (else 5).  1: if → 2 or 3, both to 4.  4 calls g.  Then 5.
        let mut main = blocks(&[&[1, 5], &[2, 3], &[4], &[4], &[5], &[]]);
        main[4].1.push("g");
        sketch.function("main", &main);
        sketch.function("g", &blocks(&[&[1, 2], &[], &[]]));
        let program = sketch.program();
        let mut control = Control::new(&program);
        let mut sorted = |side: u32| {
            let mut all = control.dependent(&program, SideId(side));
            all.sort_unstable();
            all
        };
        assert_eq!(sorted(0), [1, 4], "what runs for certain");
        assert_eq!(sorted(1), [0u32; 0]);
        assert_eq!(sorted(2), [2]);
        assert_eq!(control.weight(&program, SideId(0)), 4 + 3, "blocks 1 to 4, and all of g");
        assert_eq!(control.weight(&program, SideId(2)), 1);
        assert_eq!(control.weight(&program, SideId(1)), 0);
    }

    #[test]
    fn a_loop_hangs_on_its_own_test() {
        let mut sketch = Sketch::new();
        sketch.function("f", &blocks(&[&[1], &[2, 3], &[1], &[]]));
        let program = sketch.program();
        let mut control = Control::new(&program);
        let mut all = control.dependent(&program, SideId(0));
        all.sort_unstable();
        assert_eq!(all, [1, 2], "another turn runs the body and the test again");
    }

    #[test]
    fn an_endless_loop_is_no_obstacle() {
        let mut sketch = Sketch::new();
        sketch.function("f", &blocks(&[&[1, 3], &[2], &[1], &[]]));
        let program = sketch.program();
        let mut control = Control::new(&program);
        assert_eq!(control.weight(&program, SideId(0)), 2);
        assert_eq!(control.weight(&program, SideId(1)), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// The definition, where every block can leave: b depends on the edge (a, t) when every way from t to an exit
        /// passes b, and some way from a to an exit does not (a itself not counted).
        #[test]
        fn equal_to_the_definition(shape in prop::collection::vec((0u32..9, 0u32..9, 0u8..4), 1..9)) {
            let n = shape.len();
            let all: Vec<(Vec<u32>, Vec<&str>)> = shape.iter().map(|&(x, y, kind)| {
                (match kind { 0 => vec![], 1 => vec![x % n as u32], _ => vec![x % n as u32, y % n as u32] }, vec![])
            }).collect();
            let mut sketch = Sketch::new();
            sketch.function("f", &all);
            let program = sketch.program();
            // Whether an end can be reached from a block without passing another one.
            let leaves = |from: u32, without: u32, first: bool| {
                let (mut seen, mut work) = (vec![false; n], vec![(from, first)]);
                while let Some((at, first)) = work.pop() {
                    if (at == without && !first) || std::mem::replace(&mut seen[at as usize], true) { continue }
                    if all[at as usize].0.is_empty() { return true }
                    work.extend(all[at as usize].0.iter().map(|&next| (next, false)));
                }
                false
            };
            prop_assume!((0..n as u32).all(|at| leaves(at, u32::MAX, false)));
            let mut control = Control::new(&program);
            for side in (0..program.side_count() as u32).map(SideId) {
                let (_, decided) = program.side(side);
                let (a, t) = (decided.block, program.successor(side).unwrap());
                let mut found = control.dependent(&program, side);
                found.sort_unstable();
                let want: Vec<u32> = (0..n as u32).filter(|&b| !leaves(t, b, false) && leaves(a, b, true)).collect();
                prop_assert_eq!(found, want, "{:?}", side);
            }
        }
    }
}
