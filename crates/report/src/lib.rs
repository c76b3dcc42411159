//! What a campaign leaves behind and what a person sees: files, the live line, the final table, exports.
//! All of it is made from events and the program model.
//!
//! Nothing here decides anything or runs a target.

mod atomic;
pub mod baseline;
mod bug_folder;
pub mod compare;
mod entered;
pub mod export;
mod files;
mod folder;
mod lcov;
mod names;
pub mod page;
mod query_folder;
mod reach;
pub mod show;
mod summary;
mod table;
mod terminal;
mod test_file;
mod text;
mod tree_file;
mod tui;

pub use bug_folder::BugFile;
pub use files::Files;
pub use folder::{CAMPAIGN, Campaign, Contents, Folder, FolderError};
pub use lcov::lcov;
pub use names::{SideName, SideNames, kind_text};
pub use query_folder::{QueryFolder, QueryFolderError};
pub use reach::{Obstacle, ReachFile, ReachRow};
pub use summary::{
    BugEntry, CostModelEntry, CrossCheckEntry, LayerEntry, LostEntry, QueryEntry, Summary, TimeEntry, UncoveredEntry,
};
pub use table::table;
pub use terminal::{Style, Terminal};
pub use test_file::{EndFile, InputFile, ReadError, TestFile, end_text};
pub use text::shell_word;
pub use text::{from_hex, hex, readable, signal_name};
pub use tree_file::{TREE, TreeEntry, TreeFile, TreePlace};
pub use tui::Tui;

/// In every JSON file; raised when a key changes its meaning.
pub const FORMAT: u32 = 1;
