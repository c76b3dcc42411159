//! Markov chains: the laboratory's programs. A state is a control location, an edge a way to the next one; a run is a
//! path from state 0 until it leaves. Plain data with its checks; nothing here opens files.

use serde::{Deserialize, Serialize};
use std::io::Read;

/// One way out of a state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The next state; none: the run ends.
    pub to: Option<u32>,
    pub probability: f64,
    /// What it adds to the cost of solving a path.
    pub cost: f64,
}

/// A chain. Invariants, checked by [`Chain::check`]: probabilities of a state's edges sum to one, every state is
/// reachable from state 0, a run ends with certainty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// The form of the file.
    pub format: u32,
    /// Where it comes from, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// By state; a state without edges ends the run.
    pub states: Vec<Vec<Edge>>,
}

pub const FORMAT: u32 = 1;
/// How far sums of probabilities may be from one.
const TOLERANCE: f64 = 1e-9;

/// Why a file is no chain.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    #[error("it cannot be read as JSON of chains: {0}")]
    Json(#[from] serde_json::Error),
    #[error("format {0}: this version reads format {FORMAT}")]
    Format(u32),
    #[error("the file holds no chain")]
    NoChain,
    #[error("a chain needs at least one state")]
    Empty,
    #[error("state {state}: its probabilities sum to {sum}, not to 1")]
    Sum { state: usize, sum: f64 },
    #[error("state {state}, edge {edge}: the probability {probability} is not above 0 and at most 1")]
    Probability { state: usize, edge: usize, probability: f64 },
    #[error("state {state}, edge {edge}: the cost {cost} is not a number above 0")]
    Cost { state: usize, edge: usize, cost: f64 },
    #[error("state {state}, edge {edge}: there is no state {to}; states are 0 to {last}")]
    Target { state: usize, edge: usize, to: u32, last: usize },
    #[error("state {state} has two edges to the same place: make them one")]
    Twice { state: usize },
    #[error("state {state} cannot be reached from state 0: it could never be covered")]
    Unreachable { state: usize },
    #[error("from state {state} no end can be reached: a run that comes there never ends")]
    Endless { state: usize },
}

/// A chain of a file that holds several, and what is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("chain {number}: {error}")]
pub struct NumberedError {
    pub number: usize,
    #[source]
    pub error: ChainError,
}

impl Chain {
    pub fn new(states: Vec<Vec<Edge>>, origin: Option<String>) -> Chain {
        Chain { format: FORMAT, origin, states }
    }

