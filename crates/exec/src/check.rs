//! The self-check: every node of a trace, computed again from the input's bytes, must have the value the
//! program really had. Once exactly as recorded, once with all rewriting, so that a mistake of the pass,
//! of the runtime, of the import or of a rewrite rule is found where it is made.

use crate::import::ImportError;
use crate::input::Input;
use crate::term::{term_of, value_of};
use crate::trace::Trace;
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

/// `input` is the input that was really run, requests included.
pub fn check_trace(trace: &Trace<'_>, input: &Input) -> Result<(), SelfCheckError> {
    check_with(trace, input, Terms::plain(), false)?;
    check_with(trace, input, Terms::new(), true)
}

fn check_with(trace: &Trace<'_>, input: &Input, mut terms: Terms, rewritten: bool) -> Result<(), SelfCheckError> {
    let value_of_var = |var: Var| input.value(var);
    let mut known = Vec::with_capacity(trace.node_count());
    known.push(TermId::FALSE);
    let mut evaluator = Evaluator::new();
    for label in 1..trace.node_count() as Label {
        let Some(node) = trace.node(label) else { break };
        let mut term = term_of(&node, label, &known, &mut terms)?;
        let computed = evaluator.eval(&terms, term, &value_of_var);
        let recorded = value_of(&node);
        if computed != recorded {
            if !same_nan(&node, computed, recorded) {
                return Err(wrong(trace, &node, label, computed, rewritten));
            }
            // Which NaN an operation gives is the machine's choice; what follows goes on with its choice.
            term = terms.constant(node.width as u8, recorded);
        }
        known.push(term);
    }
    Ok(())
}

fn same_nan(node: &Node, computed: u128, recorded: u128) -> bool {
    let gives_float = matches!(Op::from_u8(node.op), Some(op) if (64..80).contains(&(op as u8)) || op == Op::FToF);
    let nan = |bits| is_nan(node.width as u8, bits);
    gives_float && nan(computed) && nan(recorded)
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
