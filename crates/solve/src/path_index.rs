//! Which conditions of a path share inputs, kept from query to query: the flips of one path ask about prefixes of the
//! same list, so the index is extended and cut back, never rebuilt.
//!
//! Invariants: `first` maps each distinct condition of `path` to its first place; a group's members are such places,
//! ascending; `by_var[v]` lists every group whose set contains `v`. A group may be left without members by a cut.

use rustc_hash::FxHashMap;
use symcrete_term::{TermId, Terms, VarId, VarSetId};

/// Conditions over exactly the same set of variables.
struct Group {
    vars: Vec<VarId>,
    members: Vec<u32>,
}

#[derive(Default)]
pub(crate) struct PathIndex {
    path: Vec<TermId>,
    /// The first place of each distinct condition: a repetition adds nothing.
    first: FxHashMap<TermId, u32>,
    groups: Vec<Group>,
    group_of: FxHashMap<VarSetId, u32>,
    by_var: Vec<Vec<u32>>,
    seen_vars: Vec<u64>,
    seen_groups: Vec<u64>,
    stamp: u64,
    work: Vec<VarId>,
}

impl PathIndex {
    pub(crate) fn clear(&mut self) {
        *self = PathIndex::default();
    }

    /// Makes the index cover `prefix`. Returns the place from which conditions are new to it.
    pub(crate) fn cover(&mut self, terms: &Terms, prefix: &[TermId]) -> usize {
        let shared = self.path.iter().zip(prefix).take_while(|(a, b)| a == b).count();
        if shared == prefix.len() {
            return shared;
        }
        self.cut(terms, shared);
        self.by_var.resize(self.by_var.len().max(terms.var_count()), Vec::new());
        for (at, &condition) in prefix.iter().enumerate().skip(shared) {
            self.path.push(condition);
            let at = at as u32;
            if *self.first.entry(condition).or_insert(at) != at {
                continue;
            }
            let set = terms.vars(condition);
            if set.is_empty() {
                continue;
            }
            let group = *self.group_of.entry(set).or_insert_with(|| {
                let group = self.groups.len() as u32;
                let vars: Vec<VarId> = terms.vars_of(condition).collect();
                for var in &vars {
                    self.by_var[var.index()].push(group);
                }
                self.groups.push(Group { vars, members: Vec::new() });
                group
            });
            self.groups[group as usize].members.push(at);
        }
        shared
    }

    fn cut(&mut self, terms: &Terms, length: usize) {
        if length == 0 {
            self.clear();
            return;
        }
        for at in (length..self.path.len()).rev() {
            let condition = self.path[at];
            if self.first.get(&condition) == Some(&(at as u32)) {
                self.first.remove(&condition);
                if let Some(&group) = self.group_of.get(&terms.vars(condition)) {
                    let last = self.groups[group as usize].members.pop();
                    debug_assert_eq!(last, Some(at as u32));
                }
            }
        }
        self.path.truncate(length);
    }

    /// The distinct conditions among the first `upto` that share inputs with a root, directly or through others,
    /// in path order.
    pub(crate) fn related(&mut self, terms: &Terms, roots: &[TermId], upto: usize) -> Vec<TermId> {
        self.stamp += 1;
        let stamp = self.stamp;
        self.seen_vars.resize(self.seen_vars.len().max(terms.var_count()), 0);
        self.seen_groups.resize(self.groups.len(), 0);
        self.work.clear();
        for &root in roots {
            for var in terms.vars_of(root) {
                if std::mem::replace(&mut self.seen_vars[var.index()], stamp) != stamp {
                    self.work.push(var);
                }
            }
        }
        let mut found: Vec<u32> = Vec::new();
        while let Some(var) = self.work.pop() {
            let Some(groups) = self.by_var.get(var.index()) else {
                continue;
            };
            for &group in groups {
                let seen = &mut self.seen_groups[group as usize];
                let Group { vars, members } = &self.groups[group as usize];
                if *seen == stamp || members.first().is_none_or(|&first| first as usize >= upto) {
                    continue;
                }
                *seen = stamp;
                found.extend(members.iter().take_while(|&&at| (at as usize) < upto));
                for &other in vars {
                    if std::mem::replace(&mut self.seen_vars[other.index()], stamp) != stamp {
                        self.work.push(other);
                    }
                }
            }
        }
        found.sort_unstable();
        found.into_iter().map(|at| self.path[at as usize]).collect()
    }
}
