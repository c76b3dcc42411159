//! All strategies by name, with a line for people and where each comes from.

use crate::strategy::Strategy;
use crate::{auto, bfs, dfs, generational, random, random_branch};

/// One strategy a user can ask for.
pub struct Entry {
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    make: fn() -> Box<dyn Strategy>,
}

impl Entry {
    /// A fresh one.
    pub fn make(&self) -> Box<dyn Strategy> {
        (self.make)()
    }
}

static STRATEGIES: &[Entry] = &[
    Entry {
        name: "auto",
        about: "flips towards uncovered code, mixed with random runs by what each earns (the default)",
        source: "symcrete",
        make: auto::auto,
    },
    Entry { name: "random", about: "draws inputs, never solves", source: "-", make: || Box::new(random::Random) },
    Entry {
        name: "dfs",
        about: "the deepest open side of the latest path, backtracking; ends by itself when all paths were run",
        source: "DART, CUTE, CREST",
        make: || Box::new(dfs::Dfs::default()),
    },
    Entry {
        name: "bfs",
        about: "the shallowest open side of the tree",
        source: "-",
        make: || Box::new(bfs::Bfs::default()),
    },
    Entry {
        name: "random-branch",
        about: "one open side of the latest path, uniformly; without one, a fresh random input",
        source: "CREST",
        make: || Box::new(random_branch::RandomBranch),
    },
    Entry {
        name: "generational",
        about: "every open side of a path beyond its own flip, then the child with the largest gain in coverage",
        source: "SAGE",
        make: || Box::new(generational::Generational::default()),
    },
];

/// Every strategy, the default first.
pub fn strategies() -> &'static [Entry] {
    STRATEGIES
}

/// A name that is none.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no strategy `{name}`; did you mean `{nearest}`? `symcrete strategies` lists them all")]
pub struct UnknownStrategy {
    pub name: String,
    pub nearest: &'static str,
}

/// The strategy of a name.
pub fn strategy(name: &str) -> Result<Box<dyn Strategy>, UnknownStrategy> {
    if let Some(entry) = STRATEGIES.iter().find(|entry| entry.name == name) {
        return Ok(entry.make());
    }
    let nearest = STRATEGIES
        .iter()
        .max_by(|a, b| strsim::jaro_winkler(name, a.name).total_cmp(&strsim::jaro_winkler(name, b.name)))
        .map_or("auto", |entry| entry.name);
    Err(UnknownStrategy { name: name.to_string(), nearest })
}
