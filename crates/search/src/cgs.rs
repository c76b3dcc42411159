//! `cgs`: walks the tree breadth first and flips a branch only where its `k`-context, the way to it, is new; what a walk
//! skips gets another chance in the next one, with contexts one branch longer.

use crate::contexts::{Branch, Contexts};
use crate::options::Options;
use crate::strategy::{Rng, Step, Strategy, View, below};
use rustc_hash::FxHashSet;
use symcrete_tree::{Kind, NodeId, OpenSide, SideState};

pub(crate) struct Cgs {
    contexts: Contexts,
    fixed: bool,
    k: u32,
    cache: FxHashSet<Box<[Branch]>>,
    /// Nodes that had open sides when they came, by depth.
    by_depth: Vec<Vec<NodeId>>,
    seen: u32,
    /// The depth being walked, and what is left of it in random order.
    depth: usize,
    blist: Vec<NodeId>,
    /// A selected node with several open sides is flipped to each.
    flips: Vec<OpenSide>,
    /// Whether this walk has selected anything, and whether any context it saw had the full length.
    selected: bool,
    full_length: bool,
}

impl Cgs {
    pub fn new(options: &Options) -> Cgs {
        Cgs {
            contexts: Contexts::new(options.cgs_dominators),
            fixed: options.cgs_k.is_some(),
            k: options.cgs_k.unwrap_or(1).max(1),
            cache: FxHashSet::default(),
            by_depth: vec![],
            seen: 0,
            depth: 0,
            blist: vec![],
            flips: vec![],
            selected: false,
            full_length: false,
        }
    }

    fn catch_up(&mut self, view: &View<'_>) {
        for node in (self.seen..view.tree.len() as u32).map(NodeId) {
            if view.tree.open_sides(node).next().is_some() {
                self.put(view, node);
            }
        }
        self.seen = view.tree.len() as u32;
    }

    fn put(&mut self, view: &View<'_>, node: NodeId) {
        let depth = view.tree.depth(node) as usize;
        if self.by_depth.len() <= depth {
            self.by_depth.resize_with(depth + 1, Vec::new);
        }
        self.by_depth[depth].push(node);
    }

    /// The next side to flip in this walk; none when the walk has reached the end of the tree.
    fn walk(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<OpenSide> {
        loop {
            while let Some(side) = self.flips.pop() {
                if view.tree.is_open(side) {
                    return Some(side);
                }
            }
            if self.blist.is_empty() && !self.next_depth(view) {
                return None;
            }
            let at = below(rng, self.blist.len().max(1));
            if at < self.blist.len() {
                let node = self.blist.swap_remove(at);
                self.examine(view, node);
            }
        }
    }

    fn next_depth(&mut self, view: &View<'_>) -> bool {
        while self.depth < self.by_depth.len() {
            let here = &mut self.by_depth[self.depth];
            here.retain(|&node| view.tree.open_sides(node).next().is_some());
            self.depth += 1;
            if !here.is_empty() {
                self.blist = here.clone();
                return true;
            }
        }
        false
    }

    fn examine(&mut self, view: &View<'_>, node: NodeId) {
        if view.tree.open_sides(node).next().is_none() {
            return;
        }
        // Without the assumption the run is void: no context makes that wait.
        let is_new = view.tree.kind(node) == Kind::Assume || {
            let taken =
                (0..view.tree.side_count(node)).find(|&side| matches!(view.tree.side(node, side), SideState::Taken(_)));
            let context = self.contexts.of(view, OpenSide { node, side: taken.unwrap_or(0) }, self.k);
            self.full_length |= context.len() as u32 == self.k;
            self.cache.insert(context.into_boxed_slice())
        };
        if is_new {
            self.selected = true;
            self.flips.extend(view.tree.open_sides(node));
        }
    }

    /// Back to the root, with longer contexts; those of a fixed length grow only when they have nothing to say any
    /// more. False when that cannot bring anything either.
    fn again(&mut self) -> bool {
        let may_bring = self.selected || self.full_length;
        self.k += u32::from(!self.fixed || !self.selected);
        self.depth = 0;
        self.selected = false;
        self.full_length = false;
        may_bring
    }
}

impl Strategy for Cgs {
    fn name(&self) -> &'static str {
        "cgs"
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        self.catch_up(view);
        if view.frontier.is_empty() {
            return view.restart();
        }
        loop {
            if let Some(side) = self.walk(view, rng) {
                return Step::Flip(side);
            }
            if !self.again() {
                break;
            }
        }
        // Every context is known, and longer ones say no more. What is still open came there by the same ways; sides
        // that the solver gave up on and that were opened again are among it.
        Step::Flip(view.frontier.get(below(rng, view.frontier.len())))
    }

