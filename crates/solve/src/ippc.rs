//! Incremental partial path constraints: hands the core the goal alone, and of the prefix only what its models violate.
//! Most of a long prefix is never needed. A part without a solution settles the whole query, and is a small reason; a
//! model of the part that makes the whole prefix true is a model of the query. So the verdict is always the core's.

use std::fmt;
use std::str::FromStr;
use symcrete_term::{TermId, Terms};

use crate::layer::{SolveCx, SolverLayer};
use crate::towards::towards_parent;
use crate::{Answer, Fault, Query};

/// Which of the violated conditions join the part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Learn {
    /// The first, as the paper has it.
    First,
    /// A few, so that the part at most doubles: many are violated together for one reason.
    Few,
    #[default]
    All,
}

impl FromStr for Learn {
    type Err = ();
    fn from_str(text: &str) -> Result<Learn, ()> {
        match text {
            "first" => Ok(Learn::First),
            "few" => Ok(Learn::Few),
            "all" => Ok(Learn::All),
            _ => Err(()),
        }
    }
}

impl fmt::Display for Learn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Learn::First => "first",
            Learn::Few => "few",
            Learn::All => "all",
        })
    }
}

/// Whether limited rounds pay: they do while a third of the queries are settled in them. Counts, never looks at a clock.
struct Worth {
    /// Share of late tries that settled their query.
    settled: f64,
    skipped: u32,
}

/// One in so many queries is tried where rounds do not pay.
const RAREST: u32 = 64;

impl Default for Worth {
    fn default() -> Worth {
        Worth { settled: 0.5, skipped: 0 }
    }
}

impl Worth {
    fn is_due(&mut self) -> bool {
        self.skipped = if self.settled >= 1.0 / 3.0 { 0 } else { (self.skipped + 1) % RAREST };
        self.skipped == 0
    }

    fn record(&mut self, settled: bool) {
        self.settled += (f64::from(u8::from(settled)) - self.settled) / 8.0;
    }
}

/// Rounds that learn only what models break; from then on the part at least doubles.
const PATIENT_ROUNDS: u32 = 8;

/// Violated conditions that join a part in any case, of those there are.
const LEAST_NEW: usize = 2;

/// Conditions from which on a query is not handed over whole as long as parts of it can be tried.
const LONG: usize = 400;

fn is_long(conditions: usize) -> bool {
    conditions > LONG
}

/// Where each model breaks one more condition (`n != 1`, `n != 2`, …) there would be as many rounds as conditions. So the
/// part grows to twice what it was, by conditions that share inputs with the goal, the latest first.
fn double(terms: &Terms, goal: TermId, before: usize, part: &mut Vec<TermId>, rest: &mut Vec<TermId>) {
    let mut wanted = (2 * before).saturating_sub(part.len());
    for at in (0..rest.len()).rev() {
        if wanted == 0 {
            break;
        }
        if terms.var_sets().intersects(terms.vars(rest[at]), terms.vars(goal)) {
            part.push(rest.remove(at));
            wanted -= 1;
        }
    }
}

pub(crate) struct Ippc {
    learn: Learn,
    /// Rounds after which the core gets the whole query, unless that is long; and it gets it at once while they settle
    /// nothing.
    most_rounds: Option<u32>,
    worth: Worth,
    next: Box<dyn SolverLayer>,
}

impl Ippc {
    /// To the end.
    pub(crate) fn new(learn: Learn, next: Box<dyn SolverLayer>) -> Ippc {
        Ippc { learn, most_rounds: None, worth: Worth::default(), next }
    }

    /// As long as it is quick; then the whole query.
    pub(crate) fn with_rounds(rounds: u32, next: Box<dyn SolverLayer>) -> Ippc {
        Ippc { learn: Learn::All, most_rounds: Some(rounds), worth: Worth::default(), next }
    }
}

