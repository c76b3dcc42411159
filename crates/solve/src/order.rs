//! Conditions that put values in order (`a < b`, `b <= c`, `c == d`), as a graph. A goal that closes a circle with a
//! strict step in it is unsat, whatever the values are. Otherwise words are pushed along the graph, up or down, as far
//! as the goal needs; what the other conditions say to that is tried out. So it says unsat exactly, sat with a model
//! that was evaluated, or nothing.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use symcrete_term::bits::{mask, signed_min};
use symcrete_term::{Op, Term, TermId, Terms};

use crate::layer::{SolveCx, SolverLayer};
use crate::word::{assign, is_word};
use crate::{Answer, Core, Fault, Model, Query};

/// Fewer related conditions than this are no case for a graph.
const MIN_CONDITIONS: usize = 2;
/// Values that may be pushed for one query.
const MAX_PUSHES: usize = 4_000;

/// `from` is not greater than `to`, or less when `strict`.
#[derive(Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    strict: bool,
    /// The condition that says so; none for what constants are by themselves.
    reason: Option<TermId>,
}

/// Invariants: nodes are distinct terms of one width; all edges hold for the parent except the goal's.
struct Graph {
    terms: Vec<TermId>,
    places: FxHashMap<TermId, usize>,
    edges: Vec<Edge>,
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    width: u8,
    /// Xored to a value so that its order is that of natural numbers.
    flip: u128,
}

/// What a condition says about the order of two terms: pairs (not greater, not less, strictly).
fn steps(terms: &Terms, condition: TermId) -> Option<(Op, TermId, TermId)> {
    match terms.get(condition) {
        Term::Apply(op @ (Op::Slt | Op::Sle | Op::Ult | Op::Ule | Op::Eq), &[a, b]) if terms.width(a) > 1 => {
            Some((op, a, b))
        }
        _ => None,
    }
}

impl Graph {
    /// The order as the goal's comparison has it; `None` when the goal compares nothing or stands alone.
    fn new(terms: &Terms, query: &Query<'_>) -> Option<Graph> {
        let (op, a, _) = steps(terms, query.goal)?;
        let width = terms.width(a);
        let said: Vec<_> =
            query.prefix.iter().filter_map(|&condition| Some((condition, steps(terms, condition)?))).collect();
        if said.len() + 1 < MIN_CONDITIONS {
            return None;
        }
        // An equality fits both orders: take the one that more conditions speak of.
        let is_signed = |op: Op| matches!(op, Op::Slt | Op::Sle);
        let is_natural = |op: Op| matches!(op, Op::Ult | Op::Ule);
        let signed = match op {
            Op::Eq => {
                let count = |kind: fn(Op) -> bool| said.iter().filter(|(_, (op, ..))| kind(*op)).count();
                count(|op| matches!(op, Op::Slt | Op::Sle)) > count(|op| matches!(op, Op::Ult | Op::Ule))
            }
            op => is_signed(op),
        };
        let flip = if signed { signed_min(width) } else { 0 };
        let mut graph = Graph {
            terms: Vec::new(),
            places: FxHashMap::default(),
            edges: Vec::new(),
            leaving: Vec::new(),
            entering: Vec::new(),
            width,
            flip,
        };
        for (condition, (op, a, b)) in said {
            let other_order = if signed { is_natural(op) } else { is_signed(op) };
            if terms.width(a) == width && !other_order {
                graph.say(op, a, b, Some(condition));
            }
        }
        let (_, a, b) = steps(terms, query.goal)?;
        graph.place(a);
        graph.place(b);
        graph.order_constants(terms);
        Some(graph)
    }

    fn place(&mut self, term: TermId) -> usize {
        *self.places.entry(term).or_insert_with(|| {
            self.terms.push(term);
            self.leaving.push(Vec::new());
            self.entering.push(Vec::new());
            self.terms.len() - 1
        })
    }

    fn say(&mut self, op: Op, a: TermId, b: TermId, reason: Option<TermId>) {
        let (from, to) = (self.place(a), self.place(b));
        let strict = matches!(op, Op::Slt | Op::Ult);
        self.add(Edge { from, to, strict, reason });
        if op == Op::Eq {
            self.add(Edge { from: to, to: from, strict, reason });
        }
    }

    fn add(&mut self, edge: Edge) {
        self.leaving[edge.from].push(self.edges.len());
        self.entering[edge.to].push(self.edges.len());
        self.edges.push(edge);
    }

    fn order_constants(&mut self, terms: &Terms) {
        let value = |&place: &usize| terms.as_constant(self.terms[place]).map(|value| value ^ self.flip);
        let mut constants: Vec<usize> = (0..self.terms.len()).filter(|place| value(place).is_some()).collect();
        constants.sort_unstable_by_key(value);
        for pair in constants.windows(2) {
            self.add(Edge { from: pair[0], to: pair[1], strict: true, reason: None });
        }
    }

