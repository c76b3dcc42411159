//! `symcrete cc` and `symcrete c++`: clang's own arguments, plus the plugin when something is compiled
//! and the runtime when something is linked.
//!
//! It must never change what it does not understand, print when nothing needs saying, or end with
//! anything but clang's own exit code once clang was started.

use crate::arguments::{CommandLine, InputKind, Role, Stage, Word};
use crate::layout::{Language, Layout, LayoutError};
use crate::response;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Command;

/// For the plugin: the user's arguments as a JSON array, and the folder they were given in.
pub const ENV_COMMAND: &str = "SYMCRETE_COMMAND";
pub const ENV_FOLDER: &str = "SYMCRETE_FOLDER";

/// The kernel refuses single words and environment entries above 128 KiB; a command line of more than
/// this is handed over in a file.
const LONG: usize = 100_000;

/// Sanitizers that live with the plugin: they plant checks and keep no shadow of their own.
fn stays_tracked(sanitizer: &str) -> bool {
    const UNDEFINED: &[&str] = &[
        "undefined",
        "undefined-trap",
        "integer",
        "implicit-conversion",
        "implicit-integer-truncation",
        "implicit-integer-arithmetic-value-change",
        "implicit-unsigned-integer-truncation",
        "implicit-signed-integer-truncation",
        "implicit-integer-sign-change",
        "implicit-bitfield-conversion",
        "nullability",
        "nullability-arg",
        "nullability-assign",
        "nullability-return",
        "alignment",
        "bool",
        "builtin",
        "bounds",
        "array-bounds",
        "local-bounds",
        "enum",
        "float-cast-overflow",
        "float-divide-by-zero",
        "function",
        "integer-divide-by-zero",
        "nonnull-attribute",
        "null",
        "object-size",
        "pointer-overflow",
        "return",
        "returns-nonnull-attribute",
        "shift",
        "shift-base",
        "shift-exponent",
        "signed-integer-overflow",
        "unreachable",
        "unsigned-integer-overflow",
        "unsigned-shift-base",
        "vla-bound",
        "vptr",
    ];
    UNDEFINED.contains(&sanitizer)
}

/// What the wrapper starts instead of what the user typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(&'static str, OsString)>,
    /// One line each, for the user.
    pub notes: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum WrapperError {
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error("cannot start {program}: {source}")]
    Start { program: String, source: io::Error },
    #[error("cannot write the arguments for clang: {0}")]
    Arguments(io::Error),
}

