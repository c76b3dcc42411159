//! A case: a program under `tests/cases` with its expectations, and the revisions it is run in.
//!
//! `tests/cases/README.md` describes the form. A directive that is not understood is an error: a misspelt
//! expectation must not pass.

use crate::annotation::Annotation;
use crate::input::Declared;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct Case {
    /// `area/what_it_shows`.
    pub name: String,
    /// Relative to the checkout.
    pub path: PathBuf,
    pub about: String,
    /// In `gaps/`: what should happen instead.
    pub should: Option<String>,
    /// Why no other strategy and no other layers are tried.
    pub alone: Option<String>,
    pub inputs: Vec<Declared>,
    /// Other files of the program, relative to the checkout.
    pub sources: Vec<PathBuf>,
    /// By file name.
    pub annotations: BTreeMap<String, Vec<Annotation>>,
    pub revisions: Vec<Revision>,
}

/// How one run of the case is made and judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Empty for a case without revisions.
    pub name: String,
    pub args: Vec<String>,
    /// Fixed arguments of the program.
    pub arguments: Vec<String>,
    pub cflags: String,
    pub iterations: u64,
    pub end: Option<End>,
    /// What may be lost, and must be.
    pub lost: Vec<String>,
    /// What may be lost.
    pub may_lose: Vec<String>,
    /// `diverged`, `unknown`, `nondeterministic`: may happen.
    pub allow: Vec<String>,
    pub exit: Option<i32>,
    pub stderr: Vec<String>,
    /// Run under another strategy than the case was written for: what it finds must be right, but it need not
    /// find everything.
    pub foreign: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exhausted,
    NothingLeft,
    Budget,
    Goal,
}

const ITERATIONS: u64 = 2000;

impl Default for Revision {
    fn default() -> Revision {
        Revision {
            name: String::new(),
            args: vec![],
            arguments: vec![],
            cflags: String::new(),
            iterations: ITERATIONS,
            end: None,
            lost: vec![],
            may_lose: vec![],
            allow: vec![],
            exit: None,
            stderr: vec![],
            foreign: false,
        }
    }
}

impl Revision {
    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "args" => self.args.extend(value.split_whitespace().map(String::from)),
            "arguments" => self.arguments.extend(value.split_whitespace().map(String::from)),
            "cflags" => self.cflags = format!("{} {value}", self.cflags).trim().into(),
            "iterations" => {
                let number = value.strip_prefix("<=").context("write `iterations: <= N`")?;
                self.iterations = number.trim().parse().context("write `iterations: <= N`")?;
            }
            "end" => {
                self.end = Some(match value {
                    "exhausted" => End::Exhausted,
                    "nothing-left" => End::NothingLeft,
                    "budget" => End::Budget,
                    "goal" => End::Goal,
                    _ => bail!("`end: {value}`: exhausted, nothing-left, budget or goal"),
                });
            }
            "lost" => self.lost.push(value.into()),
            "may-lose" => self.may_lose.push(value.into()),
            "allow" => {
                for word in value.split_whitespace() {
                    if !["diverged", "unknown", "nondeterministic"].contains(&word) {
                        bail!("`allow: {word}`: diverged, unknown or nondeterministic");
                    }
                    self.allow.push(word.into());
                }
            }
            "exit" => self.exit = Some(value.parse().context("write `exit: N`")?),
            "stderr" => self.stderr.push(value.into()),
            _ => bail!("`{key}:` is not a directive"),
        }
        Ok(())
    }

    pub fn strategy(&self) -> Option<&str> {
        let at = self.args.iter().position(|a| a == "--strategy")?;
        self.args.get(at + 1).map(String::as_str)
    }

    /// The same with every verdict of the solver chain held against Z3's.
    pub fn cross_checked(&self) -> Revision {
        let mut other = self.alone();
        other.args.push("--cross-check".into());
        other.name = self.named("cross-check");
        other
    }

    pub fn is_cross_checked(&self) -> bool {
        self.args.iter().any(|a| a == "--cross-check")
    }

    /// The same with only these layers of the solver chain: other models, so perhaps other ways, but no other
    /// verdict.
    pub fn with_layers(&self, name: &str, layers: &str) -> Revision {
        let mut other = self.clone();
        other.args.extend(["--layers".into(), layers.into()]);
        other.foreign = true;
        other.name = self.named(name);
        other
    }

    fn named(&self, addition: &str) -> String {
        [self.name.as_str(), addition].iter().filter(|n| !n.is_empty()).copied().collect::<Vec<_>>().join("-")
    }

    /// The same with one job: not everything can be shared by several.
    fn alone(&self) -> Revision {
        let mut other = self.clone();
        if let Some(at) = self.args.iter().position(|a| a == "--jobs") {
            other.args.drain(at..(at + 2).min(self.args.len()));
        }
        other
    }

    /// The same under another strategy.
    pub fn under(&self, strategy: &str) -> Revision {
        let mut other = self.alone();
        match other.args.iter().position(|a| a == "--strategy") {
            Some(at) => other.args[at + 1] = strategy.into(),
            None => other.args.extend(["--strategy".into(), strategy.into()]),
        }
        // An option of hybrid testing: with others it is refused.
        if let Some(at) = other.args.iter().position(|a| a == "--saturation") {
            other.args.drain(at..at + 2);
        }
        other.foreign = true;
        other.iterations = self.iterations.max(ITERATIONS);
        other.name = self.named(strategy);
        other
    }
}

