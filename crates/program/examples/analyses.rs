//! Times the analyses of the program model: `cargo run --release -p symcrete-program --example analyses [-- ELF]`.
//! Without a file, on a made program of 10^5 blocks: functions of nested conditions and loops that call each other.

use std::time::{Duration, Instant};
use symcrete_program::sketch::Sketch;
use symcrete_program::{Control, Distances, Dominators, Program, SideId};

const FUNCTIONS: u32 = 1000;
const BLOCKS: u32 = 100;

/// The same numbers every time; quality does not matter.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, range: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(range)) as u32
    }
}

fn made() -> Program {
    let mut numbers = Numbers(1);
    let mut sketch = Sketch::new();
    let names: Vec<String> = (0..FUNCTIONS).map(|n| format!("f{n}")).collect();
    for function in 0..FUNCTIONS {
        let mut blocks = vec![];
        for at in 0..BLOCKS {
            let ahead = |numbers: &mut Numbers| (at + 1 + numbers.below(8)).min(BLOCKS - 1);
            let next = match numbers.below(10) {
                _ if at == BLOCKS - 1 => vec![],
                0 if at > 4 => vec![at - 1 - numbers.below(4), at + 1],
                1..=5 => vec![at + 1, ahead(&mut numbers)],
                _ => vec![at + 1],
            };
            let called = match numbers.below(12) {
                // Mostly later ones: a program is no single tangle.
                0 => vec![names[(function + 1 + numbers.below(40)).min(FUNCTIONS - 1) as usize].as_str()],
                1 if numbers.below(10) == 0 => vec![names[numbers.below(FUNCTIONS) as usize].as_str()],
                _ => vec![],
            };
            blocks.push((next, called));
        }
        sketch.function(&names[function as usize], &blocks);
    }
    sketch.program()
}

fn main() {
    let program = match std::env::args().nth(1) {
        Some(path) => Program::from_elf(&std::fs::read(path).expect("a readable file")).expect("a program model"),
        None => made(),
    };
    let blocks: usize = program.units().flat_map(|(_, u)| &u.functions).map(|f| f.blocks.len()).sum();
    println!("{blocks} blocks, {} functions, {} sides", program.function_count(), program.side_count());

    let begin = Instant::now();
    let mut distances = Distances::new(&program);
    println!("graph and distances   {:>9.1} ms", ms(begin.elapsed()));
    let begin = Instant::now();
    let mut dominators = Dominators::new();
    let all: Vec<SideId> = (0..program.side_count() as u32).map(SideId).collect();
    let pairs = all.windows(2).filter(|pair| dominators.dominates(&program, pair[0], pair[1])).count();
    println!("dominators            {:>9.1} ms  ({pairs} neighbours)", ms(begin.elapsed()));
    let begin = Instant::now();
    let mut control = Control::new(&program);
    let direct: usize = all.iter().map(|&side| control.dependent(&program, side).len()).sum();
    println!("control dependence    {:>9.1} ms  ({direct} dependences)", ms(begin.elapsed()));

    // Sides are covered one after the other, as a campaign does.
    let mut covered = vec![false; program.side_count()];
    let mut order = all;
    let mut numbers = Numbers(7);
    for at in (1..order.len()).rev() {
        order.swap(at, numbers.below(at as u32 + 1) as usize);
    }
    let mut times = vec![];
    for side in order {
        covered[side.index()] = true;
        let begin = Instant::now();
        distances.update(|side| covered[side.index()]);
        times.push(begin.elapsed());
    }
    times.sort();
    let total: Duration = times.iter().sum();
    let at = |share: f64| ms(times[((times.len() - 1) as f64 * share) as usize]);
    println!(
        "one covered side      {:>9.3} ms on average, {:.3} median, {:.3} of 99 in 100, {:.3} at most",
        ms(total) / times.len() as f64,
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
