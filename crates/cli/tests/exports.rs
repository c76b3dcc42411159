//! What other tools make of a run's results: C tests under a C compiler that knows nothing of us, and files that
//! other readers take. The judge is the program itself, built by that compiler.

mod desk;

use desk::Desk;
use std::process::Command;

/// Standard input, an argument, a variable and a file, all with characters that C, shells and XML dislike.
const OUTSIDE: &str = r##"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  const char *home = getenv("HOME");
  if (home && home[0] == '?' && home[1] == '"') return 7;
  if (argc > 2 && !strcmp(argv[1], "fix ed") && !strcmp(argv[2], "-\\")) return 5;
  FILE *f = fopen("a'b.txt", "r");
  if (f && fgetc(f) == 0xff) return 6;
  if (getchar() == '\n' && getchar() == '<') abort();
  return 0;
}
"##;

/// Values that are asked for while the program runs, of every kind.
const ASKS: &str = r##"#include <symcrete.h>
#include <stdlib.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
  long long n = symcrete_longlong("n */ \"");
  char b[2];
  symcrete_bytes(b, 2, "b");
  double d = symcrete_double("d");
  symcrete_assume(d == d);
  if (n == -9223372036854775807LL - 1) return 3;
  if (b[0] == '?' && b[1] == 0) return 4;
  if (d > 0.1 && d < 0.2) return 5;
  if (__VERIFIER_nondet_uchar() == 200) abort();
  return 0;
}
"##;

const FUNCTION: &str = "struct node { int value; struct node *next; };
int insert(struct node *list, char c, unsigned long long u) {
  if (list && list->next == list) return c == '?';
  return u > 0xfffffffffffffff0ull;
}
";

const FUZZED: &str = "#include <stddef.h>\n#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) {
  if (n == 2 && d[0] == 0 && d[1] == '\"') __builtin_trap();
  return 0;
}
";

impl Desk {
    /// Runs a command line of ours by a shell; what it said when it failed.
    fn shell(&self, line: &str) -> Result<String, String> {
        let output = Command::new("sh").args(["-c", line]).current_dir(self.path()).output().unwrap();
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match output.status.success() && output.stderr.is_empty() {
            true => Ok(said(&output.stdout)),
            false => Err(format!("{line}\n{}{}", said(&output.stdout), said(&output.stderr))),
        }
    }

    /// Exports as C and does what the export says, with warnings on; the last command's words.
    #[track_caller]
    fn exported(&self, out: &str, compiler: &str) -> Result<String, String> {
        let text = self.run(&format!("export {out} --format c --to tests-{compiler}"), 0);
        let commands = text.lines().filter_map(|l| l.strip_prefix("  "));
        let mut last = Err("no command".to_string());
        for command in commands {
            last = match command.strip_prefix("cc ") {
                Some(rest) => self.shell(&format!("{compiler} -Wall -Wextra -Werror {rest}")),
                None => self.shell(command),
            };
            last.clone()?;
        }
        last
    }

    #[track_caller]
    fn passes_with_gcc(&self, out: &str) {
        let said = self.exported(out, "gcc").unwrap_or_else(|error| panic!("{error}"));
        assert!(said.contains(" tests, 0 failed") && !said.starts_with("0 tests"), "{said}");
    }
}

