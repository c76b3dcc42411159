//! A small builder for the left-hand sides of rules: unknowns of a chosen width, constants and
//! alternatives drawn from whoever drives it. Knows nothing of rewriting.

use crate::op::Op;
use crate::store::{TermId, Terms};
use crate::vars::Var;

/// Builds one left-hand side in a plain store.
pub struct Shape<'a> {
    pub terms: &'a mut Terms,
    /// The width of the unknowns.
    pub w: u8,
    /// Draws a number below its argument.
    pub draw: &'a mut dyn FnMut(u128) -> u128,
}

impl Shape<'_> {
    fn unknown(&mut self, number: u32, width: u8) -> TermId {
        let byte = self.terms.var(Var::Byte { object: 0, offset: number });
        self.terms.extract(byte, 0, width)
    }
    pub fn x(&mut self) -> TermId {
        self.unknown(0, self.w)
    }
    pub fn y(&mut self) -> TermId {
        self.unknown(1, self.w)
    }
    pub fn z(&mut self) -> TermId {
        self.unknown(2, self.w)
    }
    /// An unknown condition.
    pub fn p(&mut self) -> TermId {
        self.unknown(3, 1)
    }
    /// A constant of the unknowns' width.
    pub fn k(&mut self) -> TermId {
        self.constant(self.w)
    }
    /// A constant of any width.
    pub fn constant(&mut self, width: u8) -> TermId {
        let value = (self.draw)(crate::bits::mask(width).saturating_add(1));
        self.terms.constant(width, value)
    }
    /// One of several operations.
    pub fn one_of(&mut self, ops: &[Op]) -> Op {
        ops[(self.draw)(ops.len() as u128) as usize]
    }
    /// A number in a range.
    pub fn number(&mut self, low: u8, high: u8) -> u8 {
        low + (self.draw)((high - low) as u128 + 1) as u8
    }
    /// An operation whose width follows from its operands.
    pub fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        let widths: Vec<u8> = args.iter().map(|&arg| self.terms.width(arg)).collect();
        let width = op.implied_width(&widths).expect("a width that follows from the operands");
        self.terms.apply(op, width, args)
    }
    /// `op` between a term and a constant of its width.
    pub fn op_k(&mut self, op: Op, a: TermId) -> TermId {
        let k = self.constant(self.terms.width(a));
        self.op(op, &[a, k])
    }
    /// `op` between a term and a constant on either side.
    pub fn either_k(&mut self, op: Op, a: TermId) -> TermId {
        let k = self.constant(self.terms.width(a));
        let args = if (self.draw)(2) == 0 { [a, k] } else { [k, a] };
        self.op(op, &args)
    }
    /// Extended by `more` bits.
    pub fn extended(&mut self, op: Op, a: TermId, more: u8) -> TermId {
        let width = self.terms.width(a) + more;
        self.terms.apply(op, width, &[a])
    }
    /// Some bits of a term, drawn.
    pub fn some_bits(&mut self, a: TermId) -> TermId {
        let whole = self.terms.width(a);
        let lo = self.number(0, whole - 1);
        let width = self.number(1, whole - lo);
        self.terms.extract(a, lo, width)
    }
}
