//! The few statistics a comparison needs.

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Standard deviation of a sample; 0 for a single value.
pub fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// More values than this together, and the normal distribution is exact enough.
const EXACT: usize = 60;

/// Two-sided p-value of the Mann–Whitney test that two samples come from the same distribution; ties share their
/// ranks. Exact, by counting all ways to deal the ranks, unless the samples are large.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let ranks = doubled_ranks(a, b);
    let sum: u64 = ranks[..a.len()].iter().sum();
    Some(if ranks.len() <= EXACT { exact(&ranks, a.len(), sum) } else { by_normal(&ranks, a.len(), sum) })
}

/// Twice the rank of each value, those of `a` first: shared ranks stay whole numbers.
fn doubled_ranks(a: &[f64], b: &[f64]) -> Vec<u64> {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let rank = |value: f64| {
        let below = all.iter().filter(|other| **other < value).count() as u64;
        let equal = all.iter().filter(|other| **other == value).count() as u64;
        2 * below + equal + 1
    };
    all.iter().map(|value| rank(*value)).collect()
}

fn exact(ranks: &[u64], n: usize, sum: u64) -> f64 {
    let most = ranks.iter().sum::<u64>() as usize;
    // How many ways there are to take so many values with that sum.
    let mut ways = vec![vec![0.0f64; most + 1]; n + 1];
    ways[0][0] = 1.0;
    for &rank in ranks {
        for taken in (0..n).rev() {
            for total in 0..=most - rank as usize {
                let more = ways[taken][total];
                ways[taken + 1][total + rank as usize] += more;
            }
        }
    }
    let all: f64 = ways[n].iter().sum();
    // The mean of the sum, doubled once more to stay whole.
    let centre = 2 * n as u64 * most as u64 / ranks.len() as u64;
    let off = (2 * sum).abs_diff(centre);
    let extreme = |total: usize| (2 * total as u64).abs_diff(centre) >= off;
    let count: f64 = ways[n].iter().enumerate().filter(|(total, _)| extreme(*total)).map(|(_, ways)| ways).sum();
    count / all
}

fn by_normal(ranks: &[u64], n: usize, sum: u64) -> f64 {
    let (count, n) = (ranks.len() as f64, n as f64);
    let values: Vec<f64> = ranks.iter().map(|rank| *rank as f64).collect();
    let centre = n * mean(&values);
    // Dealing without putting back.
    let variance = n * (count - n) / count * deviation(&values).powi(2);
    if variance == 0.0 {
        return 1.0;
    }
    let off = ((sum as f64 - centre).abs() - 1.0).max(0.0);
    libm::erfc(off / (2.0 * variance).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        // Three against three without overlap: 2 of 20 ways are as extreme.
        assert_eq!(mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), Some(0.1));
        // Five against five: 2 of 252.
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]);
        assert!((mann_whitney(&a, &b).unwrap() - 2.0 / 252.0).abs() < 1e-12);
        assert_eq!(mann_whitney(&[5.0, 5.0], &[5.0, 5.0, 5.0]), Some(1.0));
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    #[test]
    fn large_samples_agree_with_the_exact_test() {
        let a: Vec<f64> = (0..30).map(|n| f64::from(n * 7 % 30)).collect();
        let b: Vec<f64> = (0..30).map(|n| f64::from(n * 11 % 30) + 5.0).collect();
        let ranks = doubled_ranks(&a, &b);
        let sum = ranks[..30].iter().sum();
        let (exact, normal) = (exact(&ranks, 30, sum), by_normal(&ranks, 30, sum));
        assert!((exact - normal).abs() < 0.01, "{exact} {normal}");
    }

    proptest! {
        /// Against dealing the values out in every possible way.
        #[test]
        fn equals_counting(a in prop::collection::vec(0u8..6, 1..6), b in prop::collection::vec(0u8..6, 1..6)) {
            let number = |values: &[u8]| values.iter().map(|value| f64::from(*value)).collect::<Vec<f64>>();
            let (a, b) = (number(&a), number(&b));
            let ranks = doubled_ranks(&a, &b);
            let centre = a.len() as f64 * mean(&ranks.iter().map(|r| *r as f64).collect::<Vec<_>>());
            let off = |mask: u32| {
                let sum: u64 = ranks.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, r)| r).sum();
                (sum as f64 - centre).abs()
            };
            let masks: Vec<u32> = (0..1u32 << ranks.len()).filter(|mask| mask.count_ones() as usize == a.len()).collect();
            let own = off((1 << a.len()) - 1);
            let want = masks.iter().filter(|mask| off(**mask) >= own - 1e-9).count() as f64 / masks.len() as f64;
            let got = mann_whitney(&a, &b).unwrap();
            prop_assert!((got - want).abs() < 1e-9, "{} {}", got, want);
        }
    }
}
