//! Tests of the evaluator and the rules together: an independent naive arithmetic on bits, random
//! terms of all widths, and terms as deep as traces make them.

use crate::bits::mask;
use crate::*;
use proptest::prelude::*;

/// Bits, lowest first: another way to compute everything, by school arithmetic.
fn bits(value: u128, width: u8) -> Vec<bool> {
    (0..width).map(|bit| value >> bit & 1 == 1).collect()
}

fn number(bits: &[bool]) -> u128 {
    bits.iter().enumerate().map(|(place, &bit)| (bit as u128) << place).sum()
}

fn as_signed(bits: &[bool]) -> i64 {
    let (sign, rest) = bits.split_last().expect("at least one bit");
    number(rest) as i64 - if *sign { 1 << rest.len() } else { 0 }
}

fn naive(op: Op, width: u8, a: &[bool], b: &[bool], c: &[bool]) -> u128 {
    use Op::*;
    let (ua, ub) = (number(a) as i64, number(b) as i64);
    let (sa, sb) = (as_signed(a), as_signed(b));
    let modulus = 1i64 << a.len();
    let out_signed = |value: i64| (value < -modulus / 2 || value >= modulus / 2) as i64;
    let wrapped = |value: i64| value.rem_euclid(1 << width);
    let result = match op {
        Add => ua + ub,
        Sub => ua - ub,
        Mul => ua * ub,
        UDiv => {
            if ub == 0 {
                modulus - 1
            } else {
                ua / ub
            }
        }
        URem => {
            if ub == 0 {
                ua
            } else {
                ua % ub
            }
        }
        SDiv => {
            if sb == 0 {
                if sa < 0 { 1 } else { -1 }
            } else {
                sa / sb
            }
        }
        SRem => {
            if sb == 0 {
                sa
            } else {
                sa % sb
            }
        }
        Shl => (0..ub).fold(ua, |value, _| wrapped(value * 2)),
        LShr => (0..ub).fold(ua, |value, _| value / 2),
        AShr => (0..ub).fold(sa, |value, _| value.div_euclid(2)),
        And => number(&a.iter().zip(b).map(|(x, y)| *x && *y).collect::<Vec<_>>()) as i64,
        Or => number(&a.iter().zip(b).map(|(x, y)| *x || *y).collect::<Vec<_>>()) as i64,
        Xor => number(&a.iter().zip(b).map(|(x, y)| x != y).collect::<Vec<_>>()) as i64,
        Eq => (a == b) as i64,
        Ne => (a != b) as i64,
        Ult => (ua < ub) as i64,
        Ule => (ua <= ub) as i64,
        Slt => (sa < sb) as i64,
        Sle => (sa <= sb) as i64,
        ZExt => ua,
        SExt => sa,
        Extract { lo } => number(&a[lo as usize..(lo + width) as usize]) as i64,
        Concat => number(&[b, a].concat()) as i64,
        Select => number(if a[0] { b } else { c }) as i64,
        UAddO => (ua + ub >= modulus) as i64,
        USubO => (ua - ub < 0) as i64,
        UMulO => (ua * ub >= modulus) as i64,
        SAddO => out_signed(sa + sb),
        SSubO => out_signed(sa - sb),
        SMulO => out_signed(sa * sb),
        BitReverse => number(&a.iter().rev().copied().collect::<Vec<_>>()) as i64,
        Ctpop => a.iter().filter(|bit| **bit).count() as i64,
        Ctlz => a.iter().rev().take_while(|bit| !**bit).count() as i64,
        Cttz => a.iter().take_while(|bit| !**bit).count() as i64,
        Bswap => number(&a.chunks(8).rev().flatten().copied().collect::<Vec<_>>()) as i64,
        _ => unreachable!("integers only"),
    };
    wrapped(result) as u128
}

#[test]
fn integer_operations_are_right_at_up_to_four_bits() {
    for op in Op::ALL.into_iter().filter(|op| !op.is_float() && *op != Op::Bswap) {
        for w in 1..=4u8 {
            let shapes: Vec<(Op, u8, [u8; 3])> = match op {
                Op::ZExt | Op::SExt => (w..=6).map(|to| (op, to, [w, w, w])).collect(),
                Op::Extract { .. } => {
                    (0..w).flat_map(|lo| (1..=w - lo).map(move |to| (Op::Extract { lo }, to, [w, w, w]))).collect()
                }
                Op::Concat => (1..=4).map(|low| (op, w + low, [w, low, low])).collect(),
                Op::Select => vec![(op, w, [1, w, w])],
                _ if op.is_predicate() => vec![(op, 1, [w, w, w])],
                _ => vec![(op, w, [w, w, w])],
            };
            for (op, width, [wa, wb, wc]) in shapes {
                for a in 0..1u128 << wa {
                    for b in 0..1u128 << wb {
                        for c in 0..if op.arity() == 3 { 1u128 << wc } else { 1 } {
                            let got = compute(op, width, wa, a, b, c);
                            let want = naive(op, width, &bits(a, wa), &bits(b, wb), &bits(c, wc));
                            assert_eq!(got, want, "{op} to {width} from {wa}: {a} {b} {c}");
                        }
                    }
                }
            }
        }
    }
}

