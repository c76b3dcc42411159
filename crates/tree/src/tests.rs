//! The tree against brute force: small programs over two input bytes whose every path is known, a
//! solver that tries all inputs, and the promise that flipping until nothing is open runs each path
//! exactly once. Then the cases that go wrong on purpose.

use crate::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use symcrete_program::{Location, Program, Site, SiteId, SiteKind, Unit};
use symcrete_term::{Evaluator, Op, TermId, Terms, Var};

/// One decision of a small program: on a byte or on their sum, at a site, as a kind.
#[derive(Clone, Debug)]
enum Decide {
    Below(u8, u8),
    Sum(u8),
    Switch(u8, Vec<u8>),
    Address(u8, u8),
    Assume(u8, u8),
    /// The rest runs as often as the byte's low two bits say.
    Loop(u8),
}

const SITE_SWITCH: u32 = 100;

fn inputs() -> impl Iterator<Item = [u8; 2]> {
    // All values matter little: a grid of 32 by 32 keeps the brute force quick.
    (0..32u8).flat_map(|a| (0..32u8).map(move |b| [a * 8 + a % 8, b * 8 + 7 - b % 8]))
}

struct Small {
    decisions: Vec<Decide>,
    program: Program,
}

impl Small {
    fn new(decisions: Vec<Decide>) -> Small {
        let mut unit = Unit::default();
        for number in 0..200 {
            let place = (number as usize).wrapping_sub(SITE_SWITCH as usize);
            let kind = match decisions.get(place) {
                Some(Decide::Switch(_, cases)) => {
                    SiteKind::Switch { width: 8, cases: cases.iter().map(|&case| case as u128).collect() }
                }
                _ => SiteKind::Branch,
            };
            unit.sites.push(Site { kind, function: 0, location: Location::default(), sides: vec![] });
        }
        let mut program = Program::default();
        program.push(unit);
        Small { decisions, program }
    }

    fn run(&self, terms: &mut Terms, input: [u8; 2]) -> Path {
        let mut path = Path::default();
        let bytes = [0, 1].map(|offset| terms.var(Var::Byte { object: 0, offset }));
        for (place, decision) in self.decisions.iter().enumerate() {
            let site = SiteId(place as u32);
            let mut branch = |terms: &mut Terms, kind, subject, holds: bool| {
                let condition = if holds { subject } else { terms.not(subject) };
                path.steps.push(Step { site, kind, taken: holds as u32, subject, condition });
            };
            match decision {
                &Decide::Below(byte, k) => {
                    let k_term = terms.constant(8, k as u128);
                    let subject = terms.ult(bytes[byte as usize], k_term);
                    if !terms.is_constant(subject) {
                        branch(terms, Kind::Branch, subject, input[byte as usize] < k);
                    }
                }
                &Decide::Sum(k) => {
                    let sum = terms.add(bytes[0], bytes[1]);
                    let k_term = terms.constant(8, k as u128);
                    let subject = terms.eq(sum, k_term);
                    branch(terms, Kind::Branch, subject, input[0].wrapping_add(input[1]) == k);
                }
                Decide::Switch(byte, cases) => {
                    let value = input[*byte as usize];
                    let taken = cases.iter().position(|&case| case == value).unwrap_or(cases.len());
                    let subject = bytes[*byte as usize];
                    let mut condition = TermId::TRUE;
                    for (place, &case) in cases.iter().enumerate() {
                        let case = terms.constant(8, case as u128);
                        if place == taken {
                            condition = terms.eq(subject, case);
                        } else if taken == cases.len() {
                            let other = terms.ne(subject, case);
                            condition = terms.and(condition, other);
                        }
                    }
                    path.steps.push(Step {
                        site: SiteId(SITE_SWITCH + place as u32),
                        kind: Kind::Switch { sides: cases.len() as u32 + 1 },
                        taken: taken as u32,
                        subject,
                        condition,
                    });
                }
                &Decide::Address(byte, shift) => {
                    let by = terms.constant(8, shift as u128);
                    let subject = terms.lshr(bytes[byte as usize], by);
                    let value = terms.constant(8, (input[byte as usize] >> shift) as u128);
                    let condition = terms.eq(subject, value);
                    if condition != TermId::TRUE {
                        path.steps.push(Step { site, kind: Kind::Address, taken: 0, subject, condition });
                    }
                }
                &Decide::Assume(byte, k) => {
                    let k_term = terms.constant(8, k as u128);
                    let subject = terms.binary(Op::Ne, bytes[byte as usize], k_term);
                    branch(terms, Kind::Assume, subject, input[byte as usize] != k);
                    if input[byte as usize] == k {
                        return path;
                    }
                }
                &Decide::Loop(byte) => {
                    let three = terms.constant(8, 3);
                    let low = terms.and(bytes[byte as usize], three);
                    for turn in 0..=3u8 {
                        let turns = terms.constant(8, turn as u128);
                        let subject = terms.ult(turns, low);
                        let more = turn < input[byte as usize] & 3;
                        if !terms.is_constant(subject) {
                            branch(terms, Kind::Branch, subject, more);
                        }
                        if !more {
                            break;
                        }
                    }
                }
            }
        }
        path
    }

