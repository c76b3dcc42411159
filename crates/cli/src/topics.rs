//! `symcrete help TOPIC`: a command's help, or a page on what concerns several commands.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Cli;
use clap::CommandFactory;
use symcrete_toolchain::did_you_mean;

const INPUTS: &str = "Inputs

An input is a list of named byte objects. Where they come from:

  LLVMFuzzerTestOneInput   found by itself; --max-len N bounds the buffer
  --function F             the parameters of F: numbers, arrays and structs by value; pointers are null, a fresh
                           object, or an earlier one of that type, to --pointer-depth N; --buffer P:N makes the
                           pointer parameter P a buffer of N bytes. `symcrete harness` prints what is compiled.
  --stdin N                standard input
  --arg N                  one more program argument (repeatable)
  -- ARGUMENTS             fixed arguments, before those; the program runs in an empty folder, so other files than
                           those of --file are named by full path
  --env NAME:N             an environment variable
  --file NAME:N            a file in the working folder
  --socket N               a connected stream on descriptors 0 and 1, as inetd does it; also what the first
                           accept() gives
  calls in the source      #include <symcrete.h>: symcrete_int(\"x\"), symcrete_bytes(p, n, \"data\"), …;
                           also klee_make_symbolic and __VERIFIER_nondet_*
  --input-function G       every return of the program's own function G, whose body is not run: numbers; a pointer (null,
                           or fresh memory); a buffer that it fills (a pointer, then its size) and the length it
                           returns. G:N: N bytes [default: 64]

N means 0 to N bytes, and the end is a branch like any other; =N means exactly N bytes.
--seeds DIR begins with existing inputs: corpora of libFuzzer or AFL++, our own tests, any files.
";

const RESULTS: &str = "Results

OUT (symcrete-out/NAME by default, --out DIR) holds

  summary.json             the final figures; also with --json on standard output
  tests/000001.json …      one per kept test: inputs, origin, new branches, end
  tests/000001.bin         the raw bytes, when the input is one buffer
  bugs/0001-KIND-file-line/   the test, the stack, and the command that shows it again
  coverage.lcov            lines, functions, branches, for genhtml and editors
  progress.jsonl           the figures over time
  report/index.html        a page to look at, once `symcrete report OUT` has written it
  previous/, previous-2/ … results of earlier campaigns
  build/                   the built programs, used again while the sources are the same

Everything found is on disk at once. --resume goes on from there.
";

const EXIT_CODES: &str = "Exit codes

    0  done, no bug
    1  done, bugs found; replay: a recorded end changed
    2  wrong use or bad input
    3  something is missing on this machine; `symcrete doctor` says what
    4  our own fault
   10  reach: proved that no input gets there
   11  reach: neither reached nor proved (of several targets the worst answer counts)
  130  interrupted, results kept

cc and c++ end with clang's own code.
";

const VERDICTS: &str = "What symcrete says, and what stands behind it

Of a line (symcrete reach):
  reached        a test runs it; the run was watched, and the test is in OUT/tests
  unreachable    every way to it was closed: its conditions have no solution, or nothing that runs gets there
  unknown        neither; the answer names what stood in the way: a loop, a call, memory, the solver, the time

Of a branch that no test takes (uncovered[].reason):
  unreachable    proved
  solver         the solver did not settle it within its budget
  input          it does not depend on the input: it needs one that was not declared
  lost           the same, but precision was lost (lost[] names where)
  untried        more budget may help

Proofs are about runs without memory errors, from the entry and with the inputs declared. docs/verdicts.md says more.
";

const TOPICS: &[(&str, &str)] =
    &[("inputs", INPUTS), ("results", RESULTS), ("exit-codes", EXIT_CODES), ("verdicts", VERDICTS)];

pub fn run(topic: Option<&str>) -> Result<Exit, Failure> {
    let mut command = Cli::command();
    let Some(topic) = topic else {
        let _ = command.print_help();
        return Ok(exit::DONE);
    };
    if let Some((_, text)) = TOPICS.iter().find(|(name, _)| *name == topic) {
        print!("{text}");
        return Ok(exit::DONE);
    }
    command.build();
    if let Some(sub) = command.find_subcommand_mut(topic).filter(|s| !s.is_hide_set()) {
        let _ = sub.print_help();
        return Ok(exit::DONE);
    }
    let names: Vec<String> =
        command.get_subcommands().filter(|s| !s.is_hide_set()).map(|s| s.get_name().to_string()).collect();
    let all = names.iter().map(String::as_str).chain(TOPICS.iter().map(|(n, _)| *n));
    Err(Failure::wrong_use(format!("no help on `{topic}`{}", did_you_mean(topic, all))))
}
