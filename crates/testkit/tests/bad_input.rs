//! Wrong use and bad luck: always a clear message, a next step, and nothing lost.
//!
//! What a single program can show (endless loops, fork bombs, closed descriptors and so on) is a case in
//! `tests/cases/bad_input`; here is what needs a person at the command line.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use symcrete_testkit::Places;
use tempfile::TempDir;

struct Said {
    exit: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    #[track_caller]
    fn expect(&self, exit: i32, words: &[&str]) {
        assert_eq!(self.exit, Some(exit), "exit code\nstdout: {}\nstderr: {}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "standard error lacks `{word}`:\n{}", self.err);
        }
    }
}

/// A folder with files, and the tool.
struct Desk {
    folder: TempDir,
    tool: PathBuf,
}

impl Desk {
    fn new(files: &[(&str, &str)]) -> Desk {
        let stage = std::env::var_os("SYMCRETE_STAGE").map(PathBuf::from);
        let places = Places::new(stage, Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Desk { folder, tool: places.symcrete() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(&self.tool);
        command.current_dir(self.folder.path()).args(arguments.split_whitespace()).stdin(Stdio::null());
        command
    }

    fn say(&self, arguments: &str) -> Said {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Said { exit: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    fn start(&self, arguments: &str) -> Child {
        self.command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn summary(&self, out: &str) -> serde_json::Value {
        let bytes = std::fs::read(self.path(out).join("summary.json")).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    fn tests(&self, out: &str) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(self.path(out).join("tests")) else { return vec![] };
        let mut all: Vec<PathBuf> = entries
            .filter_map(|e| Some(e.ok()?.path()))
            .filter(|p| p.extension().is_some_and(|e| e == "json"))
            .collect();
        all.sort();
        all
    }

    /// Waits until the run has kept this many tests.
    #[track_caller]
    fn wait_for_tests(&self, out: &str, count: usize, child: &mut Child) {
        let begin = Instant::now();
        while self.tests(out).len() < count {
            assert!(begin.elapsed() < Duration::from_secs(120), "no {count} tests after two minutes");
            assert!(child.try_wait().unwrap().is_none(), "the run ended too early: {}", words_of(child));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn words_of(child: &mut Child) -> String {
    let mut text = String::new();
    if let Some(err) = &mut child.stderr {
        let _ = std::io::Read::read_to_string(err, &mut text);
    }
    text
}

fn signal(child: &Child, number: i32) {
    // SAFETY: kill has no memory effects; the process is a child not yet waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, number) }, 0);
}

const MAGIC: &str = "#include <unistd.h>
int main(void) { int x; if (read(0, &x, 4) != 4) return 9; if (x == 77) return 1; return 0; }
";

/// More paths than any test waits for, and a test for each of its hundred decisions.
fn endless() -> String {
    let decisions: String = (0..100).map(|i| format!("    if (b[{i}] == {}) sum++;\n", i + 50)).collect();
    format!(
        "#include <unistd.h>\nint main(void) {{\n    unsigned char b[100]; volatile int sum = 0;\n    \
         if (read(0, b, 100) != 100) return 9;\n{decisions}    if (sum == 3 && b[7] == 3) __builtin_trap();\n    return sum == 100;\n}}\n"
    )
}

#[test]
fn a_missing_file() {
    Desk::new(&[]).say("run nothing.c").expect(2, &["nothing.c"]);
}

#[test]
fn a_program_that_does_not_compile() {
    let desk = Desk::new(&[("broken.c", "int main(void) {\n    return undeclared;\n}\n")]);
    desk.say("run broken.c").expect(2, &["broken.c:2", "undeclared", "error:"]);
    let desk = Desk::new(&[("unlinked.c", "int missing(int); int main(int n, char **a) { return missing(n); }\n")]);
    desk.say("run unlinked.c --stdin 4").expect(2, &["missing"]);
}

#[test]
fn a_file_that_is_no_source() {
    let desk = Desk::new(&[("noise.xyz", "\u{1}\u{2}\u{3}"), ("empty.c", "")]);
    assert_eq!(desk.say("run noise.xyz").exit, Some(2));
    assert_eq!(desk.say("run empty.c").exit, Some(2));
    assert_eq!(desk.say("run .").exit, Some(2));
    assert_eq!(desk.say("run --target noise.xyz").exit, Some(2));
}

#[test]
fn no_entry() {
    let desk =
        Desk::new(&[("library.c", "int first(int x) { return x > 3; }\nint second(char *s) { return s[0]; }\n")]);
    desk.say("run library.c").expect(2, &["first", "second", "--function"]);
}

#[test]
fn several_entries() {
    let harness = "#include <stddef.h>\n#include <stdint.h>\nint LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return n > 3 && d[0]; }\n";
    let desk = Desk::new(&[("a.c", harness), ("b.c", MAGIC)]);
    desk.say("run a.c b.c").expect(2, &["main", "LLVMFuzzerTestOneInput", "--function"]);
    let desk = Desk::new(&[("a.c", MAGIC), ("b.c", MAGIC)]);
    desk.say("run a.c b.c").expect(2, &["main"]);
}

#[test]
fn an_unknown_function() {
    let desk = Desk::new(&[("f.c", "int compute(int x) { return x > 3; }\n")]);
    desk.say("run f.c --function comptue").expect(2, &["comptue", "compute"]);
}

#[test]
fn an_unknown_strategy() {
    let desk = Desk::new(&[("m.c", MAGIC)]);
    desk.say("run m.c --strategy generatonal").expect(2, &["generatonal", "generational"]);
}

#[test]
fn unknown_options_and_values() {
    let desk = Desk::new(&[("m.c", MAGIC)]);
    desk.say("run m.c --max-iteration 5").expect(2, &["--max-iteration", "--max-iterations"]);
    desk.say("run m.c --layers recnet").expect(2, &["recnet", "recent"]);
    desk.say("run m.c --check adress").expect(2, &["adress", "address"]);
    desk.say("run m.c --until bugs").expect(2, &["bugs", "coverage=90%"]);
    desk.say("run m.c --max-cpu soon").expect(2, &["soon", "20s"]);
    desk.say("run m.c --stdin lots").expect(2, &["lots"]);
    desk.say("run m.c --file ../x:3").expect(2, &["../x"]);
    desk.say("run m.c --cgs-k 3").expect(2, &["`--cgs-k` needs `--strategy cgs`"]);
    desk.say("run m.c --strategy cgs --cgs-k 0").expect(2, &["--cgs-k"]);
    std::fs::write(desk.path("args.c"), "int main(int n, char **v) { return n > 1 && v[1][0] == 'x'; }\n").unwrap();
    desk.say("run args.c --arg 4 --strategy hybrid").expect(2, &["ask for input while they run", "--input-function"]);
    desk.say("rum m.c").expect(2, &["rum", "run"]);
    desk.say("run").expect(2, &["--target"]);
}

#[test]
fn a_program_without_input() {
    let desk = Desk::new(&[("deaf.c", "int main(void) { return 3; }\n")]);
    desk.say("run deaf.c").expect(2, &["no input", "--stdin", "--arg", "--env", "--file", "--function"]);
}

#[test]
fn a_program_that_ignores_its_input() {
    let desk = Desk::new(&[("deaf.c", "int main(void) { return 3; }\n")]);
    let said = desk.say("run deaf.c --stdin 4 --out o --max-iterations 20");
    assert!(matches!(said.exit, Some(0 | 2)), "{}", said.err);
}

#[test]
fn an_output_folder_that_is_not_ours() {
    let desk = Desk::new(&[("m.c", MAGIC)]);
    std::fs::create_dir(desk.path("o")).unwrap();
    std::fs::write(desk.path("o/thesis.txt"), "years of work").unwrap();
    desk.say("run m.c --stdin 4 --out o").expect(2, &["o", "--out"]);
    assert_eq!(std::fs::read_to_string(desk.path("o/thesis.txt")).unwrap(), "years of work");
    assert_eq!(std::fs::read_dir(desk.path("o")).unwrap().count(), 1, "nothing was added");
    std::fs::write(desk.path("file"), "").unwrap();
    desk.say("run m.c --stdin 4 --out file").expect(2, &["file"]);
}

#[test]
fn an_output_folder_of_another_program() {
    let desk = Desk::new(&[("m.c", MAGIC), ("n.c", &MAGIC.replace("77", "78"))]);
    desk.say("run m.c --stdin =4 --out o --max-iterations 50").expect(0, &[]);
    desk.say("run n.c --stdin =4 --out o --max-iterations 50 --resume").expect(2, &["m.c", "--out"]);
    assert_eq!(desk.summary("o")["target"], "m.c", "its results are untouched");
    desk.say("run n.c --stdin =4 --out o --max-iterations 50").expect(2, &["m.c", "--out"]);
    assert_eq!(desk.summary("o")["target"], "m.c", "its results are untouched");
}

#[test]
fn an_output_folder_in_use() {
    let desk = Desk::new(&[("e.c", &endless())]);
    let mut first = desk.start("run e.c --stdin =100 --out o --max-time 120s");
    desk.wait_for_tests("o", 2, &mut first);
    desk.say("run e.c --stdin =100 --out o --max-iterations 3").expect(2, &["in use"]);
    desk.say("run e.c --stdin =100 --out o --max-iterations 3 --resume").expect(2, &["in use"]);
    assert!(first.try_wait().unwrap().is_none(), "the first run goes on");
    signal(&first, libc::SIGTERM);
    first.wait().unwrap();
}

#[test]
fn earlier_results_are_never_lost() {
    let desk = Desk::new(&[("m.c", MAGIC)]);
    desk.say("run m.c --stdin =4 --out o --max-iterations 50").expect(0, &[]);
    let before = desk.tests("o").len();
    assert!(before > 0);
    let said = desk.say("run m.c --stdin =4 --out o --max-iterations 50");
    said.expect(0, &["--resume", "previous"]);
    assert_eq!(desk.tests("o/previous").len(), before);
    desk.say("run m.c --stdin =4 --out o --max-iterations 50").expect(0, &["previous-2"]);
    assert_eq!(desk.tests("o/previous").len(), before);
    assert_eq!(desk.tests("o/previous-2").len(), before);
}

fn interrupted_by(number: i32, options: &str) {
    let desk = Desk::new(&[("e.c", &endless())]);
    let mut run = desk.start(&format!("run e.c --stdin =100 --out o --max-time 120s {options}"));
    desk.wait_for_tests("o", 3, &mut run);
    signal(&run, number);
    let begin = Instant::now();
    let status = run.wait().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(20), "it did not stop");
    assert_eq!(status.code(), Some(130), "{}", words_of(&mut run));
    let summary = desk.summary("o");
    assert_eq!(summary["interrupted"], true);
    assert_eq!(summary["tests"].as_u64().unwrap() as usize, desk.tests("o").len());
    assert!(desk.path("o/coverage.lcov").exists());
    // The results are as good as those of any other run.
    desk.say("replay o").expect(0, &[]);
}

#[test]
fn interrupted_from_the_keyboard() {
    interrupted_by(libc::SIGINT, "");
}

#[test]
fn interrupted_with_several_jobs() {
    interrupted_by(libc::SIGINT, "--jobs 3");
}

#[test]
fn interrupted_with_several_jobs_of_hybrid_testing() {
    interrupted_by(libc::SIGINT, "--strategy hybrid --jobs 3");
}

#[test]
fn terminated() {
    interrupted_by(libc::SIGTERM, "");
}

#[test]
fn interrupted_while_the_program_hangs() {
    let desk =
        Desk::new(&[("h.c", "#include <unistd.h>\nint main(void) { char c; read(0, &c, 1); for (;;) pause(); }\n")]);
    let mut run = desk.start("run h.c --stdin 1 --out o --timeout 60s --max-time 300s");
    // The hang is its first run.
    let begin = Instant::now();
    while !desk.path("o/progress.jsonl").exists() && !desk.path("o/build/plain/program").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    signal(&run, libc::SIGINT);
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert!(begin.elapsed() < Duration::from_secs(50), "it waited for the program");
    assert_eq!(desk.summary("o")["interrupted"], true);
}

#[test]
fn killed_and_resumed() {
    let desk = Desk::new(&[("e.c", &endless())]);
    let mut run = desk.start("run e.c --stdin =100 --out o --max-time 120s --strategy bfs");
    desk.wait_for_tests("o", 4, &mut run);
    signal(&run, libc::SIGKILL);
    run.wait().unwrap();
    let before = desk.tests("o");
    for test in &before {
        let text = std::fs::read(test).unwrap();
        serde_json::from_slice::<serde_json::Value>(&text).unwrap_or_else(|e| panic!("{}: {e}", test.display()));
    }
    // What the killed one had started ends by itself, a moment later.
    let begin = Instant::now();
    let said = loop {
        let said = desk.say("run e.c --stdin =100 --out o --max-iterations 1500 --resume");
        if !said.err.contains("in use") || begin.elapsed() > Duration::from_secs(20) {
            break said;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(matches!(said.exit, Some(0 | 1)), "{:?}\n{}", said.exit, said.err);
    let after = desk.tests("o");
    assert!(before.iter().all(|t| after.contains(t)), "earlier tests are still there");
    let summary = desk.summary("o");
    assert_eq!(summary["tests"].as_u64().unwrap() as usize, after.len());
    desk.say("replay o").expect(0, &[]);
}

#[test]
fn resumed_after_nothing() {
    let desk = Desk::new(&[("m.c", MAGIC)]);
    let said = desk.say("run m.c --stdin =4 --out o --max-iterations 50 --resume");
    assert!(matches!(said.exit, Some(0 | 2)), "{}", said.err);
}

#[test]
fn damaged_results_are_named_and_survived() {
    let desk = Desk::new(&[("m.c", MAGIC)]);
    desk.say("run m.c --stdin =4 --out o --max-iterations 50").expect(0, &[]);
    let tests = desk.tests("o");
    std::fs::write(&tests[0], "{ no json").unwrap();
    let said = desk.say("run m.c --stdin =4 --out o --max-iterations 50 --resume");
    said.expect(0, &[tests[0].file_name().unwrap().to_str().unwrap()]);
}

#[test]
fn a_full_disk() {
    let desk = Desk::new(&[("e.c", &endless())]);
    std::fs::create_dir(desk.path("small")).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=3m", "none"]).arg(desk.path("small")).output();
    if !mounted.is_ok_and(|o| o.status.success()) {
        eprintln!("no small file system can be mounted here: nothing is shown");
        return;
    }
    let said = desk.say("run e.c --stdin =100 --out small/o --max-iterations 300");
    // Fill what is left, so that not one more test fits.
    let again = std::fs::write(desk.path("small/filler"), vec![0u8; 4 << 20]);
    let full = again.is_err().then(|| desk.say("run e.c --stdin =100 --out small/o --max-iterations 300 --resume"));
    let _ = Command::new("umount").arg(desk.path("small")).status();
    for said in [Some(said), full].into_iter().flatten() {
        // 1: it found the bug before the disk was full.
        assert!(matches!(said.exit, Some(0..=3)), "{:?}\n{}", said.exit, said.err);
        assert!(
            matches!(said.exit, Some(0 | 1)) || said.err.contains("No space left") || said.err.contains("space"),
            "{}",
            said.err
        );
    }
}

#[test]
fn a_full_shared_memory() {
    let desk = Desk::new(&[("m.c", MAGIC)]);
    let full = "mount -t tmpfs -o size=64k none /dev/shm && { cat /dev/zero > /dev/shm/filler 2> /dev/null; true; }";
    let possible = Command::new("unshare").args(["-m", "sh", "-c", full]).output();
    if !possible.is_ok_and(|o| o.status.success()) {
        eprintln!("no name spaces for mounts here: nothing is shown");
        return;
    }
    let script =
        format!("{full}; exec {} run m.c --stdin =4 --out o --max-iterations 50 --strategy dfs", desk.tool.display());
    let output =
        Command::new("unshare").args(["-m", "sh", "-c", &script]).current_dir(desk.folder.path()).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => assert!(desk.summary("o")["branches_covered"].as_u64() >= Some(3), "{err}"),
        Some(3) => assert!(err.contains("/dev/shm") || err.contains("space") || err.contains("memory"), "{err}"),
        other => panic!("exit {other:?}\n{err}"),
    }
}

#[test]
fn little_address_space() {
    let desk = Desk::new(&[("m.c", MAGIC)]);
    let script = format!(
        "ulimit -v 6000000; exec {} run m.c --stdin =4 --out o --max-iterations 50 --strategy dfs",
        desk.tool.display()
    );
    let output = Command::new("bash").args(["-c", &script]).current_dir(desk.folder.path()).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(desk.summary("o")["branches_covered"].as_u64() >= Some(3), "{err}");
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let desk = Desk::new(&[("e.c", &endless())]);
    let run = |out: &str| {
        let said = desk.say(&format!("run e.c --stdin =100 --out {out} --seed 7 --max-iterations 150"));
        assert!(matches!(said.exit, Some(0 | 1)), "{}", said.err);
        let read = |path: PathBuf| {
            let mut test: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            test.as_object_mut().unwrap().remove("seconds");
            test.to_string()
        };
        desk.tests(out).into_iter().map(read).collect::<Vec<String>>()
    };
    assert_eq!(run("a"), run("b"));
}

#[test]
fn input_functions_that_cannot_be() {
    let text = "#include <stdio.h>\nstruct pair { int a, b; };\nstruct pair both(void) { struct pair p = {1, 2}; return p; }\n\
        void nothing(int x) { (void)x; }\nint next_key(void) { return getchar(); }\n\
        int main(void) { nothing(both().a); if (next_key() == 3) return 1; return 0; }\n";
    let desk = Desk::new(&[("a.c", text)]);
    let cases: &[(&str, &[&str])] = &[
        ("next_kez", &["no function of that name", "`next_key`"]),
        ("getchar", &["does not define it", "--stdin N"]),
        ("nothing", &["returns nothing"]),
        ("both", &["a structure"]),
        ("main", &["where the program starts"]),
        ("next_key:0", &["at least one byte"]),
        ("a+b", &["is no function"]),
        ("next_key --input-function next_key", &["named twice"]),
    ];
    for (name, words) in cases {
        desk.say(&format!("run a.c --input-function {name} --max-iterations 5")).expect(2, words);
    }
    // A built program is built again, from what it says of itself.
    desk.say("cc a.c -o a").expect(0, &[]);
    desk.say("run --target a --input-function nothing --max-iterations 5 --out c").expect(2, &["returns nothing"]);
    let said = desk.say("run --target a --input-function next_key --max-iterations 20 --json --out b");
    said.expect(0, &[]);
    assert!(said.out.contains("\"branches_covered\": 2"), "{}", said.out);
    desk.say("replay b").expect(0, &[]);
}

#[test]
fn another_input_function_leaves_other_files_as_they_were_built() {
    let keys = "#include <stdio.h>\nint next_key(void) { return getchar(); }\nint next_word(void) { return getchar() << 8; }\n";
    let text =
        "int next_key(void);\nint next_word(void);\nint main(void) { return next_key() == 3 || next_word() == 4; }\n";
    let desk = Desk::new(&[("main.c", text), ("keys.c", keys)]);
    let build = |function: &str| {
        let line =
            format!("run main.c keys.c --input-function {function} --strategy dfs --max-iterations 9 --json --out out");
        let said = desk.say(&line);
        said.expect(0, &[]);
        assert!(said.out.contains("\"branches_covered\": 3,"), "{}", said.out);
        let made =
            |name: &str| desk.path(&format!("out/build/tracked/{name}.o")).metadata().unwrap().modified().unwrap();
        (made("0000-main"), made("0001-keys"))
    };
    // Without standard input what is not an input is always the same.
    let by_key = build("next_key");
    let by_word = build("next_word");
    assert_eq!(by_key.0, by_word.0);
    assert!(by_key.1 < by_word.1);
}
