//! The one definition of commands and options: parser, help and checks come from it.

use crate::values;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use symcrete_engine::Goal;
use symcrete_event::Declared;
use symcrete_report::export::c::Framework;
use symcrete_toolchain::harness::Buffer;
use symcrete_toolchain::input_functions::InputFunction;

#[derive(Debug, Parser)]
#[command(
    name = "symcrete",
    version,
    about = "Tests for C and C++ programs: inputs that reach every branch, and inputs that crash.",
    after_help = "Examples:
  symcrete run parser.c                        from main, or from LLVMFuzzerTestOneInput
  symcrete run list.c --function insert        from one function, its parameters built from input
  CC=symcrete-cc ./configure && make && symcrete run --target ./prog --stdin 64
  symcrete reach parser.c:120                  an input that runs this line, or the proof that there is none
  symcrete replay symcrete-out/parser          are all recorded ends still the same?

`symcrete help inputs`, `results`, `exit-codes` and `verdicts` say more.",
    disable_help_subcommand = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explore a program: tests for every branch that can be reached, and the bugs on the way.
    Run(Box<Run>),
    /// Find an input that runs a line, or prove that there is none.
    Reach(Box<Reach>),
    /// Run the same campaign under several strategies and seeds, and compare what they cover.
    Compare(Box<Compare>),
    /// Run recorded tests again on a plain build, and compare their ends.
    Replay(Replay),
    /// Show a test or a bug (inputs, branches, end, origin), or what an output folder holds.
    Show(Show),
    /// Write tests in the form of other tools.
    Export(Export),
    /// Write a page to look at: coverage in the source, bugs, tests, where the time went.
    Report(Report),
    /// List the search strategies.
    Strategies,
    /// Measure strategies on random Markov chains, against the exact optimum.
    Lab(Lab),
    /// Write the harness that `run --function` would use, to be edited and kept.
    Harness(Harness),
    /// clang for C, with our plugin and runtime; takes clang's own arguments.
    #[command(name = "cc", disable_help_flag = true)]
    Cc(Raw),
    /// clang for C++, likewise.
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(Raw),
    /// Say what is missing on this machine, and the command that installs it.
    Doctor,
    /// Write man pages, completions for shells, or a reference of all options; for those who package the tool.
    #[command(hide = true)]
    Generate(Generate),
    /// Help on a command or a topic (inputs, results, exit-codes, verdicts).
    Help { topic: Option<String> },
}

#[derive(Debug, Args)]
pub struct Raw {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
    pub arguments: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  symcrete run parser.c --max-cpu 20s
  symcrete run a.c b.c --cflags \"-DDEBUG -Iinclude -lm\" --stdin 64 --arg 8
  symcrete run list.c --function insert --pointer-depth 3 --buffer key:16
  symcrete run --project build src/a.c src/b.c --stdin 64      flags from build/compile_commands.json
  symcrete run --target ./prog --file config.txt:200 --until coverage=90% -- -f config.txt
  symcrete run parser.c --check undefined,address --until bug
  symcrete run parser.c --baseline main-out --max-cpu 60s      in CI: what is new since main-out

The results are in --out: tests/, bugs/, summary.json, coverage.lcov, progress.jsonl, tree.json.")]
pub struct Run {
    /// Source files (objects and archives are linked in).
    pub files: Vec<PathBuf>,

    /// A program built with symcrete cc.
    #[arg(long, value_name = "BINARY", help_heading = "Target")]
    pub target: Option<PathBuf>,
    /// A folder with a compile_commands.json: how its files are compiled; without files, all of them.
    #[arg(long, value_name = "DIR", help_heading = "Target", conflicts_with = "target")]
    pub project: Option<PathBuf>,
    #[command(flatten)]
    pub entry: EntryOptions,
    /// Most bytes for LLVMFuzzerTestOneInput.
    #[arg(long, value_name = "N", help_heading = "Target", default_value = "64", value_parser = values::size)]
    pub max_len: (u32, bool),

