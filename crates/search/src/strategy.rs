//! The seam between search and the driver.

use rand_core::{RngCore, SeedableRng};
use symcrete_program::{Program, SideId};
use symcrete_tree::{Cost, Coverage, Frontier, Leaf, OpenSide, Tree, Visits};

/// The one generator of a campaign, seeded once and passed on.
pub type Rng = rand_pcg::Pcg64Mcg;

/// The generator of a seed.
pub fn seeded(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}

/// A number below `range`, which is not 0.
pub fn below(rng: &mut Rng, range: usize) -> usize {
    // The high half of a 128-bit product: unbiased to one part in 2^64 / range.
    ((rng.next_u64() as u128 * range as u128) >> 64) as usize
}

/// Every path can be solved for, observed or not: the laboratory, which knows the shape of its programs.
pub const ANYWHERE: u32 = u32::MAX;

/// What a strategy may look at.
pub struct View<'a> {
    pub tree: &'a Tree,
    pub frontier: &'a Frontier,
    pub program: &'a Program,
    pub covered: &'a Coverage,
    pub visits: &'a Visits,
    pub cost: &'a dyn Cost,
    /// Decisions that no run has shown after that prefix and that the driver can still put into a query, behind an
    /// open side: 0 where only what runs have shown can be solved.
    pub ahead: u32,
}

/// What to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Up to `runs` new random inputs. One by itself is always tracked, so that its path is in the
    /// tree; of more, those that show something new.
    RunRandom { runs: u32 },
    /// Solve for this open side and run the model. Afterwards the side is no longer open: taken,
    /// unsat, unknown or diverged (an address keeps its side for "yet another value" open).
    Flip(OpenSide),
    /// Solve for this open side and for these sides of the program behind it, one a decision, at most [`View::ahead`]
    /// of them; what cannot be solved together is tried as a plain flip. Never asked for where nothing can be ahead.
    FlipOn(OpenSide, Vec<SideId>),
    /// Solve for a path from the entry through these sides of the program, one a decision, whether or not runs have
    /// shown it. Only where [`View::ahead`] is [`ANYWHERE`].
    Path(Vec<SideId>),
    /// The strategy has nothing left to do. Whether every path was run is the tree's to say.
    Exhausted,
}

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Run, and for a flip the side was taken.
    Ran,
    /// Run, and it left the predicted path.
    Diverged,
    Unsat,
    Unknown,
}

/// What came of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    pub ended: Ended,
    /// The end of the last path tracked by the step, when that path was new.
    pub leaf: Option<Leaf>,
    /// Inputs executed.
    pub runs: u32,
    /// Sides that were covered for the first time.
    pub gain: u32,
    /// Inputs that did something new in the fast body, whether or not they covered a side: an outcome that the optimiser
    /// tells apart, or a counter nearer than ever to what it is compared with.
    pub news: u32,
    /// In any unit that stays the same: microseconds, or counted steps where the same seed has to give the same run.
    pub cost: f64,
}

/// One way to search.
pub trait Strategy {
    /// One word: the name on the command line and of the file.
    fn name(&self) -> &'static str;

    /// Chooses. The tree may have grown by runs the strategy did not ask for.
    fn next(&mut self, view: &View<'_>, rng: &mut Rng) -> Step;

    /// Whether inputs that comparisons in the program ask for may be tried between its steps.
    fn takes_hints(&self) -> bool {
        false
    }

    /// Whether it may be asked again before it was told what came of its last steps: several jobs need that. Sides being
    /// solved for are not open.
    fn overlaps(&self) -> bool {
        false
    }

    /// Told once per [`Strategy::next`], after the tree has been brought up to date.
    fn done(&mut self, view: &View<'_>, step: &Step, outcome: &Outcome) {
        let _ = (view, step, outcome);
    }

    /// Whether it ever flips a side: paths are of use only then.
    fn flips(&self) -> bool {
        true
    }

    /// Whether decisions that do not depend on input must be recorded too.
    fn needs_full_path(&self) -> bool {
        false
    }
}

impl<'a> View<'a> {
    /// The view of a tree, with its frontier.
    pub fn new(
        tree: &'a Tree,
        program: &'a Program,
        covered: &'a Coverage,
        visits: &'a Visits,
        cost: &'a dyn Cost,
    ) -> View<'a> {
        View { tree, frontier: tree.frontier(), program, covered, visits, cost, ahead: 0 }
    }

    /// The same, where the driver can solve this many decisions beyond what runs have shown.
    pub fn looking_ahead(self, ahead: u32) -> View<'a> {
        View { ahead, ..self }
    }

    /// What to do when no side is left that the strategy wants: stop when all is proved, else go on
    /// with a random input.
    pub(crate) fn restart(&self) -> Step {
        if self.tree.exhausted().is_ok() { Step::Exhausted } else { Step::RunRandom { runs: 1 } }
    }
}
