//! Trace to path: nodes become terms, events become decisions with their conditions.
//!
//! One pass marks the nodes that decisions depend on, one pass builds them; operands are always older
//! than their users. Runs that share a prefix record the same nodes under the same labels up to where
//! they part: what the last import built is used again as far as it agrees. A trace that makes no sense
//! is an error that names the place, never a panic.

use crate::tables::Tables;
use crate::term::{term_of, value_of};
use crate::trace::{Trace, event_kind};
use crate::units::Units;
use symcrete_abi::layout::{Event, Node};
use symcrete_abi::{EventKind, Label, Op};
use symcrete_program::{Program, SiteId, SiteKind};
use symcrete_term::{Evaluator, Malformed, TermId, Terms};
use symcrete_tree::{Kind, Path, Step};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    #[error("node {label} has the unknown operation {op}")]
    Operation { label: Label, op: u8 },
    #[error("node {label} has a width of {width} bits")]
    Width { label: Label, width: u16 },
    #[error("node {label} ({}) uses node {operand}, which does not come before it", op.name())]
    Operand { label: Label, op: Op, operand: Label },
    #[error("node {label} ({}): {error}", op.name())]
    Malformed { label: Label, op: Op, error: Malformed },
    #[error("node {label} reads a table at word {word}, where there is none")]
    Table { label: Label, word: u32 },
    #[error("event {event} speaks of node {label}, which does not exist")]
    Label { event: usize, label: Label },
    #[error("event {event} has the unknown kind {kind}")]
    Event { event: usize, kind: u8 },
    #[error("event {event} is at site {site}, which no loaded unit has")]
    Site { event: usize, site: u32 },
    #[error("event {event} decides on {width} bits at site {site}, which does not fit")]
    Decision { event: usize, site: u32, width: u8 },
    #[error("event {event} says {taken} at site {site}, node {label} says otherwise")]
    Taken { event: usize, site: u32, label: Label, taken: u8 },
}

/// What a comparison of strings would have needed to find them equal: a hint where to look, no decision of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// How many steps of the path came before.
    pub after: usize,
    pub goal: TermId,
}

/// Turns traces into paths; keeps what it built from one to the next.
///
/// Invariant: where bit `l` of `built` is set, `terms[l]` is the term of `nodes[l]` in store `store`, and
/// the same holds for all its operands.
#[derive(Debug, Default)]
pub struct Importer {
    needed: Vec<u64>,
    built: Vec<u64>,
    nodes: Vec<Node>,
    terms: Vec<TermId>,
    /// Negations of conditions, where they have been asked for; the constant stands for "not yet".
    negated: Vec<TermId>,
    tables: Tables,
    wishes: Vec<Wish>,
    store: Option<u64>,
    /// Of the last path's steps: their places in the stream of the full path.
    positions: Vec<u32>,
    pub(crate) evaluator: Evaluator,
}

impl Importer {
    pub fn new() -> Importer {
        Importer::default()
    }

    /// The path of a run. Decisions whose condition turned out constant are left out.
    pub fn path(
        &mut self,
        trace: &Trace<'_>,
        units: &Units,
        program: &Program,
        terms: &mut Terms,
    ) -> Result<Path, ImportError> {
        self.build(trace, terms)?;
        let mut path = Path { steps: Vec::new(), ..Path::default() };
        self.wishes.clear();
        let mut fixed = 0u64;
        self.positions.clear();
        for (index, event) in trace.events().enumerate() {
            let Some(kind) = event_kind(event.kind) else {
                return Err(ImportError::Event { event: index, kind: event.kind });
            };
            if !carries_label(kind) || event.label == 0 {
                continue;
            }
            fixed += (kind == EventKind::Concretise) as u64;
            let subject = self.term(event.label).ok_or(ImportError::Label { event: index, label: event.label })?;
            let node = trace.node(event.label).ok_or(ImportError::Label { event: index, label: event.label })?;
            if terms.is_constant(subject) {
                continue;
            }
            if kind == EventKind::Wish {
                self.wish(index, &event, subject, path.steps.len(), terms)?;
                continue;
            }
            let site = units.site(event.site).ok_or(ImportError::Site { event: index, site: event.site })?;
            let address = match kind {
                EventKind::Region => {
                    self.term(event.arg).ok_or(ImportError::Label { event: index, label: event.arg })?
                }
                _ => subject,
            };
            let decision = Decision { index, event, node, site, subject, address };
            let negated = &mut self.negated[event.label as usize];
            path.steps.push(decision.step(kind, program, terms, negated)?);
            // A region's event has no room for its place; it stands where the step before it stood, or later.
            let place = if kind == EventKind::Region { 0 } else { event.arg };
            self.positions.push(place.max(self.positions.last().copied().unwrap_or(0)));
        }
        let lost: u64 = trace.lost().iter().fold(0, |sum, l| sum.saturating_add(l.count));
        // A value that was fixed is a step of its own; its entry in the table is the same loss again.
        path.lost = lost.saturating_sub(fixed);
        if trace.is_cut() {
            path.end = symcrete_tree::End::Cut;
        }
        Ok(path)
    }