    /// Standard input of 0 to N bytes; =N means exactly N.
    #[arg(long, value_name = "N", help_heading = "Inputs", value_parser = values::stdin)]
    pub stdin: Option<Declared>,
    /// One more program argument of 0 to N bytes.
    #[arg(long, value_name = "N", help_heading = "Inputs", value_parser = values::arg)]
    pub arg: Vec<Declared>,
    /// An environment variable.
    #[arg(long, value_name = "NAME:N", help_heading = "Inputs", value_parser = values::env)]
    pub env: Vec<Declared>,
    /// A file in the program's working folder.
    #[arg(long, value_name = "NAME:N", help_heading = "Inputs", value_parser = values::file)]
    pub file: Vec<Declared>,
    /// A connected stream on descriptors 0 and 1.
    #[arg(long, value_name = "N", help_heading = "Inputs", value_parser = values::socket, conflicts_with = "stdin")]
    pub socket: Option<Declared>,
    /// Every return of this function of the program is an input, and its body is not run. G:N: of a pointer, or of a
    /// buffer that it fills, N bytes [default: 64].
    #[arg(long, value_name = "G", help_heading = "Inputs", value_parser = values::input_function)]
    pub input_function: Vec<InputFunction>,
    /// Fixed arguments of the program, before those of --arg. It runs in an empty folder: name files by full path.
    #[arg(last = true, value_name = "ARGUMENTS", help_heading = "Inputs")]
    pub arguments: Vec<String>,
    /// Inputs to begin with: a corpus of libFuzzer or AFL++, our own tests, any files.
    #[arg(long, value_name = "DIR", help_heading = "Inputs")]
    pub seeds: Vec<PathBuf>,

    /// CPU time of engine, solver and program together (compiling excluded).
    #[arg(long, value_name = "TIME", help_heading = "Budget", value_parser = values::duration)]
    pub max_cpu: Option<Duration>,
    /// Wall-clock time; 60s when no budget is given at all.
    #[arg(long, value_name = "TIME", help_heading = "Budget", value_parser = values::duration)]
    pub max_time: Option<Duration>,
    /// New inputs executed; with the same seed the result is the same, bit for bit.
    #[arg(long, value_name = "N", help_heading = "Budget")]
    pub max_iterations: Option<u64>,
    /// Stop at coverage=90%, at the first bug, or when all symcrete_target calls are reached.
    #[arg(long, value_name = "GOAL", help_heading = "Budget", value_parser = values::goal)]
    pub until: Option<Goal>,
    /// Time of one run.
    #[arg(long, value_name = "TIME", help_heading = "Budget", default_value = "1s", value_parser = values::duration)]
    pub timeout: Duration,
    /// Memory of one run.
    #[arg(long, value_name = "BYTES", help_heading = "Budget", default_value = "1g", value_parser = values::bytes)]
    pub max_memory: u64,
    /// Input statements of one run.
    #[arg(long, value_name = "N", help_heading = "Budget", default_value = "1000")]
    pub max_inputs: u32,
    /// Decisions of a path that may be flipped.
    #[arg(long, value_name = "N", help_heading = "Budget")]
    pub depth: Option<u32>,

