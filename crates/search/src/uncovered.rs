//! Chooses flips for coverage: sides whose source side no run has taken come first, the one on which most hangs before
//! others, then those from which such a side
//! is near in the program, then those that runs take rarely; what was tried often in vain steps back. Open sides are grouped by what they
//! would take, an outcome of a site, so a choice looks at the program's outcomes and not at the
//! whole frontier. Never runs random inputs by itself, except the first.

use crate::strategy::{Outcome, Rng, Step, Strategy, View, below};
use rustc_hash::{FxHashMap, FxHasher};
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use symcrete_program::{Control, Distances, NOWHERE, Point, SideId, SiteId};
use symcrete_tree::{Kind, NodeId, OpenSide};

/// All open sides that would take one outcome of one site.
struct Target {
    site: SiteId,
    outcome: u32,
    kind: Kind,
    /// How often the site was passed before, when the target was first seen.
    rounds: u32,
    /// Oldest first; closed ones are taken out when met.
    sides: Vec<OpenSide>,
    /// Flips since one last brought coverage.
    vain: u32,
    /// The source side that its outcome is, if it is one.
    source: Option<SideId>,
    /// Where that leads.
    ahead: Option<Point>,
    /// How little hangs on its source side, between 0 and 1.
    light: f64,
    /// How often runs took it when that was last asked, and what that counts.
    common: Cell<(u32, f64)>,
}

impl Target {
    /// Whether a side is left. Closed ones behind the last open one are taken out.
    fn has_open(&mut self, view: &View<'_>) -> bool {
        while self.sides.last().is_some_and(|&side| !view.tree.is_open(side)) {
            self.sides.pop();
        }
        !self.sides.is_empty()
    }

    /// What it counts that runs took it so often already.
    fn common(&self, taken: u32) -> f64 {
        if self.common.get().0 != taken {
            self.common.set((taken, 0.25 * (f64::from(taken) + 1.0).log2()));
        }
        self.common.get().1
    }
}

/// How far behind an uncovered side a covered one starts, in vain flips.
const COVERED: f64 = 8.0;
/// … and at least, when only few decisions lie between it and an uncovered one.
const NEAR: f64 = 2.0;
/// How fast an uncovered side steps back that flips from other ways to it did not take either, in vain flips for each
/// doubling of them.
const ELSEWHERE: f64 = 0.5;
/// Blocks of the program, as a power of two, from which on more of them hanging on a side make no difference.
const HEAVY: f64 = 16.0;
/// An address is flipped for another value only when little else is promising.
const ADDRESS: f64 = 24.0;

/// What a decision on the way to a place counts, and at most all of them, in vain flips.
const DECISION: f64 = 0.5;
const FARTHEST: f64 = 32.0;

#[derive(Default)]
pub struct Uncovered {
    targets: Vec<Target>,
    index: FxHashMap<(SiteId, u32, u64), usize>,
    seen: u32,
    /// With how many sides were covered when they were computed.
    distances: Option<(Distances, usize)>,
    /// They are to one place, whatever is covered: the nearer to it the better.
    one_place: bool,
    control: Option<Control>,
    /// Flips for an outcome of a site in vain, from wherever.
    vain: FxHashMap<(SiteId, u32), u32>,
}

/// Decisions right before a site that tell one way to it from another.
const CONTEXT: usize = 2;
/// How far back, and how far, a site's own earlier decisions are counted.
const WINDOW: usize = 48;
const ROUNDS: u32 = 24;

/// How the path came to a node: the last decisions before it, and how often the same site was passed lately.
/// A side that is long covered may lead on from here and not from elsewhere: the next letter of a keyword, one
/// more round of a loop, one more level of nesting.
fn context(view: &View<'_>, node: NodeId) -> (u64, u32) {
    let mut hasher = FxHasher::default();
    let site = view.tree.site(node);
    let mut rounds = 0;
    let before = std::iter::successors(view.tree.parent(node), |side| view.tree.parent(side.node));
    for (distance, side) in before.take(WINDOW).enumerate() {
        let here = view.tree.site(side.node);
        if distance < CONTEXT {
            (here, side.side).hash(&mut hasher);
        }
        rounds += u32::from(here == site);
    }
    // Six rounds are told apart, then four at a time: longer loops repeat themselves.
    let rounds = rounds.min(ROUNDS);
    let bucket = if rounds <= 6 { rounds } else { 6 + (rounds - 3) / 4 };
    bucket.hash(&mut hasher);
    (hasher.finish(), rounds)
}

impl Uncovered {
    /// Not for coverage, but towards the place that distances are to.
    pub fn toward(distances: Distances) -> Uncovered {
        Uncovered { distances: Some((distances, 0)), one_place: true, ..Uncovered::default() }
    }

    fn add(&mut self, view: &View<'_>, side: OpenSide) {
        let kind = view.tree.kind(side.node);
        let site = view.tree.site(side.node);
        let (context, rounds) = context(view, side.node);
        let source = view.program.side_of(site, side.side as usize);
        let graph = self.distances.as_ref().map(|(distances, _)| distances.graph());
        let ahead = source.zip(graph).and_then(|(source, graph)| graph.target(view.program, source));
        let place = *self.index.entry((site, side.side, context)).or_insert_with(|| {
            let control = self.control.get_or_insert_with(|| Control::new(view.program));
            let hanging = source.map_or(0, |source| control.weight(view.program, source));
            let light = 1.0 - (f64::from(hanging) + 1.0).log2().min(HEAVY) / HEAVY;
            let (outcome, sides) = (side.side, vec![]);
            let common = Cell::new((0, 0.0));
            self.targets.push(Target { site, outcome, kind, rounds, sides, vain: 0, source, ahead, light, common });
            self.targets.len() - 1
        });
        self.targets[place].sides.push(side);
    }

