//! The program model: what the engine knows of the program under test without LLVM and without its
//! sources. The pass writes one [`Unit`] per translation unit into the object file; [`Program`] is what a
//! linked target holds, with typed ids that are stable for that target.
//!
//! Plain data: no files are opened here, callers hand in bytes.

mod callees;
pub mod code;
mod control;
pub mod details;
mod distance;
mod dominators;
mod file_names;
mod icfg;
mod load;
mod paths;
mod reached;
pub mod sketch;
mod unit;
mod words;

pub use callees::{Callees, modelled, native};
pub use control::Control;
pub use details::Details;
pub use distance::{Distances, NOWHERE};
pub use dominators::Dominators;
pub use file_names::plain_path;
pub use icfg::{Icfg, Point, Way};
pub use load::{LoadError, Program};
pub use paths::{BlockEnd, BlockPaths, FunctionPaths, PathCall, UnitPaths};
pub use reached::Reached;
pub use unit::{
    Block, Body, Call, FORMAT, Function, HARNESS, Linkage, Location, Parameter, Side, SideKind, Site, SiteKind, Unit,
    is_system_header,
};

pub use words::Words;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A source-level side (one outcome of a condition, one case of a switch) of a linked program.
    SideId
);
id!(
    /// A place in a tracking body where the runtime may record an event.
    SiteId
);
impl SiteId {
    /// Where a decision was made by the runtime itself, outside every tracking body.
    pub const NONE: SiteId = SiteId(u32::MAX);
}
id!(
    /// A function of a linked program.
    FunctionId
);
id!(
    /// A unit of a linked program.
    UnitId
);
