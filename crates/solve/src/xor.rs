//! Goals that are equations between exclusive ors of input bits, as checksums are: solved by elimination, which is
//! exact and quick where a search by cases is hopeless. Equations among the path's conditions go along; whatever else
//! the path demands is tried on the solution, and on a few others near it. Says unsat only from the equations.
//!
//! Invariant: the bits of a linear term equal their rows for every input.

use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rustc_hash::{FxHashMap, FxHashSet};
use symcrete_term::{Op, Term, TermId, Terms, VarId};

use crate::bitwuzla::affine;
use crate::layer::{SolveCx, SolverLayer};
use crate::{Answer, Core, Fault, Model, Query};

/// Input bits and terms beyond which a query is not looked at.
const MAX_BITS: usize = 4096;
const MAX_TERMS: usize = 6_000;
/// Words of all rows together.
const MAX_WORDS: usize = 1 << 22;
/// Solutions that are tried when the first one fails another condition.
const MAX_TRIES: usize = 64;

pub(crate) struct Xor {
    random: Pcg64Mcg,
    next: Box<dyn SolverLayer>,
}

/// The exclusive or of some input bits and perhaps a one; the last word holds the one.
#[derive(Clone, PartialEq, Eq)]
struct Row(Box<[u64]>);

impl Row {
    fn add(&mut self, other: &Row) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word ^= other;
        }
    }
    fn has(&self, column: usize) -> bool {
        self.0[column / 64] >> (column % 64) & 1 == 1
    }
    fn flip(&mut self, column: usize) {
        self.0[column / 64] ^= 1 << (column % 64);
    }
    fn is_zero(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
    /// Its value when it depends on no input.
    fn constant(&self) -> Option<bool> {
        let (one, rest) = self.0.split_last()?;
        rest.iter().all(|&word| word == 0).then_some(*one != 0)
    }
}

/// The bits of terms over the input bits of one query.
struct Linear<'a> {
    terms: &'a Terms,
    /// First column of each variable.
    columns: FxHashMap<VarId, usize>,
    words: usize,
    rows: FxHashMap<TermId, Option<Vec<Row>>>,
    room: usize,
}

impl<'a> Linear<'a> {
    fn zero(&self) -> Row {
        Row(vec![0; self.words].into())
    }

    fn one(&self) -> Row {
        let mut row = self.zero();
        *row.0.last_mut().expect("at least the word of ones") = 1;
        row
    }

    fn bit(&self, value: bool) -> Row {
        if value { self.one() } else { self.zero() }
    }

    /// All terms of a root; whether the root is linear.
    fn learn(&mut self, root: TermId) -> bool {
        let Some(order) = self.terms.reachable_within(&[root], MAX_TERMS) else { return false };
        for id in order {
            if self.rows.contains_key(&id) {
                continue;
            }
            let needed = usize::from(self.terms.width(id)) * self.words;
            let Some(left) = self.room.checked_sub(needed) else { return false };
            let rows = self.of(id);
            if rows.is_some() {
                self.room = left;
            }
            self.rows.insert(id, rows);
        }
        self.rows[&root].is_some()
    }

    fn known(&self, id: TermId) -> Option<&Vec<Row>> {
        self.rows.get(&id)?.as_ref()
    }

