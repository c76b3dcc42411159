//! Conditions compiled into bytecode: one slot of 64 bits per term, one step per application, run in order. Words of the
//! input are what is moved; for each of them the steps that depend on it are known, so that a move costs no more.
//!
//! Invariants: operands have lower slots than their users; a step writes its own slot only; the slots of all words agree
//! with the variables' values. Bits of NaNs need not be the evaluator's: whoever finds a solution evaluates it again.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use symcrete_term::bits::mask;
use symcrete_term::{Assignment, Op, Table, Term, TermId, Terms, Var, VarId, compute};

use crate::word::{is_word, leaves};

/// Words beyond which moving one after the other leads nowhere.
const MAX_WORDS: usize = 128;

/// How a word is read by what uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Double,
    Single,
    Integer,
}

/// One move of the search changes one of these.
pub(crate) struct Word {
    pub(crate) term: TermId,
    slot: u32,
    pub(crate) kind: Kind,
    pub(crate) width: u8,
    /// Places of its variables, and the bit where each begins.
    parts: Vec<(u32, u8, u8)>,
    /// Words that share a variable with it, itself among them.
    touched: Vec<u32>,
    /// The larger word it is a part of, and the bit where it begins there: that one is moved instead.
    pub(crate) whole: Option<(usize, u8)>,
    /// The steps that depend on it.
    steps: Vec<u32>,
}

/// What one step does; those met often by themselves, the rest by the evaluator's own definition.
#[derive(Clone, Copy)]
enum Code {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
    Move,
    SignExtend,
    Extract,
    Concat,
    Select,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FOeq,
    FOlt,
    FOle,
    FUno,
    FSqrt,
    Single(Single),
    /// The third operand is the number of the table.
    Read,
    General,
}

#[derive(Clone, Copy)]
enum Single {
    Add,
    Sub,
    Mul,
    Div,
    Oeq,
    Olt,
    Ole,
}

#[derive(Clone, Copy)]
struct Step {
    code: Code,
    op: Op,
    width: u8,
    from: u8,
    args: [u32; 3],
    out: u32,
}

/// A variable and its value.
#[derive(Clone, Copy)]
struct Place {
    id: VarId,
    var: Var,
    value: u64,
}

pub(crate) struct Machine {
    terms: Vec<TermId>,
    slot_of: FxHashMap<TermId, u32>,
    steps: Vec<Step>,
    slots: Vec<u64>,
    tables: Vec<Arc<Table>>,
    variables: Vec<Place>,
    pub(crate) words: Vec<Word>,
    word_of: FxHashMap<TermId, usize>,
    /// By slot, a bit for each word it depends on.
    depends: Vec<u128>,
    /// Steps run so far.
    pub(crate) evaluations: u64,
}

impl Machine {
    /// `None` where something is wider than a slot, or more than [`MAX_WORDS`] can be moved.
    pub(crate) fn new(store: &Terms, roots: &[TermId]) -> Option<Machine> {
        let terms = store.reachable(roots);
        if terms.iter().any(|&id| store.width(id) > 64) {
            return None;
        }
        let slot_of: FxHashMap<TermId, u32> = terms.iter().enumerate().map(|(at, &id)| (id, at as u32)).collect();
        let mut machine = Machine {
            slots: vec![0; terms.len()],
            terms,
            slot_of,
            steps: Vec::new(),
            tables: Vec::new(),
            variables: Vec::new(),
            words: Vec::new(),
            word_of: FxHashMap::default(),
            depends: Vec::new(),
            evaluations: 0,
        };
        let float = machine.read_as_floats(store);
        let word: Vec<bool> = machine.terms.iter().map(|&id| is_word(store, id)).collect();
        let mut used = vec![false; machine.terms.len()];
        let mut place_of = FxHashMap::default();
        for (at, &is_word) in word.iter().enumerate() {
            let id = machine.terms[at];
            match store.get(id) {
                Term::Constant(value) => machine.slots[at] = value as u64,
                Term::Variable(var_id, var) => {
                    place_of.insert(var, machine.variables.len() as u32);
                    machine.variables.push(Place { id: var_id, var, value: 0 });
                }
                Term::Apply(op, operands) if !is_word => {
                    let mut args = [0; 3];
                    for (slot, operand) in args.iter_mut().zip(operands) {
                        *slot = machine.slot_of[operand];
                        used[*slot as usize] = true;
                    }
                    if op == Op::Read {
                        args[2] = machine.tables.len() as u32;
                        machine.tables.push(store.table(operands[1]).clone());
                    }
                    let (width, from) = (store.width(id), store.width(operands[0]));
                    machine.steps.push(Step { code: code(op, width, from), op, width, from, args, out: at as u32 });
                }
                Term::Apply(..) => {}
            }
        }
        roots.iter().for_each(|root| used[machine.slot_of[root] as usize] = true);
        for at in (0..machine.terms.len()).filter(|&at| word[at] && used[at]) {
            machine.add_word(store, at, float[at], &place_of);
        }
        if machine.words.len() > MAX_WORDS {
            return None;
        }
        machine.connect(store);
        Some(machine)
    }