    /// How to search; `symcrete strategies` lists them.
    #[arg(long, value_name = "S", help_heading = "Search", default_value = "auto")]
    pub strategy: String,
    /// For --strategy greedy and savings: how probabilities are estimated: laplace, good-turing or mix [default: laplace
    /// for greedy, mix for savings].
    #[arg(long, value_name = "HOW", help_heading = "Search")]
    pub estimator: Option<String>,
    /// For --strategy cgs: contexts of this one length, instead of growing ones.
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = clap::value_parser!(u32).range(1..))]
    pub cgs_k: Option<u32>,
    /// For --strategy cgs: contexts with the branches that dominate.
    #[arg(long, help_heading = "Search")]
    pub cgs_no_dominators: bool,
    /// For --strategy hybrid: inputs without anything new before a snapshot [default: adaptive].
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = clap::value_parser!(u32).range(1..))]
    pub saturation: Option<u32>,
    /// How random values are drawn.
    #[arg(long, help_heading = "Search", default_value = "mixture")]
    pub values: ValueDraw,
    /// Seed of all random choices.
    #[arg(long, value_name = "N", help_heading = "Search", default_value = "1")]
    pub seed: u64,
    /// Workers that solve and run side by side; the same seed gives the same run only with one [default: 1].
    #[arg(long, value_name = "N", help_heading = "Search", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub jobs: Option<u32>,
    /// Run the seeds, flip each open side of their paths once, stop.
    #[arg(long, help_heading = "Search")]
    pub one_generation: bool,

    /// How much of a path the solver is given: full, ippc (what models of a part violate), or auto
    /// (ippc while it is quick, then full).
    #[arg(long, value_name = "HOW", help_heading = "Solving", default_value = "auto")]
    pub solve: String,
    /// Of what a model violates, what `--solve ippc` adds: first, few or all [default: all].
    #[arg(long, value_name = "WHICH", help_heading = "Solving")]
    pub ippc_learn: Option<String>,
    /// Layers of the solver chain: all, none, or names with commas.
    #[arg(long, value_name = "NAMES", help_heading = "Solving", default_value = "all")]
    pub layers: String,
    /// What the first attempt at a query may cost: 0 for 1 ms, 1 for 50 ms, 2 for 2 s, 3 for 20 s; later attempts get
    /// the next.
    #[arg(long, value_name = "N", help_heading = "Solving", default_value = "0", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub effort: u8,
    /// Write each distinct query as an SMT-LIB 2 file into a new or empty folder.
    #[arg(long, value_name = "DIR", help_heading = "Solving")]
    pub log_queries: Option<PathBuf>,
    /// Compare every verdict with Z3's, in a process of its own (slow; for tests).
    #[arg(long, help_heading = "Solving")]
    pub cross_check: bool,

    /// What to look for besides crashes: undefined, address.
    #[arg(long, value_name = "KINDS", help_heading = "Checks", value_delimiter = ',')]
    pub check: Vec<Check>,
    /// Whether the program is kept from writing outside its folder and from the network.
    #[arg(long, help_heading = "Checks", default_value = "on")]
    pub sandbox: Switch,

    /// Output folder; symcrete-out/NAME by default.
    #[arg(long, value_name = "DIR", help_heading = "Results")]
    pub out: Option<PathBuf>,
    /// Go on from the results in the output folder.
    #[arg(long, help_heading = "Results")]
    pub resume: bool,
    /// In the last third of the time, settle what is uncovered backwards: by an input, or by the proof that there is none.
    #[arg(long, help_heading = "Results")]
    pub finish: bool,
    /// Only what is new since the run in this output folder counts: new bugs, and branches that its tests covered and
    /// these do not. Its tests are run first. Exit code 1 for either, 0 for bugs that were known.
    #[arg(long, value_name = "OUT", help_heading = "Results")]
    pub baseline: Option<PathBuf>,
    /// Print summary.json on standard output.
    #[arg(long, help_heading = "Results")]
    pub json: bool,
    /// Say nothing but errors.
    #[arg(long, help_heading = "Results")]
    pub quiet: bool,
    /// The whole screen for a long run: curve, frontier, solver, finds; keys to pause, stop and look (? lists them).
    #[arg(long, help_heading = "Results", conflicts_with = "quiet")]
    pub tui: bool,

    /// Where builds of the target are kept; OUT/build otherwise.
    #[arg(long, value_name = "DIR", hide = true)]
    pub build_folder: Option<PathBuf>,
    /// Compute every node of every trace again and compare.
    #[arg(long, hide = true)]
    pub self_check: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  symcrete compare parser.c --strategies auto,cgs,cfg,random --runs 10 --max-iterations 4000
  symcrete compare --target ./prog --stdin 64 --strategies auto,random --runs 5 --max-cpu 60s

