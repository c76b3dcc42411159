//! The self-check: every node of a trace, computed again from the input's bytes, must have the value the
//! program really had. Once exactly as recorded, once with all rewriting, so that a mistake of the pass,
//! of the runtime, of the import or of a rewrite rule is found where it is made.
//!
//! [`check_values`] and [`Importer::check`] are quick enough to be on all the time; [`check_trace`] builds
//! terms for every node, also those that no decision depends on.

use crate::import::{ImportError, Importer};
use crate::input::Input;
use crate::tables::Tables;
use crate::term::{recompute, term_of, value_of};
use crate::trace::Trace;
use rustc_hash::FxHashSet;
use std::fmt;
use symcrete_abi::layout::Node;
use symcrete_abi::{Label, Op};
use symcrete_term::float::is_nan;
use symcrete_term::{Evaluator, TermId, Terms, Var};
use symcrete_tree::Path;

/// A node whose value is not what it should be, or a trace that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelfCheckError {
    #[error(transparent)]
    Trace(#[from] ImportError),
    #[error(transparent)]
    Value(Box<WrongValue>),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct WrongValue {
    pub label: Label,
    pub op: Op,
    pub width: u16,
    /// Labels and recorded values of the operands.
    pub operands: Vec<(Label, u128)>,
    /// What the program had.
    pub recorded: u128,
    /// What the evaluator computes.
    pub computed: u128,
    /// Whether rewriting was on.
    pub rewritten: bool,
    /// Runtime-wide site of the first event that may depend on the node.
    pub site: Option<u32>,
}

impl fmt::Display for WrongValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} = {}", self.label, self.op.name())?;
        for (label, value) in &self.operands {
            write!(f, " {label}:{value:#x}")?;
        }
        let how = if self.rewritten { "rewritten" } else { "as recorded" };
        write!(f, " ({} bits, {how}) was {:#x} in the program, is {:#x}", self.width, self.recorded, self.computed)?;
        match self.site {
            Some(site) => write!(f, ", before the event at site {site}"),
            None => Ok(()),
        }
    }
}

/// The conditions of an imported path must hold on the input that was really run; the number of the first
/// step whose condition does not.
pub fn check_path(path: &Path, terms: &Terms, input: &Input) -> Result<(), usize> {
    let mut evaluator = Evaluator::new();
    match path.steps.iter().position(|step| !evaluator.holds(terms, step.condition, &|var: Var| input.value(var))) {
        None => Ok(()),
        Some(step) => Err(step),
    }
}

/// Every node against its operands' recorded values, and input nodes against the input: together that is
/// the whole trace computed again from the input. `input` is the input that was really run, requests
/// included.
pub fn check_values(trace: &Trace<'_>, input: &Input) -> Result<(), SelfCheckError> {
    for label in 1..trace.node_count() as Label {
        let Some(node) = trace.node(label) else { break };
        let computed = recompute(&node, label, trace, input)?;
        if computed != value_of(&node) && !same_nan(&node, computed) {
            return Err(wrong(trace, &node, label, computed, false));
        }
    }
    Ok(())
}

/// [`check_values`], and then the same through terms with all rewriting, in a store of its own.
pub fn check_trace(trace: &Trace<'_>, input: &Input) -> Result<(), SelfCheckError> {
    check_values(trace, input)?;
    let mut terms = Terms::new();
    let mut tables = Tables::default();
    let mut known = Vec::with_capacity(trace.node_count());
    known.push(TermId::FALSE);
    let mut evaluator = Evaluator::new();
    for label in 1..trace.node_count() as Label {
        let Some(node) = trace.node(label) else { break };
        let mut term = term_of(&node, label, &known, &mut tables, trace, &mut terms)?;
        let computed = evaluator.eval(&terms, term, &|var: Var| input.value(var));
        if computed != value_of(&node) {
            if !same_nan(&node, computed) {
                return Err(wrong(trace, &node, label, computed, true));
            }
            // Which NaN an operation gives is the machine's choice; what follows goes on with its choice.
            term = terms.constant(node.width as u8, value_of(&node));
        }
        known.push(term);
    }
    Ok(())
}

impl Importer {
    /// The terms of the last import, the very ones that conditions are made of, against the recorded
    /// values. Cheaper than [`check_trace`]: nothing is built.
    pub fn check(&mut self, trace: &Trace<'_>, terms: &Terms, input: &Input) -> Result<(), SelfCheckError> {
        let mut evaluator = std::mem::take(&mut self.evaluator);
        evaluator.begin();
        let result = self.check_with(&mut evaluator, trace, terms, input);
        self.evaluator = evaluator;
        result
    }

    fn check_with(
        &self,
        evaluator: &mut Evaluator,
        trace: &Trace<'_>,
        terms: &Terms,
        input: &Input,
    ) -> Result<(), SelfCheckError> {
        // Nodes that depend on the bits of a NaN, which are the machine's choice.
        let mut open = FxHashSet::default();
        for label in 1..trace.node_count() as Label {
            let (Some(term), Some(node)) = (self.term(label), trace.node(label)) else { continue };
            let op = Op::from_u8(node.op).ok_or(ImportError::Operation { label, op: node.op })?;
            let on_open = !open.is_empty()
                && [node.a, node.b, node.c].into_iter().take(op.operands()).any(|operand| open.contains(&operand));
            let computed = evaluator.eval(terms, term, &|var: Var| input.value(var));
            if on_open {
                open.insert(label);
            } else if computed != value_of(&node) {
                if !same_nan(&node, computed) {
                    return Err(wrong(trace, &node, label, computed, true));
                }
                open.insert(label);
            }
        }
        Ok(())
    }
}

fn same_nan(node: &Node, computed: u128) -> bool {
    let gives_float = matches!(Op::from_u8(node.op), Some(op) if op.is_float());
    let nan = |bits| is_nan(node.width as u8, bits);
    gives_float && nan(computed) && nan(value_of(node))
}

fn wrong(trace: &Trace<'_>, node: &Node, label: Label, computed: u128, rewritten: bool) -> SelfCheckError {
    let op = Op::from_u8(node.op).unwrap_or(Op::Const);
    let operands = [node.a, node.b, node.c]
        .into_iter()
        .take(op.operands())
        .map(|operand| (operand, trace.node(operand).map_or(0, |n| value_of(&n))))
        .collect();
    let site = trace.events().find(|e| e.label >= label).map(|e| e.site);
    let recorded = value_of(node);
    SelfCheckError::Value(Box::new(WrongValue {
        label,
        op,
        width: node.width,
        operands,
        recorded,
        computed,
        rewritten,
        site,
    }))
}
