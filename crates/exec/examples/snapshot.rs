//! What a snapshot costs: lets a walk of a built target stand still, and runs one input from there again and again.
//!
//!     cargo run --release -p symcrete-exec --example snapshot -- TARGET [RUNS]
//!
//! Prints what such a run (a copy of the process, one input, and its end) takes in milliseconds: CPU time of everything
//! per run, then the median of the time from the command to the end; and how many inputs a second a walk takes, beside the fast body.

use std::time::Instant;
use symcrete_exec::{Halt, Input, Limits, Mode, Server, Target, Walk};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().ok_or("which target?")?;
    let runs: usize = arguments.next().map_or(Ok(300), |n| n.parse())?;
    let mut server = Server::new(Target::new(target, std::env::temp_dir()))?;
    let limits = Limits { max_inputs: 1, timeout: std::time::Duration::from_secs(10), ..Limits::default() };
    let none = Input::default();
    let leg = server.walk(&none, &Limits { max_inputs: 100, ..limits }, Walk::default())?;
    if leg.halt != Some(Halt::Bound) {
        return Err(format!("it does not keep asking: {:?}, {:?}", leg.halt, leg.run.end).into());
    }
    let mut times = Vec::new();
    let before = server.cpu() + own_cpu();
    for _ in 0..runs {
        let begin = Instant::now();
        server.run_from_snapshot(&none, &limits)?.ok_or("the snapshot is gone")?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    let spent = (server.cpu() + own_cpu() - before).as_secs_f64() * 1e3 / runs as f64;
    times.sort_by(f64::total_cmp);
    println!(
        "{spent:.3} ms of CPU time; {:.3} ms, {:.3} to {:.3}",
        times[runs / 2],
        times[runs / 20],
        times[runs - 1 - runs / 20]
    );
    server.end_walk();
    let many = Limits { max_inputs: 1_000_000, timeout: std::time::Duration::from_secs(60), ..limits };
    let begin = Instant::now();
    server.walk(&none, &many, Walk::default())?;
    let walked = begin.elapsed().as_secs_f64();
    let walked = f64::from(many.max_inputs) / walked;
    server.end_walk();
    let begin = Instant::now();
    server.run(Mode::Fast, &none, &many)?;
    let fast = f64::from(many.max_inputs) / begin.elapsed().as_secs_f64();
    println!("inputs a second: walk {walked:.0}, fast body {fast:.0}, {:.2}", walked / fast);
    Ok(())
}

/// CPU time of this process.
fn own_cpu() -> std::time::Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    std::time::Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
