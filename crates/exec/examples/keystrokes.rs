//! How fast a program takes its inputs: a walk of hybrid testing, the fast body and the plain build, given the same ones.
//!
//!     cargo run --release -p symcrete-exec --example keystrokes -- TRACKED PLAIN INPUTS WALKS [ARGUMENT]...
//!
//! TRACKED and PLAIN are what `symcrete run` built (`OUT/build`). Each walk has another seed and draws its own inputs until it
//! has had INPUTS of them or ends; then the fast body and the plain build get those. Prints inputs per second of CPU time for
//! all of them, without what a run takes that is given one input alone: programs start at different speeds, too.

use std::ffi::OsString;
use std::time::Duration;
use symcrete_exec::{Input, Limits, Mode, ReplayCommand, Replayer, Server, Target, Walk};

/// CPU time of a walk, of the fast body and of the plain build.
#[derive(Clone, Copy, Default)]
struct Times([Duration; 3]);

struct Runs {
    server: Server,
    replayer: Replayer,
    plain: ReplayCommand,
}

impl Runs {
    /// All three on the inputs that a walk with this seed draws; how many there were.
    fn same_inputs(&mut self, seed: u64, most: u32) -> Result<(usize, Times), Box<dyn std::error::Error>> {
        let limits = Limits { max_inputs: most, timeout: Duration::from_secs(60), seed, ..Limits::default() };
        let none = Input::default();
        let mut before = self.server.cpu();
        let mut spent = |server: &Server| {
            let now = server.cpu();
            now.saturating_sub(std::mem::replace(&mut before, now))
        };
        let leg = self.server.walk(&none, &limits, Walk::default())?;
        let input = self.server.input_of(&none, &leg.run);
        self.server.end_walk();
        let walk = spent(&self.server);
        let fitting = Limits { max_inputs: (input.objects.len() as u32).max(1), ..limits };
        self.server.run(Mode::Fast, &input, &fitting)?;
        let fast = spent(&self.server);
        let plain = self.replayer.replay(&self.plain, &input, &limits)?.cpu;
        Ok((input.objects.len(), Times([walk, fast, plain])))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let mut next = || arguments.next().ok_or("TRACKED PLAIN INPUTS WALKS [ARGUMENT]...");
    let number = |text: OsString| text.to_string_lossy().parse::<u32>();
    let (tracked, plain, most, walks) = (next()?, next()?, number(next()?)?, number(next()?)?);
    let args: Vec<OsString> = arguments.collect();
    let folder = std::env::temp_dir();
    let target = Target { args: args.clone(), ..Target::new(tracked, &folder) };
    let plain = ReplayCommand { args, keep_output: 0, ..ReplayCommand::new(plain) };
    let mut runs = Runs { server: Server::new(target)?, replayer: Replayer::new(&folder, true)?, plain };
    let mut start = Times::default();
    let mut all = Times::default();
    let mut inputs = 0;
    for seed in 1..=u64::from(walks) {
        let (_, none) = runs.same_inputs(seed, 1)?;
        let (given, some) = runs.same_inputs(seed, most)?;
        inputs += given;
        for at in 0..3 {
            start.0[at] += none.0[at];
            all.0[at] += some.0[at];
        }
    }
    let rate = |at: usize| inputs as f64 / all.0[at].saturating_sub(start.0[at]).as_secs_f64().max(1e-9);
    let milliseconds = |at: usize| start.0[at].as_secs_f64() * 1e3 / f64::from(walks.max(1));
    println!("{inputs} inputs in {walks} walks");
    for (at, what) in ["walk", "fast body", "plain build"].into_iter().enumerate() {
        println!(
            "{what}: {:.0} inputs a second, {:.2} of the plain build; start {:.1} ms",
            rate(at),
            rate(at) / rate(2),
            milliseconds(at)
        );
    }
    Ok(())
}
