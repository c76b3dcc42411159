//! Conditions between floats, functions of the mathematical library among them: the bounds of every operand are drawn in
//! as far as the conditions and operations allow, forwards and backwards, until nothing changes. Where nothing is left the
//! query is unsat; where only few values of its words are, they are tried. So `sqrt(x) == y && x + y == 15.75` has one
//! solution left after a few rounds, and what is asked of `sin(x)` beside it is a matter of computing it.

use rustc_hash::FxHashMap;
use symcrete_term::bits::{mask, signed_min};
use symcrete_term::{Op, Term, TermId, Terms, Var, native};

use crate::layer::{SolveCx, SolverLayer};
use crate::spans::{Span, backward, forward, forward_fused, unit_circle};
use crate::word::{assign, is_word, word_value};
use crate::{Answer, Core, Fault, Model, Query};

/// Terms a query may have here.
const MAX_TERMS: usize = 2_000;
/// Times that everything is gone through, for a query that is asked for the first time and for others.
const FIRST_ROUNDS: usize = 8;
const ROUNDS: usize = 100;
/// Combinations of values that are tried.
const MAX_TRIED: u128 = 4_096;
/// Conditions of which each is tried to be left out of an explanation.
const MAX_CORE: usize = 32;
/// How deep one of several conditions is looked for that has to hold.
const ALTERNATIVES: u32 = 4;

pub(crate) struct Contract {
    /// Whether there is a comparison of floats in a condition.
    floats: FxHashMap<TermId, bool>,
    next: Box<dyn SolverLayer>,
}

impl Contract {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Contract {
        Contract { floats: FxHashMap::default(), next }
    }

    fn try_solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Option<Answer> {
        let terms = cx.terms;
        let mut about_floats = |condition: TermId| {
            *self.floats.entry(condition).or_insert_with(|| {
                let order = terms.reachable_within(&[condition], MAX_TERMS);
                order.is_some_and(|order| order.iter().any(|&id| is_comparison(terms, id)))
            })
        };
        let conditions: Vec<TermId> = query.conditions().filter(|&condition| about_floats(condition)).collect();
        if conditions.is_empty() {
            return None;
        }
        let rounds = if cx.budget.is_first() { FIRST_ROUNDS } else { ROUNDS };
        let mut spans = Spans::new(terms, &conditions)?;
        if spans.narrow(&conditions, rounds) {
            return spans.try_what_is_left(cx, query, &conditions);
        }
        Some(Answer::Unsat(Core { conditions: needed(terms, conditions, rounds) }))
    }
}

/// Of conditions that cannot hold together those without which they could, as far as this layer sees.
fn needed(terms: &Terms, mut conditions: Vec<TermId>, rounds: usize) -> Vec<TermId> {
    let mut at = conditions.len();
    while at > 0 && conditions.len() <= MAX_CORE {
        at -= 1;
        let one = conditions.remove(at);
        let still = Spans::new(terms, &conditions).is_some_and(|mut spans| !spans.narrow(&conditions, rounds));
        if !still {
            conditions.insert(at, one);
        }
    }
    conditions
}

fn is_comparison(terms: &Terms, id: TermId) -> bool {
    matches!(terms.get(id), Term::Apply(Op::FOeq | Op::FOlt | Op::FOle | Op::FUno, _))
}

/// The other operand of an operation with a constant.
fn beside(terms: &Terms, args: &[TermId], constant: u128) -> Option<TermId> {
    let &[a, b] = args else { return None };
    (terms.as_constant(b) == Some(constant)).then_some(a)
}

/// What is known of every float in the conditions.
#[derive(Clone)]
struct Spans<'t> {
    terms: &'t Terms,
    /// Terms that are floats, operands first.
    order: Vec<TermId>,
    spans: FxHashMap<TermId, Span>,
    changed: bool,
}

