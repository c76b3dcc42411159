//! Hash-consed bit-vector and float terms, named rewrite rules, evaluator; no solver, no I/O.
