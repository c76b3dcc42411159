//! The control-flow graph of the whole program, calls and returns included, as the early blocks have it.
//!
//! Each block is two nodes: before its calls and after them. A call leads to the callee's entry, the callee's ends lead
//! behind the call, and there is a way past the call as well, for callees that are not known. Returns are not matched
//! with their calls: paths here may be more than the program has, never fewer among known functions.

use crate::{Call, Function, Program, SideId, UnitId};
use std::collections::HashMap;
use symcrete_abi::libc_models::PREFIX;

/// A point of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(u32);

impl Point {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The end of the block that this point is the beginning of.
    fn end(self) -> Point {
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
    /// Ways into each point, in one array.
    ways_in: Vec<Way>,
    ways_in_begin: Vec<u32>,
}

/// What optimisers make of calls of the C library when an argument is known: other calls of it.
const SIMPLIFIED: [(&str, &[&str]); 5] = [
    ("strcmp", &["memcmp", "bcmp"]),
    ("strncmp", &["memcmp", "bcmp"]),
    ("memcmp", &["bcmp"]),
    ("strchr", &["memchr"]),
    ("strstr", &["strncmp", "memcmp", "strchr"]),
];

/// Who can be called.
struct Callees<'a> {
    /// Functions that other units see.
    external: HashMap<&'a str, u32>,
    internal: HashMap<(UnitId, &'a str), u32>,
    /// Functions whose address is taken, by the types of their parameters.
    by_parameters: HashMap<String, Vec<u32>>,
}

impl<'a> Callees<'a> {
    fn new(program: &'a Program) -> Callees<'a> {
        let mut callees = Callees { external: HashMap::new(), internal: HashMap::new(), by_parameters: HashMap::new() };
        for (unit, id, function) in functions(program) {
            if function.linkage == crate::Linkage::Internal {
                callees.internal.insert((unit, &function.name), id);
            } else {
                callees.external.entry(&function.name).or_insert(id);
            }
            if function.address_taken {
                let types: Vec<&str> = function.parameters.iter().map(|p| p.ty.as_str()).collect();
                callees.by_parameters.entry(types.join(", ")).or_default().push(id);
            }
        }
        callees
    }

    fn of(&self, unit: UnitId, call: &Call) -> Vec<u32> {
        match call {
            Call::Direct(name) => {
                let here = self.internal.get(&(unit, name.as_str()));
                let own = here.or_else(|| self.external.get(name.as_str()));
                let others = SIMPLIFIED.iter().find(|(from, _)| from == name).map_or(&[][..], |(_, to)| to);
                let model = |name: &str| self.external.get(format!("{PREFIX}{name}").as_str()).copied();
                match own {
                    Some(&own) => vec![own],
                    None => model(name).into_iter().chain(others.iter().filter_map(|&name| model(name))).collect(),
                }
            }
            Call::Indirect(ty) => {
                let parameters =
                    ty.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map(|(inside, _)| inside);
                parameters.and_then(|types| self.by_parameters.get(types)).cloned().unwrap_or_default()
            }
        }
    }
}

fn functions(program: &Program) -> impl Iterator<Item = (UnitId, u32, &Function)> {
    program.units().flat_map(move |(id, unit)| {
        unit.functions.iter().enumerate().map(move |(local, f)| (id, program.function_id(id, local as u32).0, f))
    })
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
        let mut graph = Icfg { first_block, ways_in: vec![], ways_in_begin: vec![] };
        graph.set_ways(2 * blocks as usize, &graph.ways(program));
        graph
    }

    /// All ways, as (from, to, decides).
    fn ways(&self, program: &Program) -> Vec<(Point, Point, bool)> {
        let callees = Callees::new(program);
        let mut ways = vec![];
        for (unit, id, function) in functions(program) {
            for (number, block) in function.blocks.iter().enumerate() {
                let begin = self.block(id, number as u32);
                let end = begin.end();
                ways.push((begin, end, false));
                for callee in block.calls.iter().flat_map(|call| callees.of(unit, call)) {
                    let (first, last) = (self.first_block[callee as usize], self.first_block[callee as usize + 1]);
                    if first == last {
                        continue;
                    }
                    ways.push((begin, self.block(callee, 0), false));
                    let (_, called) = program.function(crate::FunctionId(callee));
                    let ends = called.blocks.iter().enumerate().filter(|(_, block)| block.successors.is_empty());
                    ways.extend(ends.map(|(number, _)| (self.block(callee, number as u32).end(), end, false)));
                }
                let decides = block.successors.len() > 1;
                ways.extend(block.successors.iter().map(|&next| (end, self.block(id, next), decides)));
            }
        }
        ways
    }

    fn set_ways(&mut self, points: usize, ways: &[(Point, Point, bool)]) {
        let mut begin = vec![0u32; points + 1];
        for (_, to, _) in ways {
            begin[to.index() + 1] += 1;
        }
        for at in 0..points {
            begin[at + 1] += begin[at];
        }
        let mut next = begin.clone();
        self.ways_in = vec![Way { other: Point(0), decides: false }; ways.len()];
        for &(from, to, decides) in ways {
            let place = &mut next[to.index()];
            self.ways_in[*place as usize] = Way { other: from, decides };
            *place += 1;
        }
        self.ways_in_begin = begin;
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.ways_in_begin.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The beginning of a block of a function.
    fn block(&self, function: u32, number: u32) -> Point {
        Point(2 * (self.first_block[function as usize] + number))
    }

    /// Where a side leads; `None` where the model does not say.
    pub fn target(&self, program: &Program, side: SideId) -> Option<Point> {
        let (unit, decided) = program.side(side);
        let local = side.0 - program.side_id(unit, 0).0;
        let block = program.unit(unit).functions.get(decided.function as usize)?.blocks.get(decided.block as usize)?;
        let way = block.sides.iter().position(|&s| s == Some(local))?;
        Some(self.block(program.function_id(unit, decided.function).0, block.successors[way]))
    }

    /// The end of the block that decides about a side; `None` where the model does not have it.
    pub fn decision(&self, program: &Program, side: SideId) -> Option<Point> {
        let (unit, decided) = program.side(side);
        program.unit(unit).functions.get(decided.function as usize)?.blocks.get(decided.block as usize)?;
        Some(self.block(program.function_id(unit, decided.function).0, decided.block).end())
    }

    pub fn ways_in(&self, point: Point) -> &[Way] {
        let at = point.index();
        &self.ways_in[self.ways_in_begin[at] as usize..self.ways_in_begin[at + 1] as usize]
    }
}
