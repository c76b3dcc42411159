//! What finds may take, and what walks and looks bring.
//!
//! Each find is run from the start of the program again and again to make it shorter, and where starting takes
//! milliseconds or finds come by the hundred, that would be all there is time for. So beyond a free amount finds get a
//! share of the time, and otherwise stay as long as they are.

use super::Hybrid;
use crate::campaign::Campaign;
use crate::clock::thread_cpu;
use crate::execute::cost;

/// Microseconds (or what stands for them) that finds may take in any case, less where it soon shows that they take long;
/// and their share of everything.
const FREE: f64 = 5e6;
const LESS: f64 = 4e5;
const SHARE: f64 = 0.25;
/// The share of what takes all the time that a run may.
const SLOW_SHARE: f64 = 0.1;
/// What a run of a program takes that is slow to start.
const SLOW: f64 = 1.5e3;
/// How much of what was earlier still counts.
const MEMORY: f64 = 0.8;
/// Where looks bring less they are tried nevertheless, in this share of the time of walks; and what one try takes, about.
const TRIED: f64 = 0.25;
const TRY: f64 = 1e6;
/// Each time in a row that they do, the share is that much smaller; so many times.
const LESS_EACH: f64 = 0.8;
const FEWEST: i32 = 10;

/// Where a campaign is: what it has spent, and the branches it has covered.
#[derive(Clone, Copy)]
pub struct SoFar {
    pub spent: f64,
    pub runs: u64,
    pub covered: u32,
}

#[derive(Default)]
struct Rate {
    gain: f64,
    cost: f64,
    /// All of it, however long ago.
    spent: f64,
}

impl Rate {
    fn add(&mut self, begin: SoFar, end: SoFar) {
        self.gain = MEMORY * self.gain + f64::from(end.covered - begin.covered);
        self.cost = MEMORY * self.cost + (end.spent - begin.spent);
        self.spent += end.spent - begin.spent;
    }

    /// Branches per microsecond.
    fn value(&self) -> f64 {
        if self.cost > 0.0 { self.gain / self.cost } else { 0.0 }
    }
}

#[derive(Default)]
pub struct Effort {
    finding: f64,
    /// Of that, what took all the time that a run may.
    slow: f64,
    runs: u64,
    /// What the campaign had spent when the first find began.
    began: Option<f64>,
    walks: Rate,
    looks: Rate,
    /// Looks in a row that brought less than walks.
    poor: i32,
}

impl Effort {
    /// A find took from `begin` to `end`; `slow` ones take all the time that a run may.
    pub fn found(&mut self, begin: SoFar, end: SoFar, slow: bool) {
        self.began.get_or_insert(begin.spent);
        self.slow += if slow { end.spent - begin.spent } else { 0.0 };
        self.finding += end.spent - begin.spent;
        self.runs += end.runs - begin.runs;
    }

    /// Whether there is time for one more slow one, `timeout` microseconds each time it is run.
    fn may_be_slow(&self, now: f64, timeout: f64) -> bool {
        self.slow + 2.0 * timeout <= SLOW_SHARE * now
    }

    /// Whether runs from the start take long.
    pub fn is_slow(&self) -> bool {
        self.finding > SLOW * self.runs as f64
    }

    /// Whether finds have had their share.
    fn is_dear(&self, now: f64) -> bool {
        self.finding > self.free() + SHARE * (now - self.began.unwrap_or(now))
    }

    /// Whether finds have had what is free.
    fn is_free(&self) -> bool {
        self.finding <= self.free()
    }

    fn free(&self) -> f64 {
        if self.is_slow() { LESS } else { FREE }
    }

    pub fn walked(&mut self, begin: SoFar, end: SoFar) {
        self.walks.add(begin, end);
    }

    pub fn looked(&mut self, begin: SoFar, end: SoFar) {
        self.looks.add(begin, end);
        self.poor = if self.looks.value() < self.walks.value() { (self.poor + 1).min(FEWEST) } else { 0 };
    }