impl Case {
    /// Every case below `tests/cases`, in the order of their names.
    pub fn all(root: &Path) -> Result<Vec<Case>> {
        let folder = root.join("tests/cases");
        let mut files = vec![];
        collect(&folder, &mut files)?;
        files.sort();
        let mut cases = vec![];
        let mut companions: Vec<PathBuf> = vec![];
        for file in &files {
            let text = std::fs::read_to_string(file)?;
            let relative = file.strip_prefix(root)?.to_owned();
            if text.starts_with("//@ about:") {
                cases.push(Case::read(root, &relative, &text).with_context(|| relative.display().to_string())?);
            } else {
                companions.push(relative);
            }
        }
        let used = |path: &PathBuf| cases.iter().any(|c| c.sources.contains(path));
        // What the tests of bad input use is named there, not here.
        if let Some(stray) = companions.iter().find(|p| !used(p) && !p.starts_with("tests/cases/bad_input")) {
            bail!("{} is no case (its first line is not `//@ about:`) and no case names it", stray.display());
        }
        Ok(cases)
    }

    pub fn read(root: &Path, path: &Path, text: &str) -> Result<Case> {
        let below = path.strip_prefix("tests/cases")?;
        let name = below.with_extension("").display().to_string();
        let mut case = Case {
            name,
            path: path.to_owned(),
            about: String::new(),
            should: None,
            alone: None,
            inputs: vec![],
            sources: vec![],
            annotations: BTreeMap::new(),
            revisions: vec![],
        };
        let mut names: Vec<String> = vec![];
        let mut directives: Vec<(Option<String>, String, String)> = vec![];
        for line in text.lines() {
            let Some(rest) = line.trim_start().strip_prefix("//@") else { continue };
            let (revision, rest) = match rest.strip_prefix('[') {
                Some(rest) => {
                    rest.split_once(']').map(|(r, rest)| (Some(r.to_string()), rest)).context("`//@[` without `]`")?
                }
                None => (None, rest),
            };
            let (key, value) = rest.split_once(':').with_context(|| format!("`{line}`: write `//@ key: value`"))?;
            let (key, value) = (key.trim(), value.trim());
            match key {
                "about" => case.about = value.into(),
                "alone" => case.alone = Some(value.into()),
                "should" => case.should = Some(value.into()),
                "input" => case.inputs.push(Declared::parse(value)?),
                "revisions" => names = value.split_whitespace().map(String::from).collect(),
                "sources" => {
                    let folder = path.parent().unwrap_or(Path::new(""));
                    case.sources.extend(value.split_whitespace().map(|s| folder.join(s)));
                }
                _ => directives.push((revision, key.into(), value.into())),
            }
        }
        if case.inputs.is_empty() {
            bail!("no `//@ input:`");
        }
        if path.starts_with("tests/cases/gaps") && case.should.is_none() {
            bail!("a gap says what should happen: `//@ should: …`");
        }
        if let Some((Some(stray), ..)) =
            directives.iter().find(|(r, ..)| r.as_ref().is_some_and(|r| !names.contains(r)))
        {
            bail!("`//@[{stray}]`: no such revision");
        }
        if names.is_empty() {
            names.push(String::new());
        }
        for name in names {
            let mut revision = Revision { name: name.clone(), ..Revision::default() };
            for (of, key, value) in &directives {
                if of.as_ref().is_none_or(|of| *of == name) {
                    revision.set(key, value)?;
                }
            }
            case.revisions.push(revision);
        }
        case.annotations.insert(file_name(path), annotations(text)?);
        for source in &case.sources {
            let text = std::fs::read_to_string(root.join(source)).with_context(|| source.display().to_string())?;
            case.annotations.insert(file_name(source), annotations(&text)?);
        }
        Ok(case)
    }

