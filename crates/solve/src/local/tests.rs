//! What the search must find, and that it says nothing but what is so.

use proptest::prelude::*;
use symcrete_term::{Evaluator, Op, TermId, Terms, native};

use super::Local;
use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, random_query};
use crate::{Answer, Parent, Query};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn says_only_what_is_so(random in random_query()) {
        let mut terms = Terms::new();
        let conditions = random.build(&mut terms);
        agrees_with_judge(&mut Local::new(Scripted::clueless().0), &terms, &conditions, &random.parent);
    }
}

/// Short names for terms over two doubles, x and y.
struct World {
    terms: Terms,
    x: TermId,
    y: TermId,
}

impl World {
    fn new() -> World {
        let mut terms = Terms::new();
        let mut word = |first: u32| {
            let bytes: Vec<TermId> = (first..first + 8).map(|at| terms.var(byte(at))).collect();
            terms.word(&bytes)
        };
        let (x, y) = (word(0), word(8));
        World { terms, x, y }
    }

    fn k(&mut self, value: f64) -> TermId {
        self.terms.constant(64, u128::from(value.to_bits()))
    }

    fn op(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = if op.is_predicate() { 1 } else { 64 };
        self.terms.apply(op, width, &[a, b][..op.arity()])
    }

    fn call(&mut self, name: &str, a: TermId, b: TermId) -> TermId {
        let op = Op::Native { function: native::number(name).expect("a known function") };
        self.op(op, a, b)
    }

    fn equals(&mut self, a: TermId, value: f64) -> TermId {
        let k = self.k(value);
        self.op(Op::FOeq, a, k)
    }

    fn above(&mut self, a: TermId, value: f64) -> TermId {
        let k = self.k(value);
        self.op(Op::FOlt, k, a)
    }

    fn under(&mut self, a: TermId, value: f64) -> TermId {
        let k = self.k(value);
        self.op(Op::FOlt, a, k)
    }

    /// Solves from x = 3, y = -7 and gives the values found.
    #[track_caller]
    fn solve(&self, prefix: &[TermId], goal: TermId) -> (f64, f64) {
        let parent = Input([3f64.to_le_bytes(), (-7f64).to_le_bytes()].concat());
        let query = Query { prefix, goal, parent: Parent { run: 1, values: &parent } };
        let answer = ask(&mut Local::new(Scripted::clueless().0), &self.terms, &query).expect("no fault");
        let Answer::Sat(model) = answer else { panic!("not found") };
        let values = model.over(&parent);
        let mut evaluator = Evaluator::new();
        assert!(query.conditions().all(|condition| evaluator.holds(&self.terms, condition, &values)));
        let mut value = |term| f64::from_bits(evaluator.eval(&self.terms, term, &values) as u64);
        (value(self.x), value(self.y))
    }
}

#[test]
fn single_solutions_are_found() {
    let mut w = World::new();
    let (x, tenth, three) = (w.x, w.k(0.1), w.k(3.0));
    let product = w.op(Op::FMul, x, tenth);
    let goal = w.equals(product, 0.7);
    assert_eq!(w.solve(&[], goal).0, 6.999999999999999);
    let sum = w.op(Op::FAdd, x, tenth);
    let goal = w.equals(sum, 0.3);
    assert_eq!(w.solve(&[], goal).0, 0.19999999999999998);
    let root = w.op(Op::FSqrt, x, x);
    let (square, near) = (w.op(Op::FMul, root, root), w.equals(root, 2f64.sqrt()));
    let goal = w.op(Op::FOeq, square, x);
    assert_eq!(w.solve(&[near], goal).0, 2.0000000000000004);
    let (power, big) = (w.call("pow", x, w.y), w.above(x, 2.5));
    let big_y = w.above(w.y, 2.5);
    let goal = w.equals(power, 1024.0);
    w.solve(&[big, big_y], goal);
    let nan = w.op(Op::FUno, x, three);
    assert!(w.solve(&[], nan).0.is_nan());
}

#[test]
fn functions_of_the_library_are_solved_through() {
    let mut w = World::new();
    let x = w.x;
    let tan = w.call("tan", x, x);
    let goal = w.above(tan, 1e15);
    w.solve(&[], goal);
    let log = w.call("log", x, x);
    let (low, goal) = (w.above(log, 2.5), w.under(log, 2.500001));
    w.solve(&[low], goal);
    let exp = w.call("exp", x, x);
    let (goal, zero) = (w.equals(exp, 1.0), w.k(0.0));
    let equal = w.op(Op::FOeq, x, zero);
    let other = w.terms.not(equal);
    assert_ne!(w.solve(&[other], goal).0, 0.0);
    let (seven, large) = (w.k(7.0), w.above(x, 1e6));
    let rest = w.op(Op::FRem, x, seven);
    let goal = w.equals(rest, 6.5);
    w.solve(&[large], goal);
    let angle = w.call("atan2", w.y, x);
    let goal = w.equals(angle, std::f64::consts::PI);
    w.solve(&[], goal);
}

/// Each of two conditions can be met by moving either word, both only together.
#[test]
fn words_that_hang_together_are_moved_together() {
    let mut w = World::new();
    let (x, y) = (w.x, w.y);
    let (root, sum) = (w.op(Op::FSqrt, x, x), w.op(Op::FAdd, x, y));
    let tied = w.op(Op::FOeq, root, y);
    let goal = w.equals(sum, 15.75);
    assert_eq!(w.solve(&[tied], goal), (12.25, 3.5));
}

#[test]
fn products_of_integers_are_met() {
    let mut terms = Terms::new();
    let mut word = |first: u32| {
        let bytes: Vec<TermId> = (first..first + 4).map(|at| terms.var(byte(at))).collect();
        terms.word(&bytes)
    };
    let (a, b, c) = (word(0), word(4), word(8));
    let product = terms.mul(a, b);
    let sum = terms.add(product, c);
    let (k, zero) = (terms.constant(32, 12_345_678), terms.constant(32, 0));
    let prefix = [terms.ne(a, zero), terms.ne(b, zero), terms.ult(c, k)];
    let goal = terms.eq(sum, k);
    let parent = Input([7u32, 9, 5].iter().flat_map(|value| value.to_le_bytes()).collect());
    let query = Query { prefix: &prefix, goal, parent: Parent { run: 1, values: &parent } };
    let answer = ask(&mut Local::new(Scripted::clueless().0), &terms, &query).unwrap();
    assert!(matches!(answer, Answer::Sat(_)));
}

#[test]
fn the_same_query_is_searched_in_the_same_way() {
    let run = || {
        let mut w = World::new();
        let (sine, y) = (w.call("sin", w.x, w.x), w.y);
        let product = w.op(Op::FMul, sine, y);
        let goal = w.equals(product, 0.123);
        let (x, y) = w.solve(&[], goal);
        (x.to_bits(), y.to_bits())
    };
    assert_eq!(run(), run());
}
