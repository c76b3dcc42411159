//! A chain as a program model, so that strategies find in it what they look for in real programs: a function with a
//! decision wherever a state has two ways.
//!
//! Each state is two blocks. Between them lies the one side that counts as coverage: the state is covered when it was
//! passed. The ways to other states are sides too, which carry their costs and do not count.

use crate::chain::Chain;
use symcrete_program::{Block, Function, Location, Program, Side, SideId, SideKind, Site, SiteId, SiteKind, Unit};

/// The program of a chain, and where its states and edges are in it.
#[derive(Debug)]
pub struct Modelled {
    pub program: Program,
    /// By state: the first side of its ways; they are numbered on from there.
    first_way: Vec<u32>,
    /// By state: its site, if it is a decision.
    site: Vec<Option<SiteId>>,
    /// By side: what passing it adds to the cost of a path.
    pub cost: Vec<f64>,
    /// By side: how likely it is.
    pub probability: Vec<f64>,
    /// By state: the ways that lead to it.
    pub ways_to: Vec<Vec<SideId>>,
    /// By site: its state.
    state_of_site: Vec<usize>,
}

impl Modelled {
    pub fn new(chain: &Chain) -> Modelled {
        let n = chain.len() as u32;
        // The kind of a side that the compiler planted: it exists, and does not count as coverage.
        let side = |kind: SideKind, block: u32, decision: u32| Side {
            kind,
            function: 0,
            block,
            location: Location::default(),
            decision,
            folded: false,
        };
        let mut unit = Unit { files: vec!["chain".into()], ..Unit::default() };
        let mut blocks = vec![];
        for state in 0..n {
            unit.sides.push(side(SideKind::Default, 2 * state, state));
        }
        let mut modelled = Modelled {
            program: Program::default(),
            first_way: vec![],
            site: vec![],
            cost: vec![0.0; n as usize],
            probability: vec![1.0; n as usize],
            ways_to: vec![vec![]; n as usize],
            state_of_site: vec![],
        };
        for (state, edges) in chain.states.iter().enumerate() {
            let enter = 2 * state as u32;
            blocks.push(Block { successors: vec![enter + 1], sides: vec![Some(state as u32)], ..Block::default() });
            let first = unit.sides.len() as u32;
            modelled.first_way.push(first);
            let ways: Vec<Option<u32>> = (0..edges.len() as u32).map(|way| Some(first + way)).collect();
            for (way, edge) in edges.iter().enumerate() {
                let kind = if way == 0 { SideKind::CheckFails } else { SideKind::CheckHolds };
                unit.sides.push(side(kind, enter + 1, first));
                modelled.cost.push(edge.cost);
                modelled.probability.push(edge.probability);
                if let Some(to) = edge.to {
                    modelled.ways_to[to as usize].push(SideId(first + way as u32));
                }
            }
            modelled.site.push((edges.len() > 1).then(|| {
                let kind = match edges.len() {
                    2 => SiteKind::Branch,
                    ways => SiteKind::Switch { width: 32, cases: (0..ways as u128 - 1).collect() },
                };
                unit.sites.push(Site { kind, function: 0, location: Location::default(), sides: ways.clone() });
                modelled.state_of_site.push(state);
                SiteId(unit.sites.len() as u32 - 1)
            }));
            let successors = edges.iter().map(|edge| 2 * edge.to.unwrap_or(n)).collect();
            blocks.push(Block { successors, sides: ways, ..Block::default() });
        }
        blocks.push(Block::default());
        let sides = 0..unit.sides.len() as u32;
        unit.functions.push(Function::of_blocks("main", blocks, sides));
        modelled.program.push(unit);
        modelled
    }

    /// The side that is covered with a state.
    pub fn state(&self, state: usize) -> SideId {
        SideId(state as u32)
    }

    /// The side of a way out of a state.
    pub fn way(&self, state: usize, edge: usize) -> SideId {
        SideId(self.first_way[state] + edge as u32)
    }

    pub fn site(&self, state: usize) -> Option<SiteId> {
        self.site[state]
    }

    pub fn state_of(&self, site: SiteId) -> usize {
        self.state_of_site[site.index()]
    }
}