/// A random term as a list of steps, each over earlier ones; widths are made to fit.
#[derive(Clone, Debug)]
struct Recipe(Vec<(usize, usize, usize, usize, u8, u128)>);

fn recipes() -> impl Strategy<Value = Recipe> {
    let value = prop_oneof![
        any::<u128>(),
        0u128..300,
        (0u32..128).prop_map(|bit| 1 << bit),
        (0u32..128).prop_map(|bit| u128::MAX >> bit)
    ];
    let step = (0..Op::ALL.len() + 2, any::<usize>(), any::<usize>(), any::<usize>(), any::<u8>(), value);
    prop::collection::vec(step, 1..40).prop_map(Recipe)
}

fn fit(t: &mut Terms, id: TermId, width: u8, how: u8) -> TermId {
    let from = t.width(id);
    match from.cmp(&width) {
        std::cmp::Ordering::Equal => id,
        std::cmp::Ordering::Less if how & 1 == 0 => t.zext(id, width),
        std::cmp::Ordering::Less => t.sext(id, width),
        std::cmp::Ordering::Greater => t.extract(id, how % (from - width + 1), width),
    }
}

fn cook(t: &mut Terms, recipe: &Recipe) -> TermId {
    let mut made: Vec<TermId> = (0..6).map(|offset| t.var(Var::Byte { object: 0, offset })).collect();
    made.push(t.var(Var::Length { object: 0 }));
    for &(op, a, b, c, how, value) in &recipe.0 {
        let pick = |index: usize| made[index % made.len()];
        let (a, c) = (pick(a), pick(c));
        let b = if how & 6 == 6 { t.constant(t.width(a), value) } else { pick(b) };
        let w = t.width(a);
        let Some(&op) = Op::ALL.get(op) else {
            // A few entries around a constant, read at whatever fits.
            let index = fit(t, a, w.min(64), how);
            let entries = (0..=how as u64 % 40).map(|i| i.wrapping_mul(value as u64) >> (how & 7) ^ i);
            made.push(t.read(index, Table::new(1 + (value >> 64) as u8 % 64, entries)));
            continue;
        };
        let id = match op {
            Op::ZExt | Op::SExt => {
                let to = w + how % (129 - w);
                t.apply(op, to, &[a])
            }
            Op::Extract { .. } => {
                let lo = how % w;
                let to = 1 + (value % (w - lo) as u128) as u8;
                t.extract(a, lo, to)
            }
            Op::Concat if w as u32 + t.width(b) as u32 > 128 => continue,
            Op::Concat => t.concat(a, b),
            Op::Select => {
                let p = fit(t, c, 1, how);
                let b = fit(t, b, w, how);
                t.select(p, a, b)
            }
            Op::Bswap => {
                let to = (w / 8).max(1) * 8;
                let a = fit(t, a, to, how);
                t.apply(op, to, &[a])
            }
            Op::FExt => {
                let a = fit(t, a, 32, how);
                t.apply(op, 64, &[a])
            }
            Op::FTrunc => {
                let a = fit(t, a, 64, how);
                t.apply(op, 32, &[a])
            }
            Op::FToSi | Op::FToUi => {
                let a = fit(t, a, if how & 1 == 0 { 32 } else { 64 }, how);
                t.apply(op, 1 + how / 2, &[a])
            }
            Op::SiToF | Op::UiToF => t.apply(op, if how & 1 == 0 { 32 } else { 64 }, &[a]),
            _ => {
                let to = if op.is_float() { if how & 1 == 0 { 32 } else { 64 } } else { w };
                let args = [fit(t, a, to, how), fit(t, b, to, how), fit(t, c, to, how)];
                t.apply(op, if op.is_predicate() { 1 } else { to }, &args[..op.arity()])
            }
        };
        made.push(id);
    }
    *made.last().expect("inputs at least")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..Default::default() })]
    #[test]
    fn rewriting_never_changes_a_value(recipe in recipes(), inputs in prop::collection::vec((any::<[u8; 6]>(), any::<u64>()), 8)) {
        let (mut plain, mut rich) = (Terms::plain(), Terms::new());
        let built = cook(&mut plain, &recipe);
        let (left, right) = (built, cook(&mut rich, &recipe));
        let imported = rich.import(&plain, &[built])[0];
        prop_assert_eq!(plain.width(left), rich.width(right));
        let (mut one, mut two) = (Evaluator::new(), Evaluator::new());
        for (bytes, length) in inputs {
            let values = |var: Var| match var {
                Var::Byte { offset, .. } => bytes[offset as usize] as u128,
                Var::Length { .. } => length as u128,
            };
            one.begin();
            two.begin();
            let want = one.eval(&plain, left, &values);
            prop_assert!(want <= mask(plain.width(left)));
            prop_assert_eq!(want, two.eval(&rich, right, &values), "{} became {}", plain.show(left), rich.show(right));
            prop_assert_eq!(want, two.eval(&rich, imported, &values));
            prop_assert_eq!(two.eval_all(&rich, &values)[right.index()], want);
        }
    }

    #[test]
    fn a_simplified_term_depends_on_no_new_inputs(recipe in recipes()) {
        let (mut plain, mut rich) = (Terms::plain(), Terms::new());
        let (left, right) = (cook(&mut plain, &recipe), cook(&mut rich, &recipe));
        let before: Vec<Var> = plain.vars_of(left).map(|id| plain.variable(id)).collect();
        for id in rich.vars_of(right) {
            prop_assert!(before.contains(&rich.variable(id)));
        }
    }
}