    fn solve(&self, terms: &Terms, conditions: &[TermId]) -> Option<[u8; 2]> {
        let mut evaluator = Evaluator::new();
        inputs().find(|input| {
            evaluator.begin();
            let values = |var: Var| match var {
                Var::Byte { offset, .. } => input[offset as usize] as u128,
                Var::Length { .. } => 0,
            };
            conditions.iter().all(|&condition| evaluator.holds(terms, condition, &values))
        })
    }

    /// Flips until nothing is open; valid runs, and the tree. A flip before an assumption may break that assumption in
    /// its turn: such a run is void, and its path is no valid one.
    fn explore(&self, pick: usize) -> (usize, Tree, BTreeSet<Vec<(u32, u32)>>) {
        let (mut terms, mut tree) = (Terms::new(), Tree::new());
        let mut seen = BTreeSet::new();
        let (mut runs, mut valid_runs) = (0, 0);
        let mut next = Some((inputs().nth(pick % 1024).expect("on the grid"), None));
        while let Some((input, expected)) = next.take() {
            let path = self.run(&mut terms, input);
            let inserted = tree.insert(&path, RunId(runs), expected);
            assert_eq!(inserted.diverged, None, "a model takes the side it was solved for");
            assert!(inserted.new_path, "each flip is a new path");
            tree.verify();
            runs += 1;
            if valid(&path) {
                valid_runs += 1;
                seen.insert(path.steps.iter().map(|step| (step.site.0, step.condition.index() as u32)).collect());
            }
            while !tree.frontier().is_empty() && next.is_none() {
                let side = tree.frontier().get(pick % tree.frontier().len());
                let (mut query, flipped) = tree.flip_query(side, &mut terms, &self.program);
                query.push(flipped);
                match self.solve(&terms, &query) {
                    Some(input) => next = Some((input, Some(side))),
                    None => assert!(tree.close(side, Closed::Unsat)),
                }
            }
        }
        tree.verify();
        (valid_runs, tree, seen)
    }

    /// All valid paths, by running every input.
    fn all_paths(&self) -> usize {
        let mut terms = Terms::new();
        let paths: BTreeSet<Vec<usize>> = inputs()
            .map(|input| self.run(&mut terms, input))
            .filter(valid)
            .map(|path| path.steps.iter().map(|step| step.condition.index()).collect())
            .collect();
        paths.len()
    }
}

/// No assumption failed.
fn valid(path: &Path) -> bool {
    path.steps.iter().all(|step| step.kind != Kind::Assume || step.taken == 1)
}

fn decisions() -> impl Strategy<Value = Vec<Decide>> {
    let byte = 0..2u8;
    let one = prop_oneof![
        3 => (byte.clone(), any::<u8>()).prop_map(|(b, k)| Decide::Below(b, k)),
        2 => any::<u8>().prop_map(Decide::Sum),
        2 => (byte.clone(), prop::collection::btree_set(0..255u8, 1..6)).prop_map(|(b, cases)| Decide::Switch(b, cases.into_iter().collect())),
        1 => (byte.clone(), 4..8u8).prop_map(|(b, shift)| Decide::Address(b, shift)),
        1 => (byte.clone(), any::<u8>()).prop_map(|(b, k)| Decide::Assume(b, k)),
        1 => byte.prop_map(Decide::Loop),
    ];
    prop::collection::vec(one, 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..Default::default() })]
    #[test]
    fn flipping_until_nothing_is_open_runs_every_path_once(decisions in decisions(), pick in any::<usize>()) {
        let small = Small::new(decisions);
        let (runs, tree, seen) = small.explore(pick);
        prop_assert_eq!(runs, seen.len());
        prop_assert_eq!(seen.len(), small.all_paths());
        prop_assert!(tree.exhausted().is_ok(), "{:?}", tree.exhausted());
        prop_assert_eq!(tree.unstable(), 0);
    }
}

