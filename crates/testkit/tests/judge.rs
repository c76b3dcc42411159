//! The judge itself: a right case passes, and every kind of wrong expectation is noticed.

use std::path::{Path, PathBuf};
use symcrete_testkit::{Case, Places, judge};

const RIGHT: &str = "//@ about: the judge's own
//@ input: stdin =1
//@ args: --strategy dfs
//@ iterations: <= 10
//@ end: exhausted
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    unsigned char c;
    if (read(0, &c, 1) != 1) return 9;
    if (c == 'a') return 1;  //~ side: both
    if (c > 300) return 2;   //~ side: false
    switch (c) {
    case 1: case 2: return 3; //~ case: 2
    }
    if (c == 'b') abort();   //~ crash: abort
    return 0;                //~ reach
}
";

/// What the judge says about a case with this text.
fn verdict(text: &str) -> Result<(), String> {
    let stage = std::env::var_os("SYMCRETE_STAGE").map(PathBuf::from);
    let mut places = Places::new(stage, Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let root = tempfile::tempdir().unwrap();
    let path = Path::new("tests/cases/own/case.c");
    std::fs::create_dir_all(root.path().join("tests/cases/own")).unwrap();
    std::fs::write(root.path().join(path), text).unwrap();
    places.stage = places.stage.canonicalize().unwrap();
    places.root = root.path().to_owned();
    let case = Case::read(root.path(), path, text).unwrap();
    judge(&places, &case, &case.revisions[0])
}

#[test]
fn what_is_right_passes() {
    verdict(RIGHT).unwrap();
}

#[test]
fn what_is_wrong_is_noticed() {
    let wrong = [
        ("//~ side: both", "//~ side: true", "condition 1: a test takes its false side"),
        ("//~ side: false", "//~ side: both", "condition 1: expected its true side"),
        ("//~ side: false", "//~ side: false false", "2 sides are annotated, the line has 1 conditions"),
        ("//~ case: 2", "//~ case: 1", "expected 1 case labels taken, got 2"),
        ("//~ crash: abort", "//~ side: both", "abort was reported, expected none here"),
        ("//~ crash: abort", "//~ crash: crash", "expected crash: crash, which was not found"),
        ("//~ reach", "//~ unreachable", "expected to be unreachable, a test reaches it"),
        ("//@ end: exhausted", "//@ end: budget", "end: expected Budget, got exhausted"),
        ("//@ end: exhausted", "//@ lost: address", "expected to lose `address`"),
        ("//@ iterations: <= 10", "//@ iterations: <= 2", "expected Exhausted, got budget"),
        // Too few runs: sides that other inputs take are missing, and enumeration knows them.
        ("//@ iterations: <= 10", "//@ iterations: <= 2", "reachable (found by trying all 256 inputs)"),
    ];
    for (from, to, complaint) in wrong {
        let text = RIGHT.replacen(from, to, 1);
        assert_ne!(text, RIGHT, "{from}");
        let said = verdict(&text).expect_err(to);
        assert!(said.contains(complaint), "`{to}` should give `{complaint}`:\n{said}");
    }
}
