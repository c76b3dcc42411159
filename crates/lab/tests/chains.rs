//! Files that are chains, and files that are not: each mistake has its own message.

use symcrete_lab::{Chain, Level, Shape, random_chain};

fn refused(text: &str) -> String {
    Chain::read(text.as_bytes()).expect_err("it is no chain").to_string()
}

#[test]
fn chains_survive_being_saved() {
    let shape = |cyclic| Shape { states: 12, level: Level::L1, cyclic };
    let chains = vec![random_chain(shape(false), 3), random_chain(shape(true), 4)];
    let text = serde_json::to_string(&chains).unwrap();
    assert_eq!(Chain::read(text.as_bytes()).unwrap(), chains);
    let one = serde_json::to_string(&chains[0]).unwrap();
    assert_eq!(Chain::read(one.as_bytes()).unwrap(), chains[..1]);
}

#[test]
fn what_is_no_chain_is_refused_with_the_place() {
    let chain = |states: &str| format!(r#"{{"format": 1, "states": {states}}}"#);
    let edge = |to: &str, p: f64| format!(r#"{{"to": {to}, "probability": {p}, "cost": 1}}"#);
    let two = |a: String, b: String| format!("[[{a}, {b}], [], []]");
    for (text, says) in [
        ("".to_string(), "cannot be read as JSON"),
        ("[]".to_string(), "holds no chain"),
        ("{\"states\": []}".to_string(), "missing field `format`"),
        (r#"{"format": 9, "states": []}"#.to_string(), "format 9"),
        (chain("[]"), "at least one state"),
        (chain("[[{\"to\": 1}], []]"), "missing field `probability`"),
        (chain(&two(edge("1", 0.5), edge("2", 0.4))), "state 0: its probabilities sum to 0.9"),
        (chain(&two(edge("1", 1.5), edge("2", -0.5))), "state 0, edge 0: the probability 1.5"),
        (chain(&two(edge("1", 0.5), edge("7", 0.5))), "there is no state 7; states are 0 to 2"),
        (chain(&two(edge("1", 0.5), edge("1", 0.5))), "two edges to the same place"),
        (chain(&format!("[[{}], [], []]", edge("1", 1.0))), "state 2 cannot be reached"),
        (chain(&format!("[[{}], [{}]]", edge("1", 1.0), edge("0", 1.0))), "from state 0 no end can be reached"),
        (chain("[[{\"to\": null, \"probability\": 1, \"cost\": 0}]]"), "the cost 0 is not a number above 0"),
    ] {
        let message = refused(&text);
        assert!(message.contains(says), "{text}\n  gives: {message}\n  not:   {says}");
    }
    let good = chain(&two(edge("1", 0.5), edge("2", 0.5)));
    assert!(Chain::read(good.as_bytes()).is_ok());
    assert!(refused(&format!("[{good}, {}]", chain("[]"))).starts_with("chain 1: "));
}