    /// Which terms are read as floats, directly or after their bits went through a choice or a change of sign.
    fn read_as_floats(&self, store: &Terms) -> Vec<bool> {
        let mut float = vec![false; self.terms.len()];
        for at in (0..self.terms.len()).rev() {
            let Term::Apply(op, args) = store.get(self.terms[at]) else { continue };
            let reads = match op {
                Op::SiToF | Op::UiToF => false,
                op if op.is_float() => true,
                Op::Xor | Op::And | Op::Or | Op::Select => float[at],
                _ => false,
            };
            if reads {
                for arg in args {
                    float[self.slot_of[arg] as usize] = true;
                }
            }
        }
        float
    }

    fn add_word(&mut self, store: &Terms, slot: usize, float: bool, place_of: &FxHashMap<Var, u32>) {
        let term = self.terms[slot];
        let width = store.width(term);
        let kind = match (float, width) {
            (true, 64) => Kind::Double,
            (true, 32) => Kind::Single,
            _ => Kind::Integer,
        };
        let mut parts = Vec::new();
        leaves(store, term, |var, low| parts.push((place_of[&var], low, var.width())));
        self.word_of.insert(term, self.words.len());
        self.words.push(Word {
            term,
            slot: slot as u32,
            kind,
            width,
            parts,
            touched: Vec::new(),
            whole: None,
            steps: Vec::new(),
        });
    }

    /// What depends on which word: a bit for each word, handed on from operands to users.
    fn connect(&mut self, store: &Terms) {
        let sets = store.var_sets();
        let mut depends = vec![0u128; self.slots.len()];
        for at in 0..self.words.len() {
            let vars = store.vars(self.words[at].term);
            let meets = |other: &u32| sets.intersects(store.vars(self.words[*other as usize].term), vars);
            let touched: Vec<u32> = (0..self.words.len() as u32).filter(meets).collect();
            touched.iter().for_each(|&other| depends[self.words[other as usize].slot as usize] |= 1 << at);
            self.words[at].touched = touched;
        }
        for at in 0..self.steps.len() {
            let Step { op, args, out, .. } = self.steps[at];
            let any = args[..op.arity()].iter().fold(0, |any, &arg| any | depends[arg as usize]);
            depends[out as usize] = any;
            let mut rest = any;
            while rest != 0 {
                self.words[rest.trailing_zeros() as usize].steps.push(at as u32);
                rest &= rest - 1;
            }
        }
        self.depends = depends;
        for at in 0..self.words.len() {
            self.words[at].whole = self.whole_of(at);
        }
    }

    /// The largest word that has all variables of a smaller one in the same order.
    fn whole_of(&self, at: usize) -> Option<(usize, u8)> {
        let word = &self.words[at];
        let &(first, low, _) = word.parts.first()?;
        let mut best: Option<(usize, u8)> = None;
        for &other in &word.touched {
            let larger = &self.words[other as usize];
            let Some(&(_, there, _)) = larger.parts.iter().find(|part| part.0 == first) else { continue };
            let Some(shift) = there.checked_sub(low) else { continue };
            let inside =
                word.parts.iter().all(|&(place, low, width)| larger.parts.contains(&(place, low + shift, width)));
            let beats = best.is_none_or(|(known, _)| larger.width > self.words[known].width);
            if inside && larger.width > word.width && beats {
                best = Some((other as usize, shift));
            }
        }
        best
    }

    /// A move of a word, as a move of the whole it is a part of.
    pub(crate) fn as_whole(&self, word: usize, value: u64) -> (usize, u64) {
        match self.words[word].whole {
            None => (word, value),
            Some((whole, low)) => {
                let m = (mask(self.words[word].width) as u64) << low;
                (whole, self.word_value(whole) & !m | value << low & m)
            }
        }
    }

    /// Whether the value in a slot depends on a word.
    pub(crate) fn depends(&self, slot: u32, word: usize) -> bool {
        self.depends[slot as usize] >> word & 1 == 1
    }

    /// The words a slot depends on.
    pub(crate) fn words_of(&self, slot: u32) -> impl Iterator<Item = usize> + use<> {
        let mask = self.depends[slot as usize];
        (0..128).filter(move |word| mask >> word & 1 == 1)
    }