    /// Whether looking around brings more than walking, or is to be tried again.
    pub fn looks_pay(&self) -> bool {
        let tried = TRIED * LESS_EACH.powi(self.poor);
        self.looks.value() >= self.walks.value() || self.looks.spent + TRY <= tried * self.walks.spent
    }
}

impl Campaign<'_> {
    /// By CPU time where clocks may decide: how busy the machine is changes nothing then.
    pub(super) fn so_far(&self, hybrid: &Hybrid) -> SoFar {
        let (runs, covered) = (self.counters.executions, self.counters.branches_covered);
        let spent = if self.by_clock() {
            let targets = self.server.cpu() + hybrid.server.cpu() + self.judge.cpu();
            (thread_cpu() + targets).as_secs_f64() * 1e6
        } else {
            runs as f64 * cost::TRACKED
        };
        SoFar { spent, runs, covered }
    }

    pub(super) fn finds_are_dear(&self, hybrid: &Hybrid) -> bool {
        hybrid.effort.is_dear(self.so_far(hybrid).spent)
    }

    pub(super) fn finds_may_be_slow(&self, hybrid: &Hybrid) -> bool {
        let timeout = self.settings.budget.timeout.as_secs_f64() * 1e6;
        !self.by_clock() || hybrid.effort.may_be_slow(self.so_far(hybrid).spent, timeout)
    }

    /// Runs that may make a find shorter, of `most`, where one takes so many seconds.
    pub(super) fn runs_to_shorten(&self, hybrid: &Hybrid, most: u32, seconds: f64) -> u32 {
        let runs = if !hybrid.brief || hybrid.effort.is_free() {
            most
        } else if self.finds_are_dear(hybrid) {
            0
        } else {
            most / 16
        };
        if self.by_clock() { runs.min((hybrid.effort.free() / (1e6 * seconds)) as u32) } else { runs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_have_a_free_amount_and_then_a_share() {
        let at = |spent: f64, runs: u64| SoFar { spent, runs, covered: 0 };
        let mut effort = Effort::default();
        assert!(!effort.is_dear(1e9) && !effort.is_slow());
        effort.found(at(10e6, 0), at(14e6, 8000), false);
        assert!(!effort.is_dear(14e6) && effort.is_free() && !effort.is_slow());
        effort.found(at(14e6, 8000), at(18e6, 8001), false);
        assert!(!effort.is_slow(), "a single long run is nothing");
        assert!(effort.is_dear(18e6) && !effort.is_free(), "eight seconds of eight");
        assert!(!effort.is_dear(40e6), "eight of thirty: five are free, and a quarter of thirty");
        assert!(!effort.may_be_slow(19e6, 1e6) && effort.may_be_slow(20e6, 1e6), "two runs of a second in a tenth");
        effort.found(at(20e6, 0), at(22e6, 2), true);
        assert!(!effort.may_be_slow(39e6, 1e6) && effort.may_be_slow(40e6, 1e6));
    }

    #[test]
    fn what_brings_more_is_done_and_the_other_tried_now_and_then() {
        let at = |spent: f64, covered: u32| SoFar { spent, runs: 0, covered };
        let mut effort = Effort::default();
        effort.walked(at(0.0, 0), at(1e6, 100));
        assert!(!effort.looks_pay());
        let mut tried = 0;
        for _ in 0..40 {
            effort.walked(at(1e6, 100), at(2e6, 200));
            if effort.looks_pay() {
                effort.looked(at(0.0, 0), at(2e6, 20));
                tried += 1;
            }
        }
        assert_eq!(tried, 3, "two seconds each, less and less often: of 12 seconds, of 19, of 31");
        (0..40).for_each(|_| effort.walked(at(3e6, 210), at(4e6, 210)));
        effort.walked(at(4e6, 210), at(5e6, 210));
        assert!(effort.looks_pay(), "walks bring nothing any more");
    }
}
