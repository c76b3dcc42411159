//! What stays true in a loop: relations between values at its head and those it was entered with.
//!
//! They are guessed by their form and hold when the loop is entered. Those that every turn preserves, given all of
//! them, hold in every turn; the others are dropped until the rest preserves itself. A turn is evaluated like any
//! path, so that what it does not look into is unknown; an answer that is none drops a guess.

use crate::code::{Body, Code, Place};
use crate::evaluate::{Activation, Context, Evaluator};
use crate::flow::Flow;
use crate::memory::Memory;
use crate::path::{Flows, Frame, How, Step, steps};
use crate::state::{Source, State};
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use symcrete_program::FunctionId;
use symcrete_program::code::{Binary, Constant, Operand, What};
use symcrete_solve::{Answer, Budget, Fault, Model, Parent, Query, Solver};
use symcrete_term::{TermId, Terms, Var};

/// Loops by their heads, with what was found out about them.
pub type Loops = FxHashMap<(FunctionId, u32), Vec<Invariant>>;

/// More values than this are not related with each other, and more bounds not looked at.
const MOST_RELATED: usize = 6;
const MOST_BOUNDS: usize = 4;

/// A relation of the value of phi number `phi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Invariant {
    pub phi: u32,
    pub relation: Relation,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relation {
    /// It is what it was at first.
    Same,
    /// So many of its lowest bits are.
    LowBits(u8),
    /// It is not less than at first; not more, when `down`.
    Beyond { signed: bool, down: bool },
    /// If it was not more than this at first, it is not now; not less, when `down`.
    Within { bound: Operand, signed: bool, down: bool },
    /// It did not move, or it is not more than this; not less, when `down`.
    Until { bound: Operand, signed: bool, down: bool },
    /// It moved up no further than to this.
    Short { bound: Operand },
    /// `mine` times what it moved by is `others` times what another one moved by.
    With { other: u32, mine: u128, others: u128 },
    /// It moved up no further than another one did.
    Behind { other: u32 },
}

impl Relation {
    /// What it compares with beside values of the loop.
    pub fn bound(self) -> Option<Operand> {
        match self {
            Relation::Within { bound, .. } | Relation::Until { bound, .. } | Relation::Short { bound } => Some(bound),
            _ => None,
        }
    }
}

/// The value of a phi now and when its loop was entered.
pub type Moved = Option<(TermId, TermId)>;

impl Invariant {
    /// That it holds; nothing when something it speaks of is not known.
    pub fn holds(
        &self,
        terms: &mut Terms,
        moved: &[Moved],
        bound_at: &mut dyn FnMut(Operand) -> Option<TermId>,
    ) -> Option<TermId> {
        let (now, first) = moved[self.phi as usize]?;
        let width = terms.width(now);
        Some(match self.relation {
            Relation::Same => terms.eq(now, first),
            Relation::LowBits(count) => {
                let (now, first) = (terms.extract(now, 0, count), terms.extract(first, 0, count));
                terms.eq(now, first)
            }
            Relation::Beyond { signed, down } => at_most(terms, (first, now), signed, down),
            Relation::Within { bound, signed, down } => {
                let bound = bound_at(bound)?;
                let before = at_most(terms, (first, bound), signed, down);
                let after = at_most(terms, (now, bound), signed, down);
                let outside = terms.not(before);
                terms.or(outside, after)
            }
            Relation::Until { bound, signed, down } => {
                let bound = bound_at(bound)?;
                let (same, after) = (terms.eq(now, first), at_most(terms, (now, bound), signed, down));
                terms.or(same, after)
            }
            Relation::Short { bound } => {
                let bound = bound_at(bound)?;
                let (moved, room) = (terms.sub(now, first), terms.sub(bound, first));
                terms.ule(moved, room)
            }
            Relation::With { other, mine, others } => {
                let (other_now, other_first) = moved[other as usize]?;
                let (moved, other) = (terms.sub(now, first), terms.sub(other_now, other_first));
                let (mine, others) = (terms.constant(width, mine), terms.constant(width, others));
                let (moved, other) = (terms.mul(moved, mine), terms.mul(other, others));
                terms.eq(moved, other)
            }
            Relation::Behind { other } => {
                let (other_now, other_first) = moved[other as usize]?;
                let (moved, other) = (terms.sub(now, first), terms.sub(other_now, other_first));
                terms.ule(moved, other)
            }
        })
    }
}

fn at_most(terms: &mut Terms, (less, more): (TermId, TermId), signed: bool, down: bool) -> TermId {
    let (less, more) = if down { (more, less) } else { (less, more) };
    if signed { terms.sle(less, more) } else { terms.ule(less, more) }
}

