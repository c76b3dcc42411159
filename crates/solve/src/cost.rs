//! What a query is expected to cost, from the operations in it: a linear model of the logarithm of its time over logarithms
//! of counts, learnt as queries are solved (recursive least squares). Says how well it ranks them. Never decides anything.

use std::collections::VecDeque;
use std::time::Duration;

use symcrete_term::{Op, Term, TermId, Terms};

/// What is counted in a condition; the first two stand for the whole query.
pub const FEATURES: [&str; 13] = [
    "constant",
    "conditions",
    "goal",
    "inputs",
    "bits",
    "sums",
    "products",
    "quotients",
    "shifts",
    "tables",
    "float-sums",
    "float-products",
    "libm",
];
const SIZE: usize = FEATURES.len();
/// Counts that belong to one condition start here.
const FIRST_COUNT: usize = 3;
const COUNTS: usize = SIZE - FIRST_COUNT;

/// Terms of one condition that are looked at; a condition with more counts as one with so many.
const MOST_TERMS: usize = 2_000;
/// How much one query weighs against all before it.
const MEMORY: f64 = 0.999;
/// Pairs of expected and real times over which the ranking is judged.
const JUDGED: usize = 4_096;

/// Where learning starts: microseconds of the chain on queries of several programs, and what is used where no clock may
/// decide.
const START: [f64; SIZE] = [0.6, 0.35, 0.1, 0.1, 0.1, 0.15, 0.6, 0.9, 0.3, 0.3, 0.6, 1.0, 0.5];

type Vector = [f64; SIZE];

#[derive(Debug)]
pub struct CostModel {
    weights: Vector,
    /// Inverse of the weighted squares of what was seen.
    inverse: Box<[Vector; SIZE]>,
    observations: u64,
    /// Number of a condition's counts, by term; 0: not counted yet.
    numbers: Vec<u32>,
    counts: Vec<[u16; COUNTS]>,
    /// Expected (before the query was solved) and real, in logarithms.
    pairs: VecDeque<(f64, f64)>,
    seen: Vec<u32>,
    walk: u32,
    stack: Vec<TermId>,
}

impl Default for CostModel {
    fn default() -> CostModel {
        let mut inverse = Box::new([[0.0; SIZE]; SIZE]);
        (0..SIZE).for_each(|at| inverse[at][at] = 1.0);
        CostModel {
            weights: START,
            inverse,
            observations: 0,
            numbers: Vec::new(),
            counts: vec![[0; COUNTS]],
            pairs: VecDeque::new(),
            seen: Vec::new(),
            walk: 0,
            stack: Vec::new(),
        }
    }
}

impl CostModel {
    /// How long a query is expected to take.
    pub fn expected(&mut self, terms: &Terms, prefix: &[TermId], goal: TermId) -> Duration {
        let features = self.features(terms, prefix, goal);
        Duration::from_secs_f64(dot(&self.weights, &features).clamp(-5.0, 20.0).exp() * 1e-6)
    }

    /// A query took so long.
    pub(crate) fn learn(&mut self, terms: &Terms, prefix: &[TermId], goal: TermId, took: Duration) {
        let features = self.features(terms, prefix, goal);
        let (expected, real) = (dot(&self.weights, &features), (took.as_secs_f64() * 1e6).max(0.01).ln());
        if self.pairs.len() == JUDGED {
            self.pairs.pop_front();
        }
        self.pairs.push_back((expected, real));
        self.observations += 1;
        let mut gain = [0.0; SIZE];
        for (gain, row) in gain.iter_mut().zip(self.inverse.iter()) {
            *gain = dot(row, &features);
        }
        let scale = MEMORY + dot(&gain, &features);
        let error = real - expected;
        for (weight, gain) in self.weights.iter_mut().zip(gain) {
            *weight += gain * error / scale;
        }
        for (row, own) in self.inverse.iter_mut().zip(gain) {
            for (entry, other) in row.iter_mut().zip(gain) {
                // Bounded, so that what never occurs does not make it grow for ever.
                *entry = ((*entry - own * other / scale) / MEMORY).clamp(-100.0, 100.0);
            }
        }
    }

    pub fn observations(&self) -> u64 {
        self.observations
    }

    pub fn weights(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        FEATURES.into_iter().zip(self.weights)
    }

    /// Spearman's rank correlation of expected and real times of the latest queries; `None` for too few.
    pub fn rank_correlation(&self) -> Option<f64> {
        if self.pairs.len() < 10 {
            return None;
        }
        let expected = ranks(self.pairs.iter().map(|pair| pair.0));
        let real = ranks(self.pairs.iter().map(|pair| pair.1));
        let middle = (self.pairs.len() as f64 - 1.0) / 2.0;
        let together: f64 = expected.iter().zip(&real).map(|(a, b)| (a - middle) * (b - middle)).sum();
        let squares = |ranks: &[f64]| ranks.iter().map(|rank| (rank - middle).powi(2)).sum::<f64>();
        let both = (squares(&expected) * squares(&real)).sqrt();
        (both > 0.0).then(|| together / both)
    }

