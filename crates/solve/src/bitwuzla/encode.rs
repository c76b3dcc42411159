//! Our terms as Bitwuzla's, and what they will roughly cost in gates. A one-bit term is a Boolean there, everything
//! wider a bit-vector, results of float operations floats (`float.rs`). Products, quotients and remainders are computed in as many bits as their operands can really
//! fill. Remembers every encoding until the handle is thrown away; never solves.

use rustc_hash::FxHashMap;
use symcrete_term::{Op, Term, TermId, Terms, VarId};

use super::ffi::Kind;
use super::float;
use super::handle::{Format, Handle, Node};
use super::tables;
use crate::bounds::{Bound, Bounds};

/// Something the core has no encoding for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported(pub &'static str);

/// A term may be known as bits, as a float, or both. Results of float operations are floats; bits are made from them
/// only where something looks at the bits.
#[derive(Clone, Copy, Default)]
struct Views {
    bits: Option<Node>,
    float: Option<Node>,
}

#[derive(Default)]
pub struct Encoder {
    nodes: FxHashMap<TermId, Views>,
    /// Bits that were made from a float are a variable of their own. What ties it to the float, and that the float is
    /// no NaN: of a NaN the theory knows no bits, so there they can be anything.
    ties: FxHashMap<TermId, Tie>,
    /// Marks of the latest walk, by term.
    seen: Vec<u64>,
    walk: u64,
    stack: Vec<TermId>,
    found: Vec<TermId>,
    /// Which solver has been given a term already, by term.
    loaded: Vec<u32>,
    bounds: Bounds,
    /// Gates of tables, by the term of their number.
    table_costs: FxHashMap<TermId, u64>,
}

/// See [`Encoder::ties`].
#[derive(Clone, Copy)]
pub struct Tie {
    pub tied: Node,
    pub ordinary: Node,
}

/// Rough numbers of gates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// All that a query consists of.
    pub whole: u64,
    /// The part of it that the current solver has seen before.
    pub known: u64,
}

impl Encoder {
    /// How many terms have been encoded.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The encoding of a condition or a variable of the latest [`Encoder::encode`].
    pub fn node(&self, term: TermId) -> Node {
        self.nodes[&term].bits.expect("only results of float operations have no bits")
    }

