//! Input variables, and sets of them shared by all terms. A set is a hash-consed radix tree over
//! 64-bit leaves: equal sets have equal ids, a union costs the height of the tree, and a running
//! checksum over thousands of bytes does not copy its set at every step. Never holds values.

use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use std::hash::{BuildHasher, BuildHasherDefault};

type Hasher = BuildHasherDefault<rustc_hash::FxHasher>;

/// One unknown of the input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Var {
    /// One byte of a named object: 8 bits.
    Byte { object: u32, offset: u32 },
    /// How many bytes the object has: 64 bits.
    Length { object: u32 },
}

impl Var {
    #[inline]
    pub const fn width(self) -> u8 {
        match self {
            Var::Byte { .. } => 8,
            Var::Length { .. } => 64,
        }
    }
}

/// A variable's number in its store, in order of first use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct VarId(pub(crate) u32);

impl VarId {
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of variables; equal ids mean equal sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct VarSetId(u32);

impl VarSetId {
    pub const EMPTY: VarSetId = VarSetId(0);
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Invariants: node 0 is the empty set; a leaf has a bit; a branch at `level` has two children, the
/// left with bit `level` of all its leaf numbers clear, the right with it set, and above that bit
/// all leaf numbers agree. So every set has exactly one tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum SetNode {
    Empty,
    Leaf { block: u32, bits: u64 },
    Branch { block: u32, level: u8, left: VarSetId, right: VarSetId },
}

/// The store of sets.
#[derive(Debug)]
pub struct VarSets {
    nodes: Vec<SetNode>,
    table: HashTable<u32>,
    unions: FxHashMap<(VarSetId, VarSetId), VarSetId>,
}

impl Default for VarSets {
    fn default() -> Self {
        VarSets { nodes: vec![SetNode::Empty], table: HashTable::new(), unions: FxHashMap::default() }
    }
}

impl VarSets {
    fn intern(&mut self, node: SetNode) -> VarSetId {
        let hash = Hasher::default().hash_one(node);
        let nodes = &self.nodes;
        if let Some(&at) = self.table.find(hash, |&at| nodes[at as usize] == node) {
            return VarSetId(at);
        }
        let at = self.nodes.len() as u32;
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.table.insert_unique(hash, at, |&at| Hasher::default().hash_one(nodes[at as usize]));
        VarSetId(at)
    }

    /// The sets that another store, which began as this one, has more; only for reading.
    pub(crate) fn append_from(&mut self, newer: &VarSets) {
        self.nodes.extend_from_slice(&newer.nodes[self.nodes.len()..]);
    }

    /// The set of one variable.
    pub fn singleton(&mut self, var: VarId) -> VarSetId {
        self.intern(SetNode::Leaf { block: var.0 / 64, bits: 1 << (var.0 % 64) })
    }

    /// All of both. Recursion is bounded by the 26 levels a tree can have.
    pub fn union(&mut self, a: VarSetId, b: VarSetId) -> VarSetId {
        if a == b || b.is_empty() {
            return a;
        }
        if a.is_empty() {
            return b;
        }
        let (na, nb) = (self.nodes[a.index()], self.nodes[b.index()]);
        if let (SetNode::Leaf { block, bits }, SetNode::Leaf { block: other, bits: more }) = (na, nb)
            && block == other
        {
            return match bits | more {
                all if all == bits => a,
                all if all == more => b,
                all => self.intern(SetNode::Leaf { block, bits: all }),
            };
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let result = self.merge(a, na, b, nb);
        self.unions.insert(key, result);
        result
    }

    fn merge(&mut self, a: VarSetId, na: SetNode, b: VarSetId, nb: SetNode) -> VarSetId {
        let ((block_a, height_a), (block_b, height_b)) = (extent(na), extent(nb));
        let height = height_a.max(height_b);
        if (block_a ^ block_b).checked_shr(height as u32).unwrap_or(0) != 0 {
            // Neither contains the other's range: a new branch at the highest differing bit.
            let level = 31 - (block_a ^ block_b).leading_zeros() as u8;
            let (left, right) = if block_a < block_b { (a, b) } else { (b, a) };
            return self.intern(SetNode::Branch { block: block_a & above(level), level, left, right });
        }
        let (tall, short, short_id, tall_id) = if height_a >= height_b { (na, nb, b, a) } else { (nb, na, a, b) };
        let SetNode::Branch { block, level, left, right } = tall else {
            unreachable!("two leaves of one block are joined by their bits")
        };
        let (new_left, new_right) = match short {
            SetNode::Branch { level: same, left: l, right: r, .. } if same == level => {
                (self.union(left, l), self.union(right, r))
            }
            _ if extent(short).0 >> level & 1 == 0 => (self.union(left, short_id), right),
            _ => (left, self.union(right, short_id)),
        };
        if (new_left, new_right) == (left, right) {
            return tall_id;
        }
        self.intern(SetNode::Branch { block, level, left: new_left, right: new_right })
    }

    /// Whether they share a variable.
    pub fn intersects(&self, a: VarSetId, b: VarSetId) -> bool {
        if a.is_empty() || b.is_empty() {
            return false;
        }
        if a == b {
            return true;
        }
        let (na, nb) = (self.nodes[a.index()], self.nodes[b.index()]);
        let ((block_a, height_a), (block_b, height_b)) = (extent(na), extent(nb));
        if (block_a ^ block_b).checked_shr(height_a.max(height_b) as u32).unwrap_or(0) != 0 {
            return false;
        }
        match (na, nb) {
            (SetNode::Leaf { bits, .. }, SetNode::Leaf { bits: more, .. }) => bits & more != 0,
            (SetNode::Branch { level, left, right, .. }, SetNode::Branch { level: other, left: l, right: r, .. })
                if level == other =>
            {
                self.intersects(left, l) || self.intersects(right, r)
            }
            _ => {
                let (tall, short, block) = if height_a >= height_b { (na, b, block_b) } else { (nb, a, block_a) };
                let SetNode::Branch { level, left, right, .. } = tall else {
                    unreachable!("the taller of two trees of different height is a branch")
                };
                self.intersects(if block >> level & 1 == 0 { left } else { right }, short)
            }
        }
    }

    /// Whether the variable is in the set.
    pub fn contains(&self, mut set: VarSetId, var: VarId) -> bool {
        let want = var.0 / 64;
        loop {
            match self.nodes[set.index()] {
                SetNode::Empty => return false,
                SetNode::Leaf { block, bits } => return block == want && bits >> (var.0 % 64) & 1 == 1,
                SetNode::Branch { level, left, right, .. } => {
                    set = if want >> level & 1 == 0 { left } else { right };
                }
            }
        }
    }

    /// The variables in ascending order.
    pub fn iter(&self, set: VarSetId) -> VarIter<'_> {
        VarIter { sets: self, stack: vec![set], block: 0, bits: 0 }
    }

