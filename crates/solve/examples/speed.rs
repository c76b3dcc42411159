//! How many queries a second the chain settles, on paths of the kind programs make: a scanner (one byte at a time),
//! numbers read digit by digit, a length that bounds every read, and a sort of words. Prints, never judges.
//!
//! `cargo run --release -p symcrete-solve --example speed [layers [path]]`

use symcrete_solve::{Answer, Parent, Query, SolveSettings, Solver};
use symcrete_term::{Assignment, Evaluator, TermId, Terms, Var, VarId};

struct Input(Vec<u8>);

impl Assignment for Input {
    fn value(&self, _: VarId, var: Var) -> u128 {
        match var {
            Var::Byte { offset, .. } => u128::from(self.0[offset as usize]),
            Var::Length { .. } => self.0.len() as u128,
        }
    }
}

fn byte(terms: &mut Terms, offset: u32) -> TermId {
    terms.var(Var::Byte { object: 0, offset })
}

/// Time this process has really run, so that a busy machine does not change the figures.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let after_name = text.rsplit(") ").next().expect("a name in brackets");
    // User and system time of all threads, in hundredths of a second.
    after_name.split(' ').skip(11).take(2).map(|field| field.parse::<f64>().expect("a number") / 100.0).sum()
}

/// The conditions as the run with this input decides them.
struct Path {
    terms: Terms,
    input: Input,
    evaluator: Evaluator,
    conditions: Vec<TermId>,
}

impl Path {
    fn new(input: Vec<u8>) -> Path {
        Path { terms: Terms::new(), input: Input(input), evaluator: Evaluator::new(), conditions: Vec::new() }
    }

    fn branch(&mut self, condition: TermId) -> bool {
        let taken = self.evaluator.holds(&self.terms, condition, &self.input);
        let condition = if taken { condition } else { self.terms.not(condition) };
        if !self.terms.is_constant(condition) {
            self.conditions.push(condition);
        }
        taken
    }

    /// Flips every condition once, from the start of the path and then again from its end.
    fn flip_all(mut self, name: &str, settings: &SolveSettings) {
        let goals: Vec<TermId> =
            self.conditions.clone().into_iter().map(|condition| self.terms.not(condition)).collect();
        self.flip(name, settings, &goals, (0..goals.len()).collect());
        self.flip(&format!("{name}, backwards"), settings, &goals, (0..goals.len()).rev().collect());
    }

    fn flip(&self, name: &str, settings: &SolveSettings, goals: &[TermId], order: Vec<usize>) {
        let mut solver = Solver::new(settings);
        let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
        let start = cpu_seconds();
        for at in order {
            let goal = goals[at];
            let parent = Parent { run: 0, values: &self.input };
            let query = Query { prefix: &self.conditions[..at], goal, parent };
            match solver.solve(&self.terms, &query).expect("no fault") {
                Answer::Sat(_) => sat += 1,
                Answer::Unsat(_) => unsat += 1,
                Answer::Unknown(_) => unknown += 1,
            }
        }
        let seconds = cpu_seconds() - start;
        let rate = goals.len() as f64 / seconds;
        println!(
            "{name}: {} queries, {sat} sat, {unsat} unsat, {unknown} unknown, {seconds:.3} CPU-s, {rate:.0}/s",
            goals.len()
        );
        for (layer, counters) in solver.counters().iter() {
            println!(
                "  {layer:<10} {:>6} asked {:>6} sat {:>6} unsat {:>8.3} s",
                counters.calls, counters.sat, counters.unsat, counters.seconds
            );
        }
    }
}

/// Every byte compared with a handful of characters, under a length that bounds the reads.
fn scanner() -> Path {
    let bytes = 1024;
    let text = b"{\"key\": [1, 22, true], \"other\": null, \"s\": \"a b\\n\"} ";
    let mut path = Path::new((0..bytes).map(|at| text[at % text.len()]).collect());
    let length = path.terms.var(Var::Length { object: 0 });
    for at in 0..bytes {
        let here = path.terms.constant(64, at as u128);
        let inside = path.terms.ult(here, length);
        path.branch(inside);
        let byte = byte(&mut path.terms, at as u32);
        let wide = path.terms.zext(byte, 32);
        for character in b" \n\t{}[],:\"" {
            let character = path.terms.constant(32, u128::from(*character));
            let equal = path.terms.eq(wide, character);
            if path.branch(equal) {
                break;
            }
        }
        let (zero, ten) = (path.terms.constant(32, u128::from(b'0')), path.terms.constant(32, 10));
        let digit = path.terms.sub(wide, zero);
        let is_digit = path.terms.ult(digit, ten);
        path.branch(is_digit);
    }
    path
}

/// Numbers of five digits, compared with limits while they are read.
fn numbers() -> Path {
    let count = 100;
    let mut path = Path::new((0..count * 5).map(|at| b'0' + (at % 7) as u8).collect());
    for number in 0..count {
        let mut value = path.terms.constant(32, 0);
        for digit in 0..5 {
            let byte = byte(&mut path.terms, number * 5 + digit);
            let wide = path.terms.zext(byte, 32);
            let (zero, nine) = (path.terms.constant(32, u128::from(b'0')), path.terms.constant(32, u128::from(b'9')));
            let (low, high) = (path.terms.ult(wide, zero), path.terms.ult(nine, wide));
            path.branch(low);
            path.branch(high);
            let ten = path.terms.constant(32, 10);
            let (shifted, added) = (path.terms.mul(value, ten), path.terms.sub(wide, zero));
            value = path.terms.add(shifted, added);
        }
        for limit in [100u128, 12345, 65535] {
            let limit = path.terms.constant(32, limit);
            let above = path.terms.slt(limit, value);
            path.branch(above);
        }
    }
    path
}

/// A bubble sort of 32-bit words.
fn sort() -> Path {
    let words = 30;
    let mut state = 12345u32;
    let mut bytes = Vec::new();
    for _ in 0..words {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        bytes.extend((state >> 8).to_le_bytes());
    }
    let mut path = Path::new(bytes);
    let mut values: Vec<TermId> = (0..words)
        .map(|word| {
            let bytes: Vec<TermId> = (0..4).map(|at| byte(&mut path.terms, word * 4 + at)).collect();
            path.terms.word(&bytes)
        })
        .collect();
    for end in (1..values.len()).rev() {
        for at in 0..end {
            let greater = path.terms.slt(values[at + 1], values[at]);
            if path.branch(greater) {
                values.swap(at, at + 1);
            }
        }
    }
    path
}

fn main() {
    let layers = std::env::args().nth(1).unwrap_or_else(|| "all".into());
    let settings = SolveSettings { layers: layers.parse().expect("names of layers"), ..SolveSettings::default() };
    let wanted = std::env::args().nth(2);
    for (name, path) in [("scanner", scanner as fn() -> Path), ("numbers", numbers), ("sort", sort)] {
        if wanted.as_deref().is_none_or(|wanted| wanted == name) {
            path().flip_all(name, &settings);
        }
    }
}