    /// What has to be asserted for the bits of floats that the latest [`Encoder::encode`] met. Each can be made true
    /// whatever the inputs are.
    pub fn ties(&self) -> impl Iterator<Item = (TermId, Tie)> + '_ {
        self.found.iter().filter_map(|id| Some((*id, *self.ties.get(id)?)))
    }

    /// The variables of the latest [`Encoder::encode`].
    pub fn variables<'a>(&'a self, terms: &'a Terms) -> impl Iterator<Item = (VarId, TermId)> + 'a {
        self.found.iter().filter_map(|&id| match terms.get(id) {
            Term::Variable(var, _) => Some((var, id)),
            _ => None,
        })
    }

    /// The size of all roots together for the solver of this number; remembers what they are made of for
    /// [`Encoder::encode`].
    pub fn measure(&mut self, terms: &Terms, roots: impl Iterator<Item = TermId>, solver: u32) -> Size {
        self.walk += 1;
        self.seen.resize(self.seen.len().max(terms.len()), 0);
        self.loaded.resize(self.seen.len(), 0);
        self.found.clear();
        self.stack.clear();
        self.stack.extend(roots);
        while let Some(id) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[id.index()], self.walk) == self.walk {
                continue;
            }
            self.found.push(id);
            if let Term::Apply(_, args) = terms.get(id) {
                self.stack.extend_from_slice(args);
            }
        }
        // Operands are older than what they are used in.
        self.found.sort_unstable();
        let mut size = Size::default();
        for &id in &self.found {
            self.bounds.of(terms, id);
            if let Term::Apply(op, args) = terms.get(id) {
                let by_constant = args.iter().any(|&arg| terms.is_constant(arg));
                let width = match self.narrowing(terms, id, op, args) {
                    Some(narrow) => narrow.width,
                    None => terms.width(args[0]),
                };
                let gates = match op {
                    Op::Read => *self.table_costs.entry(args[1]).or_insert_with(|| tables::cost(terms.table(args[1]))),
                    _ => cost(op, width, by_constant),
                };
                size.whole = size.whole.saturating_add(gates);
                if self.loaded[id.index()] == solver {
                    size.known += gates;
                }
            }
        }
        size
    }

    /// How an expensive operation can be done in fewer bits, if it can.
    fn narrowing(&self, terms: &Terms, id: TermId, op: Op, args: &[TermId]) -> Option<Narrow> {
        if !matches!(op, Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem) {
            return None;
        }
        let bound = |id: TermId| self.bounds.get(terms, id);
        let by_zero = terms.as_constant(args[1]).is_none_or(|divisor| divisor == 0);
        let narrow = Narrow::of(op, bound(id), bound(args[0]), bound(args[1]), by_zero)?;
        (narrow.width < terms.width(id)).then_some(narrow)
    }

    /// Notes that the solver of this number is given what [`Encoder::measure`] found.
    pub fn load(&mut self, solver: u32) {
        for id in &self.found {
            self.loaded[id.index()] = solver;
        }
    }

    /// Encodes what [`Encoder::measure`] found.
    pub fn encode(&mut self, handle: &mut Handle, terms: &Terms) -> Result<(), Unsupported> {
        for at in 0..self.found.len() {
            let id = self.found[at];
            if self.nodes.contains_key(&id) {
                continue;
            }
            let width = terms.width(id);
            let views = match terms.get(id) {
                Term::Constant(value) if width == 1 => bits(handle.truth(value != 0)),
                Term::Constant(value) => bits(handle.bits(width, value)),
                Term::Variable(..) => bits(handle.variable(width)),
                Term::Apply(op @ Op::Native { .. }, _) => return Err(Unsupported(op.name())),
                Term::Apply(Op::Read, args) => {
                    let index = self.bits(handle, terms, args[0]);
                    bits(tables::read(handle, terms.table(args[1]), index, terms.width(args[0])))
                }
                Term::Apply(op, args) => match self.as_float(handle, terms, id, op, args) {
                    Some(float) => Views { bits: None, float: Some(float?) },
                    None if op.is_float() => bits(self.of_floats(handle, terms, op, width, args)),
                    None => bits(self.on_bits(handle, terms, id, op, args)),
                },
            };
            self.nodes.insert(id, views);
        }
        Ok(())
    }

    fn on_bits(&mut self, handle: &mut Handle, terms: &Terms, id: TermId, op: Op, args: &[TermId]) -> Node {
        let mut operands = [(handle.truth(false), 0); 3];
        for (operand, &arg) in operands.iter_mut().zip(args) {
            *operand = (self.bits(handle, terms, arg), terms.width(arg));
        }
        match self.narrowing(terms, id, op, args) {
            Some(narrow) => narrow.apply(handle, terms.width(id), operands),
            None => apply(handle, op, terms.width(id), operands),
        }
    }

    /// The result as a float, for operations that give one: float arithmetic, and what programs do to the bits of a
    /// float that is better said of the float itself.
    fn as_float(
        &mut self,
        handle: &mut Handle,
        terms: &Terms,
        id: TermId,
        op: Op,
        args: &[TermId],
    ) -> Option<Result<Node, Unsupported>> {
        let is_float = |encoder: &Encoder, arg: TermId| encoder.nodes[&arg].bits.is_none();
        if op.gives_float() && !matches!(op, Op::FMin | Op::FMax) {
            // A conversion from an integer takes its operand as it is.
            let operands: Vec<Node> = args
                .iter()
                .map(|&arg| match op {
                    Op::SiToF | Op::UiToF => {
                        let number = self.bits(handle, terms, arg);
                        if terms.width(arg) == 1 { one_bit(handle, number) } else { number }
                    }
                    _ => self.float(handle, terms, arg),
                })
                .collect();
            return Some(float::arithmetic(handle, op, terms.width(id), &operands));
        }
        let sign = |width: u8| 1u128 << (width - 1);
        let constant = |at: usize| args.get(at).and_then(|&arg| terms.as_constant(arg));
        let width = terms.width(id);
        match (op, args) {
            (Op::Xor, &[a, _]) if is_float(self, a) && constant(1) == Some(sign(width)) => {
                let a = self.float(handle, terms, a);
                Some(Ok(handle.unary(Kind::FpNeg, a)))
            }
            (Op::And, &[a, _]) if is_float(self, a) && constant(1) == Some(sign(width) - 1) => {
                let a = self.float(handle, terms, a);
                Some(Ok(handle.unary(Kind::FpAbs, a)))
            }
            (Op::Select, &[condition, a, b]) if is_float(self, a) || is_float(self, b) => {
                let condition = self.bits(handle, terms, condition);
                let (a, b) = (self.float(handle, terms, a), self.float(handle, terms, b));
                Some(Ok(handle.if_then_else(condition, a, b)))
            }
            (Op::FMin | Op::FMax, &[a, b]) if is_float(self, a) || is_float(self, b) => {
                let (a, b) = (self.float(handle, terms, a), self.float(handle, terms, b));
                let second = float::second_wins(handle, op, a, b);
                Some(Ok(handle.if_then_else(second, b, a)))
            }
            _ => None,
        }
    }

    /// Float operations whose result is not a float, or one of its operands bit by bit.
    fn of_floats(&mut self, handle: &mut Handle, terms: &Terms, op: Op, width: u8, args: &[TermId]) -> Node {
        let operands: Vec<Node> = args.iter().map(|&arg| self.float(handle, terms, arg)).collect();
        if matches!(op, Op::FMin | Op::FMax) {
            let second = float::second_wins(handle, op, operands[0], operands[1]);
            let (a, b) = (self.bits(handle, terms, args[0]), self.bits(handle, terms, args[1]));
            return handle.if_then_else(second, b, a);
        }
        let result = float::to_bits(handle, op, terms.width(args[0]), width, &operands);
        if width == 1 && !op.is_predicate() { is_one(handle, result) } else { result }
    }

    /// A term as bits.
    fn bits(&mut self, handle: &mut Handle, terms: &Terms, id: TermId) -> Node {
        let views = self.nodes[&id];
        if let Some(bits) = views.bits {
            return bits;
        }
        let float = views.float.expect("a term is known as something");
        let width = terms.width(id);
        let bits = handle.variable(width);
        let again = handle.float_of_bits(bits, Format::of(width));
        let nan = handle.unary(Kind::FpIsNan, float);
        let tie = Tie { tied: handle.binary(Kind::Equal, again, float), ordinary: handle.unary(Kind::Not, nan) };
        self.ties.insert(id, tie);
        self.nodes.insert(id, Views { bits: Some(bits), float: Some(float) });
        bits
    }

    /// A term of 32 or 64 bits as a float.
    fn float(&mut self, handle: &mut Handle, terms: &Terms, id: TermId) -> Node {
        let views = self.nodes[&id];
        if let Some(float) = views.float {
            return float;
        }
        let bits = views.bits.expect("a term is known as something");
        let float = handle.float_of_bits(bits, Format::of(terms.width(id)));
        self.nodes.insert(id, Views { bits: Some(bits), float: Some(float) });
        float
    }
}

