//! The control-flow graph of the whole program, calls and returns included, as the early blocks have it.
//!
//! Each block is two points: before its calls and after them. A call leads to the callee's entry, the callee's ends
//! lead to its one exit and from there behind the call, and there is a way past the call as well, for callees that are
//! not known. Calls through pointers of one type share a point on the way in and one on the way out, so the graph
//! stays as large as the program. Returns are not matched with their calls: paths here may be more than the program
//! has, never fewer among known functions. Which function a pointer really led to can be added once a run showed it.

use crate::callees::{Callees, functions, parameters};
use crate::{Call, FunctionId, Program, SideId};
use rustc_hash::FxHashMap;

/// A point of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(pub(crate) u32);

impl Point {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The end of the block that this point is the beginning of.
    pub(crate) fn end(self) -> Point {
        Point(self.0 | 1)
    }
}

/// A way from one point to another; `decides` when a condition or switch is passed on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub other: Point,
    pub decides: bool,
}

#[derive(Debug)]
pub struct Icfg {
    /// First block of each function, by function id; one more at the end.
    first_block: Vec<u32>,
    ways_in: Ways,
    ways_out: Ways,
    /// Calls through pointers that runs showed and types did not.
    observed: FxHashMap<Point, Vec<FunctionId>>,
}

/// Ways by point, in one array, and those added later.
#[derive(Debug, Default)]
struct Ways {
    all: Vec<Way>,
    begin: Vec<u32>,
    later: FxHashMap<Point, Vec<Way>>,
}

impl Ways {
    fn new(points: usize, ways: impl Iterator<Item = (Point, Way)> + Clone) -> Ways {
        let mut begin = vec![0u32; points + 1];
        for (at, _) in ways.clone() {
            begin[at.index() + 1] += 1;
        }
        for at in 0..points {
            begin[at + 1] += begin[at];
        }
        let mut next = begin.clone();
        let mut all = vec![Way { other: Point(0), decides: false }; begin[points] as usize];
        for (at, way) in ways {
            let place = &mut next[at.index()];
            all[*place as usize] = way;
            *place += 1;
        }
        Ways { all, begin, later: FxHashMap::default() }
    }

    fn of(&self, point: Point) -> impl Iterator<Item = Way> + '_ {
        let at = point.index();
        let first = &self.all[self.begin[at] as usize..self.begin[at + 1] as usize];
        let later = if self.later.is_empty() { None } else { self.later.get(&point) };
        first.iter().chain(later.into_iter().flatten()).copied()
    }
}

impl Icfg {
    pub fn new(program: &Program) -> Icfg {
        let mut first_block = vec![];
        let mut blocks = 0;
        for (_, _, function) in functions(program) {
            first_block.push(blocks);
            blocks += function.blocks.len() as u32;
        }
        first_block.push(blocks);
        let mut graph =
            Icfg { first_block, ways_in: Ways::default(), ways_out: Ways::default(), observed: FxHashMap::default() };
        let (points, ways) = graph.ways(program);
        let one = |other: Point, decides: bool| Way { other, decides };
        graph.ways_in = Ways::new(points, ways.iter().map(|&(from, to, decides)| (to, one(from, decides))));
        graph.ways_out = Ways::new(points, ways.iter().map(|&(from, to, decides)| (from, one(to, decides))));
        graph
    }

    /// How many points there are, and all ways as (from, to, decides).
    fn ways(&self, program: &Program) -> (usize, Vec<(Point, Point, bool)>) {
        let callees = Callees::new(program);
        let mut points = 2 * self.first_block[program.function_count()] + program.function_count() as u32;
        let mut hubs: FxHashMap<&str, Option<(Point, Point)>> = FxHashMap::default();
        let mut ways = vec![];
        for (unit, id, function) in functions(program) {
            for (number, block) in function.blocks.iter().enumerate() {
                let begin = self.block(id, number as u32);
                let end = begin.end();
                ways.push((begin, end, false));
                for call in &block.calls {
                    match call {
                        Call::Direct(name) => {
                            for callee in callees.named(unit, name) {
                                self.call(callee, begin, end, &mut ways);
                            }
                        }
                        Call::Indirect(ty) => {
                            let hub = *hubs.entry(parameters(ty).unwrap_or("")).or_insert_with(|| {
                                let all = callees.of_type(ty);
                                let hub = (Point(points), Point(points + 1));
                                points += 2 * u32::from(!all.is_empty());
                                all.iter().for_each(|&callee| self.call(callee, hub.0, hub.1, &mut ways));
                                (!all.is_empty()).then_some(hub)
                            });
                            if let Some((into, back)) = hub {
                                ways.extend([(begin, into, false), (back, end, false)]);
                            }
                        }
                    }
                }
                let decides = block.successors.len() > 1;
                ways.extend(block.successors.iter().map(|&next| (end, self.block(id, next), decides)));
                if block.successors.is_empty() {
                    ways.push((end, self.exit(id), false));
                }
            }
        }
        (points as usize, ways)
    }