    /// Steps of one full evaluation.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn has_floats(&self) -> bool {
        self.steps.iter().any(|step| step.op.is_float())
    }

    /// Products and the like of things that all depend on input.
    pub(crate) fn is_nonlinear(&self, store: &Terms) -> bool {
        let symbolic = |slot: u32| !store.is_constant(self.terms[slot as usize]);
        self.steps.iter().any(|step| {
            matches!(step.op, Op::Mul | Op::UDiv | Op::URem | Op::SDiv | Op::SRem)
                && symbolic(step.args[0])
                && symbolic(step.args[1])
        })
    }

    pub(crate) fn slot(&self, term: TermId) -> u32 {
        self.slot_of[&term]
    }

    pub(crate) fn value(&self, term: TermId) -> u64 {
        self.slots[self.slot_of[&term] as usize]
    }

    #[inline(always)]
    pub(crate) fn at(&self, slot: u32) -> u64 {
        self.slots[slot as usize]
    }

    /// The word that a term is, if it is one.
    pub(crate) fn word_of(&self, term: TermId) -> Option<usize> {
        self.word_of.get(&term).copied()
    }

    pub(crate) fn word_value(&self, word: usize) -> u64 {
        self.slots[self.words[word].slot as usize]
    }

    /// Gives every variable its value of an assignment and evaluates everything.
    pub(crate) fn set_all(&mut self, inputs: &dyn Assignment) {
        for place in &mut self.variables {
            place.value = (inputs.value(place.id, place.var) & mask(place.var.width())) as u64;
        }
        self.refresh();
    }

    /// The values of all variables, to come back to.
    pub(crate) fn snapshot(&self) -> Vec<u64> {
        self.variables.iter().map(|place| place.value).collect()
    }

    pub(crate) fn restore(&mut self, values: &[u64]) {
        for (place, &value) in self.variables.iter_mut().zip(values) {
            place.value = value;
        }
        self.refresh();
    }

    fn refresh(&mut self) {
        for word in 0..self.words.len() {
            self.gather(word);
        }
        for at in 0..self.steps.len() {
            self.step(at);
        }
        self.evaluations += self.steps.len() as u64;
    }

    /// The slot of a word from its variables.
    fn gather(&mut self, word: usize) {
        let word = &self.words[word];
        let value =
            word.parts.iter().fold(0, |value, &(place, low, _)| value | self.variables[place as usize].value << low);
        self.slots[word.slot as usize] = value;
    }

    /// Moves a word and evaluates what depends on it.
    #[inline]
    pub(crate) fn set_word(&mut self, word: usize, value: u64) {
        for at in 0..self.words[word].parts.len() {
            let (place, low, width) = self.words[word].parts[at];
            self.variables[place as usize].value = value >> low & mask(width) as u64;
        }
        for at in 0..self.words[word].touched.len() {
            let other = self.words[word].touched[at] as usize;
            self.gather(other);
        }
        let steps = std::mem::take(&mut self.words[word].steps);
        for &at in &steps {
            self.step(at as usize);
        }
        self.evaluations += steps.len() as u64;
        self.words[word].steps = steps;
    }

    /// Variables whose value differs from an assignment's.
    pub(crate) fn changed(&self, inputs: &dyn Assignment) -> Vec<(Var, u64)> {
        let before = |place: &Place| (inputs.value(place.id, place.var) & mask(place.var.width())) as u64;
        self.variables
            .iter()
            .filter(|place| before(place) != place.value)
            .map(|place| (place.var, place.value))
            .collect()
    }

    #[inline(always)]
    fn step(&mut self, at: usize) {
        let Step { code, op, width, from, args: [a, b, c], out } = self.steps[at];
        let (x, y) = (self.slots[a as usize], self.slots[b as usize]);
        let m = u64::MAX >> (64 - u32::from(width));
        let signed = |value: u64| {
            let shift = 64 - u32::from(from);
            ((value << shift) as i64) >> shift
        };
        let (fx, fy) = (f64::from_bits(x), f64::from_bits(y));
        self.slots[out as usize] = match code {
            Code::Add => x.wrapping_add(y) & m,
            Code::Sub => x.wrapping_sub(y) & m,
            Code::Mul => x.wrapping_mul(y) & m,
            Code::And => x & y,
            Code::Or => x | y,
            Code::Xor => x ^ y,
            Code::Eq => u64::from(x == y),
            Code::Ne => u64::from(x != y),
            Code::Ult => u64::from(x < y),
            Code::Ule => u64::from(x <= y),
            Code::Slt => u64::from(signed(x) < signed(y)),
            Code::Sle => u64::from(signed(x) <= signed(y)),
            Code::Move => x,
            Code::SignExtend => signed(x) as u64 & m,
            Code::Extract => match op {
                Op::Extract { lo } => x >> lo & m,
                _ => x,
            },
            Code::Concat => x << (width - from) | y,
            Code::Select => {
                if x != 0 {
                    y
                } else {
                    self.slots[c as usize]
                }
            }
            Code::FAdd => (fx + fy).to_bits(),
            Code::FSub => (fx - fy).to_bits(),
            Code::FMul => (fx * fy).to_bits(),
            Code::FDiv => (fx / fy).to_bits(),
            Code::FSqrt => fx.sqrt().to_bits(),
            Code::FOeq => u64::from(fx == fy),
            Code::FOlt => u64::from(fx < fy),
            Code::FOle => u64::from(fx <= fy),
            Code::FUno => u64::from(fx.is_nan() || fy.is_nan()),
            Code::Single(code) => {
                let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
                match code {
                    Single::Add => u64::from((x + y).to_bits()),
                    Single::Sub => u64::from((x - y).to_bits()),
                    Single::Mul => u64::from((x * y).to_bits()),
                    Single::Div => u64::from((x / y).to_bits()),
                    Single::Oeq => u64::from(x == y),
                    Single::Olt => u64::from(x < y),
                    Single::Ole => u64::from(x <= y),
                }
            }
            Code::Read => self.tables[c as usize].at(u128::from(x)) as u64,
            Code::General => {
                let z = self.slots[c as usize];
                compute(op, width, from, u128::from(x), u128::from(y), u128::from(z)) as u64
            }
        };
    }
}