fn bits(node: Node) -> Views {
    Views { bits: Some(node), float: None }
}

/// An operation done on the low bits of its operands; the result is extended again.
struct Narrow {
    width: u8,
    op: Op,
    extension: Kind,
}

impl Narrow {
    /// From the bounds of the result and of both operands. `by_zero`: the divisor may be 0.
    fn of(op: Op, result: Bound, a: Bound, b: Bound, by_zero: bool) -> Option<Narrow> {
        let natural = |op, width: u8| Some(Narrow { width: width.max(2), op, extension: Kind::BvZeroExtend });
        let signed = |op, width: u8| Some(Narrow { width: width.max(2), op, extension: Kind::BvSignExtend });
        let both = a.natural_bits().max(b.natural_bits());
        match op {
            // The low bits of a product depend on the low bits of its factors only.
            Op::Mul if result.natural_bits() <= result.signed_bits() => natural(op, result.natural_bits()),
            Op::Mul => signed(op, result.signed_bits()),
            Op::URem => natural(op, both),
            // A quotient by 0 is all ones, which depends on the width.
            Op::UDiv => natural(op, both).filter(|_| !by_zero),
            Op::SRem if a.is_natural() && b.is_natural() => natural(Op::URem, both),
            Op::SDiv if a.is_natural() && b.is_natural() && !by_zero => natural(Op::UDiv, both),
            // One bit more than the operands need, for the least number divided by -1.
            _ => signed(op, a.signed_bits().max(b.signed_bits()).checked_add(1)?),
        }
    }

    fn apply(&self, handle: &mut Handle, width: u8, operands: [(Node, u8); 3]) -> Node {
        let [(a, _), (b, _), _] = operands;
        let (a, b) = (handle.extract(a, self.width - 1, 0), handle.extract(b, self.width - 1, 0));
        let kind = match self.op {
            Op::Mul => Kind::BvMul,
            Op::UDiv => Kind::BvUdiv,
            Op::URem => Kind::BvUrem,
            Op::SDiv => Kind::BvSdiv,
            _ => Kind::BvSrem,
        };
        let result = handle.binary(kind, a, b);
        handle.extend(self.extension, result, width - self.width)
    }
}

