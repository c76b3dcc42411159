//! Conditions laid out for evaluation under many assignments that differ little: one slot per term, one step per
//! application, and for each variable the steps that depend on it.
//!
//! Invariant: slots are in the order of `terms`, operands before users; a step writes only its own slot.

use std::sync::Arc;
use symcrete_term::bits::mask;
use symcrete_term::{Assignment, Op, Table, Term, TermId, Terms, Var, VarId, compute};

#[derive(Clone, Copy)]
struct Step {
    op: Op,
    width: u8,
    from: u8,
    args: [u32; 3],
    out: u32,
}

/// A variable of the conditions and where its value lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) id: VarId,
    pub(crate) var: Var,
    slot: u32,
}

pub(crate) struct Tape {
    terms: Vec<TermId>,
    steps: Vec<Step>,
    slots: Vec<u128>,
    variables: Vec<Place>,
    /// Tables that steps read; such a step has the number as its third operand.
    tables: Vec<Arc<Table>>,
}

impl Tape {
    pub(crate) fn new(store: &Terms, roots: &[TermId]) -> Tape {
        let terms = store.reachable(roots);
        let slots = vec![0; terms.len()];
        let mut tape = Tape { steps: Vec::new(), slots, variables: Vec::new(), terms, tables: Vec::new() };
        for (at, &id) in tape.terms.iter().enumerate() {
            match store.get(id) {
                Term::Constant(value) => tape.slots[at] = value,
                Term::Variable(id, var) => tape.variables.push(Place { id, var, slot: at as u32 }),
                Term::Apply(op, operands) => {
                    let mut args = [0; 3];
                    for (slot, operand) in args.iter_mut().zip(operands) {
                        *slot = tape.terms.binary_search(operand).expect("operands are reachable") as u32;
                    }
                    if op == Op::Read {
                        args[2] = tape.tables.len() as u32;
                        tape.tables.push(store.table(operands[1]).clone());
                    }
                    let (width, from) = (store.width(id), store.width(operands[0]));
                    tape.steps.push(Step { op, width, from, args, out: at as u32 });
                }
            }
        }
        tape
    }

    pub(crate) fn variables(&self) -> &[Place] {
        &self.variables
    }

    /// Steps of one full evaluation.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether something in it is hard to reason about: products, quotients, remainders, floats.
    pub(crate) fn is_nonlinear(&self) -> bool {
        let hard = |op: Op| matches!(op, Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem) || op.is_float();
        self.steps.iter().any(|step| hard(step.op))
    }

    pub(crate) fn set(&mut self, place: Place, value: u128) {
        self.slots[place.slot as usize] = value & mask(place.var.width());
    }

    pub(crate) fn set_all(&mut self, inputs: &dyn Assignment) {
        for at in 0..self.variables.len() {
            let place = self.variables[at];
            self.set(place, inputs.value(place.id, place.var));
        }
    }

    pub(crate) fn run(&mut self) {
        for at in 0..self.steps.len() {
            self.step(at);
        }
    }

    /// Some of the steps again, in ascending order: right when only what they depend on has changed.
    pub(crate) fn run_only(&mut self, steps: &[u32]) {
        for &at in steps {
            self.step(at as usize);
        }
    }

    #[inline]
    fn step(&mut self, at: usize) {
        let Step { op, width, from, args: [a, b, c], out } = self.steps[at];
        let value = |slot: u32| self.slots[slot as usize];
        if op == Op::Read {
            self.slots[out as usize] = self.tables[c as usize].at(value(a));
            return;
        }
        self.slots[out as usize] = compute(op, width, from, value(a), value(b), value(c));
    }

    /// The value of a term of the tape.
    pub(crate) fn value(&self, term: TermId) -> u128 {
        self.terms.binary_search(&term).map_or(0, |slot| self.slots[slot])
    }

    pub(crate) fn holds(&self, root: TermId) -> bool {
        self.terms.binary_search(&root).is_ok_and(|slot| self.slots[slot] != 0)
    }

    /// The steps that depend on a variable.
    pub(crate) fn dependents(&self, store: &Terms, var: VarId) -> Vec<u32> {
        let depends = |step: &Step| store.var_sets().contains(store.vars(self.terms[step.out as usize]), var);
        (0..self.steps.len()).filter(|&at| depends(&self.steps[at])).map(|at| at as u32).collect()
    }

    /// The steps a root needs, ascending.
    pub(crate) fn needed(&self, root: TermId) -> Vec<u32> {
        let is_needed = self.is_needed(root);
        (0..self.steps.len()).filter(|&at| is_needed[self.steps[at].out as usize]).map(|at| at as u32).collect()
    }

    /// For each step the greatest number among those given to the variables it depends on; 0 without any.
    pub(crate) fn greatest(&self, number: impl Fn(VarId) -> u32) -> Vec<u32> {
        let mut of_slot = vec![0; self.slots.len()];
        for place in &self.variables {
            of_slot[place.slot as usize] = number(place.id);
        }
        let of_step = |step: &Step| {
            let args = &step.args[..step.op.arity()];
            let greatest = args.iter().map(|&arg| of_slot[arg as usize]).max().unwrap_or(0);
            of_slot[step.out as usize] = greatest;
            greatest
        };
        self.steps.iter().map(of_step).collect()
    }

    /// Splits steps into those a root needs and the others.
    pub(crate) fn split(&self, root: TermId, steps: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let is_needed = self.is_needed(root);
        steps.iter().partition(|&&at| is_needed[self.steps[at as usize].out as usize])
    }

    /// By slot: whether a root depends on it.
    fn is_needed(&self, root: TermId) -> Vec<bool> {
        let mut needed = vec![false; self.terms.len()];
        if let Ok(slot) = self.terms.binary_search(&root) {
            needed[slot] = true;
        }
        for step in self.steps.iter().rev() {
            if needed[step.out as usize] {
                for &arg in &step.args[..step.op.arity()] {
                    needed[arg as usize] = true;
                }
            }
        }
        needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, byte, random_query};
    use proptest::prelude::*;
    use symcrete_term::Evaluator;

    proptest! {
        #[test]
        fn values_are_the_evaluators(random in random_query(), changed: u8) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            let mut tape = Tape::new(&terms, &conditions);
            tape.set_all(&random.parent);
            tape.run();
            let mut input: Input = random.parent.clone();
            let mut evaluator = Evaluator::new();
            for &condition in &conditions {
                prop_assert_eq!(tape.holds(condition), evaluator.holds(&terms, condition, &input));
            }
            // Change one byte and run only what depends on it, first for the goal, then the rest.
            for place in tape.variables().to_vec() {
                let goal = conditions[0];
                let (first, rest) = tape.split(goal, &tape.dependents(&terms, place.id));
                tape.set(place, u128::from(changed));
                input.0[usize::from(place.var == byte(1))] = changed;
                evaluator.begin();
                tape.run_only(&first);
                prop_assert_eq!(tape.holds(goal), evaluator.holds(&terms, goal, &input));
                tape.run_only(&rest);
                for &condition in &conditions {
                    prop_assert_eq!(tape.holds(condition), evaluator.holds(&terms, condition, &input));
                }
            }
        }
    }
}
