//! The target that earns most per cost, without looking at all of them each time. Targets are grouped by function: what
//! changed between two decisions is in few functions, and of the others the best is known, up to what comes behind the
//! function, which is the same for all its targets and bounds how much better any of them can have become.

use crate::earnings::Earnings;
use crate::flow::NONE;
use crate::strategy::View;
use crate::targets::Target;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What one target earns per cost, and how much more it would for one more behind its function. Below 0: not wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub value: f64,
    pub slope: f64,
}

impl Rate {
    pub const NOT_WANTED: Rate = Rate { value: -1.0, slope: 0.0 };
}

/// Targets of one function.
struct Group {
    /// The entry of the function; none for targets that the model has no place for.
    home: u32,
    members: Vec<u32>,
    /// As it was when last looked at: the best of them, the largest slope, and what came behind the function.
    best: f64,
    place: u32,
    slope: f64,
    behind: f64,
    /// How much more any of them may have come to earn since, and whether anything changed at all.
    risen: f64,
    exact: bool,
}

#[derive(Default)]
pub(crate) struct Candidates {
    groups: Vec<Group>,
    /// By entry of a function.
    of_home: Vec<u32>,
    /// By target.
    of_target: Vec<u32>,
    /// The group without a function.
    elsewhere: Option<u32>,
}

/// A group by how good its best may be.
#[derive(PartialEq)]
struct Bound(f64, u32);

impl Eq for Bound {}

impl Ord for Bound {
    fn cmp(&self, other: &Bound) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Bound) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Candidates {
    /// The target with the highest rate above `least`, the first of those that are alike. `rate` is asked for targets
    /// that have an open side.
    pub fn best(
        &mut self,
        earnings: &mut Earnings,
        view: &View<'_>,
        least: f64,
        rate: &dyn Fn(&Earnings, &Target) -> Rate,
    ) -> Option<u32> {
        self.catch_up(earnings, rate);
        let bounds = self.groups.iter().zip(0..).map(|(group, number)| Bound(group.bound(earnings), number));
        let mut queue: BinaryHeap<Bound> = bounds.filter(|bound| bound.0 > least).collect();
        let mut chosen: Option<(f64, u32)> = None;
        while let Some(Bound(bound, number)) = queue.pop() {
            if chosen.is_some_and(|(value, _)| bound < value) {
                break;
            }
            let group = &self.groups[number as usize];
            if group.exact && group.behind == group.behind_now(earnings) {
                let place = group.place;
                let target = &mut earnings.targets.all[place as usize];
                if target.best.is_some_and(|(_, side)| view.tree.is_open(side)) {
                    if chosen.is_none_or(|(value, known)| bound > value || place < known) {
                        chosen = Some((bound, place));
                    }
                    continue;
                }
                target.refresh(view);
            }
            self.evaluate(earnings, number, rate);
            let bound = self.groups[number as usize].best;
            if bound > least {
                queue.push(Bound(bound, number));
            }
        }
        chosen.map(|(_, place)| place)
    }

    /// Finds groups for new targets, and what has to be looked at again.
    fn catch_up(&mut self, earnings: &mut Earnings, rate: &dyn Fn(&Earnings, &Target) -> Rate) {
        self.of_home.resize(earnings.flow.len(), NONE);
        for (home, risen) in earnings.rewards.take_changes() {
            if let Some(group) = self.groups.get_mut(self.of_home[home as usize] as usize) {
                group.risen += risen;
                group.exact = false;
            }
        }
        if let Some(group) = self.elsewhere {
            self.groups[group as usize].spoil();
        }
        for place in earnings.targets.take_changed() {
            let number = self.group(earnings, place);
            let group = &mut self.groups[number as usize];
            if group.place == place {
                group.spoil();
                continue;
            }
            let target = &earnings.targets.all[place as usize];
            if target.best.is_some() {
                let Rate { value, slope } = rate(earnings, target);
                group.slope = group.slope.max(slope);
                if value >= group.best {
                    // It may be the best or not: to be seen when it matters.
                    group.best = value;
                    group.exact = false;
                }
            }
        }
    }

    fn group(&mut self, earnings: &Earnings, place: u32) -> u32 {
        self.of_target.resize(earnings.targets.all.len(), NONE);
        if self.of_target[place as usize] != NONE {
            return self.of_target[place as usize];
        }
        self.of_home.resize(earnings.flow.len(), NONE);
        let node = earnings.targets.all[place as usize].node;
        let home = node.map_or(NONE, |node| earnings.flow.home[node.index()]);
        let known =
            if home == NONE { self.elsewhere } else { Some(self.of_home[home as usize]).filter(|&g| g != NONE) };
        let group = known.unwrap_or_else(|| {
            let number = self.groups.len() as u32;
            let (best, place, slope, behind) = (-1.0, NONE, 0.0, 0.0);
            self.groups.push(Group { home, members: vec![], best, place, slope, behind, risen: 0.0, exact: false });
            if home == NONE {
                self.elsewhere = Some(number);
            } else {
                self.of_home[home as usize] = number;
            }
            number
        });
        self.of_target[place as usize] = group;
        // Places ascend within a group: of targets that are alike the first is taken.
        let members = &mut self.groups[group as usize].members;
        members.insert(members.partition_point(|&other| other < place), place);
        group
    }

    fn evaluate(&mut self, earnings: &Earnings, number: u32, rate: &dyn Fn(&Earnings, &Target) -> Rate) {
        let group = &mut self.groups[number as usize];
        (group.best, group.place, group.slope) = (-1.0, NONE, 0.0);
        (group.risen, group.exact) = (0.0, true);
        group.behind = group.behind_now(earnings);
        for &place in &group.members {
            let target = &earnings.targets.all[place as usize];
            if target.best.is_none() {
                continue;
            }
            let Rate { value, slope } = rate(earnings, target);
            group.slope = group.slope.max(slope);
            if value > group.best {
                (group.best, group.place) = (value, place);
            }
        }
    }
}

impl Group {
    fn behind_now(&self, earnings: &Earnings) -> f64 {
        if self.home == NONE { 0.0 } else { earnings.rewards.behind(self.home) }
    }

    /// What the best of it earns now at most.
    fn bound(&self, earnings: &Earnings) -> f64 {
        self.best + self.slope * (self.risen + (self.behind_now(earnings) - self.behind).max(0.0))
    }

    /// Nothing is known any more.
    fn spoil(&mut self) {
        (self.best, self.exact) = (f64::INFINITY, false);
    }
}
