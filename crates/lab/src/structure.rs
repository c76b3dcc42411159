//! What visiting a state says about others: a run through `v` passes every state that dominates or post-dominates it.
//! From it follow the *requirements*, the fewest states that have to be asked for: all is covered when they are.
//! For chains of up to 64 states, which fit into a word.

use crate::chain::Chain;

/// Most states that fit.
pub const MOST_STATES: usize = 64;

/// A set of states, or of requirements.
pub type Mask = u64;

#[derive(Clone, Debug)]
pub struct Structure {
    /// One of each class of states that imply each other and that nothing else implies.
    pub requirements: Vec<usize>,
    /// By state: the requirements that are met for certain when it is visited.
    pub met: Vec<Mask>,
}

pub(crate) fn bits(mask: Mask) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(bit)
    })
}

/// For each state those on every way from `start` to it, along `before`; itself included.
fn dominators(n: usize, starts: Mask, before: &[Mask]) -> Vec<Mask> {
    let all = if n == 64 { Mask::MAX } else { (1 << n) - 1 };
    let mut sets: Vec<Mask> = (0..n).map(|s| if starts >> s & 1 == 1 { 1 << s } else { all }).collect();
    loop {
        let mut changed = false;
        for state in (0..n).filter(|s| starts >> s & 1 == 0) {
            let met = bits(before[state]).fold(all, |met, other| met & sets[other]) | 1 << state;
            changed |= met != sets[state];
            sets[state] = met;
        }
        if !changed {
            return sets;
        }
    }
}

impl Structure {
    /// Of a chain with at most [`MOST_STATES`] states.
    pub fn new(chain: &Chain) -> Structure {
        let n = chain.len();
        assert!(n <= MOST_STATES, "larger chains are refused before");
        let mut before = vec![0; n];
        let mut after = vec![0; n];
        let mut last: Mask = 0;
        for (state, edges) in chain.states.iter().enumerate() {
            if edges.is_empty() {
                last |= 1 << state;
            }
            for edge in edges {
                match edge.to {
                    Some(to) => {
                        before[to as usize] |= 1 << state;
                        after[state] |= 1 << to;
                    }
                    // The end is a state of its own: passing nothing else, a way there post-dominates nothing.
                    None => last |= 1 << state,
                }
            }
        }
        // The entry may be entered again: still nothing but itself is on every way to it.
        let forward = dominators(n, 1, &before);
        // A state with a way to the end has only itself behind it for certain.
        let backward = dominators(n, last, &after);
        let implied: Vec<Mask> = (0..n).map(|s| forward[s] | backward[s]).collect();
        Structure::from_implications(&implied)
    }

    fn from_implications(implied: &[Mask]) -> Structure {
        let n = implied.len();
        let same = |a: usize, b: usize| implied[a] >> b & 1 == 1 && implied[b] >> a & 1 == 1;
        let mut requirements: Vec<usize> = vec![];
        for state in 0..n {
            let first = (0..state).all(|other| !same(state, other));
            let asked_by_others = (0..n).any(|other| implied[other] >> state & 1 == 1 && !same(state, other));
            if first && !asked_by_others {
                requirements.push(state);
            }
        }
        let met = (0..n)
            .map(|state| {
                let meets = |&(_, &required): &(usize, &usize)| implied[state] >> required & 1 == 1;
                requirements.iter().enumerate().filter(meets).fold(0, |mask, (bit, _)| mask | 1 << bit)
            })
            .collect();
        Structure { requirements, met }
    }

    /// All requirements.
    pub fn all(&self) -> Mask {
        if self.requirements.len() == 64 { Mask::MAX } else { (1 << self.requirements.len()) - 1 }
    }
}

/// A path that can be solved: what it costs, the requirements it meets for certain, and where chance takes over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Action {
    pub cost: f64,
    pub mask: Mask,
    pub end: usize,
}

/// Keeps what nothing cheaper or equal covers as much of; true when the newcomer stays.
fn add(front: &mut Vec<(f64, Mask)>, cost: f64, mask: Mask) -> bool {
    if front.iter().any(|&(c, m)| c <= cost && mask & !m == 0) {
        return false;
    }
    front.retain(|&(c, m)| !(cost <= c && m & !mask == 0));
    front.push((cost, mask));
    true
}

/// The paths worth solving: those that end with a decision, for each end those that nothing else beats in both cost
/// and what they meet. The cheapest alone would not do.
pub fn actions(chain: &Chain, structure: &Structure) -> Vec<Action> {
    let n = chain.len();
    let mut ways: Vec<Vec<(f64, Mask)>> = vec![vec![]; n];
    let mut ends: Vec<Vec<(f64, Mask)>> = vec![vec![]; n];
    ways[0].push((0.0, structure.met[0]));
    // Cheapest first, so that in a chain without loops most of what is kept stays.
    let mut queue = std::collections::BinaryHeap::from([Way { cost: 0.0, state: 0, mask: structure.met[0] }]);
    while let Some(Way { cost, state, mask }) = queue.pop() {
        if !ways[state].contains(&(cost, mask)) {
            continue;
        }
        for edge in &chain.states[state] {
            let Some(to) = edge.to.map(|to| to as usize) else { continue };
            let (cost, mask) = (cost + edge.cost, mask | structure.met[to]);
            if chain.branches(state) {
                add(&mut ends[to], cost, mask);
            }
            if add(&mut ways[to], cost, mask) {
                queue.push(Way { cost, state: to, mask });
            }
        }
    }
    let mut actions: Vec<Action> = ends
        .iter()
        .enumerate()
        .flat_map(|(end, front)| front.iter().map(move |&(cost, mask)| Action { cost, mask, end }))
        .collect();
    actions.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    actions
}

struct Way {
    cost: f64,
    state: usize,
    mask: Mask,
}

impl PartialEq for Way {
    fn eq(&self, other: &Way) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Way {}
impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Way) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Way {
    fn cmp(&self, other: &Way) -> std::cmp::Ordering {
        other.cost.total_cmp(&self.cost).then(other.state.cmp(&self.state))
    }
}
