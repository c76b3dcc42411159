//! SARIF 2.1.0: bugs and verdicts where code hosts and editors show findings.

use super::findings::{Findings, how_to_see, sentence};
use super::{Case, Exported};
use crate::{BugFile, ReachRow, atomic, hex};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io;
use std::path::Path;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Every kind of bug, and a reach verdict, with what it means.
const RULES: &[(&str, &str)] = &[
    ("crash", "An input makes the program die by a signal"),
    ("abort", "An input makes the program abort"),
    ("assert", "An input makes an assertion fail"),
    ("timeout", "An input makes the program run for ever, or too long"),
    ("stack-overflow", "An input makes the program exhaust its stack"),
    ("undefined", "An input makes the program do what C leaves undefined"),
    ("address", "An input makes the program use memory that is not its own"),
    ("reach", "Whether an input takes the program to a place"),
];

pub(super) fn write(to: &Path, findings: &Findings<'_>, done: &mut Exported) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(&document(findings)).map_err(io::Error::other)?;
    text.push(b'\n');
    atomic::write(&to.join("results.sarif"), &text)?;
    done.files += 1;
    Ok(())
}

fn document(findings: &Findings<'_>) -> Value {
    let results: Vec<Value> = match findings {
        Findings::Campaign { cases, .. } => {
            cases.iter().filter_map(|case| Some(of_bug(case, case.bug.as_ref()?))).collect()
        }
        Findings::Reach(file) => file.targets.iter().map(of_target).collect(),
    };
    let rules: Vec<Value> =
        RULES.iter().map(|(id, text)| json!({"id": id, "shortDescription": {"text": text}})).collect();
    let driver = json!({"name": "symcrete", "version": env!("CARGO_PKG_VERSION"), "rules": rules});
    let mut run = json!({
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "invocations": [{"executionSuccessful": true}],
        "results": results,
    });
    // Relative names start where the user stood.
    if let Findings::Campaign { folder, .. } = findings
        && !folder.is_empty()
    {
        run["originalUriBaseIds"] = json!({"SOURCES": {"uri": format!("file://{}/", encoded(folder))}});
    }
    json!({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})
}

fn of_bug(case: &Case, bug: &BugFile) -> Value {
    let mut result = json!({
        "ruleId": bug.kind,
        "level": if bug.under_constrained { "warning" } else { "error" },
        "message": {"text": format!("{}\n{}", sentence(bug), how_to_see(bug, &case.test))},
        "locations": [location(&bug.file, bug.line, &bug.function)],
        "partialFingerprints": {"symcreteBug/v1": fingerprint(&[&bug.kind, &bug.file, &bug.function, &bug.line.to_string()])},
    });
    if let Some(rule) = RULES.iter().position(|(id, _)| *id == bug.kind) {
        result["ruleIndex"] = rule.into();
    }
    if !bug.stack.is_empty() {
        let frames: Vec<Value> = bug.stack.iter().map(|frame| json!({"location": of_frame(frame)})).collect();
        result["stacks"] = json!([{"message": {"text": "where the program died"}, "frames": frames}]);
    }
    result
}

fn of_target(target: &ReachRow) -> Value {
    let (kind, level) = match target.verdict.as_str() {
        "reached" => ("fail", "note"),
        "unreachable" => ("pass", "none"),
        _ => ("open", "none"),
    };
    let mut result = json!({
        "ruleId": "reach",
        "ruleIndex": RULES.len() - 1,
        "kind": kind,
        "level": level,
        "message": {"text": target.sentence()},
        "partialFingerprints": {"symcreteReach/v1": fingerprint(&[&target.target])},
    });
    if let Some((file, line)) = target.place() {
        result["locations"] = json!([location(file, line, "")]);
    }
    result
}

/// `function file:line` where a frame has that form.
fn of_frame(frame: &str) -> Value {
    let parsed = frame.rsplit_once(' ').and_then(|(function, place)| {
        let (file, line) = place.rsplit_once(':')?;
        Some((function, file, line.parse().ok()?))
    });
    let mut out = match parsed {
        Some((function, file, line)) => location(file, line, function),
        None => json!({}),
    };
    out["message"] = json!({"text": frame});
    out
}

fn location(file: &str, line: u32, function: &str) -> Value {
    let mut out = json!({});
    if !file.is_empty() {
        let absolute = file.starts_with('/');
        let uri = if absolute { format!("file://{}", encoded(file)) } else { encoded(file) };
        out["physicalLocation"] = json!({"artifactLocation": {"uri": uri}});
        if !absolute {
            out["physicalLocation"]["artifactLocation"]["uriBaseId"] = "SOURCES".into();
        }
        // Lines begin at 1; 0 is what is not known.
        if line > 0 {
            out["physicalLocation"]["region"] = json!({"startLine": line});
        }
    }
    if !function.is_empty() {
        out["logicalLocations"] = json!([{"name": function, "kind": "function"}]);
    }
    out
}

/// A path within a URI.
fn encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.trim_end_matches('/').bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn fingerprint(parts: &[&str]) -> String {
    hex(&Sha256::digest(parts.join("\0").as_bytes())[..16])
}
