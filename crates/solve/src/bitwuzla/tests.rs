//! The core against the term evaluator, operation by operation, and its limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use symcrete_term::bits::{mask, signed_max, signed_min};
use symcrete_term::{Evaluator, Op, TermId, Terms, Var};

use super::Bitwuzla;
use super::ffi::{Kind, Rounding};
use super::handle::Handle;
use crate::layer::{SolveCx, SolverLayer};
use crate::testing::{agrees_with_judge, ask, ask_within, byte, random_query};
use crate::{Answer, Budget, Counters, Limit, Parent, Query, Why};

#[test]
fn our_numbers_are_the_librarys() {
    assert_eq!(Handle::version(), env!("BITWUZLA_VERSION"));
    for (kind, name) in [
        (Kind::And, "AND"),
        (Kind::Distinct, "DISTINCT"),
        (Kind::Equal, "EQUAL"),
        (Kind::Not, "NOT"),
        (Kind::Or, "OR"),
        (Kind::Ite, "ITE"),
        (Kind::BvAdd, "BV_ADD"),
        (Kind::BvAnd, "BV_AND"),
        (Kind::BvAshr, "BV_ASHR"),
        (Kind::BvConcat, "BV_CONCAT"),
        (Kind::BvMul, "BV_MUL"),
        (Kind::BvOr, "BV_OR"),
        (Kind::BvSaddOverflow, "BV_SADDO"),
        (Kind::BvSdiv, "BV_SDIV"),
        (Kind::BvShl, "BV_SHL"),
        (Kind::BvShr, "BV_SHR"),
        (Kind::BvSle, "BV_SLE"),
        (Kind::BvSlt, "BV_SLT"),
        (Kind::BvSmulOverflow, "BV_SMULO"),
        (Kind::BvSrem, "BV_SREM"),
        (Kind::BvSsubOverflow, "BV_SSUBO"),
        (Kind::BvSub, "BV_SUB"),
        (Kind::BvUaddOverflow, "BV_UADDO"),
        (Kind::BvUdiv, "BV_UDIV"),
        (Kind::BvUle, "BV_ULE"),
        (Kind::BvUlt, "BV_ULT"),
        (Kind::BvUmulOverflow, "BV_UMULO"),
        (Kind::BvUrem, "BV_UREM"),
        (Kind::BvUsubOverflow, "BV_USUBO"),
        (Kind::BvXor, "BV_XOR"),
        (Kind::BvExtract, "BV_EXTRACT"),
        (Kind::BvSignExtend, "BV_SIGN_EXTEND"),
        (Kind::BvZeroExtend, "BV_ZERO_EXTEND"),
        (Kind::FpAbs, "FP_ABS"),
        (Kind::FpAdd, "FP_ADD"),
        (Kind::FpDiv, "FP_DIV"),
        (Kind::FpEqual, "FP_EQUAL"),
        (Kind::FpFma, "FP_FMA"),
        (Kind::FpIsNan, "FP_IS_NAN"),
        (Kind::FpIsNeg, "FP_IS_NEG"),
        (Kind::FpLeq, "FP_LEQ"),
        (Kind::FpLt, "FP_LT"),
        (Kind::FpMul, "FP_MUL"),
        (Kind::FpNeg, "FP_NEG"),
        (Kind::FpRti, "FP_RTI"),
        (Kind::FpSqrt, "FP_SQRT"),
        (Kind::FpSub, "FP_SUB"),
        (Kind::FpFromBv, "FP_TO_FP_FROM_BV"),
        (Kind::FpFromFp, "FP_TO_FP_FROM_FP"),
        (Kind::FpFromSbv, "FP_TO_FP_FROM_SBV"),
        (Kind::FpFromUbv, "FP_TO_FP_FROM_UBV"),
        (Kind::FpToSbv, "FP_TO_SBV"),
        (Kind::FpToUbv, "FP_TO_UBV"),
    ] {
        assert_eq!(Handle::kind_name(kind), format!("BITWUZLA_KIND_{name}"));
    }
    for (rounding, name) in [
        (Rounding::NearestEven, "RNE"),
        (Rounding::NearestAway, "RNA"),
        (Rounding::Down, "RTN"),
        (Rounding::Up, "RTP"),
        (Rounding::ToZero, "RTZ"),
    ] {
        assert_eq!(Handle::rounding_name(rounding), format!("BITWUZLA_RM_{name}"));
    }
}

/// An operand that can take every value of its width, from bytes of its own.
fn operand(terms: &mut Terms, number: u32, width: u8) -> TermId {
    let bytes: Vec<TermId> = (0..u32::from(width).div_ceil(8)).map(|at| terms.var(byte(16 * number + at))).collect();
    let word = terms.word(&bytes);
    terms.extract(word, 0, width)
}

fn interesting(width: u8, seed: u128) -> [u128; 7] {
    let m = mask(width);
    [0, 1 & m, m, signed_min(width), signed_max(width), seed & m, (seed >> 64) & m]
}

