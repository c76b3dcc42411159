//! How likely each side of a decision is, estimated from how often random runs took it. Sides that cannot be taken are
//! the caller's to leave out. Never looks at anything but counts.

use std::str::FromStr;
use std::sync::Arc;
use symcrete_program::SideId;

/// A way to estimate.
#[derive(Clone, Debug, PartialEq)]
pub enum Estimator {
    /// `(k + 1) / (m + n)` for a side taken `k` of `m` times, `n` sides.
    Laplace,
    /// Good–Turing: how many sides were taken once says how much the sides never taken are worth.
    GoodTuring,
    /// Posterior mean under an even mixture of Dirichlet(1) and Dirichlet(0.2): most decisions are nearly even or
    /// nearly certain, and what they showed so far tells which.
    Mix,
    /// The true probabilities, by side: for measuring what ignorance costs.
    Told(Arc<[f64]>),
}

/// A name that is none.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no estimator `{0}`: laplace, good-turing or mix")]
pub struct UnknownEstimator(pub String);

impl FromStr for Estimator {
    type Err = UnknownEstimator;

    fn from_str(name: &str) -> Result<Estimator, UnknownEstimator> {
        match name {
            "laplace" => Ok(Estimator::Laplace),
            "good-turing" => Ok(Estimator::GoodTuring),
            "mix" => Ok(Estimator::Mix),
            _ => Err(UnknownEstimator(name.into())),
        }
    }
}

/// An estimator that has seen all counts: what some of them need before they can say anything of one decision.
#[derive(Clone, Debug)]
pub enum Prepared {
    Laplace,
    /// Adjusted counts: of sides never taken, and the slope of the line through the frequencies of frequencies.
    GoodTuring {
        unseen: f64,
        slope: f64,
    },
    Mix,
    Told(Arc<[f64]>),
}

/// Above it, counts are their own best estimate: `r* = r`.
const STEADY_SLOPE: f64 = -1.0;

impl Estimator {
    /// `counts` of every side of every decision that was passed at all; read only by those who need it.
    pub fn prepare(&self, counts: impl Iterator<Item = u32>) -> Prepared {
        match self {
            Estimator::Laplace => Prepared::Laplace,
            Estimator::Mix => Prepared::Mix,
            Estimator::Told(probabilities) => Prepared::Told(Arc::clone(probabilities)),
            Estimator::GoodTuring => good_turing(counts),
        }
    }
}

/// Simple Good–Turing (Gale and Sampson): a line through log frequency and log frequency of frequency.
fn good_turing(counts: impl Iterator<Item = u32>) -> Prepared {
    let mut frequency = std::collections::BTreeMap::<u32, u32>::new();
    for count in counts {
        *frequency.entry(count).or_default() += 1;
    }
    let never = frequency.remove(&0).unwrap_or(0).max(1);
    // With nothing taken exactly once the mass of the unseen would be none at all: one such side is assumed.
    let once = frequency.get(&1).copied().unwrap_or(0).max(1);
    let rows: Vec<(u32, u32)> = frequency.into_iter().collect();
    // Each frequency is spread over the gap to its neighbours, as their paper has it.
    let points: Vec<(f64, f64)> = (0..rows.len())
        .map(|at| {
            let before = if at == 0 { 0.0 } else { f64::from(rows[at - 1].0) };
            let here = f64::from(rows[at].0);
            let after = rows.get(at + 1).map_or(2.0 * here - before, |row| f64::from(row.0));
            (here.ln(), (2.0 * f64::from(rows[at].1) / (after - before)).ln())
        })
        .collect();
    let count = points.len() as f64;
    let mean_x = points.iter().map(|p| p.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|p| p.1).sum::<f64>() / count;
    let across: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let along: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    let slope = if along > 0.0 { (across / along).min(STEADY_SLOPE) } else { STEADY_SLOPE };
    Prepared::GoodTuring { unseen: f64::from(once) / f64::from(never), slope }
}

/// The two priors of [`Estimator::Mix`].
const EVEN: f64 = 1.0;
const EXTREME: f64 = 0.2;

/// The logarithm of the likelihood of the counts under Dirichlet(a), up to what does not depend on `a`.
fn likelihood(counts: &[f64], total: f64, a: f64) -> f64 {
    let sides = counts.len() as f64;
    let taken: f64 = counts.iter().filter(|&&k| k > 0.0).map(|&k| libm::lgamma(k + a) - libm::lgamma(a)).sum();
    libm::lgamma(sides * a) - libm::lgamma(sides * a + total) + taken
}

