//! Words that a condition ties to something else: where `word == expression` has to hold anyway, the word follows every
//! move of what the expression is made of, and one word less is searched for.
//!
//! Invariants: a word follows one expression at most, and never itself through others.

use symcrete_term::{Op, Term, TermId, Terms};

use super::machine::Machine;

pub(crate) struct Ties {
    /// For each word the expression it follows.
    pub(crate) leader: Vec<Option<TermId>>,
    /// For each word what follows it, directly or through others, with the slot of the value to take. In order.
    pub(crate) followers: Vec<Vec<(usize, u32)>>,
}

impl Ties {
    pub(crate) fn new(terms: &Terms, machine: &Machine, conditions: &[TermId]) -> Ties {
        let count = machine.words.len();
        let mut ties = Ties { leader: vec![None; count], followers: vec![Vec::new(); count] };
        for &condition in conditions {
            let Term::Apply(Op::Eq | Op::FOeq, &[a, b]) = terms.get(condition) else { continue };
            for (word, expression) in [(a, b), (b, a)] {
                let Some(word) = machine.word_of(word) else { continue };
                if ties.add(machine, word, expression) {
                    break;
                }
            }
        }
        ties
    }

    fn add(&mut self, machine: &Machine, word: usize, expression: TermId) -> bool {
        let slot = machine.slot(expression);
        let leads: Vec<usize> = machine.words_of(slot).collect();
        // Nothing to follow, tied already, followed by what it would follow, or part of it.
        if leads.is_empty()
            || self.leader[word].is_some()
            || leads.iter().any(|&lead| lead == word || self.followers[word].iter().any(|&(other, _)| other == lead))
        {
            return false;
        }
        self.leader[word] = Some(expression);
        let behind = self.followers[word].clone();
        for other in 0..self.followers.len() {
            let moves =
                leads.contains(&other) || self.followers[other].iter().any(|(follower, _)| leads.contains(follower));
            if moves && other != word {
                self.followers[other].push((word, slot));
                self.followers[other].extend(behind.iter().copied());
            }
        }
        true
    }
}