impl<'t> Spans<'t> {
    fn new(terms: &'t Terms, conditions: &[TermId]) -> Option<Spans<'t>> {
        let all = terms.reachable_within(conditions, MAX_TERMS)?;
        let mut spans = FxHashMap::default();
        for &id in &all {
            let Term::Apply(op, args) = terms.get(id) else { continue };
            let takes_floats = op.is_float() && !matches!(op, Op::SiToF | Op::UiToF);
            let parts = args.iter().copied().filter(|_| takes_floats).chain(op.gives_float().then_some(id));
            for part in parts.filter(|&part| matches!(terms.width(part), 32 | 64)) {
                spans.insert(part, Span::full(terms.width(part)));
            }
        }
        // That something is a float shows where it is used: what its sign was taken off, or it was chosen from, is one, too.
        for &id in all.iter().rev() {
            let Term::Apply(op, args) = terms.get(id) else { continue };
            let width = terms.width(id);
            let same = match op {
                _ if !spans.contains_key(&id) => &[],
                Op::Select => &args[1..],
                _ if is_sign_operation(terms, op, width, args) => &args[..1],
                _ => &[],
            };
            spans.extend(same.iter().map(|&part| (part, Span::full(width))));
        }
        let order = all.into_iter().filter(|id| spans.contains_key(id)).collect();
        Some(Spans { terms, order, spans, changed: true })
    }

    /// False when a float is left without any value.
    fn narrow(&mut self, conditions: &[TermId], rounds: usize) -> bool {
        for _ in 0..rounds {
            if !std::mem::take(&mut self.changed) {
                break;
            }
            let order = std::mem::take(&mut self.order);
            let possible = order.iter().all(|&id| self.meet(id, self.result(id)))
                && conditions.iter().all(|&condition| self.require(condition, true, ALTERNATIVES))
                && order.iter().rev().all(|&id| self.draw_in_operands(id));
            self.order = order;
            if !possible {
                return false;
            }
        }
        true
    }

    fn of(&self, id: TermId) -> Span {
        self.spans.get(&id).copied().unwrap_or(Span::full(self.terms.width(id)))
    }

    fn meet(&mut self, id: TermId, other: Span) -> bool {
        let Some(span) = self.spans.get_mut(&id) else { return true };
        self.changed |= span.narrow(other);
        !span.is_empty()
    }

    /// Where a term lies because of its operands.
    fn result(&self, id: TermId) -> Span {
        let (terms, width) = (self.terms, self.terms.width(id));
        if let Some(bits) = terms.as_constant(id) {
            return Span::point(width, bits);
        }
        let Term::Apply(op, args) = terms.get(id) else { return Span::full(width) };
        if is_sign_operation(terms, op, width, args) {
            let of = self.of(args[0]);
            return if op == Op::And { of.magnitude() } else { of.negated() };
        }
        let span = match (op, args) {
            (Op::Select, &[_, a, b]) => self.of(a).or(self.of(b)),
            (Op::FMa, &[a, b, c]) => forward_fused(self.of(a), self.of(b), self.of(c)),
            (Op::SiToF | Op::UiToF, _) => Span::full(width).without_nan(),
            (op, &[a]) if op.gives_float() => forward(op, width, self.of(a), Span::full(width)),
            (op, &[a, b]) if op.gives_float() => forward(op, width, self.of(a), self.of(b)),
            _ => Span::full(width),
        };
        if self.is_unit_circle(op, args) { span.and(unit_circle(width)) } else { span }
    }

    /// The sum of the squares of a sine and a cosine of the same.
    fn is_unit_circle(&self, op: Op, args: &[TermId]) -> bool {
        let call = |id: TermId| match self.terms.get(id) {
            Term::Apply(Op::Native { function }, &[angle]) => Some((native::name(function), angle)),
            _ => None,
        };
        let square = |id: TermId| match self.terms.get(id) {
            Term::Apply(Op::FMul, &[a, b]) if a == b => call(a),
            _ => None,
        };
        let summands = match (op, args) {
            (Op::FAdd, &[a, b]) => square(a).zip(square(b)),
            (Op::FMa, &[a, b, c]) if a == b => call(a).zip(square(c)),
            _ => None,
        };
        let names = [("sin", "cos"), ("cos", "sin"), ("sinf", "cosf"), ("cosf", "sinf")];
        summands.is_some_and(|((one, angle), (other, same))| angle == same && names.contains(&(one, other)))
    }

    /// What the operands of a term must be for it to lie where it does.
    fn draw_in_operands(&mut self, id: TermId) -> bool {
        let (terms, width, span) = (self.terms, self.terms.width(id), self.of(id));
        let Term::Apply(op, args) = terms.get(id) else { return true };
        if is_sign_operation(terms, op, width, args) {
            let before = if op == Op::And { span.before_magnitude() } else { span.negated() };
            return self.meet(args[0], before);
        }
        if !op.gives_float() {
            return true;
        }
        match (op, args) {
            (Op::FAdd | Op::FMul, &[a, b]) => {
                let (one, other) = (self.of(a), self.of(b));
                self.meet(a, backward(op, span, one, other)) && self.meet(b, backward(op, span, other, one))
            }
            (Op::FSub, &[a, b]) => {
                let (one, other) = (self.of(a), self.of(b));
                let minus = backward(Op::FAdd, span, other.negated(), one);
                self.meet(a, backward(op, span, one, other)) && self.meet(b, minus.negated())
            }
            (Op::FDiv, &[a, b]) => {
                let (one, other) = (self.of(a), self.of(b));
                self.meet(a, backward(op, span, one, other))
            }
            (op, &[a]) => self.meet(a, backward(op, span, self.of(a), Span::full(width))),
            _ => true,
        }
    }

    /// Draws in what a condition compares; false when it cannot be so. Alternatives are looked into so deep.
    fn require(&mut self, condition: TermId, truth: bool, depth: u32) -> bool {
        let Term::Apply(op, args) = self.terms.get(condition) else { return true };
        let &[a, b] = args else { return true };
        if self.terms.width(a) == 1 {
            return match op {
                Op::Xor | Op::Ne if b == TermId::TRUE => self.require(a, !truth, depth),
                Op::Eq if b == TermId::FALSE => self.require(a, !truth, depth),
                Op::And if truth => self.require(a, true, depth) && self.require(b, true, depth),
                Op::Or if !truth => self.require(a, false, depth) && self.require(b, false, depth),
                Op::And | Op::Or if depth > 0 => self.require_one_of([a, b], truth, depth - 1),
                _ => true,
            };
        }
        let numbers = !self.of(a).nan && !self.of(b).nan;
        match (op, truth) {
            (Op::FOlt | Op::FOle | Op::FOeq, true) => {
                self.meet(a, self.of(a).without_nan())
                    && self.meet(b, self.of(b).without_nan())
                    && self.below(a, b, i128::from(op == Op::FOlt))
                    && (op != Op::FOeq || self.below(b, a, 0))
            }
            (Op::FUno, false) => self.meet(a, self.of(a).without_nan()) && self.meet(b, self.of(b).without_nan()),
            (Op::FUno, true) => !numbers,
            (Op::FOlt, false) if numbers => self.below(b, a, 0),
            (Op::FOle, false) if numbers => self.below(b, a, 1),
            (Op::FOeq, false) if numbers => {
                let (one, other) = (self.of(a), self.of(b));
                !(one.low == one.high && one.low == other.low && other.low == other.high)
            }
            _ => true,
        }
    }

    /// Whatever lies outside of what either of two conditions leaves cannot be.
    fn require_one_of(&mut self, alternatives: [TermId; 2], truth: bool, depth: u32) -> bool {
        let left = alternatives.map(|condition| {
            let mut spans = self.clone();
            spans.require(condition, truth, depth).then_some(spans)
        });
        let left: Vec<Spans<'_>> = left.into_iter().flatten().collect();
        let Some(first) = left.first() else { return false };
        let last = left.last().unwrap_or(first);
        first.spans.iter().all(|(&id, &span)| self.meet(id, span.or(last.of(id))))
    }

    /// The first lies at least `apart` places below the second.
    fn below(&mut self, a: TermId, b: TermId, apart: i128) -> bool {
        let (low, high) = (self.of(a).low, self.of(b).high);
        self.meet(a, Span { high: high - apart, ..self.of(a) }) && self.meet(b, Span { low: low + apart, ..self.of(b) })
    }

    /// Words of which few values are left: those that the conditions over them allow.
    fn try_what_is_left(&self, cx: &mut SolveCx<'_>, query: &Query<'_>, conditions: &[TermId]) -> Option<Answer> {
        let terms = self.terms;
        let mut words: Vec<(TermId, Span)> = Vec::new();
        let mut combinations = 1u128;
        for &id in &self.order {
            let span = self.spans[&id];
            let few = !span.nan && span.count() <= MAX_TRIED;
            if !few || terms.as_constant(id).is_some() || !is_word(terms, id) {
                continue;
            }
            let overlaps =
                |&(other, _): &(TermId, Span)| terms.var_sets().intersects(terms.vars(id), terms.vars(other));
            combinations = combinations.saturating_mul(span.count());
            if combinations > MAX_TRIED || words.iter().any(overlaps) {
                return None;
            }
            words.push((id, span));
        }
        if words.is_empty() {
            return None;
        }
        let inside = |condition: TermId| {
            let known = |var| words.iter().any(|&(word, _)| terms.var_sets().contains(terms.vars(word), var));
            terms.vars_of(condition).all(known)
        };
        let (settled, others): (Vec<TermId>, Vec<TermId>) =
            query.conditions().partition(|&condition| inside(condition));
        let order = terms.reachable(&settled);
        let mut inputs: Vec<(Var, u64)> = Vec::new();
        for number in 0..combinations {
            let mut rest = number;
            inputs.clear();
            for &(word, span) in &words {
                let value = span.values().nth((rest % span.count()) as usize)?;
                rest /= span.count();
                assign(terms, word, value, &mut inputs);
            }
            let of = |var: Var| inputs.iter().find(|(known, _)| *known == var).map_or(0, |&(_, it)| u128::from(it));
            cx.evaluator.eval_in_order(terms, &order, &of);
            if !settled.iter().all(|&condition| cx.evaluator.known(condition) == Some(1)) {
                continue;
            }
            if others.is_empty() {
                return Some(Answer::Sat(Model::new(inputs)));
            }
            // Others have more in them, and may be impossible nevertheless.
            let mut here = self.clone();
            for &(word, _) in &words {
                here.meet(word, Span::point(terms.width(word), word_value(terms, word, &of)));
            }
            if here.narrow(conditions, FIRST_ROUNDS) {
                return None;
            }
        }
        let mut core = settled;
        core.extend(conditions.iter().filter(|condition| !core.contains(condition)).copied().collect::<Vec<_>>());
        Some(Answer::Unsat(Core { conditions: core }))
    }
}

/// The magnitude of a float, or its negative.
fn is_sign_operation(terms: &Terms, op: Op, width: u8, args: &[TermId]) -> bool {
    let constant = match op {
        Op::And => mask(width) >> 1,
        Op::Xor => signed_min(width),
        _ => return false,
    };
    matches!(width, 32 | 64) && beside(terms, args, constant).is_some()
}

impl SolverLayer for Contract {
    fn name(&self) -> &'static str {
        "contract"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        match self.try_solve(cx, query) {
            Some(answer) => Ok(answer),
            None => self.next.solve(cx, query),
        }
    }

