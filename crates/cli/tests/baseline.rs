//! `run --baseline`: only what is new since an earlier run counts, and shifted lines are nothing new.

mod desk;

use desk::Desk;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\nstatic int deep(int c) {\n  if (c == 'b') abort();\n  return c == 'x';\n}\nint main(void) {\n  int c = getchar();\n  if (c == 'a') return deep(getchar());\n  return 0;\n}\n";

impl Desk {
    /// Explores `p.c` against the baseline; what was said and what is new.
    #[track_caller]
    fn again(&self, program: &str, code: i32) -> serde_json::Value {
        self.file("p.c", program);
        let said = self.run("run p.c --stdin 2 --max-iterations 400 --out new --baseline base", code);
        assert!(said.contains("since base: "), "{said}");
        self.json("new/baseline.json")
    }
}

#[test]
fn known_bugs_pass_new_ones_and_lost_branches_do_not() {
    let Some(desk) = Desk::new() else { return };
    desk.file("p.c", PROGRAM);
    desk.run("run p.c --stdin 2 --max-iterations 400 --out base", 1);
    // The same program, then with its lines shifted: the bug is known.
    let news = desk.again(PROGRAM, 0);
    assert_eq!((&news["known_bugs"], news["lost"].as_array().unwrap().len()), (&1.into(), 0), "{news}");
    let news = desk.again(&format!("\n\n/* moved */\n{PROGRAM}"), 0);
    assert_eq!((&news["known_bugs"], &news["changed_functions"]), (&1.into(), &0.into()), "{news}");
    // A second bug beside the first.
    let news =
        desk.again(&PROGRAM.replace("return c == 'x';", "if (c == 'x') *(volatile int *)0 = 1;\n  return 0;"), 1);
    assert_eq!((&news["new_bugs"][0]["kind"], &news["known_bugs"]), (&"crash".into(), &1.into()), "{news}");
    assert_eq!((&news["new_bugs"][0]["line"], news["new_bugs"].as_array().unwrap().len()), (&5.into(), 1), "{news}");
    // A condition that no input meets any more, in a function of the same shape.
    let news = desk.again(&PROGRAM.replace("c == 'b'", "c == 300"), 1);
    assert_eq!(news["lost"], serde_json::json!(["p.c:4:9:true"]), "{news}");
    // A function that is another one, here without branches: nothing of it is lost.
    let news = desk.again(&PROGRAM.replace("  if (c == 'b') abort();\n", ""), 0);
    assert_eq!((&news["gone_functions"], news["lost"].as_array().unwrap().len()), (&1.into(), 0), "{news}");
}

#[test]
fn a_baseline_that_is_none() {
    let Some(desk) = Desk::new() else { return };
    desk.file("p.c", PROGRAM);
    assert!(desk.run("run p.c --baseline nowhere --out new", 2).contains("nowhere is no output folder"));
    desk.run("run p.c --stdin 2 --max-iterations 50 --out base", 1);
    // The same folder as before: it is read before it is moved aside.
    assert!(desk.run("run p.c --stdin 2 --max-iterations 50 --out base --baseline base", 0).contains("0 new bugs"));
    std::fs::remove_file(desk.path().join("base/functions.json")).unwrap();
    assert!(desk.run("run p.c --baseline base --out new", 2).contains("cut short or made by an earlier version"));
}

/// The script of the CI examples: the first run has any bug, the second only what is new.
#[test]
fn the_job_of_a_ci_server() {
    let Some(desk) = Desk::new() else { return };
    desk.file("p.c", PROGRAM);
    let tool = Path::new(env!("CARGO_BIN_EXE_symcrete")).parent().unwrap();
    let path = format!("{}:{}", tool.display(), std::env::var("PATH").unwrap());
    let job = || {
        let mut job = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ci/check.sh"));
        let library = desk.command("").get_envs().find(|e| e.0 == "SYMCRETE_LIB").unwrap().1.unwrap().to_owned();
        job.current_dir(desk.path()).env("PATH", &path).env("SYMCRETE_LIB", library);
        job.env("PROGRAM", "p.c --stdin 2 --max-iterations 300").output().unwrap()
    };
    let first = job();
    assert_eq!(first.status.code(), Some(1), "{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(desk.names("symcrete-results"), ["coverage.lcov", "index.html", "junit.xml", "results.sarif"]);
    std::fs::rename(desk.path().join("symcrete-out/ci"), desk.path().join("symcrete-baseline")).unwrap();
    let second = job();
    assert_eq!(second.status.code(), Some(0), "{}", String::from_utf8_lossy(&second.stderr));
}
