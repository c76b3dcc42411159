//! Queries over few input bytes, by trying values with the term evaluator: exact in both directions, floats included.
//! For a condition over a single byte the 256 verdicts are remembered, so later queries with it are a few machine
//! words. Gives up, and asks the next layer, when the values left to try would cost more than the core does.

use rustc_hash::FxHashMap;
use symcrete_term::{Assignment, Evaluator, TermId, Terms, Var, VarId};

use crate::backoff::Backoff;
use crate::combine::{Choices, Combine, Outcome};
use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Core, Fault, Model, Query};

/// Term evaluations one query may cost here.
const MAX_EVALUATIONS: usize = 60_000;
/// Terms a condition over one byte may be made of for its 256 verdicts to be computed.
const MAX_TERMS: usize = 1_000;
/// Terms of a query from which on the core has a hard time, evaluations of all of them that may be risked then without
/// knowing that they are enough, and single evaluations.
const HEAVY: usize = 300;
const GAMBLES: usize = 250;
const MAX_GAMBLE: usize = 200_000;
/// Variables beyond which enumeration has no prospect.
const MAX_VARS: usize = 12;
/// More conditions than this on several inputs together are not laid out: that takes as many passes over all of them.
const MAX_JOINT: usize = 512;

/// A set of byte values.
type Bytes = [u64; 4];

const ALL: Bytes = [u64::MAX; 4];

fn has(set: &Bytes, value: u8) -> bool {
    set[usize::from(value >> 6)] >> (value & 63) & 1 == 1
}

fn len(set: &Bytes) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

pub(crate) struct Enumerate {
    /// For conditions over one byte: the values that make them true; `None`: too large to try.
    unary: FxHashMap<TermId, Option<Bytes>>,
    evaluator: Evaluator,
    backoff: Backoff,
    next: Box<dyn SolverLayer>,
}

/// What is known of one variable while a query is looked at.
struct Domain {
    id: VarId,
    var: Var,
    allowed: Bytes,
    /// The conditions that made it smaller.
    reasons: Vec<TermId>,
}

impl Enumerate {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Enumerate {
        Enumerate { unary: FxHashMap::default(), evaluator: Evaluator::new(), backoff: Backoff::default(), next }
    }

    fn try_solve(&mut self, cx: &SolveCx<'_>, query: &Query<'_>) -> Option<Answer> {
        let terms = cx.terms;
        let mut domains: Vec<Domain> = Vec::new();
        let mut joint: Vec<TermId> = Vec::new();
        for condition in query.conditions() {
            let mut vars = terms.vars_of(condition);
            let (first, second) = (vars.next(), vars.next());
            let single = first.filter(|_| second.is_none());
            for id in first.into_iter().chain(second).chain(vars) {
                if domains.iter().any(|domain| domain.id == id) {
                    continue;
                }
                let var = terms.variable(id);
                if domains.len() == MAX_VARS || var.width() != 8 {
                    return None;
                }
                domains.push(Domain { id, var, allowed: ALL, reasons: Vec::new() });
            }
            match single {
                Some(id) => {
                    let allowed = self.verdicts(terms, condition)?;
                    let domain = domains.iter_mut().find(|domain| domain.id == id).expect("added above");
                    if let Some(unsat) = domain.narrow(condition, &allowed) {
                        return Some(unsat);
                    }
                }
                None if first.is_none() && condition == TermId::TRUE => {}
                None if first.is_none() => return None,
                None if joint.len() == MAX_JOINT => return None,
                None => joint.push(condition),
            }
        }
        self.search(cx, query, &domains, &joint)
    }

