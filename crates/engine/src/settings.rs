//! Everything a campaign can be told, built once by the command line and read-only from then on.
//!
//! Plain data; no defaults hide here except where a type's `Default` says so, and nothing is read from
//! the environment.

use std::path::PathBuf;
use std::time::Duration;
use symcrete_event::Declared;

use symcrete_solve::SolveMode;

// The names that settings may have.
pub use symcrete_search::{Options, strategies};

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// As the user named it, for people.
    pub name: String,
    /// `main`, `LLVMFuzzerTestOneInput` or the function of `--function`.
    pub entry: String,
    /// Declared sources in the order of their objects.
    pub inputs: Vec<Declared>,
    /// How many of the seeds are tests of the same output folder (`--resume`), for people.
    pub resumed: u32,
    pub budget: Budget,
    pub search: Search,
    pub solving: Solving,
    pub checks: Checks,
    /// Scratch folders of runs go below it; never written to by the target itself.
    pub out: PathBuf,
}

/// What may be spent. `None` means unlimited.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Engine, solver and targets together; compiling excluded.
    pub cpu: Option<Duration>,
    pub wall: Option<Duration>,
    /// New inputs executed.
    pub iterations: Option<u64>,
    pub until: Option<Goal>,
    /// Of one run.
    pub timeout: Duration,
    /// Of one run, in bytes.
    pub memory: u64,
    /// Input statements of one run.
    pub inputs: u32,
    /// Decisions of a path that may be flipped.
    pub depth: Option<u32>,
}

/// Where `--until` stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// Covered sides as a fraction of all, 0 to 1.
    Coverage(f64),
    Bug,
    /// Every `symcrete_target` of the program was reached.
    Targets,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    pub strategy: String,
    /// What strategies can be told beside their names.
    pub options: Options,
    pub values: Values,
    pub seed: u64,
    /// Workers that solve and run side by side; with more than one the same seed need not give the same run.
    pub jobs: u32,
    /// Inputs without anything new before a snapshot of `hybrid`; none: as it goes.
    pub saturation: Option<u32>,
    /// Run the seeds, flip each open side of their paths once, stop.
    pub one_generation: bool,
}

/// How random values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    Uniform,
    Mixture,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Solving {
    /// How much of a path the core is given.
    pub solve: SolveMode,
    /// Names of the layers in use, of [`LAYERS`]; `None` means all.
    pub layers: Option<Vec<String>>,
    /// Which of the rising budgets of a query comes first, from 0.
    pub effort: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Checks {
    /// The failing sides of UBSan checks are bugs to find (the target was built with them).
    pub undefined: bool,
    /// Every kept test is also replayed on an AddressSanitizer build.
    pub address: bool,
    pub sandbox: bool,
    /// Every node of every trace is computed again from the input and compared with what the program had.
    pub self_check: bool,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            cpu: None,
            wall: None,
            iterations: None,
            until: None,
            timeout: Duration::from_secs(1),
            memory: 1 << 30,
            inputs: 1000,
            depth: None,
        }
    }
}
