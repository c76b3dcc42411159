//! The exact optimum: the least expected cost of covering every state, for someone who knows all probabilities.
//!
//! The decision process over covered sets is lumped to the requirements that are still open ([`Structure`]), which loses
//! nothing. For each open set the value is the best action's cost and what remains after it; runs that bring nothing
//! leave the set as it is, so their probability divides the cost (summed up directly, never as one minus the rest).

use crate::chain::Chain;
use crate::linear;
use crate::structure::{Action, MOST_STATES, Mask, Structure, actions};

/// Most numbers kept while solving: open sets times states.
const MOST_VALUES: usize = 1 << 25;
/// Most requirements: open sets are numbered by them.
const MOST_REQUIREMENTS: usize = 22;
/// Most paths worth solving that are looked at.
const MOST_ACTIONS: usize = 100_000;

/// Why a chain has no exact optimum here.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TooLarge {
    #[error("{0} locations are more than can be solved exactly (at most {MOST_STATES})")]
    States(usize),
    #[error("{0} independent requirements are more than can be solved exactly (at most {MOST_REQUIREMENTS})")]
    Requirements(usize),
    #[error("{0} paths worth solving are more than can be weighed exactly")]
    Actions(usize),
    #[error("the open sets are more than can be kept")]
    Values,
}

/// The optimum of a chain.
pub fn optimum(chain: &Chain) -> Result<f64, TooLarge> {
    optimum_within(chain, MOST_VALUES)
}

/// The same, with so many numbers kept at most.
fn optimum_within(chain: &Chain, most: usize) -> Result<f64, TooLarge> {
    if chain.len() > MOST_STATES {
        return Err(TooLarge::States(chain.len()));
    }
    let structure = Structure::new(chain);
    let count = structure.requirements.len();
    if count > MOST_REQUIREMENTS {
        return Err(TooLarge::Requirements(count));
    }
    let mut actions = actions(chain, &structure);
    if actions.len() > MOST_ACTIONS {
        return Err(TooLarge::Actions(actions.len()));
    }
    // A random run costs 1 and begins at the entry.
    actions.push(Action { cost: 1.0, mask: structure.met[0], end: 0 });
    actions.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut solver = Solver {
        chain,
        met: &structure.met,
        order: order(chain),
        actions,
        place: vec![UNSOLVED; 1 << count],
        values: vec![],
        progress: vec![0.0; chain.len()],
        ahead: vec![0.0; chain.len()],
        most,
    };
    solver.value(structure.all()).ok_or(TooLarge::Values)
}

const UNSOLVED: u32 = u32::MAX;

/// A component in the order of solving; whether it has a loop.
struct Component {
    states: Vec<usize>,
    cyclic: bool,
}

fn order(chain: &Chain) -> Vec<Component> {
    let components = chain.components().into_iter();
    let to_itself = |s: usize| chain.states[s].iter().any(|edge| edge.to == Some(s as u32));
    components.map(|states| Component { cyclic: states.len() > 1 || to_itself(states[0]), states }).collect()
}

struct Solver<'a> {
    chain: &'a Chain,
    met: &'a [Mask],
    order: Vec<Component>,
    actions: Vec<Action>,
    /// By open set: where its values begin.
    place: Vec<u32>,
    /// For each solved open set: its value, then by state the expected cost still to come for a run that is there
    /// with that set open.
    values: Vec<f64>,
    /// Of the set being solved: the probability that a run at a state still meets something open …
    progress: Vec<f64>,
    /// … and what is then to be expected, times that probability.
    ahead: Vec<f64>,
    /// Values that may be kept.
    most: usize,
}

