//! `rss`: any open side of the tree, all of them equally likely.

use crate::strategy::{Rng, Step, Strategy, View, below};

#[derive(Default)]
pub(crate) struct Rss;

impl Strategy for Rss {
    fn name(&self) -> &'static str {
        "rss"
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        match view.frontier.len() {
            0 => view.restart(),
            open => Step::Flip(view.frontier.get(below(rng, open))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use crate::tests::{World, three};

    #[test]
    fn every_open_side_is_as_likely() {
        let mut world = World::new(three);
        world.run(0b000, None);
        world.run(0b001, None);
        assert_eq!(world.tree.frontier().len(), 4);
        let mut counts = std::collections::BTreeMap::new();
        let mut rng = seeded(5);
        for _ in 0..4000 {
            let Step::Flip(side) = world.ask(&mut Rss, &mut rng) else { panic!("something is open") };
            *counts.entry(side).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 4);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