/// Gates of one operation over operands of a width, near enough to tell small from hopeless.
fn cost(op: Op, width: u8, by_constant: bool) -> u64 {
    let w = u64::from(width);
    if op.is_float() {
        return float::cost(op, width);
    }
    match op {
        Op::Mul | Op::UMulO | Op::SMulO if by_constant => 2 * w * w,
        Op::Mul => 6 * w * w,
        Op::UMulO | Op::SMulO => 12 * w * w,
        Op::UDiv | Op::URem => 14 * w * w,
        Op::SDiv | Op::SRem => 15 * w * w,
        Op::Shl | Op::LShr | Op::AShr if by_constant => 0,
        Op::Shl | Op::LShr | Op::AShr => 24 * w,
        Op::Extract { .. } | Op::Concat | Op::ZExt | Op::SExt | Op::Bswap | Op::BitReverse => 0,
        Op::Add | Op::Sub | Op::Ctpop | Op::Ctlz | Op::Cttz => 8 * w,
        _ => 3 * w,
    }
}

/// One application; operands come with their widths.
fn apply(handle: &mut Handle, op: Op, width: u8, operands: [(Node, u8); 3]) -> Node {
    use Op::*;
    let [(a, from), (b, _), _] = operands;
    if from == 1 {
        return apply_to_truths(handle, op, width, operands);
    }
    match op {
        Add => handle.binary(Kind::BvAdd, a, b),
        Sub => handle.binary(Kind::BvSub, a, b),
        Mul => handle.binary(Kind::BvMul, a, b),
        UDiv => handle.binary(Kind::BvUdiv, a, b),
        SDiv => handle.binary(Kind::BvSdiv, a, b),
        URem => handle.binary(Kind::BvUrem, a, b),
        SRem => handle.binary(Kind::BvSrem, a, b),
        Shl => handle.binary(Kind::BvShl, a, b),
        LShr => handle.binary(Kind::BvShr, a, b),
        AShr => handle.binary(Kind::BvAshr, a, b),
        And => handle.binary(Kind::BvAnd, a, b),
        Or => handle.binary(Kind::BvOr, a, b),
        Xor => handle.binary(Kind::BvXor, a, b),
        Eq => handle.binary(Kind::Equal, a, b),
        Ne => handle.binary(Kind::Distinct, a, b),
        Ult => handle.binary(Kind::BvUlt, a, b),
        Ule => handle.binary(Kind::BvUle, a, b),
        Slt => handle.binary(Kind::BvSlt, a, b),
        Sle => handle.binary(Kind::BvSle, a, b),
        UAddO => handle.binary(Kind::BvUaddOverflow, a, b),
        SAddO => handle.binary(Kind::BvSaddOverflow, a, b),
        USubO => handle.binary(Kind::BvUsubOverflow, a, b),
        SSubO => handle.binary(Kind::BvSsubOverflow, a, b),
        UMulO => handle.binary(Kind::BvUmulOverflow, a, b),
        SMulO => handle.binary(Kind::BvSmulOverflow, a, b),
        ZExt | SExt if width == from => a,
        ZExt => handle.extend(Kind::BvZeroExtend, a, width - from),
        SExt => handle.extend(Kind::BvSignExtend, a, width - from),
        Extract { lo } => {
            let part = handle.extract(a, lo + width - 1, lo);
            if width == 1 { is_one(handle, part) } else { part }
        }
        Concat => {
            let low = if width - from == 1 { one_bit(handle, b) } else { b };
            handle.binary(Kind::BvConcat, a, low)
        }
        Select => unreachable!("the first operand of a select has one bit"),
        Bswap => {
            let bytes = (0..width / 8).map(|byte| (8 * byte + 7, 8 * byte));
            parts_joined(handle, a, bytes)
        }
        BitReverse => parts_joined(handle, a, (0..width).map(|bit| (bit, bit))),
        Ctpop => {
            let ones = count_ones(handle, a, 0, width);
            widened(handle, ones, bits_for(width), width)
        }
        Ctlz => first_one(handle, a, width, (0..width).rev()),
        Cttz => first_one(handle, a, width, 0..width),
        float => unreachable!("{float} is not done on bits"),
    }
}

