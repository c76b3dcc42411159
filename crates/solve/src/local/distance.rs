//! How far conditions are from being true, compiled once: 0 exactly when a condition holds, and the smaller the fewer
//! steps of one unit (one bit pattern for floats, one for integers) seem to be missing. Only reads slots.

use rustc_hash::FxHashMap;
use symcrete_term::{Op, Term, TermId, Terms};

use super::machine::Machine;

/// Larger than every distance that means something.
const FAR: u64 = u64::MAX >> 2;

/// How deep truths made of truths are looked into.
const DEPTH: u32 = 8;

#[derive(Clone, Copy)]
enum Node {
    /// Compares two slots.
    Compare {
        op: Op,
        want: bool,
        width: u8,
        a: u32,
        b: u32,
    },
    /// The slot has to be this.
    Truth {
        slot: u32,
        want: bool,
    },
    Both(u32, u32),
    Either(u32, u32),
}

/// All conditions of a query.
pub(crate) struct Distances {
    nodes: Vec<Node>,
    roots: Vec<u32>,
}

impl Distances {
    pub(crate) fn new(terms: &Terms, machine: &Machine, conditions: &[TermId]) -> Distances {
        let mut distances = Distances { nodes: Vec::new(), roots: Vec::new() };
        let mut known = FxHashMap::default();
        for &condition in conditions {
            let root = distances.add(terms, machine, condition, true, DEPTH, &mut known);
            distances.roots.push(root);
        }
        distances
    }

    fn add(
        &mut self,
        terms: &Terms,
        machine: &Machine,
        id: TermId,
        want: bool,
        depth: u32,
        known: &mut FxHashMap<(TermId, bool), u32>,
    ) -> u32 {
        if let Some(&at) = known.get(&(id, want)) {
            return at;
        }
        let node = self.made(terms, machine, id, want, depth, known);
        self.nodes.push(node);
        let at = self.nodes.len() as u32 - 1;
        known.insert((id, want), at);
        at
    }

    fn made(
        &mut self,
        terms: &Terms,
        machine: &Machine,
        id: TermId,
        want: bool,
        depth: u32,
        known: &mut FxHashMap<(TermId, bool), u32>,
    ) -> Node {
        let truth = Node::Truth { slot: machine.slot(id), want };
        let Some(deeper) = depth.checked_sub(1) else { return truth };
        let Term::Apply(op, args) = terms.get(id) else { return truth };
        let mut part = |of: &mut Self, at: usize, want: bool| of.add(terms, machine, args[at], want, deeper, known);
        if terms.width(args[0]) > 1 {
            return match op {
                Op::Eq | Op::Ne | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::FOeq | Op::FOlt | Op::FOle | Op::FUno => {
                    let (a, b) = (machine.slot(args[0]), machine.slot(args[1]));
                    Node::Compare { op, want, width: terms.width(args[0]), a, b }
                }
                _ => truth,
            };
        }
        if let (Op::Xor | Op::Ne | Op::Eq, Some(other)) = (op, args.get(1).and_then(|&arg| terms.as_constant(arg))) {
            let inner = part(self, 0, (want != (other != 0)) != (op == Op::Eq));
            return Node::Both(inner, inner);
        }
        match op {
            Op::And if want => Node::Both(part(self, 0, true), part(self, 1, true)),
            Op::And => Node::Either(part(self, 0, false), part(self, 1, false)),
            Op::Or if want => Node::Either(part(self, 0, true), part(self, 1, true)),
            Op::Or => Node::Both(part(self, 0, false), part(self, 1, false)),
            Op::Xor | Op::Ne | Op::Eq => {
                // Two truths that have to differ, or not to.
                let differ = want == (op != Op::Eq);
                let first = (part(self, 0, true), part(self, 1, !differ));
                let second = (part(self, 0, false), part(self, 1, differ));
                self.nodes.push(Node::Both(first.0, first.1));
                self.nodes.push(Node::Both(second.0, second.1));
                let at = self.nodes.len() as u32;
                Node::Either(at - 2, at - 1)
            }
            Op::Select if terms.width(id) == 1 => {
                let (yes, no) = (part(self, 0, true), part(self, 0, false));
                let (then, otherwise) = (part(self, 1, want), part(self, 2, want));
                self.nodes.push(Node::Both(yes, then));
                self.nodes.push(Node::Both(no, otherwise));
                let at = self.nodes.len() as u32;
                Node::Either(at - 2, at - 1)
            }
            Op::ZExt | Op::SExt | Op::Extract { .. } if terms.width(id) == 1 => {
                let inner = part(self, 0, want);
                Node::Both(inner, inner)
            }
            _ => truth,
        }
    }

    /// The distance of a condition by its place.
    pub(crate) fn of(&self, machine: &Machine, condition: usize) -> u64 {
        self.node(machine, self.roots[condition])
    }