/// The operation on values that are fixed by conditions can only have the value the evaluator computes.
fn check_operation(core: &mut Bitwuzla, op: Op, width: u8, operand_widths: &[u8], values: &[u128]) {
    let mut terms = Terms::plain();
    let (mut operands, mut constants, mut prefix) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (&width, &value)) in operand_widths.iter().zip(values).enumerate() {
        let (operand, value) = (operand(&mut terms, at as u32, width), terms.constant(width, value));
        prefix.push(terms.eq(operand, value));
        operands.push(operand);
        constants.push(value);
    }
    let result = terms.apply(op, width, &operands);
    let on_constants = terms.apply(op, width, &constants);
    let expected = Evaluator::new().eval(&terms, on_constants, Parent::none().values);
    let expected = terms.constant(width, expected);
    let (same, other) = (terms.eq(result, expected), terms.ne(result, expected));
    let query = |goal| Query { prefix: &prefix, goal, parent: Parent::none() };
    let what = || format!("{op} width {width} of {values:x?}");
    assert!(matches!(ask(core, &terms, &query(same)).unwrap(), Answer::Sat(_)), "{} has another value", what());
    assert!(matches!(ask(core, &terms, &query(other)).unwrap(), Answer::Unsat(_)), "{} has two values", what());
    core.forget_terms();
}

#[test]
fn every_operation_is_encoded_as_it_is_evaluated() {
    let mut core = Bitwuzla::new();
    let mut seed = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128;
    for op in Op::ALL.into_iter().filter(|op| !op.is_float()) {
        for width in [1u8, 2, 3, 8, 13, 16, 32, 33, 64, 65, 128] {
            seed = seed.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
            let values = interesting(width, seed);
            let mut check = |op, to, widths: &[u8], values: &[u128]| check_operation(&mut core, op, to, widths, values);
            match op {
                Op::Bswap if width % 8 != 0 => {}
                Op::ZExt | Op::SExt => {
                    for to in [width, width.saturating_add(1).min(128), 128] {
                        check(op, to, &[width], &[values[2]]);
                        check(op, to, &[width], &[values[6]]);
                    }
                }
                Op::Extract { .. } => {
                    for (lo, to) in [(0, width), (width / 2, 1), (width - 1, 1), (width / 3, width - width / 3)] {
                        check(Op::Extract { lo }, to, &[width], &[values[5]]);
                    }
                }
                Op::Concat => {
                    for low in [1u8, 7, 64] {
                        if width + low <= 128 {
                            check(op, width + low, &[width, low], &[values[5], (seed >> 17) & mask(low)]);
                        }
                    }
                }
                Op::Select => {
                    for condition in [0, 1] {
                        check(op, width, &[1, width, width], &[condition, values[5], values[6]]);
                    }
                }
                op if op.arity() == 1 => {
                    for &value in &values {
                        check(op, width, &[width], &[value]);
                    }
                }
                op => {
                    let to = if op.is_predicate() { 1 } else { width };
                    for by in 0..4 {
                        for (&a, &b) in values.iter().zip(values.iter().cycle().skip(by)) {
                            check(op, to, &[width, width], &[a, b]);
                        }
                    }
                    // Shifts by small amounts are what programs do.
                    check(op, to, &[width, width], &[values[5], u128::from(width / 2) & mask(width)]);
                }
            }
        }
    }
}