    pub(crate) fn forget_terms(&mut self) {
        self.numbers.clear();
        self.counts.truncate(1);
        self.seen.clear();
    }

    fn features(&mut self, terms: &Terms, prefix: &[TermId], goal: TermId) -> Vector {
        let own = self.counts_of(terms, goal);
        let mut sums = own.map(u64::from);
        for &condition in prefix {
            let counts = self.counts_of(terms, condition);
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += u64::from(count));
        }
        let log = |count: u64| (1.0 + count as f64).ln();
        let mut features = [0.0; SIZE];
        features[0] = 1.0;
        features[1] = log(prefix.len() as u64);
        features[2] = log(own.iter().map(|&count| u64::from(count)).sum());
        for (feature, sum) in features[FIRST_COUNT..].iter_mut().zip(sums) {
            *feature = log(sum);
        }
        features
    }

    fn counts_of(&mut self, terms: &Terms, condition: TermId) -> [u16; COUNTS] {
        let at = condition.index();
        if at >= self.numbers.len() {
            self.numbers.resize(terms.len().max(at + 1), 0);
        }
        if self.numbers[at] == 0 {
            let counts = self.count(terms, condition);
            self.numbers[at] = self.counts.len() as u32;
            self.counts.push(counts);
        }
        self.counts[self.numbers[at] as usize]
    }

    fn count(&mut self, terms: &Terms, condition: TermId) -> [u16; COUNTS] {
        self.walk += 1;
        self.seen.resize(self.seen.len().max(terms.len()), 0);
        self.stack.clear();
        self.stack.push(condition);
        let mut counts = [0u16; COUNTS];
        let mut left = MOST_TERMS;
        while let Some(id) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[id.index()], self.walk) == self.walk {
                continue;
            }
            if left == 0 {
                break;
            }
            left -= 1;
            let class = match terms.get(id) {
                Term::Constant(_) => continue,
                Term::Variable(..) => 0,
                Term::Apply(op, args) => {
                    self.stack.extend_from_slice(args);
                    class(op, args.iter().any(|&arg| terms.is_constant(arg)))
                }
            };
            counts[class] += 1;
        }
        counts
    }
}

/// Which count an operation belongs to, from [`FIRST_COUNT`] on.
fn class(op: Op, by_constant: bool) -> usize {
    match op {
        Op::Add | Op::Sub | Op::UAddO | Op::SAddO | Op::USubO | Op::SSubO => 2,
        Op::Mul | Op::UMulO | Op::SMulO => 3,
        Op::UDiv | Op::SDiv | Op::URem | Op::SRem => 4,
        Op::Shl | Op::LShr | Op::AShr if !by_constant => 5,
        Op::Read => 6,
        Op::Native { .. } | Op::FRem => 9,
        Op::FMul | Op::FDiv | Op::FSqrt | Op::FMa => 8,
        op if op.is_float() => 7,
        _ => 1,
    }
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The place of each value in ascending order; equal ones share the middle of theirs.
fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut at = 0;
    for group in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let middle = at as f64 + (group.len() as f64 - 1.0) / 2.0;
        group.iter().for_each(|&index| ranks[index] = middle);
        at += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::byte;
    use symcrete_term::Terms;

    /// Times that grow with the number of products: from a few hundred queries it ranks new ones nearly right.
    #[test]
    fn what_is_dear_is_learnt() {
        let mut terms = Terms::new();
        let mut model = CostModel::default();
        let mut queries = Vec::new();
        for number in 0..300u32 {
            let (products, sums) = (number % 7, number / 7 % 5);
            let mut word = terms.var(byte(number));
            for at in 0..products {
                let other = terms.var(byte(1000 + at));
                word = terms.mul(word, other);
            }
            for at in 0..sums {
                let other = terms.var(byte(2000 + at));
                word = terms.add(word, other);
            }
            let k = terms.constant(8, 7);
            let goal = terms.eq(word, k);
            queries.push((goal, Duration::from_micros(u64::from(10 + 50 * products * products + sums))));
        }
        for &(goal, took) in &queries[..200] {
            model.learn(&terms, &[], goal, took);
        }
        model.pairs.clear();
        for &(goal, took) in &queries[200..] {
            model.learn(&terms, &[], goal, took);
        }
        let correlation = model.rank_correlation().unwrap();
        assert!(correlation > 0.9, "{correlation}");
        let cheap = model.expected(&terms, &[], queries[0].0);
        let dear = model.expected(&terms, &[], queries[6].0);
        assert!(dear > 5 * cheap, "{cheap:?} {dear:?}");
        assert_eq!(model.observations(), 300);
    }

    #[test]
    fn ranks_of_equal_values_are_equal() {
        assert_eq!(ranks([3.0, 1.0, 3.0, 2.0].into_iter()), [2.5, 0.0, 2.5, 1.0]);
        assert_eq!(CostModel::default().rank_correlation(), None);
    }
}
