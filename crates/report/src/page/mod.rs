//! `symcrete report`: one page with everything a run found, for looking at from disk, without a server or a network.
//!
//! Made from the files of the output folder alone; nothing is compiled or run. Every text of the program, of its
//! inputs and of file names is escaped: a page shows what a test holds, it never does it.

mod gather;
mod html;
mod model;
mod plot;
mod sources;
mod tracefile;

pub use sources::{SOURCES, SourcesFile};

use crate::folder::FolderError;
use crate::{atomic, text::markup};
use std::io;
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../../templates/page/page.html");
const STYLE: &str = include_str!("../../templates/page/style.css");
const SCRIPT: &str = include_str!("../../templates/page/script.js");

#[derive(Debug, thiserror::Error)]
pub enum PageError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("{path}: {source}")]
    Io { path: String, source: io::Error },
}

/// A page that was written.
#[derive(Clone, Debug)]
pub struct Written {
    pub path: PathBuf,
    pub bytes: usize,
    /// What is missing on it, and why; also said on the page.
    pub notes: Vec<String>,
}

/// Writes `OUT/report/index.html`.
pub fn write(out: &Path) -> Result<Written, PageError> {
    let model = gather::gather(out)?;
    let path = out.join("report").join("index.html");
    let text = page(&model);
    let io = |source| PageError::Io { path: path.display().to_string(), source };
    std::fs::create_dir_all(out.join("report")).map_err(io)?;
    atomic::write(&path, text.as_bytes()).map_err(io)?;
    Ok(Written { path, bytes: text.len(), notes: model.notes })
}

fn page(model: &model::Model) -> String {
    // No `<` inside the data: nothing in it can end the element it lies in.
    let data = serde_json::to_string(model).unwrap_or_else(|_| "{}".into()).replace('<', "\\u003c");
    filled(PAGE, |name| match name {
        "title" => markup(&model.target),
        "style" => STYLE.into(),
        "script" => SCRIPT.into(),
        "data" => data.clone(),
        "overview" => html::overview(model),
        "notes" => html::notes(model),
        "bugs" => html::bugs(model),
        "files" => html::files(model),
        "tree" => html::tree(model),
        "uncovered" => html::uncovered(model),
        "lost" => html::lost(model),
        "time" => html::time(model),
        "plots" => plot::plots(model),
        _ => String::new(),
    })
}

/// The template with each `{{name}}` replaced. One pass: what is put in is not looked at again.
fn filled(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, behind)) = after.split_once("}}") else { break };
        out.push_str(before);
        out.push_str(&value(name));
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_not_a_template() {
        assert_eq!(filled("a {{x}} b {{y}}{", |name| format!("<{{{{{name}}}}}>")), "a <{{x}}> b <{{y}}>{");
    }
}