    fn call(&self, callee: FunctionId, from: Point, back: Point, ways: &mut Vec<(Point, Point, bool)>) {
        if self.has_body(callee) {
            ways.extend([(from, self.block(callee, 0), false), (self.exit(callee), back, false)]);
        }
    }

    fn has_body(&self, function: FunctionId) -> bool {
        self.first_block[function.index()] != self.first_block[function.index() + 1]
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.ways_in.begin.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The beginning of a block of a function.
    pub(crate) fn block(&self, function: FunctionId, number: u32) -> Point {
        Point(2 * (self.first_block[function.index()] + number))
    }

    /// Where all ends of a function meet.
    fn exit(&self, function: FunctionId) -> Point {
        let blocks = self.first_block[self.first_block.len() - 1];
        Point(2 * blocks + function.0)
    }

    /// Where a side leads; `None` where the model does not say.
    pub fn target(&self, program: &Program, side: SideId) -> Option<Point> {
        let (unit, decided) = program.side(side);
        let block = program.successor(side)?;
        Some(self.block(program.function_id(unit, decided.function), block))
    }

    /// The end of the block that decides about a side; `None` where the model does not have it.
    pub fn decision(&self, program: &Program, side: SideId) -> Option<Point> {
        let (unit, decided) = program.side(side);
        program.unit(unit).functions.get(decided.function as usize)?.blocks.get(decided.block as usize)?;
        Some(self.block(program.function_id(unit, decided.function), decided.block).end())
    }

    pub fn ways_in(&self, point: Point) -> impl Iterator<Item = Way> + '_ {
        self.ways_in.of(point)
    }

    pub fn ways_out(&self, point: Point) -> impl Iterator<Item = Way> + '_ {
        self.ways_out.of(point)
    }

    /// A run was in `caller`, had taken `after` there last (nothing yet: it came from the entry), and entered
    /// `callee` next. If a call through a pointer on that stretch can be the reason and its type does not say so,
    /// ways are added; they are returned as (from, to).
    pub fn observe(
        &mut self,
        program: &Program,
        caller: FunctionId,
        after: Option<SideId>,
        callee: FunctionId,
    ) -> Vec<(Point, Point)> {
        let mut added = vec![];
        if !self.has_body(callee) || !self.has_body(caller) {
            return added;
        }
        let (_, function) = program.function(caller);
        let (_, called) = program.function(callee);
        let mut number = match after {
            None => 0,
            Some(side) => match program.successor(side) {
                Some(number) if program.function_of(side) == caller => number,
                _ => return added,
            },
        };
        let types: Vec<&str> = called.parameters.iter().map(|p| p.ty.as_str()).collect();
        let types = types.join(", ");
        // The stretch is straight: its blocks follow each other without a decision.
        for _ in 0..function.blocks.len() {
            let block = &function.blocks[number as usize];
            let through = |call: &Call| matches!(call, Call::Indirect(ty) if !called.address_taken || parameters(ty) != Some(&types));
            // A call by name explains the entry as well as one through a pointer does.
            let named = block.calls.iter().any(|call| matches!(call, Call::Direct(name) if *name == called.name));
            if named {
                return added;
            }
            if block.calls.iter().any(through) {
                let from = self.block(caller, number);
                let seen = self.observed.entry(from).or_default();
                if !seen.contains(&callee) {
                    seen.push(callee);
                    added.extend([(from, self.block(callee, 0)), (self.exit(callee), from.end())]);
                }
            }
            match block.successors[..] {
                [next] => number = next,
                _ => break,
            }
        }
        for &(from, to) in &added {
            self.ways_out.later.entry(from).or_default().push(Way { other: to, decides: false });
            self.ways_in.later.entry(to).or_default().push(Way { other: from, decides: false });
        }
        added
    }
}
