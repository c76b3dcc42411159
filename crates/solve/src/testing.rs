//! What the tests of several layers share: a core that follows a script, random queries over few bytes, and the judge
//! that simply tries every input.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use symcrete_term::{Assignment, Evaluator, Op, Table, Term, TermId, Terms, Var, VarId};

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Budget, Core, Counters, Fault, Limit, Model, Parent, Query, Why};

pub(crate) fn byte(offset: u32) -> Var {
    Var::Byte { object: 0, offset }
}

/// What the core was asked: prefix and goal.
pub(crate) type Asked = Arc<Mutex<Vec<(Vec<TermId>, TermId)>>>;

/// Notes what it is asked and gives the same answer always.
pub(crate) struct Scripted {
    asked: Asked,
    answer: Answer,
}

impl Scripted {
    pub(crate) fn new(answer: Answer) -> (Box<Scripted>, Asked) {
        let asked = Asked::default();
        (Box::new(Scripted { asked: Arc::clone(&asked), answer }), asked)
    }

    /// A core that cannot settle anything.
    pub(crate) fn clueless() -> (Box<Scripted>, Asked) {
        Self::new(Answer::Unknown(Why::Budget(Limit::Steps)))
    }
}

impl SolverLayer for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }
    fn solve(&mut self, _: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        self.asked.lock().unwrap().push((query.prefix.to_vec(), query.goal));
        Ok(self.answer.clone())
    }
    fn forget_terms(&mut self) {}
}

/// Asks a layer one query with a fresh context.
pub(crate) fn ask(layer: &mut dyn SolverLayer, terms: &Terms, query: &Query<'_>) -> Result<Answer, Fault> {
    ask_within(layer, terms, query, Budget::default())
}

pub(crate) fn ask_within(
    layer: &mut dyn SolverLayer,
    terms: &Terms,
    query: &Query<'_>,
    budget: Budget,
) -> Result<Answer, Fault> {
    let (mut evaluator, mut counters) = (Evaluator::new(), Counters::default());
    let cancel = Arc::new(AtomicBool::new(false));
    layer.solve(&mut SolveCx::new(terms, budget, &mut evaluator, &mut counters, &cancel), query)
}

pub(crate) fn unsat(conditions: &[TermId]) -> Answer {
    Answer::Unsat(Core { conditions: conditions.to_vec() })
}

pub(crate) fn sat(values: &[(Var, u64)]) -> Answer {
    Answer::Sat(Model::new(values.to_vec()))
}

/// Bytes of one input, zero beyond its end.
#[derive(Clone, Debug)]
pub(crate) struct Input(pub(crate) Vec<u8>);

impl Assignment for Input {
    fn value(&self, _: VarId, var: Var) -> u128 {
        match var {
            Var::Byte { offset, .. } => u128::from(self.0.get(offset as usize).copied().unwrap_or(0)),
            Var::Length { .. } => self.0.len() as u128,
        }
    }
}

/// Whether conditions over the first two bytes can hold together: by trying all of them.
pub(crate) fn judge(terms: &Terms, conditions: &[TermId]) -> bool {
    let mut evaluator = Evaluator::new();
    let order = terms.reachable(conditions);
    let uses = |offset| order.iter().any(|&id| matches!(terms.get(id), Term::Variable(_, var) if var == byte(offset)));
    let ends = [if uses(0) { 255 } else { 0u8 }, if uses(1) { 255 } else { 0u8 }];
    (0..=ends[0]).any(|first| {
        (0..=ends[1]).any(|second| {
            evaluator.eval_in_order(terms, &order, &Input(vec![first, second]));
            conditions.iter().all(|&condition| evaluator.known(condition) == Some(1))
        })
    })
}

/// One step of building terms: an operation and which earlier terms it takes, all taken modulo what there is.
#[derive(Clone, Debug)]
struct Recipe {
    op: usize,
    args: [usize; 3],
    width: u8,
    constant: u64,
}

/// Recipes for a query: terms are built over two bytes, the last one-bit ones become its conditions.
#[derive(Clone, Debug)]
pub(crate) struct RandomQuery {
    steps: Vec<Recipe>,
    conditions: usize,
    pub(crate) parent: Input,
}

