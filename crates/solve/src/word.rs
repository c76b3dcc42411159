//! Words of the input: terms that are one variable, or several different ones side by side, so that every value of
//! the term is possible and belongs to exactly one choice of the variables. Only looks; decides nothing.

use symcrete_term::bits::mask;
use symcrete_term::{Assignment, Op, Term, TermId, Terms, Var};

pub(crate) fn is_word(terms: &Terms, term: TermId) -> bool {
    let mut leaves = 0;
    let all_variables = each_leaf(terms, term, |_, _| leaves += 1);
    all_variables && leaves == terms.var_sets().len(terms.vars(term))
}

/// Visits the variables of a word with the bit where each begins; false when something else is in it.
fn each_leaf(terms: &Terms, term: TermId, mut visit: impl FnMut(Var, u8)) -> bool {
    if terms.width(term) > 64 {
        return false;
    }
    let mut stack = vec![(term, 0u8)];
    while let Some((term, low)) = stack.pop() {
        match terms.get(term) {
            Term::Variable(_, var) => visit(var, low),
            Term::Apply(Op::Concat, &[high, rest]) => {
                stack.push((high, low + terms.width(rest)));
                stack.push((rest, low));
            }
            _ => return false,
        }
    }
    true
}

/// Visits the variables of a word with the bit where each begins.
pub(crate) fn leaves(terms: &Terms, word: TermId, visit: impl FnMut(Var, u8)) {
    each_leaf(terms, word, visit);
}

/// The value of a word under an assignment.
pub(crate) fn word_value(terms: &Terms, word: TermId, inputs: &dyn Assignment) -> u128 {
    let mut value = 0;
    each_leaf(terms, word, |var, low| {
        if let Some(id) = terms.var_id(var) {
            value |= (inputs.value(id, var) & mask(var.width())) << low;
        }
    });
    value
}

/// The values of its variables that give a word this value.
pub(crate) fn assign(terms: &Terms, word: TermId, value: u128, into: &mut Vec<(Var, u64)>) {
    each_leaf(terms, word, |var, low| into.push((var, (value >> low & mask(var.width())) as u64)));
}