#[test]
fn terms_may_be_as_deep_as_traces_are_long() {
    let mut t = Terms::new();
    let mut hash = t.constant(32, 5381);
    for place in 0..200_000u32 {
        let byte = t.var(Var::Byte { object: 0, offset: place % 1000 });
        let wide = t.zext(byte, 32);
        let factor = t.constant(32, 33);
        let product = t.mul(hash, factor);
        hash = t.xor(product, wide);
    }
    let want = (0..200_000u32).fold(5381u32, |hash, place| hash.wrapping_mul(33) ^ (place % 1000 % 251));
    let inputs = |var: Var| match var {
        Var::Byte { offset, .. } => (offset % 251) as u128,
        Var::Length { .. } => 0,
    };
    assert_eq!(Evaluator::new().eval(&t, hash, &inputs), want as u128);
    assert_eq!(t.vars_of(hash).count(), 1000);
    assert_eq!(t.reachable(&[hash]).len(), t.len() - 3, "all but true, false and the first step's parts");
    let mut text = String::new();
    write_smtlib(&mut text, &t, &[]).unwrap();
    assert!(t.show(hash).to_string().len() > 1_000_000);
}

#[test]
fn nonsense_is_refused() {
    let mut t = Terms::new();
    let x = t.var(Var::Byte { object: 0, offset: 0 });
    let n = t.var(Var::Length { object: 0 });
    assert!(matches!(t.try_apply(Op::Add, 8, &[x, n]), Err(Malformed::Width { .. })));
    assert!(matches!(t.try_apply(Op::Add, 8, &[x]), Err(Malformed::Arity { .. })));
    assert!(matches!(t.try_apply(Op::ZExt, 129, &[x]), Err(Malformed::Range(129))));
    assert!(t.try_apply(Op::Extract { lo: 5 }, 4, &[x]).is_err());
    assert!(t.try_apply(Op::FAdd, 8, &[x, x]).is_err());
    assert_eq!(t.try_apply(Op::ZExt, 64, &[x]).map(|id| t.width(id)), Ok(64));
}

#[test]
fn an_epoch_forgets_and_a_memo_remembers() {
    let mut t = Terms::new();
    let x = t.var(Var::Byte { object: 0, offset: 0 });
    let one = t.constant(8, 1);
    let next = t.add(x, one);
    let mut evaluator = Evaluator::new();
    assert_eq!(evaluator.eval(&t, next, &|_| 7), 8);
    assert_eq!(evaluator.eval(&t, next, &|_| 9), 8, "same epoch: remembered");
    evaluator.begin();
    assert_eq!(evaluator.known(next), None);
    assert_eq!(evaluator.eval(&t, next, &|_| 9), 10);
}

#[test]
fn funnel_shifts_take_the_amount_modulo_the_width() {
    for w in [1u8, 2, 3, 4, 8] {
        let mut t = Terms::new();
        let unknowns: Vec<TermId> = (0..3)
            .map(|offset| {
                let byte = t.var(Var::Byte { object: 0, offset });
                t.extract(byte, 0, w)
            })
            .collect();
        let left = t.funnel_left(unknowns[0], unknowns[1], unknowns[2]);
        let right = t.funnel_right(unknowns[0], unknowns[1], unknowns[2]);
        let mut evaluator = Evaluator::new();
        let step = if w == 8 { 37 } else { 1 };
        for high in (0..=mask(w)).step_by(step) {
            for low in (0..=mask(w)).step_by(step) {
                for amount in 0..=mask(w) {
                    let inputs = |var: Var| match var {
                        Var::Byte { offset, .. } => [high, low, amount][offset as usize],
                        Var::Length { .. } => 0,
                    };
                    let both = high << w | low;
                    let by = amount % w as u128;
                    evaluator.begin();
                    assert_eq!(evaluator.eval(&t, left, &inputs), (both << by >> w) & mask(w));
                    assert_eq!(evaluator.eval(&t, right, &inputs), (both >> by) & mask(w));
                }
            }
        }
    }
}
