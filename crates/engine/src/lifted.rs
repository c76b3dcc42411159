//! Numbers that an input spells out in digits, as unknowns of their own: what they would all have to be for a decision of a run
//! to come out differently, whatever is computed from them. The digits of the run allow only numbers that are as long, so
//! `x * x + y * y == z * z` may have no solution on its path; written with other lengths the numbers go wherever they go, and
//! nothing is proved by it.

use crate::guesses::{Seen, Text};
use rustc_hash::FxHashMap;
use std::ops::Range;
use symcrete_abi::layout::{Event, Node};
use symcrete_abi::{EventKind, Label, Op};
use symcrete_exec::{Input, operation, value_of};
use symcrete_program::{SiteId, SiteKind};
use symcrete_solve::Model;
use symcrete_term::{TermId, Terms, Var};

/// Objects from here on are numerals: the input has none of these numbers.
const FIRST: u32 = 1 << 31;
/// More are not told apart.
const MOST_NUMERALS: usize = 64;
/// Longer ones do not fit into what programs compute with.
const MOST_DIGITS: usize = 18;
/// Nodes of one run that are looked at.
const MOST_NODES: usize = 100_000;
/// Bits of the numbers that are looked for, in turn: small ones are found sooner, and texts have little room.
pub const WIDTHS: [u8; 4] = [10, 16, 32, 63];

/// Digits in an object of the input, and what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numeral {
    object: u32,
    range: Range<usize>,
    number: u64,
}

/// What a node is, with numerals as unknowns.
#[derive(Clone, Copy)]
enum Value {
    /// It does not depend on a numeral: what it was in the run.
    Constant,
    /// It depends on these digits of a numeral, counted from its first.
    Digits { numeral: u8, digits: u64 },
    /// It depends on what numerals say (a bit for each).
    Lifted { term: TermId, numerals: u64 },
    /// It depends on how a number is written as well.
    Mixed,
}

#[derive(Clone, Copy)]
struct Known {
    value: Value,
    /// Numerals whose end it looks at.
    ends: u64,
}

/// A run whose numerals are unknowns. Decisions are looked at in order.
pub struct Lift<'a> {
    seen: &'a Seen<'a>,
    /// Bits of an unknown.
    width: u8,
    numerals: Vec<Numeral>,
    known: FxHashMap<Label, Known>,
    /// Conditions on numerals that held so far.
    held: Vec<(TermId, u64)>,
    /// Numerals whose end was looked at: from there on conditions are about the number, not about its digits.
    ended: u64,
    next: usize,
}

/// What numbers would have to be.
pub struct Question {
    pub prefix: Vec<TermId>,
    pub goal: TermId,
    width: u8,
    numerals: Vec<(u32, Numeral)>,
}

