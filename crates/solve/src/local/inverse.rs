//! From a condition that fails to a word and a value for it that would make it hold, everything else staying as it is:
//! the wanted result is carried down through the operations, each undone as well as it can be. Guesses, made by chance
//! where there is a choice; never claims anything.

use rand_core::RngCore;
use rand_pcg::Pcg64Mcg;
use symcrete_term::bits::mask;
use symcrete_term::float::is_nan;
use symcrete_term::{Op, Term, TermId, Terms};

use super::distance::{at_ordinal, infinity, ordinal};
use super::machine::Machine;

/// How many operations are undone at most.
const DEPTH: u32 = 400;

pub(crate) struct Inverse<'a> {
    pub(crate) terms: &'a Terms,
    /// What a word follows (see `ties.rs`): such words are moved by moving what they follow.
    pub(crate) leader: Vec<Option<TermId>>,
    pub(crate) random: Pcg64Mcg,
}

/// A float of 32 or 64 bits as a double, and back.
fn real(width: u8, bits: u64) -> f64 {
    if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

fn bits(width: u8, value: f64) -> u64 {
    if width == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
}

impl Inverse<'_> {
    /// A word that has to be moved for this one to move.
    pub(crate) fn leading(&mut self, machine: &Machine, mut word: usize) -> usize {
        while let Some(expression) = self.leader[word] {
            let leads: Vec<usize> = machine.words_of(machine.slot(expression)).collect();
            word = leads[self.below(leads.len() as u64) as usize];
        }
        machine.words[word].whole.map_or(word, |(whole, _)| whole)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random.next_u64() % n.max(1)
    }

    fn coin(&mut self) -> bool {
        self.random.next_u32() & 1 == 0
    }

    /// A step from 1 up, each size as likely as any other.
    pub(crate) fn step(&mut self, bits: u32) -> u64 {
        let size = self.below(u64::from(bits.max(1))) as u32;
        1 << size | self.random.next_u64() & ((1 << size) - 1)
    }

    /// A word and a value that might make a condition what it should be.
    pub(crate) fn of_condition(&mut self, machine: &Machine, condition: TermId) -> Option<(usize, u64)> {
        let (mut id, mut want) = (condition, true);
        for _ in 0..DEPTH {
            let Term::Apply(op, args) = self.terms.get(id) else {
                return self.descend(machine, id, u64::from(want));
            };
            if self.terms.width(args[0]) > 1 {
                return self.of_comparison(machine, id, op, args, want);
            }
            let holds = |arg: TermId| machine.value(arg) != 0;
            match op {
                Op::And | Op::Or => {
                    // Where all are needed one that fails, where one is enough any of them.
                    let all = (op == Op::And) == want;
                    let pick = match (all, holds(args[0]) == want, holds(args[1]) == want) {
                        (true, true, false) => 1,
                        (true, false, true) => 0,
                        _ => usize::from(self.coin()),
                    };
                    id = args[pick];
                }
                Op::Xor | Op::Ne | Op::Eq => {
                    let symbolic = |arg: TermId| !self.terms.is_constant(arg);
                    let pick = match (symbolic(args[0]), symbolic(args[1])) {
                        (true, false) => 0,
                        (false, true) => 1,
                        _ => usize::from(self.coin()),
                    };
                    let differ = want == (op != Op::Eq);
                    want = holds(args[1 - pick]) != differ;
                    id = args[pick];
                }
                Op::Select => {
                    let arm = if holds(args[0]) { 1 } else { 2 };
                    if machine.value(args[3 - arm]) == u64::from(want) && self.coin() {
                        (id, want) = (args[0], arm == 2);
                    } else {
                        id = args[arm];
                    }
                }
                _ => return self.descend(machine, id, u64::from(want)),
            }
        }
        None
    }

    /// Chooses a side of a comparison and a value for it.
    fn of_comparison(
        &mut self,
        machine: &Machine,
        id: TermId,
        op: Op,
        args: &[TermId],
        want: bool,
    ) -> Option<(usize, u64)> {
        if !op.is_predicate() {
            return self.descend(machine, id, u64::from(want));
        }
        let width = self.terms.width(args[0]);
        let fixed = |arg: TermId| self.terms.vars(arg) == self.terms.vars(TermId::TRUE);
        let pick = match (fixed(args[0]), fixed(args[1])) {
            (true, false) => 1,
            (false, true) => 0,
            _ => usize::from(self.coin()),
        };
        let other = machine.value(args[1 - pick]);
        let value = match op {
            Op::FUno if want => bits(width, f64::NAN),
            Op::FUno => bits(width, 1.0),
            Op::FOeq | Op::FOlt | Op::FOle => self.float_beside(op, want, pick, width, other)?,
            Op::Eq | Op::Ne if (op == Op::Eq) == want => other,
            Op::Eq | Op::Ne => other ^ self.step(u32::from(width)),
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => self.integer_beside(op, want, pick, width, other),
            _ => return None,
        };
        self.descend(machine, args[pick], value & mask(width) as u64)
    }

    fn float_beside(&mut self, op: Op, want: bool, pick: usize, width: u8, other: u64) -> Option<u64> {
        if is_nan(width, u128::from(other)) {
            return if want { None } else { Some(bits(width, 0.0)) };
        }
        let place = ordinal(width, other);
        let equal_is_fine = matches!((op, want), (Op::FOeq | Op::FOle, true) | (Op::FOlt, false));
        if equal_is_fine && (op == Op::FOeq || self.below(3) == 0) {
            return Some(other);
        }
        if !want && self.below(8) == 0 {
            return Some(bits(width, f64::NAN));
        }
        // Whether the chosen side has to become smaller than the other.
        let smaller = match op {
            Op::FOeq => self.coin(),
            _ => (pick == 0) == want,
        };
        let value = match self.below(4) {
            // In the middle of what is allowed, by value rather than by place.
            0 => real(width, other) + if smaller { -1.0 } else { 1.0 } * (1.0 + real(width, other).abs() * 0.5),
            1 if smaller == (place > 0) => 0.0,
            _ => {
                let step = if self.below(3) == 0 { 1 } else { self.step(u32::from(width) - 1) } as i64;
                let end = infinity(width);
                let moved = if smaller { place.saturating_sub(step) } else { place.saturating_add(step) };
                return Some(at_ordinal(width, moved.clamp(-end, end)));
            }
        };
        Some(bits(width, value))
    }

    fn integer_beside(&mut self, op: Op, want: bool, pick: usize, width: u8, other: u64) -> u64 {
        let equal_is_fine = matches!(op, Op::Ule | Op::Sle) == want;
        if equal_is_fine && self.below(3) == 0 {
            return other;
        }
        let step = if self.coin() { 1 } else { self.step(u32::from(width) - 1) };
        if (pick == 0) == want { other.wrapping_sub(step) } else { other.wrapping_add(step) }
    }

    /// Carries a wanted value down to a word.
    fn descend(&mut self, machine: &Machine, mut id: TermId, mut want: u64) -> Option<(usize, u64)> {
        for _ in 0..DEPTH {
            if let Some(word) = machine.word_of(id) {
                match self.leader[word] {
                    None => return Some(machine.as_whole(word, want)),
                    Some(expression) => {
                        id = expression;
                        continue;
                    }
                }
            }
            let Term::Apply(op, args) = self.terms.get(id) else { return None };
            let symbolic: Vec<usize> =
                (0..args.len()).filter(|&at| machine.words_of(machine.slot(args[at])).next().is_some()).collect();
            if symbolic.is_empty() {
                return None;
            }
            let pick = symbolic[self.below(symbolic.len() as u64) as usize];
            let width = self.terms.width(id);
            let value = |at: usize| args.get(at).map_or(0, |&arg| machine.value(arg));
            let (pick, undone) = match op {
                Op::Select => (if value(0) != 0 { 1 } else { 2 }, Some(want)),
                op if op.is_float() => self.undo_float(op, width, pick, args, want, [value(0), value(1), value(2)])?,
                op => (pick, self.undo(op, width, pick, args, want, value(pick), value(1 - pick.min(1)))),
            };
            (id, want) = (args[pick], undone? & mask(self.terms.width(args[pick])) as u64);
        }
        None
    }

    /// An operand of an integer operation, given the result, its own present value and the other's.
    #[allow(clippy::too_many_arguments, reason = "one place for everything that is known of an application")]
    fn undo(
        &mut self,
        op: Op,
        width: u8,
        pick: usize,
        args: &[TermId],
        want: u64,
        own: u64,
        other: u64,
    ) -> Option<u64> {
        let m = mask(width) as u64;
        let from = self.terms.width(args[pick]);
        Some(match op {
            Op::Add => want.wrapping_sub(other),
            Op::Sub if pick == 0 => want.wrapping_add(other),
            Op::Sub => other.wrapping_sub(want),
            Op::Xor => want ^ other,
            Op::And => want & other | own & !other,
            Op::Or => want & !other | own & other & want,
            Op::Mul if other & 1 == 1 => want.wrapping_mul(odd_inverse(other)),
            Op::Mul if other != 0 => (want & m) / (other & m).max(1),
            Op::ZExt | Op::SExt => want,
            Op::Extract { lo } => own & !(m << lo) | want << lo,
            Op::Concat if pick == 0 => want >> self.terms.width(args[1]),
            Op::Concat => want & mask(from) as u64,
            Op::Shl if pick == 0 && other < 64 => want >> other | own & !(m >> other),
            Op::LShr | Op::AShr if pick == 0 && other < 64 => want << other | own & ((1 << other) - 1),
            Op::UDiv | Op::SDiv if pick == 0 => want.wrapping_mul(other).wrapping_add(self.below(other)),
            Op::UDiv | Op::SDiv if want != 0 => other / want,
            Op::URem | Op::SRem if pick == 0 => {
                let turns = self.step(16) - 1;
                want.wrapping_add(other.wrapping_mul(turns))
            }
            Op::Bswap => (want & m).swap_bytes() >> (64 - u32::from(width)),
            Op::Eq | Op::Ne if from > 1 => {
                if (op == Op::Eq) == (want != 0) {
                    other
                } else {
                    other.wrapping_add(1)
                }
            }
            _ => return None,
        })
    }

    /// Which operand of a float operation, and its value, given the result.
    #[allow(clippy::too_many_arguments, reason = "one place for everything that is known of an application")]
    fn undo_float(
        &mut self,
        op: Op,
        width: u8,
        pick: usize,
        args: &[TermId],
        want: u64,
        values: [u64; 3],
    ) -> Option<(usize, Option<u64>)> {
        let from = self.terms.width(args[pick]);
        let t = real(width, want);
        let operand = |at: usize| real(from, values[at]);
        let (own, other) = (operand(pick), operand(1 - pick.min(1)));
        let undone = match op {
            Op::FAdd => t - other,
            Op::FSub if pick == 0 => t + other,
            Op::FSub => other - t,
            Op::FMul if own == other && args[0] == args[1] => t.sqrt() * if self.coin() { 1.0 } else { -1.0 },
            Op::FMul => t / other,
            Op::FDiv if pick == 0 => t * other,
            Op::FDiv => other / t,
            Op::FMa if pick == 2 => t - operand(0) * operand(1),
            Op::FMa => (t - operand(2)) / other,
            Op::FSqrt => t * t,
            Op::FRem if pick == 0 => {
                let turns = (self.step(40) - 1) as f64;
                t + turns * other.abs() * if t < 0.0 { -1.0 } else { 1.0 }
            }
            Op::FRem => (other - t).abs(),
            Op::FFloor | Op::FCeil | Op::FRoundZero | Op::FRint | Op::FRound => {
                let part = self.below(16) as f64 / 16.0;
                match op {
                    Op::FFloor => t + part,
                    Op::FCeil => t - part,
                    Op::FRoundZero => t + part.copysign(t),
                    _ => t + (part - 0.5) * 0.99,
                }
            }
            Op::FExt | Op::FTrunc => t,
            Op::FMin | Op::FMax => t,
            Op::SiToF | Op::UiToF => {
                let whole = if self.coin() { t.round() } else { t.trunc() };
                let number = if op == Op::SiToF { whole as i64 as u64 } else { whole as u64 };
                return Some((pick, Some(number)));
            }
            Op::FToSi => {
                let shift = 64 - u32::from(width);
                let number = (((want << shift) as i64) >> shift) as f64;
                return Some((pick, Some(bits(from, number + self.fraction(number)))));
            }
            Op::FToUi => {
                let number = want as f64;
                return Some((pick, Some(bits(from, number + self.fraction(number)))));
            }
            Op::FOeq | Op::FOlt | Op::FOle | Op::FUno => {
                let value = self.float_beside(op, want != 0, pick, from, values[1 - pick.min(1)]);
                return Some((pick, value));
            }
            Op::Native { .. } => return Some((pick, self.undo_native(op.name(), pick, args, want, t, values))),
            _ => return None,
        };
        Some((pick, Some(bits(from, undone))))
    }

    fn fraction(&mut self, number: f64) -> f64 {
        let part = self.below(4) as f64 / 4.0;
        if number < 0.0 { -part } else { part }
    }

    /// An operand of a function of the mathematical library. Where many give the result, one of them.
    fn undo_native(
        &mut self,
        name: &str,
        pick: usize,
        args: &[TermId],
        want: u64,
        t: f64,
        values: [u64; 3],
    ) -> Option<u64> {
        use std::f64::consts::{PI, TAU};
        let from = self.terms.width(args[pick]);
        let single = name.ends_with('f') && name != "erf";
        let stem = if single { &name[..name.len() - 1] } else { name };
        let number = |at: usize| real(self.terms.width(args[at]), values[at]);
        let integer = |at: usize| values[at] as u32 as i32;
        let turns = match self.random.next_u64() % 4 {
            0 => self.step(20) as f64,
            1 => -(self.step(20) as f64),
            _ => 0.0,
        };
        let value = match (stem, pick) {
            ("exp", _) => t.ln(),
            ("exp2", _) => t.log2(),
            ("exp10", _) => t.log10(),
            ("expm1", _) => t.ln_1p(),
            ("log", _) => t.exp(),
            ("log2", _) => t.exp2(),
            ("log10", _) => 10f64.powf(t),
            ("log1p", _) => t.exp_m1(),
            ("sin", _) => turns * TAU + if self.coin() { t.asin() } else { PI - t.asin() },
            ("cos", _) => turns * TAU + if self.coin() { t.acos() } else { -t.acos() },
            ("tan", _) => turns * PI + t.atan(),
            ("asin", _) => t.sin(),
            ("acos", _) => t.cos(),
            ("atan", _) => t.tan(),
            ("sinh", _) => t.asinh(),
            ("cosh", _) => t.acosh(),
            ("tanh", _) => t.atanh(),
            ("asinh", _) => t.sinh(),
            ("acosh", _) => t.cosh(),
            ("atanh", _) => t.tanh(),
            ("cbrt", _) => t * t * t,
            ("logb", _) => t.exp2(),
            ("ilogb", _) => f64::from(want as u32 as i32).exp2(),
            ("pow", 0) => {
                let root = t.abs().powf(1.0 / number(1));
                if t < 0.0 { -root } else { root }
            }
            ("pow", _) => t.ln() / number(0).ln(),
            ("atan2", 0) => t.tan() * number(1),
            ("atan2", _) => number(0) / t.tan(),
            ("hypot", _) => (t * t - number(1 - pick) * number(1 - pick)).sqrt(),
            ("fdim", 0) => t + number(1),
            ("fdim", _) => number(0) - t,
            ("nextafter", _) => t,
            ("remainder", 0) => t + turns * number(1),
            ("ldexp" | "scalbn", 0) => t * (-f64::from(integer(1))).exp2(),
            ("ldexp" | "scalbn", _) => return Some((t / number(0)).abs().log2().round() as i32 as u32 as u64),
            _ => return None,
        };
        Some(bits(from, value))
    }
}

/// The number that multiplied by an odd one gives 1.
fn odd_inverse(odd: u64) -> u64 {
    // Each round doubles the bits that are right; the first guess has three.
    let mut inverse = odd;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
