//! Programs drawn by hand: functions as lists of blocks, every decision with its sides and one site. For tests,
//! measurements and models that no compiler made; the pass never uses it.

use crate::{Block, Call, Function, Location, Program, Side, SideKind, Site, SiteKind, Unit};

/// One unit in the making.
#[derive(Debug)]
pub struct Sketch {
    unit: Unit,
}

impl Default for Sketch {
    fn default() -> Sketch {
        Sketch::new()
    }
}

impl Sketch {
    pub fn new() -> Sketch {
        Sketch { unit: Unit { files: vec!["a.c".into()], ..Unit::default() } }
    }

    /// A function from its blocks, each as (successors, callees); a callee in brackets is a type that is called
    /// through a pointer. A block with several successors decides: each successor has a side, in order, and outcome
    /// `n` of the decision's site is successor `n`. With two of them the first is the false one.
    pub fn function(&mut self, name: &str, blocks: &[(Vec<u32>, Vec<&str>)]) -> &mut Function {
        let number = self.unit.functions.len() as u32;
        let first_side = self.unit.sides.len() as u32;
        let mut all = vec![];
        for (at, (successors, callees)) in blocks.iter().enumerate() {
            let mut block = Block { successors: successors.clone(), ..Block::default() };
            block.calls = callees
                .iter()
                .map(|name| match name.strip_prefix('[').and_then(|n| n.strip_suffix(']')) {
                    Some(ty) => Call::Indirect(ty.into()),
                    None => Call::Direct(name.to_string()),
                })
                .collect();
            if successors.len() > 1 {
                block.sides = self.decision(number, at as u32, successors.len());
            }
            all.push(block);
        }
        let sides = first_side..self.unit.sides.len() as u32;
        self.unit.functions.push(Function::of_blocks(name, all, sides));
        self.unit.functions.last_mut().expect("just pushed")
    }

    fn decision(&mut self, function: u32, block: u32, ways: usize) -> Vec<Option<u32>> {
        let decision = self.unit.sides.len() as u32;
        let kinds = |way: usize| match (ways, way) {
            (2, 0) => SideKind::False,
            (2, _) => SideKind::True,
            (_, last) if last + 1 == ways => SideKind::Default,
            (_, case) => SideKind::Case(case as u128),
        };
        for way in 0..ways {
            let location = Location { file: 0, line: block + 1, column: 0 };
            self.unit.sides.push(Side { kind: kinds(way), function, block, location, decision, folded: false });
        }
        let sides: Vec<Option<u32>> = (0..ways as u32).map(|way| Some(decision + way)).collect();
        let kind = match ways {
            2 => SiteKind::Branch,
            _ => SiteKind::Switch { width: 32, cases: (0..ways as u128 - 1).collect() },
        };
        self.unit.sites.push(Site { kind, function, location: Location::default(), sides: sides.clone() });
        sides
    }

    /// The program of this one unit.
    pub fn program(self) -> Program {
        let mut program = Program::default();
        program.push(self.unit);
        program
    }
}

/// Blocks without calls.
pub fn blocks(successors: &[&[u32]]) -> Vec<(Vec<u32>, Vec<&'static str>)> {
    successors.iter().map(|next| (next.to_vec(), vec![])).collect()
}
