//! Names near a mistyped one, best first.

/// At most three of `candidates` that a person may have meant by `name`.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let lower = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|c| {
            let candidate = c.to_lowercase();
            let part = if lower.len() >= 3
                && (candidate.contains(&lower) || lower.contains(&candidate) && candidate.len() >= 3)
            {
                0.9
            } else {
                0.0
            };
            // One slip of the finger is near, however short the name.
            let slip = if strsim::damerau_levenshtein(&lower, &candidate) == 1 { 0.95 } else { 0.0 };
            (strsim::jaro_winkler(&lower, &candidate).max(part).max(slip), c)
        })
        .filter(|(score, _)| *score >= 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(3).map(|(_, c)| c).collect()
}

/// `; did you mean a, b or c?`, or nothing.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(name, candidates).as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean `{one}`?"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|n| format!("`{n}`")).collect();
            format!("; did you mean {} or `{last}`?", first.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_and_parts_of_names() {
        let strategies = ["dfs", "bfs", "generational", "random", "random-branch"];
        assert_eq!(nearest("generatonal", strategies), ["generational"]);
        assert_eq!(nearest("branch", strategies), ["random-branch"]);
        assert_eq!(nearest("DFS", strategies)[0], "dfs");
        assert_eq!(nearest("dsf", strategies), ["dfs"]);
        assert!(nearest("xyzzy", strategies).is_empty());
        assert_eq!(did_you_mean("randm", strategies), "; did you mean `random` or `random-branch`?");
    }
}