    fn needs_full_path(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use crate::tests::{World, three};
    use symcrete_program::sketch::{Sketch, blocks};

    fn flips(world: &mut World, options: &Options, steps: usize) -> Vec<(u32, u32)> {
        let (mut strategy, mut rng) = (Cgs::new(options), seeded(3));
        for _ in 0..steps {
            if !world.step(&mut strategy, &mut rng, &mut |_| 0) {
                break;
            }
        }
        let flips = world.log.iter().filter_map(|step| match step {
            Step::Flip(side) => Some((world.tree.depth(side.node), side.side)),
            _ => None,
        });
        flips.collect()
    }

    #[test]
    fn each_branch_once_then_each_in_new_contexts() {
        let mut world = World::new(three);
        world.run(0, None);
        let all = flips(&mut world, &Options::default(), 100);
        // k = 1: breadth first, each false branch once (bits 0, 1, 2); on the way the true branches of bits 1 and 2
        // are not met, their sides have been taken by then or come from paths made by these flips.
        assert_eq!(all[..3], [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(all.len(), 7, "in the end every path");
        assert!(world.tree.exhausted().is_ok());
    }

    /// A loop of bits at one site: at k = 1 it is flipped once, at k = 2 again behind other ways to it.
    #[test]
    fn a_loop_is_flipped_once_for_each_context() {
        let mut world = World::new(|bits| (bits.len() < 4).then_some(bits.len() as u32));
        world.site = |_| 0;
        world.run(0, None);
        let all = flips(&mut world, &Options::default(), 3);
        // Contexts: (f); then, in the path t f f f, (f) is known: the walk ends. k = 2: (f, f) at depth 1.
        assert_eq!(all[0], (0, 1));
        assert_eq!(all[1].0, 1, "{all:?}");
    }

    #[test]
    fn a_fixed_length_begins_with_it() {
        let mut world = World::new(|bits| (bits.len() < 4).then_some(bits.len() as u32));
        world.site = |_| 0;
        world.run(0, None);
        let all = flips(&mut world, &Options { cgs_k: Some(5), ..Options::default() }, 2);
        assert_eq!(all, [(0, 1), (1, 1)], "(f), then (f, f) at once");
    }

    /// 0: first test, joins in 2; 2 → 3 → 4 nested: the last lies behind two dominating sides.
    fn nested() -> World {
        let mut sketch = Sketch::new();
        sketch.function("main", &blocks(&[&[1, 2], &[2], &[5, 3], &[5, 4], &[5, 6], &[], &[5]]));
        World::of(sketch.program(), |bits| match bits {
            [] => Some(0),
            [_] => Some(1),
            [_, (1, true)] => Some(2),
            [_, (1, true), (2, true)] => Some(3),
            _ => None,
        })
    }

    #[test]
    fn dominating_branches_are_no_context() {
        let mut world = nested();
        // Two ways to the innermost test, which differ in the first decision only.
        world.run(0b0110, None);
        world.run(0b0111, None);
        let cost = symcrete_tree::UnitCost(1.0);
        let view = View::new(&world.tree, &world.program, &world.covered, &world.visits, &cost);
        let inner: Vec<NodeId> =
            (0..world.tree.len() as u32).map(NodeId).filter(|&n| world.tree.depth(n) == 3).collect();
        let context =
            |without: bool, node: NodeId, k: u32| Contexts::new(without).of(&view, OpenSide { node, side: 0 }, k);
        assert_ne!(context(true, inner[0], 2), context(true, inner[1], 2), "two branches tell them apart");
        assert_eq!(context(true, inner[0], 2), [6, 0], "its own, and the one that does not dominate");
        assert_eq!(context(false, inner[0], 3), context(false, inner[1], 3), "with dominators three do not");
        assert_ne!(context(false, inner[0], 4), context(false, inner[1], 4));
    }
}
