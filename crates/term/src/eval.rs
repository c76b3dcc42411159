//! Values of terms under an assignment of the inputs. The memo is stamped by epoch, so starting
//! over costs nothing and the buffers live as long as the evaluator. Never changes the store, never
//! recurses.

use crate::compute::compute;
use crate::op::Op;
use crate::store::{Head, Node, TermId, Terms};
use crate::vars::{Var, VarId};

/// Where the values of input variables come from.
pub trait Assignment {
    /// The value of a variable; bits above its width are ignored.
    fn value(&self, id: VarId, var: Var) -> u128;
}

impl<F: Fn(Var) -> u128> Assignment for F {
    fn value(&self, _: VarId, var: Var) -> u128 {
        self(var)
    }
}

/// Evaluates many terms under one assignment, then under the next.
#[derive(Default, Debug)]
pub struct Evaluator {
    values: Vec<u128>,
    stamps: Vec<u32>,
    epoch: u32,
    stack: Vec<TermId>,
}

impl Evaluator {
    pub fn new() -> Evaluator {
        Self::default()
    }

    /// Forgets all values: to be called whenever the assignment (or the store) is another one.
    pub fn begin(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.stamps.fill(0);
            self.epoch = 1;
        }
    }

    fn grow(&mut self, terms: &Terms) {
        if self.epoch == 0 {
            self.epoch = 1;
        }
        if self.values.len() < terms.len() {
            self.values.resize(terms.len(), 0);
            self.stamps.resize(terms.len(), 0);
        }
    }

    /// The value of one term; what was computed since [`Evaluator::begin`] is not computed again.
    pub fn eval<A: Assignment + ?Sized>(&mut self, terms: &Terms, id: TermId, inputs: &A) -> u128 {
        self.grow(terms);
        if self.stamps[id.index()] == self.epoch {
            return self.values[id.index()];
        }
        self.stack.clear();
        self.stack.push(id);
        while let Some(&top) = self.stack.last() {
            let node = &terms.nodes[top.index()];
            if let Head::Apply(op) = node.head {
                let before = self.stack.len();
                for &arg in &node.args[..op.arity()] {
                    if self.stamps[arg.index()] != self.epoch {
                        self.stack.push(arg);
                    }
                }
                if self.stack.len() > before {
                    continue;
                }
            }
            self.stack.pop();
            self.settle(terms, top, node, inputs);
        }
        self.values[id.index()]
    }

    /// Whether a condition holds.
    #[inline]
    pub fn holds<A: Assignment + ?Sized>(&mut self, terms: &Terms, condition: TermId, inputs: &A) -> bool {
        self.eval(terms, condition, inputs) != 0
    }

    /// Evaluates terms in an order with operands first (as [`Terms::reachable`] gives): the fast way
    /// to evaluate the same conditions under many assignments. Starts a new epoch.
    pub fn eval_in_order<A: Assignment + ?Sized>(&mut self, terms: &Terms, order: &[TermId], inputs: &A) {
        self.begin();
        self.grow(terms);
        for &id in order {
            self.settle(terms, id, &terms.nodes[id.index()], inputs);
        }
    }

    /// Evaluates every term of the store in creation order; the values by [`TermId::index`]. Starts a
    /// new epoch.
    pub fn eval_all<A: Assignment + ?Sized>(&mut self, terms: &Terms, inputs: &A) -> &[u128] {
        self.begin();
        self.grow(terms);
        for (index, node) in terms.nodes.iter().enumerate() {
            self.settle(terms, TermId::from_index(index), node, inputs);
        }
        &self.values[..terms.len()]
    }

    /// The value of a term evaluated since [`Evaluator::begin`].
    #[inline]
    pub fn known(&self, id: TermId) -> Option<u128> {
        (self.stamps.get(id.index()) == Some(&self.epoch)).then(|| self.values[id.index()])
    }

    #[inline]
    fn settle<A: Assignment + ?Sized>(&mut self, terms: &Terms, id: TermId, node: &Node, inputs: &A) {
        let value = match node.head {
            Head::Apply(Op::Read) => {
                let [index, table, _] = node.args;
                terms.table(table).at(self.values[index.index()])
            }
            Head::Apply(op) => {
                let [a, b, c] = node.args;
                compute(
                    op,
                    node.width,
                    terms.nodes[a.index()].width,
                    self.values[a.index()],
                    self.values[b.index()],
                    self.values[c.index()],
                )
            }
            Head::Variable => {
                let id = VarId(node.args[0].0);
                inputs.value(id, terms.variable(id)) & crate::bits::mask(node.width)
            }
            _ => terms.node_value(node),
        };
        self.values[id.index()] = value;
        self.stamps[id.index()] = self.epoch;
    }
}