/// The phis of a block, from the first on.
fn phis(body: Body<'_>, block: u32) -> impl Iterator<Item = (u32, &Vec<(u32, Operand)>, u32)> {
    body.function.blocks[block as usize].iter().enumerate().map_while(|(at, instruction)| match &instruction.what {
        What::Phi(incoming) => Some((at as u32, incoming, instruction.ty)),
        _ => None,
    })
}

/// What a phi is when its loop is entered, if that is one thing.
pub fn at_first(flow: &Flow, incoming: &[(u32, Operand)], head: u32) -> Option<Operand> {
    let enters = |before: u32| flow.is_reachable(before) && !flow.dominates(head, before);
    let mut values = incoming.iter().filter(|(before, _)| enters(*before)).map(|(_, value)| *value);
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// One loop.
struct Loop<'a> {
    function: FunctionId,
    head: u32,
    body: Body<'a>,
    flow: std::rc::Rc<Flow>,
    /// Where turns end.
    backs: Vec<u32>,
    blocks: FxHashSet<u32>,
}

impl<'a> Loop<'a> {
    fn new(code: &Code<'a>, flows: &mut Flows, function: FunctionId, head: u32) -> Option<Loop<'a>> {
        let flow = flows.of(code, function);
        let backs: Vec<u32> =
            flow.predecessors[head as usize].iter().copied().filter(|&b| flow.dominates(head, b)).collect();
        let mut blocks: FxHashSet<u32> = FxHashSet::from_iter([head]);
        for &back in &backs {
            blocks.insert(back);
            if back != head {
                blocks.extend(flow.between(head, back));
            }
        }
        Some(Loop { function, head, body: code.body(function)?, flow, backs, blocks })
    }

    /// Whether a value is the same in all turns because it comes from outside.
    fn is_fixed(&self, code: &Code<'_>, operand: Operand) -> bool {
        match operand {
            Operand::Constant(_) => true,
            Operand::Value(value) => {
                code.definition(self.function, value).is_none_or(|place| !self.blocks.contains(&place.block))
            }
        }
    }

    /// By how much a phi moves in every turn, if that is always the same.
    fn stride(&self, code: &Code<'_>, phi: u32, incoming: &[(u32, Operand)], width: u8) -> Option<u128> {
        let own = Operand::Value(code.value(Place { function: self.function, block: self.head, at: phi }));
        let number = |operand: Operand| match operand {
            Operand::Constant(id) => match self.body.code.constants[id as usize] {
                Constant::Int(_, value) => Some(value),
                _ => None,
            },
            Operand::Value(_) => None,
        };
        let mut stride = None;
        for (_, value) in incoming.iter().filter(|(before, _)| self.backs.contains(before)) {
            let Operand::Value(next) = value else { return None };
            let by = match code.instruction(code.definition(self.function, *next)?)?.what {
                What::Binary(Binary::Add, a, b) if a == own => number(b)?,
                What::Binary(Binary::Sub, a, b) if a == own => number(b)?.wrapping_neg(),
                _ => return None,
            };
            let by = by & (u128::MAX >> (128 - u32::from(width)));
            if *stride.get_or_insert(by) != by {
                return None;
            }
        }
        stride
    }

    fn guesses(&self, code: &Code<'_>) -> Vec<Invariant> {
        let mut all = vec![];
        let mut related: Vec<(u32, u8, Option<u128>)> = vec![];
        for (phi, incoming, ty) in phis(self.body, self.head) {
            let Some(width) = crate::code::width(self.body.code, ty) else { continue };
            let mut add = |relation| all.push(Invariant { phi, relation });
            add(Relation::Same);
            if !(2..=64).contains(&width) {
                continue;
            }
            (1..=3u8.min(width - 1)).for_each(|count| add(Relation::LowBits(count)));
            let bounds = self.bounds(code, phi);
            bounds.iter().for_each(|&bound| add(Relation::Short { bound }));
            for (signed, down) in [(false, false), (false, true), (true, false), (true, true)] {
                add(Relation::Beyond { signed, down });
                for &bound in &bounds {
                    add(Relation::Within { bound, signed, down });
                    add(Relation::Until { bound, signed, down });
                }
            }
            related.push((phi, width, self.stride(code, phi, incoming, width)));
        }
        related.truncate(MOST_RELATED);
        for (number, &(phi, width, stride)) in related.iter().enumerate() {
            for &(other, _, its) in related[..number].iter().filter(|(_, w, _)| *w == width) {
                let with = |mine, others| Invariant { phi, relation: Relation::With { other, mine, others } };
                match (stride, its) {
                    (Some(stride), Some(its)) => all.push(with(its, stride)),
                    _ => {
                        let behind = |phi, other| Invariant { phi, relation: Relation::Behind { other } };
                        let minus_one = u128::MAX >> (128 - u32::from(width));
                        all.extend([with(1, 1), with(1, minus_one), behind(phi, other), behind(other, phi)]);
                    }
                }
            }
        }
        all
    }

    /// What a phi is compared with in its loop.
    fn bounds(&self, code: &Code<'_>, phi: u32) -> Vec<Operand> {
        let own = Operand::Value(code.value(Place { function: self.function, block: self.head, at: phi }));
        let mut found = vec![];
        for &block in &self.blocks {
            for instruction in &self.body.function.blocks[block as usize] {
                let What::Compare(_, a, b) = instruction.what else { continue };
                for (value, bound) in [(a, b), (b, a)] {
                    if value == own && self.is_fixed(code, bound) && !found.contains(&bound) {
                        found.push(bound);
                    }
                }
            }
        }
        found.truncate(MOST_BOUNDS);
        found
    }
}

/// One turn of a loop: what holds when it ends as it does, and the values at its head before and after.
struct Turn {
    conditions: Vec<TermId>,
    before: Vec<Moved>,
    after: Vec<Moved>,
    bounds: Vec<(Operand, TermId)>,
    unlearnt: Vec<(FunctionId, u32)>,
}

fn turn<'a>(
    cx: &Context<'_, 'a>,
    terms: &mut Terms,
    flows: &mut Flows,
    this: &Loop<'a>,
    back: u32,
    guesses: &[Invariant],
) -> Option<Turn> {
    let (function, head, body) = (this.function, this.head, this.body);
    let here = Place { function, block: head, at: 0 };
    let state = State::new(terms, Memory::default(), cx.start.declared, here);
    let mut evaluator = Evaluator { cx, state, flows, points: vec![], unlearnt: vec![] };
    let mut activation: Activation = evaluator.activate(function, vec![], (0, vec![]));
    // What comes from outside is one thing for the whole turn, whatever it is.
    for &block in &this.blocks {
        for instruction in &body.function.blocks[block as usize] {
            let mut operands = vec![];
            crate::code::operands(&instruction.what, &mut operands);
            for operand in operands {
                let Operand::Value(value) = operand else { continue };
                if this.is_fixed(cx.code, operand)
                    && activation.values[value as usize].is_none()
                    && let Some(ty) = cx.code.type_of(function, operand)
                {
                    let unknown = evaluator.state.unknown_of(body.code, ty, &Source::Before);
                    activation.values[value as usize] = Some(unknown);
                }
            }
        }
    }
    let (mut values, mut before) = (vec![], vec![]);
    for (_, _, ty) in phis(body, head) {
        let value = evaluator.state.unknown_of(body.code, ty, &Source::Before);
        before.push(match (&value, evaluator.state.unknown_of(body.code, ty, &Source::Before)) {
            (Value::Bits(now), Value::Bits(first)) => Some((*now, first)),
            _ => None,
        });
        values.push(value);
    }
    evaluator.set_phis(&mut activation, head, values);
    let mut way = vec![Step { block: head, how: How::Entry }];
    way.extend(steps(&this.flow, head, back)?);
    let frame = Frame { function, steps: way, inside: BTreeMap::new() };
    evaluator.run(&frame, &mut activation, None);
    let ends = evaluator.edge(&activation, body, back, head);
    evaluator.state.require(ends);
    let mut after = vec![];
    for ((_, incoming, _), moved) in phis(body, head).zip(&before) {
        let next = incoming.iter().find(|(from, _)| *from == back)?.1;
        let next = match moved {
            Some(_) => evaluator.bits(&activation, body, next),
            None => None,
        };
        after.push(moved.zip(next).map(|((_, first), next)| (next, first)));
    }
    let mut bounds: Vec<(Operand, TermId)> = vec![];
    for guess in guesses {
        if let Some(bound) = guess.relation.bound()
            && bounds.iter().all(|(known, _)| *known != bound)
        {
            bounds.extend(evaluator.bits(&activation, body, bound).map(|term| (bound, term)));
        }
    }
    let conditions = evaluator.state.conditions.iter().map(|condition| condition.term).collect();
    Some(Turn { conditions, before, after, bounds, unlearnt: evaluator.unlearnt })
}