impl Prepared {
    /// Probabilities of the sides of one decision, which sum to one. Counts may be fractions, where some runs stand
    /// for many. `side` names them for who was told.
    pub fn of(&self, counts: &[f64], side: impl Fn(usize) -> Option<SideId>, out: &mut Vec<f64>) {
        out.clear();
        let sides = counts.len() as f64;
        let total: f64 = counts.iter().sum();
        match self {
            Prepared::Laplace => out.extend(counts.iter().map(|k| (k + 1.0) / (total + sides))),
            Prepared::Mix => {
                let even = likelihood(counts, total, EVEN);
                let extreme = likelihood(counts, total, EXTREME);
                let share = 1.0 / (1.0 + (extreme - even).exp());
                let mean = |k: f64, a: f64| (k + a) / (total + sides * a);
                out.extend(counts.iter().map(|&k| share * mean(k, EVEN) + (1.0 - share) * mean(k, EXTREME)));
            }
            Prepared::GoodTuring { unseen, slope } => {
                let adjusted = |r: f64| if r > 0.0 { r * (1.0 + 1.0 / r).powf(slope + 1.0) } else { *unseen };
                let sum: f64 = counts.iter().map(|&r| adjusted(r)).sum();
                out.extend(counts.iter().map(|&r| adjusted(r) / sum));
            }
            Prepared::Told(probabilities) => {
                let told = |at: usize| side(at).and_then(|side| probabilities.get(side.index()).copied());
                out.extend((0..counts.len()).map(|at| told(at).unwrap_or(1.0 / sides)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(estimator: &Estimator, counts: &[f64]) -> Vec<f64> {
        let mut out = vec![];
        estimator.prepare(counts.iter().map(|&k| k as u32)).of(counts, |_| None, &mut out);
        out
    }

    #[test]
    fn laplace_is_one_more_of_each() {
        assert_eq!(of(&Estimator::Laplace, &[8.0, 0.0]), [0.9, 0.1]);
        assert_eq!(of(&Estimator::Laplace, &[0.0, 0.0, 0.0, 0.0]), [0.25; 4]);
    }

    /// The running product of the likelihoods, hit by hit, is another way to the same number.
    #[test]
    fn mix_is_the_posterior_mean() {
        for hits in ["", "0", "00000000", "01", "0010001", "1111111111111111111101"] {
            let (mut even, mut extreme) = (1.0, 1.0);
            let (mut k, mut m) = (0.0, 0.0);
            for hit in hits.chars() {
                let taken = if hit == '1' { k } else { m - k };
                even *= (taken + 1.0) / (m + 2.0);
                extreme *= (taken + 0.2) / (m + 0.4);
                k += f64::from(u8::from(hit == '1'));
                m += 1.0;
            }
            let p = (even * (k + 1.0) / (m + 2.0) + extreme * (k + 0.2) / (m + 0.4)) / (even + extreme);
            let ours = of(&Estimator::Mix, &[m - k, k]);
            assert!((ours[1] - p).abs() < 1e-12, "{hits}: {} is not {p}", ours[1]);
            assert!((ours[0] + ours[1] - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn good_turing_gives_the_unseen_what_was_seen_once() {
        // Of six sides one was never taken and two once: the unseen one counts as two.
        let prepared = Estimator::GoodTuring.prepare([0, 1, 1, 3, 7, 20].into_iter());
        let mut out = vec![];
        prepared.of(&[20.0, 0.0], |_| None, &mut out);
        assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((0.04..0.12).contains(&out[1]), "{out:?}");
        // Many unseen sides share what little there is.
        let prepared = Estimator::GoodTuring.prepare((0..50).map(|at| if at == 0 { 1 } else { 30 * (at % 2) }));
        prepared.of(&[30.0, 0.0], |_| None, &mut out);
        assert!(out[1] < 0.01, "{out:?}");
    }

    #[test]
    fn names() {
        assert_eq!("mix".parse(), Ok(Estimator::Mix));
        assert_eq!("good-turing".parse(), Ok(Estimator::GoodTuring));
        assert!("laplas".parse::<Estimator>().is_err());
    }
}