    fn catch_up(&mut self, view: &View<'_>) {
        for id in self.seen..view.tree.len() as u32 {
            for side in view.tree.open_sides(NodeId(id)) {
                self.add(view, side);
            }
        }
        self.seen = view.tree.len() as u32;
    }

    /// Distances for what is covered now.
    fn measure(&mut self, view: &View<'_>) {
        if self.one_place {
            return;
        }
        let count = view.covered.sides().len();
        let (distances, counted) = self.distances.get_or_insert_with(|| (Distances::new(view.program), 0));
        if *counted != count {
            distances.update(|side| view.covered.is_covered(side));
            *counted = count;
        }
    }

    /// The lower the sooner.
    fn rank(&self, view: &View<'_>, target: &Target) -> f64 {
        let taken = view.visits.taken(target.site, target.outcome);
        let covered = match target.source {
            Some(side) => view.covered.is_covered(side),
            None => taken > 0,
        };
        let base = match target.kind {
            // The run was void: nothing else can be learnt before the assumption holds.
            Kind::Assume => return target.vain as f64 - 1.0,
            Kind::Address => ADDRESS,
            _ if self.one_place => self.way_left(target) + target.common(taken) + 0.25 * f64::from(target.rounds),
            // Short ways first: what a loop does differently it mostly does in its first rounds.
            _ if covered => self.far(target) + target.common(taken) + 0.25 * f64::from(target.rounds),
            // On which most hangs first; what could not be had elsewhere later.
            _ => {
                let elsewhere =
                    self.vain.get(&(target.site, target.outcome)).map_or(0, |vain| vain - target.vain.min(*vain));
                target.light + ELSEWHERE * (f64::from(elsewhere) + 1.0).log2()
            }
        };
        base + target.vain as f64
    }

    /// How far behind a side the place is that all distances are to.
    fn way_left(&self, target: &Target) -> f64 {
        let left = self.distances.as_ref().zip(target.ahead).map(|((distances, _), point)| distances.from(point));
        match left {
            None | Some(NOWHERE) => FARTHEST,
            Some(decisions) => (DECISION * f64::from(decisions)).min(FARTHEST),
        }
    }

    /// How little a covered side promises by what lies behind it.
    fn far(&self, target: &Target) -> f64 {
        let Some((distances, _)) = &self.distances else { return COVERED };
        match target.ahead.map(|point| distances.from(point)) {
            None | Some(NOWHERE) => COVERED,
            Some(decisions) => NEAR + (COVERED - NEAR) * (1.0 - 4.0 / (4.0 + f64::from(decisions))),
        }
    }

    /// The best target that still has an open side, ties by chance.
    fn best(&mut self, view: &View<'_>, rng: &mut Rng) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        let mut ties = 0;
        for place in 0..self.targets.len() {
            if self.targets[place].sides.is_empty() {
                continue;
            }
            let rank = self.rank(view, &self.targets[place]);
            // Whether sides are open is asked of few: the tree is large.
            if best.is_some_and(|(least, _)| rank > least) || !self.targets[place].has_open(view) {
                continue;
            }
            match best {
                Some((least, _)) if rank == least => {
                    ties += 1;
                    if below(rng, ties) == 0 {
                        best = Some((rank, place));
                    }
                }
                _ => {
                    best = Some((rank, place));
                    ties = 1;
                }
            }
        }
        best.map(|(_, place)| place)
    }

    /// The newest side of a target half of the time, else any.
    fn pick(&mut self, view: &View<'_>, place: usize, rng: &mut Rng) -> OpenSide {
        let sides = &mut self.targets[place].sides;
        if below(rng, 2) == 1 {
            while sides.len() > 1 {
                let at = below(rng, sides.len());
                if view.tree.is_open(sides[at]) {
                    return sides[at];
                }
                sides.swap_remove(at);
            }
        }
        sides[sides.len() - 1]
    }
}

impl Strategy for Uncovered {
    fn name(&self) -> &'static str {
        "uncovered"
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step {
        if view.tree.paths() == 0 {
            return Step::RunRandom { runs: 1 };
        }
        self.measure(view);
        self.catch_up(view);
        let mut best = self.best(view, rng);
        if best.is_none() && !view.frontier.is_empty() {
            // Sides that were given up and opened again are with no target.
            for side in view.frontier.iter() {
                self.add(view, side);
            }
            best = self.best(view, rng);
        }
        match best {
            Some(place) => Step::Flip(self.pick(view, place, rng)),
            None => Step::Exhausted,
        }
    }

    fn done(&mut self, view: &View<'_>, step: &Step, outcome: &Outcome) {
        if let Step::Flip(side) = step
            && let Some(&place) = self.index.get(&(view.tree.site(side.node), side.side, context(view, side.node).0))
        {
            let target = &mut self.targets[place];
            let elsewhere = self.vain.entry((target.site, target.outcome)).or_insert(0);
            if outcome.gain > 0 {
                (target.vain, *elsewhere) = (0, 0);
            } else {
                target.vain = target.vain.saturating_add(1);
                *elsewhere = elsewhere.saturating_add(1);
            }
        }
    }
}