As many campaigns run at a time as there are cores (--jobs N: N); a budget of CPU time counts for each alone.
The table is printed; OUT (symcrete-out/NAME-compare) holds compare.json, iterations.svg, time.svg and every campaign.
All other options are those of `symcrete run`.")]
pub struct Compare {
    /// Names with commas; `symcrete strategies` lists them. Options that only one is to have follow it: cgs:cgs-k=5.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true, help_heading = "Comparison")]
    pub strategies: Vec<String>,
    /// Campaigns of each strategy, with the seeds that follow --seed.
    #[arg(long, value_name = "N", default_value = "5", help_heading = "Comparison", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    #[command(flatten)]
    pub run: Run,
}

#[derive(Debug, Args)]
#[command(
    mut_arg("files", |arg| arg.value_name("TARGETS").help("FILE:LINE or FILE:FUNCTION; with --targets, --error, --diff or --sarif: the sources")),
    mut_arg("arguments", |arg| arg.value_name("SOURCES").help("Source files of the program; the targets' own files by default. With --target: arguments of the program")),
    mut_arg("json", |arg| arg.help("Print reach.json on standard output")),
    after_help = "Examples:
  symcrete reach parser.c:120                            can this line run?
  symcrete reach lib.c:decode --function decode_all -- lib.c util.c
  symcrete reach --targets prog.c                        every symcrete_target(k)
  symcrete reach --error prog.c                          can an assertion fail, can it abort?
  symcrete reach --diff HEAD~1 prog.c                    cover what a patch changed
  symcrete reach src/a.c:12 --target ./prog --stdin 64

