//! The whole tool as `make build` stages it: compile, explore, replay, resume, interrupt.
//!
//! `make test` names the stage in SYMCRETE_STAGE; without a stage there is nothing to test.

mod desk;

use desk::Desk;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Sent by a program of the system, as a user would.
fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status().unwrap().success());
}

const NESTED: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  if (getchar() == 'a') {\n    if (getchar() == 'b') abort();\n    return 3;\n  }\n  return 0;\n}\n";

#[test]
fn a_bug_is_found_shown_and_replayed() {
    let Some(desk) = Desk::new() else { return };
    desk.file("nested.c", NESTED);
    let text = desk.run("run nested.c --max-iterations 2000 --max-time 60s", 1);
    assert!(text.contains("abort at nested.c:5") && text.contains("exhausted"), "{text}");
    let summary = desk.json("symcrete-out/nested/summary.json");
    assert_eq!((&summary["branches_covered"], &summary["branches_total"]), (&4.into(), &4.into()));
    assert_eq!(summary["exhausted"], true);
    let bug = &summary["bugs"][0];
    assert_eq!((&bug["kind"], &bug["line"]), (&"abort".into(), &5.into()));
    assert_eq!(desk.json(&format!("symcrete-out/nested/{}", bug["test"].as_str().unwrap()))["end"]["signal"], 6);
    // Replay: everything ends as recorded, until the program changes.
    assert!(desk.run("replay symcrete-out/nested", 0).contains("0 changed"));
    let shown = desk.run("show symcrete-out/nested/bugs/0001-abort-nested.c-5", 0);
    assert!(shown.contains("stdin = ab") && shown.contains("SIGABRT"), "{shown}");
    desk.file("nested.c", &NESTED.replace("abort()", "return 9"));
    let changed = desk.run("replay symcrete-out/nested", 1);
    assert!(changed.contains("recorded SIGABRT, now exit 9"), "{changed}");
    // The corpus is what the tests hold.
    desk.run("export symcrete-out/nested --format corpus --to corpus", 0);
    assert!(desk.names("corpus").len() >= 3);
}

#[test]
fn json_on_standard_output_and_nothing_else_when_quiet() {
    let Some(desk) = Desk::new() else { return };
    desk.file("nested.c", NESTED);
    let output = desk.output("run nested.c --max-iterations 50 --json --quiet --out o");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary, desk.json("o/summary.json"));
}

#[test]
fn each_target_that_was_reached_has_a_test() {
    let Some(desk) = Desk::new() else { return };
    desk.file("marks.c", "#include <stdio.h>\n#include <symcrete.h>\nint main(void) {\n  symcrete_target(getchar() & 3);\n  return 0;\n}\n");
    std::fs::create_dir(desk.path().join("seeds")).unwrap();
    desk.file("seeds/one", "a");
    desk.file("seeds/two", "b");
    desk.run("run marks.c --stdin =1 --seeds seeds --max-iterations 2", 0);
    let summary = desk.json("symcrete-out/marks/summary.json");
    assert_eq!(summary["targets_reached"], serde_json::json!([1, 2]));
    let inputs: Vec<_> =
        desk.names("symcrete-out/marks/tests").into_iter().filter(|name| name.ends_with(".bin")).collect();
    assert_eq!(inputs.len(), 2, "no side is new with the second one, but a target is: {inputs:?}");
}

#[test]
fn the_same_seed_gives_the_same_tests() {
    let Some(desk) = Desk::new() else { return };
    desk.file("nested.c", NESTED);
    desk.output("run nested.c --max-iterations 200 --seed 5 --out one --quiet");
    desk.output("run nested.c --max-iterations 200 --seed 5 --out two --quiet");
    assert_eq!(desk.names("one/tests"), desk.names("two/tests"));
    for name in desk.names("one/tests") {
        let strip = |folder: &str| {
            let mut test =
                std::fs::read_to_string(desk.path().join(folder).join("tests").join(&name)).unwrap_or_default();
            if let Some(at) = test.find("\"seconds\"") {
                test.truncate(at);
            }
            test
        };
        assert_eq!(strip("one"), strip("two"), "{name}");
    }
}