    fn wish(
        &mut self,
        index: usize,
        event: &Event,
        byte: TermId,
        after: usize,
        terms: &mut Terms,
    ) -> Result<(), ImportError> {
        let width = terms.width(byte);
        if width != 8 {
            return Err(ImportError::Decision { event: index, site: event.site, width });
        }
        let wanted = terms.constant(8, u128::from(event.arg & 0xff));
        let equal = terms.eq(byte, wanted);
        match self.wishes.last_mut() {
            Some(wish) if event.taken == 0 && wish.after == after => wish.goal = terms.and(wish.goal, equal),
            _ => self.wishes.push(Wish { after, goal: equal }),
        }
        Ok(())
    }

    /// What comparisons of strings in the run last imported would have needed to find equality, in order.
    pub fn wishes(&self) -> &[Wish] {
        &self.wishes
    }

    /// Where the steps of the last path stand in the stream of its full path, for [`crate::full_path`].
    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// The term of a node built by the last import.
    pub fn term(&self, label: Label) -> Option<TermId> {
        let index = label as usize;
        let built = self.built.get(index / 64)? >> (index % 64) & 1 == 1;
        (built && label != 0).then(|| self.terms.get(index).copied()).flatten()
    }

    /// Builds the terms of all nodes that some event depends on.
    fn build(&mut self, trace: &Trace<'_>, terms: &mut Terms) -> Result<(), ImportError> {
        let count = trace.node_count();
        self.needed.clear();
        self.needed.resize(count.div_ceil(64), 0);
        for (index, event) in trace.events().enumerate() {
            if event_kind(event.kind).is_none_or(|k| !carries_label(k)) || event.label == 0 {
                continue;
            }
            if event.label as usize >= count {
                return Err(ImportError::Label { event: index, label: event.label });
            }
            self.needed[event.label as usize / 64] |= 1 << (event.label % 64);
            if event.kind == EventKind::Region as u8 {
                if event.arg == 0 || event.arg as usize >= count {
                    return Err(ImportError::Label { event: index, label: event.arg });
                }
                self.needed[event.arg as usize / 64] |= 1 << (event.arg % 64);
            }
        }
        for word in (0..self.needed.len()).rev() {
            // Operands may lie in the same word, below: look again after each.
            let mut open = self.needed[word];
            while open != 0 {
                let bit = 63 - open.leading_zeros();
                let label = (word * 64) as u32 + bit;
                if let Some(node) = trace.node(label) {
                    self.need_operands(&node, label);
                }
                open = self.needed[word] & ((1u64 << bit) - 1);
            }
        }
        self.keep_what_agrees(trace, terms.serial());
        for word in 0..self.needed.len() {
            let mut rest = self.needed[word] & !self.built[word];
            while rest != 0 {
                let label = (word * 64) as u32 + rest.trailing_zeros();
                rest &= rest - 1;
                if let Some(node) = trace.node(label) {
                    let index = label as usize;
                    self.terms[index] = term_of(&node, label, &self.terms, &mut self.tables, trace, terms)?;
                    self.nodes[index] = node;
                    self.negated[index] = TermId::FALSE;
                    self.built[word] |= 1 << (label % 64);
                }
            }
        }
        Ok(())
    }

