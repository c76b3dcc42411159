//! When to try what has not worked lately: always at first, then ever more rarely until it works once. For layers that say
//! sat or nothing, so leaving them out changes no verdict. Counts, never looks at a clock.

/// Failures in a row before anything is left out.
const PATIENCE: u32 = 8;
/// At least one in so many queries is tried.
const RAREST: u32 = 64;

#[derive(Debug)]
pub(crate) struct Backoff {
    patience: u32,
    failures: u32,
    to_skip: u32,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff::with_patience(PATIENCE)
    }
}

impl Backoff {
    /// For what is dear: so many failures are enough.
    pub(crate) fn with_patience(patience: u32) -> Backoff {
        Backoff { patience, failures: 0, to_skip: 0 }
    }

    /// Whether to try this time. Whoever tries says how it went.
    pub(crate) fn is_due(&mut self) -> bool {
        if self.to_skip == 0 {
            return true;
        }
        self.to_skip -= 1;
        false
    }

    pub(crate) fn record(&mut self, worked: bool) {
        if worked {
            (self.failures, self.to_skip) = (0, 0);
            return;
        }
        self.failures += 1;
        if self.failures > self.patience {
            self.to_skip = (1 << ((self.failures - self.patience) / 2 + 1).min(8)).min(RAREST) - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_works_becomes_rare_and_what_works_once_does_not() {
        let mut backoff = Backoff::default();
        let mut tried = 0;
        for _ in 0..1000 {
            if backoff.is_due() {
                tried += 1;
                backoff.record(false);
            }
        }
        assert!((20..50).contains(&tried), "{tried}");
        while !backoff.is_due() {}
        backoff.record(true);
        assert!((0..PATIENCE).all(|_| {
            let due = backoff.is_due();
            backoff.record(false);
            due
        }));
    }
}
