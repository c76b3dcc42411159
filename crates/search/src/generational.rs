//! `generational`: flip every open side of a path beyond the one that made it, run the children,
//! and expand next the child that ran most blocks for the first time (ties: random).

use crate::strategy::{Ended, Outcome, Rng, Step, Strategy, View, below};
use rustc_hash::FxHashMap;
use symcrete_program::{Reached, SideId};
use symcrete_tree::{Leaf, OpenSide};

/// A path waiting to be expanded.
#[derive(Clone, Copy)]
struct Parent {
    leaf: Leaf,
    /// Decisions before this depth were its own parent's to flip.
    bound: u32,
    gain: u32,
}

#[derive(Default)]
pub(crate) struct Generational {
    parents: Vec<Parent>,
    /// What is left to flip of the path being expanded, in reverse.
    flips: Vec<OpenSide>,
    /// Paths of the tree below this number are known.
    seen: usize,
    /// Bound and gain of paths as their flips were reported.
    told: FxHashMap<Leaf, (u32, u32)>,
    blocks: Reached,
    /// How many sides were covered when blocks were last counted.
    counted: usize,
}

impl Generational {
    fn catch_up(&mut self, view: &View<'_>) {
        for &leaf in &view.tree.leaves()[self.seen..] {
            let (bound, gain) = self.told.remove(&leaf).unwrap_or((0, 0));
            self.parents.push(Parent { leaf, bound, gain });
        }
        self.seen = view.tree.leaves().len();
    }

    /// Blocks that ran for the first time since this was last asked. Where the model has no blocks, sides count.
    fn new_blocks(&mut self, view: &View<'_>, sides: u32) -> u32 {
        let covered = view.covered.sides();
        if covered.len() == self.counted {
            return 0;
        }
        self.counted = covered.len();
        let blocks = covered.iter().map(|side| self.blocks.take(view.program, SideId(side as u32))).sum();
        if view.program.function_count() == 0 { sides } else { blocks }
    }

    fn best(&mut self, rng: &mut Rng) -> Option<Parent> {
        let most = self.parents.iter().map(|parent| parent.gain).max()?;
        let ties: Vec<usize> = (0..self.parents.len()).filter(|&place| self.parents[place].gain == most).collect();
        Some(self.parents.swap_remove(ties[below(rng, ties.len())]))
    }

    fn expand(&mut self, view: &View<'_>, parent: Parent) {
        let upwards = view.tree.upwards(parent.leaf.node);
        for node in upwards.take_while(|&node| view.tree.depth(node) >= parent.bound) {
            self.flips.extend(view.tree.open_sides(node));
        }
    }
}

impl Strategy for Generational {
    fn name(&self) -> &'static str {
        "generational"
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        if view.tree.paths() == 0 {
            return Step::RunRandom { runs: 1 };
        }
        self.catch_up(view);
        loop {
            while let Some(side) = self.flips.pop() {
                if view.tree.is_open(side) {
                    return Step::Flip(side);
                }
            }
            match self.best(rng) {
                Some(parent) => self.expand(view, parent),
                None => break,
            }
        }
        // All generations are done; what is open now was opened again later.
        match view.frontier.len() {
            0 => view.restart(),
            open => Step::Flip(view.frontier.get(below(rng, open))),
        }
    }

    fn done(&mut self, view: &View<'_>, step: &Step, outcome: &Outcome) {
        let blocks = self.new_blocks(view, outcome.gain);
        let Some(leaf) = outcome.leaf else { return };
        let bound = match (step, outcome.ended) {
            (Step::Flip(side), Ended::Ran) => view.tree.depth(side.node) + 1,
            // A path nobody predicted is a generation of its own.
            _ => 0,
        };
        self.told.insert(leaf, (bound, blocks));
    }
}