#[test]
fn one_function_with_pointers() {
    let Some(desk) = Desk::new() else { return };
    desk.file(
        "list.c",
        "struct node { int value; struct node *next; };\nstatic int find(const struct node *list, int key) {\n  for (int i = 0; list && i < 3; i++, list = list->next)\n    if (list->value == key) return i;\n  return -1;\n}\nint main(void) { return find(0, 1); }\n",
    );
    desk.run("run list.c --function find --max-iterations 3000 --max-time 60s", 0);
    let summary = desk.json("symcrete-out/list-find/summary.json");
    assert_eq!(summary["entry"], "find");
    assert_eq!(summary["branches_covered"], summary["branches_total"], "{:?}", summary["uncovered"]);
    assert!(desk.run("replay symcrete-out/list-find", 0).contains("0 changed"));
}

#[test]
fn programs_that_cannot_be_explored() {
    let Some(desk) = Desk::new() else { return };
    desk.file("bad.c", "int main(void) { return x; }\n");
    let text = desk.run("run bad.c", 2);
    assert!(text.contains("bad.c:1:25: error: use of undeclared identifier 'x'"), "{text}");
    desk.file("none.c", "int twice(int x) { return 2 * x; }\n");
    let text = desk.run("run none.c", 2);
    assert!(text.contains("twice(x)") && text.contains("--function"), "{text}");
    desk.file("deaf.c", "int main(void) { return 4; }\n");
    let text = desk.run("run deaf.c", 2);
    assert!(text.contains("reads no input") && text.contains("--stdin N"), "{text}");
}

/// Reads for ever and branches on everything: only a signal ends it.
const ENDLESS: &str = "#include <unistd.h>\nint main(void) {\n  unsigned char b[64];\n  long n = read(0, b, 64);\n  unsigned h = 0;\n  for (long i = 0; i < n; i++) h = (h ^ b[i]) * 16777619u + (b[i] > 7 ? h >> 3 : 1);\n  return h == 12345;\n}\n";

