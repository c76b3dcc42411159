//! The store of terms: an arena in creation order and one hash table, so that equal terms have
//! equal ids. Operands are always older than the term, which makes every walk a loop over ids.
//! Builds and looks up; rewriting is in `rules`, values in `eval`. Never recurses over a term.

use crate::bits::mask;
use crate::op::{Malformed, Op};
use crate::rules::{self, Application};
use crate::tables::{Table, Tables};
use crate::vars::{Var, VarId, VarIter, VarSetId, VarSets};
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A term of one store; equal ids mean equal terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TermId(pub(crate) u32);

impl TermId {
    /// The one-bit constant 0, in every store.
    pub const FALSE: TermId = TermId(0);
    /// The one-bit constant 1, in every store.
    pub const TRUE: TermId = TermId(1);

    /// Its place in creation order.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The term at a place in creation order.
    #[inline]
    pub const fn from_index(index: usize) -> TermId {
        TermId(index as u32)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Head {
    /// 64 bits in the first two operand places.
    Constant,
    /// Index of a value that needs more than 64 bits.
    Wide,
    Variable,
    Apply(Op),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub head: Head,
    pub width: u8,
    pub args: [TermId; 3],
}

const _: () = assert!(size_of::<Node>() == 16);

/// What a term is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term<'a> {
    Constant(u128),
    Variable(VarId, Var),
    Apply(Op, &'a [TermId]),
}

/// Rules build terms whose rules build terms; beyond this nesting a term is built as it stands.
const NESTING: u32 = 48;

/// All terms of one engine worker.
#[derive(Debug)]
pub struct Terms {
    pub(crate) nodes: Vec<Node>,
    sets: Vec<VarSetId>,
    table: HashTable<u32>,
    wide: Vec<u128>,
    wide_index: FxHashMap<u128, u32>,
    vars: Vec<Var>,
    var_index: FxHashMap<Var, VarId>,
    var_sets: VarSets,
    tables: Tables,
    rewriting: bool,
    nesting: u32,
    serial: u64,
    #[cfg(test)]
    pub(crate) fired: std::collections::BTreeMap<&'static str, u64>,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// An empty store that simplifies what it builds.
    pub fn new() -> Terms {
        Self::with_rewriting(true)
    }

    /// An empty store that builds exactly what it is told: for proofs of the rules, and for showing
    /// a trace as it was recorded.
    pub fn plain() -> Terms {
        Self::with_rewriting(false)
    }

    fn with_rewriting(rewriting: bool) -> Terms {
        let mut terms = Terms {
            nodes: Vec::new(),
            sets: Vec::new(),
            table: HashTable::new(),
            wide: Vec::new(),
            wide_index: FxHashMap::default(),
            vars: Vec::new(),
            var_index: FxHashMap::default(),
            var_sets: VarSets::default(),
            tables: Tables::default(),
            rewriting,
            nesting: 0,
            serial: {
                static NEXT: AtomicU64 = AtomicU64::new(0);
                NEXT.fetch_add(1, Ordering::Relaxed)
            },
            #[cfg(test)]
            fired: Default::default(),
        };
        let (no, yes) = (terms.constant(1, 0), terms.constant(1, 1));
        debug_assert_eq!((no, yes), (TermId::FALSE, TermId::TRUE));
        terms
    }

    /// Appends what a store that began as this one has built since; only for reading, so the table of known terms stays
    /// as it is.
    pub(crate) fn append_from(&mut self, newer: &Terms) {
        self.nodes.extend_from_slice(&newer.nodes[self.nodes.len()..]);
        self.sets.extend_from_slice(&newer.sets[self.sets.len()..]);
        self.wide.extend_from_slice(&newer.wide[self.wide.len()..]);
        for (at, &var) in newer.vars.iter().enumerate().skip(self.vars.len()) {
            self.vars.push(var);
            self.var_index.insert(var, VarId(at as u32));
        }
        self.var_sets.append_from(&newer.var_sets);
        self.tables.append_from(&newer.tables);
    }

    /// Tells stores apart: whoever remembers ids from one call to the next can see whether they still
    /// mean the same. Never part of a result.
    #[inline]
    pub fn serial(&self) -> u64 {
        self.serial
    }

    /// How many terms there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// A store always holds the two one-bit constants.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Bytes held by the store, near enough to report.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.sets.capacity() * size_of::<VarSetId>()
            + self.table.capacity() * 5
            + self.wide.capacity() * 16
            + self.tables.entries() * size_of::<u64>()
            + self.var_sets.memory()
    }

    /// A constant; bits above the width are dropped.
    pub fn constant(&mut self, width: u8, value: u128) -> TermId {
        debug_assert!((1..=128).contains(&width));
        let value = value & mask(width);
        let (head, args) = if let Ok(small) = u64::try_from(value) {
            (Head::Constant, [TermId(small as u32), TermId((small >> 32) as u32), TermId(0)])
        } else {
            let next = self.wide.len() as u32;
            let index = *self.wide_index.entry(value).or_insert(next);
            if index == next {
                self.wide.push(value);
            }
            (Head::Wide, [TermId(index), TermId(0), TermId(0)])
        };
        self.intern(Node { head, width, args }, VarSetId::EMPTY)
    }

    /// A one-bit constant.
    #[inline]
    pub const fn boolean(value: bool) -> TermId {
        if value { TermId::TRUE } else { TermId::FALSE }
    }

    /// The term of an input variable.
    pub fn var(&mut self, var: Var) -> TermId {
        let next = VarId(self.vars.len() as u32);
        let id = *self.var_index.entry(var).or_insert(next);
        if id == next {
            self.vars.push(var);
        }
        let set = self.var_sets.singleton(id);
        self.intern(Node { head: Head::Variable, width: var.width(), args: [TermId(id.0), TermId(0), TermId(0)] }, set)
    }

    /// The entry of a table at `index`, which has at most 64 bits; past its end the last one.
    pub fn read(&mut self, index: TermId, table: Table) -> TermId {
        let number = self.table_number(table);
        self.read_numbered(index, number)
    }

    /// What stands for a table in terms, for reading it many times.
    pub fn table_number(&mut self, table: Table) -> TermId {
        let number = self.tables.number(table);
        self.constant(32, number as u128)
    }

    /// [`Terms::read`] of a table known by [`Terms::table_number`].
    pub fn read_numbered(&mut self, index: TermId, number: TermId) -> TermId {
        let width = self.table(number).width();
        self.apply(Op::Read, width, &[index, number])
    }

    /// The table that the second operand of an [`Op::Read`] names.
    #[inline]
    pub fn table(&self, number: TermId) -> &Arc<Table> {
        self.tables.get(self.as_constant(number).unwrap_or(0))
    }

    /// Entries of all tables together.
    pub(crate) fn table_entries(&self) -> usize {
        self.tables.entries()
    }

    /// An application, simplified by the rules unless the store is plain. Panics in debug builds
    /// when it is not well formed; [`Terms::try_apply`] checks always.
    #[inline]
    pub fn apply(&mut self, op: Op, width: u8, args: &[TermId]) -> TermId {
        #[cfg(debug_assertions)]
        if let Err(error) = self.check(op, width, args) {
            panic!("{error}");
        }
        let mut all = [TermId(0); 3];
        all[..args.len()].copy_from_slice(args);
        if !self.rewriting {
            return self.build(op, width, all);
        }
        if op.commutes() && self.out_of_order(all[0], all[1]) {
            all.swap(0, 1);
        }
        // A term that exists as it stands went through the rules before.
        if let Some(known) = self.existing(op, width, all) {
            return known;
        }
        if self.nesting < NESTING {
            self.nesting += 1;
            let found = rules::rewrite(self, Application { op, width, args: all });
            self.nesting -= 1;
            if let Some(found) = found {
                return found;
            }
        }
        self.build(op, width, all)
    }

    /// [`Terms::apply`] for operands that come from outside and may be nonsense.
    pub fn try_apply(&mut self, op: Op, width: u8, args: &[TermId]) -> Result<TermId, Malformed> {
        self.check(op, width, args)?;
        Ok(self.apply(op, width, args))
    }

    fn check(&self, op: Op, width: u8, args: &[TermId]) -> Result<(), Malformed> {
        let mut widths = [0; 3];
        if args.len() != op.arity() {
            return Err(Malformed::Arity { op, expected: op.arity(), got: args.len() });
        }
        for (width, arg) in widths.iter_mut().zip(args) {
            *width = self.width(*arg);
        }
        op.check(width, &widths[..args.len()])?;
        if op == Op::Read {
            let known = self.as_constant(args[1]).filter(|&number| number < self.tables.len() as u128);
            if known.is_none_or(|number| self.tables.get(number).width() != width) {
                return Err(Malformed::Table);
            }
        }
        Ok(())
    }

    /// Constants go right, otherwise the older term goes left.
    #[inline]
    fn out_of_order(&self, a: TermId, b: TermId) -> bool {
        match (self.is_constant(a), self.is_constant(b)) {
            (true, false) => true,
            (false, true) => false,
            _ => a > b,
        }
    }

    fn existing(&self, op: Op, width: u8, args: [TermId; 3]) -> Option<TermId> {
        let node = Node { head: Head::Apply(op), width, args };
        self.table.find(hash(&node), |&at| self.nodes[at as usize] == node).map(|&at| TermId(at))
    }

    /// Looks up or adds the node as it is.
    pub(crate) fn build(&mut self, op: Op, width: u8, args: [TermId; 3]) -> TermId {
        let node = Node { head: Head::Apply(op), width, args };
        let hash = hash(&node);
        let nodes = &self.nodes;
        if let Some(&at) = self.table.find(hash, |&at| nodes[at as usize] == node) {
            return TermId(at);
        }
        let mut set = self.sets[args[0].index()];
        for arg in &args[1..op.arity()] {
            set = self.var_sets.union(set, self.sets[arg.index()]);
        }
        self.insert(node, hash, set)
    }

    fn intern(&mut self, node: Node, set: VarSetId) -> TermId {
        let hash = hash(&node);
        let nodes = &self.nodes;
        match self.table.find(hash, |&at| nodes[at as usize] == node) {
            Some(&at) => TermId(at),
            None => self.insert(node, hash, set),
        }
    }

    fn insert(&mut self, node: Node, node_hash: u64, set: VarSetId) -> TermId {
        let at = u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms");
        self.nodes.push(node);
        self.sets.push(set);
        let nodes = &self.nodes;
        self.table.insert_unique(node_hash, at, |&at| hash(&nodes[at as usize]));
        TermId(at)
    }

    /// The width in bits.
    #[inline]
    pub fn width(&self, id: TermId) -> u8 {
        self.nodes[id.index()].width
    }

    /// What the term is.
    #[inline]
    pub fn get(&self, id: TermId) -> Term<'_> {
        let node = &self.nodes[id.index()];
        match node.head {
            Head::Apply(op) => Term::Apply(op, &node.args[..op.arity()]),
            Head::Variable => {
                let var = VarId(node.args[0].0);
                Term::Variable(var, self.vars[var.index()])
            }
            _ => Term::Constant(self.node_value(node)),
        }
    }