/// What a look at a loop gave.
pub enum Found {
    /// This stays true in it.
    True(Vec<Invariant>),
    /// These loops inside it have to be known first.
    Waits(Vec<(FunctionId, u32)>),
}

/// Looks for what stays true in a loop.
pub fn find(
    cx: &Context<'_, '_>,
    terms: &mut Terms,
    flows: &mut Flows,
    solver: &mut Solver,
    budget: Budget,
    (function, head): (FunctionId, u32),
) -> Result<Found, Fault> {
    let Some(this) = Loop::new(cx.code, flows, function, head) else { return Ok(Found::True(vec![])) };
    // A loop that may be left for its middle again has turns that begin nowhere.
    if cx.code.twice(function).iter().any(|&block| this.flow.behind(block).contains(&head)) {
        return Ok(Found::True(vec![]));
    }
    let mut kept = this.guesses(cx.code);
    let mut turns = vec![];
    for &back in &this.backs {
        // A turn whose way is not known may do anything.
        let Some(turn) = turn(cx, terms, flows, &this, back, &kept) else { return Ok(Found::True(vec![])) };
        if !turn.unlearnt.is_empty() {
            return Ok(Found::Waits(turn.unlearnt));
        }
        turns.push(turn);
    }
    'again: loop {
        for turn in &turns {
            let count = kept.len();
            preserved(terms, solver, budget, turn, &mut kept)?;
            if kept.len() < count {
                continue 'again;
            }
        }
        return Ok(Found::True(without_implied(kept)));
    }
}

