//! Which bytes of an input the program takes together as one number: learnt from what runs compute with them. Random
//! inputs are then drawn number by number. Never asks the solver.

use crate::dictionary::Dictionary;
use crate::values::{float, integer};
use std::collections::BTreeMap;
use symcrete_search::{Rng, below};
use symcrete_term::{Op, Term, TermId, Terms, Var};

/// Numbers that are remembered.
const MOST: usize = 4096;
/// Terms of one run that are looked at.
const MOST_OF_A_RUN: usize = 1 << 16;

/// Where a number begins: its object and the first byte's place.
type Place = (u32, u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    bytes: u32,
    float: bool,
}

#[derive(Clone, Default)]
pub struct Shape {
    fields: BTreeMap<Place, Field>,
    /// Terms that were looked at, by number.
    seen: Vec<bool>,
}

impl Shape {
    /// Looks at what decisions are made of; at no term twice.
    pub fn learn(&mut self, subjects: impl Iterator<Item = TermId>, terms: &Terms) {
        self.seen.resize(self.seen.len().max(terms.len()), false);
        let mut work: Vec<TermId> = subjects.collect();
        for _ in 0..MOST_OF_A_RUN {
            let Some(id) = work.pop() else { return };
            if std::mem::replace(&mut self.seen[id.index()], true) {
                continue;
            }
            let Term::Apply(op, args) = terms.get(id) else { continue };
            for &arg in args {
                match number(arg, terms) {
                    // Joined further up, or taken apart: that says nothing about how it is meant.
                    Some(_) if matches!(op, Op::Concat | Op::Extract { .. }) => {}
                    Some((place, bytes)) => self.add(place, Field { bytes, float: takes_floats(op) }),
                    None => work.push(arg),
                }
            }
        }
    }

    /// A float is a float wherever else its bits are looked at; of two numbers that overlap the first stays.
    fn add(&mut self, place: Place, field: Field) {
        if field.bytes < 2 || field.float && !matches!(field.bytes, 4 | 8) || self.fields.len() >= MOST {
            return;
        }
        let before = self.fields.range(..=place).next_back();
        let after = self.fields.range(place..).next();
        let overlaps = before.is_some_and(|(&(object, at), f)| object == place.0 && at + f.bytes > place.1)
            || after.is_some_and(|(&(object, at), _)| object == place.0 && place.1 + field.bytes > at);
        if !overlaps {
            self.fields.insert(place, field);
        } else if let Some(known) = self.fields.get_mut(&place)
            && known.bytes == field.bytes
        {
            known.float |= field.float;
        }
    }

    /// The numbers of an object that lie within so many bytes.
    fn of(&self, object: usize, length: usize) -> impl Iterator<Item = (usize, Field)> + '_ {
        let object = object as u32;
        let all = self.fields.range((object, 0)..(object + 1, 0));
        all.map(|(&(_, at), &field)| (at as usize, field)).filter(move |(at, f)| at + f.bytes as usize <= length)
    }

    /// How long an object has to be to hold all numbers that were seen in it.
    pub fn end(&self, object: usize) -> usize {
        self.of(object, usize::MAX).map(|(at, field)| at + field.bytes as usize).max().unwrap_or(0)
    }

    /// Draws every number of an object anew.
    pub fn draw(&self, object: usize, bytes: &mut [u8], dictionary: &Dictionary, rng: &mut Rng) {
        for (at, field) in self.of(object, bytes.len()) {
            put(bytes, at, field, dictionary, rng);
        }
    }

    /// Draws one of an object's numbers anew; false where it has none.
    pub fn redraw(&self, object: usize, bytes: &mut [u8], dictionary: &Dictionary, rng: &mut Rng) -> bool {
        let count = self.of(object, bytes.len()).count();
        if count == 0 {
            return false;
        }
        if let Some((at, field)) = self.of(object, bytes.len()).nth(below(rng, count)) {
            put(bytes, at, field, dictionary, rng);
        }
        true
    }
}

