//! States that are worth another look: by the memory they were recognised by, each with the inputs that lead there.
//! Those come first that hold a value seldom seen, and those that were looked at least.
//!
//! Bounded, whatever a program does.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use symcrete_exec::{Cell, Object};
use symcrete_search::{Rng, below};

/// States that are kept.
const MOST: usize = 4096;
/// Looks at one state.
const MOST_VISITS: u32 = 6;

/// Inputs from the start of the program, in stretches that states share.
#[derive(Debug)]
pub struct Chain {
    before: Option<Rc<Chain>>,
    stretch: Stretch,
    length: usize,
}

/// What a run was given from one state to the next.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    /// Objects of the declared sources as they are from the start on; of standard input or the socket what was used up.
    /// None where any will do.
    pub declared: Vec<Object>,
    /// What was asked for.
    pub objects: Vec<Object>,
    /// Input statements that were performed.
    pub statements: usize,
}

impl Chain {
    pub fn start() -> Rc<Chain> {
        Rc::new(Chain { before: None, stretch: Stretch::default(), length: 0 })
    }

    pub fn with(before: &Rc<Chain>, stretch: Stretch) -> Rc<Chain> {
        let length = before.length + stretch.statements;
        Rc::new(Chain { before: Some(before.clone()), stretch, length })
    }

    /// Input statements from the start on.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there were other input statements than requests in its last stretch.
    pub fn reads(&self) -> bool {
        self.stretch.statements > self.stretch.objects.len()
    }

    pub fn declared(&self) -> &[Object] {
        &self.stretch.declared
    }

    /// All of them, in order.
    pub fn objects(&self) -> Vec<Object> {
        let mut stretches = vec![];
        let mut next = Some(self);
        while let Some(chain) = next {
            stretches.push(&chain.stretch.objects);
            next = chain.before.as_deref();
        }
        stretches.into_iter().rev().flatten().cloned().collect()
    }
}

impl Drop for Chain {
    /// One after the other: a long chain must not need a deep stack.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(chain) = next {
            next = Rc::into_inner(chain).and_then(|mut chain| chain.before.take());
        }
    }
}

#[derive(Debug)]
struct State {
    chain: Rc<Chain>,
    rarity: u32,
    visits: u32,
    /// Ways that were seen to lead to it.
    ways: u32,
}

impl State {
    /// Smaller is better.
    fn rank(&self) -> (u32, usize) {
        let long = (self.chain.len() / 256).checked_ilog2().map_or(0, |n| n + 1);
        (8 * self.visits + self.rarity.max(1).ilog2() + 2 * long, self.chain.len())
    }
}

/// One state that was picked.
pub struct Picked {
    pub chain: Rc<Chain>,
    /// Looks before this one.
    pub visits: u32,
    key: u64,
}

/// States are found by what runs from snapshots say of where they end, in which there are traces of how they were
/// followed: one state has many such names. Its true name is what a walk says that stands there.
#[derive(Debug, Default)]
pub struct Archive {
    states: FxHashMap<u64, State>,
    /// By true name, the name under which a state is looked at.
    looked_at: FxHashMap<u64, u64>,
}

impl Archive {
    /// A state that runs ended in, `stretch` after the end of `before`. Whether it is kept as a new one. What the state
    /// is recognised by is not all there is to it: of all ways that led to it, each is as likely to stay.
    pub fn add(&mut self, cell: Cell, before: &Rc<Chain>, stretch: Stretch, rng: &mut Rng) -> bool {
        if let Some(state) = self.states.get_mut(&cell.state) {
            state.ways += 1;
            if below(rng, state.ways as usize) == 0 && before.len() + stretch.statements <= 2 * state.chain.len() {
                state.chain = Chain::with(before, stretch);
            }
            return false;
        }
        if self.states.len() >= MOST {
            let worst = self.states.iter().max_by_key(|(key, s)| (s.rank(), **key)).map(|(key, s)| (*key, s.rank()));
            match worst {
                Some((key, rank)) if rank.0 > cell.rarity.max(1).ilog2() => drop(self.states.remove(&key)),
                _ => return false,
            }
        }
        let chain = Chain::with(before, stretch);
        self.states.insert(cell.state, State { chain, rarity: cell.rarity, visits: 0, ways: 1 });
        true
    }

