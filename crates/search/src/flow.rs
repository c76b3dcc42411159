//! The program as a chain of locations: blocks, and between them the sides of decisions. What greedy and savings reckon
//! with: where runs may go, how likely, and what has to be covered. Calls are not followed into and out of: a block that
//! calls has the callee's entry beside it, and whoever adds up rewards adds those of one activation.
//!
//! Nodes are numbered so that what a node leads to or calls mostly comes before it: loops and recursion are the
//! exceptions. The nodes of a loop have numbers in a row.

use rustc_hash::FxHashMap;
use std::ops::Range;
use symcrete_program::{Block, Call, Callees, Program, SideId};

/// A location: a block or a side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

pub(crate) const NONE: u32 = u32::MAX;

/// Lists by node, in one array.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    begin: Vec<u32>,
    pub all: Vec<u32>,
}

impl Lists {
    fn new(count: usize, pairs: &[(u32, u32)]) -> Lists {
        let mut begin = vec![0u32; count + 1];
        pairs.iter().for_each(|&(at, _)| begin[at as usize + 1] += 1);
        (0..count).for_each(|at| begin[at + 1] += begin[at]);
        let mut next = begin.clone();
        let mut all = vec![0; pairs.len()];
        for &(at, other) in pairs {
            all[next[at as usize] as usize] = other;
            next[at as usize] += 1;
        }
        Lists { begin, all }
    }

    /// Places of a node's list in `all`.
    pub fn range(&self, node: usize) -> Range<usize> {
        self.begin[node] as usize..self.begin[node + 1] as usize
    }

    pub fn of(&self, node: usize) -> &[u32] {
        &self.all[self.range(node)]
    }
}

#[derive(Debug)]
pub struct Flow {
    /// Where a node leads, in the order of the block's successors.
    pub(crate) after: Lists,
    pub(crate) before: Lists,
    /// Entries of the functions a block calls, and blocks that call an entry. All calls through pointers of one type
    /// go through a node of their own, so the graph stays as large as the program.
    pub(crate) calls: Lists,
    /// Beside the calls: how often each is made of those that share a place.
    pub(crate) shares: Vec<f64>,
    pub(crate) callers: Lists,
    node_of_side: Vec<u32>,
    side_of_node: Vec<u32>,
    /// Sides that count as coverage.
    pub(crate) goals: Vec<bool>,
    entry: u32,
    /// By node: the entry of its function.
    pub(crate) home: Vec<u32>,
    /// Entries of functions that are called, callers' before those of what they call where that is possible.
    pub(crate) called: Vec<u32>,
    /// Loops: nodes of one function that lead to each other.
    pub(crate) loops: Vec<Range<u32>>,
    /// By node: its place in `loops`, if it is in one.
    pub(crate) loop_of: Vec<u32>,
}

/// Names of functions at which a run begins.
const ENTRIES: [&str; 2] = ["LLVMFuzzerTestOneInput", "main"];

/// Before nodes have their numbers: blocks first, then sides.
struct Draft {
    first_block: Vec<u32>,
    edges: Vec<Vec<u32>>,
    calls: Vec<Vec<(u32, f64)>>,
    side: Vec<u32>,
    /// The first node of what a node belongs to.
    home: Vec<u32>,
}