    fn of(&self, id: TermId) -> Option<Vec<Row>> {
        let width = usize::from(self.terms.width(id));
        let (op, args) = match self.terms.get(id) {
            Term::Constant(value) => return Some((0..width).map(|bit| self.bit(value >> bit & 1 == 1)).collect()),
            Term::Variable(var, _) => {
                let first = *self.columns.get(&var)?;
                let row = |bit| {
                    let mut row = self.zero();
                    row.flip(first + bit);
                    row
                };
                return Some((0..width).map(row).collect());
            }
            Term::Apply(op, args) => (op, args),
        };
        let a = self.known(args[0])?;
        let zeros = |count: usize| std::iter::repeat_n(self.zero(), count);
        let shift = || self.terms.as_constant(args[1]).map(|by| (by as usize).min(width));
        let pair = |combine: &dyn Fn(&Row, &Row) -> Option<Row>| -> Option<Vec<Row>> {
            a.iter().zip(self.known(args[1])?).map(|(a, b)| combine(a, b)).collect()
        };
        let sum = |a: &Row, b: &Row| {
            let mut sum = a.clone();
            sum.add(b);
            Some(sum)
        };
        Some(match op {
            Op::Xor => pair(&sum)?,
            Op::Ne if a.len() == 1 => pair(&sum)?,
            Op::Eq if a.len() == 1 => {
                let mut rows = pair(&sum)?;
                rows[0].add(&self.one());
                rows
            }
            Op::And => pair(&|a, b| match (a.constant(), b.constant()) {
                (Some(false), _) | (_, Some(false)) => Some(self.zero()),
                (Some(true), _) => Some(b.clone()),
                (_, Some(true)) => Some(a.clone()),
                _ => None,
            })?,
            Op::Or => pair(&|a, b| match (a.constant(), b.constant()) {
                (Some(true), _) | (_, Some(true)) => Some(self.one()),
                (Some(false), _) => Some(b.clone()),
                (_, Some(false)) => Some(a.clone()),
                _ => None,
            })?,
            Op::ZExt => a.iter().cloned().chain(zeros(width - a.len())).collect(),
            Op::SExt => a.iter().cloned().chain(std::iter::repeat_n(a[a.len() - 1].clone(), width - a.len())).collect(),
            Op::Extract { lo } => a[usize::from(lo)..usize::from(lo) + width].to_vec(),
            Op::Concat => self.known(args[1])?.iter().chain(a).cloned().collect(),
            Op::Shl => zeros(shift()?).chain(a.iter().cloned()).take(width).collect(),
            Op::LShr => a.iter().skip(shift()?).cloned().chain(zeros(shift()?)).collect(),
            Op::Bswap => a.chunks(8).rev().flatten().cloned().collect(),
            Op::BitReverse => a.iter().rev().cloned().collect(),
            Op::Read => self.entry(a, args[1], width)?,
            _ => return None,
        })
    }

    /// An entry of an affine table, where the index cannot leave it.
    fn entry(&self, index: &[Row], table: TermId, width: usize) -> Option<Vec<Row>> {
        let table = self.terms.table(table);
        let parts = affine(table)?;
        if index.len() < parts.len() || index[parts.len()..].iter().any(|bit| bit.constant() != Some(false)) {
            return None;
        }
        let first = table.values()[0];
        let bit = |bit: usize| {
            let mut row = self.bit(first >> bit & 1 == 1);
            let changing = parts.iter().zip(index).filter(|(part, _)| **part >> bit & 1 == 1);
            changing.for_each(|(_, index)| row.add(index));
            row
        };
        Some((0..width).map(bit).collect())
    }

    /// Rows that must be zero for a condition to hold; none when it is no system of equations.
    fn equations(&mut self, condition: TermId, found: &mut Vec<Row>) -> Option<()> {
        let mut open = vec![condition];
        while let Some(id) = open.pop() {
            match self.terms.get(id) {
                Term::Apply(Op::And, &[a, b]) if self.terms.width(id) == 1 => open.extend([a, b]),
                Term::Apply(Op::Eq, &[a, b]) if self.terms.width(a) > 1 => {
                    if !self.learn(a) || !self.learn(b) {
                        return None;
                    }
                    for (a, b) in self.known(a)?.iter().zip(self.known(b)?) {
                        let mut row = a.clone();
                        row.add(b);
                        found.push(row);
                    }
                }
                _ => {
                    if !self.learn(id) {
                        return None;
                    }
                    let mut row = self.known(id)?[0].clone();
                    row.add(&self.one());
                    found.push(row);
                }
            }
        }
        Some(())
    }
}

/// Brings rows into a form where each has a column that no other has; false when they contradict each other.
fn eliminate(rows: &mut Vec<Row>, columns: usize) -> Option<Vec<usize>> {
    let mut pivots = Vec::new();
    for column in 0..columns {
        let at = pivots.len();
        let Some(found) = (at..rows.len()).find(|&row| rows[row].has(column)) else { continue };
        rows.swap(at, found);
        let pivot = rows[at].clone();
        for (other, row) in rows.iter_mut().enumerate() {
            if other != at && row.has(column) {
                row.add(&pivot);
            }
        }
        pivots.push(column);
    }
    let consistent = rows[pivots.len()..].iter().all(Row::is_zero);
    rows.truncate(pivots.len());
    consistent.then_some(pivots)
}

