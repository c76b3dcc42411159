//! How many decisions lie between a point of the program and the nearest decision with an uncovered side.

use crate::icfg::{Icfg, Point};
use crate::{Program, SideId};
use std::collections::VecDeque;

/// No uncovered side can be reached from here.
pub const NOWHERE: u32 = u32::MAX;

/// Distances over the graph, valid for the coverage they were computed for.
#[derive(Debug)]
pub struct Distances {
    graph: Icfg,
    by_point: Vec<u32>,
}

impl Distances {
    /// For a program of which nothing is covered yet.
    pub fn new(program: &Program) -> Distances {
        let graph = Icfg::new(program);
        let by_point = vec![NOWHERE; graph.len()];
        let mut distances = Distances { graph, by_point };
        distances.update(program, |_| false);
        distances
    }

    /// Computes all distances anew; `covered` says which sides count as covered.
    pub fn update(&mut self, program: &Program, covered: impl Fn(SideId) -> bool) {
        self.by_point.fill(NOWHERE);
        let mut queue = VecDeque::new();
        for (side, _, _) in program.counted_sides().filter(|&(side, _, _)| !covered(side)) {
            let Some(decision) = self.graph.decision(program, side) else { continue };
            self.by_point[decision.index()] = 0;
            queue.push_back((0, decision));
        }
        while let Some((distance, point)) = queue.pop_front() {
            if self.by_point[point.index()] < distance {
                continue;
            }
            for way in self.graph.ways_in(point) {
                let there = distance + u32::from(way.decides);
                let known = &mut self.by_point[way.other.index()];
                if there < *known {
                    *known = there;
                    if way.decides { queue.push_back((there, way.other)) } else { queue.push_front((there, way.other)) }
                }
            }
        }
    }

    /// Decisions to pass behind a point before one with an uncovered side is met.
    pub fn from(&self, point: Point) -> u32 {
        self.by_point[point.index()]
    }

    /// The same behind a side; `None` where the model does not say where it leads.
    pub fn behind(&self, program: &Program, side: SideId) -> Option<u32> {
        self.graph.target(program, side).map(|point| self.from(point))
    }

    pub fn graph(&self) -> &Icfg {
        &self.graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Body, Call, Function, Linkage, Location, Side, SideKind, Unit};

    /// Blocks as (successors, callees); every block with two successors has a pair of sides.
    fn function(unit: &mut Unit, name: &str, blocks: &[(&[u32], &[&str])]) {
        let number = unit.functions.len() as u32;
        let first_side = unit.sides.len() as u32;
        let blocks = blocks.iter().enumerate().map(|(at, (successors, callees))| {
            let mut block = Block { successors: successors.to_vec(), ..Block::default() };
            block.calls = callees.iter().map(|&name| Call::Direct(name.into())).collect();
            if successors.len() == 2 {
                let decision = unit.sides.len() as u32;
                block.sides = vec![Some(decision), Some(decision + 1)];
                for kind in [SideKind::True, SideKind::False] {
                    let location = Location::default();
                    unit.sides.push(Side {
                        kind,
                        function: number,
                        block: at as u32,
                        location,
                        decision,
                        folded: false,
                    });
                }
            }
            block
        });
        let blocks = blocks.collect();
        unit.functions.push(Function {
            name: name.into(),
            source_name: name.into(),
            linkage: Linkage::External,
            body: Body::Tracked,
            location: Location::default(),
            hash: 0,
            address_taken: false,
            parameters: vec![],
            blocks,
            first_side,
            side_count: unit.sides.len() as u32 - first_side,
        });
    }

    /// main: 0 decides to 1 or 2; 1 calls `check` and then decides to 3 or 4; 2 ends. check: decides, ends either way.
    fn program() -> Program {
        let mut unit = Unit { files: vec!["a.c".into()], ..Unit::default() };
        let main: &[(&[u32], &[&str])] = &[(&[1, 2], &[]), (&[3, 4], &["check"]), (&[], &[]), (&[], &[]), (&[], &[])];
        function(&mut unit, "main", main);
        function(&mut unit, "check", &[(&[1, 2], &[]), (&[], &[]), (&[], &[])]);
        let mut program = Program::default();
        program.push(unit);
        program
    }

    #[test]
    fn decisions_are_counted_through_calls_and_returns() {
        let program = program();
        let mut distances = Distances::new(&program);
        let behind = |distances: &Distances, side: u32| distances.behind(&program, SideId(side)).unwrap();
        // Nothing covered: right behind main's first side there is a decision with an uncovered side.
        assert_eq!(behind(&distances, 0), 0);
        // The end of main leads nowhere.
        assert_eq!(behind(&distances, 1), NOWHERE);
        // Only main's second decision (sides 2 and 3) is uncovered: past the call it is met at once …
        distances.update(&program, |side| side != SideId(2));
        assert_eq!(behind(&distances, 0), 0);
        // … and from inside `check` after returning.
        assert_eq!(behind(&distances, 4), 0);
        // Only `check` has one: it is met by calling it.
        distances.update(&program, |side| side != SideId(5));
        assert_eq!(behind(&distances, 0), 0);
        assert_eq!(behind(&distances, 2), NOWHERE);
        // All covered.
        distances.update(&program, |_| true);
        assert_eq!(behind(&distances, 0), NOWHERE);
    }

    #[test]
    fn each_decision_on_the_way_counts() {
        let mut unit = Unit { files: vec!["a.c".into()], ..Unit::default() };
        // A chain of four decisions, each with a way out.
        let blocks: Vec<(Vec<u32>, &[&str])> =
            (0..4).map(|at| (vec![at + 1, 5], &[][..])).chain([(vec![], &[][..]), (vec![], &[][..])]).collect();
        let blocks: Vec<(&[u32], &[&str])> = blocks.iter().map(|(next, calls)| (&next[..], *calls)).collect();
        function(&mut unit, "main", &blocks);
        let mut program = Program::default();
        program.push(unit);
        let mut distances = Distances::new(&program);
        distances.update(&program, |side| side != SideId(6));
        let all: Vec<_> = (0..4).map(|decision| distances.behind(&program, SideId(2 * decision))).collect();
        assert_eq!(all, [Some(2), Some(1), Some(0), Some(NOWHERE)]);
    }
}
