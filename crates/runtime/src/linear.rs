//! What an address is made of: a known part, and input-dependent parts each with a factor and a range that
//! its operation and width give. Looks at nodes only; never at memory, never at the path.

use crate::nodes::{get, mask, third, value};
use crate::tables;
use symcrete_abi::{Label, Op};

/// Parts an address may have.
const PARTS: usize = 4;
/// Nodes looked at for one address.
const STEPS: u32 = 48;
/// How deep the range of a part is looked for.
const DEPTH: u32 = 8;

/// One part: `scale` times the value of `label`, which lies in `low..=high` as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub label: Label,
    pub scale: i64,
    pub low: i128,
    pub high: i128,
}

/// `known` plus all parts, as 64-bit numbers.
#[derive(Debug)]
pub struct Linear {
    pub known: u64,
    parts: [Part; PARTS],
    count: usize,
}

impl Linear {
    pub fn parts(&self) -> &[Part] {
        &self.parts[..self.count]
    }

    /// The greatest common factor of the parts; none when there are no parts.
    pub fn step(&self) -> Option<u64> {
        let step = self.parts().iter().fold(0, |step, part| gcd(step, part.scale.unsigned_abs()));
        (step != 0).then_some(step)
    }

    fn add(&mut self, label: Label, scale: u64) -> Option<()> {
        if let Some(place) = self.parts().iter().position(|part| part.label == label) {
            let scale = self.parts[place].scale.wrapping_add(scale as i64);
            self.parts[place].scale = scale;
            if scale == 0 {
                self.count -= 1;
                self.parts[place] = self.parts[self.count];
            }
            return Some(());
        }
        if self.count == PARTS || scale == 0 {
            return (scale == 0).then_some(());
        }
        let (low, high) = signed_range(label);
        self.parts[self.count] = Part { label, scale: scale as i64, low, high };
        self.count += 1;
        Some(())
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Takes a 64-bit value apart; none when it has too many parts.
pub fn linear(label: Label) -> Option<Linear> {
    let nothing = Part { label: 0, scale: 0, low: 0, high: 0 };
    let mut sum = Linear { known: 0, parts: [nothing; PARTS], count: 0 };
    let mut stack = [(0, 0u64); 16];
    let mut open = 1;
    stack[0] = (label, 1);
    for _ in 0..STEPS {
        if open == 0 {
            return Some(sum);
        }
        open -= 1;
        let (label, scale) = stack[open];
        let node = get(label);
        let constant = |label: Label| (get(label).op == Op::Const as u8).then(|| value(label) as u64);
        let mut push = |label: Label, scale: u64| {
            if open == stack.len() {
                return None;
            }
            stack[open] = (label, scale);
            open += 1;
            Some(())
        };
        match Op::from_u8(node.op) {
            Some(Op::Const) => sum.known = sum.known.wrapping_add(scale.wrapping_mul(value(label) as u64)),
            Some(Op::Add) => {
                push(node.a, scale)?;
                push(node.b, scale)?;
            }
            Some(Op::Sub) => {
                push(node.a, scale)?;
                push(node.b, scale.wrapping_neg())?;
            }
            Some(Op::Mul) if constant(node.b).is_some() => push(node.a, scale.wrapping_mul(constant(node.b)?))?,
            Some(Op::Mul) if constant(node.a).is_some() => push(node.b, scale.wrapping_mul(constant(node.a)?))?,
            Some(Op::Shl) if constant(node.b).is_some_and(|by| by < 64) => push(node.a, scale << constant(node.b)?)?,
            _ => sum.add(label, scale)?,
        }
    }
    None
}

/// The numbers a 64-bit value can be, read as two's complement where it was sign-extended.
fn signed_range(label: Label) -> (i128, i128) {
    let node = get(label);
    if node.op == Op::SExt as u8 {
        let (low, high) = range(node.a, DEPTH);
        let half = 1u128 << (get(node.a).width as u32 - 1);
        if high >= half {
            return (-(half as i128), half as i128 - 1);
        }
        return (low as i128, high as i128);
    }
    let (low, high) = range(label, DEPTH);
    (low as i128, high as i128)
}

/// The least and the greatest value that a node of at most 64 bits can have, by its operation alone.
fn range(label: Label, depth: u32) -> (u128, u128) {
    let node = get(label);
    let width = node.width as u32;
    let all = (0, mask(width));
    let Some(depth) = depth.checked_sub(1) else { return all };
    if width > 64 {
        return all;
    }
    let fits = |low: u128, high: u128| if high <= mask(width) { (low, high) } else { all };
    let ones = |value: u128| if value == 0 { 0 } else { u128::MAX >> value.leading_zeros() };
    let (a, b) = (|| range(node.a, depth), || range(node.b, depth));
    let by = || (get(node.b).op == Op::Const as u8).then(|| value(node.b));
    match Op::from_u8(node.op) {
        Some(Op::Const) => (value(label), value(label)),
        Some(Op::ZExt) => a(),
        Some(Op::And) => (0, a().1.min(b().1)),
        Some(Op::Or | Op::Xor) => (0, ones(a().1.max(b().1))),
        Some(Op::Add) => fits(a().0 + b().0, a().1 + b().1),
        Some(Op::Sub) if a().0 >= b().1 => (a().0 - b().1, a().1 - b().0),
        Some(Op::Mul) => fits(a().0 * b().0, a().1 * b().1),
        Some(Op::Shl) => match by() {
            Some(by) if by < width as u128 => fits(a().0 << by, a().1 << by),
            _ => all,
        },
        Some(Op::LShr) => match by() {
            Some(by) if by < width as u128 => (a().0 >> by, a().1 >> by),
            _ => (0, a().1),
        },
        Some(Op::UDiv) => match by() {
            // 64 bits at most: wider division is a library function, and there is no library.
            Some(by) if by != 0 => ((a().0 as u64 / by as u64) as u128, (a().1 as u64 / by as u64) as u128),
            _ => all,
        },
        Some(Op::URem) => match by() {
            Some(by) if by != 0 => (0, a().1.min(by - 1)),
            _ => (0, a().1),
        },
        Some(Op::SExt) if a().1 < 1 << (get(node.a).width - 1) => a(),
        Some(Op::Extract) if get(node.a).width <= 64 => fits(if node.b == 0 { a().0 } else { 0 }, a().1 >> node.b),
        Some(Op::Concat) if get(node.a).width <= 64 => {
            let low = get(node.b).width;
            fits(a().0 << low | b().0, a().1 << low | b().1)
        }
        Some(Op::Select) => {
            let other = range(third(label), depth);
            (b().0.min(other.0), b().1.max(other.1))
        }
        Some(Op::Table) => {
            let (low, high) = tables::range(node.b);
            (low as u128, high as u128)
        }
        Some(Op::Ctpop | Op::Ctlz | Op::Cttz) => (0, (width as u128).min(mask(width))),
        _ => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Run;
    use crate::inputs::input_byte;
    use crate::operations::{one, two};

    const TOP: u64 = 0x7fff_0000_1000;

    fn wide(label: Label, value: u64) -> Label {
        one::<u128>(Op::ZExt, 64, 8, label, value as u128, 0, value as u128)
    }

    fn sum(a: Label, b: Label) -> Label {
        let values = (value(a), value(b));
        two::<u128>(Op::Add, 64, a, b, values.0, values.1, (values.0 + values.1) & mask(64))
    }

    #[test]
    fn an_address_is_taken_apart() {
        let _run = Run::begin();
        let (x, y) = (input_byte(0, 0, 7), input_byte(0, 1, 0x90));
        let row = two::<u128>(Op::Mul, 64, wide(x, 7), 0, 7, 40, 280);
        let signed = one::<u128>(Op::SExt, 64, 8, y, 0x90, 0, 0xffff_ffff_ffff_ff90);
        let column = two::<u128>(Op::Shl, 64, signed, 0, value(signed), 2, (value(signed) << 2) & mask(64));
        let both = sum(row, column);
        let address =
            two::<u128>(Op::Add, 64, both, 0, value(both), TOP as u128, (value(both) + TOP as u128) & mask(64));
        let found = linear(address).unwrap();
        assert_eq!((found.known, found.step()), (TOP, Some(4)));
        let mut parts = found.parts().to_vec();
        parts.sort_by_key(|part| part.scale);
        assert_eq!((parts[0].scale, parts[0].low, parts[0].high), (4, -128, 127));
        assert_eq!((parts[1].scale, parts[1].low, parts[1].high), (40, 0, 255));
    }

    #[test]
    fn equal_parts_meet_and_may_vanish() {
        let _run = Run::begin();
        let x = wide(input_byte(0, 0, 7), 7);
        let twice = two::<u128>(Op::Shl, 64, x, 0, 7, 1, 14);
        let three = sum(twice, x);
        let found = linear(three).unwrap();
        assert_eq!(found.parts().len(), 1);
        assert_eq!(found.parts()[0].scale, 3);
        let minus = two::<u128>(Op::Sub, 64, three, twice, 21, 14, 7);
        assert_eq!(linear(minus).unwrap().step(), Some(1));
    }

    #[test]
    fn masks_and_remainders_bound() {
        let _run = Run::begin();
        let byte = input_byte(0, 0, 0xf3);
        let x = wide(byte, 0xf3);
        let low = two::<u128>(Op::And, 64, x, 0, 0xf3, 0x1f, 0x13);
        assert_eq!(range(low, DEPTH), (0, 0x1f));
        let rest = two::<u128>(Op::URem, 64, x, 0, 0xf3, 10, 3);
        assert_eq!(range(rest, DEPTH), (0, 9));
        let more = two::<u128>(Op::Add, 64, rest, 0, 3, 5, 8);
        assert_eq!(range(more, DEPTH), (5, 14));
        let high = two::<u128>(Op::LShr, 64, x, 0, 0xf3, 4, 0xf);
        assert_eq!(range(high, DEPTH), (0, 15));
    }
}
