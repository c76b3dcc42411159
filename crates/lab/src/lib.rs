//! The laboratory: random Markov chains, their exact optimum, and every strategy on them.
//!
//! A chain is made into a program model and its runs into paths of an execution tree, so the strategies here are the
//! very code that searches real programs. Nothing here compiles, solves or runs a program, and nothing opens a file.

mod campaign;
mod chain;
mod generate;
mod linear;
mod optimum;
mod plot;
mod program;
mod structure;
mod table;
mod text;

pub use campaign::{Bench, Ending, MOST_RUNS};
pub use chain::{Chain, ChainError, Edge, FORMAT, NumberedError};
pub use generate::{Level, Shape, chain as random_chain};
pub use optimum::{TooLarge, optimum};
pub use plot::{PlotError, svg};
pub use program::Modelled;
pub use structure::{Action, MOST_STATES, Mask, Structure, actions};
pub use table::{Cell, Column, Results, Row, chains, column, measure};
pub use text::text;