impl Xor {
    pub(crate) fn new(next: Box<dyn SolverLayer>) -> Xor {
        Xor { random: Pcg64Mcg::seed_from_u64(0), next }
    }

    fn try_solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Option<Answer> {
        let terms = cx.terms;
        let goal = terms.get(query.goal);
        if !matches!(goal, Term::Apply(Op::Eq | Op::And, _)) || !has_sums(terms, query.goal) {
            return None;
        }
        let conditions: Vec<TermId> = query.conditions().collect();
        // Variables that something else is said of come last: they are best left as they are.
        let equation = |&id: &TermId| matches!(terms.get(id), Term::Apply(Op::Eq | Op::And, _));
        let others = conditions.iter().filter(|id| !equation(id));
        let busy: FxHashSet<VarId> = others.flat_map(|&id| terms.vars_of(id)).collect();
        let mut vars: Vec<VarId> = conditions.iter().flat_map(|&id| terms.vars_of(id)).collect();
        vars.sort_unstable_by_key(|var| (busy.contains(var), *var));
        vars.dedup();
        let mut columns = FxHashMap::default();
        let mut count = 0;
        for &var in &vars {
            columns.insert(var, count);
            count += usize::from(terms.variable(var).width());
        }
        if count > MAX_BITS {
            return None;
        }
        let words = count.div_ceil(64) + 1;
        let mut linear = Linear { terms, columns, words, rows: FxHashMap::default(), room: MAX_WORDS };
        let mut rows = Vec::new();
        linear.equations(query.goal, &mut rows)?;
        let mut used = vec![query.goal];
        for &condition in query.prefix.iter().filter(|id| equation(id)) {
            let mut more = Vec::new();
            if linear.equations(condition, &mut more).is_some() {
                rows.append(&mut more);
                used.push(condition);
            }
        }
        let Some(pivots) = eliminate(&mut rows, count) else {
            return Some(Answer::Unsat(Core { conditions: used }));
        };
        self.pick(cx, query, &vars, &rows, &pivots, count, &linear.columns)
    }

    /// The solution nearest to the parent that fulfils all other conditions, or one a few steps from it.
    #[expect(clippy::too_many_arguments, reason = "one system of equations, taken apart")]
    fn pick(
        &mut self,
        cx: &mut SolveCx<'_>,
        query: &Query<'_>,
        vars: &[VarId],
        rows: &[Row],
        pivots: &[usize],
        count: usize,
        columns: &FxHashMap<VarId, usize>,
    ) -> Option<Answer> {
        let terms = cx.terms;
        let mut parent = Row(vec![0; count.div_ceil(64) + 1].into());
        for &var in vars {
            let name = terms.variable(var);
            let value = query.parent.values.value(var, name);
            for bit in (0..usize::from(name.width())).filter(|bit| value >> bit & 1 == 1) {
                parent.flip(columns[&var] + bit);
            }
        }
        let free: Vec<usize> = (0..count).filter(|column| pivots.binary_search(column).is_err()).collect();
        for attempt in 0..MAX_TRIES {
            let mut bits = parent.clone();
            if attempt > 0 && free.is_empty() {
                return None;
            }
            for _ in 0..attempt.min(8) {
                bits.flip(free[self.random.next_u32() as usize % free.len()]);
            }
            for (row, &pivot) in rows.iter().zip(pivots) {
                let (one, words) = row.0.split_last()?;
                let ones: u32 = words.iter().zip(&bits.0).map(|(word, bits)| (word & bits).count_ones()).sum();
                // The row is zero; the pivot itself is among those counted.
                if (ones + (*one as u32)) % 2 == 1 {
                    bits.flip(pivot);
                }
            }
            let value = |var: VarId| {
                let bit = |bit: usize| (bits.has(columns[&var] + bit) as u64) << bit;
                (0..usize::from(terms.variable(var).width())).map(bit).sum::<u64>()
            };
            let model = Model::new(vars.iter().map(|&var| (terms.variable(var), value(var))).collect());
            cx.evaluator.begin();
            let mut all = query.conditions();
            if all.all(|id| cx.evaluator.holds(terms, id, &model.over(query.parent.values))) {
                return Some(Answer::Sat(model));
            }
        }
        None
    }
}

