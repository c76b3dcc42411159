//! `symcrete report`: the page holds what the run found, whatever files are called and whatever state the run is in.

mod desk;

use desk::Desk;
use serde_json::Value;

const PROGRAM: &str = "#include <stdio.h>\n#include <stdlib.h>\nstatic int seven(void) { return 7; }\nint main(void) {\n  int c = getchar();\n  if (c == '<') {\n    if (getchar() == '\"') abort();\n    return seven();\n  }\n  if (c < 0 && c > 5) return 1;\n  return 0;\n}\n";
/// Everything a shell, C, HTML or a script might trip over.
const NAME: &str = "a'\"<script>alert(1)<é & {{data}}.c";

impl Desk {
    fn page(&self, out: &str) -> String {
        std::fs::read_to_string(self.path().join(out).join("report/index.html")).unwrap()
    }

    /// The data that the page's script reads.
    fn data(&self, out: &str) -> Value {
        let page = self.page(out);
        let (_, rest) = page.split_once("id=\"data\">").unwrap();
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
    }

    fn explored(&self, name: &str) {
        self.file(name, PROGRAM);
        let output = self.command("run --stdin 2 --max-iterations 500 --quiet --out o").arg(name).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_page_says_who_took_a_branch_and_why_nobody_did() {
    let Some(desk) = Desk::new() else { return };
    desk.explored(NAME);
    let said = desk.run("report o", 0);
    assert!(said.contains("o/report/index.html") && !said.contains("note:"), "{said}");
    let (page, data) = (desk.page("o"), desk.data("o"));
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert(1)&lt;é &amp; {{data}}.c"), "{page}");
    assert_eq!(page.matches("<script").count(), 2, "ours: the data and the code");
    let file = data["files"].as_array().unwrap().iter().position(|f| f["name"] == NAME).unwrap();
    assert_eq!(data["files"][file]["text"], PROGRAM);
    // A function without decisions ran because its caller did.
    let functions = data["files"][file]["functions"].as_array().unwrap();
    assert!(functions.iter().any(|f| f[1] == "seven" && f[2].as_u64() > Some(0)), "{functions:?}");
    let side = |line: u64, kind: &str| {
        let all = data["sides"].as_array().unwrap();
        all.iter()
            .find(|s| s["l"] == line && s["k"] == kind)
            .unwrap_or_else(|| panic!("{line} {kind}: {all:?}"))
            .clone()
    };
    // The test that a taken side names takes it: its input begins as the branch demands.
    let taken = side(6, "true");
    let test = &data["tests"][taken["t"].as_u64().unwrap() as usize];
    assert!(test["i"][0][1].as_str().unwrap().starts_with('<'), "{test}");
    let position = data["sides"].as_array().unwrap().iter().position(|s| *s == taken).unwrap();
    assert!(test["s"].as_array().unwrap().contains(&position.into()), "{test}");
    let never = side(10, "true");
    let never = data["sides"].as_array().unwrap().iter().find(|s| s["l"] == 10 && s["t"].is_null()).unwrap_or(&never);
    assert_eq!(never["r"], "unreachable");
    // The tree: every decision at its line, with the first test that came there, and nothing open where all was run.
    let nodes = data["tree"]["nodes"].as_array().unwrap();
    let place = |node: &Value| data["tree"]["places"][node[2].as_u64().unwrap() as usize].clone();
    let is_at = |node: &Value, line: u64| place(node)[1] == NAME && place(node)[2] == line;
    let inner: Vec<&Value> = nodes.iter().filter(|node| is_at(node, 7)).collect();
    assert!(!inner.is_empty(), "{nodes:?}");
    for node in inner {
        let test = &data["tests"][node[3].as_u64().unwrap() as usize];
        assert!(test["i"][0][1].as_str().unwrap().starts_with('<'), "{test}");
    }
    assert_eq!(desk.json("o/summary.json")["exhausted"], true);
    assert!(nodes.iter().all(|node| !node[4].as_str().unwrap().contains('o')), "{nodes:?}");
    assert_eq!(data["tree"]["total"], nodes.len());
    let text = page.split("The first decisions as text").nth(1).unwrap();
    assert!(text.contains("{{data}}.c:6:") && text.contains("infeasible"), "{text}");
    // Where the time went: all of it is somewhere.
    let summary = desk.json("o/summary.json");
    let parts: f64 = summary["time"].as_object().unwrap().values().map(|part| part.as_f64().unwrap()).sum();
    assert!((parts - summary["cpu_seconds"].as_f64().unwrap()).abs() < 0.01, "{summary}");
    assert!(page.contains("search decisions"));
    // The bug, with its input, stack and command.
    let bug = page.split("<article class=\"bug\">").nth(1).unwrap();
    for wanted in ["abort at", ":7 in main", "stdin = &lt;&quot;", "symcrete replay o/bugs/0001-abort-"] {
        assert!(bug.contains(wanted), "{wanted}: {bug}");
    }
}

#[test]
fn runs_that_were_cut_short_and_sources_that_changed() {
    let Some(desk) = Desk::new() else { return };
    desk.explored("p.c");
    // Changed, then gone: said on the page too.
    desk.file("p.c", &PROGRAM.replace("return 1", "return 2"));
    assert!(desk.run("report o", 0).contains("p.c: the source has changed since the run"));
    assert!(desk.page("o").contains("the source has changed since the run"));
    std::fs::remove_file(desk.path().join("p.c")).unwrap();
    assert!(desk.run("report o", 0).contains("p.c: the source is not there any more"));
    // A summary of another version, then none, then no tests at all.
    let path = |name: &str| desk.path().join("o").join(name);
    let summary = std::fs::read_to_string(path("summary.json")).unwrap();
    std::fs::write(path("summary.json"), summary.replacen("\"format\": 1", "\"format\": 0", 1)).unwrap();
    assert!(desk.run("report o", 0).contains("format 0 instead of 1"));
    // Nothing that a version before knew is needed: neither the tree nor where the time went.
    let older = summary.replacen("\"time\": {", "\"before\": {", 1);
    std::fs::write(path("summary.json"), older).unwrap();
    std::fs::write(path("tree.json"), "{\"format\": 0, \"nodes\": 7}").unwrap();
    assert!(desk.run("report o", 0).contains("no tree.json of this version"));
    assert!(desk.page("o").contains("running, tracking and the engine"));
    for name in ["summary.json", "coverage.lcov", "progress.jsonl", "sources.json", "tree.json"] {
        std::fs::remove_file(path(name)).unwrap();
    }
    let said = desk.run("report o", 0);
    assert!(said.contains("the run is still going, or was killed") && said.contains("no coverage.lcov"), "{said}");
    assert!(!desk.data("o")["tests"].as_array().unwrap().is_empty());
    std::fs::write(path("tests/000001.json"), "{\"cut").unwrap();
    assert!(desk.run("report o", 0).contains("000001.json is no file of this symcrete"));
    std::fs::remove_dir_all(path("tests")).unwrap();
    std::fs::remove_dir_all(path("bugs")).unwrap();
    assert!(desk.run("report o", 0).contains("there is no test yet"));
    assert!(desk.run("report .", 2).contains("is no output folder of symcrete"));
}

#[test]
fn a_megabyte_of_input() {
    let Some(desk) = Desk::new() else { return };
    desk.file("p.c", PROGRAM);
    std::fs::create_dir(desk.path().join("seeds")).unwrap();
    let seed: Vec<u8> = b"<\xff\x00</script>".iter().copied().cycle().take(1 << 20).collect();
    std::fs::write(desk.path().join("seeds/large"), &seed).unwrap();
    desk.run("run p.c --stdin 1048576 --seeds seeds --max-iterations 3 --quiet --out o", 0);
    desk.run("report o", 0);
    let (page, data) = (desk.page("o"), desk.data("o"));
    let tests = data["tests"].as_array().unwrap();
    let large = tests.iter().find(|test| test["i"][0][2] == seed.len()).unwrap_or_else(|| panic!("{tests:?}"));
    assert!(large["i"][0][1].as_str().unwrap().ends_with("… (1048576 bytes)"), "{large}");
    assert!(page.len() < 1 << 20, "the page shows the beginning; {} bytes", page.len());
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(data["tree"]["nodes"].as_array().is_some_and(|nodes| !nodes.is_empty()));
}