fn put(bytes: &mut [u8], at: usize, field: Field, dictionary: &Dictionary, rng: &mut Rng) {
    let place = &mut bytes[at..at + field.bytes as usize];
    match (field.float, field.bytes) {
        (true, 4) => place.copy_from_slice(&(float(rng, dictionary) as f32).to_le_bytes()),
        (true, _) => place.copy_from_slice(&float(rng, dictionary).to_le_bytes()),
        (false, bytes) => {
            let known = if below(rng, 6) == 0 { dictionary.draw_number(rng) } else { None };
            let value = known.unwrap_or_else(|| integer(rng, 8 * bytes.min(8)));
            place.copy_from_slice(&i128::from(value as i64).to_le_bytes()[..place.len()]);
        }
    }
}

/// Whether an operation takes its operands for floats.
fn takes_floats(op: Op) -> bool {
    (op.is_float() || matches!(op, Op::Native { .. })) && !matches!(op, Op::SiToF | Op::UiToF)
}

/// Where a term that joins neighbouring bytes, the last one highest, begins, and how many they are.
fn number(id: TermId, terms: &Terms) -> Option<(Place, u32)> {
    let byte = |id| match terms.get(id) {
        Term::Variable(_, Var::Byte { object, offset }) => Some((object, offset)),
        _ => None,
    };
    let (mut rest, mut bytes) = (id, 0);
    let mut end = None;
    loop {
        let (high, low) = match terms.get(rest) {
            Term::Apply(Op::Concat, &[high, low]) => (high, Some(low)),
            _ => (rest, None),
        };
        let (object, offset) = byte(high)?;
        if end.is_some_and(|end| (object, offset + 1) != end) {
            return None;
        }
        (end, bytes) = (Some((object, offset)), bytes + 1);
        match low {
            Some(low) if bytes < 16 => rest = low,
            Some(_) => return None,
            None => return Some(((object, offset), bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_search::seeded;

    fn joined(terms: &mut Terms, places: std::ops::Range<u32>) -> TermId {
        let bytes: Vec<TermId> = places.map(|offset| terms.var(Var::Byte { object: 0, offset })).collect();
        bytes[1..].iter().fold(bytes[0], |low, &high| terms.concat(high, low))
    }

    #[test]
    fn numbers_are_found_and_drawn_whole() {
        let mut terms = Terms::new();
        let (x, n) = (joined(&mut terms, 4..12), joined(&mut terms, 0..4));
        let one = terms.constant(64, u128::from(1f64.to_bits()));
        let sum = terms.apply(Op::FAdd, 64, &[x, one]);
        let less = terms.apply(Op::FOlt, 1, &[sum, one]);
        let seven = terms.constant(32, 7);
        let product = terms.mul(n, seven);
        let small = terms.slt(product, seven);
        let mut shape = Shape::default();
        shape.learn([less, small].into_iter(), &terms);
        let fields: Vec<_> = shape.of(0, 12).collect();
        assert_eq!(fields, [(0, Field { bytes: 4, float: false }), (4, Field { bytes: 8, float: true })]);
        assert_eq!(shape.of(0, 11).count(), 1);
        assert_eq!((shape.end(0), shape.end(1)), (12, 0));
        let (mut rng, dictionary) = (seeded(3), Dictionary::default());
        let mut small = 0;
        for _ in 0..100 {
            let mut bytes = [0xa5; 13];
            shape.draw(0, &mut bytes, &dictionary, &mut rng);
            assert_eq!(bytes[12], 0xa5);
            let x = f64::from_le_bytes(bytes[4..12].try_into().unwrap());
            small += usize::from(x.abs() < 1e6);
        }
        assert!(small > 30, "{small}");
        assert!(!shape.redraw(1, &mut [0; 4], &dictionary, &mut rng));
    }
}