fn code(op: Op, width: u8, from: u8) -> Code {
    match (op, from) {
        (Op::Read, _) => Code::Read,
        (Op::Add, _) => Code::Add,
        (Op::Sub, _) => Code::Sub,
        (Op::Mul, _) => Code::Mul,
        (Op::And, _) => Code::And,
        (Op::Or, _) => Code::Or,
        (Op::Xor, _) => Code::Xor,
        (Op::Eq, _) => Code::Eq,
        (Op::Ne, _) => Code::Ne,
        (Op::Ult, _) => Code::Ult,
        (Op::Ule, _) => Code::Ule,
        (Op::Slt, _) => Code::Slt,
        (Op::Sle, _) => Code::Sle,
        (Op::ZExt, _) => Code::Move,
        (Op::SExt, _) if width > from => Code::SignExtend,
        (Op::Extract { .. }, _) => Code::Extract,
        (Op::Concat, _) => Code::Concat,
        (Op::Select, _) => Code::Select,
        (Op::FAdd, 64) => Code::FAdd,
        (Op::FSub, 64) => Code::FSub,
        (Op::FMul, 64) => Code::FMul,
        (Op::FDiv, 64) => Code::FDiv,
        (Op::FSqrt, 64) => Code::FSqrt,
        (Op::FOeq, 64) => Code::FOeq,
        (Op::FOlt, 64) => Code::FOlt,
        (Op::FOle, 64) => Code::FOle,
        (Op::FUno, 64) => Code::FUno,
        (Op::FAdd, 32) => Code::Single(Single::Add),
        (Op::FSub, 32) => Code::Single(Single::Sub),
        (Op::FMul, 32) => Code::Single(Single::Mul),
        (Op::FDiv, 32) => Code::Single(Single::Div),
        (Op::FOeq, 32) => Code::Single(Single::Oeq),
        (Op::FOlt, 32) => Code::Single(Single::Olt),
        (Op::FOle, 32) => Code::Single(Single::Ole),
        _ => Code::General,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Input, byte, random_query};
    use proptest::prelude::*;
    use symcrete_term::Evaluator;

    proptest! {
        #[test]
        fn values_are_the_evaluators(random in random_query(), moves in prop::collection::vec(any::<(u8, u64)>(), 1..8)) {
            let mut terms = Terms::new();
            let conditions = random.build(&mut terms);
            let Some(mut machine) = Machine::new(&terms, &conditions) else { return Ok(()) };
            machine.set_all(&random.parent);
            let mut input: Input = random.parent.clone();
            let mut evaluator = Evaluator::new();
            let order = terms.reachable(&conditions);
            for (pick, value) in moves {
                evaluator.begin();
                for &id in order.iter().filter(|&&id| !is_word(&terms, id) || machine.word_of(id).is_some()) {
                    prop_assert_eq!(u128::from(machine.value(id)), evaluator.eval(&terms, id, &input));
                }
                if machine.words.is_empty() {
                    return Ok(());
                }
                let word = pick as usize % machine.words.len();
                machine.set_word(word, value & mask(machine.words[word].width) as u64);
                for (var, value) in machine.changed(&input) {
                    input.0[usize::from(var == byte(1))] = value as u8;
                }
                prop_assert!(machine.changed(&input).is_empty());
            }
        }
    }
}