/// Operations whose first operand is a Boolean.
fn apply_to_truths(handle: &mut Handle, op: Op, width: u8, operands: [(Node, u8); 3]) -> Node {
    use Op::*;
    let [(a, _), (b, low), (c, _)] = operands;
    match op {
        And | Mul => handle.binary(Kind::And, a, b),
        Or => handle.binary(Kind::Or, a, b),
        Xor | Ne | Add | Sub => handle.binary(Kind::Distinct, a, b),
        Eq => handle.binary(Kind::Equal, a, b),
        Select => handle.if_then_else(a, b, c),
        ZExt | SExt | Extract { .. } | Bswap | BitReverse | Ctpop if width == 1 => a,
        ZExt | SExt => {
            let (no, yes) = (handle.bits(width, 0), if op == ZExt { 1 } else { u128::MAX >> (128 - u32::from(width)) });
            let yes = handle.bits(width, yes);
            handle.if_then_else(a, yes, no)
        }
        Ctlz | Cttz => handle.unary(Kind::Not, a),
        Concat => {
            let high = one_bit(handle, a);
            let low = if low == 1 { one_bit(handle, b) } else { b };
            handle.binary(Kind::BvConcat, high, low)
        }
        // Division, shifts, orders and overflows of one bit: rare enough to go through a vector of one bit.
        _ => {
            let (a, b) = (one_bit(handle, a), one_bit(handle, b));
            let kind = match op {
                UDiv => Kind::BvUdiv,
                SDiv => Kind::BvSdiv,
                URem => Kind::BvUrem,
                SRem => Kind::BvSrem,
                Shl => Kind::BvShl,
                LShr => Kind::BvShr,
                AShr => Kind::BvAshr,
                Ult => return handle.binary(Kind::BvUlt, a, b),
                Ule => return handle.binary(Kind::BvUle, a, b),
                Slt => return handle.binary(Kind::BvSlt, a, b),
                Sle => return handle.binary(Kind::BvSle, a, b),
                UAddO => return handle.binary(Kind::BvUaddOverflow, a, b),
                SAddO => return handle.binary(Kind::BvSaddOverflow, a, b),
                USubO => return handle.binary(Kind::BvUsubOverflow, a, b),
                SSubO => return handle.binary(Kind::BvSsubOverflow, a, b),
                UMulO => return handle.binary(Kind::BvUmulOverflow, a, b),
                SMulO => return handle.binary(Kind::BvSmulOverflow, a, b),
                _ => unreachable!("no other operation takes one bit"),
            };
            let result = handle.binary(kind, a, b);
            is_one(handle, result)
        }
    }
}

/// A Boolean as a vector of one bit.
fn one_bit(handle: &mut Handle, truth: Node) -> Node {
    let (yes, no) = (handle.bits(1, 1), handle.bits(1, 0));
    handle.if_then_else(truth, yes, no)
}

/// A vector of one bit as a Boolean.
fn is_one(handle: &mut Handle, bit: Node) -> Node {
    let one = handle.bits(1, 1);
    handle.binary(Kind::Equal, bit, one)
}

/// Parts of a node, given by their highest and lowest bit, the first one ending up highest.
fn parts_joined(handle: &mut Handle, a: Node, parts: impl Iterator<Item = (u8, u8)>) -> Node {
    let mut joined = None;
    for (high, low) in parts {
        let part = handle.extract(a, high, low);
        joined = Some(match joined {
            Some(above) => handle.binary(Kind::BvConcat, above, part),
            None => part,
        });
    }
    joined.expect("a value has at least one part")
}

/// Bits needed to write the numbers up to `most`.
fn bits_for(most: u8) -> u8 {
    (8 - most.leading_zeros()) as u8
}

fn widened(handle: &mut Handle, a: Node, from: u8, to: u8) -> Node {
    if from == to { a } else { handle.extend(Kind::BvZeroExtend, a, to - from) }
}

/// The number of ones among `count` bits from `low` on, in just as many bits as it needs. Halves meet in an adder.
fn count_ones(handle: &mut Handle, a: Node, low: u8, count: u8) -> Node {
    if count == 1 {
        return handle.extract(a, low, low);
    }
    let half = count / 2;
    let (left, right) = (count_ones(handle, a, low, half), count_ones(handle, a, low + half, count - half));
    let width = bits_for(count);
    let left = widened(handle, left, bits_for(half), width);
    let right = widened(handle, right, bits_for(count - half), width);
    handle.binary(Kind::BvAdd, left, right)
}

/// How many bits come before the first one, in the given order; the width when there is none.
fn first_one(handle: &mut Handle, a: Node, width: u8, order: impl DoubleEndedIterator<Item = u8>) -> Node {
    let narrow = bits_for(width);
    let mut count = handle.bits(narrow, u128::from(width));
    let places: Vec<u8> = order.collect();
    for (before, &bit) in places.iter().enumerate().rev() {
        let bit = handle.extract(a, bit, bit);
        let found = is_one(handle, bit);
        let before = handle.bits(narrow, before as u128);
        count = handle.if_then_else(found, before, count);
    }
    widened(handle, count, narrow, width)
}
