//! `carfast`: of the open sides that no run has covered, the one on which most blocks of the program hang; when there
//! is none, a random input.

use crate::strategy::{Rng, Step, Strategy, View, below};
use symcrete_program::{Control, SideId};
use symcrete_tree::{NodeId, OpenSide};

#[derive(Default)]
pub(crate) struct Carfast {
    control: Option<Control>,
    /// Open sides by the source side they would cover, and what hangs on it.
    wanted: Vec<Wanted>,
    seen: u32,
    /// How many sides had been opened again by then.
    reopened: u64,
}

struct Wanted {
    side: SideId,
    weight: u32,
    open: Vec<OpenSide>,
}

impl Carfast {
    fn add(&mut self, view: &View<'_>, side: OpenSide) {
        let Some(source) = view.program.side_of(view.tree.site(side.node), side.side as usize) else { return };
        if view.covered.is_covered(source) {
            return;
        }
        match self.wanted.iter_mut().find(|wanted| wanted.side == source) {
            Some(wanted) => wanted.open.push(side),
            None => {
                let control = self.control.get_or_insert_with(|| Control::new(view.program));
                let weight = control.weight(view.program, source);
                self.wanted.push(Wanted { side: source, weight, open: vec![side] });
            }
        }
    }

    fn best(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<OpenSide> {
        self.wanted.retain(|wanted| !view.covered.is_covered(wanted.side));
        loop {
            let most = self.wanted.iter().map(|wanted| wanted.weight).max()?;
            let ties: Vec<usize> = (0..self.wanted.len()).filter(|&at| self.wanted[at].weight == most).collect();
            let at = ties[below(rng, ties.len())];
            match self.wanted[at].draw(view, rng) {
                None => drop(self.wanted.remove(at)),
                way => return way,
            }
        }
    }
}

impl Wanted {
    /// One of the ways that are still open. Closed ones are forgotten as they are met: there are thousands of them.
    fn draw(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<OpenSide> {
        while !self.open.is_empty() {
            let at = below(rng, self.open.len());
            if view.tree.is_open(self.open[at]) {
                return Some(self.open[at]);
            }
            self.open.swap_remove(at);
        }
        None
    }
}

impl Strategy for Carfast {
    fn name(&self) -> &'static str {
        "carfast"
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        for node in (self.seen..view.tree.len() as u32).map(NodeId) {
            for side in view.tree.open_sides(node) {
                self.add(view, side);
            }
        }
        self.seen = view.tree.len() as u32;
        let mut best = self.best(view, rng);
        if best.is_none() && view.tree.reopened() > self.reopened {
            self.reopened = view.tree.reopened();
            for side in view.frontier.iter() {
                self.add(view, side);
            }
            best = self.best(view, rng);
        }
        best.map_or_else(|| view.restart(), Step::Flip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use crate::tests::{World, three};
    use symcrete_program::sketch::{Sketch, blocks};

    #[test]
    fn the_side_on_which_most_hangs_then_random_inputs() {
        let mut sketch = Sketch::new();
        // True sides: one block behind the first, three behind the second, two behind the third.
        let shape = blocks(&[&[1, 4], &[2, 5], &[3, 8], &[], &[1], &[6], &[7], &[2], &[9], &[3]]);
        sketch.function("main", &shape);
        let mut world = World::of(sketch.program(), three);
        world.run(0, None);
        let (mut strategy, mut rng) = (Carfast::default(), seeded(2));
        for _ in 0..4 {
            world.step(&mut strategy, &mut rng, &mut |_| 0);
        }
        let sites: Vec<Option<u32>> = world
            .log
            .iter()
            .map(|step| match step {
                Step::Flip(side) => Some(world.tree.site(side.node).0),
                _ => None,
            })
            .collect();
        assert_eq!(sites, [Some(1), Some(2), Some(0), None]);
        assert!(!world.tree.frontier().is_empty(), "open sides that cover nothing are not flipped");
    }
}
