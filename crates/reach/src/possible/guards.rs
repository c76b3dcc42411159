//! What branches say of values: behind the edge of `x < 8` x is less than 8, as far as nobody gets there by another edge.
//!
//! A value is computed before whatever compares it, and computed anew only together with it, so a comparison holds in
//! all blocks that its edge dominates. Where functions return twice that is not so; nothing is said of those.

use super::set::{Numbers, Set};
use crate::code::{Body, Code, width};
use crate::flow::Flow;
use rustc_hash::FxHashMap;
use symcrete_program::FunctionId;
use symcrete_program::code::{Cast, Constant, Operand, Order, What};

/// Chains of comparisons of comparisons, and of extensions, are followed so far.
const DEPTH: usize = 4;

/// One thing that an edge says of a value.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The edge; it is the only way into its block, or the block is looked at from there.
    from: u32,
    to: u32,
    alone: bool,
    pub test: Test,
}

#[derive(Clone, Debug)]
pub enum Test {
    /// The comparison with something of so many bits, and that the value is made longer for it by its sign.
    Order { how: Order, other: Operand, bits: u8, signed_from: Option<u8> },
    /// One of a switch's cases.
    OneOf(Vec<u128>),
}

#[derive(Default)]
pub struct Guards {
    by_value: FxHashMap<u32, Vec<Guard>>,
    /// When a walk over the tree of dominators comes to a block and leaves it.
    spans: Vec<(u32, u32)>,
}

impl Guards {
    pub fn new(code: &Code<'_>, function: FunctionId, body: Body<'_>) -> Guards {
        if !code.twice(function).is_empty() {
            return Guards::default();
        }
        let flow = Flow::new(body.model, |_| false);
        let mut guards = Guards { by_value: FxHashMap::default(), spans: flow.spans() };
        for (from, list) in body.function.blocks.iter().enumerate() {
            let successors = &body.model.blocks[from].successors;
            let edges: Vec<(u32, bool)> = successors.iter().map(|&to| (to, flow.is_edge(from as u32, to))).collect();
            match list.last().map(|last| &last.what) {
                Some(What::Branch(condition)) if edges.len() == 2 && edges[0].0 != edges[1].0 => {
                    for (number, (to, alone)) in edges.into_iter().enumerate() {
                        let at = (from as u32, to, alone);
                        guards.condition(code, function, body, *condition, number == 0, at, DEPTH);
                    }
                }
                Some(What::Switch(Operand::Value(on), cases)) => {
                    for (to, alone) in edges.iter().skip(1).copied() {
                        if to == edges[0].0 {
                            continue;
                        }
                        let led = |(number, _): &(usize, &u128)| edges[number + 1].0 == to;
                        let list = cases.iter().enumerate().filter(led).map(|(_, case)| *case).collect();
                        let guard = Guard { from: from as u32, to, alone, test: Test::OneOf(list) };
                        guards.by_value.entry(*on).or_default().push(guard);
                    }
                }
                _ => {}
            }
        }
        guards
    }

    /// What it says that a condition holds, or does not.
    #[allow(clippy::too_many_arguments)]
    fn condition(
        &mut self,
        code: &Code<'_>,
        function: FunctionId,
        body: Body<'_>,
        condition: Operand,
        holds: bool,
        at: (u32, u32, bool),
        depth: usize,
    ) {
        let (Operand::Value(number), Some(depth)) = (condition, depth.checked_sub(1)) else { return };
        let Some(instruction) = code.definition(function, number).and_then(|place| code.instruction(place)) else {
            return;
        };
        match &instruction.what {
            What::Compare(how, a, b) if width(body.code, instruction.ty) == Some(1) => {
                let is_zero = |operand: &Operand| constant(body, *operand) == Some(0);
                // `(a < b) != 0`
                if let (Order::Equal | Order::NotEqual, Operand::Value(inner), true) = (how, a, is_zero(b)) {
                    let inner = code.definition(function, *inner).and_then(|place| code.instruction(place));
                    if let Some(What::Cast(Cast::ZeroExtend, inner)) = inner.map(|inner| &inner.what) {
                        let bits = code.type_of(function, *inner).and_then(|ty| width(body.code, ty));
                        if bits == Some(1) {
                            let holds = holds == (*how == Order::NotEqual);
                            self.condition(code, function, body, *inner, holds, at, depth);
                        }
                    }
                }
                let how = if holds { *how } else { negated(*how) };
                let operand = |x: &Operand, y: &Operand| code.type_of(function, *x).or(code.type_of(function, *y));
                let Some(bits) = operand(a, b).map_or(Some(64), |ty| width(body.code, ty)) else { return };
                self.compared(code, function, body, (*a, how, *b), bits, at);
                self.compared(code, function, body, (*b, turned(how), *a), bits, at);
            }
            _ => {}
        }
    }

