//! The named rewrite rules. Each rule says in one function what it replaces by what, and beside it
//! the shape it applies to, from which its proof in the tests is made: equal to the unrewritten
//! term for all values at widths 1, 2, 3, 4 and 8. A rule must never look deeper than a few levels,
//! and never make a term larger than it was by more than a constant.

mod arith;
mod bitwise;
mod compare;
mod concat;
mod extend;
mod overflow;
mod range;
mod select;
mod shape;
mod shift;
mod table;
#[cfg(test)]
mod tests;

use crate::compute::compute;
use crate::op::Op;
use crate::store::{Head, TermId, Terms};
pub use shape::Shape;

/// An operation about to be built; operands of commutative ones are in order, constants right.
#[derive(Clone, Copy, Debug)]
pub struct Application {
    pub op: Op,
    pub width: u8,
    pub args: [TermId; 3],
}

/// One rule.
#[derive(Clone, Copy)]
pub struct Rule {
    pub name: &'static str,
    pub rewrite: fn(&mut Terms, Application) -> Option<TermId>,
    /// Builds a term of the shape the rule is for.
    pub shape: fn(&mut Shape<'_>) -> TermId,
}

const fn rule(
    name: &'static str,
    rewrite: fn(&mut Terms, Application) -> Option<TermId>,
    shape: fn(&mut Shape<'_>) -> TermId,
) -> Rule {
    Rule { name, rewrite, shape }
}

/// The rules tried for an operation, in this order.
pub fn rules_for(op: Op) -> &'static [Rule] {
    match op {
        Op::Add => arith::ADD,
        Op::Sub => arith::SUB,
        Op::Mul => arith::MUL,
        Op::UDiv | Op::URem | Op::SDiv | Op::SRem => arith::DIV,
        Op::And => bitwise::AND,
        Op::Or => bitwise::OR,
        Op::Xor => bitwise::XOR,
        Op::Shl | Op::LShr | Op::AShr => shift::SHIFT,
        Op::Eq | Op::Ne => compare::EQUAL,
        Op::Ult | Op::Ule => range::UNSIGNED,
        Op::Slt | Op::Sle => range::SIGNED,
        Op::ZExt | Op::SExt => extend::EXTEND,
        Op::Extract { .. } => extend::EXTRACT,
        Op::Concat => concat::CONCAT,
        Op::Bswap | Op::Ctpop | Op::BitReverse => concat::PERMUTE,
        Op::Select => select::SELECT,
        Op::UAddO | Op::USubO | Op::UMulO | Op::SAddO | Op::SSubO | Op::SMulO => overflow::OVERFLOW,
        Op::Read => table::READ,
        _ => &[],
    }
}

/// Every rule once, by group.
pub fn all() -> Vec<Rule> {
    let mut rules: Vec<Rule> = table::EVERY.to_vec();
    for op in Op::ALL.into_iter().chain([Op::Read]) {
        for rule in rules_for(op) {
            if rules.iter().all(|known| known.name != rule.name) {
                rules.push(*rule);
            }
        }
    }
    rules
}

/// The first rule that applies; constants are folded before any.
#[inline]
pub(crate) fn rewrite(terms: &mut Terms, app: Application) -> Option<TermId> {
    let [a, b, c] = app.args;
    let arity = app.op.arity();
    if app.args[..arity].iter().all(|&arg| terms.is_constant(arg)) {
        let value = |id| terms.as_constant(id).unwrap_or(0);
        if app.op == Op::Read {
            let entry = terms.table(b).at(value(a));
            return Some(terms.constant(app.width, entry));
        }
        let folded = compute(app.op, app.width, terms.width(a), value(a), value(b), value(c));
        return Some(terms.constant(app.width, folded));
    }
    for rule in table::EVERY.iter().chain(rules_for(app.op)) {
        if let Some(found) = (rule.rewrite)(terms, app) {
            #[cfg(test)]
            {
                *terms.fired.entry(rule.name).or_default() += 1;
            }
            return Some(found);
        }
    }
    None
}

/// Matching, as the rules use it.
impl Terms {
    #[inline]
    fn operation(&self, id: TermId) -> Option<(Op, [TermId; 3])> {
        let node = &self.nodes[id.index()];
        match node.head {
            Head::Apply(op) => Some((op, node.args)),
            _ => None,
        }
    }

    #[inline]
    fn is(&self, id: TermId, op: Op) -> Option<[TermId; 3]> {
        let node = &self.nodes[id.index()];
        (node.head == Head::Apply(op)).then_some(node.args)
    }

    /// `op(x, constant)`.
    #[inline]
    fn with_constant(&self, id: TermId, op: Op) -> Option<(TermId, u128)> {
        let [x, k, _] = self.is(id, op)?;
        Some((x, self.as_constant(k)?))
    }

    #[inline]
    fn is_extract(&self, id: TermId) -> Option<(TermId, u8)> {
        match self.operation(id)? {
            (Op::Extract { lo }, args) => Some((args[0], lo)),
            _ => None,
        }
    }

    /// The inverted term, when this one is an inversion.
    #[inline]
    fn inverted(&self, id: TermId) -> Option<TermId> {
        let (x, k) = self.with_constant(id, Op::Xor)?;
        (k == crate::bits::mask(self.width(id))).then_some(x)
    }
}