    fn forget_terms(&mut self) {
        self.floats.clear();
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parent;
    use crate::testing::{Input, Scripted, ask, byte};
    use proptest::prelude::*;
    use symcrete_term::{Evaluator, compute};

    fn double(terms: &mut Terms, at: u32) -> TermId {
        let bytes: Vec<TermId> = (0..8).map(|i| terms.var(byte(8 * at + i))).collect();
        terms.word(&bytes)
    }

    fn number(terms: &mut Terms, value: f64) -> TermId {
        terms.constant(64, u128::from(value.to_bits()))
    }

    fn library(terms: &mut Terms, name: &str, args: &[TermId]) -> TermId {
        let function = native::number(name).unwrap();
        terms.try_apply(Op::Native { function }, 64, args).unwrap()
    }

    fn verdict(terms: &Terms, conditions: &[TermId]) -> Option<bool> {
        let (&goal, prefix) = conditions.split_last().unwrap();
        let parent = Input(vec![0; 16]);
        let query = Query { prefix, goal, parent: Parent { run: 1, values: &parent } };
        match ask(&mut Contract::new(Scripted::clueless().0), terms, &query).unwrap() {
            Answer::Sat(model) => {
                let values = model.over(&parent);
                let mut evaluator = Evaluator::new();
                assert!(conditions.iter().all(|&condition| evaluator.holds(terms, condition, &values)));
                Some(true)
            }
            Answer::Unsat(core) => {
                assert!(core.conditions.iter().all(|condition| conditions.contains(condition)));
                Some(false)
            }
            Answer::Unknown(_) => None,
        }
    }

    #[test]
    fn a_root_and_a_sum_have_one_solution() {
        let mut t = Terms::new();
        let (x, y) = (double(&mut t, 0), double(&mut t, 1));
        let (ten, twenty, sum) = (number(&mut t, 10.0), number(&mut t, 20.0), number(&mut t, 15.75));
        let (root, added) = (t.try_apply(Op::FSqrt, 64, &[x]).unwrap(), t.binary(Op::FAdd, x, y));
        let mut conditions = vec![
            t.binary(Op::FOlt, ten, x),
            t.binary(Op::FOlt, x, twenty),
            t.binary(Op::FOeq, root, y),
            t.binary(Op::FOeq, added, sum),
        ];
        assert_eq!(verdict(&t, &conditions), Some(true));
        let (sine, zero) = (library(&mut t, "sin", &[x]), number(&mut t, 0.0));
        conditions.push(t.binary(Op::FOlt, sine, zero));
        assert_eq!(verdict(&t, &conditions), Some(true), "the sine of 12.25 is negative");
        let negative = conditions.pop().unwrap();
        conditions.push(t.binary(Op::Xor, negative, TermId::TRUE));
        assert_eq!(verdict(&t, &conditions), Some(false));
        conditions.pop();
        // The square of y is x, rounded once or twice.
        let sign = t.constant(64, signed_min(64));
        let minus = t.binary(Op::Xor, y, sign);
        let product = t.binary(Op::FMul, minus, y);
        let (twice, once) = (t.binary(Op::FAdd, product, x), t.try_apply(Op::FMa, 64, &[minus, y, x]).unwrap());
        let (open, one) = (t.var(byte(20)), t.constant(8, 1));
        let either = t.eq(open, one);
        let rest = t.select(either, once, twice);
        let (power, one) = (library(&mut t, "exp", &[rest]), number(&mut t, 1.0));
        let same = t.binary(Op::FOeq, power, one);
        conditions.push(t.binary(Op::Xor, same, TermId::TRUE));
        assert_eq!(verdict(&t, &conditions), Some(false));
        conditions.pop();
        let (less, more) = (t.binary(Op::FOlt, power, one), t.binary(Op::FOlt, one, power));
        conditions.push(t.binary(Op::Or, less, more));
        assert_eq!(verdict(&t, &conditions), Some(false));
    }

    #[test]
    fn functions_of_the_library_have_bounds() {
        let mut t = Terms::new();
        let (x, y) = (double(&mut t, 0), double(&mut t, 1));
        let (three, zero, above) = (number(&mut t, 3.0), number(&mut t, 0.0), number(&mut t, 1.0000001));
        let angle = library(&mut t, "atan2", &[y, x]);
        let large = t.binary(Op::FOlt, three, angle);
        let below = t.binary(Op::FOlt, y, zero);
        let beyond = t.binary(Op::FOlt, zero, y);
        assert_eq!(verdict(&t, &[large, below]), Some(false));
        assert_eq!(verdict(&t, &[large, beyond]), None);
        let (sine, cosine) = (library(&mut t, "sin", &[x]), library(&mut t, "cos", &[x]));
        let squares = [t.binary(Op::FMul, sine, sine), t.binary(Op::FMul, cosine, cosine)];
        let circle = t.binary(Op::FAdd, squares[0], squares[1]);
        let fused = t.try_apply(Op::FMa, 64, &[sine, sine, squares[1]]).unwrap();
        let (byte, one) = (t.var(byte(20)), t.constant(8, 1));
        let either = t.eq(byte, one);
        let circle = t.select(either, fused, circle);
        let (outside, less) = (t.binary(Op::FOlt, above, circle), t.binary(Op::FOlt, circle, above));
        assert_eq!(verdict(&t, &[outside]), Some(false));
        assert_eq!(verdict(&t, &[less]), None);
        let logarithm = library(&mut t, "log", &[x]);
        let known = [t.binary(Op::FOlt, three, logarithm), t.binary(Op::FOlt, x, three)];
        assert_eq!(verdict(&t, &known), Some(false));
    }

    /// Either of two that are the same for the one solution.
    #[test]
    fn what_is_left_is_tried_with_all_that_is_open() {
        let mut t = Terms::new();
        let x = double(&mut t, 0);
        let three = number(&mut t, 3.0);
        let known = t.binary(Op::FOeq, x, three);
        let squares = [t.binary(Op::FMul, x, x), t.binary(Op::FMul, x, three)];
        let (byte, one, nine) = (t.var(byte(20)), t.constant(8, 1), number(&mut t, 9.0));
        let either = t.eq(byte, one);
        let square = t.select(either, squares[0], squares[1]);
        let same = t.binary(Op::FOeq, square, nine);
        let other = t.binary(Op::Xor, same, TermId::TRUE);
        assert_eq!(verdict(&t, &[known, other]), Some(false));
        assert_ne!(verdict(&t, &[known, same]), Some(false));
    }

    const OPERATIONS: [Op; 12] = [
        Op::FAdd,
        Op::FSub,
        Op::FMul,
        Op::FDiv,
        Op::FRem,
        Op::FSqrt,
        Op::FFloor,
        Op::FRint,
        Op::FMin,
        Op::FMax,
        Op::And,
        Op::Xor,
    ];
    const NAMES: [&str; 9] = ["sin", "cos", "exp", "log", "atan", "tanh", "acos", "atan2", "cbrt"];

    fn doubles() -> impl Strategy<Value = f64> {
        let few = prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NAN, 1e300, 5e-324, 0.1]);
        prop_oneof![few, (-40i32..40).prop_map(|n| f64::from(n) / 4.0), any::<u64>().prop_map(f64::from_bits)]
    }

    proptest! {
        /// Whatever is so for some input is not called impossible.
        #[test]
        fn what_happens_is_possible(
            values in prop::array::uniform2(doubles()),
            steps in prop::collection::vec((0usize..26, any::<usize>(), any::<usize>(), doubles()), 1..8),
            compared in prop::collection::vec((0usize..4, any::<usize>(), any::<usize>()), 1..6),
        ) {
            let mut t = Terms::new();
            let mut pool = vec![double(&mut t, 0), double(&mut t, 1)];
            for (op, a, b, constant) in steps {
                let (a, b) = (pool[a % pool.len()], pool[b % pool.len()]);
                pool.push(number(&mut t, constant));
                pool.push(match op {
                    10 => { let most = t.constant(64, mask(64) >> 1); t.binary(Op::And, a, most) }
                    11 => { let sign = t.constant(64, signed_min(64)); t.binary(Op::Xor, a, sign) }
                    24 => { let wide = pool[0]; t.try_apply(Op::FMa, 64, &[a, b, wide]).unwrap() }
                    25 => { let less = t.binary(Op::FOlt, a, b); t.select(less, b, a) }
                    0..10 if OPERATIONS[op].arity() == 2 => t.binary(OPERATIONS[op], a, b),
                    0..10 => t.try_apply(OPERATIONS[op], 64, &[a]).unwrap(),
                    _ => match NAMES[op % 9] {
                        "atan2" => library(&mut t, "atan2", &[a, b]),
                        name => library(&mut t, name, &[a]),
                    },
                });
            }
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_bits().to_le_bytes()).collect();
            let mut evaluator = Evaluator::new();
            let input = Input(bytes);
            let mut conditions = Vec::new();
            for (op, a, b) in compared {
                let (a, b) = (pool[a % pool.len()], pool[b % pool.len()]);
                let condition = t.binary([Op::FOeq, Op::FOlt, Op::FOle, Op::FUno][op], a, b);
                let holds = evaluator.holds(&t, condition, &input);
                let condition = if holds { condition } else { t.binary(Op::Xor, condition, TermId::TRUE) };
                let other = pool[op % pool.len()];
                let alternative = t.binary(Op::FOlt, b, other);
                conditions.push(if op % 2 == 0 { condition } else { t.binary(Op::Or, alternative, condition) });
                evaluator.begin();
            }
            conditions.retain(|&condition| condition != TermId::TRUE);
            prop_assert!(conditions.is_empty() || verdict(&t, &conditions) != Some(false));
        }
    }

    proptest! {
        /// Results lie where they are said to, and operands where the result needs them.
        #[test]
        fn spans_hold_what_is_possible(
            pick in 0usize..8, name in 0usize..9, library: bool,
            x in doubles(), y in doubles(), ends in prop::array::uniform4(doubles()), near in 0i128..3,
        ) {
            use crate::float_sets::{is_nan, place};
            let op = match library {
                true => Op::Native { function: native::number(NAMES[name]).unwrap() },
                false => OPERATIONS[pick],
            };
            let around = |bits: u128, low: f64, high: f64| {
                let mut span = Span::point(64, bits);
                for end in [low, high].into_iter().filter(|end| !end.is_nan()) {
                    let end = place(64, u128::from(end.to_bits()));
                    (span.low, span.high) = match span.has_numbers() {
                        true => (span.low.min(end), span.high.max(end)),
                        false => (end, end),
                    };
                }
                Span { nan: span.nan || low.is_nan(), ..span }
            };
            let holds = |span: Span, bits: u128| match is_nan(64, bits) {
                true => span.nan,
                false => (span.low..=span.high).contains(&place(64, bits)),
            };
            let (x, y) = (u128::from(x.to_bits()), u128::from(y.to_bits()));
            let (a, b) = (around(x, ends[0], ends[1]), around(y, ends[2], ends[3]));
            let result = compute(op, 64, 64, x, y, 0);
            prop_assert!(holds(forward(op, 64, a, b), result), "{op} of {a:?} and {b:?} is {result:x}");
            let mut wanted = Span::point(64, result);
            (wanted.low, wanted.high) = (wanted.low - near, wanted.high + near);
            prop_assert!(holds(backward(op, wanted, a, b), x), "{op} of {x:x} and {b:?} is {result:x}");
        }
    }
}
