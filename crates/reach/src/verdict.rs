//! What can be said about a target.

use crate::code::Place;
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A run was there.
    Reached,
    /// Every way was closed.
    Unreachable,
    /// Neither; the first thing that stood in the way.
    Unknown(Obstacle),
}

/// What stood in the way of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    pub what: Hindrance,
    pub place: Option<Place>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Hindrance {
    /// A loop that was followed for as many turns as allowed.
    Loop,
    /// Calls, deeper than they are followed.
    Depth,
    /// A function that is not part of the program.
    Outside(String),
    /// Memory that could not be resolved.
    Memory,
    /// The solver gave up.
    Solver,
    /// The time was over.
    Time,
    /// An operation that is not modelled.
    Unsupported(String),
    /// Something may enter the function without a call that the model has.
    CalledBack(String),
    /// It runs before the entry: a constructor, or what one calls.
    Early,
    /// Something after which blocks do not follow each other as the model says.
    Disorder(String),
    /// A run was expected to get there and did not.
    Missed,
    /// The program carries no instructions.
    NoModel,
}

impl Hindrance {
    /// The name in files.
    pub fn slug(&self) -> String {
        match self {
            Hindrance::Loop => "loop".into(),
            Hindrance::Depth => "depth".into(),
            Hindrance::Outside(name) => format!("external:{name}"),
            Hindrance::Memory => "memory".into(),
            Hindrance::Solver => "solver".into(),
            Hindrance::Time => "time".into(),
            Hindrance::Unsupported(what) => format!("unsupported:{what}"),
            Hindrance::CalledBack(name) => format!("callback:{name}"),
            Hindrance::Early => "start".into(),
            Hindrance::Disorder(name) => format!("control:{name}"),
            Hindrance::Missed => "missed".into(),
            Hindrance::NoModel => "model".into(),
        }
    }
}

impl fmt::Display for Hindrance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hindrance::Loop => f.write_str("the loop was not followed any further (`--unroll L` goes deeper)"),
            Hindrance::Depth => f.write_str("calls are not followed any deeper"),
            Hindrance::Outside(name) => write!(f, "what {name} does is not known"),
            Hindrance::Memory => f.write_str("what lies in memory there could not be told"),
            Hindrance::Solver => f.write_str("the solver gave up on the conditions"),
            Hindrance::Time => f.write_str("the time was over"),
            Hindrance::Unsupported(what) => write!(f, "{what} is not followed"),
            Hindrance::CalledBack(name) => write!(f, "{name} may call the function back"),
            Hindrance::Early => f.write_str("it runs before the entry, and inputs begin there"),
            Hindrance::Disorder(name) => write!(f, "{name} lets the program go other ways than its source shows"),
            Hindrance::Missed => f.write_str("an input that should get there did not"),
            Hindrance::NoModel => f.write_str("the program carries no instructions: build it again"),
        }
    }
}
