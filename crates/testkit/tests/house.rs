//! The arrows between crates go down only: what a crate may depend on, as docs/architecture.md has it.

use std::collections::BTreeSet;
use std::path::Path;

const MAY_USE: &[(&str, &str)] = &[
    ("abi", ""),
    ("runtime", "abi"),
    ("program", "abi"),
    ("event", "abi"),
    ("pass", "abi program"),
    ("plugin", "pass"),
    ("process", ""),
    ("toolchain", "abi process program"),
    ("term", ""),
    ("solve", "term process"),
    ("tree", "term program"),
    ("search", "tree program term"),
    ("reach", "solve term program"),
    ("lab", "search tree program term"),
    ("exec", "abi process term program tree"),
    ("engine", "abi reach search solve exec toolchain tree term program event"),
    ("report", "event program"),
    ("cli", "abi reach engine report lab toolchain event exec program search solve"),
    ("testkit", ""),
];

#[test]
fn arrows_go_down_only() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let there: BTreeSet<String> =
        std::fs::read_dir(&crates).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    let known: BTreeSet<String> = MAY_USE.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(there, known, "a crate is missing here or in the house");
    for (name, allowed) in MAY_USE {
        let manifest = std::fs::read_to_string(crates.join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("").split("\n[").next().unwrap_or("");
        for line in dependencies.lines() {
            let Some(used) = line.strip_prefix("symcrete-").and_then(|l| l.split([' ', '.', '=']).next()) else {
                continue;
            };
            assert!(allowed.split(' ').any(|a| a == used), "{name} must not depend on {used}");
        }
    }
}