/// Whether a goal has something that only this layer is good at.
fn has_sums(terms: &Terms, goal: TermId) -> bool {
    let several = |id: TermId| terms.vars_of(id).nth(1).is_some();
    let is_one = |&id: &TermId| match terms.get(id) {
        Term::Apply(Op::Xor, args) => terms.width(id) > 1 && several(id) && !terms.is_constant(args[1]),
        Term::Apply(Op::Read, args) => several(args[0]),
        _ => false,
    };
    terms.reachable_within(&[goal], MAX_TERMS).is_some_and(|order| order.iter().any(is_one))
}

impl SolverLayer for Xor {
    fn name(&self) -> &'static str {
        "xor"
    }

    fn solve(&mut self, cx: &mut SolveCx<'_>, query: &Query<'_>) -> Result<Answer, Fault> {
        match self.try_solve(cx, query) {
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
    use crate::Parent;
    use crate::testing::{Input, Scripted, agrees_with_judge, ask, byte, random_query};
    use proptest::prelude::*;
    use symcrete_term::{Evaluator, Table, Var};

    fn alone() -> Xor {
        Xor::new(Scripted::clueless().0)
    }

    proptest! {
        #[test]
        fn never_another_verdict(random in random_query(), mask: u8, wanted: u8) {
            let mut terms = Terms::new();
            let mut conditions = random.build(&mut terms);
            // A goal that it takes: random parts seldom are.
            let (a, b) = (terms.var(byte(0)), terms.var(byte(1)));
            let (shift, mask) = (terms.constant(8, u128::from(mask % 8)), terms.constant(8, u128::from(mask)));
            let moved = terms.shl(b, shift);
            let kept = terms.and(a, mask);
            let sum = terms.xor(moved, kept);
            let wanted = terms.constant(8, u128::from(wanted));
            let goal = terms.eq(sum, wanted);
            prop_assume!(!terms.is_constant(goal));
            conditions.push(goal);
            agrees_with_judge(&mut alone(), &terms, &conditions, &random.parent);
        }
    }

    fn crc(terms: &mut Terms, from: u32, count: u32) -> TermId {
        let table = |i: u64| (0..8).fold(i, |c, _| if c & 1 == 1 { (c >> 1) ^ 0xedb8_8320 } else { c >> 1 });
        let table = terms.table_number(Table::new(32, (0..256).map(table)));
        let mut sum = terms.constant(32, u128::from(u32::MAX));
        for at in from..from + count {
            let byte = terms.var(byte(at));
            let low = terms.extract(sum, 0, 8);
            let index = terms.xor(low, byte);
            let entry = terms.read_numbered(index, table);
            let eight = terms.constant(32, 8);
            let rest = terms.lshr(sum, eight);
            sum = terms.xor(rest, entry);
        }
        sum
    }

    #[test]
    fn a_checksum_meets_a_number_and_itself() {
        let mut terms = Terms::new();
        let sum = crc(&mut terms, 0, 40);
        let wanted = terms.constant(32, 0x3501_0ff2);
        let stored: Vec<TermId> = (40..44).map(|at| terms.var(byte(at))).collect();
        let stored = terms.word(&stored);
        let (k, first) = (terms.constant(8, 100), terms.var(byte(0)));
        let below = terms.ult(first, k);
        let goals = [terms.eq(sum, wanted), terms.eq(sum, stored)];
        for goal in goals {
            let parent = Input(vec![0; 44]);
            let query = Query { prefix: &[below], goal, parent: Parent { run: 1, values: &parent } };
            let Ok(Answer::Sat(model)) = ask(&mut alone(), &terms, &query) else { panic!("not found") };
            let value = |var: Var| model.get(var).map_or(0, u128::from);
            assert!(query.conditions().all(|id| Evaluator::new().holds(&terms, id, &value)));
        }
        // Two bytes do not have every checksum.
        let short = crc(&mut terms, 0, 2);
        let goal = terms.eq(short, wanted);
        let parent = Input(vec![0; 44]);
        let query = Query { prefix: &[], goal, parent: Parent { run: 1, values: &parent } };
        assert!(matches!(ask(&mut alone(), &terms, &query), Ok(Answer::Unsat(_))));
    }
}
