//! Case runner, generators, oracles (tests only).