    fn node(&self, machine: &Machine, at: u32) -> u64 {
        match self.nodes[at as usize] {
            Node::Compare { op, want, width, a, b } => compared(op, want, width, machine.at(a), machine.at(b)),
            Node::Truth { slot, want } => u64::from((machine.at(slot) != 0) != want),
            Node::Both(a, b) if a == b => self.node(machine, a),
            Node::Both(a, b) => self.node(machine, a).saturating_add(self.node(machine, b)).min(FAR),
            Node::Either(a, b) => match self.node(machine, a) {
                0 => 0,
                first => first.min(self.node(machine, b)),
            },
        }
    }
}

/// The place of a float among all floats of its width in order: neighbours are one apart, both zeros are 0.
pub(crate) fn ordinal(width: u8, bits: u64) -> i64 {
    match width {
        32 => {
            let bits = bits as u32 as i32;
            i64::from(if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits })
        }
        _ => {
            let bits = bits as i64;
            if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
        }
    }
}

/// The float at a place.
pub(crate) fn at_ordinal(width: u8, ordinal: i64) -> u64 {
    match width {
        32 => {
            let ordinal = ordinal as i32;
            u64::from((if ordinal < 0 { i32::MIN.wrapping_sub(ordinal) } else { ordinal }) as u32)
        }
        _ => (if ordinal < 0 { i64::MIN.wrapping_sub(ordinal) } else { ordinal }) as u64,
    }
}

fn is_nan(width: u8, bits: u64) -> bool {
    symcrete_term::float::is_nan(width, u128::from(bits))
}

/// Infinity as an ordinal.
pub(crate) fn infinity(width: u8) -> i64 {
    if width == 32 { 0x7f80_0000 } else { 0x7ff0_0000_0000_0000 }
}

fn compared(op: Op, want: bool, width: u8, a: u64, b: u64) -> u64 {
    let sign_extended = |value: u64| {
        let shift = 64 - u32::from(width);
        ((value << shift) as i64) >> shift
    };
    match op {
        Op::FOeq | Op::FOlt | Op::FOle => {
            if is_nan(width, a) || is_nan(width, b) {
                return if want { FAR } else { 0 };
            }
            let (a, b) = (i128::from(ordinal(width, a)), i128::from(ordinal(width, b)));
            let over = match (op, want) {
                (Op::FOeq, true) => (a - b).abs(),
                (Op::FOeq, false) => i128::from(a == b),
                (Op::FOlt, true) => a - b + 1,
                (Op::FOlt, false) => b - a,
                (_, true) => a - b,
                (_, false) => b - a + 1,
            };
            over.clamp(0, i128::from(FAR)) as u64
        }
        Op::FUno if want => {
            if is_nan(width, a) || is_nan(width, b) {
                return 0;
            }
            // The way to a NaN leads past infinity.
            let beyond = |bits: u64| (infinity(width) - ordinal(width, bits).abs() + 1) as u64;
            beyond(a).min(beyond(b)).min(FAR)
        }
        Op::FUno => u64::from(is_nan(width, a)) + u64::from(is_nan(width, b)),
        Op::Eq if want => {
            let m = u64::MAX >> (64 - u32::from(width));
            (a.wrapping_sub(b) & m).min(b.wrapping_sub(a) & m).min(FAR)
        }
        Op::Ne if !want => compared(Op::Eq, true, width, a, b),
        Op::Eq | Op::Ne => u64::from(a == b),
        Op::Ult => less(i128::from(a), i128::from(b), want),
        Op::Ule => less(i128::from(b), i128::from(a), !want),
        Op::Slt => less(i128::from(sign_extended(a)), i128::from(sign_extended(b)), want),
        _ => less(i128::from(sign_extended(b)), i128::from(sign_extended(a)), !want),
    }
}

fn less(a: i128, b: i128, want: bool) -> u64 {
    let over = if want { a - b + 1 } else { b - a };
    over.clamp(0, i128::from(FAR)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_query;
    use proptest::prelude::*;

    proptest! {
        /// A distance is 0 exactly when the condition holds.
        #[test]
        fn nothing_is_missing_exactly_when_a_condition_holds(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            let Some(mut machine) = Machine::new(&terms, &conditions) else { return Ok(()) };
            let distances = Distances::new(&terms, &machine, &conditions);
            machine.set_all(&random.parent);
            for (at, &condition) in conditions.iter().enumerate() {
                prop_assert_eq!(distances.of(&machine, at) == 0, machine.value(condition) != 0);
            }
        }

        #[test]
        fn floats_are_compared_as_they_are(a: u64, b: u64, near in -3i64..3, pick: bool) {
            let b = if pick { at_ordinal(64, ordinal(64, a).saturating_add(near)) } else { b };
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            for (op, truth) in [
                (Op::FOeq, x == y), (Op::FOlt, x < y), (Op::FOle, x <= y), (Op::FUno, x.is_nan() || y.is_nan()),
            ] {
                prop_assert_eq!(compared(op, true, 64, a, b) == 0, truth);
                prop_assert_eq!(compared(op, false, 64, a, b) == 0, !truth);
            }
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            prop_assert_eq!(compared(Op::FOlt, true, 32, a & 0xffff_ffff, b & 0xffff_ffff) == 0, x < y);
            if !f64::from_bits(a).is_nan() {
                prop_assert_eq!(f64::from_bits(at_ordinal(64, ordinal(64, a))), f64::from_bits(a));
            }
        }
    }
}
