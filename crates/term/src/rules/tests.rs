//! The proofs: each rule's shape, with every constant and every alternative, simplified and plain,
//! compared over all values of its unknowns (a large sample where there are too many).

use super::*;
use crate::eval::Evaluator;
use crate::store::Term;
use crate::vars::Var;

/// Enumerates all sequences of draws, as nested loops would; large ranges are thinned to values
/// near zero, the ends, the middle and powers of two. Where there are too many sequences, draws are
/// scattered instead, so that the first ones vary too.
#[derive(Default)]
struct Draws {
    taken: Vec<(u128, u128)>,
    at: usize,
    scattered: Option<u64>,
}

/// As many sequences as are enumerated, and then scattered, per rule and width.
const SEQUENCES: u32 = 6000;

impl Draws {
    fn size(range: u128) -> u128 {
        if range <= 64 { range } else { interesting(range).len() as u128 }
    }
    fn draw(&mut self, range: u128) -> u128 {
        if let Some(state) = &mut self.scattered {
            *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let choice = (*state >> 33) as u128 % Self::size(range);
            return if range <= 64 { choice } else { interesting(range)[choice as usize] };
        }
        if self.at == self.taken.len() {
            self.taken.push((0, Self::size(range)));
        }
        let (choice, _) = self.taken[self.at];
        self.at += 1;
        if range <= 64 { choice } else { interesting(range)[choice as usize] }
    }
    fn next(&mut self) -> bool {
        self.at = 0;
        if self.scattered.is_some() {
            return true;
        }
        while let Some((choice, size)) = self.taken.pop() {
            if choice + 1 < size {
                self.taken.push((choice + 1, size));
                return true;
            }
        }
        false
    }
}

fn interesting(range: u128) -> Vec<u128> {
    let mut values: Vec<u128> = Vec::new();
    for base in [0, range / 2, range, range / 4, range / 16, range / 4 * 3] {
        for delta in [-2i128, -1, 0, 1] {
            values.push(base.wrapping_add_signed(delta));
        }
    }
    values.extend([3, 5, 7, 11, 53, range / 3, range / 5, range / 7]);
    let mut bit = 1;
    while bit < range {
        values.push(bit);
        values.push(range - bit);
        bit *= 2;
    }
    values.retain(|&v| v < range);
    values.sort_unstable();
    values.dedup();
    values
}

/// Compares two terms of two stores under many assignments of bytes 0 to 3.
fn assert_equal(rule: &str, plain: &Terms, left: TermId, rich: &Terms, right: TermId, w: u8) {
    assert_eq!(plain.width(left), rich.width(right), "{rule}: width changed");
    let used: Vec<u32> = plain
        .vars_of(left)
        .map(|id| match plain.variable(id) {
            Var::Byte { offset, .. } => offset,
            Var::Length { .. } => unreachable!("shapes use bytes"),
        })
        .collect();
    let bits = |offset: &u32| if *offset == 3 { 1 } else { w };
    let total: u32 = used.iter().map(|offset| bits(offset) as u32).sum();
    let count = if total <= 9 { 1u64 << total } else { 160 };
    let order_left = plain.reachable(&[left]);
    let order_right = rich.reachable(&[right]);
    let (mut first, mut second) = (Evaluator::new(), Evaluator::new());
    for case in 0..count {
        // Exhaustive: the bits of `case`; sampled: a fixed scrambling of it.
        let source = if total <= 9 { case } else { case.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(case as u32) };
        let mut values = [0u128; 4];
        let mut shift = 0;
        for offset in &used {
            values[*offset as usize] = (source >> shift) as u128 & crate::bits::mask(bits(offset));
            shift += bits(offset) as u32;
        }
        let inputs = |var: Var| match var {
            Var::Byte { offset, .. } => values[offset as usize],
            Var::Length { .. } => 0,
        };
        first.eval_in_order(plain, &order_left, &inputs);
        second.eval_in_order(rich, &order_right, &inputs);
        assert_eq!(
            first.known(left),
            second.known(right),
            "{rule} at width {w}: {} became {} under {values:?}",
            plain.show(left),
            rich.show(right)
        );
    }
}

#[test]
fn every_rule_is_equal_to_what_it_replaces() {
    for rule in all() {
        let mut fired = 0;
        for w in [1, 2, 3, 4, 8] {
            let mut draws = Draws::default();
            let (mut plain, mut rich) = (Terms::plain(), Terms::new());
            let mut runs = 0u32;
            loop {
                let left = {
                    let mut draw = |range| draws.draw(range);
                    (rule.shape)(&mut Shape { terms: &mut plain, w, draw: &mut draw })
                };
                let right = rich.import(&plain, &[left])[0];
                assert_equal(rule.name, &plain, left, &rich, right, w);
                runs += 1;
                if runs == SEQUENCES {
                    draws.scattered = Some(w as u64);
                }
                if runs == 2 * SEQUENCES || !draws.next() {
                    break;
                }
            }
            fired += rich.fired.get(rule.name).copied().unwrap_or(0);
        }
        assert!(fired > 0, "{}: its own shape never makes it fire", rule.name);
    }
}

#[test]
fn names_are_unique_and_say_one_thing() {
    for op in Op::ALL {
        for rule in rules_for(op) {
            let namesakes = all().iter().filter(|other| other.name == rule.name).count();
            assert_eq!(namesakes, 1, "{}", rule.name);
        }
    }
}

#[test]
fn conditions_of_parsers_come_out_small() {
    let mut t = Terms::new();
    let bytes: Vec<TermId> = (0..4).map(|offset| t.var(Var::Byte { object: 0, offset })).collect();
    // isdigit on a widened byte
    let wide = t.zext(bytes[0], 32);
    let (zero, ten) = (t.constant(32, '0' as u128), t.constant(32, 10));
    let digit = t.sub(wide, zero);
    let digit = t.ult(digit, ten);
    assert_eq!(t.show(digit).to_string(), "ult(add(in0[0], 0xd0:8), 0xa:8)");
    // a magic word assembled by shifts
    let mut word = t.constant(32, 0);
    for (place, &byte) in bytes.iter().enumerate() {
        let wide = t.zext(byte, 32);
        let by = t.constant(32, 8 * place as u128);
        let part = t.shl(wide, by);
        word = t.or(word, part);
    }
    assert_eq!(word, t.word(&bytes));
    let magic = t.constant(32, 0xdead_beef);
    let found = t.eq(word, magic);
    assert_eq!(
        t.show(found).to_string(),
        "and(eq(in0[3], 0xde:8), and(eq(in0[2], 0xad:8), and(eq(in0[1], 0xbe:8), eq(in0[0], 0xef:8))))".to_string()
    );
    // !(a == 'x') written as C compilers do
    let x = t.constant(8, 'x' as u128);
    let equal = t.eq(bytes[1], x);
    let int = t.zext(equal, 32);
    let none = t.constant(32, 0);
    let not = t.eq(int, none);
    assert!(matches!(t.get(not), Term::Apply(Op::Ne, _)));
    let again = t.not(not);
    assert_eq!(again, equal);
}