    /// The values of its one byte for which a condition holds.
    fn verdicts(&mut self, terms: &Terms, condition: TermId) -> Option<Bytes> {
        let evaluator = &mut self.evaluator;
        *self.unary.entry(condition).or_insert_with(|| {
            let order = terms.reachable_within(&[condition], MAX_TERMS)?;
            let mut verdicts = [0; 4];
            for value in 0..=255u8 {
                evaluator.eval_in_order(terms, &order, &|_: Var| u128::from(value));
                if evaluator.known(condition) == Some(1) {
                    verdicts[usize::from(value >> 6)] |= 1 << (value & 63);
                }
            }
            Some(verdicts)
        })
    }

    /// Tries combinations of what the domains allow: all of them where they are few enough, and otherwise some where
    /// the core would have a hard time.
    fn search(&mut self, cx: &SolveCx<'_>, query: &Query<'_>, domains: &[Domain], joint: &[TermId]) -> Option<Answer> {
        let choices =
            domains.iter().map(|domain| Choices { var: domain.id, values: domain.choices(query.parent.values) });
        let choices: Vec<Choices> = choices.collect();
        let values = if joint.is_empty() {
            choices.iter().map(|choices| choices.values[0]).collect()
        } else {
            let combine = Combine::new(cx.terms, joint, choices);
            let is_sure = combine.most_steps().is_some_and(|steps| steps <= MAX_EVALUATIONS);
            let steps = if is_sure { MAX_EVALUATIONS } else { combine.steps().saturating_mul(GAMBLES).min(MAX_GAMBLE) };
            if !is_sure && (combine.steps() < HEAVY || cx.budget.is_first() && !self.backoff.is_due()) {
                return None;
            }
            let outcome = combine.search(steps);
            if !is_sure {
                self.backoff.record(outcome != Outcome::TooMany);
            }
            match outcome {
                Outcome::Found(values) => values,
                Outcome::Impossible(failed) => {
                    let needed = |domain: &&Domain| {
                        let vars =
                            |&condition: &TermId| cx.terms.var_sets().contains(cx.terms.vars(condition), domain.id);
                        failed.iter().any(vars)
                    };
                    let reasons = domains.iter().filter(needed).flat_map(|domain| &domain.reasons);
                    let conditions = failed.iter().chain(reasons).copied().collect();
                    return Some(Answer::Unsat(Core { conditions }));
                }
                Outcome::TooMany => return None,
            }
        };
        let values = domains.iter().zip(values).map(|(domain, value)| (domain.var, u64::from(value)));
        Some(Answer::Sat(Model::new(values.collect())))
    }
}

impl Domain {
    /// Keeps what the condition allows; unsat when nothing is left.
    fn narrow(&mut self, condition: TermId, verdicts: &Bytes) -> Option<Answer> {
        let before = self.allowed;
        for (word, verdicts) in self.allowed.iter_mut().zip(verdicts) {
            *word &= verdicts;
        }
        if self.allowed != before {
            self.reasons.push(condition);
        }
        (len(&self.allowed) == 0).then(|| Answer::Unsat(Core { conditions: std::mem::take(&mut self.reasons) }))
    }

    /// The allowed values, most welcome first.
    fn choices(&self, parent: &dyn Assignment) -> Vec<u8> {
        by_preference(parent.value(self.id, self.var) as u8, |value| has(&self.allowed, value))
    }
}

/// Values of a byte, most welcome first: the parent's own, then readable ones, then those near the parent's.
pub(crate) fn by_preference(own: u8, allowed: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut choices: Vec<u8> = (0..=255).filter(|&value| allowed(value)).collect();
    choices.sort_unstable_by_key(|&value| {
        let readable = value == b' ' || value.is_ascii_graphic();
        (value != own, !readable, value.abs_diff(own), value)
    });
    choices
}

