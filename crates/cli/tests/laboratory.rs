//! `symcrete lab`: chains that are drawn, saved, and read again.

use std::process::Command;

#[test]
fn chains_of_the_laboratory_are_saved_and_read_again() {
    let desk = tempfile::tempdir().unwrap();
    let lab = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_symcrete"));
        let output = command.args(arguments.split_whitespace()).current_dir(desk.path()).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let common = "--strategies savings,dfs --repetitions 3";
    let drawn = lab(&format!("lab --states 6 --level L1 --chains 4 --save c.json --plot c.svg {common}"));
    let again = lab(&format!("lab c.json {common}"));
    let rows = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("savings") || line.starts_with("dfs")).map(str::to_string).collect()
    };
    assert_eq!(rows(&drawn), rows(&again));
    assert_eq!(rows(&drawn).len(), 4);
    assert!(std::fs::read_to_string(desk.path().join("c.svg")).unwrap().starts_with("<svg"));
    let json: serde_json::Value = serde_json::from_str(&lab(&format!("lab c.json --json {common}"))).unwrap();
    assert_eq!(json["format"], 1);
    assert!(json["columns"][0]["cells"][0]["ratio_of_means"].as_f64().unwrap() >= 0.5);
    let large = lab("lab --states 80 --level L1 --chains 1 --strategies none --repetitions 1");
    assert!(large.contains("no exact optimum (80 locations are more than can be solved exactly"), "{large}");
}