    /// Conditions that lead from one place to another, with a strict step among them if asked for.
    fn way(&self, from: usize, to: usize, strict: bool) -> Option<Vec<TermId>> {
        // Each place is met twice at most: without and with a strict step on the way.
        let mut reached: Vec<[Option<(usize, usize)>; 2]> = vec![[None; 2]; self.terms.len()];
        let mut seen = vec![[false; 2]; self.terms.len()];
        let mut queue = VecDeque::from([(from, 0)]);
        seen[from][0] = true;
        while let Some((place, had)) = queue.pop_front() {
            if place == to && (had == 1 || !strict) {
                let (mut reasons, mut at) = (Vec::new(), (place, had));
                while let Some((edge, before)) = reached[at.0][at.1] {
                    reasons.extend(self.edges[edge].reason);
                    at = (self.edges[edge].from, before);
                }
                return Some(reasons);
            }
            for &edge in &self.leaving[place] {
                let next = (self.edges[edge].to, had | usize::from(self.edges[edge].strict));
                if !std::mem::replace(&mut seen[next.0][next.1], true) {
                    reached[next.0][next.1] = Some((edge, had));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Moves values so that all edges and the goal's hold: the goal's upper end up and all that must not be below it,
    /// or its lower end down and all that must not be above it.
    fn pushed(&self, movable: &[bool], before: &[u128], goal: &[Edge], up: bool) -> Option<Vec<u128>> {
        let mut values = before.to_vec();
        let mut work: VecDeque<Edge> = goal.iter().copied().collect();
        let mut left = MAX_PUSHES;
        while let Some(edge) = work.pop_front() {
            let step = u128::from(edge.strict);
            let (low, high) = (values[edge.from], values[edge.to]);
            if low.checked_add(step).is_some_and(|least| least <= high) {
                continue;
            }
            left = left.checked_sub(1)?;
            let (moved, value) = if up {
                (edge.to, low.checked_add(step).filter(|&value| value <= mask(self.width))?)
            } else {
                (edge.from, high.checked_sub(step)?)
            };
            if !movable[moved] {
                return None;
            }
            values[moved] = value;
            let affected = if up { &self.leaving[moved] } else { &self.entering[moved] };
            work.extend(affected.iter().map(|&edge| self.edges[edge]));
            work.extend(goal.iter().filter(|edge| if up { edge.from == moved } else { edge.to == moved }));
        }
        Some(values)
    }
}

pub(crate) struct Order {
    next: Box<dyn SolverLayer>,
}

impl Order {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Order {
        Order { next }
    }
}

fn try_solve(cx: &mut SolveCx<'_>, query: &Query<'_>) -> Option<Answer> {
    let terms = cx.terms;
    let graph = Graph::new(terms, query)?;
    let (op, a, b) = steps(terms, query.goal)?;
    let (from, to) = (graph.places[&a], graph.places[&b]);
    let strict = matches!(op, Op::Slt | Op::Ult);
    let mut goal = vec![Edge { from, to, strict, reason: None }];
    if op == Op::Eq {
        goal.push(Edge { from: to, to: from, strict: false, reason: None });
    }
    for edge in &goal {
        // The goal says one way round what a way through the prefix denies.
        if let Some(mut conditions) = graph.way(edge.to, edge.from, !edge.strict) {
            conditions.push(query.goal);
            return Some(Answer::Unsat(Core { conditions }));
        }
    }
    let movable: Vec<bool> = graph.terms.iter().map(|&term| is_word(terms, term)).collect();
    cx.evaluator.begin();
    let mut value = |term: TermId| cx.evaluator.eval(terms, term, query.parent.values) ^ graph.flip;
    let before: Vec<u128> = graph.terms.iter().map(|&term| value(term)).collect();
    for up in [true, false] {
        let Some(values) = graph.pushed(&movable, &before, &goal, up) else {
            continue;
        };
        let mut changes = Vec::new();
        for (place, (&new, &old)) in values.iter().zip(&before).enumerate() {
            if new != old {
                assign(terms, graph.terms[place], new ^ graph.flip, &mut changes);
            }
        }
        let model = Model::new(changes);
        let inputs = model.over(query.parent.values);
        cx.evaluator.begin();
        if query.conditions().all(|condition| cx.evaluator.holds(terms, condition, &inputs)) {
            return Some(Answer::Sat(model));
        }
    }
    None
}

impl SolverLayer for Order {
    fn name(&self) -> &'static str {
        "order"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        match try_solve(cx, query) {
            Some(answer) => Ok(answer),
            None => self.next.solve(cx, query),
        }
    }

    fn forget_terms(&mut self) {
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, random_query};
    use crate::{Bitwuzla, Parent};
    use proptest::prelude::*;
    use symcrete_term::Evaluator;

    proptest! {
        #[test]
        fn says_only_what_is_so(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            agrees_with_judge(&mut Order::new(Scripted::clueless().0), &terms, &conditions, &random.parent);
        }

        /// Decisions a run makes about the order of five words and two constants, the last one flipped: unsat
        /// exactly when the core says so, and every model holds.
        #[test]
        fn flips_of_an_order_are_settled_as_the_core_settles_them(
            values in prop::array::uniform5(0u16..12),
            decisions in prop::collection::vec((0usize..7, 0usize..7, any::<bool>(), any::<bool>()), 1..14),
            signed: bool,
        ) {
            let mut terms = Terms::new();
            let mut nodes: Vec<TermId> = (0..5)
                .map(|word| {
                    let bytes = [terms.var(byte(2 * word)), terms.var(byte(2 * word + 1))];
                    terms.word(&bytes)
                })
                .collect();
            nodes.extend([terms.constant(16, 3), terms.constant(16, 8)]);
            let parent = Input(values.iter().flat_map(|value| value.to_le_bytes()).collect());
            let mut evaluator = Evaluator::new();
            let mut path = Vec::new();
            for (a, b, equal, strict) in decisions {
                let (a, b) = (nodes[a], nodes[b]);
                let condition = match (equal && strict, signed, strict) {
                    (true, ..) => terms.eq(a, b),
                    (_, true, true) => terms.slt(a, b),
                    (_, true, false) => terms.sle(a, b),
                    (_, false, true) => terms.ult(a, b),
                    (_, false, false) => terms.ule(a, b),
                };
                let taken = evaluator.holds(&terms, condition, &parent);
                path.push(if taken { condition } else { terms.not(condition) });
            }
            let goal = path.pop().map(|last| terms.not(last)).unwrap();
            let query = Query { prefix: &path, goal, parent: Parent { run: 1, values: &parent } };
            let ours = ask(&mut crate::check::Check::new(Box::new(Order::new(Scripted::clueless().0))), &terms, &query).unwrap();
            let theirs = ask(&mut Bitwuzla::new(), &terms, &query).unwrap();
            match &ours {
                Answer::Unknown(_) => {}
                Answer::Sat(_) => prop_assert!(matches!(theirs, Answer::Sat(_))),
                Answer::Unsat(core) => {
                    prop_assert!(matches!(theirs, Answer::Unsat(_)));
                    let (&goal, prefix) = core.conditions.split_last().unwrap();
                    let query = Query { prefix, goal, parent: query.parent };
                    prop_assert!(matches!(ask(&mut Bitwuzla::new(), &terms, &query).unwrap(), Answer::Unsat(_)));
                }
            }
        }
    }

    #[test]
    fn a_circle_is_unsat_and_its_core_is_the_circle() {
        let mut terms = Terms::new();
        let words: Vec<TermId> = (0..4)
            .map(|word| {
                let bytes = [terms.var(byte(2 * word)), terms.var(byte(2 * word + 1))];
                terms.word(&bytes)
            })
            .collect();
        let (ab, bc, ad) =
            (terms.sle(words[0], words[1]), terms.sle(words[1], words[2]), terms.sle(words[0], words[3]));
        let goal = terms.slt(words[2], words[0]);
        let (core, asked) = Scripted::clueless();
        let query = Query { prefix: &[ab, ad, bc], goal, parent: Parent::none() };
        let Ok(Answer::Unsat(core)) = ask(&mut Order::new(core), &terms, &query) else { panic!("not unsat") };
        let mut conditions = core.conditions;
        conditions.sort_unstable();
        let mut circle = vec![ab, bc, goal];
        circle.sort_unstable();
        assert_eq!(conditions, circle);
        assert!(asked.lock().unwrap().is_empty());
    }

    #[test]
    fn several_words_move_together() {
        let mut terms = Terms::new();
        let words: Vec<TermId> = (0..3)
            .map(|word| {
                let bytes = [terms.var(byte(2 * word)), terms.var(byte(2 * word + 1))];
                terms.word(&bytes)
            })
            .collect();
        // 5 < 6 and 9: to bring the first above the third, the second has to go ahead.
        let prefix = [terms.slt(words[0], words[1])];
        let goal = terms.slt(words[2], words[0]);
        let parent = Input(vec![5, 0, 6, 0, 9, 0]);
        let query = Query { prefix: &prefix, goal, parent: Parent { run: 1, values: &parent } };
        let Ok(Answer::Sat(model)) = ask(&mut Order::new(Scripted::clueless().0), &terms, &query) else {
            panic!("not sat");
        };
        assert_eq!((model.get(byte(0)), model.get(byte(2)), model.get(byte(4))), (Some(10), Some(11), None));
    }
}