/// Unconnected conditions for trees drawn by hand.
struct Hand {
    terms: Terms,
    tree: Tree,
    runs: u32,
}

impl Hand {
    fn new() -> Hand {
        Hand { terms: Terms::new(), tree: Tree::new(), runs: 0 }
    }
    /// A branch on byte `site`.
    fn step(&mut self, site: u32, taken: bool) -> Step {
        let byte = self.terms.var(Var::Byte { object: 0, offset: site });
        let limit = self.terms.constant(8, 100);
        let subject = self.terms.ult(byte, limit);
        let condition = if taken { subject } else { self.terms.not(subject) };
        Step { site: SiteId(site), kind: Kind::Branch, taken: taken as u32, subject, condition }
    }
    fn add(&mut self, sides: &[(u32, bool)], expected: Option<OpenSide>) -> Inserted {
        let steps = sides.iter().map(|&(site, taken)| self.step(site, taken)).collect();
        self.runs += 1;
        let inserted = self.tree.insert(&Path { steps, ..Path::default() }, RunId(self.runs), expected);
        self.tree.verify();
        inserted
    }
}

fn open(node: u32, side: u32) -> OpenSide {
    OpenSide { node: NodeId(node), side }
}

#[test]
fn shared_prefixes_merge() {
    let mut h = Hand::new();
    let first = h.add(&[(1, true), (2, true), (3, true)], None);
    assert_eq!((first.new_nodes, first.opened, first.new_path), (0..3, 3, true));
    let second = h.add(&[(1, true), (2, false), (4, true)], Some(open(1, 0)));
    assert_eq!((second.new_nodes, second.opened, second.new_path), (3..4, 0, true), "one closed, one opened");
    assert_eq!(second.diverged, None);
    assert_eq!(h.tree.side(NodeId(1), 0), SideState::Taken(Some(NodeId(3))));
    assert_eq!(h.tree.prefix(NodeId(3)), [open(0, 1), open(1, 0)]);
    assert_eq!(h.tree.run(NodeId(3)), RunId(2));
    let again = h.add(&[(1, true), (2, false), (4, true)], None);
    assert!(!again.new_path && again.new_nodes.is_empty());
    assert_eq!(h.tree.frontier().len(), 3);
    assert_eq!(h.tree.open_below(NodeId(0)), 3);
    assert_eq!(h.tree.latest(), Some(Leaf { node: NodeId(3), side: 1 }));
}

#[test]
fn a_run_that_leaves_its_prediction_is_counted_and_kept() {
    let mut h = Hand::new();
    h.add(&[(1, true), (2, true), (3, true)], None);
    let inserted = h.add(&[(1, true), (2, false), (9, true)], Some(open(2, 0)));
    assert_eq!(inserted.diverged, Some(Divergence { depth: 1, at: NodeId(1) }));
    assert_eq!(h.tree.side(NodeId(2), 0), SideState::Diverged);
    assert_eq!(inserted.new_nodes, 3..4);
    assert_eq!(h.tree.diverged(), 1);
    // It may be taken after all, by chance.
    h.add(&[(1, true), (2, true), (3, false)], None);
    assert_eq!(h.tree.side(NodeId(2), 0), SideState::Taken(None));
    let short = h.add(&[(1, true)], Some(open(3, 0)));
    assert_eq!(short.diverged, Some(Divergence { depth: 1, at: NodeId(1) }));
    assert_eq!(h.tree.unstable(), 1, "the same condition once went on and once ended");
}

#[test]
fn the_same_prefix_with_another_next_decision_is_unstable() {
    let mut h = Hand::new();
    h.add(&[(1, true), (2, true)], None);
    h.add(&[(1, true), (5, true)], None);
    assert_eq!(h.tree.unstable(), 1);
    assert_eq!(h.tree.twin(NodeId(1)), Some(NodeId(2)));
    assert_eq!(h.tree.prefix(NodeId(2)), h.tree.prefix(NodeId(1)));
    let again = h.add(&[(1, true), (5, false)], Some(open(2, 0)));
    assert_eq!(again.diverged, None, "a twin can be flipped like any other");
}

