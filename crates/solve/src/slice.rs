//! Hands on only the conditions that share inputs with the goal, directly or through others. The rest stays true by
//! itself: the parent's values make it true and the model does not touch its inputs. That is checked, not assumed: a
//! condition that the parent's values make false stays in the query, with everything related to it.

use symcrete_term::{Evaluator, TermId};

use crate::layer::{SolveCx, SolverLayer};
use crate::path_index::PathIndex;
use crate::{Answer, Fault, Query};

pub(crate) struct Slice {
    index: PathIndex,
    /// Values under the parent, kept from query to query.
    evaluator: Evaluator,
    parent: Option<u64>,
    /// Places of conditions of the indexed path that the parent makes false, ascending; normally none.
    violated: Vec<u32>,
    /// How far the indexed path has been evaluated under the parent.
    evaluated: usize,
    next: Box<dyn SolverLayer>,
}

impl Slice {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Slice {
        Slice {
            index: PathIndex::default(),
            evaluator: Evaluator::new(),
            parent: None,
            violated: Vec::new(),
            evaluated: 0,
            next,
        }
    }

    fn evaluate_prefix(&mut self, cx: &SolveCx<'_>, query: &Query<'_>, known: usize) {
        if self.parent != Some(query.parent.run) {
            self.parent = Some(query.parent.run);
            self.evaluator.begin();
            self.violated.clear();
            self.evaluated = 0;
        } else if known < query.prefix.len() {
            self.evaluated = self.evaluated.min(known);
            self.violated.retain(|&at| (at as usize) < known);
        }
        for (at, &condition) in query.prefix.iter().enumerate().skip(self.evaluated) {
            if !self.evaluator.holds(cx.terms, condition, query.parent.values) {
                self.violated.push(at as u32);
            }
        }
        self.evaluated = self.evaluated.max(query.prefix.len());
    }
}

impl SolverLayer for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        let known = self.index.cover(cx.terms, query.prefix);
        self.evaluate_prefix(cx, query, known);
        let mut roots: Vec<TermId> = vec![query.goal];
        let places = self.violated.iter().map(|&at| at as usize).take_while(|&at| at < query.prefix.len());
        roots.extend(places.map(|at| query.prefix[at]));
        let mut slice = self.index.related(cx.terms, &roots, query.prefix.len());
        // A condition without inputs is related to nothing; a false one must be seen all the same.
        slice.extend(roots[1..].iter().copied().filter(|&root| cx.terms.vars(root).is_empty()));
        self.next.solve(cx, &Query { prefix: &slice, ..*query })
    }

    fn forget_terms(&mut self) {
        self.index.clear();
        self.evaluator.begin();
        self.parent = None;
        self.violated.clear();
        self.evaluated = 0;
        self.next.forget_terms();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parent;
    use crate::testing::{Input, Scripted, ask, byte};
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use symcrete_term::Terms;

    /// `x[i] + … == 0` over the given bytes; another number, another condition.
    fn over(terms: &mut Terms, bytes: &[u32], number: u128) -> TermId {
        let mut sum = terms.constant(8, number);
        for &at in bytes {
            let byte = terms.var(byte(at));
            let twice = terms.mul(byte, byte);
            sum = terms.add(sum, twice);
        }
        let zero = terms.constant(8, 0);
        terms.eq(sum, zero)
    }

    /// The plain way: go over the prefix until nothing is added any more.
    fn naive(terms: &Terms, prefix: &[TermId], roots: &[TermId]) -> Vec<TermId> {
        let vars = |condition: TermId| terms.vars_of(condition).collect::<BTreeSet<_>>();
        let mut reached: BTreeSet<_> = roots.iter().flat_map(|&root| vars(root)).collect();
        let mut kept = vec![false; prefix.len()];
        loop {
            let before = kept.clone();
            for (at, &condition) in prefix.iter().enumerate() {
                if !kept[at] && !vars(condition).is_disjoint(&reached) {
                    kept[at] = true;
                    reached.extend(vars(condition));
                }
            }
            if kept == before {
                break;
            }
        }
        let mut seen = BTreeSet::new();
        let kept = prefix.iter().zip(kept).filter(|(_, kept)| *kept).map(|(&condition, _)| condition);
        kept.filter(|&condition| seen.insert(condition)).collect()
    }

    #[test]
    fn unrelated_conditions_stay_behind_unless_the_parent_breaks_them() {
        let mut terms = Terms::new();
        let (a, b, ab, c) = (
            over(&mut terms, &[0], 0),
            over(&mut terms, &[1], 0),
            over(&mut terms, &[0, 1], 0),
            over(&mut terms, &[2], 0),
        );
        let goal = over(&mut terms, &[1], 1);
        let (core, asked) = Scripted::clueless();
        let mut layer = Slice::new(core);
        let zeros = Input(vec![0; 3]);
        let parent = Parent { run: 1, values: &zeros };
        for prefix in [&[a, b, c][..], &[a, b, ab, c], &[a, b]] {
            ask(&mut layer, &terms, &Query { prefix, goal, parent }).unwrap();
        }
        let broken = Input(vec![0, 0, 1]);
        let parent = Parent { run: 2, values: &broken };
        ask(&mut layer, &terms, &Query { prefix: &[a, b, c], goal, parent }).unwrap();
        let prefix = [a, TermId::FALSE];
        ask(&mut layer, &terms, &Query { prefix: &prefix, goal, parent }).unwrap();
        let asked: Vec<_> = asked.lock().unwrap().iter().map(|(prefix, _)| prefix.clone()).collect();
        assert_eq!(asked, [vec![b], vec![a, b, ab], vec![b], vec![b, c], vec![TermId::FALSE]]);
    }

    proptest! {
        /// Paths that grow, shrink and fork, as a search makes them: the index must agree with starting over.
        #[test]
        fn the_index_agrees_with_starting_over(
            moves in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(0u32..8, 1..4), any::<bool>()), 1..40),
            inputs in prop::collection::vec(prop::collection::vec(any::<u8>(), 8), 3),
        ) {
            let mut terms = Terms::new();
            let (core, asked) = Scripted::clueless();
            let mut layer = Slice::new(core);
            let inputs: Vec<Input> = inputs.into_iter().map(Input).collect();
            let mut path: Vec<TermId> = Vec::new();
            let mut evaluator = Evaluator::new();
            for (number, (place, bytes, cut)) in moves.into_iter().enumerate() {
                if cut {
                    path.truncate(place.index(path.len() + 1));
                } else {
                    path.push(over(&mut terms, &bytes, (number % 3) as u128));
                }
                let goal = over(&mut terms, &bytes[..1], 9);
                let upto = place.index(path.len() + 1);
                let run = number % inputs.len();
                let parent = Parent { run: run as u64, values: &inputs[run] };
                ask(&mut layer, &terms, &Query { prefix: &path[..upto], goal, parent }).unwrap();
                evaluator.begin();
                let mut roots = vec![goal];
                roots.extend(path[..upto].iter().filter(|&&condition| !evaluator.holds(&terms, condition, &inputs[run])));
                let (got, _) = asked.lock().unwrap().pop().unwrap();
                prop_assert_eq!(got, naive(&terms, &path[..upto], &roots));
            }
        }
    }
}