    pub(crate) fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<SetNode>() + self.table.capacity() * 5 + self.unions.capacity() * 13
    }

    /// How many variables it has.
    pub fn len(&self, set: VarSetId) -> usize {
        let (mut stack, mut total) = (vec![set], 0);
        while let Some(set) = stack.pop() {
            match self.nodes[set.index()] {
                SetNode::Empty => {}
                SetNode::Leaf { bits, .. } => total += bits.count_ones() as usize,
                SetNode::Branch { left, right, .. } => stack.extend([left, right]),
            }
        }
        total
    }
}

/// The first block of the tree's range and how many low bits of the block number it leaves open.
fn extent(node: SetNode) -> (u32, u8) {
    match node {
        SetNode::Empty => (0, 0),
        SetNode::Leaf { block, .. } => (block, 0),
        SetNode::Branch { block, level, .. } => (block, level + 1),
    }
}

fn above(level: u8) -> u32 {
    u32::MAX.checked_shl(level as u32 + 1).unwrap_or(0)
}

/// Ascending iterator over a set.
pub struct VarIter<'a> {
    sets: &'a VarSets,
    stack: Vec<VarSetId>,
    block: u32,
    bits: u64,
}

impl Iterator for VarIter<'_> {
    type Item = VarId;
    fn next(&mut self) -> Option<VarId> {
        while self.bits == 0 {
            match self.sets.nodes[self.stack.pop()?.index()] {
                SetNode::Empty => {}
                SetNode::Leaf { block, bits } => (self.block, self.bits) = (block, bits),
                SetNode::Branch { left, right, .. } => self.stack.extend([right, left]),
            }
        }
        let bit = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(VarId(self.block * 64 + bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn build(sets: &mut VarSets, members: &BTreeSet<u32>) -> VarSetId {
        members.iter().fold(VarSetId::EMPTY, |set, &var| {
            let one = sets.singleton(VarId(var));
            sets.union(set, one)
        })
    }

    fn members() -> impl Strategy<Value = BTreeSet<u32>> {
        prop::collection::btree_set(prop_oneof![0u32..200, 0u32..100_000, any::<u32>()], 0..40)
    }

    proptest! {
        #[test]
        fn behaves_as_ordered_sets(a in members(), b in members()) {
            let mut sets = VarSets::default();
            let (ia, ib) = (build(&mut sets, &a), build(&mut sets, &b));
            let both: BTreeSet<u32> = a.union(&b).copied().collect();
            let joined = sets.union(ia, ib);
            prop_assert_eq!(joined, build(&mut sets, &both), "one tree per set");
            prop_assert_eq!(sets.iter(joined).map(|v| v.0).collect::<Vec<_>>(), both.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(sets.len(joined), both.len());
            prop_assert_eq!(sets.intersects(ia, ib), !a.is_disjoint(&b));
            for &v in &both {
                prop_assert_eq!(sets.contains(ia, VarId(v)), a.contains(&v));
            }
        }
    }

    #[test]
    fn a_running_union_stays_small() {
        let mut sets = VarSets::default();
        let mut all = VarSetId::EMPTY;
        for v in 0..4096 {
            let one = sets.singleton(VarId(v));
            all = sets.union(all, one);
        }
        assert_eq!(sets.len(all), 4096);
        assert!(sets.nodes.len() < 4096 * 9, "{} nodes", sets.nodes.len());
    }
}