impl SolverLayer for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        match self.try_solve(cx, query) {
            Some(answer) => Ok(answer),
            None => self.next.solve(cx, query),
        }
    }

    fn forget_terms(&mut self) {
        self.unary.clear();
        self.evaluator.begin();
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parent;
    use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, judge, random_query, sat};
    use proptest::prelude::*;
    use symcrete_term::Op;

    proptest! {
        #[test]
        fn both_verdicts_are_those_of_trying_everything(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            let mut layer = Enumerate::new(Scripted::clueless().0);
            agrees_with_judge(&mut layer, &terms, &conditions, &random.parent);
        }

        /// One byte is always settled here.
        #[test]
        fn one_byte_never_needs_the_core(random in random_query()) {
            let mut both = Terms::new();
            let conditions = random.build(&mut both);
            let mut terms = Terms::new();
            let mut known: Vec<(TermId, TermId)> = Vec::new();
            let find = |known: &[(TermId, TermId)], id: TermId| known.iter().find(|(from, _)| *from == id).unwrap().1;
            for id in both.reachable(&conditions) {
                let here = match both.get(id) {
                    symcrete_term::Term::Constant(value) => terms.constant(both.width(id), value),
                    symcrete_term::Term::Variable(..) => terms.var(byte(0)),
                    symcrete_term::Term::Apply(Op::Read, args) => {
                        terms.read(find(&known, args[0]), symcrete_term::Table::clone(both.table(args[1])))
                    }
                    symcrete_term::Term::Apply(op, args) => {
                        let args: Vec<TermId> = args.iter().map(|&arg| find(&known, arg)).collect();
                        terms.apply(op, both.width(id), &args)
                    }
                };
                known.push((id, here));
            }
            let conditions: Vec<TermId> = conditions.iter().map(|&id| find(&known, id)).collect();
            let (core, asked) = Scripted::clueless();
            prop_assume!(conditions.iter().all(|&condition| !terms.vars(condition).is_empty()));
            prop_assert!(agrees_with_judge(&mut Enumerate::new(core), &terms, &conditions, &random.parent));
            prop_assert!(asked.lock().unwrap().is_empty());
        }
    }

    #[test]
    fn readable_values_near_the_parents_are_preferred() {
        let mut terms = Terms::new();
        let (x, k) = (terms.var(byte(0)), terms.constant(8, u128::from(b'm')));
        let goal = terms.ne(x, k);
        let parent = Input(b"m".to_vec());
        let query = Query { prefix: &[], goal, parent: Parent { run: 1, values: &parent } };
        let answer = ask(&mut Enumerate::new(Scripted::clueless().0), &terms, &query);
        assert_eq!(answer, Ok(sat(&[(byte(0), u64::from(b'l'))])));
    }

    #[test]
    fn floats_are_tried_too() {
        let mut terms = Terms::new();
        let x = terms.var(byte(0));
        let float = terms.apply(Op::UiToF, 32, &[x]);
        let root = terms.apply(Op::FSqrt, 32, &[float]);
        let twelve = terms.constant(32, u128::from(12f32.to_bits()));
        let goal = terms.apply(Op::FOeq, 1, &[root, twelve]);
        let query = Query { prefix: &[], goal, parent: Parent::none() };
        let answer = ask(&mut Enumerate::new(Scripted::clueless().0), &terms, &query);
        assert_eq!(answer, Ok(sat(&[(byte(0), 144)])));
        assert!(judge(&terms, &[goal]));
    }

    #[test]
    fn too_many_combinations_go_on() {
        let mut terms = Terms::new();
        let bytes: Vec<TermId> = (0..4).map(|at| terms.var(byte(at))).collect();
        let (word, k) = (terms.word(&bytes), terms.constant(32, 77));
        let goal = terms.eq(word, k);
        let three = terms.constant(32, 3);
        let product = terms.mul(word, three);
        let other = terms.eq(product, k);
        let (core, asked) = Scripted::clueless();
        let mut layer = Enumerate::new(core);
        for goal in [goal, other] {
            ask(&mut layer, &terms, &Query { prefix: &[], goal, parent: Parent::none() }).unwrap();
        }
        assert!(!asked.lock().unwrap().is_empty());
    }
}