    fn compared(
        &mut self,
        code: &Code<'_>,
        function: FunctionId,
        body: Body<'_>,
        (value, how, other): (Operand, Order, Operand),
        bits: u8,
        (from, to, alone): (u32, u32, bool),
    ) {
        let Operand::Value(number) = value else { return };
        let mut say = |number: u32, signed_from: Option<u8>| {
            let test = Test::Order { how, other, bits, signed_from };
            self.by_value.entry(number).or_default().push(Guard { from, to, alone, test });
        };
        say(number, None);
        // The same of what was made longer for it.
        let instruction = code.definition(function, number).and_then(|place| code.instruction(place));
        if let Some(What::Cast(cast @ (Cast::ZeroExtend | Cast::SignExtend), Operand::Value(inner))) =
            instruction.map(|instruction| &instruction.what)
        {
            let narrow = code.type_of(function, Operand::Value(*inner)).and_then(|ty| width(body.code, ty));
            match (cast, narrow) {
                (Cast::SignExtend, Some(narrow)) => say(*inner, Some(narrow)),
                (Cast::ZeroExtend, _) => say(*inner, None),
                _ => {}
            }
        }
    }

    /// Values that guards compare with others: whoever uses the one depends on the other, too.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.by_value.iter().flat_map(|(value, list)| {
            list.iter().filter_map(move |guard| match guard.test {
                Test::Order { other: Operand::Value(other), .. } => Some((*value, other)),
                _ => None,
            })
        })
    }

    /// What holds for a value in a block; or where it is left along an edge.
    pub fn of(&self, value: u32, block: u32, edge_to: Option<u32>) -> impl Iterator<Item = &Test> {
        let dominates = move |upper: u32| {
            let ((a, b), (from, upto)) = (self.spans[upper as usize], self.spans[block as usize]);
            a <= from && upto <= b
        };
        let list = self.by_value.get(&value).map_or(&[][..], Vec::as_slice);
        let holds = move |guard: &&Guard| {
            (guard.from, Some(guard.to)) == (block, edge_to) || guard.alone && dominates(guard.to)
        };
        list.iter().filter(holds).map(|guard| &guard.test)
    }
}

impl Test {
    /// What is left of a set.
    pub fn applied(&self, set: &mut Set, other: &Set) {
        if set.outside || set.is_empty() {
            return;
        }
        if other.is_empty() && matches!(self, Test::Order { .. }) {
            return *set = Set::default();
        }
        match self {
            Test::OneOf(cases) if set.is_numbers() => {
                let may = |case: &&u128| set.may_be(**case);
                *set = Set::few(cases.iter().filter(may).copied().collect());
            }
            Test::OneOf(_) => {}
            Test::Order { how, bits, signed_from, .. } => {
                let longer = |value: u128| match signed_from {
                    Some(from) => super::arithmetic::signed(value, *from) as u128 & super::arithmetic::mask(*bits),
                    None => value,
                };
                let one = other.as_few().filter(|few| few.len() == 1).map(|few| few[0]);
                // An address is neither nothing nor any small number.
                if let (Order::Equal, Some(0..4096)) = (how, one) {
                    set.places.clear();
                }
                match &mut set.numbers {
                    Numbers::Few(values) => {
                        let ends = other.ends();
                        let few = other.as_few();
                        values.retain(|value| {
                            let own = Set::number(longer(*value));
                            if few.is_none() && ends.is_none() {
                                return true;
                            }
                            super::arithmetic::compare(*how, &own, other, Some(*bits)).may_be(1)
                        });
                    }
                    numbers => {
                        if signed_from.is_none() && (set.places.is_empty() || *how == Order::Equal) {
                            narrow(numbers, *how, other, *bits);
                        }
                    }
                }
            }
        }
    }
}