impl Ippc {
    /// `None`: what is left is the whole query.
    fn by_parts(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Option<Answer>, Fault> {
        let mut part: Vec<TermId> = Vec::new();
        let mut rest: Vec<TermId> = query.prefix.to_vec();
        let mut round = 0;
        while !rest.is_empty() && !self.is_over(round, part.len(), rest.len()) {
            round += 1;
            let partial = Query { prefix: &part, ..*query };
            let model = match self.next.solve(cx, &partial)? {
                Answer::Sat(model) => towards_parent(cx, &partial, model),
                // More conditions may make it easier: they may contradict each other.
                Answer::Unknown(_) if self.most_rounds.is_some() => return Ok(None),
                settled => return Ok(Some(settled)),
            };
            let values = model.over(query.parent.values);
            cx.evaluator.begin();
            let before = part.len();
            let most = self.most_new(query.prefix.len(), before);
            rest.retain(|&condition| {
                let stays = part.len() - before == most || cx.evaluator.holds(cx.terms, condition, &values);
                if !stays {
                    part.push(condition);
                }
                stays
            });
            if part.len() == before {
                return Ok(Some(Answer::Sat(model)));
            }
            if self.learn != Learn::First && round >= PATIENT_ROUNDS {
                double(cx.terms, query.goal, before, &mut part, &mut rest);
            }
        }
        Ok(None)
    }

    /// Whether the whole query is now the better next question.
    fn is_over(&self, round: u32, part: usize, rest: usize) -> bool {
        self.most_rounds.is_some_and(|most| round >= most && (!is_long(part + rest) || part >= rest))
    }

    /// How many violated conditions may join a part in one round.
    fn most_new(&self, whole: usize, part: usize) -> usize {
        match self.learn {
            Learn::First => 1,
            Learn::All if self.most_rounds.is_none() || !is_long(whole) => usize::MAX,
            Learn::Few | Learn::All => part.max(LEAST_NEW),
        }
    }
}

impl SolverLayer for Ippc {
    fn name(&self) -> &'static str {
        "ippc"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        let is_limited = self.most_rounds.is_some() && !query.prefix.is_empty() && !is_long(query.prefix.len());
        if is_limited && !self.worth.is_due() {
            return self.next.solve(cx, query);
        }
        let settled = self.by_parts(cx, query)?;
        if is_limited {
            self.worth.record(settled.is_some());
        }
        match settled {
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
    use crate::testing::{Input, agrees_with_judge, ask, byte, random_query};
    use crate::{Bitwuzla, Counters, Parent, layer::Counted};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn never_another_verdict(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            for learn in [Learn::First, Learn::Few, Learn::All] {
                let mut layer = Ippc::new(learn, Box::new(Bitwuzla::new()));
                prop_assert!(agrees_with_judge(&mut layer, &terms, &conditions, &random.parent));
            }
            let mut layer = Ippc::with_rounds(2, Box::new(Bitwuzla::new()));
            prop_assert!(agrees_with_judge(&mut layer, &terms, &conditions, &random.parent));
        }
    }

    /// x < y for neighbours of a long chain; the goal contradicts two of them.
    #[test]
    fn a_contradiction_is_found_in_a_small_part() {
        let mut terms = Terms::new();
        let bytes: Vec<TermId> = (0..60).map(|at| terms.var(byte(at))).collect();
        let prefix: Vec<TermId> = bytes.windows(2).map(|pair| terms.ult(pair[0], pair[1])).collect();
        let goal = terms.ult(bytes[31], bytes[30]);
        let parent = Input((0..60).collect());
        let query = Query { prefix: &prefix, goal, parent: Parent { run: 1, values: &parent } };
        for learn in [Learn::First, Learn::Few, Learn::All] {
            let mut layer = Ippc::new(learn, Box::new(Bitwuzla::new()));
            let Ok(Answer::Unsat(core)) = ask(&mut layer, &terms, &query) else { panic!("there is no such input") };
            assert!(core.conditions.len() <= 4, "{} conditions", core.conditions.len());
        }
    }

