//! `symcrete export`.

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::options::Export;
use symcrete_report::export::{Format, export};
use symcrete_report::{Campaign, Summary};
use symcrete_toolchain::did_you_mean;

pub fn run(options: &Export) -> Result<Exit, Failure> {
    let format = match options.format.as_str() {
        "corpus" => Format::Corpus,
        "testcomp" => Format::TestComp,
        later @ ("c" | "ktest" | "sarif" | "junit") => return Err(Failure::not_yet(&format!("--format {later}"))),
        other => {
            return Err(Failure::wrong_use(format!(
                "`--format {other}`: corpus or testcomp{}",
                did_you_mean(other, ["corpus", "testcomp"])
            )));
        }
    };
    let campaign = Campaign::read(&options.out)?;
    let to = options.to.clone().unwrap_or_else(|| options.out.join(&options.format));
    let entry = std::fs::read(options.out.join("summary.json"))
        .ok()
        .and_then(|t| serde_json::from_slice::<Summary>(&t).ok())
        .map_or("main".into(), |s| s.entry);
    let done = export(&options.out, &to, format, &campaign.name, &entry)
        .map_err(|e| Failure::wrong_use(format!("{}: {e}", to.display())))?;
    println!("{} files in {}", done.files, to.display());
    if done.skipped > 0 {
        println!("{} tests left out: they have several inputs, a corpus file has one", done.skipped);
    }
    Ok(exit::DONE)
}