Answers: reached (with a test), unreachable (proved), unknown (with what stood in the way).
Exit code: 0 reached, 10 unreachable, 11 unknown; of several targets the worst. --error: 1 when an error is found,
0 when it is proved that none can be.
60 CPU-seconds for each target unless a budget is given. All other options are those of `symcrete run`.")]
pub struct Reach {
    /// All calls of symcrete_target.
    #[arg(long, help_heading = "Reach")]
    pub targets: bool,
    /// Every call that ends a run as a failure: abort, failed assertions, traps, reach_error, checks of --check
    /// undefined (other crashes are what `symcrete run` looks for).
    #[arg(long, help_heading = "Reach")]
    pub error: bool,
    /// Every changed line of a git diff against this revision.
    #[arg(long, value_name = "REV", help_heading = "Reach")]
    pub diff: Option<String>,
    /// Every finding of a static analyser: whether its line can run at all, with an input, or the proof that it cannot.
    #[arg(long, value_name = "FILE", help_heading = "Reach")]
    pub sarif: Option<PathBuf>,
    /// Print the conditions of the path, line by line, or those that contradict each other.
    #[arg(long, help_heading = "Reach")]
    pub explain: bool,
    /// Tests of an earlier run, to begin with.
    #[arg(long, value_name = "DIR", help_heading = "Reach")]
    pub from: Option<PathBuf>,
    /// Turns of a loop that are followed.
    #[arg(long, value_name = "L", default_value = "64", help_heading = "Reach")]
    pub unroll: u32,
    /// Whether loops are taken as a whole and run: before they are followed turn by turn, after that, or never (off:
    /// nothing but the search backwards).
    #[arg(long, value_name = "WHEN", default_value = "first", help_heading = "Reach")]
    pub loop_methods: LoopMethods,
    /// Whether branches that the target does not depend on are jumped over.
    #[arg(long, value_name = "on|off", default_value = "on", help_heading = "Reach")]
    pub slice: Switch,
    #[command(flatten)]
    pub run: Run,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoopMethods {
    First,
    Last,
    Off,
}

/// The entry, shared by `run` and `harness`.
#[derive(Clone, Debug, Args)]
pub struct EntryOptions {
    /// Start from this function, its parameters built from input.
    #[arg(long, value_name = "F", help_heading = "Target")]
    pub function: Option<String>,
    /// Flags for clang, compiling and linking.
    #[arg(
        long,
        value_name = "FLAGS",
        help_heading = "Target",
        allow_hyphen_values = true,
        default_value = "",
        hide_default_value = true
    )]
    pub cflags: String,
    /// How deep pointers of --function point to fresh objects.
    #[arg(long, value_name = "N", help_heading = "Target", default_value = "2")]
    pub pointer_depth: u32,
    /// A pointer parameter of --function that is a buffer of N bytes; a number that follows it and is called like a
    /// length (n, len, size, …) is then from 0 to N.
    #[arg(long, value_name = "P:N", help_heading = "Target", value_parser = values::buffer)]
    pub buffer: Vec<Buffer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ValueDraw {
    // Every bit pattern equally likely.
    Uniform,
    // Small numbers, powers of two, special values and uniform bits.
    Mixture,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Check {
    // Overflow, shifts, division by zero, bounds, null (UndefinedBehaviorSanitizer).
    Undefined,
    // Heap and stack overflow, use after free (AddressSanitizer).
    Address,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  symcrete replay symcrete-out/parser                          all tests; exit 1 when an end changed
  symcrete replay symcrete-out/parser/tests/000007.json        one test, with its output
  symcrete replay symcrete-out/parser/bugs/0001-abort-parser.c-214 --gdb")]
pub struct Replay {
    /// An output folder, a test, or a bug's folder.
    pub path: PathBuf,
    /// Start a debugger on it.
    #[arg(long)]
    pub gdb: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  symcrete show symcrete-out/parser                            all bugs and tests, a line each
  symcrete show symcrete-out/parser/tests/000007.json
  symcrete show symcrete-out/parser/bugs/0001-abort-parser.c-214")]
pub struct Show {
    /// A test, a bug's folder, or an output folder.
    pub path: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  symcrete export symcrete-out/parser --format c --to tests/           a C file that needs no symcrete
  symcrete export symcrete-out/parser --format c --framework ctest     with a CMakeLists.txt beside it
  symcrete export symcrete-out/parser --format corpus --to corpus/     for libFuzzer and AFL++
  symcrete export symcrete-out/parser --format ktest --to klee/        KLEE's test files
  symcrete export symcrete-out/parser --format testcomp --to suite/    Test-Comp's XML
  symcrete export symcrete-out/parser --format sarif                   bugs, for code hosts and editors
  symcrete export symcrete-out/parser --format junit                   tests and bugs, for CI servers
  symcrete export verdicts.json --format sarif                         what `symcrete reach --json` printed")]
pub struct Export {
    /// An output folder, or a file of `reach --json`.
    pub out: PathBuf,
    /// c, corpus, junit, ktest, sarif or testcomp.
    #[arg(long)]
    pub format: String,
    /// For --format c: who runs the tests, instead of a main of their own.
    #[arg(long, value_name = "NAME")]
    pub framework: Option<CFramework>,
    /// Where to; OUT/FORMAT by default.
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  symcrete report symcrete-out/parser          writes symcrete-out/parser/report/index.html

The page is one file: it needs no server and no network. A run that is still going can be looked at, too.")]
pub struct Report {
    /// An output folder.
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct Generate {
    pub kind: GenerateKind,
    /// A folder.
    pub to: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GenerateKind {
    Man,
    Completions,
    Reference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CFramework {
    Ctest,
    Check,
    Cmocka,
}

impl CFramework {
    pub fn framework(self) -> Framework {
        match self {
            CFramework::Ctest => Framework::CTest,
            CFramework::Check => Framework::Check,
            CFramework::Cmocka => Framework::Cmocka,
        }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "A chain stands for a program: states are locations, edges are ways with a probability (of random
inputs) and a cost (of solving for them). A random run costs 1. The optimum is the least cost on the average of
covering every state, for someone who knows all probabilities; strategies do not know them.

Examples:
  symcrete lab --table1                            the table: all strategies, 5 to 20 states, both levels
  symcrete lab --table1 --plot table.svg --json    the same with a picture, all figures as JSON
  symcrete lab --states 20 --strategies greedy,savings --ahead all
                                                   two strategies that may solve any path of the chain
  symcrete lab --states 8 --chains 3 --save c.json chains to look at and to change
  symcrete lab c.json --strategies savings,dfs     the same chains again, or your own

Levels: in L0 the rare side of a branch has probability 1e-4, in L1 it is drawn log-uniformly from 1e-4 to 0.5.
`docs/strategies.md` reads the table."
)]
pub struct Lab {
    /// Chains to measure on, as --save writes them; without any, they are drawn.
    pub files: Vec<PathBuf>,
    /// All strategies and ours in all their forms, at 5, 10, 15 and 20 states, levels L0 and L1.
    #[arg(long, conflicts_with = "files")]
    pub table1: bool,
    /// Sizes of the chains [default: 5,10,15,20].
    #[arg(long, value_name = "N,…", value_delimiter = ',', help_heading = "Chains")]
    pub states: Vec<usize>,
    /// How rare rare sides are: L0, L1 or both [default: both].
    #[arg(long, value_name = "L,…", value_delimiter = ',', help_heading = "Chains", ignore_case = true)]
    pub level: Vec<LabLevel>,
    /// Chains with loops.
    #[arg(long, help_heading = "Chains")]
    pub cyclic: bool,
    /// Chains of each kind.
    #[arg(long, value_name = "N", help_heading = "Chains", default_value = "200")]
    pub chains: usize,
    /// Campaigns of each strategy on each chain.
    #[arg(long, value_name = "N", help_heading = "Chains", default_value = "100")]
    pub repetitions: usize,
    /// Seed of chains and campaigns.
    #[arg(long, value_name = "N", help_heading = "Chains", default_value = "1")]
    pub seed: u64,
    /// Write the chains that were drawn.
    #[arg(long, value_name = "FILE", help_heading = "Chains", conflicts_with = "files")]
    pub save: Option<PathBuf>,

    /// Which strategies; none: only the optimum [default: all].
    #[arg(long, value_name = "A,B,…", help_heading = "Strategies")]
    pub strategies: Option<String>,
    /// How greedy and savings estimate probabilities: laplace, good-turing or mix [default: laplace and mix].
    #[arg(long, value_name = "HOW", help_heading = "Strategies")]
    pub estimator: Option<String>,
    /// Unobserved decisions that can be solved behind an open side: 0 as in the field, up to 6, or all (any path).
    #[arg(long, value_name = "N", help_heading = "Strategies", default_value = "0")]
    pub ahead: String,
    /// Tell greedy and savings the true probabilities.
    #[arg(long, help_heading = "Strategies")]
    pub told: bool,

    /// Threads; as many as there are processors by default. The figures are the same for any number.
    #[arg(long, value_name = "N", help_heading = "Results")]
    pub jobs: Option<u32>,
    /// Draw the ratios over the sizes, as SVG.
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub plot: Option<PathBuf>,
    /// All figures as JSON on standard output.
    #[arg(long, help_heading = "Results")]
    pub json: bool,
    /// Say nothing but results and errors.
    #[arg(long, help_heading = "Results")]
    pub quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LabLevel {
    // Clap would write them small.
    #[value(name = "L0")]
    L0,
    #[value(name = "L1")]
    L1,
}

impl LabLevel {
    pub fn level(self) -> symcrete_lab::Level {
        match self {
            LabLevel::L0 => symcrete_lab::Level::L0,
            LabLevel::L1 => symcrete_lab::Level::L1,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  symcrete harness list.c:insert                                 prints it
  symcrete harness list.c:insert --out insert_harness.c          then edit it, and: symcrete run insert_harness.c
  symcrete harness list.c:insert node.c --buffer key:16          node.c is linked, the parameter key is a buffer")]
pub struct Harness {
    /// Source files, the first with the function: FILE.c:FUNCTION.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub entry: EntryOptions,
    /// Write it to a new file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
