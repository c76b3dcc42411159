//! What runs have covered: source sides, and marks of fast bodies. Only ever grows.

use symcrete_program::SideId;

/// A set of small numbers.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct BitSet {
    words: Vec<u64>,
    count: usize,
}

impl BitSet {
    /// Adds a number; true when it is new.
    pub fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (number / 64, 1u64 << (number % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.count += new as usize;
        new
    }

    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(place * 64 + bit)
            })
        })
    }
}

/// Covered source sides and marks.
#[derive(Clone, Default, Debug)]
pub struct Coverage {
    sides: BitSet,
    /// Covered sides in the order in which they were.
    order: Vec<SideId>,
    marks: BitSet,
}

impl Coverage {
    pub fn new() -> Coverage {
        Self::default()
    }

    /// Counts a side as covered; true when it is new.
    pub fn cover(&mut self, side: SideId) -> bool {
        let new = self.sides.insert(side.index());
        if new {
            self.order.push(side);
        }
        new
    }

    /// Counts every side whose byte is not zero, the first byte being side `base`; the new ones.
    pub fn cover_bytes(&mut self, base: SideId, bytes: &[u8]) -> Vec<SideId> {
        let mut new = Vec::new();
        for (place, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte != 0) {
            let side = SideId(base.0 + place as u32);
            if self.cover(side) {
                new.push(side);
            }
        }
        new
    }

    /// Counts every mark whose byte is not zero; how many are new.
    pub fn cover_marks(&mut self, bytes: &[u8]) -> usize {
        bytes.iter().enumerate().filter(|(_, byte)| **byte != 0).filter(|(place, _)| self.marks.insert(*place)).count()
    }

    pub fn is_covered(&self, side: SideId) -> bool {
        self.sides.contains(side.index())
    }

    pub fn sides(&self) -> &BitSet {
        &self.sides
    }

    /// Sides covered after the first so many, in order.
    pub fn since(&self, count: usize) -> &[SideId] {
        self.order.get(count..).unwrap_or(&[])
    }

    pub fn marks(&self) -> &BitSet {
        &self.marks
    }
}