impl Flow {
    pub fn new(program: &Program) -> Flow {
        let draft = Draft::new(program);
        let (order, entry) = draft.order(program);
        let (order, loops) = draft.with_loops_in_a_row(order);
        let mut number = vec![NONE; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| number[old as usize] = new as u32);
        let count = order.len();
        let new = |old: u32| number[old as usize];
        let turned = |pairs: &[(u32, u32)]| pairs.iter().map(|&(a, b)| (b, a)).collect::<Vec<_>>();
        let mut after: Vec<(u32, u32)> = vec![];
        let mut calls: Vec<(u32, u32)> = vec![];
        let mut shares = vec![];
        for &old in &order {
            after.extend(draft.edges[old as usize].iter().map(|&to| (new(old), new(to))));
            calls.extend(draft.calls[old as usize].iter().map(|&(to, _)| (new(old), new(to))));
            shares.extend(draft.calls[old as usize].iter().map(|&(_, share)| share));
        }
        let mut node_of_side = vec![NONE; program.side_count()];
        let mut side_of_node = vec![NONE; count];
        for (new, &old) in order.iter().enumerate() {
            let side = draft.side[old as usize];
            side_of_node[new] = side;
            if side != NONE {
                node_of_side[side as usize] = new as u32;
            }
        }
        let mut goals = vec![false; count];
        for (side, _, decided) in program.counted_sides() {
            if node_of_side[side.index()] != NONE && !decided.folded {
                goals[node_of_side[side.index()] as usize] = true;
            }
        }
        let home = order.iter().map(|&old| new(draft.home[old as usize])).collect();
        let mut called: Vec<u32> = calls.iter().map(|&(_, entry)| entry).collect();
        called.sort_unstable_by(|a, b| b.cmp(a));
        called.dedup();
        let mut loop_of = vec![NONE; count];
        for (number, range) in loops.iter().enumerate() {
            loop_of[range.start as usize..range.end as usize].fill(number as u32);
        }
        Flow {
            after: Lists::new(count, &after),
            before: Lists::new(count, &turned(&after)),
            calls: Lists::new(count, &calls),
            callers: Lists::new(count, &turned(&calls)),
            shares,
            node_of_side,
            side_of_node,
            goals,
            entry: number.get(entry as usize).copied().unwrap_or(0),
            home,
            called,
            loops,
            loop_of,
        }
    }

    pub fn len(&self) -> usize {
        self.side_of_node.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn entry(&self) -> NodeId {
        NodeId(self.entry)
    }

    /// Where a side is; none where the model does not have it.
    pub fn node(&self, side: SideId) -> Option<NodeId> {
        self.node_of_side.get(side.index()).copied().filter(|&node| node != NONE).map(NodeId)
    }

    /// The side that a node is, if it is one.
    pub fn side(&self, node: NodeId) -> Option<SideId> {
        Some(self.side_of_node[node.index()]).filter(|&side| side != NONE).map(SideId)
    }

    /// Whether the ways out of a node are the sides of a decision.
    pub(crate) fn decides(&self, node: usize) -> bool {
        self.after.range(node).len() > 1
    }

    /// The decision a side belongs to.
    pub(crate) fn decision(&self, side: NodeId) -> Option<usize> {
        self.before.of(side.index()).first().map(|&node| node as usize).filter(|&node| self.decides(node))
    }
}

impl Draft {
    fn new(program: &Program) -> Draft {
        let mut first_block = vec![];
        let mut home = vec![];
        for (_, unit) in program.units() {
            for function in &unit.functions {
                let first = home.len() as u32;
                first_block.push(first);
                home.extend(function.blocks.iter().map(|_| first));
            }
        }
        let blocks = home.len();
        let (edges, calls) = (vec![vec![]; blocks], vec![vec![]; blocks]);
        let mut draft = Draft { first_block, edges, calls, side: vec![NONE; blocks], home };
        let callees = Callees::new(program);
        let mut pointers = FxHashMap::default();
        for (id, unit) in program.units() {
            for (local, function) in unit.functions.iter().enumerate() {
                let first = draft.first_block[program.function_id(id, local as u32).index()];
                for (at, block) in function.blocks.iter().enumerate() {
                    let node = first as usize + at;
                    draft.add_ways(node, first, block, |local| program.side_id(id, local).0);
                    for call in &block.calls {
                        let entries = match call {
                            Call::Direct(name) => draft.entries(program, &callees.named(id, name)),
                            Call::Indirect(ty) => {
                                let shared = *pointers.entry(ty.as_str()).or_insert_with(|| {
                                    let entries = draft.entries(program, callees.of_type(ty));
                                    draft.push(None, vec![], entries)
                                });
                                vec![(shared, 1.0)]
                            }
                        };
                        draft.calls[node].extend(entries);
                    }
                }
            }
        }
        draft
    }

    /// One of these functions is called, each as often as the others.
    fn entries(&self, program: &Program, functions: &[symcrete_program::FunctionId]) -> Vec<(u32, f64)> {
        let entries: Vec<u32> = functions
            .iter()
            .filter(|&&function| !program.function(function).1.blocks.is_empty())
            .map(|function| self.first_block[function.index()])
            .collect();
        entries.iter().map(|&entry| (entry, 1.0 / entries.len() as f64)).collect()
    }