#[test]
fn an_interrupted_campaign_keeps_its_results_and_goes_on() {
    let Some(desk) = Desk::new() else { return };
    desk.file("endless.c", ENDLESS);
    let start = |arguments: &str| desk.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let wait_for_tests = || {
        let begin = Instant::now();
        while std::fs::read_dir(desk.path().join("o/tests")).map_or(0, |d| d.count()) < 2 {
            assert!(begin.elapsed() < Duration::from_secs(60), "no test was written");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let mut child = start("run endless.c --stdin 64 --max-time 300s --out o");
    wait_for_tests();
    // In use: a second campaign is refused while the first one runs.
    let text = desk.run("run endless.c --stdin 64 --out o", 2);
    assert!(text.contains("in use"), "{text}");
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(desk.json("o/summary.json")["interrupted"], true);
    // Killed without a chance to say goodbye: the tests are there, and the next run begins with them.
    let before = desk.names("o/tests");
    let mut child = start("run endless.c --stdin 64 --max-time 300s --out o --resume");
    std::thread::sleep(Duration::from_millis(500));
    signal(&child, "KILL");
    child.wait().unwrap();
    let text = desk.run("run endless.c --stdin 64 --max-iterations 100 --out o --resume", 0);
    assert!(text.contains("going on from"), "{text}");
    let after = desk.names("o/tests");
    assert!(before.iter().all(|name| after.contains(name)), "{before:?} {after:?}");
    // Another target cannot go on from them.
    desk.file("other.c", NESTED);
    assert!(desk.run("run other.c --out o --resume", 2).contains("holds results of endless.c"));
}

#[test]
fn a_built_program_with_its_own_shared_library() {
    let Some(desk) = Desk::new() else { return };
    desk.file("part.c", "int part(int x) { return x == 42 ? 1 : 2; }\n");
    desk.file("whole.c", "#include <stdlib.h>\n#include <symcrete.h>\nint part(int);\nint main(void) { if (part(symcrete_int(\"x\")) == 1) abort(); return 0; }\n");
    desk.run("cc -Werror -shared -fPIC part.c -o libpart.so -Wl,-z,defs", 0);
    desk.run("cc -Werror whole.c -L. -lpart -Wl,-rpath,$ORIGIN -o whole", 0);
    let text = desk.run("run --target ./whole --max-iterations 3000 --max-time 60s", 1);
    assert!(text.contains("x = 42"), "{text}");
    assert!(desk.run("replay symcrete-out/whole", 0).contains("0 changed"));
}

/// The library is part of what is explored, and the plain build that judges tests has it too.
#[test]
fn a_source_beside_an_instrumented_archive() {
    let Some(desk) = Desk::new() else { return };
    desk.file("lib.c", "int magic(int c) { if (c == 'q') return 7; return c == 'r'; }\n");
    desk.file("unused.c", "int unused(void) { return 1; }\n");
    desk.file(
        "main.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint magic(int);\nint main(void) { if (magic(getchar()) == 7) abort(); return 0; }\n",
    );
    desk.run("cc -O1 -c lib.c unused.c", 0);
    assert!(
        Command::new("ar")
            .args(["rc", "lib.a", "lib.o", "unused.o"])
            .current_dir(desk.path())
            .status()
            .unwrap()
            .success()
    );
    for given in ["lib.a", "lib.o"] {
        let text = desk.run(&format!("run main.c {given} --max-iterations 500 --out {given}.out"), 1);
        assert!(text.contains("main.c:4"), "{text}");
        assert!(desk.run(&format!("replay {given}.out"), 0).contains("0 changed"));
    }
    std::fs::remove_file(desk.path().join("lib.c")).unwrap();
    let text = desk.run("run main.c lib.a --max-iterations 500 --out gone", 1);
    assert!(text.contains("lib.c is not there any more"), "{text}");
}

/// What a constructor did that no model has is not taken for impossible.
#[test]
fn a_line_that_a_constructor_from_elsewhere_opens() {
    let Some(desk) = Desk::new() else { return };
    desk.file("first.c", "void set(int);\n__attribute__((constructor)) static void first(void) { set(3); }\n");
    desk.file(
        "begin.c",
        "static int mode;\nvoid set(int m) { mode = m; }\nint begin(int a) {\n  if (mode == 3 && a == 5)\n    return 1;\n  return 0;\n}\n",
    );
    let plain = Command::new("cc").args(["-c", "first.c"]).current_dir(desk.path()).status();
    assert!(plain.unwrap().success());
    let text = desk.run("reach begin.c:5 --function begin --max-time 60s -- begin.c first.o", 0);
    assert!(text.contains("reached"), "{text}");
}

#[test]
fn of_several_targets_one_without_code_stops_nobody() {
    let Some(desk) = Desk::new() else { return };
    desk.file(
        "dead.c",
        "#include <stdlib.h>\nstatic void gone(int *a) {\n  abort();\n}\nint f(int a) {\n  if (0)\n    abort();\n  if (a == 3)\n    return 1;\n  return 0;\n}\n",
    );
    let text = desk.run("reach dead.c:9 dead.c:1 --function f --max-time 60s", 0);
    assert!(text.contains("dead.c:9: reached") && text.contains("note: dead.c:1 has no code of its own"), "{text}");
    assert!(desk.run("reach dead.c:1 dead.c:4 --function f", 2).contains("dead.c:1 has no code of its own"));
    // What the compiler left out is a statement all the same.
    let text = desk.run("reach dead.c:7 dead.c:3 --function f --explain", 10);
    assert!(text.contains("dead.c:7: unreachable") && text.contains("dead.c:3: unreachable"), "{text}");
    // What runs without leaving an instruction is not taken for it.
    desk.file("kept.c", "int f(int a) {\n  int b;\n  b = a;\n  a = 3;\n  return a * b;\n}\n");
    for line in [3, 4] {
        assert!(!desk.output(&format!("reach kept.c:{line} --function f")).stdout.starts_with(b"kept.c"));
    }
}

#[test]
fn reach_reads_earlier_tests_out_of_the_folder_it_will_use() {
    let Some(desk) = Desk::new() else { return };
    desk.file("nested.c", NESTED);
    desk.run("run nested.c --max-iterations 200", 1);
    // What is wrong moves nothing.
    desk.run("reach nested.c:1", 2);
    assert!(desk.names("symcrete-out/nested/tests").len() >= 3);
    let text = desk.run("reach nested.c:6 --from symcrete-out/nested --json", 0);
    assert!(text.contains("\"segments\": 0"), "{text}");
    assert!(desk.names("symcrete-out/nested/previous/tests").len() >= 3);
}

#[test]
fn a_program_that_is_asked_gets_its_arguments() {
    let Some(desk) = Desk::new() else { return };
    desk.file(
        "said.c",
        "#include <stdio.h>\n#include <string.h>\nint main(int argc, char **argv) {\n  if (argc > 1 && !strcmp(argv[1], \"on\"))\n    if (getchar() == 'x')\n      return 4;\n  return 0;\n}\n",
    );
    desk.run("cc said.c -o said", 0);
    let reach = "reach said.c:6 --target ./said --stdin 1 --max-time 60s --out";
    assert!(desk.run(&format!("{reach} with -- on"), 0).contains("said.c:6: reached"));
    assert!(desk.run(&format!("{reach} without -- off"), 10).contains("said.c:6: unreachable"));
}

#[test]
fn marks_that_are_reached_are_no_errors() {
    let Some(desk) = Desk::new() else { return };
    desk.file(
        "both.c",
        "#include <stdlib.h>\n#include <symcrete.h>\nint main(void) {\n  int x = symcrete_int(\"x\");\n  symcrete_assume(x > 2);\n  if (x == 5)\n    symcrete_target(1);\n  if (x == 1)\n    abort();\n  return 0;\n}\n",
    );
    let text = desk.run("reach --targets --error both.c --max-time 60s", 0);
    assert!(text.contains("target 1: reached") && text.contains("both.c:9 (abort): unreachable"), "{text}");
}

#[test]
fn checks_find_what_does_not_crash() {
    let Some(desk) = Desk::new() else { return };
    desk.file(
        "checks.c",
        "#include <stdlib.h>\n#include <symcrete.h>\nint main(void) {\n  int x = symcrete_int(\"x\");\n  char *p = malloc(4);\n  if (x == 77) p[4] = 1;\n  if (x > 2000000000)\n    x = x + x;\n  return p[0] = (char)x;\n}\n",
    );
    let text = desk.run("run checks.c --check undefined,address --max-iterations 3000 --max-time 60s", 1);
    let summary = desk.json("symcrete-out/checks/summary.json");
    let mut found: Vec<(String, u64)> = summary["bugs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| (b["kind"].as_str().unwrap().into(), b["line"].as_u64().unwrap()))
        .collect();
    found.sort();
    assert_eq!(found, [("address".to_string(), 6), ("undefined".to_string(), 8)], "{text}");
    assert!(desk.run("replay symcrete-out/checks", 0).contains("0 changed"));
}

#[test]
fn a_configure_script_does_not_notice() {
    let Some(desk) = Desk::new() else { return };
    // What configure scripts do: compile, link, run, look for functions and flags, with warnings as errors.
    desk.file("conftest.c", "#include <math.h>\n#include <pthread.h>\n#include <stdio.h>\nstatic void *go(void *p) { return p; }\nint main(int argc, char **argv) {\n  (void)argv;\n  pthread_t t;\n  if (pthread_create(&t, 0, go, 0) || pthread_join(t, 0)) return 1;\n  printf(\"%d\\n\", (int)(pow(2, argc) + 0.5));\n  return 0;\n}\n");
    for flags in [
        "",
        "-O0 -g3",
        "-O3 -flto",
        "-static",
        "-fPIE -pie",
        "-fsanitize=address,undefined",
        "-D_FORTIFY_SOURCE=2 -fstack-protector-strong",
        "-m64 -pthread",
        "-Wl,--gc-sections,-O1,--as-needed -ffunction-sections",
    ] {
        let text = desk.run(&format!("cc -Wall -Werror {flags} conftest.c -o conftest -lm -pthread"), 0);
        assert!(text.is_empty() || flags.contains("-flto"), "{flags}: {text}");
        let output = Command::new(desk.path().join("conftest")).output().unwrap();
        assert_eq!(
            (output.status.code(), output.stdout.as_slice(), output.stderr.len()),
            (Some(0), &b"2\n"[..], 0),
            "{flags}"
        );
    }
    desk.file("nofunc.c", "int no_such_function(void);\nint main(void) { return no_such_function(); }\n");
    assert_eq!(desk.output("cc nofunc.c -o nofunc").status.code(), Some(1));
}

/// Most of a large corpus is run in the fast body only; what is new there is tracked.
#[test]
fn of_many_seeds_only_some_are_tracked() {
    let Some(desk) = Desk::new() else { return };
    desk.file(
        "a.c",
        "#include <unistd.h>\nint main(void) { char b[4]; if (read(0, b, 4) != 4) return 1; \
         if (b[0] == 'x') return write(2, b, 4) != 4; return 0; }\n",
    );
    std::fs::create_dir(desk.path().join("corpus")).unwrap();
    for i in 0..1500 {
        let first = if i < 1490 { "a" } else { "x" };
        desk.file(&format!("corpus/{i:04}"), &format!("{first}{:03}", i % 1000));
    }
    desk.run("run a.c --stdin 4 --seeds corpus --max-iterations 1500 --out out", 0);
    let summary = desk.json("out/summary.json");
    let number = |key: &str| summary[key].as_u64().unwrap();
    assert_eq!(number("iterations"), 1500, "{summary}");
    assert!((1000..1060).contains(&number("tracked_executions")), "{summary}");
    assert!(number("tests") >= 2, "{summary}");
}

/// Without a runtime around it a shared object of ours is a plain library, models and all; loaded late by an
/// instrumented program it finds what it needs too.
#[test]
fn a_shared_object_runs_wherever_it_is_loaded() {
    let Some(desk) = Desk::new() else { return };
    desk.file(
        "plugin.c",
        "#include <stdlib.h>\n#include <string.h>\n\
         int plugin(const char *s) { return strcmp(s, \"key\") == 0 ? 7 : strtol(s, 0, 10) == 42 ? 8 : 0; }\n",
    );
    desk.file(
        "host.c",
        "#include <dlfcn.h>\n#include <stdio.h>\nint main(int argc, char **argv) { (void)argc;\n\
         void *library = dlopen(\"./plugin.so\", RTLD_NOW); if (!library) { puts(dlerror()); return 1; }\n\
         return ((int (*)(const char *))dlsym(library, \"plugin\"))(argv[1]); }\n",
    );
    desk.run("cc -shared -fPIC plugin.c -o plugin.so", 0);
    desk.run("cc host.c -o ours", 0);
    let plain = Command::new("clang-22").args(["host.c", "-o", "plain"]).current_dir(desk.path()).status().unwrap();
    assert!(plain.success());
    for program in ["./plain", "./ours"] {
        for body in ["", "tracking"] {
            for (argument, answer) in [("key", 7), ("42", 8), ("other", 0)] {
                let mut run = Command::new(desk.path().join(program));
                run.arg(argument).current_dir(desk.path()).env("SYMCRETE_BODY", body);
                assert_eq!(run.status().unwrap().code(), Some(answer), "{program} {argument} {body}");
            }
        }
    }
}

const LOCK: &str = "#include <unistd.h>
int main(void) {
    unsigned x;
    if (read(0, &x, 4) != 4) return 1;
    if ((x & 0xffff) + (x >> 16) * 3 == 0x1f0f3) return 2;
    if (x % 3 == 1 && x > 5) return 3;
    return 0;
}
";

#[test]
fn strategies_are_compared_and_one_that_fails_stops_nobody() {
    let Some(desk) = Desk::new() else { return };
    desk.file("lock.c", LOCK);
    let words =
        "compare lock.c --stdin 4 --strategies random,dfs,cgs:no-such-option --runs 2 --max-iterations 40 --out c";
    let text = desk.run(words, 0);
    assert!(text.contains("cgs:no-such-option  no result") && text.contains("seed 2 failed: unexpected"), "{text}");
    let json = desk.json("c/compare.json");
    let rows = json["strategies"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["dfs", "random", "cgs:no-such-option"], "best first");
    // What chance does not find: two halves that fit.
    assert!(rows[0]["only"].as_array().unwrap().contains(&"lock.c:5:38:true".into()), "{}", rows[0]["only"]);
    assert!(rows[0]["p"].is_null() && rows[1]["p"].as_f64().unwrap() < 0.5);
    assert!(rows[1]["flips"] == 0.0 && rows[1]["random_runs"].as_f64().unwrap() > 30.0);
    assert_eq!(rows[2]["failed"].as_array().unwrap().len(), 2);
    for name in ["iterations", "time"] {
        let svg = std::fs::read_to_string(desk.path().join(format!("c/{name}.svg"))).unwrap();
        assert!(svg.contains("dfs") && svg.contains("random"), "{name}");
    }
    // Each campaign is what `run` does with that seed.
    desk.run("run lock.c --stdin 4 --strategy dfs --seed 2 --max-iterations 40 --out alone --quiet", 0);
    let (alone, compared) = (desk.json("alone/summary.json"), desk.json("c/runs/dfs-2/summary.json"));
    for key in ["branches_covered", "iterations", "solver_calls", "sat", "exhausted"] {
        assert_eq!(alone[key], compared[key], "{key}");
    }
    let covered: u64 = rows[0]["campaigns"][1]["branches_covered"].as_u64().unwrap();
    assert_eq!(Some(covered), alone["branches_covered"].as_u64());
    // Again, into the same folder.
    desk.run("compare lock.c --stdin 4 --strategies rss --runs 1 --max-iterations 9 --out c --quiet", 0);
    assert_eq!(desk.names("c/runs"), ["rss-1"]);
}

#[test]
fn comparisons_that_cannot_be_made() {
    let Some(desk) = Desk::new() else { return };
    desk.file("lock.c", LOCK);
    for (words, answer) in [
        ("compare lock.c --strategies dsf,random", "did you mean `dfs`"),
        ("compare lock.c --strategies dfs --max-time 5s", "--max-cpu"),
        ("compare lock.c --strategies dfs --runs 0", "--runs"),
        ("compare lock.c", "--strategies"),
        ("compare lock.c --strategies dfs --strategy bfs", "--strategies a,b"),
        ("compare missing.c --strategies dfs", "missing.c"),
    ] {
        let text = desk.run(words, 2);
        assert!(text.contains(answer), "{words}: {text}");
    }
    assert!(!desk.path().join("symcrete-out").exists(), "nothing was begun");
    std::fs::create_dir(desk.path().join("mine")).unwrap();
    desk.file("mine/thesis.txt", "precious");
    let text = desk.run("compare lock.c --stdin 4 --strategies dfs --out mine", 2);
    assert!(text.contains("--out") && desk.path().join("mine/thesis.txt").exists(), "{text}");
}

#[test]
fn a_harness_to_keep() {
    let Some(desk) = Desk::new() else { return };
    desk.file("list.c", "#include \"node.h\"\nint insert(struct node *n, char *key) {\n  if (!n || !key) return helper();\n  return n->value == 7 && key[0] == 'k';\n}\nint main(void) { return 0; }\n");
    desk.file("node.h", "struct node { int value; struct node *next; };\nint helper(void);\n");
    desk.file("node.c", "#include \"node.h\"\nint helper(void) { return 3; }\n");
    let said = desk.run("harness list.c:insert node.c --out insert_harness.c", 0);
    assert!(said.contains("symcrete run insert_harness.c"), "{said}");
    let text = std::fs::read_to_string(desk.path().join("insert_harness.c")).unwrap();
    for wanted in ["Harness for `insert` of list.c", "symcrete run THIS-FILE node.c", "It assumes", "int main(void)"] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    // Another person's file is left alone, and the kept one is a program like any other.
    assert!(desk.run("harness list.c:insert --out insert_harness.c", 2).contains("is there already"));
    desk.run("run insert_harness.c node.c --out o --max-iterations 400", 0);
    let uncovered = desk.json("o/summary.json")["uncovered"].clone();
    let own: Vec<_> = uncovered.as_array().unwrap().iter().filter(|u| u["file"] == "list.c").collect();
    assert!(own.is_empty(), "{own:?}");
}

/// What a project's own build says of its files is enough, also for one function and for a replay from elsewhere.
#[test]
fn a_project_by_its_compile_commands() {
    let Some(desk) = Desk::new() else { return };
    for folder in ["src", "include", "build"] {
        std::fs::create_dir(desk.path().join(folder)).unwrap();
    }
    desk.file("include/limits_of_it.h", "#define LIMIT (FROM_FLAGS + 1)\nint inner(int);\n");
    desk.file("src/inner.c", "#include <limits_of_it.h>\nint inner(int c) { return c == LIMIT ? 4 : 0; }\n");
    desk.file(
        "src/main.c",
        "#include <stdio.h>\n#include \"limits_of_it.h\"\nint main(void) { return inner(getchar()); }\n",
    );
    desk.file("src/other.c", "int main(void) { return 1; }\n");
    let row = |file: &str| {
        serde_json::json!({"directory": desk.path().join("build"), "file": format!("../src/{file}.c"),
        "command": format!("/usr/bin/gcc -O3 -Wall -I../include -DFROM_FLAGS=64 -o {file}.o -c ../src/{file}.c")})
    };
    let rows = serde_json::json!([row("inner"), row("main"), row("other")]);
    desk.file("build/compile_commands.json", &rows.to_string());
    // Two programs in one project: which one is for the user to say.
    assert!(desk.run("run --project build --stdin 2", 2).contains("leave one of the files out"));
    desk.run("run --project build src/main.c src/inner.c --stdin 2 --max-iterations 200 --out o", 0);
    assert_eq!(desk.json("o/summary.json")["branches_covered"], 2);
    desk.run("run --project build src/inner.c --function inner --max-iterations 50 --out f", 0);
    assert_eq!(desk.json("f/summary.json")["branches_covered"], 2);
    assert!(desk.run("replay o", 0).contains(" 0 changed"));
    assert!(desk.run("run --project nowhere", 2).contains("there is no compile_commands.json in it"));
}

/// With a budget of time long runs are cut while the campaign is young: that is counted, and what lies behind the loop is
/// found all the same.
#[test]
fn a_loop_up_to_a_number_does_not_hide_what_is_behind_it() {
    let Some(desk) = Desk::new() else { return };
    let text = "#include <unistd.h>\nint main(void) {\n  unsigned n, m, odd = 0;\n  if (read(0, &n, 4) != 4 || read(0, &m, 4) != 4) return 9;\n  if (n > 70000) return 1;\n  for (unsigned i = 0; i < n; i++)\n    if (i * 2 == m) odd++;\n  if (n == 60007)\n    return m == 120012 ? 2 : 3;\n  return odd;\n}\n";
    desk.file("loop.c", text);
    let said = desk.run("run loop.c --stdin 8 --until coverage=100% --max-cpu 60s --self-check", 0);
    assert!(said.contains("goal reached") && said.contains("limit at loop.c"), "{said}");
}
