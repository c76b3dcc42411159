//! The float theory against the term evaluator, which is itself tested against the machine: operation by operation on
//! special and random values, and on queries where a value has to be found.

use proptest::prelude::*;
use symcrete_term::bits::mask;
use symcrete_term::float::is_nan;
use symcrete_term::{Evaluator, Op, TermId, Terms};

use super::Bitwuzla;
use crate::layer::SolverLayer;
use crate::testing::{Input, ask, byte};
use crate::{Answer, Parent, Query, Why};

/// Bits of floats of a width: special ones, neighbours of integers, anything.
fn floats(width: u8) -> BoxedStrategy<u128> {
    let of = move |value: f64| match width {
        32 => u128::from((value as f32).to_bits()),
        _ => u128::from(value.to_bits()),
    };
    let special = [0.0, 1.0, 0.1, 1e-300, 1e300, 1e-40, 3e38, 2147483648.0, 9.3e18, 1.9e19, 1e38, 4e38, 0.5];
    prop_oneof![
        any::<u64>().prop_map(move |bits| u128::from(bits) & mask(width)),
        (-600i32..600).prop_map(move |n| of(f64::from(n) / 4.0)),
        (prop::sample::select(special.to_vec()), any::<bool>()).prop_map(move |(x, n)| of(if n { -x } else { x })),
        Just(of(f64::INFINITY)),
        Just(of(f64::NEG_INFINITY)),
        Just(of(f64::NAN)),
        Just(1),
    ]
    .boxed()
}

fn word(terms: &mut Terms, first: u32, width: u8) -> TermId {
    let bytes: Vec<TermId> = (0..u32::from(width).div_ceil(8)).map(|at| terms.var(byte(first + at))).collect();
    let word = terms.word(&bytes);
    terms.extract(word, 0, width)
}

fn solve(core: &mut Bitwuzla, terms: &Terms, prefix: &[TermId], goal: TermId) -> Answer {
    ask(core, terms, &Query { prefix, goal, parent: Parent::none() }).expect("no fault")
}

/// The operation on operands that conditions fix can only have the value that the evaluator computes; of a NaN only
/// that it is one.
fn check_operation(core: &mut Bitwuzla, op: Op, width: u8, operand_widths: &[u8], values: &[u128]) {
    let mut terms = Terms::plain();
    let (mut operands, mut constants, mut prefix) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (&width, &value)) in operand_widths.iter().zip(values).enumerate() {
        let (operand, value) = (word(&mut terms, 16 * at as u32, width), terms.constant(width, value & mask(width)));
        prefix.push(terms.eq(operand, value));
        operands.push(operand);
        constants.push(value);
    }
    let result = terms.apply(op, width, &operands);
    let on_constants = terms.apply(op, width, &constants);
    let expected = Evaluator::new().eval(&terms, on_constants, Parent::none().values);
    let same = match op.gives_float() && is_nan(width, expected) {
        true => terms.apply(Op::FUno, 1, &[result, result]),
        false => {
            let expected = terms.constant(width, expected);
            terms.eq(result, expected)
        }
    };
    let other = terms.not(same);
    let what = || format!("{op} width {width} of {values:x?} is {expected:x}");
    assert!(matches!(solve(core, &terms, &prefix, same), Answer::Sat(_)), "{}: has another value", what());
    assert!(matches!(solve(core, &terms, &prefix, other), Answer::Unsat(_)), "{}: has two values", what());
    core.forget_terms();
}

fn is_arithmetic(op: &Op) -> bool {
    op.is_float() && !matches!(op, Op::FRem | Op::SiToF | Op::UiToF | Op::FToSi | Op::FToUi | Op::FExt | Op::FTrunc)
}