    /// Expected bugs: kind, file name, line.
    pub fn bugs(&self) -> Vec<(String, String, u32)> {
        let of = |(file, all): (&String, &Vec<Annotation>)| -> Vec<_> {
            all.iter()
                .flat_map(|a| a.crashes.iter().map(|kind| (kind.clone(), file.clone(), a.line)).collect::<Vec<_>>())
                .collect()
        };
        self.annotations.iter().flat_map(of).collect()
    }

    pub fn function(&self) -> Option<&str> {
        self.inputs.iter().find_map(|i| match i {
            Declared::Function(name) => Some(name.as_str()),
            _ => None,
        })
    }

    pub fn is_cxx(&self) -> bool {
        self.path.extension().is_some_and(|e| e == "cpp")
    }
}

fn annotations(text: &str) -> Result<Vec<Annotation>> {
    let lines = text.lines().zip(1..).filter_map(|(line, number)| Some((number, line.split_once("//~")?.1)));
    lines.map(|(number, text)| Annotation::parse(number, text)).collect()
}

pub fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "c" || e == "cpp") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Case> {
        Case::read(Path::new("/"), Path::new("tests/cases/a/b.c"), text)
    }

    #[test]
    fn directives_and_revisions() {
        let case = read(
            "//@ about: x\n//@ input: stdin =4\n//@ revisions: p q\n//@ args: --seed 3\n//@[q] args: --strategy bfs\n\
             //@ iterations: <= 6\n//@[p] end: exhausted\nint x; //~ reach\n",
        )
        .unwrap();
        assert_eq!(case.name, "a/b");
        assert_eq!(case.revisions.len(), 2);
        assert_eq!(case.revisions[0].end, Some(End::Exhausted));
        assert_eq!(case.revisions[1].args, ["--seed", "3", "--strategy", "bfs"]);
        assert_eq!(case.revisions[1].iterations, 6);
        assert_eq!(case.annotations["b.c"][0].line, 8);
        let other = case.revisions[1].under("dfs");
        assert_eq!(other.strategy(), Some("dfs"));
        assert_eq!(other.name, "q-dfs");
    }

    #[test]
    fn what_is_misspelt_does_not_pass() {
        for wrong in [
            "//@ about: x\n",
            "//@ about: x\n//@ input: none\n//@ ends: exhausted\n",
            "//@ about: x\n//@ input: none\n//@[r] args: --json\n",
            "//@ about: x\n//@ input: none\n//@ iterations: 6\n",
            "//@ about: x\n//@ input: none\nint x; //~ reached\n",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