impl<'a> Lift<'a> {
    /// None where the input has no numbers.
    pub fn new(seen: &'a Seen<'a>, width: u8) -> Option<Lift<'a>> {
        let bytes = |object| seen.bytes(object).map(|bytes| (object as u32, bytes));
        let numerals: Vec<Numeral> =
            (0..).map_while(bytes).flat_map(|(object, bytes)| numerals(object, bytes)).collect();
        let some = (1..=MOST_NUMERALS).contains(&numerals.len());
        some.then(|| Lift { seen, width, numerals, known: FxHashMap::default(), held: vec![], ended: 0, next: 0 })
    }

    /// What would give a decision that outcome, behind the decisions before it.
    pub fn question(
        &mut self,
        at: usize,
        event: &Event,
        site: SiteId,
        outcome: usize,
        terms: &mut Terms,
    ) -> Option<Question> {
        self.come_to(at, terms);
        let (goal, numerals) = self.condition(event, site, Some(outcome), terms)?;
        // What the goal shares no number with, not even through others, is left as it is.
        let mut among = numerals;
        loop {
            let near = self.held.iter().filter(|(_, of)| of & among != 0).fold(among, |all, (_, of)| all | of);
            if near == among {
                break;
            }
            among = near;
        }
        let prefix = self.held.iter().filter(|(_, of)| of & among != 0).map(|(term, _)| *term).collect();
        let named = (0..self.numerals.len()).filter(|k| among >> k & 1 == 1);
        let numerals = named.map(|k| (k as u32, self.numerals[k].clone())).collect();
        Some(Question { prefix, goal, width: self.width, numerals })
    }

    /// Takes up the decisions before this one.
    fn come_to(&mut self, at: usize, terms: &mut Terms) {
        for index in self.next..at {
            let Some(event) = self.seen.trace.event(index).filter(|event| event.label != 0) else { continue };
            if ![EventKind::Branch as u8, EventKind::Switch as u8, EventKind::Assume as u8].contains(&event.kind) {
                continue;
            }
            let Some(site) = self.seen.units.site(event.site) else { continue };
            if let Some((held, of)) = self.condition(&event, site, None, terms) {
                let counts = |k: usize| self.ended >> k & 1 == 1 || self.numerals[k].range.len() > 1;
                if (0..self.numerals.len()).all(|k| of >> k & 1 == 0 || counts(k)) {
                    self.held.push((held, of));
                }
            }
            self.ended |= self.known.get(&event.label).map_or(0, |known| known.ends);
        }
        self.next = self.next.max(at);
    }

    /// That a decision comes out so, or as it did; none where it is not about numbers, or about more than numbers.
    fn condition(
        &mut self,
        event: &Event,
        site: SiteId,
        outcome: Option<usize>,
        terms: &mut Terms,
    ) -> Option<(TermId, u64)> {
        let Value::Lifted { term, numerals } = self.value(event.label, terms) else { return None };
        let kind = (site != SiteId::NONE).then(|| &self.seen.program.site(site).1.kind);
        let condition = match kind {
            Some(SiteKind::Switch { cases, .. }) if event.kind == EventKind::Switch as u8 => {
                let value = value_of(&self.seen.trace.node(event.label)?);
                let wanted = outcome.map_or(Some(value), |outcome| cases.get(outcome).copied())?;
                let wanted = terms.constant(terms.width(term), wanted);
                terms.eq(term, wanted)
            }
            _ if terms.width(term) != 1 => return None,
            _ if (event.taken != 0) == outcome.is_none() => term,
            _ => terms.not(term),
        };
        (!terms.is_constant(condition)).then_some((condition, numerals))
    }

    fn value(&mut self, label: Label, terms: &mut Terms) -> Value {
        let mut work = vec![label];
        while let Some(&label) = work.last() {
            if self.known.contains_key(&label) {
                work.pop();
                continue;
            }
            if self.known.len() + work.len() > MOST_NODES {
                return Value::Mixed;
            }
            let (node, op) = match self.seen.trace.node(label).map(|node| (node, Op::from_u8(node.op))) {
                Some((node, Some(op))) => (node, op),
                _ => return Value::Mixed,
            };
            let operands = &[node.a, node.b, node.c][..op.operands()];
            let open = work.len();
            work.extend(operands.iter().filter(|operand| **operand < label && !self.known.contains_key(operand)));
            if work.len() == open {
                work.pop();
                let known = self.computed(label, &node, op, operands, terms);
                self.known.insert(label, known);
            }
        }
        self.known.get(&label).map_or(Value::Mixed, |known| known.value)
    }

    fn computed(&self, label: Label, node: &Node, op: Op, operands: &[Label], terms: &mut Terms) -> Known {
        match op {
            Op::Input => return self.byte(node),
            Op::Length => {
                let end = self.seen.bytes(node.a as usize).map_or(0, <[u8]>::len);
                return Known { value: Value::Constant, ends: self.ending(node.a, end) };
            }
            _ => {}
        }
        let mixed = Known { value: Value::Mixed, ends: 0 };
        let known: Option<Vec<Known>> = operands.iter().map(|operand| self.known.get(operand).copied()).collect();
        let Some(known) = known else { return mixed };
        let ends = known.iter().fold(0, |all, known| all | known.ends);
        let value = known.iter().fold(Value::Constant, |all, known| all.beside(known.value));
        let value = match value {
            Value::Digits { numeral, digits } => self.whole(node, numeral, digits, terms),
            Value::Lifted { numerals, .. } if op != Op::Table => {
                let constant = |operand: Label| {
                    let node = self.seen.trace.node(operand)?;
                    Some((u8::try_from(node.width).ok().filter(|width| (1..=128).contains(width))?, value_of(&node)))
                };
                let args: Option<Vec<TermId>> = operands
                    .iter()
                    .zip(&known)
                    .map(|(operand, known)| match known.value {
                        Value::Lifted { term, .. } => Some(term),
                        _ => constant(*operand).map(|(width, value)| terms.constant(width, value)),
                    })
                    .collect();
                let term = args.and_then(|args| operation(node, label, op, &args, &self.seen.trace, terms).ok());
                term.map_or(Value::Mixed, |term| Value::Lifted { term, numerals })
            }
            Value::Lifted { .. } => Value::Mixed,
            other => other,
        };
        Known { value, ends }
    }

    fn byte(&self, node: &Node) -> Known {
        let (object, offset) = (node.a, node.b as usize);
        let of = self.numerals.iter().position(|each| each.object == object && each.range.contains(&offset));
        let value = match of {
            Some(k) => Value::Digits { numeral: k as u8, digits: 1 << (offset - self.numerals[k].range.start) },
            None => Value::Constant,
        };
        Known { value, ends: self.ending(object, offset) }
    }

    /// Numerals that end there.
    fn ending(&self, object: u32, offset: usize) -> u64 {
        let ends = |each: &Numeral| each.object == object && each.range.end == offset;
        self.numerals.iter().enumerate().filter(|(_, each)| ends(each)).fold(0, |all, (k, _)| all | 1 << k)
    }

    /// What was made of all digits of a numeral and has its value, or the negative of it, is the number.
    fn whole(&self, node: &Node, numeral: u8, digits: u64, terms: &mut Terms) -> Value {
        let part = Value::Digits { numeral, digits };
        let Numeral { range, number, .. } = &self.numerals[usize::from(numeral)];
        let Some(width) = u8::try_from(node.width).ok().filter(|width| (8..=128).contains(width)) else { return part };
        let (have, mask) = (value_of(node), u128::MAX >> (128 - width));
        let (number, all) = (u128::from(*number), (1u64 << range.len()) - 1);
        let negative = have == number.wrapping_neg() & mask;
        if digits != all || number > mask || (have != number && !negative) {
            return part;
        }
        let unknown = terms.var(variable(u32::from(numeral)));
        let narrow = terms.extract(unknown, 0, self.width.min(width));
        let fitting = terms.zext(narrow, width);
        let term = if have == number { fitting } else { terms.neg(fitting) };
        Value::Lifted { term, numerals: 1 << numeral }
    }
}

