//! What a user meets: every mistake gets a clear message, a next step and its exit code.
//!
//! Needs no plugin and no runtime: everything here is answered before a program is instrumented.

use expect_test::{Expect, expect};
use std::path::Path;
use std::process::{Command, Output};

fn symcrete(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_symcrete"))
        .args(arguments)
        .current_dir(folder)
        .env("SYMCRETE_LIB", folder.join("no-such-lib"))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .output()
        .unwrap()
}

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Desk {
        let desk = Desk(tempfile::tempdir().unwrap());
        std::fs::write(desk.0.path().join("a.c"), "int f(int x) { return x; }\n").unwrap();
        desk
    }

    /// Exit code and what was said, on either stream.
    #[track_caller]
    fn says(&self, arguments: &str, code: i32, expected: Expect) {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let output = symcrete(self.0.path(), &words);
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        expected.assert_eq(&text.replace(&*self.0.path().to_string_lossy(), "DESK"));
        assert_eq!(output.status.code(), Some(code), "{arguments}: {text}");
    }
}

#[test]
fn nothing_to_run() {
    let desk = Desk::new();
    desk.says(
        "run",
        2,
        expect![[r#"
        symcrete: what to run? Name source files, or a built program with `--target BINARY`
    "#]],
    );
    desk.says(
        "run missing.c",
        2,
        expect![[r#"
        symcrete: missing.c: no such file or folder
    "#]],
    );
    desk.says(
        "run --target missing",
        2,
        expect![[r#"
        symcrete: missing: no such file or folder
    "#]],
    );
    desk.says(
        "run --target a.c",
        2,
        expect![[r#"
        symcrete: DESK/a.c: not an object file: Unknown file magic
    "#]],
    );
    desk.says(
        "run --target a.c --function f",
        2,
        expect![[r#"
        symcrete: `--function` needs the sources: a built program has its entry already
    "#]],
    );
    let left: Vec<_> = std::fs::read_dir(desk.0.path().join("symcrete-out"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.file_name())
        .collect();
    assert!(left.iter().all(|n| n != "missing"), "{left:?}");
}

#[test]
fn mistyped_names() {
    let desk = Desk::new();
    desk.says(
        "rum a.c",
        2,
        expect![[r#"
        error: unrecognized subcommand 'rum'

          tip: a similar subcommand exists: 'run'

        Usage: symcrete <COMMAND>

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "run a.c --strateg dfs",
        2,
        expect![[r#"
            error: unexpected argument '--strateg' found

              tip: a similar argument exists: '--strategy'
              tip: to pass '--strateg' as a value, use '-- --strateg'

            Usage: symcrete run --strategy <S> <FILES>... [-- <ARGUMENTS>...]

            For more information, try '--help'.
        "#]],
    );
    desk.says(
        "run a.c --strategy dsf",
        2,
        expect![[r#"
        symcrete: no strategy `dsf`; did you mean `dfs`?
          `symcrete strategies` lists them
    "#]],
    );
    desk.says(
        "run a.c --strategy banana",
        2,
        expect![[r#"
        symcrete: no strategy `banana`
          `symcrete strategies` lists them
    "#]],
    );
    let output = symcrete(desk.0.path(), &["run", "a.c", "--layers", "recent,slize"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && text.contains("no layer `slize`; did you mean `slice`?"), "{text}");
    desk.says(
        "run a.c --solve fulll",
        2,
        expect![[r#"
            symcrete: `--solve fulll`: full, ippc or auto; did you mean `full`?
        "#]],
    );
    desk.says(
        "run a.c --check adress",
        2,
        expect![[r#"
        error: invalid value 'adress' for '--check <KINDS>'
          [possible values: undefined, address]

          tip: a similar value exists: 'address'

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "run a.c --values mix",
        2,
        expect![[r#"
        error: invalid value 'mix' for '--values <VALUES>'
          [possible values: uniform, mixture]

          tip: a similar value exists: 'mixture'

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "help inptus",
        2,
        expect![[r#"
        symcrete: no help on `inptus`; did you mean `inputs`?
    "#]],
    );
    desk.says(
        "export nowhere --format korpus",
        2,
        expect![[r#"
            symcrete: `--format korpus`: one of c, corpus, junit, ktest, sarif, testcomp; did you mean `corpus`?
        "#]],
    );
}

#[test]
fn values_that_make_no_sense() {
    let desk = Desk::new();
    desk.says(
        "run a.c --max-cpu soon",
        2,
        expect![[r#"
        error: invalid value 'soon' for '--max-cpu <TIME>': `soon` is no time: write 20s, 500ms, 2m or 1h

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "run a.c --max-memory lots",
        2,
        expect![[r#"
        error: invalid value 'lots' for '--max-memory <BYTES>': `lots` is no amount of memory: write 512m or 2g

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "run a.c --stdin many",
        2,
        expect![[r#"
        error: invalid value 'many' for '--stdin <N>': `many` is no length: write N for 0 to N bytes, =N for exactly N

        For more information, try '--help'.
    "#]],
    );
    desk.says("run a.c --file ../x:8", 2, expect![[r#"
        error: invalid value '../x:8' for '--file <NAME:N>': `../x` cannot be a file here: it lies in the folder the program runs in, name it without folders

        For more information, try '--help'.
    "#]]);
    desk.says(
        "run a.c --env HOME",
        2,
        expect![[r#"
        error: invalid value 'HOME' for '--env <NAME:N>': `HOME`: write NAME:N, or NAME:=N for exactly N bytes

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "run a.c --until done",
        2,
        expect![[r#"
        error: invalid value 'done' for '--until <GOAL>': `done` is no goal: write coverage=90%, bug or targets

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "run a.c --buffer p",
        2,
        expect![[r#"
        error: invalid value 'p' for '--buffer <P:N>': `p`: write PARAMETER:BYTES, for example data:64

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "run a.c --stdin 4 --socket 4",
        2,
        expect![[r#"
            error: the argument '--stdin <N>' cannot be used with '--socket <N>'

            Usage: symcrete run --stdin <N> <FILES>... [-- <ARGUMENTS>...]

            For more information, try '--help'.
        "#]],
    );
    desk.says(
        "run a.c -Iinclude",
        2,
        expect![[r#"
        error: unexpected argument '-I' found

          tip: flags for the compiler go into one option: --cflags "-Iinclude -DDEBUG"

        Usage: symcrete run [OPTIONS] [FILES]... [-- <ARGUMENTS>...]

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "run a.c --cflags=-c",
        2,
        expect![[r#"
        symcrete: `--cflags` must not contain -c: the program is built whole
    "#]],
    );
    desk.says(
        "run a.c --seeds nowhere",
        2,
        expect![[r#"
        symcrete: --seeds nowhere: no such file or folder
    "#]],
    );
}

#[test]
fn targets_that_are_none() {
    let desk = Desk::new();
    desk.says("reach", 2, expect![[r#"
        symcrete: which target? Name one as FILE:LINE or FILE:FUNCTION, or ask for many with --targets, --error, --diff or --sarif
    "#]]);
    desk.says(
        "reach a",
        2,
        expect![[r#"
        symcrete: `a` is no target: write FILE:LINE or FILE:FUNCTION
    "#]],
    );
    desk.says(
        "reach a.c:",
        2,
        expect![[r#"
        symcrete: `a.c:` is no target: write FILE:LINE or FILE:FUNCTION
    "#]],
    );
    desk.says(
        "reach missing.c:3",
        2,
        expect![[r#"
        symcrete: missing.c: no such file or folder
    "#]],
    );
    desk.says(
        "reach --targets",
        2,
        expect![[r#"
        symcrete: what to run? Name source files, or a built program with `--target BINARY`
    "#]],
    );
    assert!(!desk.0.path().join("symcrete-out").exists(), "nothing was begun");
}

#[test]
fn a_screen_is_for_one_campaign_that_may_speak() {
    let desk = Desk::new();
    let output = symcrete(desk.0.path(), &["run", "a.c", "--tui", "--quiet"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && text.contains("cannot be used with"), "{text}");
    desk.says(
        "compare a.c --tui --strategies dfs,bfs",
        2,
        expect![[r#"
        symcrete: `--tui` shows one campaign; `compare` runs many at a time
    "#]],
    );
    assert!(!desk.0.path().join("symcrete-out").exists(), "nothing was begun");
}

#[test]
fn queries_that_cannot_be_kept_or_checked() {
    let desk = Desk::new();
    std::fs::write(desk.0.path().join("file"), "").unwrap();
    desk.says(
        "run a.c --log-queries file/q",
        2,
        expect![[r#"
        symcrete: --log-queries file/q: cannot be written: Not a directory (os error 20)
    "#]],
    );
    std::fs::create_dir(desk.0.path().join("used")).unwrap();
    std::fs::write(desk.0.path().join("used/000001.smt2"), "").unwrap();
    desk.says(
        "run a.c --log-queries used",
        2,
        expect![[r#"
        symcrete: --log-queries used: holds queries already; name a new or empty folder
    "#]],
    );
    let output = Command::new(env!("CARGO_BIN_EXE_symcrete"))
        .args(["run", "a.c", "--cross-check"])
        .current_dir(desk.0.path())
        .env("SYMCRETE_Z3", "/nonexistent/z3")
        .env("SYMCRETE_CACHE", "/cache")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(
        text.contains("install it with: python3 -m venv /cache/z3 && /cache/z3/bin/pip install z3-solver"),
        "{text}"
    );
    assert!(!desk.0.path().join("symcrete-out").exists(), "nothing was begun");
}

#[test]
fn pieces_that_are_missing() {
    let desk = Desk::new();
    desk.says(
        "run a.c",
        3,
        expect![[r#"
        symcrete: libsymcrete_plugin-22.so is missing (looked in DESK/no-such-lib)
          `symcrete doctor` says what to do
    "#]],
    );
    desk.says(
        "cc a.c",
        3,
        expect![[r#"
        symcrete: libsymcrete_plugin-22.so is missing (looked in DESK/no-such-lib)
          `symcrete doctor` says what to do
    "#]],
    );
    let output = symcrete(desk.0.path(), &["doctor"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("MISSING  libsymcrete_runtime.a") && text.contains("make build"), "{text}");
}

#[test]
fn folders_that_cannot_be_used() {
    let desk = Desk::new();
    std::fs::create_dir(desk.0.path().join("theirs")).unwrap();
    std::fs::write(desk.0.path().join("theirs/thesis.tex"), "").unwrap();
    desk.says(
        "run a.c --out theirs",
        2,
        expect![[r#"
        symcrete: theirs holds files that are not from symcrete
          choose another folder with `--out DIR`
    "#]],
    );
    desk.says(
        "replay theirs",
        2,
        expect![[r#"
        symcrete: theirs belongs to no output folder of symcrete
    "#]],
    );
    desk.says(
        "replay nowhere",
        2,
        expect![[r#"
        symcrete: nowhere: no such test, bug or output folder
    "#]],
    );
    desk.says(
        "show nowhere",
        2,
        expect![[r#"
        symcrete: nowhere: no such test, bug or output folder
    "#]],
    );
    desk.says(
        "show a.c",
        2,
        expect![[r#"
        symcrete: a.c is no file of this symcrete: expected value at line 1 column 1
    "#]],
    );
    desk.says(
        "export theirs --format corpus",
        2,
        expect![[r#"
        symcrete: theirs is no output folder of symcrete (there is no campaign.json in it)
    "#]],
    );
}

#[test]
fn clang_answers_for_itself() {
    let desk = Desk::new();
    let output = symcrete(desk.0.path(), &["cc", "--version"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("clang version 22"));
    let output = symcrete(desk.0.path(), &["c++", "-dumpmachine"]);
    assert!(output.status.success());
}

#[test]
fn a_harness_is_printed() {
    let desk = Desk::new();
    desk.says(
        "harness a.c --function f",
        0,
        expect![[r#"
            /* Harness for `f` of a.c, written by symcrete to be edited and kept. To run it:
             *
             *   symcrete run THIS-FILE
             *
             * It assumes, and each can be changed below:
             *   - numbers and plain structures have any value;
             *   - a pointer is null, a fresh object, or an earlier object of its type; fresh ones 2 deep;
             *   - a pointer to characters, or to anything, is a string of up to 15 characters;
             *   - a pointer to a function is null or a function of ours that returns any value;
             *   - global variables have the values they begin with.
             * symcrete_assume(condition) takes values out that no caller passes. */
            #define main program_main /* the file may have a main of its own */
            #include "a.c"
            #undef main
            #include <stdlib.h>
            #include <symcrete.h>
            #pragma clang diagnostic ignored "-Weverything"


            void symcrete_harness(void);
            void symcrete_harness(void) {
                int x_;
                x_ = symcrete_int("x");
                __auto_type result_ = f(x_);
                __asm__ volatile("" : : "r"(&result_) : "memory"); /* what it computed is used */
            }

            int main(void) {
                symcrete_harness();
                return 0;
            }
        "#]],
    );
    desk.says(
        "harness a.c --function g",
        2,
        expect![[r#"
        symcrete: no function `g` in a.c; did you mean `f`?
          functions that could be the entry (name one with `--function NAME`):
            f(x)
    "#]],
    );
    // What the machine's headers define is nobody's entry.
    std::fs::write(desk.0.path().join("h.c"), "#include <byteswap.h>\nint own(int x) { return x; }\n").unwrap();
    desk.says(
        "harness h.c --function g",
        2,
        expect![[r#"
        symcrete: no function `g` in h.c
          functions that could be the entry (name one with `--function NAME`):
            own(x)
    "#]],
    );
    desk.says(
        "harness a.c",
        2,
        expect![[r#"
            symcrete: for which function? Name it: `symcrete harness FILE.c:FUNCTION`
        "#]],
    );
    std::fs::write(desk.0.path().join("bad.c"), "int f(int x) { return y; }\n").unwrap();
    desk.says(
        "harness bad.c --function f",
        2,
        expect![[r#"
        bad.c:1:23: error: use of undeclared identifier 'y'
            1 | int f(int x) { return y; }
              |                       ^
        1 error generated.
        symcrete: bad.c did not compile
    "#]],
    );
}

#[test]
fn help_teaches() {
    let desk = Desk::new();
    desk.says(
        "--help",
        0,
        expect![[r#"
            Tests for C and C++ programs: inputs that reach every branch, and inputs that crash.

            Usage: symcrete <COMMAND>

            Commands:
              run         Explore a program: tests for every branch that can be reached, and the bugs on the way
              reach       Find an input that runs a line, or prove that there is none
              compare     Run the same campaign under several strategies and seeds, and compare what they cover
              replay      Run recorded tests again on a plain build, and compare their ends
              show        Show a test or a bug (inputs, branches, end, origin), or what an output folder holds
              export      Write tests in the form of other tools
              report      Write a page to look at: coverage in the source, bugs, tests, where the time went
              strategies  List the search strategies
              lab         Measure strategies on random Markov chains, against the exact optimum
              harness     Write the harness that `run --function` would use, to be edited and kept
              cc          clang for C, with our plugin and runtime; takes clang's own arguments
              c++         clang for C++, likewise
              doctor      Say what is missing on this machine, and the command that installs it
              help        Help on a command or a topic (inputs, results, exit-codes, verdicts)

            Options:
              -h, --help     Print help
              -V, --version  Print version

            Examples:
              symcrete run parser.c                        from main, or from LLVMFuzzerTestOneInput
              symcrete run list.c --function insert        from one function, its parameters built from input
              CC=symcrete-cc ./configure && make && symcrete run --target ./prog --stdin 64
              symcrete reach parser.c:120                  an input that runs this line, or the proof that there
              is none
              symcrete replay symcrete-out/parser          are all recorded ends still the same?

            `symcrete help inputs`, `results`, `exit-codes` and `verdicts` say more.
        "#]],
    );
    desk.says(
        "run --help",
        0,
        expect![[r#"
            Explore a program: tests for every branch that can be reached, and the bugs on the way

            Usage: symcrete run [OPTIONS] [FILES]... [-- <ARGUMENTS>...]

            Arguments:
              [FILES]...  Source files (objects and archives are linked in)

            Options:
              -h, --help  Print help

            Target:
                  --target <BINARY>    A program built with symcrete cc
                  --project <DIR>      A folder with a compile_commands.json: how its files are compiled;
                                       without files, all of them
                  --function <F>       Start from this function, its parameters built from input
                  --cflags <FLAGS>     Flags for clang, compiling and linking
                  --pointer-depth <N>  How deep pointers of --function point to fresh objects [default: 2]
                  --buffer <P:N>       A pointer parameter of --function that is a buffer of N bytes; a number
                                       that follows it and is called like a length (n, len, size, …) is then
                                       from 0 to N
                  --max-len <N>        Most bytes for LLVMFuzzerTestOneInput [default: 64]

            Inputs:
                  --stdin <N>           Standard input of 0 to N bytes; =N means exactly N
                  --arg <N>             One more program argument of 0 to N bytes
                  --env <NAME:N>        An environment variable
                  --file <NAME:N>       A file in the program's working folder
                  --socket <N>          A connected stream on descriptors 0 and 1
                  --input-function <G>  Every return of this function of the program is an input, and its body
                                        is not run. G:N: of a pointer, or of a buffer that it fills, N bytes
                                        [default: 64]
                  --seeds <DIR>         Inputs to begin with: a corpus of libFuzzer or AFL++, our own tests, any
                                        files
              [ARGUMENTS]...            Fixed arguments of the program, before those of --arg. It runs in an
                                        empty folder: name files by full path

            Budget:
                  --max-cpu <TIME>      CPU time of engine, solver and program together (compiling excluded)
                  --max-time <TIME>     Wall-clock time; 60s when no budget is given at all
                  --max-iterations <N>  New inputs executed; with the same seed the result is the same, bit for
                                        bit
                  --until <GOAL>        Stop at coverage=90%, at the first bug, or when all symcrete_target
                                        calls are reached
                  --timeout <TIME>      Time of one run [default: 1s]
                  --max-memory <BYTES>  Memory of one run [default: 1g]
                  --max-inputs <N>      Input statements of one run [default: 1000]
                  --depth <N>           Decisions of a path that may be flipped

            Search:
                  --strategy <S>       How to search; `symcrete strategies` lists them [default: auto]
                  --estimator <HOW>    For --strategy greedy and savings: how probabilities are estimated:
                                       laplace, good-turing or mix [default: laplace for greedy, mix for
                                       savings]
                  --cgs-k <N>          For --strategy cgs: contexts of this one length, instead of growing ones
                  --cgs-no-dominators  For --strategy cgs: contexts with the branches that dominate
                  --saturation <N>     For --strategy hybrid: inputs without anything new before a snapshot
                                       [default: adaptive]
                  --values <VALUES>    How random values are drawn [default: mixture] [possible values: uniform,
                                       mixture]
                  --seed <N>           Seed of all random choices [default: 1]
                  --jobs <N>           Workers that solve and run side by side; the same seed gives the same run
                                       only with one [default: 1]
                  --one-generation     Run the seeds, flip each open side of their paths once, stop

            Solving:
                  --solve <HOW>         How much of a path the solver is given: full, ippc (what models of a
                                        part violate), or auto (ippc while it is quick, then full) [default:
                                        auto]
                  --ippc-learn <WHICH>  Of what a model violates, what `--solve ippc` adds: first, few or all
                                        [default: all]
                  --layers <NAMES>      Layers of the solver chain: all, none, or names with commas [default:
                                        all]
                  --effort <N>          What the first attempt at a query may cost: 0 for 1 ms, 1 for 50 ms, 2
                                        for 2 s, 3 for 20 s; later attempts get the next [default: 0]
                  --log-queries <DIR>   Write each distinct query as an SMT-LIB 2 file into a new or empty
                                        folder
                  --cross-check         Compare every verdict with Z3's, in a process of its own (slow; for
                                        tests)

            Checks:
                  --check <KINDS>      What to look for besides crashes: undefined, address [possible values:
                                       undefined, address]
                  --sandbox <SANDBOX>  Whether the program is kept from writing outside its folder and from the
                                       network [default: on] [possible values: on, off]

            Results:
                  --out <DIR>       Output folder; symcrete-out/NAME by default
                  --resume          Go on from the results in the output folder
                  --finish          In the last third of the time, settle what is uncovered backwards: by an
                                    input, or by the proof that there is none
                  --baseline <OUT>  Only what is new since the run in this output folder counts: new bugs, and
                                    branches that its tests covered and these do not. Its tests are run first.
                                    Exit code 1 for either, 0 for bugs that were known
                  --json            Print summary.json on standard output
                  --quiet           Say nothing but errors
                  --tui             The whole screen for a long run: curve, frontier, solver, finds; keys to
                                    pause, stop and look (? lists them)

            Examples:
              symcrete run parser.c --max-cpu 20s
              symcrete run a.c b.c --cflags "-DDEBUG -Iinclude -lm" --stdin 64 --arg 8
              symcrete run list.c --function insert --pointer-depth 3 --buffer key:16
              symcrete run --project build src/a.c src/b.c --stdin 64      flags from
              build/compile_commands.json
              symcrete run --target ./prog --file config.txt:200 --until coverage=90% -- -f config.txt
              symcrete run parser.c --check undefined,address --until bug
              symcrete run parser.c --baseline main-out --max-cpu 60s      in CI: what is new since main-out

            The results are in --out: tests/, bugs/, summary.json, coverage.lcov, progress.jsonl, tree.json.
        "#]],
    );
    desk.says(
        "help exit-codes",
        0,
        expect![[r#"
            Exit codes

                0  done, no bug
                1  done, bugs found; replay: a recorded end changed
                2  wrong use or bad input
                3  something is missing on this machine; `symcrete doctor` says what
                4  our own fault
               10  reach: proved that no input gets there
               11  reach: neither reached nor proved (of several targets the worst answer counts)
              130  interrupted, results kept

            cc and c++ end with clang's own code.
        "#]],
    );
}

#[test]
fn what_makes_no_sense_together() {
    let desk = Desk::new();
    let sums = r#"{"format": 1, "states": [[{"to": 1, "probability": 0.5, "cost": 1}], []]}"#;
    std::fs::write(desk.0.path().join("sums.json"), sums).unwrap();
    std::fs::write(desk.0.path().join("lost.json"), r#"{"format": 1, "states": [[], []]}"#).unwrap();
    for (arguments, says) in [
        ("lab --strategies dfz", "did you mean `dfs`"),
        ("lab --strategies greedy --estimator foo", "laplace, good-turing or mix"),
        ("lab nowhere.json", "nowhere.json"),
        ("lab sums.json", "chain 0: state 0: its probabilities sum to 0.5, not to 1"),
        ("lab lost.json", "state 1 cannot be reached from state 0"),
        ("lab --ahead 9", "0 to 6, or all"),
        ("lab --states 0", "1 to 100000"),
        ("lab --table1 --told", "has its own rows"),
        ("lab --chains 0", "at least 1"),
        ("run a.c --strategy dfs --estimator mix", "needs `--strategy greedy` or `--strategy savings`"),
        ("run a.c --buffer p:3", "name it with `--function F`"),
        ("reach a.c:1 --from nowhere", "--from nowhere: no such file or folder"),
    ] {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let output = symcrete(desk.0.path(), &words);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(says), "{arguments}: {text}");
    }
}

#[test]
fn what_works_with_one_job_only() {
    let desk = Desk::new();
    desk.says(
        "run a.c --jobs 2 --strategy dfs",
        2,
        expect![[r#"
        symcrete: `--strategy dfs` takes one step at a time, each following from the run before
          leave out `--jobs`, or use one of auto, random, bfs, carfast, sgs, rss, rps, rcn, hybrid
    "#]],
    );
    desk.says(
        "run a.c --jobs 2 --one-generation",
        2,
        expect![[r#"
        symcrete: `--one-generation` works with one job: leave out `--jobs`
    "#]],
    );
    desk.says(
        "run a.c --jobs 0",
        2,
        expect![[r#"
        error: invalid value '0' for '--jobs <N>': 0 is not in 1..=256

        For more information, try '--help'.
    "#]],
    );
    desk.says(
        "reach a.c:3 --jobs 2",
        2,
        expect![[r#"
        symcrete: `reach` works with one job: leave out `--jobs`
    "#]],
    );
}