#[test]
fn what_was_decided_before_on_the_path_is_not_open_again() {
    let mut h = Hand::new();
    let inserted = h.add(&[(1, true), (2, false), (1, true)], None);
    assert_eq!(inserted.opened, 2);
    assert_eq!(h.tree.side(NodeId(2), 0), SideState::Unsat);
}

#[test]
fn unknown_sides_come_back_with_more_attempts() {
    let mut h = Hand::new();
    h.add(&[(1, true)], None);
    assert!(h.tree.close(open(0, 0), Closed::Unknown));
    assert!(!h.tree.close(open(0, 0), Closed::Unsat), "not open any more");
    assert_eq!(h.tree.side(NodeId(0), 0), SideState::Unknown { attempts: 1 });
    assert_eq!(h.tree.exhausted().unwrap_err().unknown, 1);
    assert_eq!(h.tree.reopen_unknown(1), 0, "tried once already");
    assert_eq!(h.tree.reopen_unknown(3), 1);
    assert_eq!(h.tree.attempts(open(0, 0)), 1);
    h.tree.verify();
    assert!(h.tree.close(open(0, 0), Closed::Unknown));
    assert_eq!(h.tree.attempts(open(0, 0)), 2);
    assert_eq!(h.tree.reopen_unknown(3), 1);
    assert!(h.tree.close(open(0, 0), Closed::Unsat));
    assert!(h.tree.exhausted().is_ok());
}

#[test]
fn held_sides_are_not_open_and_prove_nothing() {
    let mut h = Hand::new();
    h.add(&[(1, true), (2, true)], None);
    assert!(h.tree.hold(open(0, 0)) && h.tree.hold(open(1, 0)));
    assert!(!h.tree.hold(open(0, 0)), "held already");
    h.tree.verify();
    assert!(h.tree.frontier().is_empty());
    assert_eq!(h.tree.exhausted().unwrap_err().unknown, 2, "somebody is still looking");
    assert_eq!(h.tree.reopen_unknown(4), 0, "nobody gave up on them");
    // Another run takes the first one meanwhile: there is nothing left to open.
    h.add(&[(1, false)], None);
    h.tree.release(open(0, 0));
    h.tree.release(open(1, 0));
    h.tree.verify();
    assert_eq!(h.tree.frontier().iter().collect::<Vec<_>>(), [open(1, 0)]);
    assert_eq!(h.tree.attempts(open(1, 0)), 0, "holding is no attempt");
    assert!(h.tree.close(open(1, 0), Closed::Unsat));
    assert!(h.tree.exhausted().is_ok());
}

#[test]
fn exhaustion_is_claimed_only_when_nothing_was_lost() {
    assert!(Tree::new().exhausted().unwrap_err().untried);
    let mut lossy = Tree::new();
    lossy.insert(&Path { lost: 2, ..Path::default() }, RunId(0), None);
    assert_eq!(lossy.exhausted(), Err(Obstacles { lost: 2, ..Obstacles::default() }));
    let mut cut = Tree::new();
    cut.insert(&Path { end: End::Cut, ..Path::default() }, RunId(0), None);
    assert_eq!(cut.exhausted(), Err(Obstacles { cut: 1, ..Obstacles::default() }));
    let mut whole = Tree::new();
    whole.insert(&Path::default(), RunId(0), None);
    assert!(whole.exhausted().is_ok(), "a program that decides nothing on its input has one path");
    let mut h = Hand::new();
    h.add(&[(1, true)], None);
    assert_eq!(h.tree.exhausted().unwrap_err().open, 1);
    h.tree.close(open(0, 0), Closed::Diverged);
    assert_eq!(h.tree.exhausted().unwrap_err().diverged, 1);
    h.add(&[(1, false)], None);
    assert!(h.tree.exhausted().is_ok(), "taken by chance after all");
}

#[test]
fn a_cut_run_may_be_continued_by_another() {
    let mut h = Hand::new();
    let steps = vec![h.step(1, true)];
    h.tree.insert(&Path { steps, end: End::Cut, ..Path::default() }, RunId(0), None);
    h.add(&[(1, true), (2, true)], None);
    assert_eq!(h.tree.unstable(), 0);
}