/// Turns the user's arguments into clang's.
pub fn rewrite(
    language: Language,
    arguments: Vec<OsString>,
    folder: &Path,
    layout: &Layout,
) -> Result<Invocation, LayoutError> {
    let expanded = response::expand(arguments, folder);
    let line = CommandLine::parse(expanded.clone());
    let mut invocation = Invocation {
        program: layout.clang(language)?,
        arguments: Vec::new(),
        environment: Vec::new(),
        notes: Vec::new(),
    };
    if !line.works() {
        invocation.arguments = expanded;
        return Ok(invocation);
    }
    if line.has(|r| *r == Role::OtherMachine) {
        invocation.notes.push("code for another machine is compiled plainly: the runtime is for x86-64 Linux".into());
        invocation.arguments = expanded;
        return Ok(invocation);
    }
    let stage = line.stage();
    let compiles = line.inputs().any(|(kind, _)| kind == InputKind::Source || kind == InputKind::Header);
    let links = stage == Stage::Link && !line.has(|r| *r == Role::Relocatable);
    let out = &mut invocation.arguments;
    out.push("--start-no-unused-arguments".into());
    if compiles {
        before(&line, layout, stage, out)?;
        let command: Vec<_> = expanded.iter().map(|a| a.to_string_lossy()).collect();
        let command = serde_json::to_string(&command).expect("a list of texts");
        // An object file without its command cannot be rebuilt plainly; that is better than not building.
        if command.len() <= LONG {
            invocation.environment.push((ENV_COMMAND, command.into()));
        }
        invocation.environment.push((ENV_FOLDER, folder.as_os_str().to_owned()));
    }
    let ours = if links { link_pieces(&line, layout)? } else { LinkPieces::default() };
    out.extend(ours.first.iter().map(OsString::from));
    out.push("--end-no-unused-arguments".into());
    let known: Vec<&PathBuf> = ours.first.iter().chain(&ours.last).collect();
    let shared = line.has(|r| *r == Role::Shared);
    let bare = line.words.iter().any(|w| matches!(&*w.head(), "-nostdlib" | "-nodefaultlibs" | "-nolibc"));
    for word in &line.words {
        // libtool copies what it saw in the compiler's own link lines back into its commands.
        if known.iter().any(|p| p.as_os_str() == word.text[0]) {
            continue;
        }
        user_word(word, links && shared, out, &mut invocation.notes);
    }
    out.push("--start-no-unused-arguments".into());
    if compiles {
        // The models know `memcpy`, not `__memcpy_chk`.
        out.extend(["-O2", "-U_FORTIFY_SOURCE"].map(OsString::from));
        // A crash report would try to preprocess our archives.
        out.push("-fno-crash-diagnostics".into());
    }
    if links {
        out.extend(["-fuse-ld=lld", "-fno-sanitize-link-runtime", "-Wl,-z,nostart-stop-gc"].map(OsString::from));
        if !shared {
            out.push("-Wl,--export-dynamic-symbol=__symcrete_*".into());
            // Code for shared objects refers to the runtime weakly, and is linked into programs too.
            if !bare {
                out.push("-Wl,-u,__symcrete_start".into());
            }
        }
        out.extend(["-x", "none"].map(OsString::from));
        out.extend(ours.last.iter().map(OsString::from));
    }
    out.push("--end-no-unused-arguments".into());
    Ok(invocation)
}

/// What comes before the user's words, so that those can say otherwise.
fn before(line: &CommandLine, layout: &Layout, stage: Stage, out: &mut Vec<OsString>) -> Result<(), LayoutError> {
    if stage > Stage::Check {
        let mut plugin = OsString::from("-fpass-plugin=");
        plugin.push(layout.plugin()?);
        out.push(plugin);
    }
    // Undefined behaviour must not delete what the user wants tested. Where a check is asked for, the
    // check must see it: under -fwrapv clang would leave the overflow checks out.
    let checks_overflow = line
        .sanitizers()
        .iter()
        .any(|s| matches!(s.as_str(), "undefined" | "integer" | "signed-integer-overflow" | "shift" | "shift-base"));
    if !checks_overflow {
        out.push("-fwrapv".into());
    }
    // __NO_CTYPE: character classes become calls, which have models, instead of table look-ups.
    out.extend(["-fno-delete-null-pointer-checks", "-D__NO_CTYPE"].map(OsString::from));
    let debug =
        line.words.iter().filter_map(|w| if let Role::Debug(on) = w.role { Some(on) } else { None }).next_back();
    if debug != Some(true) {
        out.push("-gline-tables-only".into());
    }
    if let Some(include) = layout.include() {
        out.push("-idirafter".into());
        out.push(include.into());
    }
    Ok(())
}

