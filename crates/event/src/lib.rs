//! What happens in a campaign, as plain data: the engine says it, reporters write it down or show it.
//!
//! No I/O, no formatting, no clock: the time of an event travels beside it. With the same seed and a
//! budget in iterations the events of two runs are equal except for [`Clocks`] and `seconds`.

mod finished;
mod input;
mod test;

pub use finished::{Clocks, Counters, Finished, LayerRow, LostRow, Stopped, Uncovered, Reason};
pub use input::{Declared, InputKind, InputObject};
pub use test::{Bug, BugKind, End, Origin, Test};

use std::io;
use std::time::Duration;

/// Whoever writes a campaign down. An error ends nothing by itself: the engine says it once and goes on
/// with what it has.
pub trait Reporter {
    /// `at` counts from the start of the campaign, compiling excluded.
    fn event(&mut self, at: Duration, event: &Event<'_>) -> io::Result<()>;
}

/// Sides and functions are numbers of the linked program (`SideId`, `FunctionId`); whoever shows them
/// has the program model.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    Started(Started<'a>),
    /// Something a person should know that stops nothing: less sandbox, less memory, an unreadable seed.
    Note(&'a str),
    /// Often, a few times a second at most; the figures so far.
    Progress(Progress),
    /// A test was kept: it was replayed and did what is said of it.
    Test(&'a Test<'a>),
    Bug(&'a Bug<'a>),
    /// A smaller input shows the same bug: it replaces the earlier one of that number.
    Shortened(&'a Bug<'a>),
    /// `symcrete_target(k)` was reached for the first time, by this test.
    Target { number: u32, test: u32 },
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
pub struct Progress {
    pub counters: Counters,
    /// Open sides.
    pub frontier: u64,
    pub bugs: u32,
    pub clocks: Clocks,
}

/// Hands every event to several reporters; the first error is returned after all have been asked.
#[derive(Default)]
pub struct All {
    pub reporters: Vec<Box<dyn Reporter>>,
}

impl Reporter for All {
    fn event(&mut self, at: Duration, event: &Event<'_>) -> io::Result<()> {
        let mut result = Ok(());
        for reporter in &mut self.reporters {
            let one = reporter.event(at, event);
            if result.is_ok() {
                result = one;
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    struct Count(Rc<Cell<u32>>, bool);

    impl Reporter for Count {
        fn event(&mut self, _: Duration, _: &Event<'_>) -> io::Result<()> {
            self.0.set(self.0.get() + 1);
            if self.1 { Err(io::Error::other("disk full")) } else { Ok(()) }
        }
    }

    #[test]
    fn one_failing_reporter_does_not_silence_the_others() {
        let seen = Rc::new(Cell::new(0));
        let mut all = All { reporters: vec![Box::new(Count(seen.clone(), true)), Box::new(Count(seen.clone(), false))] };
        assert!(all.event(Duration::ZERO, &Event::Note("x")).is_err());
        assert_eq!(seen.get(), 2);
    }
}
