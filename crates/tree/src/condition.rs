//! The terms of paths: what holds on the way to a node and what a flip asks for. Builds terms from
//! what the nodes remember; never solves.

use crate::frontier::OpenSide;
use crate::node::{Kind, NodeId};
use crate::tree::Tree;
use symcrete_program::{Program, SiteKind};
use symcrete_term::{TermId, Terms};

/// See [`Tree::way_conditions`].
pub struct WayConditions {
    nodes: Vec<NodeId>,
    conditions: Vec<TermId>,
    before: Vec<usize>,
}

impl WayConditions {
    /// The same as [`Tree::prefix_conditions`], for a node on the way.
    pub fn of(&self, node: NodeId) -> Option<&[TermId]> {
        let at = self.nodes.binary_search(&node).ok()?;
        Some(&self.conditions[..self.before[at]])
    }
}

impl Tree {
    /// The conditions of all decisions before the node, first one first, each once.
    pub fn prefix_conditions(&self, id: NodeId) -> Vec<TermId> {
        let mut conditions: Vec<TermId> =
            self.upwards(id).map(|at| self.node(at).entry).filter(|&entry| entry != TermId::TRUE).collect();
        conditions.reverse();
        // One bit a term: long paths are asked for again and again, and a hash set of each would take longer.
        let most = conditions.iter().map(|condition| condition.index()).max().unwrap_or(0);
        let mut seen = vec![0u64; most / 64 + 1];
        conditions.retain(|condition| {
            let (word, bit) = (&mut seen[condition.index() / 64], 1 << (condition.index() % 64));
            let new = *word & bit == 0;
            *word |= bit;
            new
        });
        conditions
    }

    /// For every node on the way to this one, and itself, which conditions come before it: the list of all of them
    /// and how many of the list belong to a node of which depth.
    pub fn way_conditions(&self, last: NodeId) -> WayConditions {
        let mut way: Vec<NodeId> = self.upwards(last).collect();
        way.reverse();
        let mut seen = vec![false; 0];
        let mut conditions = Vec::new();
        let mut before = Vec::with_capacity(way.len() + 1);
        let mut nodes = Vec::with_capacity(way.len() + 1);
        for at in way {
            let entry = self.node(at).entry;
            if entry != TermId::TRUE {
                seen.resize(seen.len().max(entry.index() + 1), false);
                if !std::mem::replace(&mut seen[entry.index()], true) {
                    conditions.push(entry);
                }
            }
            nodes.push(at);
            before.push(conditions.len());
        }
        WayConditions { nodes, conditions, before }
    }

    /// What must hold at the node for a run to take the side.
    pub fn side_condition(&self, side: OpenSide, terms: &mut Terms, program: &Program) -> TermId {
        let node = self.node(side.node);
        let subject = node.subject;
        match self.kind(side.node) {
            Kind::Branch | Kind::Assume if side.side == 1 => subject,
            Kind::Branch | Kind::Assume => terms.not(subject),
            Kind::Address => {
                let values = &self.values[node.sides[1] as usize];
                if side.side > 0 {
                    return values[side.side as usize - 1].condition;
                }
                let mut none = TermId::TRUE;
                for value in values {
                    let other = terms.not(value.condition);
                    none = terms.and(none, other);
                }
                none
            }
            Kind::Switch { sides } => {
                let (_, site) = program.site(node.site);
                let SiteKind::Switch { cases, .. } = &site.kind else {
                    unreachable!("a switch node is at the site of a switch")
                };
                let width = terms.width(subject);
                if side.side + 1 < sides {
                    let case = terms.constant(width, cases[side.side as usize]);
                    return terms.eq(subject, case);
                }
                let mut none = TermId::TRUE;
                for &case in cases {
                    let case = terms.constant(width, case);
                    let other = terms.ne(subject, case);
                    none = terms.and(none, other);
                }
                none
            }
        }
    }

    /// The query of a flip: the prefix's conditions, and the side's own.
    pub fn flip_query(&self, side: OpenSide, terms: &mut Terms, program: &Program) -> (Vec<TermId>, TermId) {
        let prefix = self.prefix_conditions(side.node);
        (prefix, self.side_condition(side, terms, program))
    }

    /// Every term the tree refers to, for whoever wants to keep only those.
    pub fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        let values = self.values.iter().flatten().map(|value| value.condition);
        self.nodes.iter().flat_map(|node| [node.subject, node.entry]).chain(values)
    }

    /// Replaces every term, after the store was rebuilt.
    pub fn replace_terms(&mut self, mut new: impl FnMut(TermId) -> TermId) {
        for node in &mut self.nodes {
            node.subject = new(node.subject);
            node.entry = new(node.entry);
        }
        for value in self.values.iter_mut().flatten() {
            value.condition = new(value.condition);
        }
    }
}
