//! A copy of a store for another thread: the same terms under the same ids, brought up to date now and then, so that
//! queries can be handed over as ids. Never builds a term: then ids would mean different terms in the two.

use crate::store::Terms;
use std::ops::Deref;

/// What a store held when the copy last caught up.
#[derive(Debug, Default)]
pub struct Replica {
    terms: Terms,
}

impl Replica {
    /// Takes in what the original has built since the last time. Always the same original, which has never lost a term.
    pub fn catch_up(&mut self, original: &Terms) {
        self.terms.append_from(original);
    }
}

impl Deref for Replica {
    type Target = Terms;
    fn deref(&self) -> &Terms {
        &self.terms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluator, Table, TermId, Var};

    /// Terms of every kind of storage: wide constants, variables, sets of them, tables.
    fn build(terms: &mut Terms, round: u32) -> TermId {
        let byte = |terms: &mut Terms, offset: u32| terms.var(Var::Byte { object: round % 2, offset });
        let (a, b) = (byte(terms, round), byte(terms, 200 * round));
        let read = terms.read(a, Table::new(8, (0..256).map(|value| value * u64::from(round + 3) / 2)));
        let sum = terms.add(read, b);
        let wide = terms.constant(100, (1 << 90) + u128::from(round));
        let long = terms.zext(sum, 100);
        let sum = terms.add(long, wide);
        terms.extract(sum, 0, 64)
    }

    #[test]
    fn the_same_ids_mean_the_same_terms() {
        let (mut terms, mut replica) = (Terms::new(), Replica::default());
        let values = |var: Var| match var {
            Var::Byte { object, offset } => u128::from(7 * object + offset) & 255,
            Var::Length { .. } => 9,
        };
        let mut built = vec![];
        for round in 0..20 {
            built.push(build(&mut terms, round));
            if round % 3 == 0 {
                replica.catch_up(&terms);
                assert_eq!(replica.len(), terms.len());
                for &term in &built {
                    let value = |terms: &Terms| {
                        let mut evaluator = Evaluator::new();
                        evaluator.begin();
                        evaluator.eval(terms, term, &values)
                    };
                    assert_eq!(value(&replica), value(&terms));
                    assert_eq!(format!("{:?}", replica.get(term)), format!("{:?}", terms.get(term)));
                    let of = |terms: &Terms| terms.var_sets().iter(terms.vars(term)).collect::<Vec<_>>();
                    assert_eq!(of(&replica), of(&terms));
                    assert!(of(&terms).iter().all(|&id| replica.var_id(terms.variable(id)) == Some(id)));
                }
            }
        }
    }
}
