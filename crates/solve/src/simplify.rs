//! What can be said without looking at any value: a condition that is the constant false, or the goal being the very
//! opposite of a condition of the prefix. Terms arrive simplified, so there is nothing else to fold here.

use symcrete_term::{Op, Term, TermId, Terms};

use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Core, Fault, Query};

pub(crate) struct Simplify {
    next: Box<dyn SolverLayer>,
}

impl Simplify {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Simplify {
        Simplify { next }
    }
}

impl SolverLayer for Simplify {
    fn name(&self) -> &'static str {
        "simplify"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        if let Some(condition) = query.conditions().find(|&condition| condition == TermId::FALSE) {
            return Ok(Answer::Unsat(Core { conditions: vec![condition] }));
        }
        let vars = cx.terms.vars(query.goal);
        let opposite = query
            .prefix
            .iter()
            .find(|&&condition| cx.terms.vars(condition) == vars && are_opposite(cx.terms, condition, query.goal));
        if let Some(&condition) = opposite {
            return Ok(Answer::Unsat(Core { conditions: vec![condition, query.goal] }));
        }
        self.next.solve(cx, query)
    }

    fn forget_terms(&mut self) {
        self.next.forget_terms();
    }
}

/// Whether one condition is the negation of the other, as far as their outermost operation shows it.
fn are_opposite(terms: &Terms, a: TermId, b: TermId) -> bool {
    negates(terms, a, b) || negates(terms, b, a)
}

fn negates(terms: &Terms, a: TermId, b: TermId) -> bool {
    let Term::Apply(op, args) = terms.get(a) else {
        return false;
    };
    match (op, args) {
        (Op::Xor, &[inner, one]) => one == TermId::TRUE && inner == b,
        // Commutative operations have their operands in one order, so equal pairs look equal.
        (Op::Eq, pair) => terms.get(b) == Term::Apply(Op::Ne, pair),
        (Op::Ult, &[x, y]) => terms.get(b) == Term::Apply(Op::Ule, &[y, x]),
        (Op::Slt, &[x, y]) => terms.get(b) == Term::Apply(Op::Sle, &[y, x]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, agrees_with_judge, ask, byte, random_query, unsat};
    use crate::{Limit, Parent, Why};
    use proptest::prelude::*;

    #[test]
    fn constants_and_opposites_are_settled_without_asking() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var(byte(0)), terms.var(byte(1)));
        let k = terms.constant(8, 7);
        let pairs = [
            (terms.eq(x, k), terms.ne(x, k)),
            (terms.ult(x, y), terms.ule(y, x)),
            (terms.slt(x, y), terms.sle(y, x)),
            {
                let odd = terms.extract(x, 0, 1);
                (odd, terms.not(odd))
            },
        ];
        let (core, asked) = Scripted::clueless();
        let mut layer = Simplify::new(core);
        for (a, b) in pairs {
            for (given, goal) in [(a, b), (b, a)] {
                let other = terms.eq(y, k);
                let query = Query { prefix: &[other, given], goal, parent: Parent::none() };
                assert_eq!(ask(&mut layer, &terms, &query), Ok(unsat(&[given, goal])));
                let query = Query { prefix: &[other, TermId::FALSE], goal, parent: Parent::none() };
                assert_eq!(ask(&mut layer, &terms, &query), Ok(unsat(&[TermId::FALSE])));
                let query = Query { prefix: &[], goal, parent: Parent::none() };
                assert_eq!(ask(&mut layer, &terms, &query), Ok(Answer::Unknown(Why::Budget(Limit::Steps))));
            }
        }
        assert_eq!(asked.lock().unwrap().len(), 8);
    }

    proptest! {
        #[test]
        fn says_only_what_is_so(random in random_query()) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            agrees_with_judge(&mut Simplify::new(Scripted::clueless().0), &terms, &conditions, &random.parent);
        }
    }
}
