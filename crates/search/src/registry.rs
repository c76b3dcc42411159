//! All strategies by name, with a line for people and where each comes from.

use crate::estimator::Estimator;
use crate::options::Options;
use crate::strategy::Strategy;
use crate::{
    auto, bfs, carfast, cfg, cgs, dart, dfs, generational, greedy, random, random_branch, rcn, rps, rss, savings, sgs,
    uniform_random,
};

/// One strategy a user can ask for.
pub struct Entry {
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    make: fn(&Options) -> Box<dyn Strategy>,
}

impl Entry {
    /// A fresh one.
    pub fn make(&self, options: &Options) -> Box<dyn Strategy> {
        (self.make)(options)
    }
}

static STRATEGIES: &[Entry] = &[
    Entry {
        name: "auto",
        about: "flips towards uncovered code, mixed with random runs by what each earns (the default)",
        source: "symcrete",
        make: |_| auto::auto(),
    },
    Entry { name: "random", about: "draws inputs, never solves", source: "-", make: |_| Box::new(random::Random) },
    Entry {
        name: "dfs",
        about: "the deepest open side of the latest path, backtracking; ends by itself when all paths were run",
        source: "DART, PLDI 2005; CUTE, FSE 2005",
        make: |_| Box::new(dfs::Dfs::default()),
    },
    Entry {
        name: "bfs",
        about: "the shallowest open side of the tree",
        source: "-",
        make: |_| Box::new(bfs::Bfs::default()),
    },
    Entry {
        name: "dart",
        about: "dfs, but a fresh random input where a path has no open side left and precision was lost",
        source: "DART, PLDI 2005",
        make: |_| Box::new(dart::Dart::default()),
    },
    Entry {
        name: "uniform-random",
        about: "walks along the current path and flips at each branch with probability one half",
        source: "CREST, ASE 2008",
        make: |_| Box::new(uniform_random::UniformRandom::default()),
    },
    Entry {
        name: "random-branch",
        about: "one open side of the latest path, uniformly; without one, a fresh random input",
        source: "CREST, ASE 2008",
        make: |_| Box::new(random_branch::RandomBranch),
    },
    Entry {
        name: "cfg",
        about: "the open side of the latest path with uncovered code fewest branches away, backtracking to older paths",
        source: "CREST, ASE 2008",
        make: |_| Box::new(cfg::Cfg::default()),
    },
    Entry {
        name: "generational",
        about: "every open side of a path beyond its own flip, then the child with the largest gain in coverage",
        source: "SAGE, NDSS 2008",
        make: |_| Box::new(generational::Generational::default()),
    },
    Entry {
        name: "carfast",
        about: "the uncovered side on which most blocks of the program hang; without one, a random input",
        source: "CarFast, FSE 2012",
        make: |_| Box::new(carfast::Carfast::default()),
    },
    Entry {
        name: "cgs",
        about: "breadth first, a branch only in contexts that are new; contexts grow from walk to walk",
        source: "Context-Guided Search, FSE 2014",
        make: |options| Box::new(cgs::Cgs::new(options)),
    },
    Entry {
        name: "sgs",
        about: "the open side whose last branches were run least often, by subpaths of 1, 2, 4 and 8 branches in turn",
        source: "Subpath-Guided Search, OOPSLA 2013",
        make: |options| Box::new(sgs::Sgs::new(&options.subpaths)),
    },
    Entry {
        name: "rss",
        about: "any open side of the tree, uniformly",
        source: "KLEE random-state, OSDI 2008",
        make: |_| Box::new(rss::Rss),
    },
    Entry {
        name: "rps",
        about: "a random walk from the root of the tree to an open side",
        source: "KLEE random-path, OSDI 2008",
        make: |_| Box::new(rps::Rps),
    },
    Entry {
        name: "rcn",
        about: "rps in turn with a draw by nearness of uncovered code and recency of new coverage",
        source: "KLEE's default, OSDI 2008",
        make: |_| Box::new(rcn::Rcn::default()),
    },
    Entry {
        name: "greedy",
        about: "random runs, or the open side of an uncovered location, whichever is likely to cover more per cost",
        source: "Towards Optimal Concolic Testing, ICSE 2018",
        make: |options| Box::new(greedy::Greedy::new(options.estimator.clone().unwrap_or(Estimator::Laplace))),
    },
    Entry {
        name: "savings",
        about: "what is uncovered is worth what solving for it would cost; the step that saves most per cost",
        source: "symcrete",
        make: |options| Box::new(savings::Savings::new(options.estimator.clone().unwrap_or(Estimator::Mix))),
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
pub fn strategy(name: &str, options: &Options) -> Result<Box<dyn Strategy>, UnknownStrategy> {
    if let Some(entry) = STRATEGIES.iter().find(|entry| entry.name == name) {
        return Ok(entry.make(options));
    }
    // Two letters in the wrong order first: many names are short and alike.
    let slips = |entry: &&Entry| strsim::damerau_levenshtein(name, entry.name) <= 1;
    let nearest = STRATEGIES
        .iter()
        .find(slips)
        .or_else(|| {
            STRATEGIES
                .iter()
                .max_by(|a, b| strsim::jaro_winkler(name, a.name).total_cmp(&strsim::jaro_winkler(name, b.name)))
        })
        .map_or("auto", |entry| entry.name);
    Err(UnknownStrategy { name: name.to_string(), nearest })
}
