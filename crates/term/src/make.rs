//! Short names for building common terms. Each is one or two applications; never decides anything
//! that a rule should decide.

use crate::op::Op;
use crate::store::{TermId, Terms};

macro_rules! binary {
    ($($name:ident $op:ident),* $(,)?) => {
        $(#[doc = concat!("`", stringify!($op), "` of two terms of one width.")]
        pub fn $name(&mut self, a: TermId, b: TermId) -> TermId {
            self.binary(Op::$op, a, b)
        })*
    };
}

impl Terms {
    /// A two-operand operation whose width follows from its operands.
    pub fn binary(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = if op.is_predicate() { 1 } else { self.width(a) };
        self.apply(op, width, &[a, b])
    }

    binary! {
        add Add, sub Sub, mul Mul, udiv UDiv, urem URem, and And, or Or, xor Xor,
        shl Shl, lshr LShr, ashr AShr, eq Eq, ne Ne, ult Ult, ule Ule, slt Slt, sle Sle,
    }

    /// All bits inverted; of a condition, its negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        let ones = self.constant(width, u128::MAX);
        self.xor(a, ones)
    }

    /// Two's-complement negation.
    pub fn neg(&mut self, a: TermId) -> TermId {
        let zero = self.constant(self.width(a), 0);
        self.sub(zero, a)
    }

    pub fn zext(&mut self, a: TermId, width: u8) -> TermId {
        self.apply(Op::ZExt, width, &[a])
    }

    pub fn sext(&mut self, a: TermId, width: u8) -> TermId {
        self.apply(Op::SExt, width, &[a])
    }

    /// `width` bits from bit `lo` upwards.
    pub fn extract(&mut self, a: TermId, lo: u8, width: u8) -> TermId {
        self.apply(Op::Extract { lo }, width, &[a])
    }

    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let width = self.width(high) + self.width(low);
        self.apply(Op::Concat, width, &[high, low])
    }

    pub fn select(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        let width = self.width(yes);
        self.apply(Op::Select, width, &[condition, yes, no])
    }

    /// A word from its bytes, lowest first, as little-endian memory has them.
    pub fn word(&mut self, bytes: &[TermId]) -> TermId {
        let mut word = bytes[0];
        for &byte in &bytes[1..] {
            word = self.concat(byte, word);
        }
        word
    }

    /// Bits of `high` above `low`, shifted left by `amount` modulo the width; the upper half.
    pub fn funnel_left(&mut self, high: TermId, low: TermId, amount: TermId) -> TermId {
        let (up, down) = self.funnel_amounts(amount);
        let (kept, brought) = (self.shl(high, up), self.lshr(low, down));
        self.or(kept, brought)
    }

    /// Bits of `high` above `low`, shifted right by `amount` modulo the width; the lower half.
    pub fn funnel_right(&mut self, high: TermId, low: TermId, amount: TermId) -> TermId {
        let (down, up) = self.funnel_amounts(amount);
        let (kept, brought) = (self.lshr(low, down), self.shl(high, up));
        self.or(kept, brought)
    }

    /// The amount below the width, and the rest of the width: a shift by the whole width gives zero.
    fn funnel_amounts(&mut self, amount: TermId) -> (TermId, TermId) {
        let width = self.width(amount);
        // At a width that is no power of two the width itself always fits above one bit.
        if width == 1 {
            let zero = self.constant(1, 0);
            let one = self.constant(1, 1);
            return (zero, one);
        }
        let all = self.constant(width, width as u128);
        let first = self.urem(amount, all);
        let second = self.sub(all, first);
        (first, second)
    }

    /// The conjunction of conditions; true for none.
    pub fn all(&mut self, conditions: &[TermId]) -> TermId {
        conditions.iter().fold(TermId::TRUE, |all, &one| self.and(all, one))
    }

    /// The float with its sign bit inverted.
    pub fn fneg(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        let sign = self.constant(width, 1 << (width - 1));
        self.xor(a, sign)
    }

    /// The float with its sign bit clear.
    pub fn fabs(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        let rest = self.constant(width, !(1 << (width - 1)));
        self.and(a, rest)
    }
}
