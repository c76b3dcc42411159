//! Random chains as the paper on optimal concolic testing describes them, where it does. Same seed, same chain.

use crate::chain::{Chain, Edge};
use rand_core::RngCore;
use symcrete_search::{Rng, below, seeded};

/// How the less likely sides of rare branches are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Exactly 1e-4.
    L0,
    /// Log-uniform from 1e-4 to one half.
    L1,
}

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub states: usize,
    pub level: Level,
    pub cyclic: bool,
}

/// The least probability of a side.
const LEAST: f64 = 1e-4;
const MOST_COST: usize = 1000;
/// Runs of a cyclic chain are no longer than this on the average.
const LONGEST: f64 = 500.0;

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::L0 => "L0",
            Level::L1 => "L1",
        }
    }
}

fn uniform(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// The chain of a seed.
pub fn chain(shape: Shape, seed: u64) -> Chain {
    // Neighbouring seeds and shapes must not give neighbouring streams.
    let salt = (shape.states as u64) << 2 | (shape.level as u64) << 1 | u64::from(shape.cyclic);
    let mut rng = seeded(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xd1b5_4a32_d192_ed03));
    let kind = if shape.cyclic { "cyclic" } else { "acyclic" };
    let origin = format!("random, {} states, {}, {kind}, seed {seed}", shape.states, shape.level.name());
    loop {
        let targets = targets(shape, &mut rng);
        let rare = if shape.states <= 5 { 0.8 } else { 0.2 };
        let states = targets.iter().map(|to| edges(to, rare, shape.level, &mut rng)).collect();
        let chain = Chain::new(states, Some(origin.clone()));
        if !shape.cyclic || (chain.check().is_ok() && mean_length(&chain) <= LONGEST) {
            debug_assert!(chain.check().is_ok());
            return chain;
        }
    }
}

/// Where the edges of each state go.
fn targets(shape: Shape, rng: &mut Rng) -> Vec<Vec<Option<u32>>> {
    let n = shape.states;
    let sink = |state: usize| shape.cyclic && state + 1 == n && n > 1;
    let slots: Vec<usize> =
        (0..n).map(|state| if sink(state) { 0 } else { 1 + usize::from(uniform(rng) < 0.5) }).collect();
    let mut to: Vec<Vec<Option<u32>>> = vec![vec![]; n];
    for next in 1..n {
        // There is always an open one: each earlier state brought at least one slot.
        let open: Vec<usize> = (0..next).flat_map(|s| std::iter::repeat_n(s, slots[s] - to[s].len())).collect();
        to[open[below(rng, open.len())]].push(Some(next as u32));
    }
    for state in 0..n {
        while to[state].len() < slots[state] {
            let mut choices: Vec<Option<u32>> = if shape.cyclic {
                (0..n as u32).filter(|&s| s as usize != state).map(Some).chain([None]).collect()
            } else {
                (state as u32 + 1..n as u32).map(Some).collect()
            };
            choices.retain(|choice| !to[state].contains(choice));
            if !shape.cyclic && slots[state] == 1 {
                choices.push(None);
            }
            if choices.is_empty() {
                break;
            }
            to[state].push(choices[below(rng, choices.len())]);
        }
    }
    to
}

fn edges(to: &[Option<u32>], rare: f64, level: Level, rng: &mut Rng) -> Vec<Edge> {
    let minor = if to.len() < 2 {
        0.0
    } else if uniform(rng) < rare {
        match level {
            Level::L0 => LEAST,
            Level::L1 => (LEAST.ln() + uniform(rng) * (0.5f64 / LEAST).ln()).exp(),
        }
    } else {
        LEAST + uniform(rng) * (1.0 - 2.0 * LEAST)
    };
    let first_is_minor = below(rng, 2) == 0;
    to.iter()
        .enumerate()
        .map(|(place, &to)| {
            let probability = if (place == 0) == first_is_minor { minor } else { 1.0 - minor };
            Edge { to, probability, cost: (1 + below(rng, MOST_COST)) as f64 }
        })
        .map(|edge| if minor == 0.0 { Edge { probability: 1.0, ..edge } } else { edge })
        .collect()
}

/// Steps of a run on the average, by repeated substitution; more than [`LONGEST`] when it does not settle.
fn mean_length(chain: &Chain) -> f64 {
    let mut left = vec![0.0f64; chain.len()];
    for _ in 0..20 * LONGEST as usize {
        let mut change = 0.0f64;
        for state in (0..chain.len()).rev() {
            let ahead: f64 = chain.states[state]
                .iter()
                .map(|edge| edge.probability * edge.to.map_or(0.0, |to| left[to as usize]))
                .sum();
            let now = 1.0 + ahead;
            change = change.max((now - left[state]).abs());
            left[state] = now;
        }
        if left[0] > LONGEST || change < 1e-6 {
            return left[0];
        }
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_chains_and_the_same_for_the_same_seed() {
        for states in [1, 2, 3, 5, 10, 20, 40] {
            for level in [Level::L0, Level::L1] {
                for cyclic in [false, true] {
                    let shape = Shape { states, level, cyclic };
                    for seed in 0..30 {
                        let one = chain(shape, seed);
                        one.check().unwrap();
                        assert!(cyclic || !one.is_cyclic());
                        assert_eq!(one, chain(shape, seed));
                    }
                    assert!(states < 5 || chain(shape, 1) != chain(shape, 2));
                }
            }
        }
    }

    #[test]
    fn half_of_the_states_branch_and_low_sides_are_as_low_as_asked() {
        let (mut two, mut all, mut least) = (0, 0, 1.0f64);
        for seed in 0..200 {
            let chain = chain(Shape { states: 20, level: Level::L0, cyclic: false }, seed);
            two += chain.states.iter().filter(|edges| edges.len() == 2).count();
            all += chain.len();
            least = chain.states.iter().flatten().fold(least, |least, edge| least.min(edge.probability));
        }
        let share = two as f64 / all as f64;
        assert!((0.4..0.55).contains(&share), "{share}");
        assert_eq!(least, 1e-4);
    }
}
