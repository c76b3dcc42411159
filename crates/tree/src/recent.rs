//! Which of many things changed since a moment, the latest first: a list in which whatever changes moves to the front.
//! As large as there are things, however long a campaign lasts.

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Link {
    /// When it changed last; 0 for never.
    moment: u64,
    later: u32,
    earlier: u32,
}

/// Numbers in the order of their last change.
#[derive(Clone, Debug)]
pub(crate) struct Recent {
    links: Vec<Link>,
    latest: u32,
}

impl Default for Recent {
    fn default() -> Recent {
        Recent { links: vec![], latest: NONE }
    }
}

impl Recent {
    /// A number changed; moments never go back and begin at 1.
    pub fn touch(&mut self, number: usize, moment: u64) {
        if number >= self.links.len() {
            self.links.resize(number + 1, Link { moment: 0, later: NONE, earlier: NONE });
        }
        let link = self.links[number];
        self.links[number].moment = moment;
        if self.latest == number as u32 {
            return;
        }
        if link.moment > 0 {
            // It is not the latest, so there is a later one.
            self.links[link.later as usize].earlier = link.earlier;
            if link.earlier != NONE {
                self.links[link.earlier as usize].later = link.later;
            }
        }
        self.links[number].later = NONE;
        self.links[number].earlier = self.latest;
        if self.latest != NONE {
            self.links[self.latest as usize].later = number as u32;
        }
        self.latest = number as u32;
    }

    /// What changed after a moment.
    pub fn since(&self, moment: u64) -> impl Iterator<Item = usize> + '_ {
        let valid = move |at: u32| Some(at).filter(|&at| at != NONE && self.links[at as usize].moment > moment);
        std::iter::successors(valid(self.latest), move |&at| valid(self.links[at as usize].earlier))
            .map(|at| at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// What is listed is what a log of all changes says.
        #[test]
        fn lists_what_a_log_would(changes in prop::collection::vec((0usize..12, any::<bool>()), 0..60), from in 0u64..70) {
            let (mut recent, mut log, mut moment) = (Recent::default(), vec![], 1);
            for (number, next) in changes {
                recent.touch(number, moment);
                log.push((number, moment));
                moment += u64::from(next);
            }
            let listed: Vec<usize> = recent.since(from).collect();
            let want: BTreeSet<usize> = log.iter().filter(|(_, at)| *at > from).map(|(number, _)| *number).collect();
            prop_assert_eq!(listed.len(), want.len());
            prop_assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), want);
            let last = |number: &usize| log.iter().rposition(|(n, _)| n == number);
            prop_assert!(listed.windows(2).all(|pair| last(&pair[0]) > last(&pair[1])));
        }
    }
}