/// Operands that cannot fill their width make the core compute in fewer bits: no value may change.
#[test]
fn operations_on_small_operands_are_encoded_as_they_are_evaluated() {
    let mut core = Bitwuzla::new();
    let values = interesting(5, 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    for op in [Op::Mul, Op::UDiv, Op::URem, Op::SDiv, Op::SRem] {
        for extensions in [[Op::ZExt, Op::ZExt], [Op::ZExt, Op::SExt], [Op::SExt, Op::ZExt], [Op::SExt, Op::SExt]] {
            let mut terms = Terms::plain();
            let mut operand = |number: u32| {
                let small = operand(&mut terms, number, 5);
                (small, terms.apply(extensions[number as usize], 24, &[small]))
            };
            let [(a, wide_a), (b, wide_b)] = [operand(0), operand(1)];
            let by_term = terms.apply(op, 24, &[wide_a, wide_b]);
            for &x in &values {
                for &y in &values {
                    let (x, y) = (terms.constant(5, x), terms.constant(5, y));
                    let wide_y = terms.apply(extensions[1], 24, &[y]);
                    let wide_y = Evaluator::new().eval(&terms, wide_y, Parent::none().values);
                    let wide_y = terms.constant(24, wide_y);
                    let by_constant = terms.apply(op, 24, &[wide_a, wide_y]);
                    let prefix = [terms.eq(a, x), terms.eq(b, y)];
                    for result in [by_term, by_constant] {
                        let input = |var: Var| {
                            let value = if var == byte(0) { x } else { y };
                            terms.as_constant(value).unwrap()
                        };
                        let expected = Evaluator::new().eval(&terms, result, &input);
                        let expected = terms.constant(24, expected);
                        let other = terms.ne(result, expected);
                        let query = Query { prefix: &prefix, goal: other, parent: Parent::none() };
                        let answer = ask(&mut core, &terms, &query).unwrap();
                        assert!(matches!(answer, Answer::Unsat(_)), "{op} {extensions:?}: {answer:?}");
                    }
                }
            }
            core.forget_terms();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn verdicts_are_those_of_trying_everything(random in random_query()) {
        let mut terms = Terms::new();
        let conditions = random.build(&mut terms);
        prop_assert!(agrees_with_judge(&mut Bitwuzla::new(), &terms, &conditions, &random.parent));
    }
}

/// `x * y == n` for a large prime, both factors more than one: no solution, and very long work to show it. The
/// factors have half the width; at width 128 it is large enough for the watchdog.
fn hard(terms: &mut Terms, width: u8) -> Vec<TermId> {
    let bytes = u32::from(width / 16);
    let mut word = |first: u32| {
        let bytes: Vec<TermId> = (first..first + bytes).map(|at| terms.var(byte(at))).collect();
        let word = terms.word(&bytes);
        terms.zext(word, width)
    };
    let (x, y) = (word(0), word(bytes));
    let product = terms.mul(x, y);
    let prime = if width == 64 { 9_223_372_036_854_775_783 } else { u128::MAX >> 1 };
    let (n, one) = (terms.constant(width, prime), terms.constant(width, 1));
    vec![terms.ult(one, x), terms.ult(one, y), terms.ult(x, y), terms.eq(product, n)]
}

fn easy(terms: &mut Terms) -> TermId {
    let (x, k) = (terms.var(byte(0)), terms.constant(8, 77));
    terms.eq(x, k)
}

fn ask_hard(core: &mut Bitwuzla, width: u8, budget: Budget) -> Answer {
    let mut terms = Terms::new();
    let conditions = hard(&mut terms, width);
    let easy = easy(&mut terms);
    let (&goal, prefix) = conditions.split_last().unwrap();
    let query = Query { prefix, goal, parent: Parent::none() };
    let answer = ask_within(core, &terms, &query, budget).unwrap();
    let after = Query { prefix: &[], goal: easy, parent: Parent::none() };
    assert!(matches!(ask(core, &terms, &after).unwrap(), Answer::Sat(_)), "the core goes on after a limit");
    core.forget_terms();
    answer
}

#[test]
fn limits_end_a_query_and_not_the_core() {
    let mut core = Bitwuzla::new();
    let unlimited = Budget {
        steps: u64::MAX,
        evaluations: 0,
        size: u64::MAX,
        time: None,
        memory: u64::MAX,
        patience: Duration::from_secs(600),
    };
    let end = |core: &mut Bitwuzla, width, budget| match ask_hard(core, width, budget) {
        Answer::Unknown(Why::Budget(limit)) => limit,
        other => panic!("{other:?}"),
    };
    for width in [64, 128] {
        assert_eq!(end(&mut core, width, Budget { steps: 50, ..unlimited }), Limit::Steps);
        assert_eq!(end(&mut core, width, Budget { size: 1000, ..unlimited }), Limit::Size);
        assert_eq!(end(&mut core, width, Budget { time: Some(Duration::from_millis(20)), ..unlimited }), Limit::Time);
    }
    assert_eq!(end(&mut core, 128, Budget { memory: 0, ..unlimited }), Limit::Memory);
    assert_eq!(end(&mut core, 128, Budget { patience: Duration::ZERO, ..unlimited }), Limit::Stuck);
    assert_eq!(end(&mut core, 128, Budget { steps: 50, ..unlimited }), Limit::Steps, "a new thread took over");
}

#[test]
fn steps_are_the_same_every_time() {
    let steps = || {
        let mut terms = Terms::new();
        let conditions = hard(&mut terms, 64);
        let (&goal, prefix) = conditions.split_last().unwrap();
        let query = Query { prefix, goal, parent: Parent::none() };
        let (mut evaluator, mut counters, cancel) = (Evaluator::new(), Counters::default(), Arc::default());
        let budget = Budget { steps: 500, ..Budget::default().steps_only() };
        let mut core = Bitwuzla::new();
        let mut answers = Vec::new();
        for _ in 0..3 {
            let mut cx = SolveCx::new(&terms, budget, &mut evaluator, &mut counters, &cancel);
            answers.push(core.solve(&mut cx, &query).unwrap());
        }
        (answers, counters.core_steps)
    };
    assert_eq!(steps(), steps());
}

#[test]
fn a_request_to_stop_is_heard() {
    let mut terms = Terms::new();
    let conditions = hard(&mut terms, 64);
    let (&goal, prefix) = conditions.split_last().unwrap();
    let query = Query { prefix, goal, parent: Parent::none() };
    let (mut evaluator, mut counters) = (Evaluator::new(), Counters::default());
    let cancel = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&cancel);
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        other.store(true, Ordering::Relaxed);
    });
    let budget = Budget { steps: u64::MAX, time: None, patience: Duration::from_secs(600), ..Budget::default() };
    let mut cx = SolveCx::new(&terms, budget, &mut evaluator, &mut counters, &cancel);
    let answer = Bitwuzla::new().solve(&mut cx, &query).unwrap();
    thread.join().unwrap();
    assert_eq!(answer, Answer::Unknown(Why::Budget(Limit::Cancelled)));
}
