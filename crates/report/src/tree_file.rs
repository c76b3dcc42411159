//! `tree.json`: the execution tree, as far as it is kept. Compact: nodes are short lists, and what nodes of one place
//! share is there once.

use crate::FORMAT;
use crate::names::{file_name, kind_text};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use symcrete_event::TreeRows;
use symcrete_program::{Program, SiteId};

pub const TREE: &str = "tree.json";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeFile {
    pub format: u32,
    /// Decisions of the whole tree; the file has those nearest to the first one.
    pub total: u64,
    pub places: Vec<TreePlace>,
    /// Nodes come after those above them.
    pub nodes: Vec<TreeEntry>,
}

/// File, line, column, names of the sides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreePlace(pub String, pub u32, pub u32, pub Vec<String>);

/// Position of the node above or -1; the side of it that leads here; position of the place; the first test that came by
/// or 0; a letter for each side (see `TreeSide`), with a number behind where there are more sides than letters; how many
/// nodes below are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry(pub i64, pub u32, pub usize, pub u32, pub String, pub u64);

impl TreeFile {
    /// `number`: what a test of the engine is called on disk. Files are named from `folder`.
    pub fn new(rows: &TreeRows, program: &Program, folder: &Path, number: impl Fn(u32) -> u32) -> TreeFile {
        let mut file = TreeFile { format: FORMAT, total: rows.total, ..TreeFile::default() };
        let mut known: HashMap<u32, usize> = HashMap::new();
        for node in &rows.nodes {
            let place = *known.entry(node.site).or_insert_with(|| {
                file.places.push(place(program, SiteId(node.site), node.sides.len(), folder));
                file.places.len() - 1
            });
            let mut sides: String = node.sides.iter().map(|side| side.letter()).collect();
            if node.more_sides > 0 {
                sides.push_str(&node.more_sides.to_string());
            }
            let (above, side) = node.parent.map_or((-1, 0), |(above, side)| (i64::from(above), side));
            let test = if node.test == 0 { 0 } else { number(node.test) };
            file.nodes.push(TreeEntry(above, side, place, test, sides, node.left_out));
        }
        file
    }

    /// `None` where there is none, or one of another version.
    pub fn read(out: &Path) -> Option<TreeFile> {
        let file: TreeFile = serde_json::from_slice(&std::fs::read(out.join(TREE)).ok()?).ok()?;
        let fits = |(at, node): (usize, &TreeEntry)| node.0 < at as i64 && node.2 < file.places.len();
        (file.format == FORMAT && file.nodes.iter().enumerate().all(fits)).then_some(file)
    }
}

fn place(program: &Program, site: SiteId, sides: usize, folder: &Path) -> TreePlace {
    if site.index() >= program.site_count() {
        return TreePlace::default();
    }
    let (unit, found) = program.site(site);
    let name = |outcome| match program.side_of(site, outcome) {
        Some(side) => kind_text(&program.side(side).1.kind),
        None => outcome.to_string(),
    };
    let file = file_name(program.unit(unit), found.location, folder);
    TreePlace(file, found.location.line, found.location.column, (0..sides).map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use symcrete_event::{TreeNode, TreeSide};

    #[test]
    fn a_tree_is_read_back_and_a_damaged_one_is_none() {
        let node = |parent, sides: &[TreeSide], more_sides| TreeNode {
            parent,
            site: 3,
            test: 1,
            sides: sides.to_vec(),
            more_sides,
            left_out: 2,
        };
        let first = node(None, &[TreeSide::Taken, TreeSide::Open], 0);
        let second = node(Some((0, 0)), &[TreeSide::Infeasible, TreeSide::Ended], 5);
        let rows = TreeRows { total: 9, nodes: vec![first, second] };
        let file = TreeFile::new(&rows, &Program::default(), Path::new(""), |test| test + 10);
        assert_eq!(file.nodes[0], TreeEntry(-1, 0, 0, 11, "to".into(), 2));
        assert_eq!(file.nodes[1], TreeEntry(0, 0, 0, 11, "ie5".into(), 2));
        assert_eq!(file.places.len(), 1, "one for both");
        let folder = tempfile::tempdir().unwrap();
        let write =
            |file: &TreeFile| std::fs::write(folder.path().join(TREE), serde_json::to_vec(file).unwrap()).unwrap();
        write(&file);
        assert_eq!(TreeFile::read(folder.path()), Some(file.clone()));
        for damage in [
            |file: &mut TreeFile| file.format = 0,
            |file: &mut TreeFile| file.nodes[0].0 = 0,
            |file: &mut TreeFile| file.nodes[1].0 = 7,
            |file: &mut TreeFile| file.places.clear(),
        ] {
            let mut damaged = file.clone();
            damage(&mut damaged);
            write(&damaged);
            assert_eq!(TreeFile::read(folder.path()), None);
        }
        std::fs::write(folder.path().join(TREE), "{\"cut").unwrap();
        assert_eq!(TreeFile::read(folder.path()), None);
    }
}