    /// Forgets everything the new trace does not have in the same way.
    fn keep_what_agrees(&mut self, trace: &Trace<'_>, store: u64) {
        let count = trace.node_count();
        self.tables.begin(trace, self.store == Some(store));
        if self.store != Some(store) {
            self.built.clear();
            self.store = Some(store);
        }
        self.built.resize(count.div_ceil(64), 0);
        self.nodes.resize(count, EMPTY);
        self.terms.resize(count, TermId::FALSE);
        self.negated.resize(count, TermId::FALSE);
        if let Some(last) = self.built.last_mut()
            && !count.is_multiple_of(64)
        {
            *last &= (1 << (count % 64)) - 1;
        }
        for word in 0..self.built.len() {
            let mut rest = self.built[word];
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let label = (word * 64) as u32 + bit;
                let agrees = trace.node(label).is_some_and(|node| self.agrees(&node, label));
                self.built[word] &= !(!agrees as u64).wrapping_shl(bit);
            }
        }
    }

    /// Whether a node is the one built before, over operands that are those of before.
    #[inline]
    fn agrees(&self, node: &Node, label: Label) -> bool {
        let old = &self.nodes[label as usize];
        if (node.op, node.width, node.a, node.b, node.c) != (old.op, old.width, old.a, old.b, old.c) {
            return false;
        }
        match Op::from_u8(node.op) {
            None => false,
            Some(Op::Const) => node.value == old.value,
            Some(Op::Table) if !self.tables.has(node.b) => false,
            Some(op) => [node.a, node.b, node.c]
                .into_iter()
                .take(op.operands())
                .all(|operand| self.built.get(operand as usize / 64).is_some_and(|w| w >> (operand % 64) & 1 == 1)),
        }
    }

    #[inline]
    fn need_operands(&mut self, node: &Node, label: Label) {
        let Some(op) = Op::from_u8(node.op) else { return };
        for operand in [node.a, node.b, node.c].into_iter().take(op.operands()) {
            // What is not below is reported when the node is built.
            if operand < label {
                self.needed[operand as usize / 64] |= 1 << (operand % 64);
            }
        }
    }
}

const EMPTY: Node = Node { op: u8::MAX, width: 0, a: 0, b: 0, c: 0, value: [0; 2] };

fn carries_label(kind: EventKind) -> bool {
    use EventKind::*;
    matches!(kind, Branch | Switch | Concretise | Assume | Region | Wish)
}

/// One event with everything known about it.
struct Decision {
    index: usize,
    event: Event,
    node: Node,
    site: SiteId,
    subject: TermId,
    /// What a region is about.
    address: TermId,
}

impl Decision {
    /// `negated` is where the negation of the subject is kept.
    fn step(
        &self,
        kind: EventKind,
        program: &Program,
        terms: &mut Terms,
        negated: &mut TermId,
    ) -> Result<Step, ImportError> {
        match kind {
            EventKind::Switch => self.switch(program, terms),
            EventKind::Concretise => {
                let value = terms.constant(terms.width(self.subject), value_of(&self.node));
                let condition = terms.eq(self.subject, value);
                Ok(self.made(Kind::Address, 0, condition))
            }
            EventKind::Region => {
                let step = self.two_way(Kind::Address, terms, negated)?;
                Ok(Step { taken: 0, subject: self.address, ..step })
            }
            EventKind::Assume => self.two_way(Kind::Assume, terms, negated),
            _ => self.two_way(Kind::Branch, terms, negated),
        }
    }

    fn two_way(&self, kind: Kind, terms: &mut Terms, negated: &mut TermId) -> Result<Step, ImportError> {
        let width = terms.width(self.subject);
        if width != 1 {
            return Err(ImportError::Decision { event: self.index, site: self.event.site, width });
        }
        let taken = self.event.taken;
        if value_of(&self.node) != taken as u128 {
            let (event, site, label) = (self.index, self.event.site, self.event.label);
            return Err(ImportError::Taken { event, site, label, taken });
        }
        if taken == 0 && *negated == TermId::FALSE {
            *negated = terms.not(self.subject);
        }
        let condition = if taken == 0 { *negated } else { self.subject };
        Ok(self.made(kind, taken as u32, condition))
    }

    fn switch(&self, program: &Program, terms: &mut Terms) -> Result<Step, ImportError> {
        let width = terms.width(self.subject);
        let unfit = ImportError::Decision { event: self.index, site: self.event.site, width };
        if self.site == SiteId::NONE {
            return Err(unfit);
        }
        let (_, site) = program.site(self.site);
        let SiteKind::Switch { width: declared, cases } = &site.kind else { return Err(unfit) };
        if *declared != width as u32 {
            return Err(unfit);
        }
        let value = value_of(&self.node);
        let taken = cases.iter().position(|&case| case == value).unwrap_or(cases.len());
        let condition = case_condition(self.subject, cases, taken, terms);
        Ok(self.made(Kind::Switch { sides: cases.len() as u32 + 1 }, taken as u32, condition))
    }

    fn made(&self, kind: Kind, taken: u32, condition: TermId) -> Step {
        Step { site: self.site, kind, taken, subject: self.subject, condition }
    }
}

/// What makes a switch on `subject` take outcome `taken`; the last outcome is the default.
fn case_condition(subject: TermId, cases: &[u128], taken: usize, terms: &mut Terms) -> TermId {
    let width = terms.width(subject);
    if let Some(&case) = cases.get(taken) {
        let case = terms.constant(width, case);
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