proptest! {
    // Each case is some thirty operations of each width, every one with a solver of its own.
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn arithmetic_and_comparisons_are_the_evaluators(
        singles in prop::array::uniform3(floats(32)),
        doubles in prop::array::uniform3(floats(64)),
    ) {
        let mut core = Bitwuzla::new();
        for op in Op::ALL.into_iter().filter(is_arithmetic) {
            for (from, values) in [(32, singles), (64, doubles)] {
                let width = if op.is_predicate() { 1 } else { from };
                check_operation(&mut core, op, width, &[from; 3][..op.arity()], &values[..op.arity()]);
                // Two operands that are equal are a case of their own.
                check_operation(&mut core, op, width, &[from; 3][..op.arity()], &[values[0]; 3][..op.arity()]);
            }
        }
    }

    #[test]
    fn conversions_are_the_evaluators(single in floats(32), double in floats(64), integer: u128) {
        let mut core = Bitwuzla::new();
        check_operation(&mut core, Op::FExt, 64, &[32], &[single]);
        check_operation(&mut core, Op::FTrunc, 32, &[64], &[double]);
        for width in [1u8, 7, 8, 16, 31, 32, 33, 63, 64, 65, 100, 128] {
            for op in [Op::FToSi, Op::FToUi] {
                check_operation(&mut core, op, width, &[32], &[single]);
                check_operation(&mut core, op, width, &[64], &[double]);
            }
            for op in [Op::SiToF, Op::UiToF] {
                check_operation(&mut core, op, 32, &[width], &[integer]);
                check_operation(&mut core, op, 64, &[width], &[integer]);
            }
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// What can be looked at as bits: signs, exponents, casts, choices between floats.
    #[test]
    fn bits_of_results_are_the_evaluators(x in floats(32), y in floats(32), pick in 0usize..6) {
        let mut terms = Terms::new();
        let (a, b) = (word(&mut terms, 0, 32), word(&mut terms, 4, 32));
        let sum = terms.apply(Op::FAdd, 32, &[a, b]);
        let looked_at = match pick {
            0 => terms.extract(sum, 31, 1),
            1 => terms.extract(sum, 23, 8),
            2 => {
                let negated = terms.fneg(sum);
                terms.extract(negated, 16, 16)
            }
            3 => {
                let (size, product) = (terms.fabs(sum), terms.apply(Op::FMul, 32, &[a, b]));
                terms.apply(Op::FMin, 32, &[size, product])
            }
            4 => {
                let less = terms.apply(Op::FOlt, 1, &[a, b]);
                terms.select(less, sum, a)
            }
            _ => terms.apply(Op::FToSi, 8, &[sum]),
        };
        let input = Input([(x as u32).to_le_bytes(), (y as u32).to_le_bytes()].concat());
        let expected = Evaluator::new().eval(&terms, looked_at, &input);
        let width = terms.width(looked_at);
        let expected = terms.constant(width, expected);
        let goal = terms.eq(looked_at, expected);
        // The parent is no solution by itself: another input must be found, or this one again.
        let mut core = Bitwuzla::new();
        match solve(&mut core, &terms, &[], goal) {
            Answer::Sat(model) => {
                let values = model.over(Parent::none().values);
                prop_assert!(Evaluator::new().holds(&terms, goal, &values));
            }
            Answer::Unsat(_) => prop_assert!(false, "there is a solution"),
            Answer::Unknown(why) => prop_assert_eq!(why, Why::Unsupported("the bits of a NaN")),
        }
    }

    /// Given the result of an operation and one operand, some other operand is found.
    #[test]
    fn operands_are_found(x in floats(32), k in floats(32), pick in 0usize..5) {
        let op = [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FRint][pick];
        let mut terms = Terms::new();
        let (a, k) = (word(&mut terms, 0, 32), terms.constant(32, k));
        let result = terms.apply(op, 32, &[a, k][..op.arity()]);
        let input = Input((x as u32).to_le_bytes().to_vec());
        let expected = Evaluator::new().eval(&terms, result, &input);
        let expected = terms.constant(32, expected);
        let equal = terms.apply(Op::FOeq, 1, &[result, expected]);
        let both_nan = terms.apply(Op::FUno, 1, &[result, expected]);
        let goal = terms.or(equal, both_nan);
        let Answer::Sat(model) = solve(&mut Bitwuzla::new(), &terms, &[], goal) else {
            panic!("not found");
        };
        prop_assert!(Evaluator::new().holds(&terms, goal, &model.over(Parent::none().values)));
    }
}

/// The square root of a negative number is a NaN whose bits the machine chooses. The theory would allow any.
#[test]
fn bits_of_a_nan_are_never_a_verdict() {
    let mut terms = Terms::new();
    let x = word(&mut terms, 0, 32);
    let root = terms.apply(Op::FSqrt, 32, &[x]);
    let minus_one = terms.constant(32, u128::from((-1f32).to_bits()));
    let negative = terms.apply(Op::FOlt, 1, &[x, minus_one]);
    let made_up = terms.constant(32, 0x7fc0_1234);
    let goal = terms.eq(root, made_up);
    let mut core = Bitwuzla::new();
    let unknown = Answer::Unknown(Why::Unsupported("the bits of a NaN"));
    assert_eq!(solve(&mut core, &terms, &[negative], goal), unknown);
    // The same session goes on; what does not look at a NaN's bits is settled.
    let four = terms.constant(32, u128::from(4f32.to_bits()));
    let goal = terms.eq(root, four);
    let Answer::Sat(model) = solve(&mut core, &terms, &[], goal) else { panic!("16 is not found") };
    assert_eq!(Evaluator::new().eval(&terms, x, &model.over(Parent::none().values)), u128::from(16f32.to_bits()));
    assert!(matches!(solve(&mut core, &terms, &[negative], goal), Answer::Unsat(_)));
    // Neither is any NaN the sum of two infinities of one sign.
    let infinity = terms.constant(32, u128::from(f32::INFINITY.to_bits()));
    let at_least = terms.apply(Op::FOle, 1, &[infinity, x]);
    let twice = terms.apply(Op::FAdd, 32, &[x, infinity]);
    let nan = terms.apply(Op::FUno, 1, &[twice, twice]);
    assert!(matches!(solve(&mut core, &terms, &[at_least], nan), Answer::Unsat(_)));
}

#[test]
fn what_the_theory_lacks_is_declined_by_name() {
    let mut terms = Terms::new();
    let (x, seven) = (word(&mut terms, 0, 32), terms.constant(32, u128::from(7f32.to_bits())));
    let rest = terms.apply(Op::FRem, 32, &[x, seven]);
    let goal = terms.apply(Op::FOlt, 1, &[seven, rest]);
    let mut core = Bitwuzla::new();
    assert_eq!(solve(&mut core, &terms, &[], goal), Answer::Unknown(Why::Unsupported("fmod")));
    let below = terms.apply(Op::FOlt, 1, &[x, seven]);
    assert!(matches!(solve(&mut core, &terms, &[], below), Answer::Sat(_)), "the core goes on");
}
