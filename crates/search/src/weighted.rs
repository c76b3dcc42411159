//! Open sides with weights, drawn in proportion to them: a tree of partial sums. Weights are never negative.

use crate::strategy::Rng;
use rand_core::RngCore;
use symcrete_tree::OpenSide;

#[derive(Default)]
pub(crate) struct Weighted {
    sides: Vec<OpenSide>,
    weights: Vec<f64>,
    /// Place `n`, counted from 1, holds the sum of the `n & -n` weights that end there.
    sums: Vec<f64>,
}

impl Weighted {
    pub fn clear(&mut self) {
        *self = Weighted::default();
    }

    pub fn len(&self) -> usize {
        self.sides.len()
    }

    pub fn push(&mut self, side: OpenSide, weight: f64) {
        self.sides.push(side);
        self.weights.push(weight);
        let place = self.sides.len();
        let first = place - (place & place.wrapping_neg());
        let (mut sum, mut at) = (weight, place - 1);
        while at > first {
            sum += self.sums[at - 1];
            at -= at & at.wrapping_neg();
        }
        self.sums.push(sum);
    }

    pub fn get(&self, place: usize) -> OpenSide {
        self.sides[place]
    }

    /// Takes a side's weight away.
    pub fn drop_weight(&mut self, place: usize) {
        let weight = std::mem::take(&mut self.weights[place]);
        let mut at = place + 1;
        while at <= self.sums.len() {
            self.sums[at - 1] -= weight;
            at += at & at.wrapping_neg();
        }
    }

    fn total(&self) -> f64 {
        let (mut sum, mut at) = (0.0, self.sums.len());
        while at > 0 {
            sum += self.sums[at - 1];
            at -= at & at.wrapping_neg();
        }
        sum
    }

    /// The place of a side drawn in proportion to its weight; none when nothing weighs anything.
    pub fn draw(&self, rng: &mut Rng) -> Option<usize> {
        let total = self.total();
        if total <= 0.0 {
            return None;
        }
        let mut rest = total * ((rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64);
        let mut at = 0;
        let mut step = self.sums.len().next_power_of_two();
        while step > 0 {
            if let Some(&sum) = self.sums.get((at + step).wrapping_sub(1))
                && sum <= rest
            {
                at += step;
                rest -= sum;
            }
            step /= 2;
        }
        // Rounding may lead beside the last one that weighs something.
        let at = at.min(self.weights.len() - 1);
        (self.weights[at] > 0.0).then_some(at).or_else(|| self.weights.iter().rposition(|&weight| weight > 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::seeded;
    use symcrete_tree::NodeId;

    #[test]
    fn draws_follow_the_weights() {
        let mut weighted = Weighted::default();
        let weights = [1.0, 0.0, 4.0, 2.0, 8.0, 1.0, 3.0];
        for (at, &weight) in weights.iter().enumerate() {
            weighted.push(OpenSide { node: NodeId(at as u32), side: 0 }, weight);
        }
        weighted.drop_weight(4);
        let mut counts = [0; 7];
        let mut rng = seeded(3);
        for _ in 0..11_000 {
            counts[weighted.draw(&mut rng).unwrap()] += 1;
        }
        for (at, &count) in counts.iter().enumerate() {
            let want = if at == 4 { 0.0 } else { weights[at] * 1000.0 };
            assert!((f64::from(count) - want).abs() < 200.0, "{at}: {count} of {want}");
        }
        (0..7).for_each(|at| weighted.drop_weight(at));
        assert_eq!(weighted.draw(&mut rng), None);
    }
}