    /// The start of the program is a state, too.
    pub fn begin(&mut self) {
        self.states.insert(0, State { chain: Chain::start(), rarity: 1, visits: 0, ways: 1 });
    }

    /// The state to look at next; it counts as looked at.
    pub fn pick(&mut self) -> Option<Picked> {
        let (&key, state) = self.states.iter_mut().min_by_key(|(key, state)| (state.rank(), **key))?;
        if state.visits >= MOST_VISITS {
            return None;
        }
        state.visits += 1;
        Some(Picked { chain: state.chain.clone(), visits: state.visits - 1, key })
    }

    /// A walk stands in a state that was picked: whether another one that was looked at is the same. Then the way to
    /// this one is another way to that one.
    pub fn is_known(&mut self, picked: &Picked, truly: Cell) -> bool {
        if self.looked_at.len() >= 4 * MOST {
            self.looked_at.clear();
        }
        let first = *self.looked_at.entry(truly.state).or_insert(picked.key);
        if first == picked.key || picked.visits > 0 {
            return false;
        }
        let Some(state) = self.states.get_mut(&first) else {
            self.looked_at.insert(truly.state, picked.key);
            return false;
        };
        state.ways += 1;
        if picked.chain.len() <= state.chain.len() + state.chain.len() / 4 {
            // Data that are not part of the name differ from way to way.
            if picked.key.is_multiple_of(u64::from(state.ways)) {
                state.chain = picked.chain.clone();
            }
        }
        self.states.remove(&picked.key);
        true
    }

    /// It cannot be reached again.
    pub fn forget(&mut self, picked: &Picked) {
        if let Some(state) = self.states.get_mut(&picked.key) {
            state.visits = MOST_VISITS;
        }
    }

    /// Something new came of it: it deserves another look soon.
    pub fn praise(&mut self, picked: &Picked) {
        if let Some(state) = self.states.get_mut(&picked.key) {
            state.visits = state.visits.saturating_sub(1);
            state.rarity = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_abi::input::ValueKind;
    use symcrete_exec::ObjectKind;

    fn rng() -> Rng {
        symcrete_search::seeded(1)
    }

    fn cell(state: u64, rarity: u32) -> Cell {
        Cell { state, rarity, position: 0 }
    }

    fn stretch(bytes: &[u8]) -> Stretch {
        let objects = bytes.iter().map(|&byte| object(byte)).collect();
        Stretch { objects, statements: bytes.len(), ..Stretch::default() }
    }

    fn object(byte: u8) -> Object {
        Object { name: "x".into(), kind: ObjectKind::Requested(ValueKind::Bytes), bytes: vec![byte] }
    }

    #[test]
    fn rare_states_come_first_and_each_has_its_inputs() {
        let mut archive = Archive::default();
        archive.begin();
        let start = archive.pick().unwrap();
        assert_eq!((start.chain.len(), start.visits), (0, 0));
        assert!(archive.add(cell(7, 100), &start.chain, stretch(&[1]), &mut rng()));
        assert!(!archive.add(cell(7, 1), &start.chain, stretch(&[2]), &mut rng()), "known");
        assert!(archive.add(cell(9, 1), &start.chain, stretch(&[3]), &mut rng()));
        let rare = archive.pick().unwrap();
        assert_eq!(rare.chain.objects(), [object(3)]);
        assert!(archive.add(cell(11, 1), &rare.chain, stretch(&[4, 5]), &mut rng()));
        let next = archive.pick().unwrap();
        assert_eq!(next.chain.objects(), [object(3), object(4), object(5)]);
        assert_eq!(archive.pick().unwrap().chain.len(), 1);
    }

    #[test]
    fn states_are_bounded_and_looks_at_them_too() {
        let mut archive = Archive::default();
        archive.begin();
        let start = archive.pick().unwrap();
        for state in 1..10_000 {
            archive.add(cell(state, state as u32), &start.chain, stretch(&[0]), &mut rng());
        }
        assert!(archive.states.len() <= MOST);
        let mut looks = 0;
        while archive.pick().is_some() {
            looks += 1;
        }
        assert!(looks <= MOST * MOST_VISITS as usize);
    }

    #[test]
    fn long_chains_end_without_a_deep_stack() {
        let mut chain = Chain::start();
        for _ in 0..200_000 {
            chain = Chain::with(&chain, stretch(&[0]));
        }
        assert_eq!(chain.objects().len(), 200_000);
    }
}
