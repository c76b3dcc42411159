//! One campaign with every event, as files and as a person sees it.

use expect_test::{Expect, expect};
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;
use symcrete_event::*;
use symcrete_program::{Block, Body, FORMAT, Function, Linkage, Location, Program, Side, SideKind, Unit};
use symcrete_report::{Campaign, Contents, Files, Folder, SideNames, Style, Terminal, show};

#[derive(Clone, Default)]
struct Screen(Rc<RefCell<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// `if (x == 'h') { if (y) abort(); }` in one function, and one that nobody calls.
fn program() -> Program {
    let at = |line, column| Location { file: 0, line, column };
    let block = |line, successors: &[u32], sides: &[u32]| Block {
        location: at(line, 1),
        successors: successors.to_vec(),
        sides: sides.iter().map(|s| Some(*s)).collect(),
        calls: vec![],
        lines: vec![line],
    };
    let function = |name: &str, line, blocks, first_side, side_count| Function {
        name: name.into(),
        source_name: name.into(),
        linkage: Linkage::External,
        body: Body::Tracked,
        location: at(line, 1),
        hash: 1,
        address_taken: false,
        parameters: vec![],
        blocks,
        first_side,
        side_count,
    };
    let side = |kind, block, line, decision, function| Side {
        kind,
        function,
        block,
        location: at(line, 9),
        decision,
        folded: false,
    };
    let mut program = Program::default();
    program.push(Unit {
        format: FORMAT,
        hash: 1,
        path: "parse.c".into(),
        folder: "/home/user".into(),
        files: vec!["parse.c".into()],
        functions: vec![
            function(
                "main",
                3,
                vec![block(4, &[1, 3], &[1, 0]), block(5, &[2, 3], &[3, 2]), block(6, &[], &[]), block(8, &[], &[])],
                0,
                4,
            ),
            function("unused", 10, vec![block(11, &[1, 2], &[4, 5]), block(12, &[2], &[]), block(13, &[], &[])], 4, 2),
        ],
        sides: vec![
            side(SideKind::False, 0, 4, 0, 0),
            side(SideKind::True, 0, 4, 0, 0),
            side(SideKind::False, 1, 5, 2, 0),
            side(SideKind::True, 1, 5, 2, 0),
            side(SideKind::Case(7), 0, 11, 4, 1),
            side(SideKind::Default, 0, 11, 4, 1),
        ],
        ..Unit::default()
    });
    program
}

struct Ran {
    folder: tempfile::TempDir,
    live: String,
    plain: String,
}

impl Ran {
    #[track_caller]
    fn file(&self, name: &str, expected: Expect) {
        let out = self.folder.path().join("out");
        let text = std::fs::read_to_string(out.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        expected.assert_eq(&text.replace(&*out.to_string_lossy(), "OUT"));
    }
}

fn campaign() -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let user = Path::new("/home/user");
    let program = Rc::new(program());
    let names = Rc::new(SideNames::new(&program, user));
    let held =
        Folder::open(&out, Campaign::new("parse.c".into(), serde_json::json!({"files": ["parse.c"]})), false).unwrap();
    held.begin().unwrap();
    let (live, plain) = (Screen::default(), Screen::default());
    let mut all = All::new(vec![
        Box::new(Files::new(held.path(), user, program, names.clone(), &Contents::default())),
        Box::new(Terminal::new(live.clone(), Style { live: true, color: true, width: 60 }, names.clone(), out.clone())),
        Box::new(Terminal::new(plain.clone(), Style { live: false, color: false, width: 80 }, names, out.clone())),
    ]);
    let stdin =
        |bytes: &[u8]| vec![InputObject { kind: InputKind::Stdin, name: "stdin".into(), bytes: bytes.to_vec() }];
    let counters = Counters {
        executions: 1000,
        tracked_executions: 10,
        iterations: 990,
        random_runs: 980,
        flips: 10,
        solver_calls: 12,
        sat: 9,
        unsat: 2,
        unknown: 1,
        diverged: 0,
        branches_total: 6,
        branches_covered: 4,
        functions_touched: 1,
        branches_in_touched: 4,
        tests: 3,
    };
    let time = TimeSpent {
        fast: 0.5,
        tracking: 0.25,
        solving: 0.25,
        search: 0.125,
        reporting: 0.005,
        rest: 0.12,
        ..TimeSpent::default()
    };
    let clocks = Clocks { cpu_seconds: 1.25, solver_seconds: 0.5, peak_memory_mb: 40, time };
    let declared = [Declared { kind: InputKind::Stdin, name: String::new(), capacity: 64, exact: false }];
    let (one, two, three) = (
        stdin(b""),
        stdin(b"h\x00"),
        vec![
            InputObject { kind: InputKind::Stdin, name: "stdin".into(), bytes: b"h\x01".to_vec() },
            InputObject { kind: InputKind::Signed, name: "limit".into(), bytes: (-1i32).to_le_bytes().to_vec() },
        ],
    );
    let tests = [
        Test { number: 1, inputs: &one, origin: Origin::Random, new_sides: &[0], end: End::Exit(0), seconds: 0.001 },
        Test {
            number: 2,
            inputs: &two,
            origin: Origin::Flip { test: 1, side: Some(1), optimistic: false },
            new_sides: &[1, 2],
            end: End::Exit(1),
            seconds: 0.002,
        },
        Test {
            number: 3,
            inputs: &three,
            origin: Origin::Seed("corpus/a".into()),
            new_sides: &[3],
            end: End::Signal(6),
            seconds: 0.003,
        },
    ];
    let stack = ["abort".to_string(), "main parse.c:6".to_string()];
    let bug = Bug {
        number: 1,
        kind: BugKind::Abort,
        // Sanitizers name files by their whole path.
        file: "/home/user/src/parse.c",
        line: 6,
        function: "main",
        detail: "SIGABRT",
        stack: &stack,
        under_constrained: false,
        test: tests[2].clone(),
    };
    let short = stdin(b"h\x01");
    let guess = Bug {
        number: 2,
        kind: BugKind::StackOverflow,
        under_constrained: true,
        file: "",
        line: 0,
        function: "",
        detail: "",
        stack: &[],
        test: tests[1].clone(),
    };
    let node = |parent, test, sides: &[TreeSide]| TreeNode {
        parent,
        site: 0,
        test,
        sides: sides.to_vec(),
        more_sides: 0,
        left_out: 0,
    };
    let nodes = vec![
        node(None, 1, &[TreeSide::Taken, TreeSide::Open]),
        node(Some((0, 0)), 2, &[TreeSide::Ended, TreeSide::Infeasible]),
    ];
    let tree = TreeRows { total: 2, nodes };
    let finished = Finished {
        stopped: Stopped::Budget,
        counters,
        clocks,
        nondeterministic: true,
        lost: &[
            LostRow { what: "call:getenv".into(), place: "parse.c:4".into(), count: 3 },
            LostRow { what: "limit:nodes".into(), place: String::new(), count: 20 },
        ],
        uncovered: &[Uncovered { side: 4, reason: Reason::Input }, Uncovered { side: 5, reason: Reason::Untried }],
        layers: &[
            LayerRow { name: "slice".into(), calls: 12, sat: 0, unsat: 0, unknown: 0, conditions: 40, seconds: 0.0 },
            LayerRow { name: "bitwuzla".into(), calls: 12, sat: 9, unsat: 2, unknown: 1, conditions: 30, seconds: 0.5 },
        ],
        solving: &Solving {
            cpu_seconds: 0.4321,
            distinct: 11,
            to_core: 7,
            log: Some(QueryLogRow { written: 11, loose: 2, failed: 0 }),
            cross_check: Some(CrossCheckRow { compared: 10, agreed: 7, undecided: 1, inexpressible: 1, lost: 1 }),
            cost_model: CostModelRow {
                observations: 11,
                rank_correlation: Some(0.875),
                weights: vec![("products".into(), 0.5), ("constant".into(), 1.25)],
            },
        },
        targets_reached: &[7],
        side_hits: &[1, 2, 1, 1, 0, 0],
        function_hits: &[3, 0],
        tree: &tree,
    };
    let started = Started {
        target: "parse.c",
        entry: "main",
        strategy: "dfs",
        seed: 1,
        inputs: &declared,
        branches_total: 6,
        resumed: 2,
    };
    let progress = |tests, bugs| Progress {
        counters: Counters { tests, ..counters },
        frontier: 5,
        bugs,
        clocks,
        ..Progress::default()
    };
    let events: Vec<(u64, Event<'_>)> = vec![
        (0, Event::Started(started)),
        (1, Event::Note("no Landlock on this kernel: the target can write outside its scratch folder")),
        (1000, Event::Progress(progress(0, 0))),
        (1001, Event::Test(&tests[0])),
        (1002, Event::Test(&tests[1])),
        (1003, Event::Test(&tests[2])),
        (1004, Event::Bug(&bug)),
        (1050, Event::Progress(progress(3, 1))),
        (1200, Event::Progress(progress(3, 1))),
        (1300, Event::Shortened(&bug)),
        (1400, Event::Target { number: 7, test: 2 }),
        (1500, Event::Bug(&guess)),
        (20_000, Event::Finished(&finished)),
    ];
    for (at, event) in &events {
        all.event(Duration::from_millis(*at), event).unwrap();
    }
    let shorter = Bug { test: Test { inputs: &short, ..bug.test.clone() }, ..bug.clone() };
    all.event(Duration::from_secs(20), &Event::Shortened(&shorter)).unwrap();
    let text = |screen: &Screen| {
        String::from_utf8(screen.0.borrow().clone())
            .unwrap()
            .replace(&*out.to_string_lossy(), "OUT")
            .replace('\x1b', "ESC")
            .replace('\r', "CR")
    };
    let (live, plain) = (text(&live), text(&plain));
    Ran { folder, live, plain }
}

#[test]
fn a_terminal_sees_a_live_line_and_a_table() {
    expect![[r#"
        parse.c from main: 6 branches, stdin up to 64 bytes; strategy dfs, seed 1, going on from 2 tests
        note: no Landlock on this kernel: the target can write outside its scratch folder
        CRESC[K   1s  1.0k runs/s  branches 4/6 (66%)  5 open  0 tests  noCRESC[K   1s  ESC[1;31mabortESC[0m at src/parse.c:6 in main: SIGABRT
               stdin = "h\x01", limit = -1
        CRESC[K   1s  1.0k runs/s  branches 4/6 (66%)  5 open  3 tests  1 CRESC[K   1s  target 7 reached by test 2
           1s  ESC[1;31mstack-overflowESC[0m at unknown place (under-constrained)
               stdin = "h\x00"

        ESC[1mbudget spentESC[0m
          branches   4 of 6 (66.7%); 100.0% in the 1 function entered
          tests      3 in OUT/tests
          runs       1000 (50/s), 10 tracked, 990 new inputs: 980 random, 10 by flipping
          solver     12 calls, 0.5s: 9 sat, 2 unsat, 1 unknown; 0 diverged
                     bitwuzla     12 asked, 9 sat, 2 unsat, 0.50s
                     cost model   ranks the times of 11 distinct queries with 0.88
          queries    11 logged, 2 with parts no theory has
          z3         10 verdicts compared: 7 agree, 1 it could not settle, 1 need what no theory has; it died or hung 1 times and was started again
          time       20s (1.2 CPU-seconds), 40 MB
                     running (fast body) 40%, tracking 20%, solving 20%, search decisions 10%, rest 10%
          bugs       ESC[1;31mabortESC[0m at src/parse.c:6 in main
                       symcrete replay OUT/bugs/0001-abort-parse.c-6
                     ESC[1;31mstack-overflowESC[0m at unknown place (under-constrained)
                       symcrete replay OUT/bugs/0002-stack-overflow-unknown-0
          lost       limit:nodes, 20 times
                     call:getenv at parse.c:4, 3 times
          uncovered  2 branches: 1 input, 1 untried
                       parse.c:11 case=7 (input)
                       parse.c:11 default (untried)

        next
          symcrete show OUT/tests/000001.json    one test: its input, its branches, its end
          symcrete replay OUT                    all tests again on a plain build
          symcrete run … --resume                 go on where this run stopped
    "#]].assert_eq(&campaign().live);
}

#[test]
fn elsewhere_plain_lines() {
    expect![[r#"
        parse.c from main: 6 branches, stdin up to 64 bytes; strategy dfs, seed 1, going on from 2 tests
        note: no Landlock on this kernel: the target can write outside its scratch folder
           1s  1.0k runs/s  branches 4/6 (66%)  5 open  0 tests  no bugs
           1s  abort at src/parse.c:6 in main: SIGABRT
               stdin = "h\x01", limit = -1
           1s  target 7 reached by test 2
           1s  stack-overflow at unknown place (under-constrained)
               stdin = "h\x00"

        budget spent
          branches   4 of 6 (66.7%); 100.0% in the 1 function entered
          tests      3 in OUT/tests
          runs       1000 (50/s), 10 tracked, 990 new inputs: 980 random, 10 by flipping
          solver     12 calls, 0.5s: 9 sat, 2 unsat, 1 unknown; 0 diverged
                     bitwuzla     12 asked, 9 sat, 2 unsat, 0.50s
                     cost model   ranks the times of 11 distinct queries with 0.88
          queries    11 logged, 2 with parts no theory has
          z3         10 verdicts compared: 7 agree, 1 it could not settle, 1 need what no theory has; it died or hung 1 times and was started again
          time       20s (1.2 CPU-seconds), 40 MB
                     running (fast body) 40%, tracking 20%, solving 20%, search decisions 10%, rest 10%
          bugs       abort at src/parse.c:6 in main
                       symcrete replay OUT/bugs/0001-abort-parse.c-6
                     stack-overflow at unknown place (under-constrained)
                       symcrete replay OUT/bugs/0002-stack-overflow-unknown-0
          lost       limit:nodes, 20 times
                     call:getenv at parse.c:4, 3 times
          uncovered  2 branches: 1 input, 1 untried
                       parse.c:11 case=7 (input)
                       parse.c:11 default (untried)

        next
          symcrete show OUT/tests/000001.json    one test: its input, its branches, its end
          symcrete replay OUT                    all tests again on a plain build
          symcrete run … --resume                 go on where this run stopped
    "#]]
    .assert_eq(&campaign().plain);
}

#[test]
fn files_of_tests() {
    let ran = campaign();
    ran.file(
        "tests/000002.json",
        expect![[r#"
        {
          "format": 1,
          "inputs": [
            {
              "name": "stdin",
              "kind": "stdin",
              "hex": "6800",
              "text": "h\\x00"
            }
          ],
          "origin": "flip of test 1 at parse.c:4:9:true",
          "new_sides": [
            "parse.c:4:9:true",
            "parse.c:5:9:false"
          ],
          "end": {
            "exit": 1
          },
          "seconds": 0.002
        }
    "#]],
    );
    ran.file(
        "tree.json",
        expect![[r#"{"format":1,"total":2,"places":[["",0,0,[]]],"nodes":[[-1,0,0,1,"to",0],[0,0,0,2,"ei",0]]}"#]],
    );
    ran.file(
        "tests/000003.json",
        expect![[r#"
        {
          "format": 1,
          "inputs": [
            {
              "name": "stdin",
              "kind": "stdin",
              "hex": "6801",
              "text": "h\\x01"
            },
            {
              "name": "limit",
              "kind": "signed",
              "hex": "ffffffff",
              "text": "-1"
            }
          ],
          "origin": "seed corpus/a",
          "new_sides": [
            "parse.c:5:9:true"
          ],
          "end": {
            "signal": 6
          },
          "seconds": 0.003
        }
    "#]],
    );
    let out = ran.folder.path().join("out");
    assert_eq!(std::fs::read(out.join("tests/000002.bin")).unwrap(), b"h\x00");
    assert!(!out.join("tests/000003.bin").exists(), "two inputs are not one buffer");
}

#[test]
fn folders_of_bugs() {
    let ran = campaign();
    ran.file(
        "bugs/0001-abort-parse.c-6/bug.json",
        expect![[r#"
        {
          "format": 1,
          "kind": "abort",
          "file": "src/parse.c",
          "line": 6,
          "function": "main",
          "detail": "SIGABRT",
          "under_constrained": false,
          "stack": [
            "abort",
            "main parse.c:6"
          ],
          "replay": "symcrete replay OUT/bugs/0001-abort-parse.c-6"
        }
    "#]],
    );
    ran.file(
        "bugs/0001-abort-parse.c-6/report.txt",
        expect![[r#"
        abort at src/parse.c:6 in main
          SIGABRT
        ends with SIGABRT

        input
          stdin = h\x01

        stack
          #0 abort
          #1 main parse.c:6

        replay
          symcrete replay OUT/bugs/0001-abort-parse.c-6
          symcrete replay OUT/bugs/0001-abort-parse.c-6 --gdb
    "#]],
    );
    ran.file(
        "bugs/0002-stack-overflow-unknown-0/report.txt",
        expect![[r#"
        stack-overflow at unknown place
          under-constrained: needs parameters that no caller may ever pass
        ends with exit 1

        input
          stdin = h\x00

        replay
          symcrete replay OUT/bugs/0002-stack-overflow-unknown-0
          symcrete replay OUT/bugs/0002-stack-overflow-unknown-0 --gdb
    "#]],
    );
    let out = ran.folder.path().join("out");
    // The shortened test replaced the first one.
    assert_eq!(std::fs::read(out.join("bugs/0001-abort-parse.c-6/test.bin")).unwrap(), b"h\x01");
}

#[test]
fn the_summary_has_every_key() {
    campaign().file(
        "summary.json",
        expect![[r#"
            {
              "format": 1,
              "target": "parse.c",
              "entry": "main",
              "strategy": "dfs",
              "seed": 1,
              "cpu_seconds": 1.25,
              "wall_seconds": 20.0,
              "executions": 1000,
              "tracked_executions": 10,
              "solver_calls": 12,
              "solver_seconds": 0.5,
              "sat": 9,
              "unsat": 2,
              "unknown": 1,
              "diverged": 0,
              "branches_total": 6,
              "branches_covered": 4,
              "functions_touched": 1,
              "branches_in_touched": 4,
              "tests": 3,
              "bugs": [
                {
                  "kind": "abort",
                  "file": "src/parse.c",
                  "line": 6,
                  "function": "main",
                  "test": "bugs/0001-abort-parse.c-6/test.json"
                },
                {
                  "kind": "stack-overflow",
                  "file": "",
                  "line": 0,
                  "function": "",
                  "test": "bugs/0002-stack-overflow-unknown-0/test.json",
                  "under_constrained": true
                }
              ],
              "exhausted": false,
              "interrupted": false,
              "lost": [
                {
                  "what": "call:getenv",
                  "where": "parse.c:4",
                  "count": 3
                },
                {
                  "what": "limit:nodes",
                  "where": "",
                  "count": 20
                }
              ],
              "uncovered": [
                {
                  "branch": "parse.c:11:9:case=7",
                  "file": "parse.c",
                  "line": 11,
                  "reason": "input"
                },
                {
                  "branch": "parse.c:11:9:default",
                  "file": "parse.c",
                  "line": 11,
                  "reason": "untried"
                }
              ],
              "layers": {
                "bitwuzla": {
                  "calls": 12,
                  "sat": 9,
                  "unsat": 2,
                  "unknown": 1,
                  "conditions": 30,
                  "seconds": 0.5
                },
                "slice": {
                  "calls": 12,
                  "sat": 0,
                  "unsat": 0,
                  "unknown": 0,
                  "conditions": 40,
                  "seconds": 0.0
                }
              },
              "time": {
                "fast": 0.5,
                "tracking": 0.25,
                "replays": 0.0,
                "walks": 0.0,
                "solving": 0.25,
                "search": 0.125,
                "taking_in": 0.0,
                "reporting": 0.005,
                "rest": 0.12
              },
              "queries": {
                "distinct": 11,
                "to_core": 7,
                "cpu_seconds": 0.432,
                "logged": 11,
                "logged_loosely": 2,
                "log_failures": 0
              },
              "cross_check": {
                "compared": 10,
                "agreed": 7,
                "undecided": 1,
                "inexpressible": 1,
                "lost": 1
              },
              "cost_model": {
                "observations": 11,
                "rank_correlation": 0.875,
                "weights": {
                  "constant": 1.25,
                  "products": 0.5
                }
              },
              "iterations": 990,
              "random_runs": 980,
              "flips": 10,
              "targets_reached": [
                7
              ],
              "nondeterministic": true,
              "peak_memory_mb": 40,
              "version": "0.1.0"
            }
        "#]],
    );
}

#[test]
fn the_time_series_and_the_coverage() {
    let ran = campaign();
    ran.file("progress.jsonl", expect![[r#"
        {"seconds":1.0,"executions":1000,"branches_covered":4,"solver_calls":12,"iterations":990,"frontier":5,"tests":0,"bugs":0,"cpu_seconds":1.25}
        {"seconds":1.05,"executions":1000,"branches_covered":4,"solver_calls":12,"iterations":990,"frontier":5,"tests":3,"bugs":1,"cpu_seconds":1.25}
        {"seconds":1.2,"executions":1000,"branches_covered":4,"solver_calls":12,"iterations":990,"frontier":5,"tests":3,"bugs":1,"cpu_seconds":1.25}
        {"seconds":20.0,"executions":1000,"branches_covered":4,"solver_calls":12,"iterations":990,"frontier":0,"tests":3,"bugs":2,"cpu_seconds":1.25}
    "#]]);
    ran.file(
        "coverage.lcov",
        expect![[r#"
        TN:
        SF:/home/user/parse.c
        FN:3,main
        FN:10,unused
        FNDA:3,main
        FNDA:0,unused
        FNF:2
        FNH:1
        BRDA:4,9,0,1
        BRDA:4,9,1,2
        BRDA:5,9,0,1
        BRDA:5,9,1,1
        BRDA:11,9,0,-
        BRDA:11,9,1,-
        BRF:6
        BRH:4
        DA:4,3
        DA:5,2
        DA:6,1
        DA:8,1
        DA:11,0
        DA:12,0
        DA:13,0
        LF:7
        LH:4
        end_of_record
    "#]],
    );
}

#[test]
fn showing_a_test_and_a_bug() {
    let ran = campaign();
    let out = ran.folder.path().join("out");
    let taken = |line: u32, kind: &str| show::Taken {
        place: format!("parse.c:{line}"),
        kind: kind.into(),
        function: "main".into(),
    };
    let sides = [taken(4, "true"), taken(5, "false"), taken(5, "false")];
    let text = |name: &str, sides| show::show(&out.join(name), sides).unwrap().replace(&*out.to_string_lossy(), "OUT");
    expect![[r#"
        ends with exit 1 after 0.002s

        input
          stdin (stdin, 2 bytes) = h\x00
            000000  68 00                                            h.

        origin
          flip of test 1 at parse.c:4:9:true

        new branches
          parse.c:4:9:true
          parse.c:5:9:false

        branches taken
          parse.c:4                    true     main
          parse.c:5                    false    main  × 2
    "#]]
    .assert_eq(&text("tests/000002.bin", Some(&sides[..])));
    expect![[r#"
        abort at src/parse.c:6 in main
          SIGABRT
        ends with SIGABRT

        input
          stdin = h\x01

        stack
          #0 abort
          #1 main parse.c:6

        replay
          symcrete replay OUT/bugs/0001-abort-parse.c-6
          symcrete replay OUT/bugs/0001-abort-parse.c-6 --gdb

        origin
          seed corpus/a

        new branches
          parse.c:5:9:true
    "#]]
    .assert_eq(&text("bugs/0001-abort-parse.c-6", None));
    assert!(show::show(&out.join("tests/000009.json"), None).is_err());
}

#[test]
fn exports() {
    use symcrete_report::export::{About, Format, export};
    let about = About { target: "parse.c", entry: "main", folder: "/src" };
    let ran = campaign();
    let out = ran.folder.path().join("out");
    let to = ran.folder.path().join("corpus");
    let done = export(&out, &to, &Format::Corpus, &about).unwrap();
    assert_eq!(done.files, 4);
    assert_eq!(done.left_out, [("000003".into(), "it has 2 inputs, a corpus file has one".into())]);
    assert_eq!(std::fs::read(to.join("000002")).unwrap(), b"h\x00");
    let to = ran.folder.path().join("suite");
    export(&out, &to, &Format::TestComp, &about).unwrap();
    expect![[r#"
        <?xml version="1.0" encoding="UTF-8" standalone="no"?>
        <!DOCTYPE testcase PUBLIC "+//IDN sosy-lab.org//DTD test-format testcase 1.1//EN" "https://sosy-lab.org/test-format/testcase-1.1.dtd">
        <testcase>
          <input variable="stdin">104</input>
          <input variable="stdin">1</input>
          <input variable="limit">-1</input>
        </testcase>
    "#]].assert_eq(&std::fs::read_to_string(to.join("test-000003.xml")).unwrap());
    assert!(to.join("metadata.xml").exists());
}