    /// Reads a chain, or an array of them, and checks each.
    pub fn read(mut from: impl Read) -> Result<Vec<Chain>, NumberedError> {
        let numbered = |number: usize| move |error: ChainError| NumberedError { number, error };
        let mut text = String::new();
        from.read_to_string(&mut text).map_err(|e| numbered(0)(serde_json::Error::io(e).into()))?;
        let value: serde_json::Value = serde_json::from_str(&text).map_err(|e| numbered(0)(e.into()))?;
        // Read again as what it looks like: the message then names the line and the field.
        let chains = if value.is_array() {
            serde_json::from_str::<Vec<Chain>>(&text).map_err(|e| numbered(0)(e.into()))?
        } else {
            vec![serde_json::from_str::<Chain>(&text).map_err(|e| numbered(0)(e.into()))?]
        };
        if chains.is_empty() {
            return Err(numbered(0)(ChainError::NoChain));
        }
        for (number, chain) in chains.iter().enumerate() {
            chain.check().map_err(numbered(number))?;
        }
        Ok(chains)
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Whether the state is a decision.
    pub fn branches(&self, state: usize) -> bool {
        self.states[state].len() > 1
    }

    /// Whether it is a chain of the form the laboratory can use.
    pub fn check(&self) -> Result<(), ChainError> {
        if self.format != FORMAT {
            return Err(ChainError::Format(self.format));
        }
        if self.states.is_empty() {
            return Err(ChainError::Empty);
        }
        for (state, edges) in self.states.iter().enumerate() {
            self.check_state(state, edges)?;
        }
        let reached = self.reached();
        if let Some(state) = reached.iter().position(|r| !r) {
            return Err(ChainError::Unreachable { state });
        }
        if let Some(state) = self.ending().iter().position(|e| !e) {
            return Err(ChainError::Endless { state });
        }
        Ok(())
    }

    fn check_state(&self, state: usize, edges: &[Edge]) -> Result<(), ChainError> {
        for (number, edge) in edges.iter().enumerate() {
            let probability = edge.probability;
            if !(probability > 0.0 && probability <= 1.0) {
                return Err(ChainError::Probability { state, edge: number, probability });
            }
            if !(edge.cost > 0.0 && edge.cost.is_finite()) {
                return Err(ChainError::Cost { state, edge: number, cost: edge.cost });
            }
            if let Some(to) = edge.to.filter(|&to| to as usize >= self.len()) {
                return Err(ChainError::Target { state, edge: number, to, last: self.len() - 1 });
            }
            if edges[..number].iter().any(|other| other.to == edge.to) {
                return Err(ChainError::Twice { state });
            }
        }
        let sum: f64 = edges.iter().map(|edge| edge.probability).sum();
        if !edges.is_empty() && (sum - 1.0).abs() > TOLERANCE {
            return Err(ChainError::Sum { state, sum });
        }
        Ok(())
    }

    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut stack = vec![0usize];
        while let Some(state) = stack.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                stack.extend(self.states[state].iter().filter_map(|edge| edge.to).map(|to| to as usize));
            }
        }
        reached
    }

    /// Which states can end the run sooner or later.
    fn ending(&self) -> Vec<bool> {
        let mut ends: Vec<bool> =
            self.states.iter().map(|edges| edges.is_empty() || edges.iter().any(|edge| edge.to.is_none())).collect();
        loop {
            let mut changed = false;
            for state in (0..self.len()).rev().filter(|&s| !ends[s]).collect::<Vec<_>>() {
                if self.states[state].iter().filter_map(|edge| edge.to).any(|to| ends[to as usize]) {
                    ends[state] = true;
                    changed = true;
                }
            }
            if !changed {
                return ends;
            }
        }
    }

    /// Strongly connected components, each after all it leads to.
    pub fn components(&self) -> Vec<Vec<usize>> {
        let mut search = Tarjan {
            chain: self,
            index: vec![usize::MAX; self.len()],
            low: vec![0; self.len()],
            on_stack: vec![false; self.len()],
            stack: vec![],
            next: 0,
            found: vec![],
        };
        for state in 0..self.len() {
            if search.index[state] == usize::MAX {
                search.visit(state);
            }
        }
        search.found
    }

    /// Whether some state can be visited twice in a run.
    pub fn is_cyclic(&self) -> bool {
        let to_itself = |state: usize| self.states[state].iter().any(|edge| edge.to == Some(state as u32));
        self.components().iter().any(|component| component.len() > 1 || to_itself(component[0]))
    }
}

struct Tarjan<'a> {
    chain: &'a Chain,
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    found: Vec<Vec<usize>>,
}

impl Tarjan<'_> {
    /// Without recursion: chains may be long.
    fn visit(&mut self, root: usize) {
        let mut calls = vec![(root, 0)];
        while let Some((state, edge)) = calls.pop() {
            if edge == 0 {
                self.index[state] = self.next;
                self.low[state] = self.next;
                self.next += 1;
                self.stack.push(state);
                self.on_stack[state] = true;
            }
            match self.chain.states[state].get(edge) {
                Some(way) => {
                    calls.push((state, edge + 1));
                    let Some(to) = way.to.map(|to| to as usize) else { continue };
                    if self.index[to] == usize::MAX {
                        calls.push((to, 0));
                    } else if self.on_stack[to] {
                        self.low[state] = self.low[state].min(self.index[to]);
                    }
                }
                None => {
                    if self.low[state] == self.index[state] {
                        let place = self.stack.iter().rposition(|&s| s == state).unwrap_or(0);
                        let component = self.stack.split_off(place);
                        component.iter().for_each(|&member| self.on_stack[member] = false);
                        self.found.push(component);
                    }
                    if let Some(&(parent, _)) = calls.last() {
                        self.low[parent] = self.low[parent].min(self.low[state]);
                    }
                }
            }
        }
    }
}