    /// A length that is none of many: every model breaks one condition, and only all of them together contradict.
    #[test]
    fn many_excluded_values_take_few_rounds() {
        let mut terms = Terms::new();
        let length = terms.var(symcrete_term::Var::Length { object: 0 });
        let number = |terms: &mut Terms, value: u128| terms.constant(64, value);
        let end = number(&mut terms, 301);
        let mut prefix = vec![terms.ult(length, end)];
        prefix.extend((0..300).map(|value| {
            let value = number(&mut terms, value);
            terms.ne(length, value)
        }));
        let last = number(&mut terms, 300);
        let goal = terms.ne(length, last);
        let values = |_: symcrete_term::Var| 300;
        let (mut evaluator, mut counters) = (symcrete_term::Evaluator::new(), Counters::default());
        let cancel = Default::default();
        let mut cx = SolveCx::new(&terms, crate::Budget::default(), &mut evaluator, &mut counters, &cancel);
        let query = Query { prefix: &prefix, goal, parent: Parent { run: 1, values: &values } };
        let mut layer = Ippc::new(Learn::Few, Counted::around(Bitwuzla::new()));
        assert!(matches!(layer.solve(&mut cx, &query), Ok(Answer::Unsat(_))));
        assert!(counters.get("bitwuzla").calls <= 16, "{:?}", counters.get("bitwuzla"));
    }

    /// What `auto` does with a long query: it goes on with parts, and a small one settles it.
    #[test]
    fn long_queries_are_not_handed_over_whole() {
        let mut terms = Terms::new();
        let bytes: Vec<TermId> = (0..LONG as u32 + 40).map(|at| terms.var(byte(at))).collect();
        let prefix: Vec<TermId> = bytes.windows(2).map(|pair| terms.ule(pair[0], pair[1])).collect();
        // The parent has them all equal; one of a few in a row can only be greater if the next ones are.
        let (k, five) = (terms.constant(8, 7), terms.constant(8, 5));
        let mut prefix = prefix;
        prefix.push(terms.ule(bytes[212], k));
        let above = terms.sub(bytes[206], five);
        let goal = terms.eq(above, k);
        let parent = Input(vec![7; bytes.len()]);
        let (mut evaluator, mut counters) = (symcrete_term::Evaluator::new(), Counters::default());
        let cancel = Default::default();
        let mut cx = SolveCx::new(&terms, crate::Budget::default(), &mut evaluator, &mut counters, &cancel);
        let query = Query { prefix: &prefix, goal, parent: Parent { run: 1, values: &parent } };
        let mut layer = Ippc::with_rounds(2, Counted::around(Bitwuzla::new()));
        assert!(matches!(layer.solve(&mut cx, &query), Ok(Answer::Unsat(_))));
        let core = counters.get("bitwuzla");
        assert!(core.conditions / core.calls < 60, "{core:?}");
    }

    #[test]
    fn conditions_are_counted() {
        let mut terms = Terms::new();
        let bytes: Vec<TermId> = (0..20).map(|at| terms.var(byte(at))).collect();
        let k = terms.constant(8, 100);
        let prefix: Vec<TermId> = bytes.iter().map(|&byte| terms.ult(byte, k)).collect();
        let goal = terms.ult(k, bytes[0]);
        let counts = |mut chain: Box<dyn SolverLayer>| {
            let (mut evaluator, mut counters) = (symcrete_term::Evaluator::new(), Counters::default());
            let cancel = Default::default();
            let budget = crate::Budget::default();
            let mut cx = SolveCx::new(&terms, budget, &mut evaluator, &mut counters, &cancel);
            let query = Query { prefix: &prefix, goal, parent: Parent::none() };
            assert!(matches!(chain.solve(&mut cx, &query), Ok(Answer::Unsat(_))));
            counters.get("bitwuzla")
        };
        let full = counts(Counted::around(Bitwuzla::new()));
        assert_eq!((full.calls, full.conditions), (1, 21));
        // The goal alone, then with the one condition that its model violates.
        let part = counts(Counted::around(Ippc::new(Learn::All, Counted::around(Bitwuzla::new()))));
        assert_eq!((part.calls, part.conditions), (2, 1 + 2));
    }
}