/// All of them give nothing when there is more to keep than may be kept.
impl Solver<'_> {
    fn value(&mut self, open: Mask) -> Option<f64> {
        let place = self.solve(open)?;
        Some(self.values[place])
    }

    /// What is expected of a run at a state with a set open.
    fn from(&mut self, state: usize, open: Mask) -> Option<f64> {
        let place = self.solve(open)?;
        Some(self.values[place + 1 + state])
    }

    /// Solves an open set, all smaller ones that it needs first; where its values begin.
    fn solve(&mut self, open: Mask) -> Option<usize> {
        if self.place[open as usize] != UNSOLVED {
            return Some(self.place[open as usize] as usize);
        }
        let n = self.chain.len();
        if open == 0 {
            return self.keep(open, &vec![0.0; n + 1]);
        }
        // Smaller sets first: the arrays below belong to this one.
        for state in 0..n {
            if self.met[state] & open != 0 {
                self.solve(open & !self.met[state])?;
            }
        }
        for number in 0..self.order.len() {
            self.run(number, open);
        }
        let (progress, ahead) = (self.progress.clone(), self.ahead.clone());
        let mut best = f64::INFINITY;
        for number in 0..self.actions.len() {
            let Action { cost, mask, end } = self.actions[number];
            if cost >= best {
                break;
            }
            let value = if mask & open != 0 {
                cost + self.from(end, open & !mask)?
            } else if progress[end] > 0.0 {
                (cost + ahead[end]) / progress[end]
            } else {
                continue;
            };
            best = best.min(value);
        }
        let mut values = vec![best; n + 1];
        for state in 0..n {
            if self.met[state] & open == 0 {
                values[1 + state] = ahead[state] + (1.0 - progress[state]) * best;
            }
        }
        self.keep(open, &values)
    }

    fn keep(&mut self, open: Mask, values: &[f64]) -> Option<usize> {
        if self.values.len() + values.len() > self.most {
            return None;
        }
        let place = self.values.len();
        self.values.extend_from_slice(values);
        self.place[open as usize] = place as u32;
        Some(place)
    }

    /// Progress of runs at the states of a component that meet nothing open themselves.
    fn run(&mut self, number: usize, open: Mask) {
        let quiet = |state: usize| self.met[state] & open == 0;
        let component = &self.order[number];
        let states: Vec<usize> = component.states.iter().copied().filter(|&s| quiet(s)).collect();
        for &state in &states {
            let (mut progress, mut ahead) = (0.0, 0.0);
            for edge in &self.chain.states[state] {
                let Some(to) = edge.to.map(|to| to as usize) else { continue };
                if !quiet(to) {
                    let place = self.place[(open & !self.met[to]) as usize] as usize;
                    progress += edge.probability;
                    ahead += edge.probability * self.values[place + 1 + to];
                } else if !component.cyclic || !states.contains(&to) {
                    progress += edge.probability * self.progress[to];
                    ahead += edge.probability * self.ahead[to];
                }
            }
            self.progress[state] = progress;
            self.ahead[state] = ahead;
        }
        if !component.cyclic || states.is_empty() {
            return;
        }
        let size = states.len();
        let mut matrix = vec![0.0; size * size];
        let mut right = vec![[0.0; 2]; size];
        for (row, &state) in states.iter().enumerate() {
            matrix[row * size + row] = 1.0;
            right[row] = [self.progress[state], self.ahead[state]];
            for edge in &self.chain.states[state] {
                let Some(column) = edge.to.and_then(|to| states.iter().position(|&s| s == to as usize)) else {
                    continue;
                };
                matrix[row * size + column] -= edge.probability;
            }
        }
        linear::solve(&mut matrix, &mut right);
        for (row, &state) in states.iter().enumerate() {
            self.progress[state] = right[row][0];
            self.ahead[state] = right[row][1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Level, Shape};

    #[test]
    fn what_is_too_much_to_keep_is_said_however_much_that_is() {
        let chain = generate::chain(Shape { states: 12, level: Level::L0, cyclic: false }, 5);
        let exact = optimum(&chain).unwrap();
        let mut enough = 0;
        for most in 0..2000 {
            match optimum_within(&chain, most) {
                Ok(value) => {
                    assert_eq!(value, exact);
                    enough += 1;
                }
                Err(why) => assert!(why == TooLarge::Values && enough == 0, "{most}: {why}"),
            }
        }
        assert!((1..2000).contains(&enough), "{enough}");
    }
}
