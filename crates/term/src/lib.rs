//! Hash-consed bit-vector and float terms, named rewrite rules, evaluator; no solver, no I/O.
//!
//! [`Terms`] builds and simplifies, [`Evaluator`] computes values, [`rules`] lists what the
//! simplification is allowed to do. Terms are thousands of levels deep in practice: nothing here
//! recurses over them.

pub mod bits;
mod compute;
mod eval;
pub mod float;
mod make;
pub mod native;
mod op;
mod print;
#[cfg(test)]
mod proofs;
mod replica;
pub mod rules;
mod smtlib;
mod store;
mod tables;
mod vars;

pub use compute::compute;
pub use eval::{Assignment, Evaluator};
pub use op::{Malformed, Op};
pub use print::Printed;
pub use replica::Replica;
pub use smtlib::{Looseness, smtlib_name, write_assertions, write_smtlib};
pub use store::{Term, TermId, Terms};
pub use tables::Table;
pub use vars::{Var, VarId, VarIter, VarSetId, VarSets};