/// Leaves out what others say as well: every condition has its price in every path.
fn without_implied(all: Vec<Invariant>) -> Vec<Invariant> {
    use Relation::{Behind, Beyond, LowBits, Same, Short, Until, With, Within};
    let has = |phi: u32, relation: Relation| all.contains(&Invariant { phi, relation });
    let is_implied = |one: &&Invariant| {
        let phi = one.phi;
        match one.relation {
            Same => false,
            With { other, .. } | Behind { other } if has(phi, Same) => has(other, Same),
            With { .. } => false,
            _ if has(phi, Same) => true,
            LowBits(count) => (count + 1..8).any(|more| has(phi, LowBits(more))),
            Within { bound, signed, down } => has(phi, Until { bound, signed, down }),
            Short { bound } => {
                has(phi, Until { bound, signed: false, down: false }) && has(phi, Beyond { signed: false, down: false })
            }
            Behind { other } => {
                has(phi, With { other, mine: 1, others: 1 }) || has(other, With { other: phi, mine: 1, others: 1 })
            }
            Beyond { .. } | Until { .. } => false,
        }
    };
    all.iter().filter(|one| !is_implied(one)).copied().collect()
}

/// Drops what a turn does not preserve, given all that is kept; one round.
fn preserved(
    terms: &mut Terms,
    solver: &mut Solver,
    budget: Budget,
    turn: &Turn,
    kept: &mut Vec<Invariant>,
) -> Result<(), Fault> {
    let mut bound_at =
        |operand: Operand| turn.bounds.iter().find(|(bound, _)| *bound == operand).map(|(_, term)| *term);
    let mut given = turn.conditions.clone();
    let mut wanted = vec![];
    kept.retain(|guess| {
        let pair = guess.holds(terms, &turn.before, &mut bound_at).zip(guess.holds(terms, &turn.after, &mut bound_at));
        given.extend(pair.map(|(before, _)| before));
        wanted.extend(pair.map(|(_, after)| after));
        pair.is_some()
    });
    let fails = wanted.iter().fold(TermId::FALSE, |any, &after| {
        let not = terms.not(after);
        terms.or(any, not)
    });
    match ask(terms, solver, budget, &given, fails)? {
        Answer::Unsat(_) => return Ok(()),
        Answer::Sat(model) => {
            let mut evaluator = symcrete_term::Evaluator::new();
            let values = values_of(&model);
            let under = |var: Var| values.get(&var).copied().unwrap_or(0);
            let mut number = 0;
            let count = kept.len();
            kept.retain(|_| {
                number += 1;
                evaluator.holds(terms, wanted[number - 1], &under)
            });
            if kept.len() < count {
                return Ok(());
            }
        }
        Answer::Unknown(_) => {}
    }
    // All at once was too much: one after the other.
    let mut holds = vec![];
    for &after in &wanted {
        let not = terms.not(after);
        holds.push(matches!(ask(terms, solver, budget, &given, not)?, Answer::Unsat(_)));
    }
    let mut number = 0;
    kept.retain(|_| {
        number += 1;
        holds[number - 1]
    });
    Ok(())
}

fn values_of(model: &Model) -> FxHashMap<Var, u128> {
    model.iter().map(|(var, value)| (var, u128::from(value))).collect()
}

fn ask(terms: &Terms, solver: &mut Solver, budget: Budget, given: &[TermId], goal: TermId) -> Result<Answer, Fault> {
    solver.solve_within(terms, &Query { prefix: given, goal, parent: Parent::none() }, budget)
}
