//! What happens in a campaign, as plain data: the engine says it, reporters write it down or show it.
//!
//! No I/O, no formatting, no clock: the time of an event travels beside it. With the same seed and a
//! budget in iterations the events of two runs are equal except for [`Clocks`] and `seconds`.

mod finished;
mod input;
mod test;
mod tree;

pub use finished::{
    Clocks, CostModelRow, Counters, CrossCheckRow, Finished, LayerRow, LostRow, QueryLogRow, Reason, Solving, Stopped,
    TimeSpent, Uncovered,
};
pub use input::{Declared, InputKind, InputObject};
pub use test::{Bug, BugKind, End, Origin, Test};
pub use tree::{TreeNode, TreeRows, TreeSide};

use std::io;
use std::time::Duration;

/// Whoever writes a campaign down. An error ends nothing by itself: the engine says it once and goes on
/// with what it has.
pub trait Reporter {
    /// `at` counts from the start of the campaign, compiling excluded.
    fn event(&mut self, at: Duration, event: &Event<'_>) -> io::Result<()>;

    /// Called between steps: comes back when the campaign may go on, and says how long a person held it up. That time
    /// is no part of the campaign.
    fn hold(&mut self) -> Duration {
        Duration::ZERO
    }
}

/// Sides and functions are numbers of the linked program (`SideId`, `FunctionId`); whoever shows them
/// has the program model.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    Started(Started<'a>),
    /// Something a person should know that stops nothing: less sandbox, less memory, an unreadable seed.
    Note(&'a str),
    /// Often, a few times a second at most; the figures so far.
    Progress(Progress<'a>),
    /// A test was kept: it was replayed and did what is said of it.
    Test(&'a Test<'a>),
    Bug(&'a Bug<'a>),
    /// A smaller input shows the same bug: it replaces the earlier one of that number.
    Shortened(&'a Bug<'a>),
    /// `symcrete_target(k)` was reached for the first time, by this test.
    Target {
        number: u32,
        test: u32,
    },
    Finished(&'a Finished<'a>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Started<'a> {
    /// The target as the user named it.
    pub target: &'a str,
    /// `main`, `LLVMFuzzerTestOneInput`, or the function of `--function`.
    pub entry: &'a str,
    pub strategy: &'a str,
    pub seed: u64,
    pub inputs: &'a [Declared],
    pub branches_total: u32,
    /// Tests taken over from an earlier run of the same output folder.
    pub resumed: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress<'a> {
    pub counters: Counters,
    /// Open sides.
    pub frontier: u64,
    pub bugs: u32,
    pub clocks: Clocks,
    pub phase: Phase,
    /// In the order of the chain.
    pub layers: &'a [LayerRow],
}

/// What a campaign is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Seeds, earlier tests, the plainest inputs.
    #[default]
    FirstRuns,
    /// The strategy chooses: random runs and flips.
    Search,
    /// Hybrid testing runs on random inputs.
    Walk,
    /// Hybrid testing explores from a state that was kept.
    Look,
    /// What is uncovered is settled backwards.
    Settle,
}

impl Phase {
    /// In a word or two.
    pub fn text(self) -> &'static str {
        match self {
            Phase::FirstRuns => "first runs",
            Phase::Search => "searching",
            Phase::Walk => "hybrid: walking",
            Phase::Look => "hybrid: looking",
            Phase::Settle => "settling",
        }
    }
}

/// Hands every event to several reporters. One that fails (a full disk) does not silence the others: they
/// are told once, and the campaign goes on with what it has. The first error is returned as well.
#[derive(Default)]
pub struct All {
    pub reporters: Vec<Box<dyn Reporter>>,
    told: bool,
}

impl All {
    pub fn new(reporters: Vec<Box<dyn Reporter>>) -> All {
        All { reporters, told: false }
    }
}

impl Reporter for All {
    fn hold(&mut self) -> Duration {
        self.reporters.iter_mut().map(|reporter| reporter.hold()).sum()
    }

    fn event(&mut self, at: Duration, event: &Event<'_>) -> io::Result<()> {
        let mut failed: Option<(usize, io::Error)> = None;
        for (index, reporter) in self.reporters.iter_mut().enumerate() {
            if let Err(error) = reporter.event(at, event) {
                failed.get_or_insert((index, error));
            }
        }
        let Some((index, error)) = failed else { return Ok(()) };
        if !std::mem::replace(&mut self.told, true) {
            let text = format!("results cannot be written: {error}; going on without");
            for (other, reporter) in self.reporters.iter_mut().enumerate() {
                if other != index {
                    let _ = reporter.event(at, &Event::Note(&text));
                }
            }
        }
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    struct Heard(Rc<RefCell<Vec<String>>>, bool);

    impl Reporter for Heard {
        fn event(&mut self, _: Duration, event: &Event<'_>) -> io::Result<()> {
            if let Event::Note(text) = event {
                self.0.borrow_mut().push(text.to_string());
            }
            if self.1 { Err(io::Error::other("disk full")) } else { Ok(()) }
        }
    }

    #[test]
    fn one_failing_reporter_does_not_silence_the_others() {
        let (broken, fine) = (Rc::default(), Rc::default());
        let mut all =
            All::new(vec![Box::new(Heard(Rc::clone(&broken), true)), Box::new(Heard(Rc::clone(&fine), false))]);
        assert!(all.event(Duration::ZERO, &Event::Note("a")).is_err());
        assert!(all.event(Duration::ZERO, &Event::Note("b")).is_err());
        assert_eq!(*fine.borrow(), ["a", "results cannot be written: disk full; going on without", "b"]);
        assert_eq!(*broken.borrow(), ["a", "b"]);
    }
}