/// Copies one word of the user, or what is left of it.
fn user_word(word: &Word, no_undefined_is_off: bool, out: &mut Vec<OsString>, notes: &mut Vec<String>) {
    let mut note = |text: &str| {
        if !notes.iter().any(|n| n == text) {
            notes.push(text.to_string());
        }
    };
    match word.role {
        // Ours is -O2. -g0 would take away the lines that sides are named by.
        Role::Optimise | Role::Debug(false) => {}
        Role::Lto => {
            if !word.head().starts_with("-fno-") {
                note("-flto is left out: the program model is made per object file");
            }
        }
        Role::Sanitize => {
            let head = word.head();
            let list = head.split_once('=').map_or("", |(_, list)| list);
            let kept: Vec<&str> = list.split(',').filter(|s| stays_tracked(s)).collect();
            if !kept.is_empty() {
                out.push(format!("-fsanitize={}", kept.join(",")).into());
            }
        }
        Role::SanitizerDetail => {}
        Role::Linker if no_undefined_is_off => {
            // A shared object finds the runtime in the executable that loads it.
            let kept = without_no_undefined(&word.head());
            if word.text.len() > 1 {
                out.extend(word.text.iter().cloned());
                if word.text[1] == "--no-undefined" || word.text[1] == "defs" {
                    out.truncate(out.len() - 2);
                    if word.text[1] == "defs" {
                        out.extend(["-Xlinker", "undefs"].map(OsString::from));
                    }
                }
            } else if !kept.is_empty() {
                out.push(format!("-Wl,{kept}").into());
            }
        }
        Role::Other if no_undefined_is_off && word.head() == "-z" && word.text.get(1).is_some_and(|v| v == "defs") => {}
        _ => out.extend(word.text.iter().cloned()),
    }
}

/// The options of a `-Wl,` word without `--no-undefined` and `-z defs`.
fn without_no_undefined(head: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in head.trim_start_matches("-Wl,").split(',') {
        match part {
            "--no-undefined" | "-no-undefined" | "-zdefs" => {}
            "defs" if kept.last() == Some(&"-z") => {
                kept.pop();
            }
            _ => kept.push(part),
        }
    }
    kept.join(",")
}

#[derive(Default)]
struct LinkPieces {
    first: Vec<PathBuf>,
    last: Vec<PathBuf>,
}

/// `begin.o` and `end.o` bound the sections that are laid over shared memory: nothing of the program
/// may come before the one or after the other. A shared object uses the runtime of the executable, and
/// brings the models it needs: nobody knows what the executable will have.
fn link_pieces(line: &CommandLine, layout: &Layout) -> Result<LinkPieces, LayoutError> {
    let mut pieces = LinkPieces { first: vec![layout.piece(Layout::BEGIN)?], last: Vec::new() };
    if !line.has(|r| *r == Role::Shared) {
        pieces.last.push(layout.piece(Layout::MAIN)?);
    }
    pieces.last.extend(layout.piece(Layout::MODELS));
    if !line.has(|r| *r == Role::Shared) {
        pieces.last.push(layout.piece(Layout::RUNTIME)?);
    }
    pieces.last.push(layout.piece(Layout::END)?);
    Ok(pieces)
}

/// Becomes clang. Returns only with clang's exit code (when it had to wait for it) or with the reason
/// why there is none. `say` shows one note to the user.
pub fn run(
    language: Language,
    arguments: Vec<OsString>,
    folder: &Path,
    layout: &Layout,
    say: &mut dyn FnMut(&str),
) -> Result<i32, WrapperError> {
    let invocation = rewrite(language, arguments, folder, layout)?;
    for note in &invocation.notes {
        say(note);
    }
    let start = |source| WrapperError::Start { program: invocation.program.display().to_string(), source };
    let mut command = Command::new(&invocation.program);
    command.envs(invocation.environment.iter().map(|(k, v)| (k, v)));
    if invocation.arguments.iter().map(|a| a.len() + 9).sum::<usize>() < LONG {
        return Err(start(command.args(&invocation.arguments).exec()));
    }
    let file =
        tempfile::Builder::new().prefix("symcrete-").suffix(".rsp").tempfile().map_err(WrapperError::Arguments)?;
    std::fs::write(file.path(), response::join(&invocation.arguments)).map_err(WrapperError::Arguments)?;
    let mut word = OsString::from("@");
    word.push(file.path());
    let status = command.arg(word).status().map_err(start)?;
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}