pub(crate) fn random_query() -> impl Strategy<Value = RandomQuery> {
    let constant = prop_oneof![0u64..4, any::<u8>().prop_map(u64::from), any::<u64>()];
    let width = prop_oneof![Just(1u8), Just(8u8), Just(16u8), Just(32u8), 1u8..=40];
    let recipe = (any::<usize>(), any::<[usize; 3]>(), width, constant)
        .prop_map(|(op, args, width, constant)| Recipe { op, args, width, constant });
    let parent = prop::collection::vec(any::<u8>(), 2).prop_map(Input);
    (prop::collection::vec(recipe, 4..24), 1usize..5, parent).prop_map(|(steps, conditions, parent)| RandomQuery {
        steps,
        conditions,
        parent,
    })
}

impl RandomQuery {
    /// The conditions, the last one the goal.
    pub(crate) fn build(&self, terms: &mut Terms) -> Vec<TermId> {
        let integer_ops: Vec<Op> = Op::ALL.into_iter().filter(|op| !op.is_float()).collect();
        let mut pool = vec![terms.var(byte(0)), terms.var(byte(1))];
        for step in &self.steps {
            let pick = |at: usize| pool[step.args[at] % pool.len()];
            let a = pick(0);
            let from = terms.width(a);
            let Some(&op) = integer_ops.get(step.op % (integer_ops.len() + 2)) else {
                let entries = (0..=step.constant % 300).map(|i| i.wrapping_mul(step.constant >> 8) >> (i & 3));
                let width = if step.args[1] % 2 == 0 { 1 } else { step.width.clamp(1, 64) };
                let index = fit(terms, a, from.min(64));
                pool.push(terms.read(index, Table::new(width, entries)));
                continue;
            };
            let term = match op {
                Op::ZExt | Op::SExt => terms.apply(op, from.max(step.width), &[a]),
                Op::Extract { .. } => {
                    let width = step.width.min(from);
                    terms.extract(a, (step.constant % u64::from(from - width + 1)) as u8, width)
                }
                Op::Concat if from + terms.width(pick(1)) <= 64 => terms.concat(a, pick(1)),
                Op::Concat => continue,
                Op::Select => {
                    let condition = terms.extract(a, 0, 1);
                    let yes = pick(1);
                    let no = fit(terms, pick(2), terms.width(yes));
                    terms.select(condition, yes, no)
                }
                Op::Bswap if !from.is_multiple_of(8) => continue,
                op if op.arity() == 1 => terms.apply(op, from, &[a]),
                op => {
                    let b = if step.args[2] % 3 == 0 {
                        terms.constant(from, u128::from(step.constant))
                    } else {
                        fit(terms, pick(1), from)
                    };
                    terms.binary(op, a, b)
                }
            };
            pool.push(term);
        }
        let mut conditions: Vec<TermId> =
            pool.iter().rev().copied().filter(|&id| terms.width(id) == 1).take(self.conditions).collect();
        if conditions.is_empty() {
            let last = pool[pool.len() - 1];
            conditions.push(terms.extract(last, 0, 1));
        }
        conditions
    }
}

fn fit(terms: &mut Terms, term: TermId, width: u8) -> TermId {
    if terms.width(term) < width { terms.zext(term, width) } else { terms.extract(term, 0, width) }
}

/// Asks a layer and holds its answer against trying everything: verdict, model and core. True when it was settled.
pub(crate) fn agrees_with_judge(
    layer: &mut dyn SolverLayer,
    terms: &Terms,
    conditions: &[TermId],
    parent: &Input,
) -> bool {
    let (&goal, prefix) = conditions.split_last().expect("a goal");
    let query = Query { prefix, goal, parent: Parent { run: 1, values: parent } };
    match ask(layer, terms, &query).expect("no fault") {
        Answer::Sat(model) => {
            let mut evaluator = Evaluator::new();
            for &condition in conditions {
                assert!(evaluator.holds(terms, condition, &model.over(parent)), "{model:?} fails {condition:?}");
            }
            true
        }
        Answer::Unsat(core) => {
            assert!(!judge(terms, conditions), "unsat, but there is an input");
            assert!(core.conditions.iter().all(|condition| conditions.contains(condition)));
            assert!(!judge(terms, &core.conditions), "the core can be satisfied");
            true
        }
        Answer::Unknown(_) => false,
    }
}
