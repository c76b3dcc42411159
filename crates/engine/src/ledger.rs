//! Where the campaign's own CPU time goes. Two looks at the thread's clock for each stretch that is timed: cheap beside
//! any run of a target, so it is always on.

use crate::campaign::Campaign;
use crate::clock::thread_cpu;
use std::time::Duration;
use symcrete_event::TimeSpent;

/// What the campaign's thread has spent on each of these; what is done in between is the rest.
#[derive(Clone, Copy, Default)]
pub(crate) struct Ledger {
    pub search: Duration,
    pub taking_in: Duration,
    pub reporting: Duration,
}

/// A stretch of the campaign's own work.
pub(crate) struct Stretch {
    begin: Duration,
    /// What was booked elsewhere when it began.
    booked: Duration,
}

impl Ledger {
    fn booked(&self) -> Duration {
        self.search + self.taking_in + self.reporting
    }
}

impl Campaign<'_> {
    pub(crate) fn stretch(&self) -> Stretch {
        Stretch { begin: thread_cpu(), booked: self.ledger.booked() + self.solver_cpu }
    }

    /// What a stretch took, without what was booked meanwhile: stretches lie within each other.
    pub(crate) fn since(&self, stretch: &Stretch) -> Duration {
        let meanwhile = (self.ledger.booked() + self.solver_cpu).saturating_sub(stretch.booked);
        thread_cpu().saturating_sub(stretch.begin).saturating_sub(meanwhile)
    }

    /// All CPU time of the campaign, its targets and workers, by what it went to.
    pub(crate) fn time_spent(&self) -> TimeSpent {
        let (mut fast, mut tracking) = self.server.cpu_by_body();
        let mut walks = self.walk_cpu;
        for spent in &self.spent {
            fast += spent.bodies.0;
            tracking += spent.bodies.1;
            walks += spent.walks;
        }
        let Ledger { search, taking_in, reporting } = self.ledger;
        let known = [fast, tracking, self.judge.cpu(), walks, self.solver_cpu, search, taking_in, reporting];
        let targets = fast + tracking + self.judge.cpu() + walks;
        let rest = (self.clock.own_cpu() + targets).saturating_sub(known.iter().sum());
        let [fast, tracking, replays, walks, solving, search, taking_in, reporting] = known.map(|d| d.as_secs_f64());
        TimeSpent { fast, tracking, replays, walks, solving, search, taking_in, reporting, rest: rest.as_secs_f64() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_booked_is_summed_up() {
        let second = Duration::from_secs(1);
        let ledger = Ledger { search: second, taking_in: 2 * second, reporting: 3 * second };
        assert_eq!(ledger.booked(), 6 * second);
    }
}