#[test]
fn inputs_from_outside_as_c() {
    let Some(desk) = Desk::new() else { return };
    desk.file("outside.c", OUTSIDE);
    let mut run = desk.command("run outside.c --out o --max-iterations 3000 --stdin 2 --arg 2 --env HOME:2");
    let output = run.args(["--file", "a'b.txt:1", "--", "fix ed"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    desk.passes_with_gcc("o");
    desk.exported("o", "clang-22").unwrap();
    let text = std::fs::read_to_string(desk.path().join("tests-gcc/outside_tests.c")).unwrap();
    for wanted in ["EXIT, 7", "EXIT, 5", "EXIT, 6", "SIGNAL, SIGABRT", "FILE_INPUT(\"a'b.txt\", \"\\377\")"] {
        assert!(text.contains(wanted), "{wanted} is missing:\n{text}");
    }
    // The tests fail when the program does something else.
    desk.file("outside.c", &OUTSIDE.replace("return 5", "return 9"));
    let failed = desk.exported("o", "gcc").unwrap_err();
    assert!(failed.contains("expected exit 5, got exit 9") && failed.contains(" 1 failed"), "{failed}");
}

#[test]
fn values_parameters_and_buffers_as_c() {
    let Some(desk) = Desk::new() else { return };
    desk.file("asks.c", ASKS);
    desk.file("list.c", FUNCTION);
    desk.file("fuzzed.c", FUZZED);
    for (arguments, out, code) in [("asks.c", "a", 1), ("list.c --function insert", "f", 0), ("fuzzed.c", "z", 1)] {
        desk.run(&format!("run {arguments} --max-iterations 3000 --out {out}"), code);
        desk.passes_with_gcc(out);
    }
    let text = std::fs::read_to_string(desk.path().join("tests-gcc/asks_tests.c")).unwrap();
    assert!(text.contains(r#"VALUE("n */ \"", int64_t, INT64_MIN)"#) && text.contains("EXIT, 5"), "{text}");
    // The values of a replaced function have no way into a plain build.
    desk.file("reads.c", "static int g(void) { return 1; }\nint main(void) { return g() == 5; }\n");
    desk.run("run reads.c --input-function g --out g --max-iterations 20", 0);
    assert!(desk.run("export g --format c", 2).contains("`--input-function g` cannot be C"));
}

/// CMake configures, builds and runs what `--framework ctest` registers, one test of CTest for each of ours.
#[test]
fn tests_of_ctest() {
    let Some(desk) = Desk::new() else { return };
    if Command::new("cmake").arg("--version").output().is_err() {
        eprintln!("no cmake: not tested");
        return;
    }
    desk.file("fuzzed.c", FUZZED);
    desk.run("run fuzzed.c --max-iterations 3000 --out z", 1);
    desk.run("export z --format c --framework ctest --to t", 0);
    let kept = desk.names("z/tests").iter().filter(|n| n.ends_with(".json")).count() + desk.names("z/bugs").len();
    desk.shell("CFLAGS='-Wall -Wextra -Werror' cmake -S t -B b >log && cmake --build b >>log").unwrap();
    let said = desk.shell("cd b && ctest 2>&1").unwrap();
    assert!(said.contains(&format!("100% tests passed, 0 tests failed out of {kept}")), "{kept}: {said}");
    // And fail when the program does something else.
    desk.file("fuzzed.c", &FUZZED.replace("__builtin_trap()", "return 0"));
    let said = desk.shell("cmake --build b >>log; cd b && ctest 2>&1").unwrap_err();
    assert!(said.contains("tests failed out of"), "{said}");
}

#[test]
fn findings_for_code_hosts_and_servers() {
    let Some(desk) = Desk::new() else { return };
    desk.file("outside.c", OUTSIDE);
    desk.run("run outside.c --out o --max-iterations 500 --stdin 2", 1);
    desk.run("export o --format sarif", 0);
    assert_eq!(desk.names("o/sarif"), ["results.sarif"]);
    let sarif = desk.json("o/sarif/results.sarif");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(
        (&sarif["version"], &result["ruleId"], &result["level"]),
        (&"2.1.0".into(), &"abort".into(), &"error".into())
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"outside.c".into(), &10.into()));
    let rule = &sarif["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!(rule["id"], "abort");
    desk.run("export o --format junit", 0);
    // Python's reader of XML, and the counts against the cases.
    let judge = "import sys, xml.etree.ElementTree as e\ns = e.parse(sys.argv[1]).getroot().find('testsuite')\n\
                 f = s.findall('testcase/failure')\nassert len(s.findall('testcase')) == int(s.get('tests'))\n\
                 assert len(f) == int(s.get('failures')) == 1 and f[0].get('type') == 'abort'\nprint(f[0].text)";
    let path = desk.path().join("o/junit/junit.xml");
    let answer = Command::new("python3").args(["-c", judge]).arg(path).output().unwrap();
    let said = String::from_utf8_lossy(&answer.stdout).into_owned();
    assert!(
        answer.status.success() && said.contains("stdin = \\n<"),
        "{said}{}",
        String::from_utf8_lossy(&answer.stderr)
    );
    if Command::new("genhtml").arg("--version").output().is_ok() {
        desk.shell("genhtml --quiet --branch-coverage o/coverage.lcov -o html").unwrap();
    }
}

#[test]
fn verdicts_of_reach() {
    let Some(desk) = Desk::new() else { return };
    desk.file(
        "verdicts.json",
        r#"{"format": 1, "targets": [
            {"target": "a b.c:3", "verdict": "reached", "test": "o/tests/000001.json", "segments": 3, "seconds": 0.5, "obstacle": null},
            {"target": "x.c:f", "verdict": "unreachable", "test": null, "segments": 1, "seconds": 0.1, "obstacle": null},
            {"target": "x.c:9", "verdict": "unknown", "test": null, "segments": 0, "seconds": 1, "obstacle": {"what": "call:<time>", "file": "x.c", "line": 4}}]}"#,
    );
    desk.run("export verdicts.json --format sarif --to v", 0);
    let results = desk.json("v/results.sarif")["runs"][0]["results"].clone();
    let kinds: Vec<&str> = results.as_array().unwrap().iter().filter_map(|r| r["kind"].as_str()).collect();
    assert_eq!(kinds, ["fail", "pass", "open"]);
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.c");
    desk.run("export verdicts.json --format junit --to v", 0);
    let xml = std::fs::read_to_string(desk.path().join("v/junit.xml")).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"1\""), "{xml}");
    assert!(xml.contains("call:&lt;time&gt; at x.c:4"), "{xml}");
    assert!(desk.run("export verdicts.json --format c", 2).contains("sarif or junit"));
    desk.file("old.json", "{\"format\": 0, \"targets\": []}");
    assert!(desk.run("export old.json --format sarif", 2).contains("format 0 instead of 1"));
}