    #[inline]
    pub(crate) fn node_value(&self, node: &Node) -> u128 {
        match node.head {
            Head::Constant => (node.args[0].0 as u64 | (node.args[1].0 as u64) << 32) as u128,
            _ => self.wide[node.args[0].index()],
        }
    }

    #[inline]
    pub fn is_constant(&self, id: TermId) -> bool {
        matches!(self.nodes[id.index()].head, Head::Constant | Head::Wide)
    }

    /// The value of a constant.
    #[inline]
    pub fn as_constant(&self, id: TermId) -> Option<u128> {
        let node = &self.nodes[id.index()];
        matches!(node.head, Head::Constant | Head::Wide).then(|| self.node_value(node))
    }

    /// The input variables a term depends on.
    #[inline]
    pub fn vars(&self, id: TermId) -> VarSetId {
        self.sets[id.index()]
    }

    /// The variables of a term, ascending.
    pub fn vars_of(&self, id: TermId) -> VarIter<'_> {
        self.var_sets.iter(self.vars(id))
    }

    /// The store of variable sets.
    pub fn var_sets(&self) -> &VarSets {
        &self.var_sets
    }

    /// The store of variable sets, for building unions.
    pub fn var_sets_mut(&mut self) -> &mut VarSets {
        &mut self.var_sets
    }

    /// The variable behind its number.
    #[inline]
    pub fn variable(&self, id: VarId) -> Var {
        self.vars[id.index()]
    }

    /// The number of a variable that some term mentions.
    pub fn var_id(&self, var: Var) -> Option<VarId> {
        self.var_index.get(&var).copied()
    }

    /// How many variables terms mention; ids run below it.
    pub fn var_count(&self) -> usize {
        self.vars.len()
    }

    /// Every term the roots are made of, roots included, oldest first: operands before their users.
    pub fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        self.reachable_within(roots, usize::MAX).expect("there is no bound")
    }

    /// The same where they are so many at most. Conditions at the end of a long path may be made of everything before them:
    /// who asks of each of them by itself must not walk through it each time.
    pub fn reachable_within(&self, roots: &[TermId], most: usize) -> Option<Vec<TermId>> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack: Vec<TermId> = roots.iter().copied().filter(|&id| seen.insert(id)).collect();
        let mut all = stack.clone();
        while let Some(id) = stack.pop() {
            if all.len() > most {
                return None;
            }
            if let Term::Apply(_, args) = self.get(id) {
                for &arg in args {
                    if seen.insert(arg) {
                        stack.push(arg);
                        all.push(arg);
                    }
                }
            }
        }
        all.sort_unstable();
        (all.len() <= most).then_some(all)
    }

    /// Rebuilds terms of another store here, with this store's rules; the results in order.
    pub fn import(&mut self, from: &Terms, roots: &[TermId]) -> Vec<TermId> {
        let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in from.reachable(roots) {
            let width = from.width(id);
            let here = match from.get(id) {
                Term::Constant(value) => self.constant(width, value),
                Term::Variable(_, var) => self.var(var),
                Term::Apply(Op::Read, args) => self.read(known[&args[0]], Table::clone(from.table(args[1]))),
                Term::Apply(op, args) => {
                    let mut all = [TermId(0); 3];
                    for (slot, arg) in all.iter_mut().zip(args) {
                        *slot = known[arg];
                    }
                    self.apply(op, width, &all[..args.len()])
                }
            };
            known.insert(id, here);
        }
        roots.iter().map(|root| known[root]).collect()
    }
}

#[inline]
fn hash(node: &Node) -> u64 {
    let mut hasher = FxHasher::default();
    node.head.hash(&mut hasher);
    hasher.write_u64(node.width as u64 | (node.args[2].0 as u64) << 32);
    hasher.write_u64(node.args[0].0 as u64 | (node.args[1].0 as u64) << 32);
    hasher.finish()
}