impl Value {
    /// What is computed from both.
    fn beside(self, other: Value) -> Value {
        use Value::*;
        match (self, other) {
            (Constant, any) | (any, Constant) => any,
            (Digits { numeral, digits }, Digits { numeral: of, digits: more }) if numeral == of => {
                Digits { numeral, digits: digits | more }
            }
            (Lifted { term, numerals }, Lifted { numerals: more, .. }) => Lifted { term, numerals: numerals | more },
            _ => Mixed,
        }
    }
}

impl Question {
    /// What the run had, of a numeral.
    pub fn value(&self, var: Var) -> Option<u128> {
        self.numerals.iter().find(|(k, _)| variable(*k) == var).map(|(_, numeral)| u128::from(numeral.number))
    }

    /// The numbers of a model, where they are to be written.
    pub fn texts(&self, model: &Model) -> Vec<Text> {
        let text = |(k, numeral): &(u32, Numeral)| {
            let number = model.get(variable(*k))? & (u64::MAX >> (64 - self.width));
            if number == numeral.number {
                return None;
            }
            Some(Text {
                object: numeral.object as usize,
                range: numeral.range.clone(),
                text: number.to_string().into(),
            })
        };
        self.numerals.iter().filter_map(text).collect()
    }
}

fn variable(numeral: u32) -> Var {
    Var::Length { object: FIRST + numeral }
}

/// What digits spell out in some bytes. Zeros in front are no number that other digits would stand for.
fn numerals(object: u32, bytes: &[u8]) -> Vec<Numeral> {
    let mut found = vec![];
    let mut at = 0;
    for run in bytes.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()) {
        let range = at..at + run.len();
        at = range.end;
        if !run[0].is_ascii_digit() || run.len() > MOST_DIGITS || (run[0] == b'0' && run.len() > 1) {
            continue;
        }
        let number = run.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
        found.push(Numeral { object, range, number });
    }
    found
}

/// The input with other texts in it.
pub fn with_texts(input: &Input, mut texts: Vec<Text>, fit: impl Fn(usize, &mut Vec<u8>)) -> Input {
    let mut input = input.clone();
    // From the last one on, so that places stay where they are.
    texts.sort_unstable_by_key(|text| std::cmp::Reverse((text.object, text.range.start)));
    for Text { object, range, text } in texts {
        input.objects[object].bytes.splice(range, text);
    }
    input.objects.iter_mut().enumerate().for_each(|(object, each)| fit(object, &mut each.bytes));
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_digits_spell_out() {
        let found = numerals(2, b"a 10,007 3x9223372036854775808 0");
        let said: Vec<(Range<usize>, u64)> = found.into_iter().map(|each| (each.range, each.number)).collect();
        assert_eq!(said, [(2..4, 10), (9..10, 3), (31..32, 0)]);
    }
}
