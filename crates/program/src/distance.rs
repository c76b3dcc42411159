//! How many decisions lie between a point of the program and the nearest decision with an uncovered side, kept up to
//! date as sides are covered: only points whose nearest one is gone are computed again.
//!
//! A distance is a pair, decisions and then steps, in one number. Steps make every way longer than nothing, so a point
//! never hangs on itself around a loop without decisions: what a covered side leaves behind can be told point by point.

use crate::icfg::{Icfg, Point};
use crate::{FunctionId, Program, SideId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No uncovered side can be reached from here.
pub const NOWHERE: u32 = u32::MAX;

const FAR: u64 = u64::MAX;
const DECISION: u64 = 1 << 32;

/// Distances over the graph, valid for the coverage they were computed for.
#[derive(Debug)]
pub struct Distances {
    graph: Icfg,
    by_point: Vec<u64>,
    /// Uncovered sides, and for each point how many of them it decides about.
    uncovered: Vec<(SideId, Point)>,
    sources: Vec<u32>,
    /// Scratch: points found to have lost their way.
    lost: Vec<bool>,
}

impl Distances {
    /// For a program of which nothing is covered yet.
    pub fn new(program: &Program) -> Distances {
        let graph = Icfg::new(program);
        let points = graph.len();
        let mut distances = Distances {
            by_point: vec![FAR; points],
            uncovered: vec![],
            sources: vec![0; points],
            lost: vec![false; points],
            graph,
        };
        let mut queue = BinaryHeap::new();
        // What the compiler has folded away cannot be reached: it attracts nobody.
        for (side, _, _) in program.counted_sides().filter(|(_, _, side)| !side.folded) {
            let Some(decision) = distances.graph.decision(program, side) else { continue };
            distances.uncovered.push((side, decision));
            distances.sources[decision.index()] += 1;
            if distances.by_point[decision.index()] != 0 {
                distances.by_point[decision.index()] = 0;
                queue.push(Reverse((0, decision)));
            }
        }
        distances.spread(queue);
        distances
    }

    /// How far it is to some blocks, on ways around others.
    pub fn toward(
        program: &Program,
        blocks: impl IntoIterator<Item = (FunctionId, u32)>,
        closed: impl IntoIterator<Item = (FunctionId, u32)>,
    ) -> Distances {
        let graph = Icfg::new(program);
        let points = graph.len();
        let (by_point, sources) = (vec![FAR; points], vec![0; points]);
        let mut distances = Distances { by_point, uncovered: vec![], sources, lost: vec![false; points], graph };
        let mut queue = BinaryHeap::new();
        for (function, block) in blocks {
            let point = distances.graph.block(function, block);
            distances.by_point[point.index()] = 0;
            queue.push(Reverse((0, point)));
        }
        // Nearer than anything, so that nothing leads through them while the rest is computed.
        let begins = closed.into_iter().map(|(function, block)| distances.graph.block(function, block));
        let closed: Vec<Point> = begins.flat_map(|begin| [begin, begin.end()]).collect();
        closed.iter().for_each(|point| distances.by_point[point.index()] = 0);
        distances.spread(queue);
        closed.iter().for_each(|point| distances.by_point[point.index()] = FAR);
        distances
    }

    /// Takes note of what is covered now. Sides never become uncovered again.
    pub fn update(&mut self, covered: impl Fn(SideId) -> bool) {
        let mut settled = vec![];
        let sources = &mut self.sources;
        self.uncovered.retain(|&(side, decision)| {
            if !covered(side) {
                return true;
            }
            let left = &mut sources[decision.index()];
            *left -= 1;
            if *left == 0 {
                settled.push(decision);
            }
            false
        });
        if !settled.is_empty() {
            self.withdraw(&settled);
        }
    }

    /// Points that are no sources any more: whoever was nearest to them looks for another.
    fn withdraw(&mut self, settled: &[Point]) {
        let mut suspects: BinaryHeap<Reverse<(u64, Point)>> =
            settled.iter().map(|&point| Reverse((0, point))).collect();
        let mut lost = vec![];
        // By ascending distance, so that whatever a point could rely on has been judged before it.
        while let Some(Reverse((distance, point))) = suspects.pop() {
            if self.lost[point.index()] || self.sources[point.index()] > 0 {
                continue;
            }
            let relies = |way: crate::Way| {
                let there = self.by_point[way.other.index()];
                !self.lost[way.other.index()] && there != FAR && there + length(way) == distance
            };
            if self.graph.ways_out(point).any(relies) {
                continue;
            }
            self.lost[point.index()] = true;
            lost.push(point);
            for way in self.graph.ways_in(point) {
                let there = self.by_point[way.other.index()];
                if there == distance + length(way) && !self.lost[way.other.index()] {
                    suspects.push(Reverse((there, way.other)));
                }
            }
        }
        let mut queue = BinaryHeap::new();
        for &point in &lost {
            let ways = self.graph.ways_out(point).filter(|way| !self.lost[way.other.index()]);
            let best = ways.map(|way| self.by_point[way.other.index()].saturating_add(length(way))).min();
            self.by_point[point.index()] = best.unwrap_or(FAR);
            if let Some(best) = best.filter(|&best| best != FAR) {
                queue.push(Reverse((best, point)));
            }
        }
        for point in lost {
            self.lost[point.index()] = false;
        }
        self.spread(queue);
    }

    /// From points whose distance has become known, backwards to all that come nearer by them.
    fn spread(&mut self, mut queue: BinaryHeap<Reverse<(u64, Point)>>) {
        while let Some(Reverse((distance, point))) = queue.pop() {
            if self.by_point[point.index()] < distance {
                continue;
            }
            for way in self.graph.ways_in(point) {
                let there = distance + length(way);
                let known = &mut self.by_point[way.other.index()];
                if there < *known {
                    *known = there;
                    queue.push(Reverse((there, way.other)));
                }
            }
        }
    }

    /// What a run showed about a call; see [`Icfg::observe`].
    pub fn observe(&mut self, program: &Program, caller: FunctionId, after: Option<SideId>, callee: FunctionId) {
        let mut queue = BinaryHeap::new();
        for (from, to) in self.graph.observe(program, caller, after, callee) {
            let there = self.by_point[to.index()].saturating_add(1);
            if there < self.by_point[from.index()] {
                self.by_point[from.index()] = there;
                queue.push(Reverse((there, from)));
            }
        }
        self.spread(queue);
    }

    /// Decisions to pass behind a point before one with an uncovered side is met.
    pub fn from(&self, point: Point) -> u32 {
        match self.by_point[point.index()] {
            FAR => NOWHERE,
            distance => (distance / DECISION) as u32,
        }
    }

    /// The same behind a side; `None` where the model does not say where it leads.
    pub fn behind(&self, program: &Program, side: SideId) -> Option<u32> {
        self.graph.target(program, side).map(|point| self.from(point))
    }

    pub fn graph(&self) -> &Icfg {
        &self.graph
    }
}

fn length(way: crate::Way) -> u64 {
    1 + if way.decides { DECISION } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::{Sketch, blocks};
    use proptest::prelude::*;

    /// main: 0 decides to 1 or 2; 1 calls `check` and then decides to 3 or 4; 2 ends. check: decides, ends either way.
    fn program() -> Program {
        let mut sketch = Sketch::new();
        let end = || (vec![], vec![]);
        sketch.function("main", &[(vec![1, 2], vec![]), (vec![3, 4], vec!["check"]), end(), end(), end()]);
        sketch.function("check", &blocks(&[&[1, 2], &[], &[]]));
        sketch.program()
    }

    fn all_but(program: &Program, uncovered: u32) -> Distances {
        let mut distances = Distances::new(program);
        distances.update(|side| side != SideId(uncovered));
        distances
    }

    #[test]
    fn decisions_are_counted_through_calls_and_returns() {
        let program = program();
        let distances = Distances::new(&program);
        let behind = |distances: &Distances, side: u32| distances.behind(&program, SideId(side)).unwrap();
        // Nothing covered: right behind main's first side there is a decision with an uncovered side.
        assert_eq!(behind(&distances, 0), 0);
        // The end of main leads nowhere.
        assert_eq!(behind(&distances, 1), NOWHERE);
        // Only main's second decision (sides 2 and 3) is uncovered: past the call it is met at once …
        let mut distances = all_but(&program, 2);
        assert_eq!(behind(&distances, 0), 0);
        // … and from inside `check` after returning.
        assert_eq!(behind(&distances, 4), 0);
        // All covered.
        distances.update(|_| true);
        assert_eq!(behind(&distances, 0), NOWHERE);
        // Only `check` has one: it is met by calling it.
        let distances = all_but(&program, 5);
        assert_eq!(behind(&distances, 0), 0);
        assert_eq!(behind(&distances, 2), NOWHERE);
    }

    #[test]
    fn each_decision_on_the_way_counts() {
        let mut sketch = Sketch::new();
        // A chain of four decisions, each with a way out.
        sketch.function("main", &blocks(&[&[1, 5], &[2, 5], &[3, 5], &[4, 5], &[], &[]]));
        let program = sketch.program();
        let distances = all_but(&program, 6);
        let all: Vec<_> = (0..4).map(|decision| distances.behind(&program, SideId(2 * decision))).collect();
        assert_eq!(all, [Some(2), Some(1), Some(0), Some(NOWHERE)]);
    }

    #[test]
    fn to_one_block_around_others() {
        let mut sketch = Sketch::new();
        // 0 decides to 1 or 2, both lead to 3, which decides to 4 or 5.
        sketch.function("main", &blocks(&[&[1, 2], &[3], &[3], &[4, 5], &[], &[]]));
        let program = sketch.program();
        let here = |block: u32| (FunctionId(0), block);
        let distances = Distances::toward(&program, [here(4)], []);
        let all = |distances: &Distances| {
            (0..4).map(|side| distances.behind(&program, SideId(side)).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(all(&distances), [1, 1, 0, NOWHERE]);
        let distances = Distances::toward(&program, [here(4)], [here(2)]);
        assert_eq!(all(&distances), [1, NOWHERE, 0, NOWHERE]);
    }

    #[test]
    fn calls_through_pointers_go_by_type_and_by_what_was_seen() {
        let build = |parameter: &str| {
            let mut sketch = Sketch::new();
            sketch.function(
                "main",
                &[(vec![1, 2], vec![]), (vec![3], vec!["[void (i32)]"]), (vec![], vec![]), (vec![], vec![])],
            );
            let callee = sketch.function("callee", &blocks(&[&[1, 2], &[], &[]]));
            callee.address_taken = true;
            callee.parameters.push(crate::Parameter { name: "x".into(), ty: parameter.into() });
            sketch.program()
        };
        let same = build("i32");
        assert_eq!(all_but(&same, 3).behind(&same, SideId(0)), Some(0), "the type fits");
        let other = build("i64");
        let mut distances = all_but(&other, 3);
        assert_eq!(distances.behind(&other, SideId(0)), Some(NOWHERE), "the type does not fit");
        distances.observe(&other, FunctionId(0), Some(SideId(1)), FunctionId(1));
        assert_eq!(distances.behind(&other, SideId(0)), Some(NOWHERE), "no call through a pointer there");
        distances.observe(&other, FunctionId(0), Some(SideId(0)), FunctionId(1));
        assert_eq!(distances.behind(&other, SideId(0)), Some(0), "a run showed it");
        // The way that was seen counts like any other when coverage goes on.
        distances.update(|_| true);
        assert_eq!(distances.behind(&other, SideId(0)), Some(NOWHERE));
    }

    /// Slow and simple: relax every way until nothing changes.
    fn by_relaxing(program: &Program, graph: &Icfg, covered: &dyn Fn(SideId) -> bool) -> Vec<u32> {
        let mut all = vec![NOWHERE; graph.len()];
        for (side, _, _) in program.counted_sides().filter(|(side, _, _)| !covered(*side)) {
            all[graph.decision(program, side).unwrap().index()] = 0;
        }
        loop {
            let mut changed = false;
            for at in 0..graph.len() {
                for way in graph.ways_out(Point(at as u32)) {
                    let there = all[way.other.index()].saturating_add(u32::from(way.decides));
                    if there < all[at] {
                        all[at] = there;
                        changed = true;
                    }
                }
            }
            if !changed {
                return all;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn updates_equal_computing_anew(
            shapes in prop::collection::vec(prop::collection::vec((0u32..12, 0u32..12, 0u8..4, 0usize..3), 1..12), 1..4),
            order in prop::collection::vec(0usize..64, 1..40),
        ) {
            let mut sketch = Sketch::new();
            let names = ["a", "b", "c"];
            for (number, shape) in shapes.iter().enumerate() {
                let n = shape.len() as u32;
                let all: Vec<(Vec<u32>, Vec<&str>)> = shape.iter().map(|&(x, y, kind, callee)| {
                    let next = match kind { 0 => vec![], 1 => vec![x % n], _ => vec![x % n, y % n] };
                    (next, if callee == number { vec!["[void (i32)]"] } else { vec![names[callee]] })
                }).collect();
                let function = sketch.function(names[number], &all);
                function.address_taken = number == 1;
                function.parameters = vec![crate::Parameter { name: String::new(), ty: "i32".into() }];
            }
            let program = sketch.program();
            let mut distances = Distances::new(&program);
            let mut covered = vec![false; program.side_count()];
            for step in order {
                if covered.is_empty() { break }
                let at = step % covered.len();
                covered[at] = true;
                // Some sides are covered together, as runs do.
                if step % 3 == 0 { covered[(at + 1) % program.side_count()] = true; }
                distances.update(|side| covered[side.index()]);
                let want = by_relaxing(&program, distances.graph(), &|side| covered[side.index()]);
                for (at, &distance) in want.iter().enumerate() {
                    prop_assert_eq!(distances.from(Point(at as u32)), distance);
                }
            }
        }
    }
}
