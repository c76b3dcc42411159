//! Documents: every link to a file leads to one, and the book has every page.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

/// Where the links of a page lead, without what stands behind `#`; addresses elsewhere left out.
fn links(text: &str) -> Vec<String> {
    let mut fenced = false;
    let prose = text.lines().filter(|line| {
        fenced ^= line.starts_with("```");
        !fenced && !line.starts_with("    ")
    });
    let mut found = vec![];
    for line in prose {
        for rest in line.split("](").skip(1) {
            let Some((target, _)) = rest.split_once(')') else { continue };
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains("://") {
                found.push(file.to_owned());
            }
        }
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let root = root();
    let mut all: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md"].map(|name| root.join(name)).into();
    pages(&root.join("docs"), &mut all);
    let mut broken = vec![];
    for page in all {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            if !page.parent().unwrap().join(&link).exists() {
                broken.push(format!("{}: {link}", page.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn the_book_has_every_page() {
    let docs = root().join("docs");
    let listed = links(&std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap());
    let mut all = vec![];
    pages(&docs, &mut all);
    let missing: Vec<String> = all
        .iter()
        .map(|page| page.strip_prefix(&docs).unwrap().display().to_string())
        .filter(|page| page != "SUMMARY.md" && !listed.contains(page))
        .collect();
    assert!(missing.is_empty(), "pages that docs/SUMMARY.md does not list: {missing:?}");
}