#[test]
fn sides_beyond_the_depth_limit_are_kept_but_never_open() {
    let mut h = Hand::new();
    h.tree = Tree::with_depth(2);
    let inserted = h.add(&[(1, true), (2, true), (3, true)], None);
    assert_eq!(inserted.opened, 2);
    assert_eq!(h.tree.side(NodeId(2), 0), SideState::Excluded);
    assert_eq!(h.tree.exhausted().unwrap_err().deep, 1);
    h.add(&[(1, true), (2, true), (3, false)], None);
    assert_eq!(h.tree.exhausted().unwrap_err(), Obstacles { open: 2, ..Obstacles::default() });
    assert_eq!(h.tree.leaves().len(), 2);
}

#[test]
fn conditions_of_a_whole_way_are_those_of_its_nodes() {
    let mut h = Hand::new();
    let inserted = h.add(&[(1, true), (2, false), (1, true), (3, true), (2, false)], None);
    h.add(&[(1, true), (2, true), (4, true)], None);
    let last = inserted.leaf.unwrap();
    let way = h.tree.way_conditions(last.node);
    for node in h.tree.upwards(last.node) {
        assert_eq!(way.of(node), Some(&h.tree.prefix_conditions(node)[..]));
    }
    let elsewhere = h.tree.latest().unwrap().node;
    assert_eq!(way.of(elsewhere), None);
}

#[test]
fn terms_can_be_moved_to_a_smaller_store() {
    let mut h = Hand::new();
    h.add(&[(1, true), (2, false)], None);
    let mut small = Terms::new();
    let old: Vec<TermId> = h.tree.terms().collect();
    let new = small.import(&h.terms, &old);
    let map: std::collections::HashMap<TermId, TermId> = old.into_iter().zip(new).collect();
    let before: Vec<String> =
        h.tree.prefix_conditions(NodeId(1)).iter().map(|&c| h.terms.show(c).to_string()).collect();
    h.tree.replace_terms(|id| map[&id]);
    let after: Vec<String> = h.tree.prefix_conditions(NodeId(1)).iter().map(|&c| small.show(c).to_string()).collect();
    assert_eq!(before, after);
    assert!(small.len() < h.terms.len());
}

/// Ten thousand paths of a loop over bytes, each leaving it somewhere else: far below 40 KB each.
#[test]
fn memory_per_path_is_bounded() {
    let mut h = Hand::new();
    let mut state = 1u64;
    let paths = 10_000;
    for run in 0..paths {
        let mut steps = Vec::new();
        for place in 0..300u32 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let taken = state >> 60 != 0;
            steps.push(h.step(place, taken));
        }
        h.tree.insert(&Path { steps, ..Path::default() }, RunId(run), None);
    }
    let held = h.tree.memory() + h.terms.memory();
    assert!(held / paths as usize <= 40_000, "{} bytes per path", held / paths as usize);
}

#[test]
fn coverage_and_visits_count_what_is_new() {
    let mut coverage = Coverage::new();
    use symcrete_program::SideId;
    assert_eq!(coverage.cover_bytes(SideId(10), &[0, 1, 0, 1]), [SideId(11), SideId(13)]);
    assert_eq!(coverage.cover_bytes(SideId(10), &[1, 1, 0, 0]), [SideId(10)]);
    assert!(!coverage.cover(SideId(13)) && coverage.is_covered(SideId(13)) && !coverage.is_covered(SideId(12)));
    assert_eq!(coverage.sides().iter().collect::<Vec<_>>(), [10, 11, 13]);
    assert_eq!((coverage.cover_marks(&[1, 0, 1]), coverage.cover_marks(&[1, 1, 1])), (2, 1));
    let mut h = Hand::new();
    let steps = vec![h.step(1, true), h.step(2, false)];
    let path = Path { steps, ..Path::default() };
    let mut visits = Visits::new();
    visits.count(&path, 0, true);
    visits.count(&path, 1, true);
    visits.count(&path, 0, false);
    assert_eq!((visits.taken(SiteId(1), 1), visits.taken_randomly(SiteId(1), 1)), (3, 1));
    assert_eq!(visits.taken_randomly(SiteId(2), 0), 2);
    assert_eq!(visits.taken(SiteId(1), 0), 0);
}

/// Flipping the sum finds an input that breaks the assumption again.
#[test]
fn an_assumption_may_be_broken_more_than_once() {
    let small = Small::new(vec![Decide::Sum(179), Decide::Below(0, 10), Decide::Assume(0, 73)]);
    let (runs, tree, seen) = small.explore(380_607_294);
    assert_eq!((runs, seen.len()), (small.all_paths(), small.all_paths()));
    assert!(tree.exhausted().is_ok());
}