    /// A node that is no block; without a place of its own it is its own.
    fn push(&mut self, home: Option<u32>, edges: Vec<u32>, calls: Vec<(u32, f64)>) -> u32 {
        let node = self.edges.len() as u32;
        self.edges.push(edges);
        self.calls.push(calls);
        self.side.push(NONE);
        self.home.push(home.unwrap_or(node));
        node
    }

    fn add_ways(&mut self, node: usize, first: u32, block: &Block, global: impl Fn(u32) -> u32) {
        for (way, &next) in block.successors.iter().enumerate() {
            let target = first + next;
            let way = match block.sides.get(way).copied().flatten() {
                None => target,
                Some(side) => {
                    let between = self.push(Some(self.home[node]), vec![target], vec![]);
                    self.side[between as usize] = global(side);
                    between
                }
            };
            self.edges[node].push(way);
        }
    }

    /// All nodes, those a node leads to and calls before it where that is possible; and the program's entry.
    fn order(&self, program: &Program) -> (Vec<u32>, u32) {
        let mut functions: FxHashMap<&str, u32> = FxHashMap::default();
        for (id, unit) in program.units() {
            for (local, function) in unit.functions.iter().enumerate().filter(|(_, f)| !f.blocks.is_empty()) {
                let node = self.first_block[program.function_id(id, local as u32).index()];
                functions.entry(&function.name).or_insert(node);
            }
        }
        let entry = ENTRIES.iter().find_map(|name| functions.get(name).copied()).unwrap_or(0);
        let mut seen = vec![false; self.edges.len()];
        let mut order = Vec::with_capacity(self.edges.len());
        for root in std::iter::once(entry).chain(0..self.edges.len() as u32) {
            if root as usize >= self.edges.len() || std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            let mut stack = vec![(root, 0)];
            while let Some((node, next)) = stack.last_mut() {
                let (calls, edges) = (&self.calls[*node as usize], &self.edges[*node as usize]);
                let called = calls.get(*next).map(|(entry, _)| *entry);
                match called.or_else(|| edges.get(*next - calls.len()).copied()) {
                    Some(other) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[other as usize], true) {
                            stack.push((other, 0));
                        }
                    }
                    None => {
                        order.push(*node);
                        stack.pop();
                    }
                }
            }
        }
        (order, entry)
    }

    /// The same order with the nodes of each loop moved up to the one left last, and where loops are in it. The search
    /// leaves what a loop leads to before it leaves the loop, so nothing else changes; and whatever can be reached
    /// backwards from the node left last, of those that belong to no loop yet, is in its loop.
    fn with_loops_in_a_row(&self, order: Vec<u32>) -> (Vec<u32>, Vec<Range<u32>>) {
        let count = order.len();
        let pairs = |(from, to): (usize, &Vec<u32>)| to.iter().map(move |&to| (to, from as u32)).collect::<Vec<_>>();
        let before = Lists::new(count, &self.edges.iter().enumerate().flat_map(pairs).collect::<Vec<_>>());
        let mut place = vec![NONE; count];
        order.iter().enumerate().for_each(|(at, &node)| place[node as usize] = at as u32);
        let mut seen = vec![false; count];
        // From the end: loops one after the other, each with its last node first.
        let mut sequence = Vec::with_capacity(count);
        let mut loops = vec![];
        for &root in order.iter().rev() {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            let first = sequence.len();
            sequence.push(root);
            let mut next = first;
            while next < sequence.len() {
                for &other in before.of(sequence[next] as usize) {
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        sequence.push(other);
                    }
                }
                next += 1;
            }
            if sequence.len() > first + 1 || self.edges[root as usize].contains(&root) {
                sequence[first..].sort_unstable_by_key(|&node| std::cmp::Reverse(place[node as usize]));
                loops.push((count - sequence.len()) as u32..(count - first) as u32);
            }
        }
        sequence.reverse();
        loops.reverse();
        (sequence, loops)
    }
}
