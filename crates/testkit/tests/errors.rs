//! `reach --error`: everything that ends a run as a failure, found or proved away.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use symcrete_testkit::Places;

/// The verdicts by target, and the exit code; every test that is named can be replayed.
fn verdicts(name: &str, source: &str, options: &[&str]) -> (Vec<(String, String)>, Option<i32>) {
    let stage = std::env::var_os("SYMCRETE_STAGE").map(PathBuf::from);
    let tool = Places::new(stage, Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap().symcrete();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), source).unwrap();
    let mut command = Command::new(&tool);
    command.current_dir(folder.path()).stdin(Stdio::null());
    command.args(["reach", "--error", name, "--max-cpu", "10s", "--self-check", "--json", "--quiet", "--out", "o"]);
    let output = command.args(options).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {text}"));
    let mut found = vec![];
    for target in answer["targets"].as_array().unwrap() {
        let word = |key: &str| target[key].as_str().unwrap_or_default().to_owned();
        found.push((word("target"), word("verdict")));
        if let Some(test) = target["test"].as_str() {
            let again =
                Command::new(&tool).current_dir(folder.path()).args(["replay"]).arg(format!("o/{test}")).output();
            assert!(again.unwrap().status.code() != Some(2), "{test} cannot be replayed");
        }
    }
    (found, output.status.code())
}

fn expect(found: &[(String, String)], wanted: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = found.iter().map(|(target, verdict)| (target.as_str(), verdict.as_str())).collect();
    assert_eq!(found, wanted);
}

const TASK: &str = "extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
void __VERIFIER_assert(int c) {
  if (!c) {
    reach_error();
  }
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned even = 0;
  for (int i = 0; i < x; i++)
    even += 2;
  __VERIFIER_assert(EXPECTED);
  return 0;
}
";

#[test]
fn a_verification_task_that_fails() {
    let (found, exit) = verdicts("task.c", &TASK.replace("EXPECTED", "x != 77"), &[]);
    expect(&found, &[("task.c:3 (abort)", "reached"), ("task.c:6 (reach_error)", "reached")]);
    assert_eq!(exit, Some(1));
}

#[test]
fn a_verification_task_that_holds() {
    let (found, exit) = verdicts("task.c", &TASK.replace("EXPECTED", "even % 2 == 0"), &[]);
    expect(&found, &[("task.c:3 (abort)", "unreachable"), ("task.c:6 (reach_error)", "unreachable")]);
    assert_eq!(exit, Some(0));
}

#[test]
fn checks_of_the_compiler() {
    let source = "#include <symcrete.h>
int main(void) {
  int x = symcrete_int(\"x\"), y = symcrete_int(\"y\");
  if (x > 100 && x < 200)
    x = x + 1;
  return y == 0 ? 0 : x / y;
}
";
    let (found, exit) = verdicts("check.c", source, &["--check", "undefined"]);
    expect(
        &found,
        &[
            ("check.c:5 (__ubsan_handle_add_overflow)", "unreachable"),
            ("check.c:6 (__ubsan_handle_divrem_overflow)", "reached"),
        ],
    );
    assert_eq!(exit, Some(1));
}