/// What is left of numbers that are not few.
fn narrow(numbers: &mut Numbers, how: Order, other: &Set, bits: u8) {
    use Order::*;
    if bits > 64 {
        return;
    }
    let most = super::arithmetic::mask(bits) as u64;
    let (least, greatest) = numbers.ends().unwrap_or((0, u64::MAX));
    let (least, greatest) = (least, greatest.min(most));
    let (low, high) = match other.is_numbers() {
        true => other.ends().unwrap_or((0, most)),
        false => (0, most),
    };
    let half = most >> 1;
    let own_positive = greatest <= half;
    let (from, upto) = match how {
        Equal => {
            if let Some(few) = other.as_few() {
                let may = |value: &&u128| (u128::from(least)..=u128::from(greatest)).contains(*value);
                *numbers = Numbers::Few(few.iter().filter(may).copied().collect());
                return;
            }
            (least.max(low), greatest.min(high))
        }
        NotEqual if low == high && least == low => (least.saturating_add(1), greatest),
        NotEqual if low == high && greatest == low => (least, greatest.saturating_sub(1)),
        UnsignedLess => (least, greatest.min(high.saturating_sub(1))),
        UnsignedLessEqual => (least, greatest.min(high)),
        UnsignedGreater => (least.max(low.saturating_add(1)), greatest),
        UnsignedGreaterEqual => (least.max(low), greatest),
        // By sign: less than something is less than the greatest number; more than what is not negative is not negative.
        SignedLess if own_positive => {
            (least, greatest.min(if high <= half { high.saturating_sub(1) } else { half.saturating_sub(1) }))
        }
        SignedLessEqual if own_positive && high <= half => (least, greatest.min(high)),
        SignedGreater if low == most => (least, greatest.min(half)),
        SignedGreater if high <= half => (least.max(low.saturating_add(1)), greatest.min(half)),
        SignedGreaterEqual if high <= half => (least.max(low), greatest.min(half)),
        _ => return,
    };
    *numbers = match (from <= upto, from == 0 && upto == u64::MAX) {
        (true, true) => Numbers::Any,
        (true, false) => Numbers::Between(from, upto),
        (false, _) => Numbers::Few(vec![]),
    };
}

fn constant(body: Body<'_>, operand: Operand) -> Option<u128> {
    let Operand::Constant(id) = operand else { return None };
    match &body.code.constants[id as usize] {
        Constant::Int(_, value) => Some(*value),
        Constant::Null(ty) if width(body.code, *ty).is_some() => Some(0),
        _ => None,
    }
}

fn negated(how: Order) -> Order {
    use Order::*;
    match how {
        Equal => NotEqual,
        NotEqual => Equal,
        UnsignedGreater => UnsignedLessEqual,
        UnsignedGreaterEqual => UnsignedLess,
        UnsignedLess => UnsignedGreaterEqual,
        UnsignedLessEqual => UnsignedGreater,
        SignedGreater => SignedLessEqual,
        SignedGreaterEqual => SignedLess,
        SignedLess => SignedGreaterEqual,
        SignedLessEqual => SignedGreater,
    }
}

/// The same, said from the other side.
fn turned(how: Order) -> Order {
    use Order::*;
    match how {
        Equal => Equal,
        NotEqual => NotEqual,
        UnsignedGreater => UnsignedLess,
        UnsignedGreaterEqual => UnsignedLessEqual,
        UnsignedLess => UnsignedGreater,
        UnsignedLessEqual => UnsignedGreaterEqual,
        SignedGreater => SignedLess,
        SignedGreaterEqual => SignedLessEqual,
        SignedLess => SignedGreater,
        SignedLessEqual => SignedGreaterEqual,
    }
}
